"""Thin and tiny shapes far from their link's origin: no distance is overstated, no margin is called free.

The truth is that of the numbers handed in: the placement's own floats, turned into rationals of 60 digits, and the
closed form of the distance of a point to a cylinder, a box or a capsule.
"""

import mpmath
import numpy as np
import pytest

import tocsin
from tocsin import Status
from tocsin_bench.oracles import kinematics

mpmath.mp.dps = 60

KINDS = ("cylinder", "capsule", "box")


def local(place, point):
    """Return a point in the frame of a placement, whose rotation is first made exactly orthonormal."""
    columns = []
    for k in range(3):
        v = mpmath.matrix([mpmath.mpf(float(x)) for x in place[:3, k]])
        for u in columns:
            v = v - u * (u.T * v)[0]
        columns.append(v / mpmath.norm(v))
    away = mpmath.matrix([mpmath.mpf(float(p)) - mpmath.mpf(float(q)) for p, q in zip(point, place[:3, 3])])
    return [(u.T * away)[0] for u in columns]


def exact(kind, radius, length, place, point, ball):
    """Return the distance of a ball to a shape along z, at least 0."""
    x, y, z = local(place, point)
    radius, half = mpmath.mpf(radius), mpmath.mpf(length) / 2
    tall = max(abs(z) - half, mpmath.mpf(0))
    if kind == "cylinder":
        out = mpmath.hypot(max(mpmath.hypot(x, y) - radius, mpmath.mpf(0)), tall)
    elif kind == "capsule":
        out = max(mpmath.sqrt(x * x + y * y + tall * tall) - radius, mpmath.mpf(0))
    else:
        out = mpmath.sqrt(sum(max(abs(v) - radius, mpmath.mpf(0)) ** 2 for v in (x, y)) + tall * tall)
    return max(out - mpmath.mpf(ball), mpmath.mpf(0))


def shape_of(kind, radius, length):
    if kind == "box":
        return tocsin.Box((2 * radius, 2 * radius, length))
    return (tocsin.Cylinder if kind == "cylinder" else tocsin.Capsule)(radius=radius, length=length)


def cases(seed, count):
    """Yield shapes of all proportions, near their origin and a kilometre away, turned at random and not at all."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        length = 10.0 ** rng.choice([-9.0, -6.0, -4.0, -1.0])
        radius = 10.0 ** rng.uniform(-3, 0)
        turn = np.eye(3) if k % 5 == 0 else kinematics.exp(rng.normal(size=3))
        place = kinematics.frame(turn, rng.normal(size=3) * 10.0 ** rng.choice([-1.0, 0.0, 1.0, 3.0]))
        # Over the flat end near its rim, where a tilt shows most; or anywhere.
        angle, out = rng.uniform(0, 2 * np.pi), radius * rng.choice([0.0, 0.9, 0.999, 1.3])
        height = 0.5 * length + radius * 10.0 ** rng.uniform(-6, 0)
        point = place[:3, :3] @ (out * np.cos(angle), out * np.sin(angle), height) + place[:3, 3]
        ball = 0.3 * abs(height - 0.5 * length)
        yield KINDS[k % 3], radius, length, place, point, ball


@pytest.mark.parametrize("seed", range(3))
def test_no_distance_is_overstated_and_no_margin_is_called_free(seed):
    for kind, radius, length, place, point, ball in cases(seed, 60):
        a = tocsin.Body((shape_of(kind, radius, length), place), name="a")
        b = tocsin.Body(tocsin.Sphere(radius=ball), point, name="b")
        scene = tocsin.Scene(a, b)
        truth = exact(kind, radius, length, place, point, ball)
        found = scene.distance()
        assert mpmath.mpf(found.lower) <= truth, (kind, radius, length)
        within = float(truth) * (1 + 2.0**-50) + 1e-300
        for tolerance in (None, 1e-15):
            hit = scene.first_contact(margin=within, tolerance=tolerance)
            assert hit.status is not Status.FREE, (kind, radius, length)


def test_a_thin_cylinder_is_measured_to_the_rounding_of_its_place():
    """What is stored of it is worth its digits: the bounds close in on the truth up to the noise."""
    for kind, radius, length, place, point, ball in cases(7, 60):
        a = tocsin.Body((shape_of(kind, radius, length), place), name="a")
        b = tocsin.Body(tocsin.Sphere(radius=ball), point, name="b")
        found = tocsin.Scene(a, b).distance()
        truth = float(exact(kind, radius, length, place, point, ball))
        far = np.linalg.norm(place[:3, 3]) + radius + 1.0
        assert abs(found.distance - truth) <= 1e-12 * far + 1e-9 * radius, kind
