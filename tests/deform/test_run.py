"""Asking about pairs of deformable models: budgets, blocks that cover everything once, and answers of one or many."""

from types import SimpleNamespace

import numpy as np
import pytest

import tocsin
from tocsin.deform.hierarchy import LEVELS
from tocsin.deform.narrow import ANY, EVERY, FIRST
from tocsin.deform.run import FITTED, SLAB, Budget, _own, _parted, _whole, ended, nothing, undecided
from tocsin.deform.traverse import BESIDE, RINGS
from tocsin.outcome import CAPPED


def test_a_budget_is_charged_whether_there_is_so_much_or_not():
    budget = Budget(100)
    budget.spend(30)
    model = SimpleNamespace(given=SimpleNamespace(corners=np.zeros((5 * FITTED, 3))))
    budget.fit(model)
    assert budget.left == 100 - 30 - SLAB - 5
    budget.spend(1000)
    assert budget.left < 0


@pytest.mark.parametrize("parts", [1, 3, 7])
def test_a_models_own_tasks_cover_octets_and_rings_once(parts):
    tasks = _own(20, 5, parts)
    for kind, count in ((BESIDE, 20), (RINGS, 5)):
        covered = [k for first, last, what in tasks.tolist() if what == kind for k in range(first, last)]
        assert covered == list(range(count))
    assert _own(0, 0, 4).shape == (0, 3)


def test_on_one_thread_every_pair_is_one_block():
    tasks, blocks = _whole(((20, 5), (0, 0), (0, 7)))
    top = [0, 0, LEVELS - 1]
    assert tasks.tolist() == [top, [0, 20, BESIDE], [0, 5, RINGS], top, top, [0, 7, RINGS]]
    assert blocks.tolist() == [[0, 3, 0], [3, 4, 1], [4, 6, 2]]
    assert [len(part) for part in _whole(())] == [0, 0]


def test_models_whose_boxes_are_farther_apart_than_matters_are_not_asked():
    def parted(gap, by, axis):
        a, b = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
        b[axis], b[axis + 3] = 1.0 + gap, 2.0 + gap
        found = _parted(a, b, by)
        assert _parted(b, a, by) == found, "whichever comes first"
        return found

    for axis in range(3):
        assert parted(0.2, 0.11, axis)
        assert not parted(0.1, 0.11, axis)
        assert not parted(-0.5, 0.0, axis)


def test_what_ended_before_it_began_says_nothing_is_known():
    assert not ended(EVERY).complete
    assert len(ended(EVERY).hits) == 0
    for question in (FIRST, ANY):
        told = ended(question)
        assert told.hits[0]["status"] == CAPPED
        assert told.hits[0]["time"] == 0.0
    assert undecided(0.5).hits[0]["time"] == 0.5
    assert nothing().complete


def test_the_answer_is_the_same_on_one_thread_and_on_several():
    rng = np.random.default_rng(1)
    x, y = np.meshgrid(np.linspace(0, 1, 12), np.linspace(0, 1, 12))
    vertices = np.column_stack([x.ravel(), y.ravel(), np.zeros(144)])
    k = np.arange(144).reshape(12, 12)
    faces = np.concatenate([
        np.stack([k[:-1, :-1], k[1:, :-1], k[:-1, 1:]], -1).reshape(-1, 3),
        np.stack([k[1:, :-1], k[1:, 1:], k[:-1, 1:]], -1).reshape(-1, 3),
    ])  # fmt: skip
    ends = vertices + rng.normal(size=vertices.shape) * [0.0, 0.0, 0.05] - [0.0, 0.0, 0.5]
    found = []
    for threads in (1, 2):
        cloth = tocsin.Deformable(vertices, faces, name="cloth")
        scene = tocsin.Scene(cloth, tocsin.Body(tocsin.Sphere(0.2), (0.5, 0.5, -0.4), name="ball"), threads=threads)
        hit = scene.first_contact(cloth.move(vertices, ends))
        found.append((hit.status, hit.time))
    assert found[0] == found[1]
    assert found[0][0] is tocsin.Status.CONTACT
