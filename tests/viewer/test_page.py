"""The page without a server, in a real browser: it loads, time moves the robot, the contact is marked."""

import base64
import gzip
import json
import re

import numpy as np
import pytest

import tocsin
from data import data_folder
from tocsin.viewer import save_page, shoot
from tocsin.viewer.page import VERTEX, folded, page_text

from .browser import chromium, opened, pixels, red, until
from .scenes import arm_and_plate

NASTY = "plate </script><script>window.broken = 1</script> <b> & @SCRIPT@"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    scene, motion = arm_and_plate(name=NASTY)
    return save_page(tmp_path_factory.mktemp("page") / "new" / "a.html", scene, motion, title=NASTY, samples=20)


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def opened_once(browser, saved):
    page, wrong = opened(browser, saved.as_uri(), color_scheme="light")
    until(page, "window.tocsin && window.tocsin.frames > 0")
    return page, wrong


@pytest.fixture
def page(opened_once):
    page, wrong = opened_once
    yield page
    assert wrong == []
    page.evaluate("tocsin.span = [0, 1]; tocsin.setDark(false); tocsin.home(); tocsin.goTo(tocsin.film.contact)")
    drawn(page)


def drawn(page):
    """Wait until what was asked for is on the screen."""
    frame = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))"
    page.evaluate(f"{frame}.then(() => {frame})")


def test_the_page_loads_at_the_contact_and_marks_it(page, tmp_path):
    assert page.is_hidden("#trouble")
    assert page.inner_text("#headline").startswith("First contact at t = 0.")
    assert page.evaluate("tocsin.time === tocsin.film.contact")
    assert page.evaluate("tocsin.marks") == 1
    image = pixels(page, tmp_path / "a.png")
    assert image.std() > 15.0
    ring = page.locator("#ring").bounding_box()
    x, y = round(ring["x"] + ring["width"] / 2), round(ring["y"] + ring["height"] / 2)
    assert red(image[y - 40 : y + 40, x - 40 : x + 40]).sum() > 100


def test_the_ring_is_where_the_camera_puts_the_touching_point(page):
    here = page.evaluate("""() => {
      const p = tocsin.film.touches[0].point, { frame, eye } = tocsin.camera();
      const [x, y, z] = frame.map((row) => row.reduce((s, r, i) => s + r * (p[i] - eye[i]), 0));
      const scale = innerHeight / 2 / 0.27;
      return [innerWidth / 2 + scale * x / -z, innerHeight / 2 - scale * y / -z];
    }""")
    ring = page.locator("#ring")
    assert float(ring.get_attribute("cx")) == pytest.approx(here[0], abs=0.1)
    assert float(ring.get_attribute("cy")) == pytest.approx(here[1], abs=0.1)


def test_the_slider_moves_the_robot(page, tmp_path):
    before = pixels(page, tmp_path / "a.png")
    page.locator("#time").fill("0.2")
    drawn(page)
    assert page.evaluate("tocsin.time") == pytest.approx(0.2)
    after = pixels(page, tmp_path / "b.png")
    assert (np.abs(after - before).max(axis=2) > 40).mean() > 0.01
    tip = page.evaluate("Array.from(tocsin.posesAt(0.2)[2]).slice(12, 15)")
    expected = 0.5 * np.array([np.sin(0.2 * 1.2), 0.0, np.cos(0.2 * 1.2)]) + (0, 0, 0.1)
    np.testing.assert_allclose(tip, expected, atol=1e-4)


def test_play_runs_and_the_button_goes_back_to_the_contact(page):
    page.locator("#time").fill("0")
    page.click("#play")
    until(page, "tocsin.time > 0.02")
    page.click("#contact")
    drawn(page)
    assert page.evaluate("tocsin.playing") is False
    assert page.evaluate("tocsin.time === tocsin.film.contact")


def test_a_click_on_the_plot_goes_there_and_the_wheel_zooms_it(page):
    box = page.locator("#plot").bounding_box()
    x = page.evaluate("tocsin.x(0.3)")
    page.mouse.click(box["x"] + x, box["y"] + 50)
    assert page.evaluate("tocsin.time") == pytest.approx(0.3, abs=2e-3)
    page.mouse.wheel(0, -120)
    until(page, "tocsin.span[1] - tocsin.span[0] < 0.9")
    first, last = page.evaluate("tocsin.span")
    assert first < 0.3 < last


def test_every_switch_changes_the_picture(page, tmp_path):
    page.locator("#time").fill("0.4")
    drawn(page)
    before = pixels(page, tmp_path / "a.png")[:, 345:700]
    for switch in ("ghosts", "boxes", "obbs", "pairs"):
        page.click(f"label:has(#show-{switch})")
        drawn(page)
        after = pixels(page, tmp_path / "b.png")[:, 345:700]
        assert (np.abs(after - before).max(axis=2) > 12).sum() > 30, switch
        assert page.is_visible("#culling") == (switch in ("boxes", "obbs", "pairs"))
        before = after


def test_dragging_turns_and_the_wheel_zooms(page):
    azimuth, distance = page.evaluate("[tocsin.azimuth, tocsin.distance]")
    page.mouse.move(500, 300)
    page.mouse.down()
    page.mouse.move(560, 320, steps=3)
    page.mouse.up()
    page.mouse.wheel(0, -100)
    until(page, f"tocsin.distance < {distance}")
    assert page.evaluate("tocsin.azimuth") != azimuth
    page.click("#home")
    assert page.evaluate("[tocsin.azimuth, tocsin.distance]") == pytest.approx([azimuth, distance])


def test_light_and_dark(page, tmp_path):
    light = pixels(page, tmp_path / "a.png").mean()
    page.click("#theme")
    drawn(page)
    assert pixels(page, tmp_path / "b.png").mean() < 0.5 * light


def test_a_page_that_is_embedded_to_play_begins_at_the_start_and_plays(browser, saved):
    page, wrong = opened(browser, f"{saved.as_uri()}#play")
    until(page, "window.tocsin && window.tocsin.frames > 0")
    until(page, "tocsin.time > 0 && tocsin.playing || tocsin.time === tocsin.film.contact")
    assert wrong == []
    page.close()


def test_what_the_clearance_is_now_is_not_written_over_what_is_plotted(page):
    overlapped = """(() => { const a = tocsin.caption.getBBox(), b = tocsin.head.querySelector("text").getBBox();
        return a.x + a.width > b.x && tocsin.caption.style.opacity !== "0" })()"""
    for t in (0.0, 0.1, 0.5, 1.0):
        page.evaluate(f"tocsin.goTo({t})")
        drawn(page)
        assert not page.evaluate(overlapped)


def test_on_a_phone_what_the_clearance_is_now_is_not_cut(browser, saved):
    page, wrong = opened(browser, saved.as_uri())
    page.set_viewport_size({"width": 360, "height": 700})
    until(page, "window.tocsin && window.tocsin.frames > 0")
    inside = """(() => { const b = tocsin.head.querySelector("text").getBBox();
        return b.x >= 0 && b.x + b.width <= document.getElementById("plot").clientWidth + 1 })()"""
    for t in (0.1, 0.4, 0.6, 0.9):
        page.evaluate(f"tocsin.goTo({t})")
        drawn(page)
        assert page.evaluate(inside), t
    assert wrong == []
    page.close()


def test_names_from_files_are_shown_and_never_run(page):
    assert page.evaluate("window.broken") is None
    assert page.inner_text("#title") == NASTY
    assert page.title() == NASTY
    assert NASTY in page.inner_text("#details")


def test_without_webgl_the_page_says_so(browser, saved):
    page = browser.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(saved.as_uri())
    page.wait_for_selector("#trouble:visible")
    assert "WebGL 2" in page.inner_text("#trouble")
    page.close()


@pytest.mark.parametrize("plate_at", [3.0, 0.02])
def test_free_motions_and_initial_overlaps_have_pages_too(browser, tmp_path, plate_at):
    scene, motion = arm_and_plate(plate_at=plate_at)
    page, wrong = opened(browser, save_page(tmp_path / "a.html", scene, motion, margin=0.01).as_uri())
    until(page, "window.tocsin && window.tocsin.frames > 0")
    assert page.is_visible("#contact") == (plate_at < 1.0)
    assert wrong == []
    page.close()


def test_the_page_names_no_other_place_and_holds_every_triangle():
    scene, motion = arm_and_plate()
    film = shoot(scene, motion)
    text = page_text(film, "a title")
    assert not re.findall(r"(?:src|href)=\"(?!data:)", text)
    assert [u for u in re.findall(r"https?://[^\s\"']+", text) if "www.w3.org/2000/svg" not in u] == []
    story = json.loads(re.search(r'id="film">(.*?)</script>', text, re.DOTALL)[1])
    block = gzip.decompress(base64.b64decode(re.search(r'id="bytes">(.*?)</script>', text, re.DOTALL)[1]))
    sections = {name: (kind, offset, count) for name, kind, offset, count in story["sections"]}
    vertices = np.frombuffer(block, VERTEX, sections["vertices"][2] // VERTEX.itemsize, sections["vertices"][1])
    indices = np.frombuffer(block, "<u4", sections["indices"][2], sections["indices"][1])
    for told, solid in zip(story["solids"], film.solids):
        own = vertices[indices[told["first"] : told["first"] + told["count"]]]
        places = np.array(told["low"]) + np.array(told["span"]) * own["place"] / 65535.0
        np.testing.assert_allclose(places.reshape(-1, 3, 3), solid.vertices[solid.faces], atol=1e-5)


def test_a_robot_of_a_hundred_thousand_triangles_fits_in_two_megabytes(tmp_path):
    robot = tocsin.Robot.from_urdf(data_folder("robots", "human36") / "human36.urdf", geometry="visual")
    robot.ignore_overlapping_at(np.zeros(robot.n_config))
    scene = tocsin.Scene(robot)
    motion = robot.move(np.zeros(robot.n_config), np.full(robot.n_config, 0.2))
    film = shoot(scene, motion)
    assert sum(len(solid.faces) for solid in film.solids) == 108_686
    assert save_page(tmp_path / "a.html", scene, hit=film.hit).stat().st_size < 2_000_000


def test_a_folded_normal_unfolds_to_itself():
    normals = np.random.default_rng(0).normal(size=(500, 3))
    normals = np.concatenate([normals, np.eye(3), -np.eye(3)])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    fold = folded(normals)
    assert np.abs(fold).max() <= 1.0
    z = 1.0 - np.abs(fold).sum(axis=1)
    back = np.column_stack([fold, z])
    back[:, :2] -= np.where(back[:, :2] >= 0.0, 1.0, -1.0) * np.maximum(-z, 0.0)[:, None]
    back /= np.linalg.norm(back, axis=1, keepdims=True)
    np.testing.assert_allclose(back, normals, atol=1e-12)


def test_seconds_below_the_plot_are_round_and_have_all_of_their_digits(browser, tmp_path):
    """Those of today were the same number five times."""
    ball, post = tocsin.Body(tocsin.Sphere(0.1), name="ball"), tocsin.Body(tocsin.Sphere(0.1), (2, 0, 0), name="post")
    motion = ball.follow([(0, 0, 0), (1, 0, 0)], times=[1763200000.25, 1763200004.25])
    file = save_page(tmp_path / "late.html", tocsin.Scene(ball, post), motion, samples=5)
    page, wrong = opened(browser, file.as_uri())
    until(page, "window.tocsin && window.tocsin.frames > 0")
    labels = page.evaluate("[...document.querySelectorAll('#plot text')].map((t) => t.textContent)")
    assert [f"{1763200000 + k}" in labels or f"{1763200000 + k}.0" in labels for k in (1, 2, 3, 4)] == [True] * 4
    assert wrong == []
    page.close()
