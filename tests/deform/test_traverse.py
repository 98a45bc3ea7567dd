"""Bits of octets: all sixty-four are told apart, as plain Python too, where whole numbers have no end."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.deform.hierarchy import AXES, ENDS, HI_T0, HI_T1, LO_T0, LO_T1, ROWS
from tocsin.deform.overlap import Reach, diagonal, make_ready, near, ready
from tocsin.deform.traverse import FEW, many, set_reach, write_pairs

pytestmark = PLAIN


@pytest.mark.parametrize("bits", [(), (0,), (63,), (0, 7, 56, 63), tuple(range(64))])
def test_every_bit_becomes_its_pair_of_elements(bits):
    word = sum(1 << k for k in bits)
    out = np.zeros((64, 2), np.int32)
    assert write_pairs(2, 5, word, out, 0) == len(bits)
    assert {tuple(row) for row in out[: len(bits)].tolist()} == {(16 + k // 8, 40 + k % 8) for k in bits}
    assert many(word) == (len(bits) > FEW)


def octets(rng, count):
    """Return DOPs of points that move, eight to an octet, with sides along all axes at both ends."""
    table = np.zeros((count, ROWS, 8), np.float32)
    places = rng.normal(size=(2, count, 8, 3)).astype(np.float32) * 0.5
    directions = np.array([*np.eye(3), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, -1, 0), (1, 0, -1), (0, 1, -1)])
    for axis in range(AXES):
        along = places @ directions[axis].astype(np.float32)
        table[:, axis * ENDS + LO_T0], table[:, axis * ENDS + HI_T0] = along[0] - 0.1, along[0] + 0.1
        table[:, axis * ENDS + LO_T1], table[:, axis * ENDS + HI_T1] = along[1] - 0.1, along[1] + 0.1
    return table


@pytest.mark.parametrize("still", [False, True])
def test_a_bit_is_set_unless_an_axis_keeps_its_lanes_apart_all_the_time(still):
    rng = np.random.default_rng(1)
    margin = 0.05
    reach = Reach(*map(np.float32, (0.25, 0.75, margin, diagonal(margin), 0.0)), still)
    table = octets(rng, 2)
    octet = make_ready()
    ready(table, 0, reach, octet)
    word = near(octet, table, 1, reach, 0, AXES)
    for i in range(8):
        for k in range(8):
            apart = False
            for axis in range(AXES):
                by = margin if axis < 3 else diagonal(margin)
                row = axis * ENDS
                gaps = []
                for t in (0.0,) if still else (0.0, 0.75):
                    low = (1 - t) * table[:, row + LO_T0] + t * table[:, row + LO_T1]
                    high = (1 - t) * table[:, row + HI_T0] + t * table[:, row + HI_T1]
                    gaps.append((low[1, k] - high[0, i] - by, low[0, i] - high[1, k] - by))
                apart |= min(g[0] for g in gaps) > 1e-6 or min(g[1] for g in gaps) > 1e-6
            if apart:
                assert not word >> (8 * i + k) & 1
    assert 0 < bin(word).count("1") < 64


def test_little_motion_is_asked_where_it_is_with_a_wider_margin():
    from tocsin.deform.mesh_arrays import PACE, SIZE

    slow, fast = np.zeros(8), np.zeros(8)
    slow[SIZE] = fast[SIZE] = 1.0
    slow[PACE], fast[PACE] = 1e-4, 10.0
    assert set_reach(slow, slow, 1.0, 0.1).still
    assert set_reach(slow, slow, 1.0, 0.1).margin > np.float32(0.1 + 2e-4) - 1e-9
    assert not set_reach(fast, slow, 1.0, 0.1).still


def test_cloth_as_plain_python_is_told_apart_in_its_last_octet():
    """Word 63 of two octets was an overflow there: the lowest bit of a negative number, or one too many."""
    n = 6
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    flat = np.stack([x.ravel(), y.ravel(), 0.05 * np.sin(9 * x.ravel())], axis=1)
    corners = [i * n + j for i in range(n - 1) for j in range(n - 1)]
    faces = [f for a in corners for f in ((a, a + 1, a + n), (a + 1, a + n + 1, a + n))]
    cloth = tocsin.Deformable(flat, faces)
    folded = flat.copy()
    folded[:, 2] += np.where(flat[:, 0] > 0.5, flat[:, 0] - 0.5, 0.0)
    folded[:, 0] = np.where(flat[:, 0] > 0.5, 1.0 - flat[:, 0], flat[:, 0])
    assert tocsin.Scene(cloth).first_contact(cloth.move(flat, folded)).status is tocsin.Status.FREE
    block = tocsin.Body(tocsin.Box((0.3, 0.3, 0.3)), (0.5, 0.5, -0.5))
    hit = tocsin.Scene(cloth, block).first_contact(cloth.move(flat, flat - (0, 0, 1.0)))
    assert hit.time == pytest.approx(0.31136177562207873, abs=1e-4)
