"""Which links of a robot can touch: at all joint values within their limits, by boxes of these.

A box is all joint values within w_k of its middle. The straight way from there to any of its values, in unit time, has
joint velocities of at most w_k; a point is then, along n, within sum_k |n.T_k p| + |n| X_2 / 2 of where it is in the
middle, T_k the derivative for joint k alone at velocity w_k, and X_2 a bound of its acceleration.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from typing import Any

import numpy as np
from flint import fmpq, fmpq_poly

from tocsin_checker.cells import Scene, Stretch, bound, largest
from tocsin_checker.check import Check, Words
from tocsin_checker.kinematics import UP, Joint, as_float, exact, rounded
from tocsin_checker.models import MIMICS, TURN, Link
from tocsin_checker.proof import Refused
from tocsin_checker.shapes import Part


class Box:
    """One robot at all joint values of a box: entry k of its configuration is from ends[k][0] to ends[k][1]."""

    def __init__(self, scene: Scene, ends: dict[int, tuple[fmpq, fmpq]]) -> None:
        self.scene, self.ends, self.placed = scene, ends, functools.cache(self.placed)

    def __str__(self) -> str:
        return "in " + ", ".join(f"{k}: {as_float(lo):.6g} to {as_float(hi):.6g}" for k, (lo, hi) in self.ends.items())

    def halves(self, words: Any) -> list[Box]:
        """Return its halves along the entry that is the next word."""
        k = int(next(words))
        low, high = self.ends[k]
        return [Box(self.scene, {**self.ends, k: half}) for half in ((low, (low + high) / 2), ((low + high) / 2, high))]

    def joint(self, link: Link) -> Joint:
        """Return a joint at the middle, with the velocity that takes it to the end of the box in unit time."""
        if link.kind != "fixed" and not (link.kind in MIMICS and link.entry in self.ends):
            raise Refused(f"the joint above {link.name} is neither revolute nor prismatic, or has no limits.")
        low, high = self.ends.get(link.entry, (fmpq(0), fmpq(0)))
        goes = fmpq_poly([(low + high) / 2, (high - low) / 2])
        return link.joint(lambda _: goes, None, goes, self.scene.models[0].off)

    def placed(self, shape: int, frame: int) -> tuple[np.ndarray, float, float, float]:
        """Return a shape's placement in the middle, its derivatives, how much these are off, and the bound X_2."""
        joints = [self.joint(self.scene.models[0].links[link]) for link in self.scene.chain(shape, frame)]
        jets = [joint.jet(fmpq(0)) for joint in joints]
        still = [jet[0] for jet in jets]
        chains = [still, *([*still[:k], jet[1], *still[k + 1 :]] for k, jet in enumerate(jets))]
        put = self.scene.shapes[shape][3]
        matrices, off = rounded([functools.reduce(lambda p, m: m * p, chain, put) for chain in chains])
        return matrices, float(off.max()), *bound(2, [joint.peaks(fmpq(0), 1.0) for joint in joints])

    def high(self, shape: int, part: Part, frame: int, n: np.ndarray) -> np.ndarray:
        """Return how far a part goes along n at most."""
        matrices, off, base, slope = self.placed(shape, frame)
        most = largest(part, np.concatenate((n, -n)), matrices, float(np.abs(matrices).max()), off)
        bent = 0.5 * (base + slope * part.reach(self.scene.shapes[shape][4])) * float(np.sqrt((n * n).sum())) * UP
        return most[0, 0] + most[:, 1:].max(axis=0).sum() + bent


def matrix(check: Check) -> None:
    """Check what is said of the links of one robot at all joint values within their limits."""
    (model,) = check.models
    told: Counter[str] = Counter()
    for said in check.proof["links"]:
        pair, verdict = [str(name) for name in said["links"]], said["verdict"]
        of = [[s for s in range(len(check.shapes)) if check.name(s) == name] for name in pair]
        wanted = {tuple(sorted(both)) for both in itertools.product(*of)}
        if not wanted or not wanted <= set(check.margins) or len(set(pair)) < 2:
            raise Refused(f"{' and '.join(pair)} are no two links that have shapes and are asked about.")
        if verdict == "never":
            for a, b, text in said["trees"]:
                wanted.remove((a, b))
                with Words(text, " and ".join(pair)) as words:
                    ends = (a, check.shapes[a][2]), (b, check.shapes[b][2])
                    check.tree(words, Box(check, _limits(model)), *ends, check.margins[a, b], 0)
            if wanted:
                raise Refused(f"{' and '.join(pair)}: not all of their shapes are said to be apart.")
        elif verdict == "sometimes":
            model.pieces = [[(float(v), float(v)) for v in said["witness"]]]
            check.together(Stretch(check, fmpq(0), fmpq(1)), said, "at a witness")
            if tuple(map(int, said["shapes"])) not in wanted:
                raise Refused(f"the witness is not of {' and '.join(pair)}.")
        else:
            raise Refused(f"a pair of links is 'never' or 'sometimes' in contact, not {verdict!r}.")
        told[verdict] += 1
    check.verdict.about.append(", ".join(f"{n} pairs of links {verdict}" for verdict, n in sorted(told.items())))


def _limits(model: Any) -> dict[int, tuple[fmpq, fmpq]]:
    """Return from where to where each entry of a configuration goes: its joint's limits, or more than a turn.

    A turn is all there is if whatever follows the entry comes around in one.
    """
    ends: dict[int, tuple[fmpq, fmpq]] = {}
    for entry in {link.entry for link in model.links if link.kind in MIMICS}:
        driven = [link for link in model.links if link.kind in MIMICS and link.entry == entry]
        limits = [link.limits for link in driven if link.limits is not None]
        if limits:
            ends[entry] = exact(limits[0][0]), exact(limits[0][1])
        elif all(link.kind != "prismatic" and float(link.mimic[0]).is_integer() for link in driven):
            ends[entry] = exact(-TURN), exact(TURN)
    return ends
