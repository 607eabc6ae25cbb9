"""The ladder: every level by its name (weakest first)."""

import os
import sys
from importlib import import_module
from typing import Any, Final

from node.bots.policy import Policy
from node.i18n import _

#: name -> "module:class"; imported when asked for.
LEVELS: Final[dict[str, str]] = {
    "random": "node.bots.random_bot:RandomBot",
    "beginner": "node.bots.beginner:Beginner",
    "intermediate": "node.bots.search_bot:Intermediate",
    "strong": "node.bots.search_bot:Strong",
}


def _told(error: Exception) -> str:
    """*error* with its kind, and where it came from if that is not here."""
    if isinstance(error, ImportError):
        return str(error)
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = ""
    if last is not None and last.tb_frame.f_code.co_filename not in (__file__, "<frozen importlib._bootstrap>"):
        where = f" ({os.path.basename(last.tb_frame.f_code.co_filename)}, {last.tb_lineno})"
    return f"{type(error).__name__}: {error}{where}"


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
    if not colon or not all(part.isidentifier() for part in (*module.split("."), attribute)):
        text = _("No level {name}; the levels are {levels}, and a bot of your own is MODULE:CLASS.")
        raise LookupError(text.format(name=repr(name), levels=", ".join(LEVELS)))
    if here and "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = import_module(module)
    except Exception as error:  # its code runs here, whatever that does
        raise LookupError(_("Cannot import {module}: {problem}").format(module=module, problem=_told(error))) from error
    if not hasattr(found, attribute):
        raise LookupError(_("{module} has no {name}").format(module=module, name=attribute))
    found = getattr(found, attribute)
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise LookupError(_("{name} is no subclass of node.bots.policy.Policy").format(name=name))
    try:
        policy = found()
    except Exception as error:
        text = _("{name} cannot be made without arguments: {problem}")
        raise LookupError(text.format(name=name, problem=_told(error))) from error
    for attribute in ("name", "version"):
        if not isinstance(getattr(policy, attribute, None), str):
            raise LookupError(_("{module} has no {name}").format(module=name, name=attribute))
    return policy
