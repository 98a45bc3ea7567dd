"""Spatial culling: the pairs of shapes whose swept boxes overlap during a slab of time [CATCH 5].

Every moving model's dynamic tree goes against the tree of what stands, against the other moving models' trees, and
against itself. A pair of links with a rule is ignored or gets its own margin; shapes of one link are never paired.
"""

import math

import numpy as np

from tocsin.broad_phase.aabb_tree import apart
from tocsin.broad_phase.pairs import PAIR
from tocsin.compiler.jit import borrowed, kernel


@kernel
def pair_margin(world, a, b, margin):
    """Return the margin of two links: their own if they have a rule, -inf if they are not to be checked."""
    if a == b:
        return -math.inf
    lo = world.rule_start[a]
    hi = world.rule_start[a + 1]
    while lo < hi:
        middle = (lo + hi) >> 1
        other = world.rule_link[middle]
        if other == b:
            return world.rule_margin[middle]
        if other < b:
            lo = middle + 1
        else:
            hi = middle
    return margin


@kernel
def add_pair(pairs, n, world, a, b, margin):
    """Append the pair of shapes a, b unless a rule forbids it; return (pairs, n), the table grown if it was full."""
    own = pair_margin(world, world.geoms[a]["link"], world.geoms[b]["link"], margin)
    if own == -math.inf:
        return pairs, n
    return append_pair(pairs, n, a, b, own)


@kernel
def append_pair(pairs, n, a, b, own):
    """Append the pair of shapes a, b with its margin; return (pairs, n), the table grown if it was full."""
    if n == pairs.shape[0]:
        pairs = with_room(pairs, n, n + 16)
    write_pair(pairs, n, a, b, own)
    return pairs, n + 1


@kernel
def with_room(pairs, n, more):
    """Return a table of the first n pairs, with room for so many more."""
    bigger = np.zeros(n + more, dtype=PAIR)
    for k in range(n):
        bigger[k] = pairs[k]
    return bigger


@kernel
def write_pair(pairs, n, a, b, own):
    """Write the pair of shapes a, b with its margin into row n."""
    pairs[n]["a"] = a
    pairs[n]["b"] = b
    pairs[n]["margin"] = own


@kernel
def against_standing(pairs, n, world, boxes, tree, standing, margin, stack):
    """Append the pairs of a moving model's tree with the tree of what stands; `stack` as in `advancement.workspace`.

    `tree`: the row of `boxes` before its root, how many leaves it has room for, its first shape. `standing`: boxes,
    children, and the shapes of leaves, as `aabb_tree.build_static` lays them out.
    """
    first, slots, geom = tree
    static_boxes, static_child, static_geom = standing
    if static_geom.shape[0] == 0:
        return pairs, n
    stack[0, 0] = 1
    stack[0, 1] = 0
    top = 1
    while top > 0:
        top -= 1
        k = stack[top, 0]
        s = stack[top, 1]
        if apart(boxes, first + k, static_boxes, s):
            continue
        child = static_child[s]
        if child < 0 and k >= slots:
            pairs, n = add_pair(pairs, n, world, geom + k - slots, static_geom[~child], margin)
        elif k >= slots or (child >= 0 and larger(static_boxes, s, boxes, first + k)):
            stack[top, 0] = k
            stack[top, 1] = child
            stack[top + 1, 0] = k
            stack[top + 1, 1] = child + 1
            top += 2
        else:
            stack[top, 0] = 2 * k
            stack[top, 1] = s
            stack[top + 1, 0] = 2 * k + 1
            stack[top + 1, 1] = s
            top += 2
    return pairs, n


@kernel
def larger(boxes_a, i, boxes_b, k):
    """Is the first box the larger one, by the sum of its sides?"""
    a = boxes_a[i, 3] + boxes_a[i, 4] + boxes_a[i, 5] - boxes_a[i, 0] - boxes_a[i, 1] - boxes_a[i, 2]
    b = boxes_b[k, 3] + boxes_b[k, 4] + boxes_b[k, 5] - boxes_b[k, 0] - boxes_b[k, 1] - boxes_b[k, 2]
    return a >= b


@kernel
def with_itself(pairs, n, world, boxes, leaves, model, margin):
    """Append the pairs of a model with itself: of its list, those whose boxes, from row `leaves` on, overlap.

    The links of a chain are near each other anyway: on an arm of eleven shapes a list takes a twentieth of the time
    that its tree does.
    """
    n, k = list_selves(borrowed(pairs), n, world, boxes, leaves, model, model["self"], margin)
    while k < model["self"] + model["selves"]:
        pairs = with_room(pairs, n, n + 16)
        n, k = list_selves(borrowed(pairs), n, world, boxes, leaves, model, k, margin)
    return pairs, n


@kernel
def list_selves(pairs, n, world, boxes, leaves, model, k, margin):
    """Write the pairs of `with_itself` from row k of the list on while there is room; return the new count, and k."""
    geom = model["geom"]
    room = pairs.shape[0]
    end = model["self"] + model["selves"]
    while k < end and n < room:
        pair = world.selves[k]
        k += 1
        a = pair["a"]
        b = pair["b"]
        if not apart(boxes, leaves + a, boxes, leaves + b):
            own = pair["margin"]
            write_pair(pairs, n, geom + a, geom + b, margin if math.isnan(own) else own)
            n += 1
    return n, k


@kernel
def between_moving(pairs, n, world, boxes, tree_a, tree_b, margin, stack):
    """Append the pairs of two moving models' trees; the same tree twice means a model against itself, once a pair."""
    first_a, slots_a, geom_a = tree_a
    first_b, slots_b, geom_b = tree_b
    same = first_a == first_b
    stack[0, 0] = 1
    stack[0, 1] = 1
    top = 1
    while top > 0:
        top -= 1
        i = stack[top, 0]
        k = stack[top, 1]
        if apart(boxes, first_a + i, boxes, first_b + k):
            continue
        leaf_i = i >= slots_a
        leaf_k = k >= slots_b
        if same and i == k:
            if not leaf_i:
                stack[top, 0] = 2 * i
                stack[top, 1] = 2 * i
                stack[top + 1, 0] = 2 * i + 1
                stack[top + 1, 1] = 2 * i + 1
                stack[top + 2, 0] = 2 * i
                stack[top + 2, 1] = 2 * i + 1
                top += 3
        elif leaf_i and leaf_k:
            pairs, n = add_pair(pairs, n, world, geom_a + i - slots_a, geom_b + k - slots_b, margin)
        elif leaf_k or (not leaf_i and larger(boxes, first_a + i, boxes, first_b + k)):
            stack[top, 0] = 2 * i
            stack[top, 1] = k
            stack[top + 1, 0] = 2 * i + 1
            stack[top + 1, 1] = k
            top += 2
        else:
            stack[top, 0] = i
            stack[top, 1] = 2 * k
            stack[top + 1, 0] = i
            stack[top + 1, 1] = 2 * k + 1
            top += 2
    return pairs, n
