"""Tubes: what is proven of a motion holds for every motion near it, joint by joint.

A joint may be off by an error: a revolute one by e radians at any time, a prismatic one by e metres, in whatever way it
varies. Nothing is known of such a motion but where it can be, so what is bounded is how far its points can be from
those of the nominal motion at the same time, and that is added to the margin of the pair.

Claim. Let joint j of a chain be off by at most e_j radians and s_j metres, and L_j bound how far its frame's origin is
from the parent's origin, errors included. A point at distance X from the link's origin is then off, in the frame of an
ancestor, by at most E = error + error_per_reach X with

    X_{j-1} = L_j + X_j,    E_{j-1} = s_j + e_j X_j + E_j,    E = 0 and X_i = X at the link itself.

Proof. Let q_j be the nominal point in frame j and q'_j the other. In the parent's frame they are T + R q_j and
T' + R' q'_j; their difference is (T - T') + (R - R') q'_j + R (q_j - q'_j), of which the first is at most s_j, the
second at most e_j |q'_j|, since turning by an angle moves a point by no more than the arc, and the third E_j.

So if two links stay farther apart than margin + E_a + E_b on the nominal motion, they stay farther apart than the
margin on every motion in the tube; both seen from their lowest common ancestor, whose own errors move both alike.
"""

from tocsin.compiler.jit import kernel
from tocsin.motion.chain import common_ancestor
from tocsin.motion.joints import UP


@kernel
def chain_error(joints, links, link, stop):
    """Return (error, error_per_reach) of a link in the frame of its ancestor `stop`; rounded up."""
    x = 0.0
    error = 0.0
    per_reach = 0.0
    up = UP
    i = link
    while i != stop:
        joint = joints[i]
        error = error + joint["turn_error"] * x + joint["slide_error"]
        per_reach = per_reach + joint["turn_error"]
        x = x + joint["length"]
        up = up + (UP - 1.0)
        i = links[i]["parent"]
    return error * up, per_reach * up


@kernel
def widen(pair, geoms, joints, links, sweeps):
    """Add to a pair's margin how far its two shapes may be off their motions."""
    geom_a = geoms[pair["a"]]
    geom_b = geoms[pair["b"]]
    a = geom_a["link"]
    b = geom_b["link"]
    s_a = sweeps[a]
    s_b = sweeps[b]
    if s_a["error"] + s_a["error_per_reach"] + s_b["error"] + s_b["error_per_reach"] == 0.0:
        return
    stop = common_ancestor(links, a, b) if geom_a["model"] == geom_b["model"] else -1
    error_a, per_reach_a = chain_error(joints, links, a, stop)
    error_b, per_reach_b = chain_error(joints, links, b, stop)
    pair["margin"] = (
        pair["margin"] + error_a + per_reach_a * geom_a["reach"] + error_b + per_reach_b * geom_b["reach"]
    ) * UP
