"""Walk and Exercise: the mannequin's animations, frame by frame (CATCH 2007, section 8.1, Tables 1 and 2).

Every step from one frame to the next is one query. Printed are the paper's four timing columns over all frames, the
free ones, those with contact, and the worst; and its culling columns. The paper's numbers stand beside them: a Pentium
4 of 3.6 GHz and other meshes, so they tell the order of magnitude and the shape, not a race.

`first_contact` gives the time, as the paper's algorithm does; the touching features are found when `contacts` is read,
which is a row of its own.
"""

import argparse
from collections import Counter
from typing import Any

import numpy as np

import tocsin
from tocsin.bench import chess, gait, mannequin, report, scenes
from tocsin.viewer import render

WALK = (
    "The mannequin (15 links, 20K triangles) walks among 16 chess pieces (101K triangles): Tables 1 and 2 of the paper."
)
EXERCISE = "The mannequin (15 links, 20K triangles) exercises, against itself alone: Tables 1 and 2 of the paper."

PAPER_TIMES = {"walk": (1.22e-3, 0.67e-3, 3.63e-3, 7.64e-3), "exercise": (0.38e-3, 0.28e-3, 1.69e-3, 4.54e-3)}
PAPER_CULLING = {"walk": (229, 8.4, 0.963, 0.11, 0.987), "exercise": (81, 3.0, 0.963, 0.086, 0.971)}


def add_arguments(parser: argparse.ArgumentParser, n_frames: int) -> None:
    """The options of this benchmark."""
    parser.add_argument(
        "--frames", type=int, default=n_frames, help=f"how many steps, at 30 a second (default {n_frames})"
    )
    parser.add_argument("--repeats", type=int, default=5, help="rounds; the time of a step is their median (default 5)")
    parser.add_argument("--picture", metavar="PATH", help="also draw the scene at several frames into this PNG file")


def run(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """Time one animation and print its rows of both tables."""
    if args.picture:
        (draw_walk if name == "walk" else draw_exercise)(args.picture)
        report.console.print(f"wrote {args.picture}", highlight=False)
    case = scenes.walk(args.frames) if name == "walk" else scenes.exercise(args.frames)
    ask = {
        "first_contact": lambda k: case.scene.first_contact(*case.questions[k]),
        "first_contact, contacts read": lambda k: case.scene.first_contact(*case.questions[k]).contacts,
        "is_free": lambda k: case.scene.is_free(*case.questions[k]),
        "move + first_contact": lambda k: case.scene.first_contact(*case.remake(k)),
    }
    seconds = report.take_turns(ask, len(case.questions), args.repeats, label=name)
    hits = [case.scene.first_contact(*question) for question in case.questions]
    collides = np.array([hit.collides for hit in hits])
    during = np.array([hit.status.name == "CONTACT" for hit in hits])

    rows = []
    for label, taken in seconds.items():
        columns = [report.mean(taken), report.mean(taken[~collides]), report.mean(taken[collides]), float(taken.max())]
        rows.append([label, *map(report.ms, columns), report.ms(report.mean(taken[during]))])
    rows.append(["paper, P4 3.6 GHz", *map(report.ms, PAPER_TIMES[name]), ""])
    statuses = dict(Counter(hit.status.name for hit in hits))
    report.table(
        f"Table 1, {name}: milliseconds a query, {len(hits)} frames, {case.n_triangles:,} triangles",
        ["", "T_a all", "T_f free", "T_c contact", "T_w worst", "contact after t = 0"],
        rows,
        ", ".join(f"{count} {status}" for status, count in sorted(statuses.items())),
    )

    stats = {key: np.array([getattr(hit.stats, key) for hit in hits], dtype=np.float64) for key in _COUNTS}
    before, spatial, temporal = (float(stats[key].mean()) for key in _COUNTS[:3])
    culling = (before, spatial, 1.0 - spatial / before, temporal, 1.0 - temporal / max(spatial, 1e-300))
    report.table(
        f"Table 2, {name}: pairs of links, mean of all frames",
        ["", "before", "after spatial", "rate", "after temporal", "rate"],
        [_culling_row("tocsin", culling), _culling_row("paper", PAPER_CULLING[name])],
    )
    stages = {key: float(np.mean([hit.stats.seconds.get(key, 0.0) for hit in hits])) for key in hits[0].stats.seconds}
    report.console.print(
        "a query, mean: "
        + ", ".join(f"{stats[key].mean():.3g} {key.replace('_', ' ')}" for key in _COUNTS[3:])
        + "".join(f"; {key} {report.us(value)} µs" for key, value in stages.items()),
        highlight=False,
    )
    times = np.array([hit.time for hit in hits])
    return {
        "seconds": seconds, "time": np.where(collides, times, -1.0), "statuses": statuses, "stats": stats,
        "stages": stages, "paper_times": PAPER_TIMES[name], "paper_culling": PAPER_CULLING[name],
    }  # fmt: skip


_COUNTS = ("pairs_total", "pairs_spatial", "pairs_temporal", "steps", "node_tests", "hull_tests", "leaf_tests")


def _culling_row(name: str, row: tuple[float, ...]) -> list[str]:
    before, spatial, spatial_rate, temporal, temporal_rate = row
    return [
        name,
        f"{before:.0f}",
        f"{spatial:.2f}",
        report.percent(spatial_rate),
        f"{temporal:.3f}",
        report.percent(temporal_rate),
    ]


_SKIN, _LIGHT, _DARK = (0.75, 0.62, 0.5), (0.9, 0.85, 0.75), (0.3, 0.22, 0.2)
_BOARD_LIGHT, _BOARD_DARK = (0.85, 0.8, 0.7), (0.35, 0.25, 0.2)


def draw_walk(path: str) -> None:
    """The board, the pieces, and the mannequin at five moments of its walk."""
    robot = mannequin.build()
    stage = render.Stage()
    stage.add_board(chess.SQUARE, 8, _BOARD_LIGHT, _BOARD_DARK)
    for number, (_, kind, pose) in enumerate(chess.placements()):
        stage.add(chess.piece(kind), _LIGHT if number % 2 else _DARK, pose)
    animation = gait.walk(robot, 400)
    for frame in (0, 66, 150, 232, 330):
        _add_mannequin(stage, robot, animation.q[frame], animation.base[frame])
    render.render(stage, path, eye=(4.2, -3.4, 2.5), at=(-0.05, -0.1, 0.62), zoom=2.5)


def draw_exercise(path: str) -> None:
    """Seven exercises in two rows: clap, squat, toe touch, kick; knee to elbow, folded arms, stretch."""
    robot = mannequin.build()
    stage = render.Stage()
    stage.add_board(0.6, 12, _BOARD_LIGHT, _BOARD_DARK)
    moments = gait.exercise_moments()
    animation = gait.exercise(robot, int(moments[-1] * gait.FRAMES_A_SECOND) + 1)
    for place, pose in enumerate((2, 6, 9, 13, 17, 21, 23)):
        frame = round(moments[pose] * gait.FRAMES_A_SECOND)
        c, s = np.cos(0.6), np.sin(0.6)
        stand = np.eye(4)
        stand[:2, :2] = [[c, -s], [s, c]]
        stand[:2, 3] = 0.7 - 1.5 * (place // 4), 1.35 * (place % 4) - 2.0 + 0.4 * (place // 4)
        _add_mannequin(stage, robot, animation.q[frame], stand @ animation.base[frame])
    render.render(stage, path, eye=(6.5, -0.5, 3.4), at=(0.0, 0.05, 0.78), zoom=2.9)


def _add_mannequin(stage: render.Stage, robot: tocsin.Robot, q: np.ndarray, base: np.ndarray) -> None:
    for name, pose in zip(robot.link_names, robot.link_poses(q, base=base)):
        stage.add(mannequin.meshes()[name], _SKIN, pose)
