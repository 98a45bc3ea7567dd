"""Configurations of a group, over what stands, as questions of a scene."""

import numpy as np
import pytest

from planning.arms import GOAL, START, cell
from tocsin import TocsinError
from tocsin.planning.edge_asker import EdgeAsker


def test_joints_outside_of_the_group_stand():
    scene, robot = cell()
    robot.stand_at([0, 0, 0, 0.01])
    asker = EdgeAsker(scene, robot, "arm")
    assert asker.whole(START).tolist() == [*START, 0.01]
    assert len(asker) == 3
    assert asker.is_free(START, GOAL) == scene.is_free(robot.move([*START, 0.01], [*GOAL, 0.01]))
    assert asker.measure(START, GOAL) == scene.safe_step(robot.move([*START, 0.01], [*GOAL, 0.01]))
    assert 0.0 < asker.measure(START, GOAL) < 1.0
    assert asker.stands_free(START)


def test_joints_without_limits_are_drawn_from_a_turn():
    scene, robot = cell()
    asker = EdgeAsker(scene, robot)
    assert np.isfinite(asker.limits()).all()
    assert asker.limits()[0].tolist() == [-2.5, 2.5]


def test_what_is_not_in_the_scene_is_refused():
    scene, robot = cell()
    with pytest.raises(TocsinError, match="is not in this scene"):
        EdgeAsker(cell()[0], robot)
    with pytest.raises(TocsinError, match="takes a Scene and a Robot of it; got Robot and Scene"):
        EdgeAsker(robot, scene)
    with pytest.raises(TocsinError, match="no group 'hand'"):
        EdgeAsker(scene, robot, "hand")
