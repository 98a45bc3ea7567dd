"""A seeded part of the planted-contact campaign, and the proof that the campaign would notice a liar.

The full count runs by `python -m tocsin_bench planted`.
"""

import dataclasses
import math

import numpy as np
import pytest

from tocsin.results import FirstContact, Status
from tocsin_bench.campaigns import planted, planted_judge


def check(cases, count, seed):
    tally = planted.campaign(cases, count, seed)
    print("\n".join(planted.report("planted", tally, 0.0)))
    assert tally.planted >= count
    assert tally.wrong == 0, "\n".join(map(str, tally.failures[:20]))
    # Not vacuous: in many questions the planted contact is the first, and the bell rings just before it.
    assert np.mean(np.array(tally.leads) <= 1e-3) > 0.3
    return tally


def test_no_planted_rigid_contact_is_missed_late_or_a_false_alarm():
    tally = check(planted.rigid_cases, 1200, seed=2026)
    words = " ".join(tally.labels)
    for word in (
        "plate",
        "sheet",
        "sliver",
        "needle",
        "flawed",
        "torus",
        "sphere",
        "capsule",
        "cylinder",
        "Box",
        "ConvexHull",
    ):
        assert word in words
    for word in ("vertex-face", "edge-edge ", "edge-edge-parallel", "face-face", "vertex-vertex", "grazing", "exact"):
        assert word in words
    assert tally.misses_free > 0


def test_no_planted_articulated_contact_is_missed_late_or_a_false_alarm():
    tally = check(planted.articulated_cases, 250, seed=2026)
    assert any(label.startswith("self") for label in tally.labels)
    assert any(label.startswith("obstacle") for label in tally.labels)


@pytest.mark.slow
def test_many_planted_contacts():
    check(planted.rigid_cases, 30_000, seed=7)
    check(planted.articulated_cases, 6_000, seed=7)


def first_case(cases, seed=0):
    return next(case for case in cases(seed, planted_judge.Tally()) if case.planted and 0.1 < case.time < 0.9)


@pytest.mark.parametrize("cases", [planted.rigid_cases, planted.articulated_cases])
def test_the_judge_notices_every_kind_of_lie(cases):
    case = first_case(cases)
    at_start = planted_judge.excess(case, 0.0)
    assert at_start > 0  # apart at the start: otherwise time 0 would be right
    assert planted_judge.excess(case, case.time) <= 0

    def judged(status, time):
        return planted_judge.verdict(case, FirstContact(status, time))

    assert judged(Status.FREE, math.inf) == "missed"
    assert judged(Status.CONTACT, np.nextafter(case.time, 2)) == "late"
    assert judged(Status.CONTACT, math.nan) == "late"
    assert judged(Status.INITIAL_CONTACT, 0.0) == "false alarm"
    assert judged(Status.CAPPED, 0.0) == "capped"
    assert judged(Status.CONTACT, 0.0) == "wrong status"
    assert judged(Status.CONTACT, -0.1) == "wrong status"
    assert judged(Status.CONTACT, case.time) == "right"


class Lying:
    """A scene that calls everything free when asked for a yes or no."""

    def __init__(self, scene):
        self.first_contact = scene.first_contact

    def is_free(self, *motions, **options):
        return True


def test_a_wrong_is_free_is_counted():
    case = first_case(planted.rigid_cases)
    case = dataclasses.replace(case, scene=Lying(case.scene))
    tally = planted_judge.Tally()
    assert tally.add(case) == "is_free lied"
    assert tally.wrong == 1
    assert tally.failures[0][0] == case.name


def test_a_case_can_be_replayed_by_its_name():
    case = first_case(planted.articulated_cases)
    again = planted.replay(case.name)
    assert again["case"].time == case.time
    assert again["hit"].time == case.ask().time
    assert again["excess at t*"] <= 0
