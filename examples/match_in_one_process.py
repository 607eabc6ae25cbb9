"""A whole match of four bots in one process, through the real table core: the deal, the log, the settlement.

No sockets and no disk: messages go from table to table through a queue.  What a node's shell does with effects (store
them, send them, compute them in a thread) is done here in the simplest way that works.

    python examples/match_in_one_process.py [four-fixed]
"""

import secrets
import sys
from collections import deque

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from node.bots.levels import level_policy
from node.players import command_of
from protocol.cards import CARD_NAMES
from protocol.refusal import Refusal
from protocol.table import effects
from protocol.table.roster import Player, make_roster, make_setup
from protocol.table.table import Secrets, Table
from protocol.table.terms import make_terms
from protocol.table.verify import verify
from protocol.wire.keys import sign_static

NAMES = ("Anna", "Bela", "Carl", "Dora")


def gather(mode: str) -> list[Table]:
    """Four identities, terms and a roster that all agree on, and a table core for each seat."""
    players, keys = [], []
    for name in NAMES:
        signing, static = Ed25519PrivateKey.generate(), X25519PrivateKey.generate()
        public = static.public_key().public_bytes_raw()
        players.append(
            Player(
                identity=signing.public_key().public_bytes_raw(),
                static=public,
                static_signature=sign_static(signing.sign, public),
                nonce=secrets.token_bytes(32),
                nickname=name,
            )
        )
        keys.append(Secrets(signing.private_bytes_raw(), static.private_bytes_raw()))
    terms = make_terms(table=secrets.token_bytes(16), mode=mode, stake=10)
    roster = make_roster(tuple(players))
    return [Table(make_setup(terms, roster, seat), keys[seat], secrets.token_bytes) for seat in range(4)]


def play(tables: list[Table]) -> bytes:
    """Let them play; returns the settlement that the first of them ends with, signed by all four."""
    policy, now = level_policy("beginner"), 0.0
    settlements: dict[int, effects.Finished] = {}
    queue: deque[tuple[int, list[effects.Effect]]] = deque()
    for seat, table in enumerate(tables):
        queue.append((seat, table.start(now)))
        queue.extend((seat, table.link(other, True, now)) for other in range(4) if other != seat)

    def carry_out() -> None:
        while queue:
            seat, made = queue.popleft()
            for effect in made:
                match effect:
                    case effects.Send(target, message):
                        queue.append((target, tables[target].receive(seat, message, now)))
                    case effects.Compute(job, fn, args):
                        queue.append((seat, tables[seat].done(job, fn(*args), now)))
                    case effects.Finished():
                        settlements[seat] = effect
                    case effects.Show(effects.Acted(act=act, seat=who)) if seat == 0 and hasattr(act, "card"):
                        print(f"{NAMES[who]} {CARD_NAMES[act.card]}", end="  ", flush=True)
                    case effects.Show(effects.TrickClosed(trick=trick, winner=who)) if seat == 0:
                        print(f"-> {NAMES[who]} ({trick})")

    def answer(seat: int, table: Table) -> bool:
        view = table.view(now)
        if view.hand is None:
            return False
        # In a real bot the seed comes from a chain that the signed terms commit to; here any bytes serve.
        kind = policy.call(view.hand, bytes(32)) if view.calls else None
        if kind in view.calls:
            queue.append((seat, table.act(effects.MakeCall(kind), now)))
            return True
        if view.question is None:
            return False
        try:
            queue.append((seat, table.act(command_of(policy.choose(view.hand, bytes(32))), now)))
        except Refusal:  # asked a moment too early
            return False
        return True

    carry_out()
    while len(settlements) < 4 or any(done.signatures < 4 for done in settlements.values()):
        if not any(answer(seat, table) for seat, table in enumerate(tables)):
            now += 1.0
            queue.extend((seat, table.tick(now)) for seat, table in enumerate(tables))
        carry_out()
    return settlements[0].settlement


def main() -> None:
    """See the module's docstring."""
    settlement = play(gather(sys.argv[1] if len(sys.argv) > 1 else "variable"))
    verdict = verify(settlement)
    print(f"settlement of {len(settlement)} bytes:", "it verifies" if verdict.good else verdict.problem)
    for name, points, money in zip(NAMES, verdict.points, verdict.money, strict=True):
        print(f"{name:6} {points:+4d} points {money / 100:+7.2f}")


if __name__ == "__main__":
    main()
