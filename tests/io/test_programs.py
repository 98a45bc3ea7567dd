"""Programs from files: what is written is read again, and what is wrong is named with its step."""

import json

import numpy as np
import pytest

import tocsin
from tocsin import Body, Box, Deformable, Program, Scene, Trajectory, load_program
from tocsin.io import programs
from tocsin.io.programs import is_program, load_moveit_program


def gantry():
    builder = tocsin.RobotBuilder("gantry")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("hand", Box((0.1, 0.1, 0.05)), parent="base", joint="prismatic", axis=(1, 0, 0), origin=(0, 0, 0.5),
                 joint_name="x")  # fmt: skip
    return builder.build()


def cell():
    robot, part = gantry(), Body(Box((0.1, 0.1, 0.1)), (1.0, 0, 0.41), name="part")
    cloth = Deformable([[5, 0, 0], [6, 0, 0], [5, 1, 0]], [[0, 1, 2]], name="cloth")
    return Scene(robot, part, cloth), robot, part, cloth


def test_what_is_written_is_read_again_bit_by_bit(tmp_path):
    scene, robot, part, cloth = cell()
    program = Program("all kinds")
    plan = Trajectory([0, 0.3, 1.1], [[0.0], [0.37], [1.0]], [[0.0], [0.2], [0.0]], joint_names=["x"])
    program.follow(robot, plan, error={"x": 0.001})
    program.attach(robot, part, "hand")
    program.move(robot, {"x": 0.2}, seconds=0.7)
    program.wait(robot, 0.25)
    program.detach(robot, part)
    program.follow(cloth, [cloth.vertices, cloth.vertices + 0.1], times=[0, 1.7], at=0.2)
    file = program.save(tmp_path / "p.yaml")
    assert is_program(file)
    again = load_program(file, scene)
    assert again.name == "all kinds"
    assert (again.begin, again.end) == (program.begin, program.end)
    assert [(e.at, e.grips) for e in again.events] == [(e.at, e.grips) for e in program.events]
    for t in np.linspace(0.0, 2.0, 41):
        assert np.array_equal(again.row(robot, t), program.row(robot, t))
    one, two = tocsin.audit(scene, program), tocsin.audit(scene, again)
    assert (one.status, one.clearance.lower) == (two.status, two.clearance.lower)


def test_a_file_by_hand_names_trajectories_beside_it(tmp_path):
    scene, robot, part, _ = cell()
    (tmp_path / "go.csv").write_text("time,x\n0,0\n1,1\n")
    (tmp_path / "p.yaml").write_text(
        "program: by hand\nsteps:\n- {follow: gantry, trajectory: go.csv, at: 0.5}\n"
        "- {attach: part, robot: gantry, link: hand, touching: [hand], pose: [0, 0, -0.09]}\n"
        "- {move: gantry, to: {x: 0.5}, seconds: 1}\n- {detach: part, robot: gantry}\n"
        "- {wait: gantry, seconds: 0.1}\n- {move: gantry, to: [0.0], seconds: 1, error: 0.001}\n"
    )
    program = load_program(tmp_path / "p.yaml", scene)
    assert (program.begin, program.end) == (0.5, 3.6)
    assert program.events[0].body is part
    assert program.row(robot, 1.0)[7] == 0.5


GO = {"joint_names": ["x"], "points": [{"positions": [x], "time_from_start": x} for x in (0, 1)]}
POLYNOMIAL = {"joint_names": ["x"], "knots": [0, 1], "coefficients": [[[0], [1]]]}
MOVE = {"move": "gantry", "to": [1.0], "seconds": 2}


def one(step):
    return {"steps": [step]}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"steps": [], "colour": 1}, "'colour', which is not known"),
        ({"program": "x"}, "no 'steps'"),
        (one({"jump": "gantry"}), "step 0: a step is one of follow, move, wait, attach, detach"),
        (one({"move": "gantry", "to": [1.0]}), "step 0: seconds must be a number"),
        (one({"move": "gantry", "to": [1.0], "seconds": 1, "how": "fast"}), "'how' is not known of 'move'"),
        (one({"move": "crane", "to": [1.0], "seconds": 1}), "no model.*'crane'"),
        (one({"follow": "gantry", "times": [0, 1]}), "a trajectory, path, poses or frames"),
        (one({"follow": "gantry", "path": [[0], [1]], "times": [1, 0]}), "must increase"),
        (one({"follow": "gantry", "trajectory": "../up.csv"}), "outside of its folder"),
        (one({"follow": "gantry", "trajectory": {"joint_names": ["x"]}}), "joint_names and points"),
        (one({"follow": "gantry", "trajectory": GO, "times": [0, 7]}), "'times' is not taken beside 'trajectory'"),
        (one({"follow": "gantry", "trajectory": GO, "interpolation": "slow"}), "one of 'linear', 'spline'; got 'slow'"),
        (one({"follow": "gantry", "path": [[0], [1]], "times": [0, 1], "interpolation": "linear"}), "beside 'path'"),
        (one({"follow": "gantry", "trajectory": POLYNOMIAL, "interpolation": "linear"}), "beside coefficients"),
        (one({"follow": "gantry", "trajectory": {**POLYNOMIAL, "units": "deg"}}), "'units' is not taken beside coeff"),
        (one({"follow": "gantry", "trajectory": {**GO, "units": "deg"}}), "'units', which is not known"),
        (one({"follow": "part", "poses": [[0, 0, 0], [1, 0, 0]], "times": [0, 1], "group": "arm"}), "beside 'poses'"),
        (one({"move": "part", "to": [1, 0, 0], "seconds": 1, "group": "arm"}), "'part' is not a robot"),
        ({"steps": [MOVE, {"wait": "gantry", "seconds": 1, "at": 0.5}]}, "at 0.5 s, and its last step ends at 2 s"),
        (one({"attach": "gantry", "robot": "part", "link": "hand"}), "a robot carries a body"),
        (one({"attach": "part", "robot": "gantry", "link": "claw"}), "no link 'claw'"),
        (one({"attach": "part", "robot": "gantry", "link": "hand", "pose": [1, 2]}), "a pose"),
        (one({"follow": "part", "poses": [[0, 0, 0], [1, 0, 0, 0, 0, 0, 9]], "times": [0, 1]}), "quaternion"),
        ([1, 2], "mapping"),
    ],
)
def test_what_is_wrong_is_named_with_its_step(tmp_path, content, sentence):
    scene, *_ = cell()
    file = tmp_path / "p.json"
    file.write_text(json.dumps(content))
    with pytest.raises(tocsin.TocsinError, match=sentence):
        load_program(file, scene)


def test_where_a_message_in_a_step_says_that_other_joints_stand_is_used(tmp_path):
    builder = tocsin.RobotBuilder("two").link("base").link("a", Box((1, 1, 1)), parent="base", joint="prismatic")
    robot = builder.link("b", parent="a", joint="prismatic").build()
    points = [{"positions": [x], "time_from_start": x} for x in (0, 1)]
    start = {"joint_state": {"name": ["b_joint"], "position": [0.5]}}
    message = {"joint_trajectory": {"joint_names": ["a_joint"], "points": points}, "trajectory_start": start}
    file = tmp_path / "p.json"
    file.write_text(json.dumps(one({"follow": "two", "trajectory": message})))
    assert load_program(file, Scene(robot)).row(robot)[7:].tolist() == [1.0, 0.5]


def test_a_wait_begins_at_a_second_that_differs_from_the_end_before_by_rounding(tmp_path):
    scene, robot, _, _ = cell()
    file = tmp_path / "p.json"
    file.write_text(json.dumps({"steps": [MOVE, {"wait": "gantry", "seconds": 1, "at": 2.0000000000000004}]}))
    assert load_program(file, scene).time_of(robot) == 3.0


def test_a_planning_scene_and_its_trajectories_are_a_program(tmp_path):
    cup = {"id": "cup", "primitives": [{"type": "box", "dimensions": [0.1, 0.1, 0.1]}],
           "primitive_poses": [{"position": [0, 0, -0.09], "orientation": [0, 0, 0, 1]}]}  # fmt: skip
    wall = {"id": "wall", "primitives": [{"type": "box", "dimensions": [0.02, 1, 1]}],
            "primitive_poses": [{"position": [0.8, 0, 0], "orientation": [0, 0, 0, 1]}]}  # fmt: skip
    state = {"joint_state": {"name": ["x"], "position": [0.1]},
             "attached_collision_objects": [{"link_name": "hand", "object": cup}]}  # fmt: skip
    (tmp_path / "s.json").write_text(json.dumps({"robot_state": state, "world": {"collision_objects": [wall]}}))
    points = [{"positions": [x], "time_from_start": t} for x, t in ((0.1, 0.0), (0.5, 1.0))]
    more = [{"positions": [x], "time_from_start": t} for x, t in ((0.5, 0.0), (1.0, 1.0))]
    for name, given in (("a", points), ("b", more)):
        message = {"joint_trajectory": {"joint_names": ["x"], "points": given}}
        (tmp_path / f"{name}.json").write_text(json.dumps(message))
    robot = gantry()
    scene, program = load_moveit_program(robot, tmp_path / "s.json", tmp_path / "a.json", tmp_path / "b.json")
    found = tocsin.audit(scene, program)
    assert found.conflicts[0].pair.said == "gantry/cup and wall"
    assert found.conflicts[0].enter == pytest.approx(1.48, abs=1e-3)
    state["joint_state"]["name"] = ["y"]
    (tmp_path / "s.json").write_text(json.dumps({"robot_state": state, "world": {"collision_objects": [wall]}}))
    with pytest.raises(tocsin.TocsinError, match="no joint 'y'; joints are: 'x'"):
        load_moveit_program(gantry(), tmp_path / "s.json", tmp_path / "a.json")


def test_all_trajectories_of_a_program_hold_half_as_much_as_one_may(tmp_path, monkeypatch):
    """A small file that follows the same large one again and again took gigabytes."""
    scene, *_ = cell()
    (tmp_path / "go.csv").write_text("time,x\n0,0\n1,1\n2,0\n")
    (tmp_path / "p.yaml").write_text("steps:\n" + "- {follow: gantry, trajectory: go.csv}\n" * 4)
    monkeypatch.setattr(programs, "MOST_NUMBERS", 24)
    assert len(load_program(tmp_path / "p.yaml", scene).steps) == 4
    monkeypatch.setattr(programs, "MOST_NUMBERS", 22)
    with pytest.raises(tocsin.TocsinError, match="step 3: with its trajectory the program has more than 11 numbers"):
        load_program(tmp_path / "p.yaml", scene)


def test_a_ring_of_links_is_no_trajectory(tmp_path):
    scene, *_ = cell()
    (tmp_path / "ring").symlink_to("ring")
    (tmp_path / "p.yaml").write_text("steps:\n- {follow: gantry, trajectory: ring/go.csv}\n")
    with pytest.raises(tocsin.TocsinError, match="symbolic links"):
        load_program(tmp_path / "p.yaml", scene)
