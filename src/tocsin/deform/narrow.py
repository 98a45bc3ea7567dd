"""From pairs of elements to contacts: the feature filter first, then the advancement of the pairs that are left.

A chunk of element pairs goes through stages, each over the whole chunk: the feature filter lists the feature pairs that
they represent and may touch, and kind by kind those whose volume changes its sign (`crossing`) are advanced.
"""

from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.addresses import Layout
from tocsin.compiler.jit import inlined, kernel
from tocsin.deform.advance import ENDED, advance_all
from tocsin.deform.feature_filter import BLOCK, COLUMNS, OF_A, OF_B, ROWS, filter_features
from tocsin.deform.initial import crosses, one_sided
from tocsin.deform.mesh_arrays import FLOAT32, INT32, INT64, culling_margin, largest_coordinate, swapped
from tocsin.deform.sign_filter import sign_filter
from tocsin.deform.topology import FACE
from tocsin.outcome import CONTACT, FREE
from tocsin.simd.lanes import DOUBLES

VERTEX_FACE, FACE_VERTEX, EDGE_EDGE, EDGE_FACE, FACE_EDGE, INSIDE = range(6)
"""Kinds of feature pairs: which feature is a's, which is b's. An edge through a face is an overlap, at time 0; so is a
vertex inside a solid, which has no number (-1)."""

FIRST, EVERY, ANY = range(3)
"""What is asked: the first contact, every pair's own, or any contact at all."""

CHUNK = 1024
"""Element pairs per chunk."""

MOST_FACED, MOST_EDGED, MOST_THROUGH = 3, 9, 6
"""Pairs of each kind that a pair of elements has at most: a vertex and a face, two edges, an edge through a face."""

MOST_LISTED = 2 * MOST_FACED + MOST_EDGED + MOST_THROUGH
"""All that a pair of elements can add to a list."""

HIT = np.dtype([("time", "f8"), ("kind", "i4"), ("a", "i4"), ("b", "i4"), ("status", "i4")])
"""A contact of a feature pair: when, and vertex, face or edge on either side."""

ELEMENTS, FEATURES, ADVANCED, STEPS, NODES, CAP, COUNTS = range(7)
"""What is counted: element pairs, feature pairs after each filter, advancement steps, tests of octets. CAP: how many
steps of the cap may be taken; 0 for any number."""

CHEAP = 8
"""Steps of pairs, pairs of elements and tests of octets that are counted as one step of the cap: a tenth to half a
microsecond each, so that a million steps, the default, are a few seconds."""


class Search(NamedTuple):
    """Where one thread's search for the contacts of a pair stands."""

    question: int
    hits: np.ndarray
    """What was found: the best in hits[0], or everything."""
    found: int
    """How many of them."""
    limit: float
    """The time until which contacts matter."""


class Represented(NamedTuple):
    """What a block of element pairs represents, of each kind: lists of codes (`feature_filter.list_block`)."""

    faced: np.ndarray
    facing: np.ndarray
    edged: np.ndarray


class Workspace(NamedTuple):
    """Scratch of one thread: a chunk and its feature pairs."""

    pairs: np.ndarray
    """(CHUNK + 64, 4) elements of a and b, whether they may overlap at time 0, and a spare."""
    faced: np.ndarray
    """(., COLUMNS) vertices of a and faces of b (`feature_filter`)."""
    facing: np.ndarray
    """Vertices of b and faces of a."""
    edged: np.ndarray
    shadows: np.ndarray
    """(BLOCK, ROWS, 8) what the feature filter sees of a block."""
    lists: Represented
    queue: np.ndarray
    ended: np.ndarray
    tolerance: np.ndarray
    counts: np.ndarray
    """(COUNTS,) what this thread has done in the question."""


WORKSPACE = Layout(
    Workspace,
    pairs=(INT32, 2),
    faced=(INT32, 2),
    facing=(INT32, 2),
    edged=(INT32, 2),
    shadows=(FLOAT32, 3),
    lists=Layout(Represented, faced=(INT32, 1), facing=(INT32, 1), edged=(INT32, 1)),
    queue=(INT32, 1),
    ended=(ENDED, 1),
    tolerance=(np.dtype(np.float64), 1),
    counts=(INT64, 1),
)


@kernel
def make_workspace():
    """Return the workspace of a chunk, and what opening one more pair of octets adds to it.

    What is large is not cleared: everything is written before it is read, and small questions do not pay for it.
    """
    most = CHUNK + 64
    return Workspace(
        np.zeros((most, 4), dtype=np.int32),
        np.empty((most * MOST_FACED + 8, COLUMNS), dtype=np.int32),
        np.empty((most * MOST_FACED + 8, COLUMNS), dtype=np.int32),
        np.empty((most * MOST_EDGED + 8, COLUMNS), dtype=np.int32),
        np.empty((BLOCK, ROWS, 8), dtype=np.float32),
        Represented(
            np.empty(BLOCK * MOST_FACED + 4, dtype=np.int32),
            np.empty(BLOCK * MOST_FACED + 4, dtype=np.int32),
            np.empty(BLOCK * MOST_EDGED + 16, dtype=np.int32),
        ),
        np.empty(most * MOST_EDGED + DOUBLES, dtype=np.int32),
        np.empty(most * MOST_EDGED, dtype=ENDED),
        np.zeros(1),
        np.zeros(COUNTS, dtype=np.int64),
    )


@kernel
def work_of(counts):
    """Return what is held against the cap: steps of pairs, pairs of elements and tests of octets, in steps of it."""
    return (counts[STEPS] + counts[ELEMENTS] + counts[NODES]) // CHEAP


@kernel
def is_spent(counts):
    """Return True if more work was done than the cap allows."""
    return counts[CAP] > 0 and work_of(counts) > counts[CAP]


@kernel
def is_corner(corners, same, element, vertex):
    """Is a vertex, by `same`, one of an element's corners?

    This and its neighbours take tables, not sides: handing a side around costs more than what they do.
    """
    for c in range(3):
        if same[corners[element, c]] == vertex:
            return True
    return False


@kernel
def precedes(time, status, kind, i, j, hit):
    """Return True if a contact comes before another; at the same time what is certain does, then by features."""
    if time != hit["time"]:
        return time < hit["time"]
    if status != hit["status"]:
        return status < hit["status"]
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
def named_features(source_a, source_b, itself, kind, i, j):
    """Return (kind, i, j) with faces by their own numbers, and for a model against itself the vertex or edge first."""
    if kind in (VERTEX_FACE, EDGE_FACE):
        return kind, i, source_b[j]
    if kind in (FACE_VERTEX, FACE_EDGE):
        return (kind - 1, j, source_a[i]) if itself else (kind, source_a[i], j)
    return (kind, min(i, j), max(i, j)) if itself else (kind, i, j)


@kernel
def with_room(hits, found, more):
    """Return room for so many more contacts than have been found."""
    if found + more <= hits.shape[0]:
        return hits
    larger = np.empty(2 * (found + more), HIT)
    for k in range(found):
        larger[k] = hits[k]
    return larger


@kernel
def noted(search, found):
    """Return a search that has found so much; but for lists, what comes later than the best does not matter."""
    limit = search.limit
    if search.question != EVERY and found > 0:
        limit = min(limit, search.hits[0]["time"])
    return Search(search.question, search.hits, found, limit)


@inlined
def keep_contact(search, found, time, named, status):
    """Write down a contact of `named` features, (kind, i, j), if it is asked for; return how many there are.

    The first contact is kept in hits[0]; of every contact each is appended.
    """
    kind, i, j = named
    if search.question == EVERY:
        write_hit(search.hits[found], time, kind, i, j, status)
        return found + 1
    if found == 0 or precedes(time, status, kind, i, j, search.hits[0]):
        write_hit(search.hits[0], time, kind, i, j, status)
        return np.int64(1)
    return found


@inlined
def keep_contacts(pair, kind, rows, n, ended, search):
    """Write down which feature pairs touch, or may; return how many contacts there are."""
    found = search.found
    for p in range(n):
        end = ended[p]
        if end["status"] != FREE:
            named = named_features(pair.a.source, pair.b.source, pair.itself, kind, rows[p, OF_A], rows[p, OF_B])
            found = keep_contact(search, found, end["time"], named, end["status"])
    return found


@kernel
def settle_features(edges, pair, rows, n, workspace, search):
    """Advance those of n feature pairs of one kind whose volume changes sign; return how many those are.

    The pair's a has the first features: edges, or vertices whose faces are those of b.
    """
    a = pair.a
    b = pair.b
    near = culling_margin(pair)
    n = sign_filter(edges, a.table, b.table, largest_coordinate(pair), rows, n, search.limit, near)
    workspace.counts[ADVANCED] += n
    workspace.tolerance[0] = pair.tolerance
    _, steps = advance_all(
        edges,
        ((a.places, b.places), rows, workspace.queue),
        n,
        pair.margin,
        workspace.tolerance,
        search.limit,
        search.question != EVERY,
        workspace.ended,
    )
    workspace.counts[STEPS] += steps
    return n


@kernel
def edge_through(p, edges, e, q, corners, y, same, itself):
    """Return whether an edge goes through a face at time 0, as `crosses`; FREE if they share a vertex.

    The ends of edge e are among the vertices p, those of the corners of face y among q.
    """
    v = edges[e, 0]
    w = edges[e, 1]
    if itself and (is_corner(corners, same, y, same[v]) or is_corner(corners, same, y, same[w])):
        return FREE
    return crosses(
        vec.load3(p, v), vec.load3(p, w), vec.load3(q, corners[y, 0]), vec.load3(q, corners[y, 1]),
        vec.load3(q, corners[y, 2]),
    )  # fmt: skip


@kernel
def beside_at_start(p, corners_a, x, q, corners_b, y):
    """Return True if element x of a is certainly on one side of the plane of element y of b; p and q are vertices."""
    return one_sided(
        vec.load3(p, corners_a[x, 0]), vec.load3(p, corners_a[x, 1]), vec.load3(p, corners_a[x, 2]),
        vec.load3(q, corners_b[y, 0]), vec.load3(q, corners_b[y, 1]), vec.load3(q, corners_b[y, 2]),
    )  # fmt: skip


@kernel
def overlaps_at_start(pair, workspace, n, search):
    """Keep edges that go through faces at time 0, each or the first of all in hits[0]; return how many are there."""
    a = pair.a
    b = pair.b
    pairs = workspace.pairs
    found = search.found
    for p in range(n):
        if not pairs[p, 2]:
            continue
        x = pairs[p, 0]
        y = pairs[p, 1]
        if beside_at_start(a.places, a.corners, x, b.places, b.corners, y):
            continue
        if beside_at_start(b.places, b.corners, y, a.places, a.corners, x):
            continue
        for k in range(3):
            for side in range(2):
                if side == 0:
                    e = a.owned_edges[x, k]
                    if e < 0 or not b.owns[y] & FACE:
                        continue
                    status = edge_through(a.places, a.edges, e, b.places, b.corners, y, a.same, pair.itself)
                    named = named_features(a.source, b.source, pair.itself, EDGE_FACE, e, y)
                else:
                    e = b.owned_edges[y, k]
                    if e < 0 or not a.owns[x] & FACE:
                        continue
                    status = edge_through(b.places, b.edges, e, a.places, a.corners, x, a.same, pair.itself)
                    named = named_features(a.source, b.source, pair.itself, FACE_EDGE, x, e)
                if status != FREE:
                    if search.question == EVERY:
                        workspace.counts[STEPS] += 1  # what is listed counts, so that a cap bounds lists
                    found = keep_contact(search, found, 0.0, named, status)
    return found


@kernel
def settle(pair, workspace, n, search):
    """Decide the first n element pairs of a chunk; return the search as it then stands."""
    workspace.counts[ELEMENTS] += n
    if search.question == EVERY:
        hits = with_room(search.hits, search.found, MOST_LISTED * n)
        search = Search(search.question, hits, search.found, search.limit)
    if pair.overlaps:
        search = noted(search, overlaps_at_start(pair, workspace, n, search))
        if search.question == ANY and search.found > 0 and search.hits[0]["status"] == CONTACT:
            return search
    faced, facing, edged, total = filter_features(pair, workspace, n, search.limit, culling_margin(pair))
    workspace.counts[FEATURES] += total
    for kind in range(3):
        if kind == VERTEX_FACE:
            rows = workspace.faced
            n = settle_features(False, pair, rows, faced, workspace, search)
        elif kind == FACE_VERTEX:
            rows = workspace.facing
            n = settle_features(False, swapped(pair), rows, facing, workspace, search)
        else:
            rows = workspace.edged
            n = settle_features(True, pair, rows, edged, workspace, search)
        search = noted(search, keep_contacts(pair, kind, rows, n, workspace.ended, search))
    return search
