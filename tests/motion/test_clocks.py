"""One clock: stretches lie between all knots, and shares are those of exact arithmetic up to three units."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin import Body, Sphere
from tocsin.motion.clocks import share_on, timeline_of

pytestmark = pytest.mark.pure


def test_stretches_lie_between_all_knots_and_name_the_pieces():
    a, b = Body(Sphere(1.0), name="a"), Body(Sphere(1.0), name="b")
    first = a.follow([(0, 0, 0), (1, 0, 0), (2, 0, 0)], times=[0.0, 0.3, 2.0])
    second = b.follow([(0, 0, 0), (1, 0, 0)], times=[0.0, 2.0])
    line = timeline_of([first, second])
    assert line.knots.tolist() == [0.0, 0.3, 2.0]
    assert [p.tolist() for p in line.pieces] == [[0, 1], [0, 0]]
    assert line.piece(1, line.stretches[1]) == (0, 0.15, 1.0)


def test_shares_are_exact_up_to_three_units():
    rng = np.random.default_rng(2)
    for _ in range(200):
        times = np.sort(rng.uniform(0.0, 10.0 ** rng.uniform(-3, 4), size=5))
        t = float(rng.choice([0.0, 1.0, rng.random()]))
        k, share = share_on(times, t)
        begin, end = Fraction(times[k]), Fraction(times[k + 1])
        at = Fraction(times[0]) + Fraction(t) * (Fraction(times[-1]) - Fraction(times[0]))
        assert begin <= at <= end
        assert abs(Fraction(share) - (at - begin) / (end - begin)) <= Fraction(3, 2**53)
