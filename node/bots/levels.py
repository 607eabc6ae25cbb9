"""The ladder: every level by its name (weakest first)."""

import os
import sys
from importlib import import_module
from typing import Final

from node.bots.policy import Policy
from node.i18n import _

#: name -> "module:class"; imported when asked for.
LEVELS: Final[dict[str, str]] = {
    "random": "node.bots.random_bot:RandomBot",
    "beginner": "node.bots.beginner:Beginner",
    "intermediate": "node.bots.search_bot:Intermediate",
    "strong": "node.bots.search_bot:Strong",
}


def level_policy(name: str) -> Policy:
    """The policy of a level; ``KeyError`` for a name that is none (see :data:`LEVELS`)."""
    module, _colon, attribute = LEVELS[name].partition(":")
    policy = getattr(import_module(module), attribute)()
    if not isinstance(policy, Policy):
        raise TypeError(f"{LEVELS[name]} is no Policy")
    return policy


def load_policy(name: str, *, here: bool = False) -> Policy:
    """A level by its name, or any policy as ``module:Class`` (looked up as Python imports modules).

    *here*: from now on the current directory counts, too, as it does for ``python -m``.  ``LookupError`` with a text
    for people if there is none, or if it is no policy.
    """
    if name in LEVELS:
        return level_policy(name)
    module, colon, attribute = name.partition(":")
    if not colon:
        text = _("No level {name}; the levels are {levels}, and a bot of your own is MODULE:CLASS.")
        raise LookupError(text.format(name=repr(name), levels=", ".join(LEVELS)))
    if here and "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(import_module(module), attribute)
    except ImportError as error:
        raise LookupError(_("Cannot import {module}: {problem}").format(module=module, problem=error)) from error
    except AttributeError as error:
        raise LookupError(_("{module} has no {name}").format(module=module, name=attribute)) from error
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise LookupError(_("{name} is no subclass of node.bots.policy.Policy").format(name=name))
    try:
        policy = found()
    except TypeError as error:
        text = _("{name} cannot be made without arguments: {problem}")
        raise LookupError(text.format(name=name, problem=error)) from error
    for attribute in ("name", "version"):
        if not isinstance(getattr(policy, attribute, None), str):
            raise LookupError(_("{module} has no {name}").format(module=name, name=attribute))
    return policy
