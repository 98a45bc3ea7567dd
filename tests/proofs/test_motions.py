"""Proofs of every rigid motion: on a clock, on curves, on screws, in tubes, of every kind of joint."""

from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import tocsin
from tocsin import Body, Box, Capsule, Robot, RobotBuilder, Scene, Sphere, Trajectory

checker = pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")

RING = trimesh.creation.torus(0.25, 0.06, major_sections=16, minor_sections=8)


def pose(rng: np.random.Generator, size: float) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = Rotation.from_quat(rng.normal(size=4)).as_matrix()
    out[:3, 3] = rng.uniform(-size, size, 3)
    return out


def everything() -> Robot:
    """A robot with a free base and a joint of each kind, one of which follows another."""
    b = RobotBuilder("walker", base="free").link("trunk", Box((0.3, 0.2, 0.2)))
    b = b.link("a", Capsule(0.05, 0.3), parent="trunk", joint="revolute", axis=(0, 1, 1), origin=(0.3, 0, 0.1))
    b = b.link("b", (RING.vertices * 0.5, RING.faces), parent="a", joint="prismatic", axis=(1, 0, 0), origin=pose(
        np.random.default_rng(5), 0.3))  # fmt: skip
    b = b.link("c", Sphere(0.06), parent="trunk", joint="planar", axis=(1, 2, 0), origin=(-0.4, 0, 0))
    b = b.link("d", Capsule(0.04, 0.2), parent="c", joint="ball", origin=(-0.2, 0, 0.1))
    b = b.link("e", Box((0.1, 0.1, 0.3)), parent="trunk", joint="floating", origin=(0, 0.5, 0))
    return b.link("f", Sphere(0.05), parent="a", joint="continuous", axis=(1, 0, 0), origin=(0, 0.2, 0), mimic=(
        "a_joint", -2.0, 0.3)).build()  # fmt: skip


def configurations(rng: np.random.Generator, robot: Robot, count: int) -> np.ndarray:
    path = np.cumsum(rng.uniform(-0.2, 0.2, (count, robot.n_config)), axis=0)
    for k in robot.quaternions[1:]:
        path[:, k - 7 : k - 3] = Rotation.from_quat(rng.normal(size=(count, 4))).as_quat()
    return path


def plan(rng: np.random.Generator, robot: Robot) -> Trajectory:
    """Cubics or quintics through a few points; orientations go along their arcs."""
    points = configurations(rng, robot, 3)
    rates = [rng.uniform(-0.3, 0.3, points.shape) for _ in range(int(rng.integers(1, 3)))]
    quaternions = [k - 7 + i for k in robot.quaternions[1:] for i in range(4)]
    if quaternions:
        keep = [k for k in range(points.shape[1]) if k not in quaternions]
        names = [name for k, name in enumerate(tocsin.model.following.column_names(robot.joints)) if k in keep]
        points, rates = points[:, keep], [rate[:, keep] for rate in rates]
        return Trajectory(np.cumsum(rng.uniform(0.3, 2.0, 3)), points, *rates, joint_names=names)
    return Trajectory(np.cumsum(rng.uniform(0.3, 2.0, 3)), points, *rates)


def drawn(seed: int) -> tuple[Scene, list[tocsin.Motion]]:
    """A robot with all joints, a body on another clock or on a screw, and one that stands."""
    rng = np.random.default_rng(seed)
    robot = everything()
    size = float(rng.uniform(1.0, 4.0))
    a = Body((RING.vertices, RING.faces), pose(rng, size), name="a")
    b = Body(Box((0.2, 0.3, 0.4)), pose(rng, size), name="b")
    error = [None, 0.002, {"a_joint": 0.01, "e_joint": 0.003}][seed % 3]
    kind = seed % 4
    if kind == 0:
        motions = [robot.follow(plan(rng, robot), error=error)]
    elif kind == 1:
        path, base = configurations(rng, robot, 3), [pose(rng, 0.3) for _ in range(3)]
        motions = [robot.follow(path, base=base, times=[0.0, 0.7, 2.0], error=error)]
        motions.append(a.follow([pose(rng, size) for _ in range(4)], times=[0.2, 0.5, 1.1, 1.3], error=0.001))
    elif kind == 2:
        path, base = configurations(rng, robot, 3), [pose(rng, 0.3) for _ in range(3)]
        motions = [robot.follow(path, base=base), a.move(pose(rng, size), pose(rng, size), kind="screw")]
    else:
        motions = [robot.follow(plan(rng, robot), error=error), a.move(pose(rng, size), pose(rng, size), kind="screw")]
        motions.append(b.follow([pose(rng, size) for _ in range(3)], times=[0.2, 0.5, 2.1]))
    scene = Scene(robot, a, b)
    for one, other in (("a", "f"), ("c", "e"), ("d", "e"), ("b", "f"), ("d", "trunk")):
        scene.ignore(f"walker/{one}", f"walker/{other}")
    return scene, motions


@pytest.mark.parametrize("seed", range(24))
def test_every_motion_of_every_joint_gets_a_proof_that_is_accepted(seed: int, tmp_path: Path) -> None:
    scene, motions = drawn(seed)
    proof = scene.prove(*motions, margin=0.001)
    assert (proof.claim == "free") == scene.is_free(*motions, margin=0.001)
    proof.save(tmp_path / "p.proof")
    assert checker.check(checker.read_proof(tmp_path / "p.proof"), {}).claim == proof.claim
