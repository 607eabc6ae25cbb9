"""Each target over its corpus and changes of it: the part of the fuzzing that every run of the suite does."""

import random

import pytest

from tests.fuzz.__main__ import CORPUS, NAMES
from tests.fuzz.targets import TARGETS, Finding, holds

#: Mutations of each target: as many as about two seconds allow.
ROUNDS = {"frames": 150, "message": 2_000, "log": 60, "records": 300, "files": 12}


def corpus(target: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / target).iterdir())]


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """One to four small changes."""
    data = bytearray(raw)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[at:at] = rng.randbytes(rng.randint(1, 8))
            case 1:
                del data[at : at + rng.randint(1, 8)]
            case _:
                data[at : at + 1] = rng.randbytes(1)
    return bytes(data)


@pytest.mark.parametrize("target", NAMES)
def test_the_corpus_and_changes_of_it(target: str) -> None:
    inputs = corpus(target)
    assert inputs
    assert sum(map(len, inputs)) < 16_000
    for each in inputs:
        TARGETS[target](each)
    rng = random.Random(f"fuzz {target}")
    for _ in range(ROUNDS[target]):
        TARGETS[target](mutated(rng.choice(inputs), rng))


def test_the_targets_have_the_names_of_the_command() -> None:
    assert tuple(TARGETS) == NAMES


def test_a_property_that_does_not_hold_is_found() -> None:
    with pytest.raises(Finding, match="so it is"):
        holds(False, "so it is")
