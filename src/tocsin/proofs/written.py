"""What a proof says of the models and their motions, and its words as text: see docs/proofs.md for the format."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin._types import Json
from tocsin.errors import TocsinError
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Sphere
from tocsin.geometry.shape import Shape
from tocsin.model.base import Model, Motion
from tocsin.model.joint import Joint
from tocsin.model.timed import SplineMotion
from tocsin.motion.links import BALL, FIXED, FLOATING, PLANAR, PRISMATIC, REVOLUTE
from tocsin.proofs import search
from tocsin.proofs.points import corners_of
from tocsin.proofs.swept import AROUND_A, AROUND_B

_WORDS = {search.HALF_TIME: "/", search.SLAB: ".", search.HALF_A: "<", search.HALF_B: ">", search.TOGETHER: "="}
_WORDS |= {AROUND_A: "(", AROUND_B: ")"}
_WORDS |= {search.AXIS + k: word for k, word in enumerate(("x", "-x", "y", "-y", "z", "-z"))}
_NUMBERS = {search.ALONG: 3, search.SEEN: 4}

LAST = {
    FIXED: "fixed", REVOLUTE: "revolute", PRISMATIC: "prismatic", PLANAR: "revolute", BALL: "ball", FLOATING: "ball",
}  # fmt: skip
"""What the last of the links is that a joint is spelled out as; a kind that is not here has no proofs."""

IN_FILES = (FIXED, REVOLUTE, PRISMATIC)
"""Kinds of joints that the checker reads from a URDF; a robot with others is spelled out."""

READ = (".stl", ".dae", ".obj")
"""Kinds of meshes that it reads; a robot with others is spelled out."""

UNMOVED = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]

BEFORE = ".base"
"""The link of a proof on which a robot from a file stands."""

BASE = 7
"""Entries of a configuration before those of the joints: x y z, quaternion. A proof has them behind those."""


Said: TypeAlias = dict[str, Json]
"""An object of a proof, as JSON has it."""


class Held(NamedTuple):
    """A model as it is when a proof is made: it may be placed, or take something up, before the proof is written."""

    source: tuple[Path, str, dict[str, Path]] | None
    joints: tuple[Joint, ...]
    link_names: tuple[str, ...]
    links: np.ndarray
    shapes: tuple[tuple[Shape, ...], ...]
    carried: int
    rest: np.ndarray

    def name_of(self, link: int) -> str:
        """Return what a proof calls a link; that of a body has no name of its own."""
        return "" if len(self.link_names) == 1 and self.source is None else self.link_names[link]

    @staticmethod
    def of(model: Model) -> Held:
        """Return what a proof says of a model."""
        source, joints = getattr(model, "source", None), getattr(model, "joints", ())
        own = model.link_names, model.links, model.shapes, len(model.carried), model.rest.copy()
        return Held(source, joints, *own)


def as_text(words: np.ndarray) -> str:
    """Return the words of a proof as the format has them."""
    out, listed, i = [], words.tolist(), 0
    while i < len(listed):
        word, i = listed[i], i + 1
        if word in _WORDS:
            out.append(_WORDS[word])
        elif word == search.HALF_BOX:
            out.append(f"/{listed[i] - BASE}")
            i += 1
        else:
            out += ["@"] if word == search.SEEN else []
            out += map(str, listed[i : i + _NUMBERS[word]])
            i += _NUMBERS[word]
    return " ".join(out)


def said_of(model: Held, name: str, motion: Motion | None) -> Said:
    """Return a model as a proof has it, and how it moves: a robot by its file, what it carries and all others by their
    links."""
    pieces, error = _pieces(model, motion), None if motion is None else motion.error
    bases = [piece[:BASE] for piece in pieces]
    moves = any(base != bases[0] or max(map(len, base)) > 1 for base in bases)
    moves = moves or (error is not None and bool(error[:BASE].any()))
    order = [*range(BASE, len(pieces[0])), *range(BASE if moves else 0)]
    said = {"name": name, "pieces": [[piece[k] for k in order] for piece in pieces]}
    if motion is not None and motion.times is not None:
        said["times"] = motion.times.tolist()
    if error is not None:
        said["error"] = error[order].tolist()
    return {**said, "links": _links(model, None if moves else [entry[0] for entry in bases[0]])}


def _links(model: Held, base: list[float] | None) -> list[Said]:
    """Return the links of a model; `base`: where it stands, None if its base moves."""
    found, first = [], 0
    if model.source is not None and _in_files(model, model.source[2]):
        path, geometry, meshes = model.source
        joints = [j.name for j in model.joints if j.kind != "fixed" and j.mimic is None]
        files = {"": _hash(path), **{uri: _hash(file) for uri, file in meshes.items()}}
        found = _elementary(model, 0, BEFORE, base)
        found.append({"files": files, "geometry": geometry, "joints": joints, "parent": BEFORE})
        first = len(model.links) - model.carried
    for k in range(first, len(model.links)):
        made = _elementary(model, k, model.name_of(k), base)
        parent = int(model.links[k]["parent"])
        made[0]["parent"] = model.name_of(parent) if parent >= 0 else ""
        made[-1]["shapes"] = [_shape(shape) for shape in model.shapes[k] if not shape.is_empty]
        found += made
    return found


def _in_files(model: Held, meshes: dict[str, Path]) -> bool:
    """Return whether the checker can read a robot from its files."""
    kinds = {int(link["kind"]) for link in model.links[1:]}
    return kinds <= {*IN_FILES} and {file.suffix.lower() for file in meshes.values()} <= {*READ}


def _elementary(model: Held, k: int, name: str, base: list[float] | None) -> list[Said]:
    """Return a link as a proof spells it out: a joint that slides two or three ways and turns is so many links, each on
    the one before."""
    link = model.links[k]
    kind, entry = int(link["kind"]), int(link["config"])
    turn, place = Rotation.from_matrix(link["rotation"]), link["translation"]
    if base is not None and kind == FLOATING and entry == 0:
        turn, place, kind = turn * Rotation.from_quat(base[3:]), place + turn.apply(base[:3]), FIXED
    placed = [*place.tolist(), *turn.as_quat().tolist()]
    entry = (entry - BASE) % len(model.rest) if kind != FIXED else 0
    if kind not in LAST:
        raise TocsinError(f"the joint of {name!r} is of a kind that proofs do not know: {kind}.")
    last = LAST[kind]
    ways = {PLANAR: link["across"], FLOATING: np.eye(3)}.get(kind, np.zeros((0, 3))).tolist()
    steps = [(f"{name}.{i}", "prismatic", way) for i, way in enumerate(ways)]
    steps.append((name, last, link["axis"].tolist() if last in ("prismatic", "revolute") else [0.0, 0.0, 1.0]))
    follows = [float(link["multiplier"]), float(link["offset"])] if len(steps) == 1 and last != "ball" else [1.0, 0.0]
    return [
        {
            "name": own, "parent": steps[i - 1][0] if i else "", "joint": joint, "axis": axis, "entry": entry + i,
            "at": UNMOVED if i else placed, "mimic": follows, "shapes": [],
        }
        for i, (own, joint, axis) in enumerate(steps)
    ]  # fmt: skip


def _pieces(model: Held, motion: Motion | None) -> list[list[list[float]]]:
    """Return the pieces of a motion: of every entry its coefficients in powers of the share of the piece that is
    done."""
    if motion is None:
        return [[[value] for value in model.rest.tolist()]]
    if isinstance(motion, SplineMotion):
        coefficients = motion.coefficients.copy()
        for k in (k + i for k in motion.model.quaternions for i in range(4)):
            coefficients[:, 1, k] -= coefficients[:, 0, k]  # which are the values at both ends
    else:
        coefficients = np.stack((motion.rows[:-1], np.diff(motion.rows, axis=0)), axis=1)
        coefficients = coefficients if len(motion.rows) > 1 else motion.rows[:, None]
    return [[_trimmed(entry) for entry in piece.T] for piece in coefficients]


def _trimmed(coefficients: np.ndarray) -> list[float]:
    used = np.flatnonzero(coefficients)
    return coefficients[: int(used[-1]) + 1 if len(used) else 1].tolist()


def _hash(path: Path) -> str:
    stat = path.stat()
    return _hash_of(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _hash_of(path: Path, _changed: int, _size: int) -> str:
    """Return the hash of a file, read once while it stays as it is: meshes take longer than a proof."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _shape(shape: Shape) -> Said:
    """Return one shape: corners, of a mesh with triangles between them, else what is about their hull."""
    source = shape.source
    said: Said = {"place": shape.placement.tolist()}
    if isinstance(source, Box):
        return said | {"points": (corners_of(source)).tolist()}
    if isinstance(source, ConvexHull):
        return said | {"points": source.points.tolist()}
    if isinstance(source, Sphere):
        return said | {"points": [[0.0, 0.0, 0.0]], "radius": source.radius}
    if isinstance(source, (Cylinder, Capsule)):
        ends = [[0.0, 0.0, -0.5 * source.length], [0.0, 0.0, 0.5 * source.length]]
        return said | {"points": ends, "ring" if isinstance(source, Cylinder) else "radius": source.radius}
    return said | {"points": source.vertices.tolist(), "faces": source.faces.tolist()}
