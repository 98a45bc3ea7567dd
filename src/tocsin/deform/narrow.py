"""From pairs of elements to contacts: filters first, then the advancement of the feature pairs that are left.

A chunk of element pairs goes through stages, each over the whole chunk: the feature pairs that they represent are
listed, filtered four at a time, and what is left is advanced.
"""

from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import bits
from tocsin.deform.advance import CONTACT, FREE, UNDECIDED, edge_edge, vertex_face
from tocsin.deform.filters import edge_edge_free, vertex_face_free
from tocsin.deform.initial import crosses, one_sided
from tocsin.deform.topology import FACE

VERTEX_FACE, FACE_VERTEX, EDGE_EDGE, EDGE_FACE, FACE_EDGE = range(5)
"""Kinds of feature pairs: which feature is a's, which is b's. An edge through a face is an overlap, at time 0."""

FIRST, EVERY, ANY = range(3)
"""What is asked: the first contact, every pair's own, or any contact at all."""

CHUNK = 1024
"""Element pairs per chunk."""

MOST_FACED, MOST_EDGED = 6, 9
"""Vertex-face and edge-edge pairs that a pair of elements has at most."""

HIT = np.dtype([("time", "f8"), ("kind", "i4"), ("a", "i4"), ("b", "i4"), ("status", "i4")])
"""A contact of a feature pair: when, and vertex, face or edge on either side."""

ELEMENTS, FEATURES, ADVANCED, STEPS, NODES, COUNTS = range(6)
"""What is counted: element pairs, feature pairs after each filter, advancement steps, tests of octets."""


class Room(NamedTuple):
    """Scratch of one thread: a chunk and its feature pairs."""

    pairs: np.ndarray
    """(CHUNK + 64, 4) elements of a and b, whether they may overlap at time 0, and a spare."""
    faced: np.ndarray
    edged: np.ndarray
    block: np.ndarray


@kernel
def make_room():
    """Return room for a chunk, and what opening one more pair of octets adds to it."""
    most = CHUNK + 64
    return Room(
        np.zeros((most, 4), dtype=np.int32),
        np.zeros((most * MOST_FACED, 3), dtype=np.int32),
        np.zeros((most * MOST_EDGED, 3), dtype=np.int32),
        np.zeros((1, 24, 4)),
    )


@kernel
def put(block, lane, row, rows, v):
    """Write a vertex into one lane of three rows of a block."""
    block[0, row, lane] = rows[v, 0]
    block[0, row + 1, lane] = rows[v, 1]
    block[0, row + 2, lane] = rows[v, 2]


@kernel
def is_corner(side, element, vertex):
    """Is a vertex, by `same`, one of an element's corners?"""
    corners = side.corners
    same = side.same
    for c in range(3):
        if same[corners[element, c]] == vertex:
            return True
    return False


@kernel
def is_joined(side, e, f):
    """Do two edges of a model share a vertex?"""
    v = side.same[side.edges[f, 0]]
    w = side.same[side.edges[f, 1]]
    x = side.same[side.edges[e, 0]]
    y = side.same[side.edges[e, 1]]
    return (x == v) | (x == w) | (y == v) | (y == w)


@kernel
def list_features(a, b, itself, pairs, n, faced, edged):
    """Write the feature pairs (kind, a's, b's) that element pairs represent; return how many.

    Those with a face, by the place of its element, go to `faced`, pairs of edges to `edged`.
    """
    count = 0
    edges = 0
    for p in range(n):
        x = pairs[p, 0]
        y = pairs[p, 1]
        if b.owns[y] & FACE:
            for k in range(3):
                v = a.corners[x, k]
                if (a.owns[x] >> k) & 1 and not (itself and is_corner(b, y, a.same[v])):
                    faced[count, 0] = VERTEX_FACE
                    faced[count, 1] = v
                    faced[count, 2] = y
                    count += 1
        if a.owns[x] & FACE:
            for k in range(3):
                v = b.corners[y, k]
                if (b.owns[y] >> k) & 1 and not (itself and is_corner(a, x, a.same[v])):
                    faced[count, 0] = FACE_VERTEX
                    faced[count, 1] = x
                    faced[count, 2] = v
                    count += 1
        for i in range(3):
            e = a.owned_edges[x, i]
            if e < 0:
                continue
            for j in range(3):
                f = b.owned_edges[y, j]
                if f >= 0 and not (itself and is_joined(a, e, f)):
                    edged[edges, 0] = EDGE_EDGE
                    edged[edges, 1] = e
                    edged[edges, 2] = f
                    edges += 1
    return count, edges


@kernel
def keep_faced(a, b, faced, n, block, done, limit, margin):
    """Drop the pairs with a face that are proven free; return how many are left."""
    kept = 0
    for p in range(0, n, 4):
        for lane in range(4):
            k = min(p + lane, n - 1)
            i = faced[k, 1]
            j = faced[k, 2]
            if faced[k, 0] == VERTEX_FACE:
                put(block, lane, 0, a.p0, i)
                put(block, lane, 12, a.p1, i)
                for c in range(3):
                    put(block, lane, 3 * c + 3, b.p0, b.corners[j, c])
                    put(block, lane, 3 * c + 15, b.p1, b.corners[j, c])
            else:
                put(block, lane, 0, b.p0, j)
                put(block, lane, 12, b.p1, j)
                for c in range(3):
                    put(block, lane, 3 * c + 3, a.p0, a.corners[i, c])
                    put(block, lane, 3 * c + 15, a.p1, a.corners[i, c])
        left = 15 - bits(vertex_face_free(block, done, limit, margin))
        kept = keep_lanes(faced, p, n, left, kept)
    return kept


@kernel
def keep_edged(a, b, edged, n, block, done, limit, margin):
    """Drop the pairs of edges that are proven free; return how many are left."""
    kept = 0
    for p in range(0, n, 4):
        for lane in range(4):
            k = min(p + lane, n - 1)
            i = edged[k, 1]
            j = edged[k, 2]
            for c in range(2):
                put(block, lane, 3 * c, a.p0, a.edges[i, c])
                put(block, lane, 3 * c + 12, a.p1, a.edges[i, c])
                put(block, lane, 3 * c + 6, b.p0, b.edges[j, c])
                put(block, lane, 3 * c + 18, b.p1, b.edges[j, c])
        left = 15 - bits(edge_edge_free(block, done, limit, margin))
        kept = keep_lanes(edged, p, n, left, kept)
    return kept


@kernel
def keep_lanes(features, p, n, left, kept):
    """Move the rows p to p + 3 whose bit is set to the row `kept` and on; return the next."""
    for lane in range(min(4, n - p)):
        if (left >> lane) & 1:
            features[kept, 0] = features[p + lane, 0]
            features[kept, 1] = features[p + lane, 1]
            features[kept, 2] = features[p + lane, 2]
            kept += 1
    return kept


@kernel
def advance_feature(a, b, kind, i, j, margin, tolerance, limit):
    """Return (status, t, steps) of one feature pair."""
    if kind == EDGE_EDGE:
        v = a.edges[i, 0]
        w = a.edges[i, 1]
        x = b.edges[j, 0]
        y = b.edges[j, 1]
        return edge_edge(
            vec.load3(a.p0, v), vec.load3(a.p0, w), vec.load3(b.p0, x), vec.load3(b.p0, y),
            vec.load3(a.p1, v), vec.load3(a.p1, w), vec.load3(b.p1, x), vec.load3(b.p1, y), margin, tolerance, limit,
        )  # fmt: skip
    if kind == VERTEX_FACE:
        x = b.corners[j, 0]
        y = b.corners[j, 1]
        z = b.corners[j, 2]
        return vertex_face(
            vec.load3(a.p0, i), vec.load3(b.p0, x), vec.load3(b.p0, y), vec.load3(b.p0, z),
            vec.load3(a.p1, i), vec.load3(b.p1, x), vec.load3(b.p1, y), vec.load3(b.p1, z), margin, tolerance, limit,
        )  # fmt: skip
    x = a.corners[i, 0]
    y = a.corners[i, 1]
    z = a.corners[i, 2]
    return vertex_face(
        vec.load3(b.p0, j), vec.load3(a.p0, x), vec.load3(a.p0, y), vec.load3(a.p0, z),
        vec.load3(b.p1, j), vec.load3(a.p1, x), vec.load3(a.p1, y), vec.load3(a.p1, z), margin, tolerance, limit,
    )  # fmt: skip


@kernel
def precedes(time, kind, i, j, hit):
    """Return True if a contact comes before another; those at the same time are ordered by their features."""
    if time != hit["time"]:
        return time < hit["time"]
    if kind != hit["kind"]:
        return kind < hit["kind"]
    return i < hit["a"] or (i == hit["a"] and j < hit["b"])


@kernel
def write_hit(hit, time, kind, i, j, status):
    """Fill in a record."""
    hit["time"] = time
    hit["kind"] = kind
    hit["a"] = i
    hit["b"] = j
    hit["status"] = status


@kernel
def named_features(a, b, itself, kind, i, j):
    """Return (kind, i, j) with faces by their own numbers, and for a model against itself the vertex or edge first."""
    if kind in (VERTEX_FACE, EDGE_FACE):
        return kind, i, b.source[j]
    if kind in (FACE_VERTEX, FACE_EDGE):
        return (kind - 1, j, a.source[i]) if itself else (kind, a.source[i], j)
    return (kind, min(i, j), max(i, j)) if itself else (kind, i, j)


@kernel
def advance_features(a, b, itself, features, n, margin, tolerance, limit, question, hits, found, counts):
    """Advance the feature pairs that are left; return (hits, found, limit).

    The first contact is kept in hits[0], and `limit` is its time; of every contact each is appended.
    """
    for p in range(n):
        kind = features[p, 0]
        i = features[p, 1]
        j = features[p, 2]
        status, t, steps = advance_feature(a, b, kind, i, j, margin, tolerance, limit)
        counts[STEPS] += steps + 1
        if status == FREE:
            continue
        kind, i, j = named_features(a, b, itself, kind, i, j)
        if question == EVERY:
            if found == hits.shape[0]:
                more = np.zeros(2 * found, HIT)
                more[:found] = hits
                hits = more
            write_hit(hits[found], t, kind, i, j, status)
            found += 1
        elif found == 0 or precedes(t, kind, i, j, hits[0]):
            write_hit(hits[0], t, kind, i, j, status)
            found = 1
            limit = min(limit, t)
            if question == ANY and status != UNDECIDED:
                return hits, found, limit
    return hits, found, limit


@kernel
def edge_through(a, b, e, y, itself):
    """Return whether edge e of a goes through face y of b at time 0, as `crosses`; FREE if they share a vertex."""
    v = a.edges[e, 0]
    w = a.edges[e, 1]
    if itself and (is_corner(b, y, a.same[v]) or is_corner(b, y, a.same[w])):
        return FREE
    return crosses(
        vec.load3(a.p0, v), vec.load3(a.p0, w), vec.load3(b.p0, b.corners[y, 0]), vec.load3(b.p0, b.corners[y, 1]),
        vec.load3(b.p0, b.corners[y, 2]),
    )  # fmt: skip


@kernel
def beside_at_start(a, b, x, y):
    """Return True if element x of a is certainly on one side of the plane of element y of b at time 0."""
    return one_sided(
        vec.load3(a.p0, a.corners[x, 0]), vec.load3(a.p0, a.corners[x, 1]), vec.load3(a.p0, a.corners[x, 2]),
        vec.load3(b.p0, b.corners[y, 0]), vec.load3(b.p0, b.corners[y, 1]), vec.load3(b.p0, b.corners[y, 2]),
    )  # fmt: skip


@kernel
def overlaps_at_start(a, b, itself, pairs, n, hits, found):
    """Keep the first edge that goes through a face at time 0 in hits[0]; return how many contacts are there."""
    for p in range(n):
        if not pairs[p, 2]:
            continue
        x = pairs[p, 0]
        y = pairs[p, 1]
        if beside_at_start(a, b, x, y) or beside_at_start(b, a, y, x):
            continue
        for k in range(3):
            for side in range(2):
                if side == 0:
                    e = a.owned_edges[x, k]
                    if e < 0 or not b.owns[y] & FACE:
                        continue
                    status = edge_through(a, b, e, y, itself)
                    kind, i, j = named_features(a, b, itself, EDGE_FACE, e, y)
                else:
                    e = b.owned_edges[y, k]
                    if e < 0 or not a.owns[x] & FACE:
                        continue
                    status = edge_through(b, a, e, x, itself)
                    kind, i, j = named_features(a, b, itself, FACE_EDGE, x, e)
                if status != FREE and (found == 0 or precedes(0.0, kind, i, j, hits[0])):
                    write_hit(hits[0], 0.0, kind, i, j, status)
                    found = 1
    return found


@kernel
def culling_margin(margin, tolerance, question):
    """Return the margin for which pairs are left out.

    Asked for the first contact, pairs are left out up to the best time so far, which depends on what was met before. A
    pair that is never within the margin, but within margin + tolerance, may count as a contact or not: so that it does
    not depend on the order, nothing is left out that could count as one by then.
    """
    return margin if question == EVERY else (margin + tolerance) * (1.0 + 2.0**-50)


@kernel
def settle(a, b, itself, room, n, margin, tolerance, limit, question, overlaps, hits, found, counts):
    """Decide the first n element pairs of a chunk; return (hits, found, limit)."""
    counts[ELEMENTS] += n
    if question != EVERY and overlaps:
        found = overlaps_at_start(a, b, itself, room.pairs, n, hits, found)
        if found > 0:
            limit = min(limit, hits[0]["time"])
        if question == ANY and found > 0 and hits[0]["status"] == CONTACT:
            return hits, found, limit
    done = 1.0 - limit
    near = culling_margin(margin, tolerance, question)
    faced, edged = list_features(a, b, itself, room.pairs, n, room.faced, room.edged)
    counts[FEATURES] += faced + edged
    faced = keep_faced(a, b, room.faced, faced, room.block, done, limit, near)
    edged = keep_edged(a, b, room.edged, edged, room.block, done, limit, near)
    counts[ADVANCED] += faced + edged
    hits, found, limit = advance_features(
        a, b, itself, room.faced, faced, margin, tolerance, limit, question, hits, found, counts
    )
    return advance_features(a, b, itself, room.edged, edged, margin, tolerance, limit, question, hits, found, counts)
