"""Deformable models in the live viewer: vertices go where the sheet is, and what has touched changes its layer once."""

from types import SimpleNamespace

import numpy as np

from tocsin.viewer.fabric import Fabric, Layer
from tocsin.viewer.sheets import Sheet


class Scene:
    """What of viser is used, writing down what it is told."""

    def __init__(self):
        self.meshes = {}

    def add_mesh_simple(self, path, vertices, faces, **how):
        self.meshes[path] = SimpleNamespace(vertices=vertices, faces=faces, visible=True, how=how)
        return self.meshes[path]


def sheet(moves=1.0):
    vertices = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])
    frames = np.stack([vertices, vertices + [0, 0, moves]])
    faces = np.array([(0, 1, 2), (1, 3, 2)])
    first = np.array([np.inf, 0.5])
    return Sheet("cloth", faces, faces, np.zeros(2, np.int64), np.array([0.0, 1.0]), frames, first)


def test_a_layer_has_just_the_vertices_of_its_triangles():
    scene, cloth = Scene(), sheet()
    layer = Layer(scene, "/x", cloth, (1.0, 0.0, 0.0), cloth.faces[1:])
    mesh = scene.meshes["/x"]
    assert mesh.vertices[mesh.faces].tolist() == cloth.frames[0][cloth.faces[1:]].tolist()
    assert len(mesh.vertices) == 3
    layer.move(cloth.frames[1])
    assert mesh.vertices[:, 2].tolist() == [1, 1, 1]
    layer.show(cloth.faces[:0])
    assert not mesh.visible
    layer.move(cloth.frames[0])
    assert mesh.vertices[:, 2].tolist() == [1, 1, 1], "what is not seen is not sent"


def test_a_film_without_deformable_models_has_nothing_to_move():
    fabric = Fabric(Scene(), SimpleNamespace(sheets=[], size=1.0))
    fabric.move(0.5)
    assert fabric.ghosts == []


def test_what_has_touched_by_then_is_painted_and_moved_and_back_again():
    scene = Scene()
    fabric = Fabric(scene, SimpleNamespace(sheets=[sheet()], size=1.0))
    plain, painted = scene.meshes["/sheets/0/0"], scene.meshes["/sheets/0/touched"]
    fabric.move(0.25)
    assert not painted.visible
    assert len(plain.faces) == 2
    fabric.move(0.75)
    assert painted.visible
    assert len(plain.faces) == 1
    assert painted.vertices[:, 2].tolist() == [0.75] * 3
    fabric.move(0.0)
    assert not painted.visible
    assert len(fabric.ghosts) == 2, "it moves, so its start and its end are shown"


def test_a_sheet_that_stands_has_no_ghosts():
    assert Fabric(Scene(), SimpleNamespace(sheets=[sheet(moves=1e-3)], size=1.0)).ghosts == []
