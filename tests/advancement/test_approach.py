"""When hulls are opened and when the triangles at their closest points are looked at; steps are in `test_hulls`."""

import math

import numpy as np

from plain import PLAIN
from tocsin.advancement.approach import how_near, triangle_size
from tocsin.advancement.hulls import BRIDGE, NEAR_BRIDGE, NEAR_ENOUGH, WITHIN_REACH
from tocsin.broad_phase.pairs import PAIR
from tocsin.model.tables import GEOM

pytestmark = PLAIN


def pair_with(extent, tolerance):
    """Return two meshes of triangles about 0.1 long and a pair whose closest features are so long."""
    geoms, pair = np.zeros(2, GEOM), np.zeros(1, PAIR)[0]
    geoms["diagonal"], geoms["faces"] = 1.0, 100
    pair["b"], pair["tolerance"], pair["vertices"] = 1, tolerance, 2
    pair["simplex"][1, 3] = extent
    return geoms, pair


def test_the_size_of_a_triangle_is_that_of_equal_ones():
    geoms, _ = pair_with(0.0, 0.0)
    assert math.isclose(triangle_size(geoms[0]), 0.1)


def test_bridges_are_opened_sooner_and_their_triangles_not_shown():
    geoms, pair = pair_with(2.0 * BRIDGE * 0.1, 1e-6)
    few, limit = how_near(geoms, pair, 1e-4, False)
    assert few == NEAR_BRIDGE * 2.0 * BRIDGE * 0.1
    assert limit == 0.0
    geoms, pair = pair_with(0.1, 1e-6)
    few, limit = how_near(geoms, pair, 1e-4, False)
    assert few == NEAR_ENOUGH * 0.1
    assert limit == 0.5e-6


def test_triangles_are_shown_within_reach_or_to_the_eager():
    geoms, pair = pair_with(0.1, 1e-6)
    assert how_near(geoms, pair, 2.0 * WITHIN_REACH * 0.1, False)[1] == 0.0
    assert how_near(geoms, pair, 2.0 * WITHIN_REACH * 0.1, True)[1] == 0.05 * triangle_size(geoms[0])
    pair["vertices"] = 0
    assert how_near(geoms, pair, 1e-9, True)[1] == 0.0, "no closest points are known"


def test_a_tolerance_is_never_smaller_than_what_is_opened():
    geoms, pair = pair_with(1e-9, 0.01)
    assert how_near(geoms, pair, 1.0, False)[0] == 0.02
