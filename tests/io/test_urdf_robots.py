"""Real robots load, and pinocchio and yourdfpy, two other readers, find the same links, joints, shapes and poses."""

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from data import ROBOTS, example_robots, robot_file
from tocsin import Box, Capsule, Cylinder, MeshWarning, Robot, Scene, Sphere, TocsinError
from tocsin.io.urdf import load_urdf

COUNTS = {
    "atlas": (70, 30, 1280),
    "excavator_zx120": (7, 5, 32208),
    "fetch_mbm": (17, 8, 1802),
    "human36": (37, 36, 108686),
    "hyq": (19, 12, 10216),
    "iiwa14": (10, 7, 5200),
    "jvrc1": (60, 34, 8733),
    "panda_mbm": (13, 7, 3472),
    "pr2": (82, 20, 5840),
    "puma560": (7, 6, 8116),
    "solo12": (17, 12, 50736),
    "ur10": (11, 6, 5862),
}
"""Links, values in a configuration, triangles."""

EXAMPLES = (
    "a1_description/urdf/a1.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "baxter_description/urdf/baxter.urdf",
    "go1_description/urdf/go1.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "icub_description/robots/icub.urdf",
    "panda_description/urdf/panda.urdf",
    "panda_description/urdf/panda_collision.urdf",
    "pr2_description/urdf/pr2.urdf",
    "quadruped_description/urdf/quadruped.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "tiago_description/robots/tiago_dual.urdf",
    "ur_description/urdf/ur5_robot.urdf",
)
"""Of the package example-robot-data: primitives, meshes of four formats, mimic, continuous and prismatic joints."""

BROKEN = {
    "alex_psyonic_hands.urdf": "the mimic of joint 'Left_index_q2' (line 1037): no joint 'index_q1'",
    "ur3.urdf": "has no links",
}
"""Files of that package that no reader could use, and what is said about them."""

VISUAL_ONLY = ("human36", "puma560")


def load(file: Path) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MeshWarning)
        return load_urdf(file)


def found(name: str) -> Path:
    return robot_file(name) if name in ROBOTS else example_robots() / name


@cache
def both(name: str):
    """Return a robot and pinocchio's model and geometry of the same file."""
    pin = pytest.importorskip("pinocchio")
    file = found(name)
    model = pin.buildModelFromUrdf(str(file))
    kind = pin.GeometryType.VISUAL if name in VISUAL_ONLY else pin.GeometryType.COLLISION
    packages = [str(file.parent), str(file.parents[4])]
    return load(file), model, pin.buildGeomFromUrdf(model, str(file), kind, package_dirs=packages)


def driven(robot: Robot):
    """Return (name, master, multiplier, offset) of every joint that turns or slides, mimic joints by their chain."""
    joints = {joint.name: joint for joint in robot.joints}
    found = []
    for joint in robot.joints:
        multiplier, offset, master = 1.0, 0.0, joint
        while master.mimic is not None:
            name, m, o = master.mimic
            multiplier, offset, master = multiplier * m, multiplier * o + offset, joints[name]
        if master.width == 1:
            found.append((joint.name, master.name, multiplier, offset))
    return found


def other_configuration(model, values, rows):
    """Write the joint values into a configuration of pinocchio's, where a continuous joint is a cosine and a sine."""
    import pinocchio as pin

    q = pin.neutral(model)
    for name, master, multiplier, offset in rows:
        joint = model.joints[model.getJointId(name)]
        value = multiplier * values[master] + offset
        if joint.nq == 2:
            q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
        else:
            q[joint.idx_q] = value
    return q


@pytest.mark.parametrize("name", ROBOTS)
def test_the_twelve_robots_load_with_their_links_joints_and_triangles(name):
    robot = load(robot_file(name))
    triangles = sum(len(shape.faces) for shapes in robot.shapes for shape in shapes)
    assert (len(robot.link_names), robot.n_config, triangles) == COUNTS[name]


@pytest.mark.parametrize("name", VISUAL_ONLY)
def test_a_robot_without_collision_geometry_says_so(name):
    with pytest.warns(MeshWarning, match="no collision geometry"):
        load_urdf(robot_file(name))


@pytest.mark.parametrize("name", [*ROBOTS, *EXAMPLES])
def test_forward_kinematics_agree_with_pinocchio(name):
    pin = pytest.importorskip("pinocchio")
    robot, model, _ = both(name)
    data = model.createData()
    rows = driven(robot)
    assert {row[0] for row in rows} == {n for n in model.names if n != "universe"}
    frames = [model.getFrameId(link, pin.FrameType.BODY) for link in robot.link_names]
    assert len(frames) == sum(frame.type == pin.FrameType.BODY for frame in model.frames)
    rng = np.random.default_rng(3)
    worst = 0.0
    for _ in range(1000):
        q = rng.uniform(-np.pi, np.pi, robot.n_config)
        pin.framesForwardKinematics(model, data, other_configuration(model, dict(zip(robot.joint_names, q)), rows))
        theirs = np.array([data.oMf[frame].homogeneous for frame in frames])
        worst = max(worst, np.abs(robot.link_poses(q) - theirs).max())
    assert worst < 1e-12


@pytest.mark.parametrize("name", [*ROBOTS, *EXAMPLES])
def test_limits_agree_with_pinocchio(name):
    robot, model, _ = both(name)
    for joint in robot.joints:
        if joint.limits is not None:
            at = model.joints[model.getJointId(joint.name)].idx_q
            assert joint.limits == (model.lowerPositionLimit[at], model.upperPositionLimit[at])


@pytest.mark.parametrize("name", [*ROBOTS, *EXAMPLES])
def test_shapes_agree_with_pinocchio(name):
    pin = pytest.importorskip("pinocchio")
    robot, model, geometry = both(name)
    theirs = {}
    for item in geometry.geometryObjects:
        theirs.setdefault(model.frames[item.parentFrame].name, []).append(item)
    for link, shapes in zip(robot.link_names, robot.shapes):
        assert len(shapes) == len(theirs.get(link, []))
        frame = model.frames[model.getFrameId(link, pin.FrameType.BODY)].placement
        for shape, item in zip(shapes, theirs.get(link, [])):
            place = (frame.inverse() * item.placement).homogeneous
            np.testing.assert_allclose(shape.placement, place, atol=1e-12)
            compare(shape, item.geometry, place)


def compare(shape, other, place):
    """Compare sizes of primitives, and the number of triangles and the bounding boxes of meshes."""
    source = shape.source
    if isinstance(source, Box):
        np.testing.assert_allclose(source.size, 2 * other.halfSide, rtol=1e-12)
    elif isinstance(source, Sphere):
        assert source.radius == pytest.approx(other.radius, rel=1e-12)
    elif isinstance(source, (Cylinder, Capsule)):
        assert type(other).__name__ == type(source).__name__
        assert (source.radius, source.length) == pytest.approx((other.radius, 2 * other.halfLength), rel=1e-12)
    elif shape.is_mesh and hasattr(other, "num_tris"):
        # Pinocchio's reader drops triangles with repeated corners; coordinates are single precision there.
        assert 0 <= len(shape.faces) - other.num_tris <= source.report.degenerate
        corners = np.asarray(other.vertices()) @ place[:3, :3].T + place[:3, 3]
        used = shape.points[np.unique(shape.faces)]
        np.testing.assert_allclose([used.min(0), used.max(0)], [corners.min(0), corners.max(0)], atol=1e-6)


@pytest.mark.parametrize("name", [*ROBOTS, *EXAMPLES])
def test_joints_and_shapes_agree_with_yourdfpy(name):
    yourdfpy = pytest.importorskip("yourdfpy")
    file = found(name)
    try:
        other = yourdfpy.URDF.load(str(file), build_scene_graph=False, load_meshes=False).robot
    except ValueError:
        pytest.skip("yourdfpy knows no capsules")
    robot = load(file)
    assert sorted(link.name for link in other.links) == sorted(robot.link_names)
    assert [joint.name for joint in other.joints] == [joint.name for joint in robot.joints]
    for mine, theirs in zip(robot.joints, other.joints):
        assert (mine.kind, mine.parent, mine.child) == (theirs.type, theirs.parent, theirs.child)
        np.testing.assert_allclose(mine.origin, np.eye(4) if theirs.origin is None else theirs.origin, atol=1e-12)
        if mine.kind in ("revolute", "continuous", "prismatic"):
            np.testing.assert_allclose(mine.axis, theirs.axis / np.linalg.norm(theirs.axis), atol=1e-12)
        if mine.limits is not None:
            assert mine.limits == (theirs.limit.lower or 0.0, theirs.limit.upper or 0.0)
        if mine.mimic is not None:
            assert mine.mimic == (theirs.mimic.joint, theirs.mimic.multiplier, theirs.mimic.offset)


def every_example() -> list[Path]:
    return sorted(example_robots().glob("*/*/*.urdf"))


def check_examples(files: list[Path]) -> int:
    """Load each file, or be refused with the sentence that is expected; return how many loaded."""
    loads = 0
    for file in files:
        try:
            load(file)
            loads += 1
            assert file.name not in BROKEN
        except TocsinError as error:
            said = str(error)
            assert BROKEN.get(file.name, "an error that nobody expected") in said, f"{file.name}: {said}"
    return loads


def test_robots_of_the_example_package_load_or_name_what_is_broken():
    robots = example_robots()
    broken = [file for file in every_example() if file.name in BROKEN]
    assert len(broken) == len(BROKEN)
    assert check_examples([*[robots / name for name in EXAMPLES], *broken]) == len(EXAMPLES)


@pytest.mark.slow
def test_every_robot_of_the_example_package_loads_or_names_what_is_broken():
    assert check_examples(every_example()) >= 65


def test_a_real_robot_in_a_scene_is_asked_like_any_other():
    robot = Robot.from_urdf(example_robots() / "ur_description/urdf/ur5_robot.urdf")
    scene = Scene(robot)
    up = {"shoulder_lift_joint": -1.57, "elbow_joint": 0.0}
    assert scene.is_free(robot.move(up, {**up, "shoulder_pan_joint": 1.0}))
    folded = {"shoulder_lift_joint": -1.57, "elbow_joint": 3.1}
    assert scene.first_contact(robot.move(up, folded)).collides
