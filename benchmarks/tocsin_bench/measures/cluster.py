"""A file of edges answered by threads of this process and by Ray's workers, one of which is killed on the way.

Both files of answers are compared row by row, bit by bit. The time of Ray's is that of the parts, once its workers have
begun to answer; starting them is told apart.
"""

import argparse
import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import tocsin.cluster
import tocsin.cluster.edge_file
from tocsin_bench import report
from tocsin_bench.data import Missing
from tocsin_bench.measures.batch import ROBOTS, cell, edges

DESCRIPTION = "Edges of a file, by threads and by Ray's workers with one of them killed: the same bits, edges a second."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--robot", default="made-3k", choices=ROBOTS, help="which robot (default made-3k)")
    parser.add_argument("--count", type=int, default=1_000_000, help="edges (default 1,000,000)")
    parser.add_argument("--workers", type=int, default=2, help="of Ray's, and threads (default 2)")
    parser.add_argument("--way", type=float, default=0.1, help="radians of an edge (default 0.1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the edges (default 1)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Answer the file both ways; exit with an error where an answer differs or is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
        import ray  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError as missing:
        raise Missing(f"needs {missing.name}: pip install 'tocsin[ray]'") from None
    scene, robot = cell(args.robot)
    scene.threads = args.workers
    starts, ends = edges(scene, robot, args.count, args.way, args.seed)
    names = tocsin.cluster.edge_file.entry_names(robot)
    columns = {f"{name}_t{k}": Q[:, i] for k, Q in enumerate((starts, ends)) for i, name in enumerate(names)}
    told: list[tuple[float, int]] = []

    def kill(done: int, total: int, process: int) -> None:
        told.append((time.perf_counter(), process))
        if done == max(total // 3, 1) and process:
            os.kill(process, signal.SIGKILL)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / "edges.parquet")
        asked = folder / "edges.parquet", scene, robot
        began = time.perf_counter()
        local = tocsin.cluster.answer_edges(*asked, folder / "threads.parquet", contacts=True)
        by_threads = time.perf_counter() - began
        began = time.perf_counter()
        sent = tocsin.cluster.answer_edges(
            *asked, folder / "ray.parquet", contacts=True, workers=args.workers, progress=kill
        )  # fmt: skip
        by_ray = time.perf_counter() - began
        one, other = (pyarrow.parquet.read_table(path) for path in (local, sent))
    wrong = sum(int((one.column(c).to_numpy() != other.column(c).to_numpy()).sum()) for c in one.column_names)
    rows = [
        ["threads", report.ms(by_threads), f"{args.count / by_threads:,.0f}"],
        ["Ray, until the first part", report.ms(told[0][0] - began), ""],
        ["Ray, one worker killed", report.ms(by_ray), f"{args.count / by_ray:,.0f}"],
    ]
    report.table(f"{args.count:,} edges by {args.workers} threads or workers", ["", "ms", "edges/s"], rows)
    report.say(f"{one.num_rows:,} and {other.num_rows:,} answers; {wrong} differ.")
    if wrong or not np.array_equal(other.column("row").to_numpy(), np.arange(args.count)):
        raise SystemExit(f"{wrong} answers of workers differ, or some are missing.")
    return {"threads": by_threads, "ray": by_ray, "count": args.count}
