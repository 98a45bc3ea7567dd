"""Patches and cells are the same on any number of cores."""

import numpy as np
import pytest

from tocsin.compiler import threads
from tocsin.geometry.support_building import build_support_patches
from tocsin.geometry.tree_building import LARGE, build_tree, build_triangles

from .test_support_patches import soup


@pytest.mark.parametrize("cores", [1, 3])
def test_trees_and_patches_have_the_same_bits_on_any_number_of_cores(cores, monkeypatch):
    points, faces = soup(LARGE, 12)
    faces = faces.astype(np.int32)
    nodes = build_triangles(points, faces)
    patches = build_support_patches(nodes, points, faces)
    monkeypatch.setattr(threads, "cores", lambda: cores)
    assert build_tree(points, faces).tobytes() == nodes.tobytes()
    again = build_support_patches(nodes, points, faces)
    assert [a.tobytes() for a in again] == [a.tobytes() for a in patches]
