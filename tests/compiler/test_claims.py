"""Of processes that need the same kernel, one compiles it."""

import os
import subprocess
import sys
import threading

import pytest

from tocsin.compiler import claims
from tocsin.compiler.claims import Claims
from tocsin.compiler.jit import PURE_PYTHON

fcntl = pytest.importorskip("fcntl")


@pytest.fixture
def no_waiting(monkeypatch):
    """Whoever would have to wait fails."""

    def fail(seconds):
        raise AssertionError("it waits")

    monkeypatch.setattr(claims.time, "sleep", fail)


def test_who_comes_second_waits_until_the_first_is_done(tmp_path):
    first, second = Claims(tmp_path), Claims(tmp_path)
    order = []
    first.take("kernel")
    waiting = threading.Thread(target=lambda: (second.take("kernel"), order.append("second")))
    waiting.start()
    order.append("first")
    first.give("kernel")
    waiting.join()
    assert order == ["first", "second"]


def test_other_kernels_and_a_second_look_do_not_wait(tmp_path, no_waiting):
    first, second = Claims(tmp_path), Claims(tmp_path)
    first.take("kernel")
    first.take("kernel")
    second.take("another")
    second.give("kernel")  # which is not its own


def test_a_claim_ends_with_its_process(tmp_path, no_waiting):
    code = "import pathlib, sys; from tocsin.compiler.claims import Claims; Claims(pathlib.Path(sys.argv[1])).take('k')"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    Claims(tmp_path).take("k")


def test_nobody_waits_for_ever_for_one_who_has_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "PATIENCE", 0.05)
    first, second = Claims(tmp_path), Claims(tmp_path)
    first.take("kernel")
    second.take("kernel")


def test_where_nothing_can_be_locked_nobody_waits(tmp_path, monkeypatch, no_waiting):
    def fail(number, how):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    Claims(tmp_path).take("kernel")


def test_without_a_folder_there_are_no_claims(tmp_path):
    Claims().take("kernel")
    Claims(tmp_path / "gone").take("kernel")
    assert not list(tmp_path.iterdir())


PROGRAM = """
import sys, time
from pathlib import Path
import tocsin.vec
from tocsin.compiler import disk_cache
disk_cache.CLAIMS.folder = Path(sys.argv[1])
Path(sys.argv[2]).touch()
while len(list(Path(sys.argv[1]).glob("*.here"))) < 2:
    time.sleep(0.01)
saved = []
keep = disk_cache.KERNELS.save
disk_cache.KERNELS.save = lambda name, body: saved.append(name) or keep(name, body)
tocsin.vec.cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
print(len(saved))
"""


def test_two_processes_compile_a_kernel_once(tmp_path):
    if PURE_PYTHON:
        pytest.skip("kernels are plain functions")
    kept = tmp_path / "cache"
    kept.mkdir(mode=0o700)
    folder = tmp_path / "claims"
    folder.mkdir()
    environment = os.environ | {"TOCSIN_CACHE": str(kept)}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder), str(folder / f"{k}.here")], env=environment, stdout=-1
        )
        for k in range(2)
    ]
    saved = [int(process.communicate()[0]) for process in both]
    assert sorted(saved) == [0, 1]
