"""What is in the scene: robots from URDF, and bodies and other robots that the proof spells out; and how they move."""

from __future__ import annotations

import hashlib
import itertools
import math
import xml.etree.ElementTree as ElementTree
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tocsin_checker import shapes
from tocsin_checker.kinematics import EYE, Joint, Poly, of_quaternion, of_rpy, poly, rigid, unit, whole
from tocsin_checker.proof import need

WIDTH = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "ball": 4, "floating": 7}
MIMICS = ("revolute", "continuous", "prismatic")
ROUND = {"ball": (0, 4), "floating": (3, 7)}
"""Which entries of a joint are those of a quaternion."""
JUMP = 2e-6
"""How far an entry may be, in radians or metres, from where it was, when a piece of a curve begins."""


@dataclass
class Link:
    """A link: its parent, the joint between them, and its shapes with their placements."""

    name: str
    parent: int = -1
    kind: str = "floating"
    origin: np.ndarray = field(default_factory=lambda: np.eye(4))
    axis: np.ndarray = field(default_factory=lambda: EYE[2])
    across: list[np.ndarray] = field(default_factory=list)
    """Of a planar joint: the two directions in which it slides."""
    entry: int = 0
    mimic: tuple[float, float] = (1.0, 0.0)
    """Its value is the first times the entry of the configuration, plus the second."""
    shapes: list[tuple[shapes.Part, np.ndarray]] = field(default_factory=list)
    limits: tuple[float, float] | None = None

    def joint(self, value: Callable[..., Poly], arc: Callable[[int], Any], off: list[float]) -> Joint:
        """Return its joint in a stretch: `value` gives a multiple of an entry, and more, as a polynomial; `arc` where
        four entries of a quaternion begin, about which axis they turn, and their angle; `off`: how far entries may be
        off."""
        k, kind, axis, turn, slides, then, e = self.entry, self.kind, self.axis, [0], [], EYE, (0.0, 0.0)
        if kind in MIMICS:
            goes, far = value(k, *self.mimic), abs(self.mimic[0]) * off[k]
            turn, slides, e = ([0], [(axis, goes)], (0.0, far)) if kind == "prismatic" else (goes, [], (far, 0.0))
        elif kind == "planar":
            slides, e = [(v, value(k + i)) for i, v in enumerate(self.across)], (off[k + 2], off[k] + off[k + 1])
            turn = value(k + 2)
        elif kind != "fixed":
            at = k + ROUND[kind][0]
            slides, e = [(EYE[i], value(k + i)) for i in range(at - k)], (off[at], sum(off[k:at]))
            then, axis, turn = arc(at)
        return Joint(self.origin, axis, turn, slides, then, e)


def _turn(p: list[float], q: list[float]) -> tuple[Any, float]:
    """Return (axis, angle) of q p^-1 as it stands, or (z, 0): about its vector part v, by 2 atan2(|v|, w)."""
    if p == q:
        return EYE[2], 0.0
    a, b, ring = [Fraction(v) for v in p], [Fraction(v) for v in q], ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    v = np.array([float(b[i] * a[3] - b[3] * a[i] + b[k] * a[j] - b[j] * a[k]) for i, j, k in ring])
    size = math.sqrt(float(v @ v))
    return (unit(v), 2.0 * math.atan2(size, sum(x * y for x, y in zip(a, b)))) if v.any() else (EYE[2], 0.0)


@dataclass
class Model:
    """Links, parents first, and the pieces of their motion: of every entry [from, to], or coefficients if `curved`."""

    name: str
    links: list[Link]
    pieces: list[list[list[float]]]
    curved: bool
    knots: list[Fraction]
    """When pieces begin and end; none of a model that stands."""
    off: list[float]
    """How far each entry may be off: the proof is about every motion in that tube."""
    asked: bool
    """Is the question about it? Two models that it is not about are not asked about each other."""
    about: str
    """Where its shapes are from."""

    def joints(self, begin: Fraction, end: Fraction) -> list[Joint]:
        """Return the joint of every link during a stretch of the motion, whose own time runs from 0 to 1."""
        k, share = 0, (Fraction(0), Fraction(0))
        if self.knots:
            k = bisect_right(self.knots, begin) - 1
            lasts = self.knots[k + 1] - self.knots[k]
            share = (begin - self.knots[k]) / lasts, (end - begin) / lasts
        piece = self.pieces[k]

        def value(i: int, factor: float = 1.0, offset: float = 0.0) -> Poly:
            given, (top, bottom) = [whole(v) for v in piece[i]], factor.as_integer_ratio()
            given = given if self.curved else [given[0], given[1] - given[0]]
            given = [c * top // bottom for c in given]
            return poly([given[0] + whole(offset), *given[1:]], *share)

        def arc(i: int) -> tuple[np.ndarray, np.ndarray, Poly]:
            p, q = ([(*entry, 0.0)[side] for entry in piece[i : i + 4]] for side in (0, 1))
            axis, angle = _turn(p, q)
            return of_quaternion(p), axis, poly([0, whole(angle)], *share)

        return [link.joint(value, arc, self.off) for link in self.links]


def _numbers(element: Any, key: str, default: str) -> list[float]:
    return [float(v) for v in (default if element is None else element.get(key, default)).split()]


def _origin(element: Any) -> np.ndarray:
    return rigid(of_rpy(_numbers(element, "rpy", "0 0 0")), _numbers(element, "xyz", "0 0 0"))


class Robot:
    """A URDF file and its meshes, read once: for one proof, or for many."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.raw, self.read = self.path.read_bytes(), {}

    def links(self, given: dict[str, Any]) -> tuple[list[Link], int]:
        """Return the links, the root first, and how many entries a configuration has, if the proof is about them."""
        geometry, names = str(given["geometry"]), tuple(map(str, given["joints"]))
        same, known = hashlib.sha256(self.raw).hexdigest() == given["urdf"], geometry in ("collision", "visual")
        need(same, f"the proof is about another file than {self.path.name}: their hashes differ.")
        need(known, "the shapes of a robot are its 'collision' or its 'visual' ones.")
        if (geometry, names) not in self.read:
            self.read[geometry, names] = self._links(geometry, names)
        links, width, meshes = self.read[geometry, names]
        wrong = [name for name, own in meshes.items() if given["meshes"].get(name) != own]
        need(not wrong, f"the proof is about another mesh {wrong[:1]} than the one that the URDF names.")
        return list(links), width

    def _links(self, geometry: str, names: tuple[str, ...]) -> tuple[list[Link], int, dict[str, str]]:
        root, meshes = ElementTree.fromstring(self.raw), {}
        joints = {j.get("name"): j for j in root.findall("joint")}
        links = {
            link.get("name"): Link(str(link.get("name")), shapes=[
                (self._shape(c.find("geometry"), meshes), _origin(c.find("origin"))) for c in link.findall(geometry)
            ])
            for link in root.findall("link")
        }  # fmt: skip
        widths = [WIDTH[joints[n].get("type")] for n in names]
        at = {name: 7 + sum(widths[:k]) for k, name in enumerate(names)}
        ends = {n: (j.find("parent").get("link"), j.find("child").get("link")) for n, j in joints.items()}
        children = {child for _, child in ends.values()}
        once = len(root.findall("link")) == len(links) and len(root.findall("joint")) == len(joints)
        need(once and len(children) == len(ends) == len(links) - 1, "the links of the URDF are not a tree.")
        order = [name for name in links if name not in children]
        for parent in order:
            for name, joint in joints.items():
                if ends[name][0] != parent:
                    continue
                link, mimic, limit = links[ends[name][1]], joint.find("mimic"), joint.find("limit")
                link.parent, link.kind = order.index(parent), joint.get("type")
                link.origin = _origin(joint.find("origin"))
                if WIDTH[link.kind]:
                    link.entry = at[name if mimic is None else mimic.get("joint")]
                if link.kind in MIMICS:
                    link.axis = unit(_numbers(joint.find("axis"), "xyz", "1 0 0"))
                if mimic is not None and link.kind in MIMICS:
                    link.mimic = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
                if limit is not None and link.kind in ("revolute", "prismatic") and mimic is None:
                    link.limits = float(limit.get("lower", "0")), float(limit.get("upper", "0"))
                order.append(link.name)
        return [links[name] for name in order], 7 + sum(widths), meshes

    def _shape(self, geometry: Any, meshes: dict[str, str]) -> shapes.Part:
        (item,) = list(geometry)
        if item.tag == "mesh":
            name, scale = item.get("filename"), _numbers(item, "scale", "1 1 1")
            path = self._mesh_file(name)
            raw = path.read_bytes()
            meshes[name] = hashlib.sha256(raw).hexdigest()
            return shapes.read_mesh(raw, path.suffix.lower(), scale if len(scale) == 3 else scale * 3)
        if item.tag == "box":
            return shapes.solid("box", _numbers(item, "size", ""))
        radius = float(item.get("radius"))
        return shapes.solid(item.tag, radius if item.tag == "sphere" else [radius, float(item.get("length"))])

    def _mesh_file(self, name: str) -> Path:
        """Return where a mesh is: package://name/rest is looked for in and beside the folders above the URDF."""
        folder = self.path.resolve().parent
        package, _, rest = name.removeprefix("package://").lstrip("/").partition("/")
        places = [f / rest if f.name == package else f / package / rest for f in (folder, *folder.parents)]
        places = places if name.startswith("package://") else [folder / name.removeprefix("file://")]
        found = next((place for place in places if place.is_file()), None)
        need(found is not None, f"the mesh {name!r} of {self.path.name} is not there.")
        return found


def _spelled(links: list[Link], items: list[Any], width: int) -> tuple[list[Link], int]:
    """Return links with those behind them that a proof spells out, and how many entries a configuration has."""
    for item in items:
        at, entry, names = [float(v) for v in item["at"]], int(item["entry"]), [link.name for link in links]
        fits = item["name"] not in names and entry >= 0 and len(at) == 7
        need(fits, "links of a model have the same name, or are not placed by seven numbers.")
        parent, kind = names.index(item["parent"]) if item["parent"] else -1, item["joint"]
        axis = unit(item["axis"]) if kind in (*MIMICS, "planar") else EYE[2]
        across = [unit(v) for v in item["across"]] if kind == "planar" else []
        square = not across or (len(across) == 2 and abs(float(across[0] @ across[1])) < 1e-12)
        need(square, "the two directions of a planar joint are not at right angles.")
        factor, offset = map(float, item["mimic"])
        link = Link(str(item["name"]), parent, kind, rigid(of_quaternion(at[3:]), at[:3]), axis, across, entry)
        link.mimic, link.shapes = (factor, offset), [_spelled_shape(**shape) for shape in item["shapes"]]
        links.append(link)
        width = max(width, entry + WIDTH[kind])
    return links, width


def _spelled_shape(place: Any, shape: Any = None, vertices: Any = None, faces: Any = None) -> tuple[Any, np.ndarray]:
    put = np.array([*place[:3], (0, 0, 0, 1)], dtype=float)
    straight = np.abs(put[:3, :3] @ put[:3, :3].T - EYE).max() <= 1e-9
    need(bool(straight), "a shape is placed by a matrix that is no rotation.")
    need((shape is None) != (faces is None), "a shape is spelled out as a solid, or as a mesh.")
    return shapes.solid(*shape) if faces is None else shapes.whole_mesh(vertices, faces), put


def read_model(given: dict[str, Any], files: dict[str, Any]) -> Model:
    """Return a model of the proof; `files`: by their names, the robots that the user has given."""
    name, curved = str(given["name"]), "curves" in given
    links, width, about = [], 0, "as the proof spells it out"
    if "urdf" in given:
        need(name in files, f"say where the URDF of {name!r} is: --robot {name}=FILE.")
        robot = files[name] if isinstance(files[name], Robot) else Robot(files[name])
        (links, width), about = robot.links(given), f"the {given['geometry']} shapes of {robot.path.name}"
        about += "".join(f", carrying {item['name']} as the proof spells it out" for item in given["links"])
    links, width = _spelled(links, given["links"], width)
    rows = [] if curved else given["rows"]
    pieces = [list(zip(p, q, strict=True)) for p, q in itertools.pairwise(rows * 2 if len(rows) == 1 else rows)]
    pieces = [[list(map(float, entry)) for entry in piece] for piece in (given["curves"] if curved else pieces)]
    off = [float(v) for v in given.get("error") or [0.0] * width]
    sizes = {len(off), *map(len, pieces)} == {width} and all(0.0 <= v < 1e6 for v in off)
    need(sizes, f"{name!r} has configurations that are not of {width} numbers, or errors that are no sizes.")
    short = all(1 <= len(entry) <= 16 and all(abs(v) < 1e12 for v in entry) for piece in pieces for entry in piece)
    need(short, f"{name!r} goes farther than 1e12, or has polynomials of no or more than 16 coefficients.")
    turned = {link.entry + i for link in links if link.kind in ROUND for i in range(*ROUND[link.kind])}
    ends = [[(*e, 0.0)[1] if k in turned else sum(e) for k, e in enumerate(piece)] for piece in pieces]
    jumps = (abs(v - e[0]) for end, then in zip(ends, pieces[1:]) for v, e in zip(end, then) if curved)
    need(all(jump <= JUMP for jump in jumps), f"{name!r} jumps from one piece of its motion to the next.")
    knots = [Fraction(v) for v in given.get("times", ())] or [Fraction(k, len(pieces)) for k in range(len(pieces) + 1)]
    fits = len(knots) == len(pieces) + 1 and all(a < b for a, b in itertools.pairwise(knots))
    need(fits, f"the times of {name!r} are not those of its pieces, or do not increase.")
    asked = given["asked"] is True
    need(asked or len(rows) == 1, f"{name!r} moves, and the proof does not ask about it.")
    return Model(name, links, pieces, curved, [] if len(rows) == 1 else knots, off, asked, about)
