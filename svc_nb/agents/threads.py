"""Work in threads that end with the process, awaited: one that hangs keeps no server from ending with its client."""

import functools
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar

import anyio

from svc_nb.engine.job import BackgroundJob

STEP = 0.02
# How long a call that was cancelled waits for what is in progress, which may be paid for, or half of a push.
GRACE_SECONDS = 10.0

T = TypeVar("T")
P = ParamSpec("P")


under_way: set[BackgroundJob[Any]] = set()


class Work(BackgroundJob[T]):
    """A call of a function."""

    def __init__(self, function: Callable[[], T]) -> None:
        super().__init__()
        self._function = function

    def _carry_out(self) -> None:
        self._value = self._function()

    def _build(self) -> T:
        return self._value


async def over(job: BackgroundJob[Any], tell: Callable[[], Awaitable[None]] | None = None) -> None:
    """Start *job* and wait until it has ended, calling *tell* in the meantime; a cancelled caller cancels it."""
    under_way.add(job.start())
    try:
        while not job.done():
            await anyio.sleep(STEP)
            if tell:
                await tell()
    finally:
        if not job.done():
            job.cancel()
            with anyio.move_on_after(GRACE_SECONDS, shield=True):
                while not job.done():
                    await anyio.sleep(STEP)
        under_way.discard(job)


def settle() -> None:
    """Cancel all that is in progress, and wait for what it has sent."""
    left = [*under_way]
    for job in left:
        job.cancel()
    for job in left:
        job.wait(GRACE_SECONDS)


async def in_thread(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """What *function* gives."""
    work = Work(functools.partial(function, *args, **options))
    await over(work)
    return work.result()


def threaded(function: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    """*function* as one that is awaited; it has the same parameters."""

    @functools.wraps(function)
    async def called(*args: P.args, **options: P.kwargs) -> T:
        return await in_thread(function, *args, **options)

    return called
