"""Joint values at which two shapes touch, looked for from samples: witnesses only, nothing is proven here."""

import math

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance
from tocsin.proofs.boxes import between, place

FIRST_STEP, SHRINK = 0.1, 0.94
"""Of the range of each joint; and what a step that leads away leaves of the next."""


@kernel
def nearest(tables, ends, poses, work):
    """Return (about how far two shapes are apart, two parts, two points, seen from the first link), by branch and bound
    over their parts."""
    parts, points = tables
    stack, simplex = work[2], work[4]
    pose_a, pose_b = poses
    seen = (vec.tmatmul(pose_a[0], pose_b[0]), vec.tmatvec(pose_a[0], vec.sub(pose_b[1], pose_a[1])))
    stack[0, 0], stack[0, 1] = ends[2], ends[3]
    top, best, near_a, near_b = 1, math.inf, stack[0, 0], stack[0, 1]
    x = y = (0.0, 0.0, 0.0)
    while top > 0 and best > 0.0:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        part_a, part_b = parts[a], parts[b]
        gap, upper, _, on_a, on_b = convex_distance(
            points, (part_a["point"], part_a["points"], part_a["radius"], part_a["disk"]),
            points, (part_b["point"], part_b["points"], part_b["radius"], part_b["disk"]),
            seen, between(part_a, part_b, seen), simplex, (0.0, -1.0, 0.95),
        )  # fmt: skip
        if gap >= best:
            continue
        if part_a["half"] < 0 and part_b["half"] < 0:
            if max(upper, 0.0) < best:
                best, near_a, near_b, x, y = max(upper, 0.0), a, b, on_a, on_b
        elif top + 2 <= stack.shape[0]:
            larger = part_b["half"] < 0 or (part_a["half"] >= 0 and part_a["size"] >= part_b["size"])
            for k in range(2):
                stack[top + k, 0] = part_a["half"] + k if larger else a
                stack[top + k, 1] = b if larger else part_b["half"] + k
            top += 2
    return best, near_a, near_b, x, y


@kernel
def distance_at(asked, q):
    """Return about how far two shapes are apart at joint values q; `asked`: what `boxes.survey` takes of them."""
    tables, links, joints, ends, entries, row, cells, work = asked
    n = entries.shape[0]
    for k in range(n):
        cells[0, k] = cells[0, n + k] = q[k]
    pose_a, pose_b, _, _ = place(links, joints, ends, cells[0], entries, row, work)
    return nearest(tables, ends, (pose_a, pose_b), work)[0]


@kernel
def distances(asked, values):
    """Return about how far two shapes are apart at each row of joint values."""
    found = np.zeros(values.shape[0])
    for i in range(values.shape[0]):
        found[i] = distance_at(asked, values[i])
    return found


@kernel
def descend(asked, margin, way):
    """Take joint values q nearer to where two shapes touch, step by step; return how near they come.

    `way`: q, the least and greatest values, and normal numbers, of which each step takes a row.
    """
    q, low, high, normals = way
    best = distance_at(asked, q)
    trial = q.copy()
    step = FIRST_STEP
    for i in range(normals.shape[0]):
        if best <= margin:
            break
        for k in range(q.shape[0]):
            trial[k] = min(max(q[k] + step * (high[k] - low[k]) * normals[i, k], low[k]), high[k])
        far = distance_at(asked, trial)
        if far < best:
            best = far
            q[:] = trial
        else:
            step *= SHRINK
    return best
