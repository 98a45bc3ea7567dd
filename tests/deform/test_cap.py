"""The cap of a question bounds all its work, counted here and not timed: tests, lists, slabs, stretches, samples."""

import numpy as np
import pytest

import tocsin
from effort import little_work
from tocsin import Status
from tocsin.advancement import work as work_of_links
from tocsin.deform import mesh_state, run, slabs
from tocsin.deform.narrow import CHEAP, CHUNK, ELEMENTS, NODES, STEPS
from tocsin.limits import MAX_STEPS

TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def work(answer):
    """Return all that the kernels counted, in steps of the cap."""
    counts = answer._question.counts
    return int(counts[STEPS] + counts[ELEMENTS] + counts[NODES]) // CHEAP


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.filterwarnings("ignore::tocsin.MeshWarning")
def test_faces_on_the_same_three_vertices_are_given_up_at_the_cap(threads):
    """They never touch each other, and each of their 12.5 million pairs is looked at."""
    heap = tocsin.Deformable(TRIANGLE, np.tile([[0, 1, 2]], (5000, 1)), name="heap")
    scene = tocsin.Scene(heap, threads=threads)
    answer = scene.first_contact(heap.move(TRIANGLE, TRIANGLE + (0, 0, 1)), max_steps=20_000)
    assert answer.status is Status.CAPPED
    assert answer.time == 0.0
    once = 20_000 + 4 * CHUNK * threads  # what was begun is finished
    assert work(answer) <= (once if threads == 1 else 2 * once)


def sheet(n):
    """Return the vertices and faces of a square of n times n vertices."""
    x = np.linspace(-1.0, 1.0, n)
    vertices = np.stack(np.meshgrid(x, x, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    i = np.arange(n * n).reshape(n, n)
    corners = [i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, :-1], i[1:, 1:], i[:-1, 1:]]
    return vertices, np.stack(corners, axis=-1).reshape(-1, 3)


@pytest.mark.parametrize("every", [None, "pair"])
def test_stretches_are_charged_though_nothing_is_near(every):
    """A film of 5,000 frames without a contact: work is that of the frames that the cap pays for."""
    vertices, faces = sheet(4)
    cloth = tocsin.Deformable(vertices, faces, name="cloth")
    film = cloth.follow([vertices + (0.0, 0.0, k) for k in range(5000)])
    scene = tocsin.Scene(cloth, threads=1)
    short = cloth.follow(film.frames[:4])  # compiles what is asked, and loads it
    assert scene.is_free(short)
    assert not len(scene.contacts(short, every="pair"))
    with little_work(100_000):
        if every:
            assert not scene.contacts(film, every=every, max_steps=5000).complete
        else:
            answer = scene.first_contact(film, max_steps=5000)
            assert answer.status is Status.CAPPED
            assert 0.0 < answer.time < 0.02


def test_points_inside_a_solid_are_looked_for_up_to_the_cap():
    """Every point is a part of its own, and each is held against all faces."""
    n = 500
    points = np.random.default_rng(1).uniform(-0.4, 0.4, (n, 3))
    dust = tocsin.Deformable(points, points=np.arange(n), name="dust", self_contact=False)
    solid = tocsin.Body(tocsin.Sphere(1.0).tessellate(64), solid=True, name="solid")
    scene = tocsin.Scene(dust, solid, threads=1)
    still = dust.move(points, points)
    whole = scene.contacts(still)
    assert whole.complete
    assert len(whole) == n
    part = scene.contacts(still, max_steps=2_000)
    assert not part.complete
    assert len(part) < n


def test_a_list_of_slabs_is_charged_for_looking_through_what_is_known(monkeypatch):
    """A box that turns in a sheet: each slab lists again what is known, and is charged for both."""
    vertices, faces = sheet(12)
    cloth = tocsin.Deformable(vertices, faces, name="cloth")
    box = tocsin.Body(tocsin.Box((0.5, 0.5, 0.5)), name="box")
    turn = np.eye(4)
    turn[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]
    scene = tocsin.Scene(cloth, box, threads=1)
    charged = []
    monkeypatch.setattr(slabs, "SORTED", 1)
    monkeypatch.setattr(run.Budget, "spend", lambda self, steps: charged.append(steps))
    found = scene.contacts(cloth.move(vertices, vertices + (0, 0, 0.01)), box.move(np.eye(4), turn))
    assert len(found) > 10
    assert max(charged) >= len(found)


def test_the_default_cap_stands_for_a_few_million_tests():
    """A microsecond or less each: what nothing else ends is given up within seconds."""
    assert CHEAP * MAX_STEPS <= 8_000_000
    assert work_of_links.FIRST_TESTS + work_of_links.TESTS_A_STEP * MAX_STEPS <= 5_000_000


def test_a_cloth_among_links_is_fitted_once_for_all_of_them(monkeypatch):
    """And what it was fitted to is let go of when the question ends."""
    vertices, faces = sheet(4)
    cloth = tocsin.Deformable(vertices, faces, name="cloth")
    boxes = [tocsin.Body(tocsin.Box((1, 1, 1)), place, name=f"box{k}") for k, place in enumerate(np.eye(3) * 9.0)]
    fits = []
    fitted = mesh_state.MeshState._fitted
    monkeypatch.setattr(mesh_state.MeshState, "_fitted", lambda self, *how: fits.append(self) or fitted(self, *how))
    assert tocsin.Scene(cloth, *boxes, threads=1).is_free(cloth.move(vertices, vertices + (0, 0, 0.1)))
    assert fits.count(cloth.kept["soft"]) == 1
    assert not any(mesh._last for mesh in fits)
