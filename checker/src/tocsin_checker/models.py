"""What is in the scene: robots from URDF, and bodies that the proof spells out."""

from __future__ import annotations

import functools
import hashlib
import math
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flint import arb, arb_mat, fmpq

from tocsin_checker import shapes
from tocsin_checker.kinematics import EYE, Joint, exact, of_quaternion, of_rpy, placed
from tocsin_checker.proof import Refused

WIDTH = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "floating": 7}


@dataclass
class Link:
    """A link: its parent, the joint between them, and its shapes with their placements."""

    name: str
    parent: int = -1
    kind: str = "floating"
    origin: arb_mat = field(default_factory=lambda: EYE)
    axis: list[float] = field(default_factory=lambda: [0.0, 0.0, 1.0])
    config: int = 0
    mimic: tuple[float, float] = (1.0, 0.0)
    """Its value is the first times the entry of the configuration, plus the second."""
    shapes: list[tuple[shapes.Part, arb_mat]] = field(default_factory=list)

    def joint(self, p: list[float], q: list[float], x: fmpq, y: fmpq) -> Joint:
        """Return its joint while a configuration goes from the share x to the share y of the way from p to q."""
        k = self.config
        if self.kind == "fixed":
            return Joint(self.origin)
        if self.kind != "floating":
            factor, offset = map(exact, self.mimic)
            value, slope = _line(factor * exact(p[k]) + offset, factor * exact(q[k]) + offset, x, y)
            u = [arb(v) for v in self.axis]
            length = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt()
            u = [v / length for v in u]
            if self.kind == "prismatic":
                return Joint(self.origin, c=([v * value for v in u], [v * slope for v in u]))
            return Joint(self.origin, u, (value, slope))
        lines = [_line(exact(p[k + i]), exact(q[k + i]), x, y) for i in range(3)]
        c, then = ([v for v, _ in lines], [s for _, s in lines]), placed(of_quaternion(p[k + 3 : k + 7]))
        u, angle = _turn(p[k + 3 : k + 7], q[k + 3 : k + 7])
        theta = None if u is None else (angle * arb(x), angle * arb(y - x))
        return Joint(self.origin, u, theta, c, then)


def _line(p: fmpq, q: fmpq, x: fmpq, y: fmpq) -> tuple[arb, arb]:
    """Return (value at 0, slope) of what goes from p to q, between the shares x and y of its way."""
    return arb(p + x * (q - p)), arb((y - x) * (q - p))


def _turn(p: list[float], q: list[float]) -> tuple[Any, arb]:
    """Return (axis, angle) of q p^-1 as it stands, or (None, 0): about its vector part v, by 2 atan2(|v|, w)."""
    (px, py, pz, pw), (qx, qy, qz, qw) = map(exact, p), map(exact, q)
    v = [
        qx * pw - qw * px + qz * py - qy * pz,
        qy * pw - qw * py + qx * pz - qz * px,
        qz * pw - qw * pz + qy * px - qx * py,
    ]
    if not any(v):
        return None, arb(0)
    size = arb(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
    return [arb(c) / size for c in v], 2 * arb.atan2(size, arb(qw * pw + qx * px + qy * py + qz * pz))


@dataclass
class Model:
    """Links, parents first, and the rows of configurations through which they move in equal times; one row stands."""

    name: str
    links: list[Link]
    rows: list[list[float]]
    asked: bool
    """Is the question about it? Two models that it is not about are not asked about each other."""

    def joints(self, begin: fmpq, end: fmpq) -> list[Joint]:
        """Return the joint of every link during a stretch of the motion, whose own time runs from 0 to 1."""
        n = len(self.rows) - 1
        k = min(int((begin * n).floor()), n - 1) if n else 0
        p, q = self.rows[k], self.rows[min(k + 1, n)]
        return [link.joint(p, q, begin * n - k, end * n - k) for link in self.links]


def _numbers(element: Any, key: str, default: str) -> list[float]:
    return [float(v) for v in (default if element is None else element.get(key, default)).split()]


def _origin(element: Any) -> arb_mat:
    return placed(of_rpy(_numbers(element, "rpy", "0 0 0")), [arb(v) for v in _numbers(element, "xyz", "0 0 0")])


def _shape(geometry: Any, folder: Path, hashes: dict[str, str]) -> shapes.Part:
    (item,) = list(geometry)
    if item.tag == "mesh":
        path = folder / item.get("filename").removeprefix("file://")
        if not path.is_file() or hashes.get(item.get("filename")) != hashlib.sha256(path.read_bytes()).hexdigest():
            raise Refused(f"the proof is about another mesh {item.get('filename')!r} than the one beside the URDF.")
        return shapes.read_mesh(path, _numbers(item, "scale", "1 1 1"))
    if item.tag == "box":
        return shapes.solid("box", _numbers(item, "size", ""))
    radius = float(item.get("radius"))
    return shapes.solid(item.tag, radius if item.tag == "sphere" else [radius, float(item.get("length"))])


@functools.lru_cache(maxsize=64)
def read_urdf(path: Path, digest: str, meshes: Any, names: tuple[str, ...], geometry: str) -> list[Link]:
    """Read the links of a URDF, the root first; `names`: of the joints that a configuration has, after its base."""
    raw = path.read_bytes()
    if hashlib.sha256(raw).hexdigest() != digest:
        raise Refused(f"the proof is about another file than {path.name}: their hashes differ.")
    root = ElementTree.fromstring(raw)
    joints = {j.get("name"): j for j in root.findall("joint")}
    links = {
        link.get("name"): Link(str(link.get("name")), shapes=[
            (_shape(c.find("geometry"), path.parent, dict(meshes)), _origin(c.find("origin")))
            for c in link.findall(geometry)
        ])
        for link in root.findall("link")
    }  # fmt: skip
    at = {name: 7 + sum(WIDTH[joints[n].get("type")] for n in names[:k]) for k, name in enumerate(names)}
    ends = {n: (j.find("parent").get("link"), j.find("child").get("link")) for n, j in joints.items()}
    if len({child for _, child in ends.values()}) != len(links) - 1 or len(ends) != len(links) - 1:
        raise Refused("the links of the URDF are not a tree.")
    order = [name for name in links if name not in {child for _, child in ends.values()}]
    for parent in order:
        for name, joint in joints.items():
            if ends[name][0] != parent:
                continue
            link, mimic = links[ends[name][1]], joint.find("mimic")
            link.parent, link.kind, link.origin = order.index(parent), joint.get("type"), _origin(joint.find("origin"))
            link.axis = _numbers(joint.find("axis"), "xyz", "1 0 0")
            if WIDTH[link.kind]:
                link.config = at[name if mimic is None else mimic.get("joint")]
            if mimic is not None:
                link.mimic = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
            order.append(link.name)
    return [links[name] for name in order]


def read_model(given: dict[str, Any], files: dict[str, Path]) -> Model:
    """Return a model of the proof; `files`: by their names, where the user says that robots are read from."""
    name, rows = str(given["name"]), [[float(v) for v in row] for row in given["rows"]]
    if not rows or not all(math.isfinite(v) for row in rows for v in row) or any(not any(row[3:7]) for row in rows):
        raise Refused(f"{name!r} has no rows, or rows that are no configurations.")
    if "urdf" in given:
        if name not in files:
            raise Refused(f"say where the URDF of {name!r} is: --robot {name}=FILE.")
        meshes = tuple(sorted(given["meshes"].items()))
        links = read_urdf(files[name], given["urdf"], meshes, tuple(given["joints"]), given["geometry"])
        return Model(name, links, rows, given["asked"] is True)
    body = Link(name)
    for item in given["shapes"]:
        rows_of = [[arb(float(v)) for v in row] for row in item["place"]]
        turn = placed([row[:3] for row in rows_of[:3]])
        place = placed([row[:3] for row in rows_of[:3]], [row[3] for row in rows_of[:3]])
        if any(float(abs(v).upper()) > 1e-9 for v in (turn * turn.transpose() - EYE).entries()):
            raise Refused(f"a shape of {name!r} is placed by a matrix that is no rotation.")
        if "faces" in item:
            body.shapes.append((shapes.whole_mesh(item["vertices"], item["faces"]), place))
        else:
            body.shapes += [(shapes.solid(kind, size), place) for kind, size in item["shape"].items()]
    return Model(name, [body], rows, given["asked"] is True)
