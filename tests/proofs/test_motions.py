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
    for one, other in (("a", "f"), ("c", "e"), ("d", "e"), ("b", "f"), ("d", "trunk"), ("b", "trunk")):
        scene.ignore(f"walker/{one}", f"walker/{other}")
    return scene, motions


@pytest.mark.parametrize("seed", range(24))
def test_every_motion_of_every_joint_gets_a_proof_that_is_accepted(seed: int, tmp_path: Path) -> None:
    scene, motions = drawn(seed)
    proof = scene.prove(*motions, margin=0.001)
    assert (proof.claim == "free") == scene.is_free(*motions, margin=0.001)
    proof.save(tmp_path / "p.proof")
    assert checker.check(checker.read_proof(tmp_path / "p.proof"), {}).claim == proof.claim


def ball(name: str, motion: dict, asked: bool) -> dict:
    link = {
        "name": name, "parent": "", "joint": "floating", "at": [0, 0, 0, 0, 0, 0, 1], "axis": [0, 0, 1], "across": [],
        "entry": 0, "mimic": [1, 0], "shapes": [{"place": np.eye(4).tolist(), "shape": ["sphere", 0.1]}],
    }  # fmt: skip
    return {"name": name, "links": [link], "asked": asked, **motion}


def by_hand(tree: str, curve: list[float]) -> dict:
    """The example of docs/proofs.md: a ball on a curve before a ball that stands."""
    moves = {"curves": [[curve, [0], [0], [0], [0], [0], [1, 1]]], "times": [0, 1]}
    stands = {"rows": [[1.5, 0, 0, 0, 0, 0, 1]]}
    return {
        "format": "tocsin proof", "version": 2, "claim": "free", "margin": 0.0, "margins": [], "skipped": [],
        "models": [ball("a", moves, True), ball("b", stands, False)], "shapes": [["a", 0], ["b", 0]],
        "free": [f". 0 1 {tree} ;"], "contact": {}, "links": [],
    }  # fmt: skip


def accepts(data: dict) -> bool:
    try:
        checker.check(data, {})
    except checker.Refused:
        return False
    return True


def test_the_example_by_hand_is_checked_as_the_docs_say() -> None:
    curve = [0, 0, 3, -2]
    assert not accepts(by_hand("1 0 0", curve))
    assert accepts(by_hand("/ 1 0 0 1 0 0", curve))
    assert not accepts(by_hand("/ 1 0 0 1 0 0", [0, 0, 4, -2]))  # ends at 2, through the other
    assert not accepts(by_hand("/ 1 0 0 / 1 0 0", curve))


@pytest.mark.parametrize("seed", range(8))
def test_the_checker_places_links_where_they_are_and_bounds_what_a_parabola_leaves_out(seed: int) -> None:
    """Its jets against poses of the motion, its remainders against samples; all joints, on curves and straight."""
    from flint import fmpq
    from tocsin_checker.cells import Stretch
    from tocsin_checker.check import Check

    scene, motions = drawn(4 * seed + (seed % 2))
    robot_motion = next(m for m in motions if m.model is scene.models[0])
    examined = Check(scene.prove(*motions, margin=0.001).data, {})
    model = examined.models[0]
    first, last = examined.stretches[0][0], examined.stretches[-1][1]
    rng = np.random.default_rng(seed)
    for begin, end in examined.stretches:
        stretch = Stretch(examined, begin, end)
        m, tau = fmpq(int(rng.integers(1, 8)), 8), 0.125
        shape = int(rng.integers(len([s for s in examined.shapes if s[0] == 0])))
        _, link, part, _, place = examined.shapes[shape]
        (t, t1, t2), _ = stretch.placed(shape, -1, m)
        base, slope = stretch.third(shape, -1, m, tau)
        points = np.c_[part.points, np.ones(len(part.points))]
        most = (base + slope * part.reach(place)) * tau**3 / 6
        for s in rng.uniform(-tau, tau, 12):
            at = (begin + (end - begin) * (m + fmpq(*float(s).as_integer_ratio())) - first) / (last - first)
            pose = robot_motion.link_poses(float(int(at.p) / int(at.q)))[link]
            there = points @ np.vstack((place, [0, 0, 0, 1])).T @ pose[:3].T
            off = np.linalg.norm(there - points @ (t + s * t1 + s * s / 2 * t2).T, axis=1).max()
            assert off <= most + 1e-12
    assert len(model.links) == 7
