"""Scenes and answers in a notebook: a picture where nothing moves, a playing view where something does.

A view is a page (`page.py`) in a frame of its own, so it needs no server and no extension: Jupyter and VS Code show it,
it stays in the saved notebook, and plays offline.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable
from pathlib import Path

from tocsin import _cast
from tocsin._given import write
from tocsin.model.base import Motion
from tocsin.results import FirstContact
from tocsin.scene import PICTURED, SHOWN, Scene
from tocsin.soft_results import FeatureContacts, TriangleTimes
from tocsin.viewer.files import target
from tocsin.viewer.film import shoot, titled
from tocsin.viewer.page import page_text
from tocsin.viewer.picture import picture_bytes

PICTURE = (1200, 750)
"""Pixels of the picture of a scene, shown at half of that."""


class View:
    """A playing view, which a notebook shows as the last line of a cell; `save` writes it as a page."""

    def __init__(self, text: str, words: str, height: int) -> None:
        self.text: str = text
        """The page, as HTML."""
        self.words: str = words
        """What it says, in a line."""
        self.height: int = height
        """Pixels."""

    def __repr__(self) -> str:
        return f"<View: {self.words}; the last line of a notebook's cell shows it, save('page.html') writes it>"

    def _repr_html_(self) -> str:
        frame = f'style="width: 100%; height: {self.height}px; border: 1px solid #8886; border-radius: 6px"'
        return f'<iframe srcdoc="{html.escape(self.text)}" title="{html.escape(self.words)}" {frame}></iframe>'

    def save(self, path: str | Path) -> Path:
        """Write the page to a file and return its path."""
        return write(target(path, ".html", "a page"), self.text.encode(), "a page")


def show(
    scene: Scene, motions: tuple[Motion, ...], hit: FirstContact | FeatureContacts | TriangleTimes | None,
    margin: float, title: str | None, samples: int | Iterable[float] | None, height: int,
) -> View:  # fmt: skip
    """Return what `Scene.show` does."""
    titled(title)
    tall = _cast.count(height, "the height of a view")
    film = shoot(scene, *motions, hit=hit, margin=margin)
    words = f"{film.headline()}, {film.meeting()}" if film.touches else film.headline()
    return View(page_text(film, title or "tocsin", samples), words, tall)


def pictured(scene: Scene) -> str:
    """Return a picture of a scene as it stands, and the names of what is in it, as HTML."""
    film = shoot(scene)
    data = base64.b64encode(picture_bytes(film, PICTURE)).decode("ascii")
    kinds = [type(model).__name__ for model in scene.models]
    models = ", ".join(html.escape(f"{name} ({kind})") for name, kind in zip(scene.names, kinds))
    style = "max-width: 600px; width: 100%; border-radius: 6px"
    return f'<img src="data:image/png;base64,{data}" alt="the scene as it stands" style="{style}"><div>{models}</div>'


SHOWN.provide(show)
PICTURED.provide(pictured)
