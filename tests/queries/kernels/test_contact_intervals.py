"""Contacts as intervals: rows that grow, and a ball that passes through another for as long as geometry says."""

import math

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.queries.kernels.contact_intervals import ENTER, ROW, STAY, add_row, within

pytestmark = PLAIN


def test_rows_are_appended_and_the_table_grows():
    rows, n = np.zeros(0, ROW), 0
    pair = {"link_a": 3, "link_b": 5}
    for k in range(20):
        rows, n = add_row(rows, n, pair, 0.01 * k, 0.02 * k, 1e-3, 1)
    assert n == 20
    assert rows["enter"][:20] == pytest.approx(0.01 * np.arange(20))
    assert rows["exit"][:20] == pytest.approx(0.02 * np.arange(20))
    assert set(rows["link_b"][:20].tolist()) == {5}


def test_touch_goes_on_a_little_farther_than_it_begins_so_that_both_certificates_advance():
    assert ENTER < STAY < 1.0
    asked = within({"margin": 0.5, "tolerance": 0.01, "noise": 0.001}, 0.25)
    assert asked[0] == pytest.approx(0.5 + STAY * 0.01 - 0.001)
    assert asked[1] == pytest.approx(0.5 + 0.01 - 0.001)
    assert asked[2] == 0.25


@pytest.mark.parametrize("offset", [0.0, 0.5, 0.9])
def test_two_balls_touch_for_as_long_as_a_chord_is(offset):
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    scene = tocsin.Scene(ball, tocsin.Body(tocsin.Sphere(0.5), (0.0, offset, 0.0), name="other"))
    found = scene.contact_intervals(ball.move((-4, 0, 0), (4, 0, 0)), tolerance=1e-5)
    (row,) = list(found)
    half = math.sqrt(1.0 - offset * offset) / 8.0
    assert row.enter <= 0.5 - half + 1e-12
    assert row.exit >= 0.5 + half - 1e-12
    assert row.enter == pytest.approx(0.5 - half, abs=1e-4)
    assert row.exit == pytest.approx(0.5 + half, abs=1e-4)


def test_a_ball_that_passes_beside_never_touches():
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    scene = tocsin.Scene(ball, tocsin.Body(tocsin.Sphere(0.5), (0.0, 1.01, 0.0), name="other"))
    assert list(scene.contact_intervals(ball.move((-4, 0, 0), (4, 0, 0)), tolerance=1e-5)) == []
