"""The search for proofs: directions in whole numbers near those that were asked, and words that never run over."""

import numpy as np
import pytest

from plain import PLAIN
from tocsin.proofs.search import WHOLE_NUMBERS, whole, write

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
