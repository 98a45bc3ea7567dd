"""Large arrays in memory pages of the usual size, where they are written once and read here and there.

numpy asks for huge pages. A system whose memory is in pieces then moves others' pages about before it hands one out: to
read 112 MB of prepared tables and to lay them out took 0.35 to 0.8 s of processor with huge pages, on a machine that
had been up for some hours, and takes 0.3 s without; questions are as fast.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_core: Any = getattr(np, "_core", None)
_set: Any = getattr(getattr(_core, "multiarray", None), "_set_madvise_hugepage", None)
"""numpy's switch, which it promises to nobody; without it, pages are as numpy wants them."""

_lock = threading.Lock()
_inside = 0
_was = True


@contextmanager
def usual_pages() -> Iterator[None]:
    """Have numpy ask for no huge pages while this lasts, in any thread; then as it was."""
    global _inside, _was
    if _set is None:
        yield
        return
    with _lock:
        if _inside == 0:
            _was = bool(_set(False))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _set(_was)
