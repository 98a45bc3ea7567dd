"""The bounds under attack, and how tight they are: `python -m tocsin_bench bounds`.

1. Attack. Random chains of 1 to 20 joints, over the whole of [0, 1], parts and slivers of it. At a random time the
   motion is evaluated in extended precision (64-bit significand) and held against its Taylor matrix, and a random
   corner of a random box against its swept box. A case closer to the boundary than the error of that arithmetic, such
   as a joint that stands still and has the radius 0, is decided in 60 digits. The claim: no escape, ever.
2. Tightness (`bound_tightness`): swept boxes by Taylor models, by plain intervals and by sampling ([CATCH fig. 5]
   as a graph), and motion bounds by [CATCH eq. 10] and by ours, against sampled motion.
"""

import argparse
from fractions import Fraction
from typing import Any

import numpy as np
from rich.table import Table

from tocsin.bounds import taylor
from tocsin.compiler.jit import kernel
from tocsin_bench.campaigns import bound_chains, bound_tightness
from tocsin_bench.campaigns.bound_truth import digits, extended_motion, in_batches, motion_in_digits, stretches
from tocsin_bench.campaigns.motion_attack import attack_motion
from tocsin_bench.report import console

DESCRIPTION = "Do the bounds hold, and how tight are they: Taylor models and motion bounds against the truth."

LONGEST = 20


@kernel
def _enclose(joints, t0, t1, center, axes, half, models, boxes, step):
    """Write the Taylor matrix of each chain, and the swept box of its last link."""
    for n in range(joints.shape[0]):
        taylor.joint_taylor(models[n], joints[n, 0], t0[n], t1[n])
        for k in range(1, joints.shape[1]):
            taylor.joint_taylor(step, joints[n, k], t0[n], t1[n])
            taylor.compose(models[n], models[n], step)
        lo, hi = taylor.swept_box(models[n], center[n], axes[n], half[n])
        for i in range(3):
            boxes[n, 0, i] = lo[i]
            boxes[n, 1, i] = hi[i]


def _escapes_exactly(joints, model, box, s, mid, half_time, corner) -> bool:
    """Decide one case in 60 digits."""
    mp = digits()
    motion = motion_in_digits(mp, joints, mp.mpf(mid) + mp.mpf(s) * mp.mpf(half_time))
    s = mp.mpf(s)
    for i in range(3):
        miss = []
        for j in range(4):
            c0, c1, c2, c3 = (float(c) for c in model[i, j, :4])
            miss.append(motion[i, j] - (c0 + s * (c1 + s * (c2 + s * c3))))
        if mp.sqrt(sum(x * x for x in miss[:3])) > float(model[i, 0, 4]) or abs(miss[3]) > float(model[i, 3, 4]):
            return True
        point = [mp.mpf(x.numerator) / x.denominator for x in corner]
        x = sum(motion[i, k] * point[k] for k in range(3)) + motion[i, 3]
        if not float(box[0, i]) <= x <= float(box[1, i]):
            return True
    return False


def _attack_batch(rng, count, links):
    """Return (escapes, cases decided in 60 digits, largest share of a radius that was used)."""
    joints = bound_chains.mixed(rng, count, links)
    t0, t1, s = stretches(rng, count)
    center = rng.normal(size=(count, 3))
    axes = bound_chains.rotations(rng, count)
    half = np.abs(rng.normal(size=(count, 3))) * rng.integers(0, 2, size=(count, 3))
    models = np.zeros((count, 3, 4, 5))
    boxes = np.zeros((count, 2, 3))
    _enclose(joints, t0, t1, center, axes, half, models, boxes, np.zeros((3, 4, 5)))
    frames = np.array([taylor.time_frame(a, b) for a, b in zip(t0, t1, strict=True)])

    wide = np.longdouble
    t = frames[:, 0].astype(wide) + s.astype(wide) * frames[:, 1].astype(wide)
    rotation, place, size = extended_motion(joints, t)
    margin = 256.0 * (links + 1) * 2.0**-64 * size
    powers = s.astype(wide)[:, None] ** np.arange(4)
    value = (models[..., :4] * powers[:, None, None, :]).sum(axis=3)
    miss = value - np.concatenate([rotation, place[:, :, None]], axis=2)
    turned = np.sqrt((miss[:, :, :3] ** 2).sum(axis=2))
    radius, reach = models[:, :, 0, 4], models[:, :, 3, 4]
    slack = np.minimum((radius - turned).min(axis=1), (reach - np.abs(miss[:, :, 3])).min(axis=1))
    signs = rng.choice([-1.0, 1.0], size=(count, 3))
    corner = center.astype(wide) + ((signs * half)[:, :, None].astype(wide) * axes).sum(axis=1)
    point = (rotation * corner[:, None, :]).sum(axis=2) + place
    inside = np.minimum(point - boxes[:, 0], boxes[:, 1] - point).min(axis=1)
    far = 1.0 + np.abs(corner).sum(axis=1)
    close = np.flatnonzero((slack < margin) | (inside < margin * far))
    escapes = 0
    for n in close:
        exact = [
            Fraction(center[n, k]) + sum(Fraction(signs[n, e] * half[n, e]) * Fraction(axes[n, e, k]) for e in range(3))
            for k in range(3)
        ]
        escapes += _escapes_exactly(joints[n], models[n], boxes[n], s[n], frames[n, 0], frames[n, 1], exact)
    moving = radius > 0.0
    return escapes, len(close), float((turned[moving] / radius[moving]).max()) if moving.any() else 0.0


def attack(count: int, seed: int) -> tuple[int, int, float]:
    """Attack `count` chains; return (escapes, cases decided in 60 digits, largest share of a radius in use)."""
    rng = np.random.default_rng(seed)
    shares = [0.0]

    def batch(size: int, number: int) -> tuple[int, int]:
        escapes, decided, share = _attack_batch(rng, size, 1 + number % LONGEST)
        shares.append(share)
        return escapes, decided

    escapes, decided = in_batches(count, "Taylor models against exact motion", batch)
    return escapes, decided, max(shares)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=1_000_000, help="samples (default a million)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the samples (default 1)")
    parser.add_argument("--plot", metavar="PATH", help="draw tightness over the number of links into this PNG file")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the attack with so many cases and the tightness study; write the figure if one is asked for."""
    escapes, decided, share = attack(args.count, args.seed)
    table = Table(title="attack on the enclosures")
    for name in ("evaluations", "escapes", "decided in 60 digits", "largest share of a radius in use"):
        table.add_column(name, justify="right")
    table.add_row(f"{args.count:,}", f"{escapes:,}", f"{decided:,}", f"{share:.6f}")
    console.print(table)
    motion = attack_motion(args.count, args.seed)
    table = Table(title="motion bounds")
    for name in ("evaluations", "violations", "speed: mean bound / sampled", "acceleration: mean bound / sampled"):
        table.add_column(name, justify="right")
    ratios = (f"{motion[f'{name} ratio']:.2f}" for name in ("speed", "acceleration"))
    table.add_row(f"{motion['evaluations']:,}", f"{motion['violations']:,}", *ratios)
    console.print(table)
    study = bound_tightness.study(args.seed)
    bound_tightness.show(study)
    if args.plot is not None:
        bound_tightness.draw(study, args.plot)
        console.print(f"figure written to {args.plot}")
    if escapes:
        raise SystemExit(f"{escapes} of {args.count} enclosures were escaped from; the bounds are unsound")
    if motion["violations"]:
        raise SystemExit(f"{motion['violations']} of {args.count} motions broke their bounds; the bounds are unsound")
    return {"count": args.count, "escapes": 0, "violations": 0}
