"""The film of a program: on its clock, with bodies where they are carried."""

import math

import pytest

import tocsin
from tocsin.viewer.program_film import program_film, who


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
