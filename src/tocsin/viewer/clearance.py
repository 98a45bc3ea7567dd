"""The smallest distance in a scene over time: what the plot under a picture shows.

Measured evenly, around the contact, and then more finely where it is lowest. Links that do not move against each other
are left out, unless they are the ones that touch: their distance never changes, and a robot has many such neighbours.
So is a deformable model's distance from itself, which is mostly that of neighbouring features.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tocsin.model.base import Motion
from tocsin.model.deformable import Deformable
from tocsin.results import Contact, Distance, FirstContact
from tocsin.scene import Scene

STILL = 1e-9
"""Relative change of a pose over the motion below which it counts as none."""


@dataclass(frozen=True)
class Effort:
    """How often the clearance is measured: evenly at first, around the contact, and in the lowest places."""

    even: int
    near: int
    rounds: int
    valleys: int


LINKS = Effort(101, 13, 6, 4)
SOFT = Effort(33, 6, 3, 2)
"""Of scenes with deformable models, which take longer."""

LARGE = Effort(13, 3, 1, 1)
MANY = 30_000
"""Triangles of deformable models from which on they are measured less often."""


@dataclass(frozen=True, eq=False)
class Clearance:
    """The smallest distance in the scene at moments of the motion."""

    times: np.ndarray
    distances: np.ndarray
    """Metres; inf where there is nothing to compare."""
    pairs: list[tuple[str, str]]
    """The closest links."""
    points: np.ndarray
    """(k, 2, 3): their closest points."""


NOTHING = Clearance(np.array([0.0, 1.0]), np.full(2, math.inf), [("", "")] * 2, np.zeros((2, 2, 3)))


def worth_measuring(scene: Scene, poses: np.ndarray, touching: Sequence[Contact]) -> Scene:
    """Return a copy of a scene that ignores what tells nothing; `poses` (k, n_links, 4, 4) are those of the motion."""
    copy = Scene(*scene.models, threads=scene.threads)
    copy.context.rules.ignore_all(scene.context.rules.ignored)
    meeting = {frozenset((contact.link_a, contact.link_b)) for contact in touching}
    first = 0
    for name, model in zip(scene.names, scene.models):
        if isinstance(model, Deformable):
            copy.ignore(name, name)
        body = list(range(len(model.link_names)))  # number of the rigid group that each link belongs to
        for i, link in enumerate(model.links):
            if link["parent"] >= 0:
                own, parent = poses[:, first + i], poses[:, first + link["parent"]]
                relative = np.linalg.inv(parent) @ own
                if np.ptp(relative, axis=0).max() <= STILL * (1.0 + np.abs(relative).max()):
                    body[i] = body[link["parent"]]
        for k in range(len(body)):
            for i in range(k):
                a, b = model.link_names[i], model.link_names[k]
                if body[i] == body[k] and model.shapes[i] and model.shapes[k] and frozenset((a, b)) not in meeting:
                    copy.ignore(f"{name}/{a}", f"{name}/{b}")
        first += len(body)
    return copy


def distance_at(scene: Scene, motions: tuple[Motion, ...], t: float) -> Distance:
    """Return the smallest distance in the scene at time t."""
    return scene.distance(*[motion.standing(t) for motion in motions])


def measure(scene: Scene, motions: tuple[Motion, ...], hit: FirstContact) -> Clearance:
    """Measure the clearance over time."""
    found: dict[float, tuple[float, tuple[str, str], np.ndarray]] = {}

    def look(times: np.ndarray) -> None:
        for t in times.tolist():
            if 0.0 <= t <= 1.0 and t not in found:
                d = distance_at(scene, motions, t)
                found[t] = d.distance, (d.link_a, d.link_b), np.stack([d.point_a, d.point_b])

    triangles = [len(m.faces) + len(m.edges) for m in scene.models if isinstance(m, Deformable)]
    effort = LINKS if not triangles else SOFT if sum(triangles) < MANY else LARGE
    if all(m.pieces == 0 for m in motions):
        look(np.array([0.0]))
        found[1.0] = found[0.0]
    else:
        look(np.linspace(0.0, 1.0, effort.even))
        if math.isfinite(hit.time):
            steps = 0.5 ** np.linspace(3.0, 15.0, effort.near)
            look(np.concatenate([[hit.time], hit.time - steps, hit.time + steps]))
        for _ in range(effort.rounds):
            times = np.array(sorted(found))
            values = np.array([found[t][0] for t in times])
            lowest = [k for k in range(1, len(times) - 1) if values[k - 1] > values[k] <= values[k + 1]]
            for k in sorted(lowest, key=lambda k: values[k])[: effort.valleys]:
                look(0.5 * (times[k - 1 : k + 1] + times[k : k + 2]))
    times = np.array(sorted(found))
    return Clearance(
        times,
        np.array([found[t][0] for t in times]),
        [found[t][1] for t in times],
        np.stack([found[t][2] for t in times]),
    )
