"""Bounds of joints on curves hold, and a bound that is too small is found out."""

from tocsin_bench.campaigns import curves


def test_bounds_of_joints_on_curves_hold():
    escapes, used = curves.campaign(20, 5)
    assert escapes == 0
    assert len(used) == 7


def test_a_bound_that_is_too_small_is_caught(monkeypatch):
    honest = curves.chain_bound
    monkeypatch.setattr(curves, "chain_bound", lambda *a: tuple(0.2 * x for x in honest(*a)[:6]) + honest(*a)[6:])
    assert curves.campaign(12, 5)[0] > 0
