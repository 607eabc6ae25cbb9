"""Hints for practice: what ``strong`` would do now and why, and after a hand where it would have done otherwise.

Numbers come from the same sampled worlds that the level decides by, so a hint is honest: it knows no more than the
player.  Only for tables without a stake; whoever shows hints sees to that.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from node.bots.announce import TUNED, played_out, unseen
from node.bots.audit import decisions_of, words_of
from node.bots.chance import Chance, decision_chance
from node.bots.judgement import best_solos
from node.bots.playout import Scorer
from node.bots.policy import call_kinds, plays
from node.bots.sampler import Sampler
from node.bots.search import weigh_cards
from node.bots.search_bot import Strong
from node.console.faces import card_words
from node.console.words import call_name, contract_name, decimal
from node.i18n import _
from protocol.cards import CLUB_QUEEN, PLAYERS
from protocol.rules.acts import Act, Call, Healthy, Name, Play, Reserve
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract
from protocol.rules.view import HandView, hand_view

if TYPE_CHECKING:
    from protocol.table.end_phase import ClosedHand

#: A card that costs less than this many hundredths of a point a hand is not worth a word afterwards.
WORTH_A_WORD: Final = 30
#: The seed of hints: any will do, as nobody is bound by them.
SEED: Final = bytes(32)

_STRONG: Final = Strong()


@dataclass(frozen=True, slots=True)
class Choice:
    """A card one may play: chance of winning in percent, and hundredths of a point of the hand on average."""

    card: int
    win_percent: int
    points: int


@dataclass(frozen=True, slots=True)
class Hint:
    """What ``strong`` would do.  ``act`` is a bid or a card; ``call`` what it would announce first.

    ``choices`` are the cards there are, best first (empty while bidding).  ``win_percent`` is the chance of the own
    side as things stand, ``None`` where it is not known.  ``games``: while bidding, what could be played, best first.
    """

    act: Act
    call: CallKind | None
    choices: tuple[Choice, ...]
    win_percent: int | None
    games: tuple["Game", ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """A game one may choose (``None``: the normal game, or another's marriage), weighed as a :class:`Choice` is."""

    contract: Contract | None
    win_percent: int
    points: int


def hint(view: HandView) -> Hint:
    """What to do now, in ``view.me``'s turn.  Takes about as long as a move of ``strong``."""
    acts = plays(view)
    if not acts:
        return Hint(_STRONG.choose(view, SEED), None, (), None, weigh_games(view))
    choices = weigh(view)
    best = next(act for act in acts if act.card == choices[0].card)
    return Hint(best, _STRONG.call(view, SEED), choices, choices[0].win_percent)


def weigh_games(view: HandView) -> tuple[Game, ...]:
    """The game that comes if one says nothing more, and the solos worth a thought, best first; rules play them out."""
    me, dealt = view.me, view.dealt
    both = dealt.count(CLUB_QUEEN) == 2
    plain = Contract.MARRIAGE if both else None
    solos = [solo for chance, solo in best_solos(view)[: TUNED.tries] if chance >= TUNED.glance]
    if both and view.state.rules.duel is None:
        solos.append(Contract.SILENT_SOLO)
    scorer = Scorer((0, 0), view.state.rules.profile, view.state.rules.special_points)
    sampler = Sampler(unseen(me, dealt))
    chance = Chance(b"bid" + SEED + bytes((me, *sorted(dealt))))
    games: list[Contract | None] = [plain, *solos]
    sums, wins = [0] * len(games), [0] * len(games)
    for _world in range(TUNED.worlds):
        hands: list[tuple[int, ...] | list[int]] = [dealt] * PLAYERS
        for player, cards in zip(sampler.others, sampler.draw(chance), strict=True):
            hands[player] = cards
        for index, contract in enumerate(games):
            points = played_out(hands, contract, me, scorer)
            sums[index] += points
            wins[index] += points > 0
    weighed = [
        Game(contract, 100 * won // TUNED.worlds, 100 * total // TUNED.worlds)
        for contract, won, total in zip(games, wins, sums, strict=True)
    ]
    return tuple(sorted(weighed, key=lambda game: -game.points))


def weigh(view: HandView) -> tuple[Choice, ...]:
    """Every card that may be played, best first as ``strong`` sees it."""
    weighed = weigh_cards(view, tuple(act.card for act in plays(view)), decision_chance(view, SEED), _STRONG.settings)
    ordered = sorted(weighed, key=lambda one: -one.total)
    return tuple(Choice(one.card, 100 * one.won // one.worlds, 100 * one.points // one.worlds) for one in ordered)


def act_words(act: Act | None) -> str:
    """An act as people say it."""
    match act:
        case Play(card=card):
            return card_words(card)
        case Call(kind=kind):
            return call_name(kind.value)
        case Name(contract=contract):
            return contract_name(contract.value)
        case Reserve():
            return _("reservation")
        case Healthy():
            return _("healthy")
    return words_of(act)


def _points(hundredths: int) -> str:
    return decimal(hundredths / 100, 1, signed=True)


def words(found: Hint) -> str:
    """The hint as one sentence in the user's language."""
    if not found.choices:
        text = _("strong would say: {act}").format(act=act_words(found.act))
        for game in found.games:
            text += _("; {game}: wins {percent} %, {points} points").format(
                game=_("normal game") if game.contract is None else contract_name(game.contract.value),
                percent=game.win_percent,
                points=_points(game.points),
            )
        return text
    best = found.choices[0]
    text = _("{card}: wins {percent} %, {points} points").format(
        card=card_words(best.card), percent=best.win_percent, points=_points(best.points)
    )
    if len(found.choices) > 1:
        second = found.choices[1]
        text += _("; next {card}: {percent} %, {points}").format(
            card=card_words(second.card), percent=second.win_percent, points=_points(second.points)
        )
    else:
        text += _("; there is no other card")
    if found.call is not None:
        text = _("call {call}; {rest}").format(call=call_name(found.call.value), rest=text)
    return text


@dataclass(frozen=True, slots=True)
class Missed:
    """A moment of a finished hand at which ``strong`` would have done otherwise.

    ``card`` cards had been played; ``did`` is ``None`` where it would have made a call; ``cost`` in hundredths of a
    point a hand, 0 for bids and calls (not weighed).
    """

    card: int
    did: Act | None
    better: Act
    cost: int


def missed_words(missed: Missed) -> str:
    """What ``strong`` would have done instead, as one sentence in the user's language."""
    if missed.did is None:
        return _("trick {n}: strong would have announced: {better}").format(
            n=missed.card // 4 + 1, better=act_words(missed.better)
        )
    if not missed.cost:
        return _("strong would have said {better} instead of {did}").format(
            better=act_words(missed.better), did=act_words(missed.did)
        )
    return _("trick {n}: strong would have chosen {better} instead of {did}, {points} points").format(
        n=missed.card // 4 + 1, better=act_words(missed.better), did=act_words(missed.did), points=_points(missed.cost)
    )


def review(closed: "ClosedHand", position: int) -> Iterator[Missed]:
    """Where *position* left the way of ``strong`` in a finished hand that is shown, in order.

    Small things are left out; see :data:`WORTH_A_WORD`.  A dozen moves of thinking: run it outside an event loop.
    """
    if closed.agreed or not closed.hands:
        return
    for decision in decisions_of(closed):
        if decision.player != position:
            continue
        view = hand_view(decision.state, position)
        did = decision.did
        if decision.asked == "call":
            kind = _STRONG.call(view, SEED) if did is None and call_kinds(view) else None
            if kind is not None:
                yield Missed(decision.state.cards_played, None, Call(position, kind), 0)
            continue
        if not isinstance(did, Play):
            better = _STRONG.choose(view, SEED)
            if better != did:
                yield Missed(0, did, better, 0)
            continue
        if len(plays(view)) == 1:
            continue
        choices = weigh(view)
        mine = next(choice for choice in choices if choice.card == did.card)
        cost = choices[0].points - mine.points
        if cost >= WORTH_A_WORD:
            yield Missed(decision.state.cards_played, did, Play(position, choices[0].card), cost)
