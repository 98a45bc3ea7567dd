"""The pairs of a field are those that threads look at, with their margins and charts."""

import math

import numpy as np

from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.queries.devices import STRIDE, charted, field
from tocsin.queries.edges import Points
from tocsin.wavefront.field import Field, blank, field_of
from wavefront.cells import CELLS, arm


def tables_of(scene, model, Q0, Q1, margin=0.0, tolerance=-1.0):
    points = Points(scene.context, model, {"Q0": Q0, "Q1": Q1})
    return field(scene.context, points.standing()[0], margin, tolerance)


def test_ignored_pairs_are_left_out_and_others_have_their_own_margins():
    scene, robot, Q0, Q1 = CELLS["carrying"]()
    tables = tables_of(scene, robot, Q0, Q1, margin=0.01)
    world = scene.context.tables()
    named = {
        tuple(sorted(scene.context.name_of(world, couple[side])[1] for side in "ab")): float(couple["margin"])
        for couple in tables.couples
    }
    assert ("hand", "post") not in named
    assert ("hand", "part") not in named
    assert named["part", "wall"] == 0.05
    assert named["post", "upper"] == 0.01
    assert np.isfinite(tables.couples["margin"]).all()


def test_a_tolerance_below_what_a_chart_is_clear_by_does_without_it():
    scene, robot, Q0, Q1 = arm()
    tables = tables_of(scene, robot, Q0, Q1)
    assert (tables.couples["chart"] >= 0).any()
    for couple in tables.couples[tables.couples["chart"] >= 0]:
        assert couple["margin"] + couple["tolerance"] <= tables.charts[couple["chart"]]["clear"]
    assert math.isfinite(tables.stride[0])


def test_a_margin_beyond_what_a_chart_is_clear_by_does_without_it():
    """Charts of another margin: they prove nothing about pairs that have to stay farther apart."""
    scene, robot, Q0, Q1 = arm()
    standing = Points(scene.context, robot, {"Q0": Q0, "Q1": Q1}).standing()
    world, buffers = charted(scene.context, 0, 0.0, -1.0), scene.context.ready(standing, 0.0, -1.0)[2].buffers
    near, far = (field_of(world, buffers, 0, margin, -1.0, RELATIVE_TOLERANCE, STRIDE) for margin in (0.0, 0.01))
    assert (near.couples["chart"] >= 0).any()
    assert (far.couples["chart"] < 0).all()


def test_a_field_with_nothing_in_it_has_the_types_of_all():
    tables = tables_of(*arm())
    for name, empty, array in zip(Field._fields, blank(), tables):
        assert (empty.dtype, empty.ndim) == (array.dtype, array.ndim), name
