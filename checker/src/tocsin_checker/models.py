"""What is in the scene: robots from URDF, and bodies and other robots that the proof spells out; and how they move."""

import functools
import hashlib
import itertools
import xml.etree.ElementTree as ElementTree
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tocsin_checker.motion import EYE, ONE, Joint, Poly, rigid, turn_between, turned, unit, whole
from tocsin_checker.proof import need
from tocsin_checker.shapes import Part, read_mesh, shape, solid

ENTRIES = {"fixed": 0, "revolute": 1, "prismatic": 1, "ball": 4}
"""How many entries of a configuration a joint has: an angle, a length, a quaternion x y z w."""
JUMP = 2e-6
"""How far an entry may be, in radians or metres, from where it was, when a piece of a motion begins."""


@dataclass
class Link:
    """A link: its parent, the joint between them, and its shapes."""

    name: str
    parent: int
    kind: str = "fixed"
    origin: np.ndarray = field(default_factory=lambda: np.eye(4))
    axis: np.ndarray = field(default_factory=lambda: EYE[2])
    entry: int = 0
    """The first of the configuration that the joint has."""
    mimic: tuple[float, float] = (1.0, 0.0)
    """A joint of one entry has this times it, plus that, for its value."""
    shapes: list[Part] = field(default_factory=list)
    limits: tuple[float, float] | None = None

    def joint(self, piece: list[Poly], off: list[float], first: int) -> Joint:
        """Return its joint during a piece of a motion, whose entries are numbered from `first` on; the last of them is
        the share of the piece that is done. `off`: how far they may be off."""
        share, factor = first + len(piece) - 1, self.mimic[0]
        if self.kind == "fixed":
            return Joint(self.origin, False, self.axis, share, 0.0, 0.0)
        if self.kind == "ball":
            p, q = zip(*[(e[0], sum(e)) for e in piece[self.entry : self.entry + 4]])
            then = rigid(turned(*turn_between((0, 0, 0, ONE), p)), 0.0)
            axis, angle = turn_between(p, q)
            return Joint(self.origin, True, axis, share, angle, 0.0, off[self.entry], then)
        may, turns = abs(factor) * off[self.entry], self.kind == "revolute"
        return Joint(self.origin, turns, self.axis, first + self.entry, *self.mimic, may)


@dataclass
class Model:
    """Links, parents first, and the pieces of their motion: of every entry a polynomial of the share that is done,
    which is the last of them itself."""

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
        return [link.joint(self.pieces[k], self.off, first) for link in self.links], self.pieces[k], *share


def _numbers(element: Any, key: str, default: str) -> list[float]:
    return [float(v) for v in (default if element is None else element.get(key, default)).split()]


def _origin(element: Any) -> np.ndarray:
    """Return where an element of a URDF stands: at xyz, turned by Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = _numbers(element, "rpy", "0 0 0")
    turn = turned(EYE[2], yaw) @ turned(EYE[1], pitch) @ turned(EYE[0], roll)
    return rigid(turn, _numbers(element, "xyz", "0 0 0"))


class Robot:
    """A URDF file and its meshes, read once: for one proof, or for many."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.raw = Path(path), Path(path).read_bytes()
        self.read = functools.cache(self.read)

    def links(self, given: dict[str, Any], parent: int, first: int) -> list[Link]:
        """Return the links, the root first, if the proof is about them; they are numbered from `first` on."""
        links, hashes = self.read(given["geometry"], tuple(given["joints"]))
        wrong = [name or self.path.name for name, own in hashes.items() if given["files"].get(name) != own]
        need(not wrong, f"the proof is about another file than {wrong[:1]}: hashes differ.")
        return [replace(k, parent=k.parent + first if k.parent >= 0 else parent) for k in links]

    def read(self, geometry: str, names: tuple[str, ...]) -> tuple[list[Link], dict[str, str]]:
        """Return the links, and the hashes of the file and of the meshes that it names; `names`: joints in the order of
        their entries."""
        need(geometry in ("collision", "visual"), "the shapes of a robot are its 'collision' or its 'visual' ones.")
        root, hashes, links = ElementTree.fromstring(self.raw), {"": hashlib.sha256(self.raw).hexdigest()}, []
        given, joints = ({item.get("name"): item for item in root.findall(tag)} for tag in ("link", "joint"))
        above = {joint.find("child").get("link"): joint for joint in joints.values()}
        entries = {name: k for k, name in enumerate(names)}
        waiting = [(name, -1) for name in given if name not in above]
        for name, parent in waiting:
            parts = [self._shape(item, hashes) for item in given[name].findall(geometry)]
            waiting += [(c, len(links)) for c, joint in above.items() if joint.find("parent").get("link") == name]
            links.append(Link(name, parent, shapes=parts, **_joint(above[name], entries) if name in above else {}))
        counts = len(links), len(given), len(above) + 1, len(root.findall("link")), len(root.findall("joint")) + 1
        need(len({*counts}) == 1, "the links of the URDF are not a tree.")
        return links, hashes

    def _shape(self, given: Any, hashes: dict[str, str]) -> Part:
        ((item,), place) = given.find("geometry"), _origin(given.find("origin"))
        if item.tag == "mesh":
            path = self._mesh_file(item.get("filename"))
            raw = path.read_bytes()
            hashes[item.get("filename")] = hashlib.sha256(raw).hexdigest()
            vertices, faces = read_mesh(raw, path.suffix.lower())
            return shape(np.array(vertices) * _numbers(item, "scale", "1 1 1"), place, faces=faces)
        return solid(item.tag, [v for key in ("size", "radius", "length") for v in _numbers(item, key, "")], place)

    def _mesh_file(self, name: str) -> Path:
        """Return where a mesh is: in the folder of the URDF or one above it; package://name/rest as name/rest."""
        folder, tail = self.path.resolve().parent, name.removeprefix("package://").removeprefix("file://")
        found = next((f / tail for f in (folder, *folder.parents) if (f / tail).is_file()), None)
        need(found is not None, f"the mesh {name!r} of {self.path.name} is not there.")
        return found


def _joint(joint: Any, entries: dict[str, int]) -> dict[str, Any]:
    """Return what a joint of a URDF says of its link."""
    kind, mimic, limit = joint.get("type").replace("continuous", "revolute"), joint.find("mimic"), joint.find("limit")
    need(ENTRIES.get(kind, 4) < 4, f"a robot with a {kind} joint has to be spelled out.")
    said: dict[str, Any] = {"kind": kind, "origin": _origin(joint.find("origin"))}
    if kind != "fixed":
        said["entry"] = entries[joint.get("name") if mimic is None else mimic.get("joint")]
        said["axis"] = unit(_numbers(joint.find("axis"), "xyz", "1 0 0"))
    if mimic is not None:
        said["mimic"] = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
    elif limit is not None and joint.get("type") != "continuous":
        said["limits"] = float(limit.get("lower", "0")), float(limit.get("upper", "0"))
    return said


def _spelled(item: dict[str, Any], parent: int) -> Link:
    """Return a link that a proof spells out."""
    kind, entry, (factor, offset) = item["joint"], int(item["entry"]), map(float, item["mimic"])
    x, y, z, *turn = map(float, item["at"])
    need(kind in ENTRIES and 0 <= entry < 1e6, f"{item['name']!r} has no joint, or no entry of a configuration.")
    parts, axis = [_spelled_shape(**said) for said in item["shapes"]], unit(item["axis"])
    origin = rigid(turned(*turn_between((0, 0, 0, 1), turn)), (x, y, z))
    return Link(str(item["name"]), parent, kind, origin, axis, entry, (factor, offset), parts)


def _spelled_shape(place: Any, **said: Any) -> Part:
    put = np.array([*place[:3], (0, 0, 0, 1)], dtype=float)
    straight = np.abs(put[:3, :3] @ put[:3, :3].T - EYE).max() <= 1e-9
    need(bool(straight), "a shape is placed by a matrix that is no rotation.")
    return shape(place=put, **said)


def read_model(given: dict[str, Any], files: dict[str, Any]) -> Model:
    """Return a model of the proof; `files`: by their names, the robots that the user has given."""
    name, links, about = str(given["name"]), [], "as the proof spells it out"
    for item in given["links"]:
        parent = [link.name for link in links].index(item["parent"]) if item["parent"] else -1
        if "files" in item:
            need(name in files, f"say where the URDF of {name!r} is: --robot {name}=FILE.")
            robot = files[name] if isinstance(files[name], Robot) else Robot(files[name])
            links += robot.links(item, parent, len(links))
            carried = [f", carrying {k['name']} as the proof spells it out" for k in given["links"] if k.get("shapes")]
            about = f"the {item['geometry']} shapes of {robot.path.name}" + "".join(carried)
        else:
            links.append(_spelled(item, parent))
    need(len({link.name for link in links}) == len(links), "two links of a model have the same name.")
    width = max(link.entry + ENTRIES[link.kind] for link in links)
    stands = len(given["pieces"]) == 1 and all(len(p) == 1 for p in given["pieces"][0])
    share = [0] if stands else [0, ONE]
    pieces = [[*([whole(float(c)) for c in p] for p in piece), share] for piece in given["pieces"]]
    off = [float(v) for v in given.get("error") or [0.0] * width]
    sizes = {len(off) + 1, *map(len, pieces)} == {width + 1} and all(0.0 <= v < 1e6 for v in off)
    need(sizes, f"{name!r} has configurations that are not of {width} numbers, or errors that are no sizes.")
    short = all(1 <= len(p) <= 16 and all(abs(c) < 10**12 * ONE for c in p) for piece in pieces for p in piece)
    need(short, f"{name!r} goes farther than 1e12, or has polynomials of no or more than 16 coefficients.")
    jumps = (abs(sum(p) - q[0]) for one, then in itertools.pairwise(pieces) for p, q in zip(one[:-1], then))
    need(all(jump <= JUMP * ONE for jump in jumps), f"{name!r} jumps from one piece of its motion to the next.")
    equal = (Fraction(k, len(pieces)) for k in range(len(pieces) + 1))
    knots = [Fraction(float(v)) for v in given.get("times", ())] or list(equal)
    fits = len(knots) == len(pieces) + 1 and all(a < b for a, b in itertools.pairwise(knots))
    need(fits, f"the times of {name!r} are not those of its pieces, or do not increase.")
    asked = given["asked"] is True
    need(asked or stands, f"{name!r} moves, and the proof does not ask about it.")
    tube = " in a tube of what it may be off" if any(off) else ""
    return Model(name, links, pieces, [] if stands else knots, off, asked, about + tube)
