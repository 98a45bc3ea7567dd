"""What must not change an answer, or may change it only within the tolerance.

Two answers to one question need not be the same number: each is some time between the first moment within margin +
tolerance and the first moment within the margin. What holds for certain, whatever the motion, is the sandwich

    time asked with margin + tolerance  <=  time asked with margin,

also when the two sides of it are asked in different frames, orders or pieces: that is the claim below wherever bits may
differ. Where nothing about the numbers changes (powers of two, signs of quaternions), times must be equal bit by bit.
"""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tocsin
from tocsin import Status
from tocsin_bench.campaigns import planted_articulated as articulated
from tocsin_bench.campaigns import planted_rigid as rigid
from tocsin_bench.campaigns.planted_shapes import random_piece
from tocsin_bench.oracles import kinematics as kin

FEW = settings(max_examples=25, derandomize=True, deadline=None, database=None)
SEEDS = st.integers(0, 10**6)
SLACK = 1e-11


class Question:
    """Two random bodies and a random motion of both, in half of the cases with a planted contact."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.pieces = random_piece(rng, 1.0), random_piece(rng, 1.0)
        found = None
        while found is None:
            found = rigid.plant(rng, *self.pieces, 1.0, miss=rng.random() < 0.3)
        self.time, self.ends = found[1], found[5:]
        self.span = found[4]
        self.tolerance = 1e-3 * min(p.true.diagonal for p in self.pieces)
        self.rng = rng

    def ask(self, margin, *, order=(0, 1), frame=None, tolerance=None, extra=()):
        """Ask for the first contact with the bodies in some order, seen from some frame, with more bodies around."""
        frame = np.eye(4) if frame is None else frame
        bodies = [tocsin.Body(self.pieces[k].product, name="ab"[k]) for k in order]
        scene = tocsin.Scene(*bodies, *extra)
        motions = [body.move(frame @ self.ends[k][0], frame @ self.ends[k][1]) for body, k in zip(bodies, order)]
        return scene.first_contact(
            *motions, margin=margin, tolerance=self.tolerance if tolerance is None else tolerance
        )


def sandwich(ask, other, tolerance, slack=0.0, late=0.0):
    """Check that both ways of asking answer the same question; see the top of this file."""
    wider = tolerance * (1 + 1e-9) + slack
    for one, two in ((ask, other), (other, ask)):
        inner, outer = one(slack), two(slack + wider)
        assert inner.status is not Status.CAPPED
        assert outer.time <= inner.time + late
    return ask(0.0)


@FEW
@given(SEEDS)
def test_swapping_sides(seed):
    q = Question(seed)
    hit = sandwich(q.ask, lambda m: q.ask(m, order=(1, 0)), q.tolerance, SLACK * q.span)
    if hit.collides:
        assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"a", "b"}


@FEW
@given(SEEDS)
def test_changing_the_world_frame(seed):
    q = Question(seed)
    frame = kin.frame(kin.exp(q.rng.normal(size=3)), q.rng.normal(size=3) * 10)
    sandwich(q.ask, lambda m: q.ask(m, frame=frame), q.tolerance, SLACK * (q.span + 30))


@FEW
@given(SEEDS, st.integers(-40, 40))
def test_scaling_by_a_power_of_two_changes_no_bit_of_the_time(seed, k):
    answers = []
    for f in (1.0, 2.0**k):
        rng = np.random.default_rng(seed)
        found = None
        pieces = random_piece(rng, f), random_piece(rng, f)
        while found is None:
            found = rigid.plant(rng, *pieces, f, miss=False)
        bodies = [tocsin.Body(p.product, name=n) for p, n in zip(pieces, "ab")]
        motions = [body.move(*ends) for body, ends in zip(bodies, found[5:])]
        hit = tocsin.Scene(*bodies).first_contact(*motions, margin=found[2], tolerance=found[3])
        answers.append((hit.status, hit.time, hit.tolerance / f, found[1]))
    assert answers[0] == answers[1]


@FEW
@given(SEEDS, st.floats(0.05, 0.95))
def test_splitting_the_motion_in_time(seed, cut):
    q = Question(seed)
    bodies = [tocsin.Body(p.product, name=n) for p, n in zip(q.pieces, "ab")]
    scene = tocsin.Scene(*bodies)
    middle = [kin.body_poses(*ends, [cut])[0] for ends in q.ends]

    def in_parts(margin):
        first = [b.move(e[0], m) for b, e, m in zip(bodies, q.ends, middle)]
        hit = scene.first_contact(*first, margin=margin, tolerance=q.tolerance)
        if hit.collides:
            return Answer(hit.status, cut * hit.time)
        second = [b.move(m, e[1]) for b, e, m in zip(bodies, q.ends, middle)]
        hit = scene.first_contact(*second, margin=margin, tolerance=q.tolerance)
        return Answer(hit.status, cut + (1 - cut) * hit.time)

    sandwich(q.ask, in_parts, q.tolerance, SLACK * q.span, late=1e-12)


class Answer:
    """A status and a time, put together from the answers to parts of a motion."""

    def __init__(self, status, time):
        self.status, self.time = status, time
        self.collides = status is not Status.FREE


@FEW
@given(SEEDS, st.integers(1, 5))
def test_a_path_through_points_of_the_motion_is_the_motion(seed, pieces):
    q = Question(seed)
    times = np.linspace(0, 1, pieces + 1)

    def along_path(margin):
        bodies = [tocsin.Body(p.product, name=n) for p, n in zip(q.pieces, "ab")]
        motions = [b.follow(list(kin.body_poses(*e, times))) for b, e in zip(bodies, q.ends)]
        return tocsin.Scene(*bodies).first_contact(*motions, margin=margin, tolerance=q.tolerance)

    sandwich(q.ask, along_path, q.tolerance, SLACK * q.span, late=1e-12)


@FEW
@given(SEEDS)
def test_running_backwards_touches_too(seed):
    q = Question(seed)
    bodies = [tocsin.Body(p.product, name=n) for p, n in zip(q.pieces, "ab")]
    scene = tocsin.Scene(*bodies)
    forth = scene.first_contact(
        *[b.move(*e) for b, e in zip(bodies, q.ends)], tolerance=q.tolerance, margin=q.tolerance
    )
    back = scene.first_contact(
        *[b.move(*e[::-1]) for b, e in zip(bodies, q.ends)],
        tolerance=q.tolerance,
        margin=2 * q.tolerance + SLACK * q.span,
    )
    if forth.collides:
        assert back.collides
        assert back.time <= 1 - forth.time + 1e-9


@FEW
@given(SEEDS)
def test_adding_an_object_never_makes_the_time_later(seed):
    q = Question(seed)
    alone = q.ask(0.0)
    for _ in range(3):
        piece = random_piece(q.rng, 1.0)
        pose = kin.frame(kin.exp(q.rng.normal(size=3)), q.rng.normal(size=3) * 3)
        more = q.ask(0.0, extra=(tocsin.Body(piece.product, name="more", pose=pose),))
        assert more.time <= alone.time
        assert more.collides or not alone.collides


@FEW
@given(SEEDS)
def test_a_larger_margin_never_makes_the_time_later_than_a_smaller_margin_and_tolerance(seed):
    q = Question(seed)
    margins = np.sort(q.rng.uniform(0, 1, 3))
    times = [q.ask(m, tolerance=1e-6).time for m in margins]
    assert q.ask(margins[1] + 1e-6, tolerance=1e-6).time <= times[0] or margins[1] < margins[0] + 1e-6
    assert times[2] <= times[0] or margins[2] < margins[0] + 2e-6


@FEW
@given(SEEDS)
def test_a_smaller_tolerance_is_never_more_than_the_larger_one_before_the_contact(seed):
    q = Question(seed)
    fine = 1e-3 * q.tolerance
    exact = q.ask(0.0, tolerance=fine)
    coarse = q.ask(0.0)
    fine_wide = q.ask(q.tolerance * (1 + 1e-9), tolerance=fine)
    assert fine_wide.time <= coarse.time
    assert exact.status is not Status.CAPPED
    assert coarse.collides or not exact.collides


def arm_and_motion(seed):
    """Return a small random robot, the two ends of a motion of it, a moving base or None, and a generator."""
    rng = np.random.default_rng(seed)
    while True:
        arm = articulated.random_arm(rng, 1.0, None)
        if 3 <= len(arm.parts) <= 8:
            break
    q0, q1 = articulated.random_configurations(rng, arm)
    base = None
    if arm.free:
        base = rigid.ends(kin.frame(np.eye(3), rng.normal(size=3)), rng.normal(size=3), rng.normal(size=3), 0.0)
    return arm, q0, q1, base, rng


def obstacles(rng, count=3):
    """Return a few standing bodies around."""
    return [
        tocsin.Body(random_piece(rng, 0.5).product, name=f"o{k}", pose=kin.frame(np.eye(3), rng.normal(size=3) * 2))
        for k in range(count)
    ]


@FEW
@given(SEEDS)
def test_permuting_links(seed):
    """Links added in another order, with their joint values moved along, are the same robot."""
    arm, q0, q1, base, rng = arm_and_motion(seed)
    around = obstacles(rng)
    joints = arm.tree.joints
    order, left = [0], list(range(1, len(joints)))
    while left:  # a random order in which parents, and masters of mimics, still come first
        ready = [k for k in left if joints[k].parent in order and (not joints[k].mimic or joints[k].mimic[0] in order)]
        order.append(int(rng.choice(ready)))
        left.remove(order[-1])
    other = articulated.build(joints, arm.parts, arm.free, order)
    for i in range(len(joints)):
        for j in range(i):
            other.ignore(f"link{i}", f"link{j}")
    shuffled = [
        np.concatenate([q[arm.tree.start(k) : arm.tree.start(k) + arm.tree.width(k)] for k in order]) for q in (q0, q1)
    ]

    def ask(margin, robot=arm.robot, ends=(q0, q1)):
        scene = tocsin.Scene(robot, *around)
        return scene.first_contact(robot.move(*ends, base=base), margin=margin, tolerance=1e-4)

    sandwich(ask, lambda m: ask(m, other, shuffled), 1e-4, SLACK * 50)


@FEW
@given(SEEDS)
def test_a_quaternion_and_its_negative_are_one_orientation(seed):
    arm, q0, q1, base, rng = arm_and_motion(seed)
    scene = tocsin.Scene(arm.robot, *obstacles(rng))
    times = []
    for flips in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        ends = []
        for q, sign in zip((q0, q1), flips):
            q = q.copy()
            for k, joint in enumerate(arm.tree.joints):
                if joint.kind in ("ball", "floating") and arm.tree.width(k):
                    stop = arm.tree.start(k) + arm.tree.width(k)
                    q[stop - 4 : stop] *= sign
            ends.append(q)
        times.append(scene.first_contact(arm.robot.move(*ends, base=base)).time)
    assert len(set(times)) == 1


@FEW
@given(SEEDS, st.integers(-30, 30))
def test_scaling_a_robot_by_a_power_of_two_changes_no_bit_of_the_time(seed, k):
    times = []
    for f in (1.0, 2.0**k):
        rng = np.random.default_rng(seed)
        arm = articulated.random_arm(rng, f, None)
        q0, q1 = articulated.random_configurations(rng, arm)
        post = tocsin.Body(random_piece(rng, f).product, name="post", pose=kin.frame(np.eye(3), f * rng.normal(size=3)))
        hit = tocsin.Scene(arm.robot, post).first_contact(arm.robot.move(q0, q1))
        times.append((hit.status, hit.time))
    assert times[0] == times[1]


@FEW
@given(SEEDS)
def test_link_poses_are_those_of_the_definitions(seed):
    arm, q0, q1, base, rng = arm_and_motion(seed)
    motion = arm.robot.move(q0, q1, base=base)
    for t in (0.0, float(rng.random()), 1.0):
        expected = kin.poses(arm.tree, q0, q1, [t], base)[0]
        found = motion.link_poses(t)
        for k, name in enumerate(arm.robot.link_names):
            assert np.allclose(found[k], expected[int(name[4:])], atol=1e-11)


@FEW
@given(SEEDS)
def test_is_free_agrees_with_first_contact(seed):
    q = Question(seed)
    bodies = [tocsin.Body(p.product, name=n) for p, n in zip(q.pieces, "ab")]
    scene = tocsin.Scene(*bodies)
    motions = [b.move(*e) for b, e in zip(bodies, q.ends)]
    hit = scene.first_contact(*motions)
    if hit.status is Status.FREE:
        assert hit.time == math.inf
        # Both may answer either way within the tolerance; a free answer excludes contact a tolerance nearer.
        assert scene.is_free(*motions) or not scene.is_free(*motions, margin=hit.tolerance)
    else:
        assert not scene.is_free(*motions, margin=hit.tolerance * (1 + 1e-9) + SLACK * q.span)
