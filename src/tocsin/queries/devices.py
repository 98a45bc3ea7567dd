"""Batches on a GPU: the tables of a scene as a device keeps them, made when it is first asked there."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tocsin._types import LongIndices, Records
from tocsin.broad_phase.charts import may_have_chart
from tocsin.errors import remark
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.model.base import Motion
from tocsin.model.tables import World
from tocsin.motion.chain import common_ancestor
from tocsin.outcome import CAPPED, FREE
from tocsin.queries.context import Context
from tocsin.queries.kernels.batch import OUTCOME, Batch
from tocsin.queries.threads import UNASKED, BatchInterrupted, Progress, shown
from tocsin.wavefront.field import Field, field_of

if TYPE_CHECKING:
    from tocsin.wavefront.device import Device

STRIDE = 1.0
"""Of the median diagonal of a model's shapes: how far a slab may take one."""


class AskedMotions(Protocol):
    """The motions of a batch (`edges.Points`)."""

    context: Context
    batch: Batch

    @property
    def models(self) -> Sequence[object]:
        """What moves."""
        ...

    @property
    def task(self) -> str:
        """What is asked, for a bar."""
        ...

    def __len__(self) -> int: ...

    def standing(self) -> tuple[Motion, ...]:
        """Return the models at rest."""
        ...

    def picked(self, which: LongIndices) -> AskedMotions:
        """Return some of them."""
        ...


class AskedTerms(Protocol):
    """The terms on which it is asked (`edges.Asking`)."""

    margin: float
    tolerance: float
    until: int
    progress: Progress | bool | None

    def quietly(self) -> AskedTerms:
        """Return the same without a word about progress."""
        ...

    def by_threads(self, points: Any, anything: bool, /) -> Records:
        """Return the outcomes, found on this machine's processors."""
        ...


def lacking() -> str:
    """Return what stands in the way of a CUDA device, as a sentence; nothing if one is there."""
    if not hasattr(np, "row_stack"):
        np.__dict__["row_stack"] = np.vstack  # numba-cuda 0.30 names it, numpy 2.5 does not
    try:
        from numba import cuda
    except ImportError:
        return "numba-cuda is not installed (pip install 'tocsin[cuda]')"
    if not cuda.is_available():
        return "no CUDA device can be used"
    return ""


def unfit(points: AskedMotions, asking: AskedTerms) -> str:
    """Return why a batch is not one for a wavefront, as a sentence; nothing if it is."""
    if len(points.models) > 1:
        return "several models move at once"
    if points.batch.points != 2:
        return "motions through other than two configurations are not asked there"
    if asking.until:
        return "a deadline is kept by threads"
    if points.context.hulls:
        return "backend='hulls' has other trees"
    return lacking()


def wavefront(points: AskedMotions, asking: AskedTerms) -> Device | None:
    """Return what asks a batch on the CUDA device, or None, with a remark why, if it is to be asked on threads."""
    if not len(points.batch.places):
        return None  # nothing moves
    why = unfit(points, asking)
    if why:
        remark(f"device='cuda': {why}, so the batch is asked on the threads of this machine.")
        return None
    from tocsin.wavefront.device import Device

    context, (standing,) = points.context, points.standing()
    return context.kept(
        f"cuda {context.places[id(standing.model)]} {asking.margin} {asking.tolerance}",
        context.tables(),
        lambda: Device(field(context, standing, asking.margin, asking.tolerance)),
    )


def by_wavefront(wave: Device, points: AskedMotions, asking: AskedTerms, anything: bool) -> np.ndarray:
    """Return the outcomes of a batch: from a device what it can decide, the rest from threads, while it goes on.

    A device proves freedom, and sees contacts, not which is the first: where that is asked, it is left to threads.
    """
    n = len(points)
    found = np.zeros(n, OUTCOME)
    found["time"] = found["upper"] = np.inf
    found["a"] = found["b"] = -1
    status = np.full(n, UNASKED, np.int32)
    decided: SimpleQueue[int] = SimpleQueue()
    stopping = Event()

    def tell(done: int, _: int) -> None:
        if stopping.is_set():
            raise BatchInterrupted(found, status != UNASKED)
        decided.put(done)

    first, rest = 0, np.zeros(0, np.int64)
    with ThreadPoolExecutor(1, "tocsin device") as beside, shown(asking.progress, points.task) as progress:
        device = beside.submit(wave.ask, points.batch, status, tell)
        device.add_done_callback(lambda _: decided.put(n))
        try:
            while first < n:
                last = decided.get()
                if device.done():
                    device.result()
                part = status[first:last]
                rest = first + np.flatnonzero(part == CAPPED if anything else part != FREE)
                if len(rest):
                    found[rest] = asking.quietly().by_threads(points.picked(rest), anything)
                    status[rest] = found["status"][rest]
                first = last
                if progress is not None:
                    progress(first, n)
        except KeyboardInterrupt as stopped:
            stopping.set()
            wait([device])
            left = status[first:]
            left[left == CAPPED if anything else left != FREE] = UNASKED
            if isinstance(stopped, BatchInterrupted):
                found[rest] = stopped.answers
                status[rest] = found["status"][rest]
            found["status"] = status
            raise BatchInterrupted(found, status != UNASKED) from stopped
        finally:
            stopping.set()  # after an error, too, the device ends with the batch that it is about
    found["status"] = status
    return found


def field(context: Context, standing: Motion, margin: float, tolerance: float) -> Field:
    """Return the field in which a model moves, with the charts of all its pairs that may have one."""
    model = context.places[id(standing.model)]
    world = charted(context, model, margin, tolerance)
    prepared = context.ready((standing,), margin, tolerance)[2]
    return field_of(world, prepared.buffers, model, margin, tolerance, RELATIVE_TOLERANCE, STRIDE)


def charted(context: Context, model: int, margin: float, tolerance: float) -> World:
    """Return the tables with the charts of a model's own pairs: a tenth of a second each, once, for many edges."""
    world = context.tables()
    world = context.charts.charted.get((margin, tolerance), world)
    record = world.models[model]
    first = int(record["geom"])
    for pair in world.selves[record["self"] : record["self"] + max(record["selves"], 0)]:
        a, b = first + int(pair["a"]), first + int(pair["b"])
        stop = common_ancestor(world.links, world.geoms[a]["link"], world.geoms[b]["link"])
        if may_have_chart(world, a, b, stop):
            world = context.charts.with_chart(world, a, b, margin, tolerance)
    return world
