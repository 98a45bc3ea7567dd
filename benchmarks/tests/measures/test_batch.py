"""Batches are compared with single questions bit by bit; the arm made in code has room to move."""

import numpy as np

from tocsin_bench.measures import batch
from tocsin_bench.scenes.made_arm import made_cell


def test_the_made_arm_stands_free_and_its_edges_agree():
    scene, robot = made_cell(400)
    assert scene.is_free(robot.at(np.zeros(7)))
    starts, ends = batch.edges(scene, robot, 30, 0.3, seed=2)
    assert starts.shape == ends.shape == (30, 7)
    assert batch.differing(scene, robot, starts, ends, [1, 2]) == 0
    triangles = [len(shape.faces) for shapes in robot.shapes for shape in shapes]
    assert min(triangles) > 300
