"""Every contact during a motion: `Scene.contacts`, of bodies on the collision screen, and of deformable models."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tocsin import _cast, vec
from tocsin.broad_phase.model_tree import make_model_tree
from tocsin.contacts.timed import TIMED_KINDS
from tocsin.errors import TocsinError
from tocsin.limits import MAX_STEPS
from tocsin.model.base import Model, Motion, is_timed
from tocsin.model.body import Body
from tocsin.model.screw_body import ScrewMotion
from tocsin.model.tables import World
from tocsin.motion.joints import rotation_of
from tocsin.motion.knots import WHOLE, exact_time, stretches_of
from tocsin.motion.poses import link_poses
from tocsin.motion.screw import relative_twist, seen_from, turn_too_far
from tocsin.queries.context import Context
from tocsin.results import TimedContacts
from tocsin.screen.broad_phase import pairs_near
from tocsin.screen.chords import H0, H1, MOST_CHORDS, R0, R1, Grid
from tocsin.screen.collision_screen import INTERPOLATES, MOST_PAIRS, SCREWS, STANDS, all_contacts, screen_of, space_of
from tocsin.screen.drawing import blank_board, draw_body
from tocsin.screen.facing import EDGE_ON, SCRATCH, Style
from tocsin.screen.frame import Frame, project
from tocsin.screen.placing import Chosen
from tocsin.screen.tables import Drawn, Surfaces, lay_out, packed

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


class Cast(NamedTuple):
    """A scene as the screen's kernels read it, kept until the scene changes."""

    world: World
    surfaces: Surfaces
    packed: np.ndarray
    """The surfaces once more, as one array: each that a compiled call takes costs a fifth of a microsecond."""
    poses: np.ndarray
    """(links, 2, 8): where everything stands, and how it moves."""
    links: list[int]
    """The first link of each model."""
    pairs: dict[tuple[int, ...], np.ndarray]
    """Moving models -> pairs of shapes to look at."""
    names: Mapping[int, tuple[str, str]]
    space: int
    """How many numbers its largest pair needs to be drawn, up to MOST_KEPT."""


_kept = threading.local()


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
        return Cast(world, surfaces, packed(surfaces), poses, links, {}, names, _space(surfaces))

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
    if is_timed(motions):
        raise TocsinError(
            "contacts(...) lists contacts of motions in equal times, without tubes: ask contact_intervals(...) about "
            "motions with times or errors."
        )
    pairs = cast.pairs.get(key)
    if pairs is None:
        pairs = pairs_of(cast, key, poses)
    if pieces <= 1 and not exact and not (len(key) > 1 and turn_too_far(poses, turning_links(cast, key))):
        rows, whole = all_contacts(cast.packed, cast.world.nodes, pairs, poses, pixel, step, least, block_of(cast))
        if not whole:
            raise too_many()
        return answered(rows, cast, False)
    complete = exact
    found = []
    turning = turning_links(cast, key)
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
            continue
        if stretch != WHOLE:
            pairs = pairs_of(cast, key, poses)
        if exact:
            from tocsin.screen.exact_ask import exact_rows, tables_of

            how = poses[:, 0, 7].astype(np.int8)
            tables = context.kept("exact", cast.world, lambda: tables_of(context.models, cast.surfaces))
            rows, whole = exact_rows(tables, cast.world, cast.surfaces, pairs, poses[:, :, :7].copy(), how, least)
            complete = complete and whole
        else:
            rows, whole = all_contacts(cast.packed, cast.world.nodes, pairs, poses, pixel, step, least, block_of(cast))
            if not whole:
                raise too_many()
        if stretch != WHOLE:
            begin = float(exact_time(stretch, 0.0))
            lasts = float(exact_time(stretch, 1.0) - exact_time(stretch, 0.0))
            for name, outward in (("time", 0.0), ("lo", -(2.0**-50)), ("hi", 2.0**-50)):
                rows[name] = np.clip((begin + rows[name] * lasts) * (1.0 + outward), 0.0, 1.0)
            rows["closing_speed"] /= lasts
        found.append(rows)
    return answered(np.concatenate(found) if len(found) > 1 else found[0], cast, complete)


def turning_links(cast: Cast, moving: tuple[int, ...]) -> np.ndarray:
    """Return the links of the models that move."""
    return np.array([cast.links[k] for k in moving])


def too_many() -> TocsinError:
    """Return the error of two shapes that have too much in one place to be drawn."""
    return TocsinError(
        f"more than {MOST_PAIRS:,} pairs of edges of two shapes may cross on their screen; exact=True lists contacts "
        "as far as it gets, and says in `complete` if that was all."
    )


def block_of(cast: Cast) -> np.ndarray:
    """Return this thread's numbers to work in: as many as two of the scene's shapes need, or MOST_KEPT."""
    block = _kept.__dict__.get("block")
    if block is None or len(block) < cast.space:
        block = _kept.block = np.empty(cast.space)
    return block


def answered(rows: np.ndarray, cast: Cast, complete: bool) -> TimedContacts:
    """Return `TimedContacts(rows, cast.names, TIMED_KINDS, complete)`, made in a third of the time: fields of a frozen
    class are set one by one otherwise."""
    rows.setflags(False)  # pyright: ignore[reportCallIssue]  # by keyword it takes longer
    found = object.__new__(TimedContacts)
    fill = found.__dict__
    fill["rows"], fill["names"], fill["kinds"], fill["complete"] = rows, cast.names, TIMED_KINDS, complete
    return found


class Screen(NamedTuple):
    """The collision screen of two bodies, to look at: rows, and the records of both."""

    frame: Frame
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


def boards(context: Context, motion: Motion, resolution: str | float) -> tuple[Frame, Grid, list[np.ndarray]]:
    """Return the frame and the screen of the first two shapes of a scene, the second of which moves, and the tables of
    their chords."""
    pixel, step = pixel_of(resolution)
    cast = cast_of(context)
    _, poses, _ = moved(context, cast, (motion,))
    one, two = cast.surfaces.table[0], cast.surfaces.table[1]
    (a_t0, a_t1), (b_t0, b_t1) = poses[one["link"], :, :7].copy(), poses[two["link"], :, :7].copy()
    twist = relative_twist(a_t0, a_t1, b_t0, b_t1)
    place, q = seen_from(a_t0, b_t0)
    rotation = rotation_of(q)
    _, frame, grid, doppel, cut, far_a, far_b = screen_of(one, two, rotation, place, twist, pixel, step)
    all_of_it = Chosen(*[np.zeros(0, np.int32)] * 3)
    turn_b = vec.matmul(frame.rows, rotation)
    at_a = vec.scale(vec.matvec(frame.rows, frame.origin), -1.0)
    at_b = vec.matvec(frame.rows, vec.sub(place, frame.origin))
    tables = []
    for surface, turn, at, sign, cuts, lasts, far in (
        (one, frame.rows, at_a, -1.0, (doppel, doppel), 0.0, far_a),
        (two, turn_b, at_b, 1.0, (cut, False), 1.0, far_b),
    ):
        style = Style(sign, bool(surface["closed"]), EDGE_ON * (frame.angle * far + abs(frame.pitch)), *cuts, lasts)
        extra = MOST_CHORDS * int(surface["edges"])
        block = np.zeros(space_of(surface, surface, extra))
        board = blank_board(block, np.int64(0), surface, cuts[0], np.zeros((SCRATCH, 4)), np.int64(extra))
        tables_of = cast.surfaces
        drawn = Drawn(tables_of.sides, tables_of.numbers, tables_of.places, tables_of.planes, tables_of.links)
        n = draw_body(board, drawn, surface, frame, grid, (turn, at), style, all_of_it)
        tables.append(board.chords[:n].copy())  # they are in the block
    return frame, grid, tables


def drawings(context: Context, motion: Motion, resolution: str | float) -> Screen:
    """Return the collision screen of the first two shapes of a scene, the second of which moves."""
    frame, grid, tables = boards(context, motion, resolution)
    start = grid.least + grid.size
    rows = int((grid.most - start) / grid.size)
    return Screen(frame, start, grid.size, rows, *[pixels(chords, grid) for chords in tables])


def pixels(chords: np.ndarray, grid: Grid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (row, from, to) along h of what chords cover, row by row of pixels."""
    found = []
    start = grid.least + grid.size
    for r0, h0, r1, h1 in chords[:, [R0, H0, R1, H1]]:
        low, high = sorted((r0, r1))
        for row in range(int((low - start) // grid.size), int((high - start) // grid.size) + 1):
            ends = np.clip([start + row * grid.size, start + (row + 1) * grid.size], low, high)
            h = np.sort(h0 + (ends - r0) * (h1 - h0) / (r1 - r0)) if r1 != r0 else np.sort([h0, h1])
            if start <= ends[1] and ends[0] <= grid.most:
                found.append((row, *h))
    rows, lo, hi = np.array(found).reshape(-1, 3).T
    return rows.astype(int), lo, hi


def moved(context: Context, cast: Cast, motions: tuple[Motion, ...]) -> tuple[tuple[int, ...], np.ndarray, int]:
    """Return the moving models, the poses of all links at both ends with how each moves in between, and the most pieces
    that a motion has."""
    poses = cast.poses.copy()
    key: dict[int, None] = {}
    pieces = 0
    for motion in motions:
        if not isinstance(motion, Motion):
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
        row = poses[cast.links[model]]
        count = len(motion.rows) - 1
        row[:, :7] = motion.rows if count == 1 and motion.__class__ is Motion else motion.ends
        pieces = max(pieces, count)
        row[0, 7] = SCREWS if isinstance(motion, ScrewMotion) else INTERPOLATES if count else STANDS
    return tuple(key), poses, pieces
