"""Poses and velocities along a chain of joints (the paper's eq. 1 and 7), between a link and one of its ancestors."""

from tocsin import vec
from tocsin._jit import kernel
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
    """Return (R, P): the pose of a link in the frame of its ancestor `stop` (-1: the world) at time t."""
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
    """Return (R, P, omega, v) of a link in the frame of its ancestor `stop` at time t.

    `v` is the velocity of the link's own origin P, so a point x of the link moves at v + omega x (x - P). Climbing
    from a frame to its parent's, with the joint's pose (r, p), rate w about u and velocity s:

        P' = p + r P,    v' = s + w u x (r P) + r v,    omega' = w u + r omega      (the paper's eq. 7)
    """
    rotation, place = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0)
    omega = (0.0, 0.0, 0.0)
    v = (0.0, 0.0, 0.0)
    i = link
    while i != stop:
        joint = joints[i]
        r, p = joint_pose(joint, t)
        rate = joint["rate"]
        axis = joint["axis"]
        velocity = joint["velocity"]
        w = (rate * axis[0], rate * axis[1], rate * axis[2])
        if i == link:
            rotation = r
            place = p
            v = (velocity[0], velocity[1], velocity[2])
            omega = w
        else:
            arm = vec.matvec(r, place)
            v = vec.add(vec.add(vec.matvec(r, v), vec.cross(w, arm)), (velocity[0], velocity[1], velocity[2]))
            omega = vec.add(w, vec.matvec(r, omega))
            place = vec.add(p, arm)
            rotation = vec.matmul(r, rotation)
        i = links[i]["parent"]
    return rotation, place, omega, v
