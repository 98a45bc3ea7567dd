"""The volume's cubic: nothing is claimed beyond its first root, and simple roots are met closely."""

import numpy as np
import pytest

from tocsin import vec
from tocsin.deform.volume import ahead_of_root, volume_hold
from tocsin_bench.oracles import feature_pairs

mpmath = pytest.importorskip("mpmath")

UNIT = 2.0**-53


def least(c, x):
    """The least value of the cubic with these Bernstein coefficients on [0, x], in 50 digits."""
    with mpmath.workdps(50):
        c0, c1, c2, c3 = map(mpmath.mpf, c)
        third, second, first = 3 * (c1 - c0), 3 * (c2 - 2 * c1 + c0), c3 - 3 * c2 + 3 * c1 - c0
        spots = [mpmath.mpf(0), mpmath.mpf(x)]
        if first != 0:
            inner = second * second - 3 * first * third
            if inner >= 0:
                spots += [(-second + sign * mpmath.sqrt(inner)) / (3 * first) for sign in (1, -1)]
        elif second != 0:
            spots.append(-third / (2 * second))
        return min(((first * s + second) * s + third) * s + c0 for s in spots if 0 <= s <= x)


def cubics(seed, n):
    """Coefficients of every temper: falling, dipping twice, touching zero, almost flat."""
    rng = np.random.default_rng(seed)
    c = rng.normal(size=(n, 4)) * 10.0 ** rng.uniform(-3, 1, size=(n, 4))
    c[:, 0] = abs(c[:, 0])
    falling = rng.random(n) < 0.4
    c[falling] = -np.sort(-c[falling], axis=1)
    c[falling, 0] = abs(c[falling, 0])
    double = rng.random(n) < 0.2
    r, a = rng.random(n), rng.random(n) + 0.1
    touching = np.stack([a * r * r, a * (r * r - 2.0 * r / 3.0), a * (r * r - 4.0 * r / 3.0 + 1.0 / 3.0),
                         a * (1.0 - r) ** 2], axis=1)  # fmt: skip
    c[double] = touching[double]
    return c


def test_a_cubic_is_positive_before_the_time_that_is_claimed():
    for c in cubics(1, 4000):
        x = ahead_of_root(tuple(map(float, c)))
        assert 0.0 <= x <= 1.0
        if x > 0.0:
            assert least(c, x) >= -10 * UNIT * abs(c).max()


def test_a_falling_cubic_is_followed_to_its_root():
    rng = np.random.default_rng(4)
    close = 0
    for c in -np.sort(-rng.normal(size=(500, 4)), axis=1):
        if c[0] <= 0.1 or c[3] >= -0.1:
            continue
        x = ahead_of_root(tuple(map(float, c)))
        close += float(least(c, min(x + 1e-9, 1.0))) < 0.0
    assert close > 150


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_features_do_not_meet_while_their_volume_holds(margin):
    rng = np.random.default_rng(6)
    claimed = 0
    for _ in range(400):
        t0 = rng.normal(size=(4, 3))
        t1 = t0 + rng.normal(size=(4, 3)) * 10.0 ** rng.uniform(-2, 0.5)
        ends = [[tuple(map(float, p)) for p in end] for end in (t0, t1)]
        w, e, f, w1, e1, f1 = (vec.sub(end[k], end[j]) for end in ends for j, k in ((0, 1), (1, 2), (1, 3)))
        size = float(max(abs(t0).max(), abs(t1).max())) * 2.0
        x = volume_hold((w, e, f), (w1, e1, f1), (size, size, size), margin)
        claimed += x > 0.1
        truth = feature_pairs.first_contact(feature_pairs.VERTEX_FACE, t0, t1)
        assert truth is None or x < 1.0
        assert truth is None or x <= float(truth.hi)
        for y in np.linspace(0.0, x, 9)[:-1] if x > 0.0 else ():
            plane = [(1.0 - y) * p + y * q for p, q in zip(t0, t1)]
            n = np.cross(plane[2] - plane[1], plane[3] - plane[1])
            assert abs(np.dot(plane[1] - plane[0], n)) > margin * np.linalg.norm(n) * (1.0 - 1e-9)
    assert claimed > 100
