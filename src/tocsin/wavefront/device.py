"""The stages on a CUDA device: each a launch, one thread a piece of work, the rounds one after the other.

No launch waits for the host: how much work there is, is counted on the device, and threads take every so-many-th piece
of it. Nothing is allocated between batches.
"""

import threading
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numba import float64, int32

from tocsin.wavefront import stages
from tocsin.wavefront.field import Field, blank
from tocsin.wavefront.stages import CAPPED, ITEMS, JOBS, MOST_LEVEL, ROUNDS, STACK, Batch
from tocsin.wavefront.translate import SIMULATED, cuda, to_device
from tocsin.wavefront.workspace import EACH, SLABS, Edges, HasEdges, batch_of, bytes_of

THREADS = 128
"""In a block: all of them wait for the slowest."""

MOST = 2**18
"""Edges in a batch; fewer where the device has no room for them."""

FEW = 64
"""Edges in a batch where the device is a simulation."""

Progress = Callable[[int, int], None]

FIRST = 2**14
"""Edges in the first batch, by which the size of the next one is chosen."""

ROOMY = 0.75
"""How full the lists of a batch are to be, if its edges are as those before."""

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
def _chart_all(field, batch, n, charts):
    for i in range(cuda.grid(1), n * charts, cuda.gridsize(1)):
        _chart(field, batch, i // charts, i % charts)


@cuda.jit
def _sweep_all(field, batch, shapes):
    jobs = min(batch.counters[JOBS], batch.jobs.shape[0])
    for i in range(cuda.grid(1), jobs * shapes, cuda.gridsize(1)):
        _sweep(field, batch, i // shapes, i % shapes)


@cuda.jit
def _meet_all(field, batch, items, couples):
    jobs = min(batch.counters[JOBS], batch.jobs.shape[0])
    for i in range(cuda.grid(1), jobs * couples, cuda.gridsize(1)):
        _meet(field, batch, items, i % jobs, i // jobs)


@cuda.jit
def _settle_all(field, batch, items, left, n):
    stack = cuda.local.array((STACK, 2), int32)
    corners_a = cuda.local.array((3, 3), float64)
    corners_b = cuda.local.array((3, 3), float64)
    simplex = cuda.local.array((4, 9), float64)
    count = min(batch.counters[ITEMS + n], items.shape[0])
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        _settle(field, batch, items, left, i, n, stack, (corners_a, corners_b, simplex))


def _filled(array: np.ndarray) -> np.ndarray:
    """Return an array as a device takes it: in order, and never without a row."""
    return np.ascontiguousarray(array) if len(array) else np.zeros((1, *array.shape[1:]), array.dtype)


Workspace: TypeAlias = tuple[Any, Any, Any]
"""A batch and two lists of items in the device's memory, whose arrays numba-cuda leaves without a type."""

_workspaces: dict[tuple[int, ...], Workspace] = {}

_LOCK = threading.Lock()
"""Held by whoever uses a workspace: scenes may be asked from several threads."""


def _workspace_of(field: Field, edges: HasEdges, size: int) -> Workspace:
    """Return the memory of batches of such edges: that of the last one, if it was of the same size."""
    tables = len(field.links), len(field.moving), len(field.charts), len(field.couples)
    key = (*tables, len(edges.template), len(edges.places), size)
    if key not in _workspaces:
        _workspaces.clear()
        template = cuda.device_array((len(edges.template),), np.float64)
        places = cuda.device_array((len(edges.places),), np.int64)
        numbers = cuda.device_array((size, len(edges.places)), np.float64)
        order = cuda.device_array((max(len(field.couples), 1),), np.int32)
        _workspaces[key] = batch_of(field, Edges(template, places, numbers), order, cuda.device_array)
    batch = _workspaces[key][0]
    batch.template.copy_to_device(edges.template)
    batch.places.copy_to_device(edges.places)
    return _workspaces[key]


def warm() -> None:
    """Compile all kernels, for a field without anything in it."""
    edges = Edges(np.zeros(2), np.zeros(1, np.int64), np.zeros((1, 1)))
    batch, items, left = batch_of(blank(), edges, np.zeros(1, np.int32))
    field = Field(*map(cuda.to_device, blank()))
    batch, items, left = Batch(*map(cuda.to_device, batch)), cuda.to_device(items), cuda.to_device(left)
    _start_all[1, 1](field, batch, 0)
    _chart_all[1, 1](field, batch, 0, 0)
    _sweep_all[1, 1](field, batch, 0)
    _meet_all[1, 1](field, batch, items, 0)
    _settle_all[1, 1](field, batch, items, left, 0)
    cuda.synchronize()


class Device:
    """A field on the CUDA device at hand, with memory for batches of edges."""

    def __init__(self, field: Field) -> None:
        self.field = Field(*[cuda.to_device(_filled(each)) for each in field])
        self.charts, self.shapes, self.couples = len(field.charts), len(field.moving), len(field.couples)
        self.blocks = 1 if SIMULATED else 16 * cuda.get_current_device().MULTIPROCESSOR_COUNT
        self._field = field
        self._touched = np.zeros(max(len(field.couples), 1), np.int64)
        self.size = self.least = self.next_size = 0
        self.counters = np.zeros(ITEMS + ROUNDS + 1, np.int64)
        """What the last batch has counted, see `stages`."""
        self.timed = False
        self.seconds: dict[str, float] = {}
        """What stages have taken since this was cleared, where they are timed."""

    def _choose_sizes(self, width: int) -> None:
        """Choose for how many edges there is memory, by the width of their rows."""
        self.size = FEW
        if not SIMULATED:
            free = cuda.current_context().get_memory_info()[0]
            self.size = int(max(1, min(MOST, SHARE * free / bytes_of(self._field, width))))
        self.least = max(1, SLABS * self.size >> MOST_LEVEL)
        """Edges for whose slabs there is always room."""
        self.next_size = min(self.size, FIRST)

    def ask(self, edges: HasEdges, found: np.ndarray, progress: Progress | None = None) -> None:
        """Write the status of every edge, see `stages`, batch by batch; `progress` is told (done, n).

        `edges` have a template, places and numbers, as a `Batch` of the stages.
        """
        first, numbers = 0, edges.numbers
        while first < len(numbers):
            with _LOCK:
                if not self.size:
                    self._choose_sizes(len(edges.template) // 2)
                last = min(first + self.next_size, len(numbers))
                part = edges._replace(numbers=numbers[first:last])  # pyright: ignore[reportPrivateUsage]  # a named tuple
                answers = self._batch(part)
                crowded = self._crowded(last - first)
            if crowded:
                again = np.flatnonzero(answers == CAPPED)
                rest = np.full(len(again), CAPPED, np.int32)
                self.ask(part._replace(numbers=part.numbers[again]), rest)  # pyright: ignore[reportPrivateUsage]
                answers[again] = rest
            found[first:last] = answers
            first = last
            if progress is not None:
                progress(last, len(numbers))

    def _crowded(self, n: int) -> bool:
        """Was there too little room for a batch of n? Choose the size of the next one by what this one took."""
        taken = max(self.counters[JOBS] / (SLABS * self.size), self.counters[ITEMS:].max() / (EACH * self.size))
        self.next_size = int(min(self.size, max(self.least, ROOMY * n / max(taken, 1e-9))))
        return bool(taken > 1.0) and n > self.least

    def _batch(self, edges: HasEdges) -> np.ndarray:
        """Run all stages on a batch of edges; return their statuses."""
        n = len(edges.numbers)
        batch, items, left = _workspace_of(self._field, edges, self.size)
        batch.numbers[:n].copy_to_device(np.ascontiguousarray(edges.numbers))
        batch.counters.copy_to_device(np.zeros(ITEMS + ROUNDS + 1, np.int64))
        batch.touched.copy_to_device(self._touched)
        batch.order.copy_to_device(np.argsort(-self._touched, kind="stable").astype(np.int32))
        field = self.field
        self._launch("start", _start_all, n, field, batch, n)
        if self.charts:
            self._launch("chart", _chart_all, n * self.charts, field, batch, n, self.charts)
        self._launch("sweep", _sweep_all, SLABS * n * self.shapes, field, batch, self.shapes)
        self._launch("meet", _meet_all, SLABS * n * self.couples, field, batch, items, self.couples)
        for r in range(ROUNDS):
            self._launch(f"settle {r:2d}", _settle_all, EACH * n, field, batch, items, left, r)
            items, left = left, items
        batch.counters.copy_to_host(self.counters)
        batch.touched.copy_to_host(self._touched)
        return batch.status[:n].copy_to_host()

    def _launch(self, name: str, kernel: Any, work: int, *arguments: object) -> None:
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
