"""Walk and Exercise: the mannequin's animations, frame by frame [CATCH 8.1, table 1, table 2].

Every step from one frame to the next is one query. The printed numbers stand beside ours: a Pentium 4 of 3.6 GHz and
other meshes, so they tell the order of magnitude and the shape, not a race.

`first_contact` gives the time, as [CATCH alg. 1] does; the touching features are found when `contacts` is read,
which is a row of its own.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import tocsin
from tocsin.viewer import render
from tocsin_bench import report
from tocsin_bench.data import data_file
from tocsin_bench.measures import arm
from tocsin_bench.race import Benchmark, Contestant, Paper, Race, ours
from tocsin_bench.scenes import cases, chess, gait, mannequin
from tocsin_bench.scenes.shapes import Triangles

QUESTION = "when and where is the first contact between one frame and the next?"

WALK = Paper("2007, Table 1", 1.22e-3, 0.67e-3, 3.63e-3, 7.64e-3, (229, 8.4, 0.11))
EXERCISE = Paper("2007, Table 1", 0.38e-3, 0.28e-3, 1.69e-3, 4.54e-3, (81, 3.0, 0.086))


def _walk(frames: int, repeats: int, seed: int) -> Race:
    return animated(cases.walk(frames), repeats, WALK, draw_walk)


def _walk_real(frames: int, repeats: int, seed: int) -> Race:
    return animated(cases.walk(frames, recorded_piece), repeats, WALK, partial(draw_walk, piece=recorded_piece))


def _engines(frames: int, repeats: int, seed: int) -> Race:
    """[CATCH fig. 12]: the method by advancement against its predecessor by intervals, without self-contact."""
    case = cases.walk(frames)
    case.scene.ignore("mannequin", "mannequin")

    def by_intervals(k: int) -> Any:
        return case.scene.first_contact(*case.questions[k], method="interval")

    def as_in_2004(k: int) -> Any:
        return arm.ask(case.scene, case.questions[k][0], (1, 3, "plain"))

    race = animated(case, repeats, FIGURE_12, None)
    rivals = {
        'tocsin method="interval"': (by_intervals, ""),
        AS_IN_2004: (
            as_in_2004,
            "interval matrices instead of Taylor's, as in the paper of 2004",
        ),
    }
    for ask, _ in rivals.values():
        ask(0)  # compiled now: as rivals they are not asked before the clock runs, and one slow answer would end it
    contestants = [
        Contestant(name, report.asking(ask), proves=True, against="tocsin first_contact", note=note)
        for name, (ask, note) in rivals.items()
    ]
    return replace(race, contestants=[*ours(case, "tocsin first_contact"), *contestants])


AS_IN_2004 = "interval engine, plain matrices"
FIGURE_12 = Paper("2007, Fig. 12", 0.26e-3, contact=3.1e-3, others={AS_IN_2004: {"mean": 3.92e-3, "contact": 56.44e-3}})


def recorded_piece(kind: str) -> Triangles:
    """A recorded chess piece, standing where ours would stand and as tall."""
    import trimesh

    loaded: Any = trimesh.load(data_file(f"chess-cc0/public/models/gltf/{kind}.glb"), force="mesh", process=False)
    vertices = np.asarray(loaded.vertices, dtype=np.float64)[:, [0, 2, 1]] * (1.0, -1.0, 1.0)  # y is up in the file
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    tall = np.ptp(chess.piece(kind)[0][:, 2])
    foot = (*(0.5 * (low + high))[:2], low[2])
    return (vertices - foot) * (tall / (high - low)[2]), np.asarray(loaded.faces, dtype=np.int64)


def _exercise(frames: int, repeats: int, seed: int) -> Race:
    return animated(cases.exercise(frames), repeats, EXERCISE, draw_exercise)


def animated(case: cases.Case, repeats: int, paper: Paper | None, draw: Callable[[str], None] | None) -> Race:
    """A race of our own questions over the steps of an animation."""
    return Race(
        contestants=ours(case),
        n_questions=len(case.questions),
        repeats=repeats,
        truth="tocsin first_contact",
        facts={"triangles": case.n_triangles, "links": sum(len(model.link_names) for model in case.scene.models)},
        paper=paper,
        picture=draw,
    )


_SKIN, _LIGHT, _DARK = (0.75, 0.62, 0.5), (0.9, 0.85, 0.75), (0.3, 0.22, 0.2)
_BOARD_LIGHT, _BOARD_DARK = (0.85, 0.8, 0.7), (0.35, 0.25, 0.2)


def draw_walk(path: str, piece: Callable[[str], Triangles] = chess.piece) -> None:
    """The board, the pieces, and the mannequin at five moments of its walk."""
    robot = mannequin.build()
    render_scene = render.RenderScene()
    render_scene.add_board(chess.SQUARE, 8, _BOARD_LIGHT, _BOARD_DARK)
    for number, (_, kind, pose) in enumerate(chess.placements()):
        render_scene.add(piece(kind), _LIGHT if number % 2 else _DARK, pose)
    animation = gait.walk(robot, 400)
    for frame in (0, 66, 150, 232, 330):
        _add_mannequin(render_scene, robot, animation.q[frame], animation.base[frame])
    render.render(render_scene, path, eye=(4.2, -3.4, 2.5), at=(-0.05, -0.1, 0.62), zoom=2.5)


def draw_exercise(path: str) -> None:
    """Seven exercises in two rows: clap, squat, toe touch, kick; knee to elbow, folded arms, stretch."""
    robot = mannequin.build()
    render_scene = render.RenderScene()
    render_scene.add_board(0.6, 12, _BOARD_LIGHT, _BOARD_DARK)
    moments = gait.exercise_moments()
    animation = gait.exercise(robot, int(moments[-1] * gait.FRAMES_A_SECOND) + 1)
    for place, pose in enumerate((2, 6, 9, 13, 17, 21, 23)):
        frame = round(moments[pose] * gait.FRAMES_A_SECOND)
        c, s = np.cos(0.6), np.sin(0.6)
        stand = np.eye(4)
        stand[:2, :2] = [[c, -s], [s, c]]
        stand[:2, 3] = 0.7 - 1.5 * (place // 4), 1.35 * (place % 4) - 2.0 + 0.4 * (place // 4)
        _add_mannequin(render_scene, robot, animation.q[frame], stand @ animation.base[frame])
    render.render(render_scene, path, eye=(6.5, -0.5, 3.4), at=(0.0, 0.05, 0.78), zoom=2.9)


def _add_mannequin(render_scene: render.RenderScene, robot: tocsin.Robot, q: np.ndarray, base: np.ndarray) -> None:
    for name, pose in zip(robot.link_names, robot.link_poses(q, base=base)):
        render_scene.add(mannequin.meshes()[name], _SKIN, pose)


BENCHMARKS = (
    Benchmark(
        "walk",
        "A mannequin (15 links, 20K triangles) walks among 16 chess pieces (101K triangles).",
        QUESTION,
        "papers",
        _walk,
        questions=900,
    ),
    Benchmark(
        "walk-real",
        "The same walk among recorded chess pieces.",
        QUESTION,
        "papers",
        _walk_real,
        questions=300,
        repeats=3,
    ),
    Benchmark(
        "walk-engines",
        "The walk without self-contact: the default engine against the one by interval arithmetic.",
        QUESTION,
        "papers",
        _engines,
        questions=900,
        repeats=3,
    ),
    Benchmark(
        "exercise",
        "The same mannequin exercises, against itself alone.",
        QUESTION,
        "papers",
        _exercise,
        questions=540,
    ),
)
