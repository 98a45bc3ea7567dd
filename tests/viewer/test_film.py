"""A film shows what the answer says: poses, clearance, touching triangles, and what the culling saw."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.errors import TocsinError
from tocsin.viewer import shoot
from tocsin.viewer.camera import best_view
from tocsin.viewer.film import length, sampled
from tocsin.viewer.solids import CUBE, corner_normals

from .scenes import arm_and_plate, placed, slab_mesh


@pytest.fixture(scope="module")
def film():
    scene, motion = arm_and_plate()
    return shoot(scene, motion)


def test_the_contact_is_a_moment_of_the_film_with_exactly_its_pose(film):
    assert film.contact_time == film.hit.time
    k = film.frame_at(film.hit.time)
    assert film.times[k] == film.hit.time
    robot = film.scene.models[0]
    np.testing.assert_array_equal(film.poses[k, :3], robot.link_poses(robot.at_contact(film.hit)))


def test_poses_are_those_of_the_motion_and_what_stands_stays(film):
    for k in (0, 17, 60, len(film.times) - 1):
        np.testing.assert_array_equal(film.poses[k, :3], film.motions[0].link_poses(film.times[k]))
        np.testing.assert_array_equal(film.poses[k, 3], placed(0.45, 0, 0.45))
    assert film.moving.tolist() == [False, True, True, False, False]
    assert film.times[0] == 0.0
    assert film.times[-1] == 1.0
    assert (np.diff(film.times) > 0.0).all()


def test_the_moments_at_which_a_path_turns_are_in_the_film():
    scene, _ = arm_and_plate(plate_at=3.0)
    robot = scene.models[0]
    film = shoot(scene, robot.follow([[0.0, 0.0], [0.3, 0.0], [0.1, 0.5], [0.0, 0.0]]))
    assert film.hit.status is tocsin.Status.FREE
    for t in (1 / 3, 2 / 3):
        assert np.abs(film.times - t).min() < 1e-15


def test_the_clearance_is_the_scenes_distance_and_reaches_the_tolerance_at_the_contact(film):
    robot = film.scene.models[0]
    clearance = film.clearance
    for k in range(0, len(clearance.times), 13):
        q = clearance.times[k] * np.array([1.2, 0.4])
        assert clearance.distances[k] == pytest.approx(film.scene.distance(robot.at(q)).distance, abs=1e-9)
        gap = np.linalg.norm(clearance.points[k, 1] - clearance.points[k, 0])
        assert clearance.distances[k] == 0.0 or gap == pytest.approx(clearance.distances[k], rel=1e-6)
    at = np.flatnonzero(clearance.times == film.hit.time)
    assert len(at) == 1
    assert clearance.distances[at[0]] <= film.hit.tolerance


def test_links_that_do_not_move_against_each_other_do_not_hide_the_clearance():
    b = tocsin.RobotBuilder("cart")
    b.link("base", tocsin.Box(size=(0.1, 0.1, 0.1)))
    b.link("rail", parent="base", joint="prismatic", axis=(1, 0, 0))
    for k in (1, 2):
        parent = "rail" if k == 1 else "lamp 1"
        b.link(f"lamp {k}", tocsin.Sphere(radius=0.02), parent=parent, origin=(0, 0, 0.1 if k == 1 else 0.05))
    b.link("hook", tocsin.Sphere(radius=0.02), parent="lamp 2", origin=(0, 0, 0.05))
    cart = b.build()
    wall = tocsin.Body(tocsin.Box(size=(0.1, 1.0, 1.0)), placed(1.0), name="wall")
    scene = tocsin.Scene(cart, wall)
    film = shoot(scene, cart.move([0.2], [0.6]))
    assert scene.distance(cart.at([0.6])).distance == pytest.approx(0.06)  # lamp 1 to hook, whatever the cart does
    assert film.clearance.distances[-1] == pytest.approx(0.33)  # to the wall
    assert film.clearance.distances[0] == pytest.approx(math.hypot(0.15, 0.1) - 0.02)  # lamp 2 to base


def test_touching_triangles_are_at_the_touching_points(film):
    assert film.touches
    for touch in film.touches:
        for triangles, point in (
            (touch.triangles_a, touch.contact.point_a),
            (touch.triangles_b, touch.contact.point_b),
        ):
            for a, b, c in triangles:
                normal = np.cross(b - a, c - a)
                assert abs(normal @ (point - a)) / np.linalg.norm(normal) < 1e-9
    assert any(len(touch.triangles_b) for touch in film.touches)


def test_of_several_meshes_of_a_link_the_one_that_touches_is_shown():
    far, near = slab_mesh(0.1, 0.1), slab_mesh(0.1, 0.1)
    body = tocsin.Body([(far, (0, 0, 1.0)), (near, (0, 0, 0))], name="two")
    plate = tocsin.Body(slab_mesh(), placed(1.0, 0, 0), name="plate")
    film = shoot(tocsin.Scene(body, plate), body.move(np.eye(4), placed(1.0, 0, 0)))
    shown = np.concatenate([t.triangles_a for t in film.touches])
    assert len(shown)
    assert np.abs(shown[..., 2]).max() < 0.1


def test_surviving_pairs_are_as_many_as_the_query_counted(film):
    stats = film.hit.stats
    asked = [slab for slab in film.slabs if slab.t0 <= film.hit.time]
    assert len(asked) >= stats.slabs
    assert sum(len(slab.spatial) for slab in asked[: stats.slabs]) == stats.pairs_spatial
    assert sum(len(slab.temporal) for slab in asked[: stats.slabs]) == stats.pairs_temporal
    for slab in film.slabs:
        assert {tuple(p) for p in slab.temporal.tolist()} <= {tuple(p) for p in slab.spatial.tolist()}
    a, b = film.touches[0].contact.link_a, film.touches[0].contact.link_b
    last = asked[stats.slabs - 1]
    assert {a, b} in [{film.solids[i].label, film.solids[k].label} for i, k in last.temporal.tolist()]


def test_swept_boxes_hold_their_shapes_at_every_moment_of_their_slab(film):
    assert film.slabs[0].t0 == 0.0
    assert film.slabs[-1].t1 == 1.0
    for slab in film.slabs:
        for k in np.flatnonzero((film.times >= slab.t0) & (film.times <= slab.t1)):
            for shape, box in zip(slab.shapes, slab.boxes):
                solid = film.solids[shape]
                pose = film.poses[k, solid.link]
                points = solid.vertices @ pose[:3, :3].T + pose[:3, 3]
                assert (points >= box[:3] - 1e-12).all()
                assert (points <= box[3:] + 1e-12).all()


def test_a_solids_box_holds_its_vertices(film):
    for solid in film.solids:
        inside = np.abs((solid.vertices - solid.center) @ solid.axes.T)
        assert (inside <= solid.half + 1e-12).all()
        assert solid.box.shape == (8, 3)
    assert len(np.unique(CUBE, axis=0)) == 8


def test_the_two_that_touch_have_colours_of_their_own(film):
    contact = film.touches[0].contact
    meeting = {s.colour for s in film.solids if s.label in (contact.link_a, contact.link_b)}
    assert len(meeting) == 2
    assert not meeting & {s.colour for s in film.solids if s.label not in (contact.link_a, contact.link_b)}


def test_a_free_motion_says_so_and_has_no_touches():
    scene, motion = arm_and_plate(plate_at=2.0)
    film = shoot(scene, motion, margin=0.02)
    assert film.contact_time is None
    assert film.touches == ()
    assert film.headline() == "Proven free"
    assert film.margin == 0.02
    assert ("margin", "20 mm") in film.details()


def test_a_scene_in_which_nothing_moves_is_a_film_of_two_moments():
    film = shoot(arm_and_plate()[0])
    assert film.times.tolist() == [0.0, 1.0]
    assert not film.moving.any()
    assert film.clearance.distances[0] > 0.0


def test_one_body_alone_has_nothing_to_be_near():
    body = tocsin.Body(tocsin.Sphere(radius=0.1))
    film = shoot(tocsin.Scene(body), body.move(np.eye(4), placed(1.0)))
    assert np.isinf(film.clearance.distances).all()


def test_an_initial_overlap_has_a_film():
    scene, motion = arm_and_plate(plate_at=0.02)
    film = shoot(scene, motion)
    assert film.headline() == "In contact at the start"
    assert film.contact_time == 0.0


def test_the_answer_of_another_scene_or_motion_is_refused():
    scene, motion = arm_and_plate()
    other, other_motion = arm_and_plate()
    hit = scene.first_contact(motion)
    with pytest.raises(TocsinError, match="another scene"):
        shoot(other, hit=hit)
    with pytest.raises(TocsinError, match="other motions"):
        shoot(scene, scene.models[0].move([0, 0], [0.1, 0.1]), hit=hit)
    with pytest.raises(TocsinError, match=r"the answer of scene.first_contact.*got str"):
        shoot(scene, motion, hit="hit")
    assert shoot(scene, hit=hit).motions == (motion,)
    again = motion.model.move(*motion.rows[:, -motion.model.n_config :])
    assert shoot(scene, again, hit=hit).hit is hit
    assert other_motion.model is other.models[0]


def test_the_answer_about_a_screw_motion_is_shown():
    body, wall = tocsin.Body(tocsin.Box((0.2, 0.2, 0.2)), name="body"), tocsin.Body(tocsin.Box((1, 1, 1)), name="wall")
    above, below = np.eye(4), np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, -1], [0, 0, 0, 1]])
    above[2, 3] = 1.0
    scene = tocsin.Scene(body, wall)
    hit = scene.first_contact(body.move(above, below, kind="screw"))
    assert shoot(scene, hit=hit).hit is hit


def test_a_film_is_of_a_scene(film):
    with pytest.raises(TocsinError, match="the viewer shows a scene"):
        shoot(film.hit)


def test_samples_are_counted_or_given_and_lie_in_time(film):
    assert [t for t, _ in sampled(film, 3)] == [0.0, 0.5, 1.0]
    assert [t for t, _ in sampled(film, [0.25])] == [0.25]
    assert sampled(film, None) == []
    with pytest.raises(TocsinError, match="from 0 to 1"):
        sampled(film, [1.5])


def test_the_view_is_of_the_contact_with_nothing_in_between(film):
    view = best_view(film)
    wide, high = 0.4, 0.25
    eye = view.eye(wide, high)
    seen = (view.focus - eye) @ view.frame.T
    assert (seen[:, 2] < 0.0).all()
    assert (np.abs(seen[:, 0] / seen[:, 2]) <= wide + 1e-9).all()
    assert (np.abs(seen[:, 1] / seen[:, 2]) <= high + 1e-9).all()
    assert max(np.abs(seen[:, 0] / seen[:, 2]).max() / wide, np.abs(seen[:, 1] / seen[:, 2]).max() / high) > 0.99


def test_normals_are_smooth_on_a_cylinders_side_and_sharp_at_its_rim():
    mesh = tocsin.Cylinder(radius=1.0, length=2.0).tessellate(48)
    normals = corner_normals(mesh.vertices, mesh.faces)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=2), 1.0)
    corners = mesh.vertices[mesh.faces]
    side = np.ptp(corners[:, :, 2], axis=1) > 0.0
    outward = corners[side] * (1.0, 1.0, 0.0)
    assert np.einsum("ijk,ijk->ij", normals[side], outward).min() > 0.995
    assert np.abs(normals[~side][..., 2]).min() > 0.999


@pytest.mark.parametrize(
    ("metres", "said"), [(2.0, "2 m"), (0.0314159, "31.42 mm"), (5e-6, "5 µm"), (0.0, "0 m"), (3e-12, "3e-12 m")]
)
def test_lengths_are_said_in_the_unit_that_suits_them(metres, said):
    assert length(metres) == said


def test_motions_with_time_stamps_are_shown_and_models_that_share_link_names_are_told_apart():
    def arm(name, place):
        b = tocsin.RobotBuilder(name).link("base", tocsin.Box((0.1, 0.1, 0.1)))
        b.link("beam", (tocsin.Capsule(0.03, 0.5), (0, 0, 0.4)), parent="base", joint="revolute", axis=(0, 1, 0))
        robot = b.build()
        robot.place(place)
        return robot

    left, right = arm("left", (0, 0, 0)), arm("right", (0.6, 0, 0))
    motions = (
        left.follow([[0.0], [0.2], [1.2]], times=[0.0, 3.0, 4.0]),
        right.follow([[0.0], [-1.0]], times=[1.0, 2.0]),
    )
    scene = tocsin.Scene(left, right)
    shown = shoot(scene, *motions, hit=scene.first_contact(*motions))
    assert set(shown.times) >= {0.25, 0.5, 0.75}
    assert shown.meeting() == "left/beam meets right/beam"
    with pytest.raises(TocsinError, match="other motions"):
        shoot(scene, motions[0], right.follow([[0.0], [-1.0]], times=[1.0, 3.0]), hit=shown.hit)
