"""What is in the scene: robots from URDF, and bodies and other robots that the proof spells out; and how they move."""

import functools
import hashlib
import itertools
import math
import xml.etree.ElementTree as ElementTree
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tocsin_checker.motion import EYE, ONE, Joint, Poly, of_quaternion, of_rpy, rigid, unit, whole
from tocsin_checker.proof import need
from tocsin_checker.shapes import Part, mesh, read_mesh, solid

ELEMENTS = {
    "fixed": (0, 0, 0), "revolute": (0, 1, 0), "continuous": (0, 1, 0), "prismatic": (1, 0, 0),
    "planar": (2, 1, 0), "ball": (0, 0, 4), "floating": (3, 0, 4),
}  # fmt: skip
"""What a joint is made of, in the order of its entries: slides, a turn, the four numbers of a quaternion."""
JUMP = 2e-6
"""How far an entry may be, in radians or metres, from where it was, when a piece of a curve begins."""


@dataclass
class Link:
    """A link: its parent, the joint between them, and its shapes."""

    name: str
    parent: int = -1
    kind: str = "floating"
    entry: int = 0
    """The first of the configuration that the joint has."""
    origin: np.ndarray = field(default_factory=lambda: np.eye(4))
    axis: np.ndarray = field(default_factory=lambda: EYE[2])
    shapes: list[Part] = field(default_factory=list)
    mimic: tuple[float, float] = (1.0, 0.0)
    """A joint of one entry has this times it, plus that, for its value."""
    across: Any = ()
    """Of a planar joint: the two directions in which it slides."""
    limits: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Take the joint apart: the entries of its slides, of its turn, and of its quaternion."""
        ends = itertools.accumulate(ELEMENTS[self.kind], initial=self.entry)
        self.slides, self.turns, self.round = (range(*part) for part in itertools.pairwise(ends))
        need(self.entry >= 0 and self.round.stop < 1e6, f"{self.name!r} has no entry of a configuration.")
        alone = self.round.stop - self.entry <= 1 or self.mimic == (1.0, 0.0)
        need(alone, f"the joint of {self.name!r} follows another one with more than one entry.")

    def joint(self, piece: list[Poly], off: list[float], first: int) -> Joint:
        """Return its joint during a piece of a motion, whose entries are numbered from `first` on; behind them is the
        share of the piece that is done. `off`: how far they may be off."""
        along = {"planar": self.across, "floating": EYE}.get(self.kind, [self.axis])[: len(self.slides)]
        turns, slides = ([(first + e, *self.mimic) for e in part] for part in (self.turns, self.slides))
        may = [abs(self.mimic[0]) * sum(off[e] for e in p) for p in ((*self.turns, *self.round[:1]), self.slides)]
        if not self.round:
            return Joint(self.axis, EYE, turns, slides, along, may)
        p, q = [piece[e][0] for e in self.round], [sum(piece[e]) for e in self.round]
        axis, angle = turn_between(p, q)
        return Joint(axis, of_quaternion([v / ONE for v in p]), [(first + len(piece), angle, 0.0)], slides, along, may)


def turn_between(p: list[int], q: list[int]) -> tuple[np.ndarray, float]:
    """Return (axis, angle) of q p^-1 as it stands, or (z, 0): about its vector part v, by 2 atan2(|v|, w)."""
    ring = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    v = np.array([float(q[i] * p[3] - q[3] * p[i] + q[k] * p[j] - q[j] * p[k]) for i, j, k in ring])
    w = float(sum(a * b for a, b in zip(p, q)))
    return (unit(v), 2.0 * math.atan2(math.sqrt(float(v @ v)), w)) if v.any() else (EYE[2], 0.0)


@dataclass
class Model:
    """Links, parents first, and the pieces of their motion: of every entry a polynomial of the share that is done."""

    name: str
    links: list[Link]
    pieces: list[list[Poly]]
    knots: list[Fraction]
    """When pieces begin and end; none of a model that stands."""
    off: list[float]
    """How far each entry may be off: the proof is about every motion in that tube."""
    asked: bool
    """Is the question about it? Two models that it is not about are not asked about each other."""
    about: str
    """Where its shapes are from."""

    def during(self, begin: Fraction, end: Fraction, first: int) -> tuple[list[Joint], list[Poly], Fraction, Fraction]:
        """Return the joint of every link in a stretch of the motion, the polynomial of every entry, which are numbered
        from `first` on, and where the stretch begins and how long it is in the polynomials' own time."""
        k, share = 0, (Fraction(0), Fraction(1))
        if self.knots:
            k = bisect_right(self.knots, begin) - 1
            lasts = self.knots[k + 1] - self.knots[k]
            share = (begin - self.knots[k]) / lasts, (end - begin) / lasts
        joints = [link.joint(self.pieces[k], self.off, first) for link in self.links]
        return joints, [*self.pieces[k], [0, ONE] if self.knots else [0]], *share


def _numbers(element: Any, key: str, default: str) -> list[float]:
    return [float(v) for v in (default if element is None else element.get(key, default)).split()]


def _origin(element: Any) -> np.ndarray:
    return rigid(of_rpy(_numbers(element, "rpy", "0 0 0")), _numbers(element, "xyz", "0 0 0"))


class Robot:
    """A URDF file and its meshes, read once: for one proof, or for many."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.raw = Path(path), Path(path).read_bytes()
        self.digest, self.read = hashlib.sha256(self.raw).hexdigest(), functools.cache(self.read)

    def links(self, given: dict[str, Any]) -> list[Link]:
        """Return the links, the root first, if the proof is about them."""
        need(self.digest == given["urdf"], f"the proof is about another file than {self.path.name}: hashes differ.")
        links, meshes = self.read(given["geometry"], tuple(given["joints"]))
        wrong = [name for name, own in meshes.items() if given["meshes"].get(name) != own]
        need(not wrong, f"the proof is about another mesh {wrong[:1]} than the one that the URDF names.")
        return list(links)

    def read(self, geometry: str, names: tuple[str, ...]) -> tuple[list[Link], dict[str, str]]:
        """Return the links, and the hashes of the meshes that they have; `names`: joints in the order of entries."""
        need(geometry in ("collision", "visual"), "the shapes of a robot are its 'collision' or its 'visual' ones.")
        root, meshes, links = ElementTree.fromstring(self.raw), {}, []
        given, joints = ({item.get("name"): item for item in root.findall(tag)} for tag in ("link", "joint"))
        above = {joint.find("child").get("link"): joint for joint in joints.values()}
        widths = [sum(ELEMENTS[joints[name].get("type")]) for name in names]
        entries = dict(zip(names, itertools.accumulate(widths, initial=7)))
        waiting = [(name, -1) for name in given if name not in above]
        for name, parent in waiting:
            parts = [self._shape(item, meshes) for item in given[name].findall(geometry)]
            waiting += [(c, len(links)) for c, joint in above.items() if joint.find("parent").get("link") == name]
            links.append(Link(name, parent, shapes=parts, **_joint(above[name], entries) if name in above else {}))
        counts = len(links), len(given), len(above) + 1, len(root.findall("link")), len(root.findall("joint")) + 1
        need(len({*counts}) == 1, "the links of the URDF are not a tree.")
        return links, meshes

    def _shape(self, given: Any, meshes: dict[str, str]) -> Part:
        ((item,), place) = given.find("geometry"), _origin(given.find("origin"))
        if item.tag == "mesh":
            path = self._mesh_file(item.get("filename"))
            raw = path.read_bytes()
            meshes[item.get("filename")] = hashlib.sha256(raw).hexdigest()
            vertices, faces = read_mesh(raw, path.suffix.lower())
            return mesh(np.array(vertices, dtype=float) * _numbers(item, "scale", "1 1 1"), faces, place)
        sizes = {"box": ["size"], "sphere": ["radius"]}.get(item.tag, ["radius", "length"])
        numbers = [v for key in sizes for v in _numbers(item, key, "")]
        return solid(item.tag, numbers[0] if item.tag == "sphere" else numbers, place)

    def _mesh_file(self, name: str) -> Path:
        """Return where a mesh is: in the folder of the URDF or one above it; package://name/rest as name/rest."""
        folder, tail = self.path.resolve().parent, name.removeprefix("package://").removeprefix("file://")
        found = next((f / tail for f in (folder, *folder.parents) if (f / tail).is_file()), None)
        need(found is not None, f"the mesh {name!r} of {self.path.name} is not there.")
        return found


def _joint(joint: Any, entries: dict[str, int]) -> dict[str, Any]:
    """Return what a joint of a URDF says of its link."""
    kind, mimic, limit = joint.get("type"), joint.find("mimic"), joint.find("limit")
    said: dict[str, Any] = {"kind": kind, "origin": _origin(joint.find("origin"))}
    if kind != "fixed":
        said["entry"] = entries[joint.get("name") if mimic is None else mimic.get("joint")]
        said["axis"] = unit(_numbers(joint.find("axis"), "xyz", "1 0 0"))
    if mimic is not None:
        said["mimic"] = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
    elif limit is not None and kind in ("revolute", "prismatic"):
        said["limits"] = float(limit.get("lower", "0")), float(limit.get("upper", "0"))
    return said


def _spelled(item: dict[str, Any], names: list[str]) -> Link:
    """Return a link that a proof spells out, behind others."""
    (*at, x, y, z, w), kind = map(float, item["at"]), item["joint"]
    need(item["name"] not in names, "two links of a model have the same name.")
    parent, origin = names.index(item["parent"]) if item["parent"] else -1, rigid(of_quaternion([x, y, z, w]), at)
    axis = EYE[2] if kind in ("fixed", "ball", "floating") else unit(item["axis"])
    across = [unit(v) for v in item["across"]] if kind == "planar" else []
    factor, offset = map(float, item["mimic"])
    parts = [_spelled_shape(**shape) for shape in item["shapes"]]
    return Link(str(item["name"]), parent, kind, int(item["entry"]), origin, axis, parts, (factor, offset), across)


def _spelled_shape(place: Any, shape: Any = None, vertices: Any = None, faces: Any = None) -> Part:
    put = np.array([*place[:3], (0, 0, 0, 1)], dtype=float)
    straight = np.abs(put[:3, :3] @ put[:3, :3].T - EYE).max() <= 1e-9
    need(bool(straight), "a shape is placed by a matrix that is no rotation.")
    return solid(*shape, put) if faces is None else mesh(vertices, faces, put)


def read_model(given: dict[str, Any], files: dict[str, Any]) -> Model:
    """Return a model of the proof; `files`: by their names, the robots that the user has given."""
    name, links, about = str(given["name"]), [], "as the proof spells it out"
    if "urdf" in given:
        need(name in files, f"say where the URDF of {name!r} is: --robot {name}=FILE.")
        robot = files[name] if isinstance(files[name], Robot) else Robot(files[name])
        links, about = robot.links(given), f"the {given['geometry']} shapes of {robot.path.name}"
        about += "".join(f", carrying {item['name']} as the proof spells it out" for item in given["links"])
    for item in given["links"]:
        links.append(_spelled(item, [link.name for link in links]))
    width, rounds = max(link.round.stop for link in links), {e for link in links for e in link.round}
    pieces, off = _pieces(given, rounds), [float(v) for v in given.get("error") or [0.0] * width]
    sizes = {len(off), *map(len, pieces)} == {width} and all(0.0 <= v < 1e6 for v in off)
    need(sizes, f"{name!r} has configurations that are not of {width} numbers, or errors that are no sizes.")
    short = all(1 <= len(p) <= 16 and all(abs(c) < 10**12 * ONE for c in p) for piece in pieces for p in piece)
    need(short, f"{name!r} goes farther than 1e12, or has polynomials of no or more than 16 coefficients.")
    jumps = (abs(sum(p) - q[0]) for one, then in itertools.pairwise(pieces) for p, q in zip(one, then))
    need(all(jump <= JUMP * ONE for jump in jumps), f"{name!r} jumps from one piece of its motion to the next.")
    knots = [Fraction(v) for v in given.get("times", ())] or [Fraction(k, len(pieces)) for k in range(len(pieces) + 1)]
    fits = len(knots) == len(pieces) + 1 and all(a < b for a, b in itertools.pairwise(knots))
    need(fits, f"the times of {name!r} are not those of its pieces, or do not increase.")
    asked, stands = given["asked"] is True, "curves" not in given and len(given["rows"]) == 1
    need(asked or stands, f"{name!r} moves, and the proof does not ask about it.")
    return Model(name, links, pieces, [] if stands else knots, off, asked, about)


def _pieces(given: dict[str, Any], rounds: set[int]) -> list[list[Poly]]:
    """Return the pieces of a motion. Between two rows all entries, in a curve those of quaternions have values at both
    ends, and the polynomial is a line."""

    def line(first: float, *last: float) -> Poly:
        return [whole(float(first)), *(whole(float(v)) - whole(float(first)) for v in last)]

    if "curves" in given:
        curves = [list(enumerate(piece)) for piece in given["curves"]]
        return [[line(*[*c, 0.0][:2]) if k in rounds else [whole(float(v)) for v in c] for k, c in p] for p in curves]
    rows = given["rows"]
    return [[line(*v) for v in zip(*ends, strict=True)] for ends in (itertools.pairwise(rows) if rows[1:] else [rows])]
