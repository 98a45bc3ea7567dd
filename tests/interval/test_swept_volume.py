"""Pieces of what a line-swept sphere sweeps: at every moment its segment is inside the piece of that moment."""

import numpy as np
import pytest
from scipy.optimize import nnls

from plain import PLAIN
from tocsin.interval.swept_volume import MOST, PIECE, SPHERE, bend_at, end_path, value_at, write_pieces

pytestmark = PLAIN


def random_motion(rng, bends):
    """A Taylor matrix (3, 4, 5): each entry a cubic in s in [-1, 1] and a remainder."""
    return rng.normal(size=(3, 4, 5)) * [1.0, 0.5, 0.3 * bends, 0.1 * bends, 0.0]


def random_sphere(rng):
    sphere = np.zeros(1, SPHERE)[0]
    sphere["p"], sphere["q"] = rng.normal(size=(2, 3))
    sphere["radius"] = rng.uniform(0.05, 0.3)
    sphere["reach"] = max(np.linalg.norm(sphere["p"]), np.linalg.norm(sphere["q"])) * (1 + 1e-12)
    return sphere


def carried(m, point, s):
    matrix = m[..., 0] + s * (m[..., 1] + s * (m[..., 2] + s * m[..., 3]))
    return matrix[:, :3] @ point + matrix[:, 3]


def distance_to_hull(corners, x):
    """By non-negative least squares: the nearest convex combination of the corners (1e6: that weights sum to one)."""
    weights, _ = nnls(np.vstack([corners.T, np.full(len(corners), 1e6)]), np.append(x, 1e6))
    return float(np.linalg.norm(weights @ corners / weights.sum() - x))


def test_at_every_moment_the_segment_is_inside_the_piece_of_that_moment():
    rng = np.random.default_rng(1)
    pieces = np.zeros(MOST, PIECE)
    counts = []
    for case in range(25):
        m, sphere = random_motion(rng, float(case % 5)), random_sphere(rng)
        t0, t1 = 0.25, 0.75
        n = write_pieces(pieces, m, sphere, 0.0, t0, t1)
        counts.append(n)
        assert pieces[0]["begin"] <= t0
        assert pieces[n - 1]["end"] >= t1
        for t in rng.uniform(t0, t1, 6):
            holds = [piece for piece in pieces[:n] if piece["begin"] <= t <= piece["end"]]
            assert holds
            s = (t - 0.5) / 0.25
            for piece in holds[:1]:
                for u in (0.0, 0.3, 1.0):
                    x = (1.0 - u) * carried(m, sphere["p"], s) + u * carried(m, sphere["q"], s)
                    away = distance_to_hull(piece["corner"], x)
                    assert away + sphere["radius"] <= piece["radius"] + 1e-8, "nnls has ten digits"
                    assert (x - sphere["radius"] >= piece["lo"]).all()
                    assert (x + sphere["radius"] <= piece["hi"]).all()
    assert min(counts) == 1
    assert max(counts) > 3, "what bends more is cut into more"


def test_noise_and_remainders_are_in_the_radius():
    rng = np.random.default_rng(2)
    m, sphere = random_motion(rng, 0.0), random_sphere(rng)
    pieces = np.zeros(MOST, PIECE)
    write_pieces(pieces, m, sphere, 0.0, 0.0, 1.0)
    alone = float(pieces[0]["radius"])
    write_pieces(pieces, m, sphere, 0.5, 0.0, 1.0)
    assert pieces[0]["radius"] == pytest.approx(alone + 0.5)
    m[0, 3, 4] = 0.25
    write_pieces(pieces, m, sphere, 0.0, 0.0, 1.0)
    assert pieces[0]["radius"] == pytest.approx(alone + 0.25)


def test_cubics_and_their_bends_are_those_of_numpy():
    rng = np.random.default_rng(3)
    for _ in range(20):
        x, y, z = rng.normal(size=(3, 4))
        s = float(rng.uniform(-1, 1))
        second = [np.polynomial.Polynomial(c).deriv(2)(s) for c in (x, y, z)]
        assert bend_at(tuple(x), tuple(y), tuple(z), s) == pytest.approx(np.linalg.norm(second))
        assert value_at(tuple(x), s) == pytest.approx(np.polynomial.Polynomial(x)(s))
        m, p = rng.normal(size=(3, 4, 5)), rng.normal(size=3)
        assert [value_at(end_path(m, p, i), s) for i in range(3)] == pytest.approx(carried(m, p, s))
