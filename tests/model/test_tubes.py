"""What is proven of a tube holds for every motion inside it."""

import numpy as np
import pytest

import tocsin
from tocsin import Body, Box, RobotBuilder, Scene, Sphere, Trajectory


def arm():
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    place = np.eye(4)
    for k, (kind, axis) in enumerate((("revolute", (0, 1, 0)), ("prismatic", (0, 0, 1)), ("revolute", (1, 0, 0)))):
        place[2, 3] = 0.3
        builder.link(str(k), Box((0.05, 0.05, 0.2)), parent="base" if k == 0 else str(k - 1), joint=kind, axis=axis,
                     origin=place.copy(), joint_name=f"j{k}")  # fmt: skip
    return builder.build()


def test_no_motion_inside_a_tube_that_is_proven_free_touches():
    rng = np.random.default_rng(5)
    robot = arm()
    error = {"j0": 0.02, "j1": 0.01, "j2": 0.05}
    off = np.array(list(error.values()))
    free = 0
    for _ in range(40):
        ball = Body(Sphere(0.05), rng.normal(size=3) * 0.5 + (0, 0, 0.6), name="ball")
        scene = Scene(robot, ball)
        times = np.array([0.0, 0.7, 1.5])
        plan = Trajectory(times, rng.normal(size=(3, 3)) * (0.6, 0.05, 0.8), rng.normal(size=(3, 3)) * 0.3,
                          joint_names=["j0", "j1", "j2"])  # fmt: skip
        if not scene.is_free(robot.follow(plan, error=error)):
            continue
        free += 1
        for t in rng.uniform(0.0, 1.5, size=15):
            q = plan(float(t)) + off * rng.choice([-1.0, 1.0, 0.0], size=3)
            assert scene.distance(robot.at(q)).distance > 0.0
    assert free > 10


def test_a_tube_is_no_wider_than_reach_times_error():
    robot = arm()
    ball = Body(Sphere(0.05), (0.5, 0, 0.7), name="ball")
    scene = Scene(robot, ball)
    plan = Trajectory([0, 1], [[0, 0, 0], [0.5, 0, 0]], [[0, 0, 0], [0, 0, 0]], joint_names=["j0", "j1", "j2"])
    gap = min(scene.distance(robot.at(plan(t))).distance for t in np.linspace(0, 1, 201))
    reach = 0.3 + 0.3 + 0.3 + 0.11
    assert scene.is_free(robot.follow(plan, error={"j0": 0.9 * gap / reach}))
    assert not scene.is_free(robot.follow(plan, error={"j0": 4.0 * gap / reach}))


@pytest.mark.parametrize("method", ["advancement", "interval"])
def test_an_uncertain_obstacle_is_met_earlier_by_its_error(method):
    ball, wall = Body(Sphere(0.1), name="ball"), Body(Box((0.01, 2, 2)), (1, 0, 0), name="wall")
    scene = Scene(ball, wall)
    path = [(0, 0, 0), (2, 0, 0)]
    hit = scene.first_contact(ball.follow(path, times=[0, 2], error=0.05), wall.follow([(1, 0, 0)] * 2, times=[0, 2]),
                              method=method)  # fmt: skip
    assert hit.seconds == pytest.approx(0.845, abs=1e-3)
    assert hit.seconds <= 0.845
    both = scene.first_contact(
        ball.follow(path, times=[0, 2], error=0.05),
        wall.follow([(1, 0, 0)] * 2, times=[0, 2], error=0.1),
        method=method,
    )
    assert both.seconds == pytest.approx(0.745, abs=1e-3)
    untimed = scene.first_contact(ball.follow(path, error=0.05), method=method)
    assert untimed.seconds is None
    assert untimed.time == pytest.approx(0.4225, abs=1e-3)


def test_errors_of_joints_above_a_common_ancestor_move_both_links_alike():
    robot = arm()
    robot.ignore_pairs([("base", "1"), ("base", "2")])
    scene = Scene(robot)
    hold = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]
    assert scene.is_free(robot.follow(hold, error={"j0": 3.0}), margin=0.01) == scene.is_free(
        robot.follow(hold), margin=0.01
    )


def test_an_audit_takes_curves_and_tubes():
    robot = arm()
    ball = Body(Sphere(0.05), (0.5, 0, 0.7), name="ball")
    scene = Scene(robot, ball)
    plan = Trajectory([0, 1, 2], [[0, 0, 0], [1.2, 0, 0], [0, 0, 0]], [[0, 0, 0], [0.3, 0, 0], [0, 0, 0]],
                      joint_names=["j0", "j1", "j2"])  # fmt: skip
    found = tocsin.audit(scene, robot, plan)
    wider = tocsin.audit(scene, robot, plan, error=0.01)
    fine = np.linspace(0.0, 2.0, 2001)
    touching = fine[[scene.distance(robot.at(plan(t))).distance == 0.0 for t in fine]]
    inside = lambda t, audit: any(s.enter.time <= t <= s.exit.time for s in audit.stretches)  # noqa: E731
    assert len(found.stretches) == 2
    assert all(inside(t, found) for t in touching)
    for mine, other in zip(found.stretches, wider.stretches):
        assert other.enter.time < mine.enter.time < mine.exit.time < other.exit.time
    assert found.stretches[0].enter.time == pytest.approx(touching[0], abs=2e-3)
    assert found.duration == 2.0
