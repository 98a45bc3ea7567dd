"""A robot among bodies as one URDF and SRDF, which Pinocchio, HPP and Drake read: the same geometry for all.

The robot's links and joints, and the bodies around it as links fixed to the world; every pair that is ignored
is disabled in the SRDF. Joints are written as revolute or prismatic, without limits to speak of, and mimic joints as
joints of their own with the values that they would have: a straight line of configurations stays one. So `values` turns
a configuration of the robot into that of the file's joints.
"""

from __future__ import annotations

import hashlib
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box, Capsule, Cylinder, Sphere
from tocsin.geometry.shape import Shape
from tocsin.model.body import Body
from tocsin.model.joint import Joint
from tocsin.model.robot import Robot
from tocsin.motion.links import BASE_WIDTH
from tocsin.motion.poses import base_matrix
from tocsin_bench.data import Missing

WORLD, LINK, BODY = "the_world", "link_", "body_"
"""The root of the file, and what stands before the names of links and of bodies in it: robots may use any names."""
LIMIT = 1e3


@dataclass(frozen=True)
class Exported:
    """The texts, the pairs of names that may touch, and how configurations translate: q' = offset + matrix q."""

    urdf: str
    srdf: str
    disabled: frozenset[frozenset[str]]
    joints: tuple[str, ...]
    matrix: np.ndarray
    offset: np.ndarray

    def values(self, q: np.ndarray) -> np.ndarray:
        """Configurations (..., n) of the robot as those of the file's joints."""
        return self.offset + q @ self.matrix.T


def export(robot: Robot, bodies: Sequence[Body], allowed: Iterable[tuple[str, str]], folder: Path) -> Exported:
    """Write the meshes into a folder and return the texts; all stand where they stand now.

    `allowed`: names of links and bodies that may touch, besides the links that the robot ignores.
    """
    tree = ElementTree.Element("robot", name=robot.name)
    ElementTree.SubElement(tree, "link", name=WORLD)
    joints = {joint.child: joint for joint in robot.joints}
    for link, shapes in zip(robot.link_names, robot.shapes):
        _link(tree, LINK + link, shapes, folder)
        if link in joints:
            _joint(tree, joints[link])
        else:
            _attach(tree, "fixed", f"{link}_in_the_world", WORLD, LINK + link, base_matrix(robot.rest))
    for body in bodies:
        link = BODY + body.name
        _link(tree, link, body.shapes[0], folder)
        _attach(tree, "fixed", f"{link}_in_the_world", WORLD, link, base_matrix(body.rest))
    rows = [robot.link_index(joint.child) for joint in _in_order(robot) if joint.kind != "fixed"]
    matrix, offset = np.zeros((len(rows), robot.n_config)), np.zeros(len(rows))
    for row, k in enumerate(rows):
        matrix[row, robot.links[k]["config"] - BASE_WIDTH] = robot.links[k]["multiplier"]
        offset[row] = robot.links[k]["offset"]
    names = tuple(joints[robot.link_names[k]].name for k in rows)
    pairs = [(robot.link_names[a], robot.link_names[b]) for a, b in robot.ignored] + [*allowed]
    named = [tuple((LINK if name in robot.link_names else BODY) + name for name in pair) for pair in pairs]
    rules = ElementTree.Element("robot", name=robot.name)
    for a, b in named:
        ElementTree.SubElement(rules, "disable_collisions", link1=a, link2=b, reason="asked")
    urdf, srdf = (ElementTree.tostring(element, encoding="unicode") for element in (tree, rules))
    return Exported(urdf, srdf, frozenset(map(frozenset, named)), names, matrix, offset)


def _in_order(robot: Robot) -> list[Joint]:
    """The joints in the order in which Pinocchio reads them: depth first, siblings by the names of their joints."""
    below: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    found: list[Joint] = []
    pending = [robot.link_names[0]]
    while pending:
        link = pending.pop()
        found += [joint for joint in robot.joints if joint.child == link]
        pending += [joint.child for joint in sorted(below.get(link, ()), key=lambda joint: joint.name, reverse=True)]
    return found


def _link(tree: ElementTree.Element, name: str, shapes: Sequence[Shape], folder: Path) -> None:
    link = ElementTree.SubElement(tree, "link", name=name)
    # HPP and Drake want masses; nothing here depends on them.
    inertial = ElementTree.SubElement(link, "inertial")
    ElementTree.SubElement(inertial, "mass", value="1")
    unit = {key: "1" if key in ("ixx", "iyy", "izz") else "0" for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
    ElementTree.SubElement(inertial, "inertia", unit)
    for shape in shapes:
        collision = ElementTree.SubElement(link, "collision")
        _origin(collision, shape.placement)
        geometry = ElementTree.SubElement(collision, "geometry")
        source = shape.source
        if isinstance(source, Box):
            ElementTree.SubElement(geometry, "box", size=_numbers(source.size))
        elif isinstance(source, Sphere):
            ElementTree.SubElement(geometry, "sphere", radius=repr(float(source.radius)))
        elif isinstance(source, Cylinder | Capsule):
            kind = "cylinder" if isinstance(source, Cylinder) else "capsule"
            sizes = {"radius": repr(float(source.radius)), "length": repr(float(source.length))}
            ElementTree.SubElement(geometry, kind, sizes)
        else:
            mesh = source if isinstance(source, Mesh) else source.tessellate()
            ElementTree.SubElement(geometry, "mesh", filename=str(_mesh_file(mesh, folder)))


def _mesh_file(mesh: Mesh, folder: Path) -> Path:
    """The mesh as an OBJ file, once for all links and scenes that use it; all digits are kept."""
    digest = hashlib.blake2b(mesh.vertices.tobytes() + mesh.faces.tobytes(), digest_size=8).hexdigest()
    path = folder / f"{digest}.obj"
    if not path.exists():
        lines = [f"v {_numbers(vertex)}" for vertex in mesh.vertices]
        lines += [f"f {a} {b} {c}" for a, b, c in (mesh.faces + 1).tolist()]
        path.write_text("\n".join(lines) + "\n")
    return path


def _joint(tree: ElementTree.Element, joint: Joint) -> None:
    if joint.kind == "fixed":
        _attach(tree, "fixed", joint.name, LINK + joint.parent, LINK + joint.child, joint.origin)
        return
    if joint.kind not in ("revolute", "continuous", "prismatic"):
        raise Missing(f"joint {joint.name!r} is {joint.kind}, which the peers are not given")
    kind = "prismatic" if joint.kind == "prismatic" else "revolute"
    element = _attach(tree, kind, joint.name, LINK + joint.parent, LINK + joint.child, joint.origin)
    ElementTree.SubElement(element, "axis", xyz=_numbers(joint.axis))
    limits = {"lower": f"-{LIMIT}", "upper": f"{LIMIT}", "effort": "1", "velocity": "1"}
    ElementTree.SubElement(element, "limit", limits)


def _attach(
    tree: ElementTree.Element, kind: str, name: str, parent: str, child: str, pose: np.ndarray
) -> ElementTree.Element:  # fmt: skip
    joint = ElementTree.SubElement(tree, "joint", name=name, type=kind)
    _origin(joint, pose)
    ElementTree.SubElement(joint, "parent", link=parent)
    ElementTree.SubElement(joint, "child", link=child)
    return joint


def _origin(element: ElementTree.Element, pose: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a pitch of a right angle: one of two ways to write the same turn
        angles = Rotation.from_matrix(pose[:3, :3]).as_euler("xyz")
    ElementTree.SubElement(element, "origin", xyz=_numbers(pose[:3, 3]), rpy=_numbers(angles))


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
