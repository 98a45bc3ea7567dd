"""Whole deforming scenes against all their pairs, one by one, in exact arithmetic: the same sets.

Small random scenes: soups, crumpling sheets, blobs that deform through each other, strands of edges, loose points. The
judge knows nothing of hierarchies: every vertex against every face that it is no corner of, every edge against every
edge that it shares no end with. A pair that one axis separates at both ends is free throughout (comparisons are exact);
every other pair goes to `oracles.feature_pairs`, integers only. Compared are, for every scene,

- the set of touching pairs: what touches must be reported ("missed"); what is reported must touch, or come within the
  tolerance, which is proven or refuted by branch and bound (`oracles.feature_gaps`). Those are counted as "near", and
  their scenes apart: coordinates are random, the tolerance is 1e-9 of the scene, so there are hardly any;
- every pair's time: never later than the exact one, and the exact distance at it within the tolerance;
- the edges that run through faces at the start: the same set;
- the first time of the scene, `is_free`, and the first time of every triangle, which follow from the pairs, and from
  edges through faces: those are in contact from the start, though no features may ever touch.

    python -m tocsin_bench brute --count 200
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from rich.progress import track

import tocsin
from tocsin_bench import report
from tocsin_bench.oracles import distance
from tocsin_bench.oracles import feature_gaps as gaps
from tocsin_bench.oracles import feature_pairs as exact
from tocsin_bench.scenes import shapes, soft_scenes, soft_shapes

DESCRIPTION = "Random small deforming scenes against all their pairs in exact arithmetic: the sets must be the same."

RELATIVE = 1e-9
"""The tolerance, of the scene's size."""


Pair = tuple[str, int, int]
"""Kind, and vertex and face, or two edges, the lower number first."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=200, help="scenes (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the scenes (default 1)")


@dataclass(frozen=True)
class Soft:
    """A deformable scene: all that moves as one set of vertices, with the number of its models' vertices."""

    kind: str
    t0: np.ndarray
    t1: np.ndarray
    faces: np.ndarray
    edges: np.ndarray
    """Of the faces, loose ones, and loose points as edges from a vertex to itself."""
    loose: np.ndarray
    points: np.ndarray
    split: int
    """Vertices of the first model; all of them if there is one model."""

    @property
    def size(self) -> float:
        """The largest extent of either end."""
        both = np.concatenate([self.t0, self.t1])
        return float(np.ptp(both, axis=0).max())

    def corners(self, pair: Pair) -> list[int]:
        """The four vertices of a pair."""
        kind, a, b = pair
        return [a, *self.faces[b]] if kind == "vertex-face" else [*self.edges[a], *self.edges[b]]


# --- scenes -----------------------------------------------------------------------------------------------------------


def _soup(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    middle = rng.uniform(-1.0, 1.0, (14, 1, 3))
    return (middle + rng.normal(size=(14, 3, 3)) * 0.35).reshape(-1, 3), np.arange(42).reshape(14, 3)


def deforming_ends(rng: np.random.Generator, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices at both ends and faces of one model."""
    if kind == "soup":
        vertices, faces = _soup(rng)
        return vertices, vertices + rng.normal(size=vertices.shape) * rng.choice([0.05, 0.3, 1.0]), faces
    if kind == "sheet":
        vertices, faces = soft_shapes.sheet(72)
        wave = rng.normal(size=(2, 2)) * 2.0
        height = np.sin(vertices[:, :2] @ wave[0]) * rng.uniform(0.1, 0.5)
        t0 = vertices + height[:, None] * (0.0, 0.0, 1.0) + rng.normal(size=vertices.shape) * 0.01
        fold = rng.uniform(0.3, 1.25)  # the right half is folded over the left; beyond 1 it goes through
        t1 = t0.copy()
        right = t0[:, 0] > 0.0
        t1[right, 0] *= np.cos(np.pi * min(fold, 1.0))
        t1[right, 2] += 0.5 * np.sin(np.pi * fold) * vertices[right, 0]
        return t0, t1 + rng.normal(size=vertices.shape) * 0.02, faces
    vertices, faces = shapes.blob(1, 0.5, 0.3, int(rng.integers(1 << 30)))
    t0 = vertices + rng.uniform(-0.6, 0.6, 3)
    squeeze = np.diag(rng.uniform(0.3, 1.4, 3))
    return t0, t0 @ squeeze + rng.normal(size=3) * 0.5 + rng.normal(size=vertices.shape) * 0.05, faces


KINDS = ("soup", "sheet", "blob", "soup and sheet", "blob and blob", "blob and strand", "sheet and points")


def scene(number: int, seed: int) -> Soft:
    """One scene of a campaign; four of five do not overlap at the start, if thirty draws can help it."""
    for attempt in range(30):
        drawn = drawn_at(number, np.random.default_rng([seed, 4, number, attempt]))
        if number % 5 == 4 or not overlaps_at_start(drawn):
            break
    return drawn


def drawn_at(number: int, rng: np.random.Generator) -> Soft:
    """One scene of the kind that a number stands for, whether it overlaps at the start or not."""
    kind = KINDS[number % len(KINDS)]
    parts = kind.split(" and ")
    gentle = number % 3 == 2  # a third of the scenes move little, so that many of them stay free
    t0, t1, faces = deforming_ends(rng, parts[0])
    split, loose, points = len(t0), np.zeros((0, 2), np.int64), np.zeros(0, np.int64)
    if len(parts) == 2:
        if parts[1] in ("strand", "points"):
            more = np.cumsum(rng.normal(size=(24, 3)) * 0.15, axis=0) + rng.uniform(-0.5, 0.5, 3)
            more_t1 = more + rng.normal(size=3) * 0.8 + rng.normal(size=more.shape) * 0.05
            if parts[1] == "strand":
                loose = split + np.stack([np.arange(23), np.arange(1, 24)], -1)
            else:
                points = split + np.arange(24)
        else:
            more, more_t1, more_faces = deforming_ends(rng, parts[1])
            faces = np.concatenate([faces, more_faces + split])
        away = rng.normal(size=3)
        away *= 1.2 / np.linalg.norm(away)
        t0, t1 = np.concatenate([t0, more + away]), np.concatenate([t1, more_t1 + 0.2 * away])
    if gentle:
        t1 = t0 + 0.08 * (t1 - t0)
    scale = 2.0 ** rng.integers(-8, 9)
    lone = np.repeat(points[:, None], 2, axis=1)
    edges = np.unique(np.sort(np.concatenate([soft_scenes.edges_of(faces), loose, lone]), axis=1), axis=0)
    return Soft(kind, scale * t0, scale * t1, faces, edges, loose, points, split)


# --- the judge --------------------------------------------------------------------------------------------------------


def all_pairs(soft: Soft) -> list[Pair]:
    """Every pair of features that share no vertex and that no axis separates at both ends."""
    out: list[Pair] = []
    used = np.unique(np.concatenate([soft.faces.ravel(), soft.edges.ravel(), soft.points])).astype(np.int64)
    every = np.stack(np.meshgrid(used, np.arange(len(soft.faces)), indexing="ij"), -1).reshape(-1, 2)
    corners = soft.faces[every[:, 1]]
    keep = ~(corners == every[:, :1]).any(axis=1) & ~_separated(soft, every[:, :1], corners)
    out += [("vertex-face", int(a), int(b)) for a, b in every[keep]]
    a, b = np.triu_indices(len(soft.edges), 1)
    first, second = soft.edges[a], soft.edges[b]
    keep = ~(first[:, :, None] == second[:, None, :]).any(axis=(1, 2)) & ~_separated(soft, first, second)
    out += [("edge-edge", int(i), int(k)) for i, k in zip(a[keep], b[keep])]
    return out


def _separated(soft: Soft, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether an axis separates the vertices a of each row from b, the same way at both ends: then always."""
    lo_a, hi_a, lo_b, hi_b = [], [], [], []
    for ends in (soft.t0, soft.t1):
        lo_a.append(ends[a].min(axis=1))
        hi_a.append(ends[a].max(axis=1))
        lo_b.append(ends[b].min(axis=1))
        hi_b.append(ends[b].max(axis=1))
    below = (hi_a[0] < lo_b[0]) & (hi_a[1] < lo_b[1])
    above = (hi_b[0] < lo_a[0]) & (hi_b[1] < lo_a[1])
    return (below | above).any(axis=1)


def truth(soft: Soft) -> dict[Pair, Any]:
    """All touching pairs with the bracket of their first time."""
    out = {}
    for pair in all_pairs(soft):
        corners = soft.corners(pair)
        found = exact.first_contact(pair[0], soft.t0[corners].tolist(), soft.t1[corners].tolist())
        if found is not None:
            out[pair] = found
    return out


def overlaps_at_start(soft: Soft) -> set[tuple[int, int]]:
    """The edges and faces that meet at time 0 and share no vertex; exactly."""
    edge, face = (part.ravel() for part in np.indices((len(soft.edges), len(soft.faces))))
    a, b = soft.edges[edge], soft.faces[face]
    points_a, points_b = soft.t0[a], soft.t0[b]
    apart = (points_a.max(1) < points_b.min(1)) | (points_b.max(1) < points_a.min(1))
    keep = ~apart.any(axis=1) & ~(a[:, :, None] == b[:, None, :]).any(axis=(1, 2))
    out = set()
    for k in np.flatnonzero(keep).tolist():
        p, q = (tuple(map(Fraction, point)) for point in points_a[k].tolist())
        if distance.exact_pierces(p, q, [tuple(map(Fraction, point)) for point in points_b[k].tolist()]):
            out.add((int(edge[k]), int(face[k])))
    return out


# --- the library ------------------------------------------------------------------------------------------------------


def _models(soft: Soft) -> list[tuple[tocsin.Deformable, int, np.ndarray, np.ndarray]]:
    """The models of a scene: each with its first vertex, and its faces and edges by their numbers in the scene."""
    number = {tuple(edge): k for k, edge in enumerate(soft.edges.tolist())}
    out = []
    bounds = [(0, soft.split), (soft.split, len(soft.t0))] if soft.split < len(soft.t0) else [(0, len(soft.t0))]
    for name, (start, stop) in zip("ab", bounds):
        rows = np.flatnonzero((soft.faces[:, 0] >= start) & (soft.faces[:, 0] < stop))
        loose = soft.loose[(soft.loose >= start).all(1) & (soft.loose < stop).all(1)] - start
        points = soft.points[(soft.points >= start) & (soft.points < stop)] - start
        model = tocsin.Deformable(
            soft.t0[start:stop], faces=soft.faces[rows] - start, edges=loose, points=points, name=name
        )
        edges = np.array([number[tuple(edge)] for edge in (np.asarray(model.edges) + start).tolist()], np.int64)
        out.append((model, start, rows, edges))
    return out


def ask(soft: Soft, tolerance: float) -> tuple[dict[Pair, float], set[tuple[int, int]], np.ndarray, Any, bool]:
    """The library's pairs with times, edges through faces, times of all triangles, first contact, and `is_free`."""
    models = _models(soft)
    world = tocsin.Scene(*(model for model, *_ in models))
    moves = [
        model.move(*(t[start : start + len(model.vertices)] for t in (soft.t0, soft.t1))) for model, start, *_ in models
    ]
    found: Any = world.contacts(*moves, every="pair", tolerance=tolerance)
    by_name: dict[str, Any] = {model.name: rest for model, *rest in models}
    pairs: dict[Pair, float] = {}
    through: set[tuple[int, int]] = set()
    for kind, pair, (i, k), when in zip(found.kind, found.pair, found.features.tolist(), found.times.tolist()):
        a, b = (by_name[name] for name in found.pairs[pair])
        words = found.kinds[kind]
        if words == "edge-edge":
            low, high = sorted((int(a[2][i]), int(b[2][k])))
            pairs["edge-edge", low, high] = when
        elif words == "vertex-face":
            pairs["vertex-face", a[0] + i, int(b[1][k])] = when
        elif words == "face-vertex":
            pairs["vertex-face", b[0] + k, int(a[1][i])] = when
        else:
            through.add((int(a[2][i]), int(b[1][k])) if words == "edge-face" else (int(b[2][k]), int(a[1][i])))
    triangles = np.full(len(soft.faces), math.inf)
    by_triangle: Any = world.contacts(*moves, every="triangle", tolerance=tolerance)
    for name, times in by_triangle.items():
        triangles[by_name[name][1]] = times
    return (
        pairs,
        through,
        triangles,
        world.first_contact(*moves, tolerance=tolerance),
        world.is_free(*moves, tolerance=tolerance),
    )


# --- the comparison ---------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What was compared, and every difference as a line."""

    scenes: Counter[str] = field(default_factory=Counter)
    pairs: int = 0
    touching: int = 0
    near: int = 0
    scenes_near: int = 0
    identical: int = 0
    early: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def compare(soft: Soft, name: str, tally: Tally) -> None:
    """Judge one scene."""
    tolerance = RELATIVE * soft.size
    expected = truth(soft)
    pairs, through, triangles, first, free = ask(soft, tolerance)
    overlaps = overlaps_at_start(soft)
    tally.scenes["free" if not expected else "touching"] += 1
    tally.touching += len(expected)
    wrong = [
        f"{name}: {pair} touches at {float(expected[pair])!r} and is missed" for pair in expected.keys() - pairs.keys()
    ]
    wrong += [f"{name}: edge {e} and face {f}, at the start, are told wrongly" for e, f in overlaps ^ through]
    near = pairs.keys() - expected.keys()
    for pair in near:
        t0, t1 = (t[soft.corners(pair)][None] for t in (soft.t0, soft.t1))
        if gaps.stays_beyond(pair[0], t0, t1, tolerance)[0]:
            wrong.append(f"{name}: {pair} is reported at {pairs[pair]!r} and never comes within the tolerance")
    tally.near += len(near)
    tally.scenes_near += bool(near)
    tally.identical += pairs.keys() == expected.keys()
    for pair in expected.keys() & pairs.keys():
        when = pairs[pair]
        corners = soft.corners(pair)
        if Fraction(when) > expected[pair].hi:
            wrong.append(f"{name}: {pair} touches at {float(expected[pair])!r}, reported later, at {when!r}")
        squared = gaps.exact_squared_distance(pair[0], soft.t0[corners], soft.t1[corners], when)
        if squared > Fraction(tolerance) ** 2:
            wrong.append(f"{name}: {pair} is {math.sqrt(squared):.3g} apart at its time {when!r}")
        tally.early.append(float(expected[pair].lo - Fraction(when)))
    wrong += _first(name, pairs, expected, bool(overlaps), first, free)
    wrong += _triangles(soft, name, pairs, expected, overlaps, triangles)
    tally.wrong += wrong


def _first(
    name: str, pairs: dict[Pair, float], expected: dict[Pair, Any], overlap: bool, first: Any, free: bool
) -> list[str]:
    """The first time and `is_free` as they follow from the pairs, or from an overlap at the start."""
    said = f"is_free {free}, first_contact {first.status.name} at {first.time!r}"
    if overlap:
        right = first.status is tocsin.Status.INITIAL_CONTACT and first.time == 0.0 and not free
        return [] if right else [f"{name}: overlaps at the start; {said}"]
    true = min((bracket.hi for bracket in expected.values()), default=None)
    if true is not None and (free or not math.isfinite(first.time) or Fraction(first.time) > true):
        return [f"{name}: touches at {float(true)!r}; {said}"]
    if not pairs and (not free or first.collides):
        return [f"{name}: no pair is reported; {said}"]
    if pairs and first.time > min(pairs.values()):
        return [f"{name}: the first pair is reported at {min(pairs.values())!r}; {said}"]
    return []


def _triangles(
    soft: Soft, name: str, pairs: dict[Pair, float], expected: dict[Pair, Any], overlaps: set[tuple[int, int]],
    triangles: np.ndarray,
) -> list[str]:  # fmt: skip
    """The times of triangles as they follow from the pairs of their corners, edges and insides."""
    wrong = []
    reached = [math.inf] * len(soft.faces)
    edges_of_face = {tuple(sorted(edge)): k for k, edge in enumerate(soft.edges.tolist())}
    for k, face in enumerate(soft.faces.tolist()):
        own = {
            edges_of_face[tuple(sorted(edge))] for edge in ((face[0], face[1]), (face[1], face[2]), (face[2], face[0]))
        }
        if any(f == k or e in own for e, f in overlaps):
            reached[k] = 0.0
        for (kind, a, b), bracket in expected.items():
            if (kind == "vertex-face" and (b == k or a in face)) or (kind == "edge-edge" and (a in own or b in own)):
                reached[k] = min(reached[k], float(bracket.hi))
    for k, (given, truth_time) in enumerate(zip(triangles.tolist(), reached)):
        if given > truth_time:
            wrong.append(f"{name}: triangle {k} is touched at {truth_time!r}, reported {given!r}")
        elif math.isfinite(given) and not math.isfinite(truth_time) and not pairs.keys() - expected.keys():
            wrong.append(f"{name}: triangle {k} is never touched, reported {given!r}")
    return wrong


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Judge all scenes, print what was compared, and end with a status other than 0 if anything differs."""
    tally = Tally()
    hidden = not report.console.is_terminal
    for number in track(
        range(args.count), description="judging", console=report.console, transient=True, disable=hidden
    ):
        soft = scene(number, args.seed)
        n_vertices = len(np.unique(np.concatenate([soft.faces.ravel(), soft.edges.ravel(), soft.points])))
        tally.pairs += n_vertices * len(soft.faces) + len(soft.edges) * (len(soft.edges) - 1) // 2
        compare(soft, f"brute:{args.seed}:{number} ({soft.kind})", tally)
    early = np.array(tally.early or [math.nan])
    report.table(
        f"{args.count} scenes, {tally.pairs:,} pairs of features, {tally.touching:,} touch",
        ["", "count"],
        [
            ["scenes in which something touches", tally.scenes["touching"]],
            ["scenes that are free", tally.scenes["free"]],
            ["scenes with exactly the same set of pairs", tally.identical],
            ["scenes with pairs that only come within the tolerance", tally.scenes_near],
            ["such pairs", tally.near],
            ["differences", len(tally.wrong)],
            ["time before the true one: median, most", f"{np.median(early):.1e}, {early.max():.1e}"],
        ],
    )
    for line in tally.wrong[:20]:
        report.console.print(line, highlight=False, soft_wrap=True)
    if tally.wrong:
        sys.exit(f"{len(tally.wrong)} answers differ from the exact ones")
    return {"scenes": dict(tally.scenes), **{k: v for k, v in vars(tally).items() if k not in ("scenes", "early")}}
