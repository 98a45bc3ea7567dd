"""`tocsin check`."""

import math
import re

import pytest

from .cell import box_obj, tocsin

UP, DOWN = "0,0,0", "1.5,0.5,0"


def test_a_free_motion_is_proven_and_leaves_with_0(cell):
    said = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--scene", cell.far, "--from", UP, "--to", DOWN)
    assert said.code == 0, said.err
    assert said.out.startswith("free: proven that arm touches nothing")


def test_degrees_are_pointed_out_once_whether_a_joint_has_limits_or_none(cell):
    for to, said_of in (("0,90,0", "'elbow' is at 90 rad, 14 turns. Degrees?"), ("45,0,0", "'shoulder' is at 45,")):
        said = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--from", UP, "--to", to)
        assert said_of in said.err
        assert len(re.findall(r"[Dd]egrees\?", said.err)) == 1


def test_a_contact_is_named_and_leaves_with_1(cell):
    said = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--scene", cell.plate, "--from", UP, "--to", DOWN)
    assert said.code == 1, said.err
    assert said.out.startswith("contact at t = 0.4")
    assert "left and plate" in said.out


def test_the_keys_of_the_json_are_stable(cell):
    said = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--scene", cell.plate, "--from", UP, "--to", DOWN, "--json")
    assert said.code == 1
    assert set(said.json) == {
        "tocsin", "command", "robot", "scene", "margin", "from", "to", "status", "free", "time", "configuration",
        "tolerance", "contacts", "pairs_checked", "seconds", "within_limits", "self_margin",
    }  # fmt: skip
    assert said.json["status"] == "contact"
    assert said.json["free"] is False
    assert said.json["within_limits"] is True
    assert said.json["scene"] == ["arm", "plate"]
    assert said.json["to"] == {"shoulder": 1.5, "elbow": 0.5, "grip": 0.0}
    assert said.json["configuration"]["shoulder"] == pytest.approx(1.5 * said.json["time"])
    assert set(said.json["contacts"][0]) == {
        "model_a", "link_a", "model_b", "link_b", "kind", "features", "point_a", "point_b", "normal", "distance",
    }  # fmt: skip
    assert said.json["contacts"][0]["point_a"][0] == pytest.approx(0.7, abs=1e-3)
    free = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--from", UP, "--to", DOWN, "--json")
    assert free.code == 0
    assert free.json["time"] is None
    assert free.json["contacts"] == []


@pytest.mark.parametrize(
    "options",
    [
        ("--from", "up", "--to", "down"),
        ("--from", "0 0 0", "--to", "[1.5, 0.5, 0]"),
        ("--from", "shoulder=0,elbow=0", "--to", "elbow=0.5 shoulder=1.5"),
        ("--group", "both", "--from", "0,0", "--to", "1.5,0.5"),
        ("--group", "both", "--from", "up", "--to", "shoulder=1.5 elbow=0.5"),
        ("--from", "up.json", "--to", "down.yaml"),
    ],
)
def test_a_configuration_can_be_given_in_many_ways(cell, options, monkeypatch):
    cell.write("up.json", '{"shoulder": 0, "elbow": 0.0}')
    cell.write("down.yaml", "shoulder: 1.5\nelbow: 0.5\n")
    monkeypatch.chdir(cell.folder)
    said = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--scene", cell.plate, *options, "--json")
    assert said.code == 1, said.err
    assert (said.json["from"], said.json["to"]) == (
        {"shoulder": 0.0, "elbow": 0.0, "grip": 0.0},
        {"shoulder": 1.5, "elbow": 0.5, "grip": 0.0},
    )


def test_negative_values_are_not_taken_for_options(cell):
    said = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--from", "-0.5,-0.5,0", "--to", "-1,0,0", "--json")
    assert said.code == 0, said.err
    assert said.json["from"]["shoulder"] == -0.5


def test_a_margin_counts(cell):
    near = ("--from", UP, "--to", "shoulder=0.6,elbow=0.2")
    base = ("check", cell.urdf, "--srdf", cell.srdf, "--scene", cell.plate, *near)
    assert tocsin(*base).code == 0
    said = tocsin(*base, "--margin", "0.2")
    assert said.code == 1
    assert "within 200 mm" in said.out
    assert tocsin(*base, "--margin", "0.2", "--ignore", "lower,plate", "--ignore", "arm,plate").code == 0


def test_meshes_of_a_scene_may_be_in_other_units(cell):
    millimetres = cell.write("millimetres.obj", box_obj(0.2, 500, 500, (700, 0, 600)))
    base = ("check", cell.urdf, "--srdf", cell.srdf, "--scene", millimetres, "--from", UP, "--to", DOWN, "--json")
    assert tocsin(*base).json["contacts"] == []
    assert tocsin(*base, "--scale", "0.001").json["time"] == pytest.approx(0.4224, abs=1e-3)
    assert tocsin(*base, "--scale", "0").code == 2


def test_values_outside_the_limits_are_pointed_out(cell):
    said = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--from", UP, "--to", "2.5,0,0.05")
    assert said.code == 0
    assert "'shoulder' is at 2.5, outside of its limits -2 to 2" in said.err
    assert "'follow' is at 0.05" in said.err


def test_a_mujoco_file_is_a_robot_too(cell):
    pytest.importorskip("mujoco", reason="needs mujoco")
    said = tocsin("check", cell.mjcf, "--scene", cell.plate, "--from", "0", "--to", "1.5", "--json")
    assert said.code == 1, said.err
    assert said.json["contacts"][0]["link_a"] == "rod"


WRONG = [
    (("{missing}", "--from", UP, "--to", DOWN), "does not exist"),
    (("{plate}", "--from", UP, "--to", DOWN), ".urdf"),
    (("{broken}", "--from", UP, "--to", DOWN), "XML"),
    (("{urdf}", "--from", "0,0", "--to", DOWN), "--from: .*3 values"),
    (("{urdf}", "--from", UP, "--to", "0,nan,0"), "--to: .*finite"),
    (("{urdf}", "--from", UP, "--to", "0,zero,0"), "--to takes numbers"),
    (("{urdf}", "--from", UP, "--to", ""), "--to: .*3 values"),
    (("{urdf}", "--from", UP, "--to", "wrist=1"), "no joint 'wrist'; joints are: 'shoulder', 'elbow', 'grip'"),
    (("{urdf}", "--from", UP, "--to", "follow=0.01"), "'follow' follows 'grip'"),
    (("{urdf}", "--from", UP, "--to", "grip=0.01,grip=0.02"), "twice"),
    (("{urdf}", "--from", "missing.json", "--to", DOWN), "missing.json.*does not exist"),
    (("{urdf}", "--from", "{plate}.yaml", "--to", DOWN), "does not exist"),
    (("{urdf}", "--from", "{list}", "--to", DOWN), "must hold joint names"),
    (("{urdf}", "--from", "{nested}", "--to", DOWN), "--from: .*shoulder"),
    (("{urdf}", "--from", "sideways", "--to", DOWN), "States are: 'up', 'down'"),
    (("{urdf}", "--group", "legs", "--from", "0,0", "--to", "1,1"), "no group 'legs'; groups are: 'both'"),
    (("{urdf}", "--from", UP, "--to", DOWN, "--scene", "{missing}"), "missing"),
    (("{urdf}", "--from", UP, "--to", DOWN, "--ignore", "lower"), "two names"),
    (("{urdf}", "--from", UP, "--to", DOWN, "--ignore", "lower,wall"), "no name 'wall'"),
    (("{urdf}", "--from", UP, "--to", DOWN, "--margin", "-1"), "margin must be at least 0"),
    (("{urdf}", "--from", UP, "--to", DOWN, "--tolerance", "0"), "tolerance must be greater than 0"),
    (("{urdf}", "--from", UP, "--to", DOWN, "--geometry", "both"), "geometry must be one of"),
    (("{urdf}", "--from", UP), "--to"),
    (("{urdf}", "--from", UP, "--to", DOWN, "--margin", "wide"), "margin"),
    (("{urdf}", "--from", UP, "--to", DOWN, "--sideways"), "sideways"),
]


@pytest.mark.parametrize(("options", "words"), WRONG)
def test_wrong_input_gets_one_sentence_and_2(cell, options, words):
    names = {
        "urdf": cell.urdf,
        "plate": cell.plate,
        "missing": cell.folder / "missing.urdf",
        "broken": cell.write("broken.urdf", "<robot><link"),
        "list": cell.write("word.yaml", "up\n"),
        "nested": cell.write("nested.json", '{"shoulder": [[1, 2], [3, 4]]}'),
    }
    states = ("--srdf", cell.srdf) if "{urdf}" in options else ()
    said = tocsin("check", *[o.format(**names) for o in options], *states)
    assert said.code == 2
    assert said.out == ""
    text = " ".join(said.err.replace("│", " ").split())
    assert re.search(words, text), text
    assert "Traceback" not in said.err


def test_wrong_input_is_json_for_machines(cell):
    said = tocsin("check", cell.urdf, "--from", "1", "--to", DOWN, "--json")
    assert said.code == 2
    assert "3 values" in said.json["error"]


def test_a_time_is_no_number_json_does_not_know(cell):
    said = tocsin("check", cell.urdf, "--from", UP, "--to", DOWN, "--json")
    assert "Infinity" not in said.out
    assert all(not isinstance(v, float) or math.isfinite(v) for v in said.json.values())


def test_joints_that_the_end_does_not_name_stay_as_at_the_start(cell):
    said = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--from", "down", "--to", "elbow=0.2", "--json")
    assert said.json["from"] == {"shoulder": 1.5, "elbow": 0.5, "grip": 0.0}
    assert said.json["to"] == {"shoulder": 1.5, "elbow": 0.2, "grip": 0.0}


def test_a_margin_is_for_the_scene_and_links_have_their_own(cell):
    # The fingers are 40 mm from each other, by design.
    base = ("check", cell.urdf, "--from", UP, "--to", DOWN, "--margin", "0.05")
    scene = tocsin(*base, "--scene", cell.far)
    assert scene.code == 0
    assert "keeps more than 50 mm from what is around it and does not touch itself" in scene.out
    alone = tocsin(*base)
    assert alone.code == 1
    assert "left and right" in alone.out
    assert tocsin(*base, "--scene", cell.far, "--self-margin", "0.05").code == 1
    assert tocsin(*base, "--self-margin", "-1").code == 2


def test_a_scene_that_is_probably_in_millimetres_is_pointed_out(cell):
    table = cell.write("table.obj", box_obj(1200, 800, 20, (5000, 0, 0)))
    said = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--from", UP, "--to", DOWN, "--scene", table)
    assert "'table' is" in said.err
    assert "Millimetres?" in said.err
    assert "--scale 0.001" in said.err
    assert "Millimetres" not in tocsin("check", cell.urdf, "--from", UP, "--to", DOWN, "--scene", cell.far).err
