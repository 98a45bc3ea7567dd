"""From pairs of elements to the feature pairs that may touch: eight directions for a pair, all of its features at once.

Seen along a fixed direction n, features that move linearly are apart during [0, T] if they are at 0 and at T, on the
same sides. For two elements the corners of both are seen along eight directions, the lanes of a register: the normals
of both at 0, at T, and their sums, and what is between their centres at 0 and at T. One of the eight settles seven in
ten of the feature pairs that the two elements represent, and what it takes is shared by all of them.

Four loops over a block of element pairs: the first lists what they represent, the second looks along the directions,
the third compares what each feature pair needs of that, and the last writes the numbers of those that are left. None of
them branches on what it finds.
Corners are in single precision, from the origin of the hierarchy.
"""

from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin._types import IntArray
from tocsin.compiler.jit import kernel
from tocsin.deform.element_filter import LARGEST, LEAST, ONE, length1, noise_of, single_up
from tocsin.deform.mesh_arrays import largest_coordinate
from tocsin.simd.lanes import bits, load_singles
from tocsin.simd.singles import (
    both_ends,
    greater,
    lesser,
    put_four,
    put_sixteen,
    row_of,
    seated,
    single_at,
    store_singles,
    summed,
    until,
)

BLOCK = 256
"""Element pairs whose shadows are kept: 100 KiB."""

OF_A0, OF_AT, OF_B0, OF_BT, KEEP, ROWS = 0, 3, 6, 9, 12, 13
"""Rows of shadows: three corners of a at 0 and at T, of b at 0 and at T, and how far apart is apart."""

CARD_EDGES, CARD_OWNS, CARD = 3, 6, 8
"""A card of an element: three corners, three edges, what it represents (`owns`, the edges in bits 4 to 6), a spare."""

OF_A, OF_B, COLUMNS = 4, 5, 8
"""Of a feature pair: four points first, then the features of a and of b, and two spares."""


class Block(NamedTuple):
    """Some of a chunk's pairs of elements, and what is known of them."""

    pairs: np.ndarray
    first: int
    """Of the pairs, which of them is the first."""
    cards_a: np.ndarray
    cards_b: np.ndarray
    shadows: np.ndarray


NEXT: IntArray = np.array([1, 2, 0], np.int32)
"""The corner after."""


def _codes(width: int, size: int) -> np.ndarray:
    """Return for each set of `width` bits their numbers, in a row of `size`."""
    table = np.zeros((1 << width, size), np.int32)
    for mask in range(1 << width):
        numbers = [k for k in range(width) if mask >> k & 1]
        table[mask, : len(numbers)] = numbers
    return table


THREES, NINES = _codes(3, 4), _codes(9, 16)
"""Numbers of the bits of three, and of nine."""

HOW_MANY = np.array([bin(mask).count("1") for mask in range(512)], np.int64)
"""How many bits are set."""

PRODUCT = np.array([[sum((i >> k & 1) << 3 * k for k in range(3)) * j for j in range(8)] for i in range(8)], np.int32)
"""Bit 3 k + l of PRODUCT[i, j]: bit k of i and bit l of j."""


def make_cards(corners: np.ndarray, owned_edges: np.ndarray, owns: np.ndarray) -> np.ndarray:
    """Return (m, CARD): all that listing features needs to know of an element, in half a line of the cache."""
    cards = np.zeros((len(corners), CARD), np.int32)
    cards[:, :3] = corners
    cards[:, CARD_EDGES : CARD_EDGES + 3] = owned_edges
    cards[:, CARD_OWNS] = owns
    for k in range(3):
        cards[:, CARD_OWNS] |= (owned_edges[:, k] >= 0).astype(np.int32) << (4 + k)
    return cards


@kernel
def directions(p, q, r, u, v, w):
    """Return eight directions for elements with corners p, q, r and u, v, w, rows of places; any would do."""
    first = both_ends(p, u)
    n = vec.cross(vec.sub(both_ends(q, v), first), vec.sub(both_ends(r, w), first))
    return seated((summed(n[0]), summed(n[1]), summed(n[2])), ((u + v) + w) - ((p + q) + r))


@kernel
def along(n, table, v, k):
    """Return vertex v, at the end whose coordinates start at k, seen along the directions n."""
    return n[0] * single_at(table, v, k) + n[1] * single_at(table, v, k + 1) + n[2] * single_at(table, v, k + 2)


@kernel
def cast_shadows(block, count, table_a, table_b, done, limit, near):
    """Write how the corners of pairs of elements are seen along eight directions at 0 and at T; near: noise and margin.

    Proof that more than `near` |n|_1 tells features apart by more than the margin: as `element_filter.pairs_free`, a
    position is rounded by u X, seeing it by 3 u |n|_1 X, and at T three times more: 7 u |n|_1 X. The difference of two
    has 14 u and its own rounding, 2 u |n|_1 X; 24 u, the noise, covers these and the roundings of `keep`.
    """
    whole = limit >= ONE
    a = block.cards_a
    b = block.cards_b
    shadows = block.shadows
    for k in range(count):
        x = block.pairs[block.first + k, 0]
        y = block.pairs[block.first + k, 1]
        x0 = a[x, 0]
        x1 = a[x, 1]
        x2 = a[x, 2]
        y0 = b[y, 0]
        y1 = b[y, 1]
        y2 = b[y, 2]
        p = row_of(table_a, x0)
        q = row_of(table_a, x1)
        r = row_of(table_a, x2)
        u = row_of(table_b, y0)
        v = row_of(table_b, y1)
        w = row_of(table_b, y2)
        if not whole:
            p = until(p, done, limit)
            q = until(q, done, limit)
            r = until(r, done, limit)
            u = until(u, done, limit)
            v = until(v, done, limit)
            w = until(w, done, limit)
        n = directions(p, q, r, u, v, w)
        store_singles(shadows, k, KEEP, near * length1(n) + LEAST)
        p = along(n, table_a, x0, 0)
        q = along(n, table_a, x1, 0)
        r = along(n, table_a, x2, 0)
        u = along(n, table_b, y0, 0)
        v = along(n, table_b, y1, 0)
        w = along(n, table_b, y2, 0)
        store_singles(shadows, k, OF_A0, p)
        store_singles(shadows, k, OF_A0 + 1, q)
        store_singles(shadows, k, OF_A0 + 2, r)
        store_singles(shadows, k, OF_B0, u)
        store_singles(shadows, k, OF_B0 + 1, v)
        store_singles(shadows, k, OF_B0 + 2, w)
        e = along(n, table_a, x0, 3)
        f = along(n, table_a, x1, 3)
        g = along(n, table_a, x2, 3)
        h = along(n, table_b, y0, 3)
        i = along(n, table_b, y1, 3)
        j = along(n, table_b, y2, 3)
        if not whole:
            e = p * done + e * limit
            f = q * done + f * limit
            g = r * done + g * limit
            h = u * done + h * limit
            i = v * done + i * limit
            j = w * done + j * limit
        store_singles(shadows, k, OF_AT, e)
        store_singles(shadows, k, OF_AT + 1, f)
        store_singles(shadows, k, OF_AT + 2, g)
        store_singles(shadows, k, OF_BT, h)
        store_singles(shadows, k, OF_BT + 1, i)
        store_singles(shadows, k, OF_BT + 2, j)


@kernel
def told_apart(a, b, keep):
    """Return True if one direction has a and b apart at 0 and at T, on the same sides.

    Of each (low, high) at 0, then at T.
    """
    above = lesser(b[0] - a[1], b[2] - a[3])
    below = lesser(a[0] - b[1], a[2] - b[3])
    return bits(greater(above, below) > keep) != 0


@kernel
def face_apart(shadows, p, vertex, face, k):
    """Is corner k of one element of pair p apart from the other? `vertex` and `face` are where their rows start."""
    b0 = load_singles(shadows, p, face)
    b1 = load_singles(shadows, p, face + 1)
    b2 = load_singles(shadows, p, face + 2)
    c0 = load_singles(shadows, p, face + 3)
    c1 = load_singles(shadows, p, face + 4)
    c2 = load_singles(shadows, p, face + 5)
    v = load_singles(shadows, p, vertex + k)
    w = load_singles(shadows, p, vertex + 3 + k)
    of_face = (
        lesser(lesser(b0, b1), b2), greater(greater(b0, b1), b2), lesser(lesser(c0, c1), c2),
        greater(greater(c0, c1), c2),
    )  # fmt: skip
    return told_apart((v, v, w, w), of_face, load_singles(shadows, p, KEEP))


@kernel
def edge_shadow(shadows, p, row, i):
    """Return (low, high) at 0, then at T, of edge i of an element of pair p, whose rows start at `row`."""
    p0 = load_singles(shadows, p, row + i)
    p1 = load_singles(shadows, p, row + NEXT[i])
    q0 = load_singles(shadows, p, row + 3 + i)
    q1 = load_singles(shadows, p, row + 3 + NEXT[i])
    return lesser(p0, p1), greater(p0, p1), lesser(q0, q1), greater(q0, q1)


@kernel
def edges_apart(shadows, p, i, j):
    """Are edge i of a and edge j of b of pair p apart?"""
    of_a = edge_shadow(shadows, p, OF_A0, i)
    return told_apart(of_a, edge_shadow(shadows, p, OF_B0, j), load_singles(shadows, p, KEEP))


@kernel
def without_joints(same, a, x, b, y, of_a, of_b, of_edges):
    """Return which features of elements x and y are left when those with a common vertex are left out."""
    for k in range(3):
        for m in range(3):
            if same[a[x, k]] == same[b[y, m]]:
                of_a &= ~(1 << k)
                of_b &= ~(1 << m)
                of_edges &= ~PRODUCT[(1 << k) | (1 << (k + 2) % 3), (1 << m) | (1 << (m + 2) % 3)]
    return of_a, of_b, of_edges


@kernel
def list_block(same, a, b, itself, pairs, first, count, lists):
    """Write the feature pairs that element pairs represent, by kind, as 16 times the pair and a code.

    Return how many of each, and how many pairs of elements: those that represent none are taken out of the block, two
    in three around the poles of a ball and along borders. Features with a common vertex are left out.
    """
    of_faced, of_facing, of_edged = lists
    faced = 0
    facing = 0
    edged = 0
    left = 0
    for p in range(count):
        x = pairs[first + p, 0]
        y = pairs[first + p, 1]
        owns_a = a[x, CARD_OWNS]
        owns_b = b[y, CARD_OWNS]
        of_a = owns_a & 7 & -((owns_b >> 3) & 1)
        of_b = owns_b & 7 & -((owns_a >> 3) & 1)
        of_edges = PRODUCT[owns_a >> 4, owns_b >> 4]
        if itself:
            u = same[b[y, 0]]
            v = same[b[y, 1]]
            w = same[b[y, 2]]
            met = False
            for k in range(3):
                c = same[a[x, k]]
                met |= (c == u) | (c == v) | (c == w)
            if met:
                of_a, of_b, of_edges = without_joints(same, a, x, b, y, of_a, of_b, of_edges)
        pairs[first + left, 0] = x
        pairs[first + left, 1] = y
        put_four(THREES, of_a, 16 * left, of_faced, faced)
        put_four(THREES, of_b, 16 * left, of_facing, facing)
        put_sixteen(NINES, of_edges, 16 * left, of_edged, edged)
        faced += HOW_MANY[of_a]
        facing += HOW_MANY[of_b]
        edged += HOW_MANY[of_edges]
        left += (of_a | of_b | of_edges) != 0
    return faced, facing, edged, left


@kernel
def fill_row(row, p, q, r, s, i, j):
    """Write the points and the features of a feature pair."""
    row[0] = p
    row[1] = q
    row[2] = r
    row[3] = s
    row[OF_A] = i
    row[OF_B] = j


@kernel
def keep_faces(block, codes, n, swapped, rows, kept):
    """Write the vertex-face pairs of a list that are not told apart; return how many rows there are.

    Vertices are of a, faces of b; `swapped`: of b's side and a's.
    """
    a = block.cards_a
    b = block.cards_b
    left = 0
    vertex = OF_B0 if swapped else OF_A0
    for k in range(n):
        code = codes[k]
        codes[left] = code
        left += not face_apart(block.shadows, code >> 4, vertex, OF_A0 if swapped else OF_B0, code & 15)
    for k in range(left):
        p = block.first + (codes[k] >> 4)
        c = codes[k] & 15
        if swapped:
            x = block.pairs[p, 0]
            v = b[block.pairs[p, 1], c]
            fill_row(rows[kept + k], v, a[x, 0], a[x, 1], a[x, 2], x, v)
        else:
            y = block.pairs[p, 1]
            v = a[block.pairs[p, 0], c]
            fill_row(rows[kept + k], v, b[y, 0], b[y, 1], b[y, 2], v, y)
    return kept + left


@kernel
def keep_edges(block, codes, n, rows, kept):
    """Write the edge-edge pairs of a list that are not told apart; return how many rows there are."""
    a = block.cards_a
    b = block.cards_b
    left = 0
    for k in range(n):
        code = codes[k]
        c = code & 15
        i = (c * 11) >> 5
        codes[left] = code
        left += not edges_apart(block.shadows, code >> 4, i, c - 3 * i)
    for k in range(left):
        p = block.first + (codes[k] >> 4)
        c = codes[k] & 15
        i = (c * 11) >> 5
        j = c - 3 * i
        x = block.pairs[p, 0]
        y = block.pairs[p, 1]
        fill_row(
            rows[kept + k], a[x, i], a[x, NEXT[i]], b[y, j], b[y, NEXT[j]], a[x, CARD_EDGES + i], b[y, CARD_EDGES + j]
        )
    return kept + left


@kernel
def filter_features(pair, workspace, n, limit, margin):
    """Write the feature pairs of n element pairs that may come within the margin during [0, limit].

    Return (vertices of a and faces of b, vertices of b and faces of a, edges, all that there were). Faces go by the
    place of their element. Counters do not start as constants: what takes them would be compiled once more.
    """
    a = pair.a
    b = pair.b
    near = noise_of(largest_coordinate(pair), LARGEST) + single_up(margin * (1.0 + 2.0**-20))
    upto = min(single_up(limit), ONE)
    done = ONE - upto
    faced = np.int64(0)
    facing = np.int64(0)
    edged = np.int64(0)
    total = 0
    for first in range(0, n, BLOCK):
        count = min(BLOCK, n - first)
        lists = workspace.lists
        i, j, k, count = list_block(a.same, a.cards, b.cards, pair.itself, workspace.pairs, first, count, lists)
        total += i + j + k
        block = Block(workspace.pairs, first, a.cards, b.cards, workspace.shadows)
        cast_shadows(block, count, a.table, b.table, done, upto, near)
        faced = keep_faces(block, lists[0], i, False, workspace.faced, faced)
        facing = keep_faces(block, lists[1], j, True, workspace.facing, facing)
        edged = keep_edges(block, lists[2], k, workspace.edged, edged)
    return faced, facing, edged, total
