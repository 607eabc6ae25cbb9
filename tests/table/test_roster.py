"""The roster: who sits where, its bytes, its hash and the match's name."""

import contextlib
import hashlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.refusal import Code, Refusal
from protocol.table.roster import Player, Roster, make_roster, make_setup, read_roster
from protocol.table.terms import make_terms
from protocol.wire.keys import sign_static
from tests.table.test_terms import make_bot
from tests.wire.support import make_me, seeded

NAMES = ("anna", "bert", "Jürgen", "花子")


def make_player(label: str) -> Player:
    me = make_me(label)
    return Player(me.identity, me.static, me.static_signature, seeded(f"nonce {label}")(32), label)


PLAYERS = tuple(make_player(name) for name in NAMES)
ROSTER = make_roster(PLAYERS)


def refused(players: tuple[Player, ...]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        make_roster(players)
    return caught.value


def test_its_bytes_are_the_fields_in_seat_order() -> None:
    expected = b"".join(
        p.identity + p.static + p.static_signature + p.nonce + bytes([len(p.nickname.encode())]) + p.nickname.encode()
        for p in PLAYERS
    )
    assert ROSTER.raw == expected
    assert ROSTER.hash == hashlib.sha256(b"DOKO1-roster" + expected).digest()
    pairs = b"".join(p.identity + p.nonce for p in PLAYERS)
    assert ROSTER.match_id == hashlib.sha256(b"DOKO1-match" + pairs).digest()


def test_what_is_made_is_read() -> None:
    assert read_roster(ROSTER.raw) == ROSTER
    assert [ROSTER.seat_of(player.identity) for player in PLAYERS] == [0, 1, 2, 3]
    assert ROSTER.seat_of(make_me("carl").identity) is None


def test_the_match_depends_on_every_nonce_and_seat() -> None:
    ids = {ROSTER.match_id, make_roster((PLAYERS[1], PLAYERS[0], *PLAYERS[2:])).match_id}
    for seat in range(4):
        changed = list(PLAYERS)
        changed[seat] = replace(changed[seat], nonce=bytes(32))
        ids.add(make_roster(tuple(changed)).match_id)
    assert len(ids) == 6


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"identity": bytes(32)}, Code.SIG),
        ({"identity": b"\xff" * 32}, Code.SIG),
        ({"identity": PLAYERS[0].identity[:31]}, Code.FORMAT),
        ({"identity": "a" * 32}, Code.FORMAT),
        ({"static": make_me("carl").static}, Code.SIG),
        ({"static": bytes(33)}, Code.FORMAT),
        ({"static_signature": bytes(64)}, Code.SIG),
        ({"static_signature": PLAYERS[1].static_signature}, Code.SIG),
        ({"nonce": bytes(31)}, Code.FORMAT),
        ({"nonce": PLAYERS[1].nonce}, Code.FORMAT),
        ({"nickname": ""}, Code.FORMAT),
        ({"nickname": "x" * 25}, Code.FORMAT),
        ({"nickname": "a\n"}, Code.FORMAT),
    ],
)
def test_attack_6_a_player_that_cannot_be(change: dict[str, Any], code: Code) -> None:
    assert refused((replace(PLAYERS[0], **change), *PLAYERS[1:])).code is code


@pytest.mark.parametrize("static", [bytes(32), b"\1" + bytes(31), (2**255 - 19).to_bytes(32, "little")])
def test_attack_6_a_key_for_which_no_box_can_be_sealed(static: bytes) -> None:
    signature = sign_static(make_me(NAMES[0]).sign, static)
    assert refused((replace(PLAYERS[0], static=static, static_signature=signature), *PLAYERS[1:])).code is Code.POINT


def test_four_different_players() -> None:
    assert refused(PLAYERS[:3]).code is Code.FORMAT
    assert refused((*PLAYERS, make_player("carl"))).code is Code.FORMAT
    again = replace(PLAYERS[0], nonce=bytes(32))
    assert "one identity" in refused((PLAYERS[0], again, *PLAYERS[2:])).detail


def test_attack_4_cut_ends_and_trailing_bytes() -> None:
    for end in range(len(ROSTER.raw)):
        with pytest.raises(Refusal):
            read_roster(ROSTER.raw[:end])
    for raw in (ROSTER.raw + b"\x00", ROSTER.raw * 2, bytes(5000), "x"):
        with pytest.raises(Refusal):
            read_roster(raw)  # type: ignore[arg-type]


@given(st.integers(0, len(ROSTER.raw) - 1), st.integers(0, 255))
def test_a_changed_byte_is_refused_or_makes_another_roster(at: int, value: int) -> None:
    raw = ROSTER.raw[:at] + bytes([value]) + ROSTER.raw[at + 1 :]
    with contextlib.suppress(Refusal):
        found = read_roster(raw)
        assert isinstance(found, Roster)
        assert found.raw == raw


@given(st.binary(max_size=900))
def test_any_bytes_raise_nothing_but_refusals(raw: bytes) -> None:
    with contextlib.suppress(Refusal):
        read_roster(raw)


def test_a_setup_fits_its_terms() -> None:
    bot = make_bot(1, identity=PLAYERS[1].identity, host=PLAYERS[1].identity)
    terms = make_terms(table=b"t" * 16, bots=(bot,))
    setup = make_setup(terms, ROSTER, 2)
    assert setup.match_id == ROSTER.match_id
    assert setup.terms.bot_seats == (1,)
    assert setup.my_seat == 2
    for bad in (
        (make_terms(table=b"t" * 16, bots=(make_bot(1),)), 0),  # the computer is somebody else
        (make_terms(table=b"t" * 16, mode="duel"), 0),  # a duel without computers
        (terms, 4),
        (b"", 0),
    ):
        with pytest.raises(Refusal):
            make_setup(bad[0], ROSTER, bad[1])
