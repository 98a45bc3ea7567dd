"""The checker reads of a mesh what its file means, to the last triangle, or refuses the file: what it would pass over
may touch something."""

import hashlib
import struct
from pathlib import Path

import numpy as np
import pytest

from tocsin import Body, Robot, Scene, Sphere
from tocsin.io.meshfile import merged, read_parts

from .verdicts import accepts, checker

models = pytest.importorskip("tocsin_checker.models", reason="the checker is not installed: pip install ./checker")

CORNERS = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 7)])
"""Of two triangles."""


def source(name: str) -> str:
    return (
        f'<source id="{name}p"><float_array id="{name}a" count="12">0 0 0 1 0 0 0 1 0 0 0 7</float_array>'
        f'<technique_common><accessor source="#{name}a" count="4" stride="3">'
        '<param name="X" type="float"/><param name="Y" type="float"/>'
        '<param name="Z" type="float"/></accessor></technique_common></source>'
        f'<vertices id="{name}v"><input semantic="POSITION" source="#{name}p"/></vertices>'
    )


def geometry(name: str, inside: str = "<triangles count='2'>{input}<p>0 1 2 1 2 3</p></triangles>") -> str:
    given = f'<input semantic="VERTEX" source="#{name}v" offset="0"/>'
    return f'<geometry id="{name}"><mesh>{source(name)}{inside.replace("{input}", given)}</mesh></geometry>'


def dae(unit: str = "1", geometries: str = geometry("g"), nodes: str = '<instance_geometry url="#g"/>') -> bytes:
    return (
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>'
        f'<unit meter="{unit}"/></asset><library_effects><effect id="broken"/></library_effects>'
        f"<library_geometries>{geometries}</library_geometries><library_visual_scenes>"
        f'<visual_scene id="s"><node>{nodes}</node></visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#s"/></scene></COLLADA>'
    ).encode()


FACET = "facet normal 0 0 1 outer loop vertex {} {} {} vertex {} {} {} vertex {} {} {} endloop endfacet".replace(
    " o", "\no"
)
SOLID = "".join(
    f"solid {k}\n{FACET.format(*c.ravel())}\nendsolid {k}\n" for k, c in enumerate(CORNERS.reshape(2, 3, 3))
)
SOLID = SOLID.replace(" vertex", "\nvertex").replace(" end", "\nend")
BINARY = struct.pack("<I", 2) + b"".join(struct.pack("<12fH", 0, 0, 1, *c.ravel(), 0) for c in CORNERS.reshape(2, 3, 3))
POINTS, FACES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 7\n", "f 1 2 3\nf 2 3 4\n"
OBJ = POINTS + FACES

MEANT = {
    "text.stl": SOLID.encode(),
    "cut.stl": SOLID.rpartition("endsolid")[0].encode(),
    "large.stl": SOLID.upper().encode(),
    "binary.stl": b"solid".ljust(80, b"\0") + BINARY,
    "plain.dae": dae(),
    "strips.dae": dae(geometries=geometry("g", "<tristrips count='1'>{input}<p>0 1 2 3</p></tristrips>")),
    "plain.obj": OBJ.encode(),
    "marked.obj": b"\xef\xbb\xbf" + OBJ.encode(),
    "returns.obj": OBJ.replace("\n", "\r").encode(),
    "fed.obj": ("# made\x0cv 9 9 9\n# on\u2028v 9 9 9\n# in C:\\\n\n" + OBJ).encode(),
    "said.obj": OBJ.replace("7\n", "7 # the last\n").encode(),
}


@pytest.mark.parametrize("name", MEANT)
def test_every_triangle_is_read_where_it_is(name: str) -> None:
    corners, faces = models.read_mesh(MEANT[name], Path(name).suffix)
    found = np.sort(np.array(corners, dtype=float)[np.array(faces)], axis=1)
    assert np.array_equal(found, np.sort(CORNERS.reshape(2, 3, 3), axis=1))


SCALED = "<translate>1e-9 2 3</translate><scale>2 -1 1</scale>" + '<instance_geometry url="#g"/>'


@pytest.mark.parametrize(("unit", "nodes"), [("0.001", SCALED), ("100", SCALED), ("1", SCALED)])
def test_units_and_places_of_collada_are_those_that_the_library_reads(unit: str, nodes: str, tmp_path: Path) -> None:
    (path := tmp_path / "placed.dae").write_bytes(dae(unit, nodes=nodes))
    corners, faces = models.read_mesh(path.read_bytes(), ".dae")
    vertices, triangles = merged(read_parts(path))
    assert np.array_equal(corners[faces], vertices[triangles])


SECOND = '<instance_geometry url="#g"/><instance_geometry url="#h"/>'
DROPPED = {
    "broken.dae": dae(geometries=geometry("g") + '<geometry id="h"><spline/></geometry>', nodes=SECOND),
    "missing.dae": dae(nodes=SECOND),
    "skinned.dae": dae(nodes='<instance_geometry url="#g"/><instance_controller url="#c"/>'),
    "holed.dae": dae(
        geometries=geometry("g")
        + geometry("h", "<polygons count='1'>{input}<ph><p>0 1 2</p><h>0 1 3</h></ph></polygons>"),
        nodes=SECOND,
    ),
    "skewed.dae": dae(nodes='<skew>45 0 1 0 1 0 0</skew><instance_geometry url="#g"/>'),
    "cut.stl": SOLID.rpartition("vertex")[0].encode(),
    "shorter.stl": b"".ljust(80, b"\0") + BINARY[:-50],
    "segment.obj": (OBJ + "f 1 2\n").encode(),
    "curved.obj": (OBJ + "surf 0 1 0 1 1 2\n").encode(),
    "calling.obj": (OBJ + "call other.obj\n").encode(),
    "two_in_a_line.obj": (POINTS.replace("0\nv", "0 v") + FACES).encode(),
    "other.ply": b"ply\n",
}


@pytest.mark.parametrize("name", DROPPED)
def test_a_file_of_which_something_would_be_dropped_is_refused(name: str, tmp_path: Path) -> None:
    data = proof_beside(tmp_path, name, DROPPED[name], (50.0, 50, 50), ". 1 1 1")
    assert not accepts(data, {"r": tmp_path / "r.urdf"})


def proof_beside(folder: Path, name: str, mesh: bytes, ball: tuple[float, ...], text: str) -> dict:
    """A proof that a mesh of a robot and a ball are apart, as anybody can write one."""
    (folder / name).write_bytes(mesh)
    shape = f'<link name="a"><collision><geometry><mesh filename="{name}"/></geometry></collision></link>'
    (folder / "r.urdf").write_text(f'<robot name="r">{shape}</robot>')
    files = {
        key: hashlib.sha256((folder / file).read_bytes()).hexdigest() for key, file in (("", "r.urdf"), (name, name))
    }
    robot = {"files": files, "geometry": "collision", "parent": "", "joints": []}
    sphere = {"place": np.eye(4).tolist(), "points": [[0.0, 0.0, 0.0]], "radius": 0.1}
    link = {"name": "", "parent": "", "joint": "fixed", "at": [*ball, 0, 0, 0, 1], "axis": [0, 0, 1], "entry": 0}
    bodies = {"r": robot, "ball": {**link, "mimic": [1.0, 0.0], "shapes": [sphere]}}
    said = [{"name": key, "asked": True, "pieces": [[]], "links": [link]} for key, link in bodies.items()]
    head = {"format": "tocsin proof", "version": 3, "claim": "free", "margin": 0.0, "models": said, "pairs": []}
    return {**head, "shapes": [["r/a", 0], ["ball", 0]], "free": [text]}


@pytest.mark.parametrize(
    ("name", "mesh", "ball", "text"),
    [
        ("hundreds.dae", dae("100"), (30.0, 30, 0), ". 1 1 0"),
        ("marked.obj", b"\xef\xbb\xbf" + (POINTS + "f 1 2 3\n").encode(), (0.0, 0, 0), ". -7 -7 -1"),
        ("fed.obj", ("# made\x0cv 9 9 9\n" + POINTS + "f 1 2 3\n").encode(), (0.0, 1, 0), ". -1 1 0"),
    ],
)
def test_a_ball_that_touches_is_not_proven_to_be_beside(
    name: str, mesh: bytes, ball: tuple[float, ...], text: str, tmp_path: Path
) -> None:
    data = proof_beside(tmp_path, name, mesh, ball, text)
    robot = Robot.from_urdf(tmp_path / "r.urdf")
    assert Scene(robot, Body(Sphere(0.1), ball, name="ball")).prove().claim == "contact"
    assert not accepts(data, {"r": tmp_path / "r.urdf"})


@pytest.mark.parametrize("name", ["inches.dae", "faces.ply"])
def test_honest_proofs_of_any_mesh_are_accepted(name: str, tmp_path: Path) -> None:
    """What the checker does not read is spelled out, and said to be."""
    head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    head += "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
    ply = head + POINTS.replace("v ", "") + "3 0 1 2\n3 1 2 3\n"
    proof_beside(tmp_path, name, dae("0.0254") if name.endswith("dae") else ply.encode(), (0.0, 0, 0), "")
    robot, ball = Robot.from_urdf(tmp_path / "r.urdf"), Body(Sphere(0.1), (0.5, 0.5, -0.2), name="ball")
    proof = Scene(robot, ball).prove(ball.move((0.5, 0.5, -0.2), (0.6, 0.6, -0.2)))
    assert proof.claim == "free"
    said = str(checker.check(proof.data, {"r": tmp_path / "r.urdf"}))
    assert ("IS NOT READ" in said) == name.endswith("ply")
