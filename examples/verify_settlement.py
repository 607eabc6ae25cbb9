"""Check a settlement (or evidence) file offline, with nothing but the file.

    doko demo --out evening
    python examples/verify_settlement.py evening/1-anna.settlement
"""

import sys
from pathlib import Path

from protocol.table.verify import verify


def main(path: Path) -> int:
    """0 if everything in the file holds, 1 if not."""
    verdict = verify(path.read_bytes())
    if not verdict.good:
        print(f"{path}: {verdict.problem}")
        return 1
    if verdict.kind == "evidence":
        print(f"seat {verdict.seat} is convicted of {verdict.code}: {verdict.detail}")
        return 0
    assert verdict.roster is not None
    print(f"match {verdict.match.hex()[:16]}, {len(verdict.hands)} hand(s): keys, proofs, rules and money hold")
    for player, points, money in zip(verdict.roster.players, verdict.points, verdict.money, strict=True):
        print(f"  {player.nickname:12} {points:+4d} points {money / 100:+8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
