"""Going down two hierarchies: times with few digits, and the closest nodes on top of the stack."""

import math

import numpy as np
import pytest

from tocsin.advancement.descent import FINE, put, rounded
from tocsin.advancement.workspace import make_workspace

pytestmark = pytest.mark.pure


def test_a_rounded_time_is_within_the_step_and_has_few_digits():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        t, h = float(rng.random()), float(2.0 ** rng.uniform(-40, 0))
        time = rounded(t, h, False)
        assert t < time <= t + h
        assert time >= t + h * (1.0 - 2.0 ** (1 - FINE)) - 2.0**-51
        grid = math.ldexp(1.0, math.frexp(h)[1] - FINE)
        assert time % grid == 0.0 or time == (t + h) * (1.0 - 2.0**-52)


def test_a_step_near_the_last_digit_still_goes_on():
    assert rounded(1.0, 2.0**-51, False) >= 1.0
    assert rounded(0.5, 2.0**-50, True) > 0.5


def test_the_closest_nodes_lie_on_top_and_what_is_below_stays():
    workspace = make_workspace()
    search = workspace.search[0]
    search["top"] = 0
    put(workspace.stack, workspace.warm_starts, search, 0, (7, 7), 0.0, (1.0, 0.0, 0.0))
    for k, gap in enumerate([0.3, 0.1, 0.4, 0.2]):
        put(workspace.stack, workspace.warm_starts, search, 1, (k, 10 + k), gap, (0.0, 0.0, 1.0))
    assert search["top"] == 5
    assert workspace.stack[:5].tolist() == [[7, 7], [2, 12], [0, 10], [3, 13], [1, 11]]
    assert workspace.warm_starts[1:5, 3].tolist() == [0.4, 0.3, 0.2, 0.1]
