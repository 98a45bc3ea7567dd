"""The table of charts: its words hold all cells of a turn, and none are there before they are worth it."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.model.charts import CELLS, CHART, NO_CHARTS, PER_RADIAN, WORD

pytestmark = pytest.mark.pure


def test_a_turn_is_so_many_cells_and_a_word_holds_its_share():
    assert pytest.approx(CELLS) == PER_RADIAN * 2.0 * math.pi
    bits = np.zeros(1, CHART)["bits"][0]
    assert bits.dtype.itemsize * 8 == WORD
    assert bits.size * WORD == CELLS * CELLS


def test_a_scene_begins_without_charts():
    world = tocsin.Scene(tocsin.Body(tocsin.Sphere(1.0))).context.tables()
    assert world.charts.dtype == CHART
    assert len(world.charts) == len(NO_CHARTS) == 0
