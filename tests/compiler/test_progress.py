"""How much of what a question needs is compiled is told, to whoever asks for it, on a terminal, or in a sentence."""

import io
import re

import pytest

import tocsin.vec
from tocsin.compiler import progress
from tocsin.compiler.jit import PURE_PYTHON, kernel


@kernel
def inner(x):
    return tocsin_dot((x, x, x), (x, x, x))


tocsin_dot = tocsin.vec.dot


@kernel
def question(x):
    return inner(x) + 1.0


def test_what_a_kernel_calls_is_known_from_its_text():
    if PURE_PYTHON:
        pytest.skip("kernels are plain functions")
    found = progress.called(question.py_func)
    assert {question.py_func, inner.py_func, tocsin.vec.dot.py_func} <= found
    assert question.py_func not in progress.called(inner.py_func)


def ask():
    pass


def part():
    pass


@pytest.fixture
def compiling(monkeypatch):
    monkeypatch.setattr(progress, "called", lambda function: {ask, part})
    return progress.Compiling()


def test_a_listener_is_told_of_every_kernel_until_all_are_done(compiling):
    told = []
    compiling.listener = lambda *state: told.append(state)
    compiling.tell(part)
    compiling.begin(ask, kept=True)
    compiling.tell(part)
    compiling.tell(print)
    compiling.end(part)
    compiling.end(ask)
    compiling.tell(part)
    assert told == [("ask", 1, 2), ("ask", 2, 2)]


def test_a_question_that_failed_is_forgotten_by_the_next(compiling, monkeypatch):
    told = []
    compiling.listener = lambda *state: told.append(state)
    compiling.begin(ask, kept=True)
    monkeypatch.setattr(progress, "called", lambda function: {function})
    compiling.begin(print, kept=True)
    compiling.end(print)
    assert told == [("print", 1, 1)]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_a_line_moves_and_goes(compiling, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr(progress, "OFTEN", -1.0)
    compiling.begin(ask, kept=True)
    compiling.tell(part)
    compiling.end(ask)
    assert "compiling ask: 1 of 2 kernels" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")
    assert "\n" not in terminal.getvalue()


def test_elsewhere_it_is_one_sentence(compiling, monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(progress.sys, "stderr", file)
    for _ in range(2):
        compiling.begin(ask, kept=False)
        compiling.end(ask)
    assert file.getvalue() == "tocsin: compiling kernels (ask needs 2), and keeping none\n"


def test_a_large_mesh_tells_a_terminal_how_far_it_is_and_leaves_no_line_behind(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with progress.preparing("its hierarchy", 400_000) as tell:
        tell(1, 4)
        tell(2, 4)  # too soon after the other
    assert screen.getvalue().startswith("\rtocsin: preparing a mesh of 400,000 triangles: its hierarchy, 25 %\r ")
    assert screen.getvalue().endswith(" \r")


def test_meshes_that_are_prepared_at_once_share_one_line(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress, "OFTEN", 0.0)
    with progress.several("hierarchies", [300_000, 100_000]) as done:
        with progress.preparing("its hierarchy", 300_000) as tell:
            tell(1, 3)
        done(300_000)
        with progress.preparing("its hierarchy", 100_000) as tell:
            tell(1, 2)
        done(100_000)
    told = re.findall(r"tocsin: preparing 2 meshes of 400,000 triangles: hierarchies, (\d+) %", screen.getvalue())
    assert told == ["25", "75", "88", "100"]
    assert screen.getvalue().endswith(" \r")
    with progress.preparing("its hierarchy", 400) as tell:  # what was shared is over
        assert tell is None


def test_a_small_mesh_tells_nothing_and_a_huge_one_a_sentence_where_there_is_no_terminal(monkeypatch):
    said = io.StringIO()
    monkeypatch.setattr("sys.stderr", said)
    with progress.preparing("its hierarchy", 400) as tell:
        assert tell is None
    with progress.preparing("its hierarchy", 5_000_000) as tell:
        tell(1, 2)
    assert said.getvalue() == (
        "tocsin: preparing a mesh of 5,000,000 triangles: its hierarchy. That is kept for the next time\n"
    )
