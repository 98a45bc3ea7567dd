"""What comes back: records that stay what they were, and never say yes or no where either could be meant."""

import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import tocsin
from tocsin.outcome import CAPPED, CONTACT, FREE
from tocsin.results import (
    Contact,
    ContactInterval,
    ContactIntervals,
    Distance,
    FirstContact,
    LinkPair,
    LinkPairs,
    Status,
    group,
    said_pairs,
    seconds_at,
    status_of,
)

pytestmark = pytest.mark.pure


def touch(a, b, distance=0.0):
    return Contact(a, b, "vertex-face", ((0,), (1, 2, 3)), np.zeros(3), np.zeros(3), np.zeros(3), distance)


def test_the_codes_of_kernels_become_what_users_read():
    assert status_of(FREE, math.inf) is Status.FREE
    assert status_of(CONTACT, 0.5) is Status.CONTACT
    assert status_of(CONTACT, 0.0) is Status.INITIAL_CONTACT
    assert status_of(CAPPED, 0.0) is Status.CAPPED


@pytest.mark.parametrize(
    "answer",
    [Status.FREE, FirstContact(Status.FREE, math.inf), Distance(1.0, 1.0), ContactIntervals(Status.CAPPED, (), 0.5)],
)
def test_no_answer_is_true_or_false_where_either_could_be_meant(answer):
    with pytest.raises(tocsin.TocsinError, match="neither true nor false"):
        bool(answer)


def test_only_a_proof_does_not_collide():
    assert not FirstContact(Status.FREE, math.inf).collides
    assert all(FirstContact(s, 0.5).collides for s in (Status.CONTACT, Status.CAPPED, Status.INITIAL_CONTACT))
    assert FirstContact(Status.FREE, math.inf).bracket == (1.0, math.inf)
    assert FirstContact(Status.CAPPED, 0.25).bracket == (0.25, math.inf)
    assert FirstContact(Status.CONTACT, 0.25).bracket == (0.25, 0.25)


def test_records_are_equal_by_value_arrays_included():
    assert touch("a", "b") == touch("a", "b")
    assert touch("a", "b") != touch("a", "c")
    assert touch("a", "b") != replace(touch("a", "b"), point_a=np.ones(3))
    assert hash(touch("a", "b")) == hash(touch("a", "b"))
    same = FirstContact(Status.CONTACT, 0.5, (touch("a", "b"),))
    assert same == replace(same, stats=tocsin.results.Stats(steps=7)), "what it cost is not what it says"
    assert pickle.loads(pickle.dumps(same)) == same


def test_pairs_are_named_the_first_three_and_the_rest_counted():
    names = [("a", "b"), ("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]
    assert said_pairs(touch(*pair) for pair in names) == "'a' and 'b', 'c' and 'd', 'e' and 'f', and 1 more pairs"


def test_seconds_are_never_later_than_the_clock():
    rng = np.random.default_rng(1)
    for _ in range(200):
        first = float(rng.uniform(-1e3, 1e3))
        times = np.array([first, first + float(10.0 ** rng.uniform(-9, 9))])
        t = float(rng.random())
        exact = Fraction(times[0]) + Fraction(t) * (Fraction(times[1]) - Fraction(times[0]))
        found = seconds_at(times, t)
        assert Fraction(found) <= exact < Fraction(math.nextafter(found, math.inf))
    assert seconds_at(np.array([0.0, 1.0]), math.inf) == math.inf


def test_intervals_are_found_by_time_and_by_either_order_of_names():
    one = ContactInterval("hand", "table", 0.0, 0.4, 1e-4)
    two = ContactInterval("elbow", "wall", 0.3, 1.0, 1e-4, model_a="arm")
    found = ContactIntervals(Status.CONTACT, (one, two), 1.0, names=("hand", "table", "elbow", "wall", "arm"))
    assert found.at(0.35) == (one, two)
    assert found.at(0.9) == (two,)
    assert found.between("table", "hand") == (one,)
    assert found.between("arm", "wall") == (two,)
    assert (one.from_start, one.to_end, two.from_start, two.to_end) == (True, False, False, True)
    with pytest.raises(tocsin.TocsinError, match="0 to 1"):
        found.at(1.5)
    with pytest.raises(tocsin.TocsinError, match="hand"):
        found.between("hand", "tabel")


def test_contacts_are_grouped_from_the_first_of_each_group_on():
    assert group([], within=0.1) == []

    class At:
        def __init__(self, time):
            self.time = time

    groups = group([At(t) for t in (0.35, 0.0, 0.09, 0.1, 0.19, 0.3)], within=0.1)
    assert [[c.time for c in g] for g in groups] == [[0.0, 0.09, 0.1], [0.19], [0.3, 0.35]]
    for bad in (-1.0, math.inf, math.nan, True, "0.1"):
        with pytest.raises(tocsin.TocsinError, match="finite time"):
            group([], within=bad)


def test_pairs_of_links_are_told_by_verdict():
    told = (("a", "b", "never"), ("b", "c", "adjacent"), ("a", "c", "sometimes"))
    pairs = LinkPairs(0.001, tuple(LinkPair(*pair) for pair in told))
    assert pairs.of("never") == (("a", "b"),)
    assert pairs.disabled() == {("a", "b"): "Never", ("b", "c"): "Adjacent"}
    assert repr(pairs) == "<LinkPairs at 0.001 m: 1 never, 1 adjacent, 1 sometimes>"
    assert pairs[-1].verdict == "sometimes"
    assert len(pairs[:2]) == 2
