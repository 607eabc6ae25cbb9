"""What a hand is worth, item by item (R24..R28)."""

from dataclasses import dataclass
from typing import Final

from protocol.cards import CLUB_JACK, CLUB_QUEEN, DIAMOND_ACE, PLAYERS
from protocol.rules.calls import Side
from protocol.rules.contracts import Contract
from protocol.rules.state import HandState, Phase
from protocol.rules.winner import winner

RE: Final = Side.RE
KONTRA: Final = Side.KONTRA
_SIDES: Final = (RE, KONTRA)
_ABSAGE_NAMES: Final = {2: "no90", 3: "no60", 4: "no30", 5: "black"}
_UNDER_NAMES: Final = {2: "under-90", 3: "under-60", 4: "under-30", 5: "no-trick"}
#: Level -> card points below which a side stays under it; black is tricks.
_UNDER: Final = {2: 90, 3: 60, 4: 30}
#: Level -> card points against it that are worth a point of their own (R25).
_AGAINST: Final = {2: (120, "against-90"), 3: (90, "against-60"), 4: (60, "against-30"), 5: (30, "against-black")}


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the reckoning: *points* to *side* for *item* (named as in hand records), in *trick* 1..12."""

    side: Side
    item: str
    points: int
    trick: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a hand that is done.

    ``re`` are the positions of Re; ``winner`` is ``None`` if nobody won or the hand is void; ``value`` is from the
    winner's view (from Re's if nobody won); ``points`` per position, summing to 0; ``card_points`` of (Re, Contra);
    ``trick_winners`` positions.  Of a void hand (R29) only ``contract`` and ``trick_winners`` say anything.
    """

    void: bool
    contract: Contract | None
    re: tuple[int, ...]
    winner: Side | None
    value: int
    points: tuple[int, int, int, int]
    card_points: tuple[int, int]
    trick_winners: tuple[int, ...]
    items: tuple[Item, ...]

    @property
    def alone(self) -> bool:
        """Did one player play against three?"""
        return len(self.re) == 1

    def side_of(self, player: int) -> Side:
        """The side of *player*."""
        return RE if player in self.re else KONTRA


def final_contract(state: HandState) -> Contract | None:
    """The contract with a silent solo told apart, as far as the cards played or the hands known here show it."""
    if state.contract is Contract.NORMAL:
        if sum(state.queens) == 2:
            return Contract.SILENT_SOLO if 2 in state.queens else Contract.NORMAL
        dealt = [state.dealt(p) for p in range(PLAYERS)]
        both = any(hand is not None and hand.count(CLUB_QUEEN) == 2 for hand in dealt)
        if both or 2 in state.queens or state.known_sides.count(KONTRA) == 3:
            return Contract.SILENT_SOLO
    return state.contract


def re_side(state: HandState) -> tuple[int, ...] | None:
    """The positions of Re, or ``None`` while that is open or hidden from who holds *state*."""
    if state.contract is None or (state.contract is Contract.MARRIAGE and state.clearing is None):
        return None
    if state.phase is Phase.DONE and state.contract is Contract.NORMAL:
        return tuple(p for p in range(PLAYERS) if state.queens[p])
    sides = list(state.known_sides)
    if None in sides:
        sides = [side or state.side_of(p) for p, side in enumerate(sides)]
    re = tuple(p for p in range(PLAYERS) if sides[p] is RE)
    if None in sides and len(re) < 2 and final_contract(state) is not Contract.SILENT_SOLO:
        return None
    return re


def result(state: HandState) -> Result:
    """The outcome of a hand whose phase is ``DONE``; ``ValueError`` before."""
    if state.phase is not Phase.DONE:
        raise ValueError("the hand is not done")
    trick_winners = tuple(t.winner for t in state.tricks)
    contract = final_contract(state)
    if state.void_hand:
        return Result(True, contract, (), None, 0, (0, 0, 0, 0), (0, 0), trick_winners, ())
    re = re_side(state)
    assert re is not None
    assert contract is not None
    alone = len(re) == 1
    re_points = sum(t.points for t in state.tricks if t.winner in re)
    points = (re_points, 240 - re_points)
    re_tricks = sum(w in re for w in trick_winners)
    tricks = (re_tricks, 12 - re_tricks)
    won = winner(state.levels, points, tricks)
    items = _levels(state, won, points, tricks)
    items += _against(state.levels, points)
    if not alone and state.rules.special_points:
        items += _specials(state, won, re)
    value = sum(item.points if item.side is (won or RE) else -item.points for item in items)
    re_value = -value if won is KONTRA else value
    per_re = 3 * re_value if alone else re_value
    pay = [per_re if p in re else -re_value for p in range(PLAYERS)]
    return Result(
        False,
        contract,
        re,
        won,
        value,
        (pay[0], pay[1], pay[2], pay[3]),
        points,
        trick_winners,
        tuple(items),
    )


def _levels(
    state: HandState, won: Side | None, points: tuple[int, int], tricks: tuple[int, int]
) -> list[Item]:
    """R24, or of it what R27 leaves when nobody has won."""
    items: list[Item] = []
    if won is not None:
        items.append(Item(won, "won", 1))
    for index, loser in enumerate(_SIDES):
        if loser is won:
            continue
        keeper = loser.other
        # stargames pays a level once: as called if the winner called it, as made if he did not (R24).
        paid = state.levels[1 - index] if won is not None and state.rules.profile == "stargames" else 0
        for level, name in _UNDER_NAMES.items():
            made = tricks[index] == 0 if level == 5 else points[index] < _UNDER[level]
            if made and level > paid:
                items.append(Item(keeper, name, 1))
    if won is None:
        return items
    for index, side in enumerate(_SIDES):
        if state.levels[index]:
            items.append(Item(won, f"{side.value}-called", 2))
    for index, side in enumerate(_SIDES):
        own = state.levels[index]
        items.extend(Item(won, f"{side.value}-{name}", 1) for level, name in _ABSAGE_NAMES.items() if own >= level)
    return items


def _against(levels: tuple[int, int], points: tuple[int, int]) -> list[Item]:
    """R25: each step that a side called is tested by itself against the other side's card points."""
    return [
        Item(side.other, name, 1)
        for index, side in enumerate(_SIDES)
        for level, (enough, name) in _AGAINST.items()
        if levels[index] >= level and points[1 - index] >= enough
    ]


def _specials(state: HandState, won: Side | None, re: tuple[int, ...]) -> list[Item]:
    """R26: against the old, Doppelkopf, foxes, Charlie."""
    items: list[Item] = []
    if won is KONTRA:
        items.append(Item(KONTRA, "against-the-old", 1))
    sides = [RE if p in re else KONTRA for p in range(PLAYERS)]
    foxes: list[Item] = []
    for number, trick in enumerate(state.tricks, 1):
        side = sides[trick.winner]
        if trick.points >= 40:
            items.append(Item(side, "doppelkopf", 1, number))
        if DIAMOND_ACE in trick.cards:
            for i, card in enumerate(trick.cards):
                if card == DIAMOND_ACE and sides[(trick.leader + i) % PLAYERS] is not side:
                    foxes.append(Item(side, "fox", 1, number))
    items += foxes
    last = state.tricks[-1]
    if last.card_of(last.winner) == CLUB_JACK:
        items.append(Item(sides[last.winner], "charlie", 1, 12))
    return items
