"""Terms: every field, every range, in words; the opener's bytes are what counts."""

import contextlib
import hashlib
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.refusal import Code, Refusal
from protocol.table import terms as module
from protocol.table.terms import Bot, Terms, fresh, make_terms, read_terms, same_but_bots, terms_hash, with_bots
from protocol.wire import codec
from tests.wire.support import make_me

TABLE = b"t" * 16


def make_bot(seat: int, label: str = "", **changed: Any) -> Bot:
    identity = make_me(label or f"bot{seat}").identity
    given = {
        "seat": seat,
        "identity": identity,
        "host": identity,
        "policy": "beginner",
        "version": "1",
        "seeds": hashlib.sha256(bytes([seat])).digest(),
    }
    return Bot(**{**given, **changed})  # type: ignore[arg-type]


def fields(**changed: Any) -> dict[str, Any]:
    value = msgpack.unpackb(make_terms(table=TABLE))
    assert isinstance(value, dict)
    for path, new in changed.items():
        target = value
        *outer, last = path.split("__")
        for name in outer:
            target = target[name]
        target[last] = new
    return value


def refused(value: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        read_terms(value if isinstance(value, bytes) else codec.encode(value))
    assert caught.value.detail.startswith("terms: ")
    return caught.value


def test_the_usual_terms() -> None:
    terms = read_terms(make_terms(table=TABLE))
    assert terms.table == TABLE
    assert (terms.mode, terms.stake, terms.limit, terms.fee) == ("variable", 10, None, 0)
    assert (terms.profile, terms.special_points, terms.access, terms.strength) == ("stargames", True, "anyone", None)
    assert (terms.clock.decision, terms.clock.reserve) == (60, 120)
    assert terms.absence.grace == 90
    assert (terms.absence.one_gone, terms.absence.two_gone, terms.absence.expires) == ("wait", "adjourn", 30)
    assert terms.bots == ()
    assert terms.hands == 1
    assert read_terms(make_terms(table=TABLE, mode="four-fixed")).hands == 4
    assert read_terms(make_terms(table=TABLE, mode="duel")).hands == 4


@given(
    st.sampled_from(["variable", "four-fixed", "duel"]),
    st.integers(1, module.MAX_STAKE),
    st.none() | st.integers(1, module.MAX_LIMIT),
    st.integers(0, module.MAX_FEE),
    st.booleans(),
)
def test_all_terms_in_range_are_read_back(mode: str, stake: int, limit: int | None, fee: int, special: bool) -> None:
    limit = None if mode != "variable" or limit is None else max(stake, limit)
    raw = make_terms(table=TABLE, mode=mode, stake=stake, limit=limit, fee=fee, special_points=special)
    terms = read_terms(raw)
    assert (terms.mode, terms.stake, terms.limit, terms.fee, terms.special_points) == (mode, stake, limit, fee, special)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"v": 2}, "version 2; this program reads version 1"),
        ({"mode": "skat"}, "mode is 'skat'; it has to be variable or four-fixed or duel"),
        ({"stake": 0}, "stake is 0 cents; it has to be from 1 to"),
        ({"stake": module.MAX_STAKE + 1}, "stake"),
        ({"limit": 9}, "limit (9) is below the stake (10)"),
        ({"limit": module.MAX_LIMIT + 1}, "limit"),
        ({"mode": "four-fixed", "limit": 100}, "no limit"),
        ({"mode": "duel", "limit": 100}, "no limit"),
        ({"fee": -1}, "fee is -1 basis points"),
        ({"fee": 2501}, "from 0 to 2500"),
        ({"kitty": ""}, "kitty's name is empty"),
        ({"kitty": "x" * 25}, "at most 24"),
        ({"kitty": "a\x1b"}, "cannot be shown"),
        ({"currency": "123456789"}, "at most 8"),
        ({"profile": "house"}, "score profile"),
        ({"access": "nobody"}, "access"),
        ({"strength": "Very Strong"}, "strength"),
        ({"clock__decision": 4}, "time for a decision is 4 seconds"),
        ({"clock__decision": 3601}, "from 5 to 3600"),
        ({"clock__reserve": -1}, "reserve of time"),
        ({"clock__reserve": 3601}, "reserve of time"),
        ({"absence__grace": 9}, "grace"),
        ({"absence__grace": 86_401}, "grace"),
        ({"absence__one_gone": "play"}, "wait or adjourn or ghost"),
        ({"absence__two_gone": "ghost"}, "adjourn"),
        ({"absence__expires": 0}, "days"),
        ({"absence__expires": 366}, "days"),
        ({"table": b"t" * 15}, "table"),
    ],
)
def test_each_range_is_checked_and_named(change: dict[str, Any], words: str) -> None:
    assert words in refused(fields(**change)).detail


@pytest.mark.parametrize(
    "change",
    [
        {"stake": "10"},
        {"stake": True},
        {"stake": 1.5},
        {"limit": "none"},
        {"special_points": 1},
        {"table": "t" * 16},
        {"mode": b"duel"},
        {"clock": None},
        {"clock": []},
        {"absence": {}},
        {"bots": None},
        {"bots": [1]},
        {"bots": [{}]},
        {"more": 1},
        {"clock__more": 1},
        {"absence__more": 1},
    ],
)
def test_attack_4_wrong_types_and_unknown_fields(change: dict[str, Any]) -> None:
    assert refused(fields(**change)).code is Code.FORMAT


def test_attack_4_every_field_is_needed() -> None:
    good = fields()
    for name in good:
        assert refused({key: value for key, value in good.items() if key != name}).code is Code.FORMAT
    for group in ("clock", "absence"):
        for name in good[group]:
            inner = {key: value for key, value in good[group].items() if key != name}
            assert refused({**good, group: inner}).code is Code.FORMAT


def test_attack_4_cut_ends_trailing_bytes_and_size() -> None:
    raw = make_terms(table=TABLE, bots=(make_bot(0), make_bot(1), make_bot(2), make_bot(3)))
    assert len(raw) < module.MAX_TERMS
    for end in range(len(raw)):
        refused(raw[:end])
    assert refused(raw + b"\xc0").code is Code.FORMAT
    assert refused(bytes(module.MAX_TERMS + 1)).code is Code.LIMIT


@given(st.data())
def test_changed_bytes_raise_nothing_but_refusals(data: st.DataObject) -> None:
    raw = bytearray(make_terms(table=TABLE, bots=(make_bot(1), make_bot(3))))
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Refusal):
        assert isinstance(read_terms(bytes(raw)), Terms)


def test_the_hash_is_of_the_openers_bytes_and_not_of_a_new_encoding() -> None:
    raw = make_terms(table=TABLE)
    value = msgpack.unpackb(raw)
    other = codec.encode(dict(reversed(value.items())))
    assert other != raw
    assert read_terms(other) == read_terms(raw)  # another order of the keys: the same terms in other bytes
    assert terms_hash(other) != terms_hash(raw)
    assert terms_hash(raw) == hashlib.sha256(b"DOKO1-terms" + raw).digest()


def test_computers_in_the_terms() -> None:
    host = make_me("anna").identity
    raw = with_bots(make_terms(table=TABLE), (make_bot(1, host=host), make_bot(2)))
    terms = read_terms(raw)
    assert terms.bot_seats == (1, 2)
    assert terms.human_seats == (0, 3)
    assert terms.bot_at(1) == make_bot(1, host=host)
    assert terms.bot_at(0) is None



@pytest.mark.parametrize(
    ("bots", "mode", "words"),
    [
        ((make_bot(3), make_bot(1)), "variable", "ascending"),
        ((make_bot(1), make_bot(1, "other")), "variable", "ascending"),
        ((make_bot(1), make_bot(3, "bot1")), "variable", "one identity"),
        ((make_bot(1), make_bot(3, seeds=make_bot(1).seeds)), "variable", "one chain"),
        ((make_bot(1), make_bot(3, host=make_bot(1).identity)), "variable", "host"),
        ((make_bot(0), make_bot(1), make_bot(2)), "duel", "two computers"),
        ((make_bot(0), make_bot(1)), "duel", "opposite"),
        ((make_bot(0), make_bot(3)), "duel", "opposite"),
        ((make_bot(0, identity=bytes(32), host=bytes(32)),), "variable", "small order"),
        ((make_bot(0, host=b"\xff" * 32),), "variable", "canonical"),
        ((make_bot(4),), "variable", "seat"),
        ((make_bot(0, policy="Beginner!"),), "variable", "policy"),
        ((make_bot(0, seeds=bytes(31)),), "variable", "seeds"),
    ],
)
def test_computers_that_cannot_be(bots: tuple[Bot, ...], mode: str, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        make_terms(table=TABLE, mode=mode, bots=bots)


@pytest.mark.parametrize("seats", [(0, 2), (1, 3)])
def test_r34_in_a_duel_the_computers_sit_opposite_each_other(seats: tuple[int, int]) -> None:
    terms = read_terms(make_terms(table=TABLE, mode="duel", bots=tuple(make_bot(seat) for seat in seats)))
    assert terms.bot_seats == seats
    assert all((a - b) % 2 == 0 for a in terms.human_seats for b in terms.human_seats)


def test_final_terms_differ_from_the_announced_ones_by_computers_alone() -> None:
    announced = make_terms(table=TABLE)
    assert same_but_bots(read_terms(announced), read_terms(with_bots(announced, (make_bot(0),))))
    assert not same_but_bots(read_terms(announced), read_terms(make_terms(table=TABLE, stake=11)))
    assert not same_but_bots(read_terms(announced), read_terms(make_terms(table=b"u" * 16)))


def test_a_rematch_has_the_same_terms_and_a_new_name() -> None:
    old = make_terms(table=TABLE, stake=25, bots=(make_bot(0),))
    new = read_terms(fresh(old, b"n" * 16))
    assert new.table == b"n" * 16
    assert new.bots == ()
    assert new.stake == 25
