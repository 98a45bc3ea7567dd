"""Sixty more files by somebody of bad intent, of kinds that came later: SDF, clouds, octomaps, proofs, programs, edges.

Each is what reads it, the files of its folder by name, the one that is opened first, and words of the refusal; for what
lies around that folder see `io/test_strangers.py`, which opens them.
"""

import gzip
import io
import json
import zipfile

import numpy as np
import pytest

from tocsin import Body, Robot, Scene, TocsinError, load_environment, load_program, load_trajectory
from tocsin_bench.campaigns.mutate_seeds import honest

OUTSIDE = r"outside|needs the package"
LAUGHS = "<!DOCTYPE r [" + "".join(
    f'<!ENTITY l{k} "{f"&l{k - 1};" * 10 if k else "ha"}">' for k in range(10)
) + "]>"  # fmt: skip


def sdf(inside, version="1.7", before=""):
    return {"m.sdf": f'{before}<sdf version="{version}"><model name="m">{inside}</model></sdf>'}


def of_mesh(address):
    mesh = f"<mesh><uri>{address}</uri></mesh>"
    return sdf(f'<link name="l"><collision name="c"><geometry>{mesh}</geometry></collision></link>')


def cloud(path):
    return Body.from_points(str(path), 0.01)


def pcd(points=1, counts="1 1 1", kind="binary", fields="x y z", body=b""):
    words = len(fields.split())
    head = f"FIELDS {fields}\nSIZE {'4 ' * words}\nTYPE {'F ' * words}\nCOUNT {counts}\nPOINTS {points}\nDATA {kind}\n"
    return {"c.pcd": head.encode() + body}


def ply(count, properties="property float x\nproperty float y\nproperty float z\n", kind="ascii", body=""):
    head = f"ply\nformat {kind} 1.0\nelement vertex {count}\n{properties}end_header\n"
    return {"c.ply": head + body}


def octomap(tree, size=1, kind="binary ", res="0.1"):
    return {"m.bt": f"# Octomap OcTree {kind}file\nid OcTree\nsize {size}\nres {res}\ndata\n".encode() + tree}


def full_tree(levels):
    tree = b"\xaa\xaa"
    for _ in range(levels):
        tree = b"\xff\xff" + 8 * tree
    return tree


def archive(**members):
    """An npz whose members are headers that claim shapes, each followed by zeros, squeezed."""
    return npz(**{name: (shape, kind, bytes(count)) for name, (shape, kind, count) in members.items()})


def proof(path):
    from tocsin_checker.proof import Refused, read_proof

    try:
        read_proof(path)
    except Refused as error:
        raise TocsinError(str(error)) from None


def with_srdf(text):
    return {"s.srdf": text, "ok.urdf": honest()["urdf"][1], "part.stl": honest()["stl"][1]}


def srdf(path):
    return Robot.from_urdf(path.parent / "ok.urdf", srdf=path)


BALL = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
ARM = f"""<robot name="arm"><link name="a">{BALL}</link><link name="b"/><joint name="j" type="revolute">
<parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
</robot>"""


def arm(path):
    (path.parent / "arm.urdf").write_text(ARM)
    return Robot.from_urdf(path.parent / "arm.urdf")


def program(path):
    return load_program(path, Scene(arm(path)))


def steps(*given, **files):
    return {"p.json": json.dumps({"steps": given})} | files


def scene_of(mesh):
    thing = {"id": "o", "pose": {"position": [0, 0, 0], "orientation": [0, 0, 0, 1]}, "meshes": [{"resource": "MESH"}]}
    return json.dumps({"world": {"collision_objects": [thing]}}).replace("MESH", mesh)


def following(name):
    return steps({"follow": "arm", "trajectory": name})


def edges(path):
    from tocsin.cluster.edge_file import EdgeFile

    pytest.importorskip("pyarrow")
    return EdgeFile(path, arm(path))


def parquet(names, columns):
    def packed():
        arrow, reader = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        stream = io.BytesIO()
        reader.write_table(arrow.Table.from_arrays([arrow.array(column) for column in columns], names=names), stream)
        return stream.getvalue()

    return packed


def letters(*codes):
    """An archive whose joint has a name of these letters, by their numbers."""
    names, kind = np.array(codes, "<u4").tobytes(), f"<U{len(codes)}"
    return npz(positions=((1, 1), "<f8", bytes(8)), joint_names=((1,), kind, names))


def npz(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, (shape, kind, data) in members.items():
            head = io.BytesIO()
            np.lib.format.write_array_header_1_0(head, {"descr": kind, "fortran_order": False, "shape": shape})
            packed.writestr(f"{name}.npy", head.getvalue() + data)
    return stream.getvalue()


def frames(count, last):
    return "".join(f'<frame name="f{k}" attached_to="f{k + 1}"/>' for k in range(count)) + last


LINK = '<link name="l"/>'
TURN = '<joint name="j{}" type="fixed"><parent>l</parent><child>k</child></joint>'

CASES = {
    # what would be read
    "an SDF's mesh above": (Robot.from_sdf, of_mesh("../secret/design.stl"), OUTSIDE),
    "an SDF's absolute mesh": (Robot.from_sdf, of_mesh("{top}/secret/design.stl"), OUTSIDE),
    "an SDF's file address": (Robot.from_sdf, of_mesh("file://{top}/secret/design.stl"), OUTSIDE),
    "a model beside": (Robot.from_sdf, of_mesh("model://secret/design.stl"), OUTSIDE),
    "a model called two dots": (Robot.from_sdf, of_mesh("model://../secret/design.stl"), "a package URI is"),
    "a model that is a link": (Robot.from_sdf, of_mesh("model://away/design.stl"), OUTSIDE),
    "an SDF's link to a file": (Robot.from_sdf, of_mesh("link.stl"), OUTSIDE),
    "an SDF's link to a folder": (Robot.from_sdf, of_mesh("away/design.stl"), OUTSIDE),
    "an SDF's dots as percents": (Robot.from_sdf, of_mesh("%2e%2e/secret/design.stl"), OUTSIDE),
    "an SDF's include": (Robot.from_sdf, sdf("<include><uri>../secret/sub.xml</uri></include>" + LINK),
        "has <include>"),
    "an SDF's height map": (Robot.from_sdf, sdf('<link name="l"><collision name="c"><geometry><heightmap><uri>../'
        "secret/h.bin</uri></heightmap></geometry></collision></link>"), "heightmap"),
    "an SDF's entity": (Robot.from_sdf, sdf('<link name="&s;"/>', before='<!DOCTYPE r [<!ENTITY s SYSTEM "../secret/'
        'keys.yaml">]>'), "document type"),
    "a package called two dots": (Robot.from_urdf, {"r.urdf": '<robot name="r"><link name="a"><collision><geometry>'
        '<mesh filename="package://../secret/design.stl"/></geometry></collision></link></robot>'}, "a package URI is"),
    "dots inside a package": (Robot.from_urdf, {"r.urdf": '<robot name="r"><link name="a"><collision><geometry><mesh '
        'filename="package://meshes/../../secret/design.stl"/></geometry></collision></link></robot>'}, OUTSIDE),
    # what would be run
    "an archive with an object": (load_trajectory, {"t.npz": archive(positions=((1, 1), "|O", 100))}, "Python objects"),
    "a tag in a trajectory": (load_trajectory, {"t.yaml": "points: !!python/object/apply:os.system "
        "['touch {top}/ran']"}, "tag"),
    # what would be filled, or computed
    "laughs in an SDF": (Robot.from_sdf, sdf('<link name="&l9;"/>', before=LAUGHS), "document type"),
    "laughs in an SRDF": (srdf, with_srdf(f'{LAUGHS}<robot name="&l9;"/>'), "document type"),
    "laughs in UTF-16": (Robot.from_urdf, {"r.urdf": (f'<?xml version="1.0" encoding="utf-16"?>{LAUGHS}<robot/>')
        .encode("utf-16")}, "document type"),
    "thousands of frames": (Robot.from_sdf, sdf(LINK + frames(60_000, "")), "60000 frames"),
    "frames in a ring": (Robot.from_sdf, sdf(frames(1500, '<frame name="f1500" attached_to="f0"/>')
        + '<link name="l"><pose relative_to="f0"/></link>'), "placed in each other"),
    "thousands of joints": (Robot.from_sdf, sdf(LINK + '<link name="k"/>' + "".join(map(TURN.format, range(20_000)))),
        "20000 joints"),
    "digits of a version": (Robot.from_sdf, sdf(LINK, "9" * 6000), "is like 1"),
    "an SDF's links in one place": (Robot.from_sdf, sdf("".join(f'<link name="l{k}"><collision name="c"/></link>'
        for k in range(1900))), "pairs of them"),
    "a pose of a million numbers": (Robot.from_sdf, sdf('<link name="l"><pose>' + "0 " * 10**6 + "</pose></link>"),
        "finite numbers"),
    "columns of a cloud": (cloud, pcd(counts="65536 " * 2000, fields="_ " * 2000, kind="ascii"),
        "COUNT says otherwise"),
    "a claim of points": (cloud, pcd(points=999_999_999_999), "claims 999999999999 points"),
    "a claim of lines": (cloud, pcd(points=999_999_999_999, kind="ascii"), "only 0 lines follow"),
    "a claim of vertices": (cloud, ply(999_999_999_999, kind="binary_big_endian"), "claims 999999999999 points"),
    "points of lists": (cloud, ply(3, "property list uint double x\n", body="9999999 0 0\n" * 3), "not a number"),
    "points that are nothing": (cloud, pcd(points=1000, body=b"\0\0\xc0\x7f" * 3000), "there are none"),
    "points without end": (cloud, pcd(points=1, kind="ascii", body=b"1e308 0 0\n"), "lengths go up to"),
    "a map that is full": (Body.from_octomap, octomap(full_tree(7)), "occupied cubes"),
    "a map deeper than maps are": (Body.from_octomap, octomap(b"\3\0" * 100_000), "deeper than 16"),
    "a claim of nodes": (Body.from_octomap, octomap(b"", size=10**18), "the file ends there"),
    "cells of nothing": (Body.from_octomap, octomap(b"\2\0", res="1e-300"), "must"),
    "cells without end": (Body.from_octomap, octomap(b"\2\0", res="1e300"), "resolution"),
    "an archive of zeros": (load_trajectory, {"t.npz": archive(positions=((10**8, 10), "<f8", 8 * 10**6))}, "claims"),
    "an archive of text": (load_trajectory, {"t.npz": archive(positions=((1, 1), "<U100000000", 400))},
        "claims|numbers"),
    "lists a hundred thousand deep": (load_trajectory, {"t.json": '{"points": ' + "[" * 10**5 + "]" * 10**5
        + "}"}, "deep|nest"),
    "lists of YAML, as deep": (load_trajectory, {"t.yaml": "points: " + "[" * 10**4 + "]" * 10**4}, "deep|nest"),
    "a line of a hundred thousand joints": (load_trajectory, {"t.csv": "time," + ",".join(f"j{k}" for k in range(10**5))
        + "\n" + "0," * 10**5 + "0\n"}, "line 1 is longer"),
    "corners of a scene": (load_environment, {"c.scene": "(noname)+\n* o\n0 0 0\n0 0 0 1\n1\nmesh\n99999999 99999999\n"
        "0 0 0\n"}, "99999999|ends"),
    "a proof of zeros": (proof, {"p.proof": lambda: gzip.compress(bytes(200 * 2**20))}, "more than|MiB|large"),
    "a proof as deep as lists go": (proof, {"p.proof": lambda: gzip.compress(b"[" * 10**6)}, "RecursionError"),
    "a proof of digits": (proof, {"p.proof": lambda: gzip.compress(json.dumps({"version": 3})[:-1].encode() + b', "a": '
        + b"9" * 10**6 + b"}")}, "ValueError"),
    "a matrix of disabled pairs": (srdf, with_srdf('<robot name="arm">' + '<disable_collisions link1="left" '
        'link2="no" reason="Never"/>' * 1 + "<disable_collisions/>" * 100_000 + "</robot>"), "link"),
    # programs, edges, and what packed files stand for
    "a path out of a program's folder": (program, following("../secret/t.npz"), "outside of its folder"),
    "a link out of a program's folder": (program, following("away/t.npz"), "outside of its folder"),
    "a zero byte in a file's name": (program, following("a\0b.npz"), "cannot be the name"),
    "a path of a hundred thousand folders": (program, following("a/" * 10**5 + "x.npz"), "cannot be the name"),
    "half of a letter": (program, {"p.json": '{"steps": [{"follow": "arm", "trajectory": "\\ud800.npz"}]}'}, "half of"),
    "half of a letter in a scene": (load_environment, {"s.json": scene_of("\\ud800.stl")}, "half of"),
    "a program that follows itself": (program, following("p.json"), "joint_trajectory"),
    "moves without end": (program, steps(*[{"move": "arm", "to": {"j": 0.1}, "seconds": 1}] * 10**5), "10000 steps"),
    "more seconds than there are": (program, steps(*[{"wait": "arm", "seconds": 1e308}] * 3), "rounding hides"),
    "letters that there are not": (load_trajectory, {"t.npz": letters(0xFFFFFFFF)}, "not text"),
    "half of a letter in an archive": (load_trajectory, {"t.npz": letters(0xD800)}, "not text"),
    "names that are dates": (load_trajectory, {"t.npz": archive(positions=((1, 1), "<f8", 8), joint_names=((1,),
        "<M8[Y]", 8))}, "not text"),
    "powers of nothing": (load_trajectory, {"t.npz": archive(coefficients=((1, 2**21, 1), "<f8", 2**24))}, "so few"),
    "a high power": (load_trajectory, {"t.npz": npz(coefficients=((1, 2**17, 1), "<f8", np.arange(2.0**17).tobytes()),
        times=((2,), "<f8", np.arange(2.0).tobytes()))}, "degree 131071"),
    "edges of zeros": (edges, {"e.parquet": parquet(["j_t0", "j_t1"], [np.zeros(10**6)] * 2)}, "so few bytes"),
    "two columns of one name": (edges, {"e.parquet": parquet(["j_t0", "j_t1", "j_t0"], [np.zeros(1)] * 3)},
        "same name"),
    "edges of text": (edges, {"e.parquet": parquet(["j_t0", "j_t1"], [["a"], ["b"]])}, "must hold numbers"),
    "a proof of empty lists": (proof, {"p.proof": lambda: gzip.compress(b"[" + b"[]," * 10**7 + b"[]]")}, "values"),
    "nodes of an octomap that end nowhere": (Body.from_octomap, {"m.ot": b"# Octomap OcTree file\nid OcTree\nsize 1\n"
        b"res 0.1\ndata\n" + b"\0\0\0\0\xff" * 1000}, "deeper than 16"),
}  # fmt: skip
