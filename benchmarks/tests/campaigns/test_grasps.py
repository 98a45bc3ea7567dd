"""Programs with grasps are audited right, and a judge who looks elsewhere notices."""

import numpy as np

from tocsin_bench.campaigns import grasps


def test_nothing_touches_where_programs_are_proven_free():
    assert set(grasps.campaign(4, 3)) <= {"right", "free"}


def test_an_audit_that_forgets_what_is_carried_is_caught(monkeypatch):
    class Blind:
        """Says that everything is free."""

        conflicts, curves, is_free = (), (), True
        clearance = type("Kept", (), {"lower": 0.0})()

    monkeypatch.setattr(grasps.tocsin, "audit", lambda *given, **options: Blind)
    rngs = [np.random.default_rng([3, k]) for k in range(12)]
    assert "missed" in [grasps.judge(grasps.random_case(rng), rng) for rng in rngs]
