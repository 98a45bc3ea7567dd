"""The tables of the screen hold a shape that many bodies carry once."""

import numpy as np
import pytest

import tocsin
from tocsin.model.world import assemble
from tocsin.screen.exact_ask import tables_of
from tocsin.screen.tables import lay_out

MESH = tocsin.Box((1.0, 1.0, 1.0)).tessellate()


def surfaces(*bodies):
    return lay_out(bodies, assemble(list(bodies), {}))


@pytest.mark.pure
def test_a_mesh_that_many_bodies_carry_is_there_once():
    one = surfaces(tocsin.Body(MESH, name="a"))
    many = surfaces(*[tocsin.Body(MESH, name=f"b{k}") for k in range(5)])
    assert [len(table) for table in many[1:]] == [len(table) for table in one[1:]]
    assert many.table["link"].tolist() == list(range(5))
    for name in many.table.dtype.names:
        if name != "link":
            assert (many.table[name] == one.table[name]).all()


@pytest.mark.pure
def test_one_that_is_placed_otherwise_has_tables_of_its_own():
    here, there = tocsin.Body(MESH, name="a"), tocsin.Body([(MESH, (0.0, 0.0, 2.0))], name="b")
    both = surfaces(here, there)
    assert len(both.faces) == 2 * len(surfaces(here).faces)
    assert np.allclose(both.table["center"], [[0, 0, 0], [0, 0, 2]])


def test_contacts_are_those_of_meshes_that_are_not_shared():
    told = []
    for meshes in ([MESH] * 3, [tocsin.Box((1.0, 1.0, 1.0)).tessellate() for _ in range(3)]):
        bodies = [tocsin.Body(mesh, (1.5 * k, 0.1 * k, 0.2 * k), name=f"b{k}") for k, mesh in enumerate(meshes)]
        found = tocsin.Scene(*bodies).contacts(bodies[0].move((0, 0, 0), (4, 0, 0)))
        told.append([(c.time, c.point.tolist(), c.link_a, c.link_b, c.features) for c in found])
    assert told[0] == told[1]
    assert len(told[0]) > 4


def shared_and_not():
    """Two bodies that carry one mesh, each as a shape of its own, and a third with another."""
    small = tocsin.Box((0.5, 0.25, 0.5)).tessellate()
    return [tocsin.Body(mesh, (1.5 * k, 0.1 * k, 0.0), name=f"b{k}") for k, mesh in enumerate((MESH, MESH, small))]


@pytest.mark.pure
def test_exact_lists_number_features_as_the_screen_does():
    """What the one finds is looked up in the other: two numberings once differed, and were read beyond their end."""
    bodies = shared_and_not()
    drawn = surfaces(*bodies)
    exact = tables_of(bodies, drawn)
    leaves = exact.nodes["count"] > 0
    assert len(exact.faces) == leaves.sum() == 24
    for row, first in zip(drawn.table, exact.shapes["face"]):
        own = slice(first, first + 12)
        for numbers, name in ((exact.corner, "corner"), (exact.edge, "edge"), (exact.flat, "face")):
            found = np.unique(numbers[own][numbers[own] >= 0])
            assert found.min() >= row[name]
            assert found.max() < row[name] + row[name + "s"]


def test_exact_contacts_of_a_mesh_that_two_bodies_carry_are_those_of_two_meshes():
    apart = shared_and_not()
    for k, body in enumerate(shared_and_not()):
        shape = body.shapes[0][0]
        apart[k] = tocsin.Body(tocsin.Mesh(shape.points, shape.faces), (1.5 * k, 0.1 * k, 0.0), name=body.name)
    told = []
    for bodies in (shared_and_not(), apart):
        found = tocsin.Scene(*bodies).contacts(bodies[0].move((0, 0, 0), (4, 0.25, 0)), exact=True)
        told.append([(c.time, c.point.tolist(), c.kind, c.features) for c in found])
    assert told[0] == told[1]
    assert len(told[0]) > 4
