"""Points moved by a matrix: the same bits whatever matrix library is inside."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from tocsin.geometry.affine import moved


def test_the_identity_changes_no_bit_and_copies_nothing():
    points = np.random.default_rng(1).normal(size=(5, 3))
    assert moved(points, np.eye(4)) is points


@pytest.mark.parametrize("seed", range(4))
def test_points_are_moved_to_within_a_few_roundings(seed):
    rng = np.random.default_rng(seed)
    points, transform = rng.normal(size=(7, 3)), np.eye(4)
    transform[:3] = rng.normal(size=(3, 4))
    for point, found in zip(points, moved(points, transform)):
        for row, value in zip(transform, found):
            terms = [Fraction(a) * Fraction(b) for a, b in zip(row[:3].tolist(), point.tolist())] + [Fraction(row[3])]
            assert abs(Fraction(value) - sum(terms)) <= Fraction(2.0**-51) * sum(map(abs, terms))


CODE = """
import numpy as np, tocsin
turned = np.eye(4)
turned[:3, :3] = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]]
turned[:3, 3] = 0.1, 0.2, 0.3
mesh = tocsin.Sphere(0.3).tessellate(24)
shape = tocsin.Body([(mesh, turned)]).shapes[0][0]
print(shape.points.tobytes().hex(), mesh.transformed(turned).vertices.tobytes().hex())
"""


def test_a_placed_mesh_has_the_same_bits_with_the_matrix_kernels_of_any_processor():
    """Fails with `points @ rotation.T`: with Haswell's kernels the last bits are others than with SkylakeX's."""
    said = set()
    for core in ("Haswell", "SkylakeX", "Prescott"):
        environment = {**os.environ, "OPENBLAS_CORETYPE": core, "NUMBA_DISABLE_JIT": "1"}
        done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
        said.add(done.stdout)
    assert len(said) == 1
