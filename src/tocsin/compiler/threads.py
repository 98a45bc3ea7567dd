"""Work in pieces on all cores, for what is built before questions are asked.

Kernels do without the interpreter's lock, so threads work at once. The caller only waits, which Ctrl-C can end: what
has begun ends by itself, what has not does not begin; so it is after an error, from the thread that made it on, however
late the caller hears of it. Pieces must not depend on each other; then what they make does not depend on how many
threads there are.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tocsin.compiler.progress import Tell

Piece = TypeVar("Piece")
Made = TypeVar("Made")


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def on_cores(work: Callable[[Piece], Made], pieces: Sequence[Piece], tell: Tell | None = None) -> list[Made]:
    """Return what `work` makes of each piece, in their order; `tell` hears of how many pieces how many are done."""
    if len(pieces) == 0:
        return []
    failed: list[Piece] = []

    def begin(piece: Piece) -> list[Made]:
        try:
            return [] if failed else [work(piece)]
        except BaseException:
            failed.append(piece)
            raise

    pool = ThreadPoolExecutor(min(cores(), len(pieces)), thread_name_prefix="tocsin-build")
    try:
        made: list[Made] = []
        for one in pool.map(begin, pieces):
            made.extend(one)  # nothing of a piece that was not begun; then the error of another is raised
            if tell is not None:
                tell(len(made), len(pieces))
        return made
    finally:
        pool.shutdown(cancel_futures=True)
