"""Where b is as a sees it, and how both move, at one moment."""

import math

from tocsin import vec
from tocsin._jit import kernel
from tocsin.culling.sweep import place_link
from tocsin.motion.chain import chain_state


@kernel
def link_state(sweeps, joints, links, link, stop, t):
    """Return (R, P, omega, v) of a link in the frame of its ancestor `stop` at time t.

    In the world's frame the links of a model share what is common to their chains, and questions about a moment what
    was found for the last one; what stands is looked up.
    """
    if stop >= 0:
        return chain_state(joints, links, link, stop, t)
    s = sweeps[link]
    if s["at"] != t and (s["turn"] != 0.0 or s["speed"] != 0.0 or math.isnan(s["at"])):
        place_link(sweeps, joints, links, link, t)
    r = s["rotation"]
    return (
        (vec.load3(r, 0), vec.load3(r, 1), vec.load3(r, 2)),
        (s["place"][0], s["place"][1], s["place"][2]),
        (s["omega"][0], s["omega"][1], s["omega"][2]),
        (s["velocity"][0], s["velocity"][1], s["velocity"][2]),
    )


@kernel
def both_states(pair, sweeps, joints, links, t):
    """Return (ra, pa, wa, va, rb, pb, wb, vb): poses and velocities of both links in their common ancestor's frame."""
    ra, pa, wa, va = link_state(sweeps, joints, links, pair["link_a"], pair["stop"], t)
    rb, pb, wb, vb = link_state(sweeps, joints, links, pair["link_b"], pair["stop"], t)
    return ra, pa, wa, va, rb, pb, wb, vb


@kernel
def relative_state(pair, sweeps, joints, links, t):
    """Return ((R, T), (va, wa, vb, wb)): the pose of b in a's frame, and both velocities, in a's frame too.

    Velocities are relative to the common ancestor: va and vb of the two links' origins, wa and wb angular.
    """
    return seen_from_a(both_states(pair, sweeps, joints, links, t))


@kernel
def seen_from_a(states):
    """Return what `relative_state` does, from the states of both links."""
    ra, pa, wa, va, rb, pb, wb, vb = states
    pose = (vec.tmatmul(ra, rb), vec.tmatvec(ra, vec.sub(pb, pa)))
    motion = (vec.tmatvec(ra, va), vec.tmatvec(ra, wa), vec.tmatvec(ra, vb), vec.tmatvec(ra, wb))
    return pose, motion


@kernel
def seen_from_b(pose, motion):
    """Return (vb, wb, va, wa): the velocities of `relative_state` in b's frame, b's first."""
    rotation = pose[0]
    va, wa, vb, wb = motion
    return (
        vec.tmatvec(rotation, vb),
        vec.tmatvec(rotation, wb),
        vec.tmatvec(rotation, va),
        vec.tmatvec(rotation, wa),
    )
