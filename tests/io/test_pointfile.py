"""Point clouds as sensors and their libraries write them, and files that lie about what they hold."""

import struct
import warnings

import numpy as np
import pytest
import trimesh

from tocsin import Body, TocsinError
from tocsin.io import pointfile
from tocsin.io.pointfile import read_points

pytestmark = pytest.mark.pure

POINTS = np.array([[0.0, 0.5, -1.0], [1.25, 2.0, 3.0], [-4.0, 0.0, 0.125]])

PCD = """# .PCD v0.7 - Point Cloud Data file format
VERSION 0.7
FIELDS {fields}
SIZE {sizes}
TYPE {kinds}
COUNT {counts}
WIDTH {width}
HEIGHT 1
VIEWPOINT {viewpoint}
POINTS {points}
DATA {how}
"""


def pcd(how="ascii", fields="x y z", sizes="4 4 4", kinds="F F F", counts="1 1 1", points=3, viewpoint="0 0 0 1 0 0 0"):
    text = PCD.format(
        fields=fields,
        sizes=sizes,
        kinds=kinds,
        counts=counts,
        width=points,
        viewpoint=viewpoint,
        points=points,
        how=how,
    )
    return text.encode()


def listed(points):
    return "\n".join(" ".join(map(repr, row)) for row in points.tolist()).encode() + b"\n"


def read(folder, data, suffix=".pcd"):
    file = folder / f"cloud{suffix}"
    file.write_bytes(data)
    return read_points(file)


def test_pcd_as_text_and_binary(tmp_path):
    np.testing.assert_array_equal(read(tmp_path, pcd() + listed(POINTS)), POINTS)
    body = POINTS.astype("<f4").tobytes()
    np.testing.assert_array_equal(read(tmp_path, pcd("binary") + body), POINTS)
    # As PCL writes XYZRGBNormal: padding called "_", colours, fields of several numbers.
    rows = b"".join(struct.pack("<fffB3xI2d", *row, 7, 9, 1.0, 2.0) for row in POINTS)
    head = pcd("binary", "x y z _ _ rgb normal", "4 4 4 1 1 4 8", "F F F U U U F", "1 1 1 1 3 1 2")
    np.testing.assert_array_equal(read(tmp_path, head + rows), POINTS)
    text = b"".join(b"%s 7 1 2\n" % line for line in listed(POINTS).splitlines())
    head = pcd(fields="x y z rgb normal", sizes="4 4 4 4 4", kinds="F F F U F", counts="1 1 1 1 2")
    np.testing.assert_array_equal(read(tmp_path, head + text), POINTS)


@pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian"])
def test_ply_as_another_library_writes_it(tmp_path, encoding):
    data = trimesh.PointCloud(POINTS).export(file_type="ply", encoding=encoding.split("_")[0])
    np.testing.assert_array_equal(read(tmp_path, data, ".ply"), POINTS)


def test_ply_of_the_other_order_with_faces_behind(tmp_path):
    head = (
        b"ply\nformat binary_big_endian 1.0\ncomment by hand\nelement vertex 3\nproperty uchar red\nproperty double x\n"
        b"property double y\nproperty double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    )
    body = b"".join(struct.pack(">B3d", 255, *row) for row in POINTS) + struct.pack(">B3i", 3, 0, 1, 2)
    np.testing.assert_array_equal(read(tmp_path, head + body, ".ply"), POINTS)


def test_lines_of_numbers(tmp_path):
    np.testing.assert_array_equal(read(tmp_path, b"# x y z\n" + listed(POINTS), ".xyz"), POINTS)
    np.testing.assert_array_equal(read(tmp_path, listed(POINTS).replace(b" ", b", ") + b"\n", ".xyz"), POINTS)


def test_points_where_nothing_was_seen_are_left_out_with_a_remark(tmp_path):
    rows = np.vstack((POINTS[:1], np.full((2, 3), np.nan), POINTS[1:]))
    with pytest.warns(UserWarning, match=r"'cloud\.pcd': 2 of 5 points are nan"):
        found = read(tmp_path, pcd("binary", points=5) + rows.astype("<f4").tobytes())
    np.testing.assert_array_equal(found, POINTS)


def test_a_viewpoint_is_not_applied_and_said_so(tmp_path):
    with pytest.warns(UserWarning, match="viewpoint 0 0 1.5 1 0 0 0, which is not applied"):
        read(tmp_path, pcd(viewpoint="0 0 1.5 1 0 0 0") + listed(POINTS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path, pcd(viewpoint="0.000 0 0 1.0 0 0 0") + listed(POINTS))


@pytest.mark.parametrize(
    ("data", "suffix", "says"),
    [
        (pcd("binary") + b"\0" * 35, ".pcd", "claims 3 points of 12 bytes, but only 35"),
        (pcd("binary", points=10**11), ".pcd", "claims 100000000000 points"),
        (pcd() + listed(POINTS[:2]), ".pcd", "claims 3 points, but only 2 lines"),
        (pcd() + b"1 2\n" * 3, ".pcd", "point 0 has 2 numbers, where 3"),
        (pcd() + b"1 2 x\n" * 3, ".pcd", "a word that is not a number"),
        (pcd() + b"1 2 inf\n" * 3, ".pcd", "point 0 is not finite"),
        (pcd() + b"1 2 nan\n" * 3, ".pcd", "point 0 is not finite"),
        (pcd("binary_compressed"), ".pcd", "'binary_compressed'; ascii and binary are read"),
        (pcd(fields="x y w") + listed(POINTS), ".pcd", "no 'z'; they have: x, y, w"),
        (pcd(sizes="4 4 3"), ".pcd", "field 'z' has a type or size"),
        (pcd(sizes="4 4"), ".pcd", "as many entries"),
        (pcd(points="-3"), ".pcd", "POINTS must be a whole number"),
        (pcd("binary", counts="0 1 1") + b"\0" * 24, ".pcd", "COUNT says otherwise"),
        (pcd(counts="1 1 65536"), ".pcd", "COUNT says otherwise"),
        (pcd(counts="1 1 99999999999"), ".pcd", "COUNT says otherwise"),
        (b"VERSION 0.7\n", ".pcd", "no header that ends with 'DATA'"),
        (b"\0" * 100_000, ".pcd", "no header"),
        (b"ply\nformat ascii 1.0\nelement face 1\nend_header\n", ".ply", "vertices as its first element"),
        (b"ply\nformat odd 1.0\nelement vertex 1\nproperty float x\nend_header\n", ".ply", "format is 'odd'"),
        (b"ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int x\nend_header\n", ".ply", "not a number"),
        (b"1 2 3\n", ".las", "no reader for '.las'; point clouds are: .pcd, .ply, .xyz"),
        (b"", ".xyz", "it is empty"),
    ],
)
def test_what_is_no_cloud_is_refused_with_a_sentence(tmp_path, data, suffix, says):
    with pytest.raises(TocsinError, match="cannot read the point cloud") as error:
        read(tmp_path, data, suffix)
    assert says in str(error.value)


def test_a_cloud_without_points_has_none(tmp_path):
    ply = b"ply\nformat binary_little_endian 1.0\nelement vertex 0\n" + b"".join(
        b"property float %c\n" % axis for axis in b"xyz"
    )
    for data, suffix in ((pcd("binary", points=0), ".pcd"), (pcd(points=0), ".pcd"), (ply + b"end_header\n", ".ply")):
        assert read(tmp_path, data, suffix).shape == (0, 3)
        with pytest.raises(TocsinError, match="there are none"):
            Body.from_points(tmp_path / f"cloud{suffix}", 0.1)


def test_text_is_read_in_pieces_that_end_with_lines(tmp_path, monkeypatch):
    points = np.random.default_rng(4).normal(size=(300, 3))
    for block in (1, 7, 100, 1000, 10**6):
        monkeypatch.setattr(pointfile, "BLOCK", block)
        np.testing.assert_array_equal(read(tmp_path, pcd(points=300) + listed(points)), points)
        np.testing.assert_array_equal(read(tmp_path, pcd(points=100) + listed(points)), points[:100])
        remarks = listed(points).replace(b"\n", b"\n  # a remark\n").replace(b" ", b"; ")
        np.testing.assert_array_equal(read(tmp_path, remarks.replace(b"; ; #", b"#"), ".xyz"), points)
        with pytest.raises(TocsinError, match="point 299 has 2 numbers"):
            read(tmp_path, listed(points).rstrip().rpartition(b" ")[0], ".xyz")
