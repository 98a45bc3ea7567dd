"""Points that stay together: no joint value in a box takes a point farther from where it is in the middle than told."""

import numpy as np
import pytest

from plain import PLAIN
from tocsin.proofs.always import wander
from tocsin.proofs.box_bounds import AXIS, ENTRY, FAR, ORIGIN, REVOLVE
from tocsin_bench.oracles import kinematics

pytestmark = PLAIN

WIDTH = max(AXIS, ORIGIN) + 8


def turned(point, axis, origin, angle):
    return origin + kinematics.exp(axis * angle) @ (point - origin)


def test_no_point_goes_farther_than_is_told():
    rng = np.random.default_rng(1)
    close = []
    for _ in range(60):
        count = int(rng.integers(1, 4))
        rows = np.zeros((count, WIDTH))
        for k, row in enumerate(rows):
            axis = rng.normal(size=3)
            row[AXIS : AXIS + 3] = axis / np.linalg.norm(axis)
            row[ORIGIN : ORIGIN + 3] = rng.normal(size=3)
            row[FAR] = rng.choice([0.01, 0.1, 0.5])
            row[REVOLVE] = float(rng.random() < 0.7)
            row[ENTRY] = k
        x = rng.normal(size=3)
        losses = np.zeros(count)
        told = wander(tuple(x), rows, count, losses)
        assert told == pytest.approx(losses.sum(), rel=1e-12)
        worst = 0.0
        for _ in range(40):
            p = x.copy()
            # The joints of a chain, from the one nearest to the point on.
            for row in rows:
                s = float(rng.choice([-1.0, 1.0]) if rng.random() < 0.6 else rng.uniform(-1.0, 1.0)) * row[FAR]
                axis, origin = row[AXIS : AXIS + 3], row[ORIGIN : ORIGIN + 3]
                p = turned(p, axis, origin, s) if row[REVOLVE] else p + s * axis
            worst = max(worst, float(np.linalg.norm(p - x)))
        assert worst <= told + 1e-12
        close.append(worst / told)
    assert max(close) > 0.7, "the bound is not idle"


def test_a_point_on_the_axis_of_a_joint_stays():
    rows = np.zeros((1, WIDTH))
    rows[0, AXIS + 2], rows[0, FAR], rows[0, REVOLVE] = 1.0, 0.5, 1.0
    assert wander((0.0, 0.0, 3.0), rows, 1, np.zeros(1)) == pytest.approx(0.0, abs=1e-12)
    assert wander((1.0, 0.0, 0.0), rows, 1, np.zeros(1)) >= 2.0 * np.sin(0.25)
