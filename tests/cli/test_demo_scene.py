"""The demonstration's scene: its meshes are closed, and the two thin plates meet for a moment that samples miss."""

import numpy as np
import pytest

from tocsin.cli.demo_scene import END, START, _ring, _turned, build


def volume(mesh):
    """Of a closed surface, by the divergence theorem: positive where triangles look outwards."""
    a, b, c = (np.asarray(mesh.vertices)[np.asarray(mesh.faces)[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def edges_of(mesh):
    faces = np.asarray(mesh.faces)
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])


@pytest.mark.parametrize("mesh", [_turned((0, 0), (1, 0), (1, 2), (0, 2)), _ring(2.0, 0.5)], ids=["lathe", "ring"])
def test_meshes_are_closed_and_look_outwards(mesh):
    edges = edges_of(mesh)
    there = {tuple(edge) for edge in edges.tolist()}
    assert len(there) == len(edges), "no edge is passed twice in one direction"
    assert all((b, a) in there for a, b in there)
    assert volume(mesh) > 0.0


def test_a_lathe_turns_a_cylinder_and_a_ring_is_a_torus():
    assert volume(_turned((0, 0), (1, 0), (1, 2), (0, 2), sections=400)) == pytest.approx(2.0 * np.pi, rel=1e-3)
    assert volume(_ring(2.0, 0.5, around=200)) == pytest.approx(2.0 * np.pi**2 * 2.0 * 0.25, rel=2e-3)


def test_the_swing_goes_from_start_to_end_within_limits():
    demo = build()
    assert demo.at(0.0) == pytest.approx(START)
    assert demo.at(1.0) == pytest.approx(END)
    assert demo.motion.model is demo.robot
    assert demo.scene.names[0] == "arm"
