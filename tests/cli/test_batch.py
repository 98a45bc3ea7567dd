"""`tocsin batch`: a file of edges, answered."""

import numpy as np
import pyarrow
import pyarrow.parquet

from tocsin.cli import batch

from .cell import tocsin


def write(path, n=50):
    rng = np.random.default_rng(1)
    names = [f"{joint}_t{k}" for joint in ("shoulder", "elbow") for k in (0, 1)]
    pyarrow.parquet.write_table(pyarrow.table({name: rng.uniform(-1.5, 1.5, n) for name in names}), path)
    return path


def test_edges_of_a_file_are_answered(cell, tmp_path):
    edges, out = write(tmp_path / "edges.parquet"), tmp_path / "free.parquet"
    said = tocsin("batch", edges, "--robot", cell.urdf, "--srdf", cell.srdf, "--scene", cell.plate, "--out", out)
    assert said.code == 0, said.err
    free = pyarrow.parquet.read_table(out).column("free").to_pylist()
    assert said.out.startswith(f"50 edges, {sum(free)} of which are proven free; wrote ")
    assert 0 < sum(free) < 50
    found = tocsin("batch", edges, "--robot", cell.urdf, "--srdf", cell.srdf, "--scene", cell.plate, "--out",
                   tmp_path / "hits.parquet", "--contacts", "--json")  # fmt: skip
    assert found.code == 0, found.err
    assert found.json["free"] == sum(free)
    hits = pyarrow.parquet.read_table(tmp_path / "hits.parquet").to_pydict()
    assert {status for status, is_free in zip(hits["status"], free) if is_free} == {"free"}


def test_what_is_wrong_with_a_file_is_one_sentence(cell, tmp_path):
    bad = tmp_path / "edges.parquet"
    bad.write_bytes(b"not at all")
    said = tocsin("batch", bad, "--robot", cell.urdf, "--out", tmp_path / "free.parquet")
    assert said.code == 2
    assert "it is not Parquet" in said.err
    assert said.err.count("\n") == 1
    assert "tocsin batch" in batch.EXAMPLE
