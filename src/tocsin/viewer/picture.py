"""A PNG of a film, made without a screen: the contact, ghosts of start and end, and the clearance over time.

The software renderer draws the solids; Pillow adds what is flat: labels, the ring around the contact, the plot.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tocsin import _cast
from tocsin._given import write
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.program import Program
from tocsin.queries.audit import ProgramAudit
from tocsin.results import FirstContact, Status
from tocsin.scene import Scene
from tocsin.soft_results import FeatureContacts, TriangleTimes
from tocsin.viewer.camera import View, best_view
from tocsin.viewer.files import target
from tocsin.viewer.film import Film, length, sampled, shoot, titled
from tocsin.viewer.render import Camera, Look, RenderScene, paint
from tocsin.viewer.solids import CONTACT, END, START

if TYPE_CHECKING:
    from PIL import Image

TANGENT = 0.27
"""Of half the angle of view, upwards."""

LIGHT = Look(top=(0.955, 0.968, 0.985), bottom=(0.865, 0.885, 0.915))
DARK = Look(
    top=(0.085, 0.098, 0.125), bottom=(0.14, 0.16, 0.195), paper=(0.115, 0.13, 0.16), ink=(0.30, 0.34, 0.41),
    shadow=(0.02, 0.025, 0.035), sky=0.62,
)  # fmt: skip

INKS = {
    False: {
        "panel": (255, 255, 255, 238), "edge": (226, 230, 236), "ink": (27, 35, 48), "soft": (102, 112, 133),
        "accent": (47, 111, 219), "contact": (229, 18, 63), "free": (23, 147, 90), "amber": (217, 138, 11),
    },
    True: {
        "panel": (24, 28, 36, 238), "edge": (52, 58, 68), "ink": (232, 236, 243), "soft": (152, 162, 179),
        "accent": (110, 164, 255), "contact": (255, 66, 103), "free": (60, 203, 135), "amber": (245, 177, 74),
    },
}  # fmt: skip


def save_picture(
    path: str | Path,
    scene: Scene,
    *motions: Motion | Program | ProgramAudit,
    hit: FirstContact | FeatureContacts | TriangleTimes | None = None,
    margin: float = 0.0,
    title: str | None = None,
    size: tuple[int, int] = (1600, 1000),
    dark: bool = False,
    samples: int | Iterable[float] | None = None,
) -> Path:
    """Write a PNG of `motions` in `scene` at the time of their first contact, or at their closest if they are free.

    `hit` is the answer of `scene.first_contact`, or of `scene.contacts` about deformable models: then the end of the
    motion is shown, with all triangles that have touched. Without one the scene is asked for the first contact, with
    this `margin`; with one the motions may be left out. `size` is in pixels; `samples` (how many, or which times) marks
    on the clearance plot what sampling would have looked at. Missing folders are made. Returns the path. Needs Pillow.
    """
    file = target(path, ".png", "a picture")
    if not _cast.instance(size, (tuple, list)) or len(size) != 2:
        raise TocsinError(f"the size of a picture is (width, height) in pixels; got {_cast.said(size)}.")
    width, height = (_cast.count(n, "each side of a picture") for n in size)
    if min(width, height) < 300 or max(width, height) > 8000:
        raise TocsinError(f"a picture has 300 to 8000 pixels a side; got {width} x {height}.")
    titled(title)
    _cast.flag(dark, "dark")
    film = shoot(scene, *motions, hit=hit, margin=margin)
    return write(file, picture_bytes(film, (width, height), dark, title, samples), "a picture")


def picture_bytes(
    film: Film, size: tuple[int, int], dark: bool = False, title: str | None = None,
    samples: int | Iterable[float] | None = None,
) -> bytes:  # fmt: skip
    """Return a PNG of a film."""
    try:
        from PIL import Image
    except ModuleNotFoundError as missing:
        raise TocsinError("a picture needs Pillow for its labels: pip install pillow.") from missing
    width, height = size
    moment = film.worth_showing
    scale = min(width / 1600, height / 1000)
    view = best_view(film)
    plotted = film.is_plotted
    camera = _camera(view, (width, height), _free_space(width, height, scale, plotted))
    image = _solids(film, moment, camera, (width, height), dark)
    pixels = Image.fromarray(np.round(255.0 * np.clip(image, 0.0, 1.0)).astype(np.uint8))
    _Draughtsman(pixels, film, camera, scale, INKS[dark]).draw(moment, title, sampled(film, samples))
    packed = io.BytesIO()
    pixels.save(packed, format="PNG", optimize=True)
    return packed.getvalue()


def _free_space(width: int, height: int, scale: float, plotted: bool) -> tuple[float, float, float, float]:
    """Return left, right, top, bottom of the part of the picture that no panel covers, in pixels."""
    return 40 * scale, width - 40 * scale, 60 * scale, height - (270 if plotted else 60) * scale


def _camera(view: View, size: tuple[int, int], space: tuple[float, float, float, float]) -> Camera:
    """Return the camera that puts what matters into the free space, which need not be in the middle of the picture."""
    width, height = size
    left, right, top, bottom = space
    per_pixel = 2.0 * TANGENT / height
    wide, high = 0.5 * (right - left) * per_pixel, 0.5 * (bottom - top) * per_pixel
    eye = view.eye(wide, high)
    away = float((eye - view.focus.mean(axis=0)) @ view.back)
    off_x, off_y = 0.5 * (left + right - width) * per_pixel, 0.5 * (height - top - bottom) * per_pixel
    return Camera(eye - away * (off_x * view.frame[0] + off_y * view.frame[1]), view.frame, TANGENT)


def _solids(film: Film, moment: float, camera: Camera, size: tuple[int, int], dark: bool) -> np.ndarray:
    """Return the image of the solids, the ghosts, and the touching triangles."""
    render_scene, start, end, marks = RenderScene(), RenderScene(), RenderScene(), RenderScene()
    now = film.frame_at(moment)
    for solid in film.solids:
        mesh = (solid.vertices, solid.faces)
        render_scene.add(mesh, solid.colour, film.poses[now, solid.link], solid.normals)
        for ghost, frame, colour in ((start, 0, START), (end, len(film.times) - 1, END)):
            away = np.abs(film.poses[frame, solid.link] - film.poses[now, solid.link]).max()
            if away > 1e-3 * film.size:
                ghost.add(mesh, colour, film.poses[frame, solid.link], solid.normals)
    for sheet in film.sheets:
        vertices = sheet.at(moment)
        normals = sheet.normals(vertices)
        colours = sheet.colours
        colours[sheet.touched_by(moment)] = CONTACT
        render_scene.add((vertices, sheet.faces), colours, None, normals)
        for ghost, frame, colour in ((start, 0, START), (end, -1, END)):
            there = sheet.frames[frame]
            if np.abs(there - vertices).max(initial=0.0) > 1e-2 * film.size:
                ghost.add((there, sheet.faces), colour, None, sheet.normals(there))
    for touch in film.touches if film.growth is None else ():
        for triangles in (touch.triangles_a, touch.triangles_b):
            faces = np.arange(3 * len(triangles)).reshape(-1, 3)
            marks.add((triangles.reshape(-1, 3), faces), CONTACT)
    reach = float(np.linalg.norm(film.high - film.low))
    middle = 0.5 * (film.low + film.high)
    base = DARK if dark else LIGHT
    cell = 10.0 ** math.floor(math.log10(max(reach, 1e-9) / 5.0))
    look = Look(
        base.top, base.bottom, base.paper, base.ink, base.shadow, base.sky, float(film.low[2]) - 1e-4 * film.size,
        cell, (float(middle[0]), float(middle[1])), 3.2 * film.size,
    )  # fmt: skip
    return paint(render_scene, camera, size, look=look, ghosts=(start, end), marks=marks)


class _Draughtsman:
    """Draws what is flat, at three times the size, so that lines and letters are smooth."""

    FINE = 3

    def __init__(
        self, pixels: Image.Image, film: Film, camera: Camera, scale: float, inks: dict[str, tuple[int, ...]]
    ) -> None:
        self.pixels, self.film, self.camera, self.inks = pixels, film, camera, inks
        self.unit = scale * self.FINE
        self.width, self.height = pixels.width / scale, pixels.height / scale

    def draw(self, moment: float, title: str | None, samples: list[tuple[float, float]]) -> None:
        """Draw everything and lay it over the picture. Lengths are pixels of a picture of 1600 x 1000."""
        from PIL import Image, ImageDraw

        size = (self.pixels.width * self.FINE, self.pixels.height * self.FINE)
        layer = Image.new("RGBA", size, (0, 0, 0, 0))
        self.pen = ImageDraw.Draw(layer)
        self._contact()
        self._headline(title)
        if self.film.is_plotted:
            self._plot(moment, samples)
        layer = layer.resize(self.pixels.size, Image.Resampling.LANCZOS)
        self.pixels.paste(layer, (0, 0), layer)

    # ---- strokes ----------------------------------------------------------------------------------------------------

    def _panel(self, left: float, top: float, right: float, bottom: float, radius: float = 14.0) -> None:
        box = [self.unit * v for v in (left, top, right, bottom)]
        self.pen.rounded_rectangle(
            box, self.unit * radius, fill=self.inks["panel"], outline=self.inks["edge"], width=max(1, round(self.unit))
        )

    def _line(self, points: Iterable[tuple[float, float]], ink: tuple[int, ...], width: float) -> None:
        flat = [(self.unit * x, self.unit * y) for x, y in points]
        self.pen.line(flat, fill=ink, width=max(1, round(self.unit * width)), joint="curve")

    def _dot(
        self,
        x: float,
        y: float,
        radius: float,
        fill: tuple[int, ...] | None,
        outline: tuple[int, ...] | None = None,
        width: float = 0.0,
    ) -> None:
        u = self.unit
        box = [u * (x - radius), u * (y - radius), u * (x + radius), u * (y + radius)]
        self.pen.ellipse(box, fill=fill, outline=outline, width=max(1, round(u * width)) if outline else 0)

    def _text(
        self, x: float, y: float, text: str, size: float, ink: tuple[int, ...], anchor: str = "ls", bold: bool = False
    ) -> float:
        """Write a line of text; return its width."""
        from PIL import ImageFont

        plain = text.replace("µ", "u")  # Pillow's own font has few letters
        font: Any = ImageFont.load_default(self.unit * size)
        stroke = max(1, round(0.014 * self.unit * size)) if bold else 0
        self.pen.text((self.unit * x, self.unit * y), plain, font=font, fill=ink, anchor=anchor, stroke_width=stroke)
        wide = font.getlength(plain) / self.unit
        begin = x - {"l": 0.0, "m": 0.5, "r": 1.0}[anchor[0]] * wide
        for k, letter in enumerate(text):
            if letter == "µ":
                left = font.getlength(plain[:k]) + font.getbbox("u", anchor="ls")[0]
                left = begin + left / self.unit + 0.045 * size
                self._line([(left, y - 0.1 * size), (left, y + 0.2 * size)], ink, 0.085 * size)
        return wide

    def _tint(self, ink: str, share: float) -> tuple[int, ...]:
        """Return an ink thinned with the colour of a panel: strokes replace what is under them."""
        panel = self.inks["panel"]
        return (*[round(share * a + (1.0 - share) * b) for a, b in zip(self.inks[ink], panel)], panel[3])

    def _place(self, point: np.ndarray) -> tuple[float, float] | None:
        size = (self.pixels.width, self.pixels.height)
        x, y, inverse = self.camera.on_screen(point, size)
        scale = self.unit / self.FINE
        return (x / scale, y / scale) if inverse > 0.0 else None

    # ---- what is said -----------------------------------------------------------------------------------------------

    def _contact(self) -> None:
        """Outline the touching triangles; mark the point, the normal and what meets."""
        if self.film.growth is not None:
            return
        if not self.film.touches or not np.isfinite(self.film.touches[0].contact.point_a).all():
            return
        red, white = self.inks["contact"], (255, 255, 255)
        for touch in self.film.touches:
            for triangle in (*touch.triangles_a, *touch.triangles_b):
                corners = [place for place in map(self._place, triangle) if place is not None]
                if len(corners) == len(triangle):
                    self._line([*corners, corners[0]], (*red, 190), 1.6)
        contact = self.film.touches[0].contact
        point = 0.5 * (contact.point_a + contact.point_b)
        at = self._place(point)
        if at is None:
            return
        x, y = at
        away = float((self.camera.eye - point) @ self.camera.frame[2])
        tip = self._place(point + 0.085 * away * contact.normal)
        if tip is not None and math.hypot(tip[0] - x, tip[1] - y) > 12.0:
            self._arrow(x, y, *tip, red)
        self._dot(x, y, 16.0, None, white, 6.0)
        self._dot(x, y, 15.0, None, red, 3.5)
        self._dot(x, y, 6.0, red, white, 2.0)
        aside = -1.0 if tip is not None and tip[0] > x else 1.0
        corner = (x + 78.0 * aside, max(y - 84.0, 40.0))
        self._line([(x + 11.0 * aside, y - 12.0), corner], red, 2.0)
        words = self.film.meeting()
        wide = self._text(0, -100, words, 21, red, bold=True) + 30
        left = corner[0] - 10 if aside > 0 else corner[0] - wide + 10
        left = min(max(left, 12.0), self.width - wide - 12.0)
        self._panel(left, corner[1] - 21, left + wide, corner[1] + 21, 12)
        self._text(left + 15, corner[1] + 7.5, words, 21, red, bold=True)

    def _arrow(self, x: float, y: float, tip_x: float, tip_y: float, ink: tuple[int, ...]) -> None:
        dx, dy = tip_x - x, tip_y - y
        along = math.hypot(dx, dy)
        dx, dy = dx / along, dy / along
        neck = (tip_x - 20.0 * dx, tip_y - 20.0 * dy)
        self._line([(x, y), neck], (255, 255, 255), 7.5)
        self._line([(x, y), neck], ink, 4.5)
        head = [(tip_x, tip_y), (neck[0] - 9.0 * dy, neck[1] + 9.0 * dx), (neck[0] + 9.0 * dy, neck[1] - 9.0 * dx)]
        self.pen.polygon([(self.unit * a, self.unit * b) for a, b in head], fill=ink)

    def _headline(self, title: str | None) -> None:
        """Say what was found, in the corner."""
        film = self.film
        wanted = ("first", "clearance", "between", "features", "distance", "least seen", "margin")
        lines = [(n, v) for n, v in film.details() if n in wanted]
        top, left = 26.0, 26.0
        wide = max(
            [self._text(0, -100, film.headline(), 25, (0, 0, 0, 0), bold=True) + 38]
            + [self._text(0, -100, title or "", 16, (0, 0, 0, 0))]
            + [96 + self._text(0, -100, v, 17, (0, 0, 0, 0)) for _, v in lines]
        )
        head = 26.0 if title else 0.0
        self._panel(left, top, left + wide + 48, top + head + 62 + 26 * len(lines))
        if title:
            self._text(left + 22, top + 34, title, 16, self.inks["soft"])
        lamp = {Status.FREE: "free", Status.CAPPED: "amber"}.get(film.hit.status, "contact")
        self._dot(left + 32, top + head + 31, 11.0, self._tint(lamp, 0.3))
        self._dot(left + 32, top + head + 31, 7.0, self.inks[lamp])
        self._text(left + 54, top + head + 40, film.headline(), 25, self.inks["ink"], bold=True)
        for k, (name, value) in enumerate(lines):
            y = top + head + 72 + 26 * k
            self._text(left + 22, y, name, 17, self.inks["soft"])
            self._text(left + 118, y, value, 17, self.inks["ink"])

    def _plot(self, moment: float, samples: list[tuple[float, float]]) -> None:
        """Draw the clearance over time along the bottom; with samples, also closely around the moment."""
        film, inks = self.film, self.inks
        self._panel(26, self.height - 232, self.width - 26, self.height - 26)
        middle = self.width - 60.0 if not samples else 26.0 + 0.62 * (self.width - 52.0)
        frame = (100.0, middle, 0.0, 1.0)
        self._curve(frame, *film.curve[:2], moment)
        if not samples:
            return
        near = ZOOM / max(len(samples) - 1, 1)
        low, high = max(0.0, moment - near), min(1.0, moment + near)
        times = np.unique(np.concatenate([np.linspace(low, high, 121), moment + near * 0.5 ** np.arange(1.0, 9.0)]))
        times = np.unique(np.append(times[(times >= low) & (times <= high)], moment))
        frame = (middle + 80.0, self.width - 60.0, low, high)
        place = self._curve(frame, times, np.array([d for _, d in sampled(film, times)]), moment)
        for t, d in samples:
            if low <= t <= high and math.isfinite(d):
                self._dot(*place(t, d), 5.0, inks["panel"], inks["ink"], 1.8)
        self._dot(frame[0] + 6, self.height - 207, 5.0, inks["panel"], inks["ink"], 1.8)
        self._text(frame[0] + 20, self.height - 202, f"where {len(samples)} samples look", 16, inks["soft"])

    def _curve(
        self, frame: tuple[float, float, float, float], times: np.ndarray, values: np.ndarray, moment: float
    ) -> Callable[[float, float], tuple[float, float]]:
        """Draw a curve of the clearance; `frame` is left and right, in pixels and in time. Return where (t, d) is."""
        film, inks = self.film, self.inks
        left, right, low, high = frame
        top, bottom = self.height - 170.0, self.height - 66.0
        known = np.isfinite(values)
        times, values = times[known], values[known]
        largest = max(float(values.max()), 1e-12)
        name, unit = ("", 1.0) if film.growth is not None else (", m", 1.0) if largest >= 1.0 else (", mm", 1e-3)

        def place(t: float, d: float) -> tuple[float, float]:
            return left + (t - low) / (high - low) * (right - left), bottom - d / (1.06 * largest) * (bottom - top)

        step = _step(largest / unit / 2.0)
        for k in range(int(largest / unit / step) + 1):
            y = place(low, k * step * unit)[1]
            self._line([(left, y), (right, y)], inks["edge"], 1.0)
            self._text(left - 12, y, f"{k * step:,.6g}", 15, inks["soft"], "rm")
        stride = 0.1 if high - low > 0.5 else _step((high - low) / 2.5)
        for k in range(math.ceil(low / stride - 1e-9), math.floor(high / stride + 1e-9) + 1):
            self._text(place(k * stride, 0.0)[0], bottom + 26, f"{k * stride:.4g}", 15, inks["soft"], "ms")
        if high - low == 1.0:
            self._text(left, self.height - 202, f"{film.curve[2]} over time{name}", 16, inks["soft"])
        curve = [place(t, d) for t, d in zip(times.tolist(), values.tolist())]
        area = [*curve, place(times[-1], 0.0), place(times[0], 0.0)]
        self.pen.polygon([(self.unit * x, self.unit * y) for x, y in area], fill=self._tint("accent", 0.15))
        if film.margin > 0.0 and film.growth is None:
            y = place(low, film.margin)[1]
            self._line([(left, y), (right, y)], inks["amber"], 1.6)
            self._text(right, y - 8, f"margin {length(film.margin)}", 15, inks["amber"], "rs")
        self._line(curve, inks["accent"], 2.6)
        ink = inks["contact"] if film.contact_time is not None else inks["ink"]
        x, y = place(moment, values[int(np.abs(times - moment).argmin())])
        self._line([(x, top - 8), (x, bottom)], ink, 1.6)
        self._dot(x, y, 8.0, ink, (255, 255, 255), 2.2)
        anchor, away = ("ls", 10) if x < right - 150 else ("rs", -10)
        self._text(x + away, top + 4, f"t = {moment:.5f}", 17, ink, anchor, bold=True)
        return place


ZOOM = 4.5
"""The plot beside the plot reaches this many samples to either side of the contact."""


def _step(most: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten that is at most this."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(k * power for k in (1.0, 2.0, 5.0) if k * power <= most * (1.0 + 1e-12))
