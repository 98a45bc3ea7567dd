"""Files that lie, through the command line: one sentence, exit code 2, two seconds, and bounded memory."""

import io
import os
import pickle
import random
import struct
import sys

import numpy as np
import pytest

from archives import npz

from .cell import write_cell
from .measured import Bench

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")

SECONDS = 2.0
MEGABYTES = 400.0
"""Beyond what the command line takes before it opens a file, which is about 120."""

WAYS = {
    "robot": (".urdf", ".xml", ".xacro"),
    "scene": (".stl", ".obj", ".ply", ".off", ".dae", ".glb", ".gltf", ".scene", ".yaml", ".json", ".urdf", ".xml"),
    "mesh": (".stl", ".obj", ".ply", ".off", ".dae", ".glb", ".gltf"),
    "trajectory": (".csv", ".npy", ".npz", ".parquet", ".yaml", ".json"),
    "srdf": (".srdf",),
    "from": (".yaml", ".json"),
}
"""How files of each suffix come in."""

EVERY_WAY = [(way, suffix) for way, suffixes in WAYS.items() for suffix in suffixes]


@pytest.fixture(scope="module")
def lying(tmp_path_factory):
    cell = write_cell(tmp_path_factory.mktemp("lying"))
    motion = ("--from", "0,0,0", "--to", "1,0.5,0")
    bench = Bench(tmp_path_factory.mktemp("said"), "check", cell.urdf, *motion, "--scene", cell.far, "--json")
    yield Lying(cell, bench)
    bench.close()


class Lying:
    """A cell, and questions about files that someone put there."""

    def __init__(self, cell, bench):
        self.cell = cell
        self.bench = bench
        self.folder = cell.folder
        self.trajectory = cell.trajectory()

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def refuse_everywhere(self, path):
        """Ask that a file is refused in every way in which its suffix is read, and remove it: it is large."""
        try:
            for way, suffixes in WAYS.items():
                if path.suffix in suffixes:
                    self.refuse(way, path)
        finally:
            path.unlink()

    def through(self, way, path):
        """The command line that reads a file in one of `WAYS`."""
        motion = ("--from", "0,0,0", "--to", "1,0.5,0")
        if way == "mesh":
            text = f'<robot name="r"><link name="a"><collision><geometry><mesh filename="{path.name}"/></geometry>'
            return "info", self.write("carrier.urdf", text + "</collision></link></robot>")
        return {
            "robot": ("info", path),
            "scene": ("check", self.cell.urdf, *motion, "--scene", path),
            "trajectory": ("audit", self.cell.urdf, path),
            "srdf": ("info", self.cell.urdf, "--srdf", path),
            "from": ("check", self.cell.urdf, "--from", path, "--to", "0,0,0"),
        }[way]

    def refuse(self, way, path, words=""):
        """Ask, and see that the answer is a refusal in one sentence, soon and without much memory."""
        said = self.bench.ask(*self.through(way, path))
        assert said.code == 2, said
        assert said.out == ""
        assert len(said.sentences) == 1, said.err
        assert said.sentences[0].startswith("error: ")
        assert len(said.sentences[0]) < 1000
        assert words in said.sentences[0]
        assert said.seconds < SECONDS, said
        assert said.megabytes < MEGABYTES, said
        return said


# ---- numbers and names that cannot be ------------------------------------------------------------------------------


def stl(count, present=3):
    return bytes(80) + struct.pack("<I", count) + bytes(50 * present)


def test_an_stl_that_claims_four_billion_triangles_is_not_believed(lying):
    path = lying.write("lie.stl", stl(4_000_000_000))
    for way in ("scene", "mesh"):
        lying.refuse(way, path, "claims 4000000000 triangles")


LAUGHS = "".join(f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(12))
BOMBS = {
    "laughs": f'<!DOCTYPE r [<!ENTITY a "lol">{LAUGHS}]><robot name="&m;"><link name="a"/></robot>',
    "quadratic": f'<!DOCTYPE r [<!ENTITY a "{"A" * 200_000}">]><robot name="r">{"&a;" * 50_000}</robot>',
    "external": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="&a;"><link name="a"/></robot>',
    "definition": '<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot name="r"><link name="a"/></robot>',
    "parameter": '<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///dev/zero"> %p;]><robot name="r"><link name="a"/></robot>',
}


@pytest.mark.parametrize("name", BOMBS)
def test_document_types_and_entities_are_refused_wherever_xml_comes_in(lying, name):
    for way, suffixes in WAYS.items():
        for suffix in {".urdf", ".xml", ".xacro", ".dae", ".srdf"} & set(suffixes):
            text = BOMBS[name]
            said = lying.refuse(way, lying.write(f"bomb{suffix}", text), "DOCTYPE")
            assert "root:" not in said.err
            both = lying.write(f"bomb16{suffix}", f'<?xml version="1.0" encoding="UTF-16"?>{text}'.encode("utf-16"))
            lying.refuse(way, both)


JOINT = '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>{3}</joint>'


@pytest.mark.parametrize(
    ("joints", "words"),
    [
        ((("j", "a", "b", '<axis xyz="nan 0 1"/>'), ("k", "b", "c", "")), "finite"),
        ((("j", "a", "b", '<axis xyz="0 0 0"/>'), ("k", "b", "c", "")), "zero"),
        ((("j", "a", "b", '<origin xyz="inf 0 0"/>'), ("k", "b", "c", "")), "finite"),
        ((("j", "a", "b", '<origin xyz="1e300 0 0"/>'), ("k", "b", "c", "")), "too far"),
        ((("j", "a", "b", ""), ("k", "b", "c", ""), ("l", "c", "a", "")), "cycle"),
        ((("k", "b", "c", ""), ("l", "c", "b", "")), "cycle"),
        ((("j", "a", "b", '<mimic joint="k"/>'), ("k", "b", "c", '<mimic joint="j"/>')), "mimics itself"),
        ((("j", "a", "b", ""), ("j", "b", "c", "")), "'j'"),
    ],
)
def test_joints_that_cannot_be_are_named(lying, joints, words):
    body = "".join(JOINT.format(*joint) for joint in joints)
    text = f'<robot name="r"><link name="a"/><link name="b"/><link name="c"/>{body}</robot>'
    lying.refuse("robot", lying.write("joints.urdf", text), words)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("nothing.stl", "does not exist"),
        ("../outside.stl", "outside"),
        ("%2e%2e/outside.stl", "outside"),
        ("../../../../../../../../etc/passwd", "outside"),
        ("/etc/passwd", "outside"),
        ("file:///etc/passwd", "outside"),
        ("package://nobody/a.stl", "needs the package 'nobody'"),
        ("package://../a.stl", "package://name/path"),
        ("http://localhost/a.stl", "files are named by"),
        ("link.stl", "outside"),
        ("loop.stl", "does not exist"),
        (".", "is a folder"),
    ],
)
def test_a_mesh_that_is_missing_or_elsewhere_is_refused(lying, named, words):
    (lying.folder.parent / "outside.stl").write_bytes(stl(1, 1))
    for link, target in (("link.stl", lying.folder.parent / "outside.stl"), ("loop.stl", lying.folder / "loop.stl")):
        (lying.folder / link).unlink(missing_ok=True)
        (lying.folder / link).symlink_to(target)
    text = f'<robot name="r"><link name="a"><collision><geometry><mesh filename="{named}"/></geometry></collision>'
    lying.refuse("robot", lying.write("elsewhere.urdf", text + "</link></robot>"), words)


# ---- files that are not files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("way", "suffix"), EVERY_WAY)
def test_an_empty_file_is_refused(lying, way, suffix):
    lying.refuse(way, lying.write(f"empty{suffix}", b""), "empty" if suffix != ".parquet" else "0 bytes")


@pytest.mark.parametrize(("way", "suffix"), EVERY_WAY)
def test_a_folder_a_pipe_a_device_and_a_loop_of_links_are_not_read(lying, way, suffix):
    odd = lying.folder / "odd"
    odd.mkdir(exist_ok=True)
    places = {name: odd / f"{name}{suffix}" for name in ("folder", "pipe", "device", "loop", "gone")}
    if not places["folder"].exists():
        places["folder"].mkdir()
        os.mkfifo(places["pipe"])
        places["device"].symlink_to("/dev/zero")
        places["loop"].symlink_to(places["loop"])
    for path in places.values():
        lying.refuse(way, path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize(("way", "suffix"), EVERY_WAY)
def test_a_file_without_permission_is_refused(lying, way, suffix):
    path = lying.write(f"closed{suffix}", b"closed")
    path.chmod(0)
    try:
        lying.refuse(way, path, "ermission denied")
    finally:
        path.unlink()


# ---- a hundred megabytes ---------------------------------------------------------------------------------------------

GARBAGE = {
    "noise": lambda: random.Random(1).randbytes(1 << 20) * 100,
    "numbers": lambda: b"1 2 3 4\n" * 12_500_000,
    "empty lines": lambda: b"\n" * 100_000_000,
    "brackets": lambda: b'{"a":[' * 16_000_000,
    "elements": lambda: b"<robot>" + b"<a/>" * 25_000_000,
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_a_hundred_megabytes_of_garbage_are_refused_whatever_they_are_called(lying, kind):
    source = lying.write("garbage", GARBAGE[kind]())
    try:
        for way, suffix in EVERY_WAY:
            path = lying.folder / f"garbage{suffix}"
            os.link(source, path)
            try:
                lying.refuse(way, path)
            finally:
                path.unlink()
    finally:
        source.unlink()


HEADS = {
    ".stl": (b"solid s\n", b"facet normal 0 0 0\n"),
    ".off": (b"OFF\n12000000 12 0\n", b"1 2 3 4\n"),
    ".gltf": (b'{"asset":{"version":"2.0"},"nodes":[', b"{},"),
    ".dae": (b'<COLLADA xmlns="x">', b"<a></a>"),
    ".scene": (b"scene\n", b"* a\n0\n"),
    ".json": (b"[", b"0,"),
    ".urdf": (b'<robot name="r">', b'<link name="a"/>'),
    ".srdf": (b'<robot name="r">', b'<group name="a"/>'),
    ".xml": (b"<mujoco>", b"<worldbody/>"),
}


@pytest.mark.parametrize("suffix", HEADS)
def test_a_hundred_megabytes_that_begin_well_are_refused_too(lying, suffix):
    head, rest = HEADS[suffix]
    path = lying.write(f"long{suffix}", head + rest * (100_000_000 // len(rest)))
    lying.refuse_everywhere(path)


@pytest.mark.parametrize(
    ("suffix", "head"),
    [
        (".stl", b"solid"),
        (".obj", b"v"),
        (".off", b"OFF"),
        (".ply", b"ply\nformat ascii 1.0\n"),
        (".csv", b"elbow"),
        (".scene", b"scene"),
        (".yaml", b"a:"),
        (".json", b"["),
        (".gltf", b"{"),
        (".dae", b"<COLLADA>"),
        (".urdf", b"<robot>"),
    ],
)
def test_empty_lines_without_end_cost_no_more_than_other_bytes(lying, suffix, head):
    for blank in (b"\n", b" \n"):
        path = lying.write(f"blank{suffix}", head + blank * (5_000_000 // len(blank)))
        lying.refuse_everywhere(path)


# ---- small files that unfold -----------------------------------------------------------------------------------------


def npy(array):
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def npy_head(shape, descr="<f8"):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode()


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_pickled_objects_are_not_unpickled(lying):
    sprung = lying.folder / "sprung"
    trap = np.array([Trap(sprung)], dtype=object)
    lying.refuse("trajectory", lying.write("trap.npy", npy(trap)), "Python objects")
    lying.refuse("trajectory", lying.write("trap.npz", npz(positions=npy(trap))), "Python objects")
    lying.refuse("trajectory", lying.write("pickle.npy", pickle.dumps([1, 2])))
    assert not sprung.exists()


YAML_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + k)}: &{chr(98 + k)} [{', '.join(['*' + chr(97 + k)] * 9)}]\n" for k in range(12)
)
SMALL = {
    "claims.npy": npy_head("(1000000000, 3)"),
    "negative.npy": npy_head("(-1, 3)"),
    "words.npy": npy_head("(1, 3)", "<U4") + bytes(48),
    "bomb.npz": npz(positions=npy_head("(60000000, 3)") + bytes(300_000_000)),
    "many.npz": npz(**{f"a{k}": b"" for k in range(2000)}),
    "bomb.yaml": YAML_BOMB,
    "self.yaml": "a: &a [*a]\n",
    "tag.yaml": "!!python/object/apply:os.system ['touch sprung']\n",
    "deep.yaml": "[" * 100_000,
    "deep.json": "[" * 100_000,
    "nan.json": '{"joint_trajectory": {"joint_names": ["elbow"], "points": [{"positions": [NaN]}]}}',
    "columns.csv": ",".join(f"j{k}" for k in range(1_000_000)) + "\n",
    "nan.csv": "elbow\nnan\n",
    "latin.csv": b"elb\xf6w\n1\n",
    "zeros.csv": b"elbow\n\0\n",
    "quote.csv": 'elbow,"shoulder\n1,2\n',
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_trajectory_that_unfolds_or_lies_is_refused(lying, name):
    lying.refuse("trajectory", lying.write(name, SMALL[name]))
    if name.endswith((".yaml", ".json")):
        lying.refuse("scene", lying.folder / name)
        lying.refuse("from", lying.folder / name)


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".srdf", ".dae"])
def test_text_of_no_known_encoding_and_bottomless_nesting_are_refused(lying, suffix):
    for way, suffixes in WAYS.items():
        if suffix in suffixes:
            latin = f'<robot name="r{chr(246)}"><link name="a"/></robot>'.encode("latin-1")
            lying.refuse(way, lying.write(f"latin{suffix}", latin), "invalid token")
            deep = "<robot>" + "<a>" * 50_000
            lying.refuse(way, lying.write(f"deep{suffix}", deep), "nested more than")


# ---- what is legal ---------------------------------------------------------------------------------------------------


def test_windows_line_ends_and_byte_order_marks_are_legal(lying):
    cell, folder = lying.cell, lying.folder / "windows"
    folder.mkdir(exist_ok=True)
    for path in (cell.urdf, cell.srdf, cell.folder / "lower.obj", cell.far, cell.plate, lying.trajectory):
        mark = b"\xef\xbb\xbf"
        (folder / path.name).write_bytes(mark + path.read_bytes().replace(b"\n", b"\r\n"))
    scene, motion = ("--scene", folder / cell.plate.name), ("--from", "up", "--to", "down")
    said = lying.bench.ask("check", folder / "arm.urdf", "--srdf", folder / "arm.srdf", *motion, *scene, "--json")
    plain = lying.bench.ask("check", cell.urdf, "--srdf", cell.srdf, *motion, "--scene", cell.plate, "--json")
    assert said.code == plain.code == 1, said.err
    assert said.out.split('"seconds"')[0] == plain.out.split('"seconds"')[0]
    audited = lying.bench.ask("audit", folder / "arm.urdf", folder / lying.trajectory.name, *scene)
    assert audited.code == 1, audited.err


def test_a_refusal_is_a_json_object_for_machines(lying):
    said = lying.bench.ask(*lying.through("scene", lying.write("lie.stl", stl(4_000_000_000))), "--json")
    assert said.code == 2
    assert said.out.startswith("{")
    assert "claims 4000000000 triangles" in said.out
