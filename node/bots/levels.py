"""The ladder: every level by its name (weakest first)."""

from importlib import import_module
from typing import Final

from node.bots.policy import Policy

#: name -> "module:class"; imported when asked for.
LEVELS: Final[dict[str, str]] = {
    "random": "node.bots.random_bot:RandomBot",
    "beginner": "node.bots.beginner:Beginner",
    "intermediate": "node.bots.search_bot:Intermediate",
    "strong": "node.bots.search_bot:Strong",
}


def level_policy(name: str) -> Policy:
    """The policy of a level; ``KeyError`` for a name that is none (see :data:`LEVELS`)."""
    module, _, attribute = LEVELS[name].partition(":")
    policy = getattr(import_module(module), attribute)()
    if not isinstance(policy, Policy):
        raise TypeError(f"{LEVELS[name]} is no Policy")
    return policy
