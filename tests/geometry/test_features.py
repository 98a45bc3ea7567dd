"""Corners, edges and flat faces of surfaces."""

import numpy as np

import tocsin
from tocsin.geometry.features import MOST_TRIANGLES, find_features
from tocsin_bench.scenes.screen_scenes import car, torus


def counts(mesh):
    found = find_features(mesh, mesh.vertices)
    return len(found.corners), int((found.edges["flat"] == 0).sum()), len(found.faces), found.closed


def test_triangles_in_one_plane_are_one_face():
    assert counts(tocsin.Box((1, 2, 3)).tessellate()) == (8, 12, 6, True)
    assert counts(car()) == (16, 26, 12, True)
    assert counts(torus()) == (300, 600, 300, True)


def test_normals_point_outward_however_the_mesh_is_wound():
    mesh = tocsin.Box((1, 2, 3)).tessellate()
    for faces in (mesh.faces, mesh.faces[:, ::-1]):
        found = find_features(tocsin.Mesh(mesh.vertices, faces), mesh.vertices)
        assert found.closed
        assert (found.faces["offset"] > 0.0).all()


def test_an_unmerged_file_hangs_together():
    mesh = tocsin.Box((1, 1, 1)).tessellate()
    soup = tocsin.Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(36).reshape(-1, 3))
    assert counts(soup) == (8, 12, 6, True)


def test_every_side_points_into_its_face():
    mesh = torus(9, 7)
    found = find_features(mesh, mesh.vertices)
    at = mesh.vertices[found.corners["point"]]
    for edge in found.edges:
        along = at[edge["head"]] - at[edge["tail"]]
        for side in found.sides[edge["side"] : edge["side"] + edge["sides"]]:
            face = found.faces[side["face"]]
            triangles = found.triangles[face["triangle"] : face["triangle"] + face["triangles"]]
            middle = mesh.vertices[np.unique(triangles)].mean(axis=0)
            assert abs(side["into"] @ along) < 1e-12
            assert abs(side["into"] @ face["normal"]) < 1e-9
            assert side["into"] @ (middle - at[edge["tail"]]) > 0.0


def test_large_flat_faces_stay_in_pieces_whose_inner_edges_are_flat():
    n = 12
    x, y = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0))
    points = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    corner = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    faces = np.concatenate(
        [np.stack([corner, corner + 1, corner + n + 2], 1), np.stack([corner, corner + n + 2, corner + n + 1], 1)]
    )
    found = find_features(tocsin.Mesh(points, faces), points)
    assert len(faces) > MOST_TRIANGLES
    assert len(found.faces) == len(faces)
    assert (found.edges["flat"] == 0).sum() == 4 * n
    inside = (found.points[:, 0] > 0) & (found.points[:, 0] < n) & (found.points[:, 1] > 0) & (found.points[:, 1] < n)
    assert (found.corners["spokes"][inside[found.corners["point"]]] == 0).all()


def test_degenerate_triangles_are_edges_and_nothing_is_nothing():
    needle = tocsin.Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]], [[0, 1, 2]])
    assert counts(needle) == (3, 3, 0, False)
    assert counts(tocsin.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))) == (0, 0, 0, False)
