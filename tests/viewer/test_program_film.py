"""The film of a program: on its clock, with bodies where they are carried."""

import math

import pytest

import tocsin
from tocsin import Body, Box, Program, RobotBuilder, Scene, Sphere
from tocsin.viewer.program_film import program_film, who


@pytest.fixture(scope="module")
def audited():
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("hand", (Box((0.4, 0.05, 0.05)), (0.3, 0, 0)), parent="base", joint="revolute", joint_name="j")
    robot = builder.build()
    part = Body(Box((0.05, 0.05, 0.05)), (0.55, 0, 0), name="part <b>")
    post = Body(Sphere(0.05), (0.0, 0.6, 0.0), name="post")
    scene = Scene(robot, part, post)
    scene.ignore("hand", "part <b>")
    program = Program("turn")
    program.attach(robot, part, "hand")
    program.move(robot, [1.9], seconds=2.0, error=0.001)
    program.detach(robot, part)
    program.wait(robot, 0.2)
    program.move(robot, [1.0], seconds=1.0)
    return scene, program, tocsin.audit(scene, program)


def test_the_film_of_a_program_shows_bodies_where_they_are_carried(audited, tmp_path):
    scene, _, found = audited
    film = program_film(scene, found)
    assert film.clock == (0.0, 3.2)
    first, last = film.poses[0, 2], film.poses[-1, 2]
    assert abs(first[0, 3] - 0.55) < 1e-9
    assert abs(last[0, 3] - 0.55 * math.cos(1.9)) < 1e-9
    page = tocsin.save_page(tmp_path / "page.html", scene, found)
    text = page.read_text(encoding="utf-8")
    assert '"seconds":[0.0,3.2]' in text
    assert film.contact_time == pytest.approx(found.conflicts[0].enter / 3.2)
    tocsin.save_picture(tmp_path / "picture.png", scene, found, size=(320, 300))
    assert who(found.conflicts[0]) == found.conflicts[0].pair.said
    assert film.headline().startswith(f"{len(found.conflicts)} stretch")
