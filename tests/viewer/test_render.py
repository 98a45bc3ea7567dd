"""The renderer: points fall where a pinhole puts them, colours go with their triangles, and a PNG holds its pixels."""

import zlib

import numpy as np
import pytest

from tocsin.viewer.render import Camera, RenderScene, write_png

EYE = np.array([0.0, 0.0, 10.0])


def test_a_point_falls_where_a_pinhole_puts_it():
    rng = np.random.default_rng(1)
    camera = Camera(EYE, np.eye(3), 0.5)
    points = rng.normal(size=(100, 3))
    found = camera.on_screen(points, (200, 100))
    away = 10.0 - points[:, 2]
    assert found[:, 0] == pytest.approx(100.0 + 50.0 / 0.5 * points[:, 0] / away)
    assert found[:, 1] == pytest.approx(50.0 - 50.0 / 0.5 * points[:, 1] / away)
    assert found[:, 2] == pytest.approx(1.0 / away)
    assert camera.on_screen(np.array([0.0, 0.0, 11.0]), (200, 100))[2] < 0.0, "behind the eye"
    assert np.isfinite(camera.on_screen(EYE, (200, 100))).all()


def test_the_edge_of_the_picture_is_at_the_angle_of_view():
    camera = Camera(EYE, np.eye(3), 0.5)
    assert camera.on_screen(np.array([0.0, 5.0, 0.0]), (200, 100))[1] == pytest.approx(0.0)


def test_meshes_are_moved_with_their_normals_and_have_a_colour_for_each_triangle():
    scene = RenderScene()
    vertices, faces = np.eye(3), np.array([[0, 1, 2], [2, 1, 0]])
    turn = np.array([[0.0, -1, 0, 5], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    scene.add((vertices, faces), np.array([(1, 0, 0), (0, 1, 0)]))
    scene.add((vertices, faces), (0.5, 0.5, 0.5), turn)
    corners, normals, colours = scene.arrays()
    assert corners.shape == normals.shape == (4, 3, 3)
    assert corners[2] == pytest.approx(vertices @ turn[:3, :3].T + [5, 0, 0])
    assert normals[2] == pytest.approx(normals[0] @ turn[:3, :3].T)
    assert colours.tolist() == [[1, 0, 0], [0, 1, 0], [0.5] * 3, [0.5] * 3]


def test_a_board_covers_its_squares_in_turn():
    scene = RenderScene()
    scene.add_board(2.0, 3, (1, 1, 1), (0, 0, 0))
    corners, _, colours = scene.arrays()
    top = corners[:18]
    area = 0.5 * np.linalg.norm(np.cross(top[:, 1] - top[:, 0], top[:, 2] - top[:, 0]), axis=1)
    assert area.sum() == pytest.approx(36.0)
    assert colours[:18].mean() == pytest.approx(4.0 / 9.0), "four of nine are light"


def test_an_empty_scene_has_empty_arrays():
    assert [a.shape for a in RenderScene().arrays()] == [(0, 3, 3), (0, 3, 3), (0, 3)]


def test_a_png_file_holds_its_pixels(tmp_path):
    rng = np.random.default_rng(2)
    image = rng.uniform(-0.2, 1.2, (5, 7, 3))
    write_png(tmp_path / "a.png", image)
    data = (tmp_path / "a.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, body = 8, b""
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        kind, chunk = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert int.from_bytes(data[at + 8 + size : at + 12 + size], "big") == zlib.crc32(kind + chunk)
        body += chunk if kind == b"IDAT" else b""
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(5, 22)
    assert (rows[:, 0] == 0).all()
    assert (rows[:, 1:].reshape(5, 7, 3) == np.round(255 * image.clip(0, 1))).all()
