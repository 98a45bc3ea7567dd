"""Stage two [ARTICULATE 4.2]: a moving shape whose swept volume misses a standing one: the pair is dropped.

The pieces of a swept volume (`swept_volume`) go down the standing shape's own tree together, as the bits of a mask: a
node that a piece provably misses is not opened for it; a piece that reaches a triangle, or a node so much smaller than
the swept sphere that opening it is idle, has survived. A pair none of whose pieces survives is free. Of the others it
is known when: outside the times of its surviving pieces the two are apart.

Claim (`swept_cull`): at no time in [t0, t1] outside [start, end] is a pair that is kept within its margin, and a pair
that is dropped never is. Proof: every time of [t0, t1] is that of a piece which the shape is then within the radius of
(`write_pieces`). A piece is dropped only where a direction n shows all of the other shape, or a box or
hull around all of it, beyond that radius, the margin and the noise: n . (y - x) > clear |n| for all x in the
tetrahedron and y in the box, or hull. A solid mesh also counts where something lies inside it, so it stands for the
hull of its proxy, which contains the inside.

Measured by `python -m tocsin_bench swept`, against a grid of cells over the environment that lists the shapes in each,
which is the raster of this method: the tree needs no resolution, no memory, and nothing anew when a body moves.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.bounds.motion_bound import UNIT
from tocsin.bounds.taylor import compose, joint_taylor
from tocsin.compiler.jit import borrowed, kernel
from tocsin.geometry.convex import convex_distance
from tocsin.geometry.tree import MAX_DEPTH, node_axes, spread
from tocsin.interval.swept_volume import MOST, PIECE, SPHERE, fit_spheres, write_pieces
from tocsin.model.tables import CONVEX, World
from tocsin.motion.joints import UP

TURN = 1.5
"""Radians that a chain may turn, joints added up, in one stretch of time: beyond, Taylor models leave more out."""

MOST_STRETCHES = 64
"""Stretches that a motion is cut into at most: what turns by hundreds of radians gets thick pieces, but an answer."""

MOST_NODES = 4096
"""Nodes of a shape that are looked at for the pieces of one stretch of time; then the pieces that are left survive."""

FINE = 0.25
"""Nodes with a radius below this part of a piece's are not opened: they are as good as the triangles in them."""


class Swept(NamedTuple):
    """What stage two needs for one set of moving models: line-swept spheres, boxes of what stands, working memory."""

    spheres: np.ndarray
    row: np.ndarray
    """For each shape its row of `pieces`; -1 if it stands."""
    boxes: np.ndarray
    """For each shape that stands its box in the world."""
    pieces: np.ndarray
    around: np.ndarray
    """(n, 2, 3): for each row the lower and the upper corner of the box around all of its pieces."""
    counts: np.ndarray
    """For each row how many pieces it has in the current stretch of time; -1: not cut yet."""
    taylor: np.ndarray
    scratch: np.ndarray
    marks: np.ndarray
    """For each link whether its Taylor matrix is needed."""
    corners: np.ndarray
    triangle: np.ndarray
    simplex: np.ndarray
    stack: np.ndarray
    """(n, 2): node and mask of the pieces that may reach it."""


NONE = Swept(
    np.zeros(0, SPHERE), np.zeros(0, np.int32), np.zeros((0, 6)), np.zeros((0, MOST), PIECE), np.zeros((0, 2, 3)),
    np.zeros(0, np.int32), np.zeros((0, 3, 4, 5)), np.zeros((3, 4, 5)), np.zeros(0, np.bool_), np.zeros((0, 3)),
    np.zeros((0, 3)), np.zeros((0, 9)), np.zeros((0, 2), np.int64),
)  # fmt: skip
"""Tables of nothing, for when stage two is off."""


def make_swept(
    world: World, is_active: np.ndarray, static_boxes: np.ndarray, static_child: np.ndarray, static_geom: np.ndarray
) -> Swept:
    """Return the tables for one set of active models; the three last arguments are what `query.place_static`
    returns."""
    moving = is_active[world.geoms["model"]]
    row = np.where(moving, np.cumsum(moving) - 1, -1).astype(np.int32)
    boxes = np.zeros((len(world.geoms), 6))
    leaf = np.flatnonzero(static_child < 0) if len(static_geom) else np.zeros(0, np.int64)
    boxes[static_geom[~static_child[leaf]]] = static_boxes[leaf]
    n_rows, n_links = int(moving.sum()), len(world.links)
    return Swept(
        fit_spheres(world, is_active),
        row,
        boxes,
        np.zeros((n_rows, MOST), PIECE),
        np.zeros((n_rows, 2, 3)),
        np.zeros(n_rows, np.int32),
        np.zeros((n_links, 3, 4, 5)),
        np.zeros((3, 4, 5)),
        np.zeros(n_links, np.bool_),
        np.zeros((4 * MOST, 3)),
        np.zeros((3, 3)),
        np.zeros((4, 9)),
        np.zeros((MAX_DEPTH + 2, 2), np.int64),
    )


@kernel
def mark_links(world, sweeps, swept, pairs, n, stretch):
    """Mark the links whose motion is needed for n pairs; return how many stretches of time to cut `stretch` into."""
    marks = swept.marks
    marks[:] = False
    turn = 0.0
    for p in range(n):
        g = pairs[p]["a"]
        if swept.row[g] < 0 or swept.row[pairs[p]["b"]] >= 0:
            continue
        i = world.geoms[g]["link"]
        turn = max(turn, sweeps[i]["turn"])
        while i >= 0 and not marks[i]:
            marks[i] = True
            i = world.links[i]["parent"]
    return int(np.ceil(max(1.0, min(turn * stretch / TURN, MOST_STRETCHES))))


@kernel
def write_taylor(world, joints, swept, t0, t1):
    """Write the Taylor matrices of the marked links during [t0, t1], parents first, and forget all pieces."""
    for i in range(world.links.shape[0]):
        if swept.marks[i]:
            parent = world.links[i]["parent"]
            if parent < 0:
                joint_taylor(swept.taylor[i], joints[i], t0, t1)
            else:
                joint_taylor(swept.scratch, joints[i], t0, t1)
                compose(swept.taylor[i], swept.taylor[parent], swept.scratch)
    swept.counts[:] = -1


@kernel
def near_box(lo, hi, box, grow):
    """Does a box along the world's axes come within `grow` of another?"""
    return (
        lo[0] - grow <= box[3]
        and lo[1] - grow <= box[4]
        and lo[2] - grow <= box[5]
        and hi[0] + grow >= box[0]
        and hi[1] + grow >= box[1]
        and hi[2] + grow >= box[2]
    )


@kernel
def pieces_near(pieces, n, box, grow):
    """Return the mask of the pieces whose boxes come within `grow` of a box along the world's axes."""
    mask = 0
    for k in range(n):
        if near_box(pieces[k]["lo"], pieces[k]["hi"], box, grow):
            mask |= 1 << k
    return mask


@kernel
def least_along(corners, k, n):
    """Return the least n . x over the corners of piece k."""
    return min(
        min(vec.dot(n, vec.load3(corners, k)), vec.dot(n, vec.load3(corners, k + 1))),
        min(vec.dot(n, vec.load3(corners, k + 2)), vec.dot(n, vec.load3(corners, k + 3))),
    )


@kernel
def beyond(corners, k, center, axes, half, n, clear):
    """Does the direction n, or -n, show the corners of a piece farther than `clear` from a box?

    `clear` has to hold the rounding of distances; the length of n and the comparison lose 2^-45.
    """
    if least_along(corners, k, n) < vec.dot(n, center):
        n = (-n[0], -n[1], -n[2])
    gap = least_along(corners, k, n) - vec.dot(n, center) - spread(half, axes, n)
    return gap > clear * vec.norm(n) * UP


@kernel
def misses_box(corners, k, center, axes, half, clear):
    """Is piece k, whose four corners start at row k, provably farther than `clear` from a box? False: not proven.

    Directions: the box's axes, the one from its centre to the middle of the patch, and the patch's normal.
    """
    for i in range(3):
        if beyond(corners, k, center, axes, half, axes[i], clear):
            return True
    p0 = vec.load3(corners, k)
    q0 = vec.load3(corners, k + 1)
    p1 = vec.load3(corners, k + 2)
    q1 = vec.load3(corners, k + 3)
    p = vec.scale(vec.add(p0, p1), 0.5)
    ruling = vec.sub(vec.scale(vec.add(q0, q1), 0.5), p)
    d = vec.sub(p, center)
    square = vec.dot(ruling, ruling)
    s = min(max(-vec.dot(d, ruling) / square, 0.0), 1.0) if square > 0.0 else 0.0
    if beyond(corners, k, center, axes, half, vec.axpy(d, s, ruling), clear):
        return True
    path = vec.sub(vec.add(p1, q1), vec.add(p0, q0))
    return beyond(corners, k, center, axes, half, vec.cross(ruling, path), clear)


@kernel
def misses_points(corners, k, points, first, count, disk, simplex, clear):
    """Is piece k provably farther than `clear` from a convex set of points? False: not proven.

    GJK proposes directions, and the gap along each is measured: `convex_distance`.
    """
    guess = vec.sub(vec.load3(points, first), vec.load3(corners, k))
    pose = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    lower, _, _, _, _ = convex_distance(
        corners, (k, 4, 0.0, 0.0), points, (first, count, 0.0, disk), pose, guess, simplex, (clear, clear, 0.0)
    )
    return lower > clear * UP


@kernel
def place_corners(swept, pieces, mask, sweep):
    """Write the corners of the pieces of a mask in the frame of a standing link."""
    rotation = (vec.load3(sweep["rotation"], 0), vec.load3(sweep["rotation"], 1), vec.load3(sweep["rotation"], 2))
    place = (sweep["place"][0], sweep["place"][1], sweep["place"][2])
    k = 0
    while mask >> k:
        if (mask >> k) & 1:
            for i in range(4):
                x = vec.tmatvec(rotation, vec.sub(vec.load3(pieces[k]["corner"], i), place))
                swept.corners[4 * k + i, 0], swept.corners[4 * k + i, 1], swept.corners[4 * k + i, 2] = x
        k += 1


@kernel
def survivors(world, swept, pieces, mask, geom, clear):
    """Return those pieces of a mask that are not proven farther than their radius and `clear` from a standing shape.

    Corners are in the shape's frame already.
    """
    hits = 0
    if geom["kind"] == CONVEX or geom["solid"] != 0:
        k = 0
        while mask >> k:
            if (mask >> k) & 1:
                near = pieces[k]["radius"] + clear + geom["proxy_radius"]
                if not misses_points(
                    swept.corners, 4 * k, world.points, geom["proxy"], geom["proxy_count"], geom["proxy_disk"],
                    swept.simplex, near,
                ):  # fmt: skip
                    hits |= 1 << k
            k += 1
        return hits
    stack = swept.stack
    stack[0, 0] = geom["root"]
    stack[0, 1] = mask
    top = 1
    looked_at = 0
    while top > 0:
        top -= 1
        looked_at += 1
        if looked_at > MOST_NODES:
            return mask
        node = world.nodes[stack[top, 0]]
        open_for = stack[top, 1] & ~hits
        if open_for == 0:
            continue
        center = (np.float64(node["center"][0]), np.float64(node["center"][1]), np.float64(node["center"][2]))
        half = (np.float64(node["half"][0]), np.float64(node["half"][1]), np.float64(node["half"][2]))
        axes = node_axes(node)
        leaf = node["count"] > 0
        if leaf:
            for i in range(3):
                p = vec.load3(world.points, world.faces[node["first"], i])
                swept.triangle[i, 0], swept.triangle[i, 1], swept.triangle[i, 2] = p
        left = 0
        k = 0
        while open_for >> k:
            if (open_for >> k) & 1:
                near = pieces[k]["radius"] + clear
                if not misses_box(swept.corners, 4 * k, center, axes, half, near):
                    if node["radius"] < FINE * near:
                        hits |= 1 << k
                    elif not leaf:
                        left |= 1 << k
                    elif not misses_points(swept.corners, 4 * k, swept.triangle, 0, 3, 0.0, swept.simplex, near):
                        hits |= 1 << k
            k += 1
        if left:
            stack[top, 0] = node["first"]
            stack[top, 1] = left
            stack[top + 1, 0] = node["first"] + 1
            stack[top + 1, 1] = left
            top += 2
    return hits


@kernel
def cut(world, sweeps, swept, a, t0, t1):
    """Return how many pieces the swept volume of shape a has during [t0, t1], cutting it if it is not cut yet."""
    r = swept.row[a]
    if swept.counts[r] < 0:
        link = world.geoms[a]["link"]
        sphere = swept.spheres[a]
        noise = (sweeps[link]["noise"] + 64.0 * UNIT) * (sweeps[link]["length"] + sphere["reach"]) * UP
        swept.counts[r] = write_pieces(swept.pieces[r], swept.taylor[link], sphere, noise, t0, t1)
        join_boxes(swept.around[r], swept.pieces[r], swept.counts[r])
    return swept.counts[r]


@kernel
def join_boxes(box, pieces, n):
    """Write the box around the boxes of n pieces."""
    for c in range(3):
        box[0, c] = math.inf
        box[1, c] = -math.inf
        for k in range(n):
            box[0, c] = min(box[0, c], pieces[k]["lo"][c])
            box[1, c] = max(box[1, c], pieces[k]["hi"][c])


@kernel
def clearance(sphere, sweep_a, sweep_b, geom, margin):
    """Return what a gap between a piece of a moving sphere and a standing shape must exceed, the piece's radius apart.

    Noise: the motion of a is off by its chain's, which the pieces hold. Points of a are seen in b's frame, which turns
    them by a rotation that is off by b's noise and rounds: (noise_b + 128 u) times all lengths that enter.
    """
    reach = sweep_a["length"] + sphere["reach"] + sphere["radius"] + sweep_b["length"] + geom["reach"] + margin
    return (margin + (sweep_b["noise"] + 128.0 * UNIT) * reach) * UP


@kernel
def pair_survivors(world, sweep_b, swept, r, b, clear):
    """Return the mask of the pieces of row r that may come within `clear` of the standing shape b."""
    pieces = swept.pieces[r]
    mask = pieces_near(pieces, swept.counts[r], swept.boxes[b], clear)
    if mask == 0:
        return 0
    place_corners(swept, pieces, mask, sweep_b)
    return survivors(world, swept, pieces, mask, world.geoms[b], clear)


@kernel
def swept_cull(world, joints, sweeps, swept, pairs, n, t0, t1):
    """Return (kept, window): which of n pairs may touch during [t0, t1], moved to the front of `pairs`, and when.

    Row k of `window` is (start, end) of pair k. Left alone are pairs of two shapes that both move. `pairs` has the
    fields a, b and margin; `joints` and `sweeps` belong to a piece of the motion that holds [t0, t1], and `sweeps` has
    the poses of what stands.
    """
    world = borrowed(world)
    swept = borrowed(swept)
    joints = borrowed(joints)
    sweeps = borrowed(sweeps)
    stretches = mark_links(world, sweeps, swept, pairs, n, t1 - t0)
    window = np.zeros((n, 2))
    for p in range(n):
        tested = swept.row[pairs[p]["a"]] >= 0 and swept.row[pairs[p]["b"]] < 0
        window[p, 0] = math.inf if tested else t0
        window[p, 1] = -math.inf if tested else t1
    for stretch in range(stretches):
        begin = t0 + (t1 - t0) * stretch / stretches
        end = t1 if stretch == stretches - 1 else t0 + (t1 - t0) * (stretch + 1) / stretches
        write_taylor(world, joints, swept, begin, end)
        for p in range(n):
            a = pairs[p]["a"]
            b = pairs[p]["b"]
            r = swept.row[a]
            if r < 0 or swept.row[b] >= 0:
                continue
            if swept.counts[r] < 0:
                cut(world, sweeps, swept, a, begin, end)
            # Here and not in a function: handing on all tables takes longer than the test, which ends most pairs.
            geom = world.geoms[b]
            sweep_b = sweeps[geom["link"]]
            sweep_a = sweeps[world.geoms[a]["link"]]
            clear = clearance(swept.spheres[a], sweep_a, sweep_b, geom, pairs[p]["margin"])
            if not near_box(swept.around[r, 0], swept.around[r, 1], swept.boxes[b], clear):
                continue
            mask = pair_survivors(world, sweep_b, swept, r, b, clear)
            k = 0
            while mask >> k:
                if (mask >> k) & 1:
                    piece = swept.pieces[r, k]
                    window[p, 0] = min(window[p, 0], piece["begin"])
                    window[p, 1] = max(window[p, 1], piece["end"])
                k += 1
    kept = 0
    for p in range(n):
        if window[p, 0] <= window[p, 1]:
            if kept < p:
                pairs[kept] = pairs[p]
                window[kept, 0] = window[p, 0]
                window[kept, 1] = window[p, 1]
            kept += 1
    return kept, window[:kept]
