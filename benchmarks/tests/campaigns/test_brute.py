"""Small deforming scenes against all pairs in exact arithmetic; the campaign is `python -m tocsin_bench brute`."""

import numpy as np
import pytest

from tocsin.results import FirstContact
from tocsin_bench.campaigns import brute


@pytest.mark.parametrize("number", range(14))
def test_the_sets_of_touching_pairs_are_the_same(number):
    tally = brute.Tally()
    brute.compare(brute.scene(number, 1), f"brute:1:{number}", tally)
    assert tally.wrong == []


def test_a_pair_that_no_axis_separates_is_judged_and_a_neighbour_is_not():
    soft = brute.scene(0, 1)
    pairs = brute.all_pairs(soft)
    corners = np.array([soft.corners(pair) for pair in pairs])
    assert all(len(set(row)) == 4 for row in corners.tolist())
    assert len(pairs) > 100


def test_the_judge_notices_what_is_made_wrong(monkeypatch):
    """A judge that cannot object proves nothing: a pair is left out, one is added, one is made late."""
    soft = brute.scene(0, 1)
    pairs, through, triangles, first, free = brute.ask(soft, brute.RELATIVE * soft.size)
    assert len(pairs) > 3
    one, another = list(pairs)[:2]
    far = next(pair for pair in brute.all_pairs(soft) if pair not in brute.truth(soft))
    wrongs = {
        "missed": {pair: when for pair, when in pairs.items() if pair != one},
        "never comes within": {**pairs, far: 0.5},
        "reported later": {**pairs, one: 1.0, another: 1.0},
        "apart at its time": {**pairs, one: 0.0},
    }
    for words, answer in wrongs.items():
        monkeypatch.setattr(brute, "ask", lambda *_, answer=answer: (answer, through, triangles, first, free))
        tally = brute.Tally()
        brute.compare(soft, "made wrong", tally)
        assert any(words in line for line in tally.wrong), words
    monkeypatch.setattr(brute, "ask", lambda *_: (pairs, through ^ {(0, 13)}, triangles, first, free))
    tally = brute.Tally()
    brute.compare(soft, "made to cross", tally)
    assert any("at the start" in line for line in tally.wrong)
    late = FirstContact(first.status, 1.0)
    monkeypatch.setattr(brute, "ask", lambda *_: (pairs, through, triangles, late, False))
    tally = brute.Tally()
    brute.compare(soft, "made late", tally)
    assert any("first_contact" in line for line in tally.wrong)
