"""Contacts that are there by construction, proven in 50 digits, asked of the second engine."""

import pytest

from tocsin_bench.campaigns import planted


@pytest.mark.parametrize(("cases", "count"), [(planted.rigid_cases, 150), (planted.articulated_cases, 60)])
def test_planted_contacts_are_found_never_late_and_never_beyond_the_tolerance(cases, count):
    tally = planted.campaign(cases, count, 23, method="interval")
    assert tally.planted == count
    assert tally.failures == []
