"""Threads of our own over kernels that do without the interpreter's lock, and take the next piece of work themselves.

Numba's own threading layers end the process when two threads use them at once; these do not, and a question may be
asked from any thread.

Ctrl-C reaches Python's main thread between two steps of the interpreter, and a kernel is one step. So a kernel in the
caller's own thread looks at the clock (`advancement.work.UNTIL`) and comes back after PATIENCE. A piece that takes
longer goes to another thread, and the caller waits, which Ctrl-C ends; then all kernels are told to end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tocsin.advancement.work import HASTE, UNTIL
from tocsin.compiler.threads import cores
from tocsin.queries.deadlines import ticks_at
from tocsin.queries.kernels.batch import Taken


class BatchInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a batch; what was answered until then is kept."""

    def __init__(self, answers: object, done: NDArray[np.bool_]) -> None:
        super().__init__("the batch was interrupted; what was answered until then is in .answers, where .done is True.")
        self.answers: Any = answers
        """What the call would have returned; where it was not done, nothing is proven."""
        self.done: NDArray[np.bool_] = done
        """(n,): what was done."""


UNASKED = -2
"""In place of a status or a shape: of what was not reached before an interruption."""

FEW = 16
"""Pieces of work for which it does not pay to wake another thread."""

PATIENCE = 0.25
"""Seconds that a kernel may keep Python's main thread."""

EVERY = 0.1
"""Seconds between two calls that tell how far it is."""


class Watch:
    """What may end the kernels of one thread: a deadline, the caller's patience, or Ctrl-C."""

    def __init__(self, until: int, patience: float) -> None:
        self.until = until
        """Ticks of a deadline; 0: none."""
        self.patience = patience
        """Seconds; 0: whatever it takes."""
        self.stopped = False
        self._counts: NDArray[np.int64] | None = None

    @contextmanager
    def over(self, counts: NDArray[np.int64]) -> Generator[None, None, None]:
        """Watch over a kernel that works with these counts."""
        self._counts = counts
        counts[HASTE] = int(self.until != 0)
        counts[UNTIL] = ticks_at(self.patience) if self.patience else self.until
        try:
            if self.stopped:
                counts[UNTIL] = 1
            yield
        finally:
            self._counts = None
            counts[HASTE] = counts[UNTIL] = 0

    def stop(self) -> None:
        """End what is running, from another thread, and let nothing begin."""
        self.stopped = True
        counts = self._counts
        if counts is not None:
            counts[UNTIL] = 1


Work = Callable[[NDArray[np.int64], int, Watch], Taken]
Progress = Callable[[int, int], object]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads that stay, and with them what they keep from one batch to the next."""
    return ThreadPoolExecutor(threads, thread_name_prefix="tocsin")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not follow into another process


@contextmanager
def shown(progress: Progress | bool | None, title: str) -> Generator[Progress | None, None, None]:
    """Yield what is told how far it is: the function that was given, or for True a bar on standard error."""
    if progress is not True:
        yield progress or None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(title)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


class Dealing:
    """A batch that is being worked at."""

    def __init__(self, n: int, work: Work, until: int, progress: Progress | None) -> None:
        self.n, self.work, self.until, self.progress = n, work, until, progress
        self.dealt = np.zeros(1, np.int64)
        """The next piece that nobody has."""
        self.watches: list[Watch] = []
        self.done: list[int] = []
        self.due = 0.0
        self.stopped = False

    def take(self, patience: float, left: int = -1) -> int:
        """Work at a piece that was left, then at whatever nobody has; return one that takes too long, or -1."""
        watch = Watch(self.until, patience)
        self.watches.append(watch)
        try:
            while not self.stopped and (left >= 0 or self.dealt[0] < self.n):
                done, left, _, _ = self.work(self.dealt, left, watch)
                self.done.append(done)
                if done == 0:
                    return left if patience else -1
                if patience:
                    self.tell()
        except BaseException:
            self.stop()
            raise
        return -1

    def tell(self) -> None:
        """Tell how far it is, if it is time to."""
        if self.progress is not None and perf_counter() >= self.due:
            self.progress(sum(self.done), self.n)
            self.due = perf_counter() + EVERY

    def stop(self) -> None:
        """End all threads soon."""
        self.stopped = True
        for watch in self.watches:
            watch.stop()


def deal(n: int, work: Work, threads: int | None = None, progress: Progress | None = None, until: int = 0) -> None:
    """Call work(dealt, left, watch) on so many threads, the caller among them, until each of n pieces is done, once.

    It does the piece `left`, unless that is -1, then takes the next of `dealt`, and tells what it did. An error, or
    Ctrl-C, ends all threads, and is raised. `progress(done, n)` is called in the caller's thread. `until`: the ticks at
    which all ends.
    """
    threads = max(1, min(cores() if threads is None else threads, n // FEW))
    dealing = Dealing(n, work, until, progress)
    helpers: list[Future[int]] = []

    def help_with(left: int = -1) -> None:
        helpers.append(_pool(threads).submit(dealing.take, 0.0, left))

    try:
        for _ in range(threads - 1):
            help_with()
        if until and until > ticks_at(PATIENCE):
            help_with()  # in place of the caller, who waits
        else:
            left = dealing.take(0.0 if until else PATIENCE)
            helpers = [helper for helper in helpers if not helper.cancel()]  # one that has not begun is not needed
            if left >= 0:
                help_with(left)
        while wait(helpers, timeout=EVERY).not_done:
            dealing.tell()
        for helper in helpers:
            helper.result()
    finally:
        dealing.stop()
        for helper in helpers:
            if not helper.cancel():
                helper.exception()  # all have ended, whatever they raise
    if progress is not None:
        progress(sum(dealing.done), n)
