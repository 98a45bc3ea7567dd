"""The distance of a standing scene: records made of closest points, of links and of what deforms."""

import math

import numpy as np
import pytest

import tocsin
from tocsin import Body, Capsule, RobotBuilder, Scene, Sphere
from tocsin.queries.distance import distance_from

pytestmark = pytest.mark.pure


def test_the_normal_goes_from_a_to_b_and_is_zero_where_nothing_separates():
    x, y = np.zeros(3), np.array([0.0, 3.0, 4.0])
    found = distance_from(5.0, 4.9, x, y, ("arm", "hand"), ("table", "table"))
    assert found.normal.tolist() == [0.0, 0.6, 0.8]
    assert (found.model_a, found.link_a, found.model_b, found.link_b) == ("arm", "hand", "table", "table")
    assert distance_from(0.0, 0.0, x, x, ("", ""), ("", "")).normal.tolist() == [0.0] * 3
    nothing = distance_from(math.inf, math.inf, x, y, ("a", "a"), ("b", "b"))
    assert (nothing.distance, nothing.lower, nothing.link_a) == (math.inf, math.inf, "")
    assert distance_from(math.inf, 0.0, x, y, ("", ""), ("", "")).lower == 0.0, "what is not known is not proven"


def test_a_motion_is_refused_and_a_placement_asked():
    a, b = tocsin.Body(tocsin.Sphere(0.5), name="a"), tocsin.Body(tocsin.Sphere(0.5), (3, 0, 0), name="b")
    scene = tocsin.Scene(a, b)
    with pytest.raises(tocsin.TocsinError, match="one moment"):
        scene.distance(a.move((0, 0, 0), (1, 0, 0)))
    assert scene.distance(a.at((1, 0, 0))).distance == pytest.approx(1.0)
    assert scene.distance().distance == pytest.approx(2.0)


def test_what_deforms_and_what_does_not_are_compared():
    a, b = tocsin.Body(tocsin.Sphere(0.5), name="a"), tocsin.Body(tocsin.Sphere(0.5), (3, 0, 0), name="b")
    cloth = tocsin.Deformable([[0, 0, 1], [1, 0, 1], [0, 1, 1]], [[0, 1, 2]], name="cloth")
    with np.errstate(divide="ignore", invalid="ignore"):  # as Python: lanes that are empty divide by 0
        near = tocsin.Scene(a, b, cloth).distance()
    assert near.distance == pytest.approx(0.5)
    assert {near.model_a, near.model_b} == {"a", "cloth"}
    with np.errstate(divide="ignore", invalid="ignore"):
        far = tocsin.Scene(a, b, cloth).distance(cloth.at(cloth.vertices + (0, 0, 50)))
    assert far.distance == pytest.approx(50.5), "of what is given to everything else"
    assert far.lower <= far.distance


@pytest.mark.parametrize("off", [5e-324, 1e-310, 1e-200, -1e-165, 1e-160, 1e-30])
@pytest.mark.parametrize("stands", [False, True])
def test_things_nearer_than_any_length_with_a_square_have_a_distance(off, stands):
    """Balls around one point: GJK found no direction between them, and their distance was called infinite."""
    ball, other = Body(Sphere(0.5), name="ball"), Body(Sphere(0.3), (0, 0, off if stands else 0), name="other")
    at, scene = (0.0, 0.0, 0.0 if stands else off), Scene(ball, other)
    for found in (scene.distance(ball.at(at)), scene.distance(ball.at(at), other.at(other.rest[:3])), scene.distance()):
        assert (found.distance, found.lower) == (0.0, 0.0)
        assert {found.link_a, found.link_b} == {"ball", "other"}
    many = scene.distances(ball, [at, (2.0, 0, 0)])
    assert many.distance == pytest.approx([0.0, 1.2], abs=1e-12)
    assert set(many.links[0]) == {"ball", "other"}


@pytest.mark.parametrize("off", [5e-324, 1e-200, -1e-165])
@pytest.mark.parametrize("shape", [Sphere(0.3), Capsule(0.2, 0.3)])
def test_things_that_near_are_closer_than_others(off, shape):
    """A third body, 2.5 m away, was called the closest: the pair whose distance was infinite was passed over."""
    ball, far = Body(Sphere(0.5), name="ball"), Body(Sphere(0.5), (3.5, 0, 0), name="far")
    other = Body(shape, (0, off, 0), name="other")
    scene = Scene(ball, far, other)
    for found in (scene.distance(), scene.distance(ball.at((0, 0, 0))), scene.distances(ball, [(0, 0, 0)])[0]):
        assert (found.distance, {found.link_a, found.link_b}) == (0.0, {"ball", "other"})


def test_a_joint_that_hardly_turns_has_links_with_a_distance():
    builder = RobotBuilder("arm").link("base", Sphere(0.1))
    builder.link("frame", Sphere(0.05), parent="base", joint="prismatic", axis=(0, 0, 1))
    robot = builder.link("hand", Sphere(0.1), parent="frame", joint="prismatic", axis=(1, 0, 0)).build()
    scene = Scene(robot)
    assert scene.distance(robot.at([1e-200, -1e-300])).distance == 0.0
    assert scene.distance(robot.at([0.4, 1e-300])).distance == pytest.approx(0.2, abs=1e-12)
