"""Every argument of every call is given what is meant for others: a sentence on one line, or an answer; nothing else.

What other libraries or Python raise tells a user of a line in this one, not of what was expected.
"""

import datetime
import inspect
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import tocsin
from tocsin import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Deformable,
    Joint,
    Mesh,
    Program,
    Robot,
    RobotBuilder,
    Scene,
    Sphere,
    TocsinError,
    Trajectory,
)

SQUARE = np.array([[0.0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
FACES = [[0, 1, 2], [1, 3, 2]]
URDF = """<robot name="arm"><link name="base"/><link name="beam"><collision><geometry><sphere radius="0.1"/></geometry>
</collision></link><joint name="s" type="revolute"><parent link="base"/><child link="beam"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""


class Hostile:
    """Something that raises what it likes when it is looked at."""

    def __array__(self, *given, **named):
        raise RuntimeError("no array")

    def __float__(self):
        raise KeyError("no number")


STRANGE = {
    "none": lambda: None,
    "true": lambda: True,
    "text": lambda: "abc",
    "bytes": lambda: b"abc",
    "bytearray": lambda: bytearray(b"ab"),
    "nan": lambda: float("nan"),
    "negative": lambda: -1,
    "huge": lambda: 10**400,
    "complex": lambda: 1j,
    "empty": list,
    "mapping": lambda: {1: 2},
    "rows": lambda: [[1.0], [2.0, 3.0]],
    "names": lambda: ["a", "b"],
    "generator": lambda: (x for x in (0.0, 1.0)),
    "array of text": lambda: np.array(["a", "b"]),
    "array of objects": lambda: np.array([None, object()]),
    "array of dates": lambda: np.array(["2020-01-01", "2020-01-02"], dtype="M8[s]"),
    "duration": lambda: np.timedelta64(3, "s"),
    "records": lambda: np.zeros(2, dtype=[("a", float)]),
    "deep array": lambda: np.zeros((2, 2, 2)),
    "masked": lambda: np.ma.array([1.0, 2.0], mask=[0, 1]),
    "date": lambda: datetime.datetime(2020, 1, 1),
    "fraction": lambda: Fraction(1, 2),
    "path": lambda: Path("missing.stl"),
    "object": object,
    "hostile": Hostile,
    "class": lambda: Body,
    "body": lambda: ball("other"),
    "motion": lambda: ball("other").move((0, 0, 0), (1, 0, 0)),
    "half a letter": lambda: "\ud800",
}


def arm():
    b = RobotBuilder("arm").link("base", Cylinder(0.1, 0.1))
    b.link("upper", (Capsule(0.05, 0.4), (0, 0, 0.3)), parent="base", joint="revolute", axis=(0, 1, 0), limits=(-2, 2))
    return b.build()


def ball(name="ball"):
    return Body(Sphere(0.1), (0, 0, 3), name=name)


A, B, C = arm(), ball(), Deformable(SQUARE, FACES, name="cloth")
S, SOFT = Scene(A, B), Scene(C, B)
PLAN = Trajectory([0, 1], [[0.0], [0.1]], joint_names=["upper_joint"])
MOVE = A.move([0.0], [0.1])
EDGES = np.zeros((2, 1))
BATCH = {
    "margin": 0.0, "group": None, "tolerance": 0.001, "max_steps": 100, "deadline": 1.0, "threads": 1,
}  # fmt: skip
TERMS = {"margin": 0.0, "tolerance": 0.001}


def steps():
    return Program().follow(A, [[0.0], [0.1]], times=[0, 1])


def asked(question):
    return lambda motion, **named: question(motion, **named)


def joint(**named):
    return Robot("r", ["a", "b"], [Joint(**named)], {})


def jointed(**other):
    return Robot("r", ["a", "b"], [replace(JOINT, **other)], {})


JOINT = Joint("j", "revolute", "a", "b", np.eye(4), (0, 0, 1))
CALLS = {
    "Body": (Body, {"shape": Sphere(0.1), "pose": (0, 0, 0), "name": "x", "solid": False}),
    "Body.from_mesh": (Body.from_mesh, {"mesh": (SQUARE, FACES), "name": "x", "scale": 1.0}),
    "Body.from_points": (Body.from_points, {"points": SQUARE, "radius": 0.1, "name": "x", "spacing": 0.01}),
    "Body.from_octomap": (Body.from_octomap, {"path": "x.bt", "name": "x", "resolution": 0.1}),
    "Body.from_heights": (Body.from_heights, {"heights": np.zeros((3, 3)), "spacing": 0.1, "name": "x", "base": -1.0}),
    "body.move": (B.move, {"pose_t0": (0, 0, 0), "pose_t1": (1, 0, 0), "kind": "screw"}),
    "Body.move_all": (Body.move_all, {"bodies": [B], "poses_t0": [(0, 0, 0)], "poses_t1": [(0, 0, 0)]}),
    "body.follow": (B.follow, {"poses": [(0, 0, 0), (1, 0, 0)], "times": [0, 1], "error": 0.001}),
    "body.drive": (B.drive, {"velocity": (0, 0, 1), "spin": (0, 0, 1), "times": (0, 1), "error": 0.001}),
    "body.at_contact": (B.at_contact, {"hit": None}),
    "Box": (Box, {"size": (1, 1, 1)}),
    "Capsule": (Capsule, {"radius": 1.0, "length": 1.0}),
    "tessellate": (Sphere(1.0).tessellate, {"resolution": 8}),
    "Deformable": (Deformable, {"vertices": SQUARE, "faces": FACES, "edges": None, "name": "c", "weld": False}),
    "Deformable.from_mesh": (Deformable.from_mesh, {"mesh": (SQUARE, FACES), "name": "c"}),
    "cloth.follow": (C.follow, {"frames": [SQUARE, SQUARE], "times": [0, 1]}),
    "vertices_at": (C.move(SQUARE, SQUARE).vertices_at, {"t": 0.5}),
    "link_poses": (MOVE.link_poses, {"t": 0.5}),
    "Mesh": (Mesh, {"vertices": SQUARE, "faces": FACES, "name": "m"}),
    "Mesh.load": (Mesh.load, {"path": "m.obj", "scale": 1.0}),
    "mesh.transformed": (Mesh(SQUARE, FACES).transformed, {"transform": np.eye(4)}),
    "Program": (Program, {"name": "p"}),
    "program.follow": (
        lambda **k: Program().follow(**k), {"model": A, "path": [[0], [0.1]], "at": 0.0, "times": [0, 1]},
    ),
    "program.move": (
        lambda **k: steps().move(**k), {"model": A, "to": [0.2], "seconds": 1.0, "at": 1.0, "group": None},
    ),
    "program.wait": (lambda **k: steps().wait(**k), {"model": A, "seconds": 1.0}),
    "program.attach": (
        lambda **k: steps().attach(**k), {"robot": A, "body": B, "link": "upper", "at": 1.0, "touching": ["upper"]},
    ),
    "program.delayed": (lambda **k: steps().delayed(**k), {"model": A, "seconds": 1.0}),
    "program.save": (lambda **k: steps().save(**k), {"path": "p.json"}),
    "program.row": (lambda **k: steps().row(**k), {"model": A, "t": 0.5}),
    "program.time_of": (lambda **k: steps().time_of(**k), {"model": A}),
    "Robot": (Robot, {"name": "r", "links": ["a", "b"], "joints": [JOINT], "shapes": {}}),
    "Joint": (
        joint,
        {
            "name": "j", "kind": "revolute", "parent": "a", "child": "b", "origin": np.eye(4), "axis": (0, 0, 1),
            "limits": (-1, 1), "mimic": None,
        },
    ),
    "RobotBuilder.link": (
        lambda **k: RobotBuilder().link("base").link(**k).build(),
        {
            "name": "x", "shape": None, "parent": "base", "joint": "revolute", "axis": (0, 0, 1), "limits": (-1, 1),
            "mimic": None, "joint_name": "j", "solid": False,
        },
    ),
    "robot.entry_name": (A.entry_name, {"entry": 0}),
    "robot.ignore": (lambda **k: arm().ignore(**k), {"link_a": "base", "link_b": "upper"}),
    "robot.ignore_pairs": (lambda **k: arm().ignore_pairs(**k), {"pairs": [("base", "upper")]}),
    "robot.attach": (lambda **k: arm().attach(**({"body": ball()} | k)), {"link": "upper", "touching": ["upper"]}),
    "robot.detach": (lambda **k: arm().detach(**k), {"body": "ball"}),
    "robot.prove_pairs": (A.prove_pairs, {"margin": 0.001, "most": 10, "threads": 1, "proof": None, "seconds": 1.0}),
    "robot.configuration": (A.configuration, {"values": [0], "group": None, "like": None}),
    "robot.move": (A.move, {"q_t0": [0], "q_t1": [1], "group": None, "base": None}),
    "robot.follow": (A.follow, {"path": [[0], [1]], "group": None, "base": None, "times": [0, 1], "error": 0.001}),
    "Scene": (lambda model, **k: Scene(model, **k), {"model": B, "backend": "triangles", "threads": 1, "charts": True}),
    "scene.ignore": (lambda **k: Scene(arm(), ball()).ignore(**k), {"a": "ball", "b": "arm"}),
    "scene.margins": (
        (lambda pair, margin: S.margins.__setitem__(pair, margin)), {"pair": ("ball", "arm"), "margin": 0.0},
    ),
    "scene.first_contact": (
        asked(S.first_contact), {"motion": MOVE, **TERMS, "max_steps": 100, "method": "advancement", "deadline": 1.0},
    ),
    "scene.is_free": (asked(S.is_free), {"motion": MOVE, **TERMS, "method": "advancement", "deadline": None}),
    "scene.prove": (asked(S.prove), {"motion": MOVE, **TERMS}),
    "scene.safe_step": (asked(S.safe_step), {"motion": MOVE, **TERMS, "deadline": 1.0}),
    "scene.contacts": (asked(S.contacts), {"motion": MOVE, "every": None, "exact": False, "resolution": "low"}),
    "soft.contacts": (asked(SOFT.contacts), {"motion": C.move(SQUARE, SQUARE), "every": "pair", **TERMS}),
    "scene.contact_intervals": (asked(S.contact_intervals), {"motion": MOVE, **TERMS, "max_steps": 100}),
    "scene.distance": (S.distance, {}),
    "scene.show": (asked(S.show), {"motion": MOVE, "hit": None, "title": "t", "samples": 3, "height": 9}),
    "scene.check_edges": (S.check_edges, {"model": A, "Q0": EDGES, "Q1": EDGES, **BATCH, "device": "cpu"}),
    "scene.check_paths": (S.check_paths, {"model": A, "paths": [EDGES], **BATCH}),
    "scene.check_configurations": (S.check_configurations, {"model": A, "Q": EDGES, **BATCH}),
    "scene.distances": (S.distances, {"model": A, "Q": EDGES, "group": None, "threads": 1}),
    "Trajectory": (
        Trajectory,
        {
            "times": [0, 1], "positions": [[0], [1]], "velocities": None, "joint_names": ["a"], "source": "x",
            "standing": (),
        },
    ),
    "Trajectory.of": (Trajectory.of, {"curve": None, "joint_names": ()}),
    "Trajectory.of_pieces": (
        Trajectory.of_pieces, {"times": [0, 1], "coefficients": np.zeros((1, 2, 1)), "source": ""},
    ),
    "plan.peaks": (PLAN.peaks, {"derivative": 1}),
    "plan.cut": (PLAN.cut, {"begin": 0.0, "end": 0.5}),
    "plan.with_knots": (PLAN.with_knots, {"knots": [0.0, 1.0]}),
    "plan.path": (PLAN.path, {"robot": A, "group": None}),
    "audit": (
        tocsin.audit,
        {"scene": S, "robot": A, "trajectory": PLAN, **TERMS, "resolution": 0.01, "times": None, "error": 0.001},
    ),
    "audit of a program": (lambda **k: tocsin.audit(S, steps(), **k), {**TERMS, "progress": None}),
    "group": (tocsin.group, {"contacts": [], "within": 0.1}),
    "load_environment": (tocsin.load_environment, {"path": "x.obj", "scale": 1.0, "packages": ()}),
    "load_program": (tocsin.load_program, {"path": "p.json", "scene": S, "program": None}),
    "load_problem": (tocsin.load_problem, {"scene": "s.yaml", "request": "r.yaml"}),
    "load_moveit_program": (lambda **k: tocsin.load_moveit_program(**k), {"robot": A, "scene": "s.yaml", "name": "x"}),
    "load_trajectory": (tocsin.load_trajectory, {"path": "t.csv", "joints": None, "interpolation": None}),
    "save_trajectory": (tocsin.save_trajectory, {"path": "t.npz", "trajectory": PLAN}),
    "pose": (tocsin.pose, {"xyz": (0, 0, 0), "rpy": (0, 0, 0)}),
    "save_page": (tocsin.save_page, {"path": "a.html", "scene": S, "hit": None, "margin": 0.0, "title": "t"}),
    "save_picture": (
        tocsin.save_picture, {"path": "a.png", "scene": S, "size": (300, 300), "dark": False, "title": "t"},
    ),
    "save_report": (
        lambda **k: tocsin.save_report(**({"found": tocsin.audit(S, steps())} | k)),
        {"path": "r.html", "title": "t", "files": (), "proofs": None},
    ),
}  # fmt: skip
FILES = {
    "Robot.from_urdf": {
        "path": "arm.urdf", "srdf": None, "packages": (), "geometry": "collision", "ignore_overlapping": False,
        "xacro_arguments": None, "name": "x",
    },
}  # fmt: skip


def strangeness(call, good):
    """Yield what is wrong with what a call says to strange arguments, one at a time."""
    for argument in good:
        for kind, make in STRANGE.items():
            try:
                call(**good | {argument: make()})
            except TocsinError as error:
                if "\n" in str(error):
                    yield f"{argument}={kind}: on several lines: {error}"
            except Exception as error:
                yield f"{argument}={kind}: {type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_a_strange_argument_gets_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, good = CALLS[name]
    assert list(strangeness(call, good)) == []


@pytest.mark.filterwarnings("ignore")
def test_a_strange_argument_of_a_reader_gets_a_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(URDF)
    assert list(strangeness(Robot.from_urdf, FILES["Robot.from_urdf"])) == []


@pytest.mark.pure
@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: MOVE.link_poses(1.5), "times of a motion run from 0, its start, to 1, its end; got 1.5"),
        (lambda: MOVE.link_poses(-0.1), "times of a motion run from 0"),
        (lambda: C.move(SQUARE, SQUARE).vertices_at(np.nan), "times of a motion run from 0"),
        (lambda: C.at(SQUARE).row_at(7), "times of a motion run from 0"),
        (lambda: Body.from_mesh((SQUARE, FACES), name=""), "the name of a body must be a non-empty string"),
        (lambda: Body.from_heights(np.zeros((2, 2)), 1.0, name=0), "the name of a body must be a non-empty string"),
        (lambda: Body(Sphere(1.0), name="\ud800"), "half of a character"),
        (lambda: Box(b"abc"), "the size of a box is three edge lengths"),
        (lambda: B.at(bytearray(b"abc")), "must be a 4x4 rigid transform"),
        (lambda: Mesh(SQUARE, FACES, name=3), "the name of a mesh must be text"),
        (lambda: Robot("r", ["a"], [], {"b": Sphere(1.0)}), "no link 'b'; links are: 'a'"),
        (lambda: Robot(3, ["a"], [], {}), "the name of a robot must be a non-empty string"),
        (lambda: jointed(kind="hinge"), "must be one of"),
        (lambda: jointed(limits=(2, 1)), "the limits of joint 'j' are two numbers, lower and upper"),
        (lambda: jointed(mimic="a"), "what joint 'j' follows must be three things"),
        (lambda: steps().time_of("arm"), "a step is for a robot, body or deformable model; got 'arm'"),
        (lambda: steps().row(A, float("nan")), "t must be a finite number"),
        (lambda: S.first_contact(MOVE).resume(deadline="soon"), "deadline must be a number"),
        (lambda: A.prove_pairs(seconds=-1.0), "seconds must be at least 0"),
        (lambda: S.check_paths(A, "way"), "paths must be a sequence of"),
        (lambda: tocsin.load_environment("a.obj", packages=3), "packages are folders"),
        (lambda: tocsin.group("abc", within=0.1), "group takes a list of contacts"),
        (lambda: S.ignore(np.eye(2), "arm"), r"no .*array\(\[\[1\., 0\.\], \[0\., 1\.\]\]\)"),
    ],
)
def test_what_was_taken_without_a_word_is_refused(ask, sentence):
    with pytest.raises(TocsinError, match=sentence):
        ask()


def test_files_of_a_report_are_paths_that_exist(tmp_path):
    found = tocsin.audit(S, steps())
    with pytest.raises(TocsinError, match=r"files must be a sequence of paths; got 'arm.urdf'"):
        tocsin.save_report(tmp_path / "r.html", found, files="arm.urdf")
    with pytest.raises(TocsinError, match="there is no such file"):
        tocsin.save_report(tmp_path / "r.html", found, files=["arm.urdf"])


def test_the_calls_name_arguments_that_exist():
    for name, (call, good) in CALLS.items():
        parameters = inspect.signature(call).parameters
        if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            assert set(good) <= set(parameters), name
