"""Where b is as a sees it, and how both move, at one moment."""

from tocsin import vec
from tocsin._jit import kernel
from tocsin.motion.chain import chain_state


@kernel
def relative_state(pair, joints, links, t):
    """Return ((R, T), (va, wa, vb, wb)): the pose of b in a's frame, and both velocities, in a's frame too.

    Velocities are relative to the common ancestor: va and vb of the two links' origins, wa and wb angular.
    """
    ra, pa, wa, va = chain_state(joints, links, pair["link_a"], pair["stop"], t)
    rb, pb, wb, vb = chain_state(joints, links, pair["link_b"], pair["stop"], t)
    pose = (vec.tmatmul(ra, rb), vec.tmatvec(ra, vec.sub(pb, pa)))
    motion = (vec.tmatvec(ra, va), vec.tmatvec(ra, wa), vec.tmatvec(ra, vb), vec.tmatvec(ra, wb))
    return pose, motion
