"""Long league runs: what is finished is kept, and an interrupted run ends with the numbers of one that was not."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from node.bots.figures import BINS, Figures, Tally
from node.bots.kept import Kept
from node.bots.league import Method, Plan, run
from node.cli import league as cli
from node.cli.league import league
from node.errors import DokoError

RUN: dict[str, Any] = {"first": "beginner", "second": "random", "versions": ["1", "1"], "deals": 12, "seed": 9}
PLAN = Plan("beginner", "random", Method.SWAP, 12, 9)


def command(out: Path, *more: str) -> Result:
    arguments = ["beginner", "random", "--deals", "12", "--seed", "9", "--jobs", "1", "--json", "--out"]
    return CliRunner().invoke(league, [*arguments, str(out), *more], standalone_mode=False)


def refusal(result: Result) -> DokoError:
    assert isinstance(result.exception, DokoError)
    return result.exception


def without_times(result: Result) -> dict[str, Any]:
    assert result.exception is None
    (report,) = json.loads(result.output)["results"]
    del report["seconds"], report["cpu_seconds"]
    for figures in report["figures"]:
        for name in ("ms_median", "ms_99_percent", "ms_max"):
            del figures[name]
    return dict(report)


def test_a_part_is_the_same_after_reading_it_back() -> None:
    part = run(PLAN, jobs=1, forecasts=True)
    back = Tally.read(json.loads(json.dumps(part.kept())))
    assert back.scores == part.scores
    assert back.mean == part.mean
    assert back.first.called == part.first.called > 0
    assert back.first.milliseconds == pytest.approx(part.first.milliseconds, abs=0.0051)
    assert back.kept() == part.kept()


def spoilt(key: str, value: Any) -> dict[str, Any]:
    values = Tally().kept()
    values["figures"][0][key] = value
    return values


@pytest.mark.parametrize(
    "values",
    [
        {},
        {**Tally().kept(), "scores": [1, 2]},
        {**Tally().kept(), "scores": {"one": 1}},
        {**Tally().kept(), "seconds": None},
        {**Tally().kept(), "figures": [Tally().kept()["figures"][0]]},
        spoilt("calls", -1),
        spoilt("calls", 1.5),
        spoilt("forecast", [0] * (BINS - 1)),
        spoilt("milliseconds", ["slow"]),
        spoilt("unknown", 1),
    ],
)
def test_what_is_no_part_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Tally.read(values)


def test_a_run_goes_on_where_it_ended_and_ends_with_the_same_numbers(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    reference = without_times(command(whole))
    lines = whole.read_bytes().splitlines(keepends=True)
    assert len(lines) > 4
    # Killed while it wrote its fourth part.
    cut.write_bytes(b"".join(lines[:4]) + lines[4][:40])
    assert without_times(command(cut)) == reference
    parts = [json.loads(line) for line in cut.read_bytes().splitlines()[1:]]
    assert sorted(int(deal) for part in parts for deal in part["scores"]) == list(range(12))


def test_only_what_is_missing_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "league.jsonl"
    first = without_times(command(out))
    size = out.stat().st_size
    kept: list[Tally] = []
    monkeypatch.setattr(Kept, "keep", lambda _self, _run, part: kept.append(part))
    assert without_times(command(out)) == first
    assert kept == []
    assert out.stat().st_size == size


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--deals", "14"), "runs.1.deals is 12 there, 14 here"),
        (("--seed", "10"), "runs.1.seed is 9 there, 10 here"),
        (("--no-bidding",), "runs.1.bidding is true there, false here"),
        (("--rules", "ddv"), 'runs.1.rules is "stargames" there, "ddv" here'),
        (("--method", "alone"), 'runs.1.method is "swap" there, "alone" here'),
        (("--method", "both"), "runs.2.first is null there"),
        (("--reliability",), "runs.1.reliability is false there, true here"),
    ],
)
def test_other_settings_are_refused_by_name(tmp_path: Path, more: tuple[str, ...], named: str) -> None:
    out = tmp_path / "league.jsonl"
    assert command(out).exception is None
    before = out.read_bytes()
    error = refusal(command(out, *more))
    assert named in error.message
    assert error.exit_code == 1
    assert out.read_bytes() == before


def test_another_version_of_a_bot_or_of_the_program_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "league.jsonl"
    with Kept(out, [RUN]) as kept:
        assert kept.tallies[0].scores == {}
    with pytest.raises(DokoError, match=r'runs\.1\.versions\.1 is "1" there, "2" here'):
        Kept(out, [{**RUN, "versions": ["2", "1"]}])
    out.write_text(out.read_text().replace('"program":"', '"program":"99.'))
    with pytest.raises(DokoError, match=r'program is "99\.'):
        Kept(out, [RUN])


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    out = tmp_path / "league.jsonl"
    with Kept(out, [RUN]):
        assert refusal(command(out)).exit_code == 3
    with Kept(out, [RUN]) as kept:
        assert kept.tallies[0].scores == {}


def part_line(number: int, run_number: object = 0) -> bytes:
    part = Tally({number: 0.5}, Figures(), Figures())
    return json.dumps({"run": run_number, **part.kept()}).encode() + b"\n"


@pytest.mark.parametrize(
    ("tail", "line"),
    [
        (b"nonsense\n", 2),
        (b"[]\n", 2),
        (b"[" * 100_000 + b"\n", 2),
        (part_line(3) + part_line(3), 3),
        (part_line(12), 2),
        (part_line(-1), 2),
        (part_line(1, 1), 2),
        (part_line(1, True), 2),
        (part_line(1, None), 2),
    ],
)
def test_damage_inside_the_file_is_told_with_its_line_and_nothing_is_changed(
    tmp_path: Path, tail: bytes, line: int
) -> None:
    out = tmp_path / "league.jsonl"
    Kept(out, [RUN]).close()
    out.write_bytes(out.read_bytes() + tail)
    before = out.read_bytes()
    with pytest.raises(DokoError, match=rf"line {line}\b"):
        Kept(out, [RUN])
    assert out.read_bytes() == before


@pytest.mark.parametrize("content", [b"dear diary", b'{"league":2}\n', b'{"other": 1}\n', b"\n"])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, content: bytes) -> None:
    out = tmp_path / "diary.txt"
    out.write_bytes(content)
    assert refusal(command(out)).exit_code == 2
    assert out.read_bytes() == content


def test_a_head_that_was_cut_is_written_anew(tmp_path: Path) -> None:
    out = tmp_path / "league.jsonl"
    Kept(out, [RUN]).close()
    head = out.read_bytes()
    for length in (0, 3, 10, len(head) - 1):
        out.write_bytes(head[:length])
        Kept(out, [RUN]).close()
        assert out.read_bytes() == head


def test_a_place_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    error = refusal(command(tmp_path / "missing" / "league.jsonl"))
    assert error.exit_code == 3
    assert "missing" in error.message


def test_ctrl_c_says_that_the_same_command_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "self_test", interrupted)
    out = tmp_path / "league.jsonl"
    result = CliRunner().invoke(league, ["beginner", "random", "--out", str(out)], standalone_mode=False)
    assert str(out) in result.stderr
    assert "goes on" in result.stderr


def test_time_left_counts_what_was_played_this_time(capsys: pytest.CaptureFixture[str]) -> None:
    bar = cli._Bar(Plan("a", "b", Method.SWAP, 100, 1), 40)
    bar(Tally(dict.fromkeys(range(50), 1.0)), 60.0)  # ten deals in a minute, fifty to go
    assert "50 of 100 deals" in capsys.readouterr().err
    bar.shown = -1e9
    bar(Tally(dict.fromkeys(range(50), 1.0)), 60.0)
    assert "5:00 left" in capsys.readouterr().err
