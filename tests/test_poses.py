"""Poses as people have them mean what their libraries mean by them; scipy and pinocchio are the independent truths."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tocsin
from tocsin import Body, Box, RobotBuilder, Sphere, TocsinError

pytestmark = pytest.mark.pure

QUATERNION = np.array([0.1, -0.7, 0.3, 0.6]) / np.linalg.norm([0.1, -0.7, 0.3, 0.6])
POSITION = (1.0, -2.0, 0.5)


def expected(rotation: Rotation) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation.as_matrix(), POSITION
    return matrix


@pytest.mark.parametrize(
    ("given", "rotation"),
    [
        ({}, Rotation.identity()),
        ({"quaternion_xyzw": QUATERNION}, Rotation.from_quat(QUATERNION)),
        ({"quaternion_wxyz": QUATERNION[[3, 0, 1, 2]]}, Rotation.from_quat(QUATERNION)),
        ({"rpy": (0.3, -1.2, 2.5)}, Rotation.from_euler("xyz", (0.3, -1.2, 2.5))),
        ({"rpy_degrees": (30, -90, 180)}, Rotation.from_euler("xyz", (30, -90, 180), degrees=True)),
        ({"rotation": Rotation.from_quat(QUATERNION)}, Rotation.from_quat(QUATERNION)),
        ({"rotation": Rotation.from_quat(QUATERNION).as_matrix()}, Rotation.from_quat(QUATERNION)),
    ],
)
def test_a_pose_is_that_of_its_position_and_orientation(given, rotation):
    found = tocsin.pose(POSITION, **given)
    np.testing.assert_allclose(found, expected(rotation), atol=1e-15)
    assert not found.flags.writeable


def test_rpy_is_that_of_urdf(tmp_path):
    file = tmp_path / "turned.urdf"
    file.write_text(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
        '<child link="b"/><origin xyz="1 2 3" rpy="0.3 -1.2 2.5"/></joint></robot>'
    )
    with pytest.warns(tocsin.MeshWarning):
        joint = tocsin.Robot.from_urdf(file).joints[0]
    np.testing.assert_array_equal(joint.origin, tocsin.pose((1, 2, 3), rpy=(0.3, -1.2, 2.5)))


class Se3:
    """As pinocchio's: a rotation, a translation, and the matrix of both."""

    homogeneous = expected(Rotation.from_quat(QUATERNION))


class RigidTransform:
    """As Drake's."""

    def GetAsMatrix4(self):
        return Se3.homogeneous


def test_poses_of_other_libraries_are_taken_wherever_a_pose_is():
    rotation = Rotation.from_quat(QUATERNION)
    turned = tocsin.pose(rotation=rotation)
    ball = Body([(Box((1, 2, 3)), rotation)], Se3(), name="ball")
    np.testing.assert_allclose(ball.shapes[0][0].placement, turned, atol=1e-15)
    np.testing.assert_allclose(ball.at(rotation).link_poses()[0], turned, atol=1e-15)
    for pose in (Se3(), RigidTransform()):
        np.testing.assert_allclose(ball.at(pose).link_poses()[0], Se3.homogeneous, atol=1e-15)
        move = ball.move((0, 0, 0), pose)
        np.testing.assert_array_equal(move.rows, ball.move((0, 0, 0), Se3.homogeneous).rows)
        np.testing.assert_array_equal(ball.follow([(0, 0, 0), pose]).rows, move.rows)
    np.testing.assert_array_equal(ball.rest, ball.at(Se3.homogeneous).rows[0])
    free = RobotBuilder("free", base="free").link("base", Sphere(1)).build()
    row = free.at([], base=Se3()).rows[0]
    np.testing.assert_array_equal(row, ball.at(Se3.homogeneous).rows[0])


def test_a_real_se3_of_pinocchio_is_a_pose():
    pinocchio = pytest.importorskip("pinocchio")
    se3 = pinocchio.SE3(Rotation.from_quat(QUATERNION).as_matrix(), np.array(POSITION))
    pose = Body(Sphere(1)).at(se3).link_poses()[0]
    np.testing.assert_allclose(pose, Se3.homogeneous, atol=1e-15)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"rpy": (0, 0, 0), "rotation": np.eye(3)}, "one orientation: .*; got rpy and rotation"),
        ({"quaternion_xyzw": (0, 0, 0, 2)}, "unit quaternion"),
        ({"quaternion_wxyz": (0, 0, 1)}, r"shape \(4,\)"),
        ({"rpy": (0, np.nan, 0)}, "finite"),
        ({"rotation": np.diag([1.0, 1.0, -1.0])}, "mirrors"),
        ({"rotation": "x"}, "rotation must be a 3x3"),
        ({"rotation": Rotation.identity(2)}, "rotation must be a 3x3"),
        ({"quaternion_wxyz": (2, 0, 0, 0)}, r"\(w x y z\); got \[2\.0, 0\.0, 0\.0, 0\.0\]"),
        ({"rotation": 2.0 * np.eye(3)}, r"orthonormal.*got \[\[2\.0, 0\.0"),
        ({"xyz": (0, 0)}, "the position of a pose"),
    ],
)
def test_what_is_no_pose_is_refused_with_a_sentence(given, says):
    with pytest.raises(TocsinError, match=says) as refused:
        tocsin.pose(**given)
    assert "\n" not in str(refused.value)


CHOICES = ("quaternion_xyzw", "quaternion_wxyz", "rpy ", "rpy_degrees", "rotation")


@pytest.mark.parametrize(
    ("unnamed", "named", "got"),
    [
        ((), {"quaternion": (0, 0, 0, 1)}, "quaternion"),
        ((), {"position": (0, 0, 0), "rpy": (0, 0, 0)}, "position"),
        (((0, 0, 0), (0, 0, 0, 1)), {}, r"\(0, 0, 0, 1\)"),
        ((), {"rpy": (0, 0, 0), "rpy_degrees": (0, 0, 0)}, "rpy and rpy_degrees"),
    ],
)
def test_an_orientation_of_no_name_that_is_known_is_answered_by_those_that_are(unnamed, named, got):
    with pytest.raises(TocsinError, match=f"; got {got}\\.$") as refused:
        tocsin.pose(*unnamed, **named)
    assert all(name in str(refused.value) for name in CHOICES)


def test_an_angle_of_more_than_a_turn_is_remarked_on():
    with pytest.warns(tocsin.UnitWarning, match="Degrees. Say rpy_degrees"):
        tocsin.pose(rpy=(0, 0, 90))


class Broken:
    """An object of a stranger that raises at every look."""

    @property
    def homogeneous(self):
        raise RuntimeError("not today")


@pytest.mark.parametrize("given", [Broken(), Rotation.identity(3), np.zeros(7), "here", None])
def test_what_says_nothing_of_itself_is_refused_by_the_door(given):
    with pytest.raises(TocsinError, match=r"tocsin\.pose"):
        Body(Sphere(1)).at(given)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((0, 0, 0, 0, 0, 0, 1), r"shape \(7,\): a position and a quaternion are tocsin.pose\(\(x, y, z\), quat"),
        (np.eye(3), r"got shape \(3, 3\): a rotation is tocsin.pose\(\(x, y, z\), rotation=...\)"),
        (None, "or a pinocchio SE3; got None."),
    ],
)
def test_what_could_be_a_pose_is_told_how_to_be_one(given, says):
    with pytest.raises(tocsin.TocsinError, match=says):
        tocsin.Body(tocsin.Sphere(0.1)).at(given)
