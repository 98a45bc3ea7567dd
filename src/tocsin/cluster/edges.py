"""Edges of arrays and files, answered by threads or by Ray's workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tocsin import _cast
from tocsin._types import PathLike
from tocsin.cluster.edge_file import EdgeFile
from tocsin.cluster.job import PART, Answers, Job, Terms
from tocsin.cluster.workers import Part, answered
from tocsin.errors import TocsinError
from tocsin.model.robot import Robot
from tocsin.queries.edges import Points
from tocsin.scene import Scene

Told = Callable[[int, int, int], None]
"""Called with (parts done, parts, the process that has answered the last)."""


def check_edges(
    scene: Scene, robot: Robot, Q0: ArrayLike, Q1: ArrayLike, *, margin: float = 0.0, group: str | None = None,
    workers: int = 2, address: str | None = None,
) -> NDArray[np.bool_]:  # fmt: skip
    """Return (n,): which edges are proven free, as `scene.check_edges` says, bit by bit; found by Ray's workers.

    `address` of a Ray cluster, "auto" for the one that this machine belongs to; by default Ray is started here.
    """
    points = Points(scene.context, robot, {"Q0": Q0, "Q1": Q1}, group)
    starts, ends = rows_of(points)
    free = np.zeros(len(points), np.bool_)

    def parts() -> Iterator[Part]:
        for k, first in enumerate(range(0, len(points), PART)):
            yield k, starts[first : first + PART], ends[first : first + PART]

    terms = Terms(_cast.margin(margin))
    model = scene.context.places[id(robot)]
    for k, answers, _ in answered(scene, model, terms, parts(), _cast.count(workers, "workers"), address):
        free[k * PART : (k + 1) * PART] = answers["free"].to_numpy()
    return free


def rows_of(points: Points) -> tuple[np.ndarray, np.ndarray]:
    """Return whole configurations at both ends of edges of a robot."""
    robot, batch = points.models[0], points.batch
    width = robot.width
    rows = np.tile(batch.template, (len(points), 1))
    rows[:, batch.places] = batch.numbers
    base = width - robot.n_config
    return np.ascontiguousarray(rows[:, base:width]), np.ascontiguousarray(rows[:, width + base :])


def answer_edges(
    edges: PathLike, scene: Scene, robot: Robot, out: PathLike, *, margin: float = 0.0, contacts: bool = False,
    workers: int | None = None, address: str | None = None, progress: Told | None = None, part: int = PART,
) -> Path:  # fmt: skip
    """Answer a file of edges into another; what was answered before an interruption is not asked again.

    Many arguments because a job is what is asked, of whom, and where. `edges`: Parquet with columns `<joint>_t0` and
    `<joint>_t1`. `out`: Parquet with columns row and free, with `contacts` also status, time, link_a and link_b, in the
    order of the edges. `workers`: so many of Ray's, at `address` or on this machine; by default threads of this one.
    """
    if all(model is not robot for model in scene.models):
        raise TocsinError(f"{robot!r} is not in this scene; its models are: {', '.join(scene.names)}.")
    terms = Terms(_cast.margin(margin), _cast.flag(contacts, "contacts"))
    job = Job(EdgeFile(edges, robot), scene, out, terms, _cast.count(part, "part"))
    if job.is_done():
        return job.out
    left = job.begin()
    done = job.count - len(left)

    def parts() -> Iterator[Part]:
        for k in left:
            yield k, *job.rows(k)

    for k, answers, process in _answers(scene, robot, terms, parts(), workers, address):
        job.keep(k, answers)
        done += 1
        if progress is not None:
            progress(done, job.count, process)
    return job.finish()


def _answers(
    scene: Scene, robot: Robot, terms: Terms, parts: Iterator[Part], workers: int | None, address: str | None
) -> Iterator[tuple[int, Answers, int]]:
    """Yield (part, answers, process), by workers or by threads of this process."""
    if workers is None and address is None:
        for k, Q0, Q1 in parts:
            yield k, terms.ask(scene, robot, Q0, Q1, None), 0
        return
    model = scene.context.places[id(robot)]
    yield from answered(scene, model, terms, parts, _cast.count(2 if workers is None else workers, "workers"), address)
