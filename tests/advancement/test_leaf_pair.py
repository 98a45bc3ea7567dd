"""Two leaves that creep towards each other end when their account is used up, and say until when they are apart."""

from types import SimpleNamespace

import numpy as np
import pytest

from plain import PLAIN
from tocsin.advancement import leaves as leaf_pair
from tocsin.advancement.work import LEAF_TESTS, LIMIT
from tocsin.model.tables import MESH
from tocsin.outcome import CAPPED

pytestmark = PLAIN

STEP = 2.0**-20


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_leaves_that_creep_end_with_their_account(monkeypatch, limit):
    made = []

    def creep(*_):
        made.append(1)
        assert len(made) <= 7, "more tests than the account allows"
        return STEP, 1.0, None, None

    monkeypatch.setattr(leaf_pair, "triangles_step", creep)
    monkeypatch.setattr(leaf_pair, "relative_state", lambda *_: (None, None))
    geom, node = {"kind": MESH}, {"reach": 1.0, "first": 0}
    world = SimpleNamespace(geoms=[geom, geom], nodes=[node, node], points=None, faces=None, links=None)
    tables = SimpleNamespace(world=world, workspace=SimpleNamespace(simplex=None), sweeps=None, joints=None)
    pair = {"a": 0, "b": 1, "margin": 0.0, "tolerance": 1e-6, "noise": 0.0}
    counts = np.zeros(16, np.int64)
    counts[LIMIT] = limit
    status, time = leaf_pair.leaf_advance(tables, pair, 0, 1, (0.0, None, None), 1.0, counts)
    assert (status, counts[LEAF_TESTS]) == (CAPPED, limit)
    assert limit * STEP * (1 - 1e-12) <= time <= limit * STEP
