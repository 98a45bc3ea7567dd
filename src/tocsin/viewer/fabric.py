"""Deformable models in the browser with viser: vertices are sent when time changes, faces when more have touched."""

# What some of NumPy's functions return has no type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tocsin.viewer.film import Film
from tocsin.viewer.sheets import SHADES, Sheet
from tocsin.viewer.solids import CONTACT, END, START, Colour, bytes_of

if TYPE_CHECKING:
    import viser


class Layer:
    """Triangles of a model that may have one colour, as a mesh in a viser scene with just their vertices."""

    def __init__(self, scene: viser.SceneApi, path: str, sheet: Sheet, colour: Colour, faces: np.ndarray) -> None:
        self._used = np.unique(faces)
        self._number = np.zeros(sheet.frames.shape[1], np.uint32)
        self._number[self._used] = np.arange(len(self._used))
        vertices = sheet.frames[0][self._used].astype(np.float32)
        self.mesh = scene.add_mesh_simple(path, vertices, self._number[faces], color=bytes_of(colour), side="double")

    def show(self, faces: np.ndarray) -> None:
        """Show these of its triangles."""
        self.mesh.visible = len(faces) > 0
        if len(faces):
            self.mesh.faces = self._number[faces]

    def move(self, vertices: np.ndarray) -> None:
        """Put its vertices where those of the model are."""
        if self.mesh.visible:
            self.mesh.vertices = vertices[self._used].astype(np.float32)


class Fabric:
    """The deformable models of a film in a viser scene: a layer for each colour, and one for what has touched."""

    def __init__(self, scene: viser.SceneApi, film: Film) -> None:
        self.ghosts: list[viser.SceneNodeHandle] = []
        self._shown: list[tuple[Sheet, Layer | None, dict[int, Layer]]] = []
        self._painted: list[int] = []
        for k, sheet in enumerate(film.sheets):
            if len(sheet.faces) == 0:
                continue
            layers = {
                shade: Layer(scene, f"/sheets/{k}/{shade}", sheet, SHADES[shade], sheet.faces[sheet.shades == shade])
                for shade in np.unique(sheet.shades).tolist()
            }
            touched = sheet.faces[sheet.touched]
            painted = Layer(scene, f"/sheets/{k}/touched", sheet, CONTACT, touched) if len(touched) else None
            self._shown.append((sheet, painted, layers))
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
            if painted is not None and len(touched) != self._painted[k]:
                shades = sheet.shades.copy()
                shades[touched] = -1
                painted.show(sheet.faces[touched])
                for shade, layer in layers.items():
                    layer.show(sheet.faces[shades == shade])
                self._painted[k] = len(touched)
            if len(sheet.times) > 1:
                vertices = sheet.at(t)
                for layer in layers.values():
                    layer.move(vertices)
                if painted is not None:
                    painted.move(vertices)
