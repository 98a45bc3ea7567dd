"""The interval engine as an engine: stages that may be left out, tables made once, intervals mapped outward."""

import math

import pytest

import tocsin
from tocsin import TocsinError
from tocsin.motion.knots import stretches_of
from tocsin.queries.engines import Outcome
from tocsin.queries.engines.interval import ENGINE, Interval


def asked(end):
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    scene = tocsin.Scene(ball, tocsin.Body(tocsin.Sphere(0.5), (3.0, 0, 0), name="other"))
    motion = ball.move((0, 0, 0), (end, 0, 0))
    prepared, configs, _ = scene.context.prepared(scene.context.tables(), (motion,))
    return prepared, configs, stretches_of([1])


@pytest.mark.parametrize("stages", [(), (1, 2), (3, 4), (3, "fast")])
def test_stages_that_are_not_there_are_refused(stages):
    with pytest.raises(TocsinError, match="stages are 1, 2 and 3"):
        Interval(stages)


@pytest.mark.parametrize("stages", [(3,), (1, 3), (2, 3), (1, 2, 3), (1, 3, "plain")])
def test_whatever_stages_are_on_the_contact_is_the_same(stages):
    prepared, configs, stretches = asked(4.0)
    found = Outcome(*Interval(stages).solve(prepared, configs, stretches, 0.0, 1e-6, 100_000, False))
    assert found.time <= 0.5
    assert found.time == pytest.approx(0.5, abs=1e-6)
    assert found.upper >= found.time


def test_the_tables_of_swept_volumes_are_made_once_for_buffers():
    prepared, configs, stretches = asked(1.0)
    found = Outcome(*ENGINE.solve(prepared, configs, stretches, 0.0, 1e-6, 100_000, False))
    assert found.time == math.inf
    assert ENGINE._tables(prepared) is ENGINE._tables(prepared)


def test_the_final_interval_is_mapped_outward():
    found = Outcome(1, 0.25, 0.5, 0, 1, 1e-6, 0)
    assert ENGINE.upper(found, (0, 1, 1, 1), 0.25) == 0.5
    assert ENGINE.upper(found._replace(upper=math.inf), (1, 3, 2, 3), 0.4) == math.inf
    third = ENGINE.upper(found, (1, 3, 2, 3), 0.4)
    assert third >= 0.5
    assert third == pytest.approx(0.5)
