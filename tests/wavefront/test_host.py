"""The stages on this processor."""

import pytest

from tocsin.queries.devices import field
from tocsin.queries.edges import Points
from tocsin.wavefront.host import ask
from tocsin.wavefront.stages import ITEMS, JOBS
from wavefront.cells import CELLS


@pytest.mark.pure
def test_edges_are_counted_and_answered():
    scene, model, Q0, Q1 = CELLS["in a hollow box"]()
    points = Points(scene.context, model, {"Q0": Q0, "Q1": Q1})
    status, counters = ask(field(scene.context, points.standing()[0], 0.0, -1.0), points.batch)
    assert len(status) == len(Q0)
    assert counters[JOBS] >= len(Q0)
    assert counters[ITEMS] > 0
