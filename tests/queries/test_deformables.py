"""What a scene with deformable models is asked: who moves, under which rules, and nothing twice."""

import numpy as np
import pytest

import tocsin
from tocsin import TocsinError
from tocsin.queries.deformables import question, standing

TRIANGLE = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)])


@pytest.fixture
def asked():
    cloth = tocsin.Deformable(TRIANGLE, [(0, 1, 2)], name="cloth")
    ball = tocsin.Body(tocsin.Sphere(0.25), (0, 0, 1), name="ball")
    scene = tocsin.Scene(cloth, ball, tocsin.Body(tocsin.Sphere(0.25), (0, 0, 5), name="far"))
    return scene, cloth, ball


def test_motions_go_by_the_place_of_their_model(asked):
    scene, cloth, ball = asked
    moves = cloth.move(TRIANGLE, TRIANGLE + 1.0), ball.move((0, 0, 1), (0, 0, 2))
    found = question(scene.context, moves, {}, 0.125, 1e-3, 1)
    assert found.motions == {0: moves[0], 1: moves[1]}
    assert (found.margin, found.tolerance) == (0.125, 1e-3)
    assert {(p.a.model, p.b.model) for p in found.pairings} >= {(0, 1), (0, 2)}


def test_a_model_that_is_given_two_motions_is_refused_by_name(asked):
    scene, cloth, _ = asked
    with pytest.raises(TocsinError, match="'cloth'"):
        question(scene.context, (cloth.move(TRIANGLE, TRIANGLE), cloth.move(TRIANGLE, TRIANGLE)), {}, 0.0, None, 1)


@pytest.mark.parametrize(("margin", "tolerance"), [(-1.0, None), (0.0, -1.0), (np.nan, None)])
def test_terms_are_checked_before_anything_is_asked(asked, margin, tolerance):
    scene, cloth, _ = asked
    with pytest.raises(TocsinError):
        question(scene.context, (cloth.move(TRIANGLE, TRIANGLE),), {}, margin, tolerance, 1)


def test_what_stands_is_asked_without_margins_but_with_what_is_ignored(asked):
    scene, _, _ = asked
    scene.margins["cloth", "ball"] = 0.5
    scene.ignore("cloth", "far")
    found = standing(scene.context, ())
    assert found.margin == 0.0
    assert set(found.rules.values()) == {-np.inf}
    assert found.motions == {}
