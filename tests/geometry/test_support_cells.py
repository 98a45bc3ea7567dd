"""No cell leaves out what is farthest along one of its directions."""

import numpy as np
import pytest

from tocsin.geometry.support_patches import CELL, COUNT, GRID, PLACE
from tocsin.geometry.support_table import ROW, cell_of

from .test_support_patches import Laid, ring, soup, sphere


def listed(patches, node, cell):
    """Return the patches that a cell of a node names, counted from the first of all."""
    place, first = int(patches.spans[node, PLACE]), int(patches.spans[node, CELL]) + cell
    size = int(patches.cells[first, 0])
    if size < ROW:
        return {place + int(p) for p in patches.cells[first, 1 : 1 + size]}
    return {place + int(p) for p in patches.cells[first + int(patches.cells[first, 1]) :].ravel()[:size]}


@pytest.mark.parametrize("mesh", [soup(1500, 13), sphere(4), ring(500)])
def test_no_cell_leaves_out_a_corner_that_is_farthest_at_one_of_its_directions(mesh):
    """Against all corners, at directions all over each cell of some nodes: what it names reaches as far."""
    laid = Laid(mesh)
    spans, corners = laid.patches.spans, laid.patches.corners.transpose(0, 2, 1).reshape(-1, 16, 3).astype(np.float64)
    rng = np.random.default_rng(14)
    for node in np.flatnonzero(spans[:, GRID] > 0)[:3]:
        grid, own = int(spans[node, GRID]), slice(spans[node, PLACE], spans[node, PLACE] + spans[node, COUNT])
        for _ in range(300):
            d = rng.normal(size=3)
            named = corners[sorted(listed(laid.patches, node, cell_of(*d, grid)))]
            assert (named @ d).max() >= (corners[own] @ d).max() - 2.0**-44 * np.abs(corners).max()
