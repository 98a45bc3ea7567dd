"""Edges that come as near as they move: no wavefront calls one free that the engine on threads finds in contact."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from promise.scenes import at, box_mesh
from tocsin import Body, Box, Capsule, Mesh, RobotBuilder, Scene
from tocsin.outcome import FREE
from wavefront.cells import on_host

BAR = (1.0, 0.1, 0.06)


def turned_edges(rng, count, most_turn):
    """Poses of a bar over a plate at z = 0: in the middle of an edge it is level, at a height that its way may take."""
    turns = rng.normal(size=(count, 3))
    turns *= (most_turn * rng.uniform(size=count) / np.linalg.norm(turns, axis=1))[:, None]
    ways = rng.uniform(-0.03, 0.03, (count, 3)) * rng.integers(0, 2, (count, 1))
    height = 0.03 + rng.uniform(size=count) * (0.5 * np.linalg.norm(turns, axis=1) + 0.5 * np.abs(ways[:, 2]))
    Q = np.tile(np.eye(4), (2, count, 1, 1))
    for end, sign in enumerate((-0.5, 0.5)):
        Q[end, :, :3, :3] = Rotation.from_rotvec(sign * turns).as_matrix()
        Q[end, :, :3, 3] = sign * ways
        Q[end, :, 2, 3] += height
    return Q


def false_free(scene, model, Q0, Q1):
    """Return (edges called free that touch, edges that touch, edges called free)."""
    free = on_host(scene, model, Q0, Q1) == FREE
    touch = scene.first_contacts(model, Q0, Q1).collides
    return np.flatnonzero(free & touch).tolist(), touch.sum(), free.sum()


@pytest.mark.parametrize("shapes", ["meshes", "solids", "mesh and solid"])
@pytest.mark.parametrize("most_turn", [0.02, 0.2, 2.0])
def test_a_bar_that_tilts_over_a_plate_is_not_called_free(shapes, most_turn):
    bar = Box(BAR) if shapes == "solids" else Mesh(*box_mesh(*BAR))
    plate = Mesh(*box_mesh(3.0, 3.0, 0.2)) if shapes == "meshes" else Box((3.0, 3.0, 0.2))
    body = Body(bar, name="bar")
    scene = Scene(body, Body(plate, at(0, 0, -0.1), name="plate"))
    Q0, Q1 = turned_edges(np.random.default_rng(11), 250, most_turn)
    wrong, touching, free = false_free(scene, body, Q0, Q1)
    assert wrong == []
    assert touching > 50
    assert free > 50


@pytest.mark.parametrize("away", [False, True])
@pytest.mark.parametrize("solid", [False, True])
def test_what_parts_from_a_contact_or_ends_in_one_is_not_called_free(solid, away):
    """Straight ways, and gaps at the near end from less than nothing on; on lattice directions too."""
    body = Body(Capsule(0.05, 0.3) if solid else Mesh(*box_mesh(0.1, 0.1, 0.4)), name="peg")
    scene = Scene(body, Body(Box((1.0, 1.0, 0.2)) if solid else Mesh(*box_mesh(1.0, 1.0, 0.2)), at(0, 0, -0.1)))
    rng = np.random.default_rng(12)
    near = rng.uniform(-0.6, 0.6, (200, 3))
    near[:, 2] = 0.2 + rng.choice([-1e-3, -1e-9, 0.0, 1e-9, 1e-3, 0.01], 200)
    far = near + rng.uniform(-0.2, 0.2, (200, 3)) + (0.0, 0.0, 0.25)
    far[::5, :2] = near[::5, :2]
    wrong, touching, free = false_free(scene, body, *((near, far) if away else (far, near)))
    assert wrong == []
    assert touching > 40
    assert free > 20


@pytest.mark.parametrize("solid", [False, True])
def test_a_swing_around_a_block_is_not_called_free(solid):
    """On the inside of a swing the gap is widest in the middle: only the acceleration tells that it closes."""
    builder = RobotBuilder("swing")
    builder.link("base", Box((0.05, 0.05, 0.05)))
    blade = Box((0.1, 0.05, 0.3)) if solid else Mesh(*box_mesh(0.1, 0.05, 0.3))
    builder.link("blade", (blade, at(1.05)), parent="base", joint="revolute", axis=(0, 0, 1))
    robot = builder.build()
    rng = np.random.default_rng(13)
    middle, half = rng.uniform(-0.05, 0.05, 120), rng.uniform(0.02, 0.7, 120)
    found = 0
    for face in (0.6, 0.9, 0.98, 0.995):
        block = Body(Box((0.4, 0.9, 0.2)) if solid else Mesh(*box_mesh(0.4, 0.9, 0.2)), at(face - 0.2), name="block")
        scene = Scene(robot, block)
        wrong, touching, _ = false_free(scene, robot, (middle - half)[:, None], (middle + half)[:, None])
        assert wrong == []
        found += touching
    assert found > 60
