"""The list of sabotages follows the code, and the campaign tells what is caught from what survives."""

import ast
from pathlib import Path

import pytest

from tocsin_bench.campaigns import sabotage

SABOTAGES = sabotage.sabotages()

CHECKOUT = Path(__file__).resolve().parents[3]
PACKAGE = CHECKOUT / "src" / "tocsin"


@pytest.mark.parametrize("one", SABOTAGES, ids=lambda one: one.name.replace(" ", "-"))
def test_the_text_of_a_sabotage_is_in_the_package_once_and_what_replaces_it_is_python(one):
    before = (PACKAGE / one.file).read_text(encoding="utf-8")
    after = sabotage.changed(before, one)
    assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before))


def test_there_are_sabotages_in_every_area_and_their_tests_exist():
    assert len(SABOTAGES) >= 60
    assert len({one.name for one in SABOTAGES}) == len(SABOTAGES)
    assert {one.area for one in SABOTAGES} == set(sabotage.ASKED)
    for names in sabotage.ASKED.values():
        assert all((CHECKOUT / name).exists() for name in names)


@pytest.fixture
def few(monkeypatch):
    """Asked are tests that take a moment."""
    monkeypatch.setitem(sabotage.ASKED, "bounds", ("tests/bounds/test_rounding.py",))


def test_a_change_that_makes_a_bound_wrong_is_caught_by_name(few, tmp_path):
    (one,) = sabotage.chosen(["`above` is not above"])
    assert sabotage.ask(one, CHECKOUT, tmp_path).caught_by.startswith("tests/bounds/test_rounding.py::")


def test_a_change_that_makes_nothing_wrong_survives(few, tmp_path):
    harmless = sabotage.Sabotage("bounds", "harmless", "bounds/rounding.py", "UNIT = 2.0**-53", "UNIT = 0.5**53")
    assert sabotage.ask(harmless, CHECKOUT, tmp_path).caught_by == ""


def test_a_folder_of_tests_that_cannot_be_read_is_no_catch(few, monkeypatch, tmp_path):
    broken = tmp_path / "test_broken.py"
    broken.write_text("import nothing_of_this_name\n", encoding="utf-8")
    monkeypatch.setitem(sabotage.ASKED, "bounds", (str(broken),))
    with pytest.raises(RuntimeError, match="nothing_of_this_name"):
        sabotage.ask(sabotage.unchanged("bounds"), CHECKOUT, tmp_path)


def test_a_text_that_is_not_there_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="0 times, not once"):
        sabotage.changed("x = 1\n", SABOTAGES[0])


def test_what_caught_a_change_is_read_from_the_page_that_was_written_of_it(tmp_path):
    caught = "tests/bounds/test_taylor.py::test_harmonics_enclose_cosine_and_sine"
    other = "benchmarks/tests/campaigns/test_stories.py::test_one[a-1]"
    verdicts = [sabotage.Verdict(one, by, 1.0) for one, by in zip(SABOTAGES, (caught, other, ""))]
    page = tmp_path / "page.md"
    page.write_text(sabotage.page_of(verdicts, "# Title\n"), encoding="utf-8")
    known = sabotage.known_tests(page, CHECKOUT)
    assert known == {SABOTAGES[0].name: caught, SABOTAGES[1].name: other}
