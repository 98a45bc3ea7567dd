"""The arm among pipes and in a machine room [ARTICULATE table 1, table 2], stage by stage, and depth beyond.

Random motions of the Puma-like arm, at most 1 to 60 degrees a joint, asked of the interval engine with its stages on
and off: 1 the dynamic hierarchy of boxes, 2 the swept volumes, 3 the equations. COL are the motions that end in a
contact, NO-COL those that are free. The printed figures, of a Pentium 4 of 2.4 GHz with the second stage on a graphics
card, stand beside ours: the shape is to be compared, not the speed. Every answer is held against the default engine's.

A question is asked several times, the rounds taking turns over the sets of stages; its time, in seconds that the thread
spent on a processor, is the least of them, which other work on the machine disturbs least. The part of a stage is taken
from the engine's own clock.
"""

import argparse
import time
from typing import Any

import numpy as np

import tocsin
from tocsin.limits import MAX_STEPS
from tocsin.queries.engines.interval import Interval
from tocsin.queries.first_contact import first_contact
from tocsin.viewer import render
from tocsin_bench import report
from tocsin_bench.data import Missing
from tocsin_bench.results import papers
from tocsin_bench.results.tables import factor
from tocsin_bench.scenes import arm_scenes, cases

DESCRIPTION = "The interval engine's three stages on an arm among pipes and in a machine room: the 2004 paper's tables."

SETS = {"1+2+3": (1, 2, 3), "1+3": (1, 3), "2+3": (2, 3), "3": (3,)}
COLUMNS = ("bvh", "swept", "exact")
DEFAULT = "default engine"

PAPER_1 = {
    1.0: (0.0014, 0.0012, 11.9552, 2.9801, 11.8, 3.3123, 23.7566, 6.2936),
    5.0: (0.0017, 0.0013, 16.1848, 4.3327, 17.9427, 3.6844, 32.3713, 8.0184),
    15.0: (0.0018, 0.0015, 22.1523, 3.9728, 30.5652, 5.4548, 52.7193, 9.4291),
    30.0: (0.0018, 0.0013, 18.6973, 4.4477, 85.4134, 18.7761, 104.1125, 23.2251),
}
"""Milliseconds of [ARTICULATE table 1]: per stage and in total, COL and NO-COL."""

NAN = float("nan")
PAPER_2 = {
    (1.0, "1+2+3"): (0.33, 0.33, 41.58, 18.54, 7.01, 2.06, 48.92, 19.04),
    (1.0, "1+3"): (0.34, 0.33, NAN, NAN, 7.33, 1.79, 7.67, 1.24),
    (1.0, "2+3"): (NAN, NAN, 47.60, 41.68, 23.29, 15.00, 70.89, 43.53),
    (1.0, "3"): (NAN, NAN, NAN, NAN, 82.24, 75.05, 82.24, 75.05),
    (30.0, "1+2+3"): (0.33, 0.33, 30.83, 20.18, 116.42, 46.15, 147.58, 48.31),
    (30.0, "1+3"): (0.33, 0.33, NAN, NAN, 121.93, 43.43, 122.26, 115.40),
    (30.0, "2+3"): (NAN, NAN, 56.14, 44.74, 147.00, 63.72, 203.14, 98.90),
    (30.0, "3"): (NAN, NAN, NAN, NAN, 190.79, 98.41, 190.79, 98.41),
    (60.0, "1+2+3"): (0.34, 0.33, 43.13, 19.05, 480.45, 91.74, 523.92, 40.91),
    (60.0, "1+3"): (0.35, 0.33, NAN, NAN, 577.70, 73.06, 578.05, 36.79),
    (60.0, "2+3"): (NAN, NAN, 62.23, 44.70, 519.39, 107.86, 581.62, 70.08),
    (60.0, "3"): (NAN, NAN, NAN, NAN, 649.48, 107.29, 649.48, 107.29),
}
"""The same of [ARTICULATE table 2], by angle and set of stages."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=100, help="motions of each size (default 100)")
    parser.add_argument("--repeats", type=int, default=5, help="rounds; a motion's time is the least (default 5)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the motions (default 1)")
    parser.add_argument("--puma", action="store_true", help="the recorded Puma 560 (8,116 triangles, from TOCSIN_DATA)")
    parser.add_argument("--picture", metavar="PREFIX", help="draw PREFIX-pipes.png and PREFIX-room.png")


def ask(scene: tocsin.Scene, motion: tocsin.Motion, stages: tuple[int | str, ...]) -> tocsin.FirstContact:
    """One question to the interval engine with some of its stages on."""
    return first_contact(scene.context, (motion,), 0.0, None, MAX_STEPS, Interval(stages), scene=scene)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure both environments and the snakes, print the tables, and draw the scenes if asked."""
    if args.puma and not arm_scenes.puma_file().exists():
        raise Missing("the recorded Puma 560 is not there; set TOCSIN_DATA to the folder of recorded data.")
    if args.picture:
        for name in arm_scenes.ENVIRONMENTS:
            _draw(f"{args.picture}-{name}.png", name, arm_scenes.build_puma() if args.puma else arm_scenes.build_arm())
    pipes = _environment("pipes", arm_scenes.STEPS, tuple(SETS), args)
    room = _environment("room", arm_scenes.STEPS, tuple(SETS), args)
    for title, found, paper in (("Table 1, pipes", pipes, PAPER_1), ("Table 2, machine room", room, PAPER_2)):
        _show(title, found, paper)
    snakes = _snakes(args)
    who = "Puma 560, " if args.puma else ""
    cells = [
        *_cells("2004, Table 1", who, pipes["rows"], PAPER_1),
        *_cells("2004, Table 2", who, room["rows"], PAPER_2),
    ]
    return {"pipes": pipes["rows"], "room": room["rows"], "snakes": snakes, "cells": cells}


def _cells(table: str, who: str, rows: list[dict[str, Any]], paper: dict[Any, tuple[float, ...]]) -> list[papers.Cell]:
    """Every cell of a paper's table beside ours; the totals are to be beaten, stages are their parts."""
    found = []
    for row in rows:
        for name in SETS:
            theirs = paper.get((row["degrees"], name), paper.get(row["degrees"]) if name == "1+2+3" else None)
            if theirs is None:
                continue
            seconds = row["seconds"][name]
            parts = [*(seconds[:, stage] for stage in range(3)), seconds.sum(axis=1)]
            label = f"{who}{row['degrees']:g}°" + (f", {name}" if table.endswith("2") else "")
            for k, (part, stage) in enumerate(zip(parts, ("stage 1", "stage 2", "stage 3", "total"))):
                for side, which in enumerate((row["collides"], ~row["collides"])):
                    column = f"{stage} {('COL', 'NO-COL')[side]}"
                    ours = report.mean(part[which])
                    found.append(
                        papers.cell(table, label, column, 1e-3 * theirs[2 * k + side], ours, judged=stage == "total")
                    )
    return found


def _environment(
    name: str, steps: tuple[float, ...], sets: tuple[str, ...], args: argparse.Namespace
) -> dict[str, Any]:
    task = arm_scenes.task(name, puma=args.puma)
    rows = []
    for degrees in steps:
        motions = arm_scenes.motions(task, degrees, args.count, args.seed)
        expected = [task.scene.first_contact(motion) for motion in motions]
        collides = np.array([hit.collides for hit in expected])
        times, counts, differ = _measure(task.scene, motions, expected, sets, args.repeats)
        rows.append({"degrees": degrees, "collides": collides, "seconds": times, "pairs": counts, "differ": differ})
        report.console.print(
            f"{name}, {degrees:g}°: {collides.sum()} of {len(collides)} collide; "
            f"answers that differ from the default engine's: {differ}",
            highlight=False,
        )
    return {"name": name, "rows": rows, "n_triangles": task.n_triangles}


def _measure(
    scene: tocsin.Scene, motions: list[tocsin.Motion], expected: list[tocsin.FirstContact], sets: tuple[str, ...],
    repeats: int,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], int]:  # fmt: skip
    """Return the least seconds (motions, stages) of each set, pairs (motions, 2) after stages 1 and 2, and differences.

    The default engine is timed as well, as one stage. Answers that contradict its answers are counted.
    """
    times = {name: np.full((len(motions), len(COLUMNS)), np.inf) for name in sets}
    pairs = {name: np.zeros((len(motions), 2)) for name in sets}
    differ = 0
    times[DEFAULT] = np.full((len(motions), 1), np.inf)
    for name in sets:
        ask(scene, motions[0], SETS[name])
    for _ in range(repeats):
        for k, motion in enumerate(motions):
            start = time.thread_time()
            scene.first_contact(motion)
            times[DEFAULT][k] = min(times[DEFAULT][k, 0], time.thread_time() - start)
        for name in sets:
            for k, motion in enumerate(motions):
                start = time.thread_time()
                hit = ask(scene, motion, SETS[name])
                took = time.thread_time() - start
                if took < times[name][k].sum():
                    shares = np.array([hit.stats.seconds[column] for column in COLUMNS])
                    shares[0] += hit.stats.seconds["motion"]
                    times[name][k] = took * shares / shares.sum()
                pairs[name][k] = hit.stats.pairs_spatial, hit.stats.pairs_temporal
                differ += _differs(scene, motion, expected[k], hit)
    return times, pairs, differ


def _differs(scene: tocsin.Scene, motion: tocsin.Motion, a: tocsin.FirstContact, b: tocsin.FirstContact) -> bool:
    """Do two answers contradict each other: one free, or apart at the other's time by more than the tolerances?"""
    if a.status is b.status and (a.time == b.time or not a.collides):
        return False
    if a.status is not b.status:
        return True
    later = max(a.time, b.time)
    arm: Any = motion.model
    gap = scene.distance(arm.at(motion.row_at(min(a.time, b.time))[7:])).distance
    return gap > max(a.tolerance, b.tolerance) * 1.001 or later - min(a.time, b.time) > 0.1


def _show(title: str, found: dict[str, Any], paper: dict[Any, tuple[float, ...]]) -> None:
    """Print one of [ARTICULATE table 1, table 2] with its own rows, and what swept volumes are worth."""
    with_sets = any(isinstance(key, tuple) for key in paper)
    names = tuple(SETS) if with_sets else ("1+2+3",)
    rows = []
    worth = []
    for row in found["rows"]:
        collides = row["collides"]
        for name in names:
            seconds = row["seconds"][name]
            on = [str(stage) in name for stage in (1, 2, 3)]
            cells = []
            for stage in range(3):
                for which in (collides, ~collides):
                    cells.append(report.ms(report.mean(seconds[which, stage])) if on[stage] else "-")
            cells += [report.ms(report.mean(seconds[which].sum(axis=1))) for which in (collides, ~collides)]
            theirs = paper.get((row["degrees"], name) if with_sets else row["degrees"])
            beside = "-" if theirs is None else " / ".join(f"{x:.3g}" for x in theirs[6:])
            rows.append([f"{row['degrees']:g}°", name, *cells, beside])
        default = [report.ms(report.mean(row["seconds"][DEFAULT][which, 0])) for which in (collides, ~collides)]
        rows.append([f"{row['degrees']:g}°", DEFAULT, *["-"] * 6, *default, "-"])
        without, full = (row["seconds"][name].sum(axis=1) for name in ("1+3", "1+2+3"))
        ratios = [report.mean(without[which]) / report.mean(full[which]) for which in (collides, ~collides)]
        after = row["pairs"]["1+2+3"].mean(axis=0)
        both = " / ".join(factor(ratio) or "-" for ratio in ratios)
        worth.append(f"{row['degrees']:g}°: {both} ({after[0]:.1f} -> {after[1]:.1f} pairs)")
    report.table(
        f"{title}: milliseconds a motion, COL and NO-COL; {found['n_triangles']:,} triangles",
        ["step", "stages", "1 COL", "NO-COL", "2 COL", "NO-COL", "3 COL", "NO-COL", "all COL", "NO-COL", "paper, all"],
        rows,
    )
    report.console.print(
        "time without swept volumes over time with them (1+3 over 1+2+3), COL / NO-COL: " + "; ".join(worth),
        highlight=False,
    )


def _snakes(args: argparse.Namespace) -> list[dict[str, float]]:
    """Depth: a snake among posts, self-contact off, with and without swept volumes."""
    rows, record = [], []
    for n_links in (5, 10, 20, 40):
        case = cases.snake(n_links, count=min(args.count, 30))
        case.scene.ignore("snake", "snake")
        motions = [question[0] for question in case.questions]
        expected = [case.scene.first_contact(motion) for motion in motions]
        times, pairs, _ = _measure(case.scene, motions, expected, ("1+2+3", "1+3"), args.repeats)
        full, without = (float(times[name].sum(axis=1).mean()) for name in ("1+2+3", "1+3"))
        after = pairs["1+2+3"].mean(axis=0)
        rows.append(
            [
                n_links,
                f"{after[0]:.1f}",
                f"{after[1]:.1f}",
                report.ms(full),
                report.ms(without),
                f"{without / full:.2f}",
            ]
        )
        record.append({"links": n_links, "with": full, "without": without})
    report.table(
        "Depth: a snake of n links sliding between posts, nothing touches; milliseconds a motion",
        ["links", "pairs after 1", "after 2", "1+2+3", "1+3", "ratio"],
        rows,
    )
    return record


_ARM, _GHOST, _STEEL = (0.95, 0.55, 0.15), (0.98, 0.8, 0.6), ((0.62, 0.66, 0.7), (0.5, 0.58, 0.62), (0.7, 0.66, 0.58))
_EYE = np.array([2.5, -2.2, 2.3])


def _draw(path: str, environment: str, arm: tocsin.Robot) -> None:
    """The arm at both ends of a motion, opaque, and what stands behind it; what is in front is cut away."""
    render_scene = render.RenderScene()
    render_scene.add_board(0.5, 12, (0.9, 0.9, 0.9), (0.84, 0.85, 0.86))
    view = _EYE / np.linalg.norm(_EYE)
    for k, mesh in enumerate(arm_scenes.ENVIRONMENTS[environment]()):
        middle = 0.5 * (mesh[0].min(axis=0) + mesh[0].max(axis=0)) - [0.0, 0.0, 0.7]
        if middle @ view < 0.1:
            render_scene.add(mesh, _STEEL[k % 3], np.eye(4))
    for q, colour in (([0.9, -0.6, 0.5, 0.2, 0.4, 0.0], _GHOST), ([-0.1, 0.1, 0.9, 0.4, -0.6, 0.3], _ARM)):
        for k, (shapes, pose) in enumerate(zip(arm.shapes, arm.link_poses(np.array(q)))):
            for shape in shapes if colour is _ARM or k > 1 else ():  # base and shoulder are where they were
                render_scene.add((shape.points, shape.faces), colour, pose)
    render.render(render_scene, path, eye=tuple(_EYE), at=(0.0, 0.0, 0.75), zoom=3.2 if environment == "pipes" else 2.4)
    report.console.print(f"wrote {path}", highlight=False)
