"""``python -m tests.fuzz.seeds``: first inputs of each corpus, from the frozen hand and honest messages."""

import json
from pathlib import Path

from protocol.wire import messages
from protocol.wire.messages import Bye, Chat, Pause, Ping
from tests.fuzz.__main__ import CORPUS
from tests.fuzz.targets import STOPS, frozen

EXAMPLE = Path(__file__).parents[2] / "examples" / "hand.json"


def seeds() -> dict[str, list[bytes]]:
    """Inputs by target."""
    setup, entries, _ = frozen()
    some = [entries[at] for at in (0, 4, 8, 16, 20, 24, 28, 29, 30, 34, 130, 134)]
    said = [
        Ping(n=7),
        Bye(reason="stopped", text="x"),
        Chat(match=bytes(32), text="hello"),
        Pause(match=bytes(32), n=0, on=True),
        messages.Entry(p=entries[0].payload, s=entries[0].signature),
    ]
    hand = json.loads(EXAMPLE.read_text())
    text = json.dumps(hand, separators=(",", ":")).encode()
    short = json.dumps({**hand, "events": hand["events"][:8]}, separators=(",", ":")).encode()
    return {
        "frames": [
            b"\x00\x05\x00\x06DOKO\x01\x00",
            b"\x00\xff\x00\x16DOKO\x01\x01" + bytes(16),
            b"\x01\x40\x00\x06DOKO\x01\x00",
            b"\x02\xff\x01\x01\x00\x05" + messages.encode(said[0]),
            b"\x03\xff\x01\x01\x00\x20" + messages.encode(said[2]),
            b"\x02\x10\x00\x05\x01\x01",
            b"\x03\x10\x00\x15\x01\x01",
            b"\x02\xff\x01\x00\x00\x20" + messages.encode(said[1]),
        ],
        "message": [b"\x00" + messages.encode(each) for each in said]
        + [b"\x02" + entry.payload for entry in some]
        + [b"\x05" + setup.terms_bytes, b"\x06" + setup.roster.raw, b"\x07doko:abcdef"],
        "log": [bytes([at]) + b"\x10" * 4 for at in range(0, len(STOPS), 4)]
        + [bytes([at, 0x60 + at % 5, 1, 1, 200, 1, 3, 100, 7, 9]) for at in range(len(STOPS))],
        "records": [b"\x40" + text, b"\x07[" + short + b"," + short + b"]", b"\xff" + short + b"\n\n" + short],
        "files": [b"\x02", b"\x01\x00\x99", b"\x01\x01\x93"]
        + [bytes([3, at, at % 4, 1, 1, 200, 1, 3, 100, 7, 9, 2]) for at in range(0, len(STOPS), 2)]
        + [bytes([2, 1, 200, 2, 5, 200, at, 5, 200, at, 7, 90, 3, 9, 9]) for at in range(12)],
    }


def main() -> None:
    """Write them."""
    for target, inputs in seeds().items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, each in enumerate(inputs):
            (folder / f"seed-{number:02}").write_bytes(each)


if __name__ == "__main__":
    main()
