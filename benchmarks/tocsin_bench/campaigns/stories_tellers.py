"""Who tells a story: every question of the library about one motion, and what each answer claims (`stories`)."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import tocsin
from tocsin.model.base import Motion
from tocsin.model.deformable import Deforming
from tocsin.motion.poses import base_matrix
from tocsin.results import Status
from tocsin_bench.campaigns.stories_claims import LATE, Apart, Claims, Near, pair_of
from tocsin_bench.campaigns.stories_clock import ask_on_a_clock
from tocsin_bench.campaigns.stories_poses import half_turns
from tocsin_bench.campaigns.stories_scenes import Actor, Link, Story, Told, motion_of, pose_of, quaternion_of, told

QUARTER_TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])

CHARTED = 25
"""One robot in so many is asked before and after its charts are made, a tenth of a second each."""


@dataclass
class Tale:
    """One story under way: what was asked, and what was claimed."""

    name: str
    story: Story
    told: Told
    claims: Claims
    first: Any
    """The answer of `first_contact`."""
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def asked(self) -> dict[str, Any]:
        """Return the options of every question."""
        return {"margin": self.story.margin, "tolerance": self.story.tolerance}

    @property
    def soft(self) -> bool:
        """Return whether a cloth takes part."""
        return any(actor.kind == "cloth" for actor in self.story.actors)

    @property
    def widest(self) -> float:
        """Return a bound on every pair's tolerance: the default is 1e-4 of the smaller one's diagonal."""
        return 1e-4 * 4.0 * self.story.size if self.story.tolerance is None else self.story.tolerance


def fingerprint(hit: Any, scale: float = 1.0) -> tuple[Any, ...]:
    """Return all of an answer, lengths in units of `scale`."""
    said = [hit.status.name, hit.time, hit.tolerance / scale]
    for c in hit.contacts:
        said += [c.model_a, c.link_a, c.model_b, c.link_b, c.kind, c.features, c.distance / scale]
        said += [(c.point_a / scale).tobytes(), (c.point_b / scale).tobytes(), (c.normal + 0.0).tobytes()]
    return tuple(said)


def ask_engines(tale: Tale) -> None:
    """Ask both engines on both back ends, for the first contact and for yes or no."""
    backend = "hulls" if tale.story.backend == "triangles" else "triangles"
    other = replace(tale.told, scene=tocsin.Scene(*tale.told.models.values(), backend=backend, threads=1))
    for place, each in (("", tale.told), (f"/{backend}", other)):
        for method in ("advancement", "interval"):
            if tale.soft and method == "interval":
                continue
            hit = each.scene.first_contact(*each.motions, method=method, **tale.asked)
            free = each.scene.is_free(*each.motions, method=method, **tale.asked)
            tale.claims.hit(method + place, hit)
            if free:
                tale.claims.apart.append(Apart(f"is_free.{method}{place}", 0.0, 1.0, tale.story.margin))
            elif hit.status is not Status.CAPPED:
                tale.claims.near.append(Near(f"is_free.{method}{place}", None, tale.story.margin + tale.widest))
            tale.notes["band"] += free != (hit.status is Status.FREE)
    step = tale.told.scene.safe_step(*tale.told.motions, **tale.asked)
    if step != min(tale.first.time, 1.0):
        tale.claims.wrong.append(("safe_step", f"{step!r} where the time is {tale.first.time!r}"))


def ask_cap_and_margin(tale: Tale) -> None:
    """Ask with a cap of two steps, and for a margin that is wider than all tolerances."""
    tale.claims.hit("capped", tale.told.scene.first_contact(*tale.told.motions, max_steps=2, **tale.asked))
    tale.claims.capped = 0  # as it should be, now and then
    wide = tale.story.margin + 2.0 * tale.widest
    hit = tale.told.scene.first_contact(*tale.told.motions, margin=wide, tolerance=tale.story.tolerance)
    tale.claims.hit("wider", hit, wide)


def ask_intervals(tale: Tale, each: Told | None = None, who: str = "intervals", names: Any = None) -> None:
    """Ask when which links are in contact."""
    each = each or tale.told
    found = each.scene.contact_intervals(*each.motions, **tale.asked)
    by_pair: dict[Any, list[Any]] = {}
    for one in found:
        by_pair.setdefault(pair_of(one), []).append(one)
    until = found.until
    if (found.status is Status.FREE) != (len(found) == 0 and until == 1.0):
        tale.claims.wrong.append((who, f"{found.status.name} with {len(found)} intervals until {until!r}"))
    m = tale.story.margin
    ends = sorted((one.enter, one.exit) for one in found)
    reach = 0.0
    for enter, leave in ends:
        if enter > reach and reach < until:  # beyond `until`, where the cap ended the list, it says nothing
            end = min(enter, until)
            tale.claims.apart.append(Apart(who, math.nextafter(reach, 2.0) if reach else 0.0, end, m, closed=False))
        reach = max(reach, leave)
    if reach < until:
        tale.claims.apart.append(Apart(who, math.nextafter(reach, 2.0) if len(found) else 0.0, until, m))
    for pair, intervals in by_pair.items():
        for one in intervals[:4]:
            for t in (one.enter, (one.enter + one.exit) / 2, one.exit):
                if one.proven and names is None:
                    tale.claims.near.append(Near(who, t, m + one.tolerance, frozenset([pair])))


def ask_lists(tale: Tale) -> None:
    """Ask for all contacts: by feature pair and triangle of cloths; of bodies on the screen and exactly."""
    scene, motions = tale.told.scene, tale.told.motions
    if tale.soft:
        _ask_soft_lists(tale)
        return
    if any(isinstance(m.model, tocsin.Robot) for m in motions):
        return
    lists = [scene.contacts(*motions)]
    if not _round_shapes(tale.story):
        lists.append(scene.contacts(*motions, exact=True))
    for found in lists:
        if (np.diff(found.times) < 0.0).any() or not ((found.times >= 0.0) & (found.times <= 1.0)).all():
            tale.claims.wrong.append(("contacts", "times out of order"))
    exact = lists[-1]
    if tale.story.margin > 0.0 or not exact.complete or not _on_screws(tale.story):
        return
    apart_at_first = scene.distance(*_standing(motions, 0.0)).lower > 0.0
    if apart_at_first and tale.first.status is not Status.INITIAL_CONTACT:
        first = float(exact.rows["lo"].min()) if len(exact) else 1.0
        tale.claims.apart.append(Apart("exact", 0.0, max(first - 1e-9, 0.0), 0.0, closed=not len(exact)))
        tale.notes["band"] += not len(exact) and tale.first.status is Status.CONTACT
    for contact in list(exact)[:4]:
        if contact.proven:
            width = contact.bracket[1] - contact.bracket[0]
            workspace = 1e-9 * tale.story.size + 20.0 * tale.story.size * width
            tale.claims.near.append(Near("exact", contact.time, workspace, frozenset([pair_of(contact)])))


def _on_screws(story: Story) -> bool:
    """Return whether all relative motions are screws: then exact lists are of this motion."""
    moving = [a for a in story.actors if len(a.stations) > 1]
    turning = [a for a in moving if any(not np.array_equal(p[:3, :3], a.stations[0][:3, :3]) for p in a.stations)]
    return not turning or (len(moving) == 1 and moving[0].screw)


def _round_shapes(story: Story) -> bool:
    parts = [p for actor in story.actors for link in actor.links for p in link.parts]
    return any(p.kind in ("sphere", "capsule", "cylinder") for p in parts)


def _ask_soft_lists(tale: Tale) -> None:
    """Ask for the lists of cloths; one that is not complete may leave out anything, and claims what it holds alone."""
    scene, motions = tale.told.scene, tale.told.motions
    pairs = scene.contacts(*motions, every="pair", **tale.asked)
    triangles = scene.contacts(*motions, every="triangle", **tale.asked)
    tale.claims.capped += not (pairs.complete and triangles.complete)
    m = tale.story.margin
    cloths = {a.name for a in tale.story.actors if a.kind == "cloth"}
    others = {a.name: a for a in tale.story.actors}
    for names in dict.fromkeys(pairs.pairs):  # a body of two shapes is there twice
        if not pairs.complete:
            continue
        places = frozenset([frozenset(_place(others, name) for name in names)])
        times = pairs.times[np.isin(pairs.pair, [k for k, each in enumerate(pairs.pairs) if each == names])]
        first = float(times[0]) if len(times) else 1.0
        tale.claims.apart.append(Apart("every pair", 0.0, first, m, closed=not len(times), pairs=places))
    for contact in [pairs[k] for k in range(min(len(pairs), 3))]:
        if contact.proven:
            tale.claims.near.append(Near("every pair", contact.time, m + tale.widest, frozenset([pair_of(contact)])))
    for name in cloths if triangles.complete else ():
        for k, time in enumerate(triangles[name].tolist()):
            closed = not math.isfinite(time)
            end = 1.0 if closed else time
            tale.claims.apart.append(Apart("every triangle", 0.0, end, m, closed=closed, triangle=(name, k)))
    firsts = [float(t[0]) if len(t) else math.inf for t in (pairs.times, triangles.times)]
    tale.notes["band"] += (min(firsts) == math.inf) != (max(firsts) == math.inf)


def _place(actors: dict[str, Actor], name: str) -> tuple[str, str]:
    """Return (model, link) of a name in a list."""
    for actor in actors.values():
        if name == actor.name:
            return actor.name, actor.name
        for link in actor.links:
            if len(actor.links) > 1 and name in (link.name, f"{actor.name}/{link.name}"):
                return actor.name, link.name
    return name, name


def _standing(motions: Sequence[Any], t: float) -> list[Any]:
    """Return the models of some motions where they are at time t."""
    where: list[Any] = []
    for m in motions:
        model: Any = m.model
        where.append(model.at(m.vertices_at(t)) if isinstance(m, Deforming) else Motion(model, m.row_at(t)[None]))
    return where


def ask_distance(tale: Tale) -> None:
    """Ask how far apart things are at some times; what is inside of something is at a distance of its surface."""
    if not tale.told.motions:
        return
    solid = any(p.kind == "solid" for a in tale.story.actors for x in a.links for p in x.parts)
    for t in (0.0, 0.5, 1.0, tale.first.time):
        if t <= 1.0:
            found = tale.told.scene.distance(*_standing(tale.told.motions, t))
            if found.lower > 0.0 and not solid:
                lower = math.nextafter(found.lower, 0.0) - 1e-12 * tale.story.size
                tale.claims.apart.append(Apart("distance", t, t, lower))
            if math.isfinite(found.distance):
                tale.claims.near.append(Near("distance", t, found.distance))


def ask_audit(tale: Tale, each: Told | None = None, who: str = "audit") -> None:
    """Audit the motion of a robot among things that stand."""
    each = each or tale.told
    if tale.soft or len(each.motions) != 1 or not isinstance(each.motions[0].model, tocsin.Robot):
        return
    (motion,) = each.motions
    if motion.pieces == 0:
        return
    found = tocsin.audit(each.scene, motion.model, motion, resolution=0.05, **tale.asked)
    last = 0.0
    m, n = tale.story.margin, motion.pieces
    for stretch in found.stretches:
        enter, leave = stretch.enter.position / n, stretch.exit.position / n
        if enter > last:
            tale.claims.apart.append(Apart(who, last + LATE if last else 0.0, enter - LATE, m))
        if stretch.is_contact:
            for t in (enter, leave):
                tale.claims.near.append(Near(who, min(t, 1.0), m + tale.widest))
        last = leave
    if last < 1.0:
        tale.claims.apart.append(Apart(who, last + LATE if found.stretches else 0.0, 1.0, m))
    tale.claims.apart.append(Apart(f"{who}.clearance", 0.0, 1.0, found.clearance.lower - 1e-12 * tale.story.size))
    tale.claims.near.append(Near(f"{who}.clearance", found.clearance.at.position / n, found.clearance.upper))


def ask_otherwise(tale: Tale) -> None:
    """Ask about the reverse, about both halves, from a turned frame, and with the models in another order."""
    story, halves = tale.story, half_turns(tale.story)
    backwards = _reversed(tale)
    if backwards is not None:
        tale.claims.hit("reversed", tale.told.scene.first_contact(*backwards, **tale.asked), at=1.0, rate=-1.0)
    for motions, at, rate in _cut(tale):
        tale.claims.hit("cut", tale.told.scene.first_contact(*motions, **tale.asked), at=at, rate=rate)
    if not halves:
        turned = told(story, turn=QUARTER_TURN)
        tale.claims.hit("turned", turned.scene.first_contact(*turned.motions, **tale.asked))
    models = reversed(tale.told.models.values())
    other = tocsin.Scene(*models, backend=story.backend, threads=1)
    hit = other.first_contact(*reversed(tale.told.motions), **tale.asked)
    tale.claims.hit("order", hit)
    tale.notes["order"] += (hit.status, hit.time) != (tale.first.status, tale.first.time)


def _through(motion: Any, times: list[float]) -> Any:
    """Return a motion through where another is at these times, as a user would write it."""
    model = motion.model
    if isinstance(motion, Deforming):
        return model.follow([motion.vertices_at(t) for t in times])
    rows = [motion.row_at(t) for t in times]
    if isinstance(model, tocsin.Robot):
        bases = [base_matrix(row) for row in rows] if model.base == "free" else None
        return model.follow([row[7:] for row in rows], base=bases)
    return model.follow([base_matrix(row) for row in rows])


def _reversed(tale: Tale) -> tuple[Any, ...] | None:
    """Return the motions backwards: through the middles of all pieces, so that half turns keep their arcs."""
    if any(actor.screw for actor in tale.story.actors):
        return None
    out = []
    for motion in tale.told.motions:
        n = 2 * motion.pieces
        out.append(motion if n == 0 else _through(motion, [1.0 - k / n for k in range(n + 1)]))
    return tuple(out)


def _cut(tale: Tale) -> Iterator[tuple[tuple[Any, ...], float, float]]:
    """Yield (motions, begin, length) of two parts: cut at the first knot if all have the same, or in the middle."""
    if len(tale.story.pieces) != 1 or any(actor.screw for actor in tale.story.actors):
        return
    (n,) = tale.story.pieces
    if n == 1:
        for part in ([0.0, 0.5], [0.5, 1.0]):
            yield tuple(m if m.pieces == 0 else _through(m, part) for m in tale.told.motions), part[0], 0.5
        return
    models = tale.told.models
    for part, begin in ((slice(0, 2), 0.0), (slice(1, None), 1.0 / n)):
        motions = []
        for actor in tale.story.actors:
            if actor.moves:
                stations = actor.stations[part] if len(actor.stations) > 1 else actor.stations
                motions.append(motion_of(models[actor.name], replace(actor, stations=stations)))
        yield tuple(motions), begin, 1.0 / n if begin == 0.0 else 1.0 - 1.0 / n


def ask_retold(tale: Tale) -> None:
    """Ask about a body as the link of a robot on a floating joint, with its audit; as a cloth, if it never turns."""
    story = tale.story
    moving = [actor for actor in story.actors if len(actor.stations) > 1]
    if len(moving) != 1 or moving[0].kind != "body" or any(a.moves for a in story.actors if a is not moving[0]):
        return
    (body,) = moving
    still = all(np.array_equal(p[:3, :3], body.stations[0][:3, :3]) for p in body.stations)
    if (not body.screw or still) and not half_turns(story) and not tale.soft:
        each = told(replace(story, actors=tuple(_as_robot(a) if a is body else a for a in story.actors)))
        tale.claims.hit("as a robot", _unnamed(each.scene.first_contact(*each.motions, **tale.asked)))
        ask_intervals(tale, each, "as a robot.intervals", names=())
        ask_audit(tale, each, "as a robot.audit")
    if still and len(body.links[0].parts) == 1 and body.links[0].parts[0].kind in ("mesh", "sheet"):
        each = told(replace(story, actors=tuple(_as_cloth(a) if a is body else a for a in story.actors)))
        tale.claims.hit("as a cloth", _unnamed(each.scene.first_contact(*each.motions, **tale.asked)))


def _unnamed(hit: Any) -> Any:
    """Return an answer whose contacts are not held against the links of the story, which have other names."""
    contacts = tuple(replace(c, kind="inside") for c in hit.contacts[:1])
    return tocsin.FirstContact(hit.status, hit.time, contacts, tolerance=hit.tolerance)


def _as_robot(body: Actor) -> Actor:
    values = [np.append(pose[:3, 3], quaternion_of(pose[:3, :3])) for pose in body.stations]
    links = (Link("root"), replace(body.links[0], joint="floating", parent=0, origin=np.eye(4)))
    stations = tuple((q, pose_of(np.eye(3), np.zeros(3))) for q in values)
    return Actor(body.name, "robot", stations, links)


def _as_cloth(body: Actor) -> Actor:
    (part,) = body.links[0].parts
    mesh = part.shape()
    local = mesh.vertices @ part.placement[:3, :3].T + part.placement[:3, 3]
    frames = tuple(local @ pose[:3, :3].T + pose[:3, 3] for pose in body.stations)
    return Actor(body.name, "cloth", frames, (Link(body.name),), faces=mesh.faces)


def ask_again(tale: Tale, index: int) -> None:
    """Ask the same question again, everywhere where it must have the same answer, bit by bit."""
    story, expected = tale.story, fingerprint(tale.first)

    def compare(who: str, hit: Any, scale: float = 1.0) -> None:
        if fingerprint(hit, scale) != expected:
            same = (hit.status, hit.time) == (tale.first.status, tale.first.time)
            said = f"{len(hit.contacts)} contacts" if same else f"{hit.status.name} {hit.time!r}"
            tale.claims.wrong.append((who, f"{said}, before {tale.first.status.name} {tale.first.time!r}"))

    def ask(each: Told, **options: Any) -> Any:
        return each.scene.first_contact(*each.motions, **(options or tale.asked))

    compare("again", ask(tale.told))
    compare("built anew", ask(told(story)))
    scene, motions = pickle.loads(pickle.dumps((tale.told.scene, tale.told.motions)))
    compare("pickle", scene.first_contact(*motions, **tale.asked))
    with ThreadPoolExecutor(1) as pool:
        compare("thread", pool.submit(ask, tale.told).result())
    scale = (2.0**-7, 2.0**9)[index % 2]
    tolerance = None if story.tolerance is None else scale * story.tolerance
    compare("scaled", ask(told(story, scale), margin=scale * story.margin, tolerance=tolerance), scale)
    if index % CHARTED == 0 and any(actor.kind == "robot" for actor in story.actors):
        with charts_at_once():
            each = told(story)
            for _ in range(12):
                compare("charts", ask(each))


class charts_at_once:
    """While inside, pairs of links get their charts in the first questions, not after thousands of steps."""

    def __enter__(self) -> None:
        from tocsin.advancement import surveying

        self.before = surveying.EARNED
        surveying.EARNED = 1

    def __exit__(self, *_: object) -> None:
        from tocsin.advancement import surveying

        surveying.EARNED = self.before


ALL = (ask_engines, ask_cap_and_margin, ask_lists, ask_distance, ask_otherwise, ask_retold, ask_on_a_clock)
OF_LINKS = (ask_intervals, ask_audit)
"""Where no cloth takes part."""
