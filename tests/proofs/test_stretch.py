"""The search for proofs remembers what a pair took: it writes proofs all the same, of whatever is asked next."""

import json

import numpy as np
import pytest

from tocsin import Body, Scene, Sphere
from tocsin.proofs import stretch
from tocsin.proofs.prove import Asked
from tocsin.proofs.search import ALONG, HALF_A

from .verdicts import accepts


def ring(n: int = 12, m: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """A torus in the plane z = 0."""
    u, v = (np.linspace(0.0, 2.0 * np.pi, k, endpoint=False) for k in (n, m))
    out = [
        ((0.25 + 0.08 * np.cos(b)) * np.cos(a), (0.25 + 0.08 * np.cos(b)) * np.sin(a), 0.08 * np.sin(b))
        for a in u
        for b in v
    ]
    faces = []
    for i in range(n):
        for k in range(m):
            a, b, c, d = (i % n * m + k % m for i, k in ((i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)))
            faces += [(a, b, c), (a, c, d)]
    return np.array(out), np.array(faces)


def pose(x: float, angle: float) -> np.ndarray:
    """The second ring goes through the first one, at x, turned about its own axis."""
    c, s = np.cos(angle), np.sin(angle)
    out = np.eye(4)
    out[:3, :3] = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    out[0, 3] = x
    return out


def test_what_was_asked_before_changes_the_words_at_most() -> None:
    """Rings through each other, which take a hundred directions; far apart, where one does; and back again."""
    a, b = Body(ring(), name="a"), Body(ring(), pose(0.3, 0.0), name="b")
    scene = Scene(a, b)
    for x in (0.3, 0.3, 0.31, 3.0, 0.31, 0.32, 0.5, 0.3):
        motion = b.move(pose(x, 0.0), pose(x + 0.01, 0.5))
        proof, alone = scene.prove(motion), Scene(a, b).prove(motion)
        assert proof.claim == alone.claim == ("contact" if x == 0.5 else "free")
        assert accepts(json.loads(json.dumps(proof.data)))
        if x == 3.0:
            assert proof.data["free"] == alone.data["free"], "one direction, whatever it took before"
    motion = b.move(pose(0.3, 0.0), pose(0.31, 0.5))
    assert scene.prove(motion).to_bytes() == scene.prove(motion).to_bytes()


def test_a_search_that_stops_goes_on_to_the_same_words() -> None:
    """Whatever it was allowed to look at first: nothing is written twice, and nothing is left out."""
    a, b, c = Body(ring(), name="a"), Body(ring(), pose(0.3, 0.0), name="b"), Body(Sphere(0.1), (0, 0, 0.5), name="c")
    motions = b.follow([pose(0.3, 0.0), pose(0.31, 0.5), pose(0.3, 0.4)]), c.move((0, 0, 0.5), (0.1, 0, 0.45))
    stopped, written = 0, set()
    for first in (0, 1, 5, 30, 10**8):
        scene = Scene(a, b, c).context
        asked = Asked(scene, scene.tables(), motions)
        stopped += not asked.free(0.0, first)
        assert asked.free(0.0, 10**8)
        written.add(tuple(found.tobytes() for found in asked.found))
    assert stopped == 4
    assert len(written) == 1


def test_a_tree_that_does_no_longer_is_made_anew() -> None:
    """The second ring is on the other side: what is written is what a scene writes that has not seen the first."""
    a, b = Body(ring(), name="a"), Body(ring(), pose(0.3, 0.0), name="b")
    scene = Scene(a, b)
    for x in (0.3, -0.3):
        motion = b.move(pose(x, 0.0), pose(x, 0.1))
        assert scene.prove(motion).data["free"] == Scene(a, b).prove(motion).data["free"]


@pytest.fixture
def table() -> tuple[np.ndarray, np.ndarray]:
    trees = np.zeros((2 * stretch.SLABS_KEPT + 1, 4), np.int64)
    trees[-1, 1] = 1
    return np.zeros(20, np.int64), trees


def leaf(n: int) -> np.ndarray:
    return np.array([HALF_A] * (n - 1) + [ALONG, 1, 0, 0] * n, np.int64)


def test_a_tree_is_recalled_for_its_slab_and_for_the_next_one(table: tuple[np.ndarray, np.ndarray]) -> None:
    kept, trees = table
    row, first = stretch.recalled(trees, 1, 0)
    assert first == -1
    stretch.remember(kept, trees, row, leaf(1), 0, 4)
    assert stretch.recalled(trees, 1, 0) == (row, 0)
    assert stretch.recalled(trees, 1, 1)[1] == 0
    assert stretch.recalled(trees, 1, 2)[1] == -1
    assert stretch.recalled(trees, 0, 0)[1] == -1


def test_a_tree_that_has_grown_is_forgotten(table: tuple[np.ndarray, np.ndarray]) -> None:
    kept, trees = table
    stretch.remember(kept, trees, 0, leaf(1), 0, 4)
    stretch.remember(kept, trees, 0, leaf(2), 0, 9)
    assert stretch.recalled(trees, 0, 0)[1] == -1
    stretch.remember(kept, trees, 0, leaf(2), 0, 9)
    assert stretch.recalled(trees, 0, 0)[1] >= 0


def test_trees_are_forgotten_when_there_is_no_room(table: tuple[np.ndarray, np.ndarray]) -> None:
    kept, trees = table
    for row in range(2 * stretch.SLABS_KEPT):
        stretch.remember(kept, trees, row, leaf(1), 0, 4)
        assert trees[row].tolist()[1:3] == [4, 4]
    known = [row for row in range(2 * stretch.SLABS_KEPT) if trees[row, 3] == trees[-1, 1]]
    assert known == [5, 6, 7]
    stretch.remember(kept, trees, 0, np.zeros(40, np.int64), 0, 40)
    assert trees[0, 1] == 0, "longer than the room"
    assert kept[: trees[-1, 0]].tolist() == leaf(1).tolist() * 3
