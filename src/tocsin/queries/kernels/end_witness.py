"""Static witnesses at the end of a motion, looked for before anything is proven about the way there.

`is_free` may end with any contact, and half to nine tenths of the contacts of planners' edges are there at the end. On
a free motion the look is wasted, so it has to be cheap: the poses of one moment without velocities, and the boxes of
oriented boxes instead of those of all points, take a third of what boxes of a slab do. No proof rests on them: a pair
that the look leaves out is searched like any other.
"""

from tocsin import vec
from tocsin.advancement import work
from tocsin.advancement.static_witness import boxes_apart, has_static_witness
from tocsin.bounds.tubes import widen
from tocsin.broad_phase.aabb_tree import join_up
from tocsin.broad_phase.moving import FIRST, MODEL, SLOTS, near_pairs
from tocsin.broad_phase.pairs import prepare_look
from tocsin.compiler.jit import borrowed, inlined, kernel
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.motion.joints import joint_pose
from tocsin.queries.kernels.candidates import is_charted_at


@inlined
def pose_link(sweeps, joint, parent, i, t):
    """Write the pose of link i in the world at time t; its parent's is there already.

    Its velocities are not those of t: whatever needs them writes both, see `broad_phase.sweep.link_at`.
    """
    r, p = joint_pose(joint, t)
    if parent >= 0:
        up = sweeps[parent]
        base = (vec.load3(up["rotation"], 0), vec.load3(up["rotation"], 1), vec.load3(up["rotation"], 2))
        p = vec.add((up["place"][0], up["place"][1], up["place"][2]), vec.matvec(base, p))
        r = vec.matmul(base, r)
    s = sweeps[i]
    for a in range(3):
        for b in range(3):
            s["rotation"][a, b] = r[a][b]
        s["place"][a] = p[a]
    s["at"] = t


@inlined
def box_at(boxes, row, s, geom, grow):
    """Write the box of a shape's oriented box as its link lies, grown, into a row of `boxes`."""
    grow += s["error"] + s["error_per_reach"] * geom["reach"]
    center, axes, half = geom["center"], geom["axes"], geom["half"]
    for c in range(3):
        x, y, z = s["rotation"][c, 0], s["rotation"][c, 1], s["rotation"][c, 2]
        middle = s["place"][c] + (x * center[0] + y * center[1] + z * center[2])
        wide = grow
        for k in range(3):
            wide += abs(x * axes[k, 0] + y * axes[k, 1] + z * axes[k, 2]) * half[k]
        boxes[row, c] = middle - wide
        boxes[row, 3 + c] = middle + wide


@kernel
def place_all(buffers, t, grow):
    """Write the poses of all links of active models at time t, the boxes of their shapes, and the trees over them."""
    world, active, boxes = buffers.world, buffers.active, buffers.boxes
    joints, sweeps = buffers.joints, buffers.sweeps
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        first, slots = active[k, FIRST], active[k, SLOTS]
        for i in range(model["link"], model["link"] + model["links"]):
            pose_link(sweeps, joints[i], world.links[i]["parent"], i, t)
        for g in range(model["geoms"]):
            geom = world.geoms[model["geom"] + g]
            box_at(boxes, first + slots + g, sweeps[geom["link"]], geom, grow)
        join_up(boxes, first, slots)


@inlined
def seen_at_end(buffers, configs, pairs, stretch, terms):
    """Return (pairs, p): a pair that is seen to touch at the end of a stretch, or -1."""
    place_all(buffers, 1.0, terms.grow)
    pairs, n = near_pairs(buffers, pairs, terms.margin)
    return pairs, witness_at_end(buffers, configs, borrowed(pairs), n, stretch, terms)


@inlined
def witness_at_end(buffers, configs, pairs, n, stretch, terms):
    """Return the first pair that is seen to touch at the end of a stretch, or -1.

    A pair that its chart has apart is not seen to touch: it is asked only to spare the look, where boxes overlap.
    """
    world, sweeps, joints = buffers.world, buffers.sweeps, buffers.joints
    for p in range(n):
        if work.late(buffers.counts):
            break
        pair = pairs[p]
        widen(pair, world.geoms, joints, world.links, sweeps)
        prepare_look(pair, world.geoms, sweeps, terms.tolerance, RELATIVE_TOLERANCE)
        if boxes_apart(world, sweeps, joints, pair, 1.0) or is_charted_at(buffers, configs, pair, stretch, 1.0):
            continue
        if has_static_witness(world, sweeps, joints, buffers.workspace, pair, 1.0):
            return p
    return -1
