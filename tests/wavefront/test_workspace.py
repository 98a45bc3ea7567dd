"""Memory of a batch."""

import numpy as np

from tocsin.queries.devices import field
from tocsin.queries.edges import Points
from tocsin.wavefront.workspace import batch_of, bytes_of
from wavefront.cells import arm


def test_the_bytes_of_an_edge_are_those_of_its_arrays():
    scene, robot, Q0, Q1 = arm()
    points = Points(scene.context, robot, {"Q0": Q0, "Q1": Q1})
    tables = field(scene.context, points.standing()[0], 0.0, -1.0)
    none = np.zeros(0, np.int32)
    batch, items, left = batch_of(tables, points.batch, none)
    shared = batch._replace(rows=np.zeros(0), template=np.zeros(0), places=np.zeros(0), counters=np.zeros(0))
    taken = sum(array.nbytes for array in (*shared, items, left)) / len(Q0)
    assert taken <= bytes_of(tables, len(points.batch.template) // 2) <= 1.5 * taken
