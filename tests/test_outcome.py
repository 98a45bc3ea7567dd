"""The codes of kernels are the statuses that users see, one each."""

import pytest

from tocsin import Status, outcome
from tocsin.results import status_of


def test_every_status_has_a_code_and_every_code_a_status():
    codes = [outcome.FREE, outcome.CONTACT, outcome.CAPPED, outcome.INITIAL_CONTACT]
    assert len(set(codes)) == len(Status)
    assert outcome.UNCHARTED not in codes


def test_a_contact_at_the_start_is_an_initial_one():
    assert status_of(outcome.CONTACT, 0.0) is Status.INITIAL_CONTACT
    assert status_of(outcome.CONTACT, 0.5) is Status.CONTACT
    assert status_of(outcome.FREE, float("inf")) is Status.FREE
    assert status_of(outcome.CAPPED, 0.0) is Status.CAPPED


def test_what_is_no_end_is_no_status():
    with pytest.raises((KeyError, IndexError, ValueError)):
        status_of(17, 0.5)
