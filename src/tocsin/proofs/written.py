"""What a proof says of the models and their motions, and its words as text: see docs/proofs.md for the format."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Sphere
from tocsin.geometry.shape import Shape
from tocsin.model.base import Model, Motion
from tocsin.model.timed import SplineMotion
from tocsin.motion.links import JOINT_KINDS
from tocsin.proofs import search

_WORDS = {search.HALF_TIME: "/", search.SLAB: ".", search.END: ";", search.HALF_A: "<", search.HALF_B: ">"}
_WORDS[search.TOGETHER] = "="
KIND_NAMES = {code: name for name, code in JOINT_KINDS.items() if name != "continuous"}


class Held(NamedTuple):
    """A model as it is when a proof is made: it may be placed, or take something up, before the proof is written."""

    source: tuple[Path, str, dict[str, Path]] | None
    joints: tuple[Any, ...]
    link_names: tuple[str, ...]
    links: np.ndarray
    shapes: tuple[tuple[Shape, ...], ...]
    carried: int
    rest: np.ndarray

    @staticmethod
    def of(model: Model) -> Held:
        """Return what a proof says of a model."""
        source, joints = getattr(model, "source", None), getattr(model, "joints", ())
        own = model.link_names, model.links, model.shapes, len(model.carried), model.rest.copy()
        return Held(source, joints, *own)


def as_text(words: np.ndarray) -> str:
    """Return the words of a proof as the format has them."""
    out = []
    listed = words.tolist()
    i = 0
    while i < len(listed):
        word = listed[i]
        if word in _WORDS:
            out.append(_WORDS[word])
            i += 1
        else:
            count = {search.ALONG: 3, search.PAIR_OF: 2, search.HALF_BOX: 1, search.SEEN: 4}[word]
            out += {search.HALF_BOX: ["/"], search.SEEN: ["@"]}.get(word, [])
            out += map(str, listed[i + 1 : i + 1 + count])
            i += 1 + count
    return " ".join(out)


def said_of(model: Held, name: str) -> dict[str, Any]:
    """Return a model as a proof has it: a robot by its file, what it carries and all others by their links."""
    if model.source is None or any(joint.kind == "planar" for joint in model.joints):
        return {"name": name, "links": _links(model, 0)}
    path, geometry, meshes = model.source
    joints = [j.name for j in model.joints if j.kind != "fixed" and j.mimic is None]
    hashes = {uri: _hash(file) for uri, file in meshes.items()}
    carried = _links(model, len(model.links) - model.carried)
    said = {"name": name, "urdf": _hash(path), "geometry": geometry, "meshes": hashes, "joints": joints}
    return {**said, "links": carried}


def _links(model: Held, first: int) -> list[dict[str, Any]]:
    """Return links of a model, from one on, as a proof spells them out."""
    found = []
    for link, own, shapes in list(zip(model.links, model.link_names, model.shapes))[first:]:
        turn = Rotation.from_matrix(link["rotation"]).as_quat().tolist()
        found.append({
            "name": own, "parent": model.link_names[link["parent"]] if link["parent"] >= 0 else "",
            "joint": KIND_NAMES[int(link["kind"])], "at": [*link["translation"].tolist(), *turn],
            "axis": link["axis"].tolist(), "across": link["across"].tolist(), "entry": int(link["config"]),
            "mimic": [float(link["multiplier"]), float(link["offset"])],
            "shapes": [_shape(shape) for shape in shapes if not shape.is_empty],
        })  # fmt: skip
    return found


def moves_of(motion: Motion | None, model: Held) -> dict[str, Any]:
    """Return how a model moves as a proof has it."""
    if motion is None:
        return {"rows": [model.rest.tolist()]}
    said: dict[str, Any] = {} if motion.times is None else {"times": motion.times.tolist()}
    if motion.error is not None:
        said["error"] = motion.error.tolist()
    if isinstance(motion, SplineMotion):
        return {**said, "curves": [[_trimmed(entry) for entry in piece.T] for piece in motion.coefficients]}
    return {**said, "rows": motion.rows.tolist()}


def _trimmed(coefficients: np.ndarray) -> list[float]:
    used = np.flatnonzero(coefficients)
    return coefficients[: int(used[-1]) + 1 if len(used) else 1].tolist()


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _shape(shape: Shape) -> dict[str, Any]:
    """Return one shape of a body."""
    source: Any = shape.source
    said: dict[str, Any] = {"place": shape.placement.tolist()}
    if isinstance(source, Box):
        said["shape"] = ["box", list(source.size)]
    elif isinstance(source, Sphere):
        said["shape"] = ["sphere", source.radius]
    elif isinstance(source, Cylinder):
        said["shape"] = ["cylinder", [source.radius, source.length]]
    elif isinstance(source, Capsule):
        said["shape"] = ["capsule", [source.radius, source.length]]
    elif isinstance(source, ConvexHull):
        said["shape"] = ["hull", source.points.tolist()]
    else:
        said["vertices"], said["faces"] = source.vertices.tolist(), source.faces.tolist()
    return said
