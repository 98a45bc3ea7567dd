"""Point sets of every dimension, scale and degree of nastiness, and exact arithmetic on doubles."""

from fractions import Fraction

import numpy as np


def exact(array):
    """Nested lists of fractions, equal to the doubles."""
    return [[Fraction(float(x)) for x in row] for row in np.atleast_2d(array)]


def point_sets():
    """(name, points) pairs, a few hundred points in all."""
    rng = np.random.default_rng(7)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    solid = rng.normal(size=(40, 3)) * (3.0, 1.0, 0.2)
    sets = {
        "single": np.array([[0.1, -0.2, 0.3]]),
        "origin": np.zeros((3, 3)),
        "pair": rng.normal(size=(2, 3)),
        "line": np.linspace(-1, 2, 9)[:, None] * rng.normal(size=3) + rng.normal(size=3),
        "axis line": np.linspace(0, 1, 5)[:, None] * (0.0, 1.0, 0.0),
        "flat": rng.normal(size=(20, 2)) @ rng.normal(size=(2, 3)) + 0.3,
        "flat grid": np.stack(np.meshgrid(range(5), range(4), [1.0]), -1).reshape(-1, 3) @ turn,
        "cube": np.stack(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0]), -1).reshape(-1, 3),
        "turned grid": np.stack(np.meshgrid(*[np.linspace(-1, 1, 3)] * 3), -1).reshape(-1, 3) * (2, 1, 0.5) @ turn,
        "solid": solid,
        "duplicates": np.repeat(solid[:12], 3, axis=0),
        "far away": solid + 1e6,
        "thin": solid * (1, 1, 1e-9) @ turn,
        "needle": solid * (1, 1e-7, 1e-7) @ turn,
        "sphere": solid / np.linalg.norm(solid, axis=1)[:, None],
        "mixed scales": np.vstack((solid * 1e-12, solid[:1], -solid[:1])),
    }
    return list(sets.items())


SETS = point_sets()
NAMES = [name for name, _ in SETS]
SCALES = (1e-6, 1.0, 1e6, 1e-300, 1e290)
