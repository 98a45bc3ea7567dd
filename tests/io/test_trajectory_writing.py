"""What is written of a trajectory is what is read again, and what rows cannot say is refused."""

import re

import numpy as np
import pytest

import tocsin
from promise.scenes import says
from tocsin import Trajectory
from tocsin.errors import TocsinError

pytestmark = pytest.mark.pure

KINDS = (".npz", ".csv", ".json", ".yaml", ".parquet")


def random_plan(rng, rates, round_numbers):
    count, joints = int(rng.integers(2, 7)), int(rng.integers(1, 5))
    draw = (lambda *n: rng.integers(-2, 3, n) * 0.25) if round_numbers else lambda *n: rng.normal(size=n)
    times = np.cumsum(rng.integers(1, 4, count) * 0.5 if round_numbers else rng.uniform(1e-3, 1e3, count))
    given = [draw(count, joints) for _ in range(1 + rates)]
    return Trajectory(times, *given, joint_names=[f"j{k}" for k in range(joints)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rates", [0, 1, 2])
@pytest.mark.parametrize("round_numbers", [False, True])
def test_what_is_read_again_is_as_far_off_as_was_said(tmp_path, kind, rates, round_numbers):
    if kind == ".parquet":
        pytest.importorskip("pyarrow")
    rng = np.random.default_rng(rates)
    for number in range(20):
        plan = random_plan(rng, rates, round_numbers)
        file = tmp_path / f"{number}{kind}"
        off = tocsin.save_trajectory(file, plan)
        again = tocsin.load_trajectory(file)
        assert again.joint_names == plan.joint_names
        assert np.array_equal(again.knots, plan.knots)
        times = np.linspace(plan.knots[0], plan.knots[-1], 301)
        rounding = 1e-12 * (1.0 + np.abs(plan(times)).max())  # of both values
        assert (np.abs(again(times) - plan(times)) <= off + rounding).all()
        assert (off <= 1e-8 * (1.0 + np.abs(plan(times)).max(axis=0))).all()


def test_an_archive_holds_every_polynomial_bit_by_bit(tmp_path):
    rng = np.random.default_rng(4)
    piece = rng.normal(size=(1, 8, 2))
    plan = Trajectory.of_pieces([1.0, 3.5], piece, joint_names=["a", "b"])
    assert not tocsin.save_trajectory(tmp_path / "plan.npz", plan).any()
    again = tocsin.load_trajectory(tmp_path / "plan.npz")
    assert np.array_equal(again.coefficients, plan.coefficients)
    assert np.array_equal(again.knots, plan.knots)
    with pytest.raises(TocsinError, match=says("degree 7", "npz", "resample")):
        tocsin.save_trajectory(tmp_path / "plan.csv", plan)
    tocsin.save_trajectory(tmp_path / "lines.csv", plan.resample(0.1)[0])


def test_rates_that_jump_are_refused():
    from scipy.interpolate import PPoly

    bent = Trajectory.of(PPoly(np.array([[1.0, -1.0], [0.0, 3.0], [0.0, 1.0]])[:, :, None], [0.0, 1.0, 2.0]),
                         joint_names=["a"])  # fmt: skip
    with pytest.raises(TocsinError, match=says("jump", "npz")):
        tocsin.save_trajectory("plan.csv", bent)


@pytest.mark.parametrize(("name", "plan", "said"), [
    ("plan.txt", Trajectory([0, 1], [[0.0], [1.0]], joint_names=["a"]), r"\.npz.*\.csv"),
    ("plan.csv", Trajectory([0, 1], [[0.0], [1.0]]), "joint_names="),
    ("plan.csv", [[0.0], [1.0]], "list"),
])  # fmt: skip
def test_what_cannot_be_written_gets_a_sentence(name, plan, said):
    with pytest.raises(TocsinError, match=re.compile(said, re.DOTALL)):
        tocsin.save_trajectory(name, plan)


def test_a_trajectory_without_times_is_written_without(tmp_path):
    plan = Trajectory(None, [[0.0], [1.0], [0.5]], joint_names=["a"])
    for kind in KINDS[:4]:
        tocsin.save_trajectory(tmp_path / f"plan{kind}", plan)
        again = tocsin.load_trajectory(tmp_path / f"plan{kind}")
        assert not again.stamped
        assert np.array_equal(again.positions, plan.positions)


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_that_only_stands_somewhere_gets_a_column(tmp_path, kind):
    """It was left out, and stood elsewhere in what was read again."""
    if kind == ".parquet":
        pytest.importorskip("pyarrow")
    rates = np.zeros((2, 1))
    for times, more in (([0.0, 1.0], ()), ([0.0, 1.0], (rates,)), ([0.0, 1.0], (rates, rates)), (None, ())):
        plan = Trajectory(times, [[0.0], [1.0]], *more, joint_names=["a"], standing=[("b", 0.5), ("a", 9.0)])
        tocsin.save_trajectory(tmp_path / f"plan{kind}", plan)
        again = tocsin.load_trajectory(tmp_path / f"plan{kind}")
        assert again.joint_names == ("a", "b")
        assert again.stamped is plan.stamped
        assert again.positions.tolist() == [[0.0, 0.5], [1.0, 0.5]]


def test_a_joint_that_stands_beside_columns_without_names_is_refused(tmp_path):
    with pytest.raises(TocsinError, match="where 'b' stands, and names no columns"):
        tocsin.save_trajectory(tmp_path / "plan.npz", Trajectory([0, 1], [[0.0], [1.0]], standing=[("b", 0.5)]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_cannot_be_written_is_said_in_a_sentence(tmp_path, kind):
    if kind == ".parquet":
        pytest.importorskip("pyarrow")
    (tmp_path / "file").write_bytes(b"")
    plan = Trajectory([0, 1], [[0.0], [1.0]], joint_names=["a"])
    with pytest.raises(TocsinError, match="cannot write a trajectory to"):
        tocsin.save_trajectory(tmp_path / "file" / f"plan{kind}", plan)
    tocsin.save_trajectory(tmp_path / "new" / f"plan{kind}", plan)
