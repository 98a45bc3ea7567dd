"""The first contact by conservative advancement, in one compiled call: motion, broad phase, advancement, slab by slab.

A motion is cut where any model's piece ends, and long turns are cut further into slabs in which the swept boxes stay
tight. Slabs are taken in order of time, so the first contact found is the first; what comes later is never looked at.
Times here are those of a stretch between two knots, from 0 to 1 (`motion.knots`).
"""

import math
from typing import NamedTuple

from tocsin.advancement import work
from tocsin.advancement.engine import advance
from tocsin.advancement.static_witness import LOOKS, UNSEEN, has_static_witness
from tocsin.broad_phase.moving import longest_turn, set_motion, swept_pairs
from tocsin.compiler.jit import borrowed, inlined, kernel, question, ticks
from tocsin.contacts.inside import one_inside_other
from tocsin.motion.knots import stretch_at
from tocsin.options import MAX_STEPS
from tocsin.outcome import CAPPED, CONTACT, FREE, UNCHARTED
from tocsin.queries.buffers import buffers_at
from tocsin.queries.kernels.candidates import SLABS, SPATIAL, leave_out_charted, leave_out_free, named

MOTION, CULLING, ADVANCEMENT = range(3)
"""Parts of a question whose time is taken."""

SHORT = 1.2
"""Radians: if no chain turns by more, `is_free` takes UNSEEN steps before it looks: most short motions are free, and
done by then."""


class Terms(NamedTuple):
    """The terms of a question."""

    margin: float
    grow: float
    """The largest margin of any pair: boxes are grown by it."""
    tolerance: float
    """Metres; negative for the default."""
    max_steps: int
    anything: bool
    """Whichever contact is found first will do."""


@kernel
def static_witness(buffers, pairs, n, t, own):
    """Return the first pair that is seen to touch at time t, or -1; those that are free until later are passed over.

    Those on their own account too, if `own`.
    """
    for p in range(n):
        if work.late(buffers.counts):
            break
        pair = pairs[p]
        due = pair["start"] <= t and (own or pair["own"] == 0)
        if due and has_static_witness(buffers.world, buffers.sweeps, buffers.joints, buffers.workspace, pair, t):
            return p
    return -1


@kernel
def static_witness_ahead(buffers, pairs, n, t0, t1, first):
    """Return (pair, time): the first pair on its own account that is seen to touch at one of LOOKS; -1 for none.

    Their steps are not charged, so nothing else would make `is_free` look at them before they are advanced, on a long
    motion; on a short one `advance` looks itself. `first`: 1 where the end was looked at before.
    """
    for k in range(first, 4):
        t = t1 if k == 0 else t0 + (t1 - t0) * LOOKS[k]
        for p in range(n):
            if work.late(buffers.counts):
                break
            pair = pairs[p]
            due = pair["own"] > 0 and pair["start"] <= t
            if due and has_static_witness(buffers.world, buffers.sweeps, buffers.joints, buffers.workspace, pair, t):
                return p, t
    return -1, t0


@kernel
def lacks_chart(pairs, p):
    """Could a pair have a chart that is not there? A call of its own, as `named`."""
    return pairs[p]["uncharted"] != 0


@kernel
def outcome(pairs, status, time, p, i):
    """Return the `Outcome` of a pair; those that are CAPPED or UNCHARTED are in contact by no known time."""
    a, b, used = named(pairs, p)
    return status, time, time if status == CONTACT else math.inf, a, b, used, i


@inlined
def seen_at_ends(buffers, configs, pairs, stretch, slabs, terms):
    """Return (pairs, p, t): a pair that is seen to touch at the end of a slab, the last first; -1 for none.

    Half to nine tenths of the contacts of edges are there.
    """
    for slab in range(slabs, 0, -1):
        if work.late(buffers.counts):
            break
        t = slab / slabs
        pairs, n = swept_pairs(buffers, pairs, t, t, terms.margin, terms.grow, terms.tolerance)
        n = leave_out_charted(buffers, configs, pairs, n, stretch, t, t) if terms.max_steps >= MAX_STEPS else n
        p = static_witness(buffers, pairs, n, t, True)
        if p >= 0:
            return pairs, p, t
    return pairs, -1, 0.0


@inlined
def candidates(buffers, configs, pairs, stretch, t0, t1, terms, long, slabs):
    """Return (pairs, n, p, t): what may touch during [t0, t1]; and one of it that is seen to, at t, or p = -1.

    Charts are for questions with the default cap or a larger one: a lower one is a promise about the work of all pairs.
    """
    charted = terms.max_steps >= MAX_STEPS
    pairs, n = swept_pairs(buffers, pairs, t0, t1, terms.margin, terms.grow, terms.tolerance)
    buffers.counts[SPATIAL] += n
    if n == 0:
        return pairs, n, -1, t0
    n = leave_out_charted(buffers, configs, pairs, n, stretch, t0, t1) if charted else n
    p = static_witness(buffers, pairs, n, t1, True) if long and slabs == 1 else -1
    if p >= 0:
        return pairs, n, p, t1
    n = leave_out_free(buffers, pairs, n, t0, t1, long)
    if long and charted:
        p, t = static_witness_ahead(buffers, pairs, n, t0, t1, 1)
        return pairs, n, p, t
    return pairs, n, -1, t0


@inlined
def search(buffers, pairs, n, t0, t1, terms, long, slabs):
    """Return (status, time, p): the first contact of the pairs during [t0, t1].

    With `anything` the search stops once, after a few steps, to look at moments: nothing was found by then, and what
    touches is seen sooner than reached. What was looked at before is not looked at again.
    """
    counts = buffers.counts
    status, time, p = CAPPED if n > 0 else FREE, math.inf, -1
    unseen = 0 if long else UNSEEN
    end_seen = terms.anything and (slabs > 1 or long)
    cap = min(terms.max_steps, counts[work.CHARGED] + unseen) if terms.anything else terms.max_steps
    while status == CAPPED:  # nothing is known yet
        status, time, p = advance(
            buffers.world, buffers.sweeps, buffers.joints, buffers.taylor, buffers.workspace, pairs, n, t0, t1,
            terms.anything, cap, counts,
        )  # fmt: skip
        if status == CAPPED and lacks_chart(pairs, p):
            return UNCHARTED, time, p
        if cap == terms.max_steps or work.late(counts):
            break
        if status == CAPPED:
            for k in range(1 if end_seen else 0, 4):
                t = t1 if k == 0 else t0 + (t1 - t0) * LOOKS[k]
                seen = static_witness(buffers, pairs, n, t, not long)
                if seen >= 0:
                    return CONTACT, t, seen
        cap = terms.max_steps
    return status, time, p


@inlined
def first_inside(buffers, pairs, n):
    """Return the first pair of which one shape lies inside the other, a solid mesh, at t = 0; -1 if there is none."""
    for p in range(n):
        if one_inside_other(buffers.world, pairs[p], buffers.sweeps, buffers.joints, 0.0):
            return p
    return -1


@kernel
def solve(buffers, configs, stretches, terms):
    """Return the `Outcome` of a question: the first contact of a scene, at a time of stretch i.

    `stretches` are all there are, in order, see `motion.knots`. The counts and clocks of the buffers are written.
    UNCHARTED: ask again when the chart of the two shapes is made.
    """
    stamp = ticks()
    clock = buffers.clock
    work.clear(buffers.counts)
    clock[:] = 0
    pairs = buffers.workspace.pairs
    for i in range(stretches.shape[0]):
        stretch = stretch_at(stretches, i)
        slabs = set_motion(buffers, configs, stretch)
        now = ticks()
        clock[MOTION] += now - stamp
        stamp = now
        long = terms.anything and longest_turn(buffers) >= SHORT
        if terms.anything and slabs > 1:
            pairs, p, t = seen_at_ends(buffers, configs, pairs, stretch, slabs, terms)
            if p >= 0:
                return outcome(pairs, CONTACT, t, p, i)
        for slab in range(slabs):
            t0, t1 = slab / slabs, (slab + 1) / slabs
            if work.late(buffers.counts):
                return CAPPED, t0, math.inf, -1, -1, 0.0, i
            pairs, n, p, t = candidates(buffers, configs, pairs, stretch, t0, t1, terms, long, slabs)
            if p >= 0:
                return outcome(pairs, CONTACT, t, p, i)
            buffers.counts[SLABS] += 1
            now = ticks()
            clock[CULLING] += now - stamp
            stamp = now
            status, time, p = search(buffers, pairs, n, t0, t1, terms, long, slabs)
            if status == UNCHARTED:
                return outcome(pairs, status, time, p, i)
            if i == 0 and slab == 0 and not (status == CONTACT and (terms.anything or time == 0.0)):
                inside = first_inside(buffers, pairs, n)
                if inside >= 0:
                    status, time, p = CONTACT, 0.0, inside
            now = ticks()
            clock[ADVANCEMENT] += now - stamp
            stamp = now
            if status != FREE:
                return outcome(pairs, status, time, p, i)
    return FREE, math.inf, math.inf, -1, -1, 0.0, 0


@question
def ask(table, configs, stretches, margin, grow, tolerance, max_steps, anything):
    """Return the `Outcome` of a question on the buffers of a table: `solve`, called from Python."""
    return solve(
        buffers_at(table), borrowed(configs), stretches, Terms(margin, grow, tolerance, max_steps, anything)
    )  # fmt: skip
