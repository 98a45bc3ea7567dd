"""Edges on a GPU: what is asked, and what is said where there is none."""

import argparse

import numpy as np
import pytest

from tocsin_bench.data import Missing
from tocsin_bench.measures import gpu


def test_without_a_device_there_is_a_sentence_and_no_table(monkeypatch):
    monkeypatch.setattr(gpu, "lacking", lambda: "no CUDA device can be used")
    parser = argparse.ArgumentParser()
    gpu.add_arguments(parser)
    with pytest.raises(Missing, match="no CUDA device can be used"):
        gpu.run(parser.parse_args([]))


def test_edges_are_within_the_limits_and_no_longer_than_asked():
    robot = gpu._arm()
    start, goal = np.full(6, -0.5), np.full(6, 0.5)
    starts, ends = gpu.edges(robot, start, goal, 400, 0.2, np.random.default_rng(1))
    assert (starts[0].tolist(), ends[0].tolist()) == (start.tolist(), goal.tolist())
    assert (np.abs(ends - starts)[1:] <= 0.2 + 1e-12).all()
    assert (np.abs(np.concatenate([starts, ends])) <= 2.8).all()
