"""COLLADA files: units become metres, axes stay, and no tree is made of what is refused."""

import numpy as np
import pytest
from mesh_files import dae, write

from tocsin import Mesh, TocsinError
from tocsin.io.meshfile_dae import DEEPEST, read_dae

HOLED = (
    b'<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><ph><p>0 1 2</p><h>0 1 3</h></ph></polygons>'
)


@pytest.mark.parametrize("up", ["X_UP", "Y_UP", "Z_UP"])
def test_dae_axes_are_those_of_the_file_and_units_become_metres(tmp_path, up):
    mesh = Mesh.load(write(tmp_path, "inches.dae", dae(unit="0.0254", up=up)))
    assert np.allclose(mesh.vertices.max(axis=0), np.array([11.0, 2.0, 3.0]) * 0.0254, rtol=1e-15)


@pytest.mark.parametrize("up", ["X_UP", "Y_UP", "Z_UP"])
def test_dae_placement_and_axes_are_those_of_pinocchio(tmp_path, up):
    coal = pytest.importorskip("coal")
    path = write(tmp_path, "metres.dae", dae(up=up))
    other = np.asarray(coal.MeshLoader().load(str(path), np.ones(3)).vertices())
    mesh = Mesh.load(path)
    assert np.allclose(mesh.vertices.min(axis=0), other.min(axis=0))
    assert np.allclose(mesh.vertices.max(axis=0), other.max(axis=0))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"solid", "not XML"),
        (b"<COLLADA", "not XML"),
        (b"<robot/>", "its root is <robot>"),
        (dae(doctype="<!DOCTYPE x>"), "document type"),
        (b"<a>" * (DEEPEST + 1), "nested more than"),
        (dae(unit="0"), "positive number of metres"),
        (dae(unit="nan"), "positive number of metres"),
        (dae(instance='<instance_geometry url="#none"/>'), "'none' that is not there"),
        (dae(instance='<instance_controller url="#tetra"/>'), "skinned"),
        (dae(instance=""), "no scene that places a geometry"),
        (dae(instance='<instance_node url="#n"/>'), "contains itself"),
        (dae().replace(b"0 0 0 1 0 0", b"nan 0 0 1 0 0"), "must be finite"),
        (dae().replace(b"</triangles>", b"</triangles>" + HOLED), "polygon with holes"),
    ],
)
def test_what_is_refused_is_refused_in_a_sentence(data, says):
    with pytest.raises(TocsinError, match=says):
        read_dae(data)


def test_a_node_that_is_placed_twice_is_two_parts():
    nodes = '<node id="m"><instance_geometry url="#tetra"/></node>'
    twice = '<instance_node url="#m"/><node><translate>0 5 0</translate><instance_node url="#m"/></node>'
    parts = read_dae(dae(nodes=nodes, instance=twice))
    assert sorted(part.transform[1, 3] for part in parts) == [0.0, 5.0]
