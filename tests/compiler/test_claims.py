"""Of processes that need the same kernel, one compiles it."""

import os
import subprocess
import sys
import threading

import pytest

from tocsin.compiler import claims
from tocsin.compiler.claims import Claims
from tocsin.compiler.jit import PURE_PYTHON
from tocsin.compiler.store import Store

fcntl = pytest.importorskip("fcntl")


@pytest.fixture
def place(tmp_path):
    return Store("claims", root=tmp_path / "cache")


@pytest.fixture
def no_waiting(monkeypatch):
    """Whoever would have to wait fails."""

    def fail(seconds):
        raise AssertionError("it waits")

    monkeypatch.setattr(claims.time, "sleep", fail)


def test_who_comes_second_waits_until_the_first_is_done(place):
    first, second = Claims(place), Claims(place)
    order = []
    first.take("kernel")
    waiting = threading.Thread(target=lambda: (second.take("kernel"), order.append("second")))
    waiting.start()
    order.append("first")
    first.give("kernel")
    waiting.join()
    assert order == ["first", "second"]


def test_other_kernels_and_a_second_look_do_not_wait(place, no_waiting):
    first, second = Claims(place), Claims(place)
    first.take("kernel")
    first.take("kernel")
    second.take("another")
    second.give("kernel")  # which is not its own


def files(place):
    """The names of the locks that are left."""
    return {file.name for file in place.place().iterdir()}


def test_a_claim_ends_with_its_process(tmp_path, place, no_waiting):
    code = "from tocsin.compiler.claims import Claims; Claims().take('k')"
    environment = os.environ | {"TOCSIN_CACHE": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert files(place) == {"k"}
    Claims(place).take("k")


def test_what_is_given_leaves_nothing_behind(place):
    own = Claims(place)
    for name in ("a", "b", "c"):
        own.take(name)
    own.give("a")
    own.give("of somebody else")
    assert files(place) == {"b", "c"}
    own.give_all()
    assert files(place) == set()


def test_what_is_given_is_given_although_a_forked_process_has_it_open(place, no_waiting):
    own = Claims(place)
    own.take("kernel")
    copy = os.dup(own._held["kernel"])  # as a fork leaves it open
    own.give("kernel")
    Claims(place).take("kernel")
    os.close(copy)


def test_nobody_waits_for_ever_for_one_who_has_failed_nor_for_him_again(place, monkeypatch):
    monkeypatch.setattr(claims, "PATIENCE", 0.05)
    first, second = Claims(place), Claims(place)
    first.take("kernel")
    first.take("another")
    second.take("kernel")
    monkeypatch.setattr(claims.time, "sleep", None)
    second.take("another")


def test_nobody_loses_patience_while_others_go_on(place, monkeypatch):
    monkeypatch.setattr(claims, "PATIENCE", 0.0)
    first, second = Claims(place), Claims(place)
    first.take("kernel")
    looks = []

    def go_on(seconds):
        looks.append(seconds)
        os.utime(place.place(), ns=(len(looks), len(looks)))  # as if a claim were taken
        if len(looks) == 5:
            first.give("kernel")

    monkeypatch.setattr(claims.time, "sleep", go_on)
    second.take("kernel")
    assert len(looks) == 5
    assert "kernel" in second._held


def test_who_is_interrupted_while_he_waits_holds_nothing(place, monkeypatch):
    first, second = Claims(place), Claims(place)
    first.take("kernel")

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(claims.time, "sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        second.take("kernel")
    first.give("kernel")
    Claims(place).take("kernel")


def test_where_nothing_can_be_locked_nobody_waits(place, monkeypatch, no_waiting):
    def fail(number, how):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    Claims(place).take("kernel")


def test_without_a_folder_there_are_no_claims(tmp_path, monkeypatch, no_waiting):
    monkeypatch.setenv("TOCSIN_CACHE", "off")
    Claims().take("kernel")
    (tmp_path / "file").touch()
    Claims(Store("claims", root=tmp_path / "file")).take("kernel")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


PROGRAM = """
import sys, time
from pathlib import Path
import tocsin.vec
from tocsin.compiler import disk_cache
Path(sys.argv[1]).touch()
while len(list(Path(sys.argv[1]).parent.glob("*.here"))) < 2:
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
    environment = os.environ | {"TOCSIN_CACHE": str(tmp_path / "cache")}
    both = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path / f"{k}.here")], env=environment, stdout=-1)
        for k in range(2)
    ]
    saved = [int(process.communicate()[0]) for process in both]
    assert sorted(saved) == [0, 1]
