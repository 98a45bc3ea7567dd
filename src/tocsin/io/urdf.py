"""URDF files: links, joints and geometry as the specification has them, every value checked on its way in.

The specification's defaults hold: an axis is (1, 0, 0), an origin the identity, missing ends of a limit are 0, a mimic
joint has multiplier 1 and offset 0. A joint without <limit> has none; a fixed joint has no value, so its axis, limit
and mimic say nothing. What concerns neither place nor shape (inertias,
materials, transmissions, anything in another namespace) is not read. Of <collision> and <visual> only the kind that is
asked for is read, so a missing picture of a link is nobody's error.

Written on top of the element tree: yourdfpy, the usual parser, reads broken XML in recovery mode, accepts NaN, zero
axes, cycles and limits the wrong way round, and costs 0.65 s of imports. The tests compare the two joint by joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tocsin import _cast, _given
from tocsin._types import PathLike, Vector
from tocsin.errors import MeshWarning, TocsinError, remark, unknown_name
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.shape import Geometry, Placed
from tocsin.io.elements import (
    attribute,
    check_size,
    children,
    named,
    number,
    numbers,
    only_child,
    origin,
    refuse_prefixed,
)
from tocsin.io.files import Element, parse_xml
from tocsin.io.shapes import Meshes, half_space, primitive
from tocsin.io.uris import Packages, Places
from tocsin.model.joint import Joint
from tocsin.model.robot import URDF_FILE, Robot

JOINT_TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating", "spherical")
"""The last is Bullet's, a ball joint."""

WORLD = "world"
"""The link that Drake and others have without being told."""

SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh", "plane")

GEOMETRIES = ("collision", "visual")


def load_urdf(
    path: PathLike,
    *,
    srdf: PathLike | None = None,
    packages: Packages = (),
    geometry: str = "collision",
    base: str = "fixed",
    ignore_overlapping: bool = False,
    xacro_arguments: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Robot:
    """Read a robot from a URDF file, or from a xacro file (`.xacro`), which is expanded first.

    `srdf`: a file with groups, named states and pairs of links that are not checked against each other.
    `packages`: folders, each a package or holding packages, or a mapping from package names to folders; also searched
    are ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and the folders above the file.
    `geometry`: "collision" or "visual"; a robot without any collision geometry gets its visual one, with a warning.
    `base`: "fixed" or "free", whether motions may move the root link.
    `ignore_overlapping`: sample configurations, and do not check pairs of links that touch in all of them; the pairs
    are those of `tocsin.io.overlaps.find_overlaps(robot).always`. What touches besides where the robot stands is told.
    `xacro_arguments`: what `xacro file name:=value` would be given. `name`: of the robot, instead of the file's.

    Links and joints keep the file's order. Primitives stay primitives; a mesh that several links name is read once.
    """
    _cast.choice(geometry, "geometry", GEOMETRIES)
    _cast.flag(ignore_overlapping, "ignore_overlapping")
    if xacro_arguments is not None and not _cast.instance(xacro_arguments, Mapping):
        raise TocsinError(f"xacro_arguments is a mapping of names to values; got {_cast.said(xacro_arguments)}.")
    root = _document(path, packages, xacro_arguments)
    what = f"{str(path)!r}"
    links = named(children(root, "link"), what)
    joints = named(children(root, "joint"), what)
    if not links:
        raise TocsinError(f"{what} has no links.")
    given = _with_world(links, joints, what)
    kind = _kind_of_geometry(links, geometry, what)
    check_size(len(links), (len(link.findall(kind)) for link in links.values()), what)
    read = [_joint(joint_name, element, links, joints) for joint_name, element in joints.items()]
    _check_parents(read)
    files: dict[str, Path] = {}
    shapes = _shapes(links, kind, Places(path, packages), files)
    title = _given.name(name, "the name of a robot", root.get("name", "").strip() or Path(path).stem)
    robot = Robot(title, list(links), read, shapes, base)
    if given and not str(path).lower().endswith(".xacro"):
        robot.source = Path(path).resolve(), kind, files
    if srdf is not None:
        from tocsin.io.srdf import read_srdf

        read_srdf(srdf).apply(robot)
    if ignore_overlapping:
        _ignore_overlapping(robot)
    return robot


def _ignore_overlapping(robot: Robot) -> None:
    """Ignore the pairs of links that always touch; say which others touch where the robot stands."""
    from tocsin.io.overlaps import find_always

    always, others = find_always(robot)
    robot.ignore_pairs(always)
    left = [(a, b) for a, b in others if (robot.link_index(a), robot.link_index(b)) not in robot.ignored]
    if left:
        named = ", ".join(f"{a!r} and {b!r}" for a, b in left[:3])
        more = f", and {len(left) - 3} more pairs" if len(left) > 3 else ""
        remark(
            f"{robot.name!r} touches itself where it stands, though not always: {named}{more}. An SRDF says which "
            "pairs are meant to; robot.ignore_overlapping_at() leaves out all that touch where it stands.",
            MeshWarning,
        )


def _document(path: PathLike, packages: Packages, xacro_arguments: Mapping[str, str] | None) -> Element:
    """Return the <robot> element of a URDF or xacro file."""
    if str(path).lower().endswith(".xacro"):
        from tocsin.io.xacro import expand

        root = expand(path, xacro_arguments or {}, packages)
    else:
        if xacro_arguments:
            raise TocsinError(f"xacro_arguments are for files that end in .xacro; got {str(path)!r}.")
        root = parse_xml(path, "the URDF")
    others = {"mujoco": "a MuJoCo file: Robot.from_mjcf reads it", "sdf": "an SDF file: Robot.from_sdf reads it"}
    if root.tag != "robot":
        reason = others.get(root.tag, f"not a URDF: its outermost element is <{root.tag}>, not <robot>")
        raise TocsinError(f"{str(path)!r} is {reason}.")
    macro = next((element.tag for element in root.iter() if element.tag.startswith("xacro:")), None)
    if macro is not None:
        raise TocsinError(f"{str(path)!r} has <{macro}>: expand it with xacro, or let its name end in .xacro.")
    refuse_prefixed(root, repr(str(path)))
    return root


def _with_world(links: dict[str, Element], joints: Mapping[str, Element], what: str) -> bool:
    """Give the link `world` to a file in which a joint hangs on it and that has none; return whether it has it."""
    if WORLD in links or not any(p.get("link", "").strip() == WORLD for j in joints.values() for p in j.iter("parent")):
        return True
    remark(f"{what} has a joint on the link {WORLD!r} and no such link: it is taken for the world, without shapes.")
    links[WORLD] = Element("link", {"name": WORLD})
    return False


# ---- joints --------------------------------------------------------------------------------------------------------


def _joint(name: str, element: Element, links: Mapping[str, Element], joints: Mapping[str, Element]) -> Joint:
    """Return a joint after checking all that it says."""
    what = f"joint {name!r}"
    kind = _cast.choice(attribute(element, "type", what), f"the type of {what} (line {element.line})", JOINT_TYPES)
    ends: list[str] = []
    for tag in ("parent", "child"):
        child = only_child(element, tag, what)
        if child is None:
            raise TocsinError(f"{what} (line {element.line}) has no <{tag}>.")
        link = attribute(child, "link", what)
        if link not in links:
            raise TocsinError(f"the {tag} of {what} (line {child.line}): {unknown_name('link', link, links)}.")
        ends.append(link)
    if ends[0] == ends[1]:
        raise TocsinError(f"{what} (line {element.line}) joins link {ends[0]!r} to itself.")
    turns_or_slides = kind in ("revolute", "continuous", "prismatic")
    mimic = None if kind == "fixed" else _mimic(element, name, joints)
    if mimic is not None and not turns_or_slides:
        raise TocsinError(f"{what} is {kind}: only revolute, continuous and prismatic joints can mimic another.")
    kind = "ball" if kind == "spherical" else kind
    axis = _axis(element, what, needed=turns_or_slides or kind == "planar")
    limits = _limits(element, what) if kind in ("revolute", "prismatic") else None
    return Joint(name, kind, ends[0], ends[1], origin(element, what), axis, limits, mimic)


def _axis(element: Element, what: str, *, needed: bool) -> Vector:
    """Return the unit axis; that of a fixed or floating joint means nothing, and exporters write zeros there."""
    child = only_child(element, "axis", what)
    if child is None:
        return np.array([1.0, 0.0, 0.0])
    given = numbers(child, "xyz", (3,), what, "1 0 0")
    return _cast.unit(given, f"the axis of {what} (line {child.line})") if needed else np.array([1.0, 0.0, 0.0])


def _limits(element: Element, what: str) -> tuple[float, float] | None:
    child = only_child(element, "limit", what)
    if child is None:
        return None
    lower, upper = (number(child, key, what, "0") for key in ("lower", "upper"))
    if lower > upper:
        raise TocsinError(
            f"the limits of {what} (line {child.line}) are the wrong way round: lower {lower:g} > upper {upper:g}."
        )
    return lower, upper


def _mimic(element: Element, name: str, joints: Mapping[str, Element]) -> tuple[str, float, float] | None:
    what = f"joint {name!r}"
    child = only_child(element, "mimic", what)
    if child is None:
        return None
    master = attribute(child, "joint", what)
    if master == name:
        raise TocsinError(f"{what} (line {child.line}) mimics itself.")
    if master not in joints:
        raise TocsinError(f"the mimic of {what} (line {child.line}): {unknown_name('joint', master, joints)}.")
    return master, number(child, "multiplier", what, "1"), number(child, "offset", what, "0")


def _check_parents(joints: list[Joint]) -> None:
    """Refuse links that hang on two joints, by the joints' names."""
    above: dict[str, Joint] = {}
    for joint in joints:
        other = above.setdefault(joint.child, joint)
        if other is not joint:
            raise TocsinError(
                f"link {joint.child!r} is the child of two joints, {other.name!r} and {joint.name!r}; "
                "a robot is a tree."
            )


# ---- geometry ------------------------------------------------------------------------------------------------------


def _kind_of_geometry(links: Mapping[str, Element], wanted: str, what: str) -> str:
    """Return which geometry to read: the one that is asked for, unless there is only the other."""
    has = {kind: any(link.find(kind) is not None for link in links.values()) for kind in GEOMETRIES}
    if not any(has.values()):
        remark(f"{what} has no geometry at all: it touches nothing.", MeshWarning)
    elif wanted == "collision" and not has["collision"]:
        remark(f"{what} has no collision geometry: visual geometry is used.", MeshWarning)
        return "visual"
    elif not has[wanted]:
        raise TocsinError(f"{what} has no {wanted} geometry; ask for geometry='collision'.")
    return wanted


def _shapes(links: Mapping[str, Element], kind: str, places: Places, files: dict[str, Path]) -> dict[str, list[Placed]]:
    """Return what each link carries, as (shape, placement); note the files of meshes by what they are called."""
    meshes = Meshes()
    shapes: dict[str, list[Placed]] = {}
    for name, link in links.items():
        elements = children(link, kind)
        for k, element in enumerate(elements):
            what = f"the {kind} of link {name!r}" if len(elements) == 1 else f"{kind} {k + 1} of link {name!r}"
            shape = _shape(element, what, places, meshes)
            files |= {
                uri: places.resolve(uri, what) for mesh in element.iter("mesh") if (uri := mesh.get("filename", ""))
            }
            shapes.setdefault(name, []).append((shape, origin(element, what)))
    return shapes


def _shape(element: Element, what: str, places: Places, meshes: Meshes) -> Geometry:
    """Return the one shape of a <collision> or <visual>."""
    geometry = only_child(element, "geometry", what)
    held = [] if geometry is None else [child for child in geometry if ":" not in child.tag]
    if len(held) != 1:
        found = "no <geometry>" if geometry is None else f"{len(held)} shapes in its <geometry>"
        raise TocsinError(f"{what} (line {element.line}) has {found}; one of {', '.join(SHAPES)} is expected.")
    shape = held[0]
    _cast.choice(shape.tag, f"the shape of {what} (line {shape.line})", SHAPES)
    if shape.tag == "mesh":
        return _mesh(shape, what, places, meshes)
    if shape.tag == "plane":
        return half_space(numbers(shape, "normal", (3,), what, "0 0 1"), what, shape.line, "which no URDF has")
    keys = {"box": ("size",), "sphere": ("radius",)}.get(shape.tag, ("radius", "length"))
    sizes = [x for key in keys for x in numbers(shape, key, (3 if key == "size" else 1,), what).tolist()]
    try:
        return primitive(shape.tag, sizes)
    except TocsinError as error:
        raise TocsinError(f"{what} (line {shape.line}): {error}") from None


def _mesh(element: Element, what: str, places: Places, meshes: Meshes) -> Mesh:
    """Return a mesh at its scale."""
    file = places.resolve(attribute(element, "filename", what), f"{what} (line {element.line})")
    return meshes.at(file, numbers(element, "scale", (1, 3), what, "1"), f"{what} (line {element.line})")


URDF_FILE.provide(load_urdf)
