"""Pictures without a screen: they are PNG files, they show the scene, and the contact is red where it projects to."""

import math

import numpy as np
import pytest

from tocsin.errors import TocsinError
from tocsin.viewer import save_picture, shoot
from tocsin.viewer.render import Camera, Look, RenderScene, paint, write_png

from .scenes import arm_and_plate

Image = pytest.importorskip("PIL.Image", reason="pictures need Pillow")

LEVEL = Camera(np.array([0.0, -5.0, 0.0]), np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]]), 0.5)


def triangle(y, colour, size=1.0):
    render_scene = RenderScene()
    points = size * np.array([(-1.0, 0.0, -1.0), (1.0, 0.0, -1.0), (0.0, 0.0, 1.0)])
    render_scene.add((points + (0.0, y, 0.0), np.array([(0, 1, 2)])), colour)
    return render_scene


def test_a_picture_is_a_png_of_the_asked_size_and_shows_the_contact_in_red(tmp_path):
    scene, motion = arm_and_plate()
    path = save_picture(tmp_path / "new" / "folder" / "a.png", scene, motion, size=(640, 420), samples=50)
    with Image.open(path) as image:
        assert image.format == "PNG"
        assert image.size == (640, 420)
        pixels = np.asarray(image.convert("RGB")).astype(float)
    assert pixels.std() > 10.0
    red = (pixels[..., 0] > 180) & (pixels[..., 1] < 90) & (pixels[..., 2] < 120)
    assert red[: 420 - 110].sum() > 40  # around the contact
    assert red[420 - 110 :].sum() > 10  # on the plot


def test_the_same_question_gives_the_same_picture(tmp_path):
    scene, motion = arm_and_plate()
    first, second = (save_picture(tmp_path / f"{k}.png", scene, motion, size=(400, 320), dark=True) for k in (0, 1))
    assert first.read_bytes() == second.read_bytes()


def test_the_moment_shown_is_the_contact_or_else_the_closest():
    scene, motion = arm_and_plate()
    assert shoot(scene, motion).worth_showing == scene.first_contact(motion).time
    scene, motion = arm_and_plate(plate_at=1.2)
    film = shoot(scene, motion)
    assert film.contact_time is None
    least = film.clearance.distances.min()
    q = film.worth_showing * np.array([1.2, 0.4])
    assert scene.distance(scene.models[0].at(q)).distance == pytest.approx(least)


@pytest.mark.parametrize("size", [(10, 10), (100_000, 400), (0, 400)])
def test_a_picture_of_a_senseless_size_is_refused(tmp_path, size):
    scene, motion = arm_and_plate()
    with pytest.raises(TocsinError, match=r"side|pixels"):
        save_picture(tmp_path / "a.png", scene, motion, size=size)


def test_the_nearer_triangle_hides_the_farther_one():
    render_scene = triangle(0.0, (1.0, 0.0, 0.0))
    near = triangle(-1.0, (0.0, 0.0, 1.0), size=0.4)
    for part in ("corners", "normals", "colours"):
        getattr(render_scene, part).extend(getattr(near, part))
    image = paint(render_scene, LEVEL, (80, 60))
    assert image[30, 40, 2] > image[30, 40, 0]
    red = image[40, 50]
    assert red[0] > 2.0 * red[2]


def test_a_ghost_is_seen_through_and_hidden_by_what_is_nearer():
    plain = paint(triangle(0.0, (1.0, 0.0, 0.0)), LEVEL, (80, 60))
    front = paint(triangle(0.0, (1.0, 0.0, 0.0)), LEVEL, (80, 60), ghosts=(triangle(-1.0, (0.0, 0.0, 1.0)),))
    behind = paint(triangle(0.0, (1.0, 0.0, 0.0)), LEVEL, (80, 60), ghosts=(triangle(1.0, (0.0, 0.0, 1.0)),))
    assert plain[35, 40, 2] < front[35, 40, 2] < 0.9
    np.testing.assert_array_equal(behind[35, 40], plain[35, 40])


def test_a_solid_throws_a_shadow_on_the_ground():
    camera = Camera(np.array([0.0, -0.01, 9.0]), np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]), 0.5)
    look = Look(ground=-1.0, reach=100.0, cell=1e6, middle=(3.0, 3.0))
    lit = paint(RenderScene(), camera, (60, 60), look=look)
    render_scene = RenderScene()
    square = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    render_scene.add((square, np.array([(0, 1, 2), (0, 2, 3)])), (0.5, 0.5, 0.5))
    shaded = paint(render_scene, camera, (60, 60), look=look, sun=(1.0, 0.0, 0.5))
    column = int(30 + 30 / 0.5 * (-1.6 / 10.0))  # two metres to the left of the square's middle, on the ground
    assert shaded[30, column].sum() < 0.9 * lit[30, column].sum()


def test_a_written_png_reads_back_as_it_was(tmp_path):
    image = np.linspace(0.0, 1.0, 7 * 5 * 3).reshape(7, 5, 3)
    write_png(tmp_path / "a.png", image)
    with Image.open(tmp_path / "a.png") as read:
        np.testing.assert_array_equal(np.asarray(read), np.round(255 * image).astype(np.uint8))


def test_a_point_behind_the_eye_is_told_from_one_in_front():
    x, y, inverse = LEVEL.on_screen(np.array([0.0, 0.0, 0.0]), (80, 60))
    assert (x, y) == (40.0, 30.0)
    assert inverse == pytest.approx(0.2)
    assert LEVEL.on_screen(np.array([0.0, -9.0, 0.0]), (80, 60))[2] < 0.0
    assert math.isfinite(LEVEL.on_screen(np.array([0.0, -5.0, 0.0]), (80, 60))[2])
