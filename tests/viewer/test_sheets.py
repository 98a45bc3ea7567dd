"""Deformable models in the viewer: they move through their frames, and what touches is marked, on all three faces."""

import base64
import gzip
import json
import re

import numpy as np
import pytest

import tocsin
from data import data_folder
from tocsin.errors import TocsinError
from tocsin.viewer import save_page, save_picture, shoot, view
from tocsin.viewer import sheets as module
from tocsin.viewer.page import VERTEX, page_text

from .browser import changed, chromium, opened, red, seen, until
from .scenes import placed
from .test_server import free_port


def grid(n):
    x, y = (g.ravel() for g in np.meshgrid(*2 * [np.linspace(-0.5, 0.5, n)], indexing="ij"))
    i = np.arange(n * n).reshape(n, n)
    a, b, c, d = i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]
    return np.stack([x, y, 0 * x], 1), np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])


def cloth_and_ball(n=13, **options):
    """A cloth that falls onto a ball on a table: (scene, motions)."""
    flat, faces = grid(n)
    start = flat + (0, 0, 0.8) + 0.02 * np.sin(7 * flat[:, [1, 0, 0]]) * (0, 0, 1)
    cloth = tocsin.Deformable(start, faces, name="cloth", **options)
    ball = tocsin.Body(tocsin.Sphere(0.2), placed(0.05, 0.02, 0.25), name="ball")
    table = tocsin.Body(tocsin.Box((1.2, 1.2, 0.05)), name="table")
    return tocsin.Scene(cloth, ball, table), (cloth.move(start, start - (0.0, 0.1, 0.7)),)


@pytest.fixture(scope="module")
def film():
    scene, motions = cloth_and_ball()
    return shoot(scene, *motions)


def test_a_sheet_is_where_the_motion_puts_the_vertices(film):
    (sheet,) = film.sheets
    for t in (0.0, 0.123, film.hit.time, 1.0):
        np.testing.assert_allclose(sheet.at(t), film.motions[0].vertices_at(t), atol=1e-15)
    assert not set(map(tuple, sheet.colours)) & {solid.colour for solid in film.solids}
    normals = sheet.normals(sheet.at(0.5))
    np.testing.assert_allclose(np.linalg.norm(normals, axis=2), 1.0)


def test_the_film_stops_at_the_contact_and_marks_the_triangles_that_touch(film):
    assert film.contact_time == film.hit.time
    contact = film.touches[0].contact
    assert {contact.link_a, contact.link_b} == {"cloth", "ball"}
    shown = np.concatenate([t.triangles_a for t in film.touches])
    vertices = film.sheets[0].at(film.hit.time)[film.sheets[0].faces]
    for triangle in shown:
        assert (np.abs(vertices - triangle).max(axis=(1, 2)) < 1e-15).any()
    assert film.slabs == []
    assert ("deformable", "288 triangles") in film.details()


def test_the_clearance_is_that_of_the_cloth_and_everything_else(film):
    scene, (move,) = film.scene, film.motions
    start = move.vertices_at(0.0)
    assert film.clearance.distances[0] == pytest.approx(start[:, 2].min() - 0.45, abs=0.04)
    k = int(np.flatnonzero(film.clearance.times == film.hit.time)[0])
    assert film.clearance.distances[k] <= film.hit.tolerance
    assert film.clearance.pairs[0] == ("cloth", "ball")
    assert scene.distance(scene.models[0].at(start)).link_b == "cloth"  # from itself: neighbours


def test_parts_of_a_model_that_touch_have_the_two_colours_of_what_meets():
    flat, faces = grid(4)
    both = np.concatenate([flat, 0.5 * flat + (0, 0, 1.0), flat + (3.0, 0, 0)])
    every = np.concatenate([faces, faces + len(flat), faces + 2 * len(flat)])
    model = tocsin.Deformable(both, every, name="layers")
    down = both.copy()
    down[len(flat) : 2 * len(flat), 2] -= 1.5
    film = shoot(tocsin.Scene(model), model.move(both, down))
    parts = film.sheets[0].colours.reshape(3, -1, 3)
    assert (np.ptp(parts, axis=1) == 0.0).all()
    assert {tuple(parts[k, 0]) for k in (0, 1)} == set(module.TOUCHING)
    assert tuple(parts[2, 0]) in module.FABRICS
    assert np.isinf(film.clearance.distances).all()  # from itself alone
    assert film.meeting() == "layers meets itself"


def test_a_long_path_of_a_large_model_keeps_some_frames_and_the_contact(monkeypatch):
    monkeypatch.setattr(module, "MOST_PLACES", 1000)
    flat, faces = grid(13)
    cloth = tocsin.Deformable(flat, faces, name="cloth")
    wall = tocsin.Body(tocsin.Box((0.1, 4, 4)), placed(1.0), name="wall")
    path = [flat + (k / 19, 0.01 * np.sin(k), 0) for k in range(20)]
    film = shoot(tocsin.Scene(cloth, wall), cloth.follow(path))
    (sheet,) = film.sheets
    assert len(sheet.times) < 10
    assert film.hit.time in sheet.times
    np.testing.assert_allclose(sheet.at(film.hit.time), film.motions[0].vertices_at(film.hit.time), atol=1e-15)
    np.testing.assert_allclose(sheet.at(1.0), path[-1])


def test_loose_edges_and_points_are_drawn_as_rods_and_beads():
    points = np.array([[0.0, 0, 0], [1.0, 0, 0], [0, 1.0, 0]])
    hair = tocsin.Deformable(points, edges=[[0, 1]], points=[2], name="hair")
    film = shoot(tocsin.Scene(hair), hair.move(points, points + (0, 0, 1.0)))
    (sheet,) = film.sheets
    assert len(sheet.faces) == 6 + 8
    for t in (0.0, 1.0):
        shown = sheet.at(t)
        np.testing.assert_allclose(shown[3:6].mean(axis=0), (0.0, 0, t), atol=1e-12)
        np.testing.assert_allclose(shown[6:9].mean(axis=0), (1.0, 0, t), atol=1e-12)
        np.testing.assert_allclose(shown[9:].mean(axis=0), (0, 1.0, t), atol=1e-12)
    assert np.abs(shown[:, 2] - 1.0).max() < 0.01


@pytest.mark.parametrize("every", ["pair", "triangle"])
def test_a_film_of_every_contact_paints_triangles_when_they_touch(every):
    scene, motions = cloth_and_ball()
    found = scene.contacts(*motions, every=every)
    film = shoot(scene, hit=found)
    (sheet,) = film.sheets
    times = scene.contacts(*motions, every="triangle")["cloth"]
    np.testing.assert_array_equal(sheet.first, times)
    for t in (0.0, film.hit.time, 0.8, 1.0):
        assert set(sheet.touched_by(t)) == set(np.flatnonzero(times <= t))
    assert film.growth.by(1.0) == len(found.times)
    assert film.headline() == f"{len(found.times):,} {'feature pairs' if every == 'pair' else 'triangles'} touch"
    times, counts, _ = film.curve
    assert (np.diff(counts) >= 0).all()
    assert counts[times < film.hit.time].max() == 0


def test_what_is_no_answer_about_this_scene_is_refused():
    scene, motions = cloth_and_ball()
    other, others = cloth_and_ball()
    for answer in (other.first_contact(*others), other.contacts(*others, every="pair")):
        with pytest.raises(TocsinError, match=r"another scene|not in this scene"):
            shoot(scene, hit=answer)
    flat = motions[0].vertices_at(0.0)
    with pytest.raises(TocsinError, match="other motions"):
        shoot(scene, scene.models[0].move(flat, flat), hit=scene.first_contact(*motions))
    with pytest.raises(TocsinError, match="got TimedContacts"):
        shoot(scene, hit=tocsin.Scene(*other.models[1:]).contacts())


def test_a_cloth_among_links_that_touch_first_has_a_film():
    scene, (fall,) = cloth_and_ball()
    ball = scene.models[1]
    film = shoot(scene, fall, ball.move(placed(0, 0, 0.5), placed(0, 0, 0.1)))
    assert film.touches[0].contact.kind in ("surface", "vertex-face", "face-vertex")
    assert {film.touches[0].contact.link_a, film.touches[0].contact.link_b} == {"cloth", "ball"}
    film = shoot(scene, fall, ball.move(placed(2, 0, 0.5), placed(0.6, 0, 0.0)), scene.models[2].at(np.eye(4)))
    assert film.contact_time is not None
    assert film.slabs or isinstance(film.hit, tocsin.FirstContact)


def test_a_standing_cloth_has_a_film():
    scene, _ = cloth_and_ball()
    film = shoot(scene)
    assert len(film.sheets[0].times) == 1
    assert film.headline() == "Proven free"


def unpacked(text):
    story = json.loads(re.search(r'id="film">(.*?)</script>', text, re.DOTALL)[1])
    block = gzip.decompress(base64.b64decode(re.search(r'id="bytes">(.*?)</script>', text, re.DOTALL)[1]))
    sections = {name: (kind, offset, count) for name, kind, offset, count in story["sections"]}
    vertices = np.frombuffer(block, VERTEX, sections["vertices"][2] // VERTEX.itemsize, sections["vertices"][1])
    return story, vertices, np.frombuffer(block, "<u4", sections["indices"][2], sections["indices"][1])


def test_the_page_holds_every_frame_and_the_triangles_that_touch_in_order():
    scene, motions = cloth_and_ball()
    film = shoot(scene, hit=scene.contacts(*motions, every="pair"))
    story, vertices, indices = unpacked(page_text(film, "cloth"))
    (told,), (sheet,) = story["sheets"], film.sheets
    for k in range(len(sheet.times)):
        own = vertices[told["vertex"] + k * told["vertices"] :][: told["vertices"]]
        places = np.array(told["low"]) + np.array(told["span"]) * own["place"] / 65535.0
        shown = places[indices[told["first"] : told["first"] + told["count"]]].reshape(-1, 3, 3)
        np.testing.assert_allclose(shown, sheet.frames[k][sheet.faces], atol=2e-5)
    first = told["first"] + told["count"]
    touched = indices[first : first + 3 * len(told["touched"])].reshape(-1, 3)
    assert (np.diff(told["touched"]) >= 0.0).all()
    own = np.array(told["low"]) + np.array(told["span"]) * vertices[told["vertex"] :]["place"] / 65535.0
    np.testing.assert_allclose(own[touched], sheet.frames[0][sheet.faces[sheet.touched]], atol=2e-5)
    assert len(told["touched"]) == len(sheet.touched)


def test_in_the_browser_the_cloth_moves_stops_at_the_contact_and_is_painted(tmp_path):
    scene, motions = cloth_and_ball()
    pages = [save_page(tmp_path / f"{k}.html", scene, hit=hit) for k, hit in enumerate(
        (scene.first_contact(*motions), scene.contacts(*motions, every="pair")))]  # fmt: skip
    with chromium() as browser:
        page, wrong = opened(browser, pages[0].as_uri(), color_scheme="light")
        until(page, "window.tocsin && window.tocsin.frames > 0")
        at_contact = seen(page, tmp_path / "a.png", lambda shot: red(shot[:, 345:700]).sum() > 60)
        page.locator("#time").fill("0")
        until(page, "tocsin.time === 0")
        seen(page, tmp_path / "b.png", lambda shot: changed(shot[:, 345:700], at_contact[:, 345:700]) > 0.01)
        page.evaluate("tocsin.goTo(tocsin.film.contact - 0.05)")
        page.click("#play")
        until(page, "!tocsin.playing")
        assert page.evaluate("tocsin.time === tocsin.film.contact")
        page.click("#play")
        until(page, "tocsin.time > tocsin.film.contact")
        assert wrong == []
        page.close()
        page, wrong = opened(browser, pages[1].as_uri(), color_scheme="light")
        until(page, "window.tocsin && window.tocsin.frames > 0")
        page.evaluate("document.getElementById('overlay').style.display = 'none'")
        for t, wanted in ((0.0, lambda n: n < 50), (1.0, lambda n: n > 500)):
            page.evaluate(f"tocsin.goTo({t})")
            until(page, f"tocsin.time === {t}")
            seen(page, tmp_path / "c.png", lambda shot: wanted(painted(shot[:440, 345:700])))  # noqa: B023
        assert wrong == []
        page.close()


def painted(image):
    """How many pixels have a colour like that of the contact, in light or shadow?"""
    return int(
        ((image[..., 0] > 90) & (image[..., 0] > 2.2 * image[..., 1]) & (image[..., 0] > 1.5 * image[..., 2])).sum()
    )


def test_pictures_show_the_contact_and_what_has_touched(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="pictures need Pillow")
    scene, motions = cloth_and_ball()
    shares = []
    for hit in (scene.first_contact(*motions), scene.contacts(*motions, every="triangle")):
        path = save_picture(tmp_path / "a.png", scene, hit=hit, size=(640, 420))
        with image.open(path) as shot:
            shares.append(painted(np.asarray(shot.convert("RGB")).astype(float)[:300]))
    assert shares[0] > 40
    assert shares[1] > 2 * shares[0]


def test_the_server_shows_a_cloth(tmp_path):
    pytest.importorskip("viser", reason="the viewer's server is viser")
    scene, motions = cloth_and_ball()
    server = view(scene, hit=scene.contacts(*motions, every="pair"), port=free_port(), block=False)
    try:
        with chromium() as browser:
            page, _ = opened(browser, f"http://127.0.0.1:{server.get_port()}")
            page.wait_for_selector("text=feature pairs touch")
            before = seen(page, tmp_path / "a.png", lambda shot: shot[:, :500].std() > 15.0)
            thumb = page.locator("[role=slider]").first
            thumb.focus()
            thumb.press("End")
            more = painted(before[:, :500]) + 200
            after = seen(page, tmp_path / "b.png", lambda shot: painted(shot[:, :500]) > more)
            assert changed(after[:, :500], before[:, :500]) > 0.01
            page.close()
    finally:
        server.stop()


def test_a_cloth_of_ninety_thousand_triangles_fits_in_three_megabytes(tmp_path):
    recorded = np.load(data_folder("scalable-ccd-derived") / "cloth-ball.npz")
    cloth = tocsin.Deformable(recorded["V0"], recorded["F"], name="cloth", ignore_overlaps=True)
    scene = tocsin.Scene(cloth)
    path = save_page(tmp_path / "a.html", scene, cloth.move(recorded["V0"], recorded["V1"]))
    assert path.stat().st_size < 3_000_000
