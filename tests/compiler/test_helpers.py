"""Other processes compile parts of what a question needs; without them the caller compiles all of it, to the same."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from tocsin.compiler import claims, helpers
from tocsin.compiler.jit import KNOWN, PURE_PYTHON
from tocsin.compiler.store import Store

fcntl = pytest.importorskip("fcntl")

MINUTES = 300.0
"""Seconds until a test gives up."""


@pytest.fixture
def started(monkeypatch, tmp_path):
    """What would be started, by a process that asks a question, with two more processors than it uses itself."""
    monkeypatch.setenv("TOCSIN_CACHE", str(tmp_path))
    monkeypatch.delenv("TOCSIN_HELPERS", raising=False)
    monkeypatch.setattr(helpers, "_asked", set())
    monkeypatch.setattr(helpers, "_cores", lambda: 3)
    monkeypatch.setattr(sys, "executable", sys.executable)
    started = []
    monkeypatch.setattr(helpers, "_start", lambda python, said, lock: started.append(said))
    return started


@helpers.helped_by("some.parts")
def ask():
    inside()


def inside():
    helpers.call("here")


def test_who_asks_a_question_gets_a_helper_for_each_other_processor_once(started):
    ask()
    ask()
    assert started == [{"module": "some.parts", "which": k, "made_for": "here"} for k in range(2)]


def test_nobody_is_helped_who_asks_none(started):
    inside()
    assert started == []


def test_there_are_never_more_than_find_something_to_do(started, monkeypatch):
    monkeypatch.setattr(helpers, "_cores", lambda: 64)
    ask()
    assert len(started) == helpers.MOST


def test_one_processor_needs_no_helper(started, monkeypatch):
    monkeypatch.setattr(helpers, "_cores", lambda: 1)
    ask()
    assert started == []


@pytest.mark.parametrize("word", ["off", "OFF"])
def test_who_wants_none_gets_none(started, monkeypatch, word):
    monkeypatch.setenv("TOCSIN_HELPERS", word)
    ask()
    assert started == []


def test_who_works_for_another_process_starts_none(started, monkeypatch):
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    ask()
    assert started == []


@pytest.mark.parametrize("python", [None, "", "/nowhere/python3", "/bin/sh"])
def test_a_program_with_python_inside_is_not_started_again(started, monkeypatch, python):
    monkeypatch.setattr(sys, "executable", python)
    ask()
    assert started == []


def test_a_frozen_program_is_not_started_again(started, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    ask()
    assert started == []


def test_without_a_cache_there_is_nothing_to_share(started, monkeypatch):
    monkeypatch.setenv("TOCSIN_CACHE", "off")
    ask()
    assert started == []


def test_where_nothing_can_be_written_there_is_nothing_to_share(started, monkeypatch, tmp_path):
    (tmp_path / "claims").write_text("no folder")
    monkeypatch.setenv("TOCSIN_CACHE", str(tmp_path))
    ask()
    assert started == []


def test_where_nothing_can_be_locked_two_would_compile_the_same(started, monkeypatch):
    def fail(number, how):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    ask()
    assert started == []


def test_while_helpers_of_another_are_at_work_there_are_no_more(started):
    lock = claims.opened(claims.CLAIMED, helpers.LOCK)
    assert claims.locked(lock)
    ask()
    os.close(lock)
    assert started == []


def test_a_program_that_cannot_be_started_is_done_without(monkeypatch, tmp_path):
    monkeypatch.setattr(helpers, "_started", [])
    monkeypatch.setattr(helpers.atexit, "register", lambda function: None)
    number = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    helpers._start(str(tmp_path / "nothing"), {}, number)
    os.close(number)
    assert helpers._started == []


# ---- real ones ------------------------------------------------------------------------------------------------------

KERNELS = """
from tocsin.compiler.jit import kernel

@kernel
def early(x):
    return x + 1.0

@kernel
def late(x):
    return x * x + 2.0

@kernel
def question(x):
    return late(early(x))
"""

PARTS = """
import os, sys
from pathlib import Path
from numba import float64
from few import late
from tocsin.compiler import disk_cache

def compile_parts(which, made_for):
    assert made_for == disk_cache.made_for_here()
    {first}
    late.inner.compile((float64,))
    Path("done").touch()
"""

PROGRAM = """
import os, signal, sys, time
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background is born deaf to interrupts
sys.path.insert(0, os.getcwd())
from few import {asked}
from tocsin.compiler import disk_cache, helpers

helpers._cores = lambda: 2
saved = []
keep = disk_cache.KERNELS.save
disk_cache.KERNELS.save = lambda name, body: saved.append(name.split("-")[0]) or keep(name, body)
call = helpers.call

def wait(made_for):
    call(made_for)
    while not Path("done").exists() and helpers._started and helpers._started[0].poll() is None:
        time.sleep(0.01)

helpers.call = wait

@helpers.helped_by("parts")
def ask():
    return {asked}(2.0)

{then}
print(len(saved), len(helpers._started))
"""


def begun(folder, *, asked="question", first="pass", then="assert ask() == 11.0"):
    """Start a program that asks a question of three kernels, with a helper for the last; what the helper does first."""
    (folder / "few.py").write_text(KERNELS)
    (folder / "parts.py").write_text(PARTS.format(first=first))
    code = PROGRAM.format(asked=asked, then=then)
    kept = {key: value for key, value in os.environ.items() if key != "TOCSIN_HELPERS"}
    environment = kept | {"TOCSIN_CACHE": str(folder / "cache")}
    return subprocess.Popen(
        [sys.executable, "-"], cwd=folder, env=environment, stdin=-1, stdout=-1, stderr=-1, text=True
    ), code  # fmt: skip


def said(process, code):
    out, err = process.communicate(code, timeout=MINUTES)
    assert process.returncode == 0, err
    return tuple(map(int, out.split()))


compiled = pytest.mark.skipif(PURE_PYTHON or not KNOWN, reason="nothing is compiled in parts")


@compiled
def test_what_a_helper_has_compiled_the_caller_does_not(tmp_path):
    """The caller keeps two of three kernels: `early`, and `question` itself."""
    assert said(*begun(tmp_path)) == (2, 1)
    kernels = tmp_path / "cache/kernels"
    helped = {file.name for file in kernels.iterdir()}
    assert len(helped) == 3
    assert {file.name for file in (tmp_path / "cache/claims").iterdir()} == {helpers.LOCK}
    for file in kernels.iterdir():
        file.unlink()
    assert said(*begun(tmp_path, then="os.environ['TOCSIN_HELPERS'] = 'off'\nassert ask() == 11.0")) == (3, 0)
    assert {file.name for file in kernels.iterdir()} == helped


@compiled
def test_a_helper_that_is_killed_with_a_claim_is_done_without(tmp_path):
    first = (
        "disk_cache.CLAIMS.take(late.inner._cache._name((float64,), made_for)); "
        "os.kill(os.getpid(), 9)"
    )  # fmt: skip
    assert said(*begun(tmp_path, first=first)) == (3, 1)


@compiled
def test_a_question_that_cannot_be_compiled_ends_its_helpers_and_its_claims(tmp_path):
    then = (
        "few = sys.modules['few']\n"
        "few.early.py_func.__globals__['early'] = 'no kernel'\n"
        "try:\n    ask()\nexcept Exception:\n    pass\n"
        "assert disk_cache.CLAIMS._held == {}"
    )
    process, code = begun(tmp_path, first="import time\n    Path('done').touch(); time.sleep(1000)", then=then)
    assert said(process, code) == (0, 0)
    assert free(tmp_path)


@compiled
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_helper_ends_with_its_caller(tmp_path, end):
    process, code = begun(
        tmp_path, first="Path('done').touch(); import time; time.sleep(1000)", then="ask(); time.sleep(1000)"
    )
    process.stdin.write(code)
    process.stdin.close()
    while not (tmp_path / "done").exists():
        assert process.poll() is None
        time.sleep(0.01)
    assert not free(tmp_path)
    process.send_signal(end)
    process.wait(MINUTES)
    while not free(tmp_path):
        time.sleep(0.01)


def free(folder):
    """Is no helper at work?"""
    lock = claims.opened(Store("claims", root=folder / "cache"), helpers.LOCK)
    try:
        return claims.locked(lock)
    finally:
        os.close(lock)
