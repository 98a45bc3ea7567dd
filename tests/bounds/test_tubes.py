"""How far the points of a link can be off when its joints are: the bound holds for every error, and for the worst."""

import numpy as np
import pytest

from tocsin.bounds.tubes import chain_error

pytestmark = pytest.mark.pure

JOINT = np.dtype([("turn_error", "f8"), ("slide_error", "f8"), ("length", "f8")])
LINK = np.dtype([("parent", "i4")])


def chain(turns, slides, lengths):
    """Tables of a chain: link k hangs on link k - 1."""
    joints = np.array(list(zip(turns, slides, lengths)), JOINT)
    return joints, np.array([(k - 1,) for k in range(len(turns))], LINK)


def turned(angle, point):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])


def place(angles, slides, origins, point):
    """The point of the last link in the world, by the definition: each joint turns, then stands at its origin."""
    for angle, slide, origin in zip(angles[::-1], slides[::-1], origins[::-1]):
        point = np.asarray(origin) + (slide, 0.0) + turned(angle, point)
    return point


def test_no_point_is_farther_off_than_the_bound():
    rng = np.random.default_rng(8)
    for _ in range(300):
        n = int(rng.integers(1, 5))
        turns, slides = rng.random((2, n)) * rng.choice([0.0, 0.01, 0.5], (2, n))
        origins = rng.normal(size=(n, 2))
        nominal, at = rng.uniform(-3, 3, n), rng.uniform(-0.3, 0.3, n)
        # How far a joint's origin is from its parent's, slide and its error included.
        lengths = np.linalg.norm(origins, axis=1) + np.abs(at) + slides
        error, per_reach = chain_error(*chain(turns, slides, lengths), n - 1, -1)
        point = rng.normal(size=2)
        for _ in range(5):
            off = rng.choice([-1.0, 1.0, 0.3], (2, n)) * (turns, slides)
            moved = place(nominal + off[0], at + off[1], origins, point) - place(nominal, at, origins, point)
            assert np.linalg.norm(moved) <= error + per_reach * np.linalg.norm(point)


def test_it_is_the_sum_of_arcs_on_a_stretched_chain():
    """Two links of 1 m in a line, each joint off by e: the tip, 1 m beyond, is off by e (1 + 2 + ...) at most."""
    e = 1e-3
    joints, links = chain([e, e], [0.0, 0.0], [1.0, 1.0])
    error, per_reach = chain_error(joints, links, 1, -1)
    assert error == pytest.approx(e, rel=1e-12)
    assert per_reach == pytest.approx(2 * e, rel=1e-12)
    assert error >= e
    assert per_reach >= 2 * e


def test_errors_above_the_common_ancestor_cost_nothing():
    joints, links = chain([0.5, 0.0, 0.1], [0.3, 0.0, 0.0], [1.0, 1.0, 1.0])
    error, per_reach = chain_error(joints, links, 2, 0)
    assert error == 0.0
    assert per_reach == pytest.approx(0.1)
