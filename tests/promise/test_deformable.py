"""The promises for deformable models, each a named test: the table of the README, asked of cloth instead of bodies."""

import math
from fractions import Fraction

import numpy as np
import pytest

import tocsin
from tocsin import Status
from tocsin_bench.oracles import feature_gaps, feature_pairs
from tocsin_bench.oracles.feature_pairs import EDGE_EDGE, VERTEX_FACE

FACE = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
TINY = 1e-9


def face_and_point(start, end, face=FACE, **options):
    """A triangle that stands, and a loose point that moves from start to end: the scene and the motion."""
    t0, t1 = np.vstack([face, start]), np.vstack([face, end])
    soft = tocsin.Deformable(t0, faces=[[0, 1, 2]], points=[3], name="soft")
    return tocsin.Scene(soft, **options), soft.move(t0, t1)


def two_edges(a_t0, a_t1, b_t0, b_t1):
    """Two loose edges: the scene and the motion."""
    t0, t1 = np.vstack([a_t0, b_t0]).astype(float), np.vstack([a_t1, b_t1]).astype(float)
    soft = tocsin.Deformable(t0, edges=[[0, 1], [2, 3]], name="soft")
    return tocsin.Scene(soft), soft.move(t0, t1)


def sheet(n=6, z=0.0):
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    vertices = np.stack([x, y, np.full_like(x, z)], -1).reshape(-1, 3)
    i, k = (part.ravel() for part in np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij"))
    a = i * n + k
    return vertices, np.concatenate([np.stack([a, a + n, a + n + 1], -1), np.stack([a, a + n + 1, a + 1], -1)])


def pose(x=0.0, y=0.0, z=0.0, turn=0.0):
    out = np.eye(4)
    out[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
    out[:3, 3] = x, y, z
    return out


# --- times ------------------------------------------------------------------------------------------------------------


def test_a_falling_point_meets_the_face_at_its_time():
    scene, move = face_and_point([1, 1, 1], [1, 1, -3])
    hit = scene.first_contact(move, tolerance=TINY)
    assert hit.status is Status.CONTACT
    assert 0.25 - 1e-8 <= hit.time <= 0.25
    assert not scene.is_free(move)
    contact = hit.contacts[0]
    assert {contact.kind} <= {"vertex-face", "face-vertex"}
    assert sorted(map(sorted, contact.features)) == [[0, 1, 2], [3]]


def test_contact_exactly_at_the_end_is_found():
    scene, move = face_and_point([1, 1, 1], [1, 1, 0])
    hit = scene.first_contact(move, tolerance=TINY)
    assert hit.status is Status.CONTACT
    assert 1.0 - 1e-8 <= hit.time <= 1.0
    assert not scene.is_free(move)


def test_stopping_just_before_the_face_is_free():
    scene, move = face_and_point([1, 1, 1], [1, 1, 1e-6])
    assert scene.first_contact(move, tolerance=TINY).status is Status.FREE
    assert scene.is_free(move, tolerance=TINY)


def test_already_touching_is_an_initial_contact():
    scene, move = face_and_point([1, 1, 0], [1, 1, 5])
    hit = scene.first_contact(move, tolerance=TINY)
    assert (hit.status, hit.time) == (Status.INITIAL_CONTACT, 0.0)
    assert not scene.is_free(move)


def test_overlapping_at_the_start_is_an_initial_contact_though_no_features_touch():
    """Two triangles that cross: an edge runs through the inside of a face, every vertex is far from the other."""
    soft = tocsin.Deformable(
        np.vstack([FACE, [[1, 1, -1], [1, 1, 1], [9, 9, 0.5]]]), faces=[[0, 1, 2], [3, 4, 5]], name="soft"
    )
    away = soft.vertices + np.repeat([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]], 3, axis=0) * 0.01
    hit = tocsin.Scene(soft).first_contact(soft.move(soft.vertices, away), tolerance=TINY)
    assert (hit.status, hit.time) == (Status.INITIAL_CONTACT, 0.0)


def test_no_motion_gives_the_static_answer():
    for z, expected in ((0.5, Status.FREE), (0.0, Status.INITIAL_CONTACT)):
        scene, move = face_and_point([1, 1, z], [1, 1, z])
        assert scene.first_contact(move, tolerance=TINY).status is expected


def test_coplanar_motion_into_the_face_is_found():
    scene, move = face_and_point([-1, 1, 0], [3, 1, 0])
    hit = scene.first_contact(move, tolerance=TINY)
    assert hit.status is Status.CONTACT
    assert 0.25 - 1e-8 <= hit.time <= 0.25


def test_coplanar_motion_past_the_face_is_free():
    scene, move = face_and_point([-1, 5, 0], [3, 5, 0])
    assert scene.is_free(move, tolerance=TINY)


@pytest.mark.parametrize("shift", [(0.0, 0.0, 1.0), (0.25, 0.0, 1.0), (0.0, 1.0, 1.0)])
def test_parallel_edges_that_meet_are_found(shift):
    edge = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    scene, move = two_edges(edge, edge, edge + shift, edge - shift)
    hit = scene.first_contact(move, tolerance=TINY)
    assert hit.status is Status.CONTACT
    assert 0.5 - 1e-8 <= hit.time <= 0.5


def test_collinear_edges_that_meet_end_to_end_are_found():
    edge = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    scene, move = two_edges(edge, edge, edge + [3, 0, 0], edge - [1, 0, 0])
    hit = scene.first_contact(move, tolerance=TINY)
    assert hit.status is Status.CONTACT
    assert 0.5 - 1e-8 <= hit.time <= 0.5


@pytest.mark.parametrize("exponent", [-60, -7, 40])
def test_a_scene_scaled_by_a_power_of_two_has_the_same_times(exponent):
    rng = np.random.default_rng(3)
    vertices, faces = sheet()
    t0 = vertices + rng.normal(size=vertices.shape) * 0.02
    t1 = t0 * [-0.4, 1.0, 1.0] + rng.normal(size=vertices.shape) * 0.3
    answers = []
    for scale in (1.0, 2.0**exponent):
        soft = tocsin.Deformable(scale * t0, faces=faces, name="soft")
        hit = tocsin.Scene(soft).first_contact(soft.move(scale * t0, scale * t1))
        answers.append((hit.status, hit.time))
    assert answers[0] == answers[1]
    assert answers[0][0] is Status.CONTACT


def test_the_answer_has_the_same_bits_whatever_the_number_of_threads():
    rng = np.random.default_rng(5)
    vertices, faces = sheet(30)
    t1 = vertices * [-0.4, 1.0, 1.0] + rng.normal(size=vertices.shape) * 0.1
    soft = tocsin.Deformable(vertices, faces=faces, name="soft")
    move, answers = soft.move(vertices, t1), []
    for count in (1, 2, 5):
        scene = tocsin.Scene(soft, threads=count)
        found = scene.contacts(move, every="pair")
        answers.append(
            (scene.first_contact(move).time, found.vertex_face.tolist(), found.vertex_face_time.tolist(),
             found.edge_edge.tolist(), found.edge_edge_time.tolist())
        )  # fmt: skip
    assert len(answers[0][1]) > 100
    assert all(answer == answers[0] for answer in answers)


# --- margins and steps ------------------------------------------------------------------------------------------------


def test_a_margin_is_reached_before_the_contact():
    scene, move = face_and_point([1, 1, 1], [1, 1, -3])
    hit = scene.first_contact(move, margin=0.5, tolerance=TINY)
    assert hit.status is Status.CONTACT
    assert 0.125 - 1e-8 <= hit.time <= 0.125


def test_a_margin_is_kept_when_it_is_never_reached():
    scene, move = face_and_point([1, 1, 1], [1, 1, 0.6])
    assert scene.is_free(move, margin=0.5, tolerance=TINY)
    assert not scene.is_free(move, margin=0.7, tolerance=TINY)


def test_a_safe_step_keeps_the_scene_free_and_is_hardly_shorter_than_it_could_be():
    scene, move = face_and_point([1, 1, 1], [1, 1, -3])
    step = scene.safe_step(move, tolerance=TINY)
    assert 0.25 - 1e-6 <= step < 0.25
    shorter, part = face_and_point([1, 1, 1], [1, 1, 1 - 4 * step])
    assert shorter.is_free(part, tolerance=1e-15)
    assert 0.124 <= scene.safe_step(move, margin=0.5) <= 0.125


def test_a_free_motion_may_be_taken_whole():
    scene, move = face_and_point([1, 1, 1], [1, 1, 0.5])
    assert scene.safe_step(move) == 1.0


# --- what a mesh may be -----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::tocsin.MeshWarning")
@pytest.mark.parametrize(
    ("face", "point"),
    [
        ([[0, 0, 0], [4, 0, 0], [2, 0, 0]], [1, 0, 1]),  # three corners on a line
        ([[0, 0, 0], [4, 0, 0], [4, 0, 0]], [1, 0, 1]),  # two corners in one place
        ([[1, 0, 0], [1, 0, 0], [1, 0, 0]], [1, 0, 1]),  # all corners in one place
    ],
)
def test_a_degenerate_face_is_the_segment_or_point_that_it_is(face, point):
    down = np.subtract(point, [0, 0, 4])
    scene, move = face_and_point(point, down, face=np.array(face, float))
    hit = scene.first_contact(move, tolerance=TINY)
    assert hit.status is Status.CONTACT
    assert 0.25 - 1e-8 <= hit.time <= 0.25
    beside = np.add(point, [0, 1e-3, 0])
    scene, move = face_and_point(beside, beside - [0, 0, 4], face=np.array(face, float))
    assert scene.is_free(move, tolerance=TINY)


def test_a_face_that_names_a_vertex_twice_is_the_segment_that_it_is():
    t0 = np.array([[0.0, 0, 0], [4, 0, 0], [1, 0, 1]])
    soft = tocsin.Deformable(t0, faces=[[0, 1, 1]], points=[2], name="soft")
    t1 = t0 + [[0, 0, 0], [0, 0, 0], [0, 0, -4]]
    hit = tocsin.Scene(soft).first_contact(soft.move(t0, t1), tolerance=TINY)
    assert hit.status is Status.CONTACT
    assert 0.25 - 1e-8 <= hit.time <= 0.25


def test_a_vertex_that_nothing_uses_touches_nothing():
    t0 = np.vstack([FACE, [[1, 1, 1]]])
    soft = tocsin.Deformable(t0, faces=[[0, 1, 2]], name="soft")
    t1 = t0.copy()
    t1[3, 2] = -3.0
    assert tocsin.Scene(soft).is_free(soft.move(t0, t1))


def test_duplicated_vertices_are_legal_and_touch_unless_they_are_welded():
    """Two faces with copies of their common corners: they touch from the start, as the soup says, with a warning."""
    t0 = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    with pytest.warns(tocsin.MeshWarning, match="weld"):
        soft = tocsin.Deformable(t0, faces=[[0, 1, 2], [3, 5, 4]], name="soup")
    hit = tocsin.Scene(soft).first_contact(soft.move(t0, t0 + [0, 0, 1.0]))
    assert (hit.status, hit.time) == (Status.INITIAL_CONTACT, 0.0)
    welded = tocsin.Deformable(t0, faces=[[0, 1, 2], [3, 5, 4]], name="soup", weld=True)
    assert tocsin.Scene(welded).is_free(welded.move(t0, t0 + [0, 0, 1.0]))


def test_a_soup_in_which_three_faces_share_an_edge_is_legal():
    t0 = np.array([[0.0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.5, 0, 1], [0.5, -1, 0]])
    soft = tocsin.Deformable(t0, faces=[[0, 1, 2], [0, 1, 3], [0, 1, 4]], name="fan")
    assert tocsin.Scene(soft).is_free(soft.move(t0, t0 + [0.0, 0, 1]))
    t1 = t0.copy()
    t1[3] = [0.5, 1.5, -0.5]  # the middle face folds through the first
    assert not tocsin.Scene(soft).is_free(soft.move(t0, t1))


def test_an_empty_mesh_warns_and_touches_nothing():
    with pytest.warns(tocsin.MeshWarning):
        soft = tocsin.Deformable(np.zeros((0, 3)), faces=np.zeros((0, 3), int), name="nothing")
    other = tocsin.Deformable(FACE, faces=[[0, 1, 2]], name="face")
    scene = tocsin.Scene(soft, other)
    assert scene.is_free(other.move(FACE, FACE + [0, 0, 1.0]))


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused_at_the_door(bad):
    broken = FACE.copy()
    broken[1, 2] = bad
    with pytest.raises(tocsin.TocsinError, match="finite"):
        tocsin.Deformable(broken, faces=[[0, 1, 2]])
    soft = tocsin.Deformable(FACE, faces=[[0, 1, 2]])
    for ends in ((broken, FACE), (FACE, broken)):
        with pytest.raises(ValueError, match="finite"):
            soft.move(*ends)


@pytest.mark.parametrize("rows", [0, 2, 4])
def test_the_wrong_number_of_vertices_is_refused_with_both_numbers(rows):
    soft = tocsin.Deformable(FACE, faces=[[0, 1, 2]], name="towel")
    with pytest.raises(tocsin.TocsinError, match="3") as refused:
        soft.move(FACE, np.zeros((rows, 3)))
    assert str(rows) in str(refused.value)


def test_faces_that_name_no_vertex_are_refused():
    for faces in ([[0, 1, 3]], [[0, 1, -1]]):
        with pytest.raises(tocsin.TocsinError):
            tocsin.Deformable(FACE, faces=faces)


def test_wrong_shapes_are_refused():
    for vertices in (np.zeros((3, 2)), np.zeros(9), "cloth"):
        with pytest.raises(tocsin.TocsinError):
            tocsin.Deformable(vertices, faces=[[0, 1, 2]])


# --- partners ---------------------------------------------------------------------------------------------------------


def test_a_cloth_falls_onto_a_rigid_ball():
    vertices, faces = sheet(8, z=2.0)
    cloth = tocsin.Deformable(vertices, faces=faces, name="cloth")
    ball = tocsin.Body(tocsin.Sphere(radius=0.5), name="ball")
    scene = tocsin.Scene(cloth, ball)
    fall = vertices - [0.0, 0.0, 4.0]
    hit = scene.first_contact(cloth.move(vertices, fall))
    # The sheet has a diagonal or an edge over the middle; there it reaches the top of the ball at z = 0.5.
    assert hit.status is Status.CONTACT
    assert hit.time == pytest.approx(1.5 / 4.0, abs=5e-3)
    assert hit.time <= 1.5 / 4.0 + 1e-2
    assert {hit.contacts[0].model_a, hit.contacts[0].model_b} == {"cloth", "ball"}


def test_a_turning_body_follows_its_arc_and_not_a_chord():
    """A blade turns by half a turn about z; a patch of cloth stands where the arc passes and a chord would not."""
    blade = tocsin.Body(
        tocsin.Mesh(np.array([[0.9, -0.01, -0.5], [1.0, 0.0, 0.5], [0.9, 0.01, 0.5]]), [[0, 1, 2]]), name="blade"
    )
    patch = np.array([[-0.05, 0.95, -0.1], [0.05, 0.95, -0.1], [0.0, 0.95, 0.1]])
    cloth = tocsin.Deformable(patch, faces=[[0, 1, 2]], name="patch")
    scene = tocsin.Scene(blade, cloth)
    turn = blade.move(pose(), pose(turn=3.0))
    hit = scene.first_contact(turn)
    assert hit.status is Status.CONTACT
    assert hit.time == pytest.approx(0.5 * math.pi / 3.0, abs=0.05)
    inside = tocsin.Deformable(patch * [1.0, 0.5, 1.0], faces=[[0, 1, 2]], name="patch")
    assert tocsin.Scene(blade, inside).is_free(turn)


def test_one_question_across_an_arm_and_a_cloth_that_both_move():
    builder = tocsin.RobotBuilder("arm")
    builder.link("base", tocsin.Cylinder(radius=0.1, length=0.1))
    builder.link(
        "rod", (tocsin.Capsule(radius=0.05, length=0.6), (0, 0, 0.4)), parent="base", joint="revolute", axis=(0, 1, 0)
    )
    arm = builder.build()
    vertices, faces = sheet(8)
    hanging = vertices[:, [2, 0, 1]] + [1.5, 0.0, 0.0]
    cloth = tocsin.Deformable(hanging, faces=faces, name="cloth")
    scene = tocsin.Scene(arm, cloth)
    swing = arm.move([0.0], [math.pi / 2])
    assert scene.is_free(swing)  # the cloth stands beyond the reach of the arm
    hit = scene.first_contact(swing, cloth.move(hanging, hanging - [1.2, 0.0, 0.0]))
    assert hit.status is Status.CONTACT
    assert 0.2 < hit.time < 0.9
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} >= {"rod"}


def test_two_cloths_meet_and_each_meets_itself():
    vertices, faces = sheet()
    low, high = (
        tocsin.Deformable(vertices, faces=faces, name="low"),
        tocsin.Deformable(vertices + [0.01, 0.02, 1.0], faces=faces, name="high"),
    )
    scene = tocsin.Scene(low, high)
    hit = scene.first_contact(high.move(high.vertices, high.vertices - [0.0, 0.0, 2.0]))
    assert hit.status is Status.CONTACT
    assert hit.time == pytest.approx(0.5, abs=1e-3)
    assert hit.time <= 0.5
    folded = vertices * [1.0, 1.0, 1.0]
    folded[vertices[:, 0] > 0.5, 0] -= 1.9
    folded[vertices[:, 0] > 0.5, 2] -= 0.3
    folded[vertices[:, 0] < -0.5, 2] -= 0.6
    alone = scene.first_contact(low.move(vertices, folded))
    assert alone.collides == (not tocsin.Scene(low).is_free(low.move(vertices, folded)))


# --- every pair -------------------------------------------------------------------------------------------------------


def test_every_touching_pair_is_reported_with_its_own_first_time():
    rng = np.random.default_rng(11)
    t0 = rng.uniform(-1, 1, (18, 3))
    t1 = t0 + rng.normal(size=t0.shape) * 0.4
    faces = np.arange(18).reshape(6, 3)
    soft = tocsin.Deformable(t0, faces=faces, name="soup")
    found = tocsin.Scene(soft).contacts(soft.move(t0, t1), every="pair", tolerance=1e-10)
    expected, seen = {}, {}
    for vertex in range(18):
        for face in range(6):
            if vertex not in faces[face]:
                rows = [vertex, *faces[face]]
                expected[VERTEX_FACE, vertex, face] = feature_pairs.first_contact(VERTEX_FACE, t0[rows], t1[rows])
    edges = np.asarray(soft.edges)
    for a in range(len(edges)):
        for b in range(a + 1, len(edges)):
            if not set(edges[a]) & set(edges[b]):
                rows = [*edges[a], *edges[b]]
                expected[EDGE_EDGE, a, b] = feature_pairs.first_contact(EDGE_EDGE, t0[rows], t1[rows])
    for (vertex, face), time in zip(found.vertex_face.tolist(), found.vertex_face_time.tolist()):
        seen[VERTEX_FACE, vertex, face] = time
    for pair, time in zip(found.edge_edge.tolist(), found.edge_edge_time.tolist()):
        seen[EDGE_EDGE, min(pair), max(pair)] = time
    touching = {pair: when for pair, when in expected.items() if when is not None}
    assert seen.keys() == touching.keys()
    assert len(touching) > 5
    for pair, when in touching.items():
        assert Fraction(seen[pair]) <= when.hi
        rows = [pair[1], *faces[pair[2]]] if pair[0] == VERTEX_FACE else [*edges[pair[1]], *edges[pair[2]]]
        assert feature_gaps.exact_squared_distance(pair[0], t0[rows], t1[rows], seen[pair]) <= Fraction(1e-10) ** 2
    assert (np.diff(found.vertex_face_time) >= 0).all()
    assert (np.diff(found.edge_edge_time) >= 0).all()
    assert tocsin.Scene(soft).first_contact(soft.move(t0, t1), tolerance=1e-10).time <= min(
        w.hi for w in touching.values()
    )


def test_every_triangle_has_its_first_time():
    vertices, faces = sheet()
    t0 = np.vstack([vertices, [[0.05, 0.03, 1.0]]])
    t1 = np.vstack([vertices, [[0.05, 0.03, -1.0]]])
    soft = tocsin.Deformable(t0, faces=faces, points=[len(vertices)], name="sheet")
    times = tocsin.Scene(soft).contacts(soft.move(t0, t1), every="triangle", tolerance=TINY)["sheet"]
    assert times.shape == (len(faces),)
    assert np.isfinite(times).sum() == 1
    assert 0.5 - 1e-8 <= times.min() <= 0.5
