"""Numbers and names out of XML elements: strict, and the sentence names the element and its line."""

import numpy as np
import pytest

from tocsin import TocsinError
from tocsin.io import elements
from tocsin.io.files import parse_xml

pytestmark = pytest.mark.pure


def element(tmp_path, text):
    (tmp_path / "a.xml").write_text(text, encoding="utf-8")
    return parse_xml(tmp_path / "a.xml", "the file")


def test_numbers_are_as_many_as_asked_for(tmp_path):
    found = element(tmp_path, '<box size=" 1 2e0  3 " one="4">5 6</box>')
    assert elements.numbers(found, "size", (3,), "box").tolist() == [1.0, 2.0, 3.0]
    assert elements.number(found, "one", "box") == 4.0
    assert elements.number(found, "two", "box", "7") == 7.0
    assert elements.written(found, (2, 3), "box").tolist() == [5.0, 6.0]


@pytest.mark.parametrize("text", ["1 2", "1 2 x", "1 2 nan", "1 2 inf", "1_0 2 3", ""])
def test_what_is_not_that_many_finite_numbers_is_refused_with_its_line(tmp_path, text):
    found = element(tmp_path, f'<box\n size="{text}"/>')
    with pytest.raises(TocsinError, match=r"box.*\(line \d\)"):
        elements.numbers(found, "size", (3,), "box")


def test_commas_are_read_as_separators_and_remarked_upon(tmp_path):
    with pytest.warns(Warning, match="has commas"):
        assert elements.numbers(element(tmp_path, '<a b="1,2,3"/>'), "b", (3,), "a").tolist() == [1.0, 2.0, 3.0]


def test_an_origin_turns_about_the_fixed_axes_in_the_order_x_y_z(tmp_path):
    found = element(tmp_path, '<a><origin xyz="1 2 3" rpy="1.5707963267948966 0 1.5707963267948966"/></a>')
    # x goes to y by the last turn; y goes to z by the first, and stays; z goes to -y, then to x.
    turn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    placed = elements.origin(found, "a")
    assert np.allclose(placed[:3, :3], turn, rtol=0, atol=1e-15)
    assert placed[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert np.array_equal(elements.origin(element(tmp_path, "<a/>"), "a"), np.eye(4))


def test_two_where_one_is_meant_are_refused(tmp_path):
    found = element(tmp_path, "<a>\n<b name='x'/>\n<b name='x'/></a>")
    with pytest.raises(TocsinError, match=r"a has 2 <b> elements \(line 3\)"):
        elements.only_child(found, "b", "a")
    with pytest.raises(TocsinError, match=r"two bs named 'x' \(lines 2 and 3\)"):
        elements.named(elements.children(found, "b"), "a")
    with pytest.raises(TocsinError, match="has no name"):
        elements.named([element(tmp_path, "<b/>")], "a")


def test_robots_whose_questions_would_fill_the_memory_are_refused():
    elements.check_size(2, [1000, 1000], "it")
    with pytest.raises(TocsinError, match="2001 links"):
        elements.check_size(2001, [], "it")
    with pytest.raises(TocsinError, match="pairs of them are on different links"):
        elements.check_size(2, [2000, 2000], "it")
    elements.check_size(1, [5000], "it")  # shapes of one link are never asked about against each other


@pytest.mark.parametrize("inside", ["<xi:include href='b'/>", "<link>\n<u:collision/></link>", "<drake:joint/>"])
def test_parts_of_a_robot_in_another_namespace_are_refused_and_additions_passed_over(tmp_path, inside):
    with pytest.raises(TocsinError, match=r"the robot has <\w+:\w+> \(line [12]\), which is"):
        elements.refuse_prefixed(element(tmp_path, f"<robot>{inside}</robot>"), "the robot")
    passed = "<robot><gazebo><u:link/></gazebo><link name='a'><drake:proximity_properties/></link></robot>"
    elements.refuse_prefixed(element(tmp_path, passed), "the robot")
