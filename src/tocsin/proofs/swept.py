"""A part of a link swept around the link's own joint: whatever that joint does, the part is in a cylinder above it.

Claim. Let a joint turn its link about a unit axis u through the link's origin, the link standing at F on its parent.
A point x of the link is then, at whatever angle, at the height u.x above F's origin, and |u x x| from the axis: so all
of a part is in the cylinder about F u between its least and its greatest height, with its largest distance for radius;
grown by as much as the part is beyond its points. That cylinder stands on the parent. Proof: a turn about u changes
neither height nor distance, and F is rigid. So what is apart from the cylinder is apart from the part, and one joint
less is left to survey: of a wrist that is nearly round about its last joint next to nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from tocsin._types import FloatArray, LinkTable, LongIndices, Records, Row
from tocsin.motion.chain import common_ancestor
from tocsin.motion.links import FIXED, REVOLUTE
from tocsin.proofs.parts import PART

AROUND_A, AROUND_B = 17, 18
"""Words of a proof: ( ) the first, or the second, part is swept around the joint of its link, and stands on the link
above."""

MORE = 1.0 + 2.0**-40


Work: TypeAlias = tuple[np.ndarray, ...]
"""What a search works in, of a thread, as `boxes.survey` names it."""

Asked: TypeAlias = tuple[
    tuple[Records, FloatArray], LinkTable, Records, tuple[int, int, int, int], LongIndices, Row, FloatArray, Work
]
"""A pair of shapes as `boxes.survey` takes it: parts and their points, links, joints, `ends`, `entries`, a
configuration, `cells` and `work`."""



def ways_around(asked: Asked, box: Row) -> Iterator[tuple[Asked, Row, list[int]]]:
    """Return a pair of shapes with one of them, or both, swept around its joint: as `boxes.survey` takes it, the box of
    the entries that matter then, and the words that say so."""
    tables, links, joints, ends, entries, row, cells, work = asked
    stop = common_ancestor(links, ends[0], ends[1])
    around = [None if ends[k] == stop else swept(tables, links, ends[2 + k], ends[k]) for k in range(2)]
    for which in ((1,), (0,), (0, 1)):
        new, roots, words, (parts, points) = [*ends[:2]], [*ends[2:]], [], tables
        for k in which:
            made = around[k]
            if made is None:
                break
            part, own, new[k] = made[0].copy(), made[1], made[2]
            part["point"] += len(points)
            roots[k], parts, points = len(parts), np.concatenate((parts, part)), np.concatenate((points, own))
            words.append((AROUND_A, AROUND_B)[k])
        else:
            left = np.isin(entries, [*entries_between(links, *new)])
            room = np.zeros((len(cells), 2 * int(left.sum())))
            ways = (parts, points), links, joints, (new[0], new[1], roots[0], roots[1]), entries[left], row, room, work
            yield ways, box[np.tile(left, 2)], words


def entries_between(links: LinkTable, a: int, b: int) -> set[int]:
    """Return the entries of a configuration that move one of two links against the other."""
    stop, found = common_ancestor(links, a, b), set()
    for i in (a, b):
        while i != stop:
            if int(links[i]["kind"]) != FIXED:
                found.add(int(links[i]["config"]))
            i = int(links[i]["parent"])
    return found


def swept(
    tables: tuple[Records, FloatArray], links: LinkTable, root: int, link: int
) -> tuple[Records, FloatArray, int] | None:
    """Return a shape of a link around the joint of its link, as one part and its points, and on which link. None if the
    joint does not turn, or the world is what it stands on."""
    parent = int(links[link]["parent"])
    if int(links[link]["kind"]) != REVOLUTE or parent < 0:
        return None
    return *_around(*_points(*tables, root), float(tables[0][root]["reach"]), links[link]), parent


def _points(parts: Records, points: FloatArray, root: int) -> tuple[FloatArray, float]:
    """Return points of a shape, and how far it goes beyond their hull: of a mesh its corners."""
    own = parts[root : root + 2 * int(parts[root]["triangles"]) - 1]
    last = own[own["half"] < 0]
    rows = [points[part["point"] : part["point"] + part["points"]] for part in last]
    return np.unique(np.concatenate(rows), axis=0), float((last["radius"] + last["disk"]).max())


def _around(points: FloatArray, beyond: float, reach: float, link: np.void) -> tuple[Records, FloatArray]:
    """Return the cylinder that a shape sweeps, on the parent of a link that turns."""
    turn, place, u = link["rotation"], link["translation"], link["axis"] / np.linalg.norm(link["axis"])
    axis, heights = turn @ u, points @ u
    low, high = float(heights.min()), float(heights.max())
    disk = float(np.linalg.norm(np.cross(u, points), axis=1).max()) * MORE + 2.0**-40 * reach
    part = np.zeros(1, PART)
    part["half"], part["triangles"], part["points"], part["disk"], part["radius"] = -1, 1, 2, disk, beyond
    part["reach"] = (reach + float(np.linalg.norm(place))) * MORE
    part["size"] = np.hypot(high - low, 2.0 * disk) + 2.0 * beyond
    part["center"] = place + 0.5 * (low + high) * axis
    part["girth"] = part["span"] = (0.5 * (high - low) + disk + beyond) * (1.0 + 2.0**-20)
    return part, np.array([place + low * axis, place + high * axis, axis])
