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


def test_play_that_is_forgotten_at_the_release_is_caught(monkeypatch):
    """Sabotage: what is let go lies exactly where the plan has it."""
    from tocsin.queries import phases, play

    monkeypatch.setattr(phases.Laying, "play", lambda self, event, link, before, pose: play.EXACT)
    rngs = (np.random.default_rng([11, k]) for k in range(60))
    assert any(grasps.judge(grasps.random_case(rng), rng) not in ("right", "free") for rng in rngs)
