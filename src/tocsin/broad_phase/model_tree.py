"""Which of many moving models come near each other: a tree over the swept boxes of whole models.

Each question writes the box that every moving model sweeps. Of a handful all pairs are compared; of more, the boxes are
the leaves of a binary tree, through which every model looks for those that are listed after it. The tree is kept from
question to question and its boxes are made anew from the leaves (refit): models that move a little stay neighbours.
When finding pairs costs twice what it did after the tree was built, it is built again: n log n steps, all of it.

Claim: what is found is the set of pairs whose boxes overlap, in the order of the models, whatever tree there is. Proof:
after `refit` the box of a node contains those of its children (minima and maxima round nothing), so all leaves below
it; a node that is left out is apart from the model's box, so are all leaves below it. A leaf that is reached is
compared itself. Each model is one leaf, so each pair is found once, from the one that is listed first; what a model
finds is put in order. So the pairs, their order and every bit of an answer are those of comparing all pairs. Boxes are
rounded outward, with tubes and the largest margin added (`sweep.geom_box`): pairs apart are apart by more than that.
"""

from typing import NamedTuple

import numpy as np

from tocsin.broad_phase.aabb_tree import build_order, refit
from tocsin.compiler.arrays import stable_order
from tocsin.compiler.jit import kernel

FEW = 12
"""Models of which all pairs are compared: 66 boxes take 0.2 µs, about what the tree does."""

TESTS, BUILT = range(2)
"""What a tree remembers: the boxes compared in the last question, and in the first one after it was built (0: it is not
built)."""

WORSE = 2
"""A tree is built again when it takes this many times as many comparisons."""

SHORT = 32
"""Lists up to here are sorted by insertion."""


class ModelTree(NamedTuple):
    """The tree over the boxes of moving models, and what finding pairs works in."""

    boxes: np.ndarray
    """(2 n - 1, 6), as `aabb_tree.build_static` lays them out: children come after their parent."""
    child: np.ndarray
    """(2 n - 1): children child[k] and next, or leaf ~child[k]."""
    last: np.ndarray
    """(2 n - 1): the greatest number of a leaf below each node."""
    leaves: np.ndarray
    """(n, 6): the boxes that the models sweep."""
    found: np.ndarray
    """(n): numbers of models, see `overlapping`."""
    memory: np.ndarray
    """See TESTS, BUILT."""


def make_model_tree(n: int) -> ModelTree:
    """Return a tree over n models that is yet to be built; an empty one over those that are FEW."""
    n = 0 if n <= FEW else n
    nodes = max(2 * n - 1, 0)
    return ModelTree(
        np.zeros((nodes, 6)),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros((n, 6)),
        np.zeros(n, np.int32),
        np.zeros(2, np.int64),
    )


@kernel
def set_leaves(tree):
    """Make the tree that of its leaves' boxes: as it was, or built anew if that has become worse."""
    memory = tree.memory
    if memory[BUILT] == 0 or memory[TESTS] > WORSE * memory[BUILT]:
        child = build_order(tree.leaves)
        for k in range(child.shape[0] - 1, -1, -1):
            left = child[k]
            tree.child[k] = left
            tree.last[k] = ~left if left < 0 else max(tree.last[left], tree.last[left + 1])
        memory[BUILT] = 0
    refit(tree.boxes, tree.child, tree.leaves)
    memory[TESTS] = 0


@kernel
def done(tree):
    """Note what finding all pairs has taken, where the tree is new."""
    if tree.memory[BUILT] == 0:
        tree.memory[BUILT] = max(tree.memory[TESTS], 1)


@kernel
def overlapping(tree, i, stack):
    """Write into `found`, ascending, the models listed after i whose boxes overlap its own; return how many."""
    boxes, child, last, found = tree.boxes, tree.child, tree.last, tree.found
    own = tree.leaves[i]
    # As locals, and compared without a branch each: a third of the time.
    x0, y0, z0, x1, y1, z1 = own[0], own[1], own[2], own[3], own[4], own[5]
    n = 0
    tests = 0
    stack[0, 0] = 0
    top = 1
    while top > 0:
        top -= 1
        k = stack[top, 0]
        tests += 1
        beside = (boxes[k, 0] > x1) | (boxes[k, 3] < x0) | (boxes[k, 1] > y1) | (boxes[k, 4] < y0)
        if beside | (boxes[k, 2] > z1) | (boxes[k, 5] < z0) | (last[k] <= i):
            continue
        left = child[k]
        if left < 0:
            found[n] = ~left
            n += 1
        else:
            stack[top, 0] = left
            stack[top + 1, 0] = left + 1
            top += 2
    tree.memory[TESTS] += tests
    ascend(found, n)
    return n


@kernel
def ascend(numbers, n):
    """Put the first n numbers in order."""
    if n > SHORT:
        part = numbers[:n].copy()
        order = stable_order(part)
        for k in range(n):
            numbers[k] = part[order[k]]
        return
    for i in range(1, n):
        number = numbers[i]
        k = i
        while k > 0 and numbers[k - 1] > number:
            numbers[k] = numbers[k - 1]
            k -= 1
        numbers[k] = number
