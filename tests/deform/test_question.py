"""A question stretch by stretch: the first of all stretches, each pair once with its first time, and caps."""

import numpy as np
import pytest

import tocsin
from tocsin.deform.question import Question
from tocsin.outcome import CAPPED, CONTACT

POINTS = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)])
SPIKE = np.array([(0.2, 0.2, 1.0), (0.3, 0.2, 3.0), (0.2, 0.3, 3.0)])


def asked(path, max_steps=2**62):
    cloth = tocsin.Deformable(POINTS, [(0, 1, 2)], name="cloth")
    spike = tocsin.Deformable(SPIKE, [(0, 1, 2)], name="spike")
    motion = cloth.follow([POINTS + [0, 0, z] for z in path])
    return Question([cloth, spike], {0: motion}, {}, 0.0, 1e-6, 1, max_steps)


def test_the_first_contact_is_in_the_stretch_where_it_is():
    status, time, pairing, hit = asked([0.0, 0.5, 2.0]).first()
    assert status == CONTACT
    assert time <= 0.5 + 0.5 / 3.0
    assert time == pytest.approx(0.5 + 0.5 / 3.0, abs=1e-6)
    assert pairing >= 0
    assert hit["time"] == time


def test_free_motions_have_no_first_and_a_limit_ends_the_search():
    status, time, pairing, _ = asked([0.0, 0.5]).first()
    assert (status, time, pairing) == (0, np.inf, -1)
    assert asked([0.0, 2.0]).first(limit=0.4)[0] == 0
    assert len(asked([0.0, 2.0]).every(0.4).hits) == 0


def test_a_pair_that_touches_in_several_stretches_is_listed_once_with_its_first_time():
    found = asked([0.0, 2.0, 0.0, 2.0]).every()
    assert found.complete
    keys = [(int(p), int(h["kind"]), int(h["a"]), int(h["b"])) for p, h in zip(found.pair, found.hits)]
    assert len(keys) == len(set(keys))
    assert (np.diff(found.hits["time"]) >= 0.0).all()
    assert found.hits["time"][0] == pytest.approx(0.5 / 3.0, abs=1e-6)


def test_a_cap_of_no_steps_says_that_nothing_is_known():
    status, time, _, _ = asked([0.0, 2.0], max_steps=1).first()
    assert status == CAPPED
    assert time == 0.0
    assert not asked([0.0, 2.0], max_steps=1).every().complete
