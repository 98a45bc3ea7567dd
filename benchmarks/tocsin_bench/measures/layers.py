"""Two layers of a deforming hierarchy: DOPs at both ends of the motion everywhere, or swept ones above the elements.

The hierarchy of [LOCAL VI] keeps both ends near the elements only. Here the levels above them are a seventh of the
whole, so both ends cost little there; the question is whether they spare tests. The same hierarchy is asked twice, once
with the DOPs of all levels above the elements replaced by those around both ends.

    python -m tocsin_bench layers
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from tocsin.deform.hierarchy import HI_T0, HI_T1, LO_T0, LO_T1, ROWS
from tocsin.deform.mesh_arrays import FittedMesh, MeshPair, fitted_mesh
from tocsin.deform.mesh_state import MeshState
from tocsin.deform.narrow import EVERY, NODES
from tocsin.deform.run import find
from tocsin_bench import report
from tocsin_bench.measures import cloth

DESCRIPTION = (
    "Hierarchies of deforming meshes: both ends of the motion at every level, or swept volumes above elements."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--repeats", type=int, default=5, help="rounds, in turns; the median counts (default 5)")


def swept_above(mesh: FittedMesh) -> FittedMesh:
    """Return the same hierarchy with swept DOPs above the elements."""
    octets = mesh.arrays.octets.copy()
    above = octets[int(mesh.arrays.start[1]) :]
    for row in range(0, ROWS, 4):
        low = np.minimum(above[:, row + LO_T0], above[:, row + LO_T1])
        high = np.maximum(above[:, row + HI_T0], above[:, row + HI_T1])
        above[:, row + LO_T0] = above[:, row + LO_T1] = low
        above[:, row + HI_T0] = above[:, row + HI_T1] = high
    return fitted_mesh(mesh.arrays._replace(octets=octets))


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Ask for all contacts with both hierarchies, on one thread."""
    rows = []
    results = {}
    for name, make in cloth.NAMES.items():
        steps = make(1)
        if steps is None:
            report.console.print(f"{name}: left out, its data are not here", highlight=False)
            continue
        p0, p1 = (np.ascontiguousarray(p, dtype=np.float64) for p in steps.ends[-1])
        none = np.zeros((0, 2), np.int32)
        soft = MeshState(
            len(p0), np.asarray(steps.faces, np.int32), none, none[:, 0], np.arange(len(p0), dtype=np.int32)
        )
        both = soft.fit(p0, p1, p0.mean(axis=0))
        sides = {"both ends": both, "swept": swept_above(both)}
        taken: dict[str, list[float]] = {key: [] for key in sides}
        tests = {}
        found = {}
        for _ in range(args.repeats + 1):
            for key, side in sides.items():
                started = time.thread_time()
                answer = find([MeshPair(side, side, True, 0.0, 1e-9, False)], EVERY, threads=1)
                taken[key].append(1e3 * (time.thread_time() - started))
                tests[key] = int(answer.counts[NODES])
                found[key] = len(answer.hits)
        if found["both ends"] != found["swept"]:
            raise SystemExit(f"{name}: the hierarchies disagree: {found}")
        middle = {key: float(np.median(times[1:])) for key, times in taken.items()}
        results[name] = {"tests": tests, "ms": middle, "found": found["swept"]}
        rows.append([name, *(f"{tests[k]:,}" for k in sides), *(f"{middle[k]:.1f}" for k in sides)])
    columns = ["", "tests, both ends", "tests, swept", "ms, both ends", "ms, swept"]
    report.table("All contacts of one step, one thread", columns, rows)
    return results
