"""SDF robots: the same robot in URDF stands and moves alike; frames, axes and limits of all versions; refusals."""

import math

import numpy as np
import pytest

import tocsin
from effort import little_work
from tocsin import Robot, TocsinError

URDF = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0 0 0.25" rpy="0.1 0.2 0.3"/><geometry><capsule radius="0.05" length="0.4"/>
</geometry></collision></link><link name="slide"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<origin xyz="0.1 0 0.1" rpy="0.3 -0.2 0.5"/>
<axis xyz="0 1 1"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
<joint name="reach" type="prismatic"><parent link="upper"/><child link="slide"/><origin xyz="0 0 0.5" rpy="0 1 0"/>
<axis xyz="1 0 0"/><limit lower="0" upper="0.4" effort="1" velocity="1"/></joint></robot>"""


def box(size="0.2 0.2 0.1"):
    return f"<geometry><box><size>{size}</size></box></geometry>"


def sdf(inside, version="1.7"):
    return f'<sdf version="{version}"><model name="arm">{inside}</model></sdf>'


def read(tmp_path, text, **options):
    file = tmp_path / "model.sdf"
    file.write_text(text)
    return Robot.from_sdf(file, **options)


def words(pose):
    from scipy.spatial.transform import Rotation

    roll, pitch, yaw = Rotation.from_matrix(pose[:3, :3]).as_euler("xyz")
    return " ".join(repr(float(x)) for x in [*pose[:3, 3], roll, pitch, yaw])


def as_sdf(robot, shift):
    """Write a URDF robot as an SDF: links by their poses in the model, moved off their joints by `shift`."""
    poses = dict(zip(robot.link_names, robot.link_poses(np.zeros(robot.n_config))))
    text = "".join(
        f'<link name="{name}"><pose>{words(pose @ shift)}</pose>'
        + (
            f'<collision name="c"><pose>{words(np.linalg.inv(shift))}</pose>{box()}</collision>'
            if name == "base"
            else ""
        )
        + "</link>"
        for name, pose in poses.items()
    )
    for joint in robot.joints:
        limit = f"<limit><lower>{joint.limits[0]}</lower><upper>{joint.limits[1]}</upper></limit>"
        axis = " ".join(repr(float(x)) for x in joint.axis)
        text += (
            f'<joint name="{joint.name}" type="{joint.kind}"><pose>{words(np.linalg.inv(shift))}</pose>'
            f"<parent>{joint.parent}</parent><child>{joint.child}</child><axis><xyz>{axis}</xyz>{limit}</axis></joint>"
        )
    return sdf(text)


@pytest.mark.parametrize("moved", [False, True])
def test_a_robot_written_as_urdf_and_as_sdf_moves_alike(tmp_path, moved):
    (tmp_path / "arm.urdf").write_text(URDF)
    urdf = Robot.from_urdf(tmp_path / "arm.urdf")
    shift = tocsin.pose((0.1, -0.2, 0.3), rpy=(0.5, 0.4, 0.3)) if moved else np.eye(4)
    robot = read(tmp_path, as_sdf(urdf, shift))
    assert robot.joint_names == urdf.joint_names
    assert np.allclose(robot.limits, urdf.limits)
    rng = np.random.default_rng(2)
    for q in rng.uniform(-1, 1, (20, 2)):
        mine, theirs = dict(zip(robot.link_names, robot.link_poses(q))), dict(zip(urdf.link_names, urdf.link_poses(q)))
        for name, pose in theirs.items():
            assert np.allclose(mine[name], pose @ shift, atol=1e-12), name


def test_pinocchio_puts_links_in_the_same_places(tmp_path):
    pinocchio = pytest.importorskip("pinocchio")
    if not hasattr(pinocchio, "buildModelFromSdf"):
        pytest.skip("this pinocchio was built without SDF")
    (tmp_path / "arm.urdf").write_text(URDF)
    robot = read(tmp_path, as_sdf(Robot.from_urdf(tmp_path / "arm.urdf"), np.eye(4)))
    model = pinocchio.buildModelFromSdf(str(tmp_path / "model.sdf"))[0]
    data = model.createData()
    q = np.array([0.4, 0.2])
    pinocchio.framesForwardKinematics(model, data, q)
    poses = dict(zip(robot.link_names, robot.link_poses(q)))
    assert np.allclose(data.oMf[model.getFrameId("slide")].homogeneous, poses["slide"], atol=1e-9)


LINKS = f'<link name="a"><collision name="c">{box()}</collision></link>'
LINKS += f'<link name="b"><pose>0 0 1 0 0 {math.pi / 2}</pose></link>'


def joint(kind, inside, name="j"):
    return f'<joint name="{name}" type="{kind}"><parent>a</parent><child>b</child>{inside}</joint>'


def turned(robot, q):
    """Return where the x axis of link b points."""
    return dict(zip(robot.link_names, robot.link_poses(q)))["b"][:3, 0]


@pytest.mark.parametrize(
    ("version", "axis", "points"),
    [
        ("1.7", "<xyz>1 0 0</xyz>", (0, 1, 0)),  # about itself
        ("1.7", '<xyz expressed_in="__model__">1 0 0</xyz>', (0, 0, 1)),
        ("1.7", '<xyz expressed_in="a">1 0 0</xyz>', (0, 0, 1)),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", (0, 0, 1)),
        ("1.4", "<xyz>1 0 0</xyz>", (0, 0, 1)),
    ],
)
def test_axes_are_in_the_frame_that_the_version_has(tmp_path, version, axis, points):
    robot = read(tmp_path, sdf(LINKS + joint("revolute", f"<axis>{axis}</axis>"), version))
    assert np.allclose(turned(robot, [math.pi / 2]), points, atol=1e-12)
    assert robot.joints[0].kind == "continuous"


def test_poses_are_relative_to_frames_in_degrees_and_as_quaternions(tmp_path):
    frames = (
        '<frame name="f"><pose>0 0 1 0 0 0</pose></frame><frame name="g" attached_to="a">'
        '<pose relative_to="f" degrees="true">1 0 0 0 0 90</pose></frame>'
        '<link name="a"><pose>5 0 0 0 0 0</pose></link>'
        '<link name="b"><pose relative_to="g" rotation_format="quat_xyzw">'
        f'1 0 0  0 0 {math.sqrt(0.5)} {math.sqrt(0.5)}</pose><collision name="c">{box()}</collision></link>'
        '<joint name="j" type="fixed"><parent>g</parent><child>b</child></joint>'
    )
    robot = read(tmp_path, sdf(frames))
    pose = dict(zip(robot.link_names, robot.at([]).link_poses()))["b"]
    assert np.allclose(pose[:3, 3], (1, 1, 1), atol=1e-12)
    assert np.allclose(pose[:3, 0], (-1, 0, 0), atol=1e-12)


def test_two_axes_balls_mimics_the_world_and_limits(tmp_path):
    two = joint(
        "universal", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz><limit><lower>-1</lower></limit></axis2>"
    )
    robot = read(tmp_path, sdf(LINKS + two))
    assert robot.joint_names == ("j", "j_2")
    assert robot.limits.tolist() == [[-math.inf, math.inf], [-1.0, math.inf]]
    assert read(tmp_path, sdf(LINKS + joint("ball", ""))).n_config == 4
    third = '<link name="c"/><joint name="k" type="prismatic"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz>'
    third += '<mimic joint="j"><multiplier>2</multiplier><reference>0.5</reference></mimic></axis></joint>'
    robot = read(tmp_path, sdf(LINKS + joint("revolute", "<axis><xyz>0 0 1</xyz></axis>") + third, "1.11"))
    assert robot.joints[-1].mimic == ("j", 2.0, -1.0)
    fixed = '<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>'
    robot = read(tmp_path, sdf("<pose>0 0 7 0 0 0</pose>" + LINKS + fixed + joint("fixed", "")))
    assert robot.link_names[0] == "world"
    assert np.allclose(robot.at([]).link_poses()[-1][2, 3], 8.0)


def test_shapes_are_read_and_a_scene_holds_an_sdf_robot(tmp_path):
    kinds = (
        "<sphere><radius>0.1</radius></sphere>", "<cylinder><radius>0.1</radius><length>1</length></cylinder>",
        "<capsule><radius>0.1</radius><length>1</length></capsule>", "<ellipsoid><radii>1 2 3</radii></ellipsoid>",
        "<empty/>",
    )  # fmt: skip
    shapes = "".join(f'<collision name="c{k}"><geometry>{s}</geometry></collision>' for k, s in enumerate(kinds))
    robot = read(tmp_path, sdf(f'<link name="a">{shapes}</link>'))
    assert len(robot.shapes[0]) == 4
    ball = tocsin.Body(tocsin.Sphere(0.1), (0, 0, 5), name="ball")
    hit = tocsin.Scene(robot, ball).first_contact(ball.move((0, 0, 5), (0, 0, 0)), tolerance=1e-6)
    assert hit.time == pytest.approx(1.9 / 5, abs=0.01)  # the ellipsoid's polytope is at most 0.6 % larger
    assert [type(m).__name__ for m in tocsin.load_environment(tmp_path / "model.sdf")] == ["Robot"]


def carrying(shape):
    return f'<link name="a"><collision name="c"><geometry>{shape}</geometry></collision></link>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<robot/>", "not an SDF"),
        (sdf(""), "no links"),
        (sdf("<include><uri>model://x</uri></include>" + LINKS), "include"),
        (sdf(LINKS), "is not connected: no joint has as its child 'a', 'b'"),
        (sdf(LINKS + joint("screw", "")), "must be one of"),
        (sdf(LINKS + joint("fixed", "") + joint("fixed", "", "k")), "two joints, 'j' and 'k': a robot is a tree"),
        (sdf(LINKS + joint("revolute", "<axis><xyz>0 0 0</xyz></axis>")), "axis of joint 'j'"),
        (sdf(LINKS + joint("revolute", "<axis><xyz>nan 0 1</xyz></axis>")), "3 finite numbers"),
        (sdf('<link name="a"><pose relative_to="b"/></link><frame name="b"><pose relative_to="a"/></frame>'), "each"),
        (sdf('<link name="a"><pose relative_to="nowhere"/></link>'), "no frame 'nowhere'"),
        (sdf(LINKS, "one"), "is like 1.7"),
        ('<sdf version="1.7"><world><model name="x"/><model name="y"/></world></sdf>', "2 models \\('x', 'y'\\)"),
        (sdf(carrying("<polyline/>")), "must be one of"),
        (sdf(carrying("<mesh><uri>../x.stl</uri></mesh>")), "outside"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_in_a_sentence(tmp_path, text, said):
    with pytest.raises(TocsinError, match=said):
        read(tmp_path, text)


def test_a_model_of_several_is_named(tmp_path):
    models = f'<model name="x">{LINKS}</model><model name="y"><link name="l"/></model>'
    text = f'<sdf version="1.7"><world name="w">{models}</world></sdf>'
    with pytest.warns(tocsin.MeshWarning):
        assert read(tmp_path, text, model="y").link_names == ("l",)
    with pytest.raises(TocsinError, match="no model 'z'; models are: 'x', 'y'"):
        read(tmp_path, text, model="z")


def chained(count):
    """Return frames, each attached to the next, the last to link a."""
    return "".join(
        f'<frame name="f{k}" attached_to="{f"f{k + 1}" if k + 1 < count else "a"}"><pose>0 0 0.5 0 0 0</pose></frame>'
        for k in range(count)
    )


def test_frames_may_hang_on_each_other_as_deep_as_there_are_frames(tmp_path):
    """Deeper than Python calls itself, and each looked up once."""
    joints = "".join(
        f'<link name="b{k}"><pose relative_to="f{k}"/><collision name="c">{box()}</collision></link>'
        f'<joint name="j{k}" type="fixed"><parent>f{k}</parent><child>b{k}</child></joint>'
        for k in range(0, 2000, 50)
    )
    with little_work():
        robot = read(tmp_path, sdf('<link name="a"/>' + chained(2000) + joints))
    assert dict(zip(robot.link_names, robot.link_poses([])))["b0"][2, 3] == 1000.0
    with pytest.raises(TocsinError, match="has 2001 frames; at most 2000"):
        read(tmp_path, sdf('<link name="a"/>' + chained(2001)))


@pytest.mark.parametrize("version", ["", "9" * 6000, "\u00b2", "1.", "1.x", "-1", "1_0"])
def test_a_version_is_of_short_numbers(tmp_path, version):
    with pytest.raises(TocsinError, match=r"is like 1\.7"):
        read(tmp_path, sdf('<link name="a"/>', version))


@pytest.mark.parametrize("length", ["1e308", "1", "1e-300", "5e-324"])
def test_a_quaternion_may_have_any_length_but_zero(tmp_path, length):
    pose = '<pose rotation_format="quat_xyzw">1 2 3 {0} 0 0 {0}</pose>'
    robot = read(tmp_path, sdf(f'<link name="a">{pose.format(length)}<collision name="c">{box()}</collision></link>'))
    expected = tocsin.pose((1, 2, 3), rpy=(math.pi / 2, 0, 0))
    assert np.allclose(robot.link_poses([])[0], expected, rtol=0, atol=1e-15)
    with pytest.raises(TocsinError, match=r"quaternion of its <pose> .* is zero"):
        read(tmp_path, sdf(f'<link name="a">{pose.format(0)}</link>'))
