"""Is the claim of a proof false? From its file alone: other kinematics, and distances at sampled moments.

Reads what docs/proofs.md says of models that a proof spells out, places their links from the definitions in float64,
and measures the distances of all pairs that are asked about, with `oracles.shapes`. A claim of freedom is false if a
sample is within its margin; nothing is said of what samples do not see. Shares nothing with tocsin or its checker.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tocsin_bench.oracles import shapes as truth
from tocsin_bench.oracles.kinematics import exp, frame, quaternion_to

SURE = 1e-7
"""Metres by which a sample has to be within the margin."""


def _shape(said: dict[str, Any]) -> truth.Shape:
    points, radius, ring = said["points"], said.get("radius", 0.0), said.get("ring", 0.0)
    if "faces" in said:
        return truth.mesh(points, said["faces"])
    if not radius and not ring:
        return truth.hull(points)
    length = float(np.ptp(np.array(points, float)[:, 2]))
    return truth.cylinder(ring, length) if ring else truth.capsule(radius, length) if length else truth.sphere(radius)


def _turned(p: Any, q: Any, share: float) -> np.ndarray:
    """Return the orientation on the arc from p to q as their signs say: half of q p^-1's turn is 2 atan2(|v|, w)."""
    a, b = np.asarray(p, float), np.asarray(q, float)
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    v = b[:3] * a[3] - b[3] * a[:3] - np.cross(b[:3], a[:3])
    size = np.linalg.norm(v)
    turn = 2.0 * np.arctan2(size, a @ b) * v / size if size > 0.0 else np.zeros(3)
    return exp(share * turn) @ quaternion_to(a)


class Moving:
    """A model of a proof, at any moment of its motion."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said
        self.pieces: Any = said["pieces"]
        times = said.get("times") or np.linspace(0.0, 1.0, len(self.pieces) + 1)
        self.knots = (np.asarray(times, float) - times[0]) / (times[-1] - times[0])
        self.shapes = [[(_shape(s), np.array(s["place"], float)) for s in link["shapes"]] for link in said["links"]]

    def poses(self, t: float) -> list[np.ndarray]:
        """Return the 4x4 of every link at a share t of the whole motion."""
        k = int(np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.pieces) - 1))
        share = float((t - self.knots[k]) / (self.knots[k + 1] - self.knots[k]))
        q = [sum(c * share**i for i, c in enumerate(entry)) for entry in self.pieces[k]]
        found: dict[str, np.ndarray] = {"": np.eye(4)}
        for link in self.said["links"]:
            e, kind = link["entry"], link["joint"]
            own, axis = np.eye(4), np.asarray(link["axis"], float) / np.linalg.norm(link["axis"])
            factor, offset = link["mimic"]
            if kind == "revolute":
                own[:3, :3] = exp((factor * q[e] + offset) * axis)
            elif kind == "prismatic":
                own[:3, 3] = (factor * q[e] + offset) * axis
            elif kind == "ball":
                turn = self.pieces[k][e : e + 4]
                own[:3, :3] = _turned([v[0] for v in turn], [sum(v) for v in turn], share)
            at = np.array(link["at"], float)
            fixed = frame(quaternion_to(at[3:]), at[:3])
            found[link["name"]] = found[link["parent"]] @ fixed @ own
        return [found[link["name"]] for link in self.said["links"]]


def is_false(data: dict[str, Any], moments: int = 48) -> bool:
    """Does a sample show that the claim of freedom of a proof is false?"""
    models = [Moving(said) for said in data["models"]]
    said = {frozenset(entry[:2]): entry[2] for entry in data["pairs"]}
    knots = np.unique(np.concatenate([m.knots for m in models]))
    shares = np.unique(np.concatenate([knots, np.linspace(0.0, 1.0, moments)]))
    things = [
        (k, i, f"{m['name']}/{link['name']}".removesuffix("/"), shape, place)
        for k, m in enumerate(data["models"])
        for i, link in enumerate(m["links"])
        for shape, place in models[k].shapes[i]
    ]
    for t in shares:
        where = [m.poses(float(t)) for m in models]
        for a, b in itertools.combinations(things, 2):
            pair = frozenset((a[2], b[2]))
            asked = data["models"][a[0]]["asked"] is True or data["models"][b[0]]["asked"] is True
            margin = said.get(pair, data["margin"])
            if a[:2] == b[:2] or isinstance(margin, str) or not asked:
                continue
            at = where[a[0]][a[1]] @ a[4], where[b[0]][b[1]] @ b[4]
            if truth.apart(a[3], at[0], b[3], at[1]) > margin:
                continue
            far = truth.distance(a[3], at[0], b[3], at[1])
            if far < margin - SURE or far == 0.0:
                return True
    return False
