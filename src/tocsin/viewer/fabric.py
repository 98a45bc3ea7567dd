"""Deformable models in the browser with viser: vertices are sent when time changes, faces when more have touched."""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin.viewer.film import Film
from tocsin.viewer.sheets import SHADES, Sheet
from tocsin.viewer.solids import CONTACT, END, START, Colour, bytes_of


class Layer:
    """The triangles of a model that have one colour, as a mesh in a viser scene."""

    def __init__(self, scene: Any, path: str, sheet: Sheet, colour: Colour) -> None:
        vertices = sheet.frames[0].astype(np.float32)
        self.mesh = scene.add_mesh_simple(path, vertices, sheet.faces, color=bytes_of(colour), side="double")

    def show(self, faces: np.ndarray) -> None:
        """Show these triangles."""
        self.mesh.visible = len(faces) > 0
        if len(faces):
            self.mesh.faces = faces


class Fabric:
    """The deformable models of a film in a viser scene: a layer for each colour, and one for what has touched."""

    def __init__(self, scene: Any, film: Film) -> None:
        self.ghosts: list[Any] = []
        self._shown: list[tuple[Sheet, Layer, dict[int, Layer]]] = []
        self._painted: list[int] = []
        for k, sheet in enumerate(film.sheets):
            if len(sheet.faces) == 0:
                continue
            shades = np.unique(sheet.shades).tolist()
            layers = {shade: Layer(scene, f"/sheets/{k}/{shade}", sheet, SHADES[shade]) for shade in shades}
            self._shown.append((sheet, Layer(scene, f"/sheets/{k}/touched", sheet, CONTACT), layers))
            self._painted.append(-1)
            if np.abs(sheet.frames - sheet.frames[:1]).max() <= 1e-2 * film.size:
                continue
            for name, frame, colour in (("start", 0, START), ("end", -1, END)):
                ghost = scene.add_mesh_simple(
                    f"/{name}/sheet{k}", sheet.frames[frame].astype(np.float32), sheet.faces, color=bytes_of(colour),
                    opacity=0.2, side="double", cast_shadow=False, receive_shadow=False,
                )  # fmt: skip
                self.ghosts.append(ghost)

    def move(self, t: float) -> None:
        """Put the vertices where they are at time t, and paint what has touched by then."""
        for k, (sheet, painted, layers) in enumerate(self._shown):
            touched = sheet.touched_by(t)
            if len(touched) != self._painted[k]:
                shades = sheet.shades.copy()
                shades[touched] = -1
                painted.show(sheet.faces[touched])
                for shade, layer in layers.items():
                    layer.show(sheet.faces[shades == shade])
                self._painted[k] = len(touched)
            if len(sheet.times) > 1:
                vertices = sheet.at(t).astype(np.float32)
                for layer in (painted, *layers.values()):
                    if layer.mesh.visible:
                        layer.mesh.vertices = vertices
