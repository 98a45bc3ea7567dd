"""The door: what is handed in is copied, means one thing wherever it is given, and is refused in words."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import tocsin
from tocsin import _cast
from tocsin.io.trajectories import Trajectory
from tocsin.motion.poses import base_matrix

RNG = np.random.default_rng(7)


def nearly_rigid(off):
    """Return a 4x4 matrix whose rotation is off by up to `off` in every entry."""
    r = base_matrix(np.array([0.0, 0, 0, *_unit(RNG.normal(size=4))]))
    r[:3, :3] += RNG.uniform(-off, off, (3, 3))
    r[:3, 3] = RNG.normal(size=3)
    return r


def _unit(q):
    return q / np.linalg.norm(q)


def polar(matrix):
    """Return the nearest rotation in 50 digits, from the eigenvectors of M^T M."""
    with mpmath.workdps(50):
        m = mpmath.matrix(matrix[:3, :3].tolist())
        values, vectors = mpmath.eigsy(m.T * m)
        root = vectors * mpmath.diag([1 / mpmath.sqrt(v) for v in values]) * vectors.T
        return np.array((m * root).tolist(), dtype=float)


def test_a_nearly_rigid_matrix_means_one_rotation_as_a_pose_and_as_a_placement_the_nearest_one():
    for off in (0.0, 1e-15, 1e-9, 1e-6, 3e-6):
        for _ in range(20):
            given = nearly_rigid(off)
            placed, posed, true = _cast.placement(given, "it"), base_matrix(_cast.pose(given, "it")), polar(given)
            np.testing.assert_allclose(placed[:3, :3], true, rtol=0, atol=1e-15)
            np.testing.assert_allclose(posed[:3, :3], true, rtol=0, atol=1e-15)
            np.testing.assert_array_equal(placed[:3, 3], given[:3, 3])


def test_rotations_that_are_exact_stay_as_they_are():
    for turn in (np.eye(4), np.diag([-1.0, -1, 1, 1]), np.eye(4)[[1, 2, 0, 3]]):
        np.testing.assert_array_equal(_cast.placement(turn, "it"), turn)
        np.testing.assert_array_equal(base_matrix(_cast.pose(turn, "it")), turn)


def test_a_nearly_rigid_matrix_means_one_rotation_to_a_scene_wherever_it_is_given():
    given = nearly_rigid(3e-6)
    stick = tocsin.ConvexHull([[0, 0, 0], [1000.0, 0, 0], [0, 1000.0, 0]])
    far = tocsin.Body(tocsin.Sphere(1.0), given[:3, :3] @ (900.0, 500.0, 20.0) + given[:3, 3], name="far")
    posed = tocsin.Body(stick, given, name="stick")
    placed = tocsin.Body((stick, given), name="stick")
    builder = tocsin.RobotBuilder("stick").link("root").link("stick", stick, parent="root", origin=given)
    near = [tocsin.Scene(model, far).distance().distance for model in (posed, placed, builder.build())]
    assert max(near) - min(near) < 1e-11  # they were 7e-3 apart


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_what_happens_to_indices_afterwards_changes_nothing(dtype):
    square = np.array([[0.0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
    faces, edges, points = (np.array(given, dtype) for given in ([[0, 1, 2]], [[1, 3]], [3]))
    table = tocsin.Body(tocsin.Box((4, 4, 0.2)))
    cloth = tocsin.Deformable(square, faces, edges=edges, points=points, name="cloth")
    scene = tocsin.Scene(cloth, table)
    for array in (faces, edges, points):
        array[:] = 255  # as memory, a crash
    assert scene.first_contact(cloth.move(square, square - (0, 0, 2))).time == pytest.approx(0.45, abs=1e-3)
    for array in (cloth.faces, cloth.loose_edges, cloth.loose_points, cloth.vertices, cloth.edges, cloth.face_edges):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


def test_stamps_that_go_back_are_refused_and_nanoseconds_remarked_on():
    with pytest.raises(tocsin.TocsinError, match="of a path must increase, but number 1 is 2 s and the next 1 s"):
        _cast.times([0, 2, 1], "a path", 3)
    with pytest.warns(tocsin.UnitWarning, match="Nanoseconds"):
        assert _cast.times([0, 10**15], "a path", 2).tolist() == [0.0, 1e15]


def test_what_happens_to_rows_and_stamps_afterwards_changes_nothing():
    ball, wall = tocsin.Body(tocsin.Sphere(0.1), name="ball"), tocsin.Body(tocsin.Box((0.01, 2, 2)), (1, 0, 0))
    scene = tocsin.Scene(ball, wall)
    rows = np.array([[0.0, 0, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 0, 1]])
    motion = tocsin.Motion(ball, rows)
    hit = scene.first_contact(motion)
    rows[:] = math.nan
    again = scene.first_contact(motion)
    assert again == hit
    assert hit.contacts[0].distance < 1e-3
    with pytest.raises(ValueError, match="read-only"):
        motion.rows[0, 0] = 5.0
    with pytest.raises(ValueError, match="read-only"):
        ball.rest[0] = 5.0
    times = np.array([0.0, 1.0])
    plan = Trajectory(times, np.zeros((2, 1)), joint_names=("a",))
    times[1] = -1.0  # was frozen itself, and shared
    assert plan.times.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((1, 3), complex), np.zeros((1, 3), "m8[s]"), np.zeros((1, 3), "M8[s]"), np.zeros((1, 3), bool),
        np.ma.masked_equal([[0, 1, 2.0]], 1), np.zeros((1, 3), "U1"), np.full((1, 3), None), [[1, 2], [3]],
        np.zeros((1, 3), [("x", float)]), [["0", "1", "2"]], (x for x in (1, 2)), np.array([[0, "1", 2]], object), 3.0,
    ],
)  # fmt: skip
def test_vertex_face_times_takes_numbers_only(wrong):
    face = np.zeros((1, 3, 3))
    with pytest.raises(tocsin.TocsinError, match=r"^v_t0 must "):
        tocsin.vertex_face_times(wrong, np.zeros((1, 3)), face, face)


def test_numbers_of_every_kind_are_the_same_numbers():
    want = np.array([1.0, 2.0, 3.0])
    for given in ([1, 2, 3], (1.0, 2, 3), np.array([1, 2, 3], np.uint8), want[::-1][::-1],
                  np.ma.masked_equal([1.0, 2, 3], 9), [Fraction(1), Fraction(2), Fraction(3)], want.astype(">f4"),
                  np.array([1.0, 2, 3], np.float16), want.astype(np.longdouble)):  # fmt: skip
        np.testing.assert_array_equal(_cast.array(given, "it", (3,)), want)


def test_seconds_since_1970_are_said_with_all_of_their_digits():
    assert [_cast.clock(t) for t in (0.0, 0.25, 1 / 3, 86400.0, -2.0)] == ["0", "0.25", "0.333333", "86400", "-2"]
    assert _cast.clock(1763200001.25) == "1763200001.25"
    assert _cast.clock(1.7632e18) == "1.7632e+18"
