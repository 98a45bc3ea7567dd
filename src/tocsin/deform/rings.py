"""The rings of a mesh: which vertices stand in a simple closed circle of faces, and who is around them.

A vertex has a ring if all elements with it are faces that follow each other around it, edge by edge, once around:
inside a manifold mesh every vertex has one. Two faces that share a vertex with a ring are left to `one_ring`, which
settles the whole ring at once; what has no ring (borders, soups, loose edges) goes the way of all other pairs. Eight
rings of the same length make a block. Fans are as long as words of bits allow: those at the two poles of a ball of 50
meridians are 2,450 pairs of faces, nine in ten of all that are looked at where balls are close.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import kernel

SHORTEST, LONGEST = 3, 62
"""Rings have from so many to so many faces: `close_ring` has a bit for each, and all of them in one word."""


class Rings(NamedTuple):
    """Rings in blocks of eight, for elements in the order of a hierarchy; the last lane is repeated to fill a block."""

    vertices: np.ndarray
    """(rows, 1, 8): of a block the vertex in the middle, then those around it in their order, row by row."""
    faces: np.ndarray
    """(rows, 1, 8): face k of a ring, row k of its block, has the vertices k and k + 1 around it; places of elements.
    The last row of a block is not used."""
    lengths: np.ndarray
    """(blocks, 3): faces of a ring, how many of the eight lanes are used, and the first row."""
    whole: np.ndarray
    """(n,) which vertices have a ring."""


@kernel
def close_ring(corners, around, count, v, vertices, faces):
    """Put `count` faces around v in order; return False if they do not close to one circle of distinct vertices."""
    used = 0
    first = -1
    last = -1
    for step in range(count):
        found = -1
        for k in range(count):
            if (used >> k) & 1:
                continue
            e = around[k]
            p = corners[e, 0]
            q = corners[e, 1]
            if p == v:
                p = corners[e, 2]
            elif q == v:
                q = corners[e, 2]
            if p == v or p == q or q == v:  # noqa: SIM109 - numba wants one kind of number in a tuple
                return False
            if step == 0:
                first = p
                last = q
                found = k
            elif p == last:
                last = q
                found = k
            elif q == last:
                last = p
                found = k
            if found >= 0:
                break
        if found < 0:
            return False
        used |= 1 << found
        faces[step] = around[found]
        if step + 1 < count:
            vertices[step + 1] = last
            if last == first:
                return False
            for k in range(1, step + 1):
                if vertices[k] == last:
                    return False
    vertices[0] = first
    return last == first


@kernel
def count_uses(corners, same, uses, alone):
    """Count the elements at every vertex; `alone` is False where another vertex in use counts as one with it."""
    first = np.full(uses.shape[0], -1, dtype=np.int32)
    for e in range(corners.shape[0]):
        for c in range(3):
            v = corners[e, c]
            uses[v] += 1
            other = first[same[v]]
            if other < 0:
                first[same[v]] = v
            elif other != v:
                alone[v] = False
                alone[other] = False


@kernel
def find_rings(corners, same, n, n_faces):
    """Return (whole, ring, faces, start): rings of all n vertices; the first n_faces elements are faces.

    Those around vertex v, and the faces, are `ring` and `faces` from start[v] to start[v + 1] - 1.
    """
    uses = np.zeros(n, dtype=np.int32)
    whole = np.ones(n, dtype=np.bool_)
    count_uses(corners, same, uses, whole)
    start = np.zeros(n + 1, dtype=np.int32)
    for v in range(n):
        start[v + 1] = start[v] + uses[v]
    member = np.zeros(start[n], dtype=np.int32)
    filled = start[:-1].copy()
    for e in range(corners.shape[0]):
        for c in range(3):
            v = corners[e, c]
            member[filled[v]] = e
            filled[v] += 1
            if e >= n_faces:
                whole[v] = False
    ring = np.zeros(start[n], dtype=np.int32)
    faces = np.zeros(start[n], dtype=np.int32)
    for v in range(n):
        count = uses[v]
        if count < SHORTEST or count > LONGEST:
            whole[v] = False
        if whole[v]:
            first = start[v]
            last = start[v + 1]
            whole[v] = close_ring(corners, member[first:last], count, v, ring[first:last], faces[first:last])
    return whole, ring, faces, start


@kernel
def fill_blocks(found, counts, place, sequence, blocks):
    """Write rings, as `find_rings` has them, into blocks, one length after the other, in the sequence of vertices.

    `counts` says how many there are of each length; `blocks` are (vertices, faces, lengths) as in `Rings`.
    """
    whole, ring, faces, start = found
    vertices, members, lengths = blocks
    b = -1
    row = 0
    after = 0
    for length in range(SHORTEST, LONGEST + 1):
        if counts[length] == 0:
            continue
        lane = 8
        for v in sequence:
            if not whole[v] or start[v + 1] - start[v] != length:
                continue
            if lane == 8:
                b += 1
                lane = 0
                row = after
                after = row + length + 1
                lengths[b, 0] = length
                lengths[b, 2] = row
            for k in range(lane, 8):
                vertices[row, 0, k] = v
                for i in range(length):
                    vertices[row + 1 + i, 0, k] = ring[start[v] + i]
                    members[row + i, 0, k] = place[faces[start[v] + i]]
            lane += 1
            lengths[b, 1] = lane


def blocks_of(found: tuple[np.ndarray, ...], place: np.ndarray, sequence: np.ndarray) -> Rings:
    """Return what `find_rings` found in blocks, for elements at their places, vertices in a sequence close in space."""
    whole, _, _, start = found
    counts = np.bincount(np.diff(start)[whole], minlength=LONGEST + 1)
    blocks = (counts + 7) // 8
    rows = int((blocks * np.arange(1, len(counts) + 1)).sum())
    vertices = np.zeros((rows, 1, 8), np.int32)
    members = np.zeros((rows, 1, 8), np.int32)
    lengths = np.zeros((int(blocks.sum()), 3), np.int32)
    fill_blocks(found, counts, place, sequence, (vertices, members, lengths))
    return Rings(vertices, members, lengths, whole)
