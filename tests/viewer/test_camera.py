"""Where to look from: every point is in view, as near as can be, and nothing hides the contact."""

import math

import numpy as np
import pytest

from tocsin.viewer.camera import View, _hidden, extremes, look


def test_a_frame_is_orthonormal_with_z_upwards():
    rng = np.random.default_rng(1)
    for back in rng.normal(size=(50, 3)):
        frame = look(back / np.linalg.norm(back))
        assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-12)
        assert np.linalg.det(frame) == pytest.approx(1.0)
        assert frame[0, 2] == pytest.approx(0.0), "the horizon is level"
        assert frame[1, 2] > 0.0


def test_all_points_are_in_view_and_the_eye_could_not_be_nearer():
    rng = np.random.default_rng(2)
    wide, high = 0.8, 0.5
    for _ in range(30):
        focus = rng.normal(size=(20, 3)) * rng.uniform(0.1, 10.0, 3)
        view = View(float(rng.uniform(-3, 3)), float(rng.uniform(-1.0, 1.0)), focus)
        eye = view.eye(wide, high)
        p = (focus - eye) @ view.frame.T
        assert (p[:, 2] < 0.0).all(), "in front of the eye"
        used = max((np.abs(p[:, 0]) / (-p[:, 2] * wide)).max(), (np.abs(p[:, 1]) / (-p[:, 2] * high)).max())
        assert used == pytest.approx(1.0, rel=1e-9)


def test_the_eye_is_where_its_angles_say():
    view = View(math.radians(90.0), 0.0, np.zeros((1, 3)))
    assert view.back == pytest.approx(np.array([0.0, 1.0, 0.0]), abs=1e-12)


def test_the_extremes_of_a_cloud_reach_as_far_as_the_cloud():
    rng = np.random.default_rng(3)
    cloud = rng.normal(size=(5000, 3))
    few = extremes(cloud)
    assert len(few) <= 200
    n = rng.normal(size=(100, 3))
    assert ((few @ n.T).max(axis=0) >= 0.9 * (cloud @ n.T).max(axis=0)).all()
    assert extremes(cloud[:200]) is not None
    assert len(extremes(cloud[:150])) == 150


def test_a_triangle_hides_what_is_behind_it_and_nothing_else():
    triangle = np.array([[(-1.0, -1.0, 1.0), (2.0, -1.0, 1.0), (-1.0, 2.0, 1.0)]])
    up = np.array([0.0, 0.0, 1.0])
    assert _hidden(triangle, np.zeros(3), up)
    assert not _hidden(triangle, np.array([0.0, 0.0, 2.0]), up), "it is behind the point"
    assert not _hidden(triangle, np.array([3.0, 3.0, 0.0]), up), "beside it"
    assert not _hidden(triangle, np.zeros(3), np.array([1.0, 0.0, 0.0])), "edge-on"
    assert not _hidden(np.zeros((0, 3, 3)), np.zeros(3), up)
