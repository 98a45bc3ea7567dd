"""`tocsin info`."""

import re

import pytest

from .cell import tocsin


def test_it_counts_links_joints_triangles_and_pairs(cell):
    said = tocsin("info", cell.urdf, "--srdf", cell.srdf, "--json")
    assert said.code == 0, said.err
    assert set(said.json) == {
        "tocsin", "command", "robot", "base", "degrees_of_freedom", "triangles", "primitives", "pairs_checked",
        "pairs_ignored", "touching_where_it_stands", "links", "joints", "groups", "states", "file",
    }  # fmt: skip
    assert said.json["robot"] == "arm"
    assert said.json["degrees_of_freedom"] == 3
    assert said.json["triangles"] == 12
    assert said.json["primitives"] == 4
    # Ten pairs of five links: four are neighbours, and the SRDF leaves out one.
    assert (said.json["pairs_checked"], said.json["pairs_ignored"]) == (5, 5)
    assert said.json["groups"] == {"both": ["shoulder", "elbow"]}
    assert said.json["states"]["down"] == {"shoulder": 1.5, "elbow": 0.5}
    joints = {joint["name"]: joint for joint in said.json["joints"]}
    assert joints["shoulder"]["limits"] == [-2.0, 2.0]
    assert joints["elbow"]["limits"] is None
    assert joints["follow"]["mimic"] == {"joint": "grip", "multiplier": 1.0, "offset": 0.0}
    lower = next(link for link in said.json["links"] if link["name"] == "lower")
    assert lower["meshes"][0]["closed"] is True
    assert lower["meshes"][0]["name"] == "lower.obj"


def test_people_get_the_same_in_tables(cell):
    said = tocsin("info", cell.urdf, "--srdf", cell.srdf)
    assert said.code == 0
    for words in ("arm", "12 triangles, 4 primitives", "5 pairs of links checked", "-2 to 2 rad", "0 to 0.04 m",
                  "1 x grip", "lower.obj: 12 triangles", "closed", "both", "shoulder 1.5, elbow 0.5"):  # fmt: skip
        assert words in said.out, words


def test_links_that_touch_where_the_robot_stands_are_named(cell, tmp_path):
    text = cell.urdf.read_text().replace('xyz="0.03 0 0.5"', 'xyz="0.005 0 0.5"')
    near = cell.write("near.urdf", text.replace('xyz="-0.03 0 0.5"', 'xyz="-0.005 0 0.5"'))
    said = tocsin("info", near, "--json")
    assert said.json["touching_where_it_stands"] == [["left", "right"]]
    assert "tocsin matrix" in tocsin("info", near).out
    assert tocsin("info", near, "--ignore-overlapping", "--json").code == 0


def test_a_robot_without_geometry_is_shown_too(cell):
    bare = cell.write("bare.urdf", '<robot name="bare"><link name="only"/></robot>')
    said = tocsin("info", bare, "--json")
    assert said.code == 0
    assert said.json["pairs_checked"] == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("<robot", "XML"),
        ("<sdf/>", "SDF"),
        ("<robot name='x'/>", "no links"),
        ("<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='x'><link name='&a;'/></robot>", "DOCTYPE|DTD|entit"),
    ],
)
def test_wrong_input_gets_one_sentence_and_2(cell, text, words):

    said = tocsin("info", cell.write("wrong.urdf", text))
    assert said.code == 2
    assert re.search(words, said.err), said.err
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err


def test_a_robot_needs_a_file(cell):
    assert tocsin("info").code == 2
    assert "does not exist" in tocsin("info", cell.folder / "nowhere.urdf").err
    assert tocsin("info", cell.folder).code == 2
