"""Motions of many pieces, not equally many: what happens where one turns back while another comes by, to the last bits.

Both go along one line and turn back at knots of their own. The gap is linear between knots, so its least value is at
one of these: a fraction.
"""

from fractions import Fraction

import numpy as np
import pytest

import tocsin
from tocsin import Motion, Status


def bump(pieces, knot, height, t):
    """Return the height of a path that goes up in the piece before a knot and down in the one after, at time t."""
    return height * max(Fraction(0), 1 - abs(t * pieces - knot))


def least_gap(n, k, m, j, high, low, between):
    """Return (gap, knots): the least of between - the one's height - the other's, and where velocities change."""
    times = sorted({Fraction(i, p) for p, c in ((n, k), (m, j)) for i in (c - 1, c, c + 1) if 0 <= i <= p})
    return min(between - bump(n, k, high, t) - bump(m, j, low, t) for t in times), times


def spheres(n, k, m, j):
    """Return (scene, motions, least gap): one goes to 1 and back around knot k of n, one to 2.25 from 3."""
    bodies = [tocsin.Body(tocsin.Sphere(0.5), name=name) for name in "ab"]
    motions = []
    for body, pieces, knot, rest, peak in ((bodies[0], n, k, 0.0, 1.0), (bodies[1], m, j, 3.0, 2.25)):
        rows = np.zeros((pieces + 1, 7))
        rows[:, 6], rows[:, 0] = 1.0, rest
        rows[knot, 0] = peak
        motions.append(Motion.of(body, rows))
    return tocsin.Scene(*bodies), motions, least_gap(n, k, m, j, 1, Fraction(3, 4), 2)[0]


@pytest.mark.parametrize("method", ["advancement", "interval"])
def test_motions_of_many_pieces_are_followed_at_the_same_time(method):
    """Rounded knots put the two off each other by 1e-11 m: free, where they are 5e-13 m closer than the margin."""
    scene, motions, gap = spheres(100_003, 73_660, 100_129, 73_753)
    options = {"tolerance": 1e-12, "method": method}
    hit = scene.first_contact(*motions, margin=float(gap) + 5e-13, **options)
    assert hit.status is Status.CONTACT
    assert scene.first_contact(*motions, margin=float(gap) - 4e-12, **options).status is Status.FREE


@pytest.mark.parametrize("method", ["advancement", "interval"])
@pytest.mark.parametrize(("n", "k", "m", "j"), [(3, 1, 6, 2), (49, 48, 98, 96), (10, 9, 7, 6), (99, 98, 100, 99)])
def test_a_contact_at_a_knot_is_found_whatever_it_rounds_to(n, k, m, j, method):
    scene, motions, gap = spheres(n, k, m, j)
    hit = scene.first_contact(*motions, margin=float(gap) + 1e-12, tolerance=1e-12, method=method)
    assert hit.status is Status.CONTACT
    assert (
        scene.first_contact(*motions, margin=float(gap) - 3e-12, tolerance=1e-12, method=method).status is Status.FREE
    )
    found = scene.contact_intervals(*motions, margin=float(gap) + 1e-12, tolerance=1e-12)
    assert any(i.enter - 1e-11 <= hit.time <= i.exit + 1e-11 for i in found)
    assert found.status is Status.CONTACT


def test_a_contact_exactly_at_a_knot_is_not_late():
    """2 / 3 rounds up: a contact there is reported before it."""
    body = tocsin.Body(tocsin.Box((1, 1, 1)))
    scene = tocsin.Scene(body, tocsin.Body(tocsin.Box((1, 1, 1)), (3, 0, 0)))
    for method in ("advancement", "interval"):
        hit = scene.first_contact(body.follow([(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0)]), method=method)
        assert Fraction(hit.time) <= Fraction(2, 3)
        assert hit.time == pytest.approx(2 / 3, abs=1e-3)
        at_end = scene.first_contact(body.follow([(0, 0, 0), (0, 1, 0), (0, 0, 0), (2, 0, 0)]), method=method)
        assert at_end.status is Status.CONTACT
    assert scene.safe_step(body.follow([(0, 0, 0), (1, 0, 0), (1.9, 0, 0)])) == 1.0


def sheets(n, k, m, j, deep):
    """Return (scene, motions) of a triangle that goes up by 1 and a point that comes down past it by `deep` metres."""
    triangle = tocsin.Deformable([[-1, -1, 0], [2, -1, 0], [-1, 2, 0]], [[0, 1, 2]], name="sheet")
    point = tocsin.Deformable([[0.125, 0.25, 0.0]], points=[0], name="point")
    gap, _ = least_gap(n, k, m, j, 1, Fraction(1), 0)
    rest = float(-gap - Fraction(deep))
    below, above = np.zeros((n + 1, 3, 3)), np.zeros((m + 1, 1, 3))
    below[:] = triangle.vertices
    below[k, :, 2] = 1.0
    above[:] = [0.125, 0.25, rest]
    above[j, :, 2] = rest - 1.0
    true, _ = least_gap(n, k, m, j, 1, Fraction(rest) - Fraction(rest - 1.0), Fraction(rest))
    return tocsin.Scene(triangle, point), (triangle.follow(below), point.follow(above)), true


def test_deformable_models_of_many_frames_are_followed_at_the_same_time():
    """Models of 1,023 and 1,021 frames: rounded knots put them 1e-13 m off each other, and a contact of 1e-14 m is
    missed."""
    rng = np.random.default_rng(5)
    for _ in range(6):
        k = int(rng.integers(500, 1020))
        j = round(k / 1023 * 1021)
        scene, motions, true = sheets(1023, k, 1021, j, 1e-14)
        assert -2e-14 < true < 0
        hit = scene.first_contact(*motions, tolerance=1e-15)
        assert hit.collides, (k, j)
        assert len(scene.contacts(*motions, every="pair", tolerance=1e-15)) == 1
        scene, motions, true = sheets(1023, k, 1021, j, -1e-13)
        assert true > 5e-14
        assert scene.is_free(*motions, tolerance=1e-15), (k, j)


def test_a_deformable_model_and_a_body_of_many_pieces_are_followed_at_the_same_time():
    rng = np.random.default_rng(6)
    for _ in range(3):
        k = int(rng.integers(500, 1020))
        j = round(k / 1023 * 1021)
        soft, (below, above), true = sheets(1023, k, 1021, j, 1e-13)
        body = tocsin.Body((soft.models[0].vertices, soft.models[0].faces), name="board")
        rows = np.zeros((1024, 7))
        rows[:, 6], rows[:, 2] = 1.0, below.frames[:, 0, 2]
        scene = tocsin.Scene(body, soft.models[1])
        assert true < 0
        assert scene.first_contact(Motion.of(body, rows), above, tolerance=1e-11).collides
        _, (below, above), true = sheets(1023, k, 1021, j, -2e-11)
        point = tocsin.Deformable([[0.125, 0.25, 0.0]], points=[0], name="point")
        again = point.follow(above.frames)
        assert tocsin.Scene(body, point).is_free(Motion.of(body, rows), again, tolerance=1e-11)
