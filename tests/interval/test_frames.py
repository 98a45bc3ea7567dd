"""The mean-value form of two links' relative motion holds the exact motion, both ways round."""

import numpy as np
import pytest

from bounds.exact_motion import frame, mp, mpf, pose, product, random_joint, random_s, random_times
from tocsin.bounds import taylor
from tocsin.interval import frames


def chain_matrix(chain, t0, t1):
    total = np.zeros((3, 4, 5))
    taylor.joint_taylor(total, chain[0], t0, t1)
    for joint in chain[1:]:
        link = np.zeros((3, 4, 5))
        taylor.joint_taylor(link, joint, t0, t1)
        taylor.compose(total, total, link)
    return total


def exact_chain(chain, t):
    total = pose(chain[0], t)
    for joint in chain[1:]:
        total = product(total, pose(joint, t))
    return total


def seen(a, b, p):
    """Return A^-1 B p in 50 digits, by solving with the matrix of A as it is, which is a rotation to rounding only."""
    q = [sum(b[i][j] * p[j] for j in range(3)) + b[i][3] for i in range(3)]
    d = [q[i] - a[i][3] for i in range(3)]
    return [sum(a[i][j] * d[i] for i in range(3)) for j in range(3)]


def escape(x0, x1, rho, tau, s, p, truth):
    """Return by how much the exact place of p is farther from the line's than the remainder says."""
    miss = []
    for i in range(3):
        row = [mpf(x0[i, j]) + mpf(s) * mpf(x1[i, j]) for j in range(4)]
        miss.append(truth[i] - (sum(row[j] * p[j] for j in range(3)) + row[3]))
    length = mp.sqrt(sum(x * x for x in p))
    return mp.sqrt(sum(m * m for m in miss)) - (mpf(rho) * length + mpf(tau))


@pytest.mark.pure
def test_the_line_and_its_remainder_hold_the_exact_relative_motion():
    rng = np.random.default_rng(4)
    for _ in range(40):
        a = [random_joint(rng) for _ in range(int(rng.integers(1, 5)))]
        b = [random_joint(rng) for _ in range(int(rng.integers(1, 5)))]
        t0, t1 = random_times(rng)
        mid, half = taylor.time_frame(t0, t1)
        out, scratch = np.zeros((3, 4, 5)), np.zeros((3, 4, 5))
        x0, x1 = np.zeros((3, 4)), np.zeros((3, 4))
        for one, other in ((a, b), (b, a)):
            frames.seen_from(out, scratch, chain_matrix(one, t0, t1), chain_matrix(other, t0, t1))
            rho, tau = frames.mean_value(x0, x1, out)
            for _ in range(3):
                s = random_s(rng)
                t = frame(t0, t1, s, mid, half)
                p = [mpf(x) for x in rng.normal(size=3) * 2.0 ** rng.integers(-10, 10)]
                truth = seen(exact_chain(one, t), exact_chain(other, t), p)
                assert escape(x0, x1, rho, tau, s, p, truth) <= 0


def test_the_remainder_shrinks_with_the_square_of_the_interval():
    rng = np.random.default_rng(9)
    chain = [random_joint(rng) for _ in range(4)]
    out, scratch = np.zeros((3, 4, 5)), np.zeros((3, 4, 5))
    x0, x1 = np.zeros((3, 4)), np.zeros((3, 4))
    found = []
    for width in (0.1, 0.05):
        matrix = chain_matrix(chain, 0.4, 0.4 + width)
        frames.seen_from(out, scratch, matrix, chain_matrix(chain[:1], 0.4, 0.4 + width))
        found.append(frames.mean_value(x0, x1, out))
    assert 3.0 < found[0][0] / found[1][0] < 5.0
    assert 3.0 < found[0][1] / found[1][1] < 5.0
