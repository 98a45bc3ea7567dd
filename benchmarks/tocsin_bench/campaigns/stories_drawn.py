"""Stories of round numbers, drawn at random.

Round numbers are those that random ones never are: places on a lattice of a quarter of a metre, rotations that map
axes to axes, joints that turn by quarter, half and whole turns or not at all, stations that repeat, shapes that
coincide. A wild story replaces one number in three by a random one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np

from tocsin_bench.campaigns.stories_folds import random_fold
from tocsin_bench.campaigns.stories_scenes import (
    BOX_FACES,
    CORNERS,
    SHEET,
    SHEET_FACES,
    Actor,
    Link,
    Part,
    Story,
    pose_of,
    quaternion_of,
)

QUARTER = 0.25
"""The lattice, metres."""

ROTATIONS = [
    np.array(rows)[:, list(order)]
    for rows in ([np.diag(signs) for signs in product((1.0, -1.0), repeat=3)])
    for order in permutations(range(3))
]
ROTATIONS = [m for m in ROTATIONS if np.linalg.det(m) > 0.0]
"""The 24 rotations that map axes to axes."""

HALF_TURNS = [np.diag(d) for d in ((1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0))]

KINDS = ("box", "box", "hull", "octahedron", "sphere", "capsule", "cylinder", "solid", "mesh", "mesh", "sheet")
RECTANGULAR = ("box", "mesh", "sheet", "hull")
FLAT = (*RECTANGULAR, "octahedron")


class Dice:
    """Round numbers; a part `wild` of them random instead."""

    def __init__(self, rng: np.random.Generator, wild: float) -> None:
        self.rng, self.wild = rng, wild

    def chance(self, p: float) -> bool:
        """Return True as often as this."""
        return bool(self.rng.random() < p)

    def one(self, *choices: Any) -> Any:
        """Return one of these."""
        return choices[int(self.rng.integers(len(choices)))]

    def length(self) -> float:
        """Return a size."""
        if self.chance(self.wild):
            return float(self.rng.uniform(0.05, 1.5))
        return self.one(0.25, 0.5, 0.5, 1.0, 1.0, 2.0, 1.0 / 64.0)

    def place(self, most: float) -> np.ndarray:
        """Return a point of the lattice."""
        n = round(most / QUARTER)
        out = QUARTER * self.rng.integers(-n, n + 1, 3).astype(float)
        for k in range(3):
            if self.chance(0.35):
                out[k] = 0.0
            if self.chance(self.wild):
                out[k] = self.rng.uniform(-most, most)
        return out

    def angle(self) -> float:
        """Return a joint's value: quarter, half and whole turns."""
        if self.chance(self.wild):
            return float(self.rng.uniform(-7.0, 7.0))
        turns = self.one(0.0, 0.0, 0.25, -0.25, 0.5, 0.5, -0.5, -0.5, 0.125, 1.0, -1.0, 2.0)
        return turns * 2.0 * math.pi

    def rotation(self) -> np.ndarray:
        """Return a rotation that maps axes to axes, often none."""
        if self.chance(self.wild):
            q = self.rng.normal(size=4)
            x, y, z, w = q / np.linalg.norm(q)
            return np.array(
                [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                 [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                 [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
            )  # fmt: skip
        return np.eye(3) if self.chance(0.5) else ROTATIONS[int(self.rng.integers(24))]

    def turn(self) -> np.ndarray:
        """Return by how much something turns between two stations: often not, often half a turn."""
        r = self.rng.random()
        if r < 0.35:
            return np.eye(3)
        if r < 0.7:
            return HALF_TURNS[int(self.rng.integers(3))]
        return self.rotation()

    def pose(self, most: float) -> np.ndarray:
        """Return a pose on the lattice."""
        return pose_of(self.rotation(), self.place(most))

    def part(self, kinds: tuple[str, ...] = KINDS) -> Part:
        """Return a shape of one of these kinds."""
        kind = self.one(*kinds)
        if kind == "sphere":
            size: tuple[float, ...] = (self.length() / 2,)
        elif kind in ("capsule", "cylinder"):
            size = (self.length() / 4, self.length())
        else:
            size = tuple(self.length() for _ in range(3))
            if kind == "octahedron":
                size = tuple(max(s, 0.125) / 2 for s in size)
        placement = np.eye(4)
        if self.chance(0.4):
            placement = self.pose(0.5)
        return Part(kind, size, placement)


def _stations(dice: Dice, still: bool, near: np.ndarray) -> list[np.ndarray]:
    """Return the poses through which a body goes, from a place near a given one."""
    rotation = np.eye(3) if still else dice.rotation()
    poses = [pose_of(rotation, near + dice.place(1.25))]
    for _ in range(dice.one(1, 1, 1, 1, 2, 3, 4)):
        before = poses[-1]
        step = np.zeros(3) if dice.chance(0.25) else dice.place(2.0)
        if dice.chance(0.3):
            step = np.where(np.arange(3) == dice.rng.integers(3), step, 0.0)
        turned = before[:3, :3] if still else dice.turn() @ before[:3, :3]
        poses.append(pose_of(turned, before[:3, 3] + step))
    if dice.chance(0.1):
        poses[-1] = poses[0]
    return poses


def _random_body(dice: Dice, name: str, family: str, moves: bool, near: np.ndarray) -> Actor:
    kinds = {"still": RECTANGULAR, "screws": FLAT}.get(family, KINDS)
    parts = [dice.part(kinds)]
    if parts[0].kind in ("box", "sphere") and dice.chance(0.15):
        parts.append(replace(dice.part(kinds), kind="box", size=(0.25, 0.5, 0.5)))
    poses = _stations(dice, family == "still", near)
    if family == "screws" and moves:
        poses = [poses[0], pose_of(dice.one(*HALF_TURNS, dice.turn()) @ poses[0][:3, :3], poses[1][:3, 3])]
    if not moves:
        poses = poses[:1]
    screw = len(poses) == 2 and (family == "screws" or dice.chance(0.4))
    return Actor(name, "body", tuple(poses), (Link(name, tuple(parts)),), screw=screw,
                 named=len(poses) == 1 and dice.chance(0.2))  # fmt: skip


JOINTS = ("fixed", "revolute", "revolute", "continuous", "prismatic", "planar", "ball", "ball", "floating")


def _values(dice: Dice, link: Link, before: np.ndarray | None) -> list[float]:
    """Return the values of one joint at a station, often those before."""
    if before is not None and dice.chance(0.15):
        return before.tolist()
    if link.joint in ("revolute", "continuous"):
        return [dice.angle()]
    if link.joint == "prismatic":
        return [float(dice.place(1.0)[0])]
    if link.joint == "planar":
        return [*dice.place(1.0)[:2].tolist(), dice.angle()]
    rotation = dice.rotation()
    if before is not None and dice.chance(0.6):
        x, y, z, w = before[-4:]
        turned = {0: [w, -z, y, -x], 1: [z, w, -x, -y], 2: [-y, x, w, -z]}[int(dice.rng.integers(3))]
        q = np.array(turned)  # half a turn about an axis of the outer frame: exact
    else:
        q = quaternion_of(rotation)
    q = -q if dice.chance(0.3) else q
    return [*(dice.place(1.0).tolist() if link.joint == "floating" else []), *q.tolist()]


def _random_robot(dice: Dice, name: str) -> Actor:
    free = dice.chance(0.25)
    links = [Link("root", (dice.part(),) if dice.chance(0.3) else ())]
    for k in range(dice.one(1, 1, 2, 2, 3)):
        joint = dice.one(*JOINTS)
        mimic = None
        masters = [i for i, x in enumerate(links) if x.joint == joint and x.mimic is None and x.parent >= 0]
        if joint in ("revolute", "prismatic") and masters and dice.chance(0.5):
            mimic = (masters[-1], dice.one(1.0, -1.0, 2.0, -0.5), dice.one(0.0, 0.25))
        axis = dice.one((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0))
        rod = Part(dice.one("box", "mesh", "capsule"), (), pose_of(np.eye(3), np.array([0.5, 0.0, 0.0])))
        size = (0.125, 0.75) if rod.kind == "capsule" else (1.0, 0.125, 0.125)
        part = replace(rod, size=size) if dice.chance(0.5) else dice.part()
        links.append(
            Link(
                f"link{k}", (part,), joint, int(dice.rng.integers(len(links))), dice.pose(0.75),
                (0.0, 0.0, 1.0) if joint == "planar" else axis, mimic,
            )
        )  # fmt: skip
    base = dice.pose(0.5)
    stations = []
    for _ in range(1 + dice.one(1, 1, 1, 2, 3)):
        q, k = [], 0
        for link in links:
            if link.width:
                before = stations[-1][0][k : k + link.width] if stations else None
                q += _values(dice, link, before)
                k += link.width
        stations.append((np.array(q, float), base))
        if free:
            base = pose_of(dice.turn() @ base[:3, :3], base[:3, 3] + dice.place(0.75))
    return Actor(name, "robot", tuple(stations), tuple(links), free=free)


def _random_cloth(dice: Dice, name: str, moves: bool, near: np.ndarray) -> Actor:
    kind = dice.one("triangle", "sheet", "sheet", "box")
    if kind == "triangle":
        vertices, faces = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])
    elif kind == "sheet":
        vertices, faces = SHEET, SHEET_FACES
    else:
        vertices, faces = CORNERS, BOX_FACES
    pose = dice.pose(1.0)
    frames = [(vertices * [dice.length() for _ in range(3)]) @ pose[:3, :3].T + near + pose[:3, 3]]
    for _ in range(dice.one(1, 1, 1, 2, 4) if moves else 0):
        frames.append(frames[-1] + (dice.place(2.0) if dice.chance(0.8) else 0.0))
    pulled = moves and dice.chance(0.3)
    if pulled:
        frames[-1] = frames[-1] + np.array([dice.place(0.5) for _ in vertices])
    return Actor(name, "cloth", tuple(frames), (Link(name),), named=not moves and dice.chance(0.3), faces=faces,
                 self_contact=False)  # fmt: skip


def _is_round(actor: Actor) -> bool:
    """Return whether a body's shapes and stations stay on the lattice, and axes on axes, without rounding."""
    numbers = [p[:3, 3] for p in actor.stations]
    for part in actor.links[0].parts:
        if part.kind not in ("box", "mesh", "solid", "sheet", "hull"):
            return False
        if not np.isin(part.placement[:3, :3], (-1.0, 0.0, 1.0)).all():
            return False
        numbers += [np.array(part.size), part.placement[:3, 3]]
    still = all(np.array_equal(p[:3, :3], np.eye(3)) for p in actor.stations)
    whole = all((np.mod(n * 128.0, 1.0) == 0.0).all() for n in numbers)
    return still and whole and len(actor.stations) in (1, 2, 3, 5)


def _on_the_way(dice: Dice, actor: Actor) -> np.ndarray:
    """Return a point of the lattice that an actor passes, more or less."""
    k = int(dice.rng.integers(len(actor.stations)))
    ends = [actor.stations[i] for i in (k, min(k + 1, len(actor.stations) - 1))]
    if actor.kind == "cloth":
        places = [vertices.mean(axis=0) for vertices in ends]
    else:
        places = [(pose if actor.kind == "body" else pose[1])[:3, 3] for pose in ends]
    middle = (places[0] + places[1]) / 2
    return np.round(middle / QUARTER) * QUARTER if actor.kind != "robot" else middle + 0.0


FOLDS = 10
"""One in so many stories is about a cloth that folds onto itself."""


def random_story(seed: int, index: int) -> Story:
    """Return one story; the same numbers give the same story."""
    rng = np.random.default_rng([seed, 11, index])
    dice = Dice(rng, 0.0 if rng.random() < 0.7 else 0.3)
    family = dice.one("still", "bodies", "bodies", "screws", "robot", "robot", "robot", "cloth", "cloth")
    if index % FOLDS == FOLDS - 1:
        family = "cloth"
        first = random_fold(dice, "a")
    elif family == "robot":
        first = _random_robot(dice, "a")
    elif family == "cloth":
        first = _random_cloth(dice, "a", dice.chance(0.8), np.zeros(3))
    else:
        first = _random_body(dice, "a", family, True, np.zeros(3))
    actors = [first]
    for name in "bc"[: 1 + dice.chance(0.3) if not first.self_contact else dice.one(0, 0, 1)]:
        near = _on_the_way(dice, first)
        if family == "cloth" and dice.chance(0.3):
            actors.append(_random_cloth(dice, name, dice.chance(0.3), near))
        else:
            actors.append(_random_body(dice, name, family, family != "screws" and dice.chance(0.3), near))
    margin = 0.0 if family == "screws" else dice.one(0.0, 0.0, 0.0, 0.125, 0.25)
    if margin > 0.0 and dice.chance(dice.wild):
        margin = float(rng.uniform(0.0, 0.5))
    tolerance = dice.one(None, None, None, 1e-3, 2.0**-20)
    backend = dice.one("triangles", "triangles", "hulls")
    exact = all(a.kind == "body" and _is_round(a) for a in actors)
    return Story(tuple(actors), margin, tolerance, backend, exact)
