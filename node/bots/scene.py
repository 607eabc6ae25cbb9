"""From a seat's view to the fast core: where a playout begins, and worlds as masks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from node.bots.core import Layout, layout
from node.bots.playout import Scorer, Start
from protocol.cards import CARD_POINTS, CLUB_QUEEN, DIAMOND_ACE, PLAYERS
from protocol.rules.contracts import CLASS_TABLE, Contract
from protocol.rules.state import HandState

if TYPE_CHECKING:
    from node.bots.chance import Chance
    from node.bots.sampler import Sampler
    from protocol.rules.view import HandView


def start_of(state: HandState) -> Start:
    """The public position of *state*, which is in the card play."""
    contract = state.contract
    assert contract is not None
    lay = layout(contract)
    classes = CLASS_TABLE[contract]
    start = Start(turn=state.turn if state.turn is not None else 0)
    start.left = 12 - len(state.tricks)
    start.points = [state.card_points(p) for p in range(PLAYERS)]
    for trick in state.tricks:
        start.fresh &= ~(1 << classes[trick.cards[0]])
        start.took |= 1 << trick.winner
        if sum(CARD_POINTS[k] for k in trick.cards) >= 40:
            start.specials.append((-1, trick.winner))
        if DIAMOND_ACE in trick.cards and lay.fox >= 0:
            for i, card in enumerate(trick.cards):
                if card == DIAMOND_ACE:
                    start.specials.append(((trick.leader + i) % PLAYERS, trick.winner))
    start.count = len(state.trick)
    for i, card in enumerate(state.trick):
        player = (state.leader + i) % PLAYERS
        code = lay.code[card]
        start.value += CARD_POINTS[card]
        if code == lay.fox:
            start.foxes |= 1 << player
        if i == 0:
            start.led = code >> 5
        if player == state.winning:
            start.best, start.power, start.holder = code, lay.power[code], player
    if contract is Contract.MARRIAGE and state.clearing is None:
        assert state.groom is not None
        start.groom = state.groom
    if state.rules.duel is not None:
        start.duel = sum(1 << p for p in state.rules.duel)
    return start


def scorer_of(state: HandState, levels: tuple[int, int] | None = None) -> Scorer:
    """How *state* will be scored, with its calls or with *levels* instead."""
    return Scorer(levels or state.levels, state.rules.profile, state.rules.special_points)


def put_hand(lay: Layout, hands: list[int], player: int, cards: Sequence[int]) -> None:
    """Set the masks of *player* to *cards* (types)."""
    base = 5 * player
    hands[base : base + 5] = (0, 0, 0, 0, 0)
    for card in cards:
        code = lay.code[card]
        bit = 1 << (code & 31)
        hands[base + (code >> 5)] |= bit << 1 if hands[base + (code >> 5)] & bit else bit


def sides_for(state: HandState, queens: Sequence[int]) -> list[int]:
    """Who is on which side, for a playout, if the positions were dealt these numbers of club queens."""
    if state.contract is Contract.MARRIAGE:
        if state.clearing is None:
            return [0 if p == state.groom else p + 1 for p in range(PLAYERS)]
        return [0 if p in (state.groom, state.partner) else 1 for p in range(PLAYERS)]
    if state.contract is Contract.NORMAL:
        return [0 if queens[p] else 1 for p in range(PLAYERS)]
    return [0 if p == state.soloist else 1 for p in range(PLAYERS)]


class Worlds:
    """Sampled worlds as masks and sides, ready for playouts from the card play of *view*."""

    __slots__ = ("_base", "_fixed", "_lay", "_me", "_queens", "_sampler", "_state")

    def __init__(self, view: "HandView", lay: Layout, sampler: "Sampler") -> None:
        self._state = view.state
        self._sampler = sampler
        self._base = [0] * 20
        put_hand(lay, self._base, view.me, view.hand)
        self._queens = list(view.state.queens)
        self._queens[view.me] = view.dealt.count(CLUB_QUEEN)
        self._lay = lay
        self._me = view.me
        self._fixed = None if view.state.contract is Contract.NORMAL else sides_for(view.state, self._queens)

    def draw(self, chance: "Chance") -> tuple[list[int], list[int]]:
        """The masks of all four hands and the sides, both fresh lists."""
        hands = self._base[:]
        others, queen = self._sampler.others, self._sampler.queen
        queens = self._queens[:]
        for player, cards in zip(others, self._sampler.draw(chance), strict=True):
            base = 5 * player
            for code in cards:
                hands[base + (code >> 5)] |= 1 << (code & 31)
                if code & -2 == queen:
                    queens[player] += 1
        sides = self._fixed[:] if self._fixed else sides_for(self._state, queens)
        return hands, sides

    def codes(self, cards: Sequence[int]) -> list[int]:
        """The codes of own *cards* (types), of the copy that is held."""
        held = self._base
        codes = []
        for card in cards:
            code = self._lay.code[card]
            mask = held[5 * self._me + (code >> 5)]
            codes.append(code + (mask >> (code & 31) >> 1 & 1))
        return codes
