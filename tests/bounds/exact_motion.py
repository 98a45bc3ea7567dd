"""The truth that the enclosures are held against: motions in 50 digits, and the seeded motions to attack them with.

Nothing here uses the code under test; a motion is evaluated from its definition,
R(t) = k0 + k1 cos(rate (t - begin)) + k2 sin(rate (t - begin)), T(t) = origin + (t - begin) velocity.
"""

from fractions import Fraction

import mpmath
import numpy as np

mp = mpmath.mp.clone()
mp.dps = 50

JOINT = np.dtype(
    [
        ("k0", "f8", (3, 3)),
        ("k1", "f8", (3, 3)),
        ("k2", "f8", (3, 3)),
        ("origin", "f8", 3),
        ("velocity", "f8", 3),
        ("rate", "f8"),
        ("begin", "f8"),
        ("degree", "i4"),
        ("slides", "i4"),
        ("turn", "f8"),
        ("curve", "f8", (4, 8)),
        ("controls", "f8", (4, 8)),
    ],
    align=True,
)


def mpf(x):
    """Return a float, an integer or a Fraction in 50 digits."""
    if isinstance(x, Fraction):
        return mp.mpf(x.numerator) / x.denominator
    return mp.mpf(float(x))


def pose(joint, t):
    """Return the 3x4 motion of a joint at the 50-digit time t."""
    tau = t - mpf(joint["begin"])
    angle = mpf(joint["rate"]) * tau
    c, s = mp.cos_sin(angle)
    k0, k1, k2 = joint["k0"].tolist(), joint["k1"].tolist(), joint["k2"].tolist()
    origin, velocity = joint["origin"].tolist(), joint["velocity"].tolist()
    return [
        [k0[i][j] + k1[i][j] * c + k2[i][j] * s for j in range(3)] + [origin[i] + tau * velocity[i]] for i in range(3)
    ]


def product(a, b):
    """Return the rigid motion a o b of two 3x4 motions."""
    rows = []
    for i in range(3):
        row = [a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j] for j in range(4)]
        row[3] += a[i][3]
        rows.append(row)
    return rows


def frame(t0, t1, s, mid, half):
    """Return the exact time mid + s half as a 50-digit number, and check that the ends are inside the frame."""
    assert Fraction(mid) - Fraction(half) <= Fraction(t0)
    assert Fraction(t1) <= Fraction(mid) + Fraction(half)
    return mpf(mid) + mpf(s) * mpf(half)


def escape(model, truth, s):
    """Return by how much the truth leaves the Taylor matrix at s (a 50-digit number; <= 0 means enclosed).

    Rotation rows are held to the stronger promise: the length of the row of errors is at most the radius.
    """
    worst = mp.mpf("-inf")
    s = mpf(s)
    table = model.tolist()
    for i in range(3):
        miss = []
        for j in range(4):
            c0, c1, c2, c3, _ = table[i][j]
            miss.append(truth[i][j] - (c0 + s * (c1 + s * (c2 + s * c3))))
        length = mp.sqrt(miss[0] ** 2 + miss[1] ** 2 + miss[2] ** 2)
        assert table[i][0][4] == table[i][1][4] == table[i][2][4]
        worst = max(worst, length - table[i][0][4], abs(miss[3]) - table[i][3][4])
    return worst


def random_rotation(rng):
    """Return a random rotation matrix, orthogonal to rounding."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))


def random_joint(rng, angle=3.0):
    """Return a joint of a random kind: fixed, revolute, prismatic, or both; axes are special now and then."""
    joint = np.zeros((), JOINT)
    axis = rng.normal(size=3)
    if rng.random() < 0.3:
        axis = np.eye(3)[rng.integers(3)]
    axis = axis / np.linalg.norm(axis)
    start = random_rotation(rng) if rng.random() < 0.7 else np.eye(3)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    joint["k0"] = np.outer(axis, axis) @ start
    joint["k1"] = start - joint["k0"]
    joint["k2"] = skew @ start
    joint["origin"] = rng.normal(size=3) * 2.0 ** rng.integers(-8, 8)
    if rng.random() < 0.5:
        joint["velocity"] = rng.normal(size=3) * 2.0 ** rng.integers(-8, 4)
    if rng.random() < 0.85:
        joint["rate"] = rng.uniform(-angle, angle) * 2.0 ** rng.choice([0, 0, 0, 0, -4, -20, 2])
    joint["begin"] = rng.choice([0.0, 0.0, rng.random(), -3.7])
    return joint[()]


def random_times(rng):
    """Return t0 <= t1 in [0, 1]: the whole, a part, a sliver or one instant."""
    kind = rng.integers(6)
    if kind == 0:
        return 0.0, 1.0
    if kind == 1:
        t = rng.random()
        return t, t
    t0 = rng.random()
    return t0, min(1.0, t0 + rng.random() * 2.0 ** -float(rng.choice([0, 1, 3, 6, 12, 25, 40, 51])))


def random_s(rng):
    """Return a place in [-1, 1]; the ends, the middle and the nodes' neighbourhood are favoured."""
    kind = rng.integers(4)
    if kind == 0:
        return float(rng.choice([-1.0, 0.0, 1.0]))
    if kind == 1:
        return float(np.cos(np.pi * rng.integers(9) / 8.0))
    return rng.uniform(-1.0, 1.0)
