"""What a question may do: its own account, and those of pairs that may get a chart."""

import numpy as np
import pytest

from tocsin.advancement import work
from tocsin.queries.buffers import COUNTS

pytestmark = pytest.mark.pure

PAIR = np.dtype([("steps", "i8"), ("own", "i8"), ("uncharted", "i4")])


def pair(own=0, uncharted=0):
    return np.array([(0, own, uncharted)], PAIR)[0]


def counts(**made):
    out = np.zeros(COUNTS, np.int64)
    for name, value in made.items():
        out[getattr(work, name)] = value
    return out


def test_a_question_has_its_first_tests_and_some_a_step():
    table = counts()
    assert work.tests_left(10, table) == work.FIRST_TESTS + 10 * work.TESTS_A_STEP
    table[work.NODE_TESTS], table[work.HULL_TESTS], table[work.LEAF_TESTS] = 3, 4, 5
    assert work.tests(table) == 12
    assert work.tests_left(10, table) == work.FIRST_TESTS + 10 * work.TESTS_A_STEP - 12


def test_a_cap_on_steps_ends_it_whatever_the_tests_were():
    one, table = pair(), counts()
    allowed = [work.may_step(one, 3, table) for _ in range(5)]
    assert allowed == [True, True, True, False, False]
    assert one["steps"] == 5
    assert work.exhausted(3, table)


def test_tests_alone_end_it_too():
    table = counts(LEAF_TESTS=work.FIRST_TESTS + 3 * work.TESTS_A_STEP)
    assert work.exhausted(3, table)
    assert not work.may_step(pair(), 3, table)
    assert not work.exhausted(4, table)


def test_a_cap_beyond_all_integers_is_none_and_overflows_nothing():
    assert work.tests_left(2**62, counts()) == work.FIRST_TESTS + work.TESTS_A_STEP * work.MOST


def test_a_pair_with_an_account_of_its_own_costs_the_question_nothing():
    one, table = pair(own=100, uncharted=1), counts()
    before = work.tests_left(5, table)
    assert work.may_step(one, 5, table)
    assert table[work.LIMIT] == 100
    table[work.NODE_TESTS] += 40
    work.settle(one, 0, table)
    assert work.tests_left(5, table) == before
    assert table[work.CHARGED] == 0
    assert one["own"] == 59


def test_a_pair_that_used_up_its_own_waits_for_its_chart_and_goes_on_with_it():
    one, table = pair(own=10, uncharted=1), counts()
    work.may_step(one, 5, table)
    table[work.NODE_TESTS] += 25
    work.settle(one, 0, table)
    assert one["own"] <= 0
    assert not work.may_step(one, 5, table), "no chart: the question is given up until it is there"
    one["uncharted"] = 0
    assert work.may_step(one, 5, table), "from then on it is charged like any other"
    assert table[work.CHARGED] == 1


def test_an_account_is_spent_at_its_limit():
    assert not work.spent(counts(NODE_TESTS=9, LIMIT=10))
    assert work.spent(counts(NODE_TESTS=4, HULL_TESTS=3, LEAF_TESTS=3, LIMIT=10))
