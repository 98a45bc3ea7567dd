"""What a query of this engine cost, in words."""

from dataclasses import dataclass

import numpy as np

from tocsin.interval import pipeline, workspace
from tocsin.results import Stats


@dataclass(frozen=True)
class IntervalStats(Stats):
    """Counts and seconds of the three stages: `pairs_spatial` are left by stage 1, `pairs_temporal` by stage 2.

    `steps`: what the cap counts; `node_tests`: tests of boxes; `leaf_tests`: of equations; `hull_tests`: of convex
    solids; `slabs`: pieces of the motion. `seconds` has motion, bvh (stage 1), swept (stage 2) and exact (stage 3).
    """

    intervals: int = 0
    """Intervals of time that the simultaneous solver took up."""
    motions: int = 0
    """Relative motions of two links that were bounded, each once an interval."""
    equations: int = 0
    """Elementary equations that were generated."""


def stats(pairs_total: int, counts: np.ndarray, clock: np.ndarray, elapsed: float) -> IntervalStats:
    """Put the counts and clocks of a query into words; `elapsed` seconds are shared out by the clocks."""
    ticks = max(int(clock.sum()), 1)
    stages = (("motion", pipeline.MOTION), ("bvh", pipeline.BVH), ("swept", pipeline.SWEPT), ("exact", pipeline.EXACT))
    return IntervalStats(
        pairs_total=pairs_total * max(int(counts[pipeline.PIECES]), 1),
        pairs_spatial=int(counts[pipeline.PAIRS_BVH]),
        pairs_temporal=int(counts[pipeline.PAIRS_SWEPT]),
        steps=int(counts[workspace.STEPS]),
        node_tests=int(counts[workspace.BOX_TESTS]),
        hull_tests=int(counts[workspace.SOLID_TESTS]),
        leaf_tests=int(counts[workspace.EQUATIONS] + counts[workspace.EQUATION_TESTS]),
        slabs=int(counts[pipeline.PIECES]),
        seconds={name: elapsed * int(clock[k]) / ticks for name, k in stages},
        intervals=int(counts[workspace.INTERVALS]),
        motions=int(counts[workspace.MOTIONS]),
        equations=int(counts[workspace.EQUATIONS]),
    )
