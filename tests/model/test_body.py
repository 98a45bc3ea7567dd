"""Rigid bodies: where they stand and how they move."""

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh
from tocsin import Body, TocsinError
from tocsin_bench.oracles import kinematics

CUBE = tocsin.Box((1, 1, 1))
START, STOP = at(1, 2, 3, (10, 20, 30)), at(-1, 0, 2, (-50, 80, 0))


@pytest.mark.pure
def test_a_body_moves_as_defined():
    body = tocsin.Body(tocsin.Sphere(1.0), name="ball")
    motion = body.move(START, STOP)
    for t, pose in zip((0.0, 0.3, 1.0), kinematics.body_poses(START, STOP, [0.0, 0.3, 1.0])):
        assert np.allclose(motion.link_poses(t)[0], pose, atol=1e-14)


def test_a_path_goes_through_its_poses_in_equal_times():
    body = tocsin.Body(tocsin.Sphere(1.0))
    path = body.follow([START, STOP, at(5)])
    assert path.pieces == 2
    for t, pose in ((0.0, START), (0.5, STOP), (1.0, at(5))):
        assert np.allclose(path.link_poses(t)[0], pose, atol=1e-14)


def test_a_body_stands_where_it_was_placed():
    body = tocsin.Body(tocsin.Sphere(1.0), START)
    other = tocsin.Body(tocsin.Sphere(1.0), name="other")
    scene = tocsin.Scene(body, other)
    far = scene.distance().distance
    assert far == pytest.approx(np.sqrt(14.0) - 2.0)
    body.place(at(10))
    assert scene.distance().distance == pytest.approx(8.0)


def test_at_contact_is_the_pose_at_the_time_of_contact():
    a, b = tocsin.Body(tocsin.Sphere(1.0), name="a"), tocsin.Body(tocsin.Sphere(1.0), START, name="b")
    hit = tocsin.Scene(a, b).first_contact(a.move(at(9, 2, 3), START))
    assert np.allclose(a.at_contact(hit)[:3, 3], np.array([9, 2, 3]) + hit.time * np.array([-8.0, 0, 0]))
    assert np.allclose(b.at_contact(hit), START)


def test_meshes_come_in_several_forms():
    vertices, faces = box_mesh()
    for body in (tocsin.Body((vertices, faces)), tocsin.Body.from_mesh(tocsin.Mesh(vertices, faces))):
        assert len(body.shapes[0][0].faces) == 12
    assert "12 triangles" in repr(body)


def test_a_body_of_several_placed_shapes_is_all_of_them():
    body = tocsin.Body([(tocsin.Sphere(1.0), at(-3)), (tocsin.Sphere(1.0), at(3))], name="dumbbell")
    ball = tocsin.Body(tocsin.Sphere(1.0), name="ball")
    assert tocsin.Scene(body, ball).distance().distance == pytest.approx(1.0)
    assert tocsin.Scene(body, ball).distance(ball.at(at(6))).distance == pytest.approx(1.0)


def test_a_path_of_one_pose_is_refused():
    with pytest.raises(tocsin.TocsinError, match="two poses"):
        tocsin.Body(tocsin.Sphere(1.0)).follow([START])


@pytest.mark.pure
def test_a_translation_is_a_pose():
    body = tocsin.Body(CUBE, (1, 2, 3))
    far = np.eye(4)
    far[:3, 3] = 1, 2, 3
    assert np.array_equal(body.rest, tocsin.Body(CUBE, far).rest)
    assert np.array_equal(body.move((0, 0, 0), [1, 2, 3]).rows, body.move(np.eye(4), far).rows)
    assert np.array_equal(body.follow([(0, 0, 0), far]).rows, body.follow([np.eye(4), (1, 2, 3)]).rows)


@pytest.mark.pure
def test_a_body_says_what_it_is_made_of():
    assert repr(tocsin.Body([CUBE, CUBE.tessellate()], name="b")) == "<Body 'b': 2 shapes, 12 triangles>"
    assert repr(tocsin.Body(CUBE, name="b")) == "<Body 'b': 1 shape>"


@pytest.mark.pure
def test_a_cloud_is_a_ball_about_each_point(tmp_path):
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0]])
    cloud = Body.from_points(points, 0.1, (0, 0, 5), name="cloud")
    assert sorted((s.source.radius, *s.placement[:3, 3]) for s in cloud.shapes[0]) == [
        (0.1, 0, 0, 0), (0.1, 0, 2, 0), (0.1, 1, 0, 0)
    ]  # fmt: skip
    assert cloud.rest[:3].tolist() == [0, 0, 5]
    file = tmp_path / "scan.xyz"
    file.write_text("0 0 0\n1000 0 0\n0 2000 0\n")
    scan = Body.from_points(file, 0.1, units="mm")
    assert scan.name == "scan"
    assert [s.placement.tolist() for s in scan.shapes[0]] == [s.placement.tolist() for s in cloud.shapes[0]]
    few = Body.from_points(points, 0.1, spacing=10.0)
    assert len(few.shapes[0]) == 1


@pytest.mark.pure
@pytest.mark.parametrize(
    ("give", "says"),
    [
        (lambda: Body.from_points(np.zeros((0, 3)), 0.1), "there are none"),
        (lambda: Body.from_points(np.zeros((3, 2)), 0.1), r"shape \(n, 3\)"),
        (lambda: Body.from_points([[0, 0, 0]], 0), "greater than 0"),
        (lambda: Body.from_points([[0, 0, 0]], 0.1, spacing=-1), "spacing must be greater than 0"),
        (lambda: Body.from_points(np.arange(60003.0).reshape(-1, 3), 0.1), "20001 balls; at most 20000.*spacing"),
        (lambda: Body.from_heights([[0, 1]], 0.1), "at least 2 x 2"),
        (lambda: Body.from_heights(np.zeros((2, 2)), 0.0), "spacing must be one or two numbers greater than 0"),
        (lambda: Body.from_heights(np.zeros((2, 2)), (1, 2, 3)), "spacing must be one or two numbers"),
        (lambda: Body.from_heights(np.zeros((2, 2)), 1.0, base=0.0), "below the lowest height"),
    ],
)
def test_what_is_no_cloud_or_ground_is_refused(give, says):
    with pytest.raises(TocsinError, match=says):
        give()


@pytest.mark.pure
def test_ground_is_solid_and_centred():
    ground = Body.from_heights([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]], (2.0, 3.0))
    (shape,) = ground.shapes[0]
    assert shape.solid
    assert shape.points.min(axis=0).tolist() == [-2.0, -1.5, -3.0]
    assert shape.points.max(axis=0).tolist() == [2.0, 1.5, 1.0]


@pytest.mark.pure
def test_a_motion_that_stands_is_where_it_was_at_that_time():
    body = tocsin.Body(tocsin.Sphere(0.1))
    still = body.move((0.0, 0.0, 0.0), (4.0, 0.0, 0.0)).standing(0.25)
    assert still.pieces == 0
    assert np.array_equal(still.link_poses()[0][:3, 3], [1.0, 0.0, 0.0])
