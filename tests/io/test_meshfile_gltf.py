"""glTF files: nodes are placed parts, and every count is compared with the bytes that are there."""

import struct

import pytest
from mesh_files import FACES, TETRA, glb, gltf, gltf_header, write

from tocsin import Mesh, TocsinError
from tocsin.io.meshfile import read_parts
from tocsin.io.meshfile_gltf import read_glb, read_gltf


def test_nodes_of_a_gltf_are_placed_parts(tmp_path):
    parts = read_parts(write(tmp_path, "two.glb", glb()))
    assert [part.name for part in parts] == ["left", "right"]
    assert parts[1].transform.tolist() == [[2, 0, 0, 1], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]
    mesh = Mesh.load(tmp_path / "two.glb")
    assert mesh.vertices.max(axis=0).tolist() == [3.0, 4.0, 6.0]


def test_a_gltf_node_is_one_part_whatever_its_materials_and_names_are_those_of_the_file(tmp_path):
    primitive = {"attributes": {"POSITION": 0}, "indices": 1}
    meshes = [{"name": "tetra", "primitives": [primitive, primitive, {"attributes": {"POSITION": 0}, "mode": 0}]}]
    nodes = [{"name": "same", "mesh": 0, "children": [1, 2]}, {"name": "same", "mesh": 0}, {"mesh": 0}]
    parts = read_parts(write(tmp_path, "many.gltf", gltf(meshes=meshes, nodes=nodes)))
    assert [(part.name, len(part.faces)) for part in parts] == [("same", 8), ("same", 8), ("tetra", 8)]


def test_a_gltf_camera_or_line_does_not_lose_what_hangs_on_its_node(tmp_path):
    meshes = gltf_header()["meshes"] + [{"primitives": [{"mode": 1, "attributes": {"POSITION": 0}}]}]
    nodes = [
        {"camera": 0, "translation": [5, 0, 0], "children": [1]},
        {"mesh": 1, "translation": [0, 5, 0], "children": [2]},
        {"mesh": 0},
    ]
    cameras = [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}]
    mesh = Mesh.load(write(tmp_path, "hung.gltf", gltf(meshes=meshes, nodes=nodes, cameras=cameras)))
    assert mesh.vertices.min(axis=0).tolist() == [5.0, 5.0, 0.0]


def test_a_gltf_buffer_beside_the_file_is_read_but_not_through_a_link_out(tmp_path):
    data = TETRA.astype("<f4").tobytes() + FACES.astype("<u4").tobytes()
    folder = tmp_path / "model"
    folder.mkdir()
    write(folder, "two words.bin", data)
    text = gltf(buffers=[{"byteLength": 96, "uri": "two%20words.bin"}])
    assert len(Mesh.load(write(folder, "beside.gltf", text)).faces) == 8
    write(tmp_path, "outside.bin", data)
    (folder / "link.bin").symlink_to(tmp_path / "outside.bin")
    with pytest.raises(TocsinError, match="outside"):
        Mesh.load(write(folder, "link.gltf", gltf(buffers=[{"byteLength": 96, "uri": "link.bin"}])))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"glTF", "not a GLB"),
        (b"glTF" + struct.pack("<II", 1, 20) + bytes(8), "only glTF 2"),
        (glb(length=10_000), "claims 10000 bytes"),
        (glb(json_size=10_000), "claims a chunk of 10000 bytes"),
    ],
)
def test_a_damaged_glb_is_refused_by_what_it_claims(tmp_path, data, says):
    with pytest.raises(TocsinError, match=says):
        read_glb(data, tmp_path / "a.glb")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{", "cannot be read"),
        (b"[]", "not an object"),
        (gltf(nodes=3), "not a list of objects"),
        (gltf(accessors=[{}]), "."),
        (gltf(extensionsRequired=["KHR_draco_mesh_compression"]), "KHR_draco_mesh_compression"),
    ],
)
def test_a_header_that_is_not_one_is_refused(tmp_path, data, says):
    with pytest.raises(TocsinError, match=says):
        read_gltf(data, tmp_path / "a.gltf")


def test_text_and_binary_give_the_same_parts(tmp_path):
    text, binary = read_gltf(gltf(), tmp_path / "a.gltf"), read_glb(glb(), tmp_path / "a.glb")
    assert [part.name for part in text] == [part.name for part in binary]
    for one, other in zip(text, binary):
        assert (one.vertices == other.vertices).all()
        assert (one.faces == other.faces).all()
        assert (one.transform == other.transform).all()
