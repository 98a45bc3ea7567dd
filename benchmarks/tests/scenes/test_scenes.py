"""The benchmark scenes are what they are said to be: sizes, closed surfaces, apart at rest, and they can be asked."""

import numpy as np
import pytest

pytest.importorskip("rich")

from tocsin_bench.scenes import cases, chess, gait, mannequin, shapes


def _open_edges(mesh):
    """How many directed edges lack their opposite: 0 for a closed, consistently oriented surface."""
    faces = mesh[1]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    directed = {}
    for a, b in edges.tolist():
        directed[a, b] = directed.get((a, b), 0) + 1
    return sum(abs(count - directed.get((b, a), 0)) for (a, b), count in directed.items())


def _volume(mesh):
    corners = mesh[0][mesh[1]]
    return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0


def test_mannequin_has_15_links_and_20k_triangles():
    meshes = mannequin.meshes()
    assert len(mannequin.LINKS) == len(meshes) == 15
    assert sum(len(faces) for _, faces in meshes.values()) == pytest.approx(20_000, rel=0.1)


def test_chess_pieces_have_101k_triangles_in_all():
    placed = chess.placements()
    assert len(placed) == 16
    assert sum(len(chess.piece(kind)[1]) for _, kind, _ in placed) == pytest.approx(101_000, rel=0.03)


@pytest.mark.parametrize("name", list(mannequin.meshes()))
def test_links_are_closed_and_face_outward(name):
    mesh = mannequin.meshes()[name]
    assert _open_edges(mesh) == 0
    assert _volume(mesh) > 0.0


@pytest.mark.parametrize("kind", list(chess.MAKERS))
def test_pieces_are_closed_and_face_outward(kind):
    assert _open_edges(chess.piece(kind)) == 0
    assert _volume(chess.piece(kind)) > 0.0


@pytest.mark.parametrize(
    ("mesh", "n_triangles", "volume"),
    [
        (shapes.torus(10_000), 10_000, 2.0 * np.pi**2 * 0.35**2),
        (shapes.icosphere(4), 5_120, 4.0 / 3.0 * np.pi),
        (shapes.box((1.0, 2.0, 3.0)), 12, 6.0),
        (shapes.limb(1.0, 0.1, 60, 40, bumps=0.0), 4_800, np.pi * 0.01 * (1.0 + 0.4 / 3.0)),
    ],
)
def test_shapes_have_their_size_and_volume(mesh, n_triangles, volume):
    assert len(mesh[1]) == n_triangles
    assert _open_edges(mesh) == 0
    assert _volume(mesh) == pytest.approx(volume, rel=0.01)


def test_terrain_is_an_open_sheet_and_repeats_by_seed():
    first, again, other = shapes.terrain(4, seed=1), shapes.terrain(4, seed=1), shapes.terrain(4, seed=2)
    assert len(first[1]) == 2 * 4**4
    assert np.array_equal(first[0], again[0])
    assert not np.array_equal(first[0], other[0])


def test_mannequin_is_1_7_m_tall():
    robot = mannequin.build()
    q = gait.exercise(robot, 1).q[0]
    poses = robot.link_poses(q, base=np.eye(4))
    heights = [
        (mannequin.meshes()[name][0] @ pose[:3, :3].T + pose[:3, 3])[:, 2]
        for name, pose in zip(robot.link_names, poses)
    ]
    assert max(map(np.max, heights)) - min(map(np.min, heights)) == pytest.approx(1.7, abs=0.03)


def test_tori_start_apart_and_some_meet_and_some_do_not():
    case = cases.tori(400, 20)
    hits = [case.scene.first_contact(*question) for question in case.questions]
    assert not any(hit.status.name == "INITIAL_CONTACT" for hit in hits)
    assert 0 < sum(hit.collides for hit in hits) < len(hits)


def test_walk_is_free_in_most_frames_and_in_contact_in_some():
    case = cases.walk(90)
    collides = [case.scene.first_contact(*question).collides for question in case.questions]
    assert 0 < sum(collides) < 0.5 * len(collides)


def test_exercise_starts_free_and_claps():
    case = cases.exercise(40)
    collides = [case.scene.first_contact(*question).collides for question in case.questions]
    assert not any(collides[:20])
    assert any(collides)


@pytest.mark.parametrize(
    ("case", "all_ms", "free_ms", "contact_ms"),
    [(cases.walk, 1.22, 0.67, 3.63), (cases.exercise, 0.38, 0.28, 1.69)],
    ids=["walk", "exercise"],
)
def test_as_many_frames_touch_as_in_the_paper(case, all_ms, free_ms, contact_ms):
    made = case()
    touching = np.mean([made.scene.first_contact(*question).collides for question in made.questions])
    half = 0.005  # of the last digit of its figures
    least = (all_ms - free_ms - 2 * half) / (contact_ms - free_ms)
    most = (all_ms - free_ms + 2 * half) / (contact_ms - free_ms)
    assert least <= touching <= most


def test_snake_slides_with_self_contact_on():
    case = cases.snake(12, 3)
    hit = case.scene.first_contact(*case.questions[0])
    posts = len(case.scene.models) - 1
    assert posts > 30
    assert hit.stats.pairs_total == 12 * posts + 12 * 11 // 2 - 11
    assert not hit.collides
