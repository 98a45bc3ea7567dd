"""The stages on this processor, one piece of work after the other: what a device does, to be looked at closely."""

import numpy as np

from tocsin.compiler.jit import kernel
from tocsin.wavefront.field import Field
from tocsin.wavefront.stages import (
    ITEMS,
    JOBS,
    MOST_LEVEL,
    ROUNDS,
    STACK,
    chart,
    meet,
    settle,
    start,
    sweep,
)  # fmt: skip
from tocsin.wavefront.workspace import HasEdges, batch_of


@kernel
def run(field, batch, items, left, stack):
    """Run all stages; the statuses of the edges are in the batch then. `stack`: for pairs of nodes that wait."""
    n = batch.status.shape[0]
    for e in range(n):
        start(field, batch, e)
        for c in range(field.charts.shape[0]):
            chart(field, batch, e, c)
    jobs = min(batch.counters[JOBS], batch.jobs.shape[0])
    for j in range(jobs):
        for k in range(field.moving.shape[0]):
            sweep(field, batch, j, k)
    for k in range(field.couples.shape[0]):
        for j in range(jobs):
            meet(field, batch, items, j, k)
    workspace = (np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((4, 9)))
    for r in range(ROUNDS):
        for i in range(min(batch.counters[ITEMS + r], items.shape[0])):
            settle(field, batch, items, left, i, r, stack, workspace)
        items, left = left, items


def ask(field: Field, edges: HasEdges) -> tuple[np.ndarray, np.ndarray]:
    """Return the status of every edge, and the counters, see `stages`; `edges` as a `Device` takes them."""
    batch, items, left = batch_of(field, edges, np.arange(len(field.couples), dtype=np.int32), slabs=1 << MOST_LEVEL)
    run(field, batch, items, left, np.zeros((STACK, 2), np.int32))
    return batch.status, batch.counters
