"""Contact intervals: none missed, ends within the tolerance, close throughout; by closed forms and dense sampling."""

import math

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh, two
from promise.test_sampled import World
from tocsin import Body, Box, Capsule, Cylinder, RobotBuilder, Scene, Sphere, Status
from tocsin_bench.oracles import kinematics as kin

TOLERANCE = 1e-4


def only(found):
    assert len(found) == 1
    return found.intervals[0]


@pytest.mark.parametrize("shape", [Box(size=(1, 1, 1)), box_mesh()])
def test_a_box_passes_a_box(shape):
    scene, _, b = two(shape, shape)
    one = only(scene.contact_intervals(b.move(at(3, 0.1, 0.2), at(-3, 0.1, 0.2)), tolerance=TOLERANCE))
    assert 1 / 3 - TOLERANCE / 6 <= one.enter <= 1 / 3
    assert 2 / 3 <= one.exit <= 2 / 3 + TOLERANCE / 6
    assert one.proven
    assert not one.from_start
    assert not one.to_end
    assert {one.link_a, one.link_b} == {"a", "b"}


@pytest.mark.parametrize(
    ("shape", "half"),
    [(Sphere(0.5), 0.5), (Capsule(0.5, 1.0), 0.5), (Cylinder(0.5, 2.0), 0.5), (Box(size=(1, 1, 3)), 0.5)],
)
def test_solids_pass_through_a_thin_sheet(shape, half):
    sheet = np.array([[0, -9, -9], [0, 9, -9], [0, 9, 9], [0, -9, 9.0]]), np.array([[0, 1, 2], [0, 2, 3]])
    scene, _, b = two(sheet, shape)
    one = only(scene.contact_intervals(b.move(at(2), at(-2)), tolerance=TOLERANCE))
    assert one.enter == pytest.approx((2 - half) / 4, abs=TOLERANCE / 4)
    assert one.exit == pytest.approx((2 + half) / 4, abs=TOLERANCE / 4)
    assert one.enter <= (2 - half) / 4
    assert one.exit >= (2 + half) / 4


def test_with_a_margin_the_interval_is_longer_by_it():
    scene, _, b = two(Sphere(0.5), Sphere(0.5))
    one = only(scene.contact_intervals(b.move(at(3), at(-3)), margin=0.2, tolerance=TOLERANCE))
    assert one.enter == pytest.approx((3 - 1.2) / 6, abs=TOLERANCE)
    assert one.exit == pytest.approx((3 + 1.2) / 6, abs=TOLERANCE)


def test_every_pass_of_a_spinning_blade_is_listed():
    robot = RobotBuilder("fan")
    robot.link("base")
    robot.link("blade", (Box(size=(1, 0.1, 0.1)), (0.6, 0, 0)), parent="base", joint="continuous", axis=(0, 0, 1))
    fan = robot.build()
    post = Body(Cylinder(0.05, 1.0), at(0, 0.8), name="post")
    found = Scene(fan, post).contact_intervals(fan.move([0.0], [10 * math.pi]), tolerance=TOLERANCE)
    assert len(found) == 5
    passes = [(i.enter + i.exit) / 2 for i in found]
    assert passes == pytest.approx([(k + 0.25) / 5 for k in range(5)], abs=1e-4)
    assert found.between("post", "blade") == found.intervals
    assert found.at(0.05) == found.intervals[:1]


def test_contact_at_the_start_and_at_the_end_says_so():
    scene, _, b = two(Box(size=(1, 1, 1)), Box(size=(1, 1, 1)))
    found = scene.contact_intervals(b.move(at(0.5), at(2)))
    assert found.status is Status.INITIAL_CONTACT
    assert only(found).from_start
    assert only(found).exit == pytest.approx(1 / 3, abs=1e-3)
    one = only(scene.contact_intervals(b.move(at(2), at(1))))
    assert one.to_end
    assert one.enter <= 1.0


def test_what_stands_in_contact_is_in_contact_all_the_time():
    scene, _, _ = two(box_mesh(), Box(size=(0.5, 0.5, 3)))
    one = only(scene.contact_intervals())
    assert (one.enter, one.exit) == (0.0, 1.0)
    scene, _, b = two(Sphere(0.5), Sphere(0.5))
    assert scene.contact_intervals(b.at(at(5))).status is Status.FREE


def test_sliding_along_a_surface_is_one_interval():
    scene, _, b = two(box_mesh(4, 4, 1), box_mesh())
    one = only(scene.contact_intervals(b.move(at(-1, 0, 1), at(1, 0.5, 1))))
    assert (one.enter, one.exit) == (0.0, 1.0)
    assert one.proven


def test_inside_a_solid_mesh_is_contact_and_inside_a_surface_is_not():
    big, small = box_mesh(4, 4, 4), box_mesh(0.5, 0.5, 0.5)
    for solid, count in ((True, 1), (False, 2)):
        a, b = Body(big, name="a", solid=solid), Body(small, name="b", solid=solid)
        found = Scene(a, b).contact_intervals(b.move(at(5), at(-5)), tolerance=TOLERANCE)
        assert len(found) == count
        assert found.intervals[0].enter == pytest.approx(2.75 / 10, abs=1e-4)
        assert found.intervals[-1].exit == pytest.approx(7.25 / 10, abs=1e-4)


def test_a_cap_says_until_when_the_answer_is_complete():
    scene, _, b = two(box_mesh(), box_mesh())
    motion = b.follow([at(3), at(0, 0.1, 0.1), at(3), at(0.1)])
    whole = scene.contact_intervals(motion)
    assert whole.until == 1.0
    for steps in (1, 3, 7, 15, 31):
        found = scene.contact_intervals(motion, max_steps=steps)
        assert found.status is Status.CAPPED or found.intervals == whole.intervals
        for one in whole:
            if one.exit < found.until:
                assert one in found.intervals


def test_a_tolerance_below_the_resolution_ends_and_says_so():
    scene, _, b = two(box_mesh(), box_mesh())
    found = scene.contact_intervals(b.move(at(3, 0.1, 0.2), at(-3, 0.1, 0.1)), tolerance=1e-300)
    assert len(found) >= 1
    assert found.intervals[0].enter <= 1 / 3
    assert found.intervals[-1].exit >= 2 / 3
    assert not all(one.proven for one in found)


def test_scaling_by_a_power_of_two_changes_no_time():
    def ask(scale):
        vertices, faces = box_mesh(1, 0.7, 0.4)
        scene, _, b = two((vertices * scale, faces), (vertices * scale, faces))
        start, end = at(3, 0.1, 0.2), at(-3, 0.2, 0.1, (20, 100, 5))
        start[:3, 3] *= scale
        end[:3, 3] *= scale
        return [(i.enter, i.exit) for i in scene.contact_intervals(b.move(start, end))]

    assert ask(1.0) == ask(2.0**20) == ask(2.0**-20)


def test_the_first_enter_agrees_with_the_first_contact():
    for seed in range(8):
        world = World(seed)
        hit = world.scene.first_contact(*world.motions(), tolerance=TOLERANCE)
        found = world.scene.contact_intervals(*world.motions(), tolerance=TOLERANCE)
        assert found.status is hit.status
        if hit.collides:
            # Both are at most the true first contact, and within the tolerance there.
            assert found.intervals[0].enter == pytest.approx(hit.time, abs=1e-2)


@pytest.mark.parametrize("seed", range(6))
def test_random_scenes_against_dense_sampling(seed):
    world = World(100 + seed)
    margin = (0.0, 0.05)[seed % 2]
    found = world.scene.contact_intervals(*world.motions(), margin=margin, tolerance=TOLERANCE)
    assert found.until == 1.0
    names = [*(f"link{k}" for k in range(len(world.arm.parts))), "body0", "body1"]
    checked = {frozenset((names[world.parts[i][0]], names[world.parts[j][0]])) for i, j in world.allowed}
    assert {frozenset((one.link_a, one.link_b)) for one in found} <= checked
    ends = [t for one in found for t in (one.enter, one.exit)]
    inside = [one.enter + s * (one.exit - one.enter) for one in found for s in (0.25, 0.5, 0.75)]
    outside = [t + s for t in ends for s in (-1e-6, 1e-6) if 0 <= t + s <= 1]
    for t in [*np.linspace(0, 1, 17), *ends[:6], *inside[:6], *outside[:6]]:
        poses = world.poses(t)
        gaps = {}
        for i, j in world.allowed:
            pair = frozenset((names[world.parts[i][0]], names[world.parts[j][0]]))
            gaps[pair] = min(gaps.get(pair, math.inf), world.gap(i, j, poses))
        listed = {frozenset((one.link_a, one.link_b)) for one in found.at(t)}
        for pair, gap in gaps.items():
            if gap <= margin - 1e-9:
                assert pair in listed
            if pair in listed:
                assert gap <= margin + TOLERANCE + 1e-9


def test_a_path_is_followed_through_all_of_its_pieces():
    scene, _, b = two(Sphere(0.5), Box(size=(1, 1, 1)))
    path = [at(3), at(0), at(3), at(0.2, 0, 0, (0, 0, 90)), at(0, 3)]
    found = scene.contact_intervals(b.follow(path), tolerance=TOLERANCE)
    assert len(found) == 2
    for t in np.linspace(0, 1, 401):
        piece = min(int(t * 4), 3)
        pose = kin.body_poses(path[piece], path[piece + 1], [t * 4 - piece])[0]
        local = pose[:3, :3].T @ -pose[:3, 3]
        gap = np.linalg.norm(np.maximum(np.abs(local) - 0.5, 0.0)) - 0.5
        assert bool(found.at(t)) or gap > 0
        assert not found.at(t) or gap <= TOLERANCE + 1e-9


def test_answers_are_the_same_every_time_and_in_every_thread():
    world = World(103)
    motions = world.motions()
    once = world.scene.contact_intervals(*motions)
    assert world.scene.contact_intervals(*motions).intervals == once.intervals


def test_options_are_checked_at_the_door():
    scene, _, b = two(Sphere(0.5), Sphere(0.5))
    move = b.move(at(3), at(-3))
    for options in ({"margin": -1.0}, {"tolerance": 0.0}, {"tolerance": math.nan}, {"max_steps": 0}):
        with pytest.raises(tocsin.TocsinError):
            scene.contact_intervals(move, **options)


def test_a_scene_with_a_deformable_model_is_refused():
    cloth = tocsin.Deformable.from_mesh(box_mesh(), name="cloth")
    ball = Body(Sphere(0.5), at(3), name="ball")
    with pytest.raises(tocsin.TocsinError, match="deformable"):
        Scene(ball, cloth).contact_intervals(ball.move(at(3), at(-3)))


def test_a_body_on_a_screw_goes_around_a_post_and_back_into_it():
    post, ball = Body(Box(size=(0.2, 0.2, 4)), at(1, 0, 0), name="post"), Body(Sphere(0.1), name="ball")
    # About z through the origin, at radius 1: the ball passes the post at 0 degrees, from -85 to 85.
    turn = np.radians(85)
    start = at(math.cos(turn), -math.sin(turn), 0, (0, 0, -85))
    end = at(math.cos(turn), math.sin(turn), 0, (0, 0, 85))
    scene = Scene(post, ball)
    found = scene.contact_intervals(ball.move(start, end, kind="screw"), tolerance=1e-5)
    assert len(found) == 1
    assert (found.intervals[0].enter + found.intervals[0].exit) / 2 == pytest.approx(0.5, abs=1e-4)
    assert {found.intervals[0].link_a, found.intervals[0].link_b} == {"post", "ball"}
    assert scene.contact_intervals(ball.move(start, end), tolerance=1e-5).status is Status.FREE


def test_both_back_ends_say_the_same():
    vertices, faces = box_mesh(1, 0.7, 0.4)
    move = at(2, 0.1, 0.2), at(-2, 0.2, 0.1, (20, 100, 5))
    ends = []
    for backend in ("triangles", "hulls"):
        a, b = Body((vertices, faces), name="a"), Body((vertices, faces), name="b")
        found = Scene(a, b, backend=backend).contact_intervals(b.move(*move), tolerance=1e-6)
        ends.append([t for one in found for t in (one.enter, one.exit)])
    assert len(ends[0]) == 2
    assert ends[0] == pytest.approx(ends[1], abs=1e-5)
