"""What readers of files once believed and should not have, each with the file that showed it."""

import numpy as np
import pytest

from effort import refusal
from tocsin import Mesh, Robot
from tocsin.io import meshfile_obj
from tocsin.io.environment import load_environment
from tocsin.io.planning import load_scene_file
from tocsin.io.trajectories import load_trajectory

CUBE = (
    "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    + "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
)


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_a_byte_order_mark_does_not_hide_the_first_vertex(tmp_path):
    plain = Mesh.load(write(tmp_path, "plain.obj", CUBE))
    marked = Mesh.load(write(tmp_path, "marked.obj", b"\xef\xbb\xbf" + CUBE.encode()))
    assert np.array_equal(plain.vertices, marked.vertices)
    assert np.array_equal(plain.faces, marked.faces)


@pytest.mark.parametrize("block", [1, 10, 57])
def test_an_obj_read_in_pieces_is_the_same(tmp_path, monkeypatch, block):
    text = CUBE + "o second\nv 5 5 5\nf -1 -2 1\nf 9 1 2 3\n"
    whole = Mesh.load(write(tmp_path, "whole.obj", text))
    monkeypatch.setattr(meshfile_obj, "BLOCK", block)
    pieces = Mesh.load(tmp_path / "whole.obj")
    assert np.array_equal(whole.vertices, pieces.vertices)
    assert np.array_equal(whole.faces, pieces.faces)
    sentence = refusal(Mesh.load, write(tmp_path, "far.obj", text + "\n\nf 1 2 99\n"), "vertex that is not there")
    assert "line 21 " in sentence
    assert "'f 1 2 99'" in sentence
    assert "line 19 " in refusal(Mesh.load, write(tmp_path, "word.obj", text + "v 1 2 x\n"), "not a vertex of three")
    assert "line 19 " in refusal(Mesh.load, write(tmp_path, "two.obj", text + "f 1 2\n"), "fewer than three corners")
    assert "line 19 " in refusal(Mesh.load, write(tmp_path, "deg.obj", text + "deg 3\n"), "only polygons")


@pytest.mark.parametrize("lines", ["v \n", "v 1\nv 2\nv 3\n", "v 1 2\nv 3 4\nv 5 6\n"])
def test_vertices_without_three_numbers_do_not_run_together(tmp_path, lines):
    refusal(Mesh.load, write(tmp_path, "short.obj", lines), "not a vertex of three numbers")


def test_a_polygon_of_thousands_of_corners_is_a_fan_and_one_of_a_million_is_refused(tmp_path):
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf"
    assert len(Mesh.load(write(tmp_path, "fan.obj", corners + " 1 2 3" * 3333)).faces) == 9997
    refusal(Mesh.load, write(tmp_path, "fan.obj", corners + " 1 2 3" * 333_333), "line 4 has 999999 corners")


def test_an_stl_of_empty_lines_is_looked_at_once(tmp_path):
    refusal(Mesh.load, write(tmp_path, "blank.stl", "solid s" + "\n" * 3_000_000), "no facets and no end")


def test_a_dae_is_refused_before_a_tree_is_made_of_it(tmp_path):
    refusal(Mesh.load, write(tmp_path, "wide.dae", "<a>" + "<b/>" * 3_000_000 + "</a>"), "more than 1000000 elements")
    refusal(Mesh.load, write(tmp_path, "tag.dae", '<a b="' + "x" * 5_000_000 + '"/>'), "longer than 1048576 bytes")
    refusal(Mesh.load, write(tmp_path, "words.dae", "x" * 50_000_000), "not XML")


def test_a_gltf_of_millions_of_nothings_is_not_unfolded(tmp_path):
    refusal(Mesh.load, write(tmp_path, "nodes.gltf", '{"nodes":[' + "{}," * 3_000_000 + "{}]}"), "values")


def test_a_csv_is_read_line_by_line(tmp_path):
    header = ",".join(f"j{k}" for k in range(5000))
    wide = load_trajectory(write(tmp_path, "wide.csv", header + "\n" + ("0," * 5000)[:-1] + "\n"))
    assert wide.positions.shape == (1, 5000)
    quoted = load_trajectory(write(tmp_path, "quoted.csv", '"a, b","c"\r\n\r\n"1",2\r\n'))
    assert quoted.joint_names == ("a, b", "c")
    assert quoted.positions.tolist() == [[1.0, 2.0]]
    refusal(load_trajectory, write(tmp_path, "line.csv", "a," * 1_000_000), "line 1 is longer than")
    refusal(load_trajectory, write(tmp_path, "blank.csv", "a" + "\n" * 30_000_000), "empty lines")
    refusal(load_trajectory, write(tmp_path, "quote.csv", 'a,"b\n1,2\n'), "not CSV")
    refusal(load_trajectory, write(tmp_path, "rows.csv", "a,b\n" + "x,y\n" * 10_000_000), "row 0, column 'a' is 'x'")


def test_a_json_of_millions_of_nothings_is_not_unfolded(tmp_path):
    path = write(tmp_path, "values.json", "[" + "{}," * 11_000_000 + "{}]")
    for read in (load_trajectory, load_scene_file):
        refusal(read, path, "more than 10000000 values")


def test_a_scene_of_millions_of_lines_is_refused(tmp_path):
    refusal(load_scene_file, write(tmp_path, "blank.scene", "s\n" + "\n" * 20_000_000), "more than 1000000 lines")
    refusal(load_scene_file, write(tmp_path, "many.scene", "s\n" + "* a\n0\n" * 3_000_000), "more than 1000000 lines")


@pytest.mark.parametrize("read", [Mesh.load, load_environment])
@pytest.mark.parametrize("number", [-1, 4, 15948])
def test_a_face_of_vertices_that_are_not_there_is_refused_by_every_reader(tmp_path, read, number):
    text = f"OFF\n4 1 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 {number}\n"
    refusal(read, write(tmp_path, "far.off", text), f"4 vertices, but a face names number {number}")


FOLLOWER = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="j" type="prismatic"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><mimic joint="j" {0}/></joint></robot>"""


@pytest.mark.parametrize("values", ['multiplier="1e308"', 'multiplier="-1e200"', 'offset="1e308"', 'offset="-1e155"'])
def test_a_mimic_that_overflows_is_refused(tmp_path, values):
    refusal(Robot.from_urdf, write(tmp_path, "far.urdf", FOLLOWER.format(values)), "joint 'k' follows 'j'")


SWING = """<mujoco><worldbody><body name="rod" pos="{pos}"><joint name="j" type="slide" ref="{ref}"/>
<geom type="{geom}" size="0.1 0.1 0.1" {mesh}/><body name="tip" pos="{tip}"><geom size="0.1"/></body></body></worldbody>
<asset><mesh name="m" vertex="0 0 0 0.2 0 0 0 0.2 0 {far} 0 0.2"/></asset></mujoco>"""
HONEST = {"pos": "0 0 1", "ref": "0", "geom": "box", "mesh": "", "tip": "0 0 1", "far": "0"}


@pytest.mark.parametrize("wrong", [{"pos": "0 -1e308 0"}, {"ref": "1e308"}, {"tip": "1e200 0 0"}])
def test_a_mujoco_frame_beyond_all_lengths_is_refused(tmp_path, wrong):
    pytest.importorskip("mujoco")
    assert Robot.from_mjcf(write(tmp_path, "near.xml", SWING.format(**HONEST))).n_config == 1
    refusal(Robot.from_mjcf, write(tmp_path, "far.xml", SWING.format(**HONEST | wrong)), "too far away")


def test_what_libraries_inside_mujoco_print_does_not_reach_the_terminal(tmp_path, capfd):
    pytest.importorskip("mujoco")
    flat = SWING.format(**HONEST | {"far": "2147483647", "geom": "mesh", "mesh": 'mesh="m"'})
    refusal(Robot.from_mjcf, write(tmp_path, "flat.xml", flat), "qhull")
    print("heard", flush=True)
    assert capfd.readouterr() == ("heard\n", "")


XACRO = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{}<link name="a"/></robot>'


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("${foo}", "name 'foo' is not defined when evaluating expression 'foo'"),
        ('<xacro:property name="a" value="${1/0}"/>${a}', "division by zero"),
        ('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', "recursion"),
        ('<xacro:include filename="self.xacro"/>', "recursion"),
        ('<xacro:include filename="$(find nobody)/a"/>', "'[^']*self.xacro' needs the package 'nobody'"),
        ("<xacro:nothing/>", "unknown macro name"),
    ],
)
def test_what_xacro_says_is_one_line(tmp_path, inside, words):
    pytest.importorskip("xacro")
    sentence = refusal(Robot.from_urdf, write(tmp_path, "self.xacro", XACRO.format(inside)), words)
    assert "\n" not in sentence
    assert "<class" not in sentence
