"""The table of verbs: name -> where the command is, and the one line ``doko --help`` shows for it.

The modules are imported when their verb is used, never for ``doko --help``.  A verb whose module does not exist is
not listed.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from node.i18n import N_


@dataclass(frozen=True, slots=True)
class Verb:
    """``target`` is ``"module:attribute"`` (a :class:`click.Command`), ``summary`` a marked, untranslated line."""

    target: str
    summary: str

    @property
    def module(self) -> str:
        return self.target.partition(":")[0]

    @property
    def attribute(self) -> str:
        return self.target.partition(":")[2]

    def exists(self) -> bool:
        """Whether the module is there (looked up, not imported)."""
        try:
            return find_spec(self.module) is not None
        except ModuleNotFoundError:
            return False


#: In the order of the help page: play first, then keeping, then upkeep.
VERBS: Final[dict[str, Verb]] = {
    "play": Verb("node.cli.play:play", N_("Play a match against three bots at once")),
    "demo": Verb("node.cli.demo:demo", N_("Watch four nodes play a match over TCP on this machine")),
    "table": Verb("node.cli.table:table", N_("Open a table or join one by address")),
    "join": Verb("node.cli.join:join", N_("Join a table by link or address")),
    "invite": Verb("node.cli.invite:invite", N_("Make an invitation link for a friend")),
    "friends": Verb("node.cli.friends:friends", N_("Your friends: list, add, block, remove")),
    "ledger": Verb("node.cli.ledger:ledger", N_("Who owes whom, and the fewest payments")),
    "history": Verb("node.cli.history:history", N_("The matches you have played")),
    "export": Verb("node.cli.export:export", N_("Write hands and results to files")),
    "replay": Verb("node.cli.replay:replay", N_("Replay a hand record and score it")),
    "verify": Verb("node.cli.verify:verify", N_("Check a settlement or an evidence file offline")),
    "bot": Verb("node.cli.bot:bot", N_("Run a computer player as a node of its own")),
    "host-bots": Verb("node.cli.host_bots:host_bots", N_("Run several computer players for others' tables")),
    "league": Verb("node.cli.league:league", N_("Measure bots against each other")),
    "audit": Verb("node.cli.audit:audit", N_("Check a computer player's moves against its commitment")),
    "identity": Verb("node.cli.identity:identity", N_("Show, save, take over or protect your identity")),
    "config": Verb("node.cli.config:config", N_("Read and change settings")),
    "doctor": Verb("node.cli.doctor:doctor", N_("Check that this machine is ready to play")),
    "completion": Verb("node.cli.completion:completion", N_("Shell completion for bash, zsh or fish")),
}


def available() -> dict[str, Verb]:
    """The verbs whose modules exist, in order."""
    return {name: verb for name, verb in VERBS.items() if verb.exists()}
