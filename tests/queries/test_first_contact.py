"""The question itself: what is checked before it is asked, and which engine is meant."""

import math

import pytest

import tocsin
from tocsin.queries.first_contact import engine_of

pytestmark = pytest.mark.pure


def scene():
    a = tocsin.Body(tocsin.Sphere(0.5), name="a")
    return a, tocsin.Scene(a, tocsin.Body(tocsin.Sphere(0.5), (3, 0, 0), name="b"))


def test_engines_are_found_by_name_and_may_be_handed_in():
    default = engine_of("advancement")
    assert default.name == "advancement"
    assert engine_of("interval").name == "interval"
    assert default.charted
    assert not engine_of("interval").charted


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"margin": -0.1}, "margin"),
        ({"margin": math.nan}, "margin"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_steps": 1.5}, "max_steps"),
        ({"method": "auto"}, "method"),
    ],
)
def test_terms_that_cannot_be_kept_are_refused_by_name(terms, said):
    a, asked = scene()
    with pytest.raises(tocsin.TocsinError, match=said):
        asked.first_contact(a.move((0, 0, 0), (1, 0, 0)), **terms)


def test_a_question_that_is_asked_again_has_the_same_answer_and_counts_anew():
    a, asked = scene()
    move = a.move((0, 0, 0), (4, 0, 0))
    one, two = asked.first_contact(move), asked.first_contact(move)
    assert one == two
    assert one.stats.steps == two.stats.steps > 0
    assert one.contacts[0].link_a == "a"


def test_what_overlaps_at_the_start_is_an_initial_contact():
    a, asked = scene()
    hit = asked.first_contact(a.move((2.5, 0, 0), (9, 0, 0)))
    assert hit.status is tocsin.Status.INITIAL_CONTACT
    assert hit.time == 0.0
