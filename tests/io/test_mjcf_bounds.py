"""What a MuJoCo model grows to, counted on its text, against trees that are written out by hand."""

from pathlib import Path

import pytest

from tocsin import TocsinError
from tocsin.io.files import parse_xml
from tocsin.io.mjcf_bounds import MOST_BODIES, MOST_CELLS, MOST_COPIES, Extent, check_claims, extent_of

HERE = Path("model.xml")


def tree(folder, text):
    file = folder / "model.xml"
    file.write_text(text)
    return parse_xml(file, "the model")


def counted(folder, text, models=None):
    return extent_of(tree(folder, text), models or {}, HERE)


def test_elements_bodies_and_freedoms_are_those_of_the_text(tmp_path):
    found = counted(tmp_path, "<mujoco><body><joint/><body><freejoint/><geom/></body></body></mujoco>")
    assert (found.elements, found.bodies, found.freedoms) == (6, 2, 7)
    # One above itself, six among themselves, and six that hang on one.
    assert found.couplings == 1 + 36 + 6


def test_copies_inside_copies_multiply(tmp_path):
    text = '<mujoco><replicate count="4"><replicate count="5"><body><joint/></body></replicate></replicate></mujoco>'
    found = counted(tmp_path, text)
    assert found.bodies == 20
    assert found.freedoms == 20


def test_a_cable_is_a_chain_in_which_every_link_hangs_on_all_before_it(tmp_path):
    found = counted(tmp_path, '<mujoco><composite count="3 1 1"/></mujoco>')
    assert found.bodies == 3
    assert found.couplings == 18 * 18


def test_a_body_has_six_freedoms_at_most_those_in_frames_among_them(tmp_path):
    text = "<mujoco><body><frame><joint/></frame><joint type='ball'/></body><body><freejoint/><joint/></body></mujoco>"
    assert counted(tmp_path, text).freedoms == 4 + 6


def test_a_sub_model_counts_where_it_is_attached_as_often_as_it_is(tmp_path):
    sub = Extent(elements=10, bodies=3, freedoms=2, couplings=4)
    text = '<mujoco><replicate count="7"><attach model="arm"/></replicate></mujoco>'
    assert counted(tmp_path, text, {"arm": sub}).bodies == 21


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        (f'<replicate count="{MOST_COPIES + 1}"/>', "copies"),
        ('<replicate count="many"/>', "must be whole"),
        (f'<replicate count="{MOST_BODIES + 1}"><body/></replicate>', "grows to"),
        ("<flexcomp/>", "flexible bodies"),
    ],
)
def test_what_grows_without_bound_is_refused_with_its_line(tmp_path, inside, says):
    with pytest.raises(TocsinError, match=says) as error:
        counted(tmp_path, f"<mujoco>\n{inside}</mujoco>")
    assert "line 2" in str(error.value)


def test_keyframes_times_elements_are_bounded(tmp_path):
    text = "<mujoco>" + "<key/>" * 2900 + "</mujoco>"
    with pytest.raises(TocsinError, match="keyframes"):
        counted(tmp_path, text)


def test_more_adds_copies_of_what_hangs_on_others():
    whole = Extent(1, 1, 2, 4).more(Extent(3, 1, 5, 25), copies=2, above=2)
    assert whole == Extent(7, 3, 12, 4 + 2 * (25 + 2 * 5))


@pytest.mark.parametrize(
    "claim",
    [
        f'<hfield nrow="{MOST_CELLS}" ncol="2"/>',
        '<texture width="100000" height="100000"/>',
        '<size nuser_body="100000"/>',
        '<numeric size="100000"/>',
        '<mesh params="100000"/>',
    ],
)
def test_arrays_that_a_file_only_claims_are_refused(tmp_path, claim):
    with pytest.raises(TocsinError, match="at most"):
        check_claims(tree(tmp_path, f"<mujoco>{claim}</mujoco>"), HERE)


def test_claims_that_can_be_held_pass_and_those_that_are_no_numbers_are_left_to_mujoco(tmp_path):
    text = '<mujoco><hfield nrow="2" ncol="3"/><hfield nrow="two" ncol="3"/><mesh params="8 x"/></mujoco>'
    check_claims(tree(tmp_path, text), HERE)
