"""Signs of differences in sign bits: in kernels as on arrays, zero included."""

import numpy as np

from tocsin.compiler.jit import kernel
from tocsin.simd.lanes import SINGLES, load_singles
from tocsin.simd.signs import YES, may_meet, meet, negatives

VALUES = np.array([-2.0, -1.0, -0.0, 0.0, 1.0, 2.0, -np.inf, np.inf], np.float32)


def tables(seed, rows):
    rng = np.random.default_rng(seed)
    return np.ascontiguousarray(rng.choice(VALUES, size=(rows, SINGLES)).astype(np.float32))


@kernel
def compiled(table):
    one = load_singles(table, 0, 0)
    two = load_singles(table, 0, 1)
    three = load_singles(table, 0, 2)
    four = load_singles(table, 0, 3)
    five = load_singles(table, 0, 4)
    return negatives(one), negatives(meet(one, two, three)), negatives(may_meet(one, two, three, four, five))


def test_bits_are_those_of_the_signs_and_minus_zero_has_one():
    assert negatives(VALUES) == sum(1 << k for k, v in enumerate(VALUES) if np.signbit(v))


def test_kernels_say_what_arrays_say():
    for seed in range(200):
        table = tables(seed, 5)
        one, two, three, four, five = table
        said = negatives(one), negatives(meet(one, two, three)), negatives(may_meet(one, two, three, four, five))
        assert tuple(compiled(table[None])) == said


def test_intervals_meet_where_one_begins_before_the_other_ends():
    """lo - end < 0 and hi - begin >= 0: touching counts by the second difference, 0 is not negative."""
    so_far = np.full(SINGLES, YES, np.float32)
    lo, hi = np.arange(SINGLES, dtype=np.float32), np.arange(SINGLES, dtype=np.float32) + 1
    begin, end = np.float32(3.0), np.float32(5.0)
    met = negatives(meet(so_far, lo - end, hi - begin))
    assert met == sum(1 << k for k in range(SINGLES) if lo[k] < end and hi[k] >= begin)


def test_intervals_that_meet_at_one_end_may_meet():
    so_far = np.full(SINGLES, YES, np.float32)
    above, below = np.full(SINGLES, -1.0, np.float32), np.full(SINGLES, 1.0, np.float32)
    assert negatives(may_meet(so_far, above, -above, below, -below)) == (1 << SINGLES) - 1
    assert negatives(may_meet(so_far, -above, -above, below, below)) == 0
    assert negatives(may_meet(so_far, above, above, -below, -below)) == 0
    assert negatives(may_meet(-so_far, above, above, below, below)) == 0
