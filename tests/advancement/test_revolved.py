"""Charts over two of three joints: what a cell says is true at every value of the third."""

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import tocsin
from tocsin.advancement import surveying
from tocsin.advancement.revolved import turned_body
from tocsin.model.charts import CELLS, PER_RADIAN, WORD
from tocsin_bench.campaigns.planted_shapes import random_piece
from tocsin_bench.oracles import kinematics, shapes

DOT = tocsin.Sphere(radius=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_the_body_contains_its_points_at_every_angle(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(20, 3)) * rng.uniform(0.01, 1.0, 3) + rng.normal(size=3)
    if seed == 0:
        points = points[:1]
    axis = kinematics.exp(rng.normal(size=3))[:, 2]
    grow = (0.0, 0.05)[seed % 2]
    body = turned_body(points, grow, axis)
    faces = ConvexHull(body.proxy).equations
    for angle in rng.uniform(-4, 4, 50):
        turned = points @ kinematics.exp(angle * axis).T + grow * kinematics.exp(rng.normal(size=3))[:, 0]
        assert (turned @ faces[:, :3].T + faces[:, 3]).max() <= body.radius


def test_the_body_of_a_cylinder_is_nearly_that_cylinder():
    around = np.linspace(0.0, 2.0 * math.pi, 200)
    rim = np.stack([0.04 * np.cos(around), 0.04 * np.sin(around), np.full_like(around, 0.02)], -1)
    body = turned_body(np.concatenate([rim, rim * (1, 1, -1)]), 0.0, np.array([0.0, 0.0, 1.0]))
    radii = np.linalg.norm(body.proxy[:, :2], axis=1)
    assert radii.max() < 0.04 * 1.009
    assert np.abs(body.proxy[:, 2]).max() < 0.02 * 1.0001


class ThreeJoints:
    """Two shapes with three revolute joints between them, outward of the first or two on one side and one on the other;
    the last shape hangs on its joint, or is fixed to what does."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.branched, self.stiff = seed % 3 == 2, seed % 2 == 1
        self.pieces = [random_piece(rng, 0.5), random_piece(rng, 0.5)]
        self.axes = [kinematics.exp(rng.normal(size=3))[:, 2] for _ in range(3)]
        self.origins = [kinematics.frame(kinematics.exp(rng.normal(size=3)), rng.normal(size=3)) for _ in range(3)]
        self.end = kinematics.frame(kinematics.exp(rng.normal(size=3)), 0.2 * rng.normal(size=3))
        b = tocsin.RobotBuilder("three")
        shape_a, shape_b = (piece.product for piece in self.pieces)
        (x, y, z), (at_x, at_y, at_z) = self.axes, self.origins
        if self.branched:
            b.link("trunk", DOT)
            b.link("a", shape_a, parent="trunk", joint="continuous", axis=x, origin=at_x)
            b.link("other", DOT, parent="trunk", joint="continuous", axis=y, origin=at_y)
        else:
            b.link("a", shape_a)
            b.link("between", DOT, parent="a", joint="continuous", axis=x, origin=at_x)
            b.link("other", DOT, parent="between", joint="continuous", axis=y, origin=at_y)
        last = DOT if self.stiff else shape_b
        b.link("outer", last, parent="other", joint="continuous", axis=z, origin=at_z)
        if self.stiff:
            b.link("b", shape_b, parent="outer", joint="fixed", origin=self.end)
        self.tip = "b" if self.stiff else "outer"
        self.robot = b.build()
        self.scene = tocsin.Scene(self.robot)

    def gap(self, *values):
        """Return the oracle's distance of the two at joint values in the order of the robot."""
        at_x, at_y, at_z = (
            origin @ kinematics.frame(kinematics.exp(v * np.asarray(u)), np.zeros(3))
            for v, u, origin in zip(values, self.axes, self.origins)
        )
        pose_b = (at_y if self.branched else at_x @ at_y) @ at_z @ (self.end if self.stiff else np.eye(4))
        pose_a = at_x if self.branched else np.eye(4)
        return shapes.distance(self.pieces[0].true, pose_a, self.pieces[1].true, pose_b)

    def site(self):
        geoms = self.scene.context.tables().geoms["link"].tolist()
        a, b = (geoms.index(self.robot.link_index(name)) for name in ("a", self.tip))
        place = surveying.site(self.scene.context.tables(), a, b, 0.0, -1.0, 1e-4, {})
        assert place is not None
        return place


@pytest.mark.parametrize("seed", range(6))
def test_set_cells_are_apart_at_all_values_of_the_joint_that_is_left_out(seed):
    case = ThreeJoints(seed)
    place = case.site()
    assert place.turned is not None
    bits = place.bits()
    first = case.robot.link_index("a" if case.branched else "between")
    assert {place.joint_x, place.joint_y} == {first, case.robot.link_index("other")}
    rng = np.random.default_rng(seed)
    checked = missing = 0
    for _ in range(60):
        i, k = (int(c) for c in rng.integers(0, CELLS, 2))
        u, v = (rng.uniform(0, 1) if rng.uniform() < 0.5 else float(rng.integers(0, 2)) for _ in range(2))
        x, y = (i + u) / PER_RADIAN, (k + v) / PER_RADIAN
        if place.joint_x != first:
            x, y = y, x
        gaps = [case.gap(x, y, z) for z in rng.uniform(-4, 4, 3)]
        if int(bits[i, k // WORD]) >> (k % WORD) & 1:
            checked += 1
            assert min(gaps) > place.clear
        elif min(gaps) > 1.5:
            missing += 1
    assert missing == 0
    assert checked > 0


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_the_same_bits_with_such_a_chart_and_without(seed, monkeypatch):
    monkeypatch.setattr(surveying, "EARNED", 1)
    case = ThreeJoints(seed)
    plain = tocsin.Scene(case.robot, charts=False)
    rng = np.random.default_rng(seed)
    for _ in range(60):
        q0, q1 = rng.uniform(-3, 3, (2, 3))
        case.scene.context.charts.next_look = 1
        a, b = (scene.first_contact(case.robot.move(q0, q0 + 0.3 * q1)) for scene in (case.scene, plain))
        assert (a.status, a.time, a.tolerance) == (b.status, b.time, b.tolerance)
        assert case.scene.is_free(case.robot.move(q0, q0 + 0.3 * q1)) == (not b.collides)


def test_four_joints_and_a_slide_get_no_chart():
    box = tocsin.Box(size=(0.1, 0.1, 0.1))
    b = tocsin.RobotBuilder("r")
    b.link("l0", box)
    for k, joint in enumerate(("revolute", "revolute", "revolute", "revolute", "prismatic")):
        b.link(f"l{k + 1}", box, parent=f"l{k}", joint=joint, axis=(0, k % 2, 1 - k % 2), origin=(0.3, 0, 0))
    world = tocsin.Scene(b.build()).context.tables()
    for last, wanted in ((3, True), (4, False), (5, False)):
        assert (surveying.site(world, 0, last, 0.0, -1.0, 1e-4, {}) is not None) == wanted
    assert surveying.site(world, 2, 5, 0.0, -1.0, 1e-4, {}) is None
