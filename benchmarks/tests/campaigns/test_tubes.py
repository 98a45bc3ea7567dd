"""No motion inside a tube that is proven free touches, and a tube that is no tube is found out."""

import numpy as np

from tocsin_bench.campaigns import tubes


def test_no_motion_inside_a_tube_touches():
    assert set(tubes.campaign(15, 3)) <= {"proven", "not proven"}


def test_a_proof_that_forgets_the_errors_is_caught(monkeypatch):
    monkeypatch.setattr(tubes.Tubes, "is_free", lambda case, factor, method: factor < 1e4)
    words = [tubes.judge(np.random.default_rng([5, k]), "advancement") for k in range(6)]
    assert "touches" in words
