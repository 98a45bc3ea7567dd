"""One clock for all: stamps of their own, whatever the knots, and seconds in the answers."""

import math
import pickle

import numpy as np
import pytest

import tocsin
from tocsin import Body, Box, Deformable, Scene, Sphere, Status, TocsinError, Trajectory


def lane():
    return Body(Sphere(0.1), name="ball"), Body(Box((0.01, 2, 2)), (1, 0, 0), name="wall")


def test_seconds_are_those_of_the_stamps_and_time_a_fraction_of_the_question():
    ball, wall = lane()
    scene = Scene(ball, wall)
    hit = scene.first_contact(ball.follow([(0, 0, 0), (0.5, 0, 0), (2, 0, 0)], times=[10, 11, 12]))
    touch = 11.0 + (0.895 - 0.5) / 1.5
    assert touch - 1e-4 < hit.seconds <= touch
    assert hit.seconds == pytest.approx(10.0 + 2.0 * hit.time, abs=1e-14)
    assert ball.at_contact(hit)[0, 3] == pytest.approx(0.895, abs=1e-4)
    assert scene.first_contact(ball.move((0, 0, 0), (2, 0, 0))).seconds is None
    free = scene.first_contact(ball.follow([(0, 0, 0), (0.5, 0, 0)], times=[0, 1]))
    assert free.status is Status.FREE
    assert free.seconds == math.inf


@pytest.mark.parametrize("when", [2.0, 2.999, 3.0, 3.5])
def test_a_model_stands_before_its_first_stamp_and_after_its_last(when):
    ball, wall = lane()
    other = Body(Sphere(0.1), (0, 5, 0), name="other")
    scene = Scene(ball, wall, other)
    # The ball waits at x = 0.5 from 3 s on; the other comes along at the speed that meets it at `when`.
    wait = ball.follow([(0, 0, 0), (0.5, 0, 0)], times=[1.0, 3.0])
    y = 5.0 - 0.2
    x = min(0.25 * (when - 1.0), 0.5)
    hit = scene.first_contact(
        wait, other.follow([(x, 5, 0), (x, 5, 0), (x, 5 - 2 * y, 0)], times=[0, 1, 1 + 2 * (when - 1)])
    )
    assert hit.collides
    assert when - 0.06 < hit.seconds <= when
    if when >= 3.0:
        assert hit.seconds == pytest.approx(when, abs=1e-3)


def test_knots_of_several_models_are_cut_at_all_of_them():
    rng = np.random.default_rng(3)
    for _ in range(5):
        ball, wall = lane()
        scene = Scene(ball, wall)
        stamps = np.sort(rng.uniform(0.0, 3600.0, size=7))
        own = np.sort(rng.uniform(stamps[0], stamps[-1], size=3))
        x = np.linspace(0.0, 2.0, 7)
        # The same wall, moving with the ball's own velocity: the relative motion is a step in time.
        path = [(float(np.interp(t, stamps, x)) + 1.0, 0, 0) for t in own] + [(0.5, 0, 0)]
        hit = scene.first_contact(
            ball.follow([(v, 0, 0) for v in x], times=stamps), wall.follow(path, times=[*own, stamps[-1] + 1.0])
        )
        assert hit.collides
        gap = scene.distance(ball.at(ball.at_contact(hit)), wall.at(wall.at_contact(hit))).distance
        assert gap <= hit.tolerance
        fine = np.linspace(stamps[0], hit.seconds, 2000)[:-1]
        ends = np.array([p[0] for p in path])
        apart = np.interp(fine, [*own, stamps[-1] + 1.0], ends) - np.interp(fine, stamps, x) - 0.105
        assert (apart > 0.0).all()


def test_knots_next_to_each_other_by_one_unit_of_rounding_are_two():
    ball, wall = lane()
    scene = Scene(ball, wall)
    late = math.nextafter(1.0, 2.0)
    a = ball.follow([(0, 0, 0), (0.5, 0, 0), (2, 0, 0)], times=[0, 1.0, 2])
    b = wall.follow([(1, 0, 0), (1, 0, 0), (1.5, 0, 0)], times=[0, late, 2])
    hit = scene.first_contact(a, b)
    assert hit.collides
    assert hit.seconds == pytest.approx(1.0 + 0.395, abs=1e-3)


def test_motions_without_times_last_as_long_as_the_clock():
    ball, wall = lane()
    scene = Scene(ball, wall)
    drive = ball.drive((0.1, 0, 0), (0, 0, 2.0), times=(0, 20))
    plain = scene.first_contact(drive)
    hit = scene.first_contact(drive, wall.move((1, 0, 0), (0.5, 0, 0)))
    assert plain.seconds == pytest.approx(8.95, abs=1e-2)
    assert hit.seconds == pytest.approx(0.895 / 0.125, abs=1e-2)
    screwed = np.eye(4)
    screwed[:3, 3] = (0.5, 0, 0)
    turned = np.eye(4)
    turned[:2, :2] = [[0, -1], [1, 0]]
    turned[:3, 3] = (1.0, 0.0, 0.0)
    assert scene.first_contact(drive, wall.move(turned, screwed, kind="screw")).collides
    with pytest.raises(TocsinError, match="'wall' has 2 pieces and no times"):
        scene.first_contact(drive, wall.follow([(1, 0, 0), (1, 1, 0), (1, 0, 0)]))
    with pytest.raises(TocsinError, match="contact_intervals"):
        scene.contacts(drive)


def test_a_turntable_turns_as_often_as_it_says():
    blade = Body(Box((1.0, 0.02, 0.02)), name="blade")
    post = Body(Sphere(0.01), (0.0, 0.4, 0.0), name="post")
    scene = Scene(blade, post)
    found = scene.contact_intervals(blade.drive(spin=(0, 0, math.pi), times=(0.0, 4.0)))
    middles = [2.0 * (i.enter + i.exit) for i in found]
    assert middles == pytest.approx([0.5, 1.5, 2.5, 3.5], abs=1e-3)


def test_cloth_falls_by_the_clock():
    cloth = Deformable([[0, 0, 1], [1, 0, 1], [0, 1, 1]], [[0, 1, 2]], name="cloth")
    table = Body(Box((4, 4, 0.2)), name="table")
    scene = Scene(cloth, table)
    frames = [cloth.vertices - (0, 0, d) for d in (0.0, 0.4, 2.0)]
    fall = cloth.follow(frames, times=[0.0, 10.0, 11.0])
    hit = scene.first_contact(fall)
    assert hit.seconds == pytest.approx(10.0 + 0.5 / 1.6, abs=1e-2)
    assert hit.seconds <= 10.0 + 0.5 / 1.6
    risen = scene.first_contact(fall, table.follow([(0, 0, 0), (0, 0, 0), (0, 0, 0.5)], times=[-1, 9.0, 9.5]))
    assert risen.seconds == pytest.approx(10.0, abs=1e-2)


def test_motions_on_a_clock_survive_the_post():
    ball, wall = lane()
    scene = Scene(ball, wall)
    drive = ball.drive((0.1, 0, 0), times=(0, 20))
    plan = Trajectory([0, 1], [[0.0], [1.0]], [[0.0], [0.0]], joint_names=["j"])
    builder = tocsin.RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("tip", Box((0.1, 0.1, 0.5)), parent="base", joint="revolute", joint_name="j")
    robot = builder.build()
    again, posted = pickle.loads(pickle.dumps((scene, drive)))
    hit = scene.first_contact(drive)
    assert again.first_contact(type(drive)(again.models[0], posted.rows)).collides
    assert pickle.loads(pickle.dumps(robot.follow(plan))).row_at(0.5)[7] == 0.5
    assert scene.first_contact(drive) == hit


def test_motions_on_a_clock_have_proofs():
    ball, wall = lane()
    assert Scene(ball, wall).prove(ball.drive((0.1, 0, 0), times=(0, 1))).claim == "free"
    assert Scene(ball, wall).prove(ball.drive((2.0, 0, 0), times=(0, 1))).claim == "contact"
