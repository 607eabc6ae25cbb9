"""The consoles: full screen and plain, over one view (:mod:`node.view`) and one table of keys and choices.

Theory of operation.  :mod:`~node.console.model` is a machine without input or output: it is told views, keys and the
time, and says what is to be sent, drawn and rung.  :mod:`~node.console.full` puts it on a terminal with prompt_toolkit;
:mod:`~node.console.plain` speaks the same view as numbered lines; tests drive both directly.  Only this package may
import prompt_toolkit or asyncio, and only :mod:`~node.console.bridge` lets asyncio and trio meet.
"""
