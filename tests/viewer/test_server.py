"""The viewer on a server, in a real browser: it loads, time moves the robot, the contact is marked."""

import socket

import pytest

from tocsin.errors import TocsinError
from tocsin.viewer import view

from .browser import changed, chromium, opened, red, seen
from .scenes import arm_and_plate

pytest.importorskip("viser", reason="the viewer's server is viser")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def served():
    scene, motion = arm_and_plate()
    server = view(scene, motion, title="an arm", port=free_port(), block=False)
    yield server
    server.stop()


def test_the_server_is_on_the_loopback_address_only(served):
    assert served.get_host() == "127.0.0.1"


def test_the_page_loads_the_slider_moves_the_robot_and_the_contact_is_marked(served, tmp_path):
    with chromium() as browser:
        page, wrong = opened(browser, f"http://127.0.0.1:{served.get_port()}")
        page.wait_for_selector("text=First contact at t =")
        page.wait_for_selector("text=Go to contact")
        page.wait_for_selector(".uplot canvas")
        at_contact = seen(page, tmp_path / "a.png", lambda shot: shot.std() > 15.0 and red(shot[:, :500]).sum() > 60)
        thumb = page.locator("[role=slider]").first
        thumb.focus()
        thumb.press("Home")
        page.wait_for_selector("input[value='0']", state="attached")
        seen(page, tmp_path / "b.png", lambda shot: changed(shot[:, :500], at_contact[:, :500]) > 0.01)
        page.click("text=Swept boxes")
        page.wait_for_selector("text=left after spatial culling")
        assert [w for w in wrong if "WebGL" not in w and "THREE" not in w] == []
        page.close()


@pytest.mark.parametrize(("option", "value"), [("port", 0), ("port", 70000), ("host", "")])
def test_a_senseless_address_is_refused(option, value):
    scene, motion = arm_and_plate()
    with pytest.raises(TocsinError, match=option):
        view(scene, motion, block=False, **{option: value})
