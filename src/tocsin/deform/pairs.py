"""Times of contact of pairs that the caller brings: vertices and faces, edges and edges, all in one compiled call."""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin import _cast, vec
from tocsin._jit import kernel
from tocsin.deform.advance import FREE, edge_edge, vertex_face
from tocsin.errors import TocsinError
from tocsin.options import RELATIVE_TOLERANCE


@kernel
def corner(rows, k, i):
    """Return rows[k, i] as a vector."""
    return (rows[k, i, 0], rows[k, i, 1], rows[k, i, 2])


@kernel
def all_vertex_face(v_t0, v_t1, f_t0, f_t1, margin, tolerance, times, decided):
    """Write the time of every pair, inf where free; `decided` is False where only freedom until then is known."""
    for k in range(v_t0.shape[0]):
        status, t, _ = vertex_face(
            vec.load3(v_t0, k), corner(f_t0, k, 0), corner(f_t0, k, 1), corner(f_t0, k, 2),
            vec.load3(v_t1, k), corner(f_t1, k, 0), corner(f_t1, k, 1), corner(f_t1, k, 2), margin, tolerance[k], 1.0,
        )  # fmt: skip
        times[k] = np.inf if status == FREE else t
        decided[k] = status != 2


@kernel
def all_edge_edge(a_t0, a_t1, b_t0, b_t1, margin, tolerance, times, decided):
    """Write the time of every pair, inf where free; `decided` is False where only freedom until then is known."""
    for k in range(a_t0.shape[0]):
        status, t, _ = edge_edge(
            corner(a_t0, k, 0), corner(a_t0, k, 1), corner(b_t0, k, 0), corner(b_t0, k, 1),
            corner(a_t1, k, 0), corner(a_t1, k, 1), corner(b_t1, k, 0), corner(b_t1, k, 1), margin, tolerance[k], 1.0,
        )  # fmt: skip
        times[k] = np.inf if status == FREE else t
        decided[k] = status != 2


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
    arrays = _checked({"v_t0": v_t0, "v_t1": v_t1, "f_t0": f_t0, "f_t1": f_t1}, shapes)
    times = np.full(len(arrays[0]), np.inf)
    tolerances = _tolerances(tolerance, arrays[2])
    margin = _cast.scalar(margin, "margin", least=0.0)
    v0, v1, f0, f1 = arrays
    all_vertex_face(v0, v1, f0, f1, margin, tolerances, times, np.ones(len(times), np.bool_))
    return times


def edge_edge_times(
    a_t0: Any, a_t1: Any, b_t0: Any, b_t1: Any, *, margin: float = 0.0, tolerance: float | None = None
) -> np.ndarray:
    """Return when each edge of a first comes within `margin` of its edge of b, (n,); `inf` where it never does.

    All arguments are (n, 2, 3): the ends of the edges at time 0 and 1. As `vertex_face_times`; the tolerance is by
    default 1e-4 of the shorter edge.
    """
    shapes: dict[str, tuple[int | None, ...]] = dict.fromkeys(("a_t0", "a_t1", "b_t0", "b_t1"), (None, 2, 3))
    arrays = _checked({"a_t0": a_t0, "a_t1": a_t1, "b_t0": b_t0, "b_t1": b_t1}, shapes)
    times = np.full(len(arrays[0]), np.inf)
    tolerances = _tolerances(tolerance, arrays[0], arrays[2])
    margin = _cast.scalar(margin, "margin", least=0.0)
    a0, a1, b0, b1 = arrays
    all_edge_edge(a0, a1, b0, b1, margin, tolerances, times, np.ones(len(times), np.bool_))
    return times
