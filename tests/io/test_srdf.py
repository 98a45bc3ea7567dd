"""SRDF files give a robot ignored pairs, groups and states; stale names are left out, and that is said."""

import warnings
from xml.etree import ElementTree

import pytest

from data import data_folder, example_robots, robot_file
from tocsin import Box, RobotBuilder, TocsinError
from tocsin.io.srdf import StaleNameWarning, read_srdf, write_srdf
from tocsin.io.urdf import load_urdf

BALL = Box((0.1, 0.1, 0.1))


def arm():
    """A torso with two arms of two joints each, a mimic finger and a mobile foot."""
    b = RobotBuilder("arm")
    b.link("torso", BALL)
    for side in ("left", "right"):
        b.link(f"{side}_upper", BALL, parent="torso", joint="revolute", joint_name=f"{side}_shoulder")
        b.link(f"{side}_frame", parent=f"{side}_upper", joint_name=f"{side}_fixed")
        b.link(f"{side}_lower", BALL, parent=f"{side}_frame", joint="revolute", joint_name=f"{side}_elbow")
    b.link("finger", BALL, parent="left_lower", joint="prismatic", joint_name="grip", mimic=("left_elbow", 1.0, 0.0))
    b.link("foot", BALL, parent="torso", joint="planar", joint_name="walk")
    return b.build()


def read(folder, inside):
    file = folder / "arm.srdf"
    file.write_text(f'<robot name="arm">{inside}</robot>')
    return read_srdf(file)


def applied(folder, inside):
    robot = arm()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(folder, inside).apply(robot)
    return robot


def pairs(robot):
    return {frozenset((robot.link_names[i], robot.link_names[k])) for i, k in robot.ignored}


def test_disabled_pairs_are_ignored_and_no_others(tmp_path):
    pair = '<disable_collisions link1="right_lower" link2="left_lower" reason="Never"/>'
    robot = applied(tmp_path, pair)
    assert pairs(robot) - pairs(arm()) == {frozenset(("left_lower", "right_lower"))}
    assert read(tmp_path, pair).disabled == {("left_lower", "right_lower"): "Never"}


def test_links_disabled_by_default_are_ignored_except_with_those_enabled(tmp_path):
    robot = applied(
        tmp_path,
        '<disable_default_collisions link="foot"/><enable_collisions link1="foot" link2="finger"/>'
        '<enable_collisions link1="foot" link2="left_upper"/><disable_collisions link1="left_upper" link2="foot"/>',
    )
    with_foot = {link for pair in pairs(robot) if "foot" in pair for link in pair} - {"foot"}
    assert with_foot == set(robot.link_names) - {"foot", "finger"}


@pytest.mark.parametrize(
    ("inside", "joints"),
    [
        ('<joint name="left_elbow"/><joint name="left_shoulder"/>', ("left_elbow", "left_shoulder")),
        ('<link name="left_lower"/><link name="torso"/>', ("left_elbow",)),
        ('<chain base_link="torso" tip_link="left_lower"/>', ("left_shoulder", "left_elbow")),
        ('<chain base_link="left_upper" tip_link="finger"/>', ("left_elbow",)),
        (
            '<chain base_link="left_lower" tip_link="right_lower"/>',
            ("left_elbow", "left_shoulder", "right_shoulder", "right_elbow"),
        ),
        ('<group name="other"/><joint name="left_elbow"/>', ("left_elbow", "right_elbow")),
        ('<joint name="left_fixed"/><joint name="grip"/><joint name="walk"/>', ("walk",)),
        ('<joint name="to_world"/><joint name="root_joint"/><joint name="left_elbow"/>', ("left_elbow",)),
        ("", ()),
    ],
)
def test_a_group_is_the_joints_it_leads_to_in_its_own_order(tmp_path, inside, joints):
    robot = applied(
        tmp_path,
        f'<group name="g">{inside}</group><group name="other"><joint name="right_elbow"/></group>'
        '<virtual_joint name="to_world" type="floating" parent_frame="world" child_link="torso"/>',
    )
    assert robot.groups["g"] == joints
    assert robot.groups["other"] == ("right_elbow",)


def test_a_motion_names_a_group(tmp_path):
    robot = applied(tmp_path, '<group name="left"><chain base_link="torso" tip_link="left_lower"/></group>')
    motion = robot.move([0.1, 0.2], [0.3, 0.4], group="left")
    assert motion.rows[1][7:].tolist() == [0.3, 0.4, 0, 0, 0, 0, 0]


def test_states_are_named_configurations(tmp_path):
    robot = applied(
        tmp_path,
        '<group_state name="home" group="left"><joint name="left_elbow" value="0.5"/>'
        '<joint name="walk" value="1 2 0.5"/><joint name="grip" value="1"/>'
        '<joint name="root_joint" value="0 0 0 0 0 0 1"/></group_state>'
        '<group_state name="out" group="left"><joint name="left_elbow" value="1"/></group_state>'
        '<group_state name="out" group="right"><joint name="right_elbow" value="2"/></group_state>',
    )
    assert robot.states == {
        "home": {"left_elbow": 0.5, "walk": (1.0, 2.0, 0.5)},
        "left/out": {"left_elbow": 1.0},
        "right/out": {"right_elbow": 2.0},
    }
    assert robot.configuration(robot.states["home"]).tolist() == [0, 0.5, 0, 0, 1, 2, 0.5]


def test_names_that_the_robot_does_not_have_are_left_out_and_listed(tmp_path):
    robot = arm()
    srdf = read(
        tmp_path,
        '<disable_collisions link1="gone" link2="torso"/><disable_collisions link1="left_lower" link2="right_lower"/>'
        '<group name="whole"><joint name="left_elbow"/></group>'
        '<group name="half"><joint name="left_elbow"/><joint name="lost"/></group>'
        '<group name="over"><group name="half"/><group name="undefined"/></group>'
        '<group name="chain"><chain base_link="torso" tip_link="nowhere"/></group>'
        '<group_state name="s" group="whole"><joint name="left_elbow" value="1"/><joint name="lost" value="1"/>'
        "</group_state>",
    )
    with pytest.warns(StaleNameWarning) as caught:
        srdf.apply(robot)
    assert len(caught) == 1
    said = str(caught[0].message)
    for part in (
        "arm.srdf",
        "link 'gone'",
        "group 'half'",
        "'lost'",
        "group 'over'",
        "'undefined'",
        "'nowhere'",
        "of state 's'",
    ):
        assert part in said
    assert robot.groups == {"whole": ("left_elbow",)}
    assert robot.states == {"s": {"left_elbow": 1.0}}
    assert frozenset(("left_lower", "right_lower")) in pairs(robot)


def test_a_long_list_of_stale_names_is_cut(tmp_path):
    many = "".join(f'<disable_collisions link1="gone{k}" link2="torso"/>' for k in range(500))
    with pytest.warns(StaleNameWarning, match="and 488 more") as caught:
        read(tmp_path, many).apply(arm())
    assert len(str(caught[0].message)) < 1000


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        ('<disable_collisions link1="a"/>', "needs the attribute 'link2'"),
        ('<disable_collisions link1="a" link2="a"/>', "pairs link 'a' with itself"),
        ("<group/>", "needs the attribute 'name'"),
        ('<group name="g"><joint/></group>', "group 'g': its <joint> .* 'name'"),
        ('<group name="g"><chain base_link="a"/></group>', "group 'g': its <chain> .* 'tip_link'"),
        ('<group name="g"><group name="g"/></group>', "contain each other: g -> g"),
        (
            '<group name="g"><group name="h"/></group><group name="h"><group name="g"/></group>',
            "contain each other: g -> h -> g",
        ),
        ('<group_state group="g"/>', "needs the attribute 'name'"),
        ('<group_state name="s" group="g"><joint name="j"/></group_state>', "state 's', joint 'j': .* 'value'"),
        ('<group_state name="s" group="g"><joint name="j" value="nan"/></group_state>', "value='nan'"),
        ('<virtual_joint type="fixed"/>', "a <virtual_joint> .* has no name"),
    ],
)
def test_what_is_malformed_is_refused(tmp_path, inside, sentence):
    with pytest.raises(TocsinError, match=sentence):
        read(tmp_path, inside)


def test_a_state_with_too_many_values_for_a_joint_is_refused(tmp_path):
    srdf = read(tmp_path, '<group_state name="s" group="g"><joint name="left_elbow" value="1 2"/></group_state>')
    with pytest.raises(TocsinError, match="state 's': joint 'left_elbow' is revolute and has 1 value; got 2"):
        srdf.apply(arm())


def test_groups_nested_without_end_are_refused(tmp_path):
    chain = "".join(f'<group name="g{k}"><group name="g{k + 1}"/></group>' for k in range(2000))
    with pytest.raises(TocsinError, match="nested more than 100 deep"):
        read(tmp_path, chain + '<group name="g2000"/>')


def test_groups_that_share_subgroups_a_thousandfold_are_worked_out_once(tmp_path):
    twice = "".join(f'<group name="g{k}"><group name="g{k + 1}"/><group name="g{k + 1}"/></group>' for k in range(60))
    robot = applied(tmp_path, twice + '<group name="g60"><joint name="left_elbow"/></group>')
    assert robot.groups["g0"] == ("left_elbow",)


def test_files_of_other_kinds_are_refused(tmp_path):
    (tmp_path / "x.srdf").write_text("<urdf/>")
    with pytest.raises(TocsinError, match="is not an SRDF: its outermost element is <urdf>"):
        read_srdf(tmp_path / "x.srdf")
    (tmp_path / "x.srdf").write_text('<robot name="arm"><link name="a"/></robot>')
    with pytest.raises(TocsinError, match="is not an SRDF: it holds links and joints, as a URDF does"):
        read_srdf(tmp_path / "x.srdf")
    (tmp_path / "x.srdf").write_text('<robot name="arm"><xacro:include filename="b"/></robot>')
    with pytest.raises(TocsinError, match="is a xacro file; expand it first"):
        read_srdf(tmp_path / "x.srdf")
    (tmp_path / "x.srdf").write_text('<!DOCTYPE a [<!ENTITY b "c">]><robot/>')
    with pytest.raises(TocsinError, match="document type"):
        read_srdf(tmp_path / "x.srdf")


def test_what_is_written_reads_back_the_same(tmp_path):
    robot = arm()
    robot.ignore("left_lower", "right_lower")
    robot.groups = {"left": ("left_shoulder", "left_elbow"), "hard & <fast>": ("right_elbow",)}
    robot.states = {"home": {"left_elbow": 0.1 + 0.2}, "apart": {"left_elbow": 1.0, "walk": (1.0, 2.0, 3.0)}}  # type: ignore[dict-item]
    write_srdf(tmp_path / "out.srdf", robot, {("finger", "foot"): "Never"})
    again = arm()
    srdf = read_srdf(tmp_path / "out.srdf")
    srdf.apply(again)
    assert again.groups == {**robot.groups, "all": robot.joint_names}
    assert again.states == robot.states
    assert pairs(again) == pairs(robot) | {frozenset(("finger", "foot"))}
    assert srdf.disabled["left_lower", "right_lower"] == "User"
    assert srdf.disabled["left_upper", "torso"] == "Adjacent"
    assert srdf.disabled["finger", "foot"] == "Never"
    assert {state.name: state.group for state in srdf.states} == {"home": "left", "apart": "all"}


def test_a_pair_or_a_place_that_is_not_there_is_not_written(tmp_path):
    with pytest.raises(TocsinError, match="no link 'gone'"):
        write_srdf(tmp_path / "out.srdf", arm(), {("gone", "foot"): "Never"})
    with pytest.raises(TocsinError, match="cannot write the SRDF"):
        write_srdf(tmp_path, arm())


@pytest.mark.parametrize(("name", "arm_joints"), [("panda", 7), ("fetch", 8)])
def test_the_planning_robots_have_their_groups_and_pairs(name, arm_joints):
    folder = f"{name}_mbm"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StaleNameWarning)
        robot = load_urdf(robot_file(folder), srdf=data_folder("robots", folder, f"{name}.srdf"))
    group = {"panda": "panda_arm", "fetch": "arm_with_torso"}[name]
    assert len(robot.groups[group]) == arm_joints
    # Counted with another parser, straight from the file.
    root = ElementTree.parse(data_folder("robots", folder, f"{name}.srdf")).getroot()
    for element in root.iter("disable_collisions"):
        a, b = element.get("link1"), element.get("link2")
        if a in robot.link_names and b in robot.link_names:
            assert frozenset((a, b)) in pairs(robot)


def test_every_srdf_of_the_example_package_is_read():
    files = sorted(example_robots().glob("*/srdf/*.srdf"))
    assert len(files) > 30
    for file in files:
        read_srdf(file)


def test_a_real_robot_takes_its_groups_from_an_srdf():
    robots = example_robots()
    robot = load_urdf(robots / "pr2_description/urdf/pr2.urdf", srdf=robots / "pr2_description/srdf/pr2.srdf")
    assert len(robot.groups["left_arm"]) == 7
    assert len(robot.groups["arms"]) == 14
    assert len(robot.ignored) > 1000
    assert set(robot.states) == {"tuck_right_arm", "tuck_left_arm"}
