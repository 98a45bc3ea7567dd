"""A height field is a closed solid whose top is where its heights are."""

import numpy as np
import pytest

from tocsin.geometry.height_field import height_field

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (6, 2)])
def test_the_surface_is_closed_and_holds_its_volume(shape):
    rng = np.random.default_rng(1)
    heights = rng.uniform(0.0, 1.0, shape)
    x, y = np.arange(shape[1]) * 0.5, np.arange(shape[0]) * 2.0
    mesh = height_field(x, y, heights, -1.0)
    assert mesh.report.is_closed
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0
    # Each cell is two triangles of base 0.5: the mean of three corners, cut along the diagonal from the first corner.
    p, q, r, s = heights[:-1, :-1], heights[:-1, 1:], heights[1:, 1:], heights[1:, :-1]
    assert volume == pytest.approx(0.5 * ((p + q + r) / 3 + (p + r + s) / 3 + 2.0).sum())
    top = mesh.vertices[: heights.size].reshape(*shape, 3)
    np.testing.assert_array_equal(top[..., 2], heights)
    np.testing.assert_array_equal(top[0, :, 0], x)
    np.testing.assert_array_equal(top[:, 0, 1], y)
