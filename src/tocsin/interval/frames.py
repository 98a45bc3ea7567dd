"""Interval matrices: where one link is, as another sees it, during an interval of time [ARTICULATE 4.1, 5.2.1].

Time runs as t = mid + s half, s in [-1, 1]. Plain interval matrices forget that their entries move together: their
boxes grow exponentially along a chain (113 times too wide after ten links at 45 degrees each, `python -m tocsin_bench
bounds`). So each link's matrix is a Taylor matrix (`bounds.taylor`), multiplied along the chain, once per interval and
shared by all equations [ARTICULATE 5.2.2]; and what the tests see of two links is the *mean-value form* of their
relative motion,

    X(t) = X0 + s X1 + E(s),    |E(s) p| <= rho |p| + tau  for every point p,

a line in s and a remainder that shrinks with the square of the interval. X places b's points in a's frame, and the same
for Y = X^-1, so that a direction may be fixed in either frame. Links of one model are seen from their lowest common
ancestor: the joints above it carry both and do not enter.

A *frame* is a link in the frame of one of its ancestors, row 0 is the identity. All hold for the motion of the
joint records; what those are off (`noise`) is added by the tests.
"""

import math

import numpy as np

from tocsin.bounds.rounding import GUARD, UNDERFLOW, UNIT
from tocsin.bounds.taylor import compose, joint_taylor
from tocsin.compiler.jit import kernel

FRAME = np.dtype(
    [
        ("link", "i4"),
        ("parent", "i4"),  # the frame of the link's parent with the same ancestor; 0: the ancestor itself
        ("moves", "i4"),
        ("plain", "i4"),  # of row 0: are the joints' matrices to be plain interval matrices [ARTICULATE 4.1]?
        ("stamp", "i8"),  # the interval for which its matrix is there
    ],
    align=True,
)

RELATIVE = np.dtype(
    [
        ("frame_a", "i4"),
        ("frame_b", "i4"),
        ("stamp", "i8"),  # the interval for which X is there
        ("back_stamp", "i8"),  # and Y
        ("x0", "f8", (3, 4)),
        ("x1", "f8", (3, 4)),
        ("y0", "f8", (3, 4)),
        ("y1", "f8", (3, 4)),
        ("rho", "f8", 2),  # of X and of Y
        ("tau", "f8", 2),
    ],
    align=True,
)

HASH_SLOTS = 4096
"""Of the tables in which frames and pairs of frames are looked up; where one is crowded, twins are made."""


@kernel
def slot_of(slots, keys, key):
    """Return the slot that holds `key`, or the empty slot where it belongs; -1 if the table is crowded there."""
    size = slots.shape[0]
    k = (key * 40503 + (key >> 20) * 9973) % size
    for _ in range(16):
        if slots[k] < 0 or keys[slots[k]] == key:
            return k
        k = (k + 1) % size
    return -1


@kernel
def grown(table: np.ndarray) -> np.ndarray:
    """Return a copy twice as long."""
    bigger = np.zeros(2 * table.shape[0], dtype=table.dtype)
    for k in range(table.shape[0]):
        bigger[k] = table[k]
    return bigger


@kernel
def add_frame(frames, keys, slots, n, joints, links, link, stop):
    """Return (frames, keys, n, index): the frame of a link as its ancestor `stop` sees it, with all in between."""
    if link == stop:
        return frames, keys, n, 0
    index = -1
    child = -1
    i = link
    while i != stop:
        key = np.int64(i) * 4294967296 + (stop + 1)
        k = slot_of(slots, keys, key)
        if k >= 0 and slots[k] >= 0:
            found = slots[k]
        else:
            if n == frames.shape[0]:
                frames = grown(frames)
                keys = grown(keys)
            found = n
            keys[n] = key
            frames[n]["link"] = i
            frames[n]["parent"] = 0
            frames[n]["stamp"] = -1
            frames[n]["moves"] = 1 if joints[i]["turn"] != 0.0 or joints[i]["speed"] != 0.0 else 0
            if k >= 0:
                slots[k] = n
            n += 1
        if child >= 0:
            frames[child]["parent"] = found
        else:
            index = found
        child = found
        i = links[i]["parent"]
    # From the ancestor outward: a frame moves if its parent does. Chains are walked again, there is no way down.
    moved = True
    while moved:
        moved = False
        f = index
        while f != 0:
            up = frames[f]["parent"]
            if frames[up]["moves"] != 0 and frames[f]["moves"] == 0:
                frames[f]["moves"] = 1
                moved = True
            f = up
    return frames, keys, n, index


@kernel
def flatten(m):
    """Make a Taylor matrix a plain interval matrix [ARTICULATE 4.1]: a constant, and a radius that holds all motion.

    Proof: on [-1, 1], c1 s + c2 s^2 + c3 s^3 is within |c1| + |c2| / 2 + |c3| of c2 / 2; the length of a row of such
    differences is that of their bounds; the new constant is rounded once.
    """
    for i in range(3):
        square = 0.0
        size = 0.0
        for j in range(4):
            width = abs(m[i, j, 1]) + 0.5 * abs(m[i, j, 2]) + abs(m[i, j, 3])
            m[i, j, 0] = m[i, j, 0] + 0.5 * m[i, j, 2]
            m[i, j, 1] = m[i, j, 2] = m[i, j, 3] = 0.0
            if j < 3:
                square += width * width
                size += abs(m[i, j, 0])
            else:
                m[i, 3, 4] = (m[i, 3, 4] + width + UNIT * abs(m[i, 3, 0])) * GUARD + UNDERFLOW
        radius = (m[i, 0, 4] + math.sqrt(square) + UNIT * size) * GUARD + UNDERFLOW
        for j in range(3):
            m[i, j, 4] = radius


@kernel
def refresh(frames, matrices, scratch, joints, f, t0, t1, stamp):
    """Make sure that the Taylor matrix of frame f during [t0, t1] is there, and those on the way to it.

    What stands is made once: its matrix holds at all times of the piece.
    """
    while True:
        if frames[f]["stamp"] == stamp or (frames[f]["stamp"] >= 0 and frames[f]["moves"] == 0):
            return
        target = f
        up = frames[target]["parent"]
        while up != 0 and frames[up]["stamp"] != stamp and not (frames[up]["stamp"] >= 0 and frames[up]["moves"] == 0):
            target = up
            up = frames[target]["parent"]
        link = frames[target]["link"]
        step = matrices[target] if up == 0 else scratch
        joint_taylor(step, joints[link], t0, t1)
        if frames[0]["plain"] != 0:
            flatten(step)
        if up != 0:
            compose(matrices[target], matrices[up], scratch)
        frames[target]["stamp"] = stamp


@kernel
def write_identity(m):
    """Write the Taylor matrix of what does not move."""
    for i in range(3):
        for j in range(4):
            for d in range(5):
                m[i, j, d] = 0.0
        m[i, i, 0] = 1.0


@kernel
def seen_from(out, shifted, a, b):
    """Write to `out` the Taylor matrix of A^-1 B: R_a^T R_b and R_a^T (T_b - T_a); `shifted` is scratch.

    Proof. `out` first holds (R_a^T, 0): its polynomials are transposed, and the length of a column of the error is at
    most the error's Frobenius norm. `shifted` holds (R_b, T_b - T_a): radii add, and each coefficient is rounded
    once. Both are rigid, so `compose` applies.
    """
    row = math.sqrt(a[0, 0, 4] * a[0, 0, 4] + a[1, 0, 4] * a[1, 0, 4] + a[2, 0, 4] * a[2, 0, 4]) * GUARD
    for i in range(3):
        for j in range(3):
            for d in range(4):
                out[i, j, d] = a[j, i, d]
            out[i, j, 4] = row
            for d in range(5):
                shifted[i, j, d] = b[i, j, d]
        size = 0.0
        for d in range(4):
            out[i, 3, d] = 0.0
            shifted[i, 3, d] = b[i, 3, d] - a[i, 3, d]
            size += abs(shifted[i, 3, d])
        out[i, 3, 4] = 0.0
        shifted[i, 3, 4] = (a[i, 3, 4] + b[i, 3, 4] + UNIT * size) * GUARD + UNDERFLOW
    compose(out, out, shifted)


@kernel
def mean_value(x0, x1, m):
    """Write the line of a Taylor matrix to x0, x1 and return (rho, tau): |(M(s) - x0 - s x1) p| <= rho |p| + tau.

    Proof. On [-1, 1], s^2 is within 1/2 of 1/2 and s^3 within 1/4 of 3/4 s (T3 / 4). So the cubic of matrices
    C0 + C1 s + C2 s^2 + C3 s^3 is within |C2| / 2 + |C3| / 4 of (C0 + C2 / 2) + s (C1 + 3/4 C3), in the Frobenius norm,
    which is no less than the spectral one; the radii of three rows add as squares. x0 and x1 take two roundings each.
    """
    r2 = r3 = rr = size = 0.0
    t2 = t3 = tr = length = 0.0
    for i in range(3):
        for j in range(4):
            c2 = m[i, j, 2]
            c3 = m[i, j, 3]
            x0[i, j] = m[i, j, 0] + 0.5 * c2
            x1[i, j] = m[i, j, 1] + 0.75 * c3
            rounded = abs(m[i, j, 0]) + abs(c2) + abs(m[i, j, 1]) + abs(c3)
            if j < 3:
                r2 += c2 * c2
                r3 += c3 * c3
                size += rounded
            else:
                t2 += c2 * c2
                t3 += c3 * c3
                tr += m[i, 3, 4] * m[i, 3, 4]
                length += rounded
        rr += m[i, 0, 4] * m[i, 0, 4]
    rho = 0.5 * math.sqrt(r2) + 0.25 * math.sqrt(r3) + math.sqrt(rr) + 4.0 * UNIT * size
    tau = 0.5 * math.sqrt(t2) + 0.25 * math.sqrt(t3) + math.sqrt(tr) + 4.0 * UNIT * length
    return rho * GUARD + UNDERFLOW, tau * GUARD + UNDERFLOW


@kernel
def relate(relative, matrices, scratch):
    """Write X of a pair of frames whose matrices are there."""
    seen_from(scratch[0], scratch[1], matrices[relative["frame_a"]], matrices[relative["frame_b"]])
    rho, tau = mean_value(relative["x0"], relative["x1"], scratch[0])
    relative["rho"][0] = rho
    relative["tau"][0] = tau


@kernel
def relate_back(relative, matrices, scratch):
    """Write Y = X^-1 of a pair of frames whose matrices are there."""
    seen_from(scratch[0], scratch[1], matrices[relative["frame_b"]], matrices[relative["frame_a"]])
    rho, tau = mean_value(relative["y0"], relative["y1"], scratch[0])
    relative["rho"][1] = rho
    relative["tau"][1] = tau
