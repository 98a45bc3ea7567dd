"""Jobs: every edge answered once, in order, with the bits of single questions, whatever happens on the way."""

import errno
import json

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="files of edges need pyarrow: pip install 'tocsin[parquet]'")

import pyarrow.parquet

from cluster.edges import edges, scene_and_robot, whole, write
from tocsin import TocsinError
from tocsin.cluster import job as jobs
from tocsin.cluster.edges import answer_edges


@pytest.fixture(scope="module")
def cell():
    return scene_and_robot()


def answers(path):
    return pyarrow.parquet.read_table(path).to_pydict()


def test_answers_are_those_of_the_scene_in_order(cell, tmp_path):
    scene, robot = cell
    Q0, Q1 = edges()
    file = write(tmp_path / "edges.parquet", Q0, Q1)
    found = answers(answer_edges(file, scene, robot, tmp_path / "free.parquet", part=64))
    assert found["row"] == list(range(200))
    assert found["free"] == scene.check_edges(robot, whole(Q0), whole(Q1)).tolist()
    found = answers(answer_edges(file, scene, robot, tmp_path / "hits.parquet", part=64, contacts=True, margin=0.01))
    hits = scene.first_contacts(robot, whole(Q0), whole(Q1), margin=0.01)
    assert np.array(found["time"]).tobytes() == hits.time.tobytes()
    assert found["status"] == [status.value for status in hits.status]
    assert found["link_a"] == hits.links[:, 0].tolist()
    assert 0 < sum(found["free"]) < 200
    assert sorted(p.name for p in tmp_path.iterdir()) == ["edges.parquet", "free.parquet", "hits.parquet"]


def test_an_interrupted_job_goes_on_where_it_was(cell, tmp_path, monkeypatch):
    scene, robot = cell
    Q0, Q1 = edges()
    file, out = write(tmp_path / "edges.parquet", Q0, Q1), tmp_path / "free.parquet"

    def interrupt(done, total, process):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer_edges(file, scene, robot, out, part=32, progress=interrupt)
    assert not out.exists()
    asked = []
    ask = jobs.Terms.ask
    monkeypatch.setattr(jobs.Terms, "ask", lambda *args: asked.append(len(args[3])) or ask(*args))
    (tmp_path / "free.parquet.parts" / "part-000001.parquet").write_bytes(b"damaged")
    told = []
    answer_edges(file, scene, robot, out, part=32, progress=lambda *args: told.append(args[:2]))
    assert told[0] == (2, 7)
    assert sum(asked) == 200 - 32
    assert answers(out)["free"] == scene.check_edges(robot, whole(Q0), whole(Q1)).tolist()
    asked.clear()
    answer_edges(file, scene, robot, out, part=32)
    assert asked == []


def test_a_full_disk_loses_nothing_that_is_done(cell, tmp_path, monkeypatch):
    scene, robot = cell
    file, out = write(tmp_path / "edges.parquet", *edges()), tmp_path / "free.parquet"
    written = pyarrow.parquet.write_table
    count = [0]

    def full(table, place):
        count[0] += 1
        if count[0] > 3:
            place.write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        written(table, place)

    monkeypatch.setattr(pyarrow.parquet, "write_table", full)
    with pytest.raises(TocsinError, match=r"No space left on device.*3 of 7 parts are done, and kept in"):
        answer_edges(file, scene, robot, out, part=32)
    monkeypatch.undo()
    assert not list((tmp_path / "free.parquet.parts").glob(".*"))
    told = []
    answer_edges(file, scene, robot, out, part=32, progress=lambda *args: told.append(args[0]))
    assert told == [4, 5, 6, 7]


def test_parts_of_another_job_are_not_mixed_in(cell, tmp_path):
    scene, robot = cell
    file, out = write(tmp_path / "edges.parquet", *edges()), tmp_path / "free.parquet"

    def interrupt(done, total, process):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer_edges(file, scene, robot, out, part=64, progress=interrupt)
    with pytest.raises(TocsinError, match="holds parts of another job"):
        answer_edges(file, scene, robot, out, part=64, margin=0.01)
    listed = out.with_name("free.parquet.parts") / "job.json"
    assert json.loads(listed.read_text())["count"] == 200
    listed.write_text("{")
    with pytest.raises(TocsinError, match="holds parts of another job"):
        answer_edges(file, scene, robot, out, part=64)


def test_a_number_that_cannot_be_used_is_named_by_its_row_in_the_file(cell, tmp_path):
    scene, robot = cell
    Q0, Q1 = edges()
    Q1[171, 2] = np.nan
    with pytest.raises(TocsinError, match="row 171 of t1 has nan in 'joint2'"):
        answer_edges(write(tmp_path / "edges.parquet", Q0, Q1), scene, robot, tmp_path / "free.parquet", part=32)
    empty = answer_edges(
        write(tmp_path / "none.parquet", Q0[:0], Q1[:0]), scene, robot, tmp_path / "nothing.parquet"
    )  # fmt: skip
    assert answers(empty) == {"row": [], "free": []}
