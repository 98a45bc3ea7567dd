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
        lambda scene: scene.distance(),
        lambda scene: scene.contact_intervals(),
        lambda scene: tocsin.audit(scene, scene.models[1], np.zeros((2, 0))),
        lambda scene: tocsin.save_picture("never.png", scene),
        lambda scene: tocsin.save_page("never.html", scene),
    ],
)
def test_questions_about_links_name_the_deformable_model(scene, ask):
    with pytest.raises(tocsin.TocsinError, match="'cloth' is deformable"):
        ask(scene)
