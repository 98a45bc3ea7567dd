"""Files by somebody of bad intent: what each would read, fill or run, and the sentence by which it is refused.

Every case is a folder `given` with a file that is opened. Outside of it lies `secret/design.stl`, a good mesh: a reader
that follows a path there gets a robot, and the test fails.
"""

import io
import json
import struct
import sys
import zipfile

import numpy as np
import pytest

from effort import refusal
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


def npz(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return stream.getvalue()


def gltf(**changes):
    return {"g.gltf": json.dumps({"asset": {"version": "2.0"}, **changes})}


def scene(resource, key="resource"):
    mesh = {"id": "o", "pose": {"position": [0, 0, 0], "orientation": [0, 0, 0, 1]}, "meshes": [{key: resource}]}
    return {"s.json": json.dumps({"world": {"collision_objects": [mesh]}})}


MESH = '<mesh name="m" file="{}"/>'
FAR = "/secret/design.stl"

CASES = {
    # what would be read
    "a path upwards": (Robot.from_urdf, urdf("../secret/design.stl"), OUTSIDE),
    "an absolute path": (Robot.from_urdf, urdf("{top}/secret/design.stl"), OUTSIDE),
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
    # what would be run
    "Python in xacro": (Robot.from_urdf, {"x.xacro": XACRO.format("<link name=\"$(eval open('{top}/ran', 'w'))\"/>")},
        "cannot expand"),
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
    "meshes of nothing": (Mesh.load, gltf(meshes=[{}] * 100_000, scenes=[{"nodes": [0]}], nodes=[{"skin": 0}]),
        "skinned"),
}  # fmt: skip


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
def test_a_strangers_file_reads_runs_and_fills_nothing(top, case):
    read, files, words = CASES[case]
    if read is load_mjcf:
        pytest.importorskip("mujoco")
    for k, (name, data) in enumerate(files.items()):
        if isinstance(data, str):
            data = data.replace("{top}", str(top)).replace("{name}", top.name)
        (top / "given" / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        if k == 0:
            opened = top / "given" / name
    if opened.suffix == ".xacro":
        pytest.importorskip("xacro")
    if opened.parent.name == "meshes":
        opened = opened.parent
    largest = watched(lambda: refusal(read, opened, words))
    assert largest < 400e6
    assert not (top / "ran").exists()


def watched(call):
    """Call, and return by how many bytes the most memory that this process ever held has grown."""
    resource = pytest.importorskip("resource", reason="memory is measured where the system tells it")
    scale = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call()
    return scale * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


def test_there_are_forty_of_them():
    assert len(CASES) >= 40


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
