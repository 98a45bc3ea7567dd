"""What an audit says about itself: places as numbers, the free parts between stretches, and one verdict of many."""

import pickle

import numpy as np
import pytest

from tocsin import Status, TocsinError
from tocsin.queries.audit.records import Audit, Clearance, Moment, Pair, Stretch
from tocsin.results import Distance

PAIR = Pair("arm", "hand", "table", "table")


def moment(waypoint, fraction=0.0):
    return Moment(waypoint, fraction, None, np.zeros(2))


def stretch(status, enter, leave, looks=()):
    return Stretch(status, moment(*enter), moment(*leave), (PAIR,), None, 0.1, looks)


def audit(*stretches, waypoints=5, look=None):
    return Audit(tuple(stretches), 0.0, 1e-3, waypoints, None, 1.0, 7, 0.1, look or (lambda: pytest.fail("looked at")))


def test_a_place_is_one_number_and_a_pair_is_said_by_model_and_link():
    assert moment(3, 0.25).position == 3.25
    assert str(PAIR) == "hand and table"
    assert PAIR.said == "arm/hand and table"


def test_it_says_what_it_found():
    assert repr(audit()) == "<Audit: Status.FREE, 5 waypoints, margin 0 m>"
    touching = stretch(Status.CONTACT, (1, 0.5), (2, 0.0))
    said = "<Audit: Status.CONTACT, 5 waypoints, margin 0 m; from waypoint 1.5 between hand and table, the first of 2"
    assert repr(audit(touching, touching)) == f"{said} stretches>"


def test_what_lies_between_stretches_is_free():
    two = audit(stretch(Status.CONTACT, (1, 0.5), (2, 0.0)), stretch(Status.CONTACT, (2, 0.0), (4, 0.0)))
    assert two.free_stretches == ((0.0, 1.5),)
    assert audit().free_stretches == ((0.0, 4.0),)
    begins = audit(stretch(Status.INITIAL_CONTACT, (0, 0.0), (1, 0.0)))
    assert begins.free_stretches == ((1.0, 4.0),)


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ((), Status.FREE),
        ((Status.CAPPED,), Status.CAPPED),
        ((Status.CAPPED, Status.CONTACT), Status.CONTACT),
        ((Status.INITIAL_CONTACT, Status.CONTACT), Status.INITIAL_CONTACT),
    ],
)
def test_one_verdict_of_many(statuses, status):
    found = audit(*[stretch(s, (k, 0.0), (k, 0.5)) for k, s in enumerate(statuses)])
    assert found.status is status
    assert found.is_free == (status is Status.FREE)
    with pytest.raises(TocsinError, match="is_free"):
        bool(found)


def test_contacts_are_found_when_first_looked_at_and_once():
    looked = []
    found = stretch(Status.CONTACT, (0, 0.5), (1, 0.0), (lambda: looked.append("in") or ("a",), lambda: ("b",)))
    assert not looked
    assert found.contacts == ("a",)
    assert found.contacts == ("a",)
    assert found.exit_contacts == ("b",)
    assert looked == ["in"]
    assert stretch(Status.CAPPED, (0, 0.5), (1, 0.0)).contacts == ()
    assert not stretch(Status.CAPPED, (0, 0.5), (1, 0.0)).is_contact


def test_what_is_sent_is_all_of_it():
    near = Clearance(0.1, 0.2, moment(1), Distance(0.2, 0.1))
    found = audit(stretch(Status.CONTACT, (0, 0.5), (1, 0.0)), look=lambda: near)
    there = pickle.loads(pickle.dumps(found))
    assert there.clearance.lower == 0.1
    assert there.stretches[0].contacts == ()
    with pytest.raises(TocsinError, match="lower > 0"):
        bool(near)
