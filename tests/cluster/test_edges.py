"""Edges by workers or threads: whole configurations from the joints that were given, parts in any order, one answer."""

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="files of edges need pyarrow: pip install 'tocsin[parquet]'")

from cluster.edges import edges, scene_and_robot, whole
from tocsin import TocsinError
from tocsin.cluster import edges as asked
from tocsin.queries.edges import Points


@pytest.fixture(scope="module")
def cell():
    return scene_and_robot()


def test_whole_configurations_are_those_that_were_given(cell):
    scene, robot = cell
    Q0, Q1 = edges(20)
    starts, ends = asked.rows_of(Points(scene.context, robot, {"Q0": whole(Q0), "Q1": whole(Q1)}, None))
    assert np.array_equal(starts, whole(Q0))
    assert np.array_equal(ends, whole(Q1))
    assert starts.flags.c_contiguous


def test_parts_that_workers_answer_in_any_order_are_put_in_theirs(cell, monkeypatch):
    scene, robot = cell
    Q0, Q1 = edges(50)
    truth = scene.check_edges(robot, whole(Q0), whole(Q1))

    class Column:
        def __init__(self, values):
            self.values = values

        def to_numpy(self):
            return self.values

    def answered(scene, model, terms, parts, workers, address):
        assert model == scene.context.places[id(robot)]
        for k, starts, ends in reversed(list(parts)):
            yield k, {"free": Column(scene.check_edges(robot, starts, ends))}, 0

    monkeypatch.setattr(asked, "answered", answered)
    monkeypatch.setattr(asked, "PART", 7)
    found = asked.check_edges(scene, robot, whole(Q0), whole(Q1), workers=2)
    assert np.array_equal(found, truth)
    assert 0 < found.sum() < 50


def test_a_robot_that_is_not_in_the_scene_is_refused_by_name(cell, tmp_path):
    scene, _ = cell
    _, stranger = scene_and_robot()
    with pytest.raises(TocsinError, match="is not in this scene"):
        asked.answer_edges(tmp_path / "a.parquet", scene, stranger, tmp_path / "b.parquet")
