"""Articulated motions with a contact planted by construction.

A random tree of 2 to 20 links, every kind of joint, turns of up to two full circles; at t* one link's feature is met
by an obstacle placed (in 50 digits, then proven again after rounding) exactly there. The obstacle is a body that
stands or moves, or a link of the same robot that hangs on another branch by a floating joint: then it is a
self-contact. The other pairs of links of the robot are ignored, because a random tree is full of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import tocsin
from tocsin_bench.campaigns.planted_contact import Touch, align, kin, proven, random_plan, random_rotation
from tocsin_bench.campaigns.planted_judge import Case, Tally
from tocsin_bench.campaigns.planted_rigid import backend_of, ends, random_asking, random_time
from tocsin_bench.campaigns.planted_shapes import Piece, across, random_piece, unit

GROUP = 10
"""Cases that share one robot and one obstacle."""

KINDS = ("fixed", "revolute", "continuous", "prismatic", "planar", "ball", "floating", "mimic")
ODDS = (0.06, 0.34, 0.12, 0.12, 0.07, 0.12, 0.07, 0.10)


@dataclass(frozen=True)
class Arm:
    """A robot twice: as the library's and as the oracle's."""

    robot: Any
    tree: Any
    parts: list[list[tuple[Piece, np.ndarray]]]
    """What each link carries: shapes and their placements."""
    free: bool
    scale: float
    probe: int
    """The link that plays the obstacle in self-contacts, or -1."""


def random_arm(rng: np.random.Generator, scale: float, probe: Piece | None) -> Arm:
    """Return a random robot; with a probe, one more link floats on a random link of it."""
    n = int(rng.integers(2, 21))
    chain = rng.random() < 0.6
    alone = rng.random() < 0.5  # only the last link carries a shape: the planted contact is then often the first
    joints = [kin.Joint()]
    for link in range(1, n):
        kind = str(rng.choice(KINDS, p=ODDS))
        masters = [
            k for k, j in enumerate(joints) if k and j.kind in ("revolute", "continuous", "prismatic") and not j.mimic
        ]
        mimic = None
        if kind == "mimic":
            kind = str(rng.choice(["revolute", "prismatic", "continuous"]))
            if masters:
                mimic = (int(rng.choice(masters)), float(rng.uniform(-2, 2)), float(rng.uniform(-1, 1)))
                if kind == "prismatic" or joints[mimic[0]].kind == "prismatic":
                    # One side in metres, one in radians: keep both of the robot's own size.
                    ratio = {True: scale, False: 1.0}
                    from_length, to_length = joints[mimic[0]].kind == "prismatic", kind == "prismatic"
                    mimic = (mimic[0], mimic[1] * ratio[to_length] / ratio[from_length], mimic[2] * ratio[to_length])
        axis = tuple(np.eye(3)[rng.integers(3)] if rng.random() < 0.5 else rng.normal(size=3))
        if kind == "planar":
            axis = (0.0, 0.0, 1.0)
        offset = unit(rng.normal(size=3)) * scale * rng.uniform(0, 1) * (rng.random() < 0.9)
        turn = np.eye(3) if rng.random() < 0.4 else random_rotation(rng)
        parent = link - 1 if chain else int(rng.integers(link))
        joints.append(kin.Joint(kind, parent, kin.frame(turn, offset), axis, mimic))
    parts: list[list[tuple[Piece, np.ndarray]]] = []
    for link in range(n):
        bare = (alone and link < n - 1) or (link < n - 1 and rng.random() < 0.3)
        count = 0 if bare else int(rng.choice([1, 1, 1, 2]))
        pieces = []
        for _ in range(count):
            placement = (
                kin.frame(random_rotation(rng), scale * 0.3 * rng.normal(size=3)) if rng.random() < 0.6 else np.eye(4)
            )
            pieces.append((random_piece(rng, scale * rng.uniform(0.1, 0.6)), placement))
        parts.append(pieces)
    if probe is not None:
        joints.append(kin.Joint("floating", int(rng.integers(n)), np.eye(4)))
        parts.append([(probe, np.eye(4))])
    free = rng.random() < 0.35
    robot = build(joints, parts, free)
    for i in range(n):
        for j in range(i + 1, n):
            robot.ignore(f"link{i}", f"link{j}")
    return Arm(robot, kin.Tree(tuple(joints)), parts, free, scale, n if probe is not None else -1)


def build(joints: Sequence, parts: list, free: bool, order: Sequence[int] | None = None) -> Any:
    """Return the robot of the library for the oracle's joints and what each link carries; links added in this order."""
    builder = tocsin.RobotBuilder("robot", base="free" if free else "fixed")
    for link in range(len(joints)) if order is None else order:
        joint = joints[link]
        carried = [(piece.product, placement) for piece, placement in parts[link]] or None
        if link == 0:
            builder.link("link0", carried)
            continue
        mimic = (f"joint{joint.mimic[0]}", *joint.mimic[1:]) if joint.mimic else None
        builder.link(
            f"link{link}",
            carried,
            parent=f"link{joint.parent}",
            joint=joint.kind,
            axis=joint.axis,
            origin=joint.origin,
            mimic=mimic,
            joint_name=f"joint{link}",
        )
    return builder.build()


def random_configurations(rng: np.random.Generator, arm: Arm) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of a random motion: a short planner's edge, an ordinary one, or up to two full turns a joint."""
    reach = float(rng.choice([0.1, 1.0, np.pi, 4 * np.pi]))
    q0, q1 = [], []
    for link, joint in enumerate(arm.tree.joints):
        if not arm.tree.width(link):
            continue
        if joint.kind in ("revolute", "continuous"):
            start = rng.uniform(-np.pi, np.pi)
            change = rng.choice([-1, 1]) * (4 * np.pi if reach > 4 and rng.random() < 0.1 else rng.uniform(0, reach))
            a, b = [start], [start + change]
        else:
            length = arm.scale * min(reach, 1.0)
            a = arm.scale * rng.uniform(-0.7, 0.7, 7)
            b = a + length * rng.uniform(-1, 1, 7)
            if joint.kind == "planar":
                a[2], b[2] = 0.3, 0.3 + rng.uniform(-reach, reach)
            start = kin.quaternion_to(rng.normal(size=4))
            turn = kin.exp(unit(rng.normal(size=3)) * rng.uniform(0, min(reach, 0.999 * np.pi)))
            a[3:], b[3:] = kin.quaternion_of(start), kin.quaternion_of(turn @ start) * rng.choice([-1, 1])
            part = {"prismatic": slice(0, 1), "planar": slice(0, 3), "ball": slice(3, 7), "floating": slice(0, 7)}[
                joint.kind
            ]
            a, b = a[part], b[part]
        q0.extend(a)
        q1.extend(b)
    return np.array(q0, float), np.array(q1, float)


def neighbours(arm: Arm, link: int) -> set[int]:
    """Return the links that are neighbours of `link`: up to and including the next ancestor that carries a shape."""
    found, k = {link}, arm.tree.joints[link].parent
    while k >= 0:
        found.add(k)
        if arm.parts[k]:
            break
        k = arm.tree.joints[k].parent
    return found


def plant(rng: np.random.Generator, arm: Arm, obstacle: Piece) -> tuple[Any, ...] | None:
    """Return (label, t*, margin, tolerance, span, q0, q1, base, ends of the obstacle), contact proven; or None."""
    skipped = neighbours(arm, arm.probe) if arm.probe >= 0 else set()
    targets = [k for k, carried in enumerate(arm.parts) if carried and k not in skipped]
    if not targets:
        return None
    target = max(targets) if rng.random() < 0.5 else int(rng.choice(targets))
    piece, placement = arm.parts[target][int(rng.integers(len(arm.parts[target])))]
    q0, q1 = random_configurations(rng, arm)
    scale, t = arm.scale, random_time(rng)
    base = None
    if arm.free and rng.random() < 0.8:
        start = kin.frame(random_rotation(rng), scale * rng.normal(size=3) * 10 ** rng.uniform(-1, 2))
        base = ends(start, scale * rng.normal(size=3), unit(rng.normal(size=3)) * rng.uniform(0, 3.1), 0.0)
    kind_a, kind_b, parallel = random_plan(rng)
    manner = str(rng.choice(["meeting", "grazing", "curving"], p=[0.6, 0.25, 0.15]))
    crank = _crank(rng, arm, target, (piece, placement), q0, kind_a, t) if manner == "curving" and not base else None
    if crank is not None:
        q0, q1 = crank[:2]
    h = 1e-4
    path = (kin.poses(arm.tree, q0, q1, [t - h, t, t + h], base) @ placement[None, None])[:, target]
    feature = _facing(rng, piece, path, h, kind_a, manner == "grazing") if crank is None else crank[2]
    touch = Touch(piece, obstacle, feature, obstacle.sample(rng, kind_b, None), parallel)
    margin, tolerance = random_asking(rng, min(piece.true.diagonal, obstacle.true.diagonal))
    span = float(np.abs(path[1, :3, 3]).max()) + scale * 4 * len(arm.parts)
    twist, drift, spin = float(rng.uniform(0, 2 * np.pi)), np.zeros(3), np.zeros(3)
    if rng.random() < 0.3 and crank is None:
        drift, spin = scale * 0.3 * rng.normal(size=3), unit(rng.normal(size=3)) * rng.uniform(0, 1)
    exact = None
    for depth in (1e-12, 1e-11, 1e-10, 1e-9):
        pose = align(touch, path[1], margin - depth * span, twist)
        if arm.probe >= 0:
            q0, q1 = _float_probe(arm, q0, q1, t, base, pose, drift, spin)
            there = kin.poses_mp(arm.tree, q0, q1, t, base, [target, arm.probe])
            exact, other, placed = there[target], there[arm.probe], None
        else:
            placed = ends(pose, drift, spin, t)
            exact = kin.poses_mp(arm.tree, q0, q1, t, base, [target])[target] if exact is None else exact
            other = kin.body_pose_mp(*placed, t)
        if proven(touch, kin.compose_mp(exact, kin.matrix_mp(placement)), other, margin):
            who = "self" if arm.probe >= 0 else "obstacle"
            label = f"{who} {piece.name}/{obstacle.name} {touch.plan} {manner}"
            return label, t, margin, tolerance, span, q0, q1, base, placed
    return None


def _crank(
    rng: np.random.Generator, arm: Arm, target: int, part: tuple[Piece, np.ndarray], q: np.ndarray, kind: str, t: float
) -> tuple[np.ndarray, np.ndarray, Any] | None:
    """Return q0, q1 of a motion of one joint only, and a feature that is bent into contact by it at t; or None.

    The feature faces the joint's axis: at the start it moves along the touching plane, and only the acceleration
    towards the axis brings it there, so that a bound on accelerations has nothing to spare.
    """
    chain = [target]
    while chain[-1] > 0:
        chain.append(arm.tree.joints[chain[-1]].parent)
    joints = [k for k in chain if arm.tree.joints[k].kind in ("revolute", "continuous") and arm.tree.width(k)]
    joints = [k for k in joints if not any(j.mimic and j.mimic[0] == k for j in arm.tree.joints)]
    if not joints:
        return None
    joint = int(rng.choice(joints))
    poses = kin.poses(arm.tree, q, q, [0.0])[0]
    axis, origin = poses[joint, :3, :3] @ unit(np.array(arm.tree.joints[joint].axis)), poses[joint, :3, 3]
    pose = poses[target] @ part[1]
    out = pose[:3, :3] @ part[0].true.corners.mean(0) + pose[:3, 3] - origin
    out -= axis * (axis @ out)
    if np.linalg.norm(out) < part[0].true.diagonal:
        return None
    feature = part[0].sample(rng, kind, pose[:3, :3].T @ unit(rng.normal(size=3) * 0.7 - unit(out)))
    arm_of = pose[:3, :3] @ feature.point + pose[:3, 3] - origin
    normal = pose[:3, :3] @ unit(feature.normal)
    arm_of, across_axis = arm_of - axis * (axis @ arm_of), normal - axis * (axis @ normal)
    lift = float(axis @ np.cross(arm_of, across_axis))
    bend = float(np.arctan2(abs(lift), -arm_of @ across_axis)) * rng.uniform(0.7, 1.1)
    change = np.copysign(min(bend / max(t, 1e-3), 4 * np.pi), lift)
    q0, q1, k = q.copy(), q.copy(), arm.tree.start(joint)
    q0[k], q1[k] = q[k] - t * change, q[k] + (1 - t) * change
    return q0, q1, feature


def _facing(rng: np.random.Generator, piece: Piece, path: np.ndarray, h: float, kind: str, grazing: bool) -> Any:
    """Return a feature that leads the motion, or one whose normal is across it and that turns away before and after."""
    turn = path[1, :3, :3]

    def motion_of(point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        before, now, after = path @ [*point, 1.0]
        return turn.T @ (after - before)[:3] / (2 * h), turn.T @ (after - 2 * now + before)[:3] / h**2

    v, _ = motion_of(piece.true.corners.mean(0))
    if not np.linalg.norm(v) > 1e-12 * piece.true.diagonal or rng.random() < 0.1:
        return piece.sample(rng, kind, None)
    if not grazing:
        return piece.sample(rng, kind, unit(unit(v) + 0.5 * rng.normal(size=3)))
    for _ in range(6):
        feature = piece.sample(rng, "vertex", across(unit(v), rng))
        v, a = motion_of(feature.point)
        if a @ feature.normal <= 0:
            break
    return feature


def _float_probe(arm: Arm, q0: Any, q1: Any, t: float, base: Any, pose: Any, drift: Any, spin: Any) -> tuple[Any, Any]:
    """Return q0, q1 with the floating joint of the probe set so that the probe is at `pose` in the world at t."""
    parent = kin.poses(arm.tree, q0, q1, [t], base)[0, arm.tree.joints[arm.probe].parent]
    turn, shift = parent[:3, :3].T, parent[:3, 3]
    local = kin.frame(turn @ pose[:3, :3], turn @ (pose[:3, 3] - shift))
    q0, q1 = q0.copy(), q1.copy()
    start = arm.tree.start(arm.probe)
    for q, end in zip((q0, q1), ends(local, drift, spin, t)):
        q[start : start + 7] = [*end[:3, 3], *kin.quaternion_of(end[:3, :3])]
    return q0, q1


def articulated_group(seed: int, group: int, tally: Tally | None = None, only: int | None = None) -> Iterator[Case]:
    """Yield the cases of one robot; the same seeds give the same cases."""
    rng = np.random.default_rng([seed, 3, group])
    scale = 10 ** rng.uniform(-6, 6) if rng.random() < 0.3 else 1.0
    obstacle = random_piece(rng, scale * rng.uniform(0.05, 0.6))
    itself = rng.random() < 0.35
    arm = random_arm(rng, scale, obstacle if itself else None)
    body = None if itself else tocsin.Body(obstacle.product, name="obstacle")
    models = (arm.robot,) if body is None else (arm.robot, body)
    scene = tocsin.Scene(*models, backend=backend_of(group))
    for k in range(GROUP):
        if only is not None and k != only:
            continue
        found = plant(np.random.default_rng([seed, 3, group, k]), arm, obstacle)
        if found is None:
            if tally is not None:
                tally.discarded += 1
            continue
        yield _case(f"articulated:{seed}:{group}:{k}", arm, obstacle, body, scene, found)


def _case(name: str, arm: Arm, obstacle: Piece, body: Any, scene: Any, found: tuple) -> Case:
    label, t, margin, tolerance, span, q0, q1, base, placed = found
    motions = [arm.robot.move(q0, q1, base=base)]
    if body is not None:
        still = np.array_equal(placed[0], placed[1])
        motions.append(body.at(placed[0]) if still else body.move(*placed))
    skipped = neighbours(arm, arm.probe) if arm.probe >= 0 else set()

    def pairs(time: float) -> list:
        poses = kin.poses(arm.tree, q0, q1, [time], base)[0]
        there = poses[arm.probe] if body is None else kin.body_poses(placed[0], placed[1], [time])[0]
        return [
            (piece.true, poses[link] @ placement, obstacle.true, there)
            for link, carried in enumerate(arm.parts)
            if link not in skipped
            for piece, placement in carried
        ]

    return Case(name, label, t, margin, tolerance, span, scene, tuple(motions), pairs)
