"""An ablation lays both sides next to each other, counts answers that differ, and leaves out what is not here."""

import argparse
import math

import numpy as np
import pytest

pytest.importorskip("rich")

from tocsin_bench import report
from tocsin_bench.data import Missing
from tocsin_bench.measures import ablations, variants


class Made:
    """A process that is none: free, then in contact."""

    def __init__(self, name):
        self.slow = 1.0 if name == variants.AS_IT_IS else 3.0
        self.times = [math.inf, 0.25 if name == variants.AS_IT_IS else 0.5]

    def call(self, method, *arguments):
        if method == "prepare" and arguments[0] == "four trains":
            raise Missing("ModuleNotFoundError: No module named 'mujoco'")
        if method == "prepare":
            return 2
        if method == "counts":
            return dict.fromkeys(ablations.COLUMNS, 2.0 * self.slow)
        if method == "planted":
            return 0 if arguments[0] == 5 else 1
        return np.full(len(arguments[0]), 1e-4 * self.slow), [self.times[k] for k in arguments[0]]


@pytest.fixture
def arguments(monkeypatch):
    monkeypatch.setattr(variants, "worker", Made)
    return argparse.Namespace(scenes=["walk", "four trains"], count=2, repeats=2, seed=1, planted=5)


def test_both_sides_stand_in_one_row_and_times_that_differ_are_counted(arguments, capsys):
    with report.keeping_tables() as kept:
        found = ablations.run("hulls", arguments)
    (table,) = kept
    assert table["rows"] == [["walk", "100 -> 300", "3.00x", *["2 -> 6"] * len(ablations.COLUMNS)]]
    assert "differ: 1" in table["note"]
    assert found["broken"] == 0
    assert "four trains: left out" in capsys.readouterr().out


def test_a_promise_that_is_broken_without_the_idea_ends_the_command(arguments):
    arguments.planted = 6
    with pytest.raises(SystemExit, match="1 promises are broken without hulls first"):
        ablations.run("hulls", arguments)
