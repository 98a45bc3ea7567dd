"""Temporal culling before the first step: until when a pair is free, by the Taylor models of its two links [CATCH 7.1].

One continuous separating-axis test of the two shapes' boxes often settles a pair for a whole slab, where the
advancement would need many steps.
"""

from tocsin import vec
from tocsin.bounds.continuous_sat import apart_until
from tocsin.bounds.motion_bound import UNIT
from tocsin.broad_phase.sweep import DEEP, link_taylor
from tocsin.compiler.jit import kernel

TRIES, MORE_TRIES = 4, 8
"""Intervals looked at for one pair: the whole, then halves of what failed; the second on chains of more than DEEP
joints, where steps of the advancement cost more."""

LOOSE, LOOSER = 0.25, 1.0
"""Pairs whose acceleration can add less than this fraction of their size in a slab are left to the advancement; the
second on chains of more than DEEP joints, whose matrices cost more."""


@kernel
def geom_frame(geom):
    """Return a shape's box as (centre, axes, half extents)."""
    axes = geom["axes"]
    return (
        (geom["center"][0], geom["center"][1], geom["center"][2]),
        (vec.load3(axes, 0), vec.load3(axes, 1), vec.load3(axes, 2)),
        (geom["half"][0], geom["half"][1], geom["half"][2]),
    )


@kernel
def free_until(pair, geom_a, geom_b, chains, t0, t1):
    """Return a time until which the pair is proven to be farther apart than its margin; inf for all from its start on.

    [t0, t1] is the slab of the Taylor models, in which it begins and ends.

    Also sets pair["taylor"], the clearance with which `apart_until` has to be asked, or -1 where short motions do
    without. It is the margin, the noise of both links' records in the world's frame, and 512 units of all lengths.
    """
    sweeps, links = chains.sweeps, chains.links
    reach_a = geom_a["reach"]
    reach_b = geom_b["reach"]
    begin, end = pair["start"], pair["until"]
    slab = end - begin
    pair["taylor"] = -1.0
    acceleration = pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b
    i = pair["link_a"]
    k = pair["link_b"]
    deep = max(links[i]["depth"], links[k]["depth"]) > DEEP
    loose = LOOSER if deep else LOOSE
    if slab == 0.0 or acceleration * slab * slab < loose * min(geom_a["diagonal"], geom_b["diagonal"]):
        return begin
    if sweeps[i]["taylor"] == 0:
        link_taylor(chains, i, t0, t1)
    if sweeps[k]["taylor"] == 0:
        link_taylor(chains, k, t0, t1)
    far_a = sweeps[i]["length"] + reach_a
    far_b = sweeps[k]["length"] + reach_b
    noise = (sweeps[i]["noise"] + 512.0 * UNIT) * far_a + (sweeps[k]["noise"] + 512.0 * UNIT) * far_b
    pair["taylor"] = pair["margin"] + noise
    side_a = chains.taylor[i], geom_frame(geom_a), reach_a
    side_b = chains.taylor[k], geom_frame(geom_b), reach_b
    tries = MORE_TRIES if deep else TRIES
    return apart_until(side_a, side_b, pair["taylor"], (t0, t1), (begin, end), 0.0, tries)
