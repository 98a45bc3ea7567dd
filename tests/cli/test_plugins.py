"""Commands of other distributions: found by their entry points, and a sentence where they are not installed."""

import subprocess
import sys
import tomllib
from pathlib import Path

import typer

from tocsin.cli import plugins

from .cell import tocsin

ROOT = Path(__file__).resolve().parents[2]


def found(monkeypatch, app):
    """Have the entry points lead to this app, or to none."""

    class Entry:
        def load(self):
            return app

    monkeypatch.setattr(plugins, "entry_points", lambda **_: [] if app is None else [Entry()])


def test_a_command_that_is_not_installed_says_in_a_sentence_how_to_install_it(monkeypatch):
    found(monkeypatch, None)
    for arguments in ([], ["run", "walk"], ["--help"]):
        said = tocsin("bench", *arguments)
        assert said.code == 2
        assert said.err.startswith("error: `tocsin bench` needs tocsin-bench")
        assert "pip install ./benchmarks" in said.err
        assert len(said.err.splitlines()) == 1


def test_a_command_gets_its_arguments_and_its_exit_code_comes_back(monkeypatch):
    app, heard = typer.Typer(), []

    @app.command()
    def run(names: list[str], count: int = 1):
        heard.append((names, count))
        raise typer.Exit(count)

    @app.command()
    def other():
        pass

    found(monkeypatch, app)
    assert tocsin("bench", "run", "walk", "tori", "--count", "3").code == 3
    assert heard == [(["walk", "tori"], 3)]
    wrong = tocsin("bench", "run", "walk", "--cuont", "3")
    assert (wrong.code, "--cuont" in wrong.err, "see tocsin bench --help" in wrong.err) == (2, True, True)
    assert "tocsin bench run" in tocsin("bench", "run", "--help").out


def test_a_command_that_may_not_be_installed_is_in_the_help_and_nothing_is_loaded_for_it(monkeypatch):
    monkeypatch.setattr(plugins, "entry_points", lambda **_: 1 / 0)
    said = tocsin("--help")
    assert said.code == 0
    assert "bench" in said.out


def test_the_benchmarks_register_under_the_group_that_is_asked():
    declared = tomllib.loads((ROOT / "benchmarks" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(plugins.PLUGINS) == set(declared["entry-points"][plugins.GROUP])


def test_the_library_holds_the_library_alone():
    """No module of the library imports the benchmarks, and no folder of them, or of tests, is in what is installed."""
    assert not (ROOT / "src" / "tocsin" / "bench").exists()
    assert sorted(p.name for p in (ROOT / "src").iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()) == [
        "tocsin", "tocsin_command.py",
    ]  # fmt: skip
    for file in (ROOT / "src").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert "import tocsin_bench" not in text, file
        assert "from tocsin_bench" not in text, file


def test_python_m_tocsin_bench_is_the_benchmarks_command_or_says_how_to_get_it(tmp_path):
    said = subprocess.run([sys.executable, "-m", "tocsin.bench", "--help"], capture_output=True, text=True)
    assert said.returncode == 0 or "pip install ./benchmarks" in said.stderr
    hidden = tmp_path / "sitecustomize.py"
    hidden.write_text(
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'tocsin_bench' else find(name, *a)\n"
    )
    code = f"exec(open({str(hidden)!r}).read()); import runpy; runpy.run_module('tocsin.bench', run_name='__main__')"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.returncode == 1
    assert said.stderr.startswith("error: `python -m tocsin.bench` needs tocsin-bench")
    assert len(said.stderr.splitlines()) == 1
