"""One clock: stretches lie between all knots, and shares are those of exact arithmetic up to three units."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin import Body, RobotBuilder, Sphere, Trajectory
from tocsin.motion.clocks import share_on, timeline_of
from tocsin.motion.knots import FINE

pytestmark = pytest.mark.pure


def test_stretches_lie_between_all_knots_and_name_the_pieces():
    a, b = Body(Sphere(1.0), name="a"), Body(Sphere(1.0), name="b")
    first = a.follow([(0, 0, 0), (1, 0, 0), (2, 0, 0)], times=[0.0, 0.3, 2.0])
    second = b.follow([(0, 0, 0), (1, 0, 0)], times=[0.0, 2.0])
    line = timeline_of([first, second])
    assert line.knots.tolist() == [0.0, 0.3, 2.0]
    assert [p.tolist() for p in line.pieces] == [[0, 1], [0, 0]]
    assert line.piece(1, line.stretches[1]) == (0, 0.15, 1.0)


def test_a_stretch_of_a_curve_begins_and_lasts_where_it_does_in_its_piece():
    """Knots of one robot cut the pieces of the other: shares of each piece, in exact arithmetic."""
    motions = []
    for name, times in (("a", [0.0, 0.3, 2.0]), ("b", [0.0, 1.25, 2.0])):
        builder = RobotBuilder(name)
        builder.link("root")
        builder.link("arm", Sphere(0.1), parent="root", joint="revolute", axis=(0, 0, 1))
        values = [[0.0], [1.0], [0.5]]
        motions.append(builder.build().follow(Trajectory(times, values, [[0.0], [1.0], [0.0]])))
    line = timeline_of(motions)
    assert line.knots.tolist() == [0.0, 0.3, 1.25, 2.0]
    for k, motion in enumerate(motions):
        for i, stretch in enumerate(line.stretches):
            _, degree, first, lasts, _ = line.listed(k, stretch)
            assert degree == -3.0
            piece = int(line.pieces[k][i])
            begin, end = (Fraction(float(t)) for t in motion.times[piece : piece + 2])
            x, y = (Fraction(float(t)) for t in line.knots[i : i + 2])
            for share, truth in ((first, (x - begin) / (end - begin)), (lasts, (y - x) / (end - begin))):
                assert abs(Fraction(share) - truth) <= Fraction(3, 2**53)


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


def hours_and_milliseconds(rng):
    return np.unique(rng.uniform(-1.0, 1.0, 12) * 10.0 ** rng.integers(-6, 7, 12))


def hundredths(rng):
    return np.arange(-3, 9) / 100.0


def of_every_size(rng):
    return np.array([-1.0, -5e-324, 0.0, 5e-324, 1.0, 1.0 + 2.0**-52, 1e300])


@pytest.mark.parametrize("make", [hours_and_milliseconds, hundredths, of_every_size])
def test_stretches_begin_and_end_where_exact_fractions_do(make):
    rng = np.random.default_rng(3)
    body = Body(Sphere(1.0), name="a")
    for _ in range(20):
        times = make(rng)
        line = timeline_of([body.follow([(float(k), 0, 0) for k in range(len(times))], times=times)])
        exact = [Fraction(float(t)) for t in times]
        parts = [int((t - exact[0]) * FINE / (exact[-1] - exact[0])) for t in exact]
        assert line.stretches[:, 0].tolist() == parts[:-1]
        assert line.stretches[:, 2].tolist() == parts[1:]
