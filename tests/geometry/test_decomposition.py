"""Pieces are connected, lie on their own hulls, and stay that way for soups of any quality."""

import numpy as np
import pytest

from tocsin.geometry.decomposition import TOLERANCE, surface_pieces
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box, Capsule, Sphere


def soup(mesh):
    return Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3))


def torus(n=24, k=12):
    u, v = np.meshgrid(np.arange(n), np.arange(k), indexing="ij")
    a, b = 2 * np.pi * u / n, 2 * np.pi * v / k
    r = 2 + 0.7 * np.cos(b)
    vertices = np.stack((r * np.cos(a), r * np.sin(a), 0.7 * np.sin(b)), -1).reshape(-1, 3)
    i, right, up = u * k + v, (u + 1) % n * k + v, u * k + (v + 1) % k
    both = (u + 1) % n * k + (v + 1) % k
    faces = np.concatenate((np.stack((i, right, both), -1), np.stack((i, both, up), -1))).reshape(-1, 3)
    return Mesh(vertices, faces)


def bumps(n=20):
    x, y = np.meshgrid(np.linspace(-3, 3, n), np.linspace(-3, 3, n))
    vertices = np.stack((x, y, np.sin(2 * x) * np.cos(2 * y)), -1).reshape(-1, 3)
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    return Mesh(vertices, np.concatenate((np.stack((i, i + 1, i + n + 1), -1), np.stack((i, i + n + 1, i + n), -1))))


MESHES = {
    "box": Box((1, 2, 3)).tessellate(),
    "sphere": Sphere(1.0).tessellate(24),
    "capsule": Capsule(0.3, 1.0).tessellate(16),
    "torus": torus(),
    "bumps": bumps(),
    "random": Mesh(
        np.random.default_rng(0).normal(size=(30, 3)), np.random.default_rng(1).integers(0, 30, size=(200, 3))
    ),
}


def assert_pieces(mesh, labels, max_vertices):
    assert labels.dtype == np.int32
    assert labels.shape == (len(mesh.faces),)
    allowed = 1.001 * TOLERANCE * np.linalg.norm(np.ptp(mesh.vertices, axis=0))
    for piece in range(labels.max() + 1):
        inside = mesh.faces[labels == piece]
        assert len(inside) > 0
        corners = mesh.vertices[np.unique(inside)]
        assert len(np.unique(corners, axis=0)) <= max_vertices
        if len(inside) == 1:
            continue
        a, b, c = (mesh.vertices[inside[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        heights = np.einsum("fj,vfj->vf", normals, corners[:, None] - a[None])
        supporting = (heights.max(axis=0) <= allowed) | (heights.min(axis=0) >= -allowed)
        assert supporting.all()
        assert Mesh(mesh.vertices, inside).report.components == 1


@pytest.mark.parametrize("max_vertices", [3, 8, 64])
@pytest.mark.parametrize("name", MESHES)
def test_every_piece_is_connected_and_on_its_own_hull(name, max_vertices):
    for mesh in (MESHES[name], soup(MESHES[name])):
        assert_pieces(mesh, surface_pieces(mesh, max_vertices), max_vertices)


@pytest.mark.pure
def test_a_box_is_one_piece():
    for mesh in (MESHES["box"], soup(MESHES["box"])):
        assert surface_pieces(mesh).tolist() == [0] * 12


def test_convex_regions_come_out_in_large_pieces():
    assert np.bincount(surface_pieces(MESHES["sphere"])).mean() > 25
    sizes = np.bincount(surface_pieces(MESHES["torus"]))
    assert sizes.mean() > 4
    assert sizes.min() > 0


def test_winding_does_not_matter():
    rng = np.random.default_rng(3)
    mesh = MESHES["torus"]
    reference = surface_pieces(mesh)
    assert np.array_equal(surface_pieces(Mesh(mesh.vertices, mesh.faces[:, ::-1])), reference)
    some = rng.random(len(mesh.faces)) < 0.3
    mixed = np.where(some[:, None], mesh.faces[:, ::-1], mesh.faces)
    labels = surface_pieces(Mesh(mesh.vertices, mixed))
    assert labels.max() + 1 == pytest.approx(reference.max() + 1, rel=0.15)
    assert_pieces(Mesh(mesh.vertices, mixed), labels, 64)


def test_a_cavity_is_not_taken_for_a_solid():
    """The inner shell of a hollow ball faces inward: seen from there it is concave, so it falls into small pieces."""
    ball = Sphere(1.0).tessellate(16)
    inner = ball.scaled(0.5)
    hollow = Mesh(
        np.vstack((ball.vertices, inner.vertices)), np.vstack((ball.faces, inner.faces[:, ::-1] + len(ball.vertices)))
    )
    labels = surface_pieces(hollow)
    outside, inside = labels[: len(ball.faces)], labels[len(ball.faces) :]
    assert len(np.unique(outside)) < 0.2 * len(np.unique(inside))


def test_scale_does_not_matter():
    mesh = MESHES["bumps"]
    for factor in (2.0**-60, 2.0**60):
        assert np.array_equal(surface_pieces(mesh.scaled(factor)), surface_pieces(mesh))


def test_degenerate_triangles_stand_alone():
    box = MESHES["box"]
    mesh = Mesh(box.vertices, np.vstack(([[0, 1, 1], [2, 2, 2]], box.faces, [[0, 7, 0]])))
    labels = surface_pieces(mesh)
    assert labels.tolist() == [0, 1] + [2] * 12 + [3]


def test_empty_and_wrong_arguments():
    assert len(surface_pieces(Mesh([], []))) == 0
    with pytest.raises(ValueError, match="max_vertices"):
        surface_pieces(MESHES["box"], 2)
