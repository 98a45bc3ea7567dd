"""Links that always, sometimes or never touch: counted as they are, kept, ignored only as far as was asked."""

import io
import sys

import numpy as np
import pytest

from data import example_robots, robot_file
from tocsin import Body, Box, Mesh, MeshWarning, Robot, RobotBuilder, Scene, Sphere, TocsinError
from tocsin.compiler.store import Store
from tocsin.io import overlaps
from tocsin.io.overlaps import find_always, find_overlaps
from tocsin.io.srdf import read_srdf

pytestmark = pytest.mark.filterwarnings("ignore::tocsin.MeshWarning")


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    """Count anew in every test, while compiled kernels stay where they are."""
    monkeypatch.setattr(overlaps.cache, "ARRAYS", Store("arrays", root=tmp_path))


def spheres(rest=0.0):
    """A chain of balls in a plane: the first and third always overlap, the fourth swings, the fifth is far away."""
    b = RobotBuilder("balls")
    b.link("base", Sphere(0.3))
    b.link("second", Sphere(0.1), parent="base", joint="revolute", limits=(-3, 3))
    b.link("third", (Sphere(0.2), (0.1, 0, 0)), parent="second", joint="revolute", axis=(0, 1, 0))
    b.link("fourth", (Sphere(0.2), (0.6, 0, 0)), parent="third", joint="revolute", origin=(0.5, 0, 0), limits=(0, 3.1))
    b.link("fifth", (Sphere(0.1), (9, 0, 0)), parent="fourth", joint="prismatic", limits=(0, 1))
    robot = b.build()
    robot.stand_at({"fourth_joint": rest})
    return robot


def by_hand(robot, rows):
    """Count with nothing but centres and radii."""
    names = robot.link_names
    counts = {}
    for row in rows:
        poses = robot.link_poses(row[7:])
        balls = [(p @ np.append(s[0].placement[:3, 3], 1))[:3] for p, s in zip(poses, robot.shapes)]
        for i in range(len(names)):
            for k in range(i + 2, len(names)):
                gap = np.linalg.norm(balls[i] - balls[k]) - robot.shapes[i][0].radius - robot.shapes[k][0].radius
                counts[names[i], names[k]] = counts.get((names[i], names[k]), 0) + bool(gap <= 1e-5)
    return counts


def test_pairs_are_counted_as_their_distances_say():
    robot = spheres()
    found = find_overlaps(robot, samples=700)
    assert found.counts == by_hand(robot, overlaps._drawn(robot, 700, 0))
    assert found.adjacent == (("base", "second"), ("second", "third"), ("third", "fourth"), ("fourth", "fifth"))
    assert found.always == (("base", "third"),)
    assert ("base", "fourth") in found.sometimes
    assert ("base", "fifth") in found.never
    assert found.standing == ()
    assert len(found.always) + len(found.sometimes) + len(found.never) == len(found.counts) == 6


def test_a_pair_that_touches_where_the_robot_stands_is_told_apart():
    assert find_overlaps(spheres(3.1), samples=300).standing == (("base", "fourth"), ("second", "fourth"))


def test_only_pairs_that_always_touch_are_ignored_unless_more_is_asked_for():
    robot = spheres()
    found = find_overlaps(robot, samples=300)
    adjacent = set(robot.ignored)
    assert found.apply(robot) == (("base", "third"),)
    assert robot.ignored - adjacent == {(0, 2)}
    found.apply(robot, never=True)
    assert len(robot.ignored - adjacent) == 1 + len(found.never)


def test_a_pair_that_touches_rarely_is_still_proven_after_sampling_missed_it():
    """The needle meets the plate only near one angle: few samples say never, and a query still finds it."""
    b = RobotBuilder("needle")
    b.link("plate", (Box((0.01, 0.01, 0.5)), (1, 0, 0)))
    b.link("hub", parent="plate", joint="revolute", limits=(0.5, 6.2))
    b.link("mid", (Sphere(0.01), (0, 0, 2)), parent="hub")
    b.link("needle", (Box((2.0, 0.002, 0.002)), (0, 0, 0)), parent="mid")
    robot = b.build()
    robot.stand_at([1.0])
    found = find_overlaps(robot, samples=5)
    assert ("plate", "needle") in found.never
    found.apply(robot)
    assert Scene(robot).first_contact(robot.move([0.5], [6.2])).collides


def test_the_same_question_gives_the_same_answer_and_is_kept(tmp_path, monkeypatch):
    first = find_overlaps(spheres(), samples=200, seed=4)
    assert len(list((tmp_path / "arrays").iterdir())) == 1
    monkeypatch.setattr(overlaps, "_count", lambda *_: pytest.fail("it was counted again"))
    assert find_overlaps(spheres(), samples=200, seed=4) == first
    ignoring = spheres()
    ignoring.ignore("base", "fourth")
    assert find_overlaps(ignoring, samples=200, seed=4) == first


def test_whatever_matters_makes_another_question(tmp_path):
    def kept():
        return len(list((tmp_path / "arrays").iterdir()))

    find_overlaps(spheres(), samples=20)
    find_overlaps(spheres(), samples=20, seed=1)
    find_overlaps(spheres(), samples=21)
    find_overlaps(spheres(1.0), samples=20)
    assert kept() == 4


def test_a_damaged_or_missing_cache_only_costs_time(tmp_path):
    first = find_overlaps(spheres(), samples=50)
    for file in (tmp_path / "arrays").iterdir():
        file.write_bytes(b"damaged")
    assert find_overlaps(spheres(), samples=50) == first
    with overlaps.cache.bypassed():
        assert find_overlaps(spheres(), samples=50) == first


def test_samples_lie_within_the_limits_and_quaternions_are_unit():
    b = RobotBuilder("all kinds")
    b.link("root", Sphere(0.1))
    kinds = {"revolute": (-0.5, 0.25), "prismatic": (1.0, 2.0), "continuous": None, "planar": None, "ball": None}
    last = "root"
    for kind, limits in {**kinds, "floating": None}.items():
        b.link(kind, Sphere(0.1), parent=last, joint=kind, limits=limits)
        last = kind
    b.link("wide", Sphere(0.1), parent=last, joint="revolute", limits=(-1e9, 1e9))
    robot = b.build()
    rows = overlaps._drawn(robot, 500, 2)[:, 7:]
    assert rows[:, 0].min() >= -0.5
    assert rows[:, 0].max() <= 0.25
    assert rows[:, 1].min() >= 1.0
    assert np.abs(rows[:, 2]).max() <= np.pi
    np.testing.assert_allclose(np.linalg.norm(rows[:, 6:10], axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(rows[:, 13:17], axis=1), 1.0, atol=1e-12)
    assert np.abs(rows[:, 17]).max() <= np.pi
    assert find_overlaps(robot, samples=50).samples == 50


def test_links_without_shapes_or_with_empty_meshes_are_in_no_list():
    b = RobotBuilder("frames")
    b.link("a", Sphere(0.1)).link("b", parent="a", joint="revolute")
    b.link("c", Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)), parent="b").link("d", Sphere(0.1), parent="c")
    b.link("e", Sphere(0.1), parent="d", joint="revolute", origin=(5, 0, 0))
    found = find_overlaps(b.build(), samples=5)
    assert {link for pair in (*found.adjacent, *found.counts) for link in pair} <= {"a", "d", "e"}


def test_a_solid_inside_another_touches_it():
    cube = Box((1, 1, 1)).tessellate()
    b = RobotBuilder("nested")
    b.link("shell", cube, solid=True)
    b.link("arm", Sphere(0.01), parent="shell", joint="revolute", origin=(3, 0, 0))
    b.link("core", (cube.scaled(0.1), (-3, 0, 0)), parent="arm")
    found = find_overlaps(b.build(), samples=100)
    assert 0 < found.counts["shell", "core"] < 100


def test_the_result_is_written_as_srdf_with_its_reasons(tmp_path):
    robot = spheres()
    found = find_overlaps(robot, samples=100)
    found.write_srdf(tmp_path / "a.srdf", robot)
    reasons = read_srdf(tmp_path / "a.srdf").disabled
    assert reasons["base", "third"] == "Always"
    assert reasons["base", "second"] == "Adjacent"
    assert "Never" not in reasons.values()
    found.write_srdf(tmp_path / "b.srdf", robot, never=True)
    assert read_srdf(tmp_path / "b.srdf").disabled["base", "fifth"] == "Never"
    again = spheres()
    read_srdf(tmp_path / "b.srdf").apply(again)
    found.apply(robot, never=True)
    assert again.ignored == robot.ignored


def test_a_progress_bar_is_shown_when_asked_for_and_not_otherwise(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    find_overlaps(spheres(), samples=300)
    assert stream.getvalue() == ""
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    find_overlaps(spheres(), samples=301, progress=True)
    assert "balls: links that touch" in stream.getvalue()


def test_without_rich_there_is_no_bar_and_the_same_answer(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert find_overlaps(spheres(), samples=30, progress=True) == find_overlaps(spheres(), samples=30)


@pytest.mark.parametrize(
    ("options", "what"), [({"samples": 0}, "samples"), ({"seed": -1}, "seed"), ({"seed": 0.5}, "seed")]
)
def test_arguments_are_checked(options, what):
    with pytest.raises(TocsinError, match=what):
        find_overlaps(spheres(), **options)


def test_a_robot_whose_links_overlap_by_design_becomes_usable():
    file = robot_file("fetch_mbm")
    tucked = {
        "shoulder_pan_joint": 1.32,
        "shoulder_lift_joint": 1.4,
        "elbow_flex_joint": 1.72,
        "wrist_flex_joint": 1.66,
    }
    by_design = {frozenset(("torso_lift_link", "torso_fixed_link"))}

    def touching(robot):
        return {frozenset((c.link_a, c.link_b)) for c in Scene(robot).first_contact(robot.at(tucked)).contacts}

    assert by_design <= touching(Robot.from_urdf(file))
    assert not by_design & touching(Robot.from_urdf(file, ignore_overlapping=True))


@pytest.mark.parametrize("rest", [0.0, 3.1])
@pytest.mark.parametrize("samples", [5, 20, 300])
def test_what_always_touches_is_found_without_counting_the_rest(rest, samples):
    robot = spheres(rest)
    found = find_overlaps(robot, samples=samples)
    assert find_always(robot, samples=samples) == (found.always, found.standing)


def test_what_always_touches_on_real_meshes_is_what_counting_finds():
    robot = Robot.from_urdf(robot_file("fetch_mbm"))
    found = find_overlaps(robot, samples=600)
    always, standing = find_always(robot, samples=600)
    assert (set(always), set(standing)) == (set(found.always), set(found.standing))
    assert always


def test_what_a_robot_carries_is_no_link_of_its_own():
    robot = spheres()
    robot.attach(Body(Sphere(0.3), (0.1, 0, 0), name="load"), link="third")
    assert find_overlaps(robot, samples=50) == find_overlaps(spheres(), samples=50)
    assert find_always(robot, samples=50) == find_always(spheres(), samples=50)


def test_a_robot_that_still_touches_itself_says_where():
    file = example_robots() / "panda_description/urdf/panda.urdf"
    with pytest.warns(MeshWarning, match="'panda' touches itself where it stands, though not always: .*ignore_overl"):
        robot = Robot.from_urdf(file, ignore_overlapping=True)
    assert Scene(robot).first_contact().collides
    robot.ignore_overlapping_at()
    assert not Scene(robot).first_contact().collides


def test_counts_on_real_meshes_agree_with_single_queries():
    robot = Robot.from_urdf(example_robots() / "ur_description/urdf/ur5_robot.urdf")
    samples = 40
    found = find_overlaps(robot, samples=samples, seed=3)
    counts = dict.fromkeys(found.counts, 0)
    for row in overlaps._drawn(robot, samples, 3):
        for a, b in counts:
            alone = Scene(robot)
            for c, d in counts:
                if (c, d) != (a, b):
                    alone.ignore(c, d)
            counts[a, b] += alone.first_contact(robot.at(row[7:])).collides
    assert counts == found.counts
