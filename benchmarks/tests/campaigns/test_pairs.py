"""Planted touches: the self-collision matrix never calls a pair never that touches at known joint values."""

import numpy as np

from tocsin_bench.campaigns import pairs


def test_no_planted_touch_is_called_never():
    verdicts, broken = pairs.campaign(40, seed=7)
    assert broken == []
    assert verdicts["sometimes"] > 30


def test_what_is_apart_at_its_values_is_no_plant():
    """The judge can say no: a ball moved away is reported."""
    case = pairs.drawn(np.random.default_rng([7, 1]))
    link, center, radius = case.ball
    away = case._replace(ball=(link, center + 100.0, radius))
    assert pairs.gap(away, case.values) > 0.0
    assert pairs.wrong(away)[1] == "the plant is not one"
