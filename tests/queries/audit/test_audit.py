"""The auditor: stretches that are known by construction are found, and what it calls free is free by other means."""

import math
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest

import tocsin
from tocsin.cli import demo_scene
from tocsin.motion.links import BASE_WIDTH
from tocsin.queries.audit import audit
from tocsin.queries.audit.clearance import CLEARANCE_GAP
from tocsin.queries.audit.search import begun, ended
from tocsin.results import Status


def refused(*words):
    """Expect an error that says all the words, in this order."""
    return pytest.raises(tocsin.TocsinError, match="(?is)" + ".*".join(re.escape(w) for w in words))


ARM, BALL, OBSTACLE = 1.0, 0.04, 0.06
TOLERANCE = 1e-7


def around(angle, far=ARM):
    """The pose at an angle on the circle that the arm's ball describes."""
    pose = np.eye(4)
    pose[:3, 3] = far * math.cos(angle), far * math.sin(angle), 0.0
    return pose


def cell(*angles, far=ARM):
    """An arm that carries a ball in a circle, and balls that stand on the circle at these angles."""
    b = tocsin.RobotBuilder("arm")
    b.link("post", tocsin.Cylinder(0.05, 0.2))
    b.link("ball", (tocsin.Sphere(BALL), (ARM, 0, 0)), parent="post", joint="revolute", axis=(0, 0, 1))
    arm = b.build()
    balls = [tocsin.Body(tocsin.Sphere(OBSTACLE), around(a, far), name=f"at {a:g}") for a in angles]
    return tocsin.Scene(arm, *balls), arm


def half_width(margin=0.0):
    """Balls whose centres are at the angle a from each other are 2 ARM sin(a / 2) apart."""
    return 2.0 * math.asin((BALL + OBSTACLE + margin) / (2.0 * ARM))


def turns(start, end, count):
    return np.linspace(start, end, count)[:, None]


def intervals(report):
    return [(s.enter.configuration[0], s.exit.configuration[0]) for s in report.stretches]


@pytest.mark.parametrize("waypoints", [2, 3, 17, 500])
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_stretches_known_by_construction_are_found_however_many_waypoints_there_are(waypoints, margin):
    scene, arm = cell(0.5, 1.1, 2.5)
    found = audit(scene, arm, turns(0, 3, waypoints), margin=margin, tolerance=TOLERANCE)
    expected = [(a - half_width(margin), a + half_width(margin)) for a in (0.5, 1.1, 2.5)]
    np.testing.assert_allclose(intervals(found), expected, atol=2e-6)
    for (enter, leave), (a, b) in zip(intervals(found), expected):
        assert enter <= a <= b <= leave
    assert [str(p) for s in found.stretches for p in s.pairs] == [f"ball and at {a}" for a in (0.5, 1.1, 2.5)]
    assert not found.is_free
    assert found.status is Status.CONTACT


def test_the_way_back_gives_the_same_stretches():
    scene, arm = cell(0.5, 1.1)
    there, back = (audit(scene, arm, path, tolerance=TOLERANCE) for path in (turns(0, 2, 5), turns(2, 0, 5)))
    mirrored = [(b, a) for a, b in reversed(intervals(back))]
    np.testing.assert_allclose(intervals(there), mirrored, atol=2e-6)


def test_stretches_of_two_obstacles_that_overlap_are_one_and_name_both():
    scene, arm = cell(1.0, 1.1)
    (only,) = audit(scene, arm, turns(0, 2, 9), tolerance=TOLERANCE).stretches
    assert {p.link_b for p in only.pairs} == {"at 1", "at 1.1"}
    assert {c.link_b for c in only.contacts} == {"at 1"}
    assert {c.link_b for c in only.exit_contacts} == {"at 1.1"}


@pytest.mark.parametrize(("resolution", "count"), [(0.019, 2), (0.021, 1)])
@pytest.mark.parametrize("waypoints", [2, 40])
def test_a_gap_is_found_if_it_is_at_least_as_long_as_the_resolution(resolution, count, waypoints):
    gap = 0.02
    scene, arm = cell(1.0, 1.0 + 2 * half_width() + gap)
    found = audit(scene, arm, turns(0, 2, waypoints), tolerance=TOLERANCE, resolution=resolution)
    assert len(found.stretches) == count


def test_the_sampling_step_that_would_have_been_needed_is_the_length_of_the_stretch():
    scene, arm = cell(1.0)
    (only,) = audit(scene, arm, turns(0, 2, 3), times=[0.0, 10.0, 14.0], tolerance=TOLERANCE).stretches
    assert only.joint_step == pytest.approx(2 * half_width(), abs=4e-6)
    # One radian in ten seconds up to the waypoint in the middle, then one in four.
    assert only.time_step == pytest.approx(half_width() * (10.0 + 4.0), abs=1e-4)
    assert only.enter.time == pytest.approx((1.0 - half_width()) * 10.0, abs=1e-4)
    assert (only.enter.waypoint, only.exit.waypoint) == (0, 1)
    assert only.exit.position == pytest.approx(1.0 + half_width(), abs=1e-5)


def test_positions_count_waypoints_and_times_are_left_out_where_there_are_none():
    scene, arm = cell(1.0)
    found = audit(scene, arm, turns(0, 2, 5), tolerance=TOLERANCE)
    (only,) = found.stretches
    assert only.enter.position == pytest.approx((1.0 - half_width()) / 0.5, abs=1e-5)
    assert only.enter.time is None
    assert only.time_step is None
    assert found.duration is None
    assert found.length == pytest.approx(2.0)
    assert found.free_stretches == ((0.0, only.enter.position), (only.exit.position, 4.0))


def test_an_audit_of_a_colliding_trajectory_cannot_be_taken_for_free():
    scene, arm = cell(1.0)
    found = audit(scene, arm, turns(0, 2, 5), tolerance=TOLERANCE)
    assert not found.is_free
    assert not hasattr(found, "free")  # a tuple of stretches, and so true, once
    for ask in (found, found.clearance):
        with pytest.raises(tocsin.TocsinError, match="neither true nor false"):
            bool(ask)


def test_a_trajectory_that_starts_and_ends_in_contact_says_so():
    scene, arm = cell(0.0, 2.0)
    found = audit(scene, arm, turns(0, 2, 4), tolerance=TOLERANCE)
    first, last = found.stretches
    assert first.status is Status.INITIAL_CONTACT
    assert (first.enter.waypoint, first.enter.fraction) == (0, 0.0)
    assert last.status is Status.CONTACT
    assert (last.exit.waypoint, last.exit.fraction) == (3, 0.0)
    assert found.status is Status.INITIAL_CONTACT


def test_a_trajectory_in_contact_all_the_time_is_one_stretch():
    scene, arm = cell(0.0)
    (only,) = audit(scene, arm, turns(-0.05, 0.05, 30)).stretches
    assert (only.enter.position, only.exit.position) == (0.0, 29.0)


def test_a_robot_that_stands_still_is_audited_too():
    scene, arm = cell(0.0)
    (only,) = audit(scene, arm, [[0.0], [0.0], [0.0]]).stretches
    assert (only.enter.position, only.exit.position, only.joint_step) == (0.0, 2.0, 0.0)
    assert audit(scene, arm, [[1.0], [1.0]]).is_free


def test_contact_exactly_at_the_last_waypoint_is_found():
    scene, arm = cell(1.0)
    (only,) = audit(scene, arm, turns(0.0, 1.0 - half_width(), 3), tolerance=TOLERANCE).stretches
    assert only.exit.position == 2.0
    assert only.joint_step < 1e-5


def test_what_is_undecided_is_never_called_free():
    scene, arm = cell(1.0)
    found = audit(scene, arm, turns(0, 2, 3), max_steps=1)
    assert not found.is_free
    assert found.stretches[0].enter.configuration[0] <= 1.0 - half_width()
    assert found.stretches[-1].exit.configuration[0] >= 1.0 + half_width()
    assert found.clearance.lower == 0.0
    near_miss, arm = cell(1.0, far=ARM + BALL + OBSTACLE + 1e-5)
    capped = audit(near_miss, arm, turns(0, 2, 3), max_steps=1, tolerance=1e-9)
    assert {s.status for s in capped.stretches} == {Status.CAPPED}
    assert capped.status is Status.CAPPED
    assert not capped.stretches[0].is_contact
    assert audit(near_miss, arm, turns(0, 2, 3), tolerance=1e-9).is_free


@pytest.mark.parametrize(("start", "end"), [(0.0, 0.6), (1.4, 3.0)])
@pytest.mark.parametrize("waypoints", [2, 100])
def test_clearance_is_bounded_from_both_sides(start, end, waypoints):
    scene, arm = cell(1.0)
    clearance = audit(scene, arm, turns(start, end, waypoints), margin=0.02).clearance
    nearest = min(abs(start - 1.0), abs(end - 1.0))
    truth = 2.0 * ARM * math.sin(nearest / 2.0) - BALL - OBSTACLE
    assert clearance.lower <= truth <= clearance.upper * (1 + 1e-12)
    assert clearance.lower >= (1.0 - CLEARANCE_GAP) * clearance.upper
    assert abs(clearance.at.configuration[0] - 1.0) == pytest.approx(nearest, abs=0.05)
    assert (clearance.nearest.link_a, clearance.nearest.link_b) == ("ball", "at 1")


def test_clearance_in_the_middle_of_a_piece_is_found():
    far = ARM + BALL + OBSTACLE + 0.01
    scene, arm = cell(1.0, far=far)
    clearance = audit(scene, arm, turns(0.0, 2.5, 2)).clearance
    assert 0.0098 <= clearance.lower <= 0.01 <= clearance.upper * (1.0 + 1e-9)
    assert clearance.lower >= (1.0 - CLEARANCE_GAP) * clearance.upper
    assert clearance.at.configuration[0] == pytest.approx(1.0, abs=0.03)


def test_clearance_does_not_depend_on_the_margin_and_is_zero_in_contact():
    scene, arm = cell(1.0)
    narrow, wide = (audit(scene, arm, turns(0, 0.7, 2), margin=m).clearance for m in (0.0, 0.5))
    assert wide.upper == pytest.approx(narrow.upper, rel=CLEARANCE_GAP)
    touching = audit(scene, arm, turns(0, 2, 2)).clearance
    assert (touching.lower, touching.upper) == (0.0, 0.0)


def test_with_nothing_to_keep_away_from_the_clearance_is_infinite():
    _, arm = cell()
    found = audit(tocsin.Scene(arm), arm, turns(0, 2, 3))
    assert found.is_free
    assert found.clearance.lower == found.clearance.upper == math.inf


def test_margins_of_single_pairs_count_for_stretches_but_not_for_the_clearance():
    scene, arm = cell(1.0)
    free = audit(scene, arm, turns(0, 0.7, 2))
    assert free.is_free
    scene.margins["ball", "at 1"] = 0.5
    (only,) = audit(scene, arm, turns(0, 0.7, 2), tolerance=TOLERANCE).stretches
    assert only.enter.configuration[0] == pytest.approx(1.0 - half_width(0.5), abs=2e-6)
    found = audit(scene, arm, turns(0, 0.7, 2))
    assert found.clearance.upper == pytest.approx(free.clearance.upper, rel=CLEARANCE_GAP)
    scene.ignore("ball", "at 1")
    assert audit(scene, arm, turns(0, 0.7, 2)).is_free


def test_orientations_are_followed_too():
    b = tocsin.RobotBuilder("pointer")
    b.link("post", tocsin.Cylinder(0.05, 0.2))
    b.link("ball", (tocsin.Sphere(BALL), (ARM, 0, 0)), parent="post", joint="ball")
    pointer = b.build()
    scene = tocsin.Scene(pointer, *[tocsin.Body(tocsin.Sphere(OBSTACLE), around(a), name=str(a)) for a in (0.5, 1.0)])
    path = [(0.0, 0.0, math.sin(a / 2), math.cos(a / 2)) for a in (0.0, 0.8, 1.5)]
    found = audit(scene, pointer, path, tolerance=TOLERANCE)
    angles = [
        [2.0 * math.atan2(m.configuration[2], m.configuration[3]) for m in (s.enter, s.exit)] for s in found.stretches
    ]
    np.testing.assert_allclose(angles, [(a - half_width(), a + half_width()) for a in (0.5, 1.0)], atol=3e-6)
    assert found.length == pytest.approx(1.5)


def test_a_motion_on_a_free_base_may_be_given():
    b = tocsin.RobotBuilder("drone", base="free")
    b.link("body", tocsin.Sphere(0.1))
    drone = b.build()
    scene = tocsin.Scene(drone, tocsin.Body(tocsin.Sphere(0.1), around(0.0, 1.0), name="ball"))
    motion = drone.follow(np.zeros((3, 0)), base=[around(0.0, x) for x in (0.0, 0.5, 2.0)])
    (only,) = audit(scene, drone, motion, tolerance=TOLERANCE).stretches
    assert only.enter.position == pytest.approx(1.0 + 0.3 / 1.5, abs=1e-6)
    assert only.exit.position == pytest.approx(1.0 + 0.7 / 1.5, abs=1e-6)


def random_cell(seed):
    """A 3-joint arm of capsules among random solids and meshes, and a random path."""
    rng = np.random.default_rng(seed)
    b = tocsin.RobotBuilder("arm")
    b.link("base", tocsin.Cylinder(0.08, 0.1))
    parent = "base"
    for k, axis in enumerate([(0, 0, 1), (0, 1, 0), (0, 1, 0)]):
        shape = (tocsin.Capsule(0.03, 0.25), (0, 0, 0.2))
        b.link(f"link{k}", shape, parent=parent, joint="revolute", axis=axis, origin=(0, 0, 0.1 if k == 0 else 0.4))
        parent = f"link{k}"
    arm = b.build()
    bodies = []
    for k in range(6):
        pose = np.eye(4)
        pose[:3, 3] = rng.uniform((-0.9, -0.9, 0.0), (0.9, 0.9, 1.2))
        shape = tocsin.Box(rng.uniform(0.002, 0.3, 3))
        bodies.append(tocsin.Body(shape.tessellate() if k % 2 else shape, pose, name=f"box{k}"))
    scene = tocsin.Scene(arm, *bodies, backend="hulls" if seed % 2 else "triangles")
    return scene, arm, rng.uniform(-1.5, 1.5, (5, 3))


@pytest.mark.parametrize("seed", range(8))
def test_no_sample_of_a_part_called_free_touches_and_stretches_touch_at_their_ends(seed):
    scene, arm, path = random_cell(seed)
    margin = (0.0, 0.01)[seed % 2]
    found = audit(scene, arm, path, margin=margin, tolerance=1e-5)
    motion = arm.follow(path)
    for first, last in found.free_stretches:
        for u in np.linspace(first, last, 400)[1:-1]:
            q = motion.row_at(u / 4)[BASE_WIDTH:]
            assert scene.distance(arm.at(q)).distance > margin
    for stretch in found.stretches:
        for moment in (stretch.enter, stretch.exit):
            assert scene.distance(arm.at(moment.configuration)).distance <= margin + 1e-5 + 1e-12
        assert stretch.pairs
        assert stretch.contacts
    sampled = min(scene.distance(arm.at(motion.row_at(t)[BASE_WIDTH:])).distance for t in np.linspace(0, 1, 2000))
    assert found.clearance.lower <= sampled
    assert found.clearance.lower >= (1.0 - CLEARANCE_GAP) * found.clearance.upper or found.clearance.lower == 0.0
    assert found.clearance.upper <= sampled / (1.0 - CLEARANCE_GAP) + 2e-5


def test_what_is_called_free_in_the_demonstration_is_free_by_fcl():
    fcl = pytest.importorskip("fcl", reason="needs python-fcl")
    demo = demo_scene.build()
    found = audit(demo.scene, demo.robot, [demo.q0, demo.q1], tolerance=1e-6)
    (only,) = found.stretches
    assert only.pairs == (("arm", "sheet", "plate", "plate"),)
    sheet, plate = demo.robot.shapes[-1][0], demo.scene.models[1]

    def model(mesh):
        built = fcl.BVHModel()
        built.beginModel(len(mesh.vertices), len(mesh.faces))
        built.addSubModel(mesh.vertices, mesh.faces)
        built.endModel()
        return built

    carried = fcl.CollisionObject(model(sheet.source), fcl.Transform())
    pose = np.eye(4)
    pose[:3] = plate.at_contact(demo.scene.first_contact(demo.motion))[:3]
    standing = fcl.CollisionObject(model(plate.shapes[0][0].source), fcl.Transform(pose[:3, :3], pose[:3, 3]))

    def touches(t):
        link = demo.robot.link_poses(demo.at(t))[-1] @ sheet.placement
        carried.setTransform(fcl.Transform(link[:3, :3], link[:3, 3]))
        return fcl.collide(carried, standing, fcl.CollisionRequest(), fcl.CollisionResult()) > 0

    for first, last in found.free_stretches:
        assert not any(touches(t) for t in np.linspace(first, last, 3000)[1:-1])
    assert any(touches(t) for t in np.linspace(only.enter.fraction, only.exit.fraction, 20))
    # Samples as far apart as the stretch is long hit it; ten times as far apart they may not.
    assert any(touches(t) for t in np.arange(0.0, 1.0, only.exit.fraction - only.enter.fraction - 1e-6))


@pytest.mark.parametrize("seed", range(4))
def test_places_of_times_are_rounded_outward_and_no_farther_than_two_units(seed):
    rng = np.random.default_rng(seed)
    times = [0.0, 1.0, 0.5, 0.1, 1.0 / 3.0, math.nextafter(1.0, 0.0), 5e-324, *rng.random(300)]
    for t in map(float, times):
        for pieces in (1, 2, 3, 7, 64, 100, 256, int(rng.integers(1, 10_000))):
            truth, first = Fraction(t) * pieces, int(rng.integers(0, 1000))
            (i, x), (k, y) = begun(first, pieces, t), ended(first, pieces, t)
            assert first <= i <= k < first + pieces
            assert 0.0 <= x <= 1.0
            assert 0.0 <= y <= 1.0
            begin, end = Fraction(x) + i - first, Fraction(y) + k - first
            assert begin <= truth <= end
            assert end - begin <= Fraction(4 * math.ulp(max(float(truth), 5e-324)))
    assert begun(3, 5, 0.0) == (3, 0.0) == ended(3, 5, 0.0)
    assert ended(3, 5, 1.0) == (7, 1.0)


def test_what_happens_to_the_scene_later_changes_nothing_of_what_is_looked_at_later():
    scene, arm = cell(0.5, 1.1)
    path = turns(0, 0.38, 9)
    before = audit(scene, arm, path, tolerance=TOLERANCE)
    truth = before.clearance.lower, before.clearance.upper, before.clearance.at.position
    touching = audit(scene, arm, turns(0, 2, 9), tolerance=TOLERANCE)
    wanted = [c.link_b for s in touching.stretches for c in (*s.contacts, *s.exit_contacts)]
    asked, looked = audit(scene, arm, path, tolerance=TOLERANCE), audit(scene, arm, turns(0, 2, 9), tolerance=TOLERANCE)
    scene.ignore("ball", "at 0.5")
    scene.models[1].place(around(0.1))
    scene.margins["ball", "at 1.1"] = 0.3
    arm.attach(tocsin.Body(tocsin.Sphere(0.3), name="load"), "ball", pose=(0, 0, 0.5))
    assert (asked.clearance.lower, asked.clearance.upper, asked.clearance.at.position) == truth
    assert [c.link_b for s in looked.stretches for c in (*s.contacts, *s.exit_contacts)] == wanted
    assert asked.is_free


def test_what_a_robot_carries_is_looked_at_later_as_it_was_carried():
    scene, arm = cell(1.0)
    part = tocsin.Body(tocsin.Sphere(0.02), (ARM, 0.0, 0.05), name="part")
    scene = tocsin.Scene(arm, *scene.models[1:], part)
    arm.attach(part, "ball", touching=["ball"])
    asked, again = (audit(scene, arm, turns(0, 2, 9), tolerance=TOLERANCE) for _ in range(2))
    (only,) = asked.stretches
    wanted = [(c.link_a, c.link_b) for c in only.contacts]
    arm.detach(part)
    assert [(c.link_a, c.link_b) for c in again.stretches[0].contacts] == wanted
    assert again.clearance.lower == 0.0
    assert {p.link_a for p in only.pairs} == {"ball", "part"}


def test_an_audit_that_is_sent_elsewhere_takes_all_of_it_along():
    scene, arm = cell(1.0)
    asked = audit(scene, arm, turns(0, 2, 9), tolerance=TOLERANCE)
    sent = pickle.loads(pickle.dumps(audit(scene, arm, turns(0, 2, 9), tolerance=TOLERANCE)))
    assert (sent.clearance.lower, sent.clearance.upper) == (asked.clearance.lower, asked.clearance.upper)
    assert [len(s.contacts) for s in sent.stretches] == [len(s.contacts) for s in asked.stretches] == [1]
    assert intervals(sent) == intervals(asked)


def test_pieces_after_the_one_in_which_the_cap_is_reached_are_asked_about_all_the_same():
    _, arm = cell()
    far = ARM + BALL + OBSTACLE + 1e-6
    near = [tocsin.Body(tocsin.Sphere(OBSTACLE), around(0.3 + 0.02 * k, far), name=f"near{k}") for k in range(8)]
    scene = tocsin.Scene(arm, *near, tocsin.Body(tocsin.Sphere(OBSTACLE), around(2.0), name="ball"))
    found = audit(scene, arm, turns(0.0, 2.0, 9), tolerance=1e-9, max_steps=80)
    capped, last = found.stretches
    assert (capped.status, last.status) == (Status.CAPPED, Status.CONTACT)
    assert (capped.enter.position, capped.exit.position) == (1.0, 2.0)
    assert last.pairs == (("arm", "ball", "ball", "ball"),)
    assert last.enter.configuration[0] == pytest.approx(2.0 - half_width(), abs=1e-6)
    assert audit(scene, arm, turns(0.0, 1.5, 9), tolerance=1e-9).is_free


def test_progress_is_reported_up_to_the_end():
    scene, arm = cell(1.0)
    said = []
    audit(scene, arm, turns(0, 0.5, 200), progress=lambda done, total: said.append((done, total)))
    assert said == sorted(said)
    assert said[-1] == (199, 199)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"times": [0.0, 1.0]}, ("times", "(3,)")),
        ({"times": [0.0, 1.0, 1.0]}, ("must increase", "number 1")),
        ({"times": [0.0, math.nan, 1.0]}, ("finite",)),
        ({"resolution": 0.0}, ("resolution", "greater than 0")),
        ({"resolution": math.inf}, ("resolution",)),
        ({"margin": -0.1}, ("margin", "at least 0")),
        ({"tolerance": 0.0}, ("tolerance",)),
        ({"max_steps": 0}, ("max_steps",)),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words):
    scene, arm = cell(1.0)
    with refused(*words):
        audit(scene, arm, turns(0, 0.5, 3), **options)


def test_paths_and_models_that_make_no_sense_are_refused():
    scene, arm = cell(1.0)
    _, other = cell()
    with refused("at least two"):
        audit(scene, arm, [[0.0]])
    with refused("1 value "):
        audit(scene, arm, [[0.0, 1.0], [1.0, 2.0]])
    with refused("finite"):
        audit(scene, arm, [[0.0], [math.nan]])
    with refused("not in this scene"):
        audit(scene, other, [[0.0], [1.0]])
    with refused("one of 'arm'"):
        audit(scene, arm, arm.at([0.0]))
    with refused("Scene and a Robot"):
        audit(arm, scene, [[0.0], [1.0]])


def test_what_is_left_undecided_behind_a_contact_is_a_stretch_of_its_own():
    """Where a contact ends two links are near each other; the end of what nobody looked at is no such place."""
    _, arm = cell()
    far = ARM + BALL + OBSTACLE + 1e-6
    near = [tocsin.Body(tocsin.Sphere(OBSTACLE), around(0.3 + 0.02 * k, far), name=f"near{k}") for k in range(8)]
    scene = tocsin.Scene(arm, tocsin.Body(tocsin.Sphere(OBSTACLE), around(0.0), name="ball"), *near)
    found = audit(scene, arm, turns(0.0, 2.0, 2), tolerance=1e-9, max_steps=80, resolution=3.0)
    contact, capped = found.stretches
    assert (contact.status, capped.status) == (Status.INITIAL_CONTACT, Status.CAPPED)
    assert contact.exit.configuration[0] == pytest.approx(half_width(), abs=1e-6)
    assert capped.exit.position == 1.0
