"""`python -m tocsin.bench` hands over to the benchmarks, or says how to get them."""

import importlib.util
import runpy
import sys

import pytest


def test_without_the_benchmarks_it_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "tocsin.bench", raising=False)
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "tocsin_bench" else found(name)
    )
    with pytest.raises(SystemExit, match=r"needs .*tocsin"):
        runpy.run_module("tocsin.bench", run_name="__main__")


def test_with_them_it_runs_them(monkeypatch):
    asked = []
    run = runpy.run_module
    monkeypatch.delitem(sys.modules, "tocsin.bench", raising=False)
    monkeypatch.setattr(runpy, "run_module", lambda name, **how: asked.append((name, how)))
    run("tocsin.bench", run_name="__main__")
    assert asked == [("tocsin_bench", {"run_name": "__main__", "alter_sys": True})]
