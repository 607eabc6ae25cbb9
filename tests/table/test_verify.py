"""Settlement files: good ones pass, and whatever byte is changed is named."""

import random
from functools import cache

import pytest

from protocol.table import settlement
from protocol.table.settlement import seal
from protocol.table.verify import verify
from protocol.wire import codec
from tests.table.net import World


@cache
def settled(mode: str = "variable", bots: tuple[int, ...] = (), seed: int = 1) -> bytes:
    """The file of one match; equal on all four nodes."""
    world = World(seed=seed, mode=mode, stake=10, bots=bots)
    world.run()
    files = {node.settlement for node in world.nodes}
    assert len(files) == 1, world.describe()
    file = files.pop()
    assert file is not None
    return file


def test_good_file() -> None:
    verdict = verify(settled())
    assert verdict.good, verdict.problem
    assert verdict.kind == "settlement"
    assert verdict.unsigned == ()
    assert sum(verdict.money) + verdict.kitty == 0
    assert len(verdict.hands) >= 1


@pytest.mark.slow
def test_good_files_of_other_modes() -> None:
    for file in (settled("four-fixed", (), 2), settled("duel", (1, 3), 3)):
        verdict = verify(file)
        assert verdict.good, verdict.problem


def test_any_changed_byte_is_named() -> None:
    file = settled()
    rng = random.Random(5)
    for _ in range(25):
        at = rng.randrange(len(file))
        changed = bytearray(file)
        changed[at] ^= 1 << rng.randrange(8)
        verdict = verify(bytes(changed))
        assert not verdict.good, at
        resealed = seal(bytes(changed[:-32])) if at < len(file) - 32 else bytes(changed)
        verdict = verify(resealed)
        assert not verdict.good, at
        assert "replayed" not in verdict.problem, verdict.problem


def test_truncated_or_other_files_are_named() -> None:
    file = settled()
    for raw in (b"", b"x" * 100, settlement.MAGIC, file[:-1], file[:1000], file + b"\0"):
        verdict = verify(raw)
        assert not verdict.good
        assert verdict.problem


def _repacked(file: bytes, change: object) -> bytes:
    value = codec.unpack(file[len(settlement.MAGIC) : -32], settlement.LIMITS)
    change(value)  # type: ignore[operator]
    return seal(settlement.MAGIC + codec.encode(value))


def test_missing_last_signature_is_shown_not_refused() -> None:
    def drop(value: list) -> None:
        value[1][3] = None
        del value[2][1][-1][3]  # seat 3's SETTLE

    verdict = verify(_repacked(settled(), drop))
    assert verdict.good, verdict.problem
    assert verdict.unsigned == (3,)


def test_entries_left_out_are_named() -> None:
    def without(index: int) -> object:
        def change(value: list) -> None:
            del value[2][1][index]

        return change

    rounds = len(codec.unpack(settled()[len(settlement.MAGIC) : -32], settlement.LIMITS)[2][1])
    for index in (0, 1, rounds // 2, rounds - 2):
        verdict = verify(_repacked(settled(), without(index)))
        assert not verdict.good


def test_money_changed_under_new_signature_is_named() -> None:
    def change(value: list) -> None:
        document = codec.unpack(value[0], settlement.LIMITS)
        document[6] = [-cents for cents in document[6]]
        value[0] = codec.encode(document)

    assert any(verify(settled()).money)
    verdict = verify(_repacked(settled(), change))
    assert "money" in verdict.problem
