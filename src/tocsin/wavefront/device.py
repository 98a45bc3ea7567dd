"""The stages on a CUDA device: each a launch, one thread a piece of work, the rounds one after the other.

No launch waits for the host: how much work there is, is counted on the device, and threads take every so-many-th piece
of it. Nothing is allocated between batches.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, float64, int32

from tocsin.wavefront import stages
from tocsin.wavefront.field import Field
from tocsin.wavefront.rounds import EACH, SLABS, batch_of, bytes_of
from tocsin.wavefront.stages import CAPPED, ITEMS, JOBS, ROUNDS, STACK, Batch
from tocsin.wavefront.translate import SIMULATED, to_device

THREADS = 128
"""In a block: all of them wait for the slowest."""

MOST = 2**18
"""Edges in a batch; fewer where the device has no room for them."""

LEAST = 256
"""Edges for which there is always room."""

Tell = Callable[[int, int, np.ndarray], None]

SHARE = 0.5
"""Of the device's free memory that is taken."""

_start, _chart, _sweep, _meet, _settle = map(
    to_device, (stages.start, stages.chart, stages.sweep, stages.meet, stages.settle)
)


@cuda.jit
def _start_all(field, batch, n):
    for e in range(cuda.grid(1), n, cuda.gridsize(1)):
        _start(field, batch, e)


@cuda.jit
def _chart_all(field, batch, n):
    charts = field.charts.shape[0]
    for i in range(cuda.grid(1), n * charts, cuda.gridsize(1)):
        _chart(field, batch, i // charts, i % charts)


@cuda.jit
def _sweep_all(field, batch):
    shapes = field.moving.shape[0]
    jobs = min(batch.counters[JOBS], batch.jobs.shape[0])
    for i in range(cuda.grid(1), jobs * shapes, cuda.gridsize(1)):
        _sweep(field, batch, i // shapes, i % shapes)


@cuda.jit
def _meet_all(field, batch, items):
    couples = field.couples.shape[0]
    jobs = min(batch.counters[JOBS], batch.jobs.shape[0])
    for i in range(cuda.grid(1), jobs * couples, cuda.gridsize(1)):
        _meet(field, batch, items, i // couples, i % couples)


@cuda.jit
def _settle_all(field, batch, items, left, n):
    stack = cuda.local.array((STACK, 2), int32)
    corners_a = cuda.local.array((3, 3), float64)
    corners_b = cuda.local.array((3, 3), float64)
    simplex = cuda.local.array((4, 9), float64)
    count = min(batch.counters[ITEMS + n], items.shape[0])
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        _settle(field, batch, items, left, i, n, stack, (corners_a, corners_b, simplex))


class Device:
    """A field on the CUDA device at hand, with memory for batches of edges."""

    def __init__(self, field: Field, front: np.ndarray, width: int) -> None:
        self.field = Field(*[cuda.to_device(np.ascontiguousarray(each)) for each in field])
        self.charts, self.shapes, self.couples = len(field.charts), len(field.moving), len(field.couples)
        self.size = MOST
        if not SIMULATED:
            free = cuda.current_context().get_memory_info()[0]
            self.size = int(max(1, min(MOST, SHARE * free / bytes_of(field, len(front) + width))))
            self.blocks = 16 * cuda.get_current_device().MULTIPROCESSOR_COUNT
        self._width, self._front, self._field = width, front, field
        self._room: tuple[Batch, Any, Any] | None = None
        self.counters = np.zeros(ITEMS + ROUNDS + 1, np.int64)
        """What the last batch has counted, see `stages`."""
        self.timed = False
        self.seconds: dict[str, float] = {}
        """What stages have taken since this was cleared, where they are timed."""

    def statuses(self, points: np.ndarray, tell: Tell | None = None) -> np.ndarray:
        """Return the status of every edge (n, 2, m), see `stages`; `tell` is called with batches as they are done."""
        found = np.full(len(points), CAPPED, np.int32)
        for first in range(0, len(points), self.size):
            last = min(first + self.size, len(points))
            self._ask(points[first:last], found[first:last], self.size)
            if tell is not None:
                tell(first, last, found)
        return found

    def _ask(self, points: np.ndarray, found: np.ndarray, size: int) -> None:
        """Ask about edges, so many at a time; fewer, of those for which there was no room."""
        for first in range(0, len(points), size):
            some = found[first : first + size]
            some[:] = self._batch(points[first : first + size])
            crowded = self.counters[JOBS] > SLABS * self.size or self.counters[ITEMS:].max() > EACH * self.size
            if crowded and size > LEAST:
                again = np.flatnonzero(some == CAPPED)
                answers = np.empty(len(again), np.int32)
                self._ask(points[first : first + size][again], answers, max(len(again) // 4, LEAST))
                some[again] = answers

    def _batch(self, points: np.ndarray) -> np.ndarray:
        """Run all stages on a batch of edges; return their statuses."""
        n = len(points)
        if self._room is None:
            given = cuda.device_array((self.size, 2, self._width), np.float64)
            self._room = batch_of(self._field, cuda.to_device(self._front), given, cuda.device_array)
        batch, items, left = self._room
        batch.points[:n].copy_to_device(np.ascontiguousarray(points))
        batch.counters.copy_to_device(np.zeros(ITEMS + ROUNDS + 1, np.int64))
        field = self.field
        self._launch("start", _start_all, n, field, batch, n)
        if self.charts:
            self._launch("chart", _chart_all, n * self.charts, field, batch, n)
        self._launch("sweep", _sweep_all, SLABS * n * self.shapes, field, batch)
        self._launch("meet", _meet_all, SLABS * n * self.couples, field, batch, items)
        for r in range(ROUNDS):
            self._launch(f"settle {r:2d}", _settle_all, EACH * n, field, batch, items, left, r)
            items, left = left, items
        batch.counters.copy_to_host(self.counters)
        return batch.status[:n].copy_to_host()

    def _launch(self, name: str, kernel: Any, work: int, *arguments: Any) -> None:
        """Launch a kernel for at most so many pieces of work."""
        blocks = 1 if SIMULATED else max(1, min(self.blocks, -(-work // THREADS)))
        threads = 4 if SIMULATED else THREADS
        if not self.timed:
            kernel[blocks, threads](*arguments)
            return
        before = time.perf_counter()
        kernel[blocks, threads](*arguments)
        cuda.synchronize()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - before
