"""Does an edge go through a face: against exact arithmetic, and where rounding hides a sign nothing is claimed."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin.deform.initial import crosses, one_sided, parted, sign
from tocsin.outcome import CAPPED, CONTACT, FREE

pytestmark = pytest.mark.pure


def determinant(a, b, c):
    (a0, a1, a2), (b0, b1, b2), (c0, c1, c2) = ([Fraction(x) for x in row] for row in (a, b, c))
    return a0 * (b1 * c2 - b2 * c1) + a1 * (b2 * c0 - b0 * c2) + a2 * (b0 * c1 - b1 * c0)


def minus(p, q):
    return [Fraction(x) - Fraction(y) for x, y in zip(p, q)]


def goes_through(p, q, a, b, c):
    """Return whether the segment goes through the inside of the triangle, None where it meets its rim or its plane."""
    above, other = (determinant(minus(x, a), minus(b, a), minus(c, a)) for x in (p, q))
    d = minus(q, p)
    sides = [determinant(d, minus(u, p), minus(v, p)) for u, v in ((a, b), (b, c), (c, a))]
    if above * other > 0 or (min(sides) < 0 < max(sides)):
        return False
    if above * other < 0 and 0 not in sides:
        return True
    return None


@pytest.mark.parametrize("round_numbers", [False, True])
def test_what_is_claimed_is_true_in_exact_arithmetic(round_numbers):
    rng = np.random.default_rng(1)
    claimed = {CONTACT: 0, FREE: 0, CAPPED: 0}
    for _ in range(2000):
        rows = rng.integers(-2, 3, (5, 3)).astype(float) if round_numbers else rng.normal(size=(5, 3))
        p, q, a, b, c = (tuple(row.tolist()) for row in rows)
        said, truth = crosses(p, q, a, b, c), goes_through(p, q, a, b, c)
        claimed[said] += 1
        if said == CONTACT:
            assert truth is True
        if truth is True:
            assert said != FREE
        if parted(p, q, a, b, c):
            assert truth is not True
    assert claimed[CONTACT] > 20
    assert claimed[FREE] > 500
    if not round_numbers:
        assert claimed[CAPPED] == 0


def test_a_sign_is_that_of_the_volume_or_none():
    rng = np.random.default_rng(2)
    for k in range(2000):
        a, b, c = (tuple(row.tolist()) for row in rng.normal(size=(3, 3)))
        if k % 2:  # nearly in one plane
            c = tuple(x + 0.5 * y + 1e-16 * z for x, y, z in zip(a, b, rng.normal(size=3)))
        found, truth = sign(a, b, c), determinant(a, b, c)
        assert found * truth >= 0
        assert k % 2 or found != 0


def test_all_on_one_side_of_a_plane_is_claimed_only_where_it_is_so():
    rng = np.random.default_rng(3)
    yes = 0
    for _ in range(2000):
        p, q, r, a, b, c = (tuple(row.tolist()) for row in rng.normal(size=(6, 3)))
        sides = [determinant(minus(x, a), minus(b, a), minus(c, a)) for x in (p, q, r)]
        truth = min(sides) > 0 or max(sides) < 0
        assert one_sided(p, q, r, a, b, c) == truth
        yes += truth
    assert yes > 100
