"""Links of long chains keep to the speeds, accelerations and jerks said of them for one slab of time."""

import numpy as np
import pytest

import tocsin
from tocsin.broad_phase.sweep import SWEEP, half_of, link_bounds, link_middle
from tocsin.motion.joints import JOINT, joint_motion
from tocsin_bench.oracles import kinematics
from tocsin_bench.scenes.trees import configuration, origin, random_robot


def said_and_seen(rng, n, turns, t0, t1, kinds, samples=9, still=False):
    """Return (said, seen, slack, table): V, A, J of a point of every link, and its differences by the oracle.

    The differences of order 1, 2, 3 at distance h are at most V h, A h^2, J h^3: each is an average of the derivative.
    """
    robot, tree, order = random_robot(rng, n, kinds)
    q0 = configuration(rng, tree, 1.0)
    q1 = q0 + turns * (configuration(rng, tree, 1.0) - q0)
    for link, joint in enumerate(tree.joints):
        if joint.kind in ("ball", "floating"):
            k = tree.start(link) + tree.width(link) - 4
            q1[k : k + 4] /= np.linalg.norm(q1[k : k + 4])
    base = (origin(rng), origin(rng))
    base = (base[0], base[0]) if still else base
    rows = robot.move(q0, q1, base=base).rows.reshape(-1)
    links = tocsin.Scene(robot).context.tables().links
    joints, sweeps = np.zeros(n + 1, JOINT), np.zeros(n + 1, SWEEP)
    for i in range(n + 1):
        joint_motion(joints[i], links[i], rows, 0, robot.width, 0.0, 1.0)
        link_bounds(sweeps, joints, links, i)
        link_middle(sweeps, joints, links, i, 0.5 * (t0 + t1), half_of(t0, t1))
    points = rng.normal(size=(n + 1, 3)) * 10.0 ** rng.uniform(-3, 1, size=(n + 1, 1))
    poses = kinematics.poses(tree, q0, q1, np.linspace(t0, t1, samples), base=base)
    places = np.einsum("tlij,lj->tli", poses[..., :3, :3], points) + poses[..., :3, 3]
    reach = np.linalg.norm(points, axis=1)
    h = (t1 - t0) / (samples - 1)
    table = sweeps[order]
    said, seen = [], []
    for k, (fixed, grows) in enumerate(
        (("speed", "turn"), ("accel", "accel_per_reach"), ("jerk", "jerk_per_reach")), 1
    ):
        said.append((table[f"slab_{fixed}"] + table[f"slab_{grows}"] * reach) * h**k)
        seen.append(np.linalg.norm(np.diff(places, k, axis=0), axis=2).max(axis=0))
    return np.array(said), np.array(seen), 1e-11 * (table["length"] + reach), table


KINDS = (
    ("fixed", "revolute", "continuous", "prismatic", "planar", "ball", "floating"),
    ("revolute",),
    ("revolute", "prismatic"),
)


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("turns", [0.01, 0.1, 1.0])
def test_points_of_long_chains_keep_the_bounds_of_a_slab(kinds, turns):
    rng = np.random.default_rng(11)
    for n in (1, 3, 20, 60):
        for _ in range(4):
            t0 = float(rng.uniform(0.0, 0.9))
            t1 = t0 + (1.0 - t0) * float(rng.random()) * 2.0 ** -float(rng.integers(0, 5))
            said, seen, slack, _ = said_and_seen(rng, n, turns, t0, t1, kinds)
            assert (seen <= said + slack).all()


@pytest.mark.pure
def test_points_of_a_short_chain_keep_the_bounds_of_a_slab():
    said, seen, slack, _ = said_and_seen(np.random.default_rng(2), 3, 0.1, 0.2, 0.7, KINDS[0], samples=5)
    assert (seen <= said + slack).all()


def swing_of(poses, times, step):
    """Return (omega, alpha) of a link: the angular velocity and its derivative, by differences of its poses."""

    def omega(t):
        change = (poses(t + step)[:3, :3] - poses(t - step)[:3, :3]) / (2.0 * step) @ poses(t)[:3, :3].T
        return np.array([change[2, 1] - change[1, 2], change[0, 2] - change[2, 0], change[1, 0] - change[0, 1]]) / 2.0

    turned = [omega(t) for t in times]
    return turned, [(omega(t + step) - omega(t - step)) / (2.0 * step) for t in times]


@pytest.mark.parametrize(("first", "second"), [(1.0, 1.0), (2.5, 0.7), (0.4, 3.0)])
def test_an_angular_acceleration_that_vanishes_at_the_middle_is_not_taken_for_none(first, second):
    """Joints about z, x and z: at the middle, where all are at 0, what the outer two add to the acceleration cancels.

    With rates a, b and a it is a b y - a b y there, and its derivative is a^2 b x - a b^2 z.
    """
    b = tocsin.RobotBuilder("wrist")
    b.link("base", tocsin.Sphere(0.01))
    for k, axis in enumerate(((0, 0, 1), (1, 0, 0), (0, 0, 1))):
        parent = "base" if k == 0 else f"link{k - 1}"
        b.link(f"link{k}", tocsin.Sphere(0.01), parent=parent, joint="continuous", axis=axis)
    robot = b.build()
    q1 = 0.5 * np.array([first, second, first])
    rows = robot.move(-q1, q1).rows.reshape(-1)
    links = tocsin.Scene(robot).context.tables().links
    joints, sweeps = np.zeros(4, JOINT), np.zeros(4, SWEEP)
    for i in range(4):
        joint_motion(joints[i], links[i], rows, 0, robot.width, 0.0, 1.0)
        link_bounds(sweeps, joints, links, i)
        link_middle(sweeps, joints, links, i, 0.5, half_of(0.1, 0.9))
    axes = (np.array([0.0, 0, 1]), np.array([1.0, 0, 0]), np.array([0.0, 0, 1]))

    def poses(t):
        turns = [kinematics.exp((2.0 * t - 1.0) * q * u) for q, u in zip(q1, axes)]
        return kinematics.frame(turns[0] @ turns[1] @ turns[2], np.zeros(3))

    omegas, alphas = swing_of(poses, np.linspace(0.1, 0.9, 9), 1e-4)
    tip = sweeps[3]
    assert np.linalg.norm(alphas[4]) < 1e-5 < 0.1 * np.linalg.norm(alphas[0])
    assert tip["slab_whirl"] >= max(np.linalg.norm(a) for a in alphas) - 1e-6
    assert tip["slab_turn"] >= max(np.linalg.norm(w) for w in omegas) - 1e-6


def test_they_are_never_worse_than_the_sums_and_much_better_where_turns_cancel():
    _, _, _, table = said_and_seen(np.random.default_rng(3), 60, 0.01, 0.0, 1.0, ("revolute",), still=True)
    for name in ("speed", "turn", "accel", "accel_per_reach", "jerk", "jerk_per_reach"):
        assert (table[f"slab_{name}"] <= table[name] * (1 + 1e-12)).all()
    assert table["slab_accel"].max() < 0.1 * table["accel"].max()
