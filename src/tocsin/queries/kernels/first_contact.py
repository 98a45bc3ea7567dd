"""The first contact by conservative advancement, in one compiled call: motion, broad phase, advancement, slab by slab.

A motion is cut where any model's piece ends, and long turns are cut further into slabs in which the swept boxes stay
tight. Slabs are taken in order of time, so the first contact found is the first; what comes later is never looked at.
Where any contact will do, `is_free`, the last slab of a stretch comes first.
Times here are those of a stretch between two knots, from 0 to 1 (`motion.knots`).
"""

import math
from typing import NamedTuple

from tocsin.advancement import work
from tocsin.advancement.engine import advance, wait_from
from tocsin.advancement.static_witness import LOOKS, UNSEEN, has_static_witness
from tocsin.advancement.workspace import Tables
from tocsin.broad_phase.moving import longest_turn, set_motion, swept_pairs
from tocsin.compiler.jit import borrowed, inlined, kernel, question, ticks
from tocsin.contacts.inside import one_inside_other
from tocsin.limits import MAX_STEPS
from tocsin.motion.knots import stretch_at
from tocsin.outcome import CAPPED, CONTACT, FREE, UNCHARTED
from tocsin.queries.buffers import buffers_at
from tocsin.queries.kernels.candidates import SLABS, SPATIAL, cut_charted, leave_out_free, named
from tocsin.queries.kernels.end_witness import seen_at_end

MOTION, CULLING, ADVANCEMENT = range(3)
"""Parts of a question whose time is taken."""

SHORT = 1.2
"""Radians: if no chain turns by more, `is_free` takes UNSEEN steps before it looks: most short motions are free, and
done by then."""

LATE = 8
"""Steps that it takes otherwise, after a look at the end, and one more for each pair: most are settled by their first,
and are not looked at."""

TESTS = 8
"""Tests that count as a step then: one item may take thousands."""


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
def static_witness(buffers, pairs, n, t):
    """Return the first pair that is seen to touch at time t, or -1; those that are proven free then are passed over."""
    pairs = borrowed(pairs)
    for p in range(n):
        if work.late(buffers.counts):
            break
        pair = pairs[p]
        due = pair["start"] <= t <= pair["until"]
        if due and has_static_witness(buffers.world, buffers.sweeps, buffers.joints, buffers.workspace, pair, t):
            return p
    return -1


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
def candidates(buffers, configs, pairs, stretch, slab, terms):
    """Return (pairs, n): what may touch during a slab.

    Charts are for questions with the default cap or a larger one: a lower one is a promise about the work of all pairs.
    """
    pairs, n = swept_pairs(buffers, pairs, slab[0], slab[1], terms.margin, terms.grow, terms.tolerance)
    buffers.counts[SPATIAL] += n
    if n == 0:
        return pairs, n
    pairs, n = cut_charted(buffers, configs, pairs, n, stretch, slab, terms.max_steps >= MAX_STEPS)
    return pairs, leave_out_free(buffers, pairs, n, slab[0], slab[1], terms.anything)


@inlined
def pause_after(steps, terms, counts):
    """Return the cap of a search that pauses after so many more steps, or as many tests as these stand for."""
    cap = counts[work.CHARGED] + steps
    if cap >= terms.max_steps:
        counts[work.PAUSE] = 0
        return terms.max_steps
    counts[work.PAUSE] = work.charged(counts) + TESTS * steps
    return cap


@inlined
def search(buffers, pairs, n, slab, terms, long):
    """Return (status, time, p): the first contact of the pairs during a slab.

    With `anything` the search pauses once, after a few steps, to look at moments: nothing was found by then, and what
    touches is seen sooner than reached. Only pairs that are not settled by then are looked at, so that looks cost a
    free motion next to nothing. On a `long` motion sooner. The end is looked at only where it is that of a short
    motion: that of a long one was seen, and that of another slab belongs to the next one, too.
    """
    t0, t1 = slab
    counts = buffers.counts
    tables = Tables(buffers.world, buffers.sweeps, buffers.joints, buffers.taylor, buffers.workspace)
    if n == 0:
        return FREE, math.inf, -1
    cap = terms.max_steps
    if terms.anything:
        cap = pause_after(LATE + n if long else UNSEEN, terms, counts)
    status, time, p = advance(tables, pairs, n, slab, terms.anything, cap, counts, False)
    if status == CAPPED and cap < terms.max_steps and not work.late(counts) and not lacks_chart(pairs, p):
        paused = buffers.workspace.search[0]["paused"] != 0
        if paused:
            wait_from(tables, pairs, n)
        for k in range(1 if long or t1 < 1.0 else 0, len(LOOKS)):
            t = t1 if k == 0 else t0 + (t1 - t0) * LOOKS[k]
            seen = static_witness(buffers, pairs, n, t)
            if seen >= 0:
                return CONTACT, t, seen
        counts[work.PAUSE] = 0
        status, time, p = advance(tables, pairs, n, slab, terms.anything, terms.max_steps, counts, paused)
    counts[work.PAUSE] = 0
    if status == CAPPED and lacks_chart(pairs, p):
        return UNCHARTED, time, p
    return status, time, p


@inlined
def first_inside(buffers, pairs, n):
    """Return the first pair of which one shape lies inside the other, a solid mesh, at t = 0; -1 if there is none."""
    for p in range(n):
        if one_inside_other(buffers.world, pairs[p], buffers.sweeps, buffers.joints, 0.0):
            return p
    return -1


@kernel
def solve(table, configs, stretches, terms):
    """Return the `Outcome` of a question on the buffers of a table: the first contact of a scene, at a time of stretch
    i.

    `stretches` are all there are, in order, see `motion.knots`. The counts and clocks of the buffers are written.
    UNCHARTED: ask again when the chart of the two shapes is made.
    """
    stamp = ticks()
    buffers = buffers_at(table)
    configs = borrowed(configs)
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
        if long:
            pairs, p = seen_at_end(buffers, configs, pairs, stretch, terms)
            if p >= 0:
                return outcome(pairs, CONTACT, 1.0, p, i)
        for k in range(slabs):
            # Whatever touches is most likely to do so late, and any contact will do: the last slab first.
            slab = slabs - 1 - k if terms.anything else k
            bounds = (slab / slabs, (slab + 1) / slabs)
            if work.late(buffers.counts):
                return CAPPED, 0.0 if terms.anything else bounds[0], math.inf, -1, -1, 0.0, i
            pairs, n = candidates(buffers, configs, pairs, stretch, bounds, terms)
            buffers.counts[SLABS] += 1
            now = ticks()
            clock[CULLING] += now - stamp
            stamp = now
            status, time, p = search(buffers, pairs, n, bounds, terms, long)
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
                # Nothing is known of slabs before it, where the last was taken first.
                return outcome(pairs, status, 0.0 if status == CAPPED and terms.anything else time, p, i)
    return FREE, math.inf, math.inf, -1, -1, 0.0, 0


@question
def ask(table, configs, stretches, margin, grow, tolerance, max_steps, anything):
    """Return what `solve` does, called from Python."""
    return solve(table, configs, stretches, Terms(margin, grow, tolerance, max_steps, anything))
