"""The first contact in one call: caps that pause, outcomes of pairs by name, and turns of many slabs."""

import math

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.advancement import work
from tocsin.broad_phase.pairs import PAIR
from tocsin.outcome import CAPPED, CONTACT, UNCHARTED
from tocsin.queries.kernels.first_contact import TESTS, Terms, lacks_chart, outcome, pause_after

pytestmark = PLAIN


def test_only_a_contact_is_in_contact_by_a_known_time():
    pairs = np.zeros(2, PAIR)
    pairs[1]["a"], pairs[1]["b"], pairs[1]["tolerance"] = 4, 7, 1e-3
    assert outcome(pairs, CONTACT, 0.25, 1, 3) == (CONTACT, 0.25, 0.25, 4, 7, 1e-3, 3)
    for status in (CAPPED, UNCHARTED):
        assert outcome(pairs, status, 0.25, 1, 3)[2] == math.inf


def test_a_search_pauses_after_steps_or_tests_and_never_beyond_its_cap():
    counts = np.zeros(64, np.int64)
    counts[work.CHARGED] = 100
    assert pause_after(24, Terms(0.0, 0.0, -1.0, 10_000, True), counts) == 124
    assert counts[work.PAUSE] == work.charged(counts) + TESTS * 24
    assert pause_after(24, Terms(0.0, 0.0, -1.0, 110, True), counts) == 110
    assert counts[work.PAUSE] == 0


def test_a_pair_says_if_it_could_have_a_chart():
    pairs = np.zeros(2, PAIR)
    pairs[1]["uncharted"] = 1
    assert not lacks_chart(pairs, 0)
    assert lacks_chart(pairs, 1)


@pytest.mark.parametrize("turn", [0.5, 2.0, 6.0])
def test_turns_of_several_slabs_meet_at_the_first_contact_and_any_will_do_for_a_yes(turn):
    builder = tocsin.RobotBuilder("rod").link("base")
    builder.link("rod", (tocsin.Box((2.0, 0.2, 0.2)), (1.0, 0, 0)), parent="base", joint="revolute", axis=(0, 0, 1))
    rod = builder.build()
    post = tocsin.Body(tocsin.Box((0.2, 0.2, 1.0)), (0.0, 1.5, 0.0), name="post")
    scene = tocsin.Scene(rod, post)
    touch = (math.pi / 2.0 - 2.0 * math.asin(0.1 / math.hypot(0.1, 1.4))) / turn
    hit = scene.first_contact(rod.move([0.0], [turn]), tolerance=1e-6)
    assert scene.is_free(rod.move([0.0], [turn])) == (touch > 1.0)
    if touch > 1.0:
        assert hit.status is tocsin.Status.FREE
    else:
        assert hit.time <= touch
        assert hit.time == pytest.approx(touch, abs=1e-5)
