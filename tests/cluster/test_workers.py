"""Ray's workers: two of them, one of which is killed on the way; the answers are those of threads, bit by bit."""

import os
import signal

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed: pip install 'tocsin[ray]'")
pytest.importorskip("pyarrow", reason="files of edges need pyarrow: pip install 'tocsin[parquet]'")

import pyarrow.parquet

import tocsin.cluster
from cluster.edges import edges, scene_and_robot, whole, write
from tocsin.cluster.workers import ray_module


@pytest.fixture(scope="module")
def ray():
    """Ray on this machine, with two processors, for all tests here."""
    ray = ray_module()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
             object_store_memory=128 * 2**20)  # fmt: skip
    yield ray
    ray.shutdown()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_a_killed_worker_is_replaced_and_every_edge_is_answered_once(ray, tmp_path):
    scene, robot = scene_and_robot()
    Q0, Q1 = edges(600)
    file, out = write(tmp_path / "edges.parquet", Q0, Q1), tmp_path / "hits.parquet"
    killed, told = [], []

    def kill(done, total, process):
        told.append(done)
        if not killed:
            killed.append(process)
            os.kill(process, signal.SIGKILL)

    tocsin.cluster.answer_edges(file, scene, robot, out, part=20, contacts=True, workers=2, progress=kill)
    found = pyarrow.parquet.read_table(out)
    hits = scene.first_contacts(robot, whole(Q0), whole(Q1))
    assert killed
    assert told == list(range(1, 31))
    assert found.column("row").to_pylist() == list(range(600))
    assert found.column("time").to_numpy().tobytes() == hits.time.tobytes()
    assert found.column("link_b").to_pylist() == hits.links[:, 1].tolist()
    free = tocsin.cluster.check_edges(scene, robot, whole(Q0), whole(Q1), workers=2)
    assert np.array_equal(free, scene.check_edges(robot, whole(Q0), whole(Q1)))
