"""Which pairs a question about deformable models has: each once, by the rules, with the smaller size's tolerance."""

import numpy as np
import pytest

import tocsin
from tocsin.deform.pairing import MOST_KEPT, Pairing, Part, first_links, pairing_of
from tocsin.limits import RELATIVE_TOLERANCE

SQUARE, FACES = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), [[0, 1, 2], [0, 2, 3]]


@pytest.fixture
def models():
    box = tocsin.Body(tocsin.Box((0.1, 0.1, 0.1)), name="box")
    return [
        tocsin.Deformable(SQUARE, FACES, name="cloth"),
        box,
        tocsin.Deformable(2.0 * SQUARE, FACES, name="other", self_contact=False),
    ]


def pairs(models, asked, rules=None, tolerance=None):
    made = Pairing(models, asked, rules or {}, 0.01, tolerance)
    return {(pair.a.model, pair.b.model): pair for pair in made.pairs}, made


def test_who_is_asked_about_meets_all_others_once(models):
    assert first_links(models) == [0, 1, 2, 3]
    assert set(pairs(models, [True] * 3)[0]) == {(0, 0), (0, 1), (0, 2), (2, 1)}
    assert set(pairs(models, [False, True, False])[0]) == {(0, 1), (2, 1)}
    assert set(pairs(models, [False, False, True])[0]) == {(0, 2), (2, 1)}
    assert not pairs(models, [False] * 3)[0]


def test_rules_of_links_set_margins_and_leave_pairs_out(models):
    found, _ = pairs(models, [True] * 3, {(0, 1): 0.25, (0, 2): -np.inf})
    assert set(found) == {(0, 0), (0, 1), (2, 1)}
    assert found[0, 1].margin == 0.25
    assert found[0, 0].margin == 0.01


def test_the_smaller_of_two_sizes_gives_the_tolerance(models):
    found, made = pairs(models, [True] * 3)
    assert found[0, 0].tolerance == pytest.approx(RELATIVE_TOLERANCE * models[0].mean_edge)
    assert found[0, 2].tolerance == found[0, 0].tolerance
    box = Part(1, 1, 0)
    assert found[2, 1].tolerance == pytest.approx(RELATIVE_TOLERANCE * made.shape(box).diagonal)
    assert made.tolerances == {box: found[2, 1].tolerance}
    assert pairs(models, [True] * 3, tolerance=0.5)[0][0, 1].tolerance == 0.5


def test_pairs_are_kept_for_the_same_question_and_made_anew_for_any_other(models):
    kept = {}
    first = pairing_of(kept, models, [True] * 3, {}, 0.01, None)
    assert pairing_of(kept, models, [True] * 3, {}, 0.01, None) is first
    assert first.both_soft == [p for p, pair in enumerate(first.pairs) if {pair.a.model, pair.b.model} <= {0, 2}]
    for asked, rules, margin, tolerance in (
        ([True, True, False], {}, 0.01, None),
        ([True] * 3, {(0, 1): 0.5}, 0.01, None),
        ([True] * 3, {}, 0.02, None),
        ([True] * 3, {}, 0.01, 0.02),
    ):
        assert pairing_of(kept, models, asked, rules, margin, tolerance) is not first
    models[2].self_contact = True
    assert len(pairing_of(kept, models, [True] * 3, {}, 0.01, None).pairs) == 1 + len(first.pairs)
    for k in range(3 * MOST_KEPT):
        pairing_of(kept, models, [True] * 3, {}, 1.0 + k, None)
        assert len(kept) <= MOST_KEPT


def test_a_scene_asks_again_of_the_pairs_that_there_are_now(models):
    """What is kept is for a scene as it is: a rule that is made later counts."""
    cloth, _, other = models
    scene = tocsin.Scene(cloth, other)
    asked = cloth.move(SQUARE + (0, 0, 1), SQUARE - (0, 0, 1)), other.at(2.0 * SQUARE)
    assert not scene.is_free(*asked)
    assert not scene.is_free(*asked)
    scene.ignore("cloth", "other")
    assert scene.is_free(*asked)
