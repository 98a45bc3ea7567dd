"""A deformable model against a partner that moves rigidly: slabs of time, as short as they have to be.

In a slab both sides go straight, up to the partner's deviation d, which is added to the margin: what is free there is
free. A contact that is found there may be one of the deviation alone; it says that everything is free until then, so
the next slab begins there and is shorter. Once 2 d is below half of the tolerance, a contact is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tocsin.deform.advance import CONTACT, UNDECIDED
from tocsin.deform.narrow import EDGE_FACE, EVERY, FACE_EDGE, FIRST, HIT
from tocsin.deform.partners import Partner, Path
from tocsin.deform.run import Found, Pair, find, nothing
from tocsin.deform.sides import Side

MOST_SLABS = 4096
"""Slabs after which a pair is left undecided."""

SHRINK, GROW = 0.3, 2.0
"""How the length of slabs changes after a contact of the deviation, and after a free slab."""


class Mixed(NamedTuple):
    """One deformable model and one shape of a link, over a stretch of time."""

    fit: Callable[[float, float], Side]
    """The deformable model between two times."""
    partner: Partner
    path: Path
    origin: np.ndarray
    margin: float
    tolerance: float
    overlaps: bool
    noise: float
    """Metres by which the deformable model's own positions may be off in a slab."""


def _slab(mixed: Mixed, s: float, e: float, first: bool, question: int, limit: float, threads: int | None) -> Found:
    """Ask about one slab; times that come back are fractions of it."""
    deviation = mixed.path.deviation(mixed.partner, e - s) + mixed.noise
    a = mixed.fit(s, e)
    placed = (mixed.path.place(mixed.partner, s), mixed.path.place(mixed.partner, e))
    b = mixed.partner.soft.fit(*placed, mixed.origin)
    margin = mixed.margin + mixed.partner.radius + deviation
    pair = Pair(a, b, False, margin, 0.5 * mixed.tolerance, mixed.overlaps and first)
    return find([pair], question, limit=limit, threads=threads)


def first_contact(mixed: Mixed, begin: float, end: float, *, threads: int | None = None) -> Found:
    """Return the first contact during [begin, end], its time in those terms; one hit or none."""
    s = begin
    allowed = 0.25 * mixed.tolerance
    short = mixed.path.longest(mixed.partner, allowed - mixed.noise)
    h = end - begin
    for _ in range(MOST_SLABS):
        e = end if s + h >= end else s + h
        # Asked of every slab from the start on: a contact of the deviation alone may hide an overlap in a longer one.
        found = _slab(mixed, s, e, s == begin, FIRST, 1.0, threads)
        if not len(found.hits):
            if e >= end:
                return found
            s, h = e, GROW * h
            continue
        hit = found.hits[0]
        reached = _later(s, e, float(hit["time"]))
        if e - s <= short or hit["kind"] in (EDGE_FACE, FACE_EDGE):
            hit["time"] = reached
            return found
        if short == 0.0 or e - s <= 1e-15 * max(e, 1e-300):
            hit["time"], hit["status"] = reached, UNDECIDED
            return found
        s, h = reached, max(SHRINK * (e - s), min(0.99 * short, end - reached))
    left = nothing()
    return left._replace(hits=_undecided(s), pair=np.zeros(1, np.int64))


def every_contact(mixed: Mixed, begin: float, end: float, *, threads: int | None = None) -> Found:
    """Return every feature pair that touches during [begin, end], with its first time."""
    short = mixed.path.longest(mixed.partner, 0.25 * mixed.tolerance - mixed.noise)
    waiting = [(begin, end)]
    parts = []
    for _ in range(MOST_SLABS):
        if not waiting:
            break
        s, e = waiting.pop()
        found = _slab(mixed, s, e, False, EVERY, 1.0, threads)
        if not len(found.hits):
            continue
        if e - s <= max(short, (end - begin) / MOST_SLABS):
            for hit in found.hits:
                hit["time"] = _later(s, e, float(hit["time"]))
                hit["status"] = CONTACT if e - s <= short else UNDECIDED
            parts.append(found.hits)
            continue
        middle = 0.5 * (s + e)
        waiting += [(middle, e), (s, middle)]
    if not parts:
        return nothing()
    hits = np.concatenate(parts)
    hits = hits[np.lexsort((hits["time"], hits["b"], hits["a"], hits["kind"]))]
    key = np.stack([hits["kind"], hits["a"], hits["b"]], axis=1)
    new = np.concatenate([[True], (key[1:] != key[:-1]).any(axis=1)])
    hits = hits[new]
    hits = hits[np.lexsort((hits["b"], hits["a"], hits["kind"], hits["time"]))]
    return nothing()._replace(hits=hits, pair=np.zeros(len(hits), np.int64))


def _later(s: float, e: float, x: float) -> float:
    """Return a time no later than s + x (e - s), and s if x is 0."""
    return s if x <= 0.0 else max(s, (s + x * (e - s)) * (1.0 - 2.0**-51))


def _undecided(t: float) -> np.ndarray:
    hits = np.zeros(1, HIT)
    hits["time"], hits["kind"], hits["status"] = t, -1, UNDECIDED
    return hits
