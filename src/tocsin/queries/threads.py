"""Threads of our own over kernels that do without the interpreter's lock: work is dealt out chunk by chunk.

Numba's own threading layers end the process when two threads use them at once; these do not, and a question may be
asked from any thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import count
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray


class BatchInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a batch; what was answered until then is kept."""

    def __init__(self, answers: Any, done: NDArray[np.bool_]) -> None:
        super().__init__("the batch was interrupted; what was answered until then is in .answers, where .done is True.")
        self.answers: Any = answers
        """What the call would have returned; where it was not done, nothing is proven."""
        self.done: NDArray[np.bool_] = done
        """(n,): what was done."""


LEAST, CHUNK = 8, 64
"""Pieces of work in a compiled call: a call takes some microseconds, and nothing stops in the midst of one."""

FEW = 16
"""Pieces of work for which it does not pay to wake another thread."""

SHARES = 16
"""Chunks for each thread, at least: the pieces of a batch differ by a thousand times."""

EVERY = 0.1
"""Seconds between two calls that tell how far it is."""

Work = Callable[[int, int], None]
Progress = Callable[[int, int], None]


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads that stay, and with them what they keep from one batch to the next."""
    return ThreadPoolExecutor(threads, thread_name_prefix="tocsin")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not follow into another process


@contextmanager
def shown(progress: Progress | bool | None, title: str) -> Iterator[Progress | None]:
    """Yield what is told how far it is: the function that was given, or for True a bar on standard error."""
    if progress is not True:
        yield progress or None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(title)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


def deal(n: int, work: Work, threads: int | None = None, progress: Progress | None = None) -> None:
    """Call work(first, last) for chunks of n pieces, each once, on so many threads, the caller among them.

    Threads take the next chunk when they are done with one. An error, or Ctrl-C, ends all of them after the chunk that
    they are at, and is raised. `progress(done, n)` is called in the caller's thread.
    """
    threads = max(1, min(cores() if threads is None else threads, n // FEW))
    size = max(LEAST, min(CHUNK, n // (SHARES * threads)))
    firsts = count(0, size)  # one step of the interpreter: no two threads take the same
    done: list[int] = []
    due = [0.0]
    stopped: list[bool] = []

    def take(tell: Progress | None) -> None:
        try:
            while not stopped:
                first = next(firsts)
                if first >= n:
                    return
                last = min(first + size, n)
                work(first, last)
                done.append(last - first)
                if tell is not None and perf_counter() >= due[0]:
                    tell(sum(done), n)
                    due[0] = perf_counter() + EVERY
        except BaseException:
            stopped.append(True)
            raise

    helpers = [_pool(threads - 1).submit(take, None) for _ in range(threads - 1)] if threads > 1 else []
    try:
        take(progress)
        for helper in helpers:
            if not helper.cancel():  # one that has not begun is not needed
                helper.result()
    finally:
        stopped.append(True)
        for helper in helpers:
            if not helper.cancel():
                helper.exception()  # all have ended, whatever they raise
    if progress is not None:
        progress(n, n)
