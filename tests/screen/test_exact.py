"""`scene.contacts(exact=True)`: the same list as brute force in 50 digits, and an end to every degenerate case."""

import itertools
import math

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh, two
from tocsin import Body, Box, ConvexHull, Scene, Sphere
from tocsin_bench.campaigns import exact as campaign
from tocsin_bench.campaigns import first_of_all
from tocsin_bench.scenes import shapes as meshes

NEEDLE = np.array([[0.0, 0, 0], [0.2, 0.1, 3.0], [-0.1, 0.2, 3.0]]), np.array([[0, 1, 2]])
FLOOR = np.array([[-9.0, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]]), np.array([[0, 1, 2], [0, 2, 3]])


def test_random_pairs_have_the_same_contacts_as_brute_force():
    tally = campaign.campaign(15, 7, screen=False)
    assert tally.failures == []
    assert tally.contacts > 200
    assert tally.unproven == 0
    assert tally.worst_time < 1e-12
    assert tally.widest < 1e-6
    assert tally.worst_properness < 1e-9


def test_the_first_of_all_contacts_is_the_first_contact():
    tally, leads, _ = first_of_all.campaign(60, 3)
    assert {word: tally[word] for word in first_of_all.WRONG} == dict.fromkeys(first_of_all.WRONG, 0)
    assert tally["contact"] > 20
    assert leads.max() < 1e-3


def test_a_needle_falls_through_the_floor_once():
    scene, _, b = two(FLOOR, NEEDLE)
    found = scene.contacts(b.move(at(1, 2, 1), at(1, 2, -1), kind="screw"), exact=True)
    tips = [c for c in found if c.kind == "face-vertex"]
    assert len(tips) == 1
    assert tips[0].time == 0.5
    assert tips[0].proven
    assert tips[0].bracket[0] <= 0.5 <= tips[0].bracket[1]
    assert tips[0].point == pytest.approx([1, 2, 0], abs=1e-14)
    assert tips[0].normal == pytest.approx([0, 0, 1])
    assert tips[0].closing_speed == pytest.approx(2.0)


def test_a_vertex_that_meets_the_seam_of_a_flat_face_meets_it_once():
    scene, _, b = two(FLOOR, NEEDLE)
    found = scene.contacts(b.move(at(1, 1, 1), at(1, 1, -1), kind="screw"), exact=True)
    assert [c.kind for c in found].count("face-vertex") == 1
    assert found[0].time == pytest.approx(0.5, abs=1e-12)


def test_who_is_a_and_who_moves_changes_no_time():
    pair = next(campaign.random_pairs(1, 11))
    a, b = (Body((s.vertices, s.triangles), name=n) for s, n in ((pair.a, "a"), (pair.b, "b")))
    a_t0, _, b_t0, b_t1 = pair.poses
    inverse = np.linalg.inv
    b_moves = Scene(a, b).contacts(a.at(a_t0), b.move(b_t0, b_t1, kind="screw"), exact=True)
    a_moves = Scene(b, a).contacts(a.at(a_t0), b.move(b_t0, b_t1, kind="screw"), exact=True)
    seen = Scene(a, b).contacts(
        a.move(np.eye(4), a_t0 @ inverse(b_t1) @ b_t0 @ inverse(a_t0), kind="screw"),
        b.at(inverse(a_t0) @ b_t0),
        exact=True,
    )
    assert len(b_moves) == len(a_moves) > 0
    assert a_moves.times == pytest.approx(b_moves.times, abs=1e-12)
    for one, other in zip(b_moves, a_moves):
        assert one.features == other.features[::-1]
        assert one.normal == pytest.approx(-other.normal, abs=1e-9)
        assert one.point == pytest.approx(other.point, abs=1e-9)
        assert one.properness == pytest.approx(other.properness, abs=1e-9)
    assert isinstance(seen, tocsin.TimedContacts)


def test_contact_exactly_at_the_start_and_at_the_end_is_listed():
    scene, _, b = two(FLOOR, NEEDLE)
    for start, end, time in ((0.0, -1.0, 0.0), (1.0, 0.0, 1.0)):
        found = scene.contacts(b.move(at(1, 2, start), at(1, 2, end), kind="screw"), exact=True)
        assert [c.time for c in found if c.kind == "face-vertex"] == pytest.approx([time], abs=1e-15)


def test_a_vertex_that_only_touches_the_plane_is_listed_with_its_bracket():
    # On a circle of radius 1 about (0, 0, 1): lowest at z = 0, in the middle of the motion.
    scene, _, b = two(FLOOR, (np.array([[0.0, 0, -1], [0.1, 0.1, 0.5], [-0.1, 0.1, 0.5]]), np.array([[0, 1, 2]])))
    found = scene.contacts(b.move(at(0, 2, 1, (0, -40, 0)), at(0, 2, 1, (0, 40, 0)), kind="screw"), exact=True)
    assert len(found) == 1
    assert not found[0].proven
    lo, hi = found[0].bracket
    assert lo <= 0.5 <= hi
    assert hi - lo < 1e-5
    just_above = scene.contacts(
        b.move(at(0, 2, 1 + 1e-9, (0, -40, 0)), at(0, 2, 1 + 1e-9, (0, 40, 0)), kind="screw"), exact=True
    )
    assert len(just_above) == 0
    below = scene.contacts(
        b.move(at(0, 2, 1 - 1e-9, (0, -40, 0)), at(0, 2, 1 - 1e-9, (0, 40, 0)), kind="screw"), exact=True
    )
    assert [c.proven for c in below if c.kind == "face-vertex"] == [True, True]


def test_sliding_in_a_plane_is_one_contact_that_lasts():
    scene, _, b = two(FLOOR, NEEDLE)
    found = scene.contacts(b.move(at(0, 2, 0), at(3, 2.5, 0), kind="screw"), exact=True)
    tips = [c for c in found if c.kind == "face-vertex"]
    assert len(tips) == 1
    assert tips[0].bracket == pytest.approx((0.0, 1.0), abs=1e-6)
    assert tips[0].time == 0.0
    assert not tips[0].proven
    leaving = scene.contacts(b.move(at(8, 2, 0), at(10, 2, 0), kind="screw"), exact=True)
    tips = [c for c in leaving if c.kind == "face-vertex"]
    assert tips[0].bracket == pytest.approx((0.0, 0.5), abs=1e-6)


def test_boxes_face_to_face_and_edge_on_edge_come_to_an_end():
    scene, _, b = two(box_mesh(), box_mesh())
    for start, end in (
        (at(1, 0, 0), at(1, 1, 0)),
        (at(2, 0, 0), at(0, 0, 0)),
        (at(1, 1, 0), at(1, 1, 0.3)),
        (at(2, 2, 0), at(0, 0, 0)),
        (at(0, 0, 2), at(0, 0, 1, (0, 0, 90))),
        (at(1, 0, 0), at(1, 0, 0)),
    ):
        found = scene.contacts(b.move(start, end, kind="screw"), exact=True)
        assert 0 < len(found) < 400
        assert found.complete


def test_edges_that_are_parallel_for_a_moment_and_far_apart_are_no_contact():
    # A parallel start: every edge of b is in one plane with some edge of a at t = 0.
    scene, _, b = two(box_mesh(), box_mesh())
    for turn in ((10, 0, 0), (0, 7, 3), (5, -8, 9)):
        found = scene.contacts(b.move(at(3, 0.3, 0.2), at(3.1, 0.1, 0.2, turn), kind="screw"), exact=True)
        assert len(found) == 0
        back = scene.contacts(b.move(at(3.1, 0.1, 0.2, turn), at(3, 0.3, 0.2), kind="screw"), exact=True)
        assert len(back) == 0
    pair = next(itertools.islice(campaign.random_pairs(533, 1), 532, None))
    tally = campaign.Tally()
    campaign.judge(pair, tally, screen=False)
    assert tally.failures == []


def test_scaling_by_a_power_of_two_changes_no_time():
    pair = next(campaign.random_pairs(1, 12))

    def ask(scale):
        a, b = (Body((s.vertices * scale, s.triangles), name=n) for s, n in ((pair.a, "a"), (pair.b, "b")))
        poses = [pose.copy() for pose in pair.poses]
        for pose in poses:
            pose[:3, 3] *= scale
        return Scene(a, b).contacts(a.move(*poses[:2]), b.move(*poses[2:]), exact=True).times

    assert len(ask(1.0)) > 0
    assert (ask(1.0) == ask(2.0**30)).all()
    assert (ask(1.0) == ask(2.0**-30)).all()


def test_boxes_and_hulls_are_their_own_meshes():
    move = at(3, 0.2, 0.1, (10, 20, 30)), at(-3, 0.1, 0.3, (70, 10, 30))
    times = []
    for shape in (Box(size=(1, 1, 1)), ConvexHull(box_mesh()[0]), box_mesh()):
        scene, _, b = two(shape, shape)
        times.append(scene.contacts(b.move(*move, kind="screw"), exact=True).times)
    assert len(times[0]) > 10
    assert times[1] == pytest.approx(times[0], abs=1e-12)
    assert times[2] == pytest.approx(times[0], abs=1e-12)


def test_round_solids_are_refused():
    scene, _, b = two(Sphere(0.5), Box(size=(1, 1, 1)))
    with pytest.raises(tocsin.TocsinError, match="round"):
        scene.contacts(b.move(at(3), at(-3)), exact=True)


def test_soups_with_degenerate_and_doubled_triangles():
    vertices, faces = box_mesh()
    vertices = np.concatenate([vertices, vertices])  # every corner twice, as in an STL
    faces = np.concatenate([faces, faces + 8, [[0, 0, 1], [2, 2, 2]]])
    scene, _, b = two((vertices, faces), NEEDLE)
    found = scene.contacts(b.move(at(0.1, 0.2, 1), at(0.1, 0.2, -1), kind="screw"), exact=True)
    assert sorted({round(c.time, 9) for c in found if c.kind == "face-vertex"}) == [0.25, 0.75]


def test_large_bodies_go_through_their_hierarchies():
    shape = meshes.torus(20_000, 1.0, 0.3)
    scene, _, b = two(shape, shape)
    found = scene.contacts(b.move(at(0, 0, 0.2, (90, 0, 0)), at(0.05, 0, 0.25, (93, 0, 0)), kind="screw"), exact=True)
    assert len(found) > 100
    assert found.complete
    assert all(lo <= t <= hi for t, lo, hi in zip(found.times, found.rows["lo"], found.rows["hi"]))


def test_a_path_is_followed_piece_by_piece():
    scene, _, b = two(FLOOR, NEEDLE)
    found = scene.contacts(b.follow([at(1, 2, 1), at(1, 2, -1), at(1, 2, 1)]), exact=True)
    assert [c.time for c in found if c.kind == "face-vertex"] == pytest.approx([0.25, 0.75], abs=1e-12)


def test_properness_leaves_out_what_is_less_proper():
    pair = next(campaign.random_pairs(1, 11))
    scene, motions = campaign.scene_of(pair)
    everything = scene.contacts(*motions, exact=True)
    proper = scene.contacts(*motions, exact=True, properness=0.0)
    assert 0 < len(proper) < len(everything)
    assert proper.properness.min() >= 0.0
    assert math.isclose(max(everything.properness), max(proper.properness))
