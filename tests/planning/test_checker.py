"""The names of Drake's checker, with proven answers."""

from itertools import pairwise

import numpy as np
import pytest

from planning.arms import GOAL, START, cell
from tocsin.planning import CollisionChecker


@pytest.fixture(scope="module")
def checker():
    scene, robot = cell()
    return CollisionChecker(scene, robot, group="arm", margin=0.005)


def test_single_and_many_answers_agree(checker):
    rng = np.random.default_rng(4)
    configs = rng.uniform(-2, 2, (30, 3))
    assert [checker.CheckConfigCollisionFree(q) for q in configs] == checker.CheckConfigsCollisionFree(configs).tolist()
    edges = [*pairwise(configs)]
    assert [checker.CheckEdgeCollisionFree(a, b) for a, b in edges] == checker.CheckEdgesCollisionFree(edges).tolist()
    assert [checker.MeasureEdgeCollisionFree(a, b) for a, b in edges] == checker.MeasureEdgesCollisionFree(edges)
    assert checker.CheckEdgesCollisionFree([]).shape == (0,)


def test_a_measure_says_how_far(checker):
    blocked = checker.MeasureEdgeCollisionFree(START, GOAL)
    assert not blocked.completely_free()
    assert blocked.partially_free()
    assert 0.0 < blocked.alpha < 1.0
    assert blocked.distance == pytest.approx(1.8)
    short = START + blocked.alpha * (GOAL - START) * 0.999
    assert checker.CheckEdgeCollisionFree(START, short)
    assert checker.MeasureEdgeCollisionFree(START, START).completely_free()
