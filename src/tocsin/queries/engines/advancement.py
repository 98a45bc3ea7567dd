"""The first contact by conservative advancement, as an engine: the default."""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import numpy as np

from tocsin.advancement import work
from tocsin.queries.buffers import Prepared
from tocsin.queries.engines import Cost, Engine, Outcome
from tocsin.queries.kernels.candidates import SLABS, SPATIAL
from tocsin.queries.kernels.first_contact import ADVANCEMENT, CULLING, MOTION, ask
from tocsin.results import Stats


class Advancement(Engine):
    """The default engine [CATCH alg. 1]."""

    name = "advancement"
    charted = True

    def solve(
        self, prepared: Prepared, configs: np.ndarray, stretches: np.ndarray, margin: float, tolerance: float,
        max_steps: int, anything: bool,
    ) -> Outcome:  # fmt: skip
        """Find the first contact."""
        grow = prepared.largest_margin
        return ask(  # pyright: ignore[reportReturnType]  # Outcome by its fields: kernels return plain tuples
            prepared.table, configs, stretches, margin, margin if margin > grow else grow, tolerance, max_steps,
            anything,
        )  # fmt: skip

    def stats(self, cost: Cost) -> Stats:
        """Return counts and clocks as a user reads them."""
        counts, clock = cost.counts, cost.clock
        ticks = max(int(clock.sum()), 1)
        parts = (("motion", MOTION), ("culling", CULLING), ("advancement", ADVANCEMENT))
        return Stats(
            pairs_total=cost.pairs_total * max(int(counts[SLABS]), 1),
            pairs_spatial=int(counts[SPATIAL]),
            pairs_temporal=int(counts[work.VISITED]),
            steps=int(counts[work.STEPS]),
            node_tests=int(counts[work.NODE_TESTS]),
            hull_tests=int(counts[work.HULL_TESTS]),
            leaf_tests=int(counts[work.LEAF_TESTS]),
            slabs=int(counts[SLABS]),
            seconds={name: cost.elapsed * int(clock[k]) / ticks for name, k in parts},
        )


class Limited(Advancement):
    """The default engine with a deadline, and from a time on: what one question is asked with."""

    def __init__(self, until: int, after: float = 0.0) -> None:
        self.until, self.after = until, after

    def solve(
        self, prepared: Prepared, configs: np.ndarray, stretches: np.ndarray, margin: float, tolerance: float,
        max_steps: int, anything: bool,
    ) -> Outcome:  # fmt: skip
        """Find the first contact, or what there is to say by the deadline."""
        counts = prepared.buffers.counts
        counts[work.HASTE], counts[work.UNTIL] = int(self.until != 0), self.until
        try:
            return super().solve(prepared, configs, stretches, margin, tolerance, max_steps, anything)
        finally:
            counts[work.HASTE] = counts[work.UNTIL] = 0


ENGINE = Advancement()
