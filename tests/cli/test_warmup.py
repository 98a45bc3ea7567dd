"""`tocsin warmup`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tocsin.cli import warmup
from tocsin.compiler.jit import KNOWN

from .cell import tocsin


def test_every_step_is_listed_with_its_seconds():
    said = tocsin("warmup", "--json")
    assert said.code == 0, said.err
    assert set(said.json) == {"tocsin", "command", "steps", "seconds", "folder"}
    names = " ".join(step["step"] for step in said.json["steps"])
    asked = ("first_contact, triangles", "is_free, hulls", "contacts, triangles", "distance, hulls", "interval, hulls",
             "contact intervals, triangles", "by proof", "deformable")  # fmt: skip
    for words in (*asked, "meshes"):
        assert words in names
    assert all(step["seconds"] >= 0.0 and step["processor"] >= 0.0 for step in said.json["steps"])


def test_people_get_a_table_and_learn_where_it_is_kept_or_that_it_is_not(monkeypatch, tmp_path):
    monkeypatch.setattr(warmup, "_jobs", lambda: [("nothing", lambda: None)])
    assert "kept in" in tocsin("warmup").out
    monkeypatch.setenv("TOCSIN_CACHE", "off")
    said = tocsin("warmup")
    assert said.code == 0
    assert "nothing is kept" in said.err
    tmp_path.chmod(0o777)
    monkeypatch.setenv("TOCSIN_CACHE", str(tmp_path))
    said = tocsin("warmup")
    assert "nothing is kept" in said.err
    assert "kept in" not in said.out


def test_it_takes_no_arguments():
    assert tocsin("warmup", "now").code == 2


def test_only_what_is_named_is_compiled(monkeypatch):
    done = []
    monkeypatch.setattr(warmup, "_jobs", lambda: [(name, lambda name=name: done.append(name)) for name in "abc"])
    said = tocsin("warmup", "--only", "b", "--json")
    assert [step["step"] for step in said.json["steps"]] == done == ["b"]
    wrong = tocsin("warmup", "--only", "d")
    assert wrong.code == 2
    assert "no step 'd'; steps are: 'a', 'b', 'c'" in wrong.err


@pytest.mark.skipif(not KNOWN, reason="wheels are built with the Numba that is known")
@pytest.mark.parametrize("uses", [("readme", "robot", "commands"), pytest.param((), marks=pytest.mark.slow)])
def test_nothing_that_users_ask_first_needs_a_kernel_that_it_does_not_compile(uses):
    """Else a wheel lacks it. Every step is taken in one process: five seconds, of which no part can be left out."""
    tool = Path(__file__).parents[2] / "tools/uses.py"
    done = subprocess.run([sys.executable, str(tool), "--beyond-warmup", *uses], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
