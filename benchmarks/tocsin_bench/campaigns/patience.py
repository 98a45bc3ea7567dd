"""How long a processor computes for one file, and how much memory it takes: without what is compiled meanwhile."""

from __future__ import annotations

import signal
import sys
import time
from typing import Any

from numba.core import event

COMPILING = "numba:compiler_lock"
"""What Numba says when it begins to compile something and when it has, within something else or not."""


class Patience(event.Listener):
    """Has this process ended once it has computed for so long, but for what it compiles. (Windows has only `SLEEP`.)"""

    def __init__(self, seconds: float) -> None:
        self.spent = 0.0
        """Seconds of a processor without those of the compiler."""
        self.megabytes = 0.0
        """By how much the compiler raised the most memory that was held."""
        self._limit, self._depth, self._peak = seconds, 0, 0.0

    def __enter__(self) -> Patience:
        event.register(COMPILING, self)
        self._go()
        return self

    def __exit__(self, *_: Any) -> None:
        self._stop()
        event.unregister(COMPILING, self)

    def on_start(self, event: Any) -> None:
        """Stop the clock: something is compiled."""
        self._depth += 1
        if self._depth == 1:
            self._stop()
            self._peak = peak()

    def on_end(self, event: Any) -> None:
        """Let the clock go on: that is compiled, and with it all that it needs."""
        self._depth -= 1
        if self._depth == 0:
            self.megabytes += peak() - self._peak
            self._go()

    def _go(self) -> None:
        self._started = time.process_time()
        self._set(max(self._limit - self.spent, 1e-3))

    def _stop(self) -> None:
        self._set(0.0)
        self.spent += time.process_time() - self._started

    @staticmethod
    def _set(seconds: float) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, seconds)


def peak() -> float:
    """The most memory this process has held, in megabytes; 0 where that is not known."""
    try:
        import resource
    except ImportError:
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
