"""OMPL plans with proven edges: valid is proven free, and the last valid state is where the proof ends."""

from itertools import pairwise

import numpy as np
import pytest

import tocsin
from planning.arms import GOAL, START, cell

ompl = pytest.importorskip("ompl", reason="OMPL is not installed: pip install 'tocsin[ompl]'")

from ompl import base, geometric, util  # noqa: E402

from tocsin.planning import MotionValidator, StateValidityChecker, state_space  # noqa: E402


@pytest.fixture(scope="module")
def setup():
    """(scene, robot, space, information, validator)."""
    util.setLogLevel(util.LogLevel.LOG_NONE)
    scene, robot = cell()
    space = state_space(robot, "arm")
    information = base.SpaceInformation(space)
    validator = MotionValidator(information, scene, robot, "arm")
    checker = StateValidityChecker(information, scene, robot, "arm")
    information.setMotionValidator(validator)
    information.setStateValidityChecker(checker)
    information.setup()
    return scene, robot, space, information, validator


def state(space, values):
    found = space.allocState()
    for k, value in enumerate(values):
        found[k] = float(value)
    return found


def test_valid_is_proven_free(setup):
    scene, robot, space, information, _ = setup
    rng = np.random.default_rng(6)
    values = rng.uniform(-2, 2, (20, 3))
    states = [state(space, v) for v in values]
    whole = np.column_stack([values, np.zeros(20)])
    assert [information.isValid(s) for s in states] == scene.check_configurations(robot, whole).tolist()
    edges = [information.checkMotion(a, b) for a, b in pairwise(states)]
    assert edges == scene.check_edges(robot, whole[:-1], whole[1:]).tolist()


def test_the_last_valid_state_is_where_the_proof_ends(setup):
    scene, robot, space, _, validator = setup
    a, b = state(space, START), state(space, GOAL)
    expected = scene.safe_step(robot.move([*START, 0.0], [*GOAL, 0.0]))
    assert validator.check_motion(a, b) == (False, expected)
    last = [space.allocState(), -1.0]
    assert not validator.checkMotion(a, b, last)
    assert last[1] == expected
    reached = np.array(last[0][0:3])
    np.testing.assert_allclose(reached, START + expected * (GOAL - START), atol=1e-12)
    assert scene.is_free(robot.at([*reached, 0.0]))
    untouched = [None, -1.0]
    assert validator.checkMotion(a, state(space, START + 0.05), untouched)
    assert untouched == [None, -1.0]
    assert validator.check_motion(a, a) == (True, 1.0)


@pytest.mark.parametrize("name", ["RRTConnect", "KPIECE1", "BKPIECE1", "LBKPIECE1"])
def test_planners_find_ways_that_are_proven(setup, name):
    scene, robot, space, information, _ = setup
    util.RNG.setSeed(11)
    planning = geometric.SimpleSetup(information)
    planning.setStartAndGoalStates(state(space, START), state(space, GOAL), 0.05)
    planning.setPlanner(getattr(geometric, name)(information))
    assert planning.solve(20.0)
    path = planning.getSolutionPath()
    rows = np.array([[*path.getState(k)[0:3], 0.0] for k in range(path.getStateCount())])
    assert len(rows) > 2
    assert scene.is_free(robot.follow(rows))
    assert tocsin.audit(scene, robot, rows).clearance.lower >= 0.0


def test_clearance_is_the_distance(setup):
    scene, robot, space, information, _ = setup
    checker = StateValidityChecker(information, scene, robot, "arm")
    assert checker.clearance(state(space, START)) == scene.distance(robot.at([*START, 0.0])).distance
