"""Distances at many placements: arrays and records say the same, and each is that of spheres by hand."""

import numpy as np
import pytest

import tocsin

OTHER = np.array([3.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def asked():
    builder = tocsin.RobotBuilder("rail").link("base")
    builder.link("x", parent="base", joint="prismatic", axis=(1, 0, 0))
    builder.link("y", tocsin.Sphere(0.5), parent="x", joint="prismatic", axis=(0, 1, 0))
    rail = builder.build()
    Q = np.random.default_rng(1).uniform(-3.0, 3.0, (40, 2))
    Q[0] = 3.0, 0.0
    scene = tocsin.Scene(rail, tocsin.Body(tocsin.Sphere(0.25), OTHER, name="ball"))
    return Q, scene.distances(rail, Q)


def test_every_distance_is_that_of_two_balls(asked):
    Q, found = asked
    truth = np.maximum(np.linalg.norm(np.column_stack([Q, np.zeros(len(Q))]) - OTHER, axis=1) - 0.75, 0.0)
    assert len(found) == 40
    assert found.distance == pytest.approx(truth, abs=1e-9)
    assert (found.lower <= truth + 1e-12).all()


def test_points_are_as_far_apart_as_is_said_and_links_are_named(asked):
    _, found = asked
    far = found.distance > 0.0
    apart = np.linalg.norm(found.points[:, 0] - found.points[:, 1], axis=1)
    assert apart[far] == pytest.approx(found.distance[far], abs=1e-9)
    assert {frozenset(pair) for pair in found.links[far].tolist()} == {frozenset(("y", "ball"))}


def test_one_by_one_they_are_the_rows(asked):
    _, found = asked
    assert [d.distance for d in found] == found.distance.tolist()
    assert found[-1].lower == found.lower[-1]
    assert [d.distance for d in found[5:8]] == found.distance[5:8].tolist()
    assert {found[1].link_a, found[1].link_b} == {"y", "ball"}
    with pytest.raises(IndexError):
        found[40]
    with pytest.raises(ValueError, match="read-only"):
        found.distance[0] = 1.0
    assert repr(found) == "<distances of 40 placements>"
