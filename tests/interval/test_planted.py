"""Contacts that are there by construction, proven in 50 digits, asked of the second engine."""

import itertools

import pytest

from tocsin.bench import planted
from tocsin.bench.planted_judge import Tally, verdict


@pytest.mark.parametrize(("cases", "count"), [(planted.rigid_cases, 160), (planted.articulated_cases, 60)])
def test_planted_contacts_are_found_never_late_and_never_beyond_the_tolerance(cases, count):
    for case in itertools.islice(cases(23, Tally()), count):
        hit = case.ask(method="interval")
        assert verdict(case, hit) == "right", case.name
        if case.planted:
            assert not case.ask_free(method="interval"), case.name
            assert hit.bracket[0] <= hit.bracket[1]
