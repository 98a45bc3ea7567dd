"""What the documentation draws of a collision screen."""

import numpy as np
import pytest

from tocsin.screen.chords import CHORD_WIDTH, H0, H1, R0, R1
from tocsin_bench.scenes.screen_drawings import drawings, pixels
from tocsin_bench.scenes.screen_scenes import EXAMPLES


def test_pixels_of_a_chord_cover_it_row_by_row():
    chords = np.zeros((1, CHORD_WIDTH))
    chords[0, [R0, H0, R1, H1]] = 1.0, 0.0, 4.0, 6.0

    class Grid:
        least, size, most = 0.0, 1.0, 9.0

    rows, low, high = pixels(chords, Grid)
    assert rows.tolist() == [0, 1, 2, 3]
    assert low[0] == 0.0
    assert high[-1] == 6.0
    assert (high - low)[:3] == pytest.approx([2.0, 2.0, 2.0])


def test_proper_contacts_are_where_both_drawings_are():
    scene, motion = EXAMPLES["tori"]()
    screen = drawings(scene, motion, "medium")
    for r, h in screen.places(scene.contacts(motion, properness=0.0)):
        row = int((r - screen.start) // screen.size)
        for rows, low, high in (screen.a, screen.b):
            near = np.abs(rows - row) <= 1
            assert np.any((low[near] <= h + screen.size) & (h - screen.size <= high[near]))
