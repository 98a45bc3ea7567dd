"""Files by somebody of bad intent: what each would read, fill or run, and the sentence by which it is refused.

Every case is a folder `given` with a file that is opened. Outside of it lies `secret/design.stl`, a good mesh: a reader
that follows a path there gets a robot, and the test fails.
"""

import io
import json
import os
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import strangers_again
from archives import npz
from effort import little_work, refusal
from tocsin import Mesh, Robot, load_environment, load_trajectory
from tocsin.io.mjcf import load_mjcf
from tocsin_bench.campaigns.mutate_seeds import honest

STL = honest()["stl"][1]
OUTSIDE = r"outside|needs the package|leads out|is a link to"

BODY = '<worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody>'
XACRO = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{}<link name="a"/></robot>'


def urdf(filename, name="made.urdf"):
    mesh = f'<collision><geometry><mesh filename="{filename}"/></geometry></collision>'
    return {name: f'<robot name="r"><link name="a">{mesh}</link></robot>'}


def mjcf(asset, before="", body=BODY):
    return {"model.xml": f"<mujoco>{before}<asset>{asset}</asset>{body}</mujoco>"}


def many(tag, count, inside=""):
    return f"<{tag}>{inside}</{tag}>" * count


def npy(shape, kind="<f8", data=b""):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    return stream.getvalue() + data


def gltf(**changes):
    return {"g.gltf": json.dumps({"asset": {"version": "2.0"}, **changes})}


def scene(resource, key="resource"):
    mesh = {"id": "o", "pose": {"position": [0, 0, 0], "orientation": [0, 0, 0, 1]}, "meshes": [{key: resource}]}
    return {"s.json": json.dumps({"world": {"collision_objects": [mesh]}})}


def with_srdf(path):
    (path.parent / "ok.urdf").write_bytes(honest()["urdf"][1])
    (path.parent / "part.stl").write_bytes(STL)
    return Robot.from_urdf(path.parent / "ok.urdf", srdf=path)


def dae(nodes="", placed="", before=""):
    text = honest()["dae"][1].decode()
    at = text.index("<library_visual_scenes>")
    text = f"{text[:at]}{before}<library_nodes>{nodes}</library_nodes>{text[at:]}"
    return {"d.dae": text.replace('<node id="node">', f'{placed}<node id="node">')}


def parquet(rows):
    def made():
        arrow = pytest.importorskip("pyarrow")
        from pyarrow.parquet import write_table

        out = arrow.BufferOutputStream()
        write_table(arrow.table({"j": np.zeros(rows)}), out, compression="zstd")
        return out.getvalue().to_pybytes()

    return {"t.parquet": made}


def one_mesh(**changes):
    """A glTF file of one node that holds one mesh of one triangle."""
    parts = {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}],
             "scenes": [{"nodes": [0]}], "scene": 0, "bufferViews": [{"buffer": 0, "byteLength": 36}],
             "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64," + "A" * 48}],
             "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}]}  # fmt: skip
    return gltf(**parts | changes)


MESH = '<mesh name="m" file="{}"/>'

CASES = {
    # what would be read
    "a path upwards": (Robot.from_urdf, urdf("../secret/design.stl"), OUTSIDE),
    "an absolute path": (Robot.from_urdf, urdf("{top}/secret/design.stl"), OUTSIDE),
    "a device": (Robot.from_urdf, urdf("/dev/zero"), OUTSIDE),
    "a file address": (Robot.from_urdf, urdf("file://{top}/secret/design.stl"), OUTSIDE),
    "dots as percents": (Robot.from_urdf, urdf("%2e%2e/secret/design.stl"), OUTSIDE),
    "a folder beside, called a package": (Robot.from_urdf, urdf("package://secret/design.stl"), OUTSIDE),
    "a folder above, called a package": (Robot.from_urdf, urdf("package://{name}/secret/design.stl"), OUTSIDE),
    "a link to a file": (Robot.from_urdf, urdf("link.stl"), OUTSIDE),
    "a link to a folder": (Robot.from_urdf, urdf("away/design.stl"), OUTSIDE),
    "a package that is a link": (Robot.from_urdf, urdf("package://away/design.stl"), OUTSIDE),
    "a mesh directory above, and a decoy": (load_mjcf, mjcf(MESH.format("design.stl"),
        '<compiler meshdir="../secret"/>') | {"design.stl": STL}, OUTSIDE),
    "a second asset directory": (load_mjcf, mjcf(MESH.format("design.stl"),
        '<compiler meshdir="."/><compiler assetdir="../secret"/>') | {"design.stl": STL}, OUTSIDE),
    "a directory in an included file": (load_mjcf, mjcf(MESH.format("design.stl"), '<include file="inc.xml"/>')
        | {"inc.xml": '<mujoco><compiler assetdir="../secret"/></mujoco>', "design.stl": STL}, OUTSIDE),
    "a sub-model's mesh": (load_mjcf, mjcf('<model name="s" file="sub.xml"/>', body='<worldbody><body><attach '
        'model="s" body="b" prefix="p"/></body></worldbody>')
        | {"sub.xml": mjcf(MESH.format("design.stl"), '<compiler meshdir="../secret"/>')["model.xml"]}, OUTSIDE),
    "a sub-model elsewhere": (load_mjcf, mjcf('<model name="s" file="../secret/sub.xml"/>'), OUTSIDE),
    "an include through a link": (load_mjcf, mjcf("", '<include file="away/sub.xml"/>'), OUTSIDE),
    "a height field elsewhere": (load_mjcf, mjcf('<hfield name="h" file="../secret/h.bin" size="1 1 1 1"/>'), OUTSIDE),
    "a file of an element that is no asset": (load_mjcf, mjcf("", body='<worldbody><frame file="/etc/hostname"/>'
        "</worldbody>"), "names a file"),
    "a scene's resource": (load_environment, scene("../secret/design.stl"), OUTSIDE),
    "a scene's package": (load_environment, scene("package://secret/design.stl"), OUTSIDE),
    "a folder of meshes with a link in it": (load_environment, {"meshes/a.stl": STL}, OUTSIDE),
    "a buffer elsewhere": (Mesh.load, gltf(buffers=[{"uri": "../secret/design.stl", "byteLength": 284}]), OUTSIDE),
    "an include of xacro": (Robot.from_urdf, {"x.xacro": XACRO.format(
        '<xacro:include filename="../secret/parts.xacro"/>')}, OUTSIDE),
    "a table of xacro": (Robot.from_urdf, {"x.xacro": XACRO.format(
        "<link name=\"${load_yaml('../secret/keys.yaml')['k']}\"/>")}, OUTSIDE),
    "an entity": (Robot.from_urdf, {"e.urdf": '<!DOCTYPE r [<!ENTITY s SYSTEM "../secret/keys.yaml">]><robot name="&s;"'
        '/>'}, "document type"),
    "a file that an OBJ calls": (Mesh.load, {"o.obj": "call ../secret/design.obj\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"},
        "has 'call'"),
    "an entity of an SRDF": (with_srdf, {"s.srdf": '<!DOCTYPE r [<!ENTITY s SYSTEM "../secret/keys.yaml">]><robot '
        'name="&s;"/>'}, "document type"),
    "a model of Gazebo's": (Robot.from_urdf, {"m.sdf": '<sdf version="1.7"><model name="m"><link name="l"><collision '
        'name="c"><geometry><mesh><uri>model://secret/design.stl</uri></mesh></geometry></collision></link></model>'
        "</sdf>"}, "is an SDF file"),
    "an address of Gazebo's": (Robot.from_urdf, urdf("model://secret/design.stl"), "files are named by"),
    "an address of the net": (Robot.from_urdf, urdf("http://localhost:9/design.stl"), "files are named by"),
    # what would be run
    "Python in xacro": (Robot.from_urdf, {"x.xacro": XACRO.format("<link name=\"${open('{top}/ran', 'w')}\"/>")},
        "cannot expand.*open"),
    "a class in xacro": (Robot.from_urdf, {"x.xacro": XACRO.format('<link name="${().__class__.__base__}"/>')},
        "__class__"),
    "frames in xacro": (Robot.from_urdf, {"x.xacro": XACRO.format(
        '<link name="${[g.gi_frame for g in [(k for k in [1])]][0]}"/>')}, "gi_frame"),
    "an object of YAML": (load_environment, {"s.yaml": "world: !!python/object/apply:os.system ['touch {top}/ran']"},
        "tag"),
    "an object of numpy": (load_trajectory, {"t.npy": npy((1, 1), "|O", b"cposix\nsystem\n")}, "Python objects"),
    # what would be filled
    "user data": (load_mjcf, mjcf("", '<size nuserdata="2000000000"/>'), "claims 2000000000 values"),
    "keyframes": (load_mjcf, mjcf("", '<size nkey="200000000"/>'), "claims 200000000 values"),
    "numbers of its own": (load_mjcf, mjcf("", '<custom><numeric name="n" size="999999999"/></custom>'), "claims"),
    "a model that contains itself": (load_mjcf, mjcf('<model name="s" file="model.xml"/>'), "contains itself"),
    "copies of sub-models": (load_mjcf, mjcf('<model name="s" file="sub.xml"/>', body="<worldbody>" + many("body", 100,
        '<attach model="s" body="b" prefix="p"/>') + "</worldbody>") | {"sub.xml": "<mujoco><worldbody>"
        + many("body", 1000) + "</worldbody></mujoco>"}, "grows to"),
    "a picture of heights": (load_mjcf, mjcf('<hfield name="h" file="h.png" size="1 1 1 1"/>')
        | {"h.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 60000, 60000) + bytes(9)}, "60000 x 60000"),
    "a polygon of MuJoCo's": (load_mjcf, mjcf(MESH.format("p.obj")) | {"p.obj": "v 0 0 0\nf" + " 1" * 500_000},
        "more than 65536 bytes"),
    "links in one place": (Robot.from_urdf, {"r.urdf": '<robot name="r">' + "".join(f'<link name="l{k}"><collision/>'
        "</link>" for k in range(1900)) + "</robot>"}, "pairs of them"),
    "a polygon": (Mesh.load, {"p.off": "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n999999" + " 0 1 2" * 333_333}, "corners"),
    "a polygon of PLY": (Mesh.load, {"p.ply": "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
        "property float y\nproperty float z\nelement face 1\nproperty list int int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n999999" + " 0 1 2" * 333_333 + "\n"}, "more than 65536 bytes"),
    "a polygon of COLLADA": (Mesh.load, {"p.dae": honest()["dae"][1].decode().replace("<triangles", "<polylist")
        .replace("</triangles>", "</polylist>").replace("<p>", "<vcount>99999999</vcount><p>")}, "corners"),
    "digits of JSON": (load_environment, {"s.json": '{"world": ' + "9" * 6000 + "}"}, "digits"),
    "digits of YAML": (load_environment, {"s.yaml": "world: 0x" + "f" * 6000}, "characters"),
    "base 60": (load_trajectory, {"t.yaml": "points: " + "59:" * 300_000 + "59"}, "characters"),
    "a shape without values": (load_trajectory, {"t.npy": npy((0, 2**60))}, "claims shape"),
    "values without size": (load_trajectory, {"t.npy": npy((2**40, 2), "|V0")}, "claims shape"),
    "names of joints": (load_trajectory, {"t.npz": npz(positions=npy((1, 1), data=bytes(8)),
        joint_names=npy((10**6,), "<U1", bytes(4 * 10**6)))}, "joint names"),
    "objects of a scene": (load_environment, {"s.json": json.dumps({"world": {"collision_objects":
        [{"id": "o"}] * 20_000}})}, "20000 objects"),
    "one joint, a million times": (load_environment, {"s.json": json.dumps({"world": {}, "robot_state": {"joint_state":
        {"name": ["j"] * 10**5, "position": [0] * 10**5}}})}, "'j' twice"),
    "a claim of triangles": (Mesh.load, {"s.stl": bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(50)}, "claims"),
    "nodes of nodes, 40 times": (Mesh.load, dae("".join(f'<node id="n{k}"><instance_node url="#n{k + 1}"/>'
        f'<instance_node url="#n{k + 1}"/></node>' for k in range(40)) + '<node id="n40"/>',
        '<node id="top"><instance_node url="#n0"/></node>'), "too many to hold"),
    "a node that contains itself": (Mesh.load, dae(placed='<node id="n"><instance_node url="#n"/></node>'),
        "contains itself"),
    "children of children, 40 times": (Mesh.load, one_mesh(nodes=[{"children": [k + 1, k + 1]} for k in range(40)]
        + [{}]), "placed twice"),
    "a claim of corners": (Mesh.load, one_mesh(accessors=[{"bufferView": 0, "componentType": 5126, "count": 10**12,
        "type": "VEC3"}]), "claims 1000000000000 entries"),
    "groups of each other": (with_srdf, {"s.srdf": '<robot name="arm"><group name="g"><group name="h"/></group>'
        '<group name="h"><group name="g"/></group></robot>'}, "contain each other"),
    "lists of lists, 60 times": (load_trajectory, {"t.yaml": "a0: &a0 [0, 0]\n" + "".join(
        f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]\n" for k in range(1, 60)) + "points: *a59\n"}, "expands to more than"),
    "tables of tables, 40 times": (load_environment, {"s.yaml": "a0: &a0 {x: 1}\n" + "".join(
        f"a{k}: &a{k} {{<<: [*a{k - 1}, *a{k - 1}]}}\n" for k in range(1, 40)) + "world: *a39\n"},
        "expands to more than"),
    "rows of zeros": (load_trajectory, parquet(20_000_000), "claims 20000000 rows"),
    "meshes of nothing": (Mesh.load, gltf(meshes=[{}] * 100_000, scenes=[{"nodes": [0]}], nodes=[{"skin": 0}]),
        "skinned"),
}  # fmt: skip

CASES |= strangers_again.CASES

HARMLESS = {
    "a command in an OBJ": (Mesh.load, {"o.obj": "csh touch {top}/ran\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"}),
    "materials elsewhere": (Mesh.load, {"o.obj": "mtllib ../secret/keys.yaml\nmtllib {top}/secret/keys.yaml\nv 0 0 0\n"
        "v 1 0 0\nv 0 1 0\nusemtl x\nf 1 2 3\n"}),
    "a picture elsewhere, in COLLADA": (Mesh.load, dae(before='<library_images><image id="i"><init_from>'
        "../secret/keys.yaml</init_from></image></library_images>")),
    "a picture elsewhere, in glTF": (Mesh.load, one_mesh(images=[{"uri": "../secret/keys.yaml"}], textures=[{"source":
        0}], materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}])),
    "a material of a robot": (Robot.from_urdf, {"r.urdf": '<robot name="r"><material name="m"><texture filename="'
        '../secret/keys.yaml"/></material><link name="a"><visual><geometry><box size="1 1 1"/></geometry><material '
        'name="m"/></visual><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>'}),
    "a picture of MuJoCo's": (load_mjcf, {"model.xml": '<mujoco><asset><texture name="t" type="2d" file="../secret/'
        'keys.yaml"/><material name="m" texture="t"/></asset><worldbody><body><freejoint/><geom size="1" material="m"/>'
        "</body></worldbody></mujoco>"}),
    "groups of groups, 60 times": (with_srdf, {"s.srdf": '<robot name="arm">' + "".join(f'<group name="g{k}"><group '
        f'name="g{k + 1}"/><group name="g{k + 1}"/></group>' for k in range(60)) + '<group name="g60"><joint '
        'name="shoulder"/></group></robot>'}),
}  # fmt: skip
"""What loads, for what it names elsewhere is of no matter here: it is not opened, nor run."""

OPENED: list[str] | None = None
"""What files Python opens, where that is asked."""


def _note_opened(event, arguments):
    if OPENED is not None and event == "open":
        OPENED.append(str(arguments[0]))


sys.addaudithook(_note_opened)


@pytest.fixture
def opened(monkeypatch):
    """The names of all files that are opened from now on."""
    monkeypatch.setattr(sys.modules[__name__], "OPENED", [])
    return OPENED


@pytest.fixture
def top(tmp_path, monkeypatch):
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "secret").mkdir()
    (tmp_path / "given/meshes").mkdir(parents=True)
    secrets = {
        "design.stl": STL, "h.bin": struct.pack("<ii4f", 2, 2, 0, 1, 0, 1), "keys.yaml": b"k: key",
        "sub.xml": b"<mujoco><worldbody/></mujoco>", "parts.xacro": XACRO.format("").encode(),
    }  # fmt: skip
    for name, data in secrets.items():
        (tmp_path / "secret" / name).write_bytes(data)
    (tmp_path / "given/link.stl").symlink_to(tmp_path / "secret/design.stl")
    (tmp_path / "given/meshes/link.stl").symlink_to(tmp_path / "secret/design.stl")
    (tmp_path / "given/away").symlink_to(tmp_path / "secret")
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_a_strangers_file_reads_runs_and_fills_nothing(top, opened, case):
    read, files, words = CASES[case]
    path = laid(top, read, files)
    largest = watched(lambda: refusal(read, path, words))
    assert largest < 400e6
    assert not (top / "ran").exists()
    assert not [name for name in opened if "/secret/" in os.path.realpath(name)]


@pytest.mark.parametrize("case", HARMLESS)
def test_what_a_strangers_file_names_without_need_is_not_opened(top, opened, case):
    read, files = HARMLESS[case]
    path = laid(top, read, files)
    with little_work():
        read(path)
    assert opened
    assert not (top / "ran").exists()
    assert not [name for name in opened if "/secret/" in os.path.realpath(name)]


def laid(top, read, files):
    """Write the files of a case, and return the one that is opened."""
    if read is load_mjcf:
        pytest.importorskip("mujoco")
    for name, data in files.items():
        if callable(data):
            data = data()
        if isinstance(data, str):
            data = data.replace("{top}", str(top)).replace("{name}", top.name)
        (top / "given" / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    first = top / "given" / next(iter(files))
    if first.suffix == ".xacro":
        pytest.importorskip("xacro")
    return first.parent if first.parent.name == "meshes" else first


def watched(call):
    """Call, and return by how many bytes the most memory that this process ever held has grown."""
    resource = pytest.importorskip("resource", reason="memory is measured where the system tells it")
    scale = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call()
    return scale * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


def test_there_are_over_a_hundred_of_them_and_the_table_has_all():
    page = (Path(__file__).parents[2] / "docs/strangers.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (.+) \(\w+\) \|", page, re.MULTILINE)
    assert sorted(told) == sorted([*CASES, *HARMLESS])
    assert len(told) >= 110


def test_what_the_user_names_is_read(top):
    robot = top / "given/made.urdf"
    robot.write_text(urdf("package://secret/design.stl")["made.urdf"])
    for packages in ([top / "secret"], {"secret": top / "secret"}, str(top / "secret"), top):
        assert len(Robot.from_urdf(robot, packages=packages).shapes[0]) == 1
    model = top / "given/model.xml"
    model.write_text(mjcf(MESH.format("design.stl"), '<compiler meshdir="../secret"/>')["model.xml"])
    pytest.importorskip("mujoco")
    assert len(load_mjcf(model, packages=top / "secret").shapes[1]) == 1


def test_a_model_given_by_a_relative_path_finds_its_meshes(top, monkeypatch):
    pytest.importorskip("mujoco")
    (top / "given/m.stl").write_bytes(STL)
    (top / "given/model.xml").write_text(mjcf(MESH.format("m.stl"))["model.xml"])
    for folder, path in (("", "given/model.xml"), ("given", "model.xml"), ("secret", "../given/model.xml")):
        monkeypatch.chdir(top / folder)
        assert len(load_mjcf(path).shapes[1]) == 1


def test_an_error_of_mujoco_names_the_line_of_the_file(top):
    pytest.importorskip("mujoco")
    (top / "given/inc.xml").write_text("<mujoco>\n\n<worldbody>\n<geom size='x'/></worldbody></mujoco>")
    (top / "given/model.xml").write_text("<mujoco>\n<!-- a\nb -->\n<include file='inc.xml'/><worldbody/></mujoco>")
    assert "line 4 of 'inc.xml'" in refusal(load_mjcf, top / "given/model.xml", "bad format")
    (top / "given/model.xml").write_text("<mujoco>\n<!-- a\nb -->\n<worldbody>\n<geom size='x'/></worldbody></mujoco>")
    assert "line 5" in refusal(load_mjcf, top / "given/model.xml", "bad format")


def test_a_name_of_thousands_of_letters_is_still_a_sentence(top):
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="{}"/></joint>'.format("x" * 6000)
    (top / "given/made.urdf").write_text(f'<robot name="r"><link name="a"/>{joint}</robot>')
    assert len(refusal(Robot.from_urdf, top / "given/made.urdf", "links are: 'a'")) < 2000
