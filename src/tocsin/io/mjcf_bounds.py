"""How much a MuJoCo model grows to, counted before MuJoCo makes it.

A few lines may stand for millions of bodies: copies inside copies, sub-models attached a hundred times of which each
attaches another a hundred times, chains that are one element. And the compiled model has tables that are products: a
configuration for each keyframe, a row for each degree of freedom with a column for each above it. `extent_of` counts
all of this on the text; what goes beyond is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tocsin.errors import TocsinError
from tocsin.io.files import Element

MOST_COPIES = 10_000
"""Copies that replicate and composite may make, one inside another."""

MOST_ELEMENTS, MOST_BODIES = 10_000, 2_000
"""Elements and bodies once all copies are made: MuJoCo's time grows with their squares, and these take seconds."""

MOST_COUPLINGS = 2**22
"""Pairs of degrees of freedom, one above the other: entries of the sparse mass matrix."""

MOST_KEYED = 2**23
"""Keyframes times elements."""

MOST_CLAIMED = 10_000
"""Numbers that a file only claims."""

MOST_CELLS = 2**20
"""Points of a height field; pixels of a texture that is made up are 64 times as many."""

_FREEDOMS = {"freejoint": 6, "free": 6, "ball": 3}
_COUNT = re.compile(r"\d{1,9}", re.ASCII)


@dataclass(frozen=True)
class Extent:
    """What an element stands for."""

    elements: int = 0
    bodies: int = 0
    freedoms: int = 0
    couplings: int = 0

    def more(self, other: Extent, copies: int = 1, above: int = 0) -> Extent:
        """Return this and `copies` of another, which hang on `above` degrees of freedom."""
        return Extent(
            self.elements + copies * other.elements,
            self.bodies + copies * other.bodies,
            self.freedoms + copies * other.freedoms,
            self.couplings + copies * (other.couplings + above * other.freedoms),
        )


def extent_of(root: Element, models: Mapping[str, Extent], document: Path) -> Extent:
    """Return how much a model grows to, sub-models by name; refuse one that grows without bound."""

    def refused(reason: str) -> TocsinError:
        return TocsinError(f"cannot load {str(document)!r}: {reason}.")

    def grown(element: Element, copies: int) -> Extent:
        if element.tag in ("flex", "flexcomp"):
            raise refused(f"<{element.tag}> in line {element.line} makes flexible bodies (flex), which are not read")
        own = 1
        if element.tag in ("replicate", "composite"):
            words = (element.get("count") or "1").split()
            if not all(_COUNT.fullmatch(word) for word in words):
                given = element.get("count", "")[:40]
                raise refused(f"the count of <{element.tag}> in line {element.line} must be whole; got {given!r}")
            own = math.prod(max(int(word), 1) for word in words)
            copies *= own
            if copies > MOST_COPIES:
                raise refused(f"<{element.tag}> in line {element.line} makes {copies} copies, more than {MOST_COPIES}")
        own_freedoms = _freedoms(element) if element.tag == "body" else 0
        inside = Extent(1, element.tag == "body", own_freedoms, own_freedoms * own_freedoms)
        if element.tag == "composite":
            chain = 6 * own  # a cable is a chain: every link hangs on all before it
            inside = Extent(8 * own, own, chain, chain * chain)
            own = 1
        for child in element:
            inside = inside.more(grown(child, copies), own, own_freedoms)
        if element.tag == "attach":
            inside = inside.more(models.get(element.get("model", ""), Extent()))
        for what, count, most in (
            ("elements", inside.elements, MOST_ELEMENTS),
            ("bodies", inside.bodies, MOST_BODIES),
            ("pairs of joints in chains", inside.couplings, MOST_COUPLINGS),
        ):
            if count > most:
                where = f"<{element.tag}> in line {element.line}"
                raise refused(f"{where} grows to {count} {what}; at most {most} are read")
        return inside

    found = grown(root, 1)
    keys = sum(1 for _ in root.iter("key"))
    if keys * found.elements > MOST_KEYED:
        raise refused(f"it has {keys} keyframes of {found.elements} elements, more than can be held")
    return found


def _freedoms(element: Element) -> int:
    """Return a body's own degrees of freedom, those in frames too; MuJoCo takes six at most."""
    own = 0
    for child in element:
        if child.tag in ("joint", "freejoint"):
            own += _FREEDOMS.get(child.tag, _FREEDOMS.get(child.get("type", ""), 1))
        elif child.tag in ("frame", "replicate"):
            own += _freedoms(child)
    return min(own, 6)


def check_claims(root: Element, document: Path) -> None:
    """Refuse arrays that the file only claims and MuJoCo would allocate."""
    for element in root.iter():
        claims = [("nrow", "ncol", MOST_CELLS), ("width", "height", 64 * MOST_CELLS)]
        if element.tag == "size":
            claims += [(key, "", MOST_CLAIMED) for key in element.attrib if key.startswith(("nuser", "nkey"))]
        if element.tag == "numeric":
            claims.append(("size", "", MOST_CLAIMED))
        if element.tag == "mesh" and element.get("params"):
            _check_params(element, document)
        for one, two, most in claims:
            try:
                size = int(element.get(one, "0")) * int(element.get(two, "1"))
            except ValueError:
                continue  # MuJoCo says what is wrong with it
            if abs(size) > most:
                raise TocsinError(
                    f"cannot load {str(document)!r}: <{element.tag}> in line {element.line} claims {size} values "
                    f"({one}{' x ' + two if two else ''}); at most {most} are read."
                )


def _check_params(element: Element, document: Path) -> None:
    """Refuse a mesh that is made up with more than a thousand points in a row."""
    for word in element.get("params", "").split():
        try:
            large = abs(float(word)) > 1000.0
        except ValueError:
            continue
        if large:
            raise TocsinError(
                f"cannot load {str(document)!r}: <mesh> in line {element.line} is made up with params {word[:40]}; at "
                "most 1000 are read."
            )
