"""Cosine and sine as cubics: the true ones stay inside, the powers beyond the third too."""

import mpmath
import numpy as np
import pytest

from tocsin.bounds import cubic as h

pytestmark = pytest.mark.pure

UNIT = 2.0**-52


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.1, 0.5, 1.0, 2.0, np.pi, 3.5, h.WIDE])
def test_the_cubics_enclose_cosine_and_sine(x):
    c0, c2, s1, s3, ec, es = h.harmonics(x)
    with mpmath.workdps(40):
        for s in [*np.linspace(-1.0, 1.0, 41), np.cos(np.pi / 8), np.cos(3 * np.pi / 8), 1e-12]:
            s = mpmath.mpf(float(s))
            off_cos = abs(mpmath.cos(x * s) - (c0 + c2 * s**2))
            off_sin = abs(mpmath.sin(x * s) - (s1 * s + s3 * s**3))
            assert off_cos <= ec + 16 * UNIT * (1 + x * x)
            assert off_sin <= es + 16 * UNIT * (1 + x * x)


def test_the_errors_are_attained_up_to_a_few_per_cent():
    """A bound that is never met would hide a wrong proof: at the ends the error of interpolation is the largest."""
    for x in (0.5, 1.0, 2.0):
        c0, c2, s1, s3, ec, es = h.harmonics(x)
        s = np.linspace(-1.0, 1.0, 2001)
        assert np.abs(np.cos(x * s) - c0 - c2 * s * s).max() > 0.7 * ec
        assert np.abs(np.sin(x * s) - s1 * s - s3 * s**3).max() > 0.7 * es


def test_powers_beyond_the_third_stay_in_their_bounds():
    s = np.linspace(-1.0, 1.0, 20001)
    assert np.abs(s**4 - (s**2 - h.FOURTH)).max() <= h.FOURTH * (1 + 4 * UNIT)
    assert np.abs(s**5 - (1.25 * s**3 - 0.3125 * s)).max() <= h.FIFTH * (1 + 16 * UNIT)
    assert np.abs(s**6 - (s**2 - h.SIXTH)).max() <= h.SIXTH * (1 + 16 * UNIT)


def test_the_frame_of_an_interval_reaches_both_ends():
    rng = np.random.default_rng(5)
    for t0, t1 in [(0.0, 1.0), (1 / 3, 2 / 3), (0.1, 0.1 + 2**-40), *np.sort(rng.random((200, 2)), axis=1)]:
        mid, half = h.time_frame(t0, t1)
        exact = mpmath.mpf(mid), mpmath.mpf(half)
        assert exact[0] - exact[1] <= t0
        assert exact[0] + exact[1] >= t1
    assert h.time_frame(0.25, 0.25) == (0.25, 0.0)
