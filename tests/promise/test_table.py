"""The rows of the design's table of cases that are about motion, by name; those about meshes are next door."""

import math

import numpy as np
import pytest

import tocsin
from promise.scenes import TETRAHEDRON, arm, at, box_mesh, gap, two
from tocsin import Status
from tocsin_bench.oracles import kinematics, shapes

BOX = box_mesh()


# --- touching or overlapping at t = 0: time 0, INITIAL_CONTACT, witness pair reported ---------------------------------


@pytest.mark.parametrize(
    ("shape_a", "shape_b", "start"),
    [
        (BOX, BOX, at(0.9)),  # overlapping
        (BOX, BOX, at(1.0)),  # flush, distance exactly 0
        (BOX, BOX, at(1.0, 1.0, 1.0)),  # corner on corner, distance exactly 0
        (BOX, BOX, at(1.0, 1.0, 0.3)),  # edge along edge
        (BOX, BOX, at(0, 0, 0)),  # the same place
        (tocsin.Sphere(radius=1), tocsin.Sphere(radius=0.5), at(1.5)),
        (tocsin.Sphere(radius=1), BOX, at(1.4)),
        (tocsin.Capsule(radius=0.5, length=1), tocsin.Box(size=(1, 1, 1)), at(0, 0, 1.5)),
        (tocsin.Cylinder(radius=0.5, length=1), tocsin.Cylinder(radius=0.5, length=1), at(0, 0, 1.0)),
        (tocsin.ConvexHull(BOX[0]), TETRAHEDRON, at(0.5, 0.2, 0.2)),
    ],
)
def test_touching_at_the_start_is_an_initial_contact_with_a_witness(shape_a, shape_b, start):
    scene, a, b = two(shape_a, shape_b)
    hit = scene.first_contact(a.move(at(), at(-3)), b.at(start))
    assert hit.status is Status.INITIAL_CONTACT
    assert hit.time == 0.0
    assert hit.collides
    assert hit.bracket == (0.0, 0.0)
    assert len(hit.contacts) >= 1
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"a", "b"}
    assert hit.contacts[0].distance <= hit.tolerance
    assert not scene.is_free(a.move(at(), at(-3)), b.at(start))


def test_within_the_margin_at_the_start_is_an_initial_contact():
    scene, a, b = two(BOX, BOX)
    hit = scene.first_contact(a.move(at(), at(-3)), b.at(at(1.5)), margin=0.5)
    assert (hit.status, hit.time) == (Status.INITIAL_CONTACT, 0.0)


def test_a_robot_that_starts_in_itself_is_an_initial_contact():
    builder = tocsin.RobotBuilder("r")
    builder.link("base", tocsin.Box(size=(1, 1, 1)))
    builder.link("middle", parent="base", joint="prismatic", axis=(1, 0, 0), origin=(0, 0, 3))
    builder.link("stick", tocsin.Box(size=(0.1, 0.1, 0.1)), parent="middle", joint="prismatic", axis=(0, 0, 1))
    builder.link("tip", tocsin.Sphere(radius=0.2), parent="stick", joint="prismatic", axis=(0, 0, -1))
    robot = builder.build()
    hit = tocsin.Scene(robot).first_contact(robot.move([0, 0, 2.5], [1, 0, 2.5]))
    assert hit.status is Status.INITIAL_CONTACT
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"base", "tip"}


# --- first contact exactly at t = 1: found ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape_a", "shape_b", "start", "stop"),
    [
        (BOX, BOX, at(4), at(1)),  # flush
        (BOX, BOX, at(4, 3, 2), at(1, 1, 1)),  # corner to corner
        (BOX, BOX, at(4, 0.25, 5), at(1, 0.25, 1)),  # edge to edge
        (TETRAHEDRON, BOX, at(-3, 0.1, 0.1), at(-1.5, 0.1, 0.1)),  # vertex to face
        (tocsin.Sphere(radius=0.5), tocsin.Sphere(radius=0.25), at(5), at(0.75)),
        (tocsin.Box(size=(1, 1, 1)), tocsin.Sphere(radius=0.5), at(0, 0, 9), at(0, 0, 1)),
        (tocsin.Cylinder(radius=0.5, length=1), BOX, at(0, 0, 9), at(0, 0, 1)),
        (tocsin.Capsule(radius=0.5, length=1), BOX, at(0, 0, 9), at(0, 0, 1.5)),
    ],
)
def test_contact_exactly_at_the_end_is_found(shape_a, shape_b, start, stop):
    scene, a, b = two(shape_b, shape_a)
    hit = scene.first_contact(b.move(start, stop), a.at(at()))
    assert hit.status is Status.CONTACT
    assert 0.9 < hit.time <= 1.0
    assert not scene.is_free(b.move(start, stop), a.at(at()))


def test_contact_exactly_at_the_end_of_a_turn_is_found():
    robot = arm(shape=(box_mesh(0.2, 0.2, 0.2), at(1)))
    wall = tocsin.Body(box_mesh(1, 1, 1), name="wall")
    scene = tocsin.Scene(robot, wall)
    # At a quarter turn the tip's box is centred at (0, 1, 0) and reaches to y = 1.1; Rot(pi/2) is exact to 1e-16 only,
    # so the wall stands an ulp inside.
    hit = scene.first_contact(robot.move([0], [math.pi / 2]), wall.at(at(0, 1.6 - 1e-15, 0)))
    assert hit.collides
    assert hit.time <= 1.0


def test_contact_exactly_at_the_end_of_a_sliding_joint_is_found():
    robot = arm("prismatic", axis=(1, 0, 0), shape=box_mesh(1, 1, 1))
    wall = tocsin.Body(box_mesh(1, 1, 1), name="wall", pose=at(8))
    hit = tocsin.Scene(robot, wall).first_contact(robot.move([0], [7]))
    assert hit.collides
    assert 0.999 < hit.time <= 1.0


def test_contact_exactly_at_the_end_of_a_path_is_found():
    scene, a, _ = two(BOX, BOX)
    hit = scene.first_contact(a.follow([at(5), at(5, 5), at(0, 5), at(0, 1)]))
    assert hit.collides
    assert 0.99 < hit.time <= 1.0


# --- nothing moves: the static answer --------------------------------------------------------------------------------


def test_nothing_moves_and_nothing_touches():
    scene, a, b = two(BOX, BOX)
    for motions in (
        (a.at(at(3)),),
        (a.move(at(3), at(3)),),
        (a.at(at(3)), b.at(at())),
        (a.move(at(3), at(3)), b.at(at())),
    ):
        hit = scene.first_contact(*motions)
        assert (hit.status, hit.time, hit.collides, hit.contacts) == (Status.FREE, math.inf, False, ())
        assert scene.is_free(*motions)
    assert scene.distance(a.at(at(3))).distance == pytest.approx(2.0)


def test_nothing_moves_and_things_touch():
    scene, a, _ = two(BOX, BOX)
    for motion in (a.at(at(1)), a.move(at(1), at(1)), a.follow([at(1), at(1), at(1)])):
        hit = scene.first_contact(motion)
        assert (hit.status, hit.time) == (Status.INITIAL_CONTACT, 0.0)
        assert not scene.is_free(motion)


def test_no_motion_given_asks_about_where_everything_stands():
    a, b = tocsin.Body(BOX, name="a"), tocsin.Body(BOX, name="b", pose=at(3))
    assert tocsin.Scene(a, b).first_contact().status is Status.FREE
    c = tocsin.Body(BOX, name="c", pose=at(0.5))
    assert tocsin.Scene(a, c).first_contact().status is Status.INITIAL_CONTACT
    assert tocsin.Scene(a, b).is_free()


def test_a_turn_on_the_spot_of_a_sphere_is_free():
    scene, a, _ = two(tocsin.Sphere(radius=1), BOX)
    assert scene.is_free(a.move(at(2), at(2, turn=(0, 0, 170))))


# --- parallel edges, coplanar motion, grazing: found within the tolerance ----------------------------------------


def test_parallel_edges_meet():
    scene, a, b = two(BOX, BOX)
    motion = a.move(at(3, 1, 0), at(-3, 1, 0))  # the edges (x, y) = (0.5, 0.5) pass exactly along each other
    hit = scene.first_contact(motion, b.at(at()))
    assert hit.collides
    assert hit.time <= 1 / 3
    assert 3 - 6 * hit.time - 1 <= hit.tolerance + 1e-12


def test_parallel_edges_of_sheets_meet():
    sheet = (np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0.0]]), np.array([[0, 1, 2], [0, 2, 3]]))
    scene, a, b = two(sheet, sheet)
    hit = scene.first_contact(a.move(at(6), at(-6)), b.at(at()))  # both in the plane z = 0
    assert hit.collides
    assert hit.time <= 1 / 3
    assert 4 - 12 * hit.time <= hit.tolerance + 1e-12


def test_coplanar_triangles_that_turn_in_their_plane_meet():
    flat = (np.array([[1, 0, 0], [2, 0.0, 0], [2, 0.5, 0]]), np.array([[0, 1, 2]]))
    scene, a, b = two(flat, flat)
    hit = scene.first_contact(a.move(at(turn=(0, 0, -170)), at(turn=(0, 0, -1))), b.at(at()))
    assert hit.collides
    assert hit.time <= 1.0


def test_a_sheet_that_slides_along_a_face_touches_it():
    scene, a, b = two(BOX, BOX)
    hit = scene.first_contact(a.move(at(5, 0, 1), at(-5, 0, 1)), b.at(at()))  # faces at z = 0.5 of both, exactly flush
    assert hit.collides
    assert hit.time <= 0.4


@pytest.mark.parametrize("offset", [0.0, -1e-13, -1e-9])
def test_a_grazing_sphere_is_found(offset):
    scene, a, b = two(tocsin.Sphere(radius=0.5), BOX)
    hit = scene.first_contact(a.move(at(-7, 0, 1 + offset), at(9, 0, 1 + offset)), b.at(at()))
    assert hit.collides
    assert hit.time <= 0.4375  # over the box from x = -0.5 on: 6.5 / 16 = 0.40625, plus what rounding may hide


def test_a_corner_that_grazes_a_ridge_for_a_moment_is_found():
    scene, a, b = two(TETRAHEDRON, BOX)
    # The tetrahedron's corner (0, 0, 0) passes the edge (x, z) = (0.5, 0.5) of the box at t = 1/2, exactly, and moves
    # tangentially to it there: contact lasts for one moment.
    turned = at(turn=(0, -45, 0))
    start, stop = turned.copy(), turned.copy()
    start[:3, 3], stop[:3, 3] = (0.5 - 4, 0.1, 0.5 + 4), (0.5 + 4, 0.1, 0.5 - 4)
    hit = scene.first_contact(a.move(start, stop), b.at(at()))
    assert hit.collides
    assert hit.time <= 0.5


def test_a_near_miss_by_more_than_the_tolerance_is_free():
    scene, a, b = two(tocsin.Sphere(radius=0.5), BOX)
    gap_left = 1e-3
    motion = a.move(at(-7, 0, 1 + gap_left), at(9, 0, 1 + gap_left))
    assert scene.first_contact(motion, b.at(at()), tolerance=gap_left / 2).status is Status.FREE
    assert scene.is_free(motion, b.at(at()), tolerance=gap_left / 2)
    assert scene.first_contact(motion, b.at(at()), margin=gap_left * 1.0001).collides


def test_a_fast_body_does_not_tunnel_through_a_thin_plate():
    plate = box_mesh(1, 1, 1e-4)
    scene, a, b = two(box_mesh(0.01, 0.01, 0.01), plate)
    hit = scene.first_contact(a.move(at(0, 0, 500), at(0, 0, -500)), b.at(at()))
    assert hit.collides
    assert hit.time <= (500 - 0.00505) / 1000 + 1e-12
    assert 500 - 1000 * hit.time - 0.00505 <= hit.tolerance + 1e-9


# --- rotation beyond 180 degrees, several turns ----------------------------------------------------------------------


def test_a_revolute_joint_from_0_to_4_pi_turns_twice():
    builder = tocsin.RobotBuilder("arm")
    builder.link("base")
    builder.link("boom", parent="base", joint="revolute", joint_name="turn")
    ball = (tocsin.Sphere(radius=0.1), at(1))
    # The arm grows by 0.1 per radian: past the post at 1.785 (angle pi/2 of the second turn), not in the first.
    builder.link("tip", ball, parent="boom", joint="prismatic", axis=(1, 0, 0), mimic=("turn", 0.1, 0.0))
    robot = builder.build()
    post = tocsin.Body(tocsin.Sphere(radius=0.1), name="post", pose=at(0, 1 + 0.1 * 2.5 * math.pi, 0))
    hit = tocsin.Scene(robot, post).first_contact(robot.move([0], [4 * math.pi]))
    assert hit.collides
    assert 0.6 < hit.time <= 0.625
    assert robot.at_contact(hit)[0] == pytest.approx(4 * math.pi * hit.time)
    assert tocsin.Scene(robot, post).is_free(robot.move([0], [2 * math.pi]))


@pytest.mark.parametrize("turns", [-2, -1, 0.75, 1, 2, 5])
def test_several_turns_meet_what_stands_on_the_way(turns):
    robot = arm()
    post = tocsin.Body(tocsin.Box(size=(0.1, 0.1, 0.1)), name="post", pose=at(0, 1))
    hit = tocsin.Scene(robot, post).first_contact(robot.move([0], [turns * 2 * math.pi]))
    assert hit.collides
    angle = math.pi / 2 if turns > 0 else -1.5 * math.pi
    assert hit.time <= angle / (turns * 2 * math.pi)
    tip, still = shapes.box((0.2, 0.2, 0.2)), shapes.box((0.1, 0.1, 0.1))
    there = at(turn=(0, 0, 360 * turns * hit.time)) @ at(1)
    assert gap(tip, there, still, at(0, 1)) <= hit.tolerance + 1e-12


def test_a_whole_turn_between_equal_ends_is_not_standing_still():
    robot = arm()
    post = tocsin.Body(tocsin.Box(size=(0.1, 0.1, 0.1)), name="post", pose=at(-1))
    scene = tocsin.Scene(robot, post)
    assert scene.first_contact(robot.move([0], [2 * math.pi])).collides
    assert scene.is_free(robot.move([0], [0]))


def test_matrices_take_the_shorter_arc():
    block = (tocsin.Box(size=(0.2, 0.2, 0.2)), at(1))
    body = tocsin.Body([block], name="body")
    for angle, post_at, touched in ((200, 100, False), (200, -80, True), (170, 85, True), (170, -85, False)):
        where = at(turn=(0, 0, post_at)) @ at(1)
        post = tocsin.Body(tocsin.Sphere(radius=0.1), name="post", pose=where)
        hit = tocsin.Scene(body, post).first_contact(body.move(at(), at(turn=(0, 0, angle))))
        assert hit.collides == touched, (angle, post_at)


def test_half_a_turn_takes_one_of_the_two_arcs():
    body = tocsin.Body([(tocsin.Box(size=(0.2, 0.2, 0.2)), at(1))], name="body")
    half = at()
    half[:3, :3] = np.diag([-1.0, -1.0, 1.0])
    hits = []
    for side in (1, -1):
        post = tocsin.Body(tocsin.Sphere(radius=0.1), name="post", pose=at(0, side))
        hits.append(tocsin.Scene(body, post).first_contact(body.move(at(), half)).collides)
    assert sorted(hits) == [False, True]


@pytest.mark.parametrize("kind", ["ball", "floating"])
def test_a_quaternion_and_its_negative_are_the_same_orientation(kind):
    robot = arm(kind)
    post = tocsin.Body(tocsin.Sphere(radius=0.1), name="post", pose=at(0, 1))
    scene = tocsin.Scene(robot, post)
    shift = [0.0] * (3 if kind == "floating" else 0)
    start = np.array([*shift, 0, 0, 0, 1.0])
    angle = math.radians(120)
    stop = np.array([*shift, 0, 0, math.sin(angle / 2), math.cos(angle / 2)])
    flip = np.array([1.0] * len(shift) + [-1.0] * 4)
    times = {scene.first_contact(robot.move(a, b)).time for a in (start, start * flip) for b in (stop, stop * flip)}
    assert len(times) == 1
    assert times.pop() < 1


def test_a_free_base_takes_the_shorter_arc():
    builder = tocsin.RobotBuilder("rover", base="free")
    builder.link("body", (tocsin.Box(size=(0.2, 0.2, 0.2)), at(1)))
    robot = builder.build()
    post = tocsin.Body(tocsin.Sphere(radius=0.1), name="post", pose=at(turn=(0, 0, -80)) @ at(1))
    assert tocsin.Scene(robot, post).first_contact(robot.move([], [], base=(at(), at(turn=(0, 0, 200))))).collides


# --- scene scaled by 2^k: the same times ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [-30, -7, 1, 20, 40])
def test_a_scene_scaled_by_a_power_of_two_has_the_same_times(k):
    s = 2.0**k
    times = []
    for f in (1.0, s):
        scene, a, b = two((f * BOX[0], BOX[1]), (f * TETRAHEDRON[0], TETRAHEDRON[1]))
        start, stop = at(3, 0.2, 0.1, (10, 20, 30)), at(-3, 0.1, 0.3, (-40, 100, 7))
        start[:3, 3] *= f
        stop[:3, 3] *= f
        hit = scene.first_contact(a.move(start, stop), b.at(at()), margin=0.01 * f)
        times.append((hit.status, hit.time))
        assert hit.collides
    assert times[0] == times[1]


@pytest.mark.parametrize("k", [-30, 12, 40])
def test_scaled_primitives_have_the_same_times(k):
    s = 2.0**k
    for make in (
        lambda f: tocsin.Sphere(radius=0.3 * f),
        lambda f: tocsin.Capsule(radius=0.2 * f, length=0.7 * f),
        lambda f: tocsin.Cylinder(radius=0.2 * f, length=0.7 * f),
        lambda f: tocsin.Box(size=(0.2 * f, 0.3 * f, 0.7 * f)),
        lambda f: tocsin.ConvexHull(f * TETRAHEDRON[0]),
    ):
        times = []
        for f in (1.0, s):
            scene, a, b = two(make(f), (f * TETRAHEDRON[0], TETRAHEDRON[1]))
            start, stop = at(3, 0.2, 0.1, (10, 20, 30)), at(-3, 0.1, 0.3, (-40, 100, 7))
            start[:3, 3] *= f
            stop[:3, 3] *= f
            times.append(scene.first_contact(a.move(start, stop), b.at(at())).time)
        assert times[0] == times[1] < 1, type(make(1.0)).__name__


# --- what holds for all of them ----------------------------------------------------------------------------------


def test_the_poses_of_a_contact_are_those_of_the_definitions():
    robot = arm("floating")
    q0, q1 = [0, 0, 0, 0, 0, 0, 1.0], [1, 2, 3, 0.5, 0.5, 0.5, 0.5]
    tree = kinematics.Tree((kinematics.Joint(), kinematics.Joint("floating", 0)))
    motion = robot.move(q0, q1)
    for t in (0.0, 0.3, 1.0):
        assert np.allclose(motion.link_poses(t), kinematics.poses(tree, q0, q1, [t])[0], atol=1e-12)
