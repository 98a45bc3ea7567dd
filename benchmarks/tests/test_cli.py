"""`tocsin bench`: what there is, a run that is kept, and a report of it."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.cell import tocsin
from tocsin_bench import race, registry


def test_the_list_names_suites_and_benchmarks_with_a_line_each():
    said = tocsin("bench", "list")
    assert said.code == 0
    for name in ("quick", "targets", "walk", "tori", "scaling", "planted"):
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


def test_targets_are_read_from_runs_and_the_last_of_a_benchmark_counts(tmp_path):
    about = {"machine": {"cpu": "one"}}
    for name, seconds in (("first", 1e-4), ("second", 1e-5)):
        contestant = {"name": "tocsin is_free", "ours": True, "seconds": [seconds]}
        record = {"benchmark": "panda-short", "group": "robots", "collides": [False], "contestants": [contestant]}
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.jsonl").write_text(f"{json.dumps(about)}\n{json.dumps(record)}\n")
    said = tocsin("bench", "targets", tmp_path / "first", "--json")
    assert json.loads(said.out)["not reached"] == 1
    said = tocsin("bench", "targets", tmp_path / "first", tmp_path / "second", "--json")
    assert json.loads(said.out)["reached"] == 1
    assert "10 µs" in tocsin("bench", "targets", tmp_path / "second").out


def test_a_run_that_was_cut_off_is_read_up_to_there_and_what_is_no_run_is_refused(tmp_path):
    about, record = {"machine": {"cpu": "one"}}, {"benchmark": "walk", "group": "papers", "failed": "no chess"}
    (tmp_path / "results.jsonl").write_text(f"{json.dumps(about)}\n{json.dumps(record)}\n" + '{"benchmark": "exer')
    said = tocsin("bench", "targets", tmp_path, "--json")
    assert said.code == 0
    assert "cut off" in said.err
    for text in ("", "\n", "{}\n", "[1]\n", '{"machine": 3}\n', "no JSON\n"):
        (tmp_path / "results.jsonl").write_text(text)
        said = tocsin("bench", "report", tmp_path)
        assert (said.code, "is not a file that" in said.err) == (2, True)


def test_a_benchmark_that_breaks_is_recorded_and_the_run_goes_on(tmp_path, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("on purpose")

    entries = [race.Benchmark(name, f"{name}.", "?", "rigid", fail) for name in ("one", "two")]
    monkeypatch.setattr(registry, "chosen", lambda names: entries)
    said = tocsin("bench", "run", "one", "--out", tmp_path, "--json")
    assert said.code == 3
    assert json.loads(said.out)["broken"] == ["one", "two"]


def test_a_broken_promise_is_no_skipped_benchmark(tmp_path, monkeypatch):
    def contradicted(args):
        raise SystemExit("3 answers are contradicted")

    parser = argparse.ArgumentParser()
    parser.set_defaults(run=contradicted)
    monkeypatch.setattr(registry, "_parsers", lambda: {"overhead": parser})
    monkeypatch.setattr(registry.Command, "description", "Of nothing.")
    said = tocsin("bench", "run", "overhead", "--out", tmp_path, "--json")
    assert said.code == 3
    record = json.loads(next(tmp_path.glob("*/results.jsonl")).read_text().splitlines()[1])
    assert (record["failed"], record["broken"]) == ("3 answers are contradicted", True)


def test_a_single_command_without_its_data_leaves_with_2_and_a_sentence(tmp_path, monkeypatch, capsys):
    from tocsin_bench import __main__ as command

    monkeypatch.setenv("TOCSIN_DATA", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["bench", "truth"])
    with pytest.raises(SystemExit) as left:
        command.main()
    assert left.value.code == 2
    assert "TOCSIN_DATA" in capsys.readouterr().out


def test_an_interrupt_keeps_what_was_measured(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(registry, "chosen", lambda names: [race.Benchmark("one", "One.", "?", "rigid", interrupt)])
    said = tocsin("bench", "run", "one", "--out", tmp_path)
    assert said.code == 130
    assert "Traceback" not in said.err + said.out
    assert len(list(tmp_path.glob("*/results.jsonl"))) == 1


def test_a_report_without_a_run_says_how_to_make_one(tmp_path):
    said = tocsin("bench", "report", "--out", tmp_path)
    assert said.code == 2
    assert "tocsin bench run" in said.err


def test_benchmarks_are_installed_with_what_judges_them(tmp_path):
    """A copy of the package alone, as an installation has it: everything is listed, and the oracles are there."""
    folder = tmp_path / "lib" / "site-packages"
    shutil.copytree(Path(race.__file__).parent, folder / "tocsin_bench", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "from tocsin_bench import registry, oracles\n"
        "print(len([e.description for e in registry.entries().values()]))\n"
        "from tocsin_bench.campaigns.planted_shapes import truth\n"
        "print(truth.__name__, oracles.__file__)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path, check=True
    )
    number, said = run.stdout.splitlines()
    assert int(number) == len(registry.entries())
    assert said == f"tocsin_bench.oracles.shapes {folder / 'tocsin_bench' / 'oracles' / '__init__.py'}"
