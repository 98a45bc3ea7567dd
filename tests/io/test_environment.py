"""Environments: every body of a file or folder, named and placed; trimesh reads the same scenes independently."""

import numpy as np
import pytest
import trimesh

from data import data_folder
from tocsin import Body, Robot, Scene, TocsinError
from tocsin.io.environment import load_environment
from tocsin.io.meshfile import READERS
from tocsin.motion.poses import base_matrix

TURN = trimesh.transformations.rotation_matrix(0.5, (1, 2, 3), (0.1, 0.2, 0.3))


def three_boxes(path):
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box((1, 2, 3)), node_name="table")
    scene.add_geometry(trimesh.creation.box((1, 1, 1)), node_name="shelf", transform=TURN)
    stretched = np.diag((1.0, 2.0, -3.0, 1.0))
    scene.add_geometry(
        trimesh.creation.box((1, 1, 1)), node_name="mirror", transform=stretched, parent_node_name="shelf"
    )
    scene.export(path)
    return scene


def world_points(body):
    mesh = body.shapes[0][0].source
    return mesh.vertices @ base_matrix(body.rest)[:3, :3].T + base_matrix(body.rest)[:3, 3]


def extents(points):
    return np.array([points.min(axis=0), points.max(axis=0)])


def test_a_glb_gives_a_body_for_each_node_where_its_scene_puts_it(tmp_path):
    three_boxes(tmp_path / "cell.glb")
    bodies = load_environment(tmp_path / "cell.glb")
    assert sorted(body.name for body in bodies) == ["mirror", "shelf", "table"]
    other = trimesh.load_scene(str(tmp_path / "cell.glb"))
    for body in bodies:
        transform, geometry = other.graph[body.name]
        expected = trimesh.transform_points(other.geometry[geometry].vertices, transform)
        assert np.allclose(extents(world_points(body)), extents(expected), atol=1e-6)
    mirror, shelf, _ = sorted(bodies, key=lambda body: body.name)
    assert np.allclose(base_matrix(shelf.rest), TURN, atol=1e-6)
    assert np.array_equal(base_matrix(mirror.rest), np.eye(4))
    # A mirrored part keeps its outside outside.
    mesh = mirror.shapes[0][0].source
    assert trimesh.Trimesh(mesh.vertices, mesh.faces).volume > 0.0


def test_scale_applies_to_sizes_and_places(tmp_path):
    three_boxes(tmp_path / "cell.glb")
    metres, millimetres = load_environment(tmp_path / "cell.glb"), load_environment(tmp_path / "cell.glb", scale=0.001)
    for a, b in zip(metres, millimetres):
        assert np.allclose(world_points(b), 0.001 * world_points(a), rtol=1e-12, atol=1e-15)
    stretched = load_environment(tmp_path / "cell.glb", scale=(1.0, 2.0, 3.0))
    for a, b in zip(metres, stretched):
        assert np.allclose(extents(world_points(b)), extents(world_points(a) * (1, 2, 3)), atol=1e-12)


def test_objects_of_an_obj_become_bodies_with_their_own_vertices(tmp_path):
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no floor\nf 1 2 3\no wall\nf 1 2 4\n"
    (tmp_path / "room.obj").write_text(text)
    floor, wall = load_environment(tmp_path / "room.obj")
    assert (floor.name, wall.name) == ("floor", "wall")
    assert len(wall.shapes[0][0].source.vertices) == 3
    assert extents(world_points(wall)).tolist() == [[0, 0, 0], [1, 0, 1]]


def test_a_mesh_file_is_one_body_named_after_it(tmp_path):
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "crate.stl")
    (crate,) = load_environment(str(tmp_path / "crate.stl"))
    assert isinstance(crate, Body)
    assert crate.name == "crate"


def test_a_folder_gives_all_its_meshes_under_distinct_names(tmp_path):
    trimesh.creation.box().export(tmp_path / "a.stl")
    trimesh.creation.box().export(tmp_path / "a.ply")
    (tmp_path / "notes.txt").write_text("not a mesh")
    (tmp_path / "below").mkdir()
    trimesh.creation.box().export(tmp_path / "below" / "b.stl")
    bodies = load_environment(tmp_path)
    assert [body.name for body in bodies] == ["a", "a-2"]
    assert Scene(*bodies).names == ("a", "a-2")


def test_a_planning_scene_is_an_environment(tmp_path):
    (tmp_path / "cell.scene").write_text("cell\n* box\n1\nbox\n1 1 1\n0 0 2\n0 0 0 1\n0 0 0 0\n.\n")
    (box,) = load_environment(tmp_path / "cell.scene")
    assert base_matrix(box.rest)[2, 3] == 2.0


def test_what_a_robot_carries_in_a_planning_scene_is_left_out_with_a_warning(tmp_path):
    (tmp_path / "cell.yaml").write_text(
        "robot_state:\n  attached_collision_objects:\n  - link_name: hand\n    object:\n      id: cup\n"
        "      primitives: [{type: sphere, dimensions: [1]}]\nworld: {}\n"
    )
    with pytest.warns(UserWarning, match="'cup'"):
        assert load_environment(tmp_path / "cell.yaml") == []


def test_a_description_of_a_robot_stands_in_the_environment(tmp_path):
    text = '<robot name="gate"><link name="post"><collision><geometry><box size="1 1 1"/></geometry></collision></link>'
    (tmp_path / "gate.urdf").write_text(text + "</robot>")
    (tmp_path / "gate.xml").write_text(text + "</robot>")
    for name in ("gate.urdf", "gate.xml"):
        (gate,) = load_environment(tmp_path / name)
        assert isinstance(gate, Robot)
    (tmp_path / "page.xml").write_text("<html/>")
    with pytest.raises(TocsinError, match=r"page\.xml.*<html>"):
        load_environment(tmp_path / "page.xml")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("cell.zip", b"PK\3\4", "no reader for '.zip'.*'?.stl.*.scene.*.urdf"),
        ("cell", b"x", "without suffix"),
        ("cell.stl", b"", "is empty"),
        ("cell.stl", bytes(80) + b"\xff\xff\xff\xff", "claims 4294967295"),
        ("empty.stl", bytes(84), "no triangles"),
        ("points.obj", b"v 0 0 0\n", "no triangles"),
        ("nan.obj", b"v 0 0 nan\nf 1 1 1\n", r"nan\.obj.*finite"),
        ("gone.glb", None, "does not exist"),
        ("gone.scene", None, "does not exist"),
        ("gone.urdf", None, "does not exist"),
        ("gone", None, "it does not exist"),
    ],
)
def test_what_is_no_environment_is_refused(tmp_path, name, content, says):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(TocsinError, match=rf"(?s){says}"):
        load_environment(tmp_path / name)


@pytest.mark.parametrize("scale", [0.0, float("nan"), (1.0, 2.0), "big"])
def test_a_scale_that_is_none_is_refused(tmp_path, scale):
    trimesh.creation.box().export(tmp_path / "a.stl")
    with pytest.raises(TocsinError, match="scale"):
        load_environment(tmp_path / "a.stl", scale=scale)


def test_an_empty_folder_and_scale_on_a_scene_are_refused(tmp_path):
    with pytest.raises(TocsinError, match="no meshes in it"):
        load_environment(tmp_path)
    (tmp_path / "cell.scene").write_text("cell\n.\n")
    with pytest.raises(TocsinError, match="scale and units are for meshes"):
        load_environment(tmp_path / "cell.scene", scale=2.0)


def test_real_environments_load():
    for folder in ("chess-cc0", "klampt-examples", "hpp-environments", "rigid-ipc"):
        for file in data_folder(folder).rglob("*"):
            if file.suffix.lower() in READERS:
                assert load_environment(file)
