"""OBJ files: vertices as listed, faces by object, and no other file opened."""

import numpy as np
import pytest
from mesh_files import FACES, OBJ, TETRA, write

from tocsin import Mesh, TocsinError
from tocsin.io.meshfile import read_parts
from tocsin.io.meshfile_obj import read_obj


def test_no_material_library_is_opened(tmp_path, monkeypatch):
    write(tmp_path, "box.mtl", b"newmtl a\nmap_Kd ../texture.png\n")
    path = write(tmp_path, "box.obj", b"mtllib ../../etc/passwd\nmtllib box.mtl\nusemtl a\n" + OBJ)
    opened = []
    real = type(path).open
    monkeypatch.setattr(type(path), "open", lambda self, *a, **k: opened.append(self.name) or real(self, *a, **k))
    monkeypatch.setattr("builtins.open", lambda name, *a, **k: pytest.fail(f"opened {name}"))
    assert len(Mesh.load(path).faces) == 4
    assert opened == ["box.obj"]


def test_relative_obj_indices_count_back_from_their_own_line(tmp_path):
    block = b"v 0 0 %d\nv 1 0 %d\nv 0 1 %d\nf -3 -2 -1\n"
    mesh = Mesh.load(write(tmp_path, "back.obj", block % (0, 0, 0) + block % (5, 5, 5)))
    assert mesh.faces.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_obj_vertices_stay_as_listed_whatever_textures_and_normals_say(tmp_path):
    text = OBJ.replace(b"f 1 3 2", b"f 1/1/1 3/2/2 2/3/1") + b"vt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 1\nvn 0 1 0\nv 9 9 9\n"
    mesh = Mesh.load(write(tmp_path, "textured.obj", text))
    assert np.array_equal(mesh.vertices, np.vstack((TETRA, [(9.0, 9.0, 9.0)])))
    assert np.array_equal(mesh.faces, FACES)


def test_obj_polygons_become_fans_in_the_order_of_the_file(tmp_path):
    text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1 2 5\nf 1 2 3 4\nf 4 3 \\\n5\n"
    assert Mesh.load(write(tmp_path, "quad.obj", text)).faces.tolist() == [[0, 1, 4], [0, 1, 2], [0, 2, 3], [3, 2, 4]]


def test_objects_of_an_obj_are_parts_that_share_vertices(tmp_path):
    lines = OBJ.split(b"\n")
    text = b"\n".join([b"o ground", *lines[:6], b"o roof", *lines[6:]])
    parts = read_parts(write(tmp_path, "house.obj", text))
    assert [(part.name, len(part.faces)) for part in parts] == [("ground", 2), ("roof", 2)]
    assert np.array_equal(Mesh.load(tmp_path / "house.obj").vertices, TETRA)


@pytest.mark.parametrize("ending", ["\r", "\r\n"])
def test_lines_may_end_as_on_any_system(ending):
    (part,) = read_obj("# from C:\\meshes\\\n\n" + OBJ.decode().replace("\n", ending), "tetra")
    assert np.array_equal(part.vertices, TETRA)
    assert np.array_equal(part.faces, FACES)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# from C:\\meshes\\\nv 0 0 0\n", "comment in line 1 ends in a backslash"),
        ("f 1 2 3\n", "no vertices"),
        ("v 0 0\n", "line 1 is not a vertex"),
        ("v 0 0 0\nf 1 1\n", "fewer than three corners"),
        ("v 0 0 0\nf 1 1 x\n", "line 2 is not a face"),
        ("v 0 0 0\nf 1 1 2\n", "line 2 names a vertex that is not there"),
        ("v 0 0 0\nf 1 1 0\n", "not there"),
        ("v 0 0 0\ncurv 0 1 1\n", "only polygons"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, says):
    with pytest.raises(TocsinError, match=says):
        read_obj(text, "thing")


def test_groups_are_parts_where_there_are_no_objects_and_one_named_twice_is_one():
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\ng a\nf 1 2 3\ng b\nf 1 3 2\ng a\nf 2 3 1\n"
    assert [(part.name, part.faces.tolist()) for part in read_obj(text, "thing")] == [
        ("a", [[0, 1, 2], [1, 2, 0]]),
        ("b", [[0, 2, 1]]),
    ]
