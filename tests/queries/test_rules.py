"""Which pairs are not checked, and which have margins of their own: by names, checked when they are given."""

import math
import pickle

import pytest

from tocsin import Body, Box, Deformable, RobotBuilder, Scene, TocsinError, UnknownNameError
from tocsin.queries.rules import Rules, distinct_names

pytestmark = pytest.mark.pure


def box(name=None):
    return Body(Box((1, 1, 1)), name=name)


@pytest.fixture
def rules():
    """A robot of three links, a table, a cloth: links 0 to 2, 3 and 4."""
    b = RobotBuilder("arm").link("base", Box((1, 1, 1))).link("upper", Box((1, 1, 1)), parent="base")
    robot = b.link("hand", Box((1, 1, 1)), parent="upper").build()
    cloth = Deformable([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], name="cloth")
    models = (robot, box("table"), cloth)
    return Rules(distinct_names(models), models)


def test_a_name_is_that_of_a_model_a_link_or_both(rules):
    assert rules.links["arm"] == (0, 1, 2)
    assert rules.links["hand"] == rules.links["arm/hand"] == (2,)
    assert rules.links["table"] == (3,)


def test_a_link_that_two_models_have_needs_its_models_name():
    a, b = (RobotBuilder(n).link("base").link("hand", parent="base").build() for n in ("left", "right"))
    both = Rules(("left", "right"), (a, b))
    assert "hand" not in both.links
    assert both.links["right/hand"] == (3,)


def test_a_pair_of_models_is_all_pairs_of_their_links_and_ignoring_wins(rules):
    rules.margins["arm", "table"] = 0.1
    rules.ignore("hand", "table")
    found = rules.of_links()
    assert {pair: found[pair] for pair in ((0, 3), (1, 3), (2, 3))} == {(0, 3): 0.1, (1, 3): 0.1, (2, 3): -math.inf}


def test_margins_are_a_mapping_whose_keys_have_no_order(rules):
    before = rules.version
    rules.margins["table", "hand"] = 0.2
    assert rules.margins["hand", "table"] == 0.2
    assert dict(rules.margins) == {("hand", "table"): 0.2}
    del rules.margins["table", "hand"]
    assert len(rules.margins) == 0
    assert rules.version == before + 2


def test_a_margin_of_a_part_that_was_let_go_of_waits_until_the_robot_holds_it_again():
    """Every question about the scene was refused: its margins named a link that is none any more."""
    arm = RobotBuilder("arm").link("base", Box((1, 1, 1))).build()
    part, table = Body(Box((0.1, 0.1, 0.1)), (0, 0, 2), name="part"), box("table")
    scene = Scene(arm, part, table)
    rules = scene.context.rules
    arm.attach(part, "base")
    scene.margins["arm/part", "table"] = 0.1
    held = rules.of_links()
    arm.detach(part)
    assert rules.of_links() == {}
    assert dict(scene.margins) == {("arm/part", "table"): 0.1}
    assert dict(pickle.loads(pickle.dumps(scene)).margins) == dict(scene.margins)
    assert dict(scene.context.copy(margins=0.1).rules.margins) == {("arm/part", "table"): 0.2}
    arm.attach(part, "base")
    assert rules.of_links() == held
    arm.detach(part)
    del scene.margins["arm/part", "table"]
    assert not scene.margins


def test_a_cloth_has_a_rule_with_itself_and_a_single_link_has_not(rules):
    rules.ignore("cloth", "cloth")
    assert rules.of_links()[4, 4] == -math.inf
    with pytest.raises(TocsinError, match="are one link"):
        rules.ignore("table", "table")


@pytest.mark.parametrize("pair", [("hand",), "hand", ("hand", "table", "cloth"), 3])
def test_what_is_no_pair_is_refused(rules, pair):
    with pytest.raises(TocsinError, match="a pair is two names"):
        rules.margins[pair] = 0.1


def test_an_unknown_name_is_refused_with_the_valid_ones(rules):
    with pytest.raises(UnknownNameError, match="arm/hand"):
        rules.ignore("hnad", "table")
    with pytest.raises(TocsinError, match="margin"):
        rules.margins["hand", "table"] = -1.0


def test_models_without_names_are_numbered_and_named_ones_must_differ():
    assert distinct_names((box(), box(), box("body-1"), box("wall"))) == ("body-2", "body-3", "body-1", "wall")
    assert distinct_names((box(), box("wall"))) == ("body", "wall")
    with pytest.raises(TocsinError, match="two models are named 'wall'"):
        distinct_names((box("wall"), box("wall")))
