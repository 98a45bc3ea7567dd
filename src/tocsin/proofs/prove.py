"""Asking a scene for a proof, and writing it down: see docs/proofs.md for the format."""

from __future__ import annotations

import gzip
import json
import math
import os
import threading
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from importlib.metadata import version
from weakref import WeakKeyDictionary

import numpy as np

from tocsin import _cast, _given
from tocsin._types import Json, Vector
from tocsin.compiler.addresses import table_of
from tocsin.errors import TocsinError
from tocsin.geometry.shape import Shape
from tocsin.limits import MAX_STEPS
from tocsin.model.base import Motion, is_timed
from tocsin.model.tables import World
from tocsin.model.timed import on_clock
from tocsin.motion.joints import JOINT
from tocsin.motion.knots import exact_time, piece_in, stretches_of
from tocsin.proofs import points, search, stretch
from tocsin.proofs.parts import PART, Parts, parts_of
from tocsin.proofs.written import Held, Said, as_text, said_of
from tocsin.queries.context import Context
from tocsin.queries.first_contact import engine_of, first_contact
from tocsin.results import FirstContact, Status

MOST_WORDS = 2**22
"""Of one stretch; a panda's edge has a few hundred."""

SOON, MOST = 16, 100_000_000
"""Pairs of parts that may be looked at in a stretch before the question is asked whether there is a contact, which
takes as long as some tens of them: a free edge that is asked again takes none, and what touches takes thousands until
the last time halves no more; and then. The search goes on with the pair that it left. With 16, proofs of free edges
that are asked once take 1.8 times as long as the question in the median, of edges that touch 1.8 times; with 6 it is
2.3 and 1.5, with 20 1.6 and 1.9.
"""

_parts: WeakKeyDictionary[Shape, Parts] = WeakKeyDictionary()


class _Tables(threading.local):
    """Of each scene that of its last question, in this thread."""

    def __init__(self) -> None:
        self.of: WeakKeyDictionary[Context, Table] = WeakKeyDictionary()


_tables = _Tables()


class Proof:
    """A proof: `save` it, and `tocsin verify`, or anybody's checker, reads the file."""

    def __init__(self, asked: Asked, margin: float, contact: FirstContact | None) -> None:
        self.claim: str = "free" if contact is None else "contact"
        """'free' or 'contact'."""
        self._asked, self._margin, self._contact = asked, margin, contact

    def __repr__(self) -> str:
        return f"<Proof of {self.claim!r}: {len(self.to_bytes())} bytes>"

    @cached_property
    def data(self) -> Said:
        """The proof as JSON has it, see docs/proofs.md."""
        asked = self._asked
        contact = {} if self._contact is None else asked.contact(self._contact)
        words = [] if contact else list(map(as_text, asked.found))
        return {**asked.head(self._margin), "claim": self.claim, "free": words, "contact": contact}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, packed."""
        _given.write(_given.path(path, "cannot write a proof"), self.to_bytes(), "a proof")

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        text = json.dumps(self.data, separators=(",", ":"), allow_nan=False)
        return gzip.compress(text.encode(), 9, mtime=0)


class Table:
    """What the search needs of a scene: the parts of all shapes in one table, and which pairs may touch."""

    @staticmethod
    def of(scene: Context, world: World, moving: frozenset[int]) -> Table:
        """Return the table of a scene, made again where its models or rules have changed, or others move."""
        table = _tables.of.get(scene)
        if table is None or table.world is not world or table.moving != moving:
            table = _tables.of[scene] = Table(scene, world, moving)
        return table

    def __init__(self, scene: Context, world: World, moving: frozenset[int]) -> None:
        _check(scene)
        self.world, self.moving = world, moving
        self.models = [Held.of(model) for model in scene.models]
        sizes = [model.rest.size for model in self.models]
        self.rest = np.concatenate([model.rest for model in self.models])
        self.standing = np.array([(row, row, 0.0, 1.0, -1.0) for row in np.cumsum([0, *sizes[:-1]])])
        """What each model does that stands, as `motion.clocks` lists it; its configuration is in `rest`."""
        parts, points, self.roots = joined_parts([of_link for model in scene.models for of_link in model.shapes])
        self.tables = parts, points
        moves = np.isin(world.geoms["model"], list(moving))
        self.shapes = self.roots, world.geoms["link"].astype(np.int64), np.flatnonzero(moves)
        self.pairs, self.margins = self._pairs(moving)
        self.words, self.joints = np.zeros(MOST_WORDS, np.int64), np.zeros(len(world.links), JOINT)
        self.states = np.zeros((len(world.links) + 1, search.STATE + search.BOUNDS))
        self.boxes = np.zeros((len(self.roots), 7))
        search.set_joints(world.links, self.joints, world.models, self.rest, self.standing)
        search.set_states(self.joints, world.links, 0.5, 0.0, self.states)
        stretch.sweep(self.tables, (*self.shapes[:2], np.flatnonzero(~moves)), 0.0, self.states, self.boxes)
        self.lay_out()
        self.asked_alike: tuple[object, np.ndarray, list[np.ndarray]] = None, np.zeros(0), []
        """Of motions on no clock, by how many configurations of what width: the stretches, and what each model does."""
        self.asked_margin, self.grown = math.nan, self.margins

    def lay_out(self) -> None:
        """Write down where all arrays are, for the search."""
        trees = np.zeros((len(self.pairs) * stretch.SLABS_KEPT + 1, 4), np.int64)
        trees[-1, 1] = 1
        room = stretch.Room(
            *self.tables, *self.shapes, self.pairs, self.world.links, self.world.models, self.joints, self.states,
            self.boxes, self.words, np.zeros((stretch.MOST_WAITING, 5), np.int64), np.zeros((stretch.MOST_WAITING, 3)),
            np.zeros((4, 9)), np.zeros(stretch.MOST_KEPT, np.int64), trees, np.zeros(4, np.int64),
        )  # fmt: skip
        self.room = table_of(stretch.ROOM.checked(room))

    def margins_at(self, margin: float) -> np.ndarray:
        """Return the margin of every pair, of those that have none of their own the one that is asked about."""
        if margin != self.asked_margin:
            self.asked_margin, self.grown = margin, np.where(np.isnan(self.margins), margin, self.margins)
        return self.grown

    def _pairs(self, moving: frozenset[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of shapes that are asked about, and their own margins, NaN where they have none."""
        world = self.world
        model, link = world.geoms["model"], world.geoms["link"]
        rules = {}
        for i in range(len(world.links)):
            for k in range(world.rule_start[i], world.rule_start[i + 1]):
                rules[i, int(world.rule_link[k])] = float(world.rule_margin[k])
        found = [
            (a, b, margin)
            for a in range(len(link))
            for b in range(a + 1, len(link))
            if link[a] != link[b] and (int(model[a]) in moving or int(model[b]) in moving)
            for margin in [rules.get((int(link[a]), int(link[b])), math.nan)]
            if margin != -math.inf
        ]
        table = np.array(found or np.zeros((0, 3)))
        return table[:, :2].astype(np.int64), np.ascontiguousarray(table[:, 2])


def rules(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Return the tables of links that have a rule with others, and of the rules: margins."""
    return world.rule_link, world.rule_margin


def joined_parts(shapes: Iterable[Iterable[Shape]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the parts of all shapes in one table, their points in another, and where each shape begins."""
    parts, points, roots = [np.zeros(0, PART)], [np.zeros((0, 3))], []
    n_parts = n_points = 0
    for shape in (shape for of_link in shapes for shape in of_link if not shape.is_empty):
        if shape not in _parts:
            _parts[shape] = parts_of(shape)
        own, corners = _parts[shape].parts.copy(), _parts[shape].points
        own["half"] = np.where(own["half"] >= 0, own["half"] + n_parts, -1)
        own["point"] += n_points
        roots.append(n_parts)
        parts.append(own)
        points.append(corners)
        n_parts += len(own)
        n_points += len(corners)
    return np.concatenate(parts), np.concatenate(points), np.array(roots, np.int64)


def prove(scene: Context, motions: tuple[Motion, ...], margin: float, tolerance: float | None) -> Proof:
    """Answer `Scene.prove`."""
    scene.check_motions(motions)
    margin = _cast.margin(margin)
    tolerance = None if tolerance is None else _cast.tolerance(tolerance)
    motions = scene.on_clock(motions)
    context = scene.carrying(motions)
    asked = Asked(context, context.tables(), motions)
    if asked.free(margin, SOON):
        return Proof(asked, margin, None)
    hit = first_contact(scene, motions, margin, tolerance, MAX_STEPS, engine_of("advancement"))
    if hit.status in (Status.CONTACT, Status.INITIAL_CONTACT):
        return Proof(asked, margin, hit)
    if hit.status is Status.FREE and asked.free(margin, MOST):
        return Proof(asked, margin, None)
    raise TocsinError(
        f"the answer is {hit.status.value!r}, and no certificate was found: what is closer to its margin than rounding "
        f"lets a checker tell has none."
    )


def _check(scene: Context) -> None:
    """Refuse what proofs do not cover."""
    scene.links_only("a proof", "it has no certificates of motions that are not rigid")
    for name, model in zip(scene.names, scene.models):
        if any(shape.solid and shape.is_mesh for of_link in model.shapes for shape in of_link):
            raise TocsinError(f"{name!r} has a mesh with solid=True; a proof is about surfaces, and convex solids.")


class Asked:
    """A question that is to be proven: the scene, its tables, and what each model does in every stretch of time."""

    def __init__(self, scene: Context, world: World, motions: tuple[Motion, ...]) -> None:
        places = [scene.places[id(motion.model)] for motion in motions]
        if len(set(places)) < len(places):
            raise scene.moved_twice(places)
        self.scene, self.world = scene, world
        self.motions = dict(zip(places, motions))
        self.clock = on_clock(motions) if is_timed(motions) else None
        self.asked = frozenset(places) or frozenset(range(len(scene.models)))
        self.table = Table.of(scene, world, self.asked)
        self.models = self.table.models
        moved = [m.configs for m in motions] if self.clock is None else [self.clock.configs]
        self.configs = np.concatenate([*moved, self.table.rest])
        self.stretches, self.pieces = self._laid()
        """From when to when, and (models, 5): what each model does then, as `motion.clocks` lists it."""
        self.found: list[np.ndarray] = []
        """The words of the stretches that are proven so far."""
        self.left_open = False
        """Was the next one begun, and is the search where it left a pair of it?"""

    def _laid(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the stretches and what each model does in them: of the last question, if this one is like it."""
        key = None if self.clock else tuple([(k, m.pieces, m.width) for k, m in self.motions.items()])
        if key is not None and self.table.asked_alike[0] == key:
            return self.table.asked_alike[1:]
        stretches = self.clock.stretches if self.clock else stretches_of([m.pieces for m in self.motions.values()])
        laid = stretches, [self._pieces(stretch) for stretch in stretches]
        if key is not None:
            self.table.asked_alike = key, *laid
        return laid

    def _pieces(self, stretch: np.ndarray) -> np.ndarray:
        """Return what each model does in a stretch."""
        ends = tuple(stretch.tolist())
        found = self.table.standing.copy()
        found[:, :2] += len(self.configs) - len(self.table.rest)
        row = 0
        for number, (k, motion) in enumerate(self.motions.items()):
            if self.clock is not None:
                found[k] = self.clock.listed(number, ends)
            elif motion.pieces:
                piece, begin, end = piece_in(ends, motion.pieces)
                first = row + piece * motion.width
                found[k] = first, first + motion.width, begin, end, -1.0
            row += motion.configs.size
        return found

    def free(self, margin: float, most: int) -> bool:
        """Are the stretches proven that were not yet, each by so many pairs of parts? A pair may be what stays open."""
        table = self.table
        margins = grown = table.margins_at(margin)
        tubes = any(motion.error is not None for motion in self.motions.values())
        for pieces in self.pieces[len(self.found) :]:
            if tubes:
                grown = margins.copy()
                search.set_joints(self.world.links, table.joints, self.world.models, self.configs, pieces)
                moving = self.world.links, table.joints
                search.grow(margins, table.pairs, table.tables, table.shapes, moving, grown)
            outcome, used = stretch.prove(table.room, self.configs, pieces, grown, most, self.left_open)
            self.left_open = outcome != stretch.PROVEN
            if self.left_open:
                return False
            self.found.append(table.words[:used].copy())
        return True

    def head(self, margin: float) -> Said:
        """Return what a proof says of the models, their motions, and the pairs that are not asked about."""
        scene = self.scene
        return {
            "format": "tocsin proof",
            "version": 3,
            "said": {"by": f"tocsin {version('tocsin')}"},
            "margin": margin,
            "models": [
                {**said_of(model, name, self.motions.get(k)), "asked": k in self.asked}
                for k, (model, name) in enumerate(zip(self.models, scene.names))
            ],
            "links": [],
            "shapes": self._shapes(),
            "pairs": self._said_of_pairs(),
        }

    def _name(self, link: int) -> str:
        m = int(self.world.links[link]["model"])
        model = self.models[m]
        own = model.name_of(link - int(self.world.models[m]["link"]))
        return f"{self.scene.names[m]}/{own}" if own else self.scene.names[m]

    def _shapes(self) -> list[list[str | int]]:
        """Return the name of each shape: its link's, and its number there."""
        links = self.world.geoms["link"].tolist()
        return [[self._name(link), links[:k].count(link)] for k, link in enumerate(links)]

    def _said_of_pairs(self) -> list[list[str | float]]:
        """Return the pairs of links that have a margin of their own, and those not asked about, with the reason."""
        world = self.world
        return [
            [self._name(i), self._name(k), margin if margin != -math.inf else self._reason(i, k)]
            for i in range(len(world.links))
            for k, margin in zip(*(own[world.rule_start[i] : world.rule_start[i + 1]].tolist() for own in rules(world)))
            if k > i
        ]

    def _reason(self, link: int, other: int) -> str:
        return "adjacent" if self._joined(link, other) or self._joined(other, link) else "ignored"

    def _joined(self, link: int, other: int) -> bool:
        """Is a link the child of another one, with nothing but frames between?"""
        shaped = set(self.world.geoms["link"].tolist())
        above = int(self.world.links[link]["parent"])
        while above >= 0 and above != other and above not in shaped:
            above = int(self.world.links[above]["parent"])
        return above == other

    def contact(self, hit: FirstContact) -> Said:
        """Return two points of two shapes at the time of a contact, as near to its own as their shapes allow."""
        first = hit.contacts[0]
        time = Fraction(hit.time)
        k = next(k for k, s in enumerate(self.stretches) if time <= exact_time(s, 1.0) or k + 1 == len(self.stretches))
        begin, end = exact_time(self.stretches[k], 0.0), exact_time(self.stretches[k], 1.0)
        share = min(max(float((time - begin) / (end - begin)), 0.0), 1.0)
        joints = np.zeros(len(self.world.links), JOINT)
        search.set_joints(self.world.links, joints, self.world.models, self.configs, self.pieces[k])
        ends = [
            self._nearest((first.model_a, first.link_a), first.point_a, joints, share, first.features[0]),
            self._nearest((first.model_b, first.link_b), first.point_b, joints, share, first.features[1]),
        ]
        ends.sort(key=lambda end: end[0])
        tolerance = hit.tolerance
        if any(motion.error is not None for motion in self.motions.values()):
            # The engine's tube is a little wider than what proofs count of it.
            tolerance += 2.0 * float(np.linalg.norm(np.subtract(first.point_a, first.point_b)))
        return {
            "stretch": k, "time": share, "shapes": [end[0] for end in ends], "points": [end[1] for end in ends],
            "tolerance": tolerance,
        }  # fmt: skip

    def _nearest(
        self, of: tuple[str, str], point: Vector, joints: np.ndarray, share: float, feature: tuple[int, ...]
    ) -> tuple[int, list[Json]]:
        """Return a shape of a link and its point nearest to a place in the world, as the format writes points."""
        m = self.scene.names.index(of[0])
        model = self.models[m]
        i = 0 if len(model.link_names) == 1 else model.link_names.index(of[1])
        link = int(self.world.models[m]["link"]) + i
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = search.pose_of(joints, self.world.links, link, share)
        number = int(np.flatnonzero(self.world.geoms["link"] == link)[0])
        return points.nearest_of(model.shapes[i], pose, np.asarray(point), feature, number)
