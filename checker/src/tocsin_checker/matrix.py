"""Which links of a robot can touch at all: never, if they are apart in all boxes of joint values within the limits;
always, if two points are together in all of them; sometimes, if they are in a box that holds nothing but a witness.

**A box** is all joint values within w_k of its middle. The straight way from there to any of its values, in unit time,
has joint velocities of at most w_k; a point is then, along n, within sum_k |n.T_k p| + A / 2 of where it is in the
middle, T_k the derivative for joint k alone at velocity w_k, and A a bound of its acceleration along n: X_2, or this
one. Let the spin of a joint that turns be its axis times w_k, and nothing if it slides. For a joint j at k or above it,
the second derivative by both is spin_j x T_k p, at any place in the box, and along n its size is that of
(n x spin_j).T_k p. The length of T_k p is how far p is from the axis of k, times w_k, or w_k if k slides: only joints
below k change it, and take p no farther than the sum S of their own bounds. A spin is turned by the joints above it:
seen from the axis of i, by those between only. So, from the link up,

    a_k = |T_k p| + |spin_k| S_k,    S_k = sum of a_j over the joints j below k,
    K_ik = |spin_i x spin_k| + |spin_i| sum of K_lk over the joints l between i and k,    at most |spin_i||spin_k|,
    N_k = |n x spin_k| + sum of K_ik over the joints i above k,    at most |spin_k|,
    A <= sum_k N_k (a_k + 2 S_k),

where lengths and products are those in the middle. Axes that are parallel, one below the other, tilt nothing.
"""

import functools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from tocsin_checker.models import Model
from tocsin_checker.motion import AT_ONCE, NOT_ASKED, Slabs, norms
from tocsin_checker.proof import need

TURN = 3.1416
"""A joint without limits is looked at from minus this, in radians, to this; one with limits that are farther apart
from the lower one on as far: more than a turn."""


def limits(model: Model, entry: int) -> tuple[float, float]:
    """Return from where to where an entry of a configuration goes: its joint's limits, at most more than a turn if
    whatever follows the entry comes around in one; if there are none and not all come around, from nowhere to nowhere,
    so that nothing is proven of it."""
    driven = [link for link in model.links if link.kind in ("revolute", "prismatic") and link.entry == entry]
    around = all(link.kind == "revolute" and float(link.mimic[0]).is_integer() for link in driven)
    given = [link.limits for link in driven if link.limits is not None]
    low, high = (given or [(-TURN, TURN) if driven and around else (np.nan, np.nan)])[0]
    return low, min(high, low + 2.0 * TURN) if around else high


class Boxes(Slabs):
    """Boxes of joint values: every entry goes from the middle on at its own speed, but the share, which is none."""

    def powers(self, entries: list[list[int]], middle: np.ndarray, half: np.ndarray) -> np.ndarray:
        """Return the coefficients of every entry in powers of s."""
        return np.pad(np.stack((middle, half, 0.0 * half), axis=2), ((0, 1), (0, 0), (0, 0)))

    ORDERS = 2

    def chained(self, above: np.ndarray, joint: np.ndarray) -> np.ndarray:
        """Return what a chain has: the derivatives by the joints of its two parts."""
        return np.concatenate((above @ joint[:, :1], above[:, :1] @ joint[:, 1:]), axis=1)

    def combined(self, rows: np.ndarray) -> np.ndarray:
        """Return what is maximised over a part: its place, and what each joint does either way."""
        return np.concatenate((rows, -rows[:, 1:]), axis=1)

    def summed(self, most: np.ndarray) -> np.ndarray:
        """Return how far it goes."""
        up, down = np.split(most[:, 1:], 2, axis=1)
        return most[:, :1] + np.maximum(up, down).sum(axis=1, keepdims=True)

    def beyond(self, jets: Any, eta: Any, n: Any, x: Any, off: Any, ball: Any) -> np.ndarray:
        """Return half of the greatest acceleration: a_k, S, K, N and A as above, of points within girth of a center.

        What is computed of T_k p is off by `off` at most, and of spins by a share eta.
        """
        center = np.column_stack((ball[:, 1:], np.ones(len(ball))))[:, None, :, None]
        skew = (jets[:, 1:, :, :3] @ jets[:, :1, :, :3].swapaxes(2, 3)).swapaxes(0, 1)
        spins = np.stack((skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]), axis=2)
        w, far, below, bent = norms(spins), norms((jets[:, 1:] @ center)[..., 0]).T + off, 0.0, 0.0
        for k in reversed(range(len(w))):  # from the link up
            tilt = np.zeros(len(eta))
            for i in reversed(range(k)):
                tilt += np.minimum(w[i] * w[k], norms(np.cross(spins[i], spins[k])) + w[i] * (eta * w[k] + tilt))
            aside = w[k] if n is None else np.minimum(w[k], norms(np.cross(n, spins[k])) + eta * w[k] + tilt)
            own = far[k] + w[k] * (ball[:, 0] + below)
            below, bent = below + own, bent + aside * (own + 2.0 * below)
        return 0.5 * np.minimum(bent, x[2])


def matrix(proof: Any) -> None:
    """Check what is said of the links of one robot at all joint values within their limits."""
    (model,), told = proof.models, Counter()
    need(not model.knots and not any(model.off), "a matrix is of a robot that stands.")
    whole = tuple(limits(model, entry) for entry in range(len(model.off)))
    boxes = functools.partial(Boxes, proof, *proof.stretch(Fraction(0), Fraction(1)))
    spoken = {frozenset(said["links"]) for said in proof.proof["links"]}
    need(len(spoken) == len(proof.proof["links"]), "a pair of links is spoken of twice.")
    for said in proof.proof["links"]:
        proof.where, verdict = " and ".join(map(str, said["links"])) + ": ", said["verdict"]
        a, b = said["links"]
        asked = (wanted := proof.pairs_of(a, b)) and all(proof.margins[both] < NOT_ASKED for both in wanted)
        need(bool(asked), "these are no two links that have shapes and are asked about.")
        between = proof.between(*(proof.shapes[s][0] for s in wanted[0]))
        need(all(proof.links[i].kind != "ball" for i in between), "a joint between them does not turn or slide.")
        if verdict == "never":
            proof.apart(said["tree"], wanted, whole, boxes)
            told[verdict] += 1
            continue
        if verdict == "always":
            cells = list(proof.leaves(said["tree"], whole, (), ()))
        else:
            need(verdict == "sometimes", "links are 'never', 'sometimes' or 'always' in contact.")
            cells = [tuple((float(v), float(v)) for v in said["witness"])]
            outside = any(v < low or v > high or v - v for (v, _), (low, high) in zip(cells[0], whole))
            need(len(cells[0]) == len(whole) and not outside, "the witness is no configuration within the limits.")
        contacts, tolerance = said["contacts"], float(said["tolerance"])
        own = len(cells) == len(contacts) and all(tuple(map(int, one["shapes"])) in wanted for one in contacts)
        need(own, "not every box has two points of these links.")
        for some in (slice(k, k + AT_ONCE) for k in range(0, len(cells), AT_ONCE)):
            proof.together(boxes(between, cells[some]), contacts[some], tolerance)
        told[f"{verdict} (within margin and {tolerance:.6g} m)"] += 1
    proof.about.append(", ".join(f"{n} pairs of links {verdict}" for verdict, n in sorted(told.items())))
