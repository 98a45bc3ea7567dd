"""What all commands have in common: help with an example, the version, exit codes, and no tracebacks."""

import os
import re
import subprocess
import sys

import pytest

import tocsin as library
from tocsin.cli import check

from .cell import tocsin

COMMANDS = (
    "demo",
    "info",
    "check",
    "audit",
    "view",
    "doctor",
    "warmup",
    "bench list",
    "bench run",
    "bench targets",
    "bench report",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    said = tocsin(*command.split(), "--help")
    assert said.code == 0
    assert f"Example: tocsin {command}" in " ".join(said.out.split())
    assert "--json" in said.out


def test_help_lists_the_commands_and_exit_codes():
    said = tocsin("--help")
    assert said.code == 0
    assert all(command.split()[0] in said.out for command in COMMANDS)
    assert "0 free or done, 1 contact or undecided, 2 bad input" in " ".join(said.out.split())


def test_the_version_is_the_librarys():
    said = tocsin("--version").out
    assert re.fullmatch(r"tocsin \S+ \(engine [0-9a-f]{10}, Python \S+, numba \S+, llvmlite \S+, numpy \S+\)\n", said)
    assert said.startswith(f"tocsin {library.__version__} ")


@pytest.mark.parametrize("arguments", [("dance",), ("check", "--json"), ("info", "a.urdf", "b.urdf")])
def test_what_is_no_command_line_leaves_with_2(arguments):
    said = tocsin(*arguments)
    assert said.code == 2
    assert "Traceback" not in said.err


def test_a_fault_of_the_librarys_own_is_neither_a_contact_nor_bad_input(cell, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(check.inputs, "load_robot", fail)
    said = tocsin("info", cell.urdf)
    assert said.code == 3
    assert "on purpose" in said.err
    assert "a fault in tocsin" in said.err


def test_an_interrupt_is_no_traceback(cell, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(check.inputs, "load_robot", interrupt)
    assert tocsin("info", cell.urdf).code == 130


def test_warnings_are_one_line_on_standard_error(cell):
    cell.write("empty.obj", "# nothing\n")
    text = cell.urdf.read_text().replace("lower.obj", "empty.obj")
    said = tocsin("info", cell.write("empty.urdf", text), "--json")
    assert said.code in (0, 2)
    if said.code == 0:
        assert re.search(r"^warning: ", said.err)
        assert said.json["triangles"] == 0


def run(*arguments, **environment):
    """Return how a process of its own ended, and the seconds that it spent on processors."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "tocsin", *map(str, arguments)], capture_output=True, timeout=600, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip
    after = os.times()
    return done, after.children_user + after.children_system - before.children_user - before.children_system


def test_a_process_of_its_own_ends_the_same_way_whatever_the_terminal_can_show(cell):
    question = ("check", cell.urdf, "--srdf", cell.srdf, "--from", "up", "--to", "down")
    done, _ = run(*question, PYTHONIOENCODING="ascii", COLUMNS="30")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"free: ")
    done, _ = run("check", cell.urdf, "--from", "sideways", "--to", "down")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: --from takes numbers")


def test_the_package_itself_can_be_run():
    done = subprocess.run([sys.executable, "-m", "tocsin", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split(" (")[0]) == (0, f"tocsin {library.__version__}")


def test_a_warm_check_is_quick(cell):
    question = ("check", cell.urdf, "--srdf", cell.srdf, "--from", "up", "--to", "down")
    run(*question)
    # 1.5 s is what is promised on an idle machine; tests share theirs, and caches with it.
    assert any(run(*question)[1] < 3.0 for _ in range(3))


def test_the_command_line_says_what_it_lacks():
    code = "import sys; sys.modules['typer'] = None; from tocsin.cli import main; main(['--help'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: the command line needs typer: pip install typer\n"


def test_a_command_that_is_misspelt_is_answered_by_those_like_it():
    said = tocsin("chek")
    assert said.code == 2
    assert "'check'" in said.err
    assert "?;" not in said.err
