"""Inputs on which libraries of this field are wrong (`tocsin_bench.museum` says which, and where it was seen)."""

import math

import numpy as np
import pytest

import tocsin
from bounds.test_taylor import attack_joints
from tocsin.results import Status
from tocsin_bench import museum
from tocsin_bench.museum import BAD_ROBOTS, EXHIBITS, METHODS


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda e: e.name)
def test_an_exhibit_is_answered_rightly(exhibit, method):
    hit = exhibit.ask(method)
    if math.isinf(exhibit.truth):
        assert hit.status is Status.FREE
    else:
        assert hit.status is Status.CONTACT
        assert exhibit.truth - museum.LATE < hit.time <= exhibit.truth + 1e-12
    assert not exhibit.is_wrong(exhibit.verdict(hit.time))


def test_the_rod_meets_the_post_where_it_was_measured():
    measured = {170: 0.520880, 350: 0.252999, 710: 0.124718, 1430: 0.061923}
    times = {e.name: round(e.truth, 6) for e in EXHIBITS}
    assert {degrees: times[f"rod, {degrees} degrees"] for degrees in measured} == measured


def test_a_verdict_says_what_is_wrong():
    rod, apart = EXHIBITS[0], next(e for e in EXHIBITS if math.isinf(e.truth))
    assert rod.verdict(math.inf) == "missed"
    assert rod.verdict(0.984) == "0.9840, late"
    assert rod.verdict(0.1) == "0.1000, early"
    assert apart.verdict(0.5) == "0.5000, false alarm"
    assert all(rod.is_wrong(rod.verdict(t)) for t in (math.inf, 0.984, 0.1))
    assert not rod.is_wrong(rod.verdict(rod.truth))


@pytest.mark.parametrize("name", BAD_ROBOTS)
def test_what_describes_no_robot_is_refused(name):
    """yourdfpy 0.0.60 loads each of these without a word."""
    assert museum.read(BAD_ROBOTS[name]) == "refused"


@pytest.mark.parametrize("scale", [0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 1000.0, 7777.0])
def test_a_vertex_that_meets_a_face_at_exactly_the_end_is_found_at_every_scale(scale):
    """Tight-Inclusion (HEAD since 2022-01-30, ipctk 1.6.1) misses 22 to 36 % of such contacts at scales up to 0.1."""
    face = scale * np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    for height in range(1, 9):
        for travel in range(-8, 9):
            tip = scale * np.array([0.25, 0.25, height / 8])
            down = scale * np.array([0.0, 0.0, travel / 8])
            end = np.array([tip[0], tip[1], 0.0]) + down
            (time,) = tocsin.vertex_face_times([tip], [end], [face], [face + down])
            assert 0.999 <= time <= 1.0


def test_an_infinite_coordinate_is_refused():
    """ipctk 1.6.1's nonlinear point-point query never returns from one."""
    face = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    with pytest.raises(tocsin.TocsinError, match="finite"):
        tocsin.vertex_face_times([[0.2, 0.2, math.inf]], [[0.2, 0.2, -1.0]], [face], [face])


def test_a_mesh_and_a_ball_that_overlap_are_at_no_distance():
    """python-fcl 0.7's `distance` returns uninitialised memory, as a distance and as points."""
    scene = tocsin.Scene(tocsin.Body(tocsin.Mesh(*EXHIBITS[6].a)), tocsin.Body(tocsin.Sphere(0.25), (0.5, 0.0, 0.0)))
    found = scene.distance()
    assert found.distance == 0.0
    assert np.linalg.norm(found.point_a) < 2.0
    assert np.linalg.norm(found.point_b) < 2.0


def test_taylor_models_enclose_sines_and_cosines():
    """FCL's do not: of 100 stretches, the sine left its model in 100 and the cosine in 38."""
    attack_joints(170, 100)
