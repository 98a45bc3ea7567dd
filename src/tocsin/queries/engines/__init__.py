"""What an engine is: it finds the first contact of links, says how well it is bracketed, and what it cost.

Engines are objects with one signature, and give back one kind of tuple. Which one answers is chosen by its name
(`options.METHODS`), or handed in by who compares them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from tocsin.queries.buffers import COUNTS, Prepared
from tocsin.results import Stats


class Outcome(NamedTuple):
    """What the kernels of every engine return, as a plain tuple."""

    status: int
    """See `outcome`."""
    time: float
    """Free until here, in the stretch's own time; inf if free."""
    upper: float
    """In contact by then; inf if that is not known."""
    a: int
    """The shapes that touch; -1 for none."""
    b: int
    tolerance: float
    """Of that pair, metres."""
    stretch: int
    """Which of the motion's stretches it is."""


class Cost(NamedTuple):
    """What a question has cost."""

    pairs_total: int
    """Pairs of shapes that there are."""
    counts: np.ndarray
    clock: np.ndarray
    elapsed: float
    """Seconds."""

    @classmethod
    def of(cls, pairs_total: int, tally: bytes, elapsed: float) -> Cost:
        """Take the tally of buffers apart."""
        numbers = np.frombuffer(tally, np.int64)
        return cls(pairs_total, numbers[:COUNTS], numbers[COUNTS:], elapsed)


class Engine(ABC):
    """A way to find the first contact of links."""

    name: ClassVar[str]
    charted: ClassVar[bool] = False
    """Does it use charts, and ask for them?"""
    until: int = 0
    """The processor's ticks at which it ends; 0: when it is done."""
    after: float = 0.0
    """The time of the motions until which freedom is proven already."""

    @abstractmethod
    def solve(
        self, prepared: Prepared, configs: np.ndarray, stretches: np.ndarray, margin: float, tolerance: float,
        max_steps: int, anything: bool,
    ) -> Outcome:  # fmt: skip
        """Find the first contact of the motions whose rows are `configs`; or, if it may be, `anything` that touches.

        The counts and clocks of the buffers are written. `tolerance` in metres, or negative for the default.
        """

    @abstractmethod
    def stats(self, cost: Cost) -> Stats:
        """Return the counts and clocks of a question as a user reads them."""

    def upper(self, outcome: Outcome, stretch: tuple[int, int, int, int], time: float) -> float:
        """Return when it is in contact, within margin + tolerance; `time` is the answer's, of the whole motion."""
        return time if outcome[2] < math.inf else math.inf
