"""The regression guard: counts are those of the baseline on this machine too, and a jump is noticed."""

import copy

import pytest

pytest.importorskip("rich")

from tocsin_bench import guard


def test_no_count_has_jumped_against_the_stored_baseline():
    worse, _ = guard.compare(guard.measure(), guard.stored())
    assert worse == []


def test_a_count_that_grows_by_a_tenth_fails():
    base = guard.stored()
    now = copy.deepcopy(base)
    now["walk"]["node_tests"] = round(1.1 * now["walk"]["node_tests"])
    worse, better = guard.compare(now, base)
    assert len(worse) == 1
    assert worse[0].startswith("walk: node tests")
    assert better == []


def test_a_contact_more_or_less_fails_and_fewer_steps_are_good_news():
    base = guard.stored()
    now = copy.deepcopy(base)
    now["tori"]["contacts"] -= 1
    now["tori"]["steps"] //= 2
    worse, better = guard.compare(now, base)
    assert [words.split(" ")[1] for words in worse] == ["contacts"]
    assert [words.split(" ")[1] for words in better] == ["steps"]


def test_a_case_without_a_baseline_fails():
    base = guard.stored()
    now = {**base, "new": base["tori"]}
    assert guard.compare(now, base)[0] == ["new: not in the baseline"]
