"""The corners below every node of a hierarchy, laid out so that the farthest along a direction is found at once.

The convex hull of a curved piece of a surface is far tighter than its box: where two tori are about to touch, their
boxes overlap in 1,350 places, the hulls of the same nodes in 23. A hull need not be built for that. All that is asked
of it is how far it reaches along a direction, which is how far its corners do, and those of a node lie together:

patch   up to 16 corners, in single precision about the root's centre: the largest nodes that have so few;
row     up to eight patches, or eight rows, side by side: each a disk (centre, normal, half thickness, radius) with all
        corners below it inside.

A node is a set of lanes of one row, or of corners of one patch: `spans` holds (level, row or patch, which of them).
Disks say where the farthest corner cannot be, eight at a time, and a search looks at a few patches.

Claim (disks). Let d be a direction rounded to single precision from one of length 1. What `bounds_along` computes in
single precision for a disk is at least what `dots` computes for any corner c below it. Proof: with the disk's centre
m and the exact unit normal u, c.d = m.d + (u.e)(u.d) + (e across u).(d across u), e = c - m, so it is at most m.d + t
|u.d| + r sqrt(|d|^2 - (u.d)^2) for t >= |u.e| and r >= |e across u|. The stored normal is off by 2^-23, which the
factor 1 + 2^-18 on t and r covers; |d|^2 < 1 + 2^-22, and the computed u.d is off by less than 2^-22, which 2^-20
under the root covers. All other roundings are below 16 units (2^-24) of the radius R of the whole; t and r are each
32 units of R larger than they need be, and |u.d| + sqrt(...) >= 1.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import SINGLES, bits, lane, load_singles, root, select
from tocsin.geometry.tree import MAX_DEPTH, eigen_axes

CORNERS = 2 * SINGLES
"""Of a patch."""
MOST_LEVELS = MAX_DEPTH // 3 + 2
"""Of rows above each other: a node at most three levels above what a row holds has at most eight of them."""

CENTER, NORMAL, THICK, WIDE, DISK = 0, 3, 6, 7, 8
"""Rows of eight disks."""
LEVEL, PLACE, WHICH, SPAN = 0, 1, 2, 3
"""Columns of `spans`. Level 0: a patch and its corners, one bit each; level k: a row k above patches, and its lanes."""

NO_CORNER = -(2.0**126)
"""Below every number that is let in."""
HIDING = np.array(
    [[[0.0 if chosen >> k & 1 else NO_CORNER for k in range(SINGLES)]] for chosen in range(256)], np.float32
)
"""Added to eight numbers: leaves those that are chosen, by bits, and hides the others."""
LOWEST = np.array([0] + [(chosen & -chosen).bit_length() - 1 for chosen in range(1, 256)], np.int64)
"""The lowest bit of a number below 256."""

ALL = 255
ROUND_UP = np.float32(1.0 + 2.0**-20)
NOTHING = np.float32(0.0)


class Patches(NamedTuple):
    """The corners of a hierarchy; see the module."""

    spans: np.ndarray
    """(nodes, 3) int32."""
    corners: np.ndarray
    """(2 patches, 3, 8) float32, from the root's centre."""
    disks: np.ndarray
    """(rows, 8, 8) float32."""
    first: np.ndarray
    """(rows,) int32: the first of the patches, or rows, that lie in a row."""
    lowest: int
    """So many rows hold patches; all others hold rows."""


@kernel
def corners_of(nodes, faces, node, found):
    """Return how many different corners the triangles below a node have, and write them; CORNERS + 1 if too many."""
    stack = np.zeros(2 * MAX_DEPTH, np.int32)
    stack[0] = node
    top = 1
    n = 0
    while top > 0:
        top -= 1
        i = stack[top]
        if nodes[i]["count"] <= 0:
            stack[top] = nodes[i]["first"] + 1
            stack[top + 1] = nodes[i]["first"]
            top += 2
            continue
        for c in range(3):
            v = faces[nodes[i]["first"], c]
            new = True
            for k in range(n):
                if found[k] == v:
                    new = False
            if new and n == CORNERS:
                return CORNERS + 1
            if new:
                found[n] = v
                n += 1
    return n


@kernel
def collect(nodes, faces, spans, units):
    """Write the patches into `spans`; return the corners of each, (n, CORNERS), filled up with the first, and n.

    `units` becomes 1 for a node that is a patch, 0 below, -1 above.
    """
    table = np.zeros((nodes.shape[0] // 2 + 1, CORNERS), np.int32)
    found = np.zeros(CORNERS, np.int32)
    part = np.zeros(CORNERS, np.int32)
    below = np.zeros(2 * MAX_DEPTH, np.int32)
    stack = np.zeros(2 * MAX_DEPTH, np.int32)
    top = 1
    n = 0
    while top > 0:
        top -= 1
        node = stack[top]
        count = corners_of(nodes, faces, node, found)
        if count > CORNERS:
            units[node] = -1
            stack[top] = nodes[node]["first"] + 1
            stack[top + 1] = nodes[node]["first"]
            top += 2
            continue
        for k in range(CORNERS):
            table[n, k] = found[k] if k < count else found[0]
        below[0] = node
        low = 1
        while low > 0:
            low -= 1
            i = below[low]
            which = 0
            for j in range(corners_of(nodes, faces, i, part)):
                for k in range(count):
                    if found[k] == part[j]:
                        which |= 1 << k
            spans[i, LEVEL] = 0
            spans[i, PLACE] = n
            spans[i, WHICH] = which
            units[i] = 0
            if nodes[i]["count"] <= 0:
                below[low] = nodes[i]["first"] + 1
                below[low + 1] = nodes[i]["first"]
                low += 2
        units[node] = 1
        n += 1
    return table, n


@kernel
def add_up(nodes, units, lowest):
    """Write for every node above those that are one unit how many units it has, and the number of its first."""
    for i in range(nodes.shape[0] - 1, -1, -1):
        if units[i] < 0:
            k = nodes[i]["first"]
            units[i] = units[k] + units[k + 1]
            lowest[i] = min(lowest[k], lowest[k + 1])


@kernel
def gather(nodes, spans, units, lowest, level, first, n):
    """Make the largest nodes of at most eight units rows, from number n on; return the next number.

    `units` and `lowest` are then those of the rows: 1 for a node that is one, 0 below, -1 above.
    """
    below = np.zeros(2 * MAX_DEPTH, np.int32)
    stack = np.zeros(2 * MAX_DEPTH, np.int32)
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if units[node] > SINGLES:
            units[node] = -1
            stack[top] = nodes[node]["first"] + 1
            stack[top + 1] = nodes[node]["first"]
            top += 2
            continue
        start = lowest[node]
        first[n] = start
        below[0] = node
        low = 1
        while low > 0:
            low -= 1
            i = below[low]
            if units[i] > 1:
                spans[i, LEVEL] = level
                spans[i, PLACE] = n
                spans[i, WHICH] = ((1 << units[i]) - 1) << (lowest[i] - start)
                below[low] = nodes[i]["first"] + 1
                below[low + 1] = nodes[i]["first"]
                low += 2
            units[i] = 0
        units[node] = 1
        lowest[node] = n
        n += 1
    return n


@kernel
def write_disk(disks, k, corners, begin, end, radius):
    """Write a disk around the corners of the patches begin:end into lane k: see the module's claim."""
    n = float(CORNERS * (end - begin))
    m = (0.0, 0.0, 0.0)
    for p in range(2 * begin, 2 * end):
        for c in range(SINGLES):
            m = vec.add(m, corner_at(corners, p, c))
    m = (m[0] / n, m[1] / n, m[2] / n)
    c00 = c01 = c02 = c11 = c12 = c22 = 0.0
    for p in range(2 * begin, 2 * end):
        for c in range(SINGLES):
            e = vec.sub(corner_at(corners, p, c), m)
            c00 += e[0] * e[0]
            c01 += e[0] * e[1]
            c02 += e[0] * e[2]
            c11 += e[1] * e[1]
            c12 += e[1] * e[2]
            c22 += e[2] * e[2]
    axes = eigen_axes(c00, c01, c02, c11, c12, c22)
    normal = axes[0]
    middle = (0.0, 0.0, 0.0)
    thinnest = math.inf
    for i in range(3):
        axis = axes[0] if i == 0 else (axes[1] if i == 1 else axes[2])
        lo = math.inf
        hi = -math.inf
        for p in range(2 * begin, 2 * end):
            for c in range(SINGLES):
                s = vec.dot(axis, corner_at(corners, p, c))
                lo = min(lo, s)
                hi = max(hi, s)
        middle = vec.axpy(middle, 0.5 * (lo + hi), axis)
        if hi - lo < thinnest:
            thinnest = hi - lo
            normal = axis
    for i in range(3):
        disks[CENTER + i, k] = middle[i]
        disks[NORMAL + i, k] = normal[i]
    middle = (np.float64(disks[CENTER, k]), np.float64(disks[CENTER + 1, k]), np.float64(disks[CENTER + 2, k]))
    thick = 0.0
    wide = 0.0
    for p in range(2 * begin, 2 * end):
        for c in range(SINGLES):
            e = vec.sub(corner_at(corners, p, c), middle)
            s = vec.dot(e, normal)
            thick = max(thick, abs(s))
            wide = max(wide, vec.norm(vec.axpy(e, -s, normal)))
    disks[THICK, k] = thick * (1.0 + 2.0**-18) + 32.0 * 2.0**-24 * radius
    disks[WIDE, k] = wide * (1.0 + 2.0**-18) + 32.0 * 2.0**-24 * radius


@kernel
def corner_at(corners, p, c):
    """Return a corner in double precision."""
    return (np.float64(corners[p, 0, c]), np.float64(corners[p, 1, c]), np.float64(corners[p, 2, c]))


@kernel
def build_patches(nodes, points, faces):
    """Return (spans, corners, disks, first, lowest) of a tree over triangles; see `Patches`."""
    size = nodes.shape[0]
    spans = np.zeros((size, SPAN), np.int32)
    units = np.zeros(size, np.int64)
    lowest = np.zeros(size, np.int64)
    table, n_patches = collect(nodes, faces, spans, units)
    center = (np.float64(nodes[0]["center"][0]), np.float64(nodes[0]["center"][1]), np.float64(nodes[0]["center"][2]))
    corners = np.zeros((2 * n_patches, 3, SINGLES), np.float32)
    for p in range(n_patches):
        for k in range(CORNERS):
            e = vec.sub(vec.load3(points, table[p, k]), center)
            for i in range(3):
                corners[2 * p + k // SINGLES, i, k % SINGLES] = e[i]
    for i in range(size):
        lowest[i] = spans[i, PLACE]
    first = np.zeros(n_patches, np.int32)
    begins = np.zeros(MOST_LEVELS + 1, np.int64)
    level = 0
    n = 0
    while units[0] != 1:
        add_up(nodes, units, lowest)
        level += 1
        begins[level] = n
        if n + units[0] > first.shape[0]:
            first = np.concatenate((first, np.zeros(units[0], np.int32)))
        n = gather(nodes, spans, units, lowest, level, first, n)
    disks = np.zeros((n, DISK, SINGLES), np.float32)
    disks[:, WIDE] = NO_CORNER  # an unused lane: reaches nowhere
    reach = np.zeros(n + 1, np.int64)
    radius = np.float64(nodes[0]["radius"])
    for k in range(1, level + 1):
        after = n if k == level else begins[k + 1]
        for r in range(begins[k], after):
            last = r + 1 == after
            below = first[r]
            if k == 1:
                stop = n_patches if last else first[r + 1]
                for p in range(below, stop):
                    write_disk(disks[r], p - below, corners, p, p + 1, radius)
                reach[r] = below
            else:
                stop = begins[k] if last else first[r + 1]
                for b in range(below, stop):
                    end = n_patches if b + 1 == begins[k] else reach[b + 1]
                    write_disk(disks[r], b - below, corners, reach[b], end, radius)
                reach[r] = reach[below]
    return spans, corners, disks, first[:n].copy(), begins[2] if level > 1 else n


@kernel
def dots(corners, p, x, y, z):
    """Return the dot products of eight corners, or of the centres or normals of eight disks, with a direction."""
    return load_singles(corners, p, 0) * x + load_singles(corners, p, 1) * y + load_singles(corners, p, 2) * z


@kernel
def bounds_along(disks, r, x, y, z):
    """Return for the eight disks of a row how far along a direction their corners can be at most."""
    slope = (
        load_singles(disks, r, NORMAL) * x
        + load_singles(disks, r, NORMAL + 1) * y
        + load_singles(disks, r, NORMAL + 2) * z
    )
    across = ROUND_UP - slope * slope
    across = select(across > NOTHING, across, NOTHING)
    extent = load_singles(disks, r, THICK) * abs(slope) + load_singles(disks, r, WIDE) * root(across)
    return dots(disks, r, x, y, z) + extent


@kernel
def largest(values):
    """Return the largest of eight."""
    a = max(max(lane(values, 0), lane(values, 1)), max(lane(values, 2), lane(values, 3)))
    b = max(max(lane(values, 4), lane(values, 5)), max(lane(values, 6), lane(values, 7)))
    return max(a, b)


@kernel
def patch_dots(corners, p, which, x, y, z):
    """Return the dot products of a patch's corners with a direction, twice eight, those not chosen hidden."""
    near = dots(corners, 2 * p, x, y, z) + load_singles(HIDING, which & ALL, 0)
    far = dots(corners, 2 * p + 1, x, y, z) + load_singles(HIDING, which >> SINGLES, 0)
    return near, far


@kernel
def farthest(patches, node, d, slack, ladder):
    """Return (reach, patch): how far the corners below a node reach along d from the root's centre, and where.

    `reach` is the dot product of a corner of that patch, in single precision; no other's is larger by more than
    `slack`, as computed. `ladder` is (MOST_LEVELS + 1, 2) workspace. Both are compared in single precision: see
    `singles_noise`.
    """
    x = np.float32(d[0])
    y = np.float32(d[1])
    z = np.float32(d[2])
    spans, corners, disks, first = patches
    level = spans[node, LEVEL]
    place = spans[node, PLACE]
    which = spans[node, WHICH]
    if level == 0:
        near, far = patch_dots(corners, place, which, x, y, z)
        return np.float64(largest(select(near > far, near, far))), np.int64(place)
    best = np.float32(NO_CORNER)
    more = np.float32(slack)
    patch = np.int64(0)
    top = level
    row = np.int64(place)
    # Down to a first patch by the disk that reaches farthest: what it holds hides most of the others.
    while True:
        bounds = bounds_along(disks, row, x, y, z)
        over = bits(bounds > best)
        if level == top:
            over &= which
            bounds = bounds + load_singles(HIDING, over, 0)
        k = LOWEST[ALL ^ bits(bounds < largest(bounds))]
        over &= ~(1 << k)
        child = np.int64(first[row] + k)
        if level == 1:
            break
        ladder[level, 0] = row
        ladder[level, 1] = over
        level -= 1
        row = child
    near = dots(corners, 2 * child, x, y, z)
    far = dots(corners, 2 * child + 1, x, y, z)
    best = largest(select(near > far, near, far))
    patch = child
    over &= bits(bounds > best + more)
    while True:
        while over == 0:
            level += 1
            if level > top:
                return np.float64(best), patch
            row = ladder[level, 0]
            over = ladder[level, 1] & bits(bounds_along(disks, row, x, y, z) > best + more)
        k = LOWEST[over]
        over &= over - 1
        child = np.int64(first[row] + k)
        if level == 1:
            near = dots(corners, 2 * child, x, y, z)
            far = dots(corners, 2 * child + 1, x, y, z)
            values = select(near > far, near, far)
            if bits(values > best) != 0:
                best = largest(values)
                patch = child
        else:
            ladder[level, 0] = row
            ladder[level, 1] = over
            level -= 1
            row = child
            over = np.int64(bits(bounds_along(disks, row, x, y, z) > best + more))


@kernel
def corner_along(patches, node, patch, d, reach):
    """Return the corner of a patch, below a node, that `farthest` found `reach` along d."""
    spans, corners, _, _ = patches
    which = spans[node, WHICH] if spans[node, LEVEL] == 0 else 2**CORNERS - 1
    near, far = patch_dots(corners, patch, which, np.float32(d[0]), np.float32(d[1]), np.float32(d[2]))
    reached = np.float32(reach)
    here = ALL ^ bits(near < reached)
    if here != 0:
        return corner_at(corners, 2 * patch, LOWEST[here])
    here = ALL ^ bits(far < reached)
    return corner_at(corners, 2 * patch + 1, LOWEST[here])


@kernel
def singles_noise(node_a, node_b):
    """Return what the reaches of two roots' corners, computed in single precision, can be off, added up.

    A corner is rounded once, the direction once, and a dot product has three products and two sums, so it is off by
    less than 6 units (2^-24) of the corner's distance from the root's centre, at most the root's radius. Comparing
    with a slack added rounds once more. 16 units of both radii cover these.
    """
    return 16.0 * 2.0**-24 * (np.float64(node_a["radius"]) + np.float64(node_b["radius"])) + 2.0**-120


EMPTY = Patches(
    np.zeros((0, SPAN), np.int32),
    np.zeros((0, 3, SINGLES), np.float32),
    np.zeros((0, DISK, SINGLES), np.float32),
    np.zeros(0, np.int32),
    0,
)


def shifted(patches: Patches, patch: int, row: int) -> Patches:
    """Return the patches and rows numbered from where they lie in a larger table."""
    spans = patches.spans.copy()
    spans[:, PLACE] += np.where(spans[:, LEVEL] > 0, row, patch).astype(np.int32)
    first = patches.first + np.where(np.arange(len(patches.first)) < patches.lowest, patch, row).astype(np.int32)
    return patches._replace(spans=spans, first=first)
