"""What is in the scene: robots from URDF, and bodies and other robots that the proof spells out; and how they move."""

from __future__ import annotations

import hashlib
import itertools
import xml.etree.ElementTree as ElementTree
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_poly

from tocsin_checker import shapes
from tocsin_checker.kinematics import EYE, Joint, exact, of_quaternion, of_rpy, shift
from tocsin_checker.proof import need

WIDTH = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "ball": 4, "floating": 7}
MIMICS = ("revolute", "continuous", "prismatic")
ROUND = {"ball": (0, 4), "floating": (3, 7)}
"""Which entries of a joint are those of a quaternion."""
JUMP = 2e-6
"""How far an entry may be, in radians or metres, from where it was, when a piece of a curve begins."""
TURN = 3.1416
"""A joint without limits is looked at from minus this, in radians, to this: more than a turn."""


@dataclass
class Link:
    """A link: its parent, the joint between them, and its shapes with their placements."""

    name: str
    parent: int = -1
    kind: str = "floating"
    origin: arb_mat = field(default_factory=lambda: EYE)
    axis: list[float] = field(default_factory=lambda: [0.0, 0.0, 1.0])
    across: list[list[arb]] = field(default_factory=list)
    """Of a planar joint: the two directions in which it slides."""
    entry: int = 0
    mimic: tuple[float, float] = (1.0, 0.0)
    """Its value is the first times the entry of the configuration, plus the second."""
    shapes: list[tuple[shapes.Part, arb_mat]] = field(default_factory=list)
    limits: tuple[float, float] | None = None

    def joint(self, value: Any, ends: Any, share: fmpq_poly, off: list[float]) -> Joint:
        """Return its joint in a stretch: `value` gives an entry as a polynomial, `ends` gives entries of a quaternion
        at both ends of its arc, of which `share` is done; `off`: how far entries may be off."""
        k, kind = self.entry, self.kind
        if kind == "fixed":
            return Joint(self.origin)
        if kind in MIMICS:
            (factor, offset), u = map(exact, self.mimic), unit(self.axis)
            goes, e = value(k) * factor + offset, abs(self.mimic[0]) * off[k]
            if kind == "prismatic":
                return Joint(self.origin, slides=[(u, goes)], off=(0.0, e))
            return Joint(self.origin, u, (arb(1), goes), off=(e, 0.0))
        if kind == "planar":
            slides, e = [(v, value(k + i)) for i, v in enumerate(self.across)], (off[k + 2], off[k] + off[k + 1])
            return Joint(self.origin, unit(self.axis), (arb(1), value(k + 2)), slides, off=e)
        at = k + WIDTH[kind] - 4
        slides = [([int(i == c) for c in range(3)], value(k + i)) for i in range(at - k)]
        p, q = ends(at)
        u, angle = _turn(p, q)
        theta = None if u is None else (angle, share)
        return Joint(self.origin, u or (0, 0, 1), theta, slides, of_quaternion(p), (off[at], sum(off[k:at])))


def unit(vector: list[float]) -> list[arb]:
    """Return a vector at length one."""
    u = [arb(v) for v in vector]
    length = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt()
    return [v / length for v in u]


def _turn(p: list[float], q: list[float]) -> tuple[Any, arb]:
    """Return (axis, angle) of q p^-1 as it stands, or (None, 0): about its vector part v, by 2 atan2(|v|, w)."""
    a, b, ring = [exact(v) for v in p], [exact(v) for v in q], ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    v = [b[i] * a[3] - b[3] * a[i] + b[k] * a[j] - b[j] * a[k] for i, j, k in ring]
    if not any(v):
        return None, arb(0)
    size = arb(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
    return [arb(c) / size for c in v], 2 * arb.atan2(size, arb(sum((x * y for x, y in zip(a, b)), fmpq(0))))


@dataclass
class Model:
    """Links, parents first, and the pieces of their motion: of every entry [from, to], or coefficients if `curved`."""

    name: str
    links: list[Link]
    pieces: list[list[list[float]]]
    curved: bool
    knots: list[fmpq]
    """When pieces begin and end; none of a model that stands."""
    off: list[float]
    """How far each entry may be off: the proof is about every motion in that tube."""
    asked: bool
    """Is the question about it? Two models that it is not about are not asked about each other."""
    about: str
    """Where its shapes are from."""

    def joints(self, begin: fmpq, end: fmpq) -> list[Joint]:
        """Return the joint of every link during a stretch of the motion, whose own time runs from 0 to 1."""
        k, share = 0, fmpq_poly([0])
        if self.knots:
            k = bisect_right(self.knots, begin) - 1
            lasts = self.knots[k + 1] - self.knots[k]
            share = fmpq_poly([(begin - self.knots[k]) / lasts, (end - begin) / lasts])
        piece = self.pieces[k]

        def value(i: int) -> fmpq_poly:
            given = [exact(v) for v in piece[i]]
            return fmpq_poly(given if self.curved else [given[0], given[1] - given[0]])(share)

        def ends(i: int) -> list[list[float]]:
            return [[(*entry, 0.0)[side] for entry in piece[i : i + 4]] for side in (0, 1)]

        return [link.joint(value, ends, share, self.off) for link in self.links]


def _numbers(element: Any, key: str, default: str) -> list[float]:
    return [float(v) for v in (default if element is None else element.get(key, default)).split()]


def _origin(element: Any) -> arb_mat:
    return of_rpy(_numbers(element, "rpy", "0 0 0")) + shift([arb(v) for v in _numbers(element, "xyz", "0 0 0")])


def _mesh_file(name: str, folder: Path) -> Path:
    """Return where a mesh is: package://name/rest is looked for in and beside the folders above the URDF."""
    if not name.startswith("package://"):
        return folder / name.removeprefix("file://")
    package, _, rest = name.removeprefix("package://").lstrip("/").partition("/")
    places = [f / rest if f.name == package else f / package / rest for f in (folder, *folder.parents)]
    return next((place for place in places if place.is_file()), folder / name)


def _shape(geometry: Any, folder: Path, hashes: dict[str, str]) -> shapes.Part:
    (item,) = list(geometry)
    if item.tag == "mesh":
        path = _mesh_file(item.get("filename"), folder)
        raw = path.read_bytes() if path.is_file() else b""
        same = hashes.get(item.get("filename")) == hashlib.sha256(raw).hexdigest()
        need(same, f"the proof is about another mesh {item.get('filename')!r} than the one that the URDF names.")
        scale = _numbers(item, "scale", "1 1 1")
        return shapes.read_mesh(raw, path.suffix.lower(), tuple(scale if len(scale) == 3 else scale * 3))
    if item.tag == "box":
        return shapes.solid("box", _numbers(item, "size", ""))
    radius = float(item.get("radius"))
    return shapes.solid(item.tag, radius if item.tag == "sphere" else [radius, float(item.get("length"))])


def read_urdf(path: Path, given: dict[str, Any]) -> tuple[list[Link], int]:
    """Read the links of a URDF, the root first; return them and how many entries a configuration has."""
    raw = path.read_bytes()
    same, known = hashlib.sha256(raw).hexdigest() == given["urdf"], given["geometry"] in ("collision", "visual")
    need(same, f"the proof is about another file than {path.name}: their hashes differ.")
    need(known, "the shapes of a robot are its 'collision' or its 'visual' ones.")
    root, names = ElementTree.fromstring(raw), given["joints"]
    joints = {j.get("name"): j for j in root.findall("joint")}
    links = {
        link.get("name"): Link(str(link.get("name")), shapes=[
            (_shape(c.find("geometry"), path.resolve().parent, given["meshes"]), _origin(c.find("origin")))
            for c in link.findall(given["geometry"])
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
            link.parent, link.kind, link.origin = order.index(parent), joint.get("type"), _origin(joint.find("origin"))
            link.axis = _numbers(joint.find("axis"), "xyz", "1 0 0")
            if WIDTH[link.kind]:
                link.entry = at[name if mimic is None else mimic.get("joint")]
            if mimic is not None and link.kind in MIMICS:
                link.mimic = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
            if limit is not None and link.kind in ("revolute", "prismatic") and mimic is None:
                link.limits = float(limit.get("lower", "0")), float(limit.get("upper", "0"))
            order.append(link.name)
    return [links[name] for name in order], 7 + sum(widths)


def _spelled(links: list[Link], items: list[Any], width: int) -> tuple[list[Link], int]:
    """Return links with those behind them that a proof spells out, and how many entries a configuration has."""
    for item in items:
        at, entry, names = [float(v) for v in item["at"]], int(item["entry"]), [link.name for link in links]
        fits = item["name"] not in names and entry >= 0 and len(at) == 7
        need(fits, "links of a model have the same name, or are not placed by seven numbers.")
        parent = names.index(item["parent"]) if item["parent"] else -1
        across = [unit(v) for v in item["across"]] if item["joint"] == "planar" else []
        factor, offset = map(float, item["mimic"])
        place, axis = of_quaternion(at[3:]) + shift([arb(v) for v in at[:3]]), [float(v) for v in item["axis"]]
        link = Link(str(item["name"]), parent, item["joint"], place, axis, across, entry, (factor, offset))
        link.shapes = [_spelled_shape(**shape) for shape in item["shapes"]]
        links.append(link)
        width = max(width, entry + WIDTH[link.kind])
    return links, width


def _spelled_shape(place: Any, shape: Any = None, vertices: Any = None, faces: Any = None) -> tuple[Any, arb_mat]:
    put = arb_mat([[arb(float(v)) for v in row] for row in [*place[:3], (0, 0, 0, 1)]])
    turn = put - shift([put[i, 3] for i in range(3)])
    straight = all(float(abs(v).upper()) <= 1e-9 for v in (turn * turn.transpose() - EYE).entries())
    need(straight, "a shape is placed by a matrix that is no rotation.")
    need((shape is None) != (faces is None), "a shape is spelled out as a solid, or as a mesh.")
    return shapes.solid(*shape) if faces is None else shapes.whole_mesh(vertices, faces), put


def read_model(given: dict[str, Any], files: dict[str, Path]) -> Model:
    """Return a model of the proof; `files`: by their names, where the user says that robots are read from."""
    name, curved = str(given["name"]), "curves" in given
    if "urdf" in given:
        need(name in files, f"say where the URDF of {name!r} is: --robot {name}=FILE.")
        (links, width), about = read_urdf(files[name], given), f"the {given['geometry']} shapes of {files[name].name}"
        about += "".join(f", carrying {item['name']} as the proof spells it out" for item in given["links"])
    else:
        (links, width), about = ([], 0), "as the proof spells it out"
    links, width = _spelled(links, given["links"], width)
    rows = [] if curved else given["rows"]
    pieces = [list(zip(p, q, strict=True)) for p, q in itertools.pairwise(rows * 2 if len(rows) == 1 else rows)]
    pieces = [[list(map(float, entry)) for entry in piece] for piece in (given["curves"] if curved else pieces)]
    off = [float(v) for v in given.get("error") or [0.0] * width]
    sizes = {len(off), *map(len, pieces)} == {width} and all(0.0 <= v < 1e6 for v in off)
    need(sizes, f"{name!r} has configurations that are not of {width} numbers, or errors that are no sizes.")
    short = all(1 <= len(entry) <= 64 and all(abs(v) < 1e12 for v in entry) for piece in pieces for entry in piece)
    need(short, f"{name!r} goes farther than 1e12, or has polynomials of no or more than 64 coefficients.")
    turned = {link.entry + i for link in links if link.kind in ROUND for i in range(*ROUND[link.kind])}
    ends = [[(*e, 0.0)[1] if k in turned else sum(e) for k, e in enumerate(piece)] for piece in pieces]
    jumps = (abs(v - e[0]) for end, then in zip(ends, pieces[1:]) for v, e in zip(end, then) if curved)
    need(all(jump <= JUMP for jump in jumps), f"{name!r} jumps from one piece of its motion to the next.")
    knots = [exact(v) for v in given.get("times", ())] or [fmpq(k, len(pieces)) for k in range(len(pieces) + 1)]
    fits = len(knots) == len(pieces) + 1 and all(a < b for a, b in itertools.pairwise(knots))
    need(fits, f"the times of {name!r} are not those of its pieces, or do not increase.")
    asked = given["asked"] is True
    need(asked or len(rows) == 1, f"{name!r} moves, and the proof does not ask about it.")
    return Model(name, links, pieces, curved, [] if len(rows) == 1 else knots, off, asked, about)
