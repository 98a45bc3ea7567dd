"""Poses and velocities along a chain of joints [CATCH eq. 1, eq. 7], between a link and one of its ancestors."""

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.motion.curves import sliding, turning
from tocsin.motion.joints import joint_pose


@kernel
def common_ancestor(links, a, b):
    """Return the lowest link of which both a and b are descendants (or which is one of them); -1 is the world."""
    while a != b:
        if a < 0 or b < 0:
            return -1
        if links[a]["depth"] >= links[b]["depth"]:
            a = links[a]["parent"]
        else:
            b = links[b]["parent"]
    return a


@kernel
def chain_pose(joints, links, link, stop, t):
    """Return (R, P): the pose of a link in the frame of its ancestor `stop` (-1: the world) at t [CATCH eq. 1]."""
    if link == stop:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0)
    rotation, place = joint_pose(joints[link], t)
    i = links[link]["parent"]
    while i != stop:
        r, p = joint_pose(joints[i], t)
        place = vec.add(p, vec.matvec(r, place))
        rotation = vec.matmul(r, rotation)
        i = links[i]["parent"]
    return rotation, place


@kernel
def chain_state(joints, links, link, stop, t):
    """Return (R, P, omega, v, alpha, a) of a link in the frame of its ancestor `stop` at time t.

    `v` and `a` are the velocity and acceleration of the link's own origin P, omega and alpha those of its turning, so a
    point at r = x - P of the link moves at v + omega x r, and is accelerated by a + alpha x r + omega x (omega x r).
    Climbing from a frame to its parent's, with the joint's pose (r, p), w its rate times its axis, velocity s, both
    constant:

        P' = p + r P,    v' = s + w x (r P) + r v,    omega' = w + r omega          [CATCH eq. 7]
        a' = w x (w x (r P)) + 2 w x (r v) + r a,     alpha' = w x (r omega) + r alpha

    On a curve the joint's own accelerations are added: dw x (r P) + ds to a', dw to alpha'.
    """
    rotation, place = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0)
    omega = (0.0, 0.0, 0.0)
    v = (0.0, 0.0, 0.0)
    alpha = (0.0, 0.0, 0.0)
    a = (0.0, 0.0, 0.0)
    i = link
    while i != stop:
        joint = joints[i]
        r, p = joint_pose(joint, t)
        rate = joint["rate"]
        axis = joint["axis"]
        velocity = joint["velocity"]
        s = (velocity[0], velocity[1], velocity[2])
        curved = joint["degree"] != 0
        dw = (0.0, 0.0, 0.0)
        ds = (0.0, 0.0, 0.0)
        if curved:
            rate, faster = turning(joint, t)
            dw = (faster * axis[0], faster * axis[1], faster * axis[2])
            if joint["slides"] != 0:
                s, ds = sliding(joint, t)
        w = (rate * axis[0], rate * axis[1], rate * axis[2])
        if i == link:
            rotation = r
            place = p
            v = s
            omega = w
            if curved:
                alpha = dw
                a = ds
        else:
            arm = vec.matvec(r, place)
            inner = vec.matvec(r, v)
            across = vec.cross(w, arm)
            a = vec.add(vec.matvec(r, a), vec.cross(w, vec.add(across, vec.add(inner, inner))))
            v = vec.add(vec.add(inner, across), s)
            omega = vec.matvec(r, omega)
            alpha = vec.add(vec.matvec(r, alpha), vec.cross(w, omega))
            if curved:
                a = vec.add(a, vec.add(vec.cross(dw, arm), ds))
                alpha = vec.add(alpha, dw)
            omega = vec.add(w, omega)
            place = vec.add(p, arm)
            rotation = vec.matmul(r, rotation)
        i = links[i]["parent"]
    return rotation, place, omega, v, alpha, a
