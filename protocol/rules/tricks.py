"""Playing cards: following, winning a trick, and the clearing of a marriage (R12..R14, R34)."""

from typing import Final, cast

from protocol.cards import CARD_NAMES, CLUB_QUEEN, PLAYERS, TYPES
from protocol.refusal import Code, Refusal
from protocol.rules.bidding import wrong_time
from protocol.rules.calls import Side
from protocol.rules.contracts import CLASSES, Contract
from protocol.rules.state import HandState, Phase, Trick

_PLAY: Final = Phase.PLAY
_NORMAL: Final = Contract.NORMAL
_MARRIAGE: Final = Contract.MARRIAGE


def do_play(state: HandState, player: int, card: int) -> None:
    """Play *card*, after checking turn (R9, R14), possession (R14) and following (R13)."""
    if player != state.turn or state.phase is not _PLAY:
        raise _not_now(state, player)
    if not 0 <= card < TYPES:
        raise Refusal(Code.FORMAT, f"{card!r} is no card", "R2")
    hand = state._hands[player]
    trick = state.trick
    cls = state._classes[card]
    if hand is None:
        check_unseen(state, player, card)
    else:
        if not hand >> 2 * card & 3:
            raise Refusal(Code.RULE, f"player {player + 1} does not hold {CARD_NAMES[card]}", "R14")
        if trick and cls != state._led and hand & state._masks[state._led]:
            raise _revoke(state, player, card)
        state._hands[player] = hand - (1 << 2 * card)
    if card == CLUB_QUEEN:
        _queen_played(state, player)
    if not trick:
        state.trick = (card,)
        state._led = cls
        state._power = power = state._powers[cls]
        state._best = power[card]
        state._winner = player
        state.turn = (player + 1) % PLAYERS
    else:
        if cls != state._led:
            state._voids |= 1 << (CLASSES * player + state._led)
        worth = state._power[card]
        if worth > state._best:
            state._best = worth
            state._winner = player
        if len(trick) < 3:
            state.trick = (*trick, card)
            state.turn = (player + 1) % PLAYERS
        else:
            _complete(state, cast("tuple[int, int, int, int]", (*trick, card)))
    if card == CLUB_QUEEN and state.rules.duel is not None:
        _computer_with_both(state, player)


def _complete(state: HandState, cards: tuple[int, int, int, int]) -> None:
    winner = state._winner
    state.tricks = (*state.tricks, Trick(state.leader, cards, winner))
    state.trick = ()
    state.leader = state.turn = winner
    if len(state.tricks) == 12:
        state.phase = Phase.DONE
        state.turn = None
    elif state.contract is _MARRIAGE and state.clearing is None:
        _clear(state, winner)


def _clear(state: HandState, winner: int) -> None:
    """R12 after one of the first three tricks; in a duel a human and a computer must find each other (R34)."""
    groom = state.groom
    rules = state.rules
    count = len(state.tricks)
    if winner != groom and (rules.duel is None or rules.computer(winner) is not rules.computer(cast("int", groom))):
        state.partner = winner
        state.clearing = count
    elif count == 3:
        alone = all(t.winner == groom for t in state.tricks)
        if rules.duel is not None and (rules.computer(cast("int", groom)) or not alone):
            make_void(state)
        else:
            state.clearing = 3


def make_void(state: HandState) -> None:
    """End the hand without a result (R29)."""
    state.void_hand = True
    state.phase = Phase.DONE
    state.turn = None


def _queen_played(state: HandState, player: int) -> None:
    state.queens = tuple(q + (p == player) for p, q in enumerate(state.queens))
    if state.shown[player]:
        state.shown = tuple(s - (p == player) for p, s in enumerate(state.shown))
    if state.contract is _NORMAL and state.proven[player] is None:
        state.proven = tuple(Side.RE if p == player else side for p, side in enumerate(state.proven))


def _computer_with_both(state: HandState, player: int) -> None:
    """R34: a computer that said healthy with both club queens (only a ghost can) makes the hand void."""
    if state.contract is _NORMAL and state.queens[player] == 2 and state.rules.computer(player):
        make_void(state)


def _not_now(state: HandState, player: int) -> Refusal:
    if state.phase is Phase.PLAY:
        return wrong_time(state, player, "R14" if state.tricks or state.trick else "R9")
    return wrong_time(state, player, "R8")


def _revoke(state: HandState, player: int, card: int) -> Refusal:
    led = "trump" if state._led == 4 else ("clubs", "spades", "hearts", "diamonds")[state._led]
    return Refusal(Code.RULE, f"player {player + 1} must follow {led} and cannot play {CARD_NAMES[card]}", "R13")


def check_unseen(state: HandState, player: int, card: int) -> None:
    """What the public log alone says against a card from a hand that is not known."""
    copies = state.copies_played(card)
    if card == CLUB_QUEEN:
        copies += sum(shown for p, shown in enumerate(state.shown) if p != player)
    if copies >= 2:
        raise Refusal(Code.RULE, f"both copies of {CARD_NAMES[card]} are elsewhere", "R14")
    cls = state._classes[card]
    if state._voids >> (CLASSES * player + cls) & 1:
        raise Refusal(Code.RULE, f"player {player + 1} has shown that he holds nothing like {CARD_NAMES[card]}", "R13")
    if not state.shown[player]:
        if card == CLUB_QUEEN and state.contract is _NORMAL and state.proven[player] is Side.KONTRA:
            raise Refusal(Code.CLAIM, "a player who has proven Contra holds no club queen", "R11")
        return
    if state.trick and cls != state._led and state._classes[CLUB_QUEEN] == state._led:
        raise _revoke(state, player, card)
    if card != CLUB_QUEEN and state.cards_left(player) <= state.shown[player]:
        raise Refusal(Code.RULE, f"player {player + 1} holds nothing but the club queens he has shown", "R14")


def legal_cards(state: HandState) -> tuple[int, ...]:
    """The types that the player in turn may play, once each; () when nobody plays.

    In the order dealt if his hand is known; otherwise ascending, everything that the public log does not rule out.
    """
    player = state.turn
    if player is None or state.phase is not _PLAY:
        return ()
    hand = state._hands[player]
    if hand is None:
        return tuple(card for card in range(TYPES) if _possible(state, player, card))
    if state.trick:
        suited = hand & state._masks[state._led]
        if suited:
            hand = suited
    dealt = cast("tuple[int, ...]", state._dealt[player])
    cards: list[int] = []
    for card in dealt:
        if hand >> 2 * card & 3 and card not in cards:
            cards.append(card)
    return tuple(cards)


def _possible(state: HandState, player: int, card: int) -> bool:
    try:
        check_unseen(state, player, card)
    except Refusal:
        return False
    return True
