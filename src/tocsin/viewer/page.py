"""One HTML file that shows a film: no server, no network, no other files.

Vertices are kept as 16-bit fractions of their solid's box with octahedral normals, poses as 32-bit matrices; a
deformable model has such vertices for every frame, and the page goes straight from one to the next. All arrays go into
one compressed block. `template/` holds the page itself: plain WebGL 2 and JavaScript.
"""

# What some of NumPy's functions return has no type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import base64
import gzip
import html
import json
import math
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import TypeAlias

import numpy as np

from tocsin._given import write
from tocsin.model.base import Motion
from tocsin.model.program import Program
from tocsin.queries.audit import ProgramAudit
from tocsin.results import FirstContact, Status
from tocsin.scene import Scene
from tocsin.soft_results import FeatureContacts, TriangleTimes
from tocsin.viewer.camera import best_view, extremes
from tocsin.viewer.files import target
from tocsin.viewer.film import Film, Touch, sampled, shoot, titled
from tocsin.viewer.sheets import SHADES, Sheet
from tocsin.viewer.solids import END, START, Solid

VERTEX = np.dtype([("place", "<u2", 3), ("spare", "<u2"), ("fold", "<i2", 2)])
"""A vertex: where it is in its solid's box, and its normal folded onto a square."""

Story: TypeAlias = dict[str, object]
"""What the page gets, as JSON."""


def save_page(
    path: str | Path,
    scene: Scene,
    *motions: Motion | Program | ProgramAudit,
    hit: FirstContact | FeatureContacts | TriangleTimes | None = None,
    margin: float = 0.0,
    title: str | None = None,
    samples: int | Iterable[float] | None = None,
) -> Path:
    """Write one HTML file that shows `motions` in `scene`, from start to end, and where they first touch.

    `hit` is the answer of `scene.first_contact`, or of `scene.contacts` about deformable models, whose touching
    triangles are then painted as they come; without one the scene is asked for the first contact, with this `margin`;
    with one the motions may be left out. `samples` (how many, or which times) marks on the clearance plot what sampling
    would have looked at. Missing folders are made. Returns the path.
    """
    file = target(path, ".html", "a page")
    titled(title)
    film = shoot(scene, *motions, hit=hit, margin=margin)
    return write(file, page_text(film, title or "tocsin", samples).encode(), "a page")


def page_text(film: Film, title: str, samples: int | Iterable[float] | None = None) -> str:
    """Return the page of a film as text."""
    arrays, story = _arrays(film)
    story |= _story(film, title)
    story["samples"] = [[t, d] for t, d in sampled(film, samples) if math.isfinite(d)]
    block = b""
    story["sections"] = []
    for name, array in arrays.items():
        kind = "u1" if array.dtype == VERTEX else array.dtype.str[1:]
        raw = np.ascontiguousarray(array).tobytes()
        story["sections"].append([name, kind, len(block), len(raw) // int(kind[1])])
        block += raw + b"\0" * (-len(raw) % 4)
    template = resources.files("tocsin.viewer").joinpath("template")
    parts = {
        "TITLE": html.escape(title),
        "STYLE": template.joinpath("page.css").read_text(encoding="utf-8"),
        "SCRIPT": "".join(template.joinpath(n).read_text(encoding="utf-8") for n in ("renderer.js", "app.js")),
        # Names come from files: nothing in them may end the script element.
        "FILM": json.dumps(story, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
        "BYTES": base64.b64encode(gzip.compress(block, 7, mtime=0)).decode("ascii"),
    }
    pieces = template.joinpath("page.html").read_text(encoding="utf-8").split("@")
    return "".join(parts.get(piece, piece) for piece in pieces)


def _story(film: Film, title: str) -> Story:
    """Return what is said, and the view."""
    view = best_view(film)
    reach = float(np.linalg.norm(np.ptp(view.focus, axis=0))) or 1.0
    middle = 0.5 * (film.low + film.high)
    cell = 10.0 ** math.floor(math.log10(max(reach, 1e-9) / 4.0))
    words = {Status.FREE: "free", Status.CAPPED: "capped"}
    clearance = film.clearance
    finite = np.isfinite(clearance.distances)
    names = sorted({" – ".join(pair) for pair in clearance.pairs})
    return {
        "title": title,
        "headline": film.headline(),
        "status": words.get(film.hit.status, "touching"),
        "details": film.details(),
        "contact": film.contact_time,
        "meeting": film.meeting(),
        "margin": film.margin,
        "seconds": film.clock,
        "touches": [_touch(t) for t in film.touches if np.isfinite(t.contact.point_a).all()],
        "times": film.times.tolist(),
        "clearance": {
            "times": clearance.times.tolist(),
            "distances": [float(d) if ok else None for d, ok in zip(clearance.distances, finite)],
            "names": names,
            "pairs": [names.index(" – ".join(pair)) for pair in clearance.pairs],
        }
        if finite.any()
        else None,
        "ghostColours": [START, END],
        "growth": _growth(film),
        "focus": np.round(extremes(view.focus), 6).tolist(),
        "view": {"azimuth": view.azimuth, "elevation": view.elevation},
        "low": film.low.tolist(),
        "middle": middle.tolist(),
        "size": film.size,
        "reach": reach,
        "ground": float(film.low[2]) - 1e-4 * film.size,
        "cell": cell,
        "pairsTotal": film.hit.stats.pairs_total // max(film.hit.stats.slabs, 1),
    }


def _growth(film: Film) -> Story | None:
    """Return how many contacts there are by when, as a curve of few points."""
    if film.growth is None:
        return None
    times, counts, what = film.curve
    return {"what": what, "times": times.tolist(), "counts": counts.tolist()}


def _touch(touch: Touch) -> Story:
    contact = touch.contact
    triangles = np.concatenate([touch.triangles_a, touch.triangles_b])
    normal = contact.normal.tolist() if np.any(contact.normal) else None
    point = 0.5 * (contact.point_a + contact.point_b)
    return {"point": point.tolist(), "normal": normal, "triangles": triangles.tolist()}


class _Meshes:
    """The vertices and the triangles of a page, all in two arrays."""

    def __init__(self) -> None:
        self.vertices: list[np.ndarray] = [np.zeros(0, VERTEX)]
        self.indices: list[np.ndarray] = [np.zeros(0, "<u4")]
        self.n_vertices = self.n_indices = 0

    def add(self, rows: np.ndarray, *indices: np.ndarray) -> None:
        """Put a mesh behind the others."""
        self.vertices.append(rows)
        self.indices += indices
        self.n_vertices += len(rows)
        self.n_indices += sum(len(some) for some in indices)

    def solid(self, solid: Solid) -> Story:
        """Add what keeps its shape; return where it is."""
        rows, faces, low, span = _packed(solid)
        told: Story = {
            "link": solid.link, "label": solid.label, "colour": solid.colour, "first": self.n_indices,
            "count": len(faces), "low": low.tolist(), "span": span.tolist(), "box": solid.box.tolist(),
            "centre": solid.center.tolist(),
        }  # fmt: skip
        self.add(rows, faces + np.uint32(self.n_vertices))
        return told

    def sheet(self, sheet: Sheet, least: float) -> Story:
        """Add what deforms; return where it is. It moves if a vertex does, by more than `least`, metres."""
        rows, faces, number, low, span = _packed_sheet(sheet)
        touched = faces.reshape(-1, 3)[sheet.touched].reshape(-1)
        order = np.argsort(sheet.shades, kind="stable")
        faces = faces.reshape(-1, 3)[order].reshape(-1)
        counts = np.bincount(sheet.shades, minlength=len(SHADES)) * 3
        told: Story = {
            "label": sheet.label, "first": self.n_indices, "count": len(faces), "vertex": self.n_vertices,
            "shades": [[*SHADES[k], int(n)] for k, n in enumerate(counts) if n],
            "vertices": number, "low": low.tolist(), "span": span.tolist(), "times": sheet.times.tolist(),
            "moves": float(np.abs(sheet.frames - sheet.frames[:1]).max(initial=0.0)) > least,
            "touched": sheet.first[sheet.touched].tolist(),
        }  # fmt: skip
        self.add(rows, faces, touched)
        return told


def _arrays(film: Film) -> tuple[dict[str, np.ndarray], Story]:
    """Return the arrays of the page, and what in its story points into them."""
    meshes = _Meshes()
    solids = [meshes.solid(solid) for solid in film.solids]
    sheets = [meshes.sheet(sheet, 1e-3 * film.size) for sheet in film.sheets]
    poses, links = _links(film)
    boxes, pairs, slabs = _slabs(film)
    arrays = {
        "vertices": np.concatenate(meshes.vertices),
        "indices": np.concatenate(meshes.indices),
        "poses": poses,
        "closest": film.clearance.points.astype("<f4").reshape(-1),
        "boxes": boxes,
        "pairs": pairs,
    }
    swept: list[int] = film.slabs[0].shapes.tolist() if film.slabs else []
    return arrays, {"solids": solids, "sheets": sheets, "links": links, "slabs": slabs, "swept": swept}


def _links(film: Film) -> tuple[np.ndarray, list[Story]]:
    """Return the poses of all links, moment by moment or once, and where those of each begin."""
    poses: list[np.ndarray] = []
    links: list[Story] = []
    offset = 0
    for i, moves in enumerate(film.moving):
        own = film.poses[:, i, :3, :] if moves else film.poses[:1, i, :3, :]
        links.append({"offset": offset, "moments": len(own)})
        poses.append(own.astype("<f4").reshape(-1))
        offset += own.size
    return np.concatenate(poses), links


def _slabs(film: Film) -> tuple[np.ndarray, np.ndarray, list[Story]]:
    """Return the swept boxes and the pairs that culling leaves, and where those of each slab of time are."""
    boxes: list[np.ndarray] = [np.zeros(0, "<f4")]
    pairs: list[np.ndarray] = [np.zeros((0, 2), "<i4")]
    slabs: list[Story] = []
    n_boxes = n_pairs = 0
    for slab in film.slabs:
        told: Story = {"t0": slab.t0, "t1": slab.t1, "boxes": n_boxes}
        for name, left in (("spatial", slab.spatial), ("temporal", slab.temporal)):
            told[name] = [n_pairs, n_pairs + len(left)]
            pairs.append(left.astype("<i4"))
            n_pairs += len(left)
        boxes.append(slab.boxes.astype("<f4").reshape(-1))
        n_boxes += len(slab.boxes)
        slabs.append(told)
    return np.concatenate(boxes), np.concatenate(pairs).reshape(-1), slabs


def _packed(solid: Solid) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return (vertices, indices, low, span): corners that share place and normal are one vertex."""
    if len(solid.faces) == 0:
        return np.zeros(0, VERTEX), np.zeros(0, "<u4"), np.zeros(3), np.zeros(3)
    places = solid.vertices[solid.faces].reshape(-1, 3)
    low = places.min(axis=0)
    span = places.max(axis=0) - low
    fold, first, numbers = _shared(solid.normals, solid.corners)
    return _rows(places[first], fold[first], low, span), numbers, low, span


def _packed_sheet(sheet: Sheet) -> tuple[np.ndarray, np.ndarray, int, np.ndarray, np.ndarray]:
    """Return (vertices, indices, number, low, span): so many vertices of the first frame, then those of the next.

    Corners are shared as they are in the first frame.
    """
    low, span = sheet.bounds[0], sheet.bounds[1] - sheet.bounds[0]
    if len(sheet.faces) == 0:
        return np.zeros(0, VERTEX), np.zeros(0, "<u4"), 0, low, span
    _, first, numbers = _shared(sheet.normals(sheet.frames[0]), sheet.corners)
    own = sheet.faces.reshape(-1)[first]
    rows = [_rows(frame[own], _folds(sheet.normals(frame).reshape(-1, 3)[first]), low, span) for frame in sheet.frames]
    return np.concatenate(rows), numbers, len(first), low, span


def _shared(normals: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return folded normals, the corner that stands for each vertex, and the vertex of each corner."""
    fold = _folds(normals.reshape(-1, 3))
    key = (corners.reshape(-1).astype(np.int64) << 32) | ((fold[:, 0] + 32768) << 16) | (fold[:, 1] + 32768)
    _, first, numbers = np.unique(key, return_index=True, return_inverse=True)
    return fold, first, numbers.reshape(-1).astype("<u4")


def _folds(normals: np.ndarray) -> np.ndarray:
    return np.round(32767.0 * folded(normals)).astype(np.int64)


def _rows(places: np.ndarray, fold: np.ndarray, low: np.ndarray, span: np.ndarray) -> np.ndarray:
    """Return vertices as the page keeps them."""
    rows = np.zeros(len(places), VERTEX)
    rows["place"] = np.round(65535.0 * (places - low) / np.where(span > 0.0, span, 1.0))
    rows["fold"] = fold
    return rows


def folded(normals: np.ndarray) -> np.ndarray:
    """Return (n, 2) in [-1, 1]: unit vectors on an octahedron whose lower half is folded outward."""
    flat = normals / np.abs(normals).sum(axis=1, keepdims=True)
    x, y = flat[:, 0], flat[:, 1]
    lower = flat[:, 2] < 0.0
    out_x: np.ndarray = np.where(lower, (1.0 - np.abs(y)) * np.where(x >= 0.0, 1.0, -1.0), x)
    out_y: np.ndarray = np.where(lower, (1.0 - np.abs(x)) * np.where(y >= 0.0, 1.0, -1.0), y)
    return np.column_stack([out_x, out_y])
