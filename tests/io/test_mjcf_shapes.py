"""Geoms of a compiled MuJoCo model as shapes, against MuJoCo's own sizes and frames."""

import numpy as np
import pytest

import tocsin
from tocsin import TocsinError
from tocsin.io.mjcf_shapes import geom_shape
from tocsin.io.shapes import PLANE_SIDE

mujoco = pytest.importorskip("mujoco")


def geom(attributes, assets="", meshes="hulls"):
    text = f"<mujoco><asset>{assets}</asset><worldbody><geom {attributes}/></worldbody></mujoco>"
    return geom_shape(mujoco.MjModel.from_xml_string(text), 0, meshes)


@pytest.mark.parametrize(
    ("attributes", "shape"),
    [
        ("type='sphere' size='.3'", tocsin.Sphere(0.3)),
        ("type='capsule' size='.1 .4'", tocsin.Capsule(0.1, 0.8)),
        ("type='cylinder' size='.1 .4'", tocsin.Cylinder(0.1, 0.8)),
        ("type='box' size='.1 .2 .3'", tocsin.Box((0.2, 0.4, 0.6))),
        ("type='ellipsoid' size='.2 .2 .2'", tocsin.Sphere(0.2)),
    ],
)
def test_sizes_are_whole_and_not_halves(attributes, shape):
    assert geom(attributes)[0] == shape


def test_a_geom_stands_where_mujoco_puts_it():
    _, place = geom("type='box' size='1 1 1' pos='1 2 3' axisangle='0 0 1 90'")
    assert place == pytest.approx(np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], float), abs=1e-12)


def test_a_plane_is_a_box_below_it():
    box, place = geom("type='plane' size='1 1 1' pos='0 0 2'")
    assert place[2, 3] + 0.5 * box.size[2] == pytest.approx(2.0)
    assert box.size[0] == PLANE_SIDE


def test_an_ellipsoid_is_inside_its_polytope_which_is_close():
    hull, _ = geom("type='ellipsoid' size='.1 .2 .3'")
    rng = np.random.default_rng(1)
    n = rng.normal(size=(500, 3))
    support = np.linalg.norm(n * [0.1, 0.2, 0.3], axis=1)
    reached = (n @ np.asarray(hull.points).T).max(axis=1)
    assert (reached >= support).all()
    assert (reached <= 1.01 * support).all()


MESH = "<mesh name='m' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/>"


def test_a_mesh_is_its_hull_or_its_triangles_as_asked():
    hull, _ = geom("type='mesh' mesh='m'", MESH)
    assert isinstance(hull, tocsin.ConvexHull)
    mesh, _ = geom("type='mesh' mesh='m'", MESH, "surfaces")
    assert isinstance(mesh, tocsin.Mesh)
    assert len(mesh.faces) == 4


def test_a_height_field_is_a_closed_solid_as_high_as_it_says():
    shape = geom(
        "type='hfield' hfield='h'", "<hfield name='h' nrow='2' ncol='2' size='1 1 .5 .25' elevation='0 0 1 1'/>"
    )
    points = shape.points
    assert shape.solid
    assert points[:, 2].max() == pytest.approx(0.5)
    assert points[:, 2].min() == pytest.approx(-0.25)


def test_a_kind_that_is_not_known_is_refused_by_name():
    model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom name='odd' size='1'/></worldbody></mujoco>")
    model.geom_type[0] = 8
    with pytest.raises(TocsinError, match="odd"):
        geom_shape(model, 0, "hulls")
