"""Contacts that are planted on splines are found, in time, by both engines."""

import pytest

from tocsin_bench.campaigns.splines import campaign


def test_contacts_planted_on_splines_are_found():
    assert campaign(60, 3) == {"right": 60}


@pytest.mark.slow
def test_a_thousand_contacts_planted_on_splines_are_found():
    assert set(campaign(1000, 4)) <= {"right", "not planted"}
