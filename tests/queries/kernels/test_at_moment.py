"""The closest of many shapes is the closest of all pairs."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.queries.kernels.at_moment import FEW_PAIRS


def balls(rng, centres, radii):
    return [tocsin.Body(tocsin.Sphere(r), c, name=f"ball{k}") for k, (c, r) in enumerate(zip(centres, radii))]


def least(centres, radii, skipped=()):
    """The least distance of two balls, of all pairs, and which."""
    gap = np.linalg.norm(centres[:, None] - centres[None], axis=2) - radii[:, None] - radii[None]
    gap[np.tril_indices(len(gap))] = math.inf
    for a, b in skipped:
        gap[a, b] = math.inf
    a, b = np.unravel_index(np.argmin(gap), gap.shape)
    return max(float(gap[a, b]), 0.0), (f"ball{a}", f"ball{b}")


@pytest.mark.parametrize(("spread", "radius"), [(1.0, 0.001), (100.0, 0.001), (5.0, 0.1), (1.0, 0.2)])
def test_the_distance_of_many_balls_is_that_of_their_centres(spread, radius):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n = 100
        assert n * n > FEW_PAIRS
        centres, radii = rng.uniform(-spread, spread, (n, 3)), rng.uniform(0.1, 1.0, n) * radius
        scene = tocsin.Scene(*balls(rng, centres, radii))
        for _ in range(2):
            near = scene.distance()
            truth, names = least(centres, radii)
            assert near.distance == pytest.approx(truth, rel=1e-9, abs=1e-9)
            assert near.lower <= truth + 1e-9
            assert truth == 0.0 or {near.link_a, near.link_b} == set(names)
            scene.ignore(*names)
            a, b = (int(name[4:]) for name in names)
            truth, names = least(centres, radii, [(a, b)])
            assert scene.distance().distance == pytest.approx(truth, rel=1e-9, abs=1e-9)
            break


def test_the_distance_of_many_is_the_least_of_singles_bit_by_bit():
    rng = np.random.default_rng(4)
    bodies = []
    for k in range(120):
        shape = tocsin.Box(tuple(rng.uniform(0.05, 0.2, 3))) if k % 2 else tocsin.Capsule(0.05, 0.2)
        bodies.append(tocsin.Body(shape, rng.uniform(-2.0, 2.0, 3), name=f"b{k}"))
    bodies.append(tocsin.Body(tocsin.Box((20.0, 20.0, 0.1)), (0.0, 0.0, -3.0), name="floor"))
    scene = tocsin.Scene(*bodies)
    near = scene.distance()
    places = [body.rest[:3].copy() for body in bodies]
    singles = [scene.distance(body.at(place)) for body, place in zip(bodies, places)]
    best = min(singles, key=lambda found: found.distance)
    assert (near.distance, {near.link_a, near.link_b}) == (best.distance, {best.link_a, best.link_b})
    half = [body.at(place) for body, place in zip(bodies[::2], places[::2])]
    assert scene.distance(*half).distance == min(found.distance for found in singles[::2])


def test_many_that_are_ignored_have_no_distance():
    names = [f"ball{k}" for k in range(70)]
    scene = tocsin.Scene(*balls(None, np.arange(210.0).reshape(70, 3), np.full(70, 0.1)))
    scene.context.rules.ignore_all([(a, b) for a in names for b in names if a < b])
    assert scene.distance().distance == math.inf


def test_many_in_one_place_touch():
    scene = tocsin.Scene(*balls(None, np.zeros((70, 3)), np.full(70, 0.1)))
    assert scene.distance().distance == 0.0
