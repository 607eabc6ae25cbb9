import pytest

from protocol.cards import CARD_POINTS, parse_card
from tests.rules.games import BY_RE_POINTS
from tests.rules.tell import lines, plays, scored, tell


@pytest.mark.parametrize("name", BY_RE_POINTS)
def test_R1_the_frozen_games_count_what_their_names_say(name: str) -> None:
    tricks = BY_RE_POINTS[name]
    re = {player for player, card in plays(tricks) if card == "CQ"}
    leaders = [int(line[0]) for line in lines(tricks)]
    taken = [sum(CARD_POINTS[parse_card(card)] for card in line[1:]) for line in lines(tricks)]
    # Who led the next trick took the last one; of the twelfth the engine is asked.
    winners = [*leaders[1:], scored(tell(tricks)).trick_winners[11] + 1]
    assert sum(points for winner, points in zip(winners, taken, strict=True) if winner in re) == int(name.split("+")[0])


@pytest.mark.parametrize("name", BY_RE_POINTS)
def test_R26_the_frozen_games_have_no_special_points(name: str) -> None:
    found = {item.item for item in scored(tell(BY_RE_POINTS[name])).items}
    assert not found & {"doppelkopf", "fox", "charlie"}
