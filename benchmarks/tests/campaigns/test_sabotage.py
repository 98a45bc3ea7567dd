"""The list of sabotages follows the code, and the campaign tells what is caught from what survives."""

import ast
import shutil
from pathlib import Path

import pytest

from tocsin_bench.campaigns import sabotage
from tocsin_bench.campaigns import sabotage_asking as asking

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
    assert {one.area for one in SABOTAGES} == set(asking.ASKED)
    for names in asking.ASKED.values():
        assert all((CHECKOUT / name).exists() for name in names)


ROUNDING = "tests/bounds/test_rounding.py"

HARMLESS = sabotage.Sabotage("bounds", "harmless", "bounds/rounding.py", "UNIT = 2.0**-53", "UNIT = 0.5**53")


def campaign(tmp_path, monkeypatch, listed, **how):
    """Ask about some changes, of tests that take a moment; return what was written down."""
    monkeypatch.setattr(sabotage, "sabotages", lambda: listed)
    monkeypatch.setitem(asking.ASKED, "bounds", (ROUNDING,))
    monkeypatch.setattr(asking, "mirrored", lambda *_: [])
    notes = sabotage.Notes(tmp_path / "verdicts", CHECKOUT)
    folder = tmp_path / "copies"
    folder.mkdir(exist_ok=True)
    sabotage.Campaign(CHECKOUT, folder, notes, {}).settle(listed, 1, **how)
    return notes


def test_a_change_that_makes_a_bound_wrong_is_caught_as_plain_python_and_another_run_knows_it(tmp_path, monkeypatch):
    (one,) = sabotage.chosen(["`above` is not above"])
    found = campaign(tmp_path, monkeypatch, [one], compiled=False).verdicts[one.name]
    assert found.caught_by.startswith(f"{ROUNDING}::")
    assert found.how == sabotage.PLAIN
    monkeypatch.setattr(sabotage.Campaign, "_plain", None)  # nothing is asked again
    assert campaign(tmp_path, monkeypatch, [one], compiled=False).verdicts == {one.name: found}


def test_a_change_that_makes_nothing_wrong_survives_and_will_be_asked_again(tmp_path, monkeypatch):
    found = campaign(tmp_path, monkeypatch, [HARMLESS], compiled=True).verdicts["harmless"]
    assert (found.caught_by, found.how) == ("", sabotage.COMPILED)
    assert sabotage.Notes(tmp_path / "verdicts", CHECKOUT).verdicts == {}


def test_verdicts_of_another_engine_or_another_test_do_not_count(tmp_path):
    (tmp_path / "src" / "tocsin").mkdir(parents=True)
    engine, test = tmp_path / "src" / "tocsin" / "engine.py", tmp_path / "test_it.py"
    verdict = sabotage.Verdict(SABOTAGES[0].name, "test_it.py::test_one", sabotage.PLAIN, 1.0)

    def known():
        return list(sabotage.Notes(tmp_path / "verdicts", tmp_path).verdicts)

    for file in (engine, test):
        engine.write_text("a = 1\n", encoding="utf-8")
        test.write_text("b = 1\n", encoding="utf-8")
        sabotage.Notes(tmp_path / "verdicts", tmp_path).write(SABOTAGES[0], verdict)
        assert known() == [SABOTAGES[0].name]
        file.write_text("c = 1\n", encoding="utf-8")
        assert known() == []


BESIDE = """
import pytest


def busy():
    while True:
        pass


@pytest.mark.pure
def test_that_passes():
    pass


@pytest.mark.pure
def test_that_fails_anyway():
    assert False


@pytest.mark.pure
def test_that_does_not_end():
    busy()


def test_that_is_for_compiled_code():
    pass
"""


def test_the_unchanged_package_decides_what_can_be_asked_as_plain_python(tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "SOON", 0.2)
    file = tmp_path / "test_beside.py"
    file.write_text(BESIDE, encoding="utf-8")
    shutil.copytree(PACKAGE, tmp_path / "src" / "tocsin", ignore=shutil.ignore_patterns("__pycache__"))
    for some in ("benchmarks", "pyproject.toml"):
        (tmp_path / some).symlink_to(CHECKOUT / some)
    (tmp_path / "copies").mkdir()
    passed = [
        list(asking.control(["test_beside.py"], whole, tmp_path, tmp_path / "copies"))
        for whole in ([], ["test_beside.py"])
    ]
    first = "test_beside.py::test_that_passes"
    assert passed == [[first], [first, "test_beside.py::test_that_is_for_compiled_code"]]


def test_a_folder_of_tests_that_cannot_be_read_is_no_catch(tmp_path):
    broken = tmp_path / "test_broken.py"
    broken.write_text("import nothing_of_this_name\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="nothing_of_this_name"):
        asking.ask_compiled(asking.UNCHANGED, CHECKOUT, tmp_path, [str(broken)])


@pytest.mark.parametrize(
    ("ended", "output", "failed"),
    [
        (0, "", ""),
        (asking.NONE_ASKED, "", ""),
        (1, "FAILED tests/a.py::test_b[x y] - assert False", "tests/a.py::test_b[x y]"),
        (1, "FAILED tests/a.py::test_b\n", "tests/a.py::test_b"),
        (asking.OUT_OF_TIME, "", "it does not end"),
        (-11, "", "signal 11"),
    ],
)
def test_what_pytest_says_is_understood(ended, output, failed):
    assert asking._first_failure(ended, output, True) == failed


def test_quick_tests_come_first_and_there_is_an_end_of_them(monkeypatch):
    monkeypatch.setattr(asking, "ENOUGH", 3.0)
    passed = {"a": {"a::slow": 2.0, "a::quick": 1.0}, "b": {"b::more": 0.5}, "c": {"c::other": 0.0}}
    assert asking.questions(["a", "b"], passed) == ["a::quick", "a::slow"]


def test_shards_are_all_of_them_once():
    parts = [sabotage.chosen([], f"{k}/3") for k in (1, 2, 3)]
    assert sorted(one.name for part in parts for one in part) == sorted(one.name for one in SABOTAGES)
    with pytest.raises(ValueError, match="0/3"):
        sabotage.chosen([], "0/3")


def test_a_text_that_is_not_there_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="0 times, not once"):
        sabotage.changed("x = 1\n", SABOTAGES[0])


def test_what_caught_a_change_is_read_from_the_page_that_was_written_of_it(tmp_path):
    caught = "tests/bounds/test_taylor.py::test_harmonics_enclose_cosine_and_sine"
    other = "benchmarks/tests/campaigns/test_sabotage.py::test_what_pytest_says_is_understood[a-1]"
    gone = "tests/bounds/test_taylor.py::test_that_had_another_name"
    verdicts = {
        one.name: sabotage.Verdict(one.name, by, sabotage.PLAIN, 1.0)
        for one, by in zip(SABOTAGES, (caught, other, "", gone))
    }
    page = tmp_path / "page.md"
    page.write_text(sabotage.page_of(verdicts, {SABOTAGES[4].name: caught}, "# Title\n"), encoding="utf-8")
    known = sabotage.known_tests(page, CHECKOUT)
    assert known == {SABOTAGES[0].name: caught, SABOTAGES[1].name: other, SABOTAGES[4].name: caught}
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert rows[3].endswith("| **survived** | plain |")
    assert rows[5].endswith(f"| {sabotage.EARLIER} |")
    assert rows[6].endswith(f"| nothing asked yet | {sabotage.EARLIER} |")
