"""No joint values of a box take points farther than the bounds of a box say: the search's, and the checker's own."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin import Box, Robot, RobotBuilder, Scene
from tocsin.motion.joints import JOINT
from tocsin.proofs import always, box_bounds, boxes, search
from tocsin.proofs.matrix import WAITING, Survey
from tocsin_bench.oracles.kinematics import exp

checker = pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")


def chain(rng: np.random.Generator, round_numbers: bool) -> Robot:
    """A chain that turns and slides; with round numbers, mostly about axes that are parallel."""
    b = RobotBuilder("chain").link("l0", Box((0.1, 0.2, 0.1)))
    for k in range(1, int(rng.integers(2, 6))):
        kind = "revolute" if rng.random() < 0.8 else "prismatic"
        axis = (0, 1, 0) if rng.random() < 0.7 else (0, 0, 1)
        origin = np.eye(4)
        origin[:3, 3] = rng.integers(-2, 3, 3) / 4.0
        if not round_numbers:
            axis, origin[:3, :3] = tuple(rng.normal(size=3)), exp(rng.normal(size=3))
        b = b.link(f"l{k}", Box((0.1, 0.2, 0.3)), parent=f"l{k - 1}", joint=kind, axis=axis, origin=origin)
    return b.build()


def poses(robot: Robot, row: np.ndarray) -> list[np.ndarray]:
    """Return the 4x4 of every link, from the definitions."""
    found = []
    for link in robot.links:
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = link["rotation"], link["translation"]
        if link["parent"] >= 0:
            move = np.eye(4)
            value = float(row[link["config"]])
            if robot.joints[int(np.flatnonzero(robot.links["config"] == link["config"])[0]) - 1].kind == "prismatic":
                move[:3, 3] = value * link["axis"]
            else:
                move[:3, :3] = exp(value * link["axis"])
            own = found[link["parent"]] @ own @ move
        found.append(own)
    return found


class Case:
    """A chain, a box of its joint values, and samples of where the corners of its last link are."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng([seed, 9])
        self.robot = chain(rng, seed % 2 == 0)
        self.survey = Survey(self.robot, 0.0)
        n = len(self.robot.links) - 1
        self.middle = rng.uniform(-3, 3, n) if seed % 3 else np.round(rng.uniform(-3, 3, n))
        self.half = rng.uniform(0.0, 0.8, n) * float(rng.choice([0.01, 0.3, 1.0]))
        self.row = self.robot.rest.copy()
        ways = np.concatenate([rng.uniform(-1, 1, (60, n)), np.sign(rng.normal(size=(60, n)))])
        self.corners = [self.seen(self.middle + way * self.half) for way in ways]

    def seen(self, q: np.ndarray) -> np.ndarray:
        row = self.row.copy()
        row[7:] = q
        first, *_, last = poses(self.robot, row)
        part = self.survey.tables[0][self.survey.roots[-1]]
        points = self.survey.tables[1][part["point"] : part["point"] + part["points"]]
        return (np.linalg.inv(first) @ last)[:3] @ np.c_[points, np.ones(len(points))].T

    def direction(self, k: int, rows: np.ndarray) -> np.ndarray:
        n = rows[k % len(rows), box_bounds.AXIS : box_bounds.AXIS + 3] if k % 2 else self.rng.normal(size=3)
        return n / np.linalg.norm(n)


@pytest.mark.parametrize("seed", range(30))
def test_no_sample_goes_farther_than_the_search_says(seed: int) -> None:
    case = Case(seed)
    survey, n = case.survey, len(case.middle)
    joints, work, cells = np.zeros(n + 1, JOINT), survey.work(), np.zeros((WAITING, 2 * n))
    cells[0] = np.concatenate((case.middle - case.half, case.middle + case.half))
    ends = 0, n, int(survey.roots[0]), int(survey.roots[-1])
    entries = np.arange(7, 7 + n)
    _, pose_b, _, n_b = boxes.place(survey.world.links, joints, ends, cells[0], entries, case.row, work)
    part = survey.tables[0][ends[3]]
    limit = box_bounds.acceleration(joints, survey.world.links, n, 0, work[6], part["reach"])
    for k in range(12):
        d = tuple(case.direction(k, work[1][:n_b]).tolist())
        high = search.farthest(part, survey.tables[1], tuple(np.array(pose_b[0]).T @ d)) + np.dot(d, pose_b[1])
        losses = np.zeros(7 + n)
        lost = box_bounds.loss_along(part, survey.tables[1], pose_b, work[1], n_b, d, losses)
        bent = 0.5 * min(limit, box_bounds.bend(part, pose_b, work[1], n_b, d, losses))
        assert max(float((np.array(d) @ seen).max()) for seen in case.corners) <= high + lost + bent + 1e-12
    for corner in range(8):
        x = case.seen(case.middle)[:, corner]
        far = always.wander(tuple(x), work[1], n_b, np.zeros(7 + n))
        assert max(float(np.linalg.norm(seen[:, corner] - x)) for seen in case.corners) <= far + 1e-12


def examined_box(case: Case) -> tuple:
    """A proof about the arm as the checker reads it, and the box of joint values as its bounds take it."""
    from tocsin_checker.check import Check
    from tocsin_checker.motion import Boxes

    examined = Check(Scene(case.robot).prove(case.robot.move(case.middle, case.middle)).data)
    examined.read({})
    moves = examined.stretch(Fraction(0), Fraction(1))
    box = tuple(zip(case.middle - case.half, case.middle + case.half))
    return examined, Boxes(examined, *moves, range(1, len(case.middle) + 1), [box])


@pytest.mark.parametrize("seed", range(30))
def test_no_sample_goes_farther_than_the_checker_says(seed: int) -> None:
    case = Case(seed)
    examined, cells = examined_box(case)
    n = len(case.middle)
    shape = next(s for s, (i, _) in enumerate(examined.shapes) if i == n)
    part = examined.shapes[shape][1]
    for k in range(12):
        d = case.rng.normal(size=(1, 3)) if k % 2 else np.eye(3)[[k % 3]]
        d /= np.linalg.norm(d)
        told = float(cells.high([n], [part], [0], [0], d)[0, 0])
        assert max(float((d @ seen).max()) for seen in case.corners) <= told
    for corner in range(8):
        (at,), (goes,), _ = cells.stays([n], 0, 0, [part.points[corner]], [part])
        near = [np.linalg.norm(seen - at[:, None], axis=0) for seen in case.corners]
        start = int(np.argmin(np.linalg.norm(case.seen(case.middle) - at[:, None], axis=0)))
        assert max(float(v[start]) for v in near) <= goes


@pytest.mark.parametrize("seed", range(20))
def test_no_sample_goes_farther_than_the_checker_says_in_the_frame_of_any_link(seed: int) -> None:
    case = Case(seed)
    examined, cells = examined_box(case)
    n = len(case.middle)
    shape = {examined.shapes[s][0]: s for s in range(len(examined.shapes))}
    for link, frame in [(0, n), (0, max(n - 1, 1)), (n, n), (max(n - 1, 0), n)]:
        part = examined.shapes[shape[link]][1]
        points = np.c_[part.points, np.ones(len(part.points))].T
        for d in (case.rng.normal(size=(1, 3)), np.eye(3)[[1]], np.eye(3)[[2]]):
            d = d / np.linalg.norm(d)
            told = float(cells.high([link], [part], [frame], [0], d)[0, 0])
            for way in np.concatenate([case.rng.uniform(-1, 1, (30, n)), np.sign(case.rng.normal(size=(30, n)))]):
                row = case.row.copy()
                row[7:] = case.middle + way * case.half
                at = poses(case.robot, row)
                assert float((d @ (np.linalg.inv(at[frame]) @ at[link])[:3] @ points).max()) <= told
