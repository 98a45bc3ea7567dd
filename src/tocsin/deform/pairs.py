"""Times of contact of pairs that the caller brings: vertices and faces, edges and edges, all in one compiled call."""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin import _cast
from tocsin._lanes import DOUBLES
from tocsin.deform.advance import ENDED, FREE, advance_all
from tocsin.errors import TocsinError
from tocsin.options import RELATIVE_TOLERANCE

Ends = tuple[np.ndarray, np.ndarray]
"""Points at time 0 and at time 1."""


def advance_pairs(a: Ends, b: Ends, margin: float, tolerance: np.ndarray) -> np.ndarray:
    """Return how pairs end, `advance.ENDED`: edges (n, 2, 3), or vertices (n, 1, 3) of a and faces (n, 3, 3) of b."""
    n, of_a = a[0].shape[:2]
    rows = np.arange(n, dtype=np.int32)[:, None]
    points = np.empty((n, 4), np.int32)
    points[:, :of_a] = of_a * rows + np.arange(of_a)
    points[:, of_a:] = (4 - of_a) * rows + np.arange(4 - of_a)
    places = tuple(np.ascontiguousarray(side).reshape(-1, 3) for side in (*a, *b))
    ended = np.zeros(n, ENDED)
    advance_all(of_a == 2, places, points, n, margin, tolerance, 1.0, False, np.zeros(n + DOUBLES, np.int32), ended)
    return ended


def _times(ended: np.ndarray) -> np.ndarray:
    """Return the times of pairs, inf where free."""
    return np.where(ended["status"] == FREE, np.inf, ended["time"])


def _checked(given: dict[str, Any], shapes: dict[str, tuple[int | None, ...]]) -> list[np.ndarray]:
    """Return the arrays after checking that they are finite, of their shapes, and equally many."""
    arrays = [_cast.coordinates(value, name, shapes[name]) for name, value in given.items()]
    counts = {name: len(array) for name, array in zip(given, arrays)}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{n} in {name}" for name, n in counts.items())
        raise TocsinError(f"every array must hold the same number of pairs; got {said}.")
    return arrays


def _tolerances(tolerance: float | None, *sides: np.ndarray) -> np.ndarray:
    """Return the tolerance of each pair: as given, or 1e-4 of the diagonal of its smaller side that has one."""
    n = len(sides[0])
    if tolerance is not None:
        return np.full(n, _cast.scalar(tolerance, "tolerance", above=0.0))
    spans = [np.linalg.norm(side.max(axis=1) - side.min(axis=1), axis=1) for side in sides]
    smallest = np.full(n, np.inf)
    for span in spans:
        smallest = np.where(span > 0.0, np.minimum(smallest, span), smallest)
    return RELATIVE_TOLERANCE * np.where(np.isfinite(smallest), smallest, 1.0)


def vertex_face_times(
    v_t0: Any, v_t1: Any, f_t0: Any, f_t1: Any, *, margin: float = 0.0, tolerance: float | None = None
) -> np.ndarray:
    """Return when each vertex first comes within `margin` of its face, (n,); `inf` where proven that it never does.

    `v_t0`, `v_t1`: (n, 3), where the vertices are at time 0 and 1; `f_t0`, `f_t1`: (n, 3, 3), the corners of the faces.
    Everything moves along straight lines in between. A time is never later than the true one, and the distance at that
    time is at most margin + tolerance (metres; by default 1e-4 of the face's diagonal), except where floating point
    does not tell: then, too, the pair is free until the time given.
    """
    shapes: dict[str, tuple[int | None, ...]] = {
        "v_t0": (None, 3), "v_t1": (None, 3), "f_t0": (None, 3, 3), "f_t1": (None, 3, 3),
    }  # fmt: skip
    v0, v1, f0, f1 = _checked({"v_t0": v_t0, "v_t1": v_t1, "f_t0": f_t0, "f_t1": f_t1}, shapes)
    margin = _cast.scalar(margin, "margin", least=0.0)
    return _times(advance_pairs((v0[:, None], v1[:, None]), (f0, f1), margin, _tolerances(tolerance, f0)))


def edge_edge_times(
    a_t0: Any, a_t1: Any, b_t0: Any, b_t1: Any, *, margin: float = 0.0, tolerance: float | None = None
) -> np.ndarray:
    """Return when each edge of a first comes within `margin` of its edge of b, (n,); `inf` where it never does.

    All arguments are (n, 2, 3): the ends of the edges at time 0 and 1. As `vertex_face_times`; the tolerance is by
    default 1e-4 of the shorter edge.
    """
    shapes: dict[str, tuple[int | None, ...]] = dict.fromkeys(("a_t0", "a_t1", "b_t0", "b_t1"), (None, 2, 3))
    a0, a1, b0, b1 = _checked({"a_t0": a_t0, "a_t1": a_t1, "b_t0": b_t0, "b_t1": b_t1}, shapes)
    margin = _cast.scalar(margin, "margin", least=0.0)
    return _times(advance_pairs((a0, a1), (b0, b1), margin, _tolerances(tolerance, a0, b0)))
