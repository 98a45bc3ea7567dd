"""The papers' scenes have the papers' sizes, start free, and are moved by what is said to move them."""

import numpy as np
import pytest

pytest.importorskip("rich")

import tocsin
from tocsin_bench.races import planning
from tocsin_bench.scenes import site, trains


def test_trains_have_the_papers_sizes():
    assert 10 * len(trains.wagon()[1]) == pytest.approx(23_000, rel=0.02)
    assert 17 * len(trains.wagon(11)[1]) == pytest.approx(42_000, rel=0.02)
    assert len(trains.mountain()[1]) == pytest.approx(29_000, rel=0.02)


def test_the_site_its_excavator_and_its_crane_have_the_papers_sizes():
    assert sum(len(mesh[1]) for mesh in site.site().values()) == pytest.approx(394_000, rel=0.01)
    assert sum(len(mesh[1]) for mesh in site.excavator_meshes().values()) == pytest.approx(18_940, rel=0.02)
    assert sum(len(shape.faces) for link in site.crane().shapes for shape in link) == pytest.approx(1_288, rel=0.02)


def test_mujocos_states_are_the_robots_configurations():
    mujoco = pytest.importorskip("mujoco")
    starts = [trains.Start((0.0, 0.0, 3.0), 30.0, 20.0, 2.0)]
    ground = '<geom type="plane" size="9 9 1"/>'
    bases, q = trains.simulate(starts, 4, 20, ground)
    train = trains.build("train", 4, trains.wagon())
    model = mujoco.MjModel.from_xml_string(trains._xml(starts, 4, ground, ""))
    data = mujoco.MjData(model)
    data.qpos[:3] = bases[20, 0, :3, 3]
    turn = trains.Rotation.from_matrix(bases[20, 0, :3, :3]).as_quat()
    data.qpos[3:7] = np.roll(turn, 1)
    data.qpos[7:] = np.roll(q[20, 0].reshape(-1, 4), 1, axis=1).ravel()
    mujoco.mj_forward(model, data)
    poses = train.link_poses(q[20, 0], base=bases[20, 0])
    for k, pose in enumerate(poses):
        assert np.allclose(pose[:3, 3], data.xpos[k + 1], atol=1e-9)
        assert np.allclose(pose[:3, :3].ravel(), data.xmat[k + 1], atol=1e-9)


@pytest.mark.parametrize("name", ["excavator-drive", "crane-drop"])
def test_a_task_starts_and_ends_free(name):
    task = planning.TASKS[name]
    robot = task.robot()
    scene = tocsin.Scene(robot, *site.bodies())
    assert scene.is_free(robot.at(task.start))
    assert scene.is_free(robot.at(task.goal))
