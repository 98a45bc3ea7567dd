"""`tocsin bench`: what there is, a run that is kept, and a report of it."""

import json
from pathlib import Path

import pytest

from .cell import tocsin


def test_the_list_names_suites_and_benchmarks_with_a_line_each():
    said = tocsin("bench", "list")
    assert said.code == 0
    for name in ("quick", "show", "walk", "tori", "scaling", "planted"):
        assert f"{name} " in said.out
    listed = json.loads(tocsin("bench", "list", "--json").out)["benchmarks"]
    assert all(entry["description"].endswith(".") and entry["question"].endswith("?") for entry in listed)
    assert len({entry["name"] for entry in listed}) == len(listed)


def test_an_unknown_name_is_refused_with_the_valid_ones(tmp_path):
    said = tocsin("bench", "run", "wolk", "--out", tmp_path)
    assert said.code == 2
    assert "no benchmark 'wolk'" in said.err
    assert "'walk'" in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_small_run_is_kept_as_json_lines_and_reported(tmp_path):
    pytest.importorskip("matplotlib")
    said = tocsin("bench", "run", "exercise", "--questions", "6", "--repeats", "1", "--out", tmp_path, "--json")
    assert said.code == 0
    folder = json.loads(said.out)["folder"]
    about, record = [json.loads(line) for line in (Path(folder) / "results.jsonl").read_text().splitlines()]
    assert {"machine", "date", "command"} <= set(about)
    assert record["benchmark"] == "exercise"
    assert len(record["contestants"][0]["seconds"]) == 6
    said = tocsin("bench", "report", "--out", tmp_path, "--json")
    assert said.code == 0
    page, markdown = json.loads(said.out)["files"]
    assert "exercise" in Path(page).read_text()
    assert "exercise" in Path(markdown).read_text()


def test_a_report_without_a_run_says_how_to_make_one(tmp_path):
    said = tocsin("bench", "report", "--out", tmp_path)
    assert said.code == 2
    assert "tocsin bench run" in said.err
