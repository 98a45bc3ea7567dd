"""An answer that tells more when it is looked at: contacts once, brackets that hold its time, statistics of its own."""

import math

import numpy as np
import pytest

import tocsin


@pytest.fixture(scope="module")
def scene():
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    return tocsin.Scene(ball, tocsin.Body(tocsin.Sphere(0.5), (3.0, 0.0, 0.0), name="other")), ball


def test_a_contact_is_found_when_looked_at_and_kept(scene):
    asked, ball = scene
    hit = asked.first_contact(ball.move((0, 0, 0), (4, 0, 0)), tolerance=1e-6)
    assert "contacts" not in vars(hit)
    (contact,) = hit.contacts
    assert hit.contacts[0] is contact
    assert hit.complete
    assert contact.point_a == pytest.approx(np.array([2.5, 0.0, 0.0]), abs=1e-5)
    assert abs(contact.normal[0]) == pytest.approx(1.0)
    assert {contact.model_a, contact.model_b} == {"ball", "other"}


def test_the_bracket_of_an_answer_holds_the_true_time(scene):
    asked, ball = scene
    for method in ("advancement", "interval"):
        hit = asked.first_contact(ball.move((0, 0, 0), (4, 0, 0)), tolerance=1e-6, method=method)
        lower, upper = hit.bracket
        assert lower <= 0.5 <= upper + 1e-6 / 4.0


def test_free_and_capped_answers_have_no_contacts_and_no_time_of_one(scene):
    asked, ball = scene
    free = asked.first_contact(ball.move((0, 0, 0), (1, 0, 0)))
    assert free.contacts == ()
    assert free.complete
    assert free.time == math.inf
    assert free.resume() is free, "there is nothing to go on with"


def test_a_capped_answer_goes_on_where_it_ended():
    mesh = tocsin.Sphere(0.5).tessellate(8)
    ball = tocsin.Body(mesh, name="ball")
    asked = tocsin.Scene(ball, tocsin.Body(mesh, (0.95, 0.0, 0.0), name="other"))
    motion = ball.move((0, 0, -2), (0, 0, 2))
    hit = asked.first_contact(motion, max_steps=5)
    assert hit.status is tocsin.Status.CAPPED
    before = hit.time
    for _ in range(200):
        hit = hit.resume()
        assert hit.time >= before - 1e-9
        before = min(hit.time, 1.0)
        if hit.status is not tocsin.Status.CAPPED:
            break
    assert hit.status is asked.first_contact(motion).status


def test_a_body_inside_a_solid_one_is_named_without_features():
    inner = tocsin.Body(tocsin.Box((0.1, 0.1, 0.1)).tessellate(), name="inner")
    outer = tocsin.Body(tocsin.Box((2, 2, 2)).tessellate(), name="outer", solid=True)
    hit = tocsin.Scene(inner, outer).first_contact(inner.move((0, 0, 0), (0.1, 0, 0)))
    assert hit.status is tocsin.Status.INITIAL_CONTACT
    (contact,) = hit.contacts
    assert contact.kind == "inside"
    assert contact.features == ((), ())


def test_statistics_are_counts_and_seconds_of_this_question(scene):
    asked, ball = scene
    stats = asked.first_contact(ball.move((0, 0, 0), (4, 0, 0))).stats
    assert stats.pairs_total >= 1
    assert stats.slabs >= 1
    assert set(stats.seconds) == {"motion", "culling", "advancement"}
