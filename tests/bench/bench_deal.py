"""The deal against the bare library calls: ``python -m tests.bench.bench_deal``.

Each proof is timed next to the same number of bare multiplications (of the base and of other points) and additions,
called through the library with nothing around them, in turn and in the same process.  Times are medians in
milliseconds of CPU; ratios are of the least times, which other processes disturb least.

    ratio v      time / as many bare multiplications, each of any point (the slow ladder)
    ratio m      time / bare multiplications alone, those of the base by the quicker function for it
    ratio m+a    time / bare multiplications and additions
"""

import argparse
import ctypes
import json
import secrets
import statistics
import time
from collections.abc import Callable

from protocol.deal import deck, inequality, play, shares, shuffle
from protocol.deal.group import BASE, Sodium, ristretto
from protocol.deal.hashing import Place, Q, random_scalar

N = 48


def milliseconds(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return (time.thread_time() - start) * 1e3


class Bare:
    """The library's functions with one output buffer and operands made beforehand."""

    def __init__(self, group: Sodium) -> None:
        from protocol.deal import group as module

        self._buffer = module._Buffer()
        self._out = ctypes.addressof(self._buffer)
        self._mul, self._base_mul, self._add = group._mul, group._base_mul, group._add
        self._points = [group.mul(random_scalar(secrets.token_bytes), BASE) for _ in range(64)]
        self._scalars = [secrets.randbelow(Q).to_bytes(32, "little") for _ in range(64)]

    def run(self, base: int, variable: int, add: int) -> None:
        out, mul, base_mul, plus = self._out, self._mul, self._base_mul, self._add
        points, scalars = self._points, self._scalars
        for n in range(base):
            base_mul(out, scalars[n & 63])
        for n in range(variable):
            mul(out, scalars[n & 63], points[n & 63])
        for n in range(add):
            plus(out, points[n & 63], points[(n + 1) & 63])


def measure(name: str, work: Callable[[], object], bare: Bare, counts: tuple[int, int, int], rounds: int) -> dict:
    """*counts*: base multiplications, other multiplications, additions."""
    base, variable, add = counts
    times, multiplications, additions, ladders = [], [], [], []
    for _ in range(rounds):
        times.append(milliseconds(work))
        multiplications.append(milliseconds(lambda: bare.run(base, variable, 0)))
        additions.append(milliseconds(lambda: bare.run(0, 0, add)))
        ladders.append(milliseconds(lambda: bare.run(0, base + variable, 0)))
    both = [m + a for m, a in zip(multiplications, additions, strict=True)]
    return {
        "what": name,
        "ms": round(statistics.median(times), 2),
        "bare_multiplications_ms": round(statistics.median(multiplications), 2),
        "bare_ms": round(statistics.median(both), 2),
        "multiplications": base + variable,
        "additions": add,
        "ratio_v": round(min(times) / min(ladders), 3),
        "ratio_m": round(min(times) / min(multiplications), 3),
        "ratio_ma": round(min(times) / (min(multiplications) + min(additions)), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", action="store_true", help="one JSON object per line instead of a table")
    options = parser.parse_args()
    group = ristretto()
    if not isinstance(group, Sodium):
        raise SystemExit("libsodium is missing: there is nothing to compare with")
    rand, bare = secrets.token_bytes, Bare(group)
    place = Place(rand(32), rand(32), 1, 0, rand(32))
    x = random_scalar(rand)
    public = group.mul(x, BASE)
    key = group.mul(random_scalar(rand), BASE)
    results = []
    for width in (1, 2):
        start = shuffle.shuffle(place, x, key, deck.initial_deck(key, width), rand).deck  # no two ciphertexts alike
        made = shuffle.shuffle(place, x, key, start, rand)
        # re-encryption, c, chain, t-hat, t3, t4 and the single ones
        base = width * N + N + N + N + 3 + width
        variable = width * N + N + N + N + 2 * width * N + width
        additions = 4 * N + 4 * N * width
        suffix = "" if width == 1 else ", duel"
        results.append(
            measure(
                f"shuffle and prove{suffix}",
                lambda start=start: shuffle.shuffle(place, x, key, start, rand),
                bare,
                (base, variable, additions),
                options.rounds,
            )
        )
        if width == 1:
            prepared = [shuffle.prepare(place, x, rand) for _ in range(options.rounds)]
            results.append(
                measure(
                    "the same, permutation prepared",
                    lambda start=start, prepared=prepared: shuffle.shuffle(
                        place, x, key, start, rand, prepared.pop()
                    ),
                    bare,
                    (base, variable, additions),
                    options.rounds,
                )
            )
        results.append(
            measure(
                f"verify{suffix}",
                lambda start=start, made=made: shuffle.verify_shuffle(
                    place, key, start, made.deck_bytes, made.proof
                ),
                bare,
                (N + 3 + width, 8 * N + 8 - width + (width - 1) * (4 * N + 4 - 1), 435 + (width - 1) * 4 * N),
                options.rounds,
            )
        )
    final = made.deck
    barrier = rand(32)
    items, proof = shares.make_shares(place, x, public, final, barrier, rand)
    results.append(
        measure(
            "SHARES make",
            lambda: shares.make_shares(place, x, public, final, barrier, rand),
            bare,
            (1, 37 + 37 + 2, 36),
            options.rounds,
        )
    )
    results.append(
        measure(
            "SHARES check",
            lambda: shares.check_shares(place, public, final, barrier, items, proof),
            bare,
            (1, 74 + 3, 74),
            options.rounds,
        )
    )
    pair = (final[0][0], group.add(deck.initial_deck(public)[0][1], group.mul(x, group.sub(final[0][0], BASE))))
    d, opened = play.make_open(place, x, public, pair, rand)
    results.append(
        measure("PLAY make", lambda: play.make_open(place, x, public, pair, rand), bare, (1, 4, 0), options.rounds)
    )
    results.append(
        measure(
            "PLAY check",
            lambda: play.check_open(place, public, pair, d, opened),
            bare,
            (1, 5, 3),
            options.rounds,
        )
    )
    cards = inequality.items_for([pair] * 11, range(1, 14))
    blob = inequality.prove(place, x, public, cards, rand)
    results.append(
        measure(
            "void proof make (143 pairs)",
            lambda: inequality.prove(place, x, public, cards, rand),
            bare,
            (143, 3 * 143 + 1, 3 * 143 + 1),
            max(3, options.rounds // 6),
        )
    )
    results.append(
        measure(
            "void proof check (143 pairs)",
            lambda: inequality.check(place, public, cards, blob),
            bare,
            (143, 4 * 143, 4 * 143),
            max(3, options.rounds // 6),
        )
    )
    if options.json:
        for result in results:
            print(json.dumps(result))
        return
    print(
        f"{'':32}{'ms':>8}{'bare m':>9}{'bare m+a':>10}{'mult.':>7}{'add.':>6}"
        f"{'ratio v':>9}{'ratio m':>9}{'ratio m+a':>11}"
    )
    for r in results:
        print(
            f"{r['what']:32}{r['ms']:8.2f}{r['bare_multiplications_ms']:9.2f}{r['bare_ms']:10.2f}"
            f"{r['multiplications']:7}{r['additions']:6}{r['ratio_v']:9.3f}{r['ratio_m']:9.3f}{r['ratio_ma']:11.3f}"
        )


if __name__ == "__main__":
    main()
