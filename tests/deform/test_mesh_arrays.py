"""Deformable models as kernels see them: every array under its own name, and pairs that can be turned round."""

from types import SimpleNamespace

import numpy as np
import pytest

from plain import PLAIN
from tocsin.deform.mesh_arrays import (
    BOX,
    MEASURES,
    MESH,
    REACH,
    SIZE,
    FittedMesh,
    MeshArrays,
    MeshPair,
    culling_margin,
    fitted_mesh,
    largest_coordinate,
    local_pair,
    mesh_at,
    pair_at,
    swapped,
)  # fmt: skip

pytestmark = PLAIN


def mesh(seed):
    """Arrays of the right kinds, each filled with a number of its own."""
    parts = []
    for k, (kind, dimensions) in enumerate(MESH.fields):
        shape = (MEASURES,) if k == len(MESH.fields) - 1 else (2,) * dimensions
        parts.append(np.full(shape, (seed + k) % 2 if kind == np.bool_ else seed + k, kind))
    return fitted_mesh(MeshArrays(*parts))


def test_a_mesh_comes_back_from_its_table_field_by_field():
    one = mesh(3)
    back = mesh_at(one.addresses)
    for name in MeshArrays._fields:
        assert np.array_equal(getattr(back, name), getattr(one.arrays, name)), name


def test_an_array_of_another_kind_is_refused():
    one = mesh(3).arrays
    with pytest.raises(AssertionError, match="octets"):
        fitted_mesh(one._replace(octets=one.octets.astype(float)))


def test_what_was_measured_is_read_by_name():
    one = mesh(0)
    one.arrays.measures[:] = np.arange(MEASURES)
    assert one.size == SIZE
    assert one.box == list(range(BOX, MEASURES))
    assert isinstance(one, FittedMesh)


def test_a_pair_for_kernels_has_both_meshes_and_can_be_turned_round():
    pair = MeshPair(mesh(1), mesh(2), False, 0.25, 0.5, True)
    seen = local_pair(pair_at(pair.for_kernels()))
    assert seen.a.start[0] == 2
    assert seen.b.start[0] == 3
    assert seen[2:] == (False, 0.25, 0.5, True)
    back = swapped(seen)
    assert back.a is seen.b
    assert back.b is seen.a


def test_what_is_left_out_is_beyond_margin_and_tolerance_of_both():
    pair = SimpleNamespace(margin=0.1, tolerance=0.2, a=mesh(1).arrays, b=mesh(2).arrays)
    assert culling_margin(pair) >= 0.1 + 0.2
    assert culling_margin(pair) == pytest.approx(0.3)
    pair.a.measures[REACH], pair.b.measures[REACH] = 3.0, 7.0
    assert largest_coordinate(pair) == 7.0
