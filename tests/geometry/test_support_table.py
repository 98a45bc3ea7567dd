"""Directions and their cells: each lies in one, whose corners are around it."""

import numpy as np
import pytest

from plain import PLAIN
from tocsin.geometry.support_table import FINEST, cell_of, grid_of

pytestmark = PLAIN

AXES = {0: (0, 1), 1: (0, -1), 2: (1, 1), 3: (1, -1), 4: (2, 1), 5: (2, -1)}
"""Face of the cube -> its axis and side."""


@pytest.mark.parametrize("grid", [4, 8, 32])
def test_a_direction_lies_within_the_corners_of_its_cell(grid):
    rng = np.random.default_rng(grid)
    special = [(1.0, 0.0, 0.0), (-1.0, 1.0, 1.0), (0.0, -1.0, 1.0), (1.0, 1.0, -1.0), (0.25, 0.5, -1.0)]
    for d in [*rng.normal(size=(200, 3)), *np.array(special)]:
        cell = cell_of(*map(float, d), grid)
        face, i, k = cell // (grid * grid), cell // grid % grid, cell % grid
        axis, side = AXES[face]
        m = d[axis] * side
        assert m == np.abs(d).max()
        u, v = d[(axis + 1) % 3] / m, d[(axis + 2) % 3] / m
        for x, at in ((u, i), (v, k)):
            assert 2.0 * at / grid - 1.0 - 1e-15 <= x <= 2.0 * (at + 1) / grid - 1.0 + 1e-15


def test_no_direction_is_cell_zero():
    assert cell_of(0.0, 0.0, 0.0, 8) == 0


def test_there_are_about_as_many_cells_as_patches_within_bounds():
    grids = [grid_of(n) for n in (1, 96, 97, 1000, 10**9)]
    assert grids == sorted(grids)
    assert grids[0] == grids[1] == 4
    assert grids[2] == 8
    assert grids[-1] == 2**FINEST
