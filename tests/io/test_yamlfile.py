"""YAML and JSON files of strangers: what is read as what, and what is refused before it is built."""

import pytest

from tocsin import TocsinError
from tocsin.io import yamlfile

pytestmark = pytest.mark.pure


def write(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


@pytest.mark.parametrize(
    ("name", "text"), [("a.yaml", "x: [1, 2.5]\nname: arm\n---\n"), ("a.json", '{"x": [1, 2.5], "name": "arm"}')]
)
def test_both_kinds_become_the_same_plain_values(tmp_path, name, text):
    assert yamlfile.read_structure(write(tmp_path, name, text), "the file") == {"x": [1, 2.5], "name": "arm"}


def test_names_that_stand_in_different_mappings_are_no_doubles(tmp_path):
    text = "a: {a: {a: 1}, b: a}\nb: [a, a, {a: b}, {a: b}]\n? [a, b]\n: a\nc: {<<: {d: 1}, <<: {e: 2}}\n"
    with pytest.raises(TocsinError, match="unhashable"):
        yamlfile.read_structure(write(tmp_path, "key.yaml", text), "the file")
    found = yamlfile.read_structure(write(tmp_path, "names.yaml", text.replace("? [a, b]\n: a\n", "")), "the file")
    assert found == {"a": {"a": {"a": 1}, "b": "a"}, "b": ["a", "a", {"a": "b"}, {"a": "b"}], "c": {"d": 1, "e": 2}}


def test_a_letter_of_two_halves_is_whole(tmp_path):
    given = write(tmp_path, "whole.json", '{"name": "\\ud83d\\ude00", "path": "C:\\\\ud800"}')
    assert yamlfile.read_structure(given, "the file") == {"name": "\U0001f600", "path": "C:\\ud800"}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("deep.yaml", "[" * 100 + "]" * 100, "nested more than 64 deep"),
        ("deep.json", "[" * 100_000 + "]" * 100_000, "nested too deep"),
        ("self.yaml", "a: &a [*a]", "refers to something that contains it"),
        ("half.json", '{"name": "\\ud83d"}', "half of a character"),
        ("half.yaml", 'name: "\\ud83d"', "not YAML that can be read"),
        ("tag.yaml", "!!python/object/apply:os.system ['true']", "not YAML that can be read"),
        ("two.yaml", "a: 1\n---\nb: 2\n", "2 YAML documents"),
        ("long.yaml", "a: " + "1" * 2000, "a number of 2000 characters"),
        ("nan.json", "[NaN]", "the value NaN"),
        ("cut.json", '{"a": ', "not JSON"),
        ("twice.json", '{"a": {"steps": [1], "b": 2, "steps": []}}', "'steps' twice in one object"),
        ("twice.yaml", "- {b: 1}\n- a: {c: [1, {a: 1}]}\n  b: &x {a: 2}\n  ? [1, 2]\n  : 3\n  a: *x\n", "'a' twice"),
    ],
)
def test_a_file_that_lies_is_refused_by_name(tmp_path, name, text, says):
    with pytest.raises(TocsinError, match=says) as refused:
        yamlfile.read_structure(write(tmp_path, name, text), "the file")
    assert name in str(refused.value)


def test_what_xacro_reads_may_have_a_name_twice(tmp_path):
    yamlfile.check_yaml(write(tmp_path, "twice.yaml", "a: 1\na: 2\n"), "the file")


def test_aliases_that_stand_for_more_than_memory_holds_are_counted_and_not_built(tmp_path):
    lines = ["a0: &a0 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 9)]
    with pytest.raises(TocsinError, match="expands to more than"):
        yamlfile.check_yaml(write(tmp_path, "laughs.yaml", "\n".join(lines)), "the file")


def test_names_and_numbers_that_yaml_takes_for_each_other_are_taken_back():
    assert yamlfile.word(12, "a name") == "12"
    assert yamlfile.number("1e-3", "a number") == 1e-3
    for value in (True, None, "", [], 1 << 80):
        with pytest.raises(TocsinError, match="must be a name"):
            yamlfile.word(value, "this")
    for value in ("one", float("inf"), "nan", True):
        with pytest.raises(TocsinError, match="this must be"):
            yamlfile.number(value, "this")


def test_nothing_is_an_empty_list_and_an_empty_mapping_and_else_kinds_are_told_apart():
    assert (yamlfile.listing(None, "x"), yamlfile.mapping(None, "x")) == ([], {})
    with pytest.raises(TocsinError, match="x must be a list; got a dict"):
        yamlfile.listing({}, "x")
    with pytest.raises(TocsinError, match="x must be a mapping of names to values; got a list"):
        yamlfile.mapping([1], "x")
