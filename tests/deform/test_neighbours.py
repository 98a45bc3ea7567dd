"""Octets beside each other: their lists hold exactly the pairs that share a vertex with a ring."""

import numpy as np

from deform.test_one_ring import grid, made
from tocsin.deform.neighbours import known_of


def lists_of(n, seed, edges=()):
    """The model as kernels see it, and which vertices have a ring."""
    v, faces = grid(n, np.random.default_rng(seed), 0.01)
    side = made(v, faces, edges=edges).fit(v, v, np.zeros(3)).arrays
    return side, np.flatnonzero(side.has_ring)


def test_pairs_of_elements_with_a_common_ring_are_known_and_no_others():
    for n, edges in ((3, ()), (12, ()), (12, [(0, 143), (66, 3)])):
        side, rings = lists_of(n, n, edges)
        corners = [set(row) & set(rings.tolist()) for row in side.corners.tolist()]
        lists = (side.beside_start, side.beside_other, side.beside_known)
        octets = len(side.beside_start) - 1
        assert octets == (len(corners) + 7) // 8
        for q in range(octets):
            assert known_of(*lists, q, q) != 0
            for r in range(q, octets):
                known = int(known_of(*lists, q, r)) % 2**64
                for i in range(8):
                    for k in range(8):
                        e, f = 8 * q + i, 8 * r + k
                        if e >= f:
                            assert (known >> (8 * i + k)) & 1  # each pair of one octet once
                        elif max(e, f) < len(corners):
                            assert (known >> (8 * i + k)) & 1 == bool(corners[e] & corners[f])


def test_octets_of_octets_know_which_of_their_octets_are_listed():
    side, _ = lists_of(24, 3)
    lower = (side.beside_start, side.beside_other, side.beside_known)
    upper = (side.above_start, side.above_other, side.above_known)
    octets = len(side.beside_start) - 1
    assert len(side.above_start) - 1 == (octets + 7) // 8 > 2
    listed = {(q, int(r)) for q in range(octets) for r in lower[1][lower[0][q] : lower[0][q + 1]]}
    for q in range(octets):
        for r in range(q, octets):
            known = int(known_of(*upper, q >> 3, r >> 3)) % 2**64
            assert (known >> (8 * (q & 7) + (r & 7))) & 1 == ((q, r) in listed)
