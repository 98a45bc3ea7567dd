"""Stage two of the interval engine alone: swept volumes against the environment, by its trees and by a grid of cells.

Both are given what stage one leaves, or every pair. Printed are how many pairs each keeps and what it takes, for random
motions of the Puma-like arm. The pieces of the swept volumes are the same; only the overlap test differs.
"""

import argparse
import time
from typing import Any

import numpy as np

import tocsin
from tocsin.broad_phase.aabb_tree import join_up
from tocsin.broad_phase.moving import FIRST, MODEL, SLOTS, chains_of, set_motion
from tocsin.broad_phase.spatial import against_standing
from tocsin.broad_phase.sweep import geom_box, half_of, link_middle
from tocsin.compiler.jit import kernel
from tocsin.interval import swept_cull as stage_two
from tocsin.motion.knots import WHOLE
from tocsin_bench import report
from tocsin_bench.measures import swept_grid
from tocsin_bench.scenes import arm_scenes

DESCRIPTION = "Swept-volume culling alone: the environment's own trees against grids of cells; pairs kept and time."

PAIR = np.dtype([("a", "i4"), ("b", "i4"), ("margin", "f8")], align=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=100, help="motions of each size (default 100)")
    parser.add_argument("--cells", type=float, nargs="+", default=[0.1, 0.05, 0.025], help="cell sizes, metres")
    parser.add_argument("--seed", type=int, default=1, help="seed of the motions (default 1)")


@kernel
def _by_boxes(buffers):
    """Return (pairs, n): stage one, the pairs of the one active model whose swept boxes meet, over [0, 1]."""
    world, joints, sweeps, boxes = buffers.world, buffers.joints, buffers.sweeps, buffers.boxes
    model = world.models[buffers.active[0, MODEL]]
    first = buffers.active[0, FIRST]
    slots = buffers.active[0, SLOTS]
    for i in range(model["link"], model["link"] + model["links"]):
        link_middle(sweeps, joints, world.links, i, 0.5, half_of(0.0, 1.0))
    for g in range(model["geoms"]):
        geom = world.geoms[model["geom"] + g]
        row = first + slots + g
        geom_box(boxes, row, chains_of(buffers), world.points, geom, 0.0, 1.0, 0.0)
    join_up(boxes, first, slots)
    standing = buffers.static_boxes, buffers.static_child, buffers.static_geom
    tree = first, slots, model["geom"]
    return against_standing(buffers.workspace.pairs, 0, world, boxes, tree, standing, 0.0, buffers.workspace.stack)


@kernel
def _by_grid(world, joints, sweeps, swept, grid, moving, found, corners):
    """Mark in `found` (moving, shapes) what the grid leaves of the pairs of each moving shape, over [0, 1]."""
    pairs = np.zeros(moving.shape[0], dtype=PAIR)
    for k in range(moving.shape[0]):
        pairs[k]["a"] = moving[k]
        pairs[k]["b"] = world.geoms.shape[0] - 1  # any shape that stands
    stretches = stage_two.mark_links(world, sweeps, swept, pairs, moving.shape[0], 1.0)
    found[:] = False
    for s in range(stretches):
        begin = s / stretches
        end = (s + 1) / stretches
        stage_two.write_taylor(world, joints, swept, begin, end)
        for k in range(moving.shape[0]):
            n = stage_two.cut(world, sweeps, swept, moving[k], begin, end)
            swept_grid.near_shapes(grid, swept.pieces[swept.row[moving[k]]], n, corners, found[k])


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure both environments and print a table for each."""
    results = {}
    for name in ("pipes", "room"):
        results[name] = _environment(name, args)
    return results


def _environment(name: str, args: argparse.Namespace) -> list[dict[str, Any]]:
    task = arm_scenes.task(name)
    world = task.scene.context.tables()
    buffers = task.scene.context.prepared(world, (task.arm.at(np.zeros(6)),))[0].buffers
    is_active = np.array([model is task.arm for model in task.scene.models])
    swept = stage_two.make_swept(world, is_active, buffers.static_boxes, buffers.static_child, buffers.static_geom)
    moving, standing = np.flatnonzero(swept.row >= 0), np.flatnonzero(swept.row < 0)
    every = np.zeros(len(moving) * len(standing), PAIR)
    every["a"], every["b"] = np.repeat(moving, len(standing)), np.tile(standing, len(moving))
    grids, heads = {}, []
    for size in args.cells:
        started = time.perf_counter()
        grids[size] = swept_grid.build(world, standing, size)
        heads.append(f"{size:g} m: {time.perf_counter() - started:.2f} s, {grids[size].start.nbytes >> 10:,} KiB")
    rows, record = [], []
    for degrees in arm_scenes.STEPS:
        kept = {key: [] for key in ("boxes", "tree, every pair", "tree, after boxes", *grids)}
        taken = {key: [] for key in kept}
        for k, motion in enumerate([*arm_scenes.motions(task, degrees, args.count, args.seed)]):
            one = _ask(task.scene, world, buffers, swept, motion, every, moving, grids)
            for key, (n, seconds) in one.items():
                if k:  # the first call loads the compiled code
                    kept[key].append(n)
                    taken[key].append(seconds)
        rows.append(
            [f"{degrees:g}°", *(f"{np.mean(kept[key]):.1f}, {report.us(float(np.mean(taken[key])))}" for key in kept)]
        )
        record.append({"degrees": degrees, "kept": kept, "seconds": taken})
    report.table(
        f"{name}: pairs kept of {len(every):,}, and µs a motion; {task.n_triangles:,} triangles",
        ["largest step", "stage 1: boxes", "tree, every pair", "tree, after boxes", *(f"grid {s:g} m" for s in grids)],
        rows,
        "built: " + "; ".join(heads),
    )
    return record


def _ask(
    scene: tocsin.Scene, world: Any, buffers: Any, swept: Any, motion: tocsin.Motion, every: np.ndarray,
    moving: np.ndarray, grids: dict[float, Any],
) -> dict[Any, tuple[int, float]]:  # fmt: skip
    """Return {way: (pairs kept, seconds)} of one motion."""
    _, configs, _ = scene.context.prepared(world, (motion,))
    set_motion(buffers, configs, WHOLE)
    clock = time.thread_time  # of this thread alone: other work on the machine does not count
    out: dict[Any, tuple[int, float]] = {}
    start = clock()
    boxed: Any = _by_boxes(buffers)
    pairs, n = boxed
    out["boxes"] = n, clock() - start
    left = np.zeros(n, PAIR)
    left["a"], left["b"] = pairs["a"][:n], pairs["b"][:n]
    for key, table in (("tree, every pair", every.copy()), ("tree, after boxes", left)):
        start = clock()
        n, _ = stage_two.swept_cull(world, buffers.joints, buffers.sweeps, swept, table, len(table), 0.0, 1.0)
        out[key] = n, clock() - start
    found = np.zeros((len(moving), len(world.geoms)), np.bool_)
    for size, grid in grids.items():
        start = clock()
        _by_grid(world, buffers.joints, buffers.sweeps, swept, grid, moving, found, np.zeros((4, 3)))
        out[size] = int(found.sum()), clock() - start
    return out
