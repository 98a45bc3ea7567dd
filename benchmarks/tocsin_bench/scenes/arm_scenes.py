"""A Puma-like arm among pipes and in a machine room, and random motions of it [ARTICULATE 6].

The arm has the size of a Puma 560: 7 links, 6 revolute joints, 800 triangles. `puma560` is the real one, where the
recorded data is there. Motions start where nothing touches, often close to something, as in [ARTICULATE 6]: a random
motion that ends in a contact is followed until shortly before it, and the question starts there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tocsin
from tocsin_bench.data import data_folder
from tocsin_bench.scenes import plant, shapes
from tocsin_bench.scenes.shapes import Triangles

UPPER, FORE = 0.432, 0.433
"""Lengths of upper arm and forearm, metres."""

STEPS = (1.0, 5.0, 15.0, 30.0, 60.0)
"""Largest turns of a joint in one motion, degrees [ARTICULATE 6]."""

LIMITS = np.radians([(-160, 160), (-110, 110), (-135, 135), (-130, 130), (-100, 100), (-180, 180)])


@dataclass(frozen=True)
class Task:
    """An arm in an environment that stands, and where its motions start and end."""

    name: str
    scene: tocsin.Scene
    arm: tocsin.Robot
    n_triangles: int


def _slab(length: float, wide: float, narrow: float, thick: float, corners: int) -> Triangles:
    """A flat beam along x with two round ends of different radii: a prism, 4 corners - 4 triangles."""
    half = corners // 2
    first = np.linspace(0.5 * np.pi, 1.5 * np.pi, half)
    second = np.linspace(-0.5 * np.pi, 0.5 * np.pi, half)
    outline = np.concatenate(
        [
            np.stack([wide * np.cos(first), wide * np.sin(first)], -1),
            np.stack([length + narrow * np.cos(second), narrow * np.sin(second)], -1),
        ]
    )
    n = len(outline)
    vertices = np.concatenate([np.insert(outline, 2, z, axis=1) for z in (-0.5 * thick, 0.5 * thick)])
    fan = np.arange(1, n - 1)
    i = np.arange(n)
    k = (i + 1) % n
    faces = np.concatenate(
        [
            np.stack([np.zeros_like(fan), fan + 1, fan], -1),
            n + np.stack([np.zeros_like(fan), fan, fan + 1], -1),
            np.stack([i, k, n + k], -1),
            np.stack([i, n + k, n + i], -1),
        ]
    )
    return vertices, faces


def _drum(radius: float, low: float, high: float, rings: int, segments: int) -> Triangles:
    """A cylinder about z: 2 rings segments triangles."""
    profile = np.array([(0.0, low), (radius, low), (radius, high), (0.0, high)])
    return shapes.lathe(profile, rings, segments)


def _lying(mesh: Triangles) -> Triangles:
    """A mesh about z turned to lie along y."""
    return mesh[0] @ np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)]), mesh[1]


def meshes() -> dict[str, Triangles]:
    """The seven links in their own frames, 800 triangles; z up at the base, arm and forearm along x at rest."""
    fingers = [shapes.box((0.06, 0.012, 0.02), (0.13, y, 0.0)) for y in (-0.025, 0.025)]
    palm = _drum(0.03, 0.06, 0.1, 4, 8)
    palm = palm[0] @ np.array([(0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]), palm[1]
    upper, fore = _slab(UPPER, 0.11, 0.07, 0.1, 34), _slab(FORE - 0.06, 0.075, 0.045, 0.09, 34)
    return {
        "base": _drum(0.09, 0.0, 0.55, 4, 16),
        "shoulder": _lying(_drum(0.095, -0.1, 0.16, 4, 16)),
        "upper_arm": (_lying(upper)[0] + [0.0, 0.21, 0.0], upper[1]),
        "forearm": (_lying(fore)[0] + [0.0, 0.11, 0.0], fore[1]),
        "wrist": (shapes.lathe(np.array([(0.0, -0.05), (0.04, -0.04), (0.04, 0.04), (0.0, 0.05)]), 4, 12)),
        "hand": _lying(_drum(0.035, -0.04, 0.04, 4, 12)),
        "gripper": shapes.join(palm, *fingers),
    }


def build_arm() -> tocsin.Robot:
    """The Puma-like arm: waist, shoulder, elbow and a wrist of three."""
    joints = {
        "shoulder": ("base", (0.0, 0.0, 0.66), (0, 0, 1)),
        "upper_arm": ("shoulder", (0.0, 0.0, 0.0), (0, 1, 0)),
        "forearm": ("upper_arm", (UPPER, 0.0, 0.0), (0, 1, 0)),
        "wrist": ("forearm", (FORE, 0.11, 0.0), (1, 0, 0)),
        "hand": ("wrist", (0.0, 0.0, 0.0), (0, 1, 0)),
        "gripper": ("hand", (0.0, 0.0, 0.0), (1, 0, 0)),
    }
    builder = tocsin.RobotBuilder("arm")
    for k, (name, mesh) in enumerate(meshes().items()):
        if name not in joints:
            builder.link(name, tocsin.Mesh(*mesh))
            continue
        parent, origin, axis = joints[name]
        lower, upper = LIMITS[k - 1]
        builder.link(
            name, tocsin.Mesh(*mesh), parent=parent, joint="revolute", axis=axis, origin=origin, limits=(lower, upper)
        )
    return builder.build()


def puma_file() -> Path:
    """Return where the recorded Puma 560 is, or would be."""
    return data_folder() / "robots" / "puma560" / "puma560.urdf"


def build_puma() -> tocsin.Robot:
    """The Puma 560 of the recorded data, 7 links and 8,116 triangles."""
    return tocsin.Robot.from_urdf(puma_file(), geometry="visual")


ENVIRONMENTS: dict[str, Callable[[], tuple[Triangles, ...]]] = {"pipes": plant.pipes, "room": plant.machine_room}


def task(environment: str, *, puma: bool = False) -> Task:
    """The arm, against the "pipes" or the machine "room"; contacts of the arm with itself are not asked for."""
    arm = build_puma() if puma else build_arm()
    made = ENVIRONMENTS[environment]()
    bodies = [tocsin.Body(tocsin.Mesh(*mesh), name=f"{environment}{k}") for k, mesh in enumerate(made)]
    scene = tocsin.Scene(arm, *bodies)
    scene.ignore(arm.name, arm.name)
    return Task(environment, scene, arm, sum(len(faces) for _, faces in made))


def motions(task: Task, degrees: float, count: int, seed: int) -> list[tocsin.Motion]:
    """`count` motions in which each joint turns by up to `degrees`, either way, from where nothing touches."""
    rng = np.random.default_rng(seed)
    arm, scene, most = task.arm, task.scene, np.radians(degrees)
    lower, upper = LIMITS.T
    made: list[tocsin.Motion] = []
    while len(made) < count:
        q = rng.uniform(lower, upper)
        if scene.distance(arm.at(q)).distance == 0.0:
            continue
        for _ in range(4):  # a few steps from each start, in all directions
            far = np.clip(q + rng.uniform(-1.0, 1.0, 6) * np.radians(30.0), lower, upper)
            hit = scene.first_contact(arm.move(q, far))
            ahead = min(hit.time, 1.0) * np.abs(far - q).max()
            back = rng.uniform(0.0, most)  # joint angle left until the contact, if there is one
            start = q + (far - q) * max(0.0, min(hit.time, 1.0) * (1.0 - back / max(ahead, 1e-9)))
            if scene.distance(arm.at(start)).distance == 0.0:
                continue
            goal = np.clip(start + rng.uniform(-1.0, 1.0, 6) * most, lower, upper)
            made.append(arm.move(start, goal))
            q = start
    return made[:count]
