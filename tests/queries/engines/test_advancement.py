"""The default engine as an engine: one outcome by its fields, statistics that add up, a deadline that is taken back."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.advancement import work
from tocsin.motion.knots import stretches_of
from tocsin.queries.engines import Cost, Outcome
from tocsin.queries.engines.advancement import ENGINE, Limited
from tocsin.queries.kernels.first_contact import ADVANCEMENT, CULLING, MOTION
from tocsin.results import status_of


def asked(end):
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    scene = tocsin.Scene(ball, tocsin.Body(tocsin.Sphere(0.5), (3.0, 0, 0), name="other"))
    motion = ball.move((0, 0, 0), (end, 0, 0))
    prepared, configs, _ = scene.context.prepared(scene.context.tables(), (motion,))
    return scene, motion, prepared, configs, stretches_of([1])


@pytest.mark.parametrize(("end", "time"), [(4.0, 0.5), (1.0, math.inf)])
def test_an_outcome_says_who_touches_and_when(end, time):
    *_, prepared, configs, stretches = asked(end)
    found = Outcome(*ENGINE.solve(prepared, configs, stretches, 0.0, 1e-6, 10_000, False))
    assert found.time <= time
    assert found.time == pytest.approx(time, abs=1e-6)
    if time < 1.0:
        assert {found.a, found.b} == {0, 1}
        assert found.upper == found.time
        assert status_of(found.status, found.time) is not tocsin.Status.FREE
    else:
        assert (found.a, found.b) == (-1, -1)
        assert status_of(found.status, found.time) is tocsin.Status.FREE


def test_statistics_share_the_seconds_by_the_clocks():
    counts, clock = np.zeros(64, np.int64), np.zeros(8, np.int64)
    clock[MOTION], clock[CULLING], clock[ADVANCEMENT] = 1, 2, 5
    counts[work.STEPS], counts[work.LEAF_TESTS] = 7, 9
    told = ENGINE.stats(Cost(3, counts, clock, 0.8))
    assert told.seconds == pytest.approx({"motion": 0.1, "culling": 0.2, "advancement": 0.5})
    assert (told.steps, told.leaf_tests, told.pairs_total) == (7, 9, 3)


def test_a_deadline_is_of_one_question_and_is_taken_back():
    *_, prepared, configs, stretches = asked(4.0)
    limited = Limited(2**62)
    found = Outcome(*limited.solve(prepared, configs, stretches, 0.0, 1e-6, 10_000, False))
    assert found == Outcome(*ENGINE.solve(prepared, configs, stretches, 0.0, 1e-6, 10_000, False))
    assert prepared.buffers.counts[work.HASTE] == 0
    assert prepared.buffers.counts[work.UNTIL] == 0


def test_the_bracket_ends_where_contact_is_known():
    touching = Outcome(1, 0.5, 0.5, 0, 1, 1e-6, 0)
    assert ENGINE.upper(touching, (0, 1, 1, 1), 0.5) == 0.5
    assert ENGINE.upper(touching._replace(upper=math.inf), (0, 1, 1, 1), 0.5) == math.inf
