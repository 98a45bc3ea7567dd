"""Reading numbers and names out of XML elements, strictly: whatever is missing or is not a number becomes a sentence.

Every function takes `what`, the words for the element in question ("joint 'elbow'"), which open the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tocsin import _cast
from tocsin._types import Matrix4, Values
from tocsin.errors import TocsinError, remark
from tocsin.io.files import Element

MOST_LINKS = 2_000
"""Links of a robot that is read from a file."""

MOST_PAIRS = 2**20
"""Pairs of shapes on different links of such a robot: if all of them overlap, one question takes 400 MB and 2 s."""


def check_size(links: int, shapes: Iterable[int], what: str) -> None:
    """Refuse a robot whose questions would fill the memory; `shapes`: how many each link has."""
    if links > MOST_LINKS:
        raise TocsinError(f"{what} has {links} links; at most {MOST_LINKS} are expected.")
    counts = list(shapes)
    pairs = (sum(counts) ** 2 - sum(count * count for count in counts)) // 2
    if pairs > MOST_PAIRS:
        raise TocsinError(
            f"{what} has {sum(counts)} shapes, and {pairs} pairs of them are on different links; at most {MOST_PAIRS} "
            "are expected."
        )


def attribute(element: Element, key: str, what: str) -> str:
    """Return a required attribute, without the white space around it; empty is missing."""
    text = element.get(key, "").strip()
    if not text:
        raise TocsinError(f"{what}: its <{element.tag}> (line {element.line}) needs the attribute {key!r}.")
    return text


def numbers(element: Element, key: str, counts: tuple[int, ...], what: str, default: str | None = None) -> Values:
    """Return an attribute as finite numbers, as many as one of `counts`; without `default` it is required."""
    text = attribute(element, key, what) if default is None else element.get(key, default)
    return _finite(text, counts, f"{what}: {key}={_shortened(text)!r}", f"of its <{element.tag}> (line {element.line})")


def written(element: Element, counts: tuple[int, ...], what: str) -> Values:
    """Return the text of an element as finite numbers, as many as one of `counts`."""
    text = (element.text or "").strip()
    return _finite(text, counts, f"{what}: <{element.tag}> {_shortened(text)!r}", f"(line {element.line})")


def _finite(text: str, counts: tuple[int, ...], what: str, where: str) -> Values:
    try:
        if "_" in text:  # which Python takes for a digit separator
            raise ValueError
        # Some readers take commas for spaces, and files are written for them; "0,5 1" is neither way three numbers.
        values = np.array([float(word) for word in (text.split(",") if "," in text else text.split())])
    except ValueError:
        values = np.zeros(0)
    if len(values) not in counts or not np.isfinite(values).all():
        amount = " or ".join(str(count) for count in counts)
        macro = " $(...) and ${...} are xacro's: let its name end in .xacro." if "$" in text else ""
        raise TocsinError(f"{what} {where} must be {amount} finite number{'' if counts == (1,) else 's'}.{macro}")
    if "," in text:
        remark(f"{what} {where[where.rindex('(') :]} has commas; numbers are separated by spaces.")
    return values


def number(element: Element, key: str, what: str, default: str | None = None) -> float:
    """Return an attribute as one finite number; without `default` it is required."""
    return float(numbers(element, key, (1,), what, default)[0])


STRUCTURE = (
    "include", "link", "joint", "collision", "visual", "geometry", "origin", "pose", "mesh", "box", "sphere",
    "cylinder", "capsule", "ellipsoid", "plane",
)  # fmt: skip
"""What makes a robot: not passed over under a prefix, as other programs' additions are."""


def refuse_prefixed(root: Element, what: str) -> None:
    """Refuse a file where a part of the robot has a name of another namespace, which is not read."""
    for parent in root.iter():
        for child in parent if parent.tag in STRUCTURE or parent.tag in ("robot", "sdf", "model", "world") else ():
            if ":" in child.tag and child.tag.rpartition(":")[2] in STRUCTURE:
                raise TocsinError(f"{what} has <{child.tag}> (line {child.line}), which is not read.")


def children(element: Element, tag: str) -> list[Element]:
    """Return the children of that name, in order."""
    return [child for child in element if child.tag == tag]


def only_child(element: Element, tag: str, what: str) -> Element | None:
    """Return the child of that name, or None; two are refused, since readers differ in which one they take."""
    found = children(element, tag)
    if len(found) > 1:
        raise TocsinError(f"{what} has {len(found)} <{tag}> elements (line {found[1].line}); one is expected.")
    return found[0] if found else None


def origin(element: Element, what: str) -> Matrix4:
    """Return the 4x4 placement of an element's <origin>: xyz, and rpy about the fixed axes x, y, z in this order."""
    matrix = np.eye(4)
    child = only_child(element, "origin", what)
    if child is None:
        return matrix
    matrix[:3, 3] = numbers(child, "xyz", (3,), what, "0 0 0")
    matrix[:3, :3] = _cast.rolled(numbers(child, "rpy", (3,), what, "0 0 0"))
    return _cast.placement(matrix, f"{what}: its <origin> (line {child.line})")


def named(elements: list[Element], what: str) -> dict[str, Element]:
    """Return elements by their names, in order; one without a name and two of one name are refused."""
    found: dict[str, Element] = {}
    for element in elements:
        name = element.get("name", "").strip()
        if not name:
            raise TocsinError(f"{what}: a <{element.tag}> (line {element.line}) has no name.")
        if name in found:
            raise TocsinError(
                f"{what} has two {element.tag}s named {name!r} (lines {found[name].line} and {element.line}); "
                "names must differ."
            )
        found[name] = element
    return found


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
