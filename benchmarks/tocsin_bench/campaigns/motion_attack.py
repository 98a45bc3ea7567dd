"""The motion bounds under attack: where points really go, against what `motion_bound` says they can.

A batch is one random tree of up to 20 joints of every kind, of sizes that span many powers of two and turns of up to
two rounds each; its cases differ in every number. The truth is forward kinematics in extended precision, written from
the definitions with quaternions (the library has Rodrigues' matrices), vectorised over the cases. For a point at
distance X from the origin of link a, an ancestor of a (the world included), times t and t + h of one piece:

speed         |p(t + h) - p(t)| <= V h
acceleration  |p(t + h) - p(t) - h v(t)| <= A h^2 / 2, with v(t) from `chain_state`
jerk          |p(t + h) - p(t) - h v(t) - h^2 a(t) / 2| <= J h^3 / 6, with a(t) from `chain_state`
noise         `chain_pose` places p within noise (length + X) of the truth, and |p| <= length + X
              In the world V, A and J are those of a slab from t on, `slab_bound`.
step          with a second point on link b: during the step that `safe_step` allows, the two stay farther apart than
              the margin along the direction that was tried.

Slack: for displacements 2 noise (length + X) and, for v(t), 4 noise V h (the joint records are the truth up to noise,
and `broad_phase.pairs` subtracts both); for all of them the rounding of the truth, 64 units of its own a joint. All of
this is below 1e-9 of the lengths at hand; noise and step have no slack but the rounding of the truth.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.advancement.relative import bending, relative_state
from tocsin.bounds.motion_bound import chain_bound, safe_step, sharper_step
from tocsin.broad_phase.pairs import PAIR, prepare, world_bound
from tocsin.broad_phase.sweep import SWEEP, half_of, link_bounds, link_middle
from tocsin.compiler.jit import kernel
from tocsin.model.tables import GEOM
from tocsin.motion.chain import chain_pose, chain_state
from tocsin.motion.joints import JOINT, UP, joint_motion
from tocsin.motion.links import BALL, FIXED, FLOATING, LINK, PLANAR, PRISMATIC, REVOLUTE, WIDTH
from tocsin_bench.campaigns.bound_chains import rotations, unit_vectors

BATCH = 2_000
LONGEST = 20
CLAIMS = ("speed", "acceleration", "jerk", "noise", "step")
WIDE = np.longdouble


def attack_motion(count: int, seed: int) -> dict[str, float]:
    """Attack with `count` cases; return counts, violations by claim and in all, and how large the bounds are.

    "speed ratio" and "acceleration ratio" are geometric means of bound / sampled over the cases that move: single
    cases whose turns happen to cancel would rule an arithmetic one.
    """
    rng = np.random.default_rng(seed)
    found: dict[str, float] = {"evaluations": 0, "violations": 0, **dict.fromkeys(CLAIMS, 0)}
    logs = {"speed": [0.0, 0], "acceleration": [0.0, 0]}
    while found["evaluations"] < count:
        size = min(BATCH, count - int(found["evaluations"]))
        broken, ratios = _attack_batch(rng, size)
        for name in CLAIMS:
            found[name] += int(broken[name].sum())
        for name, ratio in ratios.items():
            logs[name][0] += float(np.log(ratio).sum())
            logs[name][1] += len(ratio)
        found["violations"] += int(np.any(list(broken.values()), axis=0).sum())
        found["evaluations"] += size
    for name, (total, cases) in logs.items():
        found[f"{name} ratio"] = math.exp(total / cases) if cases else math.nan
    return found


def _tree(rng: np.random.Generator) -> np.ndarray:
    """Return the LINK table of a random tree, mostly a chain; every number but the parents and kinds is per case."""
    n = int(rng.integers(1, LONGEST + 1))
    links = np.zeros(n, LINK)
    width = 0
    for i in range(n):
        parent = i - 1 if rng.random() < 0.8 else int(rng.integers(-1, i))
        links[i]["parent"] = parent
        links[i]["depth"] = 1 if parent < 0 else links[parent]["depth"] + 1
        links[i]["kind"] = rng.choice([FIXED, REVOLUTE, REVOLUTE, REVOLUTE, PRISMATIC, PLANAR, BALL, FLOATING])
        links[i]["config"] = width
        width += WIDTH[int(links[i]["kind"])]
    return links


def _numbers(rng: np.random.Generator, tree: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (links, configs): (count, n) LINK records, and (count, 2, width) configurations at both ends."""
    n = len(tree)
    links = np.repeat(tree[None], count, axis=0)
    links["multiplier"] = 1.0
    scale = 2.0 ** rng.integers(-20, 20)
    for i in range(n):
        axis = unit_vectors(rng, count)
        axis[rng.random(count) < 0.3] = np.eye(3)[rng.integers(3)]
        across = np.cross(axis, np.eye(3)[np.abs(axis).argmin(axis=1)])
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        turned = rotations(rng, count)
        turned[rng.random(count) < 0.3] = np.eye(3)
        links["axis"][:, i] = axis
        links["across"][:, i] = np.stack([across, np.cross(axis, across)], axis=1)
        links["rotation"][:, i] = turned
        links["translation"][:, i] = rng.normal(size=(count, 3)) * scale * 2.0 ** rng.integers(-8, 4, size=(count, 1))
        if tree[i]["kind"] in (REVOLUTE, PRISMATIC) and rng.random() < 0.2:
            links["multiplier"][:, i] = rng.normal(size=count)
            if tree[i]["kind"] == REVOLUTE:
                links["offset"][:, i] = rng.normal(size=count)
    width = sum(WIDTH[int(k)] for k in tree["kind"])
    configs = np.zeros((count, 2, width))
    for link in tree:
        k, kind = int(link["config"]), int(link["kind"])
        turn = rng.uniform(-2.0, 2.0, size=(count, 2)) * math.pi * 2.0 ** -rng.choice([0.0, 0.0, 2.0, 8.0, 20.0])
        slide = rng.normal(size=(count, 2, 3)) * scale * 2.0 ** rng.integers(-8, 4)
        if kind == REVOLUTE:
            configs[:, :, k] = turn
        elif kind == PRISMATIC:
            configs[:, :, k] = slide[:, :, 0]
        elif kind == PLANAR:
            configs[:, :, k : k + 2] = slide[:, :, :2]
            configs[:, :, k + 2] = turn
        elif kind in (BALL, FLOATING):
            if kind == FLOATING:
                configs[:, :, k : k + 3] = slide
                k += 3
            q = rng.normal(size=(count, 2, 4))
            q[:, 1] = q[:, 0] * rng.choice([0.0, 1.0, -1.0]) + q[:, 1] * 2.0 ** -rng.choice([0.0, 4.0, 20.0])
            q[:, 1] *= np.where((q[:, 0] * q[:, 1]).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]  # the arc is decided
            configs[:, :, k : k + 4] = q / np.linalg.norm(q, axis=2, keepdims=True)
    still = rng.random(count) < 0.05
    configs[still, 1] = configs[still, 0]
    return links, configs


@kernel
def _claims(links, configs, begin, end, a, b, stop, xa, xb, t, until, shares, pairs, out, steps):
    """Write the claims of the library about every case, during the slab from t to `until`; `pairs` is a row of scratch.

    out: speed, turn, accel, accel_per_reach, jerk, jerk_per_reach, length, noise; place (3), velocity (3) and
    acceleration (3) of the point at t, by `chain_state`; speed, turn, accel and accel_per_reach of `chain_bound`.
    steps: allowed step, margin, direction (3) in the frame of the ancestor that comes next.
    """
    n = links.shape[1]
    joints = np.zeros(n, dtype=JOINT)
    sweeps = np.zeros(n, dtype=SWEEP)
    geoms = np.zeros(2, dtype=GEOM)
    pair = pairs[0]
    pair["b"] = 1
    flat = configs.reshape(-1)
    width = configs.shape[2]
    for c in range(links.shape[0]):
        row = 2 * c * width
        for i in range(n):
            joint_motion(joints[i], links[c, i], flat, row, row + width, begin, end)
            link_bounds(sweeps, joints, links[c], i)
            link_middle(sweeps, joints, links[c], i, 0.5 * (t[c] + until[c]), half_of(t[c], until[c]))
        p = vec.load3(xa, c)
        q = vec.load3(xb, c)
        bound = chain_bound(joints, links[c], a, stop)
        rotation, place, omega, v, alpha, acc = chain_state(joints, links[c], a, stop, t[c])
        arm = vec.matvec(rotation, p)
        spot = vec.add(place, arm)
        v = vec.add(v, vec.cross(omega, arm))
        acc = vec.add(vec.add(acc, vec.cross(alpha, arm)), vec.cross(omega, vec.cross(omega, arm)))
        for k in range(8):
            out[c, k] = bound[k]
        for k in range(4):
            out[c, 17 + k] = bound[k]
        if stop < 0:
            slab = world_bound(sweeps[a])
            for k in range(6):
                out[c, k] = slab[k]
        for k in range(3):
            out[c, 8 + k] = spot[k]
            out[c, 11 + k] = v[k]
            out[c, 14 + k] = acc[k]

        geoms[0]["link"] = a
        geoms[0]["reach"] = vec.norm(p) * UP
        geoms[1]["link"] = b
        geoms[1]["reach"] = vec.norm(q) * UP
        pair["margin"] = 0.0
        prepare(pair, geoms, joints, links[c], sweeps, -1.0, 1e-4)
        pose, motion = relative_state(pair, sweeps, joints, links[c], t[c])
        back = vec.matvec(pose[0], q)
        d = vec.sub(vec.add(pose[1], back), p)
        length = vec.norm(d)
        steps[c, 0] = 0.0
        if not length > 0.0:
            continue
        # The margin leaves only a share of the gap: small ones make small steps, in which first-order terms decide.
        margin = length * (1.0 - shares[c])
        pair["margin"] = margin
        prepare(pair, geoms, joints, links[c], sweeps, -1.0, 1e-4)
        u = (d[0] / length, d[1] / length, d[2] / length)
        gap = vec.dot(u, d) - margin - pair["noise"]
        va, wa, vb, wb, aa, ca, ab, cb = motion
        closing = vec.dot(u, vec.add(va, vec.cross(wa, p))) - vec.dot(u, vec.add(vb, vec.cross(wb, back)))
        reach_a = geoms[0]["reach"]
        reach_b = geoms[1]["reach"]
        speed = pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b
        acceleration = pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b
        closing += pair["noise_speed"]
        now = vec.dot(u, aa) + vec.dot(bending(u, wa, ca), p) - vec.dot(u, ab) - vec.dot(bending(u, wb, cb), back)
        jerk = pair["jerk"] + pair["jerk_per_reach_a"] * reach_a + pair["jerk_per_reach_b"] * reach_b
        need = until[c] - t[c]
        h = safe_step(gap, closing, acceleration, speed, need)
        steps[c, 0] = sharper_step(h, gap, closing, now + pair["noise_accel"], acceleration, jerk, need)
        steps[c, 1] = margin
        frame, _ = chain_pose(joints, links[c], a, pair["stop"], t[c])
        u = vec.matvec(frame, u)
        for k in range(3):
            steps[c, 2 + k] = u[k]
        steps[c, 5] = pair["stop"]


def _turned(v, w, p):
    """Return p turned by the quaternion (v, w) of any length: p + 2 (w v x p + v x (v x p)) over its square."""
    s = 2 / ((v * v).sum(axis=1) + w * w)[:, None]
    across = np.cross(v, p)
    return p + s * (w[:, None] * across + np.cross(v, across))


def _truth(links, configs, link, stop, points, s):
    """Return where the points of a link are in the frame of `stop`, at fraction s of the way, in extended precision."""
    p = points.astype(WIDE)
    while link != stop:
        table = links[:, link]
        kind = int(table["kind"][0])
        k = int(table["config"][0])
        q0, q1 = configs[:, 0, k:].astype(WIDE), configs[:, 1, k:].astype(WIDE)
        axis = table["axis"].astype(WIDE)
        axis /= np.sqrt((axis * axis).sum(axis=1, keepdims=True))
        value = q0 + s[:, None] * (q1 - q0)
        if kind in (REVOLUTE, PLANAR):
            angle = value[:, 0] * table["multiplier"].astype(WIDE) + table["offset"]
            if kind == PLANAR:
                angle = value[:, 2]
            p = _turned(axis * np.sin(angle / 2)[:, None], np.cos(angle / 2), p)
        if kind == PLANAR:
            across = table["across"].astype(WIDE)
            p = p + value[:, :1] * across[:, 0] + value[:, 1:2] * across[:, 1]
        elif kind == PRISMATIC:
            p = p + axis * (value[:, 0] * table["multiplier"] + table["offset"])[:, None]
        elif kind in (BALL, FLOATING):
            f = 3 if kind == FLOATING else 0
            v0, w0, v1, w1 = q0[:, f : f + 3], q0[:, f + 3], q1[:, f : f + 3], q1[:, f + 3]
            v = w0[:, None] * v1 - w1[:, None] * v0 - np.cross(v1, v0)
            w = w0 * w1 + (v0 * v1).sum(axis=1)
            sign = np.where(w < 0, WIDE(-1), WIDE(1))
            long = np.sqrt((v * v).sum(axis=1))
            half = s * np.arctan2(long, w * sign)
            along = v * (sign / np.where(long == 0, 1, long))[:, None]
            p = _turned(along * np.sin(half)[:, None], np.cos(half), _turned(v0, w0, p))
            if kind == FLOATING:
                p = p + value[:, :3]
        p = (table["rotation"].astype(WIDE) * p[:, None, :]).sum(axis=2) + table["translation"]
        link = int(table["parent"][0])
    return p


def _ancestors(tree, link):
    """Return a link's ancestors from itself to the world, -1."""
    up = [link]
    while up[-1] >= 0:
        up.append(int(tree[up[-1]]["parent"]))
    return up


def _length(v):
    return np.sqrt((v * v).sum(axis=1))


def _attack_batch(rng: np.random.Generator, count: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return which claims failed in which cases, and bound / sampled where there was motion."""
    tree = _tree(rng)
    links, configs = _numbers(rng, tree, count)
    begin, end = [(0.0, 1.0), (0.0, 1.0), (0.25, 0.5), (1 / 3, 2 / 3)][rng.integers(4)]
    a, b = (int(i) for i in rng.integers(len(tree), size=2))
    stop = int(rng.choice(_ancestors(tree, a)[1:]))
    size = np.abs(links["translation"]).max() * 2.0 ** rng.integers(-12, 3)
    xa, xb = rng.normal(size=(2, count, 3)) * size
    xa[rng.random(count) < 0.05] = 0.0
    t = np.where(rng.random(count) < 0.2, begin, begin + (end - begin) * rng.random(count))
    h = (end - t) * rng.random(count) * 2.0 ** -rng.choice([0.0, 0.0, 1.0, 4.0, 10.0, 20.0], size=count)
    later = np.minimum(t + h, end)
    h = later - t
    until = np.where(rng.random(count) < 0.5, later, end)
    shares = 2.0 ** -rng.choice([0.0, 1.0, 4.0, 10.0, 20.0], size=count)
    out, steps = np.zeros((count, 21)), np.zeros((count, 6))
    _claims(links, configs, begin, end, a, b, stop, xa, xb, t, until, shares, np.zeros(1, PAIR), out, steps)

    def fraction(time):
        return (time.astype(WIDE) - WIDE(begin)) / (WIDE(end) - WIDE(begin))

    reach = _length(xa.astype(WIDE))
    speed, acceleration, jerk = (out[:, k] + out[:, k + 1] * reach for k in (0, 2, 4))
    far, noise = out[:, 6] + reach, out[:, 7]
    exact = 64 * (len(tree) + 1) * np.finfo(WIDE).eps
    now, then = (_truth(links, configs, a, stop, xa, fraction(x)) for x in (t, later))
    moved = _length(then - now)
    bent = _length(then - now - h[:, None] * out[:, 11:14])
    jerked = _length(then - now - h[:, None] * out[:, 11:14] - (h * h / 2)[:, None] * out[:, 14:17])
    slack = (2 * noise + exact) * far
    rate_slack = 4 * noise * (out[:, 17] + out[:, 18] * far) * h
    broken = {
        "speed": moved > speed * h + slack,
        "acceleration": bent > acceleration * h * h / 2 + slack + rate_slack,
        "jerk": jerked > jerk * h**3 / 6 + slack + rate_slack + 4 * noise * (out[:, 19] + out[:, 20] * far) * h * h,
        "noise": (_length(out[:, 8:11] - now) > (noise + exact) * far) | (_length(now) > far * (1 + exact)),
    }
    common = next(i for i in _ancestors(tree, a) if i in _ancestors(tree, b))
    arrive = np.where(t + steps[:, 0] < until, t + steps[:, 0] * rng.choice([1.0, 1.0, 0.5], size=count), until)
    near = (steps[:, 5] == common)[:, None]
    pa, pb = (
        np.where(near, *(_truth(links, configs, i, frame, x, fraction(arrive)) for frame in (common, -1)))
        for i, x in ((a, xa), (b, xb))
    )
    gap = ((pb - pa) * steps[:, 2:5]).sum(axis=1)
    broken["step"] = (steps[:, 0] > 0) & (gap < steps[:, 1] - exact * (_length(pa) + _length(pb)))
    clear = (moved > 1e3 * slack) & (moved > 0)
    curved = (bent > 1e3 * (slack + rate_slack)) & (bent > 0)
    ratios = {
        "speed": (speed * h)[clear] / moved[clear],
        "acceleration": (acceleration * h * h / 2)[curved] / bent[curved],
    }
    return broken, ratios
