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
