"""Vectors and matrices as tuples: what numpy says of the same arrays."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tocsin import vec

pytestmark = pytest.mark.pure


def rows(m):
    return tuple(tuple(row) for row in m.tolist())


@pytest.mark.parametrize("seed", range(20))
def test_every_function_is_that_of_arrays(seed):
    rng = np.random.default_rng(seed)
    (a, b), (m, n), s = rng.normal(size=(2, 3)), rng.normal(size=(2, 3, 3)), float(rng.normal())
    x, y = tuple(a.tolist()), tuple(b.tolist())
    for found, truth in (
        (vec.add(x, y), a + b), (vec.sub(x, y), a - b), (vec.scale(x, s), a * s), (vec.axpy(x, s, y), a + s * b),
        (vec.dot(x, y), a @ b), (vec.cross(x, y), np.cross(a, b)), (vec.norm(x), np.linalg.norm(a)),
        (vec.matvec(rows(m), x), m @ a), (vec.tmatvec(rows(m), x), m.T @ a), (vec.column(rows(m), 1), m[:, 1]),
        (vec.transpose(rows(m)), m.T), (vec.matmul(rows(m), rows(n)), m @ n), (vec.tmatmul(rows(m), rows(n)), m.T @ n),
        (vec.load3(m, 2), m[2]),
    ):  # fmt: skip
        np.testing.assert_allclose(found, truth, atol=1e-14)


@pytest.mark.parametrize(
    "turn",
    [(0, 0, 0), (np.pi, 0, 0), (0, np.pi, 0), (0, 0, np.pi), (np.pi / 2, 0, 0), (2.2, 2.2, 0), (0, -3, 1), (1, 2, 3)],
)
def test_the_quaternion_of_a_rotation_is_a_unit_one_and_leads_back_to_it(turn):
    matrix = Rotation.from_rotvec(turn).as_matrix()
    q = vec.quaternion_of(rows(matrix))
    assert sum(c * c for c in q) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(Rotation.from_quat(q).as_matrix(), matrix, atol=1e-14)


def test_the_quaternion_of_an_exact_half_turn_is_exact():
    assert vec.quaternion_of(((1.0, 0, 0), (0, -1.0, 0), (0, 0, -1.0))) == (1.0, 0.0, 0.0, 0.0)
    assert vec.quaternion_of(((-1.0, 0, 0), (0, 1.0, 0), (0, 0, -1.0))) == (0.0, 1.0, 0.0, 0.0)
    assert vec.quaternion_of(((-1.0, 0, 0), (0, -1.0, 0), (0, 0, 1.0))) == (0.0, 0.0, 1.0, 0.0)
