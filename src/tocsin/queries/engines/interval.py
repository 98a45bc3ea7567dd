"""The first contact by interval arithmetic, as an engine: a second, independent answer."""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import math

import numpy as np

from tocsin.broad_phase.moving import MODEL
from tocsin.errors import TocsinError
from tocsin.interval import pipeline, report
from tocsin.interval.swept_cull import NONE, make_swept
from tocsin.motion.knots import WHOLE, exact_time, first_after
from tocsin.queries.buffers import Prepared
from tocsin.queries.engines import Cost, Engine, Outcome
from tocsin.queries.kernels.interval import ask
from tocsin.results import Stats

ALL = (1, 2, 3)
"""Stages: dynamic hierarchy, swept volumes, equations. All pay on every scene that was measured (`bench arm`)."""


class Interval(Engine):
    """The interval engine, with all its stages or, to be compared, with some.

    `stages`: of 1, 2 and 3. "plain" among them: stages 1 and 3 with plain interval matrices and no slopes
    [ARTICULATE 5.2.3].
    """

    name = "interval"

    def __init__(self, stages: tuple[int | str, ...] = ALL) -> None:
        if 3 not in stages or not set(stages) <= {1, 2, 3, "plain"}:
            raise TocsinError(
                f"stages are 1, 2 and 3, and the third, which finds the contact, is always on; got {stages}."
            )
        self._swept: bool = 2 in stages
        self._bits: int = (
            (pipeline.STAGE_BVH if 1 in stages else 0)
            + (pipeline.STAGE_SWEPT if self._swept else 0)
            + (pipeline.PLAIN if "plain" in stages else 0)
        )

    def solve(
        self, prepared: Prepared, configs: np.ndarray, stretches: np.ndarray, margin: float, tolerance: float,
        max_steps: int, anything: bool,
    ) -> Outcome:  # fmt: skip
        """Find the first contact, always."""
        switches = pipeline.Switches(self._bits, self._tables(prepared) if self._swept else NONE)
        grow = max(margin, prepared.largest_margin)
        return ask(  # pyright: ignore[reportReturnType]  # Outcome by its fields: kernels return plain tuples
            prepared.table, configs, stretches, margin, grow, tolerance, max_steps, switches
        )  # fmt: skip

    @staticmethod
    def _tables(prepared: Prepared) -> pipeline.Swept:
        """Return the tables of stage 2, made once for prepared buffers."""
        kept = prepared.kept.get("swept")
        if kept is None:
            buffers = prepared.buffers
            is_active = np.zeros(len(buffers.world.models), np.bool_)
            is_active[buffers.active[:, MODEL]] = True
            kept = make_swept(buffers.world, is_active, buffers.static_boxes, buffers.static_child, buffers.static_geom)
            prepared.kept["swept"] = kept
        return kept

    def stats(self, cost: Cost) -> Stats:
        """Return counts and clocks as a user reads them."""
        return report.stats(cost.pairs_total, cost.counts, cost.clock, cost.elapsed)

    def upper(self, outcome: Outcome, stretch: tuple[int, int, int, int], time: float) -> float:
        """Return where the final interval ends."""
        upper = outcome[2]
        if stretch == WHOLE or upper == math.inf:
            return upper
        return first_after(exact_time(stretch, min(upper, 1.0)))


ENGINE = Interval()
