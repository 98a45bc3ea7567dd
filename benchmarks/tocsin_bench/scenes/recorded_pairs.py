"""Feature pairs with truths that others computed: `sample-queries` and `scalable-ccd-derived` of the recorded data.

A group is a set of pairs of one kind: (n, 4, 3) points at either end, the vertex and then the face, or one edge and
then the other. `sample-queries` holds rational numbers; a query is only taken if each of them is a double, so that what
is asked is what was judged (all 5,029 are). `scalable-ccd-derived` holds float32, which are doubles.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

KINDS = {"vf": "vertex-face", "ee": "edge-edge"}
DERIVED = ("cloth-ball", "n-body-simulation", "cloth-funnel")


@dataclass(frozen=True)
class Group:
    """Pairs of one kind with their truth; `digits[k]` is the first time of query k, as text, where it is known."""

    name: str
    kind: str
    t0: np.ndarray
    t1: np.ndarray
    truth: np.ndarray
    digits: dict[int, str]

    def __len__(self) -> int:
        return len(self.truth)

    def part(self, rows: np.ndarray) -> Group:
        """The queries of these rows."""
        digits = {k: self.digits[int(row)] for k, row in enumerate(rows) if int(row) in self.digits}
        return Group(self.name, self.kind, self.t0[rows], self.t1[rows], self.truth[rows], digits)


@dataclass(frozen=True)
class Recorded:
    """Two frames of a mesh, and the groups of its listed pairs."""

    name: str
    vertices_t0: np.ndarray
    vertices_t1: np.ndarray
    faces: np.ndarray
    edges: np.ndarray
    listed: dict[str, np.ndarray]
    """Kind -> (n, 2): vertex and face, or edge and edge."""
    groups: tuple[Group, ...]


def sample_queries(folder: Path) -> list[Group]:
    """Every file of `sample-queries`, in the order of their names."""
    groups = []
    for path in sorted(folder.glob("*/*/*.csv")):
        with path.open() as lines:
            rows = [[int(cell) for cell in row] for row in csv.reader(lines) if row]
        points = np.array([[_double(row[k], row[k + 1], path) for k in (0, 2, 4)] for row in rows]).reshape(-1, 8, 3)
        truth = np.array([row[6] for row in rows], bool).reshape(-1, 8)
        if (truth != truth[:, :1]).any():
            raise ValueError(f"{path} gives a query two truths")
        name = f"{path.parent.parent.name} {path.stem.removeprefix('data_')}"
        groups.append(Group(name, path.parent.name, points[:, :4], points[:, 4:], truth[:, 0], {}))
    return groups


def _double(numerator: int, denominator: int, path: Path) -> float:
    value = numerator / denominator
    if Fraction(value) != Fraction(numerator, denominator):
        raise ValueError(f"{numerator}/{denominator} in {path} is not a double: the query would be another one")
    return value


def derived(folder: Path, name: str) -> Recorded:
    """One of `DERIVED` with its listed pairs, their truths, and their times where these are known."""
    with np.load(folder / f"{name}.npz") as file:
        arrays = {key: file[key] for key in file.files}
    start, end = (np.ascontiguousarray(arrays[key], np.float64) for key in ("V0", "V1"))
    faces, edges = arrays["F"].astype(np.int64), arrays["E"].astype(np.int64)
    listed, groups = {}, []
    for short, kind in KINDS.items():
        listed[kind] = arrays[f"{short}_pairs"].astype(np.int64)
        corners = pair_corners(kind, listed[kind], faces, edges)
        digits: dict[int, str] = {}
        for path in folder.glob(f"{name}_*{short}_toi.csv"):
            with path.open() as lines:
                digits.update({int(row["query_index"]): row["toi_40digits"] for row in csv.DictReader(lines)})
        groups.append(Group(f"{name} listed", kind, start[corners], end[corners], arrays[f"{short}_truth"], digits))
    return Recorded(name, start, end, faces, edges, listed, tuple(groups))


def pair_corners(kind: str, pairs: np.ndarray, faces: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Vertex numbers (n, 4) of pairs of this kind: vertex and face, or edge and edge."""
    if kind == "vertex-face":
        return np.column_stack([pairs[:, 0], faces[pairs[:, 1]]])
    return np.column_stack([edges[pairs[:, 0]], edges[pairs[:, 1]]])


A_FEATURE = 2
"""At most so many pairs are taken of one vertex or edge, so that a crumpled corner does not make up all of them."""


def unlisted(recorded: Recorded, count: int, seed: int) -> list[Group]:
    """Pairs whose swept boxes overlap but that are not listed, so they are free; up to `count` of each kind.

    Vertices, or edges, are drawn one after the other, and each is held against all boxes: nothing but the boxes of all
    features is kept, where all candidates of the largest scene take gigabytes.
    """
    rng = np.random.default_rng(seed)
    groups = []
    for kind, listed in recorded.listed.items():
        rows = recorded.faces if kind == "vertex-face" else recorded.edges
        own = np.arange(len(recorded.vertices_t0))[:, None] if kind == "vertex-face" else recorded.edges
        low, high = _swept_boxes(recorded, rows)
        known = {tuple(pair) for pair in (listed if kind == "vertex-face" else np.sort(listed, axis=1)).tolist()}
        drawn: list[tuple[int, int]] = []
        for feature in rng.permutation(len(own)).tolist():
            if len(drawn) >= count:
                break
            corners = np.concatenate([recorded.vertices_t0[own[feature]], recorded.vertices_t1[own[feature]]])
            lo, hi = corners.min(axis=0), corners.max(axis=0)
            near = np.flatnonzero((low[0] <= hi[0]) & (high[0] >= lo[0]))
            for axis in (1, 2):
                near = near[(low[axis][near] <= hi[axis]) & (high[axis][near] >= lo[axis])]
            near = near[~np.isin(rows[near], own[feature]).any(axis=1)]
            pairs = [(feature, other) for other in rng.permutation(near).tolist()]
            if kind == "edge-edge":
                pairs = [(min(pair), max(pair)) for pair in pairs]
            drawn += [pair for pair in pairs if pair not in known][:A_FEATURE]
            known.update(drawn[-A_FEATURE:])
        taken = np.array(drawn[:count], np.int64).reshape(-1, 2)
        corners = pair_corners(kind, taken, recorded.faces, recorded.edges)
        ends = recorded.vertices_t0[corners], recorded.vertices_t1[corners]
        groups.append(Group(f"{recorded.name} unlisted", kind, *ends, np.zeros(len(corners), bool), {}))
    return groups


def _swept_boxes(recorded: Recorded, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The boxes of features over the whole step, lowest and highest (3, n)."""
    both = np.concatenate([recorded.vertices_t0[rows], recorded.vertices_t1[rows]], axis=1)
    return np.ascontiguousarray(both.min(axis=1).T), np.ascontiguousarray(both.max(axis=1).T)
