"""Trajectories: every format gives the same path, by name; what is wrong is named by row and column."""

import io
import json
import pickle
import warnings
import zipfile

import numpy as np
import pytest
import yaml

from effort import refusal
from tocsin import Box, RobotBuilder, TocsinError, UnknownNameError
from tocsin.io.trajectories import Trajectory, load_trajectory

NAMES = ("b", "a")
POSITIONS = np.array([(0.0, 1.0), (0.5, 1.5), (1.0, 2.25)])
TIMES = np.array([0.0, 0.5, 1.25])


def arm():
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("one", parent="base", joint="revolute", joint_name="a")
    builder.link("two", parent="one", joint="prismatic", joint_name="b")
    builder.link("three", parent="two", joint="revolute", joint_name="c")
    builder.link("four", parent="three", joint="revolute", joint_name="d", mimic=("a", -2.0, 0.5))
    robot = builder.build()
    robot.groups["hand"] = ("c", "a", "d")
    robot.stand_at([0.0, 0.0, 7.0])
    return robot


def point(row, stamp):
    return {"positions": POSITIONS[row].tolist(), "velocities": [], "time_from_start": stamp}


def message(stamps=(0.0, 0.5, 1.25)):
    points = [point(k, t) for k, t in enumerate(stamps)]
    return {"header": {"frame_id": ""}, "joint_names": list(NAMES), "points": points}


def write(folder, name, content):
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content)
    else:
        path.write_text(json.dumps(content) if name.endswith("json") else yaml.safe_dump(content))
    return path


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def doubled():
    stream = io.BytesIO(npz(positions=POSITIONS))
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("positions.npy", archive.read("positions.npy"))
    return stream.getvalue()


def zipped(name, method=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr(name, npz(positions=POSITIONS))
    return stream.getvalue()


def too_early():
    """An archive whose list is said to begin far behind where it does: its members would begin before the file."""
    data = bytearray(npz(positions=POSITIONS))
    data[-6:-2] = (1 << 20).to_bytes(4, "little")
    return bytes(data)


def parquet(folder, **columns):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(columns), folder / "p.parquet")
    return folder / "p.parquet"


CSV = "time,b,a\n0,0,1\n0.5,0.5,1.5\n1.25,1,2.25\n"
SECS = [{"secs": 0, "nsecs": 0}, {"secs": 0, "nsecs": 500_000_000}, {"secs": 1, "nsecs": 250_000_000}]
SECS2 = [{"sec": 0, "nanosec": 0}, {"sec": 0, "nanosec": 500_000_000}, {"sec": 1, "nanosec": 250_000_000}]
HALVES = [
    {"joint_trajectory": {"joint_names": ["b", "a"], "points": [point(0, 0.0), point(1, 0.5)]}},
    {
        "joint_trajectory": {
            "joint_names": ["a", "b"],
            "points": [
                {"positions": POSITIONS[k, ::-1].tolist(), "time_from_start": t} for k, t in ((1, 0.0), (2, 0.75))
            ],
        }
    },
]

FORMS = {
    "plain.csv": CSV,
    "semicolon.csv": CSV.replace(",", ";"),
    "tabs.csv": CSV.replace(",", "\t"),
    "windows.csv": ("\ufeff" + CSV).replace("\n", "\r\n"),
    "spaces.csv": CSV.replace(",", " , "),
    "numpy.csv": "# " + CSV,
    "archive.npz": npz(positions=POSITIONS, joint_names=np.array(NAMES), times=TIMES),
    "bare.yaml": message(),
    "robot.yaml": {"joint_trajectory": message(), "multi_dof_joint_trajectory": {"joint_names": [], "points": []}},
    "ros1.yaml": {"joint_trajectory": message(SECS)},
    "ros2.json": {"joint_trajectory": message(SECS2)},
    "display.yaml": {"model_id": "arm", "trajectory": [{"joint_trajectory": message()}], "trajectory_start": {}},
    "pieces.json": {"trajectory": HALVES},
    "list.yml": [{"joint_trajectory": message()}],
    "echoed.yaml": yaml.safe_dump({"joint_trajectory": message()}) + "---\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_format_gives_the_same_path_by_name(tmp_path, name):
    found = load_trajectory(write(tmp_path, name, FORMS[name]))
    assert found.joint_names == NAMES
    assert np.allclose(found.times, TIMES, atol=1e-15)
    assert np.allclose(found.path(arm()), np.column_stack((POSITIONS[:, 1], POSITIONS[:, 0], [7.0] * 3)), atol=1e-15)
    assert name in found.source


def test_parquet_gives_the_same_path(tmp_path):
    found = load_trajectory(parquet(tmp_path, b=POSITIONS[:, 0], time=TIMES, a=POSITIONS[:, 1]))
    assert found.joint_names == NAMES
    assert np.array_equal(found.times, TIMES)
    assert np.array_equal(found.path(arm())[:, 0], POSITIONS[:, 1])


def test_columns_without_names_are_the_whole_robot_or_a_group_or_what_the_caller_says(tmp_path):
    np.save(tmp_path / "three.npy", np.arange(6.0).reshape(2, 3))
    np.save(tmp_path / "two.npy", np.array([(1.0, 2.0), (3.0, 4.0)]))
    assert load_trajectory(tmp_path / "three.npy").path(arm()).tolist() == [[0, 1, 2], [3, 4, 5]]
    two = load_trajectory(tmp_path / "two.npy")
    with pytest.raises(TocsinError, match=r"2 columns, but 'arm' has 3 values \(a, b, c\); name its columns by"):
        two.path(arm())
    assert two.path(arm(), group="hand").tolist() == [[2, 0, 1], [4, 0, 3]]
    with pytest.raises(UnknownNameError, match=r"'leg'.*'hand'"):
        two.path(arm(), group="leg")
    named = load_trajectory(tmp_path / "two.npy", joints=["c", "b"])
    assert named.path(arm()).tolist() == [[0, 2, 1], [0, 4, 3]]


def test_an_unknown_joint_is_an_error_that_lists_the_known_ones(tmp_path):
    found = load_trajectory(write(tmp_path, "t.csv", "a,elbow\n1,2\n3,4\n"))
    with pytest.raises(UnknownNameError, match="no joint 'elbow'; joints are: 'a', 'b', 'c'"):
        found.path(arm())


def test_a_recorded_mimic_joint_must_agree_with_what_it_mimics(tmp_path):
    good = load_trajectory(write(tmp_path, "good.csv", "d,a\n0.5,0\n-1.5,1\n"))
    assert good.path(arm())[:, 0].tolist() == [0.0, 1.0]
    bad = load_trajectory(write(tmp_path, "bad.csv", "d,a\n0.5,0\n1.5,1\n"))
    with pytest.raises(TocsinError, match=r"bad\.csv.*row 1: joint 'd' mimics.*-1\.5.*is at 1\.5"):
        bad.path(arm())


def test_joints_of_several_values_have_a_column_for_each(tmp_path):
    builder = RobotBuilder("drone")
    builder.link("ground")
    builder.link("body", Box((0.1, 0.1, 0.1)), parent="ground", joint="floating", joint_name="fly")
    robot = builder.build()
    text = "fly.qw,fly.qx,fly.qy,fly.qz,fly.z\n1,0,0,0,2\n1,0,0,0,3\n"
    path = load_trajectory(write(tmp_path, "fly.csv", text)).path(robot)
    assert path.tolist() == [[0, 0, 2, 0, 0, 0, 1], [0, 0, 3, 0, 0, 0, 1]]


def huge_npy():
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (1 << 50, 7)})
    return stream.getvalue()


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("unpickled",))


def object_npy():
    stream = io.BytesIO()
    np.save(stream, np.array([Bomb()], dtype=object), allow_pickle=True)
    return stream.getvalue()


def zip_bomb():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("positions.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (1 << 27,)})
        for _ in range(1 << 6):
            member.write(bytes(1 << 24))
    return stream.getvalue()


def text_npy():
    stream = io.BytesIO()
    np.save(stream, np.array([["a", "b"]]))
    return stream.getvalue()


def apart_of(value):
    return {"joint_names": ["a"], "points": [{"positions": [value]}]}


def bad():
    two = [{"positions": [1, 2], "time_from_start": 0.0}]
    yield "t.csv", "a,b\n1,2\n1,2,3\n", "row 1 has 3 values for 2 columns"
    yield "t.csv", "a,b\n1,2\n1\n", "row 1 has 1 values"
    yield "t.csv", "a,b\n1,2\n1,x\n", "row 1, column 'b' is 'x'"
    yield "t.csv", "a,b_c\n1,2\n1,1_0\n", "row 1, column 'b_c' is '1_0', which is not a number"
    yield "t.csv", "a,b\n1,2\n1,\n", "row 1, column 'b' is ''"
    yield "t.csv", "a,b\n1,2\n1,nan\n", "row 1, column 'b' is not a finite"
    yield "t.csv", "a,b\n1,2\n1,inf\n", "row 1, column 'b' is not a finite"
    yield "t.csv", "a,a\n1,2\n", "two columns for joint 'a'"
    yield "t.csv", "time,time,a\n1,2,3\n", "two columns of times"
    yield "t.csv", "time,a\n0,1\n1,2\n1,3\n", "number 1 is 1 s and the next 1 s"
    yield "t.csv", "time,a\n0,1\n-1,2\n", "must increase"
    yield "t.csv", "1,2\n3,4\n", "first line must name the joints"
    yield "t.csv", "a,\n3,4\n", "first line must name the joints"
    yield "t.csv", "a,b\n", "no rows"
    yield "t.csv", "time\n1\n2\n", "table of rows and columns"
    yield "t.csv", "", "is empty"
    yield "t.csv", b"\xff\xfe\x00\x01", "not UTF-8"
    yield "t.csv", "a," + "x" * 200_000 + "\n1,2\n", "not CSV"
    yield "t.npy", b"not numpy", "not a .npy"
    yield "t.npy", huge_npy(), "claims shape"
    yield "t.npy", object_npy(), "Python objects"
    yield "t.npy", pickle.dumps([1, 2]), "not a .npy"
    yield "t.npy", text_npy(), "must hold numbers"
    yield "t.npz", b"PK\3\4 broken", "not an .npz"
    yield "t.npz", zip_bomb(), "unpack to more than"
    yield "t.npz", doubled(), "'positions.npy' twice"
    yield "t.npz", too_early(), "not an .npz"
    yield "t.npz", zipped("\u00e9.npy").replace("\u00e9".encode(), b"\xff\xff"), "not an .npz"
    yield "t.npz", zipped("positions.npy", zipfile.ZIP_LZMA), "packed in a way that numpy does not"
    yield "t.npz", npz(path=POSITIONS), "no 'positions'; it has: 'path'"
    yield "t.npz", npz(positions=POSITIONS, joint_names=np.array(["a"])), "2 columns, but 1 joint names"
    yield "t.npz", npz(positions=POSITIONS, times=TIMES[:2]), "times of"
    yield "t.parquet", b"PAR1 broken", "not Parquet"
    yield "t.json", {"joint_names": ["a", "b"], "points": []}, "2 joint names and 0 points"
    yield "t.json", {"joint_names": ["a"], "points": two}, "point 0 has 2 positions for 1 joints"
    yield "t.json", {"joint_names": ["a", "a"], "points": two}, "two columns for joint 'a'"
    yield "t.json", {"joint_names": ["a", 1.5], "points": two}, "must be a name"
    yield "t.json", {"points": two}, "joint_names and points; it has: 'points'"
    yield "t.json", {"trajectory": []}, "no trajectory"
    yield "t.json", {"multi_dof_joint_trajectory": {"points": [1]}}, "several degrees of freedom"
    yield "t.json", '{"joint_names": ["a"], "points": [{"positions": [NaN]}]}', "NaN"
    yield "t.json", "[" * 100_000, "nested"
    yield "t.json", "{", "not JSON"
    yield "t.yaml", "joint_names: [a]\npoints: [{positions: [.nan]}]\n", "point 0, joint 'a' must be a finite"
    yield "t.yaml", "joint_names: [a]\npoints: [{positions: [x]}]\n", "point 0, joint 'a' must be a number"
    yield "t.yaml", "joint_names: [a]\npoints: [{positions: [true]}]\n", "point 0, joint 'a'"
    yield "t.yaml", "a: 1\n---\nb: 2\n", "2 YAML documents"
    once = {"positions": [1], "time_from_start": 1.0}
    yield "t.json", {"joint_names": ["a"], "points": [once, once]}, "must increase"
    yield "t.json", {"joint_names": ["a"], "points": [once, {"positions": [1]}]}, "point 1 has no time_from_start"
    yield (
        "t.json",
        {"joint_names": ["a"], "points": [{"positions": [1], "time_from_start": {"s": 1}}]},
        "secs and nsecs",
    )
    pushed = [{"positions": [k], "velocities": [0], "accelerations": [1 - k]} for k in (0, 1)]
    yield "t.json", {"joint_names": ["a"], "points": pushed}, "accelerations that are not zero, but no times"
    blown = [{"positions": [k], "accelerations": [1.0], "time_from_start": k} for k in (0.0, 1.0)]
    yield "t.json", {"joint_names": ["a"], "points": blown}, "accelerations but no velocities"
    short = [{"positions": [k, k], "velocities": [1.0], "time_from_start": k} for k in (0.0, 1.0)]
    yield "t.json", {"joint_names": ["a", "b"], "points": short}, "point 0 has 1 velocities for 2 joints"
    yield "t.csv", "time,a,b,a.velocity\n0,0,0,0\n1,1,1,1\n", "velocities of some joints only: 'b'"
    yield "t.npz", npz(times=TIMES, coefficients=np.zeros((2, 3))), r"\(pieces, powers, joints\); got shape \(2, 3\)"
    apart = np.array([[[0.0], [1.0]], [[2.0], [0.0]]])
    rates = npz(times=TIMES, coefficients=apart, velocities=apart[:, 0])
    yield "t.npz", rates, "coefficients of polynomials, which are neither points nor"
    yield "t.npz", npz(times=TIMES, coefficients=apart), "do not meet: column 0 ends piece 0, at 0.5 s, at 0.5"
    yield "t.json", {"joint_names": ["a"], "points": [{"positions": [1], "velocity": [1]}]}, "'velocity', which is not"
    yield "t.npz", npz(positions=POSITIONS, velocities=POSITIONS), "has velocities but no times"
    yield "t.npz", npz(positions=POSITIONS, jerks=POSITIONS), "'jerks', which is not known; known are: positions"
    held = {"attached_collision_objects": [{"link_name": "x"}]}
    yield "t.json", {"trajectory": [apart_of(0)], "trajectory_start": held}, "attached_collision_objects"
    apart = [{"joint_names": ["a"], "points": [{"positions": [k]}]} for k in (0, 1)]
    yield "t.json", apart, "piece 1 does not start where piece 0 ends"
    yield "t.json", [apart[0], apart[1] | {"joint_names": ["b"]}], "piece 1 does not have the joints"
    yield "t.txt", "1 2 3", "trajectories are: .npy"
    yield "t", "1 2 3", "without suffix"


@pytest.mark.parametrize(("name", "content", "says"), list(bad()))
def test_a_bad_trajectory_is_refused_with_the_place(tmp_path, name, content, says):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = write(tmp_path, name, content)
    assert str(path) in refusal(load_trajectory, path, says)


def test_bad_parquet_columns_are_named(tmp_path):
    with pytest.raises(TocsinError, match="row 1, column 'a' is missing"):
        load_trajectory(parquet(tmp_path, a=[1.0, None]))
    with pytest.raises(TocsinError, match="column 'b' must hold numbers"):
        load_trajectory(parquet(tmp_path, a=[1.0, 2.0], b=["x", "y"]))
    with pytest.raises(TocsinError, match="row 1, column 'a' is not a finite"):
        load_trajectory(parquet(tmp_path, a=[1.0, float("nan")]))


def test_a_small_parquet_file_that_stands_for_too_many_rows_is_refused(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array(np.zeros(1 << 20, np.int32)), pyarrow.array([0.0]))
    columns = {f"j{k}": column for k in range(70)}
    parquet.write_table(pyarrow.table(columns), tmp_path / "many.parquet")
    with pytest.raises(TocsinError, match="too many to hold"):
        load_trajectory(tmp_path / "many.parquet")


def test_missing_files_and_folders_are_refused(tmp_path):
    for suffix in ("npy", "npz", "csv", "parquet", "yaml", "json"):
        with pytest.raises(TocsinError, match="does not exist"):
            load_trajectory(tmp_path / f"gone.{suffix}")
        (tmp_path / f"folder.{suffix}").mkdir()
        with pytest.raises(TocsinError, match="is a folder"):
            load_trajectory(tmp_path / f"folder.{suffix}")


def test_points_with_velocities_are_joined_by_cubics_and_with_accelerations_by_quintics(tmp_path):
    points = [{"positions": [k], "velocities": [0.5], "time_from_start": k} for k in (0.0, 1.0, 2.0)]
    found = load_trajectory(write(tmp_path, "t.json", {"joint_names": ["a"], "points": points}))
    assert found.degree == 3
    assert found(0.25)[0] == pytest.approx(0.5 * 0.25 + 1.5 * 0.25**2 - 0.25**3)
    for k, p in enumerate(points):
        p["accelerations"] = [0.25 * k]
    found = load_trajectory(write(tmp_path, "t.yaml", {"joint_names": ["a"], "points": points}))
    assert found.degree == 5
    assert found([0, 1, 2], derivative=2)[:, 0] == pytest.approx([0.0, 0.25, 0.5])


def test_points_without_velocities_are_joined_straight_beside_others_that_have_some(tmp_path):
    points = [{"positions": [k], "time_from_start": k} for k in (0.0, 1.0, 2.0)]
    points[0]["velocities"] = points[1]["velocities"] = [0.0]
    found = load_trajectory(write(tmp_path, "t.json", {"joint_names": ["a"], "points": points}))
    assert found([0.25, 1.25])[:, 0] == pytest.approx([3 * 0.25**2 - 2 * 0.25**3, 1.25])


def test_columns_of_rates_and_archives_of_coefficients_are_read(tmp_path):
    text = "time,a,a.velocity\n0,0,0.5\n1,1,0.5\n"
    assert load_trajectory(write(tmp_path, "t.csv", text)).degree == 3
    assert load_trajectory(write(tmp_path, "l.csv", text), interpolation="linear").degree == 1
    c = np.array([[[0.0], [1.0], [2.0]], [[1.0], [0.5], [0.0]]])
    found = load_trajectory(write(tmp_path, "c.npz", npz(times=[0.0, 0.5, 1.0], coefficients=c, joint_names=["a"])))
    assert found(0.25).tolist() == [0.25 + 2 * 0.25**2]


def test_a_trajectory_with_velocities_is_straight_where_the_caller_says_that_lines_are_driven(tmp_path):
    points = [{"positions": [k], "velocities": [0.5], "effort": [1.0], "time_from_start": k} for k in (0.0, 1.0)]
    path = write(tmp_path, "t.json", {"joint_names": ["a"], "points": points})
    assert load_trajectory(path, interpolation="linear").degree == 1
    with pytest.raises(TocsinError, match="interpolation must be one of 'linear', 'spline'; got 'cubic'"):
        load_trajectory(path, interpolation="cubic")


def test_a_trajectory_that_stops_at_every_point_runs_along_straight_lines_and_is_read(tmp_path):
    points = [{"positions": [k], "velocities": [0], "accelerations": [0.0], "time_from_start": k} for k in (0.0, 1.0)]
    found = load_trajectory(write(tmp_path, "t.yaml", {"joint_names": ["a"], "points": points}))
    assert found.positions.tolist() == [[0.0], [1.0]]


def test_joints_stand_where_the_trajectory_starts(tmp_path):
    state = {"joint_state": {"name": ["a", "c", "d"], "position": [9.0, 3.0, 9.0]}}
    message = {"trajectory_start": state, "trajectory": [{"joint_trajectory": apart_of(1.0)}]}
    assert load_trajectory(write(tmp_path, "t.json", message)).path(arm()).tolist() == [[1.0, 0.0, 3.0]]


def test_names_of_columns_are_not_given_twice(tmp_path):
    path = write(tmp_path, "t.csv", CSV)
    assert load_trajectory(path, joints=NAMES).joint_names == NAMES
    with pytest.raises(TocsinError, match=r"joints= is for files without names, but .* names its joints: 'b', 'a'"):
        load_trajectory(path, joints=["a", "b"])
    with pytest.raises(TocsinError, match="joints must be a sequence of names; got 'ab'"):
        load_trajectory(path, joints="ab")


def test_a_trajectory_is_checked_and_frozen():
    with pytest.raises(TocsinError, match="2 columns, but 1 joint names"):
        Trajectory(None, np.zeros((2, 2)), joint_names=("a",))
    with pytest.raises(ValueError, match="read-only"):
        Trajectory(None, np.zeros((2, 1)), joint_names=("a",)).positions[0] = 1.0
