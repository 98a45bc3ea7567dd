"""Every contact during a motion: `Scene.contacts`, of bodies on the collision screen, and of deformable models."""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tocsin import _cast
from tocsin._types import Records
from tocsin.broad_phase.model_tree import make_model_tree
from tocsin.compiler.addresses import Table
from tocsin.contacts.timed import TIMED_KINDS
from tocsin.errors import TocsinError
from tocsin.limits import MAX_STEPS
from tocsin.model.base import Model, Motion
from tocsin.model.body import Body
from tocsin.model.screw_body import ScrewMotion
from tocsin.model.tables import World
from tocsin.motion.knots import WHOLE, exact_time, stretches_of
from tocsin.motion.poses import link_poses
from tocsin.motion.screw import turn_too_far
from tocsin.queries.context import Context
from tocsin.results import TimedContacts
from tocsin.screen.broad_phase import pairs_near
from tocsin.screen.collision_screen import (
    INTERPOLATES,
    MOST_PAIRS,
    SCREWS,
    STANDS,
    all_contacts,
    space_of,
    table_of_shapes,
)
from tocsin.screen.resolve import make_workspace
from tocsin.screen.tables import Surfaces, lay_out

if TYPE_CHECKING:
    from tocsin.soft_results import FeatureContacts, TriangleTimes

EVERY = ("contact", "pair", "triangle")
"""What can be listed."""

RESOLUTIONS = {"low": 6, "medium": 12, "high": 24}
"""Pixels along a typical short edge [SCREW 9.1]."""

LEAST = -0.1
"""Contacts less proper than this are left out: what works well for driving games [SCREW 9 end]."""

TIME_RESOLUTIONS = {"low": 1.0 / 64.0, "medium": 1.0 / 128.0, "high": 1.0 / 256.0}
"""Parts of the motion."""

PRESETS = {name: (-1.0 / pixels, TIME_RESOLUTIONS[name]) for name, pixels in RESOLUTIONS.items()}
"""Pixel and time resolution for the kernels; a negative pixel is in parts of an edge."""

FEW_SHAPES = 64
"""Of which all pairs are looked at."""

MOST_KEPT = 1_000_000
"""Numbers that a thread keeps to work in: 8 MB; larger pairs take their own for each question."""


class Moving(NamedTuple):
    """Where a thread writes how some models move. What others do stays as it is from one question to the next."""

    key: tuple[int, ...]
    """Their places in the scene."""
    poses: np.ndarray
    """As `Cast.poses`."""
    ends: list[np.ndarray]
    """Of each model, the part of the poses that is written: views of them are made once."""
    rows: list[np.ndarray]
    """And that which tells how it moves."""
    model: Model | None
    """The one that moves, if it is alone."""


class Own(threading.local):
    """What each thread keeps of a scene."""

    def __init__(self) -> None:
        self.moving: dict[tuple[int, ...], Moving] = {}
        self.last: Moving | None = None


MOST_MOVING = 16
"""Sets of moving models that it remembers."""


class Cast(NamedTuple):
    """A scene as the screen's kernels read it, kept until the scene changes."""

    world: World
    surfaces: Surfaces
    shapes: Table
    """Where they are, and the nodes of hierarchies: each array that a compiled call takes costs a fifth of a
    microsecond."""
    poses: np.ndarray
    """(links, 2, 8): where everything stands, and how it moves."""
    links: list[int]
    """The first link of each model."""
    pairs: dict[tuple[int, ...], np.ndarray]
    """Moving models -> pairs of shapes to look at."""
    names: Mapping[int, tuple[str, str]]
    space: int
    """How many numbers its largest pair needs to be drawn, up to MOST_KEPT."""
    own: Own


_kept = threading.local()

_screen = getattr(all_contacts, "entry", all_contacts)
"""As Python calls it, without looking for that."""


def cast_of(context: Context) -> Cast:
    """Return the scene's tables, laid out again if it has changed."""
    world = context.tables()

    def lay() -> Cast:
        rest = np.concatenate([_standing(model) for model in context.models])
        poses = np.zeros((len(rest), 2, 8))
        poses[:, :, :7] = rest[:, None]
        poses[:, :, 7] = STANDS
        names = MappingProxyType({g: context.name_of(world, g) for g in range(len(world.geoms))})
        surfaces = lay_out(context.models, world)
        links = world.models["link"].tolist()
        shapes = table_of_shapes(surfaces, world.nodes)
        return Cast(world, surfaces, shapes, poses, links, {}, names, _space(surfaces), Own())

    return context.kept("cast", world, lay)


def _space(surfaces: Surfaces) -> int:
    """Return how many numbers the largest pair needs, up to MOST_KEPT."""
    if len(surfaces.table) == 0:
        return 0
    largest = surfaces.table[np.argmax(surfaces.table["edges"])]
    return min(int(space_of(largest, largest, 0)), MOST_KEPT)


def _standing(model: Model) -> np.ndarray:
    """Return (links, 7): the pose rows of a model that stands."""
    if isinstance(model, Body):
        return model.rest.reshape(1, 7)
    return np.stack([_cast.pose(pose) for pose in link_poses(model.kernel_links, model.rest.copy())])


def pairs_of(cast: Cast, moving: tuple[int, ...], poses: np.ndarray) -> np.ndarray:
    """Return the pairs of shapes to look at: of many those that can meet, of a few all, kept for the next question."""
    if len(cast.surfaces.table) > FEW_SHAPES:
        moves = np.isin(cast.world.geoms["model"], moving)
        tree = make_model_tree(len(cast.surfaces.table))
        return pairs_near(tree, cast.surfaces.table, poses, cast.world, moves)
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


def pixel_of(resolution: str | float) -> tuple[float, float]:
    """Return (pixel, time resolution) for the kernels: a preset, or metres. A negative pixel is in parts of an edge."""
    if isinstance(resolution, str):
        return PRESETS[_cast.choice(resolution, "resolution", PRESETS)]
    size = _cast.scalar(resolution, "resolution (metres, or 'low', 'medium', 'high')", above=0.0)
    return size, TIME_RESOLUTIONS["medium"]


def contacts(
    context: Context, motions: tuple[Motion, ...], every: str | None,
    screen: tuple[str | float, float | None, float | None, bool], terms: tuple[float, float | None, int],
) -> TimedContacts | FeatureContacts | TriangleTimes:  # fmt: skip
    """Answer `Scene.contacts`.

    `screen`: resolution, time_resolution, properness and exact, of rigid bodies; `terms`: margin, tolerance and
    max_steps, of deformable models.
    """
    kind = ("pair" if context.soft else "contact") if every is None else _cast.choice(every, "every", EVERY)
    margin, tolerance, max_steps = terms
    if kind != "contact":
        resolution, time_resolution, properness, exact = screen
        shown = isinstance(resolution, str) and resolution == "medium"
        if exact is not False or properness is not None or time_resolution is not None or not shown:
            raise TocsinError(
                "exact, resolution, time_resolution and properness are for contacts of rigid bodies; those of "
                "deformable models are complete without: leave them out."
            )
        return of_features(context, motions, kind, margin, tolerance, max_steps)
    if context.soft:
        context.links_only('contacts(every="contact")', 'every="pair" and every="triangle" are for these')
    usual = margin.__class__ is float and margin == 0.0
    if (not usual and _cast.margin(margin) != 0.0) or tolerance is not None or max_steps is not MAX_STEPS:
        raise TocsinError(
            "margin, tolerance and max_steps are for contacts of deformable models; bodies have none here."
        )
    return of_bodies(context, motions, *screen)


def of_features(
    context: Context, motions: tuple[Motion, ...], every: str, margin: float, tolerance: float | None, max_steps: int
) -> FeatureContacts | TriangleTimes:
    """Return every contact of deformable models: by "pair" or by "triangle"."""
    from tocsin.deform import answer
    from tocsin.queries.deformables import question

    if not context.soft:
        raise TocsinError(f"every={every!r} is about deformable models, and none is in this scene; leave it out.")
    max_steps = _cast.count(max_steps, "max_steps")
    motions = context.on_clock(motions)
    asked = question(context, motions, context.rules.of_links(), margin, tolerance, context.threads, max_steps)
    say = answer.all_contacts if every == "pair" else answer.triangle_times
    return say(asked, context.names, motions)


def of_bodies(
    context: Context,
    motions: tuple[Motion, ...],
    resolution: str | float,
    time_resolution: float | None,
    properness: float | None,
    exact: bool,
) -> TimedContacts:
    """Return all contacts of the bodies of a scene: found on the collision screen, or exactly."""
    if exact.__class__ is not bool:
        _cast.flag(exact, "exact")
    pixel, step = (type(resolution) is str and PRESETS.get(resolution)) or pixel_of(resolution)
    if time_resolution is not None:
        step = _cast.scalar(time_resolution, "time_resolution", above=0.0)
    least = (
        (-1.0 if exact else LEAST)
        if properness is None
        else _cast.scalar(properness, "properness", least=-1.0, most=1.0)
    )
    cast = cast_of(context)
    key, poses, pieces = moved(context, cast, motions)
    pairs = cast.pairs.get(key)
    if pairs is None:
        pairs = pairs_of(cast, key, poses)
    if pieces <= 1 and not exact and not (len(key) > 1 and turn_too_far(poses, turning_links(cast, key))):
        return answered(on_screen(cast, pairs, poses, pixel, step, least), cast, False)
    complete = exact
    found: list[Records] = []
    for stretch in stretches_to_ask(motions, poses, turning_links(cast, key)):
        if stretch != WHOLE:
            pairs = pairs_of(cast, key, poses)
        if exact:
            rows, whole = exactly(context, cast, pairs, poses, least)
            complete = complete and whole
        else:
            rows = on_screen(cast, pairs, poses, pixel, step, least)
        if stretch != WHOLE:
            put_into(rows, stretch)
        found.append(rows)
    return answered(np.concatenate(found) if len(found) > 1 else found[0], cast, complete)


def stretches_to_ask(
    motions: tuple[Motion, ...], poses: np.ndarray, turning: np.ndarray
) -> Iterator[tuple[int, int, int, int]]:
    """Yield stretches of the motions in which no two bodies turn too far against each other for one screw.

    While one is asked about, `poses` of the links that move are those at its ends.
    """
    waiting = [tuple(stretch) for stretch in stretches_of(m.pieces for m in motions)[::-1].tolist()]
    while waiting:
        stretch = waiting.pop()
        if stretch != WHOLE:
            for k, m in zip(turning, motions):
                poses[k, :, :7] = m.rows_in(stretch)
        if turn_too_far(poses, turning):
            # Each body turns by half a turn at most, so that no two go farther against each other in either half.
            middle = exact_time(stretch, 0.5).as_integer_ratio()
            waiting += [(*middle, *stretch[2:]), (*stretch[:2], *middle)]
        else:
            yield stretch


def on_screen(
    cast: Cast, pairs: np.ndarray, poses: np.ndarray, pixel: float, step: float, least: float
) -> Records:  # fmt: skip
    """Return the contacts that the collision screen shows, by time."""
    rows, whole = _screen(cast.shapes, pairs, poses, pixel, step, least, scratch_of(cast))
    if not whole:
        raise TocsinError(
            f"more than {MOST_PAIRS:,} pairs of edges of two shapes may cross on their screen; exact=True lists "
            "contacts as far as it gets, and says in `complete` if that was all."
        )
    return rows


def exactly(
    context: Context, cast: Cast, pairs: np.ndarray, poses: np.ndarray, least: float
) -> tuple[Records, bool]:  # fmt: skip
    """Return the contacts by time, found without a screen, and whether these are proven to be all."""
    from tocsin.screen.exact_ask import exact_rows, tables_of

    how = poses[:, 0, 7].astype(np.int8)
    tables = context.kept("exact", cast.world, lambda: tables_of(context.models, cast.surfaces))
    return exact_rows(tables, cast.world, cast.surfaces, pairs, poses[:, :, :7].copy(), how, least)


def put_into(rows: Records, stretch: tuple[int, int, int, int]) -> None:
    """Turn the times of a stretch into those of the whole motion."""
    begin = float(exact_time(stretch, 0.0))
    lasts = float(exact_time(stretch, 1.0) - exact_time(stretch, 0.0))
    for name, outward in (("time", 0.0), ("lo", -(2.0**-50)), ("hi", 2.0**-50)):
        rows[name] = np.clip((begin + rows[name] * lasts) * (1.0 + outward), 0.0, 1.0)
    rows["closing_speed"] /= lasts


def turning_links(cast: Cast, moving: tuple[int, ...]) -> np.ndarray:
    """Return the links of the models that move."""
    return np.array([cast.links[k] for k in moving])


def scratch_of(cast: Cast) -> Table:
    """Return this thread's workspace, with as many numbers as two of the scene's shapes need, or MOST_KEPT."""
    kept = _kept.__dict__
    if kept.get("space", -1) < cast.space:
        kept["space"], kept["scratch"] = cast.space, make_workspace(cast.space)
    return kept["scratch"]


def answered(rows: np.ndarray, cast: Cast, complete: bool) -> TimedContacts:
    """Return `TimedContacts(rows, cast.names, TIMED_KINDS, complete)`, made in a third of the time: fields of a frozen
    class are set one by one otherwise."""
    rows.setflags(False)  # pyright: ignore[reportCallIssue]  # by keyword it takes longer
    found = object.__new__(TimedContacts)
    fill = found.__dict__
    fill["rows"], fill["names"], fill["kinds"], fill["complete"] = rows, cast.names, TIMED_KINDS, complete
    return found


def moved(context: Context, cast: Cast, motions: tuple[Motion, ...]) -> tuple[tuple[int, ...], np.ndarray, int]:
    """Return the moving models, the poses of all links at both ends with how each moves in between, and the most pieces
    that a motion has.

    The poses are this thread's, and hold until its next question.
    """
    moving = cast.own.last
    motion = motions[0] if len(motions) == 1 else None
    if moving is None or not isinstance(motion, Motion) or motion.model is not moving.model:
        moving = moving_of(context, cast, motions)
    pieces = 0
    for motion, ends, row in zip(motions, moving.ends, moving.rows):
        if motion.times is not None:
            raise TocsinError(
                "contacts(...) lists contacts of motions in equal times, without tubes: ask contact_intervals(...) "
                "about motions with times or errors."
            )
        count = len(motion.rows) - 1
        ends[...] = motion.rows if count == 1 and motion.__class__ is Motion else motion.ends
        row[7] = SCREWS if isinstance(motion, ScrewMotion) else INTERPOLATES if count else STANDS
        if count > pieces:
            pieces = count
    return moving.key, moving.poses, pieces


def moving_of(context: Context, cast: Cast, motions: tuple[Motion, ...]) -> Moving:
    """Return where this thread writes how the models of these motions move, after checking that bodies can."""
    key: dict[int, None] = {}
    for motion in motions:
        if not _cast.instance(motion, Motion):
            raise TocsinError(
                f"a question takes motions, from body.move(T0, T1), follow or at; got {type(motion).__name__}."
            )
        model = context.places.get(id(motion.model))
        if model is None:
            raise TocsinError(f"{motion.model!r} is not in this scene; its models are: {', '.join(context.names)}.")
        if model in key:
            raise TocsinError(f"{context.names[model]!r} is given two motions; a model moves in one way at a time.")
        if not isinstance(motion.model, Body):
            raise TocsinError(
                f"all contacts are found for rigid bodies, and {context.names[model]!r} is a robot; "
                "first_contact and contact_intervals follow robots."
            )
        key[model] = None
    own = cast.own
    places = tuple(key)
    moving = own.moving.get(places)
    if moving is None:
        if len(own.moving) >= MOST_MOVING:
            own.moving.clear()
        poses = cast.poses.copy()
        links = [poses[cast.links[k]] for k in places]
        ends, rows = [link[:, :7] for link in links], [link[0] for link in links]
        moving = own.moving[places] = Moving(places, poses, ends, rows, motions[0].model if len(motions) == 1 else None)
    own.last = moving
    return moving
