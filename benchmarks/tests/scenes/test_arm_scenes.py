"""The arm and its environments have the papers' sizes, motions start free, and both engines agree on them."""

import argparse

import numpy as np
import pytest

pytest.importorskip("rich")

from tocsin_bench.measures import arm
from tocsin_bench.scenes import arm_scenes, plant


def test_the_arm_has_7_links_and_800_triangles():
    robot = arm_scenes.build_arm()
    assert len(robot.link_names) == 7
    assert robot.n_config == 6
    assert sum(len(faces) for _, faces in arm_scenes.meshes().values()) == 800


@pytest.mark.parametrize(("name", "objects", "triangles"), [("pipes", 40, 38_000), ("room", 1180, 187_000)])
def test_environments_have_the_papers_sizes_and_leave_the_column_free(name, objects, triangles):
    made = arm_scenes.ENVIRONMENTS[name]()
    assert len(made) == objects
    assert sum(len(faces) for _, faces in made) == pytest.approx(triangles, rel=0.01)
    for vertices, faces in made:
        assert faces.min() == 0
        assert faces.max() == len(vertices) - 1
        assert np.hypot(vertices[:, 0], vertices[:, 1]).min() > plant.CLEAR - 0.06


@pytest.mark.parametrize("degrees", [1.0, 30.0])
def test_motions_start_where_nothing_touches_and_are_no_larger_than_asked(degrees):
    task = arm_scenes.task("pipes")
    motions = arm_scenes.motions(task, degrees, 20, 2)
    assert len(motions) == 20
    for motion in motions:
        q0, q1 = motion.rows[0, 7:], motion.rows[1, 7:]
        assert np.abs(q1 - q0).max() <= np.radians(degrees) * (1 + 1e-12)
        assert task.scene.distance(task.arm.at(q0)).distance > 0.0


def test_every_set_of_stages_gives_the_default_engines_answers():
    args = argparse.Namespace(count=12, repeats=1, seed=3, puma=False)
    found = arm._environment("pipes", (15.0,), tuple(arm.SETS), args)
    (row,) = found["rows"]
    assert row["differ"] == 0
    assert 0 < row["collides"].sum() < 12
    assert row["pairs"]["1+2+3"][:, 1].mean() < 0.1 * row["pairs"]["1+2+3"][:, 0].mean()
    arm._show("Table 1", found, arm.PAPER_1)
