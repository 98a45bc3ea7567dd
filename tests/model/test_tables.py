"""The tables of a scene: what their records point to is there, and is what the shape has."""

import numpy as np
import pytest

import tocsin
from tocsin.compiler.jit import borrowed
from tocsin.model.tables import CONVEX, GEOM, MESH, MODEL, SELF, World

pytestmark = pytest.mark.pure


def scene(backend):
    arm = tocsin.RobotBuilder("arm").link("base", tocsin.Box((0.2, 0.2, 0.1)))
    arm = arm.link("upper", tocsin.Capsule(0.05, 0.4), parent="base", joint="revolute", axis=(0, 1, 0))
    crate = tocsin.Body(tocsin.Box((1, 2, 3)).tessellate(), (5, 0, 0), name="crate")
    twin = tocsin.Body(tocsin.Box((1, 2, 3)).tessellate(), (9, 0, 0), name="twin")
    return tocsin.Scene(arm.build(), crate, twin, backend=backend)


@pytest.mark.parametrize("backend", ["triangles", "hulls"])
def test_every_record_points_into_the_tables(backend):
    asked = scene(backend)
    world = asked.context.tables()
    assert (world.geoms.dtype, world.models.dtype, world.selves.dtype) == (GEOM, MODEL, SELF)
    shapes = [shape for model in asked.models for held in model.shapes for shape in held]
    for geom, shape in zip(world.geoms, shapes, strict=True):
        assert geom["kind"] == (MESH if shape.is_mesh else CONVEX)
        proxy = world.points[geom["proxy"] : geom["proxy"] + geom["proxy_count"]]
        assert (proxy == shape.proxy).all()
        own = world.points[geom["proxy"] - geom["points"] : geom["proxy"]]
        assert (own == shape.points).all()
        faces = world.faces[geom["face"] : geom["face"] + geom["faces"]]
        assert (world.points[faces] == shape.points[shape.faces]).all()
        samples = world.points[geom["sample"] : geom["sample"] + geom["samples"]]
        assert (samples == shape.samples).all()
        assert 0 <= geom["root"] < len(world.nodes)
    assert len(world.hull_first) == (len(world.nodes) if backend == "hulls" else 0)


def test_what_is_the_same_shape_is_there_once():
    one = tocsin.Box((1, 2, 3)).tessellate()
    shared = tocsin.Scene(tocsin.Body(one, name="a"), tocsin.Body(one, (9, 0, 0), name="b")).context.tables()
    assert shared.geoms["root"][0] == shared.geoms["root"][1]
    assert len(shared.faces) == len(one.faces)


def test_borrowed_tables_are_the_same_arrays():
    world = scene("triangles").context.tables()
    for name, given, taken in zip(World._fields, world, borrowed(world), strict=True):
        assert taken.dtype == given.dtype, name
        assert np.shares_memory(taken, given) or given.size == 0, name
