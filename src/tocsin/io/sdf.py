"""SDF files, Gazebo's: one model of links, joints and frames, each placed as its version of the format has it.

Where the two formats differ, a URDF robot is made of what an SDF says:

- Links are placed in the frame of the model, joints in that of their child, anything in that of `relative_to`; here a
  joint is placed in its parent's. Where a joint is not at the origin of its child, the child hangs on a link without
  shapes that the joint moves, `<joint>_frame`, by a fixed joint; so links keep their names and their frames.
- Axes are in the joint's frame; in that of `expressed_in`; up to version 1.4, and with `use_parent_model_frame`, in
  that of the model.
- A joint to `world` fixes a link there; the root of other models stands where the model and its own pose say.
- `universal` and `revolute2` joints are two that turn, `<joint>` and `<joint>_2`.

What is not understood is refused by name: nested models and includes, screw and gearbox joints, loops (a link that is
the child of two joints), polylines, height maps, parts of meshes. What concerns neither place nor shape is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tocsin import _cast, _given
from tocsin._types import Matrix4, PathLike, Values
from tocsin.errors import MeshWarning, TocsinError, remark, unknown_name
from tocsin.geometry.primitives import ConvexHull
from tocsin.geometry.shape import Geometry, Placed
from tocsin.io.elements import MOST_LINKS, check_size, children, named, only_child, refuse_prefixed, written
from tocsin.io.files import Element, parse_xml
from tocsin.io.shapes import Meshes, half_space, primitive, round_polytope
from tocsin.io.uris import Packages, Places
from tocsin.model.joint import Joint
from tocsin.model.robot import SDF_FILE, Robot

JOINT_TYPES = ("fixed", "revolute", "continuous", "prismatic", "ball", "universal", "revolute2")
SHAPES = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "mesh", "plane", "empty")
SIZES = {
    "box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length"),
    "ellipsoid": ("radii",),
}  # fmt: skip
ENDLESS = 1e15
"""A limit beyond this is none: the format's own default is 1e16."""

MODEL, WORLD = "__model__", "world"

_VERSION = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4})*")


def load_sdf(
    path: PathLike, *, model: str | None = None, packages: Packages = (), geometry: str = "collision",
    base: str = "fixed", name: str | None = None,
) -> Robot:  # fmt: skip
    """Read a robot from an SDF file.

    `model`: which one, where the file has several. `packages`: folders, each a package or holding packages, or a
    mapping from names to folders, for `model://name/path` and `package://name/path`. `geometry`: "collision" or
    "visual". `base`: "fixed" or "free". `name`: of the robot, instead of the model's.
    """
    _cast.choice(geometry, "geometry", ("collision", "visual"))
    root = parse_xml(path, "the SDF")
    if root.tag != "sdf":
        raise TocsinError(f"{str(path)!r} is not an SDF: its outermost element is <{root.tag}>, not <sdf>.")
    refuse_prefixed(root, repr(str(path)))
    element = _model(root, model, repr(str(path)))
    what = f"model {element.get('name', '')!r}"
    for tag in ("include", "model"):
        if children(element, tag):
            raise TocsinError(f"{what} has <{tag}> (line {children(element, tag)[0].line}), which is not read.")
    links, joints = named(children(element, "link"), what), named(children(element, "joint"), what)
    if not links:
        raise TocsinError(f"{what} has no links.")
    for tag in ("joint", "frame"):
        if len(children(element, tag)) > MOST_LINKS:
            raise TocsinError(f"{what} has {len(children(element, tag))} {tag}s; at most {MOST_LINKS} are expected.")
    check_size(len(links), (len(link.findall(geometry)) for link in links.values()), what)
    frames = _Frames(element, links, joints, _version(root))
    made = [joint for found in joints.items() for joint in _joints(*found, frames)]
    _check_tree(made, links, what)
    names = [*links, *dict.fromkeys(j.child for j in made if j.child not in links)]
    if WORLD not in links and any(joint.parent == WORLD for joint in made):
        names.insert(0, WORLD)
    shapes = _shapes(links, geometry, Places(path, packages))
    if not shapes:
        remark(f"{what} has no {geometry} geometry: it touches nothing.", MeshWarning)
    title = _given.name(name, "the name of a robot", element.get("name", "").strip() or Path(path).stem)
    robot = Robot(title, names, made, shapes, base)
    top = robot.link_names[0]
    robot.place(_pose(element, what) @ frames.place(top))
    return robot


def _model(root: Element, wanted: str | None, what: str) -> Element:
    """Return the model that is meant: the only one, in the file or in its world, or that of a name."""
    found = [*children(root, "model"), *[m for world in children(root, "world") for m in children(world, "model")]]
    by_name = named(found, what)
    if wanted is not None:
        if wanted not in by_name:
            raise unknown_name("model", wanted, by_name)
        return by_name[wanted]
    if len(found) != 1:
        names = f" ({', '.join(map(repr, by_name))}): name one, model=..." if found else ""
        raise TocsinError(f"{what} has {len(found) or 'no'} models{names}.")
    return found[0]


def _version(root: Element) -> tuple[int, ...]:
    words = root.get("version", "")
    if not _VERSION.fullmatch(words):
        raise TocsinError(f"the version of <sdf> (line {root.line}) is like 1.7; got {words[:20]!r}.")
    return tuple(int(word) for word in words.split("."))


def _pose(element: Element, what: str) -> Matrix4:
    """Return the 4x4 of an element's <pose>: x y z and roll pitch yaw, or a quaternion where it says so."""
    child = only_child(element, "pose", what)
    matrix = np.eye(4)
    if child is None or not (child.text or "").strip():
        return matrix
    if child.get("rotation_format", "euler_rpy") == "quat_xyzw":
        values = written(child, (7,), what)
        largest = np.abs(values[3:]).max()
        if largest == 0.0:
            raise TocsinError(f"{what}: the quaternion of its <pose> (line {child.line}) is zero.")
        direction = values[3:] / largest  # whose square is neither 0 nor beyond all numbers
        matrix[:] = _cast.turned(values[:3], direction / np.linalg.norm(direction), what)
    else:
        values = written(child, (6,), what)
        degrees = child.get("degrees", "false").strip() in ("true", "1")
        matrix[:3, :3] = _cast.rolled(np.radians(values[3:]) if degrees else values[3:])
    matrix[:3, 3] = values[:3]
    return _cast.placement(matrix, f"{what}: its <pose> (line {child.line})")


class _Frames:
    """Where links, joints and frames are in the frame of the model, and to which link each belongs."""

    def __init__(
        self, model: Element, links: Mapping[str, Element], joints: Mapping[str, Element], version: tuple[int, ...]
    ) -> None:
        self.version = version
        self._links = links
        self._held = {name: name for name in (*links, WORLD)}
        frames = named(children(model, "frame"), "the model")
        self.elements: dict[str, Element] = {**frames, **joints, **links}
        self.attached = {name: element.get("attached_to", "").strip() for name, element in frames.items()}
        self._known: dict[str, Matrix4] = {name: np.eye(4) for name in (MODEL, WORLD) if name not in links}

    def place(self, name: str) -> Matrix4:
        """Return the 4x4 of something in the frame of the model, all joints at zero."""
        chain: dict[str, Element] = {}
        while name not in self._known:
            if name in chain:
                raise TocsinError(f"frames are placed in each other: {' -> '.join([*list(chain)[:10], name])}.")
            if name not in self.elements:
                raise unknown_name("frame", name, self.elements)
            element = chain[name] = self.elements[name]
            pose = only_child(element, "pose", f"<{element.tag}> {name!r}")
            given = "" if pose is None else (pose.get("relative_to") or pose.get("frame") or "").strip()
            name = given or self._default(name)
        at = self._known[name]
        for inner, element in reversed(chain.items()):
            at = self._known[inner] = at @ _pose(element, f"<{element.tag}> {inner!r}")
        return at

    def _default(self, name: str) -> str:
        """Return in what an element is placed that does not say so."""
        element = self.elements[name]
        if element.tag == "joint":
            return _end(element, "child", f"joint {name!r}")
        return self.attached.get(name) or MODEL

    def link(self, name: str, what: str) -> str:
        """Return the link that a name means: its own, that of a frame, or the world."""
        seen: dict[str, None] = {}
        while name not in self._held:
            if name in seen or not self.attached.get(name):
                raise TocsinError(f"{what}: {unknown_name('link', next(iter(seen), name), self._links)}.")
            seen[name] = None
            name = self.attached[name]
        self._held.update(dict.fromkeys(seen, self._held[name]))
        return self._held[name]


def _end(element: Element, tag: str, what: str) -> str:
    child = only_child(element, tag, what)
    if child is None or not (child.text or "").strip():
        raise TocsinError(f"{what} (line {element.line}) has no <{tag}>.")
    return (child.text or "").strip()


def _joints(name: str, element: Element, frames: _Frames) -> list[Joint]:
    """Return the joints that one of the file becomes: itself, one more of two axes, and the mount of its child."""
    what = f"joint {name!r}"
    kind = _cast.choice(element.get("type", ""), f"the type of {what} (line {element.line})", JOINT_TYPES)
    parent, child = (frames.link(_end(element, tag, what), what) for tag in ("parent", "child"))
    if child == WORLD or parent == child:
        raise TocsinError(f"{what} (line {element.line}) joins {parent!r} to {child!r}, which is not possible.")
    at = frames.place(name)
    above = frames.place(parent)
    origin = np.linalg.inv(above) @ at
    mount = np.linalg.inv(at) @ frames.place(child)
    axes = {"universal": 2, "revolute2": 2, "fixed": 0, "ball": 0}.get(kind, 1)
    direct = np.allclose(mount, np.eye(4), rtol=0.0, atol=1e-12)
    made: list[Joint] = []
    for k in range(max(axes, 1)):
        last = k == max(axes, 1) - 1
        below = child if last and direct else f"{name}_frame" if last else f"{name}_between"
        made.append(_joint(name, element, k, (parent, below, origin if k == 0 else np.eye(4)), frames))
        parent = below
    if not direct:
        made.append(Joint(f"{name}_mount", "fixed", parent, child, mount, np.array([1.0, 0.0, 0.0])))
    return made


def _joint(name: str, element: Element, k: int, ends: tuple[str, str, Matrix4], frames: _Frames) -> Joint:
    """Return the joint about axis k of an element, between two links, with its origin in the first."""
    what, kind = f"joint {name!r}", element.get("type", "")
    label = name if k == 0 else f"{name}_2"
    if kind in ("fixed", "ball"):
        return Joint(label, kind, *ends, np.array([1.0, 0.0, 0.0]))
    axis = only_child(element, "axis" if k == 0 else "axis2", what)
    xyz = None if axis is None else only_child(axis, "xyz", what)
    direction = np.array([0.0, 0.0, 1.0]) if xyz is None else written(xyz, (3,), what)
    seen = frames.place(name)[:3, :3]
    if xyz is not None and xyz.get("expressed_in", "").strip():
        direction = seen.T @ frames.place(xyz.get("expressed_in", "").strip())[:3, :3] @ direction
    elif frames.version <= (1, 4) or (axis is not None and _said(axis, "use_parent_model_frame")):
        direction = seen.T @ direction
    unit = _cast.unit(direction, f"the axis of {what} (line {element.line})")
    mimic = None if axis is None else _mimic(axis, what)
    limits = None if axis is None else _limits(axis, what)
    if kind in ("universal", "revolute2", "continuous"):
        kind = "revolute"
    if kind == "revolute" and limits is None:
        kind = "continuous"
    return Joint(label, kind, *ends, unit, limits, mimic)


def _said(element: Element, tag: str) -> bool:
    child = element.find(tag)
    return child is not None and (child.text or "").strip() in ("1", "true")


def _number(element: Element, tag: str, what: str, default: float) -> float:
    child = only_child(element, tag, what)
    return default if child is None else float(written(child, (1,), what)[0])


def _limits(axis: Element, what: str) -> tuple[float, float] | None:
    """Return the limits of an axis, None where an end is missing or endless at both."""
    limit = only_child(axis, "limit", what)
    if limit is None:
        return None
    words = {tag: (limit.findtext(tag) or "").strip().lower() for tag in ("lower", "upper")}
    lower, upper = (
        sign * np.inf if words[tag] in ("inf", "-inf") else _number(limit, tag, what, sign * 1e16)
        for tag, sign in (("lower", -1.0), ("upper", 1.0))
    )
    if lower > upper:
        raise TocsinError(
            f"the limits of {what} (line {limit.line}) are the wrong way round: lower {lower:g} > upper {upper:g}."
        )
    if abs(lower) >= ENDLESS and abs(upper) >= ENDLESS:
        return None
    return lower if abs(lower) < ENDLESS else -np.inf, upper if abs(upper) < ENDLESS else np.inf


def _mimic(axis: Element, what: str) -> tuple[str, float, float] | None:
    """Return (joint, multiplier, offset) of an axis that follows another's."""
    child = only_child(axis, "mimic", what)
    if child is None:
        return None
    leader = child.get("joint", "").strip() + ("_2" if child.get("axis", "axis").strip() == "axis2" else "")
    multiplier = _number(child, "multiplier", what, 1.0)
    offset, reference = (_number(child, tag, what, 0.0) for tag in ("offset", "reference"))
    return leader, multiplier, offset - multiplier * reference


def _check_tree(joints: list[Joint], links: Mapping[str, Element], what: str) -> None:
    """Refuse loops and links that nothing holds, by their names."""
    above: dict[str, Joint] = {}
    for joint in joints:
        other = above.setdefault(joint.child, joint)
        if other is not joint:
            two = " and ".join(repr(j.name.removesuffix("_mount")) for j in (other, joint))
            raise TocsinError(
                f"link {joint.child!r} of {what} is the child of two joints, {two}: a robot is a tree, and loops are "
                "not read."
            )
    roots = [name for name in links if name not in above]
    held = WORLD not in links and any(joint.parent == WORLD for joint in joints)
    if len(roots) + held > 1:
        raise TocsinError(
            f"{what} is not connected: no joint has as its child {', '.join(map(repr, roots))}; a robot is one tree."
        )


def _shapes(links: Mapping[str, Element], kind: str, places: Places) -> dict[str, list[Placed]]:
    """Return what each link carries, as (shape, placement)."""
    meshes = Meshes()
    shapes: dict[str, list[Placed]] = {}
    for name, link in links.items():
        for element in children(link, kind):
            what = f"{kind} {element.get('name', '')!r} of link {name!r}"
            pose = only_child(element, "pose", what)
            if pose is not None and pose.get("relative_to", "").strip() not in ("", name):
                raise TocsinError(f"{what} (line {pose.line}) is placed relative to another frame, which is not read.")
            shape = _shape(element, what, places, meshes)
            if shape is not None:
                shapes.setdefault(name, []).append((shape, _pose(element, what)))
    return shapes


def _shape(element: Element, what: str, places: Places, meshes: Meshes) -> Geometry | None:
    """Return the one shape of a <collision> or <visual>; None for <empty>."""
    geometry = only_child(element, "geometry", what)
    held = [] if geometry is None else list(geometry)
    if len(held) != 1:
        kinds = ", ".join(SHAPES)
        raise TocsinError(f"{what} (line {element.line}) has {len(held)} shapes; one of {kinds} is expected.")
    shape = held[0]
    tag = _cast.choice(shape.tag, f"the shape of {what} (line {shape.line})", SHAPES)
    if tag == "empty":
        return None
    if tag == "plane":
        normal = only_child(shape, "normal", what)
        up = np.array([0.0, 0.0, 1.0]) if normal is None else written(normal, (3,), what)
        return half_space(up, what, shape.line, "which has no end")
    if tag == "mesh":
        return _mesh(shape, what, places, meshes)
    sizes: list[float] = []
    for key in SIZES[tag]:
        child = only_child(shape, key, what)
        if child is None:
            raise TocsinError(f"{what}: its <{tag}> (line {shape.line}) needs <{key}>.")
        sizes += written(child, (3 if key in ("size", "radii") else 1,), what).tolist()
    try:
        return ConvexHull(round_polytope() * sizes) if tag == "ellipsoid" else primitive(tag, sizes)
    except TocsinError as error:
        raise TocsinError(f"{what} (line {shape.line}): {error}") from None


def _mesh(element: Element, what: str, places: Places, meshes: Meshes) -> Geometry:
    where = f"{what} (line {element.line})"
    if element.find("submesh") is not None:
        raise TocsinError(f"{where} is a part of a mesh (<submesh>), which is not read.")
    uri = only_child(element, "uri", what)
    address = "" if uri is None else (uri.text or "").strip()
    if address.startswith("model://"):  # Gazebo's word for a package
        address = address.replace("model://", "package://", 1)
    scale = only_child(element, "scale", what)
    factors: Values = np.ones(1) if scale is None else written(scale, (3,), what)
    return meshes.at(places.resolve(address, where), factors, where)


SDF_FILE.provide(load_sdf)
