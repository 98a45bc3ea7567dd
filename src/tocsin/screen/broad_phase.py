"""Which of many shapes can meet while each pair moves on its relative screw: balls around them, in a tree of boxes.

Claim. Let c_i, r_i be the centre and radius of a ball around shape i, m_i the distance between its centre's places at
both ends, PHI a bound on the turn of one of the two links, and theta <= pi their turn against each other. With D the
lesser of the distances of the two centres at both ends, and

    beta(theta) = theta^2 / (16 sin(theta / 2)),    kappa = 1/2 + beta(theta),

the balls meet on the relative screw only if D (1 - kappa PHI) <= r_a + r_b + kappa (m_a + m_b).

Proof. See b from the link of a that turns by at most PHI. The vector v from a's centre to b's goes from v_0 to v_1 on a
helix; let l = |v_1 - v_0|. Turned into the world, v_1 - v_0 is the difference of the centres' ways, at most m_a + m_b,
and what a's turn makes of v_0 or, as well, of v_1: at most PHI times the shorter of them, D. So l <= m_a + m_b + PHI D.
A point of the chord has a squared length of at least D^2 - l^2 / 4 (a convex combination of |v_0|^2 and |v_1|^2, less
s (1 - s) l^2), so a length of at least D - l / 2. The helix is off its chord at the same time by at most theta^2 R / 8
(the error of linear interpolation, R its radius; along the axis both are the same), and l >= 2 R sin(theta / 2). So
|v| >= D - kappa l >= D (1 - kappa PHI) - kappa (m_a + m_b).

So a cube of half side (r_i + kappa m_i) / (1 - kappa PHI) around the centre, at either end, overlaps that of every
other shape that can be met. beta grows with theta. Pairs of which both turn by more than FAST are all looked at: while
a body turns quickly, far ones may sweep through it as it sees them.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.broad_phase.model_tree import done, overlapping, set_leaves
from tocsin.broad_phase.spatial import pair_margin
from tocsin.compiler.jit import kernel
from tocsin.geometry.tree import MAX_DEPTH
from tocsin.motion.joints import rotation_of
from tocsin.motion.screw import turned

FAST = 0.5
"""Radians."""

ROUND = 1e-9
"""Part of a cube by which it is grown: nothing here is rounded outward, and what is lost is less by far."""


@kernel
def centre_at(surface, row):
    """Return where the centre of a shape is when its link is at a pose row."""
    center = (surface["center"][0], surface["center"][1], surface["center"][2])
    turn = rotation_of((row[3], row[4], row[5], row[6]))
    return vec.add((row[0], row[1], row[2]), vec.matvec(turn, center))


@kernel
def turns_of(table, poses):
    """Return (turns, slow, most): the angle by which each shape turns, the largest that is not FAST, and of all."""
    turns = np.zeros(table.shape[0])
    slow = 0.0
    most = 0.0
    for i in range(table.shape[0]):
        turns[i] = turned(poses[table[i]["link"]]) * (1.0 + ROUND)
        most = max(most, turns[i])
        if turns[i] <= FAST:
            slow = max(slow, turns[i])
    return turns, slow, most


@kernel
def write_cubes(leaves, table, poses, slow, most):
    """Write the box of each shape: around the cubes at both ends, see above."""
    theta = min(2.0 * most, math.pi)
    kappa = 0.5 + (theta * theta / (16.0 * math.sin(0.5 * theta)) if theta > 0.0 else 0.0)
    for i in range(table.shape[0]):
        rows = poses[table[i]["link"]]
        begin, end = centre_at(table[i], rows[0]), centre_at(table[i], rows[1])
        way = vec.norm(vec.sub(end, begin))
        half = (table[i]["radius"] + kappa * way) / (1.0 - kappa * slow)
        for c in range(3):
            far = ROUND * (half + abs(begin[c]) + abs(end[c]))
            leaves[i, c] = min(begin[c], end[c]) - half - far
            leaves[i, 3 + c] = max(begin[c], end[c]) + half + far


@kernel
def pairs_near(tree, table, poses, world, moves):
    """Return (n, 2): the pairs of shapes, in order, that can meet and of which one moves; ignored ones are left out.

    `moves` says of each shape whether its model was given a motion, `tree` has a leaf for each.
    """
    turns, slow, most = turns_of(table, poses)
    write_cubes(tree.leaves, table, poses, slow, most)
    set_leaves(tree)
    stack = np.zeros((MAX_DEPTH, 2), np.int32)
    pairs = np.zeros((4 * table.shape[0], 2), np.int32)
    n = 0
    for a in range(table.shape[0]):
        fast = turns[a] > FAST
        count = overlapping(tree, a, stack)
        if fast:
            count = with_fast(tree.found, count, turns, a)
        for k in range(count):
            b = tree.found[k]
            kept = (moves[a] or moves[b]) and pair_margin(world, table[a]["link"], table[b]["link"], 0.0) > -math.inf
            if not kept:
                continue
            if n == pairs.shape[0]:
                pairs = doubled(pairs)
            pairs[n, 0] = a
            pairs[n, 1] = b
            n += 1
    done(tree)
    return pairs[:n].copy()


@kernel
def with_fast(found, count, turns, a):
    """Add to the first numbers of `found`, which ascend, all greater than a of shapes that turn fast; return how many
    there are."""
    is_found = np.zeros(turns.shape[0], np.bool_)
    for k in range(count):
        is_found[found[k]] = True
    count = 0
    for b in range(a + 1, turns.shape[0]):
        if is_found[b] or turns[b] > FAST:
            found[count] = b
            count += 1
    return count


@kernel
def doubled(pairs):
    """Return the pairs with room for twice as many."""
    bigger = np.zeros((2 * pairs.shape[0], 2), np.int32)
    for k in range(pairs.shape[0]):
        bigger[k, 0] = pairs[k, 0]
        bigger[k, 1] = pairs[k, 1]
    return bigger
