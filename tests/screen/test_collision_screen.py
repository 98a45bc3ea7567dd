"""All contacts on the collision screen: the paper's examples, and what must hold for any of them."""

import numpy as np
import pytest

import tocsin
from promise.scenes import TETRAHEDRON, at, box_mesh
from tocsin.motion.screw_axis import Screw
from tocsin_bench.scenes.screen_scenes import EXAMPLES, example, pose

RESOLUTIONS = ("low", "medium", "high")


def random_pose(rng, spread=1.2, shift=(0.0, 0.0, 0.0)):
    return at(*(spread * rng.normal(size=3) + shift), rng.uniform(-180, 180, size=3))


def keys(contacts):
    return sorted((c.kind, c.features, round(c.time, 9)) for c in contacts)


def moving_points(contact, scene, motion):
    """Where the touching features are, by their vertices, at the time of contact: (points of a, points of b)."""
    placed = []
    for side, model in enumerate(scene.models):
        pose_then = motion.link_poses(contact.time)[0] if motion.model is model else np.eye(4)
        shape = model.shapes[0][0]
        mesh = shape.source if shape.is_mesh else shape.source.tessellate()
        points = mesh.vertices[list(contact.features[side])]
        placed.append(points @ pose_then[:3, :3].T + pose_then[:3, 3])
    return placed


def off_feature(points, x):
    """How far a point is from a vertex, a segment or a triangle."""
    if len(points) == 1:
        return np.linalg.norm(points[0] - x)
    base = (points[1:] - points[0]).T
    weights = np.linalg.lstsq(base, x - points[0], rcond=None)[0]
    outside = max(0.0, -weights.min(), weights.sum() - 1.0)
    return np.linalg.norm(points[0] + base @ weights - x) + outside


def test_squares_that_meet_head_on_touch_at_all_four_corners():
    """Figure 1: corners meet corners exactly; each is resolved into one vertex against one face."""
    scene, motion = example(tocsin.Box((1, 1, 1)), tocsin.Box((1, 1, 1)), pose(3), pose(0), "interpolating")
    contacts = scene.contacts(motion)
    assert len(contacts) == 4
    for c in contacts:
        assert c.time == pytest.approx(2.0 / 3.0, abs=1e-15)
        assert c.kind in ("vertex-face", "face-vertex")
        assert np.allclose(c.normal, (1, 0, 0))
        assert c.properness == pytest.approx(0.0, abs=1e-15)
        assert c.closing_speed == pytest.approx(3.0)


def test_a_level_rectangle_touches_with_both_corners_at_once():
    """Figure 2 (a), four corners in space."""
    scene, motion = example(tocsin.Box((1, 3, 3)), tocsin.Box((2, 1, 1)), pose(4), pose(1), "interpolating")
    contacts = scene.contacts(motion)
    assert [c.kind for c in contacts] == ["face-vertex"] * 4
    assert np.ptp(contacts.times) < 1e-15
    assert np.allclose(contacts.properness, 0.0)


def test_a_tilted_rectangle_touches_properly_first_and_slightly_improperly_later():
    """Figure 2 (b): the lower corners first and properly, the upper ones later and slightly improperly."""
    tilt = (0, 4, 0)
    scene, motion = example(
        tocsin.Box((1, 3, 3)), tocsin.Box((2, 1, 1)), pose(4, 0, 0, tilt), pose(1, 0, 0, tilt), "interpolating"
    )
    contacts = scene.contacts(motion)
    assert len(contacts) == 4
    assert (contacts.properness[:2] >= 0.0).all()
    assert ((contacts.properness[2:] < 0.0) & (contacts.properness[2:] > -0.1)).all()
    assert contacts.times[1] < contacts.times[2]
    assert len(scene.contacts(motion, properness=0.0)) == 2


def test_two_prongs_touch_properly_at_different_times():
    """Figure 2 (c)."""
    prongs = [(tocsin.Box((1.0, 0.3, 0.3)), at(0, 0.5)), (tocsin.Box((1.0, 0.3, 0.3)), at(0.05, -0.5, 0, (0, 0, 3)))]
    a, b = tocsin.Body(tocsin.Box((1, 3, 3)), name="a"), tocsin.Body(prongs, name="b")
    contacts = tocsin.Scene(a, b).contacts(b.move(at(4, 0, 0, (0, 10, 5)), at(0.5, 0, 0, (0, 10, 5))), properness=0.0)
    assert len(contacts) == 2
    assert contacts.times[0] < contacts.times[1]


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("resolution", RESOLUTIONS)
def test_the_first_of_all_contacts_is_the_first_contact(name, resolution):
    scene, motion = EXAMPLES[name]()
    hit = scene.first_contact(motion, tolerance=1e-7)
    contacts = scene.contacts(motion, resolution=resolution)
    assert hit.status is tocsin.Status.CONTACT
    assert contacts[0].time == pytest.approx(hit.time, abs=1e-6)
    assert contacts[0].properness > -1e-12


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_contact_is_where_its_features_meet(name):
    scene, motion = EXAMPLES[name]()
    contacts = scene.contacts(motion, properness=-1.0)
    assert len(contacts) > 3
    assert (np.diff(contacts.times) >= 0.0).all()
    for c in contacts:
        on_a, on_b = moving_points(c, scene, motion)
        assert off_feature(on_a, c.point) < 1e-9
        assert off_feature(on_b, c.point) < 1e-9
        assert np.linalg.norm(c.normal) == pytest.approx(1.0)
        assert c.closing_speed > 0.0


@pytest.mark.parametrize("name", EXAMPLES)
def test_resolution_changes_no_contact(name):
    scene, motion = EXAMPLES[name]()
    found = [keys(scene.contacts(motion, resolution=r)) for r in (*RESOLUTIONS, 0.5, 0.03)]
    assert all(f == found[0] for f in found)


def test_the_tori_touch_properly_three_times_in_order():
    """Figure 13: three places of proper contact, one after the other."""
    scene, motion = EXAMPLES["tori"]()
    for resolution in RESOLUTIONS:
        contacts = scene.contacts(motion, resolution=resolution, properness=0.0)
        assert len(contacts) == 3
        assert np.diff(contacts.times).min() > 0.1
        points = np.array([c.point for c in contacts])
        assert all(np.linalg.norm(points[i] - points[k]) > 1.0 for i in range(3) for k in range(i))
        assert contacts[0].time == pytest.approx(scene.first_contact(motion, tolerance=1e-7).time, abs=1e-6)


def test_the_order_of_bodies_turns_normals_and_features_around():
    rng = np.random.default_rng(3)
    for _ in range(10):
        ends = random_pose(rng, 0.4, (2, 0, 0)), random_pose(rng, 0.2)
        forward = example(box_mesh(), TETRAHEDRON, *ends)
        a, b = tocsin.Body(box_mesh(), name="a"), tocsin.Body(TETRAHEDRON, name="b")
        swapped = tocsin.Scene(b, a)
        one = forward.scene.contacts(forward.motion)
        two = swapped.contacts(b.move(*ends, kind="screw"))
        assert len(one) == len(two)
        for c, d in zip(
            sorted(one, key=lambda c: (c.time, c.features)), sorted(two, key=lambda c: (c.time, c.features[::-1]))
        ):
            assert c.features == d.features[::-1]
            assert c.time == pytest.approx(d.time, abs=1e-12)
            assert np.allclose(c.normal, -d.normal, atol=1e-9)
            assert c.properness == pytest.approx(d.properness, abs=1e-12)


def test_contacts_do_not_depend_on_the_frame():
    rng = np.random.default_rng(4)
    for _ in range(10):
        ends = random_pose(rng, 0.4, (2, 0, 0)), random_pose(rng, 0.2)
        world = random_pose(rng, 3.0)
        scene, motion = example(box_mesh(), TETRAHEDRON, *ends)
        a, b = tocsin.Body(box_mesh(), world, name="a"), tocsin.Body(TETRAHEDRON, name="b")
        moved = tocsin.Scene(a, b).contacts(b.move(world @ ends[0], world @ ends[1], kind="screw"))
        one = scene.contacts(motion)
        assert [(k, f) for k, f, _ in keys(one)] == [(k, f) for k, f, _ in keys(moved)]
        assert np.allclose(one.times, moved.times, atol=1e-10)
        assert np.allclose(one.properness, moved.properness, atol=1e-10)


def test_the_same_when_a_is_the_one_that_moves():
    """Seen from either body the relative motion is one screw; both standing ones report the same times and features."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        start, stop = random_pose(rng, 0.3, (2, 0, 0)), random_pose(rng, 0.2)
        scene, motion = example(box_mesh(), TETRAHEDRON, start, stop)
        a, b = scene.models
        inverse = a.move(np.eye(4), start @ np.linalg.inv(stop), kind="screw")
        b.place(start)
        assert [(k, f) for k, f, _ in keys(scene.contacts(inverse))] == [
            (k, f) for k, f, _ in keys(scene.contacts(motion))
        ]


@pytest.mark.parametrize("degrees", [1e-9, 1e-5, 1e-3, 1.0, 90.0, 179.0, 179.9999])
def test_turns_of_any_size(degrees):
    scene, motion = example(
        box_mesh(), box_mesh(), pose(2.0, 0.3, 0.2, (3, 4, 5)), pose(0.0, 0.1, 0.0, (3, 4, 5 + degrees))
    )
    hit = scene.first_contact(motion, tolerance=1e-7)
    contacts = scene.contacts(motion)
    assert hit.status is tocsin.Status.CONTACT
    assert contacts[0].time == pytest.approx(hit.time, abs=1e-5)


def test_bodies_around_the_axis_are_doppeled():
    """A ring around the axis, figs. 10 and 11: fins stand around it, and a bar across the axis turns into them."""
    rng = np.random.default_rng(6)
    for start in range(0, 360, 15):
        for pitch in (0.0, 0.2):
            fin = tocsin.Body(tocsin.Box((0.5, 0.1, 0.5)), pose(0, 0, 0), name="fin")
            turn = pose(turn=(0, 0, start)) @ pose(1.0)
            fin.place(turn)
            bar = tocsin.Body(tocsin.Box((2.2, 0.1, 0.1)), name="bar")
            first = start + rng.uniform(10.0, 80.0)
            tilt = pose(turn=(0, rng.uniform(-8, 8), 0))
            begin, end = pose(turn=(0, 0, first)) @ tilt, pose(0, 0, pitch, turn=(0, 0, first + 170.0)) @ tilt
            scene = tocsin.Scene(fin, bar)
            motion = bar.move(begin, end, kind="screw")
            hit = scene.first_contact(motion, tolerance=1e-7)
            assert hit.status is tocsin.Status.CONTACT
            assert scene.contacts(motion)[0].time == pytest.approx(hit.time, abs=1e-5)


def test_a_face_through_the_axis_and_a_corner_on_it():
    """A plate that the axis goes through turns and rises against a spike on the axis: a point that only rises."""
    spike = (
        np.array([[0, 0, 1.0], [0.2, 0, 2], [-0.1, 0.2, 2], [-0.1, -0.2, 2]]),
        np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    )
    a, b = tocsin.Body(spike, name="a"), tocsin.Body(tocsin.Box((2, 2, 0.2)), name="b")
    contacts = tocsin.Scene(a, b).contacts(b.move(pose(0, 0, 0), pose(0, 0, 1.8, (0, 0, 60)), kind="screw"))
    assert contacts[0].time == pytest.approx(0.5, abs=1e-12)
    assert contacts[0].kind == "vertex-face"
    assert contacts[0].features[0] == (0,)


def test_random_pairs_first_touch_when_they_first_touch():
    rng = np.random.default_rng(7)
    contacts = 0
    for _ in range(60):
        scene, motion = example(box_mesh(0.8, 1.0, 1.2), TETRAHEDRON, random_pose(rng, 1.4), random_pose(rng, 0.7))
        hit = scene.first_contact(motion, tolerance=1e-8)
        found = scene.contacts(motion)
        if hit.status is tocsin.Status.FREE:
            assert len(scene.contacts(motion, properness=0.0)) == 0
        elif hit.status is tocsin.Status.CONTACT:
            contacts += 1
            assert found[0].time == pytest.approx(hit.time, abs=1e-6)
    assert contacts > 15


def test_a_sheet_is_hit_from_either_side():
    sheet = (np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0.0]]), np.array([[0, 1, 2], [0, 2, 3]]))
    for side in (1.0, -1.0):
        scene, motion = example(
            sheet, box_mesh(), pose(0, 0, 2 * side, (20, 30, 0)), pose(0, 0, -2 * side, (20, 30, 0)), "interpolating"
        )
        contacts = scene.contacts(motion, properness=0.0)
        hit = scene.first_contact(motion, tolerance=1e-8)
        assert contacts[0].time == pytest.approx(hit.time, abs=1e-7)
        assert np.allclose(contacts[0].normal, (0, 0, side))


def test_large_bodies_are_culled_by_their_hierarchies_and_nothing_is_lost():
    import trimesh

    ball = trimesh.creation.icosphere(5)
    scene, motion = example(
        (ball.vertices, ball.faces),
        (0.7 * ball.vertices, ball.faces),
        pose(2.5, 0.3, 0.2),
        pose(1.4, 0.1, 0, (0, 40, 10)),
    )
    hit = scene.first_contact(motion, tolerance=1e-8)
    contacts = scene.contacts(motion)
    assert contacts[0].time == pytest.approx(hit.time, abs=1e-6)


def test_a_path_is_followed_piece_by_piece():
    a, b = tocsin.Body(tocsin.Box((1, 1, 1)), name="a"), tocsin.Body(tocsin.Box((1, 1, 1)), name="b")
    scene = tocsin.Scene(a, b)
    path = b.follow([pose(3), pose(3, 1), pose(0, 1)])
    contacts = scene.contacts(path)
    assert contacts[0].time == pytest.approx(0.5 + 0.5 * 2.0 / 3.0)
    assert contacts[0].closing_speed == pytest.approx(6.0)


def test_standing_bodies_are_met_too_and_ignored_ones_are_not():
    a, b, c = (tocsin.Body(tocsin.Box((1, 1, 1)), pose(x), name=n) for n, x in (("a", 0), ("b", 9), ("c", 3)))
    scene = tocsin.Scene(a, b, c)
    motion = b.move(pose(9, 0.2, 0.1), pose(0, 0.2, 0.1))
    assert {(k.link_a, k.link_b) for k in scene.contacts(motion)} == {("a", "b"), ("b", "c")}
    scene.ignore("b", "c")
    assert {(k.link_a, k.link_b) for k in scene.contacts(motion)} == {("a", "b")}


def test_points_are_in_the_world_when_both_move():
    a, b = tocsin.Body(tocsin.Box((1, 1, 1)), name="a"), tocsin.Body(tocsin.Box((1, 1, 1)), name="b")
    contacts = tocsin.Scene(a, b).contacts(
        a.move(pose(-2, 5), pose(0, 5)), b.move(pose(2, 5.3, 0.2), pose(0, 5.3, 0.2))
    )
    assert contacts[0].time == pytest.approx(0.75)
    assert contacts[0].point[0] == pytest.approx(0.0, abs=1e-12)
    assert contacts[0].closing_speed == pytest.approx(4.0)
    assert contacts[0].screw_error == 0.0


def test_the_cost_of_the_screw_is_in_the_result():
    ends = pose(2.0, 0.3, 0.2), pose(0.0, 0.1, 0.0, (0, 0, 40))
    scene, screwing = example(box_mesh(), box_mesh(), *ends)
    straight = scene.models[1].move(*ends)
    assert scene.contacts(screwing)[0].screw_error == 0.0
    assert scene.contacts(straight)[0].screw_error == pytest.approx(Screw.between(*ends).error(ends[0][:3, 3]))


def test_groups_are_as_long_as_asked():
    scene, motion = EXAMPLES["tori"]()
    contacts = scene.contacts(motion)
    for within in (0.0, 0.05, 1.0):
        groups = tocsin.group(contacts, within=within)
        assert sum(len(g) for g in groups) == len(contacts)
        assert all(g[-1].time - g[0].time <= within for g in groups)
    assert len(tocsin.group(contacts, within=1.0)) == 1
    with pytest.raises(tocsin.TocsinError, match="at least 0"):
        tocsin.group(contacts, within=-1.0)


def test_wrong_questions_get_sentences():
    scene, motion = EXAMPLES["cubes"]()
    with pytest.raises(tocsin.TocsinError, match="'low', 'medium', 'high'"):
        scene.contacts(motion, resolution="best")
    with pytest.raises(tocsin.TocsinError, match="greater than 0"):
        scene.contacts(motion, resolution=0.0)
    with pytest.raises(tocsin.TocsinError, match="two motions"):
        scene.contacts(motion, motion)
    with pytest.raises(tocsin.TocsinError, match="not in this scene"):
        scene.contacts(EXAMPLES["cars"]().motion)
