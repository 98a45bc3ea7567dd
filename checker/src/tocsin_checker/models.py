"""What is in the scene: robots from URDF, and bodies and other robots that the proof spells out; and how they move.

Shapes are sets of points that a linear function can be maximised over, and meshes are cut into parts. A part of a mesh
is a set of its triangles. It is halved by a rule, so that a proof need not say how: along the axis on which the box of
its corners is longest (the first of equal ones), its triangles are sorted by the sum of their three corners, ties by
their number in the file; the first half, rounded down, and the rest. Every triangle is in one of the two whatever the
rule does, so that nothing rests on it but that proofs find what they mean.
"""

import functools
import hashlib
import io
import itertools
import xml.etree.ElementTree as ElementTree
from collections import namedtuple
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tocsin_checker.motion import EYE, EYE4, ONE, UP, norms, rigid, turn_between, twist, unit
from tocsin_checker.proof import need

ENTRIES = {"fixed": 0, "revolute": 1, "prismatic": 1, "ball": 4}
"""How many entries of a configuration a joint has: an angle, a length, a quaternion x y z w."""


@dataclass(eq=False)
class Part:
    """What a link has of a shape: the hull of corners, grown by balls of `radius` and rings of `ring` about z; or, of a
    mesh, triangles. Corners are in the shape's own frame, and `place` is where the link has that."""

    corners: np.ndarray
    place: np.ndarray
    radius: float = 0.0
    ring: Any = 0.0
    """Of all corners, or of each."""
    faces: np.ndarray | None = None
    """Of a mesh: the corners of each triangle of the part, in the order of the file."""

    def __post_init__(self) -> None:
        """Place its points in the link. `sizes`: how far they are at most from its origin (reach); what roundings are a
        share of (spread); its balls' radius; a ball around them, its radius (girth) and center."""
        self.used = self.corners if self.faces is None else self.corners[np.unique(self.faces)]
        self.points, self.widest = self.used @ self.place[:3, :3].T + self.place[:3, 3], float(np.max(self.ring))
        center = 0.5 * (self.points.min(axis=0) + self.points.max(axis=0))
        sets = norms(np.array((self.used, self.points, self.points - center)))
        size, far, girth = (sets.max(axis=1) + (self.radius + self.widest)).tolist()
        need(size < 1e9 and far < 1e9, "a shape is larger than 1e9 m, or has numbers that are none.")
        reach, girth = (v * (1.0 + 1e-8) + 1e-12 * size for v in (far, girth))
        self.sizes = np.array([reach, 4.0 * (reach + size), self.radius, girth, *center])

    def largest(self, along: np.ndarray) -> np.ndarray:
        """Return the largest a x + b y + c z over the part without its balls, for each row (a, b, c), up to a few
        roundings."""
        best = self.points @ along.reshape(-1, 3).T
        if self.widest:
            best += np.reshape(self.ring, (-1, 1)) * norms(along @ self.place[:3, :2]).reshape(-1)
        return best.max(axis=0).reshape(along.shape[:-1])

    def point(self, of: Any, weights: list[float], beside: list[float]) -> np.ndarray:
        """Return a point of the whole shape, in the link: between the corners of a triangle, or those that are listed,
        by weights; and beside it by no more than its balls and rings reach, in the shape's frame."""
        numbers = [int(i) for i in of] if self.faces is None else self.faces[int(of)]
        sum_of, (x, y, z) = sum(weights), map(float, beside)
        between = len(weights) == len(numbers) and min(weights) >= 0.0 and 1e-9 < sum_of < 1e9
        within = x * x + y * y + z * z <= (self.radius or self.ring) ** 2 and not (self.ring and z)
        need(between and within, "a point of the contact is not in its shape.")
        return self.place[:3] @ (*(np.array(weights) @ self.corners[numbers] / sum_of + (x, y, z)), 1.0)

    def around(self, link: "Link") -> "Part":
        """Return all places to which its link's joint can turn it, as the parent has them: each point is on a ring.
        What it is off by, from its own rounding and that here, is less than a share of `spread`."""
        need(link.kind == "revolute" and link.parent >= 0, "a part is swept around no joint that turns on a link.")
        axis, place = link.twist[[2, 0, 1], [1, 2, 0]], link.origin.copy()
        across = np.linalg.qr(np.column_stack((axis, EYE)))[0][:, [1, 2, 0]]
        local, place[:3, :3] = self.points @ across, place[:3, :3] @ across
        made = Part(local * EYE[2], place, self.radius + self.widest, norms(local[:, :2]))
        made.sizes[:2] = (reach := (self.sizes[0] + norms(place[:3, 3])) * UP), self.sizes[1] + 16.0 * reach
        return made

    @functools.cached_property
    def halves(self) -> "list[Part]":
        """Its two halves."""
        need(self.faces is not None and len(self.faces) > 1, "the proof halves a solid, or a single triangle.")
        axis = int(np.argmax(self.used.max(axis=0) - self.used.min(axis=0)))
        order = np.argsort(self.corners[:, axis][self.faces].sum(axis=1), kind="stable")
        return [replace(self, faces=self.faces[np.sort(half)]) for half in np.split(order, [len(order) // 2])]


def shape(points: Any, place: Any, radius: float = 0.0, ring: float = 0.0, faces: Any = None) -> Part:
    """Return a shape as one part, or a mesh, if there are triangles: of that, corners at the same place are one."""
    corners, place = np.array(points, dtype=float), np.array(place, dtype=float)
    off = np.abs(place[:3, :3] @ place[:3, :3].T - EYE).max()
    need(off <= 1e-9 and place[3:].tolist() == [[0, 0, 0, 1]], "a shape is placed by what is no turn and translation.")
    need(radius >= 0.0 and ring >= 0.0, "a shape has sizes below zero.")
    if faces is not None:
        whole = (at := np.array(faces)).dtype.kind in "iu" and at.min() >= 0 and at.shape[1:] == (3,)
        need(bool(whole), "the triangles of a mesh are not three numbers of corners each.")
        corners, same = np.unique(corners, axis=0, return_inverse=True)
        faces = same.reshape(-1)[at]
    return Part(corners, place, radius, ring, faces)


SOLIDS: dict[str, Any] = {
    "box": lambda x, y, z: {"points": np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * (x, y, z)},
    "sphere": lambda radius: {"points": EYE[:1] * 0.0, "radius": radius},
    "cylinder": lambda radius, length: {"points": np.outer((-0.5, 0.5), EYE[2]) * length, "ring": radius},
    "capsule": lambda radius, length: {"points": np.outer((-0.5, 0.5), EYE[2]) * length, "radius": radius},
}
"""Solids of a URDF as shapes, by their sizes; cylinders and capsules are along z."""


PARTS = ("asset", "geometries", "nodes", "visual_scenes", "cameras", "lights", "scene")
"""What of a COLLADA file is about geometry or named by that, libraries of it included."""


def read_mesh(raw: bytes, suffix: str) -> tuple[Any, Any]:
    """Return the corners and triangles of a file in their order and in metres, nothing merged; polygons as fans. A file
    of which something would be dropped is refused."""
    if suffix in (".stl", ".dae"):
        if suffix == ".dae":
            corners: Any = _collada(ElementTree.fromstring(raw))
        elif len(raw) == 84 + 50 * int.from_bytes(raw[80:84], "little"):
            corners = np.frombuffer(raw, "3<f4, (3,3)<f4, <u2", offset=84)["f1"].reshape(-1, 3)
        else:
            words = raw.lower().split()
            corners = [words[k + 1 : k + 4] for k, word in enumerate(words) if word == b"vertex"]
        return corners, np.arange(len(corners)).reshape(-1, 3)
    need(suffix == ".obj", f"meshes are read from .stl, .obj and .dae files, not {suffix}.")
    text = raw.decode("utf-8-sig", "replace").replace("\r", "\n")
    lines = [words for line in text.split("\n") if (words := line.partition("#")[0].split())]
    vertices = [[float(v) for v in rest][:3] for word, *rest in lines if word == "v"]
    before = itertools.accumulate(word == "v" for word, *_ in lines)  # from there numbers below zero count back
    given = ((n, [int(c.split("/")[0]) for c in rest]) for n, (word, *rest) in zip(before, lines) if word == "f")
    faces = [[c - 1 if c > 0 else n + c for c in numbers] for n, numbers in given]
    need(min(map(len, faces)) > 2 and not {"call", "surf"} & {k for k, *_ in lines}, "a mesh has more than polygons.")
    return vertices, [(first, a, b) for first, *others in faces for a, b in itertools.pairwise(others)]


def _collada(root: Any) -> Any:
    """Return the corners of the triangles of a scene of COLLADA. All but geometry is taken away, so that whatever is
    broken is an error."""
    from trimesh.exchange.dae import load_collada

    scale, corners = float(next(root.iterfind("{*}asset/{*}unit"), {}).get("meter", "1")), []
    for above, item in [(a, k) for a in root.iter() for k in a]:
        word = item.tag.rpartition("}")[2]
        need(word not in ("instance_controller", "ph"), f"a mesh has a <{word}>, which is not read.")
        if word == "bind_material" or (above is root and word.removeprefix("library_") not in PARTS):
            above.remove(item)
    read = load_collada(io.BytesIO(ElementTree.tostring(root)), ignore_broken=False)
    for k in read["graph"]:
        given, place = read["geometry"][k["geometry"]]["vertices"].reshape(-1, 3, 1, 3), scale * k["matrix"][:3]
        placed = (given * place[:, :3]).sum(axis=-1) + place[:, 3]
        corners.append(placed[:, :: -1 if np.linalg.det(place[:, :3]) < 0.0 else 1])
    return np.concatenate(corners).reshape(-1, 3)


LINK = "name parent kind origin twist entry mimic shapes limits off"


class Link(namedtuple("Link", LINK, defaults=("fixed", EYE4, 0.0 * EYE4, 0, (0.0, 0.0), (), None, 0.0))):
    """A link, its parent's number, the joint between them, M = F J as `motion` has it, and its shapes.

    `origin` is F, `twist` is K, `entry` the first of the configuration that the joint has. A joint that turns or slides
    has the first number of `mimic` times that, plus the second, for its value; one that is fixed has nothing. `limits`
    are from where to where it goes, or None; `off` is how far its value may be off.
    """

    def during(self, piece: list[list[int]], off: list[float], first: int) -> "Link":
        """Return it with its joint during a piece of a motion, one that turns or slides: the entries are numbered from
        `first` on, and the last of them is the share of the piece that is done. `off`: how far they may be off."""
        if self.kind != "ball":
            return self._replace(entry=first + self.entry, off=abs(self.mimic[0]) * [*off, 0.0][self.entry])
        p, q = zip(*[(e[0], sum(e)) for e in piece[self.entry : self.entry + 4]])
        (axis, angle), origin = turn_between(p, q), self.origin @ rigid(p, 0.0)
        turn = Link(self.name, self.parent, "revolute", origin, twist(axis, True), first + len(piece) - 1, (angle, 0.0))
        return turn._replace(off=off[self.entry])


Model = namedtuple("Model", "name links pieces knots off asked about")
"""Links, parents first, and the pieces of their motion: of every entry a polynomial of the share that is done, which is
the last of them itself.

`knots`: when pieces begin and end; none of a model that stands. `off`: how far each entry may be off: the proof is
about every motion in that tube. `asked`: is the question about it? Two models that it is not about are not asked about
each other. `about`: where its shapes are from.
"""


def _numbers(element: Any, key: str, default: str) -> list[float]:
    return [float(v) for v in (default if element is None else element.get(key, default)).split()]


def _origin(element: Any) -> np.ndarray:
    """Return where an element of a URDF stands: at xyz, turned by Rz(yaw) Ry(pitch) Rx(roll)."""
    (x, y, z), (a, b, c) = (0.5 * np.array(_numbers(element, "rpy", "0 0 0"))), _numbers(element, "xyz", "0 0 0")
    turns = (0, 0, np.sin(z), np.cos(z)), (0, np.sin(y), 0, np.cos(y)), (np.sin(x), 0, 0, np.cos(x))
    return rigid(turns[0], (a, b, c)) @ rigid(turns[1], 0.0) @ rigid(turns[2], 0.0)


class Robot:
    """A URDF file and its meshes, read once: for one proof, or for many."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.raw = Path(path), Path(path).read_bytes()
        self.read = functools.cache(self.read)

    def read(self, geometry: str, names: tuple[str, ...]) -> tuple[list[Link], dict[str, str]]:
        """Return the links, and the hashes of the file and of the meshes that it names; `names`: joints in the order of
        their entries."""
        need(geometry in ("collision", "visual"), "the shapes of a robot are its 'collision' or its 'visual' ones.")
        root, hashes, links = ElementTree.fromstring(self.raw), {"": hashlib.sha256(self.raw).hexdigest()}, []
        given, joints = ({item.get("name"): item for item in root.findall(tag)} for tag in ("link", "joint"))
        above = {joint.find("child").get("link"): joint for joint in joints.values()}
        moving = {k for k, joint in joints.items() if joint.get("type") != "fixed" and joint.find("mimic") is None}
        need(moving == {*names} and len(moving) == len(names), "the entries are not the URDF's joints, each once.")
        waiting, entries = [(name, -1) for name in given if name not in above], {k: i for i, k in enumerate(names)}
        for name, parent in waiting:
            parts = [self._shape(item, hashes) for item in given[name].findall(geometry)]
            waiting += [(c, len(links)) for c, joint in above.items() if joint.find("parent").get("link") == name]
            links.append(Link(name, parent, shapes=parts, **_joint(above[name], entries) if name in above else {}))
        counts = len(links), len(given), len(above) + 1, len(root.findall("link")), len(root.findall("joint")) + 1
        need(len({*counts}) == 1, "the links of the URDF are not a tree.")
        return links, hashes

    def _shape(self, given: Any, hashes: dict[str, str]) -> Part:
        """Return a shape. A mesh is in the folder of the URDF or one above it; package://name/rest as name/rest."""
        (item,), place, folder = given.find("geometry"), _origin(given.find("origin")), self.path.resolve().parent
        if item.tag != "mesh":
            sizes = [v for key in ("size", "radius", "length") for v in _numbers(item, key, "")]
            return shape(place=place, **SOLIDS[item.tag](*sizes))
        name = item.get("filename")
        files = (f / name.removeprefix("package://").removeprefix("file://") for f in (folder, *folder.parents))
        path = next((file for file in files if file.is_file()), None)
        need(path is not None, f"the mesh {name!r} of {self.path.name} is not there.")
        raw = path.read_bytes()
        hashes[name], (vertices, faces) = hashlib.sha256(raw).hexdigest(), read_mesh(raw, path.suffix.lower())
        return shape(np.array(vertices) * _numbers(item, "scale", "1 1 1"), place, faces=faces)


def _joint(joint: Any, entries: dict[str, int]) -> dict[str, Any]:
    """Return what a joint of a URDF says of its link."""
    kind, mimic, limit = joint.get("type").replace("continuous", "revolute"), joint.find("mimic"), joint.find("limit")
    need(ENTRIES.get(kind, 4) < 4, f"a robot with a {kind} joint has to be spelled out.")
    said: dict[str, Any] = {"kind": kind, "origin": _origin(joint.find("origin"))}
    if kind != "fixed":
        said["entry"] = entries[joint.get("name") if mimic is None else mimic.get("joint")]
        said["twist"] = twist(unit(_numbers(joint.find("axis"), "xyz", "1 0 0")), kind == "revolute")
        (said["mimic"],) = zip(_numbers(mimic, "multiplier", "1"), _numbers(mimic, "offset", "0"), strict=True)
    if mimic is None and limit is not None and joint.get("type") != "continuous":
        said["limits"] = float(limit.get("lower", "0")), float(limit.get("upper", "0"))
    return said


def _spelled(item: dict[str, Any], parent: int) -> Link:
    """Return a link that a proof spells out."""
    kind, entry, (factor, offset) = item["joint"], int(item["entry"]), map(float, item["mimic"])
    need(kind in ENTRIES and 0 <= entry < 1e4, f"{item['name']!r} has no joint, or no entry of a configuration.")
    origin, shapes = rigid(item["at"][3:], item["at"][:3]), [shape(**s) for s in item["shapes"]]
    k, goes = twist(unit(item["axis"]), kind == "revolute"), (entry, (factor, offset)) if ENTRIES[kind] else ()
    return Link(str(item["name"]), parent, kind, origin, k, *goes)._replace(shapes=shapes)


def read_model(given: dict[str, Any], files: dict[str, Any], first: int) -> Model:
    """Return a model of the proof, its links numbered from `first` on; `files`: the robots that the user has given."""
    name, asked, links, source = str(given["name"]), given["asked"], [], "as the proof spells it out"
    for item in given["links"]:
        parent = first + [link.name for link in links].index(item["parent"]) if item["parent"] else -1
        if "files" not in item:
            links.append(_spelled(item, parent))
            continue
        need(name in files, f"say where the URDF of {name!r} is: --robot {name}=FILE.")
        robot = files[name] if isinstance(files[name], Robot) else Robot(files[name])
        found, hashes = robot.read(item["geometry"], tuple(item["joints"]))
        wrong = [path or robot.path.name for path, own in hashes.items() if item["files"].get(path) != own]
        need(not wrong, f"the proof is about another file than {wrong[:1]}: hashes differ.")
        links += [k._replace(parent=k.parent + first + len(links) if k.parent >= 0 else parent) for k in found]
        carried = [f", carrying {k['name']} {source}" for k in given["links"] if k.get("shapes")]
        source = f"the {item['geometry']} shapes of {robot.path.name}" + "".join(carried)
    width = max(link.entry + ENTRIES[link.kind] for link in links)
    need(len(given["pieces"]) <= 2**16, f"the motion of {name!r} has more than 65,536 pieces.")
    stands = len(given["pieces"]) == 1 and all(len(p) == 1 for p in given["pieces"][0])
    pieces = [[*([int(c * ONE) for c in p] for p in piece), [0, ONE][: 2 - stands]] for piece in given["pieces"]]
    off = [float(v) for v in given.get("error") or [0.0] * width]
    sizes = pieces and {len(off) + 1, *map(len, pieces)} == {width + 1} and all(0.0 <= v < 1e6 for v in off)
    short = all(1 <= len(p) <= 16 and all(abs(c) < 10**12 * ONE for c in p) for piece in pieces for p in piece)
    need(sizes and short, f"{name!r} has not pieces and errors of {width} entries of 1 to 16 numbers below 1e12.")
    # A piece begins within 2e-6 rad or metres of where the one before it ends.
    jumps = (abs(sum(p) - q[0]) for one, then in itertools.pairwise(pieces) for p, q in zip(one[:-1], then))
    need(all(jump <= 2e-6 * ONE for jump in jumps), f"{name!r} jumps from one piece of its motion to the next.")
    equal = [Fraction(k, len(pieces)) for k in range(len(pieces) + 1)]
    knots = [Fraction(float(v)) for v in given.get("times", ())] or equal
    fits = len(knots) == len(equal) and all(a < b for a, b in itertools.pairwise(knots))
    need(fits, f"the times of {name!r} are not those of its pieces, or do not increase.")
    need(asked is True or (asked is False and stands), f"'asked' of {name!r} is to be true, or false if it stands.")
    source += " in a tube of what it may be off" * any(off)
    return Model(name, links, pieces, [] if stands else knots, off, asked, source)
