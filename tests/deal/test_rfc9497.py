"""RFC 9497, ristretto255-SHA512: hash-to-group, hash-to-scalar and the batched DLEQ, byte for byte."""

import json
from pathlib import Path

import pytest

from protocol.deal import dleq
from protocol.deal.group import BASE, ristretto, write_scalar
from protocol.deal.hashing import Q, expand_message_xmd, hash_to_scalar, u16
from protocol.refusal import Code

from .helpers import plus_base, refused, with_scalar

SUITES = json.loads((Path(__file__).parent / "data" / "rfc9497-ristretto255.json").read_text())["vectors"]
CASES = [(suite, case) for suite in SUITES for case in suite["vectors"]]
IDS = [f"mode{s['mode']}-{i}" for i, (s, _) in enumerate(CASES)]


def context(suite: dict) -> bytes:
    ctx = b"OPRFV1-" + bytes([suite["mode"]]) + b"-ristretto255-SHA512"
    assert bytes.fromhex(suite["groupDST"]) == b"HashToGroup-" + ctx
    return ctx


def points(field: str) -> list[bytes]:
    return [bytes.fromhex(h) for h in field.split(",")]


def scalars(field: str) -> list[int]:
    return [int.from_bytes(data, "little") for data in points(field)]


def statement(suite: dict, case: dict) -> tuple[int, bytes, list[bytes], list[bytes]]:
    """x, Y, C, D of the case's DLEQ: for POPRF the key is tweaked by the info, and C and D change places."""
    secret = int.from_bytes(bytes.fromhex(suite["skSm"]), "little")
    blinded, evaluated = points(case["BlindedElement"]), points(case["EvaluationElement"])
    if suite["mode"] == 1:
        return secret, bytes.fromhex(suite["pkSm"]), blinded, evaluated
    info = bytes.fromhex(case["Info"])
    tweaked = (secret + hash_to_scalar(b"Info" + u16(len(info)) + info, context(suite))) % Q
    return tweaked, ristretto().mul(tweaked, BASE), evaluated, blinded


def test_there_are_batches_of_one_and_two() -> None:
    assert {case["Batch"] for _, case in CASES} == {1, 2}
    assert {suite["mode"] for suite in SUITES} == {1, 2}


@pytest.mark.parametrize("suite", SUITES, ids=lambda s: f"mode{s['mode']}")
def test_derived_key_pair(suite: dict) -> None:
    info = bytes.fromhex(suite["keyInfo"])
    message = bytes.fromhex(suite["seed"]) + u16(len(info)) + info + b"\0"
    secret = int.from_bytes(expand_message_xmd(message, b"DeriveKeyPair" + context(suite), 64), "little") % Q
    assert write_scalar(secret).hex() == suite["skSm"]
    assert ristretto().mul(secret, BASE).hex() == suite["pkSm"]


@pytest.mark.parametrize(("suite", "case"), CASES, ids=IDS)
def test_hash_to_group(suite: dict, case: dict) -> None:
    group = ristretto()
    for message, blind, blinded in zip(
        points(case["Input"]), scalars(case["Blind"]), points(case["BlindedElement"]), strict=True
    ):
        assert group.mul(blind, group.hash_to_group(message, context(suite))) == blinded


@pytest.mark.parametrize(("suite", "case"), CASES, ids=IDS)
def test_proof_byte_for_byte(suite: dict, case: dict) -> None:
    x, public, cs, ds = statement(suite, case)
    assert [ristretto().mul(x, c) for c in cs] == ds
    (r,) = scalars(case["Proof"]["r"])
    proof = dleq.prove_with(r, x, public, cs, ds, context(suite))
    assert proof.hex() == case["Proof"]["proof"]
    dleq.check(public, cs, ds, proof, context(suite))


@pytest.mark.parametrize(("suite", "case"), CASES, ids=IDS)
def test_changed_proofs_are_refused(suite: dict, case: dict) -> None:
    _, public, cs, ds = statement(suite, case)
    proof, ctx = bytes.fromhex(case["Proof"]["proof"]), context(suite)
    for changed in (
        (plus_base(public), cs, ds, proof, ctx),
        (public, [plus_base(cs[0]), *cs[1:]], ds, proof, ctx),
        (public, cs, [*ds[:-1], plus_base(ds[-1])], proof, ctx),
        (public, cs, ds, with_scalar(proof, 0, int.from_bytes(proof[:32], "little") + 1), ctx),
        (public, cs, ds, with_scalar(proof, 1, int.from_bytes(proof[32:], "little") - 1), ctx),
        (public, cs, ds, proof, ctx + b"x"),
    ):
        with refused(Code.DLEQ):
            dleq.check(*changed)


def test_hedged_proofs_hold_and_differ() -> None:
    suite, case = CASES[2]
    x, public, cs, ds = statement(suite, case)
    proofs = {dleq.prove(x, public, cs, ds, b"ctx", lambda n, seed=seed: bytes([seed]) * n) for seed in range(3)}
    assert len(proofs) == 3
    for proof in proofs:
        dleq.check(public, cs, ds, proof, b"ctx")


def test_attack_5_no_items_no_proof() -> None:
    with refused(Code.FORMAT):
        dleq.check(BASE, [], [], bytes(64), b"ctx")
    with refused(Code.FORMAT):
        dleq.check(BASE, [BASE], [], bytes(64), b"ctx")
    with pytest.raises(ValueError, match="nothing"):
        dleq.prove_with(1, 1, BASE, [], [], b"ctx")
