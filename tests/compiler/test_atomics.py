"""What several threads write at once: nothing is lost, no number is handed out twice."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tocsin.compiler.atomics import fetch_add, lower
from tocsin.compiler.jit import kernel


@kernel
def take_numbers(counter, taken):
    """Mark the numbers that are handed out; return how many there were."""
    mine = 0
    while True:
        k = fetch_add(counter, 1, 1)
        if k >= taken.shape[0]:
            return mine
        taken[k] += 1
        mine += 1


@kernel
def lower_all(times, values):
    for x in values:
        lower(times, 0, x)


@pytest.mark.pure
def test_every_number_is_handed_out_once_and_nothing_beside_it_is_touched():
    counter, taken = np.zeros(3, np.int64), np.zeros(200_000 if hasattr(take_numbers, "py_func") else 500, np.int8)
    with ThreadPoolExecutor(4) as pool:
        mine = list(pool.map(lambda _: take_numbers(counter, taken), range(4)))
    assert (taken == 1).all()
    assert sum(mine) == len(taken)
    assert counter.tolist() == [0, len(taken) + 4, 0]


@pytest.mark.pure
def test_the_lowest_time_of_all_threads_stays():
    rng = np.random.default_rng(5)
    values = [rng.random(2000) ** 9 for _ in range(4)]
    values[2][7] = 5e-324
    times = np.array([1.0, 1.0])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda v: lower_all(times, v), values))
    assert times.tolist() == [5e-324, 1.0]
    lower_all(times, np.array([0.0, 0.5]))
    assert times[0] == 0.0
