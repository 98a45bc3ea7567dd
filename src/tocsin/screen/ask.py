"""From a scene and motions to the one compiled call that finds all contacts, and back to words."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tocsin import _cast, vec
from tocsin.contacts.timed import TIMED_KINDS
from tocsin.errors import TocsinError
from tocsin.model.base import Model, Motion
from tocsin.model.body import Body
from tocsin.model.carried import ScrewMotion
from tocsin.model.world import World
from tocsin.motion.joints import rotation_of
from tocsin.motion.poses import link_poses
from tocsin.motion.screw import relative_twist, seen_from
from tocsin.results import TimedContacts
from tocsin.screen.engine import INTERPOLATES, SCREWS, STANDS, all_pairs, screen_of
from tocsin.screen.facing import Chosen, Style, draw_body
from tocsin.screen.frame import project
from tocsin.screen.tables import Surfaces, lay_out

RESOLUTIONS = {"low": 6, "medium": 12, "high": 24}
"""Pixels along a typical short edge (section 9.1)."""

LEAST = -0.1
"""Contacts less proper than this are left out (section 9: what works well for driving games)."""

TIME_RESOLUTIONS = {"low": 1.0 / 64.0, "medium": 1.0 / 128.0, "high": 1.0 / 256.0}
"""Parts of the motion."""


class Cast(NamedTuple):
    """A scene as the screen's kernels read it, kept until the scene changes."""

    world: World
    surfaces: Surfaces
    poses: np.ndarray
    """(links, 2, 7): where everything stands."""
    pairs: dict[tuple[int, ...], np.ndarray]
    """Moving models -> pairs of shapes to look at."""
    names: dict[int, tuple[str, str]]


def cast_of(scene: Any) -> Cast:
    """Return the scene's tables, laid out again if it has changed."""
    world = scene._tables()
    kept: Cast | None = scene.__dict__.get("_cast_for_screen")
    if kept is None or kept.world is not world:
        poses = np.concatenate([_standing(model) for model in scene.models])
        names = {g: scene._name_of(world, g) for g in range(len(world.geoms))}
        kept = Cast(world, lay_out(scene.models, world), np.stack([poses, poses], axis=1), {}, names)
        scene.__dict__["_cast_for_screen"] = kept
    return kept


def _standing(model: Model) -> np.ndarray:
    """Return (links, 7): the pose rows of a model that stands."""
    if isinstance(model, Body):
        return model.stand.reshape(1, 7)
    return np.stack([_cast.pose(pose) for pose in link_poses(model.links, model.stand)])


def pairs_of(cast: Cast, moving: tuple[int, ...]) -> np.ndarray:
    """Return the pairs of shapes to look at, kept for the next question."""
    pairs = cast.pairs.get(moving)
    if pairs is None:
        pairs = cast.pairs[moving] = _pairs(cast.world, moving)
    return pairs


def _pairs(world: World, moving: tuple[int, ...]) -> np.ndarray:
    """Return (n, 2): pairs of shapes of different links of which at least one moves; ignored ones left out."""
    model, link = world.geoms["model"], world.geoms["link"]
    first, second = np.triu_indices(len(world.geoms), 1)
    moves = np.isin(model, moving)
    keep = (moves[first] | moves[second]) & (link[first] != link[second])
    first, second = first[keep], second[keep]
    ignored = {
        (i, int(world.rule_link[k]))
        for i in range(len(world.links))
        for k in range(world.rule_start[i], world.rule_start[i + 1])
        if world.rule_margin[k] == -np.inf
    }
    if ignored:
        kept = [(link[a], link[b]) not in ignored for a, b in zip(first, second)]
        first, second = first[kept], second[kept]
    return np.stack([first, second], axis=1).astype(np.int32)


def pixel_of(resolution: Any) -> tuple[float, float]:
    """Return (pixel, time resolution) for the kernels: a preset, or metres. A negative pixel is in parts of an edge."""
    if isinstance(resolution, str):
        _cast.choice(resolution, "resolution", RESOLUTIONS)
        return -1.0 / RESOLUTIONS[resolution], TIME_RESOLUTIONS[resolution]
    return _cast.scalar(resolution, "resolution (metres, or 'low', 'medium', 'high')", above=0.0), TIME_RESOLUTIONS[
        "medium"
    ]


def find(
    scene: Any,
    motions: tuple[Motion, ...],
    resolution: Any,
    time_resolution: float | None,
    properness: float | None,
    exact: bool,
) -> TimedContacts:
    """Return all contacts of the bodies of a scene: found on the collision screen, or exactly."""
    pixel, step = pixel_of(resolution)
    if time_resolution is not None:
        step = _cast.scalar(time_resolution, "time_resolution", above=0.0)
    least = (-1.0 if exact else LEAST) if properness is None else _cast.scalar(properness, "properness")
    cast = cast_of(scene)
    key, poses, how = moved(scene, cast, motions)
    pairs = pairs_of(cast, key)

    complete = exact

    def rows_of(poses: np.ndarray) -> np.ndarray:
        nonlocal complete
        if exact:
            from tocsin.screen.exact_ask import exact_rows

            rows, whole = exact_rows(scene, cast.world, cast.surfaces, pairs, poses, how, least)
            complete = complete and whole
            return rows
        return all_pairs(cast.surfaces, cast.world.nodes, pairs, poses, how, pixel, step, least)

    if max([m.pieces for m in motions], default=0) <= 1:
        return TimedContacts(rows_of(poses), cast.names, TIMED_KINDS, complete)
    found = []
    breaks = np.unique(np.concatenate([np.linspace(0.0, 1.0, m.pieces + 1) for m in motions if m.pieces]))
    for begin, end in pairwise(breaks):
        for m in motions:
            link = int(cast.world.models[scene._index[id(m.model)]]["link"])
            poses[link] = m.row_at(begin), m.row_at(end)
        rows = rows_of(poses)
        for name in ("time", "lo", "hi"):
            rows[name] = begin + rows[name] * (end - begin)
        rows["closing_speed"] /= end - begin
        found.append(rows)
    return TimedContacts(np.concatenate(found), cast.names, TIMED_KINDS, complete)


class Screen(NamedTuple):
    """The collision screen of two bodies, to look at: rows, and the records of both."""

    frame: Any
    start: float
    size: float
    rows: int
    a: tuple[np.ndarray, np.ndarray, np.ndarray]
    """Rows, and where each record begins and ends along h."""
    b: tuple[np.ndarray, np.ndarray, np.ndarray]

    def places(self, contacts: TimedContacts) -> list[tuple[float, float]]:
        """Return (r, h) of contacts with a body that stands at the origin of the world."""
        found = []
        for contact in contacts:
            x = vec.matvec(self.frame.rows, vec.sub(tuple(contact.point), self.frame.origin))
            r, h, _ = project(self.frame, *x, 0, 0.0)
            found.append((r, h))
        return found


def drawings(scene: Any, motion: Motion, resolution: Any) -> Screen:
    """Return the collision screen of the first two shapes of a scene, the second of which moves."""
    pixel, step = pixel_of(resolution)
    cast = cast_of(scene)
    _, poses, _ = moved(scene, cast, (motion,))
    one, two = cast.surfaces.table[0], cast.surfaces.table[1]
    (a_t0, a_t1), (b_t0, b_t1) = poses[one["link"]], poses[two["link"]]
    twist = relative_twist(a_t0, a_t1, b_t0, b_t1)
    place, q = seen_from(a_t0, b_t0)
    rotation = rotation_of(q)
    _, frame, grid, doppel, cut = screen_of(one, two, rotation, place, twist, pixel, step)
    all_of_it = Chosen(*[np.zeros(0, np.int32)] * 3)
    places = (
        (one, frame.rows, vec.scale(vec.matvec(frame.rows, frame.origin), -1.0), Style(-1.0, doppel, doppel)),
        (
            two,
            vec.matmul(frame.rows, rotation),
            vec.matvec(frame.rows, vec.sub(place, frame.origin)),
            Style(1.0, cut, False),
        ),
    )
    drawn = []
    for surface, turn, at, style in places:
        drawing = draw_body(cast.surfaces, surface, frame, grid, turn, at, style, all_of_it)
        records = drawing.records[: drawing.counts[1]]
        drawn.append((records["row"], records["hlo"], records["hhi"]))
    return Screen(frame, grid.start, grid.size, grid.rows, *drawn)


def moved(scene: Any, cast: Cast, motions: tuple[Motion, ...]) -> tuple[tuple[int, ...], np.ndarray, np.ndarray]:
    """Return the moving models, the pose rows of all links at both ends, and how each moves in between."""
    poses = cast.poses.copy()
    how = np.zeros(len(poses), np.int8)
    key = []
    for motion in motions:
        if not isinstance(motion, Motion):
            raise TocsinError(
                f"a question takes motions, from body.move(T0, T1), follow or at; got {type(motion).__name__}."
            )
        model = scene._index.get(id(motion.model))
        if model is None:
            raise TocsinError(f"{motion.model!r} is not in this scene; its models are: {', '.join(scene.names)}.")
        if model in key:
            raise TocsinError(f"{scene.names[model]!r} is given two motions; a model moves in one way at a time.")
        if not isinstance(motion.model, Body):
            raise TocsinError(
                f"all contacts are found for rigid bodies, and {scene.names[model]!r} is a robot; "
                "first_contact follows robots."
            )
        key.append(model)
        link = cast.world.models[model]["link"]
        poses[link] = motion.ends
        how[link] = SCREWS if isinstance(motion, ScrewMotion) else INTERPOLATES if motion.pieces else STANDS
    return tuple(key), poses, how
