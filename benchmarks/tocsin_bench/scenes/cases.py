"""The benchmark scenes, ready to be asked: each is a `tocsin.Scene` and a list of questions.

A question is a tuple of motions for `scene.first_contact(*question)`. Keywords in `options` go to `tocsin.Scene`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import tocsin
from tocsin_bench.scenes import chess, gait, mannequin, shapes
from tocsin_bench.scenes.shapes import Triangles


@dataclass(frozen=True)
class Case:
    """A scene, its questions, and how to make the motions of each question anew."""

    name: str
    scene: tocsin.Scene
    questions: list[tuple[Any, ...]]
    n_triangles: int
    remake: Callable[[int], tuple[Any, ...]] = field(repr=False)


def random_motions(count: int, seed: int, radius: float) -> np.ndarray:
    """Poses (count, body, end, 4, 4) of two bodies that lie within `radius` of their origins; about half of them meet.

    The first flies by the second, or into it, turning by up to half a turn; the second drifts and turns by
    up to a quarter. At the start they are at least 2.05 radii apart, so that nothing touches yet.
    """
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (count, 2, 2, 1, 1))
    for k in range(count):
        start = Rotation.random(2, rng=rng)
        turns = [_turn(rng, np.pi), _turn(rng, 0.5 * np.pi)]
        for body in range(2):
            poses[k, body, 0, :3, :3] = start[body].as_matrix()
            poses[k, body, 1, :3, :3] = (turns[body] * start[body]).as_matrix()
        direction = Rotation.random(rng=rng).as_matrix()
        before, beyond, beside = rng.uniform(2.05, 2.8), rng.uniform(-1.5, 2.0), rng.uniform(0.0, 2.4)
        poses[k, 0, 0, :3, 3] = radius * (before * direction[0] + beside * direction[1])
        poses[k, 0, 1, :3, 3] = radius * (beside * direction[1] - beyond * direction[0])
        poses[k, 1, 1, :3, 3] = rng.uniform(-0.3, 0.3, 3) * radius
    return poses


def _turn(rng: np.random.Generator, largest: float) -> Rotation:
    axis = rng.normal(size=3)
    return Rotation.from_rotvec(axis / np.linalg.norm(axis) * rng.uniform(0.0, largest))


def pair(name: str, mesh_a: Triangles, mesh_b: Triangles, motions: np.ndarray, **options: Any) -> Case:
    """Two bodies on rigid motions, poses (count, body, end, 4, 4)."""
    shape_a = tocsin.Mesh(*mesh_a)
    a = tocsin.Body(shape_a, name="a")
    b = tocsin.Body(shape_a if mesh_b is mesh_a else tocsin.Mesh(*mesh_b), name="b")

    def remake(k: int) -> tuple[Any, ...]:
        return a.move(motions[k, 0, 0], motions[k, 0, 1]), b.move(motions[k, 1, 0], motions[k, 1, 1])

    scene = tocsin.Scene(a, b, **options)
    return Case(name, scene, [remake(k) for k in range(len(motions))], len(mesh_a[1]) + len(mesh_b[1]), remake)


def tori(n_triangles: int = 10_000, count: int = 200, seed: int = 1, **options: Any) -> Case:
    """Two tori of `n_triangles` each on `count` random rigid motions, about half of which meet."""
    mesh = shapes.torus(n_triangles)
    return pair("tori", mesh, mesh, random_motions(count, seed, 1.35), **options)


def chess_pair(count: int = 200, seed: int = 1, **options: Any) -> Case:
    """A knight and a queen flying by one another."""
    centred = []
    for kind in ("knight", "queen"):
        vertices, faces = chess.piece(kind)
        centred.append((vertices - 0.5 * (vertices.min(axis=0) + vertices.max(axis=0)), faces))
    radius = max(float(np.linalg.norm(vertices, axis=1).max()) for vertices, _ in centred)
    return pair("chess pair", centred[0], centred[1], random_motions(count, seed, radius), **options)


def walk(n_frames: int = 900, piece: Callable[[str], Triangles] = chess.piece, **options: Any) -> Case:
    """The mannequin walking among sixteen chess pieces, made by `piece`."""
    robot = mannequin.build()
    kinds = {kind: tocsin.Mesh(*piece(kind)) for kind in chess.MAKERS}
    pieces = [tocsin.Body(kinds[kind], pose=pose, name=name) for name, kind, pose in chess.placements()]
    scene = tocsin.Scene(robot, *pieces, **options)
    total = sum(len(kinds[kind].faces) for _, kind, _ in chess.placements())
    return _animated("walk", scene, robot, gait.walk(robot, n_frames), total)


def exercise(n_frames: int = 540, **options: Any) -> Case:
    """The mannequin exercising alone, against itself."""
    robot = mannequin.build()
    return _animated("exercise", tocsin.Scene(robot, **options), robot, gait.exercise(robot, n_frames), 0)


def _animated(name: str, scene: tocsin.Scene, robot: tocsin.Robot, animation: gait.Animation, others: int) -> Case:
    q, base = animation.q, animation.base

    def remake(k: int) -> tuple[Any, ...]:
        return (robot.move(q[k], q[k + 1], base=(base[k], base[k + 1])),)

    total = others + sum(len(faces) for _, faces in mannequin.meshes().values())
    return Case(name, scene, [remake(k) for k in range(len(animation))], total, remake)


LINK = 0.25
"""Length of a link of the snake, metres."""


def snake(n_links: int, count: int = 60, **options: Any) -> Case:
    """A snake of `n_links` sliding along a winding track between fixed posts; the posts are the same for every length.

    The track's heading at arc length s is 2 cos(s / 0.8 m), a serpenoid curve, whose loops come as near as 27 cm to
    each other. Joint i is the change of heading from one link to the next; a step slides the snake 5 cm along, so that
    each link follows the one before it. Posts stand close to the track; nothing touches, and all of it is to be proven.
    """
    mesh = tocsin.Mesh(*shapes.limb(0.8 * LINK, 0.035, rings=12, segments=10))
    lying = np.array([(0.0, 0.0, 1.0, 0.1 * LINK), (0.0, 1.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)])
    builder = tocsin.RobotBuilder("snake", base="free")
    builder.link("link0", (mesh, lying))
    for k in range(1, n_links):
        builder.link(
            f"link{k}",
            (mesh, lying),
            parent=f"link{k - 1}",
            joint="revolute",
            axis=(0, 0, 1),
            origin=(LINK, 0, 0),
        )
    robot = builder.build()

    s = np.arange(0.0, 60.0, 1e-3)
    track = np.cumsum(np.stack([np.cos(_heading(s)), np.sin(_heading(s))], -1), axis=0) * 1e-3
    post = tocsin.Mesh(*shapes.limb(0.5, 0.06, rings=12, segments=12, bumps=0.1))
    posts = []
    for number, at in enumerate(np.arange(0.35, 52.0, 0.9)):
        side = (0.155 + 0.015 * np.sin(7.0 * number)) * (-1.0) ** number
        place = track[round(at / 1e-3)] + side * np.array([-np.sin(_heading(at)), np.cos(_heading(at))])
        if np.min(np.linalg.norm(track[::10] - place, axis=1)) > 0.138:
            pose = np.eye(4)
            pose[:3, 3] = *place, -0.25
            posts.append(tocsin.Body(post, pose=pose, name=f"post{number}"))

    advance = 0.05 * np.arange(count + 1)
    headings = _heading(advance[:, None] + LINK * (np.arange(n_links) + 0.5))
    q = np.diff(headings, axis=1)
    base = np.tile(np.eye(4), (count + 1, 1, 1))
    base[:, 0, 0], base[:, 0, 1] = np.cos(headings[:, 0]), -np.sin(headings[:, 0])
    base[:, 1, 0], base[:, 1, 1] = np.sin(headings[:, 0]), np.cos(headings[:, 0])
    base[:, :2, 3] = track[np.round(advance / 1e-3).astype(int)]

    def remake(k: int) -> tuple[Any, ...]:
        return (robot.move(q[k], q[k + 1], base=(base[k], base[k + 1])),)

    scene = tocsin.Scene(robot, *posts, **options)
    total = n_links * 240 + len(posts) * 288
    return Case(f"snake of {n_links}", scene, [remake(k) for k in range(count)], total, remake)


def _heading(s: np.ndarray | float) -> np.ndarray:
    return 2.0 * np.cos(np.asarray(s) / 0.8)


def swings(count: int = 20, seed: int = 1, **options: Any) -> Case:
    """A six-jointed arm of boxes, capsules and a mesh swinging by up to two turns a joint among posts and a shelf."""
    rng = np.random.default_rng(seed)
    builder = tocsin.RobotBuilder("arm")
    builder.link("base", tocsin.Cylinder(radius=0.12, length=0.2))
    hand = tocsin.Mesh(*shapes.limb(0.2, 0.04, rings=10, segments=10))
    axes = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1))
    lengths = (0.15, 0.4, 0.35, 0.1, 0.1, 0.0)
    parent, height = "base", 0.15
    for k, (axis, length) in enumerate(zip(axes, lengths)):
        middle = (0.0, 0.0, 0.5 * length)
        shape = (tocsin.Capsule(radius=0.05, length=length), middle) if k in (1, 2) else None
        shape = hand if k == 5 else shape
        builder.link(f"part{k}", shape, parent=parent, joint="revolute", axis=axis, origin=(0, 0, height))
        parent, height = f"part{k}", length
    robot = builder.build()
    bodies = []
    for k, angle in enumerate(np.linspace(0.0, 2.0 * np.pi, 6, endpoint=False)):
        pose = np.eye(4)
        pose[:3, 3] = 0.75 * np.cos(angle), 0.75 * np.sin(angle), 0.35
        post = tocsin.Box(size=(0.06, 0.06, 0.7)) if k % 2 else tocsin.Mesh(*shapes.limb(0.6, 0.05))
        bodies.append(tocsin.Body(post, pose, name=f"post{k}"))
    ends = rng.uniform(-np.pi, np.pi, (count, 2, 6)) * (1.0, 0.5, 0.5, 1.0, 0.6, 2.0)

    def remake(k: int) -> tuple[Any, ...]:
        return (robot.move(ends[k, 0], ends[k, 1]),)

    scene = tocsin.Scene(robot, *bodies, **options)
    total = sum(len(s.faces) for model in scene.models for link in model.shapes for s in link)
    return Case("swings", scene, [remake(k) for k in range(count)], total, remake)
