"""The tree over moving models finds exactly the pairs whose boxes overlap, in order, however it was built."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.advancement.workspace import make_workspace
from tocsin.broad_phase import model_tree
from tocsin.broad_phase.model_tree import BUILT, done, make_model_tree, overlapping, set_leaves

from .test_aabb_tree import random_boxes

STACK = make_workspace().stack


@pytest.fixture
def always(monkeypatch):
    """Trees over as few models as there are."""
    monkeypatch.setattr(model_tree, "FEW", 0)


def truth(boxes):
    """All pairs of boxes that overlap or touch, in order."""
    lo, hi = boxes[:, :3], boxes[:, 3:]
    meet = np.all((lo[:, None] <= hi[None]) & (lo[None] <= hi[:, None]), axis=2)
    return [(int(i), int(k)) for i, k in np.argwhere(np.triu(meet, 1))]


def found(tree, boxes):
    tree.leaves[:] = boxes
    set_leaves(tree)
    pairs = []
    for i in range(len(boxes)):
        n = overlapping(tree, i, STACK)
        pairs += [(i, int(k)) for k in tree.found[:n]]
    done(tree)
    return pairs


def lattice(side, size):
    """Boxes on a lattice of step 1; of size 1 they touch exactly."""
    place = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3).astype(float)
    return np.hstack([place, place + size])


def empty(n):
    return np.tile([math.inf] * 3 + [-math.inf] * 3, (n, 1))


def crowds(rng):
    """Boxes at random, and at round places."""
    n = int(rng.integers(2, 80))
    tiny = random_boxes(rng, n, 0.01)
    yield random_boxes(rng, n, 0.3)
    yield tiny
    yield np.vstack([tiny, [[-9.0] * 3 + [9.0] * 3], tiny + 1e9])
    yield lattice(4, 1.0)[rng.permutation(64)]
    yield lattice(4, 0.999)
    yield np.zeros((n, 6))
    yield np.tile([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], (n, 1))
    yield np.vstack([tiny, empty(3), random_boxes(rng, n, 1.0), empty(1)])[rng.permutation(2 * n + 4)]
    yield empty(5)


def test_pairs_are_those_of_brute_force(always):
    for seed in range(20):
        for boxes in crowds(np.random.default_rng(seed)):
            assert found(make_model_tree(len(boxes)), boxes) == truth(boxes)


@pytest.mark.pure
def test_pairs_of_a_few_are_those_of_brute_force(always):
    for boxes in crowds(np.random.default_rng(3)):
        assert found(make_model_tree(len(boxes)), boxes) == truth(boxes)


def test_a_tree_that_is_kept_while_boxes_move_finds_the_same_pairs(always):
    rng = np.random.default_rng(5)
    boxes = random_boxes(rng, 300, 0.2)
    tree = make_model_tree(300)
    rate = rng.uniform(-0.05, 0.05, (300, 3))
    built = []
    for _ in range(60):
        boxes += np.hstack([rate, rate])
        assert found(tree, boxes) == truth(boxes)
        built.append(tree.child.tobytes())
    assert 1 < len(set(built)) < 20, "built again now and then, and not every time"
    boxes = boxes[rng.permutation(300)]
    assert found(tree, boxes) == truth(boxes), "models that change places make a bad tree, not a wrong one"


def test_the_work_grows_like_the_number_of_models():
    tests = []
    for side in (10, 20):
        boxes = lattice(side, 0.9)
        tree = make_model_tree(len(boxes))
        assert found(tree, boxes) == []
        tests.append(int(tree.memory[BUILT]) / len(boxes))
    assert tests[1] < 1.5 * tests[0] < 60


def scene_of(rng):
    """Bodies, point clouds of several shapes and arms that may touch themselves; rules and margins of their own."""
    models, moves = [], []
    for i in range(24):
        place = rng.uniform(-1.5, 1.5, 3)
        if i % 4 == 0:
            arm = tocsin.RobotBuilder(f"arm{i}")
            arm.link("link0", tocsin.Box((0.1, 0.1, 0.1)))
            for k in range(1, 5):
                arm.link(
                    f"link{k}", tocsin.Capsule(0.03, 0.2), parent=f"link{k - 1}", joint="revolute",
                    axis=tuple(rng.permutation([0.0, 1.0, 0.0])), origin=(0.0, 0.0, 0.3),
                )  # fmt: skip
            robot = arm.build()
            robot.place(place)
            models.append(robot)
            q = rng.uniform(-2.0, 2.0, 4)
            moves.append(robot.move(q, q + rng.uniform(-0.6, 0.6, 4)))
        else:
            shape = tocsin.Box(rng.uniform(0.05, 0.4, 3))
            if i % 4 == 3:
                shape = [(tocsin.Sphere(0.05), rng.uniform(-0.2, 0.2, 3)) for _ in range(5)]
            body = tocsin.Body(shape, place, name=f"body{i}")
            models.append(body)
            if i % 3:
                moves.append(body.move(place, place + rng.uniform(-0.4, 0.4, 3)))
    scene = tocsin.Scene(*models, charts=False)
    scene.margins["body1", "body2"] = 0.2
    scene.margins["arm0", "body5"] = 0.01
    scene.ignore("body3", "body6")
    return scene, moves


def test_answers_are_the_same_bits_with_and_without_the_tree(monkeypatch):
    for seed in range(6):
        told = []
        for few in (0, 10**6):
            monkeypatch.setattr(model_tree, "FEW", few)
            scene, moves = scene_of(np.random.default_rng(seed))
            story = []
            for part in (moves, moves[::-1], moves[::2]):
                hit = scene.first_contact(*part)
                counts = {k: v for k, v in vars(hit.stats).items() if k != "seconds"}
                story += [hit.status, hit.time, counts, [(c.link_a, c.link_b, c.distance) for c in hit.contacts]]
                story += [scene.is_free(*part), scene.first_contact(*part, method="interval").time]
                story.append([(i.link_a, i.link_b, i.enter, i.exit) for i in scene.contact_intervals(*part)])
            told.append(story)
        assert told[0] == told[1]
