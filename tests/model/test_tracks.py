"""Tracks: parts of what a model does are the same motion, whatever is cut, in a tube of what rounding takes."""

from fractions import Fraction

import numpy as np
import pytest

import tocsin
from gripping import pick
from tocsin import Body, Box, Program, Trajectory
from tocsin.model.base import Motion
from tocsin.model.tracks import Segment, Track

pytestmark = pytest.mark.pure


def test_the_motion_of_a_phase_is_that_of_the_program():
    _, robot, _, program = pick()
    track = program.tracks[id(robot)]
    for begin, end in ((0.0, 5.5), (0.3, 1.7), (1.5, 2.5), (3.9, 4.2), (4.0, 5.5)):
        part = track.part(begin, end)
        for t in np.linspace(begin, end, 17):
            share = (t - begin) / (end - begin)
            assert np.allclose(part.row_at(share), track.row(t), atol=1e-12)


def test_a_part_that_is_cut_stands_in_a_tube_of_its_rounding():
    _, robot, _, program = pick()
    track = program.tracks[id(robot)]
    assert 0.0 < track.part(0.3, 1.7).error.max() < 1e-12
    assert track.part(4.0, 5.0).error is None or track.part(4.0, 5.0).error.max() < 1e-12


def test_a_whole_segment_is_taken_as_it_is():
    _, robot, _, _ = pick()
    plan = tocsin.Trajectory([0.0, 0.7, 2.0], [[0.0, 0.0], [0.3, 0.1], [1.0, -0.5]], np.zeros((3, 2)))
    robot.stand_at([0.0, 0.0])
    track = Program().follow(robot, plan).tracks[id(robot)]
    whole, most = track.part(0.0, 2.0), track.part(0.0, 1.9)
    assert whole.error is None
    assert np.array_equal(whole.coefficients, robot.follow(plan).coefficients)
    assert 0.0 < most.error.max() < 1e-12
    assert np.array_equal(most.coefficients[0], whole.coefficients[0])


def test_a_track_continues_quaternions_over_segments():
    body = Body(Box((0.1, 0.2, 0.3)), name="box")
    turn = [tocsin.pose((0, 0, 0), rpy=(0, 0, a)) for a in (0.0, 2.5, 5.0, 7.0)]
    program = Program()
    program.follow(body, turn[:2], times=[0, 1])
    program.follow(body, turn[1:3], times=[0, 1])
    program.follow(body, turn[2:], times=[0, 1])
    track = program.tracks[id(body)]
    whole = track.part(0.0, 3.0)
    for t in np.linspace(0.0, 3.0, 31):
        assert np.allclose(whole.link_poses(t / 3.0), Motion.of(body, track.row(t)[None]).link_poses(), atol=1e-12)


def test_segments_have_to_meet_and_small_gaps_go_into_the_tube():
    body = Body(Box((0.1, 0.1, 0.1)), name="box")
    track = Track(body)
    track.add(body.follow([(0, 0, 0), (1, 0, 0)], times=[0, 1]))
    track.add(body.follow([(1 + 1e-7, 0, 0), (2, 0, 0)], times=[1, 2]))
    assert track.segments[1].error[0] == pytest.approx(1e-7, rel=1e-6)
    assert track.changes() == [1.0]
    with pytest.raises(tocsin.TocsinError, match=r"would jump at 3 s: its pose is 0\.1 from where the step starts"):
        track.add(body.follow([(2.1, 0, 0), (3, 0, 0)], times=[3, 4]))
    assert np.array_equal(track.row(9.0)[:3], (2, 0, 0))


@pytest.mark.parametrize("rates", [None, np.zeros((2, 2))])
@pytest.mark.parametrize("own", [0.0, 2.0**-24])
def test_a_part_ends_where_its_own_segment_does_and_not_where_the_next_starts(rates, own):
    """The jump to the next is in the tube of that one alone: a part of the last one led there, without it."""
    _, robot, _, _ = pick()
    off = np.array([2.0**-24, 0.0])
    program = Program().follow(robot, Trajectory([0, 2], np.array([[0.0, 0.0], [1.0, 0.0]]), rates), error=own)
    program.follow(robot, [np.array([1.0, 0.0]) - off, np.zeros(2)], times=[0, 2], at=3.0)
    track = program.tracks[id(robot)]
    assert track.changes() == [3.0]
    for end in (2.0, 2.5, 3.0):
        part = track.part(1.0, end)
        assert part.row_at(1.0)[7:].tolist() == [1.0, 0.0]
        assert part.rows[-1, 7:].tolist() == [1.0, 0.0]
        assert part.error is None or part.error.max() <= own + 1e-12


def test_a_part_near_0_of_a_piece_that_goes_far_is_off_by_units_of_the_whole_piece():
    body = Body(Box((0.1, 0.1, 0.1)), name="box")
    program = Program().follow(body, [(-1000.0, 0, 0), (1000.0, 0, 0)], times=[0, 3])
    part = program.tracks[id(body)].part(1.5 - 2e-5, 1.5 + 1e-5)
    for t, x in zip(part.times.tolist(), part.rows[:, 0].tolist()):
        exact = Fraction(-1000) + Fraction(t) * Fraction(2000, 3)
        assert 0 < abs(Fraction(x) - exact) <= Fraction(part.error[0]) < 1e-9


def test_a_part_of_a_curve_is_off_by_units_of_the_terms_of_its_piece():
    robot = pick()[1]
    plan = tocsin.Trajectory.of_pieces([0.0, 3.0], [[[-1000.0, 0.0], [1000.0, 0.0], [-4000.0 / 9.0, 0.1], [0.3, 0.1]]])
    program = Program().follow(robot, plan)
    track = program.tracks[id(robot)]
    begin, end = 1.5 - 2e-5, 1.5 + 1e-5
    part = track.part(begin, end)
    c = [Fraction(v) for v in robot.follow(plan).coefficients[0, :, 7].tolist()]
    for t in np.linspace(begin, end, 9).tolist():
        share, own = Fraction(t) / 3, Fraction(t - begin) / (Fraction(end) - Fraction(begin))
        exact = sum(a * share**k for k, a in enumerate(c))
        told = sum(Fraction(a) * own**k for k, a in enumerate(part.coefficients[0, :, 7].tolist()))
        assert abs(told - exact) <= Fraction(part.error[7]) < 1e-9


def test_a_step_that_jumps_names_the_joint():
    _, robot, _, _ = pick()
    program = Program().move(robot, [0.5, 0.0], seconds=1.0)
    with pytest.raises(tocsin.TocsinError, match=r"would jump at 1 s: joint 'j1' is 0\.25 from where the step starts"):
        program.follow(robot, [[0.5, 0.25], [0.0, 0.0]], times=[0, 1])


def test_a_time_is_looked_up_among_thousands_of_segments_in_few_steps(monkeypatch):
    """Which segment it is, and where two meet the larger of their errors, as if all had been looked at."""
    body = Body(Box((0.1, 0.2, 0.3)), name="box")
    program = Program()
    for k in range(300):
        program.follow(body, [(k, 0, 0), (k + 1, 0, 0)], times=[0, 1], error=0.001 * (k % 3), at=2.0 * (k // 2) + k % 2)
    track, asked = program.tracks[id(body)], []
    for t in (-1.0, 0.0, 0.5, 1.0, 7.0, 7.5, 8.0, 599.0, 1000.0):
        begun = [s for s in track.segments if s.begin <= t] or track.segments[:1]
        assert track.at(t)[0] is begun[-1]
        there = [s.error for s in track.segments if s.begin <= t <= s.end]
        assert np.array_equal(track.error(t), np.maximum.reduce([begun[-1].error, *there]))
    usual = Segment.begin.fget
    monkeypatch.setattr(Segment, "begin", property(lambda segment: asked.append(segment) or usual(segment)))
    track.at(7.5)
    assert len(asked) < 12


def test_who_stands_somewhere_in_a_tube_does_so_until_the_next_step_begins():
    """A grip between a wait and the next step took the hand for exact: a part 3 cm beside was proven not to touch."""
    body = Body(Box((0.1, 0.2, 0.3)), name="box")
    program = Program().move(body, (1, 0, 0), seconds=1.0, error=0.03).wait(body, 1.0)
    program.move(body, (2, 0, 0), seconds=1.0)
    track = program.tracks[id(body)]
    assert [track.error(t)[0] for t in (0.0, 1.0, 1.5, 2.0, 2.5, 9.0)] == [0.03, 0.03, 0.03, 0.03, 0.0, 0.0]


def test_a_turn_too_small_for_a_cosine_goes_into_the_tube():
    """A step that started 2e-8 rad from where its model was started nowhere else, by its cosine."""
    body = Body(Box((0.1, 0.1, 0.1)), name="box")
    track = Track(body)
    behind, ahead = (tocsin.pose((0, 0, 0), rpy=(0, 0, a)) for a in (1.0, 1.0 + 2e-8))
    track.add(body.follow([tocsin.pose(), behind], times=[0, 1]))
    track.add(body.follow([ahead, tocsin.pose((1, 0, 0), rpy=(0, 0, 1.0))], times=[1, 2]))
    assert track.segments[1].error[3] == pytest.approx(2e-8, rel=1e-6)


def test_a_frame_that_was_given_is_passed_as_it_is():
    """Its share of the whole step was rounded, and with it all vertices."""
    sheet = tocsin.Deformable(np.zeros((3, 3)) + np.eye(3), [[0, 1, 2]], name="sheet")
    rng = np.random.default_rng(4)
    frames = sheet.vertices + np.cumsum(rng.normal(size=(50, 3, 3)), axis=0)
    times = np.cumsum(rng.uniform(0.01, 1.0, 50))
    part = Program().follow(sheet, frames, times=times).tracks[id(sheet)].part(0.0, float(times[-1] - times[0]))
    assert np.array_equal(part.frames, frames)


def test_a_part_of_frames_is_where_they_are_to_the_last_digits():
    """A day on the clock, a millisecond in which a vertex goes 1 m: by the share of the day it was 1e-8 m off."""
    sheet = tocsin.Deformable(np.eye(3), [[0, 1, 2]], name="sheet")
    begin, end = 80_000.0, 80_000.001
    frames = np.stack([sheet.vertices, sheet.vertices, sheet.vertices + 1.0, sheet.vertices])
    program = Program().follow(sheet, frames, times=[0.0, begin, end, 86_400.0])
    for t in np.linspace(begin, end, 19)[1:-1].tolist():
        (cut, *_) = program.tracks[id(sheet)].part(t, 86_000.0).frames
        share = (Fraction(t) - Fraction(begin)) / (Fraction(end) - Fraction(begin))
        assert abs(float(Fraction(cut[0, 1].item()) - share)) < 2.0**-50
