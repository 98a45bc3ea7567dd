"""Fewer balls contain all balls; checked in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin.geometry.balls import covering_balls

pytestmark = pytest.mark.pure


def exact(v):
    return [Fraction(float(x)) for x in v]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spacing", [0.1, 0.5, 1.0, 100.0])
def test_every_ball_about_a_point_is_inside_one_of_the_few(seed, spacing):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(60, 3)) if seed % 2 else np.round(rng.normal(size=(60, 3)) * 4) / 4  # round numbers too
    centres, radii = covering_balls(points, 0.05, spacing)
    assert len(centres) <= len(points)
    assert (radii <= 0.05 + 0.867 * spacing).all()
    for p in map(exact, points):
        inside = (
            sum((a - b) ** 2 for a, b in zip(p, exact(c))) <= (Fraction(float(r)) - Fraction(0.05)) ** 2
            for c, r in zip(centres, radii)
            if r >= 0.05
        )
        assert any(inside)


def test_without_spacing_each_point_has_its_own_ball_once():
    points = np.array([[0.0, 0, 0], [1, 2, 3], [0, 0, 0]])
    centres, radii = covering_balls(points, 0.25, None)
    assert sorted(map(tuple, centres)) == [(0, 0, 0), (1, 2, 3)]
    assert radii.tolist() == [0.25, 0.25]
