"""Random scenes that nobody arranged, against dense sampling with a proven bound on speed.

Several robots and bodies, self-contact included, all moving; the oracle marches every pair of shapes and brackets the
first contact: (proven free until, in contact by). An answer must not be later than `in contact by`, must be within
margin + tolerance where it says so, and may be free only if no sample touches.
"""

import itertools
import math

import numpy as np
import pytest

import tocsin
from tocsin import Status
from tocsin_bench.campaigns import planted_articulated as articulated
from tocsin_bench.campaigns import planted_rigid as rigid
from tocsin_bench.campaigns.planted_shapes import random_piece
from tocsin_bench.oracles import kinematics as kin
from tocsin_bench.oracles import sampling, shapes

TOLERANCE = 1e-4


class World:
    """A robot whose links may touch each other, and bodies, each with a motion: for tocsin and for the oracles."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        while True:
            arm = articulated.random_arm(rng, 1.0, None)
            if 3 <= len(arm.parts) <= 6:
                break
        self.arm = arm
        self.robot = articulated.build(list(arm.tree.joints), arm.parts, arm.free)
        # Pairs that touch where the robot starts say nothing about motion: they are left out, as a user would.
        self.q = articulated.random_configurations(rng, arm)
        self.base = None
        if arm.free:
            pose = kin.frame(np.eye(3), rng.normal(size=3))
            self.base = rigid.ends(pose, rng.normal(size=3), rng.normal(size=3), 0.0)
        self.pieces = [random_piece(rng, 0.5) for _ in range(2)]
        self.ends = []
        for _ in self.pieces:
            pose = kin.frame(kin.exp(rng.normal(size=3)), rng.normal(size=3) * 1.5)
            self.ends.append(rigid.ends(pose, rng.normal(size=3), rng.normal(size=3), 0.0))
        self.parts = [
            (link, piece.true, placement) for link, carried in enumerate(arm.parts) for piece, placement in carried
        ]
        self.bodies = [tocsin.Body(p.product, name=f"body{k}") for k, p in enumerate(self.pieces)]
        n_links = len(arm.parts)
        self.parts += [(n_links + k, p.true, np.eye(4)) for k, p in enumerate(self.pieces)]
        self.allowed = self.pairs(n_links)
        self.scene = tocsin.Scene(self.robot, *self.bodies)

    def pairs(self, n_links):
        """Return the pairs of parts that are checked, and tell the robot to ignore those that overlap at the start."""
        poses = self.poses(0.0)
        skip = set()
        for link in range(1, n_links):
            skip |= {frozenset((link, k)) for k in articulated.neighbours(self.arm, link)}
        found = []
        for i, j in itertools.combinations(range(len(self.parts)), 2):
            a, b = self.parts[i][0], self.parts[j][0]
            if a == b or frozenset((a, b)) in skip:
                continue
            if max(a, b) < n_links and self.gap(i, j, poses) < 0.01:
                self.robot.ignore(f"link{a}", f"link{b}")
                skip.add(frozenset((a, b)))
            found.append((i, j))
        return [(i, j) for i, j in found if frozenset((self.parts[i][0], self.parts[j][0])) not in skip]

    def poses(self, t):
        """Return the poses of all parts' frames at t."""
        links = list(kin.poses(self.arm.tree, *self.q, [t], self.base)[0])
        return links + [kin.body_poses(*ends, [t])[0] for ends in self.ends]

    def gap(self, i, j, poses):
        """Return the oracle's distance of two parts."""
        (a, one, place_a), (b, two, place_b) = self.parts[i], self.parts[j]
        return shapes.distance(one, poses[a] @ place_a, two, poses[b] @ place_b)

    def speed(self, i):
        """Return a bound on the speed of a part."""
        link, shape, placement = self.parts[i]
        n_links = len(self.arm.parts)
        if link >= n_links:
            return sampling.body_speed(*self.ends[link - n_links], shape.reach)
        reach = shape.reach + float(np.linalg.norm(placement[:3, 3]))
        return sampling.link_speed(self.arm.tree, *self.q, link, reach, self.base)

    def bracket(self, margin):
        """Return (free until, in contact by) over all pairs, by coarse marching."""
        lo, hi = 1.0, math.inf
        for i, j in self.allowed:
            speed = self.speed(i) + self.speed(j)
            got = sampling.bracket(
                lambda t, i=i, j=j: self.gap(i, j, self.poses(t)) - margin,
                speed,
                resolution=3e-3,
                samples=40,
                slack=1e-9,
            )
            lo, hi = min(lo, got[0]), min(hi, got[1])
        return lo, hi

    def motions(self):
        """Return what a question takes."""
        return [self.robot.move(*self.q, base=self.base)] + [b.move(*e) for b, e in zip(self.bodies, self.ends)]


@pytest.mark.parametrize("seed", range(12))
def test_answers_respect_the_sampled_brackets(seed):
    world = World(seed)
    margin = (0.0, 0.05)[seed % 2]
    hit = world.scene.first_contact(*world.motions(), margin=margin, tolerance=TOLERANCE)
    free_until, contact_by = world.bracket(margin)
    assert hit.status is not Status.CAPPED
    assert hit.time <= contact_by
    if hit.collides:
        poses = world.poses(hit.time)
        assert min(world.gap(i, j, poses) for i, j in world.allowed) <= margin + TOLERANCE + 1e-9
    else:
        assert contact_by == math.inf
        assert free_until > 0
    assert world.scene.is_free(*world.motions(), margin=margin, tolerance=TOLERANCE) == (not hit.collides)


@pytest.mark.parametrize("seed", range(6))
def test_a_path_of_a_robot_is_its_pieces_one_after_the_other(seed):
    world = World(100 + seed)
    rng = np.random.default_rng(seed)
    if world.arm.free:
        world.robot = articulated.build(list(world.arm.tree.joints), world.arm.parts, False)
        world.scene = tocsin.Scene(world.robot, *world.bodies)
    path = [world.q[0], world.q[1], articulated.random_configurations(rng, world.arm)[1], world.q[0]]
    n = len(path) - 1
    whole = world.scene.first_contact(world.robot.follow(path), tolerance=TOLERANCE)
    parts = math.inf
    for k in range(n):
        hit = world.scene.first_contact(
            world.robot.move(path[k], path[k + 1]), tolerance=TOLERANCE, margin=TOLERANCE * 1.001
        )
        if hit.collides:
            parts = (k + hit.time) / n
            break
    assert parts <= whole.time + 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_the_static_distance_is_the_smallest_of_all_pairs(seed):
    world = World(200 + seed)
    poses = world.poses(0.25)
    q = [(1 - 0.25) * a + 0.25 * b for a, b in zip(*world.q)]
    if any(j.kind in ("ball", "floating") for j in world.arm.tree.joints):
        poses, q = world.poses(0.0), world.q[0]
        base = None if world.base is None else world.base[0]
        ends = [e[0] for e in world.ends]
    else:
        base = None if world.base is None else poses[0]
        ends = poses[len(world.arm.parts) :]
    placed = [world.robot.at(q, base=base)] + [b.at(e) for b, e in zip(world.bodies, ends)]
    found = world.scene.distance(*placed)
    expected = min(world.gap(i, j, poses) for i, j in world.allowed)
    assert found.distance == pytest.approx(expected, abs=1e-7)
    assert found.lower <= expected + 1e-9
    assert np.linalg.norm(found.point_b - found.point_a) == pytest.approx(found.distance, abs=1e-7)


def test_margins_of_single_pairs():
    a, b, c = (tocsin.Body(tocsin.Sphere(radius=0.5), name=n) for n in "abc")
    scene = tocsin.Scene(a, b, c)
    scene.margins["a", "c"] = 1.0
    where = [kin.frame(np.eye(3), np.array(p, float)) for p in ((0, 0, 0), (6, 0, 0), (0, 3, 0), (6, 3, 0))]
    hit = scene.first_contact(a.move(where[0], where[1]), b.at(where[1]), c.at(where[2]))
    assert hit.collides
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"a", "b"}
    hit = scene.first_contact(a.move(where[0], where[3]), b.at(where[1]), c.at(where[2]))
    assert hit.status is Status.FREE or hit.time <= 1.0
    scene.margins["a", "c"] = 2.5
    hit = scene.first_contact(a.move(where[0], where[1]), b.at(where[1]), c.at(where[2]))
    assert (hit.status, hit.time) == (Status.INITIAL_CONTACT, 0.0)
    scene.ignore("a", "c")
    assert scene.first_contact(a.move(where[0], where[1]), b.at(where[1]), c.at(where[2])).time > 0.5


@pytest.mark.parametrize("seed", range(6))
def test_two_robots_touch_each_other(seed):
    rng = np.random.default_rng(300 + seed)
    scenes = []
    for name in ("left", "right"):
        builder = tocsin.RobotBuilder(name)
        builder.link("base", origin=None)
        builder.link("upper", (tocsin.Capsule(radius=0.05, length=0.5), place(0, 0, 0.25)), parent="base", joint="ball")
        stick = (tocsin.Capsule(radius=0.05, length=0.5), place(0, 0, 0.25))
        builder.link("lower", stick, parent="upper", joint="revolute", axis=(1, 0, 0), origin=(0, 0, 0.6))
        scenes.append(builder.build())
    left, right = scenes
    right.place(place(0.8, 0, 0))
    tree = kin.Tree((kin.Joint(), kin.Joint("ball", 0), kin.Joint("revolute", 1, place(0, 0, 0.6), (1.0, 0, 0))))
    q = [np.concatenate([kin.quaternion_of(kin.exp(0.5 * rng.normal(size=3))), rng.normal(size=1)]) for _ in range(4)]
    hit = tocsin.Scene(left, right).first_contact(left.move(q[0], q[1]), right.move(q[2], q[3]), tolerance=TOLERANCE)
    stick, middle = shapes.capsule(0.05, 0.5), place(0, 0, 0.25)
    away = (place(0.8, 0, 0), place(0.8, 0, 0))

    def gap(t):
        one, two = kin.poses(tree, q[0], q[1], [t])[0], kin.poses(tree, q[2], q[3], [t], away)[0]
        return min(shapes.distance(stick, one[i] @ middle, stick, two[j] @ middle) for i in (1, 2) for j in (1, 2))

    speed = sum(max(sampling.link_speed(tree, *ends, k, 0.6) for k in (1, 2)) for ends in (q[:2], q[2:]))
    _, contact_by = sampling.bracket(gap, speed, resolution=1e-3, samples=60)
    assert hit.time <= contact_by
    if hit.collides:
        assert gap(hit.time) <= TOLERANCE + 1e-12
    else:
        assert contact_by == math.inf


def place(x, y, z):
    """Return a translation."""
    return kin.frame(np.eye(3), np.array([x, y, z], float))
