"""A real browser without a screen: Debian's or the user's Chromium, driven by playwright. Tests skip without it."""

import shutil
import time
from contextlib import contextmanager

import numpy as np
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--no-sandbox",
)


@contextmanager
def chromium():
    """Yield a running browser."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    api = pytest.importorskip("playwright.sync_api", reason="the browser is driven by playwright")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


PATIENCE = 180
"""Seconds: a busy machine without a graphics card takes tens of them for one picture."""


def opened(browser, address, **options):
    """Return a page and the list of what went wrong on it, which grows."""
    page = browser.new_page(viewport={"width": 900, "height": 600}, **options)
    page.set_default_timeout(1000 * PATIENCE)
    wrong = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    own = (address[:20], "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(own) else wrong.append(f"asked for {r.url}"))
    page.goto(address)
    return page, wrong


def until(page, expression, looks=50 * PATIENCE):
    """Look until an expression is true; the page's own rules forbid the browser to evaluate text by itself."""
    for _ in range(looks):
        if page.evaluate(expression):
            return
        time.sleep(0.02)
    pytest.fail(f"still not: {expression}")


def pixels(page, path):
    """Take a screenshot and return it as (height, width, 3) floats, 0 to 255."""
    image = pytest.importorskip("PIL.Image", reason="screenshots are read with Pillow")
    page.screenshot(path=path)
    with image.open(path) as shot:
        return np.asarray(shot.convert("RGB")).astype(float)


def seen(page, path, wanted, looks=120):
    """Take screenshots until one shows what is wanted, and return it: a busy machine draws late."""
    for _ in range(looks):
        if wanted(image := pixels(page, path)):
            return image
        time.sleep(0.25)
    pytest.fail("the page never shows what it should")


def changed(image, before):
    """Which share of the pixels is not what it was?"""
    return (np.abs(image - before).max(axis=2) > 40).mean()


def red(image):
    """Which pixels have the colour of the contact?"""
    return (image[..., 0] > 190) & (image[..., 1] < 100) & (image[..., 2] < 130)
