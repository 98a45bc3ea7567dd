"""Questions for proofs: bodies and a robot with a joint of every kind, on paths, curves, screws, clocks, in tubes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import trimesh
from scipy.spatial.transform import Rotation

from tocsin import Body, Box, Capsule, ConvexHull, Cylinder, Motion, Robot, RobotBuilder, Scene, Sphere, Trajectory
from tocsin.model.following import column_names

RING = trimesh.creation.torus(0.25, 0.06, major_sections=16, minor_sections=8)

IGNORED = (("a", "f"), ("c", "e"), ("d", "e"), ("b", "f"), ("d", "trunk"), ("b", "trunk"))
"""Links of the robot that are not asked about each other."""


class Drawn(NamedTuple):
    """A question."""

    scene: Scene
    motions: list[Motion]
    margin: float


def pose(rng: np.random.Generator, size: float) -> np.ndarray:
    """Return a random pose."""
    out = np.eye(4)
    out[:3, :3] = Rotation.from_quat(rng.normal(size=4)).as_matrix()
    out[:3, 3] = rng.uniform(-size, size, 3)
    return out


def walker() -> Robot:
    """Return a robot with a free base and a joint of each kind, one of which follows another."""
    grasp = pose(np.random.default_rng(5), 0.3)
    b = RobotBuilder("walker", base="free").link("trunk", Box((0.3, 0.2, 0.2)))
    b = b.link("a", Capsule(0.05, 0.3), parent="trunk", joint="revolute", axis=(0, 1, 1), origin=(0.3, 0, 0.1))
    ring = RING.vertices * 0.5, RING.faces
    b = b.link("b", ring, parent="a", joint="prismatic", axis=(1, 0, 0), origin=grasp)
    b = b.link("c", Sphere(0.06), parent="trunk", joint="planar", axis=(1, 2, 0), origin=(-0.4, 0, 0))
    b = b.link("d", Capsule(0.04, 0.2), parent="c", joint="ball", origin=(-0.2, 0, 0.1))
    b = b.link("e", Box((0.1, 0.1, 0.3)), parent="trunk", joint="floating", origin=(0, 0.5, 0))
    follows = ("a_joint", -2.0, 0.3)
    b = b.link("f", Sphere(0.05), parent="a", joint="continuous", axis=(1, 0, 0), origin=(0, 0.2, 0), mimic=follows)
    return b.build()


def configurations(rng: np.random.Generator, robot: Robot, count: int) -> np.ndarray:
    """Return a few configurations that are not far from each other."""
    path = np.cumsum(rng.uniform(-0.2, 0.2, (count, robot.n_config)), axis=0)
    for k in robot.quaternions[1:]:
        path[:, k - 7 : k - 3] = Rotation.from_quat(rng.normal(size=(count, 4))).as_quat()
    return path


def plan(rng: np.random.Generator, robot: Robot) -> Trajectory:
    """Return cubics or quintics through a few points; orientations stand."""
    points = configurations(rng, robot, 3)
    rates = [rng.uniform(-0.3, 0.3, points.shape) for _ in range(int(rng.integers(1, 3)))]
    turning = {k - 7 + i for k in robot.quaternions[1:] for i in range(4)}
    keep = [k for k in range(points.shape[1]) if k not in turning]
    names = [name for k, name in enumerate(column_names(robot.joints)) if k in keep]
    times = np.cumsum(rng.uniform(0.3, 2.0, 3))
    return Trajectory(times, points[:, keep], *[rate[:, keep] for rate in rates], joint_names=names)


def shape(rng: np.random.Generator) -> Any:
    """Return one of the shapes."""
    sizes = rng.uniform(0.1, 0.4, 3)
    return [
        Box(sizes), Cylinder(sizes[0], sizes[1]), Sphere(sizes[0]), Capsule(sizes[0] / 2, sizes[1]),
        ConvexHull(rng.normal(size=(10, 3)) * 0.2), (RING.vertices * (1.0 + sizes), RING.faces),
    ][rng.integers(6)]  # fmt: skip


def drawn(rng: np.random.Generator) -> Drawn:
    """Return a question: a robot with all joints, or a body; a body on a clock or a screw, and one that stands."""
    size = float(rng.uniform(0.6, 3.0))
    a, b = Body(shape(rng), pose(rng, size), name="a"), Body(shape(rng), pose(rng, size), name="b")
    robot: Any = walker() if rng.random() < 0.5 else Body(shape(rng), name="c")
    error = [None, 0.002, 0.01][rng.integers(3)]
    kind = int(rng.integers(4)) if isinstance(robot, Robot) else int(rng.integers(4, 6))
    if kind in (0, 3):
        motions = [robot.follow(plan(rng, robot), error=error)]
    elif kind in (1, 2):
        base = [pose(rng, 0.3) for _ in range(3)]
        times = {"times": [0.0, 0.7, 2.0], "error": error} if kind == 1 else {}
        motions = [robot.follow(configurations(rng, robot, 3), base=base, **times)]
    else:
        motions = [robot.follow([pose(rng, size) for _ in range(rng.integers(2, 4))])]
    if kind in (2, 3, 4):
        motions.append(a.move(pose(rng, size), pose(rng, size), kind="screw"))
    if kind in (1, 3):
        motions.append(b.follow([pose(rng, size) for _ in range(4)], times=[0.2, 0.5, 1.1, 1.3], error=0.001))
    scene = Scene(robot, a, b)
    for one, other in IGNORED if isinstance(robot, Robot) else ():
        scene.ignore(f"walker/{one}", f"walker/{other}")
    return Drawn(scene, motions, float(rng.choice([0.0, 0.01])))
