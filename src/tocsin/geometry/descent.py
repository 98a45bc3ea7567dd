"""The step by which searches go down two hierarchies at once: a pair of nodes becomes the pairs of one's children."""

from tocsin.compiler.jit import kernel


@kernel
def open_larger(stack, top, node_a, node_b):
    """Put the two pairs that row `top` of a stack is opened into in its place and behind it; return the stack's height.

    Opened is the node with the larger radius, a's where they are equal; a leaf never is, and not both may be leaves.
    So every pair of leaves below the two nodes is below exactly one of the two pairs.
    """
    leaf_a = node_a["count"] > 0
    leaf_b = node_b["count"] > 0
    stack[top + 1, 0] = stack[top, 0]
    stack[top + 1, 1] = stack[top, 1]
    if leaf_b or (not leaf_a and node_a["radius"] >= node_b["radius"]):
        stack[top, 0] = node_a["first"]
        stack[top + 1, 0] = node_a["first"] + 1
    else:
        stack[top, 1] = node_b["first"]
        stack[top + 1, 1] = node_b["first"] + 1
    return top + 2
