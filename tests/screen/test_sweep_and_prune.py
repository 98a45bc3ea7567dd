"""Which boxes of two drawings meet: against all pairs, and what sorting them in time is for."""

import numpy as np
import pytest

import tocsin
from tocsin.screen.sweep_and_prune import SORT_FROM, make_sorting, meeting
from tocsin_bench.scenes.screen_drawings import boards
from tocsin_bench.scenes.screen_scenes import example, pose

PITCH, TURNS, AROUND = 0.25, 6, 40


def boxes(rng, n, size, spread=1.0):
    """n boxes over (r, h, t), with more columns behind them."""
    table = rng.uniform(-1.0, 1.0, (n, 9))
    for axis in (0, 2, 4):
        table[:, axis] = rng.uniform(0.0, spread, n)
        table[:, axis + 1] = table[:, axis] + rng.exponential(size, n)
    return table


def all_that_meet(a, b):
    """Every pair that overlaps, by trying all."""
    both = np.ones((len(a), len(b)), bool)
    for axis in (0, 2, 4):
        both &= (a[:, None, axis] <= b[None, :, axis + 1]) & (b[None, :, axis] <= a[:, None, axis + 1])
    return set(map(tuple, np.argwhere(both).tolist()))


def met(a, b, *, in_time=True, workspace=200_000):
    """The pairs that are found, how many there are said to be, and how often eight were compared."""
    pairs, sorting = np.full((workspace, 2), -1, np.int32), make_sorting()
    count = meeting(a, len(a), b, len(b), pairs, in_time, sorting)
    return set(map(tuple, pairs[: min(count, workspace)].tolist())), count, int(sorting.looked[0])


@pytest.mark.parametrize("in_time", [True, False])
@pytest.mark.parametrize("n", [1, 7, 8, 9, 64, 65, 300, SORT_FROM, SORT_FROM + 100, 5000])
def test_boxes_that_overlap_are_found_once_each(n, in_time):
    rng = np.random.default_rng(n)
    a, b = boxes(rng, n, 0.08), boxes(rng, max(1, n - 1), 0.02)
    found, count, _ = met(a, b, in_time=in_time)
    assert len(found) == count
    assert all_that_meet(a, b) <= found
    grown = a + np.array([-1, 1, -1, 1, -1, 1, 0, 0, 0]) * 1e-6  # what rounding to single precision may add
    assert found <= all_that_meet(grown, b)


def test_boxes_that_share_a_border_meet_however_far_from_zero():
    for far in (0.0, 1e3, 1e6, -1e6):
        a = far + np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.0]])
        b = far + np.array([[0.2, 0.3, 0.1, 0.3, 0.6, 0.7, 0.0]])
        assert met(a, b)[0] == {(0, 0)}


def test_nothing_meets_nothing():
    none = np.zeros((0, 7))
    some = boxes(np.random.default_rng(1), 5, 0.1)
    assert met(none, some)[1] == met(some, none)[1] == met(none, none)[1] == 0


def test_where_there_is_no_room_the_count_says_so():
    a, b = boxes(np.random.default_rng(2), 40, 0.5), boxes(np.random.default_rng(3), 40, 0.5)
    found, whole, _ = met(a, b)
    assert whole > 100
    few, count, _ = met(a, b, workspace=10)
    assert 10 < count <= whole
    assert few <= found


def thread(radius, depth, inside):
    """A thread as an open surface: a triangular profile that climbs by PITCH a turn; the nut's is seen from inside."""
    profile = [(0.0, 0.0), (0.5, depth)]
    vertices, faces = [], []
    steps = TURNS * AROUND
    for k in range(steps + 1):
        phi = 2.0 * np.pi * k / AROUND
        for along, out in profile:
            r = radius + out
            z = PITCH * (k / AROUND + along)
            vertices.append((r * np.cos(phi), r * np.sin(phi), z))
    width = len(profile)
    for k in range(steps):
        for j in range(width):
            here, there = width * k + j, width * (k + 1) + j
            # The last point of the profile is joined to the first one of the next turn.
            up, far = (here + 1, there + 1) if j + 1 < width else (width * (k + AROUND), width * (k + AROUND + 1))
            if far < len(vertices):
                faces += [(here, there, far), (here, far, up)]
    faces = np.array(faces)
    return np.array(vertices), faces[:, ::-1] if inside else faces


def bolt_in_nut(degrees, lift):
    """A bolt that turns in its nut by some degrees and climbs by its pitch, and a little more."""
    stop = pose(0, 0, PITCH * degrees / 360.0 + lift, (0, 0, degrees))
    return example(thread(1.05, 0.1, True), thread(1.0, 0.1, False), pose(), stop)


def test_a_bolt_in_its_nut_is_sorted_in_time():
    """Section 9.1: along the thread everything has one place (r, h) on the screen, and differs in time alone. Sorted by
    time eight boxes are eight neighbours; sorted by r and h they are spread around the whole thread."""
    scene, motion = bolt_in_nut(2.0, 0.0)
    _, _, (nut, bolt) = boards(scene, motion, "medium")
    assert len(bolt) >= SORT_FROM
    bolt = bolt[np.random.default_rng(1).permutation(len(bolt))]  # tables may be in any order
    found, count, looked = met(nut, bolt)
    same, _, looked_otherwise = met(nut, bolt, in_time=False)
    assert found == same
    assert count > 1000
    assert looked < 0.5 * looked_otherwise


def test_a_bolt_that_leaves_its_thread_touches_where_the_proof_says():
    scene, motion = bolt_in_nut(6.0, 0.08)
    seen = scene.contacts(motion, properness=0.0)
    proven = scene.contacts(motion, exact=True, properness=1e-9)
    proven = [c for c in proven if c.closing_speed > 0.0]
    assert len(proven) > 10
    times = {(c.kind, c.features, round(c.time, 8)) for c in seen}
    missing = [c for c in proven if (c.kind, c.features, round(c.time, 8)) not in times]
    assert len(missing) <= 0.01 * len(proven)


def test_turning_along_its_thread_a_bolt_stays_free():
    scene, motion = bolt_in_nut(30.0, 0.0)
    assert isinstance(motion, tocsin.Motion)
    assert len(scene.contacts(motion, properness=0.0)) == 0
