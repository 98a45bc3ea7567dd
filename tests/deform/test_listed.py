"""Corners of eight listed pairs at once: those of the tables, in kernels as on arrays."""

import numpy as np
import pytest

from tocsin.compiler.jit import kernel
from tocsin.deform.listed import listed_corner
from tocsin.deform.signs import negatives
from tocsin.simd.lanes import SINGLES

pytestmark = pytest.mark.pure


@kernel
def signs_of(table, corners, pairs, p, side, c):
    columns = listed_corner(table, corners, pairs, p, side, c)
    return negatives(columns[0]), negatives(columns[3]), negatives(columns[7])


@pytest.mark.parametrize("seed", range(5))
def test_the_columns_are_those_of_the_corners_of_the_listed_elements(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(50, 8)).astype(np.float32)
    corners = rng.integers(0, 50, (30, 3)).astype(np.int32)
    pairs = rng.integers(0, 30, (40, 2)).astype(np.int32)
    for p in (0, 5, 32):
        for side in (0, 1):
            for c in range(3):
                chosen = [table[corners[pairs[p + k, side], c]] for k in range(SINGLES)]
                truth = tuple(sum(1 << k for k, row in enumerate(chosen) if row[j] < 0) for j in (0, 3, 7))
                assert tuple(signs_of(table, corners, pairs, p, side, c)) == truth
