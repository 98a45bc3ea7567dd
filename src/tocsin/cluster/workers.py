"""Parts of a job on Ray's workers: `ray.data`, `map_batches` with an actor class, Arrow in and out.

A scene is put into Ray's store once, and every worker takes it from there when it starts. Workers that die
are replaced, and their parts are asked again of others; only a complete part counts as an answer.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from tocsin.cluster.edge_file import arrow
from tocsin.cluster.job import Answers, Terms
from tocsin.errors import TocsinError
from tocsin.scene import Scene

Part = tuple[int, np.ndarray, np.ndarray]
"""Its number, and the ends of its edges."""

AT_ONCE = 64
"""Parts handed to Ray at a time, for each worker: what is in its store is bounded."""


def ray_module() -> ModuleType:
    """Return Ray with its data."""
    try:
        import ray  # pyright: ignore[reportMissingImports]
        import ray.data  # pyright: ignore[reportMissingImports, reportUnusedImport]
    except ImportError:
        raise TocsinError("workers are Ray's: pip install 'tocsin[ray]'; without workers= it is not needed.") from None
    return ray


class Asker:
    """What a worker does: it holds the scene, and answers parts."""

    def __init__(self, sent: Scene | tuple[object], model: int, terms: Terms) -> None:
        ray = ray_module()
        self.scene: Scene = ray.get(sent[0]) if isinstance(sent, tuple) else sent
        self.model, self.terms = self.scene.models[model], terms

    def __call__(self, table: Any) -> Any:
        """Answer a block of parts."""
        pa = arrow()
        size = table.column("t0").type.list_size
        ends = [table.column(name).combine_chunks().flatten().to_numpy().reshape(-1, size) for name in ("t0", "t1")]
        answers = self.terms.ask(self.scene, self.model, *ends, threads=1)
        return pa.table(
            {"part": table.column("part"), "worker": pa.array(np.full(len(table), os.getpid())), **answers}
        )  # fmt: skip


def answered(
    scene: Scene, model: int, terms: Terms, parts: Iterator[Part], workers: int, address: str | None
) -> Iterator[tuple[int, Answers, int]]:
    """Yield (part, answers, process) as workers answer; Ray is started on this machine if there is no address."""
    ray = ray_module()
    own = not ray.is_initialized()
    if own:
        options: dict[str, bool | str] = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
        ray.init(address=address, **options, **({} if address else {"num_cpus": max(workers, 1)}))
    try:
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        settings = ray.data.DataContext.get_current()
        settings.enable_progress_bars = False
        sent = (ray.put(scene),)
        block: list[Part] = []
        for part in parts:
            block.append(part)
            if len(block) == AT_ONCE * workers:
                yield from _block(ray, sent, model, terms, block, workers)
                block = []
        if block:
            yield from _block(ray, sent, model, terms, block, workers)
    finally:
        if own:
            ray.shutdown()


def _block(
    ray: ModuleType, sent: tuple[object], model: int, terms: Terms, parts: list[Part], workers: int
) -> Iterator[tuple[int, Answers, int]]:
    """Answer some parts."""
    pa = arrow()
    tables: list[object] = []
    for k, *ends in parts:
        lists = [pa.FixedSizeListArray.from_arrays(pa.array(end.reshape(-1)), end.shape[1]) for end in ends]
        tables.append(pa.table({"part": np.full(len(ends[0]), k), "t0": lists[0], "t1": lists[1]}))
    found = ray.data.from_arrow(tables).map_batches(
        Asker, fn_constructor_args=(sent, model, terms), batch_format="pyarrow", batch_size=None, zero_copy_batch=True,
        compute=ray.data.ActorPoolStrategy(size=workers), max_restarts=-1, max_task_retries=-1,
    )  # fmt: skip
    counts = {k: len(Q0) for k, Q0, _ in parts}
    pieces: dict[int, list[Any]] = {}
    for table in found.iter_batches(batch_format="pyarrow", batch_size=None):
        for k in np.unique(table.column("part").to_numpy()).tolist():
            mine = table.filter(pa.compute.equal(table.column("part"), k))
            pieces.setdefault(k, []).append(mine)
            if sum(map(len, pieces[k])) == counts[k]:
                whole = pa.concat_tables(pieces.pop(k))
                names = [name for name in whole.column_names if name not in ("part", "worker")]
                yield k, {name: whole.column(name) for name in names}, int(whole.column("worker")[0].as_py())
