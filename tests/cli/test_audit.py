"""`tocsin audit`."""

import hashlib
import re

import numpy as np
import pytest

from .cell import tocsin

KEYS = {
    "tocsin", "command", "robot", "scene", "trajectory", "status", "free", "margin", "resolution", "waypoints",
    "duration", "length", "stretches", "clearance", "queries", "seconds", "within_limits",
    "self_margin",
}  # fmt: skip


def test_a_free_trajectory_is_proven_and_leaves_with_0(cell):
    base = ("audit", cell.urdf, cell.trajectory(), "--srdf", cell.srdf, "--scene", cell.far)
    said = tocsin(*base, "--margin", "0.02")
    assert said.code == 0, said.err
    assert said.out.startswith("free: proven that arm keeps more than 20 mm from what is around it and does not touch")
    found = tocsin(*base, "--json").json
    assert set(found) == KEYS
    assert found["stretches"] == []
    assert found["duration"] == 4.0
    assert 0.0 < found["clearance"]["lower"] <= found["clearance"]["upper"]


def test_every_stretch_is_reported_and_it_leaves_with_1(cell):
    there_and_back = cell.write("twice.csv", "time,shoulder,elbow\n0,0,0\n2,1.5,0.5\n3,1.5,0.5\n5,0,0\n")
    base = ("audit", cell.urdf, there_and_back, "--srdf", cell.srdf, "--scene", cell.plate, "--scene", cell.far,
            "--ignore", "left,plate", "--ignore", "right,plate")  # fmt: skip
    said = tocsin(*base)
    assert said.code == 1, said.err
    assert said.out.startswith("contact: 2 stretches in contact; everything else is proven free")
    assert "lower and plate" in said.out
    found = tocsin(*base, "--json").json
    assert found["status"] == "contact"
    assert found["scene"] == ["arm", "plate", "far"]
    first, second = found["stretches"]
    assert set(first) == {
        "status", "enter", "exit", "pairs", "contacts", "exit_contacts", "time_step", "joint_step",
    }  # fmt: skip
    assert set(first["enter"]) == {"waypoint", "fraction", "time", "configuration"}
    assert (first["enter"]["waypoint"], second["enter"]["waypoint"]) == (0, 2)
    # The way back is the same way: five seconds minus the times of the way there.
    assert second["enter"]["time"] == pytest.approx(5.0 - first["exit"]["time"], abs=1e-3)
    assert first["time_step"] == pytest.approx(first["exit"]["time"] - first["enter"]["time"])
    assert first["enter"]["configuration"]["shoulder"] == pytest.approx(1.5 * first["enter"]["time"] / 2.0)
    assert first["pairs"][0] == {"model_a": "arm", "link_a": "lower", "model_b": "plate", "link_b": "plate"}
    assert found["clearance"]["upper"] == 0.0


def test_a_plain_array_has_the_robots_own_columns(cell):
    np.save(cell.folder / "path.npy", np.array([[0.0, 0.0, 0.0], [1.5, 0.5, 0.0]]))
    said = tocsin("audit", cell.urdf, cell.folder / "path.npy", "--srdf", cell.srdf, "--scene", cell.plate, "--json")
    assert said.code == 1, said.err
    assert said.json["duration"] is None
    assert said.json["stretches"][0]["time_step"] is None
    np.save(cell.folder / "both.npy", np.array([[0.0, 0.0], [1.5, 0.5]]))
    base = ("audit", cell.urdf, cell.folder / "both.npy", "--srdf", cell.srdf, "--scene", cell.plate)
    assert tocsin(*base).code == 2
    assert tocsin(*base, "--group", "both").code == 1


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", (), "empty"),
        ("shoulder,wrist\n0,0\n1,1\n", (), "no joint 'wrist'"),
        ("shoulder,elbow\n0,0\n1\n", (), ""),
        ("shoulder,elbow\n0,nan\n1,1\n", (), ""),
        ("shoulder,elbow\n0,zero\n1,1\n", (), ""),
        ("shoulder,elbow\n0,0\n", (), "at least two"),
        ("time,shoulder\n1,0\n0,1\n", (), "increas"),
        ("shoulder\n0\n1\n", ("--margin", "-1"), "margin must be at least 0"),
        ("shoulder\n0\n1\n", ("--resolution", "0"), "resolution must be greater than 0"),
        ("shoulder\n0\n1\n", ("--group", "legs"), "no group 'legs'"),
        ("shoulder\n0\n1\n", ("--scene", "nowhere.stl"), "nowhere"),
    ],
)
def test_wrong_input_gets_one_sentence_and_2(cell, text, options, words):
    said = tocsin("audit", cell.urdf, cell.write("wrong.csv", text), "--srdf", cell.srdf, *options)
    assert said.code == 2
    assert re.search(words, said.err), said.err
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err


def test_a_file_that_is_no_trajectory_is_refused(cell):
    said = tocsin("audit", cell.urdf, cell.plate)
    assert said.code == 2
    assert "error: " in said.err
    assert tocsin("audit", cell.urdf).code == 2
    assert "does not exist" in tocsin("audit", cell.urdf, cell.folder / "nowhere.csv").err


def test_values_that_are_probably_degrees_are_refused(cell):
    degrees = cell.write("degrees.csv", "shoulder,elbow\n0,0\n45,0\n90,0\n")
    said = tocsin("audit", cell.urdf, degrees, "--srdf", cell.srdf, "--scene", cell.far)
    assert said.code == 2
    assert "joint 'shoulder' goes to 90, and its limits are -2 to 2 rad: it seems to be in degrees" in said.err


def test_two_robots_events_tubes_and_a_report(cell):
    other = cell.write("other.csv", "time,shoulder,elbow\n0,0,0\n2,0.3,0.1\n")
    base = ("audit", cell.urdf, cell.trajectory(), "--srdf", cell.srdf, "--scene", cell.far)
    report, page = cell.folder / "out" / "report.html", cell.folder / "out" / "page.html"
    apart = ("--with", cell.urdf, other, "--place", "arm-2=20,0,0,0,0,1.5")
    said = tocsin(*base, *apart, "--error", "0.0001", "--report", report, "--page", page)
    assert said.code == 0, said.err
    assert said.out.startswith("free: proven that everything touches nothing")
    assert "of arm, arm-2" in said.out
    assert "errors take" in said.out
    filed = report.read_text(encoding="utf-8")
    assert "PROVEN" in filed
    for file in (cell.urdf, cell.srdf, cell.far, other):
        assert hashlib.sha256(file.read_bytes()).hexdigest() in filed
    assert page.stat().st_size > 10_000
    onto = tocsin(*base, "--with", cell.urdf, other, "--place", "arm-2=0.05,0,0", "--json")
    assert onto.code == 1, onto.err
    assert {c["pair"]["model_b"] for c in onto.json["conflicts"]} >= {"arm-2"}
    assert onto.json["free"] is False


def test_errors_are_those_of_every_robot(cell):
    """Of a robot that came --with another the nominal motion alone was proven."""
    still = cell.write("still.csv", "time,shoulder,elbow\n0,0,0\n1,0,0\n")
    aside = ("--with", cell.urdf, still, "--place", "arm-2=0.3,0,0", "--json")
    base = ("audit", cell.urdf, still, "--srdf", cell.srdf)
    apart = tocsin(*base, *aside, "--error", "arm/shoulder=0.1").json["clearance"]["lower"]
    nearer = tocsin(*base, *aside, "--error", "shoulder=0.1").json["clearance"]["lower"]
    assert nearer < 0.6 * apart
    said = tocsin(*base, *aside, "--error", "arm-3/shoulder=0.1")
    assert said.code == 2
    assert "no joint 'arm-3/shoulder'" in said.json["error"]


def test_a_program_is_audited_and_events_are_added(cell):
    steps = cell.write("steps.yaml", "steps:\n- {attach: far, robot: arm, link: lower, at: 0.5}\n")
    base = ("audit", cell.urdf, cell.trajectory(), "--srdf", cell.srdf, "--scene", cell.far)
    said = tocsin(*base, "--events", steps)
    assert said.code in (0, 1), said.err
    assert "1 events, 2 phases" in said.out
    program = cell.write("program.yaml", "program: p\nsteps:\n- {move: arm, to: {shoulder: 0.1}, seconds: 1}\n")
    said = tocsin("audit", cell.urdf, program, "--srdf", cell.srdf, "--scene", cell.far)
    assert said.code == 0, said.err
    assert "1 s of arm" in said.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--with", "nowhere.urdf", "nowhere.csv"), "nowhere.urdf"),
        (("--error", "much"), "--error takes a number"),
        (("--error", "wrist=0.1"), "no joint 'wrist'"),
        (("--place", "leg=1,2,3"), "no robot 'leg'"),
        (("--place", "arm=1,2"), "--place takes NAME=X,Y,Z"),
        (("--events", "nowhere.yaml"), "nowhere.yaml"),
    ],
)
def test_what_is_wrong_with_a_program_is_said(cell, options, words):
    said = tocsin("audit", cell.urdf, cell.trajectory(), "--srdf", cell.srdf, *options)
    assert said.code == 2
    assert words in said.err
