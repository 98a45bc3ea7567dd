"""Deformable planning scenes, as in [LOCAL table II]: is a step free, and if not, when is contact?

Two scenes made in code with the numbers of triangles of [LOCAL fig. 7]: a bar that falls between three soft balls
(636), a heart that is taken out between lungs, liver and spine (14,000). All things deform; each is a model of its own,
asked against all others and itself. Each scene has a path that is free and one that touches; every step from frame to
frame is a question. A third scene, a cloth over a moving arm, asks across a deformable and an articulated model.

ipctk's answers (LBVH, additive CCD) are timed in the same rounds, on the same steps, all things as one mesh; it knows
no articulated models. The printed figures are milliseconds a query on one core of 2008, on other meshes of these sizes.

    python -m tocsin_bench organs --picture organs.png
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tocsin
from tocsin_bench import report
from tocsin_bench.data import data_folder
from tocsin_bench.peers import ipc
from tocsin_bench.results import papers
from tocsin_bench.scenes import soft_arm, soft_pictures, soft_scenes

DESCRIPTION = "Deformable planning scenes (the 2010 paper's Table II): yes or no and the first time, ipctk beside."

PAPER = {"bar and spheres": (3.4e-3, 10.6e-3), "human organs": (22.5e-3, 727.5e-3)}
"""Seconds a query: yes or no, first time."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--repeats", type=int, default=5, help="rounds; the time of a step is their median (default 5)")
    parser.add_argument("--picture", metavar="PATH", help="draw the three scenes into this PNG file")


class Questions:
    """The steps of one path, ready to be asked."""

    def __init__(self, name: str, scene: tocsin.Scene, motions: Callable[[int], tuple[Any, ...]], steps: int) -> None:
        self.name, self.scene, self.steps = name, scene, steps
        self.questions = [motions(k) for k in range(steps)]

    def contestants(self) -> dict[str, Callable[[int], Any]]:
        """Both questions."""
        return {
            "tocsin, is_free": lambda k: self.scene.is_free(*self.questions[k]),
            "tocsin, first_contact": lambda k: self.scene.first_contact(*self.questions[k]),
        }


def soft_path(film: soft_scenes.Film) -> Questions:
    """All parts of a film as models of their own."""
    models = [tocsin.Deformable(part.frames[0], faces=part.faces, name=part.name) for part in film.parts]

    def motions(k: int) -> tuple[Any, ...]:
        return tuple(m.move(part.frames[k], part.frames[k + 1]) for m, part in zip(models, film.parts))

    return Questions(film.name, tocsin.Scene(*models, threads=1), motions, film.steps)


def draped_path(draped: soft_arm.Draped) -> Questions:
    """A robot and a cloth, both moving in every question."""
    cloth = tocsin.Deformable(draped.cloth[0], faces=draped.faces, name="cloth")

    def motions(k: int) -> tuple[Any, ...]:
        return draped.robot.move(draped.q[k], draped.q[k + 1]), cloth.move(draped.cloth[k], draped.cloth[k + 1])

    return Questions(draped.name, tocsin.Scene(draped.robot, cloth, threads=1), motions, len(draped.q) - 1)


def _peer(film: soft_scenes.Film) -> dict[str, Callable[[int], Any]]:
    whole = film.joined()
    mesh = ipc.Mesh(whole.frames[0], soft_scenes.edges_of(whole.faces), whole.faces)
    method = ipc.narrow("additive")
    return {
        "ipctk, is free": lambda k: mesh.is_free(whole.frames[k], whole.frames[k + 1], method),
        "ipctk, first time": lambda k: mesh.first_time(whole.frames[k], whole.frames[k + 1], method),
    }


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Ask all steps of all paths, print [LOCAL table II], and draw the scenes if asked."""
    films = [(soft_scenes.bar, 61), (soft_scenes.organs, 41)]
    results: dict[str, Any] = {}
    cells: list[papers.Cell] = []
    if ipc.available():
        ipc.threads(1)
    for make, n_frames in films:
        rows, taken = [], []
        for clear in (True, False):
            film = make(n_frames, clear)
            path = soft_path(film)
            seconds, hits = _measure(path, args.repeats, _peer(film) if ipc.available() else {})
            taken.append(seconds)
            rows += _rows("free path" if clear else "touching path", seconds, hits)
            results[f"{film.name}, {'free' if clear else 'touching'}"] = _record(seconds, hits)
        yes, when = PAPER[film.name]
        rows += [["paper, one core of 2008: yes or no", "", "", report.ms(yes), "", "", ""],
                 ["paper, one core of 2008: first time", "", "", report.ms(when), "", "", ""]]  # fmt: skip
        for name, column, figure in (("is_free", "yes or no", yes), ("first_contact", "first time", when)):
            steps = np.concatenate([seconds[f"tocsin, {name}"] for seconds in taken])
            cells.append(papers.cell("2010, Table II", film.name, column, figure, report.mean(steps), judged=True))
        _table(film.name, film.n_triangles, rows)
    scenes = [soft_arm.made()]
    panda = data_folder() / "robots" / "panda_mbm"
    if panda.exists():
        scenes.append(soft_arm.recorded(panda))
    for draped in scenes:
        path = draped_path(draped)
        seconds, hits = _measure(path, args.repeats, {})
        carried = sum(len(faces) for _, faces in soft_arm.triangles(draped.robot, draped.q[0]))
        _table(draped.name, carried + len(draped.faces), _rows("", seconds, hits))
        results[draped.name] = _record(seconds, hits)
    if args.picture:
        soft_pictures.draw_planning(args.picture)
        report.console.print(f"wrote {args.picture}", highlight=False)
    return {**results, "cells": cells}


def _measure(
    path: Questions, repeats: int, peers: dict[str, Callable[[int], Any]]
) -> tuple[dict[str, np.ndarray], list[Any]]:
    hits = [path.scene.first_contact(*question) for question in path.questions]
    for k, question in enumerate(path.questions):
        if path.scene.is_free(*question) != (not hits[k].collides):
            raise RuntimeError(f"{path.name}, step {k}: is_free and first_contact disagree")
    return report.take_turns({**path.contestants(), **peers}, path.steps, repeats, label=path.name), hits


def _rows(label: str, seconds: dict[str, np.ndarray], hits: list[Any]) -> list[list[str]]:
    collides = np.array([hit.collides for hit in hits])
    first = int(np.argmax(collides)) if collides.any() else len(hits) - 1
    rows = []
    for name, taken in seconds.items():
        rows.append(
            [
                f"{label}: {name}" if label else name, str(len(hits)), str(int(collides.sum())),
                *(report.ms(report.mean(x)) for x in (taken, taken[~collides], taken[collides])),
                report.ms(float(taken[: first + 1].sum())),
            ]
        )  # fmt: skip
    return rows


def _record(seconds: dict[str, np.ndarray], hits: list[Any]) -> dict[str, Any]:
    times = [hit.time if math.isfinite(hit.time) else None for hit in hits]
    return {"seconds": seconds, "time": times, "status": [hit.status.name for hit in hits]}


def _table(name: str, n_triangles: int, rows: list[list[str]]) -> None:
    report.table(
        f"{name}, {n_triangles:,} triangles: milliseconds a step",
        ["", "steps", "in contact", "mean", "free", "contact", "whole path"],
        rows,
        "whole path: all steps up to and with the first that touches",
    )
