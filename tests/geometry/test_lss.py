"""Line-swept spheres find their segment. That every point is contained: test_boxes_and_spheres."""

import math

import numpy as np
import pytest

from tocsin.geometry.lss import fit_lss


def test_a_swept_sphere_finds_its_segment():
    rng = np.random.default_rng(2)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    direction = rng.normal(size=(4000, 3))
    surface = 0.3 * direction / np.linalg.norm(direction, axis=1)[:, None]
    surface[:, 2] += np.where(rng.random(4000) < 0.5, -1.0, 1.0)
    p0, p1, radius = fit_lss(surface @ turn)
    assert radius == pytest.approx(0.3, rel=0.02)
    assert math.dist(p0, p1) == pytest.approx(2.0, rel=0.02)
    middle, ball, r = fit_lss(direction / np.linalg.norm(direction, axis=1)[:, None])
    assert math.dist(middle, ball) < 0.05
    assert r == pytest.approx(1.0, rel=0.02)
