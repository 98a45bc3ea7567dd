"""From what was typed to configurations, robots and scenes; what cannot be meant is refused by its option."""

from pathlib import Path

import pytest

from tocsin import Box, RobotBuilder, TocsinError, Trajectory
from tocsin.cli import inputs
from tocsin.cli.options import Around, Ends, Reading

pytestmark = pytest.mark.pure


@pytest.fixture
def arm():
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    for k in range(2):
        parent = "base" if k == 0 else "link0"
        builder.link(f"link{k}", Box((0.1, 0.1, 0.1)), parent=parent, joint="revolute", joint_name=f"j{k}",
                     origin=(0.3, 0, 0), limits=(-2, 2))  # fmt: skip
    return builder.build()


@pytest.mark.parametrize("text", ["0.5,-1", "[0.5 -1]", " 0.5; -1 ", "j1=-1 j0=0.5"])
def test_numbers_and_pairs_mean_the_same(arm, text):
    assert inputs.configuration(arm, text, "--from").tolist() == [0.5, -1.0]


def test_what_the_end_does_not_name_stays_where_the_start_has_it(arm):
    q0, q1 = inputs.ends(arm, Ends("0.5,-1", "j1=1"))
    assert (q0.tolist(), q1.tolist()) == ([0.5, -1.0], [0.5, 1.0])


@pytest.mark.parametrize(("text", "says"), [("up", "States are"), ("j0=1,j0=2", "twice"), ("1,2,3", "--to")])
def test_what_means_no_configuration_is_refused_by_its_option(arm, text, says):
    with pytest.raises(TocsinError, match=says) as refused:
        inputs.configuration(arm, text, "--to")
    assert str(refused.value).startswith("--to")


def test_a_robot_alone_keeps_the_margin_from_itself_and_another_does_not(arm):
    alone = inputs.load_scene(arm, Around(margin=0.25), Reading())
    assert inputs.self_margin_of(alone, 0.25) == 0.25
    own = inputs.load_scene(arm, Around(margin=0.25, self_margin=0.125), Reading())
    assert inputs.self_margin_of(own, 0.25) == 0.125
    assert "from each other" in inputs.kept(own, 0.25)


def test_pairs_that_are_ignored_are_two_names(arm):
    with pytest.raises(TocsinError, match="two names with a comma"):
        inputs.load_scene(arm, Around(ignore=["link0"]), Reading())


def test_files_to_write_end_as_what_is_written(tmp_path):
    inputs.expect_suffixes((Path("a.HTML"), ".html"), (None, ".png"))
    with pytest.raises(TocsinError, match=r"must end in \.png"):
        inputs.expect_suffixes((Path("a.html"), ".html"), (Path("a.jpg"), ".png"))
    with pytest.raises(TocsinError, match="a robot is read from"):
        inputs.load_robot(tmp_path / "arm.step", Reading())


def test_a_curve_leaves_its_limits_between_waypoints(arm):
    """Only waypoints were looked at: a cubic that swings out between them was within its limits."""
    names, still = ["j1"], [[1.8], [1.8]]
    swing = arm.follow(Trajectory([0, 1], still, [[2], [-2]], joint_names=names))
    (sentence,) = inputs.beyond_limits(arm, [swing])
    assert sentence == "joint 'j1' leaves its limits -2 to 2 between waypoints, up to 2.3"
    assert inputs.beyond_limits(arm, [arm.follow(Trajectory([0, 1], still, joint_names=names))]) == []
    more = arm.follow(Trajectory([0, 1, 2], [[0.0], [-2.5], [0.0]], joint_names=names), error=0.1)
    (sentence,) = inputs.beyond_limits(arm, [swing, more])
    assert "at 1 of 5 waypoints and between, up to -2.5" in sentence


def test_values_outside_their_limits_are_named(arm):
    (sentence,) = inputs.outside_limits(arm, inputs.configuration(arm, "0,90", "--to"))
    assert "'j1' is at 90" in sentence
    assert "degrees?" in sentence
