"""Deadlines: seconds of the user as ticks of the processor's counter, which kernels read without asking anybody.

The counter's rate is found by looking at both clocks, once when the first scene is made and again when it is needed.
Only how punctual an answer is depends on it, not what the answer says.
"""

from __future__ import annotations

import time
from functools import cache

from tocsin import _cast
from tocsin.advancement.work import read_ticks

LONGEST = 1e6
"""Seconds: a deadline beyond it is none."""

EARLY = 5e-5
"""Seconds, but at most a quarter of a deadline: so much before it a search ends, since making the answer takes 20 to
100 µs, the more the longer the search has had the processor's caches to itself."""

APART = 0.002
"""Seconds between the two looks, at least: they are taken within a microsecond each."""


def _look() -> tuple[float, int]:
    """Return both clocks at one moment: of several looks the one that took least."""
    least, found = float("inf"), (0.0, 0)
    for _ in range(5):
        before, count, after = time.perf_counter(), int(read_ticks()), time.perf_counter()
        if after - before < least:
            least, found = after - before, (0.5 * (before + after), count)
    return found


@cache
def first_look() -> tuple[float, int]:
    """Return both clocks as they were when this was first called."""
    return _look()


def ticks_at(seconds: object) -> int:
    """Return the counter so many seconds from now, never 0; refuse what is no positive number of seconds."""
    asked = time.perf_counter()
    wanted = _cast.scalar(seconds, "deadline", above=0.0, most=LONGEST)
    then, counted = first_look()
    while time.perf_counter() - then < APART:
        pass
    now, count = _look()
    rate = (count - counted) / (now - then)
    return max(int(count + (wanted - min(EARLY, 0.25 * wanted) - (now - asked)) * rate), 1)
