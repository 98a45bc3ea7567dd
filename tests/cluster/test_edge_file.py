"""Files of edges: read by the names of joints, and refused in a sentence that names the row or the column."""

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="files of edges need pyarrow: pip install 'tocsin[parquet]'")


from cluster.edges import edges, scene_and_robot, whole, write
from tocsin import TocsinError
from tocsin.cluster.edge_file import EdgeFile


@pytest.fixture(scope="module")
def robot():
    return scene_and_robot()[1]


def test_rows_are_those_of_the_file_and_other_joints_stand(robot, tmp_path):
    Q0, Q1 = edges()
    file = EdgeFile(write(tmp_path / "edges.parquet", Q0, Q1), robot)
    assert file.count == 200
    read = file.rows(50, 60)
    np.testing.assert_array_equal(read[0], whole(Q0)[50:60])
    np.testing.assert_array_equal(read[1], whole(Q1)[50:60])
    assert file.digest() != EdgeFile(write(tmp_path / "other.parquet", Q1, Q0), robot).digest()


def test_what_is_no_file_of_edges_is_refused(robot, tmp_path):
    Q0, Q1 = edges(5)
    with pytest.raises(TocsinError, match="does not exist"):
        EdgeFile(tmp_path / "none.parquet", robot)
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1" + b"\0" * 100)
    with pytest.raises(TocsinError, match="it is not Parquet"):
        EdgeFile(bad, robot)
    with pytest.raises(TocsinError, match=r"'wrist_t0'.*joint0_t0"):
        EdgeFile(write(tmp_path / "a.parquet", Q0, Q1, wrist_t0=Q0[:, 0]), robot)
    with pytest.raises(TocsinError, match="column 'finger_joint_t0' must hold numbers, not string"):
        EdgeFile(write(tmp_path / "b.parquet", Q0, Q1, finger_joint_t0=["a"] * 5), robot)
    with pytest.raises(TocsinError, match="it has column 'finger_joint_t0', but not 'finger_joint_t1'"):
        EdgeFile(write(tmp_path / "c.parquet", Q0, Q1, finger_joint_t0=Q0[:, 0]), robot)
    gap = write(tmp_path / "d.parquet", Q0, Q1, finger_joint_t0=[0.0, 0, None, 0, 0], finger_joint_t1=[0.0] * 5)
    with pytest.raises(TocsinError, match="row 2, column 'finger_joint_t0' is missing"):
        EdgeFile(gap, robot).rows(0, 5)


def test_a_file_that_was_cut_off_is_refused(robot, tmp_path):
    path = write(tmp_path / "edges.parquet", *edges(2000))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(TocsinError, match="it is not Parquet"):
        EdgeFile(path, robot)
    path.write_bytes(data[:100] + bytes(len(data) // 2) + data[100 + len(data) // 2 :])
    with pytest.raises(TocsinError, match="cannot be read"):
        EdgeFile(path, robot).rows(0, 2000)
