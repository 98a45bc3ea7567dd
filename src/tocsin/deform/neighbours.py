"""Octets that lie beside each other in a mesh: which they are, and which of their pairs of elements belong to rings.

Boxes of neighbours always meet, so descending to them would find nothing out: nine in ten pairs of octets that are
close in a cloth are neighbours. They are listed once, when elements are put in order, each with a word of 64 bits: the
pairs of their elements that share a vertex with a ring, which `one_ring` settles. A question walks along the lists, and
its descent leaves out what is in them. An octet is its own neighbour.
"""

from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import inlined, kernel
from tocsin.deform.rings import LONGEST

DIAGONAL = sum(1 << (9 * i) for i in range(8)) - 2**64
"""Bits of eight lanes with themselves, as a signed number."""

UPPER = sum(1 << (8 * i + k) for i in range(8) for k in range(i, 8)) - 2**64
"""Bits of eight lanes with themselves and later ones, as a signed number."""


MOST_BESIDE = 1 + 24 * (LONGEST - 1)
"""Octets that are beside one, at most: 24 corners have rings, and no two of their other faces need be in one octet."""


class Beside(NamedTuple):
    """For each octet of a level those from itself on that are beside it: rows start[q] to start[q + 1] - 1."""

    start: np.ndarray
    other: np.ndarray
    known: np.ndarray
    """64 bits: bit 8 i + k says that lane i of the octet and lane k of the other are dealt with elsewhere."""


@kernel
def with_places(array, more):
    """Return room for so many more numbers than an array of all that are in use."""
    larger = np.zeros(2 * array.shape[0] + more, array.dtype)
    larger[: array.shape[0]] = array
    return larger


@kernel
def find_beside(corners, place, whole, faces, first):
    """Return (start, other, known) of the octets of elements; those of rings are `faces` by their `place`.

    Those of vertex v are `faces` from first[v] to first[v + 1] - 1 (`rings.find_rings`).
    """
    octets = (corners.shape[0] + 7) >> 3
    stamp = np.full(octets, -1, dtype=np.int32)
    row = np.zeros(octets, dtype=np.int32)
    start = np.zeros(octets + 1, dtype=np.int32)
    other = np.zeros(16 * octets + MOST_BESIDE, dtype=np.int32)
    known = np.zeros(16 * octets + MOST_BESIDE, dtype=np.int64)
    n = 0
    for q in range(octets):
        stamp[q] = q
        row[q] = n
        other[n] = q
        known[n] = ~(UPPER & ~DIAGONAL)
        n += 1
        for e in range(8 * q, min(8 * q + 8, corners.shape[0])):
            for c in range(3):
                v = corners[e, c]
                if not whole[v]:
                    continue
                for k in range(first[v], first[v + 1]):
                    f = place[faces[k]]
                    r = f >> 3
                    if r < q:
                        continue
                    if stamp[r] != q:
                        stamp[r] = q
                        row[r] = n
                        other[n] = r
                        n += 1
                    known[row[r]] |= np.int64(1) << (8 * (e & 7) + (f & 7))
        start[q + 1] = n
        if n + MOST_BESIDE > other.shape[0]:
            other = with_places(other, MOST_BESIDE)
            known = with_places(known, MOST_BESIDE)
    return start, other[:n].copy(), known[:n].copy()


@kernel
def find_above(start, other):
    """Return the same for octets of octets: `known` says which of their octets are listed beside each other."""
    octets = (start.shape[0] + 6) >> 3
    stamp = np.full(octets, -1, dtype=np.int32)
    row = np.zeros(octets, dtype=np.int32)
    above = np.zeros(octets + 1, dtype=np.int32)
    which = np.zeros(other.shape[0], dtype=np.int32)
    known = np.zeros(other.shape[0], dtype=np.int64)
    n = 0
    for q in range(start.shape[0] - 1):
        for k in range(start[q], start[q + 1]):
            r = other[k] >> 3
            if stamp[r] != q >> 3:
                stamp[r] = q >> 3
                row[r] = n
                which[n] = r
                n += 1
            known[row[r]] |= np.int64(1) << (8 * (q & 7) + (other[k] & 7))
        above[(q >> 3) + 1] = n
    return above, which[:n].copy(), known[:n].copy()


@inlined
def known_of(start, other, known, q, r):
    """Return the word of octets q and r, 0 if they are not beside each other."""
    for k in range(start[q], start[q + 1]):
        if other[k] == r:
            return known[k]
    return np.int64(0)
