"""How searches go down two hierarchies at once: which of two nodes is opened, and what takes the pair's place.

The searches differ in what they ask of two nodes and in what they keep beside a pair (a time, a gap, a direction), so
each has a loop of its own; by this rule they all visit the same pairs: every pair of leaves below two nodes is below
exactly one of the pairs that these are opened into.
"""

from tocsin.compiler.jit import kernel


@kernel
def opens_a(node_a, node_b):
    """Is a's node to be opened? The one with the larger radius, a's where they are equal.

    A leaf never is, and not both may be leaves.
    """
    return node_b["count"] > 0 or (not node_a["count"] > 0 and node_a["radius"] >= node_b["radius"])


@kernel
def quad_to_open(node_a, node_b):
    """Return (is a's node opened?, the quad that it is opened into), see `geometry.bvh4`."""
    open_a = opens_a(node_a, node_b)
    return open_a, -1 - (node_a["count"] if open_a else node_b["count"])


@kernel
def open_larger(stack, top, node_a, node_b):
    """Put the two pairs that row `top` of a stack is opened into in its place and behind it; return the stack's height.

    So it is done where hierarchies are taken two wide, not four.
    """
    stack[top + 1, 0] = stack[top, 0]
    stack[top + 1, 1] = stack[top, 1]
    if opens_a(node_a, node_b):
        stack[top, 0] = node_a["first"]
        stack[top + 1, 0] = node_a["first"] + 1
    else:
        stack[top, 1] = node_b["first"]
        stack[top + 1, 1] = node_b["first"] + 1
    return top + 2
