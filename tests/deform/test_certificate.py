"""A separating direction holds as long as it says: against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin.deform.certificate import first_crossing, first_root, hold, later, stay, widest

pytestmark = pytest.mark.pure


@pytest.fixture(autouse=True)
def lanes_that_are_not_chosen():
    """What `select` does not choose is computed all the same."""
    with np.errstate(divide="ignore", invalid="ignore"):
        yield


def rounded(rng, size):
    """Numbers of few digits: ties, zeros and double roots are met."""
    return np.round(rng.normal(size=size), int(rng.integers(0, 3)))


def positive_before(x, value):
    """Is a function positive at every one of many places before x?"""
    return all(value(Fraction(float(y))) > 0 for y in np.linspace(0.0, 1.0, 33) if y < x)


def test_before_its_first_root_a_quadratic_is_positive():
    rng = np.random.default_rng(1)
    roots = 0
    for _ in range(3000):
        b = list(rounded(rng, 3))
        if b[0] <= 0.0:
            continue
        x = float(first_root(*b))
        roots += 0.0 < x < 1.0
        exact = [Fraction(float(c)) for c in b]

        def value(y, c=exact):
            return c[0] * (1 - y) ** 2 + 2 * c[1] * y * (1 - y) + c[2] * y * y

        assert positive_before(min(x, 1.0), value)
        just_before = Fraction(min(x, 1.0)) * (1 - Fraction(1, 2**50))
        assert value(just_before) > 0, (b, x)
    assert roots > 500


def test_a_root_is_found_where_it_is():
    assert first_root(1.0, 0.0, -1.0) == pytest.approx(0.5)
    assert first_root(1.0, -1.0, 1.0) == pytest.approx(0.5), "a double root"
    assert first_root(1.0, 1.0, 1.0) == 2.0
    assert first_root(1.0, -0.9, 1.0) == 2.0, "it comes down and goes up again before 0"
    assert first_crossing(1.0, -3.0) == pytest.approx(0.25)
    assert first_crossing(1.0, 0.0) == 2.0
    assert first_root(1.0, float("nan"), 1.0) == 0.0, "nan proves nothing"
    assert first_crossing(1.0, float("nan")) == 0.0


def test_a_direction_holds_for_as_long_as_it_says():
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(2000):
        n, n_end, d, d_end = (tuple(rounded(rng, 3)) for _ in range(4))
        margin = float(rng.choice([0.0, 0.1, 0.5]))
        lengths = [float(np.linalg.norm(v)) * (1 + 1e-12) for v in (n, n_end)]
        x = float(hold((n, n_end, widest(n, n_end), *lengths), d, d_end, widest(d, d_end), margin))
        assert 0.0 <= x <= 1.0
        held += x > 0.0

        def at(p, q, y):
            return [(1 - y) * Fraction(float(a)) + y * Fraction(float(b)) for a, b in zip(p, q)]

        for y in np.linspace(0.0, 1.0, 17):
            if y < x or y == x == 1.0:
                normal, apart = at(n, n_end, Fraction(float(y))), at(d, d_end, Fraction(float(y)))
                gap = sum(a * b for a, b in zip(normal, apart))
                assert gap > 0
                assert gap**2 > Fraction(margin) ** 2 * sum(a * a for a in normal)
    assert held > 200


def test_a_direction_that_does_not_turn_is_the_same_claim():
    x = float(stay((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0, (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.5))
    assert x == pytest.approx(0.25)
    assert x <= 0.25
    assert stay((1.0, 0, 0), (1.0, 0, 0), 1.0, (0.4, 0, 0), (2.0, 0, 0), (2.0, 0, 0), 0.5) == 0.0, "not even now"


def test_a_step_never_goes_too_far():
    rng = np.random.default_rng(3)
    for t, x in rng.random((500, 2)):
        assert Fraction(float(later(t, x))) <= Fraction(float(t)) + Fraction(float(x)) * (1 - Fraction(float(t)))
