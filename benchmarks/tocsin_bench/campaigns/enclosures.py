"""The matrices of the interval engine under attack: `python -m tocsin_bench enclosures`.

A case is two chains of joints of every kind (turning, sliding, both, neither) with a common root, a stretch of time
and a moment in it. At that moment the motion, in extended precision or, where that is too close to call, in 60 digits,
is held against

plain     the interval matrix of the first chain (`interval_matrices`), entry by entry, and the box it makes of a box;
X, Y      the matrices with which the engine sees one chain from the other (`interval.frames`), as it claims them:
          |X(t) p - (X0 + s X1) p| <= rho |p| + tau, for a point p, and the same for Y = X^-1;
pieces    the pieces of the volume that a line-swept sphere on the first chain sweeps (`interval.swept_volume`): a point
          of the sphere is within the radius of the tetrahedron of a piece whose time it is.

The claim: no escape, ever.
"""

import argparse
from fractions import Fraction
from typing import Any

import numpy as np

from tocsin import vec
from tocsin.bounds import taylor
from tocsin.compiler.jit import kernel
from tocsin.geometry.simplex import segment_weights, tetrahedron_weights
from tocsin.interval.frames import RELATIVE, relate, relate_back
from tocsin.interval.swept_volume import MOST, PIECE, SPHERE, write_pieces
from tocsin_bench import report
from tocsin_bench.campaigns import bound_chains, interval_matrices
from tocsin_bench.campaigns.bound_truth import digits, extended_motion, in_batches, motion_in_digits, stretches

DESCRIPTION = "Interval matrices, relative motions and swept pieces of the interval engine against exact motion."

LONGEST = 10
WIDE = np.longdouble
KINDS = ("plain matrix", "swept box", "X", "Y", "swept piece")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=1_000_000, help="cases (default a million)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the cases (default 1)")


@kernel
def _chain(out, joints, t0, t1, step):
    """Write the Taylor matrix of a chain."""
    taylor.joint_taylor(out, joints[0], t0, t1)
    for k in range(1, joints.shape[0]):
        taylor.joint_taylor(step, joints[k], t0, t1)
        taylor.compose(out, out, step)


@kernel
def _enclose(joints_a, joints_b, t0, t1, center, axes, half, spheres, plain, boxes, relatives, pieces, counts):
    """Write all enclosures of all cases."""
    step = np.zeros((3, 4, 2))
    matrices = np.zeros((3, 3, 4, 5))
    scratch = np.zeros((2, 3, 4, 5))
    for n in range(joints_a.shape[0]):
        interval_matrices.joint_interval(plain[n], joints_a[n, 0], t0[n], t1[n])
        for k in range(1, joints_a.shape[1]):
            interval_matrices.joint_interval(step, joints_a[n, k], t0[n], t1[n])
            interval_matrices.interval_compose(plain[n], plain[n], step)
        lo, hi = interval_matrices.interval_swept_box(plain[n], center[n], axes[n], half[n])
        for i in range(3):
            boxes[n, 0, i] = lo[i]
            boxes[n, 1, i] = hi[i]
        _chain(matrices[1], joints_a[n], t0[n], t1[n], scratch[0])
        _chain(matrices[2], joints_b[n], t0[n], t1[n], scratch[0])
        relatives[n]["frame_a"] = 1
        relatives[n]["frame_b"] = 2
        relate(relatives[n], matrices, scratch)
        relate_back(relatives[n], matrices, scratch)
        counts[n] = write_pieces(pieces[n], matrices[1], spheres[n], 0.0, t0[n], t1[n])


@kernel
def _to_segment(a, b):
    """Return the distance of the origin to a point of the segment ab, the nearest but for rounding."""
    u, v = segment_weights(a, b)
    return vec.norm(vec.axpy(vec.scale(a, u), v, b))


@kernel
def _off_pieces(pieces, counts, t, x, out):
    """Write how far each point is from the nearest tetrahedron of a piece of its time, less its radius.

    Distances are to witnesses in the tetrahedron: where rounding spoils a witness they are too long, never too short.
    """
    for n in range(x.shape[0]):
        out[n] = np.inf
        p = vec.load3(x, n)
        for k in range(counts[n]):
            piece = pieces[n, k]
            if not piece["begin"] <= t[n] <= piece["end"]:
                continue
            a = vec.sub(vec.load3(piece["corner"], 0), p)
            b = vec.sub(vec.load3(piece["corner"], 1), p)
            c = vec.sub(vec.load3(piece["corner"], 2), p)
            d = vec.sub(vec.load3(piece["corner"], 3), p)
            _, w = tetrahedron_weights(a, b, c, d)
            away = vec.norm(vec.axpy(vec.axpy(vec.axpy(vec.scale(a, w[0]), w[1], b), w[2], c), w[3], d))
            # A needle's volume and faces are all rounding; its long edges are not.
            away = min(away, min(_to_segment(a, b), _to_segment(c, d)))
            out[n] = min(out[n], away - piece["radius"])


def _line_miss(line0: np.ndarray, line1: np.ndarray, s: np.ndarray, p: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return how far the line of a mean-value form is off at s, for points p whose true places are `truth`."""
    m = line0.astype(WIDE) + s[:, None, None] * line1.astype(WIDE)
    miss = (m[:, :, :3] * p[:, None, :]).sum(axis=2) + m[:, :, 3] - truth
    return np.sqrt((miss * miss).sum(axis=1))


def _attack_batch(rng: np.random.Generator, count: int, links: int) -> tuple[int, ...]:
    """Return the number of escapes of each kind, and how many cases were decided in 60 digits."""
    joints_a = bound_chains.mixed(rng, count, links)
    others = 1 + (links * 7) % LONGEST
    joints_b = bound_chains.mixed(rng, count, others)
    t0, t1, s = stretches(rng, count)
    frames = np.array([taylor.time_frame(a, b) for a, b in zip(t0, t1)])
    t = frames[:, 0].astype(WIDE) + s.astype(WIDE) * frames[:, 1].astype(WIDE)
    t = np.clip(t, t0, t1)
    s = np.where(frames[:, 1] > 0, (t - frames[:, 0]) / np.where(frames[:, 1] > 0, frames[:, 1], 1), WIDE(0))
    center, p = rng.normal(size=(2, count, 3)) * 2.0 ** rng.integers(-6, 3, size=(2, count, 1))
    axes = bound_chains.rotations(rng, count)
    half = np.abs(rng.normal(size=(count, 3))) * rng.integers(0, 2, size=(count, 3))
    spheres = np.zeros(count, SPHERE)
    spheres["p"], spheres["q"] = center, center + rng.normal(size=(count, 3)) * rng.integers(0, 2, size=(count, 1))
    spheres["radius"] = rng.choice([1e-3, 0.1, 1.0], size=count)
    spheres["reach"] = np.maximum(*(np.linalg.norm(spheres[end], axis=1) for end in "pq")) * (1 + 1e-15)
    plain, boxes = np.zeros((count, 3, 4, 2)), np.zeros((count, 2, 3))
    relatives, pieces, counts = np.zeros(count, RELATIVE), np.zeros((count, MOST), PIECE), np.zeros(count, np.int64)
    _enclose(joints_a, joints_b, t0, t1, center, axes, half, spheres, plain, boxes, relatives, pieces, counts)

    ra, ta, size_a = extended_motion(joints_a, t)
    rb, tb, size_b = extended_motion(joints_b, t)
    error = 256.0 * (links + 1) * 2.0**-64 * size_a
    both = 256.0 * (links + others + 2) * 2.0**-64 * (size_a + size_b)
    truth = np.concatenate([ra, ta[:, :, None]], axis=2)
    slack = {"plain matrix": np.minimum(truth - plain[..., 0], plain[..., 1] - truth).min(axis=(1, 2)) - error}
    signs = rng.choice([-1.0, 1.0], size=(count, 3))
    corner = center.astype(WIDE) + ((signs * half)[:, :, None].astype(WIDE) * axes).sum(axis=1)
    point = (ra * corner[:, None, :]).sum(axis=2) + ta
    far = 1.0 + np.abs(corner).sum(axis=1)
    slack["swept box"] = np.minimum(point - boxes[:, 0], boxes[:, 1] - point).min(axis=1) - error * far
    wide_p = p.astype(WIDE)
    length = np.sqrt((wide_p * wide_p).sum(axis=1))
    seen = (ra * ((rb * wide_p[:, None, :]).sum(axis=2) + tb - ta)[:, :, None]).sum(axis=1)
    back = (rb * ((ra * wide_p[:, None, :]).sum(axis=2) + ta - tb)[:, :, None]).sum(axis=1)
    for side, (name, place, line) in enumerate((("X", seen, "x"), ("Y", back, "y"))):
        miss = _line_miss(relatives[f"{line}0"], relatives[f"{line}1"], s, wide_p, place)
        allowed = relatives["rho"][:, side] * length + relatives["tau"][:, side]
        slack[name] = allowed - miss - 4.0 * both * (1.0 + length)
    share = rng.choice([0.0, 1.0, 0.5], size=(count, 1))
    away = bound_chains.unit_vectors(rng, count) * spheres["radius"][:, None] * (1.0 - 1e-12)
    spot = spheres["p"] + share * (spheres["q"] - spheres["p"])
    carried = (ra * spot[:, None, :]).sum(axis=2) + ta + away
    off = np.zeros(count)
    _off_pieces(pieces, counts, t.astype(np.float64), carried.astype(np.float64), off)
    # This judge computes in doubles, so it allows itself their rounding, which the pieces' own allowance dominates.
    slack["swept piece"] = 2.0**-48 * (size_a + np.abs(carried).sum(axis=1)) - off

    escapes = dict.fromkeys(KINDS, 0)
    decided = 0
    for name in KINDS:
        for n in np.flatnonzero(slack[name] < 0.0):
            if name == "swept piece":
                escapes[name] += 1
                continue
            decided += 1
            exact = [
                Fraction(center[n, k])
                + sum(Fraction(signs[n, e] * half[n, e]) * Fraction(axes[n, e, k]) for e in range(3))
                for k in range(3)
            ]
            case = (joints_a[n], joints_b[n], t[n], frames[n], plain[n], boxes[n], relatives[n], p[n], exact)
            escapes[name] += _escapes_exactly(name, *case)
    return (*escapes.values(), decided)


def _escapes_exactly(name, joints_a, joints_b, t, frame, plain, box, relative, p, corner) -> bool:
    """Decide one case in 60 digits."""
    mp = digits()
    high = float(t)
    moment = mp.mpf(high) + mp.mpf(float(t - high))
    a = motion_in_digits(mp, joints_a, moment)
    if name == "plain matrix":
        return any(not plain[i, j, 0] <= a[i, j] <= plain[i, j, 1] for i in range(3) for j in range(4))
    if name == "swept box":
        x = a * mp.matrix([*(mp.mpf(c.numerator) / c.denominator for c in corner), 1])
        return any(not box[0, i] <= x[i] <= box[1, i] for i in range(3))
    b = motion_in_digits(mp, joints_b, moment)
    side, line = (0, "x") if name == "X" else (1, "y")
    if side:
        a, b = b, a
    s = (moment - mp.mpf(float(frame[0]))) / mp.mpf(float(frame[1])) if frame[1] > 0 else mp.mpf(0)
    point = mp.matrix([*map(float, p), 1])
    gap = b * point - a * mp.matrix([0, 0, 0, 1])
    miss = []
    for i in range(3):
        place = sum(a[k, i] * gap[k] for k in range(3))
        told = sum(
            (mp.mpf(float(relative[f"{line}0"][i, j])) + s * mp.mpf(float(relative[f"{line}1"][i, j]))) * point[j]
            for j in range(4)
        )
        miss.append(place - told)
    length = mp.sqrt(sum(x * x for x in point[:3]))
    allowed = mp.mpf(float(relative["rho"][side])) * length + mp.mpf(float(relative["tau"][side]))
    return bool(mp.sqrt(sum(x * x for x in miss)) > allowed)


def attack(count: int, seed: int) -> dict[str, int]:
    """Attack `count` cases; return the escapes of each kind, and how many cases were decided in 60 digits."""
    rng = np.random.default_rng(seed)

    def batch(size: int, number: int) -> tuple[int, ...]:
        return _attack_batch(rng, size, 1 + number % LONGEST)

    totals = in_batches(count, "enclosures of the interval engine against exact motion", batch)
    return dict(zip((*KINDS, "decided in 60 digits"), totals))


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign; end with an error if anything escaped."""
    found = attack(args.count, args.seed)
    report.table(
        f"{args.count:,} cases: escapes of each kind of enclosure",
        ["", *found],
        [["", *(f"{n:,}" for n in found.values())]],
    )
    escapes = sum(found[name] for name in KINDS)
    if escapes:
        raise SystemExit(f"{escapes} enclosures were escaped from; the bounds are unsound")
    return found
