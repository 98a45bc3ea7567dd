"""Mesh files that lie, and what is read from honest ones; trimesh and coal are the independent readers."""

import contextlib
import random
import struct
import sys
import tracemalloc

import numpy as np
import pytest
import trimesh
from mesh_files import (
    ASCII_STL,
    FACES,
    HONEST,
    OBJ,
    OFF,
    PLY,
    PLY_HEAD,
    TETRA,
    dae,
    glb,
    gltf,
    gltf_header,
    ply_binary,
    stl,
    triangles,
    write,
)  # fmt: skip

from data import data_folder
from effort import refusal
from tocsin import Mesh, TocsinError
from tocsin.io.meshfile import READERS


@pytest.mark.parametrize("name", HONEST)
def test_honest_files_give_their_triangles(tmp_path, name):
    mesh = Mesh.load(write(tmp_path, name, HONEST[name]))
    assert triangles(mesh) == triangles(Mesh(TETRA, FACES))
    assert mesh.name == name


NEAR = struct.pack("<3f", 1e-9, 0, 0) + struct.pack("<3f", 0, 2, 0)

NEARLY = {
    "binary.stl": stl().replace(struct.pack("<3f", 0, 0, 0) + struct.pack("<3f", 0, 2, 0), NEAR, 1),
    "ascii.stl": ASCII_STL.replace(b"vertex 0.0 0.0 0.0", b"vertex 1e-9 0.0 0.0", 1),
    "plain.obj": OBJ.replace(b"v 0 0 0", b"v 1e-9 0 0"),
    "plain.off": OFF.replace(b"0 0 0\n", b"1e-9 0 0\n", 1),
    "ascii.ply": PLY.replace(b"0 0 0\n", b"1e-9 0 0\n", 1),
    "plain.dae": HONEST["plain.dae"].replace(b">0 0 0 1 0 0", b">1e-9 0 0 1 0 0"),
}
"""Of every reader a file: the corner at (0, 0, 0) of one triangle, or its second coordinate, moved by 1e-9."""


@pytest.mark.parametrize("name", NEARLY)
def test_vertices_that_nearly_coincide_stay_apart(tmp_path, name):
    mesh = Mesh.load(write(tmp_path, name, NEARLY[name]))
    assert len(mesh.faces) == 4
    assert mesh.vertices[mesh.vertices > 0.0].min() == pytest.approx(1e-9)


def lies():
    """Name, contents, words of the sentence that is expected."""
    nan = struct.pack("<f", float("nan"))
    yield "claims.stl", stl(count=4_000_000_000), "claims 4000000000 triangles"
    yield "short.stl", stl()[:-7], "damaged"
    yield "header.stl", stl()[:50], "at least 84 bytes"
    yield "nan.stl", stl().replace(struct.pack("<f", 3.0), nan, 1), "finite"
    yield "nan.dae", dae().replace(b">0 0 0 1 0 0", b">0 nan 0 1 0 0"), "finite"
    yield "nan.off", OFF.replace(b"0 0 0\n", b"0 nan 0\n", 1), "finite"
    yield "nan.ply", PLY.replace(b"0 0 0\n", b"0 nan 0\n", 1), "finite"
    yield "nanb.ply", ply_binary().replace(struct.pack("<f", 3.0), nan, 1), "finite"
    wrong = TETRA.astype("<f4").tobytes().replace(struct.pack("<f", 3.0), nan) + FACES.astype("<u4").tobytes()
    inside = [{"byteLength": 96}]
    yield "nan.glb", glb(gltf_header(buffers=inside), wrong), "finite"
    yield "inf.stl", ASCII_STL.replace(b"vertex 0.0 0.0 0.0", b"vertex inf 0.0 0.0", 1), "finite"
    yield "cut.stl", ASCII_STL[: len(ASCII_STL) // 2], "claims"
    yield "word.stl", ASCII_STL.replace(b"vertex 1", b"vertex one"), "damaged"
    yield "noend.stl", b"solid a story\nonce upon a time\n", "no facets"
    yield "huge.obj", OBJ + b"f 1 2 99999999999999999999999\n", "line 9"
    yield "index.obj", OBJ + b"f 1 2 5\n", "not there"
    yield "back.obj", OBJ + b"f -1 -2 -5\n", "not there"
    yield "zero.obj", OBJ + b"f 0 1 2\n", "not there"
    yield "two.obj", OBJ + b"f 1 2\n", "fewer than three"
    yield "text.obj", b"v 1 2 three\nf 1 1 1\n", "line 1 is not a vertex"
    yield "nan.obj", b"v 1 2 nan\nf 1 1 1\n", "finite"
    yield "inf.obj", b"v 1 2 1e999\nf 1 1 1\n", "finite"
    yield "surf.obj", OBJ + b"surf 0 1 0 1 1 2 3\n", "only polygons"
    yield "empty.obj", b"# nothing\n", "no vertices"
    yield "binary.obj", OBJ + b"\0\0\0", "not an OBJ"
    yield "many.off", OFF.replace(b"4 4 6", b"4 4000000000 6"), "claims 4 vertices and 4000000000 faces"
    yield "cut.off", OFF[:-10], "claims"
    yield "corner.off", OFF.replace(b"3 0 2 1", b"3 0 2"), "face 0"
    yield "index.off", OFF.replace(b"3 0 2 1", b"3 0 2 9"), "a face names number 9"
    yield "minus.off", OFF.replace(b"4 4 6", b"-4 4 6"), "second line"
    yield "word.off", OFF.replace(b"OFF", b"FFO"), "not an OFF"
    yield "many.ply", ply_binary(faces=4_000_000_000), "claims"
    yield "vertices.ply", ply_binary(vertices=10**18), "claims"
    yield "cut.ply", ply_binary()[:-3], "cut off"
    yield "text.ply", PLY_HEAD.format(format="ascii", vertices=10**9, faces=4, name="vertex_index").encode(), "claims"
    yield "name.ply", ply_binary(name="corners"), "vertex_indices"
    yield "strips.ply", ply_binary().replace(b"element face 4", b"element tristrips 4"), "strips"
    yield "type.ply", ply_binary().replace(b"float x", b"quad x"), "not a property"
    yield "head.ply", b"ply\n" + b"x" * 1000, "no PLY header"
    yield "index.ply", PLY.replace(b"3 0 2 1", b"3 0 2 9"), "a face names number 9"
    yield "length.glb", glb(length=4_000_000_000), "claims 4000000000 bytes"
    yield "chunk.glb", glb(json_size=4_000_000_000), "claims a chunk"
    yield "magic.glb", b"glTF" + b"\1\0\0\0" * 10, "glTF 1"
    yield "short.glb", b"glTF", "not a GLB"
    yield "json.glb", b"glTF" + struct.pack("<II", 2, 24) + struct.pack("<I4s", 4, b"JSON") + b"{{{{", "JSON"
    yield "count.gltf", gltf(accessors=[gltf_header()["accessors"][0] | {"count": 4_000_000_000}] * 2), "claims"
    sparse = [{"componentType": 5126, "type": "VEC3", "count": 4_000_000_000}, gltf_header()["accessors"][1]]
    yield "zeros.gltf", gltf(accessors=sparse), "no data"
    yield "view.gltf", gltf(bufferViews=[{"buffer": 0, "byteLength": 1 << 60}] * 2), "bufferView"
    yield "minus.gltf", gltf(bufferViews=[{"buffer": 0, "byteLength": -1}] * 2), "whole number"
    yield "buffer.gltf", gltf(buffers=[{"byteLength": 1 << 40, "uri": "data:;base64,AAAA"}]), "claims"
    yield "base64.gltf", gltf(buffers=[{"byteLength": 1, "uri": "data:;base64,@@@@"}]), "base64"
    yield "cycle.gltf", gltf(nodes=[{"mesh": 0, "children": [1]}, {"children": [0]}]), "placed twice"
    yield "shared.gltf", gltf(nodes=[{"mesh": 0, "children": [1, 1]}, {"mesh": 0}]), "placed twice"
    yield "child.gltf", gltf(nodes=[{"mesh": 0, "children": [7]}]), "whole number below"
    yield "skin.gltf", gltf(nodes=[{"mesh": 0, "skin": 0}]), "skinned"
    yield "draco.gltf", gltf(extensionsRequired=["KHR_draco_mesh_compression"]), "KHR_draco"
    yield "noscene.gltf", gltf(scenes=[]), "no scene"
    yield "deep.gltf", b"[" * 1_000_000, "JSON"
    yield "list.gltf", b"[1, 2]", "not an object"
    yield "up.gltf", gltf(buffers=[{"byteLength": 96, "uri": "../secret.bin"}]), "outside"
    yield "percent.gltf", gltf(buffers=[{"byteLength": 96, "uri": "%2e%2e/secret.bin"}]), "outside"
    yield "root.gltf", gltf(buffers=[{"byteLength": 96, "uri": "/etc/passwd"}]), "outside"
    yield "http.gltf", gltf(buffers=[{"byteLength": 96, "uri": "http://localhost/x.bin"}]), "outside"
    yield "file.gltf", gltf(buffers=[{"byteLength": 96, "uri": "file:///etc/passwd"}]), "outside"
    yield "gone.gltf", gltf(buffers=[{"byteLength": 96, "uri": "gone.bin"}]), "does not exist"
    bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
        f"<!ENTITY {chr(98 + k)} '{f'&{chr(97 + k)};' * 10}'>" for k in range(9)
    )
    yield "bomb.dae", dae(doctype=bomb + "]>", indices="&j;"), "DOCTYPE"
    yield "entity.dae", dae(doctype='<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'), "DOCTYPE"
    yield "deep.dae", b"<a>" * 100_000, "nested more than"
    yield "cut.dae", dae()[:-200], "not XML"
    yield "root.dae", b"<robot/>", "not COLLADA"
    yield "unit.dae", dae(unit="0"), "positive number of metres"
    yield "nanunit.dae", dae(unit="nan"), "positive number of metres"
    yield "index.dae", dae(indices="0 1 2 0 1 9"), "damaged"
    yield "word.dae", dae(indices="0 1 2 0 1 x"), "damaged"
    yield "gone.dae", dae(instance='<instance_geometry url="#other"/>'), "not there"
    yield "unplaced.dae", dae(instance=""), "no scene"
    yield "noscene.dae", dae().replace(b'<instance_visual_scene url="#scene"/>', b""), "no scene"
    yield "skin.dae", dae(instance='<instance_controller url="#other"/>'), "skinned"
    yield "self.dae", dae(nodes='<node id="k"><instance_node url="#k"/></node>', instance=link("k")), "contains itself"
    nodes = '<node id="k0"><instance_geometry url="#tetra"/></node>' + "".join(
        f'<node id="k{i}">{link(f"k{i - 1}") * 10}</node>' for i in range(1, 12)
    )
    yield "copies.dae", dae(nodes=nodes, instance=link("k11")), "too many"
    yield "zip.dae", b"PK\3\4" + bytes(100), "not XML"


def link(name):
    return f'<instance_node url="#{name}"/>'


@pytest.mark.parametrize(
    ("name", "data", "words"), list(lies()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_lie_gets_one_sentence_that_names_the_file(tmp_path, name, data, words):
    path = write(tmp_path, name, data)
    write(tmp_path.parent, "secret.bin", bytes(96))
    Mesh.load(write(tmp_path, "first.dae", HONEST["plain.dae"]))  # imports are not what is counted
    tracemalloc.start()
    try:
        sentence = refusal(Mesh.load, path, r"cannot load.*" + words)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert name in sentence or "gone.bin" in sentence
    assert len(sentence) < 600
    assert peak < 100e6


@pytest.mark.parametrize("suffix", READERS)
def test_a_zero_byte_file_is_refused(tmp_path, suffix):
    with pytest.raises(TocsinError, match="is empty"):
        Mesh.load(write(tmp_path, f"nothing{suffix}", b""))


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("kind", ["noise", "letters", "brackets"])
def test_a_hundred_megabytes_of_garbage_are_refused_at_once(tmp_path, suffix, kind):
    blocks = {
        "noise": random.Random(3).randbytes(1 << 20),
        "letters": b"lorem ipsum\n" * 87_381,
        "brackets": b"<" * 1048576,
    }
    path = tmp_path / f"garbage{suffix}"
    with path.open("wb") as stream:
        for _ in range(100):
            stream.write(blocks[kind])
    refusal(Mesh.load, path, "garbage")


@pytest.mark.parametrize("suffix", [".zip", ".gz", ".3mf", ".json", ".xyz", ""])
def test_archives_and_unknown_kinds_are_refused_with_the_kinds_that_are_read(tmp_path, suffix):
    with pytest.raises(TocsinError, match=r"no reader .* meshes are: .stl, .obj"):
        Mesh.load(write(tmp_path, f"mesh{suffix}", b"PK\3\4"))


def test_a_file_beyond_the_limit_is_refused_unread(tmp_path):
    path = tmp_path / "sparse.stl"
    with path.open("wb") as stream:
        stream.truncate(1 << 36)
    with pytest.raises(TocsinError, match="more than the"):
        Mesh.load(path)


@pytest.mark.parametrize("name", ["mixed.off", "mixed.ply"])
def test_polygons_of_several_sizes_become_fans(tmp_path, name):
    points = b"0 0 0\n1 0 0\n2 1 0\n1 2 0\n0 1 0\n0 0 1\n"
    head = PLY_HEAD.format(format="ascii", vertices=6, faces=3, name="vertex_indices").encode()
    text = (head if name.endswith("ply") else b"OFF\n6 3 0\n") + points + b"5 0 1 2 3 4\n3 5 1 2\n4 0 1 2 5\n"
    faces = Mesh.load(write(tmp_path, name, text)).faces.tolist()
    assert sorted(map(sorted, faces)) == [[0, 1, 2], [0, 1, 2], [0, 2, 3], [0, 2, 5], [0, 3, 4], [1, 2, 5]]


@pytest.mark.parametrize("robot", ["hyq", "jvrc1", "excavator_zx120", "panda_mbm"])
def test_meshes_of_real_robots_have_the_extents_that_pinocchio_reads(robot):
    coal = pytest.importorskip("coal")
    files = [f for f in data_folder("robots", robot).rglob("*") if f.suffix.lower() in (".dae", ".stl", ".obj")]
    assert files
    for file in files:
        mesh = Mesh.load(file)
        used = mesh.vertices[np.unique(mesh.faces)]
        other = np.asarray(coal.MeshLoader().load(str(file), np.ones(3)).vertices())
        size = np.ptp(used, axis=0).max()
        assert np.abs(used.min(axis=0) - other.min(axis=0)).max() < 1e-6 * size, file.name
        assert np.abs(used.max(axis=0) - other.max(axis=0)).max() < 1e-6 * size, file.name


def test_real_files_of_every_kind_have_the_triangles_that_trimesh_reads():
    for folder in ("chess-cc0", "klampt-examples", "genesis-meshes", "hpp-environments"):
        for file in sorted(data_folder(folder).rglob("*")):
            if file.suffix.lower() not in READERS:
                continue
            mesh = Mesh.load(file)
            other = trimesh.load_scene(str(file), process=False).to_mesh()
            mine = np.sort(mesh.vertices[mesh.faces].sum(axis=1), axis=0)
            theirs = np.sort(np.asarray(other.vertices)[other.faces].sum(axis=1), axis=0)
            assert len(mine) > 0
            assert np.allclose(mine, theirs, rtol=1e-6, atol=1e-6 * np.abs(theirs).max()), file.name


@pytest.mark.parametrize("name", HONEST)
def test_mutated_files_are_read_or_refused_and_nothing_else(tmp_path, name, caplog):
    chance = random.Random(name)
    data = HONEST[name]
    path = tmp_path / f"mutant-{name}"
    for _ in range(150):
        mutant = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            k = chance.randrange(len(mutant))
            what = chance.randrange(4)
            if what == 0:
                mutant[k] = chance.randrange(256)
            elif what == 1:
                del mutant[k : k + chance.randint(1, 40)]
            elif what == 2:
                mutant[k:k] = mutant[k : k + chance.randint(1, 40)]
            else:
                mutant[k : k + 1] = chance.choice([b"-", b"9999999999", b"nan", b"\0", b"1e308", b"\xff\xff\xff\xff"])
            if not mutant:
                mutant = bytearray(b"x")
        path.write_bytes(bytes(mutant))
        with contextlib.suppress(TocsinError):
            assert np.isfinite(Mesh.load(path).vertices).all()
    assert not caplog.records


@pytest.mark.parametrize("odd", [b"\xff", b"\xc3\x28", b"\xe9"])
def test_odd_bytes_in_an_ascii_stl_need_no_library_that_guesses_encodings(tmp_path, monkeypatch, odd):
    """trimesh asks for charset_normalizer, which nobody installs, where a text is no UTF-8."""
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    lines = b"facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n"
    path = tmp_path / "odd.stl"
    path.write_bytes(b"solid " + odd + b"\n" + lines)
    assert len(Mesh.load(path).faces) == 1
    path.write_bytes(b"solid x\n" + lines.replace(b"1 0 0", b"1" + odd + b" 0 0"))
    with pytest.raises(TocsinError):
        Mesh.load(path)
