"""Primitives: checked at the door, centred, and drawn as closed meshes that face outward."""

import math

import numpy as np
import pytest

from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Sphere


@pytest.mark.parametrize(
    ("shape", "volume", "top"),
    [
        (Box((1, 2, 3)), 6.0, 1.5),
        (Sphere(0.5), math.pi / 6, 0.5),
        (Capsule(0.5, 2.0), math.pi / 6 + math.pi / 2, 1.5),
        (Cylinder(0.5, 2.0), math.pi / 2, 1.0),
        (ConvexHull([[0, 0, -1], [0, 0, 1], [1, 0, -1], [0, 1, -1]]), 1 / 3, 1.0),
    ],
    ids=lambda value: type(value).__name__,
)
def test_tessellations_are_closed_outward_and_nearly_exact(shape, volume, top):
    mesh = shape.tessellate(128)
    assert mesh.report.is_closed
    assert mesh.report.degenerate == 0
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(volume, rel=2e-3)
    assert mesh.vertices[:, 2].max() == pytest.approx(top)
    assert mesh.vertices[:, 2].min() == pytest.approx(-top)
    assert shape.tessellate(3).report.is_closed


def test_hulls_without_volume_are_legal():
    assert len(ConvexHull([[1, 2, 3]]).tessellate().faces) == 0
    assert len(ConvexHull([[0, 0, 0], [1, 0, 0]]).tessellate().faces) == 0
    assert len(ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0]]).tessellate().faces) == 2


def test_equal_primitives_are_equal():
    assert Box([1, 2, 3]) == Box(np.array([1.0, 2.0, 3.0]))
    assert hash(Sphere(1)) == hash(Sphere(1.0))


@pytest.mark.parametrize("wrong", [0, -1, math.nan, math.inf, "wide", None])
def test_sizes_must_be_positive_and_finite(wrong):
    for make in (
        lambda: Sphere(wrong),
        lambda: Capsule(wrong, 1),
        lambda: Capsule(1, wrong),
        lambda: Cylinder(wrong, 1),
        lambda: Cylinder(1, wrong),
        lambda: Box((1, wrong, 1)),
    ):
        with pytest.raises(ValueError, match="positive finite number in metres; got"):
            make()


def test_other_nonsense_is_refused():
    for size in (1.0, (1, 2), (1, 2, 3, 4)):
        with pytest.raises(ValueError, match="three edge lengths"):
            Box(size)
    with pytest.raises(ValueError, match="at least one point"):
        ConvexHull([])
    with pytest.raises(ValueError, match="finite"):
        ConvexHull([[0, 0, np.nan]])
    with pytest.raises(ValueError, match="resolution"):
        Sphere(1).tessellate(2)
