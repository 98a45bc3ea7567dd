"""Bounds of joints on polynomials of time, against where the robot really is, in 50 digits.

Random robots of every kind of joint that a polynomial can drive follow random trajectories of degree 2 to 7, whole
stretches and parts of them. In a random slab of time the place, speed, acceleration and jerk of a random point are held
against their bounds, what kernels compute of them against its noise, and the Taylor matrices against the motion: seven
bounds a case. The motion is evaluated from the polynomials that were given and from the joints' definitions.

    python -m tocsin_bench curves --count 100000 --seed 0
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from tocsin.bounds.motion_bound import chain_bound
from tocsin.bounds.taylor import compose, joint_taylor, time_frame
from tocsin.model.following import column_names
from tocsin.model.timed import on_clock
from tocsin.model.trajectory import Trajectory
from tocsin.motion.chain import chain_pose, chain_state
from tocsin.motion.clocks import piece_on_clock
from tocsin.motion.curved_joints import curved_motion
from tocsin.motion.curves import narrow
from tocsin.motion.joints import JOINT
from tocsin_bench.oracles import kinematics
from tocsin_bench.oracles.kinematics import compose_mp, joint_mp, matrix_mp, mp
from tocsin_bench.report import console, say
from tocsin_bench.scenes.trees import random_robot

DESCRIPTION = "Do the bounds of joints on curves hold, and how tight are they: polynomials against exact motion."

KINDS = ("fixed", "revolute", "continuous", "prismatic", "planar")


@dataclass
class Case:
    """One stretch of a robot on a trajectory."""

    robot: Any
    tree: kinematics.Tree
    order: list[int]
    plan: Trajectory
    stretch: tuple[int, ...]
    knots: tuple[int, float, float]
    joints: np.ndarray


def random_plan(rng, n, degree, pieces, names):
    """Return polynomials of a degree that meet at their knots, of values that span powers of two."""
    times = np.cumsum(rng.uniform(0.2, 2.0, size=pieces + 1)) * 10.0 ** rng.integers(-3, 4)
    c = rng.normal(size=(pieces, degree + 1, n)) * 2.0 ** rng.integers(-6, 2, size=(1, 1, n))
    lasts = np.diff(times)
    c = c / (lasts[:, None] ** np.arange(degree + 1))[:, :, None]
    if rng.random() < 0.3:
        c[:, 1 : rng.integers(2, degree + 1)] = 0.0  # at rest where pieces begin
    for i in range(1, pieces):
        c[i, 0] = sum(c[i - 1, k] * lasts[i - 1] ** k for k in range(degree + 1))
    return Trajectory.of_pieces(times, c, joint_names=names)


def random_case(rng, links=4):
    """Return a random robot on a random stretch of a random trajectory."""
    while True:
        robot, tree, order = random_robot(rng, links, KINDS)
        if robot.n_config:
            break
    degree = int(rng.integers(2, 8))
    plan = random_plan(rng, robot.n_config, degree, int(rng.integers(1, 4)), column_names(robot.joints))
    if rng.random() < 0.5:  # knots of somebody else
        more = rng.uniform(plan.knots[0], plan.knots[-1], size=2)
    else:
        more = []
    motion = robot.follow(plan)
    line = on_clock([motion])
    knots = line.knots
    i = int(rng.integers(len(line.stretches)))
    begin, end = float(knots[i]), float(knots[i + 1])
    x, lasts = 0.0, 1.0
    if len(more):
        a, b = sorted(float(m) for m in more)
        begin, end = max(a, begin), min(b, end)
        if not begin < end:
            begin, end = float(knots[i]), float(knots[i + 1])
        whole = knots[i + 1] - knots[i]
        x, lasts = (begin - knots[i]) / whole, (end - begin) / whole
    row0, row1, _, _, _ = piece_on_clock(line.configs, tuple(line.stretches[i].tolist()), 0)
    joints = np.zeros(len(robot.links), JOINT)
    for k in range(len(robot.links)):
        curved_motion(joints[k], robot.links[k], line.configs, row0, robot.width, -row1, x, lasts)
    return Case(robot, tree, order, plan, tuple(line.stretches[i].tolist()), (i, begin, end), joints)


def values_mp(case, t):
    """Return the configuration at the 50-digit time t of the stretch: the given polynomials, exactly."""
    i, begin, end = case.knots
    seconds = mp.mpf(begin) + t * (mp.mpf(end) - mp.mpf(begin)) - mp.mpf(float(case.plan.knots[i]))
    c = case.plan.coefficients[i]
    return [sum(mp.mpf(float(c[k, j])) * seconds**k for k in range(len(c))) for j in range(c.shape[1])]


def truth(case, t):
    """Return the poses of all links of the oracle's tree at time t of the stretch."""
    robot_values = values_mp(case, t)
    # The robot's configuration is in the order of its own joints, which may differ from the tree's.
    by_name = dict(zip(column_names(case.robot.joints), robot_values))
    poses = {0: (kinematics.exp_mp([mp.mpf(0)] * 3), [mp.mpf(0)] * 3)}

    def own(link):
        joint = case.tree.joints[link]
        name = f"{link}_joint"
        if joint.mimic:
            master, multiplier, offset = joint.mimic
            return [own(master)[0] * multiplier + offset]
        if joint.kind == "planar":
            return [by_name[f"{name}.{part}"] for part in ("x", "y", "angle")]
        return [by_name[name]] if name in by_name else []

    for link, joint in enumerate(case.tree.joints):
        if link:
            values = own(link)
            local = joint_mp(joint, values, values, mp.mpf(0))
            poses[link] = compose_mp(compose_mp(poses[joint.parent], matrix_mp(joint.origin)), local)
    return poses


def place_mp(pose, point):
    """Return where a point of a link is in the world."""
    return kinematics.apply_mp(pose, [mp.mpf(float(c)) for c in point])


def attack(case, rng):
    """Return the worst share of each bound that the exact motion uses: above 1 is an escape."""
    robot, joints = case.robot, case.joints
    link = int(rng.integers(1, len(case.order)))
    number = case.order[link]
    t0, t1 = sorted(rng.uniform(0.0, 1.0, size=2).tolist()) if rng.random() < 0.7 else (0.0, 1.0)
    for k in range(len(joints)):
        narrow(joints[k], t0, t1)
    speed, turn, accel, accel_r, jerk, jerk_r, length, noise = chain_bound(joints, robot.links, number, -1)
    point = rng.normal(size=3) * 2.0 ** rng.integers(-4, 4)
    reach = float(np.linalg.norm(point)) * (1.0 + 1e-12)
    t = float(t0 + (t1 - t0) * rng.choice([0.0, 1.0, rng.random()]))
    place = lambda s: place_mp(truth(case, s)[link], point)  # noqa: E731
    exact = place(mp.mpf(t))
    h = mp.mpf(10) ** -9
    samples = {k: place(mp.mpf(t) + k * h) for k in (-3, -2, -1, 1, 2, 3)}
    first = [(samples[1][c] - samples[-1][c]) / (2 * h) for c in range(3)]
    second = [(samples[1][c] - 2 * exact[c] + samples[-1][c]) / h**2 for c in range(3)]
    third = [(samples[2][c] - 2 * samples[1][c] + 2 * samples[-1][c] - samples[-2][c]) / (2 * h**3) for c in range(3)]
    size = lambda v: float(mp.mpf(mp.sqrt(sum(x * x for x in v))))  # noqa: E731
    r, p = chain_pose(joints, robot.links, number, -1, t)
    off = [
        mp.mpf(r[c][0]) * point[0] + mp.mpf(r[c][1]) * point[1] + mp.mpf(r[c][2]) * point[2] + p[c] for c in range(3)
    ]
    off = size([a - b for a, b in zip(off, exact)])
    found = {
        "place": off / (noise * (length + reach)),
        "speed": size(first) / (speed + turn * reach + 1e-300),
        "accel": size(second) / (accel + accel_r * reach + 1e-300),
        "jerk": size(third) / (jerk + jerk_r * reach + 1e-13 * (length + reach)),  # a difference of differences,
    }
    # What is computed of velocity and acceleration, as the pairs' noise has it.
    r, p, w, v, alpha, a = chain_state(joints, robot.links, number, -1, t)
    arm = np.array(r) @ point
    velocity = np.array(v) + np.cross(w, arm)
    bending = np.array(a) + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    far = length + reach
    # Speeds are those of the record: against the motion asked for they are off by what rounding the record takes.
    fine = 1e-11 * (speed + turn * far) + 1e-300
    found["velocity"] = size([mp.mpf(x) - y for x, y in zip(velocity.tolist(), first)]) / fine
    fine = 1e-10 * (accel + accel_r * far) + 1e-300
    found["acceleration"] = size([mp.mpf(x) - y for x, y in zip(bending.tolist(), second)]) / fine
    found |= attack_taylor(case, link, t0, t1, rng)
    return found


def attack_taylor(case, link, t0, t1, rng):
    """Return the share of the Taylor matrix's radii that the exact motion uses."""
    robot, joints = case.robot, case.joints
    chain, i = [], case.order[link]
    while i >= 0:
        chain.append(i)
        i = int(robot.links[i]["parent"])
    model, step = np.zeros((3, 4, 5)), np.zeros((3, 4, 5))
    for n, i in enumerate(reversed(chain)):
        joint_taylor(model if n == 0 else step, joints[i], t0, t1)
        if n:
            compose(model, model, step)
    *_, length, noise = chain_bound(joints, robot.links, case.order[link], -1)
    mid, half = time_frame(t0, t1)
    s = mp.mpf(float(rng.choice([-1.0, 1.0, 0.0, rng.uniform(-1, 1)])))
    rotation, place = truth(case, mp.mpf(mid) + s * mp.mpf(half))[link]
    worst = 0.0
    for row in range(3):
        cubic = [sum(mp.mpf(float(model[row, j, k])) * s**k for k in range(4)) for j in range(4)]
        turned = mp.sqrt(sum((cubic[j] - rotation[row][j]) ** 2 for j in range(3)))
        worst = max(worst, float(turned / (model[row, 0, 4] + noise)))
        worst = max(worst, float(abs(cubic[3] - place[row]) / (model[row, 3, 4] + noise * length)))
    return {"taylor": worst}


def campaign(count: int, seed: int) -> tuple[int, dict[str, list[float]]]:
    """Attack `count` random cases; return how many bounds were escaped from, and the share of each that was used."""
    used: dict[str, list[float]] = defaultdict(list)
    escapes = 0
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        found = attack(random_case(rng, links=int(rng.integers(1, 15 if number % 4 == 0 else 7))), rng)
        for name, share in found.items():
            used[name].append(share)
            if not share <= 1.0:
                escapes += 1
                say(f"escape {seed}:{number}: {name} uses {share:.6g} of its bound")
    return escapes, used


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--count", type=int, default=100_000, help="cases of seven bounds each (default 100,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the cases (default 1)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign; show how much of each bound is used."""
    escapes, used = campaign(args.count, args.seed)
    table = Table(title=f"{args.count:,} cases: the share of a bound that the exact motion uses")
    for name in ("bound", "cases", "escapes", "median", "largest"):
        table.add_column(name, justify="left" if name == "bound" else "right")
    for name, shares in used.items():
        beyond = sum(not share <= 1.0 for share in shares)
        table.add_row(name, f"{len(shares):,}", str(beyond), f"{np.median(shares):.3g}", f"{max(shares):.6f}")
    console.print(table)
    if escapes:
        raise SystemExit(f"{escapes} bounds were escaped from; the bounds are unsound")
    return {"count": args.count, "escapes": escapes} | {name: float(np.median(s)) for name, s in used.items()}
