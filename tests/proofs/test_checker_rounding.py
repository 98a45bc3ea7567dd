"""What the checker computes in floats is as near to the truth, in 60 digits, as it says."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")

from tocsin_checker.check import Check
from tocsin_checker.models import Link, Model
from tocsin_checker.motion import ONE, UP, Slabs, about, rigid, twist, unit


def whole(value: float) -> int:
    """A number as the checker keeps it: whole, times 2^-140."""
    return int(value * ONE)


def chain(rng: np.random.Generator, length: int, round_numbers: bool) -> Model:
    """A chain of joints that turn and slide, with round or any numbers."""

    def vector(n: int = 3) -> list[float]:
        made = rng.integers(-3, 4, n) / 2.0 if round_numbers else rng.normal(size=n) * rng.choice([1e-3, 1.0, 30.0])
        return [float(v) for v in (made if np.any(made) else np.eye(n)[0])]

    links = []
    for k in range(length):
        kind = str(rng.choice(["revolute", "prismatic", "fixed"], p=(0.6, 0.3, 0.1)))
        mimic = float(rng.choice([1.0, -0.5, 3.0])), float(rng.choice([0.0, 0.25, -np.pi]))
        mimic = (0.0, 0.0) if kind == "fixed" else mimic
        origin = rigid(vector(4), vector())
        links.append(Link(f"l{k}", k - 1, kind, origin, twist(unit(vector()), kind == "revolute"), k, mimic))
    pieces = [[*([whole(v) for v in vector(int(rng.integers(1, 5)))] for _ in range(length)), [0, ONE]]]
    return Model("chain", links, pieces, [Fraction(0), Fraction(1)], [0.0] * length, True, "")


def exactly(model: Model, t: mpmath.mpf, point: list[float], back: bool) -> mpmath.matrix:
    """Return where a point of the last link is in the world, or one of the world in the last link, from the
    definitions; joints' frames as the checker has read them."""
    x = mpmath.matrix([mpmath.mpf(v) for v in point])
    joints = list(zip(model.links, model.pieces[0]))
    for link, entry in joints if back else reversed(joints):
        value = link.mimic[0] * sum(mpmath.mpf(c) / ONE * t**k for k, c in enumerate(entry)) + mpmath.mpf(link.mimic[1])
        k = link.twist
        axis = (k[2, 1], k[0, 2], k[1, 0]) if link.kind == "revolute" else k[:3, 3]
        u = mpmath.matrix([mpmath.mpf(float(v)) for v in axis])
        u = u / mpmath.norm(u)
        frame = mpmath.matrix([[mpmath.mpf(float(v)) for v in row[:3]] for row in link.origin[:3]])
        at = mpmath.matrix([mpmath.mpf(float(v)) for v in link.origin[:3, 3]])
        if back:
            x, value = frame.T * (x - at), -value
        if link.kind == "revolute":
            k = mpmath.matrix([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
            x = x + mpmath.sin(value) * (k * x) + (1 - mpmath.cos(value)) * (k * (k * x))
        elif link.kind == "prismatic":
            x = x + value * u
        if not back:
            x = frame * x + at
    return x


@pytest.mark.parametrize("seed", range(20))
def test_places_and_derivatives_are_within_what_may_be_rounded(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = chain(rng, int(rng.integers(1, 9)), seed % 2 == 0)
    point = rng.normal(size=(1, 3))
    scene = Check({})
    scene.models, scene.links = [model], model.links
    d = int(rng.integers(1, 30))
    i = 2 * int(rng.integers(0, 2 ** (d - 1))) + 1
    slab, last, back = (((i - 1) / 2**d, (i + 1) / 2**d),), len(model.links) - 1, seed % 4 > 1
    slabs = Slabs(scene, *scene.stretch(Fraction(0), Fraction(1)), range(last + 1), [slab])
    (found,), (bounds,) = slabs.rows([-1], [last], [0]) if back else slabs.rows([last], [-1], [0])
    found = found @ [*point[0], 1.0]
    with mpmath.workdps(60):
        for order, factor in ((0, 1), (1, 1), (2, 2)):
            for c in range(3):
                where = lambda t: exactly(model, t, point[0].tolist(), back)[c]  # noqa: B023, E731
                true = mpmath.diff(where, mpmath.mpf(i) / 2**d, order) * (mpmath.mpf(UP) / 2**d) ** order
                size = bounds[order, 4] + bounds[order, 0] * float(np.linalg.norm(point))
                assert abs(float(true - factor * mpmath.mpf(found[order, c]))) <= (bounds[5, 4] + 2.0**-46) * size
                assert abs(true) <= size * (1 + 1e-9)


def test_polynomials_about_a_moment_are_right_to_a_few_bits() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        given = [float(v) for v in rng.normal(size=rng.integers(1, 9)) * 10.0 ** rng.integers(-9, 9)]
        begin, lasts = (Fraction(int(rng.integers(0, 99)), 99) for _ in range(2))
        at = begin + lasts * Fraction(int(rng.integers(0, 2**20)), 2**20)
        found = [v / ONE for v in about([whole(v) for v in given], at, lasts)]
        value = sum(Fraction(c) * at**k for k, c in enumerate(given))
        slope = sum(k * Fraction(c) * at ** (k - 1) * lasts for k, c in enumerate(given) if k)
        for true, got in zip((value, slope), found):
            assert abs(true - Fraction(got)) <= abs(true) / 2**50 + Fraction(2**20, ONE)
