"""Rates and pauses: plain arithmetic."""

from dataclasses import fields

import pytest

from node.net.dialer import pauses
from node.net.limits import CONTACT, MEMBER, STRANGER, Bucket, Limits, Rates


def test_bucket_lets_a_burst_pass_and_then_the_rate() -> None:
    bucket = Bucket(10, 5)
    assert [bucket.take(1, 0.0) for _ in range(6)] == [0, 0, 0, 0, 0, pytest.approx(0.1)]
    assert bucket.take(1, 10.0) == 0  # saved up again, but no more than the burst
    assert bucket.tokens == 4


def test_pauses_grow_to_the_longest_and_carry_jitter() -> None:
    low = pauses(1, 8, uniform=lambda a, b: a)
    high = pauses(1, 8, uniform=lambda a, b: b)
    assert [next(low) for _ in range(5)] == [0.5, 1, 2, 4, 4]
    assert [next(high) for _ in range(5)] == [1.5, 3, 6, 12, 12]


def test_bucket_turns_away_without_running_into_debt() -> None:
    bucket = Bucket(1, 3)
    assert [bucket.allow(1, 0.0) for _ in range(100)].count(True) == 3
    assert bucket.allow(1, 1.0)
    assert not bucket.allow(1, 1.0)


def test_a_stranger_may_take_less_of_everything_than_a_contact_and_a_contact_than_a_member() -> None:
    for field in fields(Rates):
        stranger, contact, member = (getattr(rates, field.name) for rates in (STRANGER, CONTACT, MEMBER))
        assert stranger < contact < member, field.name
    limits = Limits()
    assert limits.strangers < limits.links / 2
    assert limits.arrivals_per_host < limits.arrivals_per_s
    assert limits.half_open_per_host < limits.half_open
