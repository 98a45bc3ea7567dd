"""URDF files written by hand: what they mean, and one sentence for everything that is wrong with them."""

import math
import random
import re
import warnings

import numpy as np
import pytest

import tocsin
from effort import refusal
from tocsin import Box, Capsule, ConvexHull, Cylinder, MeshWarning, Robot, Sphere, TocsinError
from tocsin.io.urdf import load_urdf

JOINT = '<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'
BOX = '<collision><geometry><box size="1 2 3"/></geometry></collision>'


def joint(name="j", kind="revolute", parent="a", child="b", more='<axis xyz="0 0 1"/>'):
    return JOINT.format(name=name, kind=kind, parent=parent, child=child, more=more)


def link(name, inside=""):
    return f'<link name="{name}">{inside}</link>'


def robot_of(*elements):
    return f'<robot name="made">{"".join(elements)}</robot>'


def loaded(folder, *elements, text=None, **options):
    file = folder / "made.urdf"
    file.write_text(robot_of(*elements) if text is None else text)
    return load_urdf(file, **options)


def shaped(geometry, more=""):
    return link("a", f"<collision>{more}<geometry>{geometry}</geometry></collision>")


def turned(roll, pitch, yaw):
    """R = Rz Ry Rx, each from its definition."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(t), math.sin(t)) for t in (roll, pitch, yaw))
    x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return z @ y @ x


# ---- what a file means ---------------------------------------------------------------------------------------------


def test_links_and_joints_keep_the_files_order_and_names(tmp_path):
    robot = loaded(
        tmp_path, link("b", BOX), joint("second", child="c"), joint("first"), link("a"), link("c"), base="free"
    )
    assert robot.name == "made"
    assert [j.name for j in robot.joints] == ["second", "first"]
    assert robot.joint_names == ("second", "first")
    assert robot.link_names[0] == "a"
    assert robot.base == "free"
    assert load_urdf(tmp_path / "made.urdf", name="other").name == "other"


def test_a_robot_without_a_name_is_called_like_its_file(tmp_path):
    assert loaded(tmp_path, text=f"<robot>{link('a', BOX)}</robot>").name == "made"


def test_origins_turn_about_fixed_axes_in_the_order_roll_pitch_yaw(tmp_path):
    place = '<origin xyz="1 2 3" rpy="0.3 -1.1 2.5"/>'
    robot = loaded(tmp_path, shaped('<box size="1 2 3"/>', place), link("b"), joint(more=place + '<axis xyz="0 0 1"/>'))
    expected = np.eye(4)
    expected[:3, :3], expected[:3, 3] = turned(0.3, -1.1, 2.5), (1, 2, 3)
    np.testing.assert_allclose(robot.joints[0].origin, expected, atol=1e-15)
    np.testing.assert_allclose(robot.shapes[0][0].placement, expected, atol=1e-15)


def test_every_type_of_joint_is_read_with_the_specifications_defaults(tmp_path):
    kinds = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")
    names = [f"l{k}" for k in range(len(kinds) + 1)]
    chain = [joint(kind, kind, names[k], names[k + 1], "") for k, kind in enumerate(kinds)]
    robot = loaded(tmp_path, *[link(n, BOX) for n in names], *chain)
    assert [j.kind for j in robot.joints] == list(kinds)
    assert [j.width for j in robot.joints] == [0, 1, 1, 1, 3, 7]
    for j in robot.joints:
        np.testing.assert_array_equal(j.axis, (1, 0, 0))
        np.testing.assert_array_equal(j.origin, np.eye(4))
        assert j.limits is None
        assert j.mimic is None


def test_axes_are_normalised_and_limits_default_to_zero(tmp_path):
    more = '<axis xyz="0 3 4"/><limit upper="2" effort="1" velocity="1"/>'
    robot = loaded(tmp_path, link("a"), link("b", BOX), joint(more=more))
    np.testing.assert_allclose(robot.joints[0].axis, (0, 0.6, 0.8), atol=1e-16)
    assert robot.joints[0].limits == (0.0, 2.0)


def test_what_a_fixed_joint_says_of_motion_is_not_read(tmp_path):
    more = '<axis xyz="0 0 0"/><limit lower="2" upper="1"/><mimic joint="gone"/>'
    robot = loaded(tmp_path, link("a"), link("b", BOX), joint(kind="fixed", more=more))
    assert robot.n_config == 0


def test_mimic_joints_follow_with_their_multiplier_and_offset(tmp_path):
    z = '<axis xyz="0 0 1"/>'
    robot = loaded(
        tmp_path,
        *[link(n, BOX) for n in "abcd"],
        joint("follower", more=z + '<mimic joint="leader" multiplier="-2" offset="0.5"/>'),
        joint("leader", parent="b", child="c", more=z),
        joint("second", parent="c", child="d", more=z + '<mimic joint="follower"/>'),
    )
    assert robot.joint_names == ("leader",)
    poses = dict(zip(robot.link_names, robot.link_poses({"leader": 0.3})))
    for name, angle in (("b", -0.1), ("c", 0.2), ("d", 0.1)):
        np.testing.assert_allclose(poses[name][:3, :3], turned(0, 0, angle), atol=1e-15)


@pytest.mark.parametrize(
    ("geometry", "shape"),
    [
        ('<box size="1 2.5 3"/>', Box((1, 2.5, 3))),
        ('<sphere radius="0.5"/>', Sphere(0.5)),
        ('<cylinder radius="0.5" length="2"/>', Cylinder(0.5, 2)),
        ('<capsule radius="0.5" length="2"/>', Capsule(0.5, 2)),
        ('<drake:declare_convex/><sphere radius="0.5"/>', Sphere(0.5)),
    ],
)
def test_primitives_stay_primitives(tmp_path, geometry, shape):
    assert loaded(tmp_path, shaped(geometry)).shapes[0][0].source == shape


def test_shapes_without_extent_are_the_points_and_rectangles_that_they_are(tmp_path):
    robot = loaded(tmp_path, link("a", "".join(
        f"<collision><geometry>{g}</geometry></collision>" for g in ('<sphere radius="0"/>', '<box size="0 2 4"/>')
    )))  # fmt: skip
    point, rectangle = (shape.source for shape in robot.shapes[0])
    assert isinstance(point, ConvexHull)
    assert point.points.tolist() == [[0, 0, 0]]
    assert np.ptp(rectangle.points, axis=0).tolist() == [0, 2, 4]


def test_a_mesh_is_read_once_and_scaled_as_its_element_says(tmp_path, monkeypatch):
    tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "t.obj").write_text(tetrahedron)
    reads = []
    load = tocsin.Mesh.load
    monkeypatch.setattr(tocsin.Mesh, "load", lambda path: reads.append(path) or load(path))
    scales = ("", 'scale="2"', 'scale="1 2 -3"', 'scale="2 2 2"')
    mesh = '<collision><geometry><mesh filename="t.obj" {}/></geometry></collision>'
    robot = loaded(tmp_path, link("a", "".join(mesh.format(s) for s in scales)))
    assert len(reads) == 1
    sizes = [np.ptp(shape.points, axis=0).tolist() for shape in robot.shapes[0]]
    assert sizes == [[1, 1, 1], [2, 2, 2], [1, 2, 3], [2, 2, 2]]
    assert robot.shapes[0][1].source is robot.shapes[0][3].source
    assert robot.shapes[0][2].points[:, 2].min() == -3.0


def test_visual_geometry_is_used_on_request_and_where_there_is_nothing_else(tmp_path):
    visual = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    robot = loaded(tmp_path, link("a", visual + BOX))
    assert robot.shapes[0][0].source == Box((1, 2, 3))
    robot = loaded(tmp_path, link("a", visual + BOX), geometry="visual")
    assert robot.shapes[0][0].source == Sphere(1)
    with pytest.warns(MeshWarning, match="no collision geometry: visual geometry is used"):
        robot = loaded(tmp_path, link("a", visual))
    assert robot.shapes[0][0].source == Sphere(1)
    with pytest.warns(MeshWarning, match="no geometry at all"):
        loaded(tmp_path, link("a"))
    with pytest.raises(TocsinError, match="no visual geometry"):
        loaded(tmp_path, link("a", BOX), geometry="visual")


def test_geometry_that_is_not_asked_for_is_not_read(tmp_path):
    broken = '<visual><geometry><mesh filename="gone.dae"/></geometry></visual>'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded(tmp_path, link("a", broken + BOX))
    with pytest.raises(TocsinError, match=r"visual of link 'a'.*gone\.dae"):
        load_urdf(tmp_path / "made.urdf", geometry="visual")


def test_a_loaded_robot_is_asked_like_any_other(tmp_path):
    ball = '<collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision>'
    robot = Robot.from_urdf(_file(tmp_path, robot_of(link("a"), link("b", ball), joint())))
    wall = tocsin.Body(Box((0.1, 1, 1)), np.array([[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
    hit = tocsin.Scene(robot, wall).first_contact(robot.move([0.0], [math.pi]))
    # The ball's centre, at angle s, touches the wall's side x = 0.05 when cos(s) = 0.15.
    assert hit.time == pytest.approx(math.acos(0.15) / math.pi, abs=1e-4)


def _file(folder, text):
    file = folder / "made.urdf"
    file.write_text(text)
    return file


# ---- what is wrong with a file -------------------------------------------------------------------------------------

TWO = link("a") + link("b", BOX)

WRONG = {
    "no links": ("", "has no links"),
    "unnamed link": ("<link/>", "a <link> .* has no name"),
    "unnamed joint": (TWO + joint(name=" "), "a <joint> .* has no name"),
    "two links of a name": (link("a") + link("a"), "two links named 'a'"),
    "two joints of a name": (TWO + link("c") + joint() + joint(child="c"), "two joints named 'j'"),
    "unknown type": (TWO + joint(kind="ball"), "type of joint 'j' .* 'spherical'; got 'ball'"),
    "no type": (TWO + joint(kind=""), "joint 'j'.*needs the attribute 'type'"),
    "no parent": (TWO + '<joint name="j" type="fixed"><child link="b"/></joint>', "joint 'j' .* has no <parent>"),
    "no child": (TWO + '<joint name="j" type="fixed"><parent link="a"/></joint>', "joint 'j' .* has no <child>"),
    "two children": (TWO + joint(more='<child link="a"/>'), "joint 'j' has 2 <child> elements"),
    "parent without link": (TWO + joint(parent=""), "joint 'j'.*<parent>.*needs the attribute 'link'"),
    "unknown parent": (TWO + joint(parent="x"), "parent of joint 'j' .*no link 'x'; links are: 'a', 'b'"),
    "unknown child": (TWO + joint(child="x"), "child of joint 'j' .*no link 'x'"),
    "joined to itself": (TWO + joint(child="a"), "joint 'j' .* joins link 'a' to itself"),
    "two parents": (
        TWO + link("c") + joint() + joint("k", parent="c"),
        "link 'b' is the child of two joints, 'j' and 'k'",
    ),
    "a cycle": (TWO + joint() + joint("k", parent="b", child="a"), "cycle"),
    "a cycle beside a tree": (TWO + link("c") + joint(parent="c") + joint("k", parent="b", child="c"), "cycle"),
    "two roots": (TWO, "2 roots: 'a', 'b'"),
    "zero axis": (TWO + joint(more='<axis xyz="0 0 0"/>'), "axis of joint 'j' .* must not be zero"),
    "nan axis": (TWO + joint(more='<axis xyz="0 nan 0"/>'), "joint 'j': xyz='0 nan 0' of its <axis>"),
    "nan axis of a fixed joint": (TWO + joint(kind="fixed", more='<axis xyz="nan 0 0"/>'), "xyz='nan 0 0'"),
    "axis of two numbers": (TWO + joint(more='<axis xyz="0 1"/>'), "xyz='0 1' of its <axis> .* 3 finite numbers"),
    "what xacro would have expanded": (
        TWO + joint(more='<origin xyz="$(optenv IMU 0 0 1)"/>'),
        r"must be 3 finite numbers. \$\(...\) and \$\{...\} are xacro's: let its name end in .xacro",
    ),
    "words for an axis": (TWO + joint(more='<axis xyz="z z z"/>'), "3 finite numbers"),
    "underscores": (TWO + joint(more='<axis xyz="1_0 0 0"/>'), "3 finite numbers"),
    "infinite limit": (TWO + joint(more='<limit lower="-inf" upper="inf"/>'), "joint 'j': lower='-inf'"),
    "limits reversed": (
        TWO + joint(more='<limit lower="1" upper="-1"/>'),
        "limits of joint 'j' .* lower 1 > upper -1",
    ),
    "infinite origin": (TWO + joint(more='<origin xyz="0 inf 0"/>'), "joint 'j': xyz='0 inf 0' of its <origin>"),
    "too far": (TWO + joint(more='<origin xyz="0 1e300 0"/>'), "joint 'j': its <origin> .* too far"),
    "empty rpy": (TWO + joint(more='<origin rpy=""/>'), "joint 'j': rpy=''"),
    "two origins": (TWO + joint(more="<origin/><origin/>"), "joint 'j' has 2 <origin> elements"),
    "mimics itself": (TWO + joint(more='<mimic joint="j"/>'), "joint 'j' .* mimics itself"),
    "mimics a stranger": (TWO + joint(more='<mimic joint="x"/>'), "mimic of joint 'j' .*no joint 'x'"),
    "mimics nobody": (TWO + joint(more="<mimic/>"), "joint 'j'.*<mimic>.*needs the attribute 'joint'"),
    "mimics in a circle": (
        TWO
        + link("c")
        + joint(more='<mimic joint="k"/>')
        + joint("k", parent="b", child="c", more='<mimic joint="j"/>'),
        "mimics itself: j -> k -> j",
    ),
    "mimics a fixed joint": (
        TWO + link("c") + joint(more='<mimic joint="k"/>') + joint("k", kind="fixed", child="c"),
        "joint 'j' mimics 'k', which is fixed",
    ),
    "planar mimic": (TWO + joint(kind="planar", more='<mimic joint="j2"/>'), "joint 'j'"),
    "nan multiplier": (
        TWO + link("c") + joint(more='<mimic joint="k" multiplier="nan"/>') + joint("k", child="c"),
        "joint 'j': multiplier='nan'",
    ),
    "no geometry": (link("a", "<collision/>"), "collision of link 'a' .* has no <geometry>"),
    "empty geometry": (shaped(""), "collision of link 'a' .* has 0 shapes"),
    "two shapes": (shaped('<sphere radius="1"/><box size="1 1 1"/>'), "has 2 shapes"),
    "second collision": (link("a", BOX + "<collision/>"), "collision 2 of link 'a'"),
    "unknown shape": (shaped('<cone radius="1"/>'), "shape of the collision of link 'a' .* 'plane'; got 'cone'"),
    "box without size": (shaped("<box/>"), "collision of link 'a'.*needs the attribute 'size'"),
    "box of two sizes": (shaped('<box size="1 2"/>'), "size='1 2' of its <box>"),
    "negative box": (shaped('<box size="1 -2 3"/>'), "link 'a' .*edge length of a box"),
    "negative flat box": (shaped('<box size="0 -2 3"/>'), "link 'a' .*edge length of a box"),
    "negative sphere": (shaped('<sphere radius="-1"/>'), "link 'a' .*radius of a sphere"),
    "nan sphere": (shaped('<sphere radius="nan"/>'), "link 'a': radius='nan'"),
    "sphere without radius": (shaped("<sphere/>"), "needs the attribute 'radius'"),
    "flat cylinder": (shaped('<cylinder radius="1" length="0"/>'), "link 'a' .*length of a cylinder"),
    "cylinder without length": (shaped('<cylinder radius="1"/>'), "needs the attribute 'length'"),
    "mesh without a name": (shaped("<mesh/>"), "needs the attribute 'filename'"),
    "missing mesh": (shaped('<mesh filename="gone.stl"/>'), r"collision of link 'a' .*'gone.stl'.*does not exist"),
    "missing package": (shaped('<mesh filename="package://gone/x.stl"/>'), "link 'a' .*needs the package 'gone'"),
    "mesh outside": (shaped('<mesh filename="../../x.stl"/>'), r"link 'a' .*'../../x.stl'.*outside the folders"),
    "mesh of the web": (shaped('<mesh filename="http://x/y.stl"/>'), "link 'a' .*files are named by"),
    "scale zero": (shaped('<mesh filename="made.urdf" scale="1 0 1"/>'), "link 'a' .*scale of zero"),
    "nan scale": (shaped('<mesh filename="made.urdf" scale="nan"/>'), "scale='nan'.* 1 or 3 finite numbers"),
    "mesh of no known kind": (shaped('<mesh filename="made.urdf"/>'), "link 'a' .*urdf"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named(tmp_path, case):
    elements, sentence = WRONG[case]
    with pytest.raises(TocsinError, match=sentence):
        loaded(tmp_path, elements)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('<mujoco model="m"/>', "a MuJoCo file: Robot.from_mjcf reads it"),
        ('<sdf version="1.6"/>', "an SDF file"),
        ("<html/>", "outermost element is <html>, not <robot>"),
        ('<robot name="x"><xacro:property name="y" value="1"/></robot>', "has <xacro:property>: expand it"),
        ("<robot", "not well-formed XML"),
        ('<!DOCTYPE robot [<!ENTITY x "y">]><robot name="&x;"/>', "document type"),
    ],
)
def test_files_of_other_kinds_are_refused_by_name(tmp_path, text, sentence):
    with pytest.raises(TocsinError, match=sentence):
        loaded(tmp_path, text=text)


def test_arguments_are_checked(tmp_path):
    with pytest.raises(TocsinError, match="geometry must be one of 'collision', 'visual'; got 'both'"):
        loaded(tmp_path, link("a", BOX), geometry="both")
    with pytest.raises(TocsinError, match="base"):
        loaded(tmp_path, link("a", BOX), base="flying")
    with pytest.raises(TocsinError, match=r"xacro_arguments are for files that end in \.xacro"):
        loaded(tmp_path, link("a", BOX), xacro_arguments={"x": "1"})
    with pytest.raises(TocsinError, match="does not exist"):
        load_urdf(tmp_path / "gone.urdf")


def test_a_hundred_megabytes_of_garbage_are_refused_at_once(tmp_path):
    file = tmp_path / "garbage.urdf"
    file.write_bytes(random.Random(1).randbytes(1000) * 100_000)
    refusal(load_urdf, file, "not XML", calls=10_000)


def test_more_links_than_any_robot_has_are_refused_quickly(tmp_path):
    text = robot_of(*[link(f"l{k}") for k in range(50_000)])
    (tmp_path / "many.urdf").write_text(text)
    refusal(load_urdf, tmp_path / "many.urdf", "50000 links; at most 2000")


def test_shapes_that_would_make_millions_of_pairs_are_refused_before_one_is_made(tmp_path):
    links = [f'<link name="l{k}">{"<collision/>" * 50_000}</link>' for k in (0, 1)]
    (tmp_path / "pairs.urdf").write_text(robot_of(*links))
    refusal(load_urdf, tmp_path / "pairs.urdf", "2500000000 pairs of them are on different links")


WHOLE = robot_of(
    *[link(n, BOX) for n in "abcdef"],
    shaped('<cylinder radius="0.1" length="1"/>', '<origin xyz="0 0 1" rpy="0 1 0"/>').replace('"a"', '"g"'),
    joint("one", more='<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'),
    joint("two", "prismatic", "b", "c", '<axis xyz="1 0 0"/><limit lower="0" upper="0.5"/>'),
    joint("three", "continuous", "c", "d", '<mimic joint="one" multiplier="2" offset="0.1"/>'),
    joint("four", "fixed", "d", "e", '<origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/>'),
    joint("five", "floating", "e", "f", ""),
    joint("six", "planar", "f", "g", '<axis xyz="0 0 1"/>'),
)

SPLINTERS = (
    "nan",
    "inf",
    "-1",
    "0",
    "1e999",
    "<",
    ">",
    '"',
    "&",
    "a",
    "b",
    "joint",
    "link",
    "/",
    " ",
    "\0",
    "é",
    "<a>",
)
VALUES = (
    "nan",
    "inf",
    "-1",
    "0",
    "0 0 0",
    "1 2 3",
    "1e999",
    "1e-320",
    "",
    "a",
    "b",
    "g",
    "one",
    "three",
    "fixed",
    "planar",
)


def mutated(text, rng):
    """Return the text with one to four changes: bites, copies and splinters anywhere, or other values of attributes."""
    for _ in range(rng.randint(1, 4)):
        if rng.random() < 0.7:
            values = list(re.finditer(r'(?<==")[^"]*', text))
            i, k = rng.choice(values).span() if values else (0, 0)
            piece = rng.choice(VALUES)
        else:
            i = rng.randrange(len(text) + 1)
            k = i + rng.choice((0, 1, 1, 2, 8, 40))
            other = rng.randrange(len(text) + 1)
            piece = rng.choice((rng.choice(SPLINTERS), "", text[other : other + rng.randint(1, 60)]))
        text = text[:i] + piece + text[k:]
    return text


def attack(folder, count, seed):
    """Load mutated files; return how many loaded and how many were refused. Anything but a TocsinError escapes."""
    rng = random.Random(seed)
    file = folder / "mutated.urdf"
    loads = refusals = 0
    for _ in range(count):
        file.write_text(mutated(WHOLE, rng), encoding="utf-8")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                robot = load_urdf(file)
        except TocsinError:
            refusals += 1
        else:
            assert np.isfinite(robot.link_poses(robot.rest[7:])).all()
            loads += 1
    return loads, refusals


def test_mutated_files_load_or_are_refused_and_nothing_else(tmp_path):
    loads, refusals = attack(tmp_path, 1000, 1)
    assert loads > 20
    assert refusals > 300


@pytest.mark.slow
def test_ten_thousand_mutated_files_load_or_are_refused(tmp_path):
    loads, refusals = attack(tmp_path, 10_000, 2)
    assert loads + refusals == 10_000


def test_commas_between_numbers_are_read_with_a_remark(tmp_path):
    with pytest.warns(UserWarning, match=r"size='1, 2,3' \(line 1\) has commas; numbers are separated by spaces"):
        robot = loaded(tmp_path, shaped('<box size="1, 2,3"/>', '<origin xyz="1 0 0"/>'))
    assert robot.shapes[0][0].source == Box((1, 2, 3))


@pytest.mark.parametrize("size", ["1,5 2", "1,5 2 3", "1,,2,3", "1,2,3,", "1;2;3", ",1,2,3"])
def test_commas_that_could_be_decimals_or_nothing_are_refused(tmp_path, size):
    with pytest.raises(TocsinError, match="must be 3 finite numbers"):
        loaded(tmp_path, shaped(f'<box size="{size}"/>'))


@pytest.mark.parametrize("normal", [(0, 0, 1), (0, 1, 0), (1, -2, 0.5)])
def test_a_plane_is_the_top_of_a_large_box_with_a_remark(tmp_path, normal):
    given = " ".join(map(str, normal))
    with pytest.warns(MeshWarning, match="the collision of link 'a' is a <plane>, which no URDF has"):
        robot = loaded(tmp_path, shaped(f'<plane normal="{given}"/>'))
    points = robot.shapes[0][0].source.points
    heights = points @ np.array(normal) / np.linalg.norm(normal)
    np.testing.assert_allclose(np.sort(heights), [-1000.0] * 4 + [0.0] * 4, atol=1e-9)
    across = points - np.outer(heights, normal) / np.linalg.norm(normal)
    np.testing.assert_allclose(np.linalg.norm(across, axis=1), 1000.0 * math.sqrt(2.0))


def test_a_joint_on_the_world_needs_no_such_link(tmp_path):
    with pytest.warns(UserWarning, match="has a joint on the link 'world' and no such link: it is taken for the world"):
        robot = loaded(tmp_path, link("a", BOX), joint(parent="world", child="a"))
    assert robot.link_names == ("world", "a")
    assert robot.source is None  # so that a proof spells its links out


def test_a_spherical_joint_as_bullet_has_it_is_a_ball_joint(tmp_path):
    robot = loaded(tmp_path, TWO, joint(kind="spherical"))
    assert [(j.kind, j.width) for j in robot.joints] == [("ball", 4)]


def test_a_plane_without_a_direction_is_refused(tmp_path):
    with pytest.raises(TocsinError, match="the normal of the collision of link 'a'"):
        loaded(tmp_path, shaped('<plane normal="0 0 0"/>'))
