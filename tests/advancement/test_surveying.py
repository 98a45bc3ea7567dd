"""Charts: whatever a cell says is true of all joint values in it, and no answer depends on a chart."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.advancement import surveying
from tocsin.broad_phase.charts import line_is_free
from tocsin.model.charts import CELLS, CHART, PER_RADIAN, WORD
from tocsin_bench.campaigns.planted_shapes import random_piece
from tocsin_bench.oracles import kinematics, shapes

DOT = tocsin.Sphere(radius=1e-6)
"""A link without a shape would join its neighbours, which are not checked against each other."""


def is_set(bits, x, y):
    """Return the bit of the cell in which joint values lie."""
    i, k = (math.floor(v * PER_RADIAN) % CELLS for v in (x, y))
    return int(bits[i, k // WORD]) >> (k % WORD) & 1


class TwoJoints:
    """Two shapes on a tree with two revolute joints between them: both outward of the first, or one on either side."""

    def __init__(self, seed, spread=1.0):
        rng = np.random.default_rng(seed)
        branched, stiff = seed % 3 == 2, seed % 2 == 1
        self.pieces = [random_piece(rng, 0.5), random_piece(rng, 0.5)]
        self.axes = [kinematics.exp(rng.normal(size=3))[:, 2] for _ in range(2)]
        self.origins = [
            kinematics.frame(kinematics.exp(rng.normal(size=3)), spread * rng.normal(size=3)) for _ in range(3)
        ]
        b = tocsin.RobotBuilder("two")
        shape_a, shape_b = (piece.product for piece in self.pieces)
        (x, y), (at_x, at_y, at_end) = self.axes, self.origins
        if branched:
            b.link("trunk", DOT)
            b.link("a", shape_a, parent="trunk", joint="revolute", axis=x, origin=at_x, limits=(-7, 7))
            b.link("b", shape_b, parent="trunk", joint="revolute", axis=y, origin=at_y, limits=(-7, 7))
        else:
            b.link("a", shape_a)
            b.link("between", DOT, parent="a", joint="revolute", axis=x, origin=at_x, limits=(-7, 7))
            b.link("outer", DOT if stiff else shape_b, parent="between", joint="continuous", axis=y, origin=at_y)
            if stiff:
                b.link("b", shape_b, parent="outer", joint="fixed", origin=at_end)
        self.branched, self.stiff = branched, stiff
        self.tip = "b" if branched or stiff else "outer"
        self.robot = b.build()
        self.scene = tocsin.Scene(self.robot)

    def gap(self, x, y):
        """Return the oracle's distance of the two at joint values in the order of the robot."""
        turns = [kinematics.frame(kinematics.exp(v * np.asarray(u)), np.zeros(3)) for v, u in zip((x, y), self.axes)]
        at_x, at_y = self.origins[0] @ turns[0], self.origins[1] @ turns[1]
        if self.branched:
            poses = at_x, at_y
        else:
            poses = np.eye(4), at_x @ at_y @ (self.origins[2] if self.stiff else np.eye(4))
        return shapes.distance(self.pieces[0].true, poses[0], self.pieces[1].true, poses[1])

    def site(self, margin=0.0):
        geoms = self.scene.context.tables().geoms["link"].tolist()
        a, b = (geoms.index(self.robot.link_index(name)) for name in ("a", self.tip))
        place = surveying.site(self.scene.context.tables(), a, b, margin, -1.0, 1e-4, {})
        assert place is not None
        return place

    def values(self, place, chart_x, chart_y):
        """Return joint values in the order of the robot, of values in the order of the chart."""
        first = self.robot.link_index("a" if self.branched else "between")
        return (chart_x, chart_y) if place.joint_x == first else (chart_y, chart_x)


@pytest.mark.parametrize("seed", range(12))
def test_set_cells_are_apart_at_all_joint_values_in_them(seed):
    case = TwoJoints(seed)
    place = case.site(margin=0.02 if seed % 4 == 3 else 0.0)
    bits = place.bits()
    rng = np.random.default_rng(seed)
    checked = missing = 0
    for _ in range(60):
        i, k = rng.integers(-CELLS, CELLS, 2)
        # Half of the time a corner or an edge of the cell.
        u, v = (rng.uniform(0, 1) if rng.uniform() < 0.5 else float(rng.integers(0, 2)) for _ in range(2))
        gap = case.gap(*case.values(place, (i + u) / PER_RADIAN, (k + v) / PER_RADIAN))
        if is_set(bits, (i + 0.5) / PER_RADIAN, (k + 0.5) / PER_RADIAN):
            checked += 1
            assert gap > place.clear
        elif gap > 0.2:
            missing += 1
    # What is far apart, by several times what a cell moves, is proven.
    assert missing == 0
    assert checked > 0


@pytest.mark.parametrize("seed", [2, 3, 4, 7, 9, 10, 11])
def test_cells_at_the_rim_of_what_is_proven_are_apart_at_their_corners(seed):
    """Next to a cell that is not set the shapes are about to touch: there a proof of too little would show."""
    case = TwoJoints(seed, spread=0.3)
    place = case.site(margin=0.02 if seed % 4 == 3 else 0.0)
    bits = place.bits()
    whole = np.array([[int(word) >> k & 1 for word in row for k in range(WORD)] for row in bits], bool)
    rims = []
    for axis, way in ((0, 1), (0, -1), (1, 1), (1, -1)):
        for i, k in zip(*np.nonzero(whole & ~np.roll(whole, -way, axis))):
            rims.append((i, k, axis, way))
    assert len(rims) >= 80
    rng = np.random.default_rng(seed)
    for i, k, axis, way in (rims[j] for j in rng.permutation(len(rims))[:30]):
        for other in (0.0, 0.5, 1.0):
            far = 1.0 if way > 0 else 0.0
            u, v = (far, other) if axis == 0 else (other, far)
            assert case.gap(*case.values(place, (i + u) / PER_RADIAN, (k + v) / PER_RADIAN)) > place.clear


def test_a_line_is_free_only_if_its_cells_are_set():
    rng = np.random.default_rng(5)
    chart = np.zeros(1, CHART)
    chart["bits"] = np.uint64(2**64 - 1)
    for i, k in rng.integers(0, CELLS, (500, 2)):
        chart[0]["bits"][i, k // WORD] &= ~(np.uint64(1) << np.uint64(k % WORD))
    free = 0
    for _ in range(600):
        x0, y0 = rng.uniform(-20, 20, 2)
        x1, y1 = x0 + rng.normal() * 0.2, y0 + rng.normal() * 0.2
        t = np.linspace(0, 1, 100)
        if line_is_free(chart[0], x0, y0, x1, y1):
            assert all(is_set(chart[0]["bits"], x, y) for x, y in zip(x0 + t * (x1 - x0), y0 + t * (y1 - y0)))
            free += 1
    assert 60 < free < 540
    chart["bits"] = np.uint64(2**64 - 1)
    assert line_is_free(chart[0], -30.0, 2.0, 50.0, -3.0)
    assert not line_is_free(chart[0], 0.0, 0.0, 2.0**21, 0.0)


def questions(case, seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(100 * count):
        q0, q1 = rng.uniform(-3, 3, (2, 2))
        if case.gap(*q0) > 0.01:
            count -= 1
            yield q0, q0 + 0.3 * q1
        if not count:
            return
    raise AssertionError("the two are in contact nearly everywhere")


@pytest.mark.parametrize(("seed", "spread"), [(0, 0.1), (1, 0.1), (2, 0.3), (3, 0.3), (4, 0.3), (7, 0.3)])
def test_answers_are_the_same_bits_with_a_chart_and_without(seed, spread, monkeypatch):
    monkeypatch.setattr(surveying, "EARNED", 1)
    case = TwoJoints(seed, spread)
    case.scene.context.charts.next_look = 1
    plain = tocsin.Scene(case.robot, charts=False)
    used = 0
    for round_ in range(2):
        for q0, q1 in questions(case, seed, 40):
            a, b = (scene.first_contact(case.robot.move(q0, q1)) for scene in (case.scene, plain))
            assert (a.status, a.time, a.tolerance) == (b.status, b.time, b.tolerance)
            assert [c.distance for c in a.contacts] == [c.distance for c in b.contacts]
            assert case.scene.is_free(case.robot.move(q0, q1)) == (not b.collides)
            used += round_ and a.stats.steps < b.stats.steps
            case.scene.context.charts.next_look = 1
    assert used


def test_a_pair_that_its_first_bound_settles_time_and_again_gets_a_chart(monkeypatch):
    monkeypatch.setattr(surveying, "EARNED", 1)
    case = TwoJoints(0, 0.3)
    charts = case.scene.context.charts
    for q0, q1 in questions(case, 0, 200):
        charts.next_look = 2**40
        move = case.robot.move(q0, q1)
        before = case.scene.first_contact(move)
        if before.stats.steps == 0 or before.stats.pairs_temporal > 0:
            continue
        charts.next_look = 1
        case.scene.first_contact(move)
        assert charts.charted
        after = case.scene.first_contact(move)
        assert after.status == before.status
        assert after.stats.steps < before.stats.steps
        return
    raise AssertionError("no question was settled by a first bound")


def test_neighbours_and_ignored_pairs_get_no_chart():
    box = tocsin.Box(size=(0.1, 0.1, 0.1))
    b = tocsin.RobotBuilder("r")
    b.link("a", box)
    b.link("b", box, parent="a", joint="revolute", axis=(0, 0, 1), origin=(0.3, 0, 0))
    b.link("c", box, parent="b", joint="revolute", axis=(0, 1, 0), origin=(0.3, 0, 0))
    b.link("d", box, parent="c", joint="prismatic", axis=(0, 0, 1), origin=(0.3, 0, 0))
    scene = tocsin.Scene(b.build())
    assert surveying.site(scene.context.tables(), 1, 3, 0.0, -1.0, 1e-4, {}) is None
    assert surveying.site(scene.context.tables(), 0, 2, 0.0, -1.0, 1e-4, {}) is not None
    assert surveying.site(scene.context.tables(), 0, 1, 0.0, -1.0, 1e-4, {}) is None
    scene.ignore("a", "c")
    assert surveying.site(scene.context.tables(), 0, 2, 0.0, -1.0, 1e-4, {}) is None


def test_limits_bound_what_is_surveyed():
    first, last = surveying._cells((-0.5, 1.0))
    assert first / PER_RADIAN < -0.5
    assert (last + 1) / PER_RADIAN > 1.0
    assert last - first < CELLS // 3
    assert surveying._cells(None) == surveying._cells((-7.0, 7.0)) == (0, CELLS - 1)
