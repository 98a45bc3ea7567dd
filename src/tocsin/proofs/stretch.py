"""The search that is its own proof: pairs of parts, stretches of time and directions, from large to small.

A pair of shapes during a slab of time is tried as a whole, from the middle of the slab, along one direction. What fails
is halved: the time where the parts are well apart in the middle, the larger part where they are not. The halvings and
directions are written down as they are made, and are the proof. So it costs what a search costs, and holds nothing but
what it says: a mistake here makes a proof that is refused.

What a pair took is remembered, as charts are for questions: of the next motion its tree is tried first, leaf by leaf,
and searched only below those leaves whose directions no longer do. So which of several proofs is written may depend on
what was asked before; that it is one does not.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.addresses import Layout
from tocsin.compiler.jit import kernel, question
from tocsin.model.tables import MODEL
from tocsin.motion.chain import common_ancestor
from tocsin.motion.joints import JOINT, UP
from tocsin.motion.links import LINK
from tocsin.proofs.parts import PART
from tocsin.proofs.search import (
    ALONG,
    AXIS,
    HALF_A,
    HALF_B,
    HALF_TIME,
    MORE,
    NEAR,
    SLAB,
    SLACK,
    STATE,
    along,
    around,
    clears,
    coefficients,
    extent,
    middle_of,
    nearest,
    range_of,
    set_joints,
    set_states,
    state_of,
    write,
    write_direction,
)  # fmt: skip

PROVEN, OPEN, FULL = range(3)
"""What a search ends with: it has left a proof; a pair stays open; the table of words is full, or it has looked at as
many pairs of parts as it may."""

DEEPEST, MOST_WAITING = 40, 256

MOST_LEVEL = 12
"""Slabs of a stretch, as a power of two, before anything is looked at."""

LARGEST_REST = 0.1
"""Share of its size by which what a parabola leaves out may make the swept box of a shape larger."""

SLABS_KEPT, MOST_KEPT = 4, 2**18
"""Slabs of which the tree of a pair is remembered, those behind them in turn; and words of all trees, until they are
forgotten."""


class Room(NamedTuple):
    """All that the search for a scene's proofs reads, and the room that it works in: one argument of a call."""

    parts: np.ndarray
    points: np.ndarray
    roots: np.ndarray
    """The first part of each shape, and its link."""
    link_of: np.ndarray
    moving: np.ndarray
    """Shapes of models that move."""
    pairs: np.ndarray
    """Shapes that may touch, a < b."""
    links: np.ndarray
    models: np.ndarray
    joints: np.ndarray
    states: np.ndarray
    boxes: np.ndarray
    """In which shapes stay during a slab; of those that stand, always."""
    words: np.ndarray
    stack: np.ndarray
    aims: np.ndarray
    simplex: np.ndarray
    kept: np.ndarray
    """Words of trees that are remembered."""
    trees: np.ndarray
    """Where they are, `SLABS_KEPT` rows a pair: the first word, how many, how many a search left from nothing, and
    since when; in the last row how many words are used, and what `since` is now."""
    left: np.ndarray
    """Of a search that left a pair open: how often its time is halved, the slab, the pair, and the words before it."""


F8, I8 = np.dtype("f8"), np.dtype("i8")

ROOM = Layout(
    Room, parts=(PART, 1), points=(F8, 2), roots=(I8, 1), link_of=(I8, 1), moving=(I8, 1), pairs=(I8, 2),
    links=(LINK, 1), models=(MODEL, 1), joints=(JOINT, 1), states=(F8, 2), boxes=(F8, 2), words=(I8, 1),
    stack=(I8, 2), aims=(F8, 2), simplex=(F8, 2), kept=(I8, 1), trees=(I8, 2), left=(I8, 1),
)  # fmt: skip

_read = ROOM.reader()


@kernel
def halve(stack, aims, top, halves, word, n):
    """Replace the item at the top by its halves, the first of them on top, in time or of a part; they are begun with
    the direction n. `halves`: the first halves of both parts."""
    column, first = (0, halves[0]) if word == HALF_A else (1, halves[1])
    if word == HALF_TIME:
        column, first = 3, 2 * stack[top, 3]
        stack[top, 2] += 1
    for c in range(5):
        stack[top + 1, c] = stack[top, c]
    stack[top, column] = first + 1
    stack[top + 1, column] = first
    for k in range(2):
        for i in range(3):
            aims[top + k, i] = n[i]


@kernel
def begin(stack, aims, ends, slab, told):
    """Let two shapes wait, whole, and nothing else; return how many items there are."""
    stack[0, 0], stack[0, 1] = ends
    stack[0, 2], stack[0, 3] = slab
    stack[0, 4] = told
    aims[0] = 0.0
    return 1


@kernel
def recalled(trees, pair, slab):
    """Return the row of a pair's tree during a slab, and the first word of the tree to begin with: of that one, else of
    that of the slab before, or -1."""
    since = trees[trees.shape[0] - 1, 1]
    row = pair * SLABS_KEPT + slab % SLABS_KEPT
    for back in range(2 if slab > 0 else 1):
        own = pair * SLABS_KEPT + (slab - back) % SLABS_KEPT
        if trees[own, 1] > 0 and trees[own, 3] == since:
            return row, trees[own, 0]
    return row, -1


@kernel
def remember(kept, trees, row, words, before, used):
    """Remember a tree; or nothing of the pair, if a tree that has grown leaf by leaf is twice as long as it was."""
    length, head = used - before, trees[trees.shape[0] - 1]
    known = trees[row, 1] > 0 and trees[row, 3] == head[1]
    least = trees[row, 2] if known else length
    trees[row, 1] = 0
    if length > 2 * least or length > kept.shape[0] or used > words.shape[0]:
        return
    if head[0] + length > kept.shape[0]:
        head[0] = 0
        head[1] += 1
    for k in range(length):
        kept[head[0] + k] = words[before + k]
    trees[row, 0], trees[row, 1], trees[row, 2], trees[row, 3] = head[0], length, least, head[1]
    head[0] += length


@kernel
def needed(terms, part_a, part_b):
    """Return how large the gap between two parts has to be, as the terms of `around` have it, and what of it is for
    roundings."""
    slack = SLACK * (terms[3] + part_a["reach"] + part_b["reach"])
    return (terms[0] + terms[1] * part_a["reach"] + terms[2] * part_b["reach"]) * UP + slack, slack


@kernel
def prove_pair(tables, chain, ends, margin, slab, words, used, work):
    """Append the proof that one shape keeps more than the margin from another during a slab; return (outcome, used,
    pairs of parts that were looked at).

    `tables`: parts, points; `chain`: links, joints, the two links and the one above both, the states of all links;
    `ends`: the first parts of both shapes; `slab`: it is the `index`-th of 2^`level`; `work`: what waits, its
    directions, the simplex of GJK, how many pairs may be looked at; words that are remembered, and where among them a
    tree of this pair begins, or -1. What waits has two parts, the level of its time and its number there, and is next
    in that tree, or not. What the tree settles is not looked at.
    """
    parts, points = tables
    stack, aims, simplex, most, kept, at = work
    top, looked, level = begin(stack, aims, ends, slab, 1 if at >= 0 else 0), 0, slab[0]
    begun, hits, misses = used, 0, 0
    tau = math.ldexp(0.5, int(-level))
    moment = (2 * slab[1] + 1) * tau
    state_a, state_b, terms = around(chain, moment, tau, margin)
    if at >= 0 and kept[at] != ALONG:  # the whole is tried all the same: what is far apart now takes one direction
        both = parts[ends[0]], parts[ends[1]]
        n = vec.sub(middle_of(both[1], state_b), middle_of(both[0], state_a))
        tried = along(words, used, both, points, (state_a, state_b), n, tau, needed(terms, both[0], both[1])[0])
        if tried > used:
            return PROVEN, tried, looked
    while top > 0:
        if used >= words.shape[0] or looked >= most:
            return FULL, used, looked
        top -= 1
        part_a, part_b, depth, place = parts[stack[top, 0]], parts[stack[top, 1]], stack[top, 2], stack[top, 3]
        both, halves, before = (part_a, part_b), (part_a["half"], part_b["half"]), used
        told = kept[at] if stack[top, 4] == 1 else 0
        if told != 0 and told != ALONG:
            used, at = write(words, used, told), at + 1
            halve(stack, aims, top, halves, told, (0.0, 0.0, 0.0))
            top += 2
            continue
        tau = math.ldexp(0.5, int(-depth))
        t = (2 * place + 1) * tau
        if t != moment or depth != level:
            state_a, state_b, terms = around(chain, t, tau, margin)
            moment, level = t, depth
        need, slack = needed(terms, part_a, part_b)
        n = (aims[top, 0], aims[top, 1], aims[top, 2])
        if told == ALONG:
            n = (float(kept[at + 1]), float(kept[at + 2]), float(kept[at + 3]))
            at += 4
            if clears(part_a, part_b, points, state_a, state_b, n, tau, need * vec.norm(n))[0]:
                used, hits = write_direction(words, used, n), hits + 1
                continue
            stack[top, 4], misses = 0, misses + 1
            if misses > 1 and misses > hits:  # another tree is made sooner than this one is mended
                top, used, misses = begin(stack, aims, ends, slab, 0), begun, -DEEPEST
                continue
        looked += 1
        if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
            n = vec.sub(middle_of(part_b, state_b), middle_of(part_a, state_a))
        # Between the middles, or what was best for the whole, may do; GJK costs as much as ten tries.
        used = along(words, used, both, points, (state_a, state_b), n, tau, need)
        if used > before:
            continue
        gap, n = nearest(points, part_a, state_a, part_b, state_b, n, margin, simplex)
        apart = gap > margin + slack
        if apart:
            used = along(words, used, both, points, (state_a, state_b), n, tau, need)
            if used > before:
                continue
        if top + 2 > stack.shape[0]:
            return OPEN, used, looked
        can_halve = halves[0] >= 0 or halves[1] >= 0
        if can_halve and (not apart or gap - margin < NEAR * max(part_a["size"], part_b["size"])):
            larger_a = halves[1] < 0 or (halves[0] >= 0 and part_a["size"] >= part_b["size"])
            word = HALF_A if larger_a else HALF_B
        elif depth >= DEEPEST or not apart:
            return OPEN, used, looked
        else:
            word = HALF_TIME
        used = write(words, used, word)
        halve(stack, aims, top, halves, word, n)
        top += 2
    return PROVEN, used, looked


@kernel
def sweep(tables, shapes, tau, states, boxes):
    """Write a box along the world's axes in which each shape stays during a slab of half width tau, about whose middle
    the states are: from the box of the shape in its link; and that it is no tight one.

    `shapes`: the first part and the link of each, and the numbers of those that are wanted.
    """
    parts, _ = tables
    roots, link_of, wanted = shapes
    for s in wanted:
        part, state = parts[roots[s]], state_of(states, link_of[s])
        rest = left_out(part, states, link_of[s], tau)
        boxes[s, 6] = 0.0
        for c in range(3):
            n = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            before, middle, after, x, y, z = coefficients(state, n, tau)
            first, second, third = range_of(part, before), range_of(part, middle), range_of(part, after)
            boxes[s, c] = min(first[0] + x, min(second[0] + y, third[0] + z)) - rest
            boxes[s, 3 + c] = max(first[1] + x, max(second[1] + y, third[1] + z)) + rest


@kernel
def left_out(part, states, link, tau):
    """Return how far from its parabola a point of a part may be, and what roundings may take."""
    row = states[link]
    reach = part["reach"]
    rest = (row[STATE + 6] + row[STATE + 2] * reach) * (tau * tau * tau * MORE / 6.0)
    _, place, _, v, _, a = state_of(states, link)
    return rest + SLACK * (reach + vec.norm(place) + tau * (vec.norm(v) + tau * vec.norm(a)))


@kernel
def tighten(tables, shapes, tau, states, boxes, s):
    """Write the box of a shape again, as tight as its points have it, unless it is that."""
    if boxes[s, 6] != 0.0:
        return
    parts, points = tables
    part, state = parts[shapes[0][s]], state_of(states, shapes[1][s])
    rest = left_out(part, states, shapes[1][s], tau)
    boxes[s, 6] = 1.0
    for c in range(3):
        n = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        high = extent(part, points, state, n, tau)
        low = extent(part, points, state, (-n[0], -n[1], -n[2]), tau)
        boxes[s, c] = -max(low[0], max(low[1], low[2])) - rest
        boxes[s, 3 + c] = max(high[0], max(high[1], high[2])) + rest


@kernel
def slabs_for(tables, shapes, moving, states):
    """Return k, and leave the states of the first of 2^k slabs: in these what a parabola leaves out is small beside the
    shapes."""
    parts, _ = tables
    roots, link_of, wanted = shapes
    links, joints = moving
    level = 0
    set_states(joints, links, 0.5, 0.5, states)
    for s in wanted:
        part = parts[roots[s]]
        while level < MOST_LEVEL:
            tau = states[links.shape[0], 1]
            rest = states[link_of[s], STATE + 6] + states[link_of[s], STATE + 2] * part["reach"]
            if rest * tau * tau * tau / 6.0 <= LARGEST_REST * part["size"]:
                break
            level += 1
            set_states(joints, links, 0.5 * tau, 0.5 * tau, states)
    return level


@question
def prove(table, configs, pieces, margins, most, goes_on):
    """Write the proof of a stretch into the room's words; return (outcome, used).

    `table`: the addresses of a `Room`; `configs`, `pieces`: configurations and what each model does, as `set_joints`
    takes them; `margins`: of every pair; `most`: pairs of parts that may be looked at; `goes_on`: with the pair that
    the last search, of the same question, left open.
    """
    room = _read(table)
    links, joints, states, boxes, words = room.links, room.joints, room.states, room.boxes, room.words
    roots, link_of, left = room.roots, room.link_of, room.left
    tables, shapes = (room.parts, room.points), (roots, link_of, room.moving)
    if not goes_on:
        set_joints(links, joints, room.models, configs, pieces)
        left[0], left[1], left[2], left[3] = slabs_for(tables, shapes, (links, joints), states), 0, 0, 0
    level, first_slab, first_pair, used = left[0], left[1], left[2], left[3]
    tau = math.ldexp(0.5, int(-level))
    for slab in range(first_slab, 1 << level):
        if not goes_on or slab > first_slab:
            used = begin_slab(words, used, slab, level)
            if slab > 0:
                set_states(joints, links, (2 * slab + 1) * tau, tau, states)
            sweep(tables, shapes, tau, states, boxes)
        for p in range(first_pair if slab == first_slab else 0, room.pairs.shape[0]):
            a, b = room.pairs[p, 0], room.pairs[p, 1]
            axis = axis_between(boxes, a, b, margins[p])
            row, first = recalled(room.trees, p, slab) if axis < 0 else (0, -1)
            if axis < 0 and first < 0 and boxes[a, 6] + boxes[b, 6] < 2.0:  # what had a tree is near: boxes did not do
                tighten(tables, shapes, tau, states, boxes, a)
                tighten(tables, shapes, tau, states, boxes, b)
                axis = axis_between(boxes, a, b, margins[p])
            if axis >= 0:
                used = write(words, used, AXIS + axis)
                continue
            chain = links, joints, link_of[a], link_of[b], common_ancestor(links, link_of[a], link_of[b]), states
            before = used
            outcome, used, looked = prove_pair(
                tables, chain, (roots[a], roots[b]), margins[p], (level, slab), words, used,
                (room.stack, room.aims, room.simplex, most, room.kept, first),
            )  # fmt: skip
            most -= looked
            if outcome != PROVEN:
                left[1], left[2], left[3] = slab, p, before
                return outcome, used
            if looked > 0:
                remember(room.kept, room.trees, row, words, before, used)
    return (PROVEN if used <= words.shape[0] else FULL), used


@kernel
def begin_slab(words, used, slab, level):
    """Append what comes before the pairs of a slab, of 2^level; return how many words there are."""
    rank = level if slab == 0 else 0
    while slab > 0 and slab >> rank & 1 == 0:
        rank += 1
    for _ in range(rank):
        used = write(words, used, HALF_TIME)
    return write(words, used, SLAB)


@kernel
def axis_between(boxes, a, b, margin):
    """Return the axis of the world along which two boxes are more than the margin apart, x -x y -y z -z; or -1."""
    clear = margin * UP
    for c in range(3):
        if boxes[b, c] - boxes[a, 3 + c] > clear:
            return 2 * c
        if boxes[a, c] - boxes[b, 3 + c] > clear:
            return 2 * c + 1
    return -1
