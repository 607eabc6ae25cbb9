"""A nursery for the time of a block that lets the block's own error out as it is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio


@asynccontextmanager
async def background() -> AsyncIterator[trio.Nursery]:
    """A nursery whose tasks are cancelled when the block ends.

    An ``Exception`` raised by the block is raised again after that, in no exception group, so that callers can catch
    it by its type.
    """
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        try:
            yield nursery
        except Exception as error:
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
