"""The peers are asked the same questions: the exported file moves as the robot does, and no answer is contradicted."""

import numpy as np
import pytest

pytest.importorskip("rich")

import tocsin
from tocsin_bench import race
from tocsin_bench.peers.cells import Cells
from tocsin_bench.peers.export import LINK
from tocsin_bench.races import rigid
from tocsin_bench.scenes import cases


def _arm():
    builder = tocsin.RobotBuilder("arm")
    builder.link("base", tocsin.Cylinder(radius=0.1, length=0.1))
    builder.link("left", (tocsin.Box(size=(0.1, 0.1, 0.4)), (0, 0, 0.25)), parent="base", joint="revolute",
                 axis=(0, 1, 0), origin=(0, 0.2, 0.1))  # fmt: skip
    builder.link("a", (tocsin.Mesh(*cases.shapes.icosphere(1, 0.1)), (0, 0, 0.6)), parent="base", joint="prismatic",
                 axis=(0, 0, 1), origin=(0, -0.2, 0.1))  # fmt: skip
    builder.link("world", tocsin.Sphere(0.05), parent="left", joint="continuous", axis=(1, 0, 0), origin=(0, 0, 0.6),
                 mimic=("left_joint", -0.5, 0.1))  # fmt: skip
    return builder.build()


@pytest.fixture(scope="module")
def cells():
    robot = _arm()
    pose = np.eye(4)
    pose[:3, 3] = 0.5, 0.2, 0.6
    wall = tocsin.Body(tocsin.Box(size=(0.01, 0.4, 0.4)), pose, name="wall")
    cells = Cells()
    cell = cells.add(robot, [wall], [("a", "wall")])
    rng = np.random.default_rng(1)
    for _ in range(12):
        cells.add_edge(cell, rng.uniform(-1.0, 0.3, 2), rng.uniform(-0.5, 1.5, 2))
    return cells


def test_the_exported_file_moves_as_the_robot_does(cells):
    pin = pytest.importorskip("pinocchio")
    (cell,) = cells.cells
    model = pin.buildModelFromXML(cell.exported.urdf)
    data = model.createData()
    q = np.array([0.7, 0.2])
    pin.framesForwardKinematics(model, data, cell.exported.values(q))
    for name, pose in zip(cell.robot.link_names, cell.robot.link_poses(q)):
        frame = data.oMf[model.getFrameId(LINK + name)]
        assert np.allclose(frame.homogeneous, pose, atol=1e-12)


def test_no_sampled_peer_sees_a_contact_on_an_edge_that_is_proven_free_nor_before_the_first(cells):
    pytest.importorskip("pinocchio")
    pytest.importorskip("fcl")
    from tocsin_bench.peers import coal_robot, fcl_robot

    coal = coal_robot.CoalRobots(cells)
    contestants = [*cells.ours(), coal.contestant(0.01), *fcl_robot.contestants(cells)]
    found = race.run(
        race.Race(contestants, len(cells.edges), 1, "tocsin first_contact", confirm=coal.overlaps_after), "arm"
    )
    assert any(found["collides"])
    assert not all(found["collides"])
    by_name = {contestant["name"]: contestant for contestant in found["contestants"]}
    true = by_name.pop("tocsin first_contact")["times"]
    for contestant in by_name.values():
        assert contestant["alarms"] == 0
    for name in ("coal, every 0.01 rad", "fcl, every 0.05 rad"):
        assert all(not np.isfinite(theirs) or theirs >= ours for theirs, ours in zip(by_name[name]["times"], true))


def test_a_rigid_race_has_fcl_and_coal_and_finds_nothing_missed_by_ours():
    pytest.importorskip("fcl")
    pytest.importorskip("coal")
    entry = rigid.BENCHMARKS[0]
    assert entry.name == "tori"
    found = entry.run(4, 1, 1, None)
    names = [contestant["name"] for contestant in found["contestants"]]
    assert {"coal, 1000 samples", "fcl naive, 100 samples"} <= set(names)
    for contestant in found["contestants"]:
        if contestant["ours"] and "missed" in contestant:
            assert contestant["missed"] == contestant["alarms"] == 0


def test_a_peer_in_a_process_of_its_own_answers_and_what_goes_wrong_there_is_a_sentence(cells):
    pytest.importorskip("pyhpp", exc_type=ImportError)
    from tocsin_bench.peers import hpp

    dichotomy, progressive = hpp.contestants(cells)
    ours = [race.time_of(answer) for answer in cells.ours()[0].run(range(len(cells.edges)))[1]]
    for contestant in (dichotomy, progressive):
        seconds, answers = contestant.run(range(len(cells.edges)))
        assert np.all(seconds > 0.0)
        assert [np.isinf(answer) for answer in answers] == [np.isinf(answer) for answer in ours]
    with pytest.raises(race.Missing, match="IndexError"):
        dichotomy.run([len(cells.edges)])
