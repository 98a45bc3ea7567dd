"""Depths: a translation that takes links apart, held against formulas, another library and sampled directions."""

import math

import numpy as np
import pytest
import trimesh

import tocsin
from tocsin import Body, Box, Capsule, ConvexHull, Cylinder, Scene, Sphere, TocsinError, pose


def only(*models):
    found = Scene(*models).penetration()
    assert len(found) == 1
    return found[0]


def clear_after(one, a, b, place):
    """Is b, moved as it says, proven clear of a?"""
    out = np.array(place, float)
    out[:3, 3] += (one.depth + 1e-9) * one.direction
    return Scene(a, b).distance(b.at(out)).lower > 0.0


@pytest.mark.parametrize(
    ("a", "b", "place", "depth", "direction"),
    [
        (Sphere(0.5), Sphere(0.25), (0.6, 0, 0), 0.15, (1, 0, 0)),
        (Box((1, 1, 1)), Box((1, 1, 1)), (0.8, 0.1, 0), 0.2, (1, 0, 0)),
        (Box((2, 2, 2)), Sphere(0.5), (0.0, 0.0, -0.7), 0.8, (0, 0, -1)),
        (Box((2, 2, 2)), Sphere(0.5), (0.0, 1.2, 0.0), 0.3, (0, 1, 0)),
        (Capsule(0.2, 1.0), Capsule(0.1, 1.0), (0.25, 0, 0.3), 0.05, (1, 0, 0)),
        (Cylinder(0.5, 1.0), Cylinder(0.5, 1.0), (0.0, 0.0, 0.9), 0.1, (0, 0, 1)),
        (Cylinder(0.5, 4.0), Sphere(0.1), (0.45, 0.0, 0.0), 0.15, (1, 0, 0)),
    ],
)
def test_depths_that_one_can_compute_by_hand(a, b, place, depth, direction):
    body_a, body_b = Body(a, name="a"), Body(b, place, name="b")
    one = only(body_a, body_b)
    assert one.depth == pytest.approx(depth, rel=1e-6)
    assert one.lower == pytest.approx(depth, rel=1e-3)
    assert one.lower <= one.depth
    assert np.allclose(one.direction, direction, atol=1e-3)
    assert clear_after(one, body_a, body_b, pose(place))


def test_depths_are_plain_numbers_that_print_as_such():
    one = only(Body(Box((1, 1, 1)), name="a"), Body(Sphere(0.2), (0.6, 0, 0), name="b"))
    assert (type(one.depth), type(one.lower)) == (float, float)


def test_shapes_that_coincide_cross_or_are_flat():
    for shape in (Box((1, 1, 1)), Sphere(0.5), Cylinder(0.5, 2.0)):
        assert only(Body(shape, name="a"), Body(shape, name="b")).depth == pytest.approx(1.0, rel=1e-6)
    across = pose((0, 0, 0), rpy=(1.57, 0, 0))
    crossed = only(Body(Capsule(0.1, 2.0), name="a"), Body(Capsule(0.1, 2.0), across, name="b"))
    assert crossed.depth == pytest.approx(0.2, rel=1e-6)
    flat = ConvexHull(np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0.0]]))
    assert only(Body(flat, name="a"), Body(flat, (0.5, 0, 0), name="b")).depth < 1e-9
    assert only(Body(flat, name="a"), Body(Sphere(0.1), (0, 0, 0.04), name="b")).depth == pytest.approx(0.06, rel=1e-6)


def test_random_convex_shapes_are_as_deep_as_directions_say_and_come_apart():
    rng = np.random.default_rng(7)
    directions = rng.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    seen = 0
    for _ in range(25):
        points = [rng.normal(size=(12, 3)) * rng.uniform(0.2, 1.0, 3) for _ in range(2)]
        place = pose(rng.normal(size=3) * 0.3, rpy=rng.uniform(-3, 3, 3))
        a, b = Body(ConvexHull(points[0]), name="a"), Body(ConvexHull(points[1]), place, name="b")
        found = Scene(a, b).penetration()
        if not found:
            continue
        one, moved = found[0], points[1] @ place[:3, :3].T + place[:3, 3]
        widths = (directions @ points[0].T).max(axis=1) - (directions @ moved.T).min(axis=1)
        assert one.depth <= widths.min() + 1e-9
        assert one.depth - one.lower <= 1e-6
        assert clear_after(one, a, b, place)
        seen += 1
    assert seen > 10


def test_coal_says_the_same_of_boxes():
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(40):
        sizes, place = rng.uniform(0.3, 1.5, (2, 3)), pose(rng.normal(size=3) * 0.3, rpy=rng.uniform(-3, 3, 3))
        found = Scene(Body(Box(sizes[0]), name="a"), Body(Box(sizes[1]), place, name="b")).penetration()
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        request.security_margin = 0.0
        moved = coal.Transform3s(place[:3, :3], place[:3, 3])
        coal.collide(coal.Box(*sizes[0]), coal.Transform3s(), coal.Box(*sizes[1]), moved, request, result)
        if found and result.isCollision():
            assert found[0].depth == pytest.approx(-result.getContact(0).penetration_depth, rel=1e-4, abs=1e-5)
            seen += 1
    assert seen > 10


def test_links_that_are_not_convex_come_out_too():
    ring = Body(trimesh.creation.torus(1.0, 0.3, major_sections=32, minor_sections=16), name="ring")
    pole = Body(Capsule(0.2, 3.0), (0.6, 0, 0), name="pole")
    one = only(ring, pole)
    assert not one.convex
    assert one.depth == pytest.approx(0.1, rel=0.02)  # towards the hole, not around the ring
    assert clear_after(one, ring, pole, pose((0.6, 0, 0)))
    table = Body([(Box((1, 1, 0.1)), (0, 0, 0.5)), (Box((0.1, 0.1, 1)), (0, 0, 0))], name="table")
    ball = Body(Sphere(0.2), (0.2, 0.0, 0.2), name="ball")
    one = only(table, ball)
    assert clear_after(one, table, ball, pose((0.2, 0, 0.2)))
    assert 0.05 - 1e-6 <= one.lower <= one.depth < 0.3


def test_robots_are_asked_link_by_link_and_what_is_ignored_is_left_out():
    b = tocsin.RobotBuilder("arm").link("base", Box((0.2, 0.2, 0.2)))
    b.link("beam", (Capsule(0.05, 0.5), (0, 0, 0.4)), parent="base", joint="revolute", axis=(0, 1, 0))
    arm = b.build()
    wall, floor = Body(Box((0.1, 2, 2)), (0.5, 0, 0), name="wall"), Body(Box((3, 3, 1)), (0, 0, -0.56), name="floor")
    scene = Scene(arm, wall, floor)
    scene.ignore("wall", "floor")
    found = scene.penetration(arm.at([math.pi / 2]))
    assert [(one.link_a, one.link_b) for one in found] == [("beam", "wall"), ("base", "floor")]
    assert found[0].depth == pytest.approx(0.7 - 0.45, rel=1e-6)
    assert found[1].depth == pytest.approx(0.04, rel=1e-6)
    assert scene.penetration(arm.at([0.0])) == found[1:]


def test_nothing_overlaps_and_motions_and_cloth_are_refused():
    a, b = Body(Sphere(0.1), name="a"), Body(Sphere(0.1), (1, 0, 0), name="b")
    assert Scene(a, b).penetration() == []
    with pytest.raises(TocsinError, match="about one moment"):
        Scene(a, b).penetration(a.move((0, 0, 0), (1, 0, 0)))
    cloth = tocsin.Deformable(np.eye(3), [[0, 1, 2]], name="cloth")
    with pytest.raises(TocsinError, match="deformable"):
        Scene(a, cloth).penetration()
    with pytest.raises(TocsinError, match="depth > 0"):
        bool(only(Body(Sphere(1.0), name="a"), Body(Sphere(1.0), name="b")))
