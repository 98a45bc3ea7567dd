"""Meshes are kept as given, refused with a sentence when they make no sense, and reported on."""

import dataclasses
import warnings

import numpy as np
import pytest
import trimesh

import tocsin
from tocsin.geometry import grouping
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box, Sphere


def soup(mesh):
    """The same triangles with every corner its own vertex."""
    return Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3))


CUBE = Box((1, 2, 3)).tessellate()


@pytest.mark.pure
def test_the_report_of_a_box_merged_or_not():
    for mesh in (CUBE, soup(CUBE)):
        report = mesh.report
        assert report.is_closed
        assert (report.triangles, report.components) == (12, 1)
        assert (report.degenerate, report.duplicated, report.open_edges, report.non_manifold_edges) == (0, 0, 0, 0)
    assert CUBE.report.duplicated_vertices == 0
    assert soup(CUBE).report.duplicated_vertices == 36 - 8
    assert "closed" in str(CUBE.report)
    assert "not closed" not in str(CUBE.report)


def test_what_is_wrong_is_counted():
    faces = np.vstack((CUBE.faces[1:], CUBE.faces[7:8, ::-1], [[0, 0, 1], [0, 0, 0]]))
    vertices = np.vstack((CUBE.vertices, [[9, 9, 9]], CUBE.vertices[:1]))
    report = Mesh(vertices, faces).report
    assert (report.triangles, report.degenerate, report.duplicated) == (14, 2, 1)
    assert (report.unreferenced_vertices, report.duplicated_vertices) == (2, 1)
    assert (report.open_edges, report.non_manifold_edges) == (3, 3)
    assert not report.is_closed
    for word in ("degenerate", "duplicated", "unreferenced", "not closed"):
        assert word in str(report)


def test_open_and_crowded_edges():
    fan = Mesh([[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [-1, -1, 0]], [[0, 1, 2], [0, 1, 3], [1, 0, 4]])
    assert (fan.report.open_edges, fan.report.non_manifold_edges, fan.report.components) == (6, 1, 1)


def test_collapsed_triangles_do_not_open_a_closed_mesh():
    mesh = Mesh(CUBE.vertices, np.vstack((CUBE.faces, [[0, 1, 1], [2, 2, 2]])))
    assert mesh.report.is_closed
    assert mesh.report.degenerate == 2


@pytest.mark.parametrize("scale", [1e-90, 1e-6, 1.0, 1e6, 1e25])
def test_collinear_triangles_are_degenerate_at_any_scale(scale):
    vertices = np.array([[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [0.3, 0.3, 0.3], [0.3, 0.3, 0.300001]]) * scale
    mesh = Mesh(vertices, [[0, 1, 2], [0, 1, 3], [1, 1, 1]])
    assert mesh.degenerate.tolist() == [True, False, True]


def test_components_are_labelled_in_order_and_connect_through_edges_only():
    far = CUBE.transformed(np.array([[1, 0, 0, 1.0], [0, 1, 0, 2.0], [0, 0, 1, 3.0], [0, 0, 0, 1]]))  # shares a corner
    both = Mesh(np.vstack((CUBE.vertices, far.vertices)), np.vstack((CUBE.faces, far.faces + 8)))
    assert both.components().tolist() == [0] * 12 + [1] * 12
    assert both.report.components == 2
    assert both.report.is_closed


def test_empty_meshes_are_legal():
    for mesh in (Mesh([], []), Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)), Mesh([[0, 0, 0]], [])):
        assert mesh.faces.shape == (0, 3)
        assert mesh.faces.dtype == np.int32
        report = mesh.report
        assert (report.triangles, report.components, report.is_closed) == (0, 0, False)
        assert "no triangles" in str(report)


def test_a_mesh_cannot_be_changed_and_does_not_share_its_input():
    vertices = np.array(CUBE.vertices)
    mesh = Mesh(vertices, CUBE.faces)
    vertices[0] = 7
    assert mesh.vertices[0, 0] != 7
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        mesh.faces[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        mesh.vertices = vertices
    assert mesh.vertices.flags.c_contiguous
    assert mesh.faces.flags.c_contiguous


@pytest.mark.parametrize(
    ("vertices", "faces", "says"),
    [
        (np.zeros((3, 2)), [[0, 1, 2]], r"shape \(n, 3\); got \(3, 2\)"),
        ([[0, 0, np.nan]], [], "finite.*first row 0"),
        ([[0, 0, np.inf]], [], "finite"),
        ([[0, 0, 1e200]], [], "at most"),
        (np.zeros((3, 3)), [[0, 1, 2, 0]], r"\(n, 3\); got shape \(1, 4\)"),
        (np.zeros((3, 3)), [[0, 1, 3]], r"3 vertices, from 0; .*wrong: \[0, 1, 3\]"),
        (np.zeros((3, 3)), [[0, -1, 2]], "3 vertices, from 0"),
        (np.zeros((3, 3)), [[0, 2**40, 2]], "3 vertices, from 0"),
        (np.zeros((3, 3)), [[0.0, 1.0, 2.0]], "whole numbers.*float64"),
        (np.zeros((3, 3)), [[True, False, True]], "whole numbers.*True"),
        (np.zeros((3, 3)), [[0, 1, 2], [0, 1]], "rows of different lengths"),
        ("abc", [[0, 1, 2]], "numbers; got 'abc'"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(vertices, faces, says):
    with pytest.raises(ValueError, match=says):
        Mesh(vertices, faces)


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off", "glb"])
def test_files_are_read_as_they_are(tmp_path, suffix):
    path = tmp_path / f"box.{suffix}"
    trimesh.Trimesh(CUBE.vertices, CUBE.faces, process=False).export(path)
    mesh = Mesh.load(path)
    assert len(mesh.faces) == 12
    assert mesh.report.is_closed
    assert len(mesh.vertices) == (36 if suffix == "stl" else 8)
    assert np.array_equal(np.unique(mesh.vertices, axis=0), np.unique(CUBE.vertices, axis=0))
    assert mesh.name == f"box.{suffix}"


def test_a_scene_becomes_one_mesh(tmp_path):
    scene = trimesh.Scene()
    box = trimesh.creation.box()
    scene.add_geometry(box)
    scene.add_geometry(box, transform=trimesh.transformations.translation_matrix((5, 0, 0)))
    scene.export(tmp_path / "two.glb")
    mesh = Mesh.load(tmp_path / "two.glb")
    assert mesh.report.components == 2
    assert np.ptp(mesh.vertices[:, 0]) == pytest.approx(6.0)


def test_files_that_cannot_be_read_say_so(tmp_path):
    (tmp_path / "a.xyzzy").write_text("hello")
    (tmp_path / "b.glb").write_text("hello")
    (tmp_path / "plain").write_text("hello")
    for name, says in (
        ("none.stl", "does not exist"),
        ("", "folder"),
        ("a.xyzzy", "no reader for '.xyzzy'.*stl"),
        ("plain", "without suffix"),
        ("b.glb", "damaged or not a GLB"),
    ):
        with pytest.raises(ValueError, match=says):
            Mesh.load(tmp_path / name)


def test_meshes_are_made_of_anything_that_is_one(tmp_path):
    tri = trimesh.Trimesh(CUBE.vertices, CUBE.faces, process=False)
    tri.export(tmp_path / "box.stl")
    assert Mesh.from_any(CUBE) is CUBE
    for source in (tri, (CUBE.vertices, CUBE.faces), [CUBE.vertices, CUBE.faces], tmp_path / "box.stl"):
        assert Mesh.from_any(source).report.is_closed
    with pytest.raises(ValueError, match="cannot make a mesh of int"):
        Mesh.from_any(3)


def signed_volume(mesh):
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def test_scaling_and_moving_keep_the_outside_outside():
    ball = Sphere(1.0).tessellate(16)
    volume = signed_volume(ball)
    assert signed_volume(ball.scaled(2)) == pytest.approx(8 * volume)
    assert signed_volume(ball.scaled((1, -2, 3))) == pytest.approx(6 * volume)
    mirror = np.diag([-1.0, 1, 1, 1])
    assert signed_volume(ball.transformed(mirror)) == pytest.approx(volume)
    moved = ball.transformed(np.array([[0, -1, 0, 1.0], [1, 0, 0, 2.0], [0, 0, 1, 3.0], [0, 0, 0, 1]]))
    assert moved.vertices.mean(axis=0) == pytest.approx([1, 2, 3])
    for wrong in (0, np.nan, (1, 2), "big"):
        with pytest.raises(ValueError, match="scale must be one or three"):
            ball.scaled(wrong)
    for wrong in (np.eye(3), np.full((4, 4), np.nan), np.ones((4, 4))):
        with pytest.raises(ValueError, match="4x4"):
            ball.transformed(wrong)


def test_equal_rows_are_grouped_in_order_of_appearance(monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.integers(-3, 3, size=(500, 3))
    for _ in range(2):
        labels, first = grouping.group_rows(rows)
        seen = {}
        expected = [seen.setdefault(tuple(row), len(seen)) for row in rows.tolist()]
        assert labels.tolist() == expected
        assert [expected.index(k) for k in range(len(seen))] == first.tolist()
        monkeypatch.setattr(grouping, "_MULTIPLIERS", np.zeros(3, dtype=np.uint64))  # every hash collides


def test_minus_zero_is_zero():
    assert len(grouping.weld(np.array([[0.0, 0, 0], [-0.0, 0, 0], [5e-324, 0, 0]]))[1]) == 2


@pytest.mark.parametrize(
    ("given", "factor"),
    [
        ({"scale": 0.001}, 0.001),
        ({"units": "mm"}, 0.001),
        ({"units": "in"}, 0.0254),
        ({"scale": (1, 2, -3)}, (1, 2, -3)),
    ],
)
def test_lengths_in_other_units_become_metres_at_every_door(tmp_path, given, factor):
    box = Box((2, 3, 4)).tessellate()
    file = tmp_path / "box.stl"
    trimesh.Trimesh(box.vertices, box.faces, process=False).export(file)
    wanted = Mesh.load(file).vertices * factor
    np.testing.assert_array_equal(Mesh.load(file, **given).vertices, wanted)
    np.testing.assert_array_equal(Mesh.from_any(str(file), **given).vertices, wanted)
    np.testing.assert_array_equal(Mesh.from_any(Mesh.load(file), **given).vertices, wanted)
    np.testing.assert_array_equal(tocsin.Body.from_mesh(file, **given).shapes[0][0].source.vertices, wanted)
    np.testing.assert_array_equal(tocsin.Deformable.from_mesh(file, weld=True, **given).vertices, wanted)
    (body,) = tocsin.load_environment(file, **given)
    np.testing.assert_array_equal(body.shapes[0][0].source.vertices, wanted)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"units": "metres"}, "units must be one of 'm', 'cm', 'mm'"),
        ({"units": "mm", "scale": 0.001}, "scale or units, not both"),
        ({"scale": 0}, "other than zero"),
        ({"scale": (1, 2)}, "one or three"),
    ],
)
def test_what_is_no_unit_is_refused(given, says):
    with pytest.raises(tocsin.TocsinError, match=says):
        Mesh.from_any(Box((1, 1, 1)).tessellate(), **given)


def test_a_file_of_more_than_a_hundred_metres_gets_a_remark_unless_its_units_are_said(tmp_path):
    box = Box((500, 300, 20)).tessellate()
    file = tmp_path / "box.stl"
    trimesh.Trimesh(box.vertices, box.faces, process=False).export(file)
    with pytest.warns(tocsin.UnitWarning, match=r"'box\.stl' is 500 m across\. Millimetres"):
        Mesh.load(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Mesh.load(file, units="m")
        Mesh.load(file, units="mm")
