"""The search for proofs: directions in whole numbers near those that were asked, and words that never run over."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.proofs.parts import parts_of
from tocsin.proofs.search import WHOLE_NUMBERS, about_extent, clears, coefficients, extent, gap_along, whole, write

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


@pytest.mark.parametrize("seed", range(8))
def test_what_is_quickly_found_is_no_less_than_how_far_a_part_goes(seed):
    rng = np.random.default_rng(seed)
    mesh = rng.normal(size=(9, 3)), rng.integers(0, 9, (6, 3))
    for shape in (mesh, tocsin.Sphere(0.3), tocsin.Cylinder(0.2, 0.7), tocsin.Capsule(0.2, 0.7), tocsin.Box((1, 2, 3))):
        found = parts_of(tocsin.Body(shape).shapes[0][0])
        used = mesh[0][np.unique(mesh[1])] if shape is mesh else None
        for _ in range(6):
            n, moving, tau = tuple(rng.normal(size=3)), state(rng), float(rng.choice([0.5, 0.1, 1e-3]))
            quick = about_extent(found.parts[0], found.points, moving, n, tau)
            before, middle, after, *at = coefficients(moving, n, tau)
            true = extent(found.parts[0], found.points, moving, n, tau)
            if used is not None:
                true = [(used @ d).max() + a for d, a in zip((before, middle, after), at)]
            assert all(q >= t - 1e-12 * (1.0 + abs(t)) for q, t in zip(quick, true))


def test_parts_that_are_not_quickly_seen_to_clear_each_other_clear_all_the_same():
    """A bar that turns about its own axis beside another: the box of one goes farther than it does."""
    bar = parts_of(tocsin.Body(tocsin.Cylinder(0.2, 4.0)).shapes[0][0])
    still, eye = ((0.0, 0.0, 0.0),) * 4, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    turns = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), *still[:3]
    asked = bar.parts[0], bar.parts[0], bar.points, (eye, *turns[1:]), (eye, (0.41, 0.0, 0.0), *still), (1.0, 0.0, 0.0)
    gap = gap_along(*asked, 0.5)
    a, b = about_extent(bar.parts[0], bar.points, asked[3], asked[5], 0.5), 0.2 - 0.41
    assert max(a) + b > -gap
    assert clears(*asked, 0.5, gap - 1e-9)
    assert not clears(*asked, 0.5, gap + 1e-9)
