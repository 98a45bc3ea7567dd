"""A film in the browser with viser: turn the scene, move through time, and see the culling at work.

The server binds to the loopback address unless told otherwise. Poses are sent when time changes, and the vertices of
deformable models; all other meshes once.
"""

from __future__ import annotations

import contextlib
import io
import math
import socket
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from tocsin import _cast
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.results import FirstContact
from tocsin.scene import Scene
from tocsin.soft_results import FeatureContacts, TriangleTimes
from tocsin.viewer.camera import best_view
from tocsin.viewer.fabric import Fabric
from tocsin.viewer.film import Film, length, shoot, titled
from tocsin.viewer.solids import CONTACT, CUBE, CUBE_EDGES, END, START, Solid, bytes_of

if TYPE_CHECKING:
    import viser

SECONDS = 6.0
"""One run of the motion."""

RATE = 30.0
"""Moments a second while playing."""

GREY, AMBER, TEAL = (0.55, 0.60, 0.68), (0.93, 0.58, 0.05), (0.05, 0.55, 0.60)


def view(
    scene: Scene,
    *motions: Motion,
    hit: FirstContact | FeatureContacts | TriangleTimes | None = None,
    margin: float = 0.0,
    title: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8080,
    block: bool = True,
) -> viser.ViserServer:
    """Serve a page that shows `motions` in `scene` and their first contact; needs viser.

    `hit` is the answer of `scene.first_contact`, or of `scene.contacts` about deformable models, whose touching
    triangles are then painted as they come; without one the scene is asked for the first contact, with this `margin`;
    with one the motions may be left out. Only this machine can see the page unless `host` says otherwise. Serves until
    interrupted; with `block=False` returns the running `viser.ViserServer`, which has `stop()` and `get_port()`.
    """
    try:
        import viser
    except ModuleNotFoundError as missing:
        raise TocsinError("the viewer needs viser: pip install 'tocsin[viewer]'.") from missing
    host = _cast.name(host, "host")
    port = _cast.count(port, "port")
    if port > 65535:
        raise TocsinError(f"port must be 1 to 65535; got {port}.")
    try:
        with socket.socket(socket.getaddrinfo(host, None)[0][0]) as trial:  # viser would wait for ever
            trial.bind((host, 0))
    except OSError as error:
        raise TocsinError(f"the viewer cannot listen at host {host!r}: {error}.") from None
    titled(title)
    film = shoot(scene, *motions, hit=hit, margin=margin)
    with contextlib.redirect_stdout(io.StringIO()):  # its banner: the line below says the same
        server = viser.ViserServer(host=host, port=port, label=title or "tocsin", verbose=False)
    show = Show(server, film, title)
    if not block:
        return server
    print(f"tocsin: the viewer is at http://{host}:{server.get_port()} (Ctrl-C ends it)", flush=True)
    try:
        show.finished.wait()
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()
    return server


def quaternion(pose: np.ndarray) -> np.ndarray:
    """Return the rotation of a 4x4 pose as w x y z."""
    out = _cast.pose(pose)
    return out[[6, 3, 4, 5]]


class Show:
    """One film on one server: what is in the scene, and the controls."""

    def __init__(self, server: viser.ViserServer, film: Film, title: str | None) -> None:
        self.server, self.film = server, film
        self.finished = threading.Event()
        self.lock = threading.Lock()
        self.moment = film.contact_time or 0.0
        self.slab = -1
        self._set_stage()
        self._add_solids()
        self.fabric = Fabric(self.server.scene, film)
        self.ghosts += self.fabric.ghosts
        self._add_contact()
        self._add_culling()
        self._add_controls(title)
        self.show(self.moment)
        threading.Thread(target=self._run, daemon=True).start()

    # ---- the scene --------------------------------------------------------------------------------------------------

    def _set_stage(self) -> None:
        """Put up the ground, the light and the camera."""
        film, scene = self.film, self.server.scene
        scene.set_up_direction("+z")
        scene.configure_default_lights(enabled=True, cast_shadow=True)
        cell = 10.0 ** math.floor(math.log10(film.size / 4.0))
        middle = 0.5 * (film.low + film.high)
        scene.add_grid(
            "/ground", 6.0 * film.size, 6.0 * film.size, cell_size=cell, section_size=5.0 * cell, infinite_grid=True,
            fade_distance=5.0 * film.size, cell_color=(214, 219, 227), section_color=(176, 184, 196),
            shadow_opacity=0.22, position=(middle[0], middle[1], film.low[2] - 1e-3 * film.size),
        )  # fmt: skip
        view = best_view(film)
        eye = view.eye(0.36, 0.30)
        target = eye - view.back * float((eye - view.focus.mean(axis=0)) @ view.back)

        @self.server.on_client_connect
        def _(client: viser.ClientHandle) -> None:
            client.camera.up_direction = (0.0, 0.0, 1.0)
            client.camera.fov = 2.0 * math.atan(0.36)
            client.camera.position = eye
            client.camera.look_at = target

    def _add_solids(self) -> None:
        """Add every solid under the frame of its link, and ghosts of what moves."""
        film, scene = self.film, self.server.scene
        self.frames: dict[int, viser.FrameHandle] = {}
        self.ghosts: list[viser.SceneNodeHandle] = []
        last = len(film.times) - 1
        for k, solid in enumerate(film.solids):
            if len(solid.faces) == 0:
                continue
            if solid.link not in self.frames:
                self.frames[solid.link] = scene.add_frame(f"/links/{solid.link}", show_axes=False)
            vertices, faces = _split(solid)
            scene.add_mesh_simple(
                f"/links/{solid.link}/{k}", vertices, faces, color=bytes_of(solid.colour), side="double"
            )
            if not film.moving[solid.link]:
                continue
            for name, frame, colour in (("start", 0, START), ("end", last, END)):
                pose = film.poses[frame, solid.link]
                # A little smaller, so that what stays where it is hides its own ghost.
                small = solid.center + 0.994 * (vertices - solid.center)
                ghost = scene.add_mesh_simple(
                    f"/{name}/{k}", small, faces, color=bytes_of(colour), opacity=0.2, cast_shadow=False,
                    receive_shadow=False, position=pose[:3, 3], wxyz=quaternion(pose),
                )  # fmt: skip
                self.ghosts.append(ghost)

    def _add_contact(self) -> None:
        """Add the touching triangles, points and normal."""
        film, scene = self.film, self.server.scene
        self.marks: list[viser.SceneNodeHandle] = []
        shown = [t for t in film.touches if np.isfinite(t.contact.point_a).all()]
        red = bytes_of(CONTACT)
        triangles = [t for touch in shown for t in (*touch.triangles_a, *touch.triangles_b)]
        if triangles:
            corners = np.concatenate(triangles)
            faces = np.arange(len(corners)).reshape(-1, 3)
            # Lifted by a hair to both sides, so that the solid under it does not show through.
            across = np.cross(corners[1::3] - corners[::3], corners[2::3] - corners[::3])
            lift = 4e-4 * film.size * across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
            for side, sign in (("front", 1.0), ("back", -1.0)):
                self.marks.append(scene.add_mesh_simple(
                    f"/contact/{side}", corners + sign * np.repeat(lift, 3, axis=0), faces, color=red, opacity=0.35,
                    side="double", cast_shadow=False, receive_shadow=False,
                ))  # fmt: skip
            edges = corners.reshape(-1, 3, 3)[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2, 3)
            self.marks.append(
                scene.add_line_segments("/contact/outline", edges, red, thickness=2.5, thickness_units="screen")
            )
        for k, touch in enumerate(shown):
            point = 0.5 * (touch.contact.point_a + touch.contact.point_b)
            self.marks.append(
                scene.add_icosphere(f"/contact/point/{k}", radius=8e-3 * film.size, color=red, position=point)
            )
        if shown and np.any(shown[0].contact.normal):
            point = shown[0].contact.point_a
            ends = np.stack([point, point + 0.12 * film.size * shown[0].contact.normal])
            self.marks.append(scene.add_arrows(
                "/contact/normal", ends[None], red, shaft_radius=3e-3 * film.size, head_radius=9e-3 * film.size,
                head_length=0.03 * film.size,
            ))  # fmt: skip
        if shown:
            at = shown[0].contact.point_a + np.array([0.0, 0.0, 0.05 * film.size])
            words = f"{film.meeting()}, t = {film.hit.time:.5f}"
            self.marks.append(scene.add_label("/contact/label", words, position=at))

    def _add_culling(self) -> None:
        """Add the oriented boxes; the lines of the culling are made for each slab."""
        film, scene = self.film, self.server.scene
        self.boxes: list[viser.SceneNodeHandle] = []
        for k, solid in enumerate(film.solids):
            if solid.link in self.frames:
                self.boxes.append(scene.add_line_segments(
                    f"/links/{solid.link}/box{k}", solid.box[CUBE_EDGES], bytes_of(TEAL), thickness=1.5,
                    thickness_units="screen", visible=False,
                ))  # fmt: skip
        self.swept: viser.LineSegmentsHandle | None = None
        self.pairs: viser.LineSegmentsHandle | None = None

    def _show_slab(self) -> None:
        """Draw the swept boxes and the surviving pairs of the slab that holds the moment."""
        film, scene = self.film, self.server.scene
        wanted = self.show_swept.value or self.show_pairs.value
        self.told.visible = wanted
        for old in (self.swept, self.pairs):
            if old is not None:
                old.remove()
        self.swept = self.pairs = None
        if not wanted or not film.slabs:
            return
        slab = next((s for s in film.slabs if self.moment <= s.t1), film.slabs[-1])
        number = film.slabs.index(slab) + 1
        self.told.content = (
            f"**Slab {number} of {len(film.slabs)}**, t = {slab.t0:.3f} to {slab.t1:.3f}: {len(slab.spatial)} pairs "
            f"left after spatial culling (amber), {len(slab.temporal)} after temporal culling (red)."
        )
        close, late = set(slab.spatial.ravel().tolist()), set(slab.temporal.ravel().tolist())
        colours = np.array(
            [CONTACT if shape in late else AMBER if shape in close else GREY for shape in slab.shapes.tolist()]
        ).reshape(-1, 3)
        if self.show_swept.value and len(slab.boxes):
            low, high = slab.boxes[:, None, :3], slab.boxes[:, None, 3:]
            corners = np.where(CUBE > 0.0, high, low)
            segments = corners[:, CUBE_EDGES].reshape(-1, 2, 3)
            tints = np.repeat(np.round(255 * colours).astype(np.uint8), 24, axis=0).reshape(-1, 2, 3)
            self.swept = scene.add_line_segments("/swept", segments, tints, thickness=1.5, thickness_units="screen")
        if self.show_pairs.value and len(slab.spatial):
            frame = film.frame_at(self.moment)
            poses = film.poses[frame]
            centres = np.array([poses[s.link][:3, :3] @ s.center + poses[s.link][:3, 3] for s in film.solids])
            pairs = np.concatenate([slab.spatial, slab.temporal])
            colours = np.array([AMBER] * len(slab.spatial) + [CONTACT] * len(slab.temporal))
            tints = np.repeat(np.round(255 * colours).astype(np.uint8), 2, axis=0).reshape(-1, 2, 3)
            self.pairs = scene.add_line_segments(
                "/pairs", centres[pairs], tints, thickness=2.5, thickness_units="screen"
            )

    # ---- the controls -----------------------------------------------------------------------------------------------

    def _add_controls(self, title: str | None) -> None:
        """Add the words, the slider with the plot under it, and the switches."""
        from viser import uplot

        film, gui = self.film, self.server.gui
        gui.configure_theme(control_width="large", brand_color=(47, 111, 219), show_logo=False)
        gui.main_panel.dock_right()
        rows = "\n".join(f"| {name} | {value} |" for name, value in film.details())
        head = f"##### {_plain(title)}\n\n" if title else ""
        gui.add_markdown(f"{head}#### {film.headline()}\n\n| | |\n|---|---|\n{rows}")
        self.slider = gui.add_slider("t", min=0.0, max=1.0, step=1e-4, initial_value=round(self.moment, 4))
        times, values, what = film.curve
        known = np.isfinite(values)
        self.plot: viser.GuiUplotHandle | None = None
        if known.any():
            self.plot_times, self.plot_values = times[known], values[known]
            if film.growth is None:
                self.plot_values, what = 1e3 * self.plot_values, f"{what}, mm"
            top = 1.06 * max(float(self.plot_values.max()), 1e-9)
            blue, ink, red = "rgb(47, 111, 219)", "rgb(27, 35, 48)", f"rgb{bytes_of(CONTACT)}"
            line, scale = uplot.Series, uplot.Scale
            self.plot = gui.add_uplot(
                data=self._plot_data(),
                series=(
                    line(label="t"),
                    line(label=what, stroke=blue, fill="rgba(47, 111, 219, 0.12)", width=2),
                    line(label="now", stroke=ink, width=2, points={"show": True, "size": 9}),
                    line(label="contact", stroke=red, width=2, points={"show": True, "size": 11, "fill": red}),
                ),
                scales={
                    "x": scale(time=False, auto=False, range=(0.0, 1.0)),
                    "y": scale(auto=False, range=(0.0, top)),
                },
                title=what,
                legend=uplot.Legend(show=False),
                aspect=2.4,
            )  # fmt: skip
        self.now = gui.add_markdown("")
        self.playing = False
        self.play = gui.add_button("Play")
        self.play.on_click(lambda _: self._set_playing(not self.playing))
        if film.contact_time is not None:
            gui.add_button("Go to contact", color="red").on_click(lambda _: self._go(film.contact_time or 0.0))
        with gui.add_folder("Show"):
            ghosts = gui.add_checkbox("Start and end", initial_value=True)
            marks = gui.add_checkbox("Contact", initial_value=True, visible=bool(self.marks))
            boxes = gui.add_checkbox("Oriented boxes", initial_value=False, visible=bool(self.boxes))
            self.show_swept = gui.add_checkbox("Swept boxes", initial_value=False, visible=film.culled)
            self.show_pairs = gui.add_checkbox("Surviving pairs", initial_value=False, visible=film.culled)
            self.told = gui.add_markdown("", visible=False)
        for switch, handles in ((ghosts, self.ghosts), (marks, self.marks), (boxes, self.boxes)):
            switch.on_update(lambda _, s=switch, h=handles: _set_visible(h, s.value))
        for switch in (self.show_swept, self.show_pairs):
            switch.on_update(lambda _: self.show(self.moment, again=True))
        self.slider.on_update(lambda _: self._moved())

    def _plot_data(self) -> tuple[np.ndarray, ...]:
        """Return the curve, and the two single points on it: now, and the contact."""
        times, values = self.plot_times, self.plot_values
        contact = self.film.contact_time
        marks = [np.full(len(times), np.nan) for _ in range(2)]
        k = int(np.abs(times - self.moment).argmin())
        marks[0][k] = values[k]
        if contact is not None:
            k = int(np.abs(times - contact).argmin())
            marks[1][k] = values[k]
        return times, values, *marks

    def _moved(self) -> None:
        """Follow the slider, unless it only follows the moment: its steps are coarser than the time of contact."""
        if abs(self.slider.value - self.moment) > 0.51e-4:
            self.show(self.slider.value)

    def _go(self, t: float) -> None:
        self._set_playing(False)
        self.show(t)

    def _set_playing(self, playing: bool) -> None:
        self.playing = playing
        self.play.label = "Pause" if playing else "Play"

    def show(self, t: float, *, again: bool = False) -> None:
        """Show the scene at time t."""
        film = self.film
        with self.lock, self.server.atomic():
            self.moment = min(max(t, 0.0), 1.0)
            poses = self._poses()
            for link, frame in self.frames.items():
                if film.moving[link] or not again:
                    frame.position, frame.wxyz = poses[link][:3, 3], quaternion(poses[link])
            self.fabric.move(self.moment)
            self.slider.value = round(self.moment, 4)
            if self.plot is not None:
                self.plot.data = self._plot_data()
            k = int(np.abs(film.clearance.times - self.moment).argmin())
            distance, (a, b) = film.clearance.distances[k], film.clearance.pairs[k]
            known = math.isfinite(distance)
            self.now.content = f"**{length(distance)}** between {_plain(a)} and {_plain(b)}" if known else ""
            if film.growth is not None:
                self.now.content = f"**{film.growth.by(self.moment):,}** {film.growth.what} touch"
            self._show_slab()

    def _poses(self) -> np.ndarray:
        """Return the poses of all links at the moment, from the motions themselves."""
        film = self.film
        k = film.frame_at(self.moment)
        if film.times[k] == self.moment:
            return film.poses[k]
        given = {id(m.model): m for m in film.motions}
        poses, first = film.poses[k].copy(), 0
        for model in film.scene.models:
            if id(model) in given:
                poses[first : first + len(model.link_names)] = given[id(model)].link_poses(self.moment)
            first += len(model.link_names)
        return poses

    def _run(self) -> None:
        """Move time on while playing."""
        while not self.finished.wait(1.0 / RATE):
            last = time.monotonic()
            while self.playing and not self.finished.wait(1.0 / RATE):
                now = time.monotonic()
                t = 0.0 if self.moment >= 1.0 else min(1.0, self.moment + (now - last) / SECONDS)
                last = now
                contact = self.film.contact_time
                if self.film.growth is None and contact is not None and self.moment < contact <= t:
                    t = contact  # it stops where things first touch; played again, it goes on
                    self._set_playing(False)
                self.show(t)
                if t >= 1.0:
                    self._set_playing(False)


def _split(solid: Solid) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces in which sharp edges do not share vertices: normals are made from shared ones."""
    n = np.round(64.0 * solid.normals.reshape(-1, 3)).astype(np.int64) + 64
    key = ((solid.corners.reshape(-1).astype(np.int64) * 129 + n[:, 0]) * 129 + n[:, 1]) * 129 + n[:, 2]
    _, first, numbers = np.unique(key, return_index=True, return_inverse=True)
    return solid.vertices[solid.faces].reshape(-1, 3)[first], numbers.reshape(-1, 3)


def _plain(text: str) -> str:
    """Return text that markdown shows as it is: names come from files."""
    return "".join("\\" + c if c in "\\`*_{}[]<>()#+-.!|" else c for c in text)


def _set_visible(handles: Iterable[viser.SceneNodeHandle], visible: bool) -> None:
    for handle in handles:
        handle.visible = visible
