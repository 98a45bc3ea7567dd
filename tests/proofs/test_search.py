"""The search for proofs: directions in whole numbers near those that were asked, and words that never run over."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.proofs.parts import parts_of
from tocsin.proofs.search import WHOLE_NUMBERS, clears, gap_along, whole, write

pytestmark = PLAIN


@pytest.mark.parametrize("size", WHOLE_NUMBERS)
def test_a_direction_in_whole_numbers_is_near_the_one_that_was_asked(size):
    rng = np.random.default_rng(1)
    for n in rng.normal(size=(50, 3)):
        w = np.array(whole(tuple(n), size))
        assert (w == np.round(w)).all()
        assert np.abs(w).max() == size
        assert np.linalg.norm(w / np.linalg.norm(w) - n / np.linalg.norm(n)) <= 2.0 / size


def test_words_are_appended_and_counted_beyond_the_end():
    words = np.zeros(2, np.int64)
    used = 0
    for word in (5, 6, 7):
        used = write(words, used, word)
    assert words.tolist() == [5, 6]
    assert used > len(words) - 1


def state(rng):
    """A link that turns and speeds up, as `motion.chain` has it."""
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return tuple(map(tuple, turn)), *(tuple(v) for v in rng.normal(size=(5, 3)))


def test_parts_that_are_not_quickly_seen_to_clear_each_other_clear_all_the_same():
    """A bar that turns about its own axis beside another: the box of one goes farther than it does."""
    bar = parts_of(tocsin.Body(tocsin.Cylinder(0.2, 4.0)).shapes[0][0])
    still, eye = ((0.0, 0.0, 0.0),) * 4, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    turns = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), *still[:3]
    asked = bar.parts[0], bar.parts[0], bar.points, (eye, *turns[1:]), (eye, (0.41, 0.0, 0.0), *still), (1.0, 0.0, 0.0)
    gap = gap_along(*asked, 0.5)
    assert clears(*asked, 0.5, gap - 1e-9)[0]
    assert not clears(*asked, 0.5, gap + 1e-9)[0]


@pytest.mark.parametrize("seed", range(8))
def test_what_clears_does_and_of_what_does_not_more_is_told_than_the_gap(seed):
    rng = np.random.default_rng(seed)
    shapes = tocsin.Box((0.3, 0.2, 0.1)), tocsin.Cylinder(0.1, 0.3), tocsin.Sphere(0.2)
    told = set()
    for _ in range(40):
        one, other = (parts_of(tocsin.Body(shapes[k]).shapes[0][0]) for k in rng.integers(0, 3, 2))
        points, second = np.concatenate((one.points, other.points)), other.parts[0].copy()
        second["point"] += len(one.points)
        n, tau = tuple(rng.normal(size=3)), float(rng.choice([0.5, 0.05]))
        asked = one.parts[0], second, points, state(rng), state(rng), n, tau
        gap = gap_along(*asked)
        for need in (gap - 1.0, gap - 1e-9, gap + 1e-9, gap + 1.0):
            holds, most = clears(*asked, need)
            assert holds == (gap > need)
            assert most >= gap - 1e-12
            told.add(most > need)
    assert told == {True, False}
