"""All contacts by proof against all contacts by brute force: `scene.contacts(exact=True)`, and the screen beside it.

Random pairs of surfaces (convex, with flat faces, bumpy, rings, open sheets, soups) on random relative screw motions
(translations, small turns, large ones, both bodies moving) go through `oracles.screw`, which tries all pairs
of features in 50 digits. The two lists have to be the same, feature by feature, and every true time has to be inside
its bracket. Then the screen's contacts at three resolutions are counted against the proper ones of the list.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.progress import track

import tocsin
from tocsin_bench import report
from tocsin_bench.campaigns.planted_contact import random_rotation
from tocsin_bench.oracles import screw as screws
from tocsin_bench.scenes import shapes as meshes

DESCRIPTION = "All contacts by proof against brute force in 50 digits, and how many of them the screen finds."

RESOLUTIONS = ("low", "medium", "high")

PROPER = 1e-9
"""A contact counts as proper from here on: at exactly 0, which flat faces have, rounding would decide. The screen's
list is held against contacts that are proper, close in, and meet closed surfaces from outside: what it draws."""


@dataclass(frozen=True)
class Pair:
    """Two surfaces and where they are at both ends of the motion."""

    name: str
    a: Any
    b: Any
    poses: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
    """Of a at 0 and 1, of b at 0 and 1."""


def surface(
    vertices: np.ndarray, triangles: np.ndarray, group: np.ndarray | None = None, *, closed: bool = True
) -> Any:
    """Return the oracle's surface of a mesh; `group` numbers its flat faces, else every triangle is one."""
    triangles = np.asarray(triangles)
    group = np.arange(len(triangles)) if group is None else group
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, number = np.unique(sides, axis=0, return_inverse=True)
    owner = np.repeat(group, 3)
    number = number.reshape(-1)
    seam = [len(set(owner[number == k])) == 1 and (number == k).sum() == 2 for k in range(len(edges))]
    return screws.Surface(np.asarray(vertices, float), triangles, group, edges[~np.array(seam)], closed)


def random_surface(rng: np.random.Generator, kind: int) -> Any:
    """Return a surface of about one metre."""
    if kind == 0:
        from scipy.spatial import ConvexHull

        points = rng.normal(size=(int(rng.integers(5, 14)), 3))
        hull = ConvexHull(points)
        used, index = np.unique(hull.simplices, return_inverse=True)
        faces = index.reshape(-1, 3)
        p = points[used][faces]
        inward = np.einsum("ij,ij->i", np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), hull.equations[:, :3]) < 0
        faces[inward] = faces[inward][:, ::-1]
        return surface(points[used], faces)
    if kind == 1:
        vertices, faces = meshes.box(tuple(rng.uniform(0.3, 1.5, 3)))
        p = vertices[faces]
        normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
        flat = np.argmax(np.abs(normal), axis=1)
        side = np.sign(normal[np.arange(len(faces)), flat])
        return surface(vertices, faces, (2 * flat + (side > 0)).astype(int))
    if kind in (2, 3):
        vertices, faces = meshes.icosphere(1, 0.8) if kind == 2 else meshes.torus(64, 1.0, 0.35)
        return surface(vertices + rng.normal(size=vertices.shape) * 0.06, faces)
    if kind == 4:
        i, k = np.meshgrid(np.arange(4), np.arange(4), indexing="ij")
        vertices = np.stack([i, k, 0.0 * i], axis=-1).reshape(-1, 3) * 0.5 - [0.75, 0.75, 0.0]
        vertices = vertices + rng.normal(size=vertices.shape) * 0.1
        corner = (4 * i + k)[:3, :3].ravel()
        faces = np.concatenate(
            [np.stack([corner, corner + 4, corner + 5], 1), np.stack([corner, corner + 5, corner + 1], 1)]
        )
        return surface(vertices, faces, closed=False)
    return surface(rng.normal(size=(18, 3)) * 0.6, np.arange(18).reshape(6, 3), closed=False)


def _pose(rng: np.random.Generator, place: np.ndarray) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = random_rotation(rng)
    out[:3, 3] = place
    return out


def _turned(rng: np.random.Generator, pose: np.ndarray, most: float, way: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    axis = rng.normal(size=3)
    out = pose.copy()
    turn = Rotation.from_rotvec(axis / np.linalg.norm(axis) * rng.uniform(0.0, most))
    out[:3, :3] = turn.as_matrix() @ pose[:3, :3]
    out[:3, 3] += way
    return out


def random_pairs(count: int, seed: int) -> Iterator[Pair]:
    """Yield pairs that come near each other, each by a generator of its own, so that one can be made again by name."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        a, b = (random_surface(rng, int(rng.integers(6))) for _ in range(2))
        away = rng.normal(size=3)
        away *= rng.uniform(0.5, 2.0) / np.linalg.norm(away)
        a_t0 = _pose(rng, rng.normal(size=3))
        b_t0 = _pose(rng, a_t0[:3, 3] + away)
        most = (0.0, 0.05, 0.5, 1.5, 3.0)[k % 5]
        way = -away * rng.uniform(0.5, 2.0) + rng.normal(size=3) * 0.3
        b_t1 = b_t0.copy()
        b_t1[:3, 3] += way
        a_t1 = a_t0
        if most > 0.0:
            b_t1 = _turned(rng, b_t0, most, way)
            if k % 3 == 0:
                a_t1 = _turned(rng, a_t0, 0.04 * most, rng.normal(size=3) * 0.2)
        yield Pair(f"{seed}:{k}", a, b, (a_t0, a_t1, b_t0, b_t1))


def scene_of(pair: Pair) -> tuple[tocsin.Scene, tuple[Any, Any]]:
    """Return the scene of a pair and its two motions."""
    a = tocsin.Body((pair.a.vertices, pair.a.triangles), name="a")
    b = tocsin.Body((pair.b.vertices, pair.b.triangles), name="b")
    a_t0, a_t1, b_t0, b_t1 = pair.poses
    return tocsin.Scene(a, b), (a.move(a_t0, a_t1), b.move(b_t0, b_t1))


def key_of(pair: Pair, contact: Any) -> tuple[Any, ...]:
    """Return (kind, feature of a, feature of b) as the oracle names them."""
    sides = [contact.features, (pair.a, pair.b)]
    if contact.link_a == "b":
        raise AssertionError("pairs are named in the order of the scene")
    names = []
    for feature, body in zip(*sides):
        if len(feature) == 1:
            names.append(int(feature[0]))
        elif len(feature) == 2:
            names.append(tuple(sorted(int(v) for v in feature)))
        else:
            which = np.flatnonzero((np.sort(body.triangles, axis=1) == np.sort(feature)).all(axis=1))
            names.append(int(body.group[which[0]]))
    return (contact.kind, *names)


@dataclass
class Tally:
    """What the campaign has seen."""

    pairs: int = 0
    degenerate: int = 0
    contacts: int = 0
    proper: int = 0
    missing: int = 0
    extra: int = 0
    unproven: int = 0
    outside: int = 0
    """True times that are not in their brackets, beyond 1e-15."""
    worst_time: float = 0.0
    widest: float = 0.0
    worst_properness: float = 0.0
    seconds: float = 0.0
    found: Counter[str] = field(default_factory=Counter)
    late: Counter[str] = field(default_factory=Counter)
    """Of the screen's contacts those farther than one step in time from the true one."""
    failures: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """Broken promises."""
        return self.missing + self.extra + self.outside


def judge(pair: Pair, tally: Tally, *, screen: bool = True) -> None:
    """Compare one pair."""
    tally.pairs += 1
    try:
        truth = screws.all_contacts(pair.a, pair.b, *pair.poses)
    except screws.Degenerate:
        tally.degenerate += 1
        return
    scene, motions = scene_of(pair)
    scene.contacts(*motions, exact=True)
    start = time.thread_time()
    answer: Any = scene.contacts(*motions, exact=True)
    tally.seconds += time.thread_time() - start
    listed: dict[Any, list[Any]] = {}
    for contact in answer:
        listed.setdefault(key_of(pair, contact), []).append(contact)
    proper = []
    for hit in truth:
        tally.contacts += 1
        key = (hit.kind, hit.feature_a, hit.feature_b)
        same = listed.get(key, [])
        if not same:
            tally.missing += 1
            tally.failures.append(f"{pair.name}: {key} at {float(hit.time):.6f} is not listed")
            continue
        best = min(same, key=lambda contact: abs(contact.time - float(hit.time)))
        same.remove(best)
        lo, hi = best.bracket
        off = float(abs(hit.time - best.time))
        tally.worst_time = max(tally.worst_time, off)
        tally.widest = max(tally.widest, hi - lo)
        tally.worst_properness = max(tally.worst_properness, abs(best.properness - hit.properness))
        tally.unproven += not best.proven
        if not lo - 1e-15 <= hit.time <= hi + 1e-15:
            tally.outside += 1
            tally.failures.append(f"{pair.name}: {key} at {float(hit.time)!r} is not in [{lo!r}, {hi!r}]")
        if hit.properness > PROPER and hit.facing and best.closing_speed > 0.0:
            proper.append((key, float(hit.time)))
    left = [contact for rest in listed.values() for contact in rest]
    tally.extra += len(left)
    tally.failures += [f"{pair.name}: {key_of(pair, c)} at {c.time!r} is not true" for c in left]
    tally.proper += len(proper)
    if screen:
        from tocsin.queries.all_contacts import TIME_RESOLUTIONS

        for resolution in RESOLUTIONS:
            drawn: dict[Any, list[float]] = {}
            answer = scene.contacts(*motions, resolution=resolution)
            for contact in answer:
                drawn.setdefault(key_of(pair, contact), []).append(contact.time)
            for key, when in proper:
                gap = min((abs(t - when) for t in drawn.get(key, [])), default=np.inf)
                tally.found[resolution] += gap < np.inf
                tally.late[resolution] += TIME_RESOLUTIONS[resolution] < gap < np.inf


def large(triangles: int = 100_000) -> dict[str, Any]:
    """Return how long all contacts of two interlocked tori of that many triangles take, for a step of a simulation."""
    shape = meshes.torus(triangles, 1.0, 0.3)
    a, b = tocsin.Body(shape, name="a"), tocsin.Body(shape, name="b")
    scene = tocsin.Scene(a, b)
    start = _turned(np.random.default_rng(1), np.eye(4), 1.0, np.array([1.0, 0.0, 0.0]))
    end = _turned(np.random.default_rng(2), start, 0.03, np.array([0.0, 0.01, 0.02]))
    seconds = []
    for _ in range(3):
        clock = time.thread_time()
        answer: Any = scene.contacts(b.move(start, end, kind="screw"), exact=True)
        seconds.append(time.thread_time() - clock)
    return {
        "triangles": len(shape[1]), "contacts": len(answer), "complete": answer.complete,
        "unproven": int((answer.rows["proven"] == 0).sum()), "first": seconds[0], "seconds": min(seconds),
    }  # fmt: skip


def campaign(count: int, seed: int, *, screen: bool = True) -> Tally:
    """Go through `count` pairs with a progress bar."""
    tally = Tally()
    for pair in track(random_pairs(count, seed), "pairs", total=count, console=report.console):
        judge(pair, tally, screen=screen)
    return tally


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=1000, help="pairs of surfaces (default 1,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of what is random (default 1)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run, print and return the counts; exit with an error if the lists differ."""
    tally = campaign(args.count, args.seed)
    say = report.console.print
    judged = tally.pairs - tally.degenerate
    say(f"{tally.pairs} pairs, {tally.degenerate} left out (50 digits cannot decide); {tally.contacts} true contacts")
    say(f"missing {tally.missing}, not true {tally.extra}, out of brackets {tally.outside}, unproven {tally.unproven}")
    say(
        f"time off by at most {tally.worst_time:.1e}, widest bracket {tally.widest:.1e}, properness off by at most "
        f"{tally.worst_properness:.1e}; {1e6 * tally.seconds / max(judged, 1):.0f} us a pair"
    )
    for resolution in RESOLUTIONS:
        found = tally.found[resolution]
        say(
            f"the screen at {resolution} resolution: {found} of {tally.proper} proper contacts, "
            f"{100.0 * found / max(tally.proper, 1):.2f} %; {tally.late[resolution]} off by more than a step in time"
        )
    big = large()
    say(
        f"two tori of {big['triangles']} triangles, a step of a simulation: {big['contacts']} contacts "
        f"({big['unproven']} unproven) in {1e3 * big['seconds']:.0f} ms"
    )
    for line in tally.failures[:20]:
        say(line, highlight=False)
    if tally.wrong:
        raise SystemExit(f"{tally.wrong} contacts differ")
    return {
        "pairs": tally.pairs, "degenerate": tally.degenerate, "contacts": tally.contacts, "proper": tally.proper,
        "unproven": tally.unproven, "worst_time": tally.worst_time, "widest": tally.widest,
        "large": big, "recall": {name: tally.found[name] / max(tally.proper, 1) for name in RESOLUTIONS},
    }  # fmt: skip
