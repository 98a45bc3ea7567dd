"""What deformable models do not answer is refused by name, never overlooked."""

import numpy as np
import pytest

import tocsin

TRIANGLE = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])


@pytest.fixture
def scene():
    cloth = tocsin.Deformable(TRIANGLE, [[0, 1, 2]], name="cloth")
    robot = tocsin.RobotBuilder("arm").link("root", tocsin.Sphere(0.1)).build()
    return tocsin.Scene(cloth, robot)


@pytest.mark.parametrize(
    "ask",
    [
        lambda scene: scene.contact_intervals(),
        lambda scene: tocsin.audit(scene, scene.models[1], np.zeros((2, 0))),
        lambda scene: scene.contacts(every="contact"),
    ],
)
def test_questions_about_links_name_the_deformable_model(scene, ask):
    with pytest.raises(tocsin.TocsinError, match="'cloth' is deformable"):
        ask(scene)


def test_an_edge_through_a_needle_is_never_taken_for_free():
    for width in (1e-3, 1e-9, 1e-12, 1e-14):
        needle = np.array([[0.0, 0, 0], [1, 0, 0], [0.5, width, 0]])
        thread = np.array([[0.4, 0.2 * width, -5e-5], [0.6, 0.2 * width, 5e-5]])
        model = tocsin.Deformable(np.concatenate([needle, thread]), [[0, 1, 2]], edges=[[3, 4]], name="cloth")
        hit = tocsin.Scene(model).first_contact(model.move(model.vertices, model.vertices), tolerance=1e-17)
        assert hit.collides, width
        assert hit.time == 0.0


def test_an_unknown_method_is_refused_without_links_too(scene):
    cloth = scene.models[0]
    with pytest.raises(tocsin.TocsinError, match="method must be one of"):
        scene.first_contact(cloth.move(cloth.vertices, cloth.vertices), method="magic")


@pytest.mark.parametrize("ask", [tocsin.vertex_face_times, tocsin.edge_edge_times])
@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("kind", [np.complex128, np.complex64, np.str_, object])
def test_times_of_pairs_are_of_real_numbers(ask, which, kind):
    shapes = [(1, 3), (1, 3), (1, 3, 3), (1, 3, 3)] if ask is tocsin.vertex_face_times else [(1, 2, 3)] * 4
    arrays = [np.arange(np.prod(shape), dtype=float).reshape(shape) for shape in shapes]
    arrays[which] = np.full(shapes[which], 1j, object) if kind is object else arrays[which].astype(kind)
    with pytest.raises(tocsin.TocsinError, match=r"must be .*numbers"):
        ask(*arrays)
