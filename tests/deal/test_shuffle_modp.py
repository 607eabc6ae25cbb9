"""The shuffle proof over another group: a published sample, and our own prover there."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.deal.hashing import Nonces
from protocol.deal.shuffle_proof import (
    Commitments,
    Proof,
    Statement,
    commit_permutation,
    prove,
    random_permutation,
    recompute,
    verify,
)

from .helpers import Stream
from .modp import ModP

N = 10


def unhex(value: object) -> object:
    if isinstance(value, list):
        return [unhex(v) for v in value]
    return int(str(value), 16)


SAMPLE = {
    key: unhex(value)
    for key, value in json.loads((Path(__file__).parent / "data" / "shuffle-proof-modp.json").read_text()).items()
    if key not in ("source", "note")
}


def read(sample: dict) -> tuple[Statement[int], Proof[int], list[int], Commitments[int]]:
    group = ModP(sample["p"], sample["q"], sample["g"])
    statement = Statement(
        group, sample["h"][0], sample["h"], group.total(sample["h"]), sample["y"], sample["in_"], sample["out"]
    )
    proof = Proof(
        c=tuple(sample["c"]),
        c_hat=tuple(sample["c_hat"]),
        k=sample["k"],
        s1=sample["s1"],
        s2=sample["s2"],
        s3=sample["s3"],
        s4=(sample["s4"],),
        s_hat=tuple(sample["s_hat"]),
        s_prime=tuple(sample["s_prime"]),
    )
    commitments = Commitments(
        sample["t1"], sample["t2"], sample["t3"], tuple(sample["t4"]), tuple(sample["t_hat"])
    )
    return statement, proof, sample["u"], commitments


def holds(sample: dict) -> bool:
    statement, proof, u, commitments = read(sample)
    return recompute(statement, proof, u) == commitments


def test_each_equation_of_the_published_sample_holds() -> None:
    statement, proof, u, expected = read(SAMPLE)
    computed = recompute(statement, proof, u)
    assert computed.t1 == expected.t1  # V1
    assert computed.t2 == expected.t2  # V2
    assert computed.t3 == expected.t3  # V3
    assert computed.t4 == expected.t4  # V4
    assert computed.t_hat == expected.t_hat  # V5


def paths(value: object, prefix: tuple = ()) -> list[tuple]:
    if isinstance(value, list):
        return [path for i, v in enumerate(value) for path in paths(v, (*prefix, i))]
    return [prefix]


SCALARS = {"u", "k", "s1", "s2", "s3", "s4", "s_hat", "s_prime"}
FIELDS = [key for key in SAMPLE if key not in ("p", "q")]


@pytest.mark.parametrize("field", FIELDS)
def test_any_single_changed_number_breaks_an_equation(field: str) -> None:
    changed = 0
    for path in paths(SAMPLE[field]):
        sample = copy.deepcopy(SAMPLE)
        if path:
            inner = sample[field]
            for step in path[:-1]:
                inner = inner[step]
            holder, last = inner, path[-1]
        else:
            holder, last = sample, field
        if field in SCALARS:
            holder[last] = (holder[last] + 1) % sample["q"]
        else:
            holder[last] = holder[last] * SAMPLE["g"] % sample["p"]
        assert not holds(sample), (field, path)
        changed += 1
    assert changed == len(paths(SAMPLE[field]))
    assert holds(SAMPLE)


@pytest.fixture(scope="module")
def world() -> tuple[ModP, Stream, list[int], int]:
    group = ModP(SAMPLE["p"], SAMPLE["q"], SAMPLE["g"])
    rand = Stream("modp")
    hs = [pow(int.from_bytes(rand(60), "big"), 2, group.p) for _ in range(N + 1)]
    return group, rand, hs, group.mul(12345, group.base)


@pytest.mark.parametrize("width", [1, 2])
def test_our_prover_and_verifier_over_this_group(world: tuple, width: int) -> None:
    group, rand, hs, key = world
    order = group.order

    def number() -> int:
        return int.from_bytes(rand(72), "big") % order

    before = [[pow(group.base, number(), group.p) for _ in range(2 * width)] for _ in range(N)]
    pi = random_permutation(N, rand)
    committed = commit_permutation(group, hs[1:], pi, [number() for _ in range(N)])
    rho = [[number() for _ in range(N)] for _ in range(width)]
    after = [
        [
            group.add(before[i][2 * w + side], group.mul(rho[w][j], (group.base, key)[side]))
            for w in range(width)
            for side in (0, 1)
        ]
        for j, i in enumerate(pi)
    ]
    statement = Statement(group, hs[0], hs[1:], group.total(hs[1:]), key, before, after)
    nonces = Nonces(b"x", rand, b"ctx", b"statement", order)
    proof = prove(statement, committed, rho, nonces.take, b"ctx")
    assert len(proof.s4) == width
    assert verify(statement, proof, b"ctx")
    assert not verify(statement, proof, b"other")
    assert not verify(replace(statement, after=after[::-1]), proof, b"ctx")
    assert not verify(statement, replace(proof, s4=tuple((s + 1) % order for s in proof.s4)), b"ctx")
