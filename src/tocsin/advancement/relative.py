"""Where b is as a sees it, and how both move, at one moment."""

import math
from typing import NamedTuple

from tocsin import vec
from tocsin._types import Mat3, Vec3
from tocsin.broad_phase.sweep import place_link
from tocsin.compiler.jit import kernel
from tocsin.motion.chain import chain_state


class Seen(NamedTuple):
    """A pair at time t, as `relative_state` has it."""

    t: float
    pose: tuple[Mat3, Vec3]
    motion: tuple[Vec3, ...]


@kernel
def link_state(sweeps, joints, links, link, stop, t):
    """Return (R, P, omega, v, alpha, a) of a link in the frame of its ancestor `stop` at time t: see `chain_state`.

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
        (s["alpha"][0], s["alpha"][1], s["alpha"][2]),
        (s["acceleration"][0], s["acceleration"][1], s["acceleration"][2]),
    )


@kernel
def both_states(pair, sweeps, joints, links, t):
    """Return (ra, pa, wa, va, rb, pb, wb, vb, ca, aa, cb, ab) of both links in their common ancestor's frame.

    Poses, then velocities, angular first; then, likewise, accelerations.
    """
    ra, pa, wa, va, ca, aa = link_state(sweeps, joints, links, pair["link_a"], pair["stop"], t)
    rb, pb, wb, vb, cb, ab = link_state(sweeps, joints, links, pair["link_b"], pair["stop"], t)
    return ra, pa, wa, va, rb, pb, wb, vb, ca, aa, cb, ab


@kernel
def relative_state(pair, sweeps, joints, links, t):
    """Return ((R, T), (va, wa, vb, wb, aa, ca, ab, cb)): the pose of b in a's frame, and how both move, in it too.

    Velocities are relative to the common ancestor: va and vb of the two links' origins, wa and wb angular. The rest are
    accelerations, likewise.
    """
    return seen_from_a(both_states(pair, sweeps, joints, links, t))


@kernel
def seen_from_a(states):
    """Return what `relative_state` does, from the states of both links."""
    ra, pa, wa, va, rb, pb, wb, vb, ca, aa, cb, ab = states
    pose = (vec.tmatmul(ra, rb), vec.tmatvec(ra, vec.sub(pb, pa)))
    motion = (
        vec.tmatvec(ra, va),
        vec.tmatvec(ra, wa),
        vec.tmatvec(ra, vb),
        vec.tmatvec(ra, wb),
        vec.tmatvec(ra, aa),
        vec.tmatvec(ra, ca),
        vec.tmatvec(ra, ab),
        vec.tmatvec(ra, cb),
    )
    return pose, motion


@kernel
def seen_from_b(pose, motion):
    """Return (vb, wb, va, wa, ab, cb, aa, ca): the motion of `relative_state` in b's frame, b's first."""
    rotation = pose[0]
    va, wa, vb, wb, aa, ca, ab, cb = motion
    return (
        vec.tmatvec(rotation, vb),
        vec.tmatvec(rotation, wb),
        vec.tmatvec(rotation, va),
        vec.tmatvec(rotation, wa),
        vec.tmatvec(rotation, ab),
        vec.tmatvec(rotation, cb),
        vec.tmatvec(rotation, aa),
        vec.tmatvec(rotation, ca),
    )


@kernel
def bending(n, turn, angular):
    """Return k such that a point at r from its link's origin is accelerated along n by n.a + k.r.

    n.(alpha x r) = r.(n x alpha), and n.(omega x (omega x r)) = (omega.n)(omega.r) - omega^2 (n.r).
    """
    k = vec.axpy(vec.cross(n, angular), vec.dot(turn, n), turn)
    return vec.axpy(k, -vec.dot(turn, turn), n)
