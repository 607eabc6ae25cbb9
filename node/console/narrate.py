"""What happened, in sentences: the difference of two views, for the plain console, the log page and ``--watch``.

Nothing is remembered here; the same two views always give the same sentences.  So a console that missed views in
between (redraws are coalesced) still tells everything that the later view knows.  Names may be "you", so sentences
with a name from :func:`~node.console.documents.player_name` put it where no verb has to agree with it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from node.console import words
from node.console.documents import player_name
from node.console.faces import Faces
from node.console.scorepages import hand_title, outcome_line
from node.i18n import _
from node.view import FinishedHand, LinkState, Stage, Step, TableView, Tone, View
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandState


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence.  ``kind``: what it is about (``deal bid call card trick link vote score chat notice lobby``)."""

    text: str
    kind: str
    tone: Tone = Tone.INFO


def narrate(old: View | None, new: View, faces: Faces) -> list[Said]:
    """Everything that happened between two views of one node, oldest first."""
    said: list[Said] = []
    before = old.table if old is not None else None
    if before is not None and (new.table is None or new.table.match != before.match):
        before = None
    if new.table is not None:
        said += _table(before, new.table, faces)
    else:
        said += _lobby(old, new)
    seen = old.notices[-1].serial if old is not None and old.notices else 0
    said += [Said(note.text, "notice", note.tone) for note in new.notices if note.serial > seen]
    return said


def _lobby(old: View | None, new: View) -> Iterator[Said]:
    known = {table.id for table in old.lobby.tables} if old is not None else set()
    for table in new.lobby.tables:
        if table.id not in known:
            text = _("{name} has opened a table: {mode}, {stake}.")
            yield Said(
                text.format(
                    name=table.opener.name,
                    mode=words.mode_name(table.terms.mode),
                    stake=words.money(table.terms.stake, table.terms.currency),
                ),
                "lobby",
            )
    links = {friend.key: friend.link.state for friend in old.lobby.friends} if old is not None else {}
    for friend in new.lobby.friends:
        was = links.get(friend.key, LinkState.LOST)
        if _up(friend.link.state) and not _up(was):
            yield Said(_("{name} is there.").format(name=friend.name), "link", Tone.GOOD)
        elif _up(was) and not _up(friend.link.state):
            yield Said(_("{name} is gone.").format(name=friend.name), "link")
    seating = new.lobby.seating
    sat = old.lobby.seating if old is not None else None
    if seating is None:
        if sat is not None:
            yield Said(_("You are no longer at the table."), "lobby")
        return
    for seat, player in enumerate(seating.players):
        was_there = sat.players[seat] if sat is not None else None
        if player is not None and was_there is None and seat != seating.me:
            yield Said(_("{name} sits down.").format(name=player.name), "lobby")
        elif player is None and was_there is not None:
            yield Said(_("{name} has left.").format(name=was_there.name), "lobby")
        if (
            player is not None
            and player.ready
            and seat != seating.me
            and not (was_there is not None and was_there.ready)
        ):
            yield Said(_("{name} is ready.").format(name=player.name), "lobby")


def _up(state: LinkState) -> bool:
    return state in (LinkState.DIRECT, LinkState.VIA, LinkState.SELF)


def _table(old: TableView | None, new: TableView, faces: Faces) -> Iterator[Said]:
    if old is None:
        others = [player.name for seat, player in enumerate(new.players) if seat != new.me]
        text = _("You play with {names}: {mode}.")
        yield Said(text.format(names=words.names(others), mode=words.mode_name(new.terms.mode)), "deal")
    yield from _links(old, new)
    ended = len(old.finished) if old is not None else 0
    # a hand that ended between the views is told to its end before the next one begins
    for hand in new.finished[ended:]:
        was = old.hand.state if old is not None and old.hand is not None and old.deal.number == hand.deal else None
        yield from _hand(was, hand.state, new, hand.forehand, faces)
        yield Said(_hand_over(new, hand), "score", Tone.GOOD if hand.points[new.me] > 0 else Tone.INFO)
    over = {hand.deal for hand in new.finished}
    yield from _deal(old, new)
    if new.hand is not None and new.deal.number not in over:
        same = old is not None and old.hand is not None and old.deal.number == new.deal.number
        yield from _hand(old.hand.state if same and old is not None and old.hand is not None else None,
                         new.hand.state, new, new.forehand, faces)  # fmt: skip
    yield from _votes(old, new)
    yield from _end(old, new)
    heard = old.chat[-1].serial if old is not None and old.chat else 0
    for line in new.chat:
        if line.serial > heard:
            yield Said(f"{line.name}: {line.text}", "chat")


def _links(old: TableView | None, new: TableView) -> Iterator[Said]:
    if new.stage in (Stage.SETTLED, Stage.STOPPED):
        return  # then everybody goes, one by one
    for seat, player in enumerate(new.players):
        was = old.players[seat].link.state if old is not None else LinkState.SELF
        if _up(player.link.state) and not _up(was):
            yield Said(_("{name} is back.").format(name=player.name), "link", Tone.GOOD)
        elif not _up(player.link.state) and _up(was):
            yield Said(_("The link to {name} is lost.").format(name=player.name), "link", Tone.WARN)
        if player.dropped and not (old is not None and old.players[seat].dropped):
            yield Said(_("A ghost plays on for {name}.").format(name=player.name), "link", Tone.WARN)


def _deal(old: TableView | None, new: TableView) -> Iterator[Said]:
    before = old.deal if old is not None and old.deal.number == new.deal.number else None
    if new.stage in (Stage.SETTLING, Stage.SETTLED, Stage.STOPPED):
        return
    if before is None and new.stage in (Stage.DEALING, Stage.HAND):
        text = _("Hand {number} of {total}: everybody shuffles.")
        yield Said(text.format(number=new.hand_number, total=new.terms.hands), "deal")
    for seat in range(4):
        if new.deal.shuffles[seat] is Step.DONE and (before is None or before.shuffles[seat] is not Step.DONE):
            text = _("You have shuffled.") if seat == new.me else _("{name} has shuffled.")
            yield Said(text.format(name=new.players[seat].name), "deal")
    if new.deal.barrier and not (before is not None and before.barrier):
        yield Said(_("All four have checked all four shuffles."), "deal")
    if (
        new.deal.done
        and new.hand is not None
        and not (before is not None and before.done and old is not None and old.hand)
    ):
        if new.forehand == new.me:
            yield Said(_("The cards are dealt. You are forehand."), "deal")
        else:
            text = _("The cards are dealt. {name} is forehand.")
            yield Said(text.format(name=new.players[new.forehand].name), "deal")


def _hand(old: HandState | None, new: HandState, table: TableView, forehand: int, faces: Faces) -> Iterator[Said]:
    def who(position: int) -> str:
        seat = (forehand + position) % 4
        return _("you") if seat == table.me else table.players[seat].name

    bids = len(old.bids) if old is not None else 0
    for position, reserve in enumerate(new.bids[bids:], bids):
        bid = _("reservation") if reserve else _("healthy")
        yield Said(_("{name}: {what}").format(name=who(position), what=bid), "bid")
    named = len(old.names) if old is not None else 0
    for position, contract in new.names[named:]:
        yield Said(_("{name}: {what}").format(name=who(position), what=words.contract_name(contract)), "bid")
    if new.contract is not None and (old is None or old.contract is None):
        yield Said(contract_sentence(new, who), "bid", Tone.GOOD)
    # calls and cards in the order in which they took effect
    heard = {(call.player, call.kind) for call in old.calls} if old is not None else set()
    calls = [call for call in new.calls if (call.player, call.kind) not in heard]
    done = old.cards_played if old is not None else 0
    log = new.log
    for number in range(done, len(log) + 1):
        for call in [call for call in calls if call.played <= number]:
            calls.remove(call)
            yield Said(_("{name}: {what}").format(name=who(call.player), what=words.call_name(call.kind) + "!"), "call")
        if number == len(log):
            break
        position, card = log[number]
        yield Said(_("{name}: {what}").format(name=who(position), what=faces.card(card)), "card")
        if number % 4 == 3:
            trick = new.tricks[number // 4]
            text = _("Trick {number}: {name}, {points}.")
            yield Said(
                text.format(number=number // 4 + 1, name=who(trick.winner), points=words.card_points(trick.points)),
                "trick",
            )
            if new.contract is Contract.MARRIAGE and new.clearing == number // 4 + 1:
                if new.partner is None:
                    text = _("The marriage is not cleared; alone: {name}.")
                    yield Said(text.format(name=who(new.groom or 0)), "trick")
                else:
                    text = _("That was the clearing trick; partner: {name}.")
                    yield Said(text.format(name=who(new.partner)), "trick", Tone.GOOD)


def contract_sentence(state: HandState, who: Callable[[int], str]) -> str:
    """The settled contract with its player and trumps."""
    assert state.contract is not None
    game = words.contract_name(state.contract)
    trumps = words.trumps_line(state.contract)
    player = state.soloist if state.soloist is not None else state.groom
    if player is None:
        return _("{game}; {trumps}.").format(game=game[:1].upper() + game[1:], trumps=trumps)
    return _("{name}: {game}; {trumps}.").format(name=who(player), game=game, trumps=trumps)


def _hand_over(table: TableView, hand: FinishedHand) -> str:
    return f"{hand_title(table, hand)}: {outcome_line(table, hand)}"


def _votes(old: TableView | None, new: TableView) -> Iterator[Said]:
    for seat in range(4):
        name = player_name(new, seat)
        if new.void_votes[seat] and not (old is not None and old.void_votes[seat]):
            yield Said(_("{name}: agrees that this hand is void.").format(name=name), "vote")
        if new.pause_votes[seat] and not (old is not None and old.pause_votes[seat]) and not new.paused:
            yield Said(_("{name}: asks for a pause.").format(name=name), "vote")
        choice = new.absence.votes[seat] if new.absence is not None else None
        had = old.absence.votes[seat] if old is not None and old.absence is not None else None
        if choice is not None and choice is not had:
            yield Said(_("{name}: {what}").format(name=name, what=_(words.ABSENCE[choice])), "vote")
        if new.rematch[seat] and not (old is not None and old.rematch[seat]):
            yield Said(_("{name}: would like another match.").format(name=name), "vote")
    paused = old is not None and old.paused
    if new.paused and not paused:
        yield Said(_("Pause."), "vote")
    elif paused and not new.paused:
        yield Said(_("The pause is over."), "vote")
    elif old is not None and any(old.pause_votes) and not any(new.pause_votes):
        yield Said(_("There will be no pause: somebody does not want one."), "vote")
    gone = old.absence.seats if old is not None and old.absence is not None else ()
    if new.absence is not None and new.absence.seats != gone and new.absence.seats:
        absent = words.names([new.players[seat].name for seat in new.absence.seats])
        yield Said(_("{names}: no answer.").format(names=absent), "link", Tone.WARN)


def _end(old: TableView | None, new: TableView) -> Iterator[Said]:
    stage = old.stage if old is not None else None
    if new.stage is stage:
        return
    if new.stage is Stage.RESUMING:
        yield Said(_("The match is taken up again: each tells what it holds of the others."), "deal")
    elif new.stage is Stage.SETTLING:
        yield Said(_("The match is over; the four sign the settlement."), "score")
    elif new.stage is Stage.SETTLED:
        yield Said(_("The match is settled."), "score", Tone.GOOD)
    elif new.stage is Stage.ADJOURNED:
        yield Said(_("The match is adjourned. It can be taken up again from the lobby."), "link", Tone.WARN)
    elif new.stage is Stage.STOPPED:
        yield Said(new.stop or _("The match has stopped."), "link", Tone.ERROR)
