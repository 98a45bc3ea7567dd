"""Two engines, asked alike, do not contradict each other; and the judge notices where they would."""

import itertools
import math

import pytest

from tocsin.bench.campaigns import agreement
from tocsin.results import FirstContact, Status


def test_both_engines_agree_on_random_questions():
    tally = agreement.campaign(300, 11)
    assert tally.count == 300
    assert tally.disagreements == []
    assert tally.capped == {"advancement": 0, "interval": 0}
    assert min(tally.statuses.get(word, 0) for word in ("free", "contact", "initial contact")) > 20


@pytest.fixture(scope="module")
def met():
    """A question with a contact in the middle, and its answer."""
    for question in itertools.islice(agreement.questions(11), 100):
        hit = question.ask("interval")
        if hit.status is Status.CONTACT and 0.1 < hit.time < 0.8 and question.margin == 0.0:
            return question, hit
    raise AssertionError("no such question")


def test_a_contact_that_was_missed_is_a_disagreement(met):
    question, hit = met
    missed = FirstContact(Status.FREE, math.inf)
    assert "says FREE" in agreement.contradiction(question, {"advancement": missed, "interval": hit})


def test_a_contact_that_comes_late_is_a_disagreement(met):
    question, hit = met
    late = FirstContact(Status.CONTACT, hit.time + 0.05, tolerance=hit.tolerance)
    assert "says CONTACT" in agreement.contradiction(question, {"advancement": late, "interval": hit})


def test_a_contact_where_nothing_is_near_is_a_disagreement(met):
    question, hit = met
    early = FirstContact(Status.CONTACT, 0.5 * hit.time, tolerance=1e-9)
    assert question.distance(early.time)[1] > 1e-6
    assert "where the distance is" in agreement.contradiction(question, {"advancement": hit, "interval": early})


def test_a_question_is_asked_again_by_its_name():
    first = next(agreement.questions(11))
    again = agreement.replay(first.name)
    assert again["interval"].time == first.ask("interval").time
    assert again["contradiction"] == ""
