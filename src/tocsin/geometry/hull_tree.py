"""The tree of convex hulls over the convex pieces of a surface [CATCH 4] (Ehmann and Lin 2001, section 4).

The leaves of the upper tree are the pieces of `surface_pieces`; below a piece hangs an ordinary tree of its triangles.
Every node has its box, as in `tree.py`, and every node of the upper tree that holds two triangles or more also has a
convex set that contains them: a few of their corners and a radius. The corners are the farthest ones along the axes,
then one by one the corner that sticks out most, until what sticks out is small or there are enough.

Claim: the hull H of a node's kept points, inflated by its radius r, contains the node's triangles. Proof, bottom up,
with B(r) the ball of radius r. The node is made of parts (a piece of its triangles, other nodes of nodes below) that
lie in hull(K_j) + B(r_j): a triangle with its corners and r_j = 0, a node by induction. For each k in K_j the radius
counts e_k, the distance from k to some point of H, a witness. So K_j lies in H + B(e), e the largest of them, and with
it hull(K_j), since H + B(e) is convex. Hence part j lies in H + B(e) + B(r_j) = H + B(e + r_j), and r is the largest
e + r_j. A node looks at no more than `MAX_PARTS` x `MAX_POINTS` points, so hulls take a time linear in their number.

Why parts and not just the two children: errors of one level on top of another made the radius of a torus 0.23 of its
half-diagonal; with parts it is 0.09, about what 24 points can do.

Rounding: all is measured at unit size (every coordinate below 1, by a power of two, exact). A witness is sum w_i k_i
with w_i > 0 of sum 1 +- 8 U, U = 2^-53; the sums of at most four terms, their difference and its norm err by less than
64 U together, a fourth of `ROUNDING`, which is added to each e. A kept point is its own witness: e = 0, exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tocsin import vec
from tocsin._types import Indices, NodeTable, Numeric, Values, Vectors
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance
from tocsin.geometry.decomposition import surface_pieces
from tocsin.geometry.proxy import sphere_directions
from tocsin.geometry.scaling import binary_scale, scale_up
from tocsin.geometry.tree import NODE, fit
from tocsin.geometry.tree_building import BEGIN, END, FREE, PLACE, ROW, build_below

if TYPE_CHECKING:
    from tocsin.geometry.mesh import Mesh

MAX_POINTS = 24
"""A hull keeps at most this many points."""

DIRECTIONS = sphere_directions(0)
"""The farthest points along these are kept first: the axes. More of them make the radii larger, not smaller."""

FINE = 2.0**-8
"""Points that stick out by less than this part of the node's half-diagonal are left to the radius."""

COARSE = 2.0**-6
"""Parts whose own radius is more than this part of the node's half-diagonal are opened, for a tighter hull."""

MAX_PARTS = 64
"""As long as there are fewer parts than this."""

ACCEPT = 0.9
"""A witness at most 1 / ACCEPT times as far as the closest one is good enough."""

ROUNDING = 2.0**-45
"""Covers every rounding of one witness distance at unit size; the proof is above."""

UP = 1.0 + 2.0**-50
"""Covers the rounding of one sum."""

HERE = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))


class HullTree(NamedTuple):
    """Boxes of all nodes, and hulls of those that cover at least one whole piece and two triangles."""

    nodes: NodeTable
    """As in `tree.py`: node 0 is the root, children lie side by side, a leaf is one triangle."""
    hull_first: Indices
    """(n,) int32: where the points of a node's hull begin."""
    hull_count: Indices
    """(n,) int32: how many there are; 0 for triangles and for nodes inside a piece."""
    hull_radius: Values
    """(n,) float64: the hull, inflated by this, contains the node's triangles."""
    hull_points: Vectors
    """(k, 3) float64, rows of the given points bit for bit."""


class Choice(NamedTuple):
    """Where the points of one hull are chosen: candidates, row by row, and those kept so far."""

    vertex: Numeric
    """Which of the mesh's points a candidate is."""
    cloud: Vectors
    """(c, 3): the candidates at unit size."""
    slack: Values
    """Radius of the part that a candidate stands for: r_j of the proof."""
    excess: Values
    """How far it is outside the kept hull at most: e_k of the proof."""
    seen: Numeric
    """How many points were kept when that was measured; -1 for a kept one."""
    kept: Vectors
    """(MAX_POINTS, 3): the points kept, at unit size."""
    simplex: Numeric


def build_hull_tree(mesh: Mesh, points: Vectors) -> HullTree:
    """Build the tree of hulls of a mesh's pieces; `points` are its vertices where the tree is wanted, in its link."""
    faces = mesh.faces
    none = np.zeros(0, np.int32)
    if len(faces) == 0:
        return HullTree(np.zeros(0, NODE), none, none, np.zeros(0), np.zeros((0, 3)))
    labels = surface_pieces(mesh)
    start = np.concatenate(([0], np.cumsum(np.bincount(labels))))
    members = np.argsort(labels, kind="stable").astype(np.int32)
    nodes, order, spans = build_boxes(points, faces, start, members)
    first, count, radius, vertices = build_hulls(nodes, points, faces, order, spans, DIRECTIONS)
    return HullTree(nodes, first, count, radius, points[vertices])


@kernel
def build_boxes(points, faces, start, members):
    """Return (nodes, order, spans): the boxes; the upper tree's nodes come first, node i holds order[spans[i]].

    The upper tree is that of triangles shrunk to the pieces' centroids, with boxes around what the pieces really
    hold; piece k is made of the triangles members[start[k]:start[k + 1]].
    """
    m = faces.shape[0]
    n = start.shape[0] - 1
    centroids = np.zeros((n, 3))
    shrunk = np.zeros((n, 3), dtype=np.int32)
    for k in range(n):
        total = (0.0, 0.0, 0.0)
        for i in range(start[k], start[k + 1]):
            for c in range(3):
                total = vec.add(total, vec.load3(points, faces[members[i], c]))
        for c in range(3):
            centroids[k, c] = total[c] / (3.0 * (start[k + 1] - start[k]))
            shrunk[k, c] = k
    nodes = np.zeros(2 * m - 1, dtype=NODE)
    keys = np.zeros(m)
    row = np.zeros(ROW, dtype=np.int64)
    row[END] = n
    row[FREE] = 1
    build_below(nodes, centroids, shrunk, np.arange(n).astype(np.int32), keys, row)
    upper = 2 * n - 1
    spans = np.zeros((upper, 2), dtype=np.int32)
    for i in range(upper - 1, -1, -1):  # children come after their parents
        first = nodes[i]["first"]
        if nodes[i]["count"] > 0:
            spans[i, 1] = start[first + 1] - start[first]
        else:
            spans[i, 1] = spans[first, 1] + spans[first + 1, 1]
    order = np.zeros(m, dtype=np.int32)
    for i in range(upper):
        first = nodes[i]["first"]
        begin = spans[i, 0]
        if nodes[i]["count"] > 0:
            for k in range(spans[i, 1]):
                order[begin + k] = members[start[first] + k]
        else:
            spans[first, 0] = begin
            spans[first + 1, 0] = begin + spans[first, 1]
        spans[i, 1] += begin
    free = upper
    for i in range(upper):
        if nodes[i]["count"] > 0:
            row[PLACE] = i
            row[BEGIN] = spans[i, 0]
            row[END] = spans[i, 1]
            row[FREE] = free
            build_below(nodes, points, faces, order, keys, row)
            free += 2 * (spans[i, 1] - spans[i, 0]) - 2
        else:
            fit(nodes, i, points, faces, order, spans[i, 0], spans[i, 1])
    return nodes, order, spans


@kernel
def build_hulls(nodes, points, faces, order, spans, directions):
    """Return (first, count, radius, vertices): the hulls of the upper tree's nodes, from the pieces up."""
    upper = spans.shape[0]
    first = np.zeros(nodes.shape[0], dtype=np.int32)
    count = np.zeros(nodes.shape[0], dtype=np.int32)
    radius = np.zeros(nodes.shape[0])
    largest = 0.0
    for f in range(faces.shape[0]):
        for c in range(3):
            for j in range(3):
                largest = max(largest, abs(points[faces[f, c], j]))
    down, up = binary_scale(largest)
    most = MAX_PARTS * MAX_POINTS
    capacity = 0
    for i in range(upper):
        held = spans[i, 1] - spans[i, 0]
        capacity += min(3 * held, MAX_POINTS)
        if nodes[i]["count"] > 0 or nodes[i]["first"] >= upper:
            most = max(most, 3 * held)
    vertices = np.zeros(capacity, dtype=np.int32)
    choice = Choice(
        np.zeros(most, dtype=np.int32),
        np.zeros((most, 3)),
        np.zeros(most),
        np.zeros(most),
        np.zeros(most, dtype=np.int32),
        np.zeros((MAX_POINTS, 3)),
        np.zeros((4, 9)),
    )
    parts = np.zeros(MAX_PARTS, dtype=np.int32)
    place = np.zeros(points.shape[0], dtype=np.int32)
    filled = 0
    for i in range(upper - 1, -1, -1):
        if nodes[i]["count"] > 0:
            continue
        n = 0
        if nodes[i]["first"] >= upper:
            for k in range(spans[i, 0], spans[i, 1]):
                n = add_triangle(choice, n, points, faces, order[k], place, down)
        else:
            coarse = COARSE * float(nodes[i]["radius"]) * down
            for c in parts[: open_parts(nodes, i, upper, radius, parts, coarse)]:
                if nodes[c]["count"] > 0:
                    n = add_triangle(choice, n, points, faces, nodes[c]["first"], place, down)
                for j in range(first[c], first[c] + count[c]):
                    n = add_candidate(choice, n, points, vertices[j], radius[c], place, down)
        size, r = choose(choice, n, directions, FINE * float(nodes[i]["radius"]) * down + 2.0 * ROUNDING)
        first[i] = filled
        count[i] = size
        radius[i] = r
        for k in range(n):
            if choice.seen[k] < 0:
                vertices[filled] = choice.vertex[k]
                filled += 1
    for i in range(upper):
        radius[i] = scale_up(radius[i], up) if largest > 0.0 else 0.0
    return first, count, radius, vertices[:filled].copy()


@kernel
def open_parts(nodes, i, upper, radius, parts, coarse):
    """Write nodes that cover node i together into `parts`, opening the one with the largest radius; return how many."""
    parts[0] = nodes[i]["first"]
    parts[1] = nodes[i]["first"] + 1
    size = 2
    while size < MAX_PARTS:
        top = 0
        for k in range(1, size):
            if radius[parts[k]] > radius[parts[top]]:
                top = k
        child = nodes[parts[top]]["first"]
        if radius[parts[top]] <= coarse or child >= upper:
            break
        parts[top] = child
        parts[size] = child + 1
        size += 1
    return size


@kernel
def add_triangle(choice, n, points, faces, f, place, down):
    """Add the corners of a triangle to n candidates; return how many there are then."""
    for c in range(3):
        n = add_candidate(choice, n, points, faces[f, c], 0.0, place, down)
    return n


@kernel
def add_candidate(choice, n, points, v, slack, place, down):
    """Add point v to n candidates, unless it is there; return how many there are then. `place` needs no clearing."""
    k = place[v]
    if k < n and choice.vertex[k] == v:
        choice.slack[k] = max(choice.slack[k], slack)
        return n
    place[v] = n
    choice.vertex[n] = v
    choice.cloud[n, 0], choice.cloud[n, 1], choice.cloud[n, 2] = vec.scale(vec.load3(points, v), down)
    choice.slack[n] = slack
    return n + 1


@kernel
def keep(choice, k, size):
    """Keep candidate k, after `size` others; return how many are kept then."""
    choice.seen[k] = -1
    choice.excess[k] = 0.0
    for j in range(3):
        choice.kept[size, j] = choice.cloud[k, j]
    return size + 1


@kernel
def choose(choice, n, directions, fine):
    """Keep some of n candidates; return (how many, radius). Whatever is kept, the radius is that of the proof.

    An excess only shrinks as points are kept, so one that was measured before is a bound, and only the candidate
    that sticks out most has to be measured again.
    """
    size = 0
    for k in range(n):
        choice.seen[k] = 0
        choice.excess[k] = np.inf
    for d in range(directions.shape[0]):
        direction = vec.load3(directions, d)
        best = -np.inf
        top = 0
        for k in range(n):
            height = vec.dot(direction, vec.load3(choice.cloud, k))
            if height > best:
                best = height
                top = k
        if choice.seen[top] == 0:
            size = keep(choice, top, size)
    for k in range(n):
        if choice.seen[k] == 0:
            measure_excess(choice, k, size)
    while True:
        worst = 0.0
        top = 0
        for k in range(n):
            if choice.slack[k] + choice.excess[k] > worst:
                worst = choice.slack[k] + choice.excess[k]
                top = k
        if choice.excess[top] <= fine or choice.seen[top] == size == MAX_POINTS:
            return size, worst * UP
        if choice.seen[top] < size:
            measure_excess(choice, top, size)
        else:
            size = keep(choice, top, size)


@kernel
def measure_excess(choice, k, size):
    """Measure how far candidate k is from the hull of the points kept, by a witness; never more than it was."""
    p = vec.load3(choice.cloud, k)
    guess = vec.sub(p, vec.load3(choice.kept, 0))
    whole, one = (0, size, 0.0, 0.0), (k, 1, 0.0, 0.0)
    found = convex_distance(choice.kept, whole, choice.cloud, one, HERE, guess, choice.simplex, (0.0, 0.0, ACCEPT))
    # The first point kept is a witness too, for when the search finds nothing.
    choice.excess[k] = min(choice.excess[k], min(found[1], vec.norm(guess)) + ROUNDING)
    choice.seen[k] = size
