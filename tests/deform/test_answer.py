"""Answers about deformable models in words: closest points by brute force, crossings on both, times of triangles."""

import numpy as np
import pytest

import tocsin
from tocsin.deform.answer import _closest_on, _crossing, closest_points


@pytest.mark.pure
def test_the_closest_points_of_features_are_those_of_dense_samples():
    rng = np.random.default_rng(1)
    for vertex_first in (True, False):
        for _ in range(20):
            a, b, c, d = rng.normal(size=(4, 3))
            out = np.zeros((2, 3))
            closest_points(vertex_first, *map(tuple, (a, b, c, d)), out)
            if vertex_first:
                some = np.concatenate([np.eye(3), rng.dirichlet([1, 1, 1], 4000)]) @ np.array([b, c, d])
                best = np.linalg.norm(some - a, axis=1).min()
                assert out[0] == pytest.approx(a)
            else:
                s = np.linspace(0, 1, 80)[:, None]
                on_a, on_b = a + s * (b - a), c + s * (d - c)
                best = np.linalg.norm(on_a[:, None] - on_b[None], axis=2).min()
            found = np.linalg.norm(out[1] - out[0])
            assert found <= best + 1e-9
            assert found >= best - 0.1


def test_the_nearest_point_of_a_vertex_an_edge_and_a_face():
    point = np.array([0.5, 2.0, 1.0])
    assert _closest_on(np.zeros((1, 3)), point).tolist() == [0, 0, 0]
    assert _closest_on(np.array([(0.0, 0, 0), (1, 0, 0)]), point).tolist() == [0.5, 0, 0]
    face = np.array([(-5.0, -5, 0), (5, -5, 0), (0, 9, 0)])
    assert _closest_on(face, point) == pytest.approx([0.5, 2.0, 0.0])


def test_an_edge_goes_through_a_face_at_a_point_of_both():
    rng = np.random.default_rng(2)
    face = rng.normal(size=(3, 3))
    normal = np.cross(face[1] - face[0], face[2] - face[0])
    at = np.array([0.2, 0.3, 0.5]) @ face
    edge = np.array([at - 0.3 * normal, at + 0.9 * normal])
    assert _crossing(edge, face) == pytest.approx(at)


@pytest.fixture(scope="module")
def asked():
    cloth = tocsin.Deformable(np.array([(0.0, 0, 1), (1, 0, 1), (0, 1, 1), (9, 9, 1), (9, 8, 1), (8, 9, 1)]),
                              [(0, 1, 2), (3, 4, 5)], name="cloth")  # fmt: skip
    spike = tocsin.Body((np.array([(0.2, 0.2, 0), (0.3, 0.2, -1), (0.2, 0.3, -1)]), [(0, 1, 2)]), name="spike")
    scene = tocsin.Scene(cloth, spike)
    return scene, cloth.move(cloth.vertices, cloth.vertices - [0, 0, 2])


def test_a_vertex_that_meets_a_face_is_named_with_both(asked):
    scene, motion = asked
    hit = scene.first_contact(motion, tolerance=1e-6)
    assert hit.time == pytest.approx(0.5, abs=1e-6)
    contact = hit.contacts[0]
    assert contact.kind == "face-vertex"
    assert contact.features == ((0, 1, 2), (0,))
    assert contact.point_b == pytest.approx([0.2, 0.2, 0.0], abs=1e-5)
    assert hit.complete
    assert hit.stats.steps >= 1


def test_every_pair_has_its_own_time_and_every_triangle_its_first(asked):
    scene, motion = asked
    every = scene.contacts(motion, every="pair", tolerance=1e-6)
    assert every.times[0] == pytest.approx(0.5, abs=1e-6)
    assert (np.diff(every.times) >= 0.0).all()
    times = scene.contacts(motion, every="triangle", tolerance=1e-6)["cloth"]
    assert times[0] == every.times[0]
    assert times[1] == np.inf
