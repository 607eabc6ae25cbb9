"""Read a hand record, replay it through the engine and tell each trick and the score.

    python examples/replay_record.py [FILE]

The same from the command line: ``doko replay examples/hand.json``.
"""

import sys
from pathlib import Path

from protocol.cards import format_cards
from protocol.rules import record
from protocol.rules.score import result


def main(path: Path) -> None:
    """Replay the record in *path*."""
    replay = record.replay(record.loads(path.read_bytes()))
    if replay.refusal is not None:
        print(f"event {replay.event} is refused: {replay.refusal}")
        return
    outcome = result(replay.state)
    log = [card for _, card in replay.state.log]
    players = [player for player, _ in replay.state.log]
    for trick, winner in enumerate(outcome.trick_winners):
        led = players[4 * trick] + 1
        print(f"trick {trick + 1:2}: player {led} leads {format_cards(log[4 * trick : 4 * trick + 4])}", end="")
        print(f", player {winner + 1} wins")
    print(f"{outcome.contract}, winner {outcome.winner}, value {outcome.value}, points {list(outcome.points)}")
    for item in outcome.items:
        print(f"  {item.side:6} {item.item:12} {item.points:+d}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("hand.json"))
