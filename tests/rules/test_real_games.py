"""Five tournament games played by people (public records of online-doppelkopf.com), with the points they ended with.

A normal game, a jacks solo won black with every call, a marriage with a call that failed, a clubs solo with a reply and
a reservation that stayed hidden, a silent solo that was lost.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.rules.tell import out

GAMES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "real_games.json").read_text())


@pytest.mark.parametrize("game", GAMES, ids=[game["source"].rsplit(" ", 1)[1] for game in GAMES])
def test_real_game_ends_with_the_points_that_were_paid(game: dict[str, Any]) -> None:
    value = out(game["record"])
    assert (value["status"], value["points"]) == ("complete", game["points"])


def test_the_five_games_are_of_five_kinds() -> None:
    kinds = [out(game["record"])["contract"] for game in GAMES]
    assert kinds == ["normal", "solo-jacks", "marriage", "solo-clubs", "silent-solo"]


@pytest.mark.parametrize("game", GAMES, ids=[game["source"].rsplit(" ", 1)[1] for game in GAMES])
def test_real_game_in_the_other_profile_differs_by_the_levels_that_were_called(game: dict[str, Any]) -> None:
    ddv, stargames = out(game["record"]), out({**game["record"], "rules": "stargames"})
    under = {"under-90": "no90", "under-60": "no60", "under-30": "no30", "no-trick": "black"}
    calls = {item["item"] for item in ddv["items"]}
    twice = [i for i in ddv["items"] if i["item"] in under and f"{i['side']}-{under[i['item']]}" in calls]
    assert stargames["value"] == ddv["value"] - len(twice)
