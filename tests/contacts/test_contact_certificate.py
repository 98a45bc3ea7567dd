"""What holds two leaves together, attacked: soups and solids that cut deep into each other, against the oracles."""

import numpy as np
import pytest

import tocsin
from tocsin.contacts.contact_certificate import pierces, side
from tocsin_bench.oracles import kinematics as kin
from tocsin_bench.oracles import shapes

TOLERANCE = 1e-4


def random_solid(rng, kind):
    """Return (what tocsin takes, what the oracle takes) of about one metre."""
    if kind == 0:
        vertices, faces = rng.normal(size=(15, 3)) * 0.6, np.arange(15).reshape(5, 3)
        return (vertices, faces), shapes.mesh(vertices, faces)
    size = rng.uniform(0.2, 1.0, 3)
    if kind == 1:
        return tocsin.Box(size=tuple(size)), shapes.box(size)
    if kind == 2:
        return tocsin.Sphere(size[0] / 2), shapes.sphere(size[0] / 2)
    if kind == 3:
        return tocsin.Capsule(size[0] / 4, size[1]), shapes.capsule(size[0] / 4, size[1])
    points = rng.normal(size=(8, 3)) * 0.5
    return tocsin.ConvexHull(points), shapes.hull(points)


@pytest.mark.parametrize("seed", range(40))
def test_at_every_time_of_an_interval_they_are_close_and_at_no_other_in_contact(seed):
    rng = np.random.default_rng(seed)
    (one, true_a), (two, true_b) = (random_solid(rng, k) for k in (seed % 5, (seed // 5) % 5))
    a, b = tocsin.Body(one, name="a"), tocsin.Body(two, name="b")
    start = kin.frame(kin.exp(rng.normal(size=3)), rng.normal(size=3))
    end = kin.frame(kin.exp(rng.normal(size=3) * 2), -start[:3, 3] + rng.normal(size=3) * 0.3)
    found = tocsin.Scene(a, b).contact_intervals(b.move(start, end), tolerance=TOLERANCE)
    assert found.until == 1.0
    assert all(i.proven for i in found)
    # A deep overlap is passed in strides, not in steps of the tolerance.
    assert found.steps < 3000
    ends = [t for i in found for t in (i.enter, i.exit)]
    times = np.unique(np.clip([*np.linspace(0, 1, 41), *ends, *(t + s for t in ends for s in (-1e-5, 1e-5))], 0, 1))
    for t, pose in zip(times, kin.body_poses(start, end, times)):
        gap = shapes.distance(true_a, np.eye(4), true_b, pose)
        inside = bool(found.at(t))
        assert inside or gap > 0.0
        assert not inside or gap <= TOLERANCE + 1e-9


def test_a_segment_pierces_a_triangle_only_where_no_sign_is_open():
    a, b, c = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    assert pierces((0.2, 0.2, -1.0), (0.2, 0.2, 1.0), a, b, c)
    assert pierces((0.2, 0.2, 1.0), (0.2, 0.2, -1.0), c, b, a)
    assert not pierces((0.7, 0.7, -1.0), (0.7, 0.7, 1.0), a, b, c)
    assert not pierces((0.2, 0.2, 0.5), (0.2, 0.2, 1.0), a, b, c)
    assert not pierces((0.5, 0.5, -1.0), (0.5, 0.5, 1.0), a, b, c)  # through an edge
    assert not pierces((0.2, 0.2, 0.0), (0.2, 0.2, 1.0), a, b, c)  # ends on it
    assert side(a, b, c, (1.0, 1.0, 1e-17)) == 0
