"""The proof of a self-collision matrix as a file: trees of boxes and directions, and two points of what can touch."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING

import numpy as np

from tocsin import _given
from tocsin._types import Json
from tocsin.errors import TocsinError
from tocsin.motion.chain import chain_pose, common_ancestor
from tocsin.motion.joints import JOINT
from tocsin.proofs import boxes, points
from tocsin.proofs.prove import Asked
from tocsin.proofs.written import Said, as_text
from tocsin.queries.context import context_of
from tocsin.results import LinkPair, LinkPairs

if TYPE_CHECKING:
    from tocsin.proofs.matrix import Survey


def write_matrix(path: str | os.PathLike[str], survey: Survey, pairs: LinkPairs) -> None:
    """Write the file: what is never, always and sometimes in contact; nothing is said of the other pairs."""
    if survey.robot.source is None:
        raise TocsinError(f"the proof of a matrix reads limits from a URDF, and {survey.robot.name!r} comes from none.")
    context = context_of((survey.robot,), "triangles", 1, False)
    head = Asked(context, context.tables(), ()).head(survey.margin)
    links = [said for pair in pairs if (said := _said(survey, context.names[0], pair)) is not None]
    data = {**head, "claim": "matrix", "pairs": [], "free": [], "contact": {}, "links": links}
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    file = _given.path(path, "cannot write a proof")
    _given.write(file, gzip.compress(text.encode(), 9, mtime=0), "a proof")


def _said(survey: Survey, name: str, pair: LinkPair) -> Said | None:
    """Return what the file says of a pair; None where there is nothing to say, or its proof was too long to keep."""
    said: Said = {"links": [f"{name}/{pair.link_a}", f"{name}/{pair.link_b}"], "verdict": pair.verdict}
    if pair.verdict == "never" and all(len(words) for _, _, words in pair.evidence):
        trees = sorted(((min(s, t), max(s, t)), as_text(words)) for s, t, words in pair.evidence)
        return {**said, "tree": " ".join([".", *(text for _, text in trees)])}
    said["tolerance"] = survey.margin * boxes.WITHIN + 1e-9
    link_a, link_b = survey.robot.link_index(pair.link_a), survey.robot.link_index(pair.link_b)
    if pair.verdict == "always":
        s, t, words, found = pair.evidence
        contacts = [
            _ordered(_point(survey, link_a, s, int(f[0]), f[2:5]), _point(survey, link_b, t, int(f[1]), f[5:8]))
            for f in found
        ]
        return {**said, "tree": as_text(words), "contacts": contacts}
    if pair.verdict != "sometimes" or pair.witness is None:
        return None
    s, t, part_a, part_b = map(int, pair.evidence[:4])
    row = np.concatenate((survey.robot.rest[:7], pair.witness))
    x, y = np.array(pair.evidence[4:7]), _seen_from(survey, link_a, link_b, row, np.array(pair.evidence[7:10]))
    contact = _ordered(_point(survey, link_a, s, part_a, x), _point(survey, link_b, t, part_b, y))
    return {**said, "witness": pair.witness.tolist(), "contacts": [contact]}


def _ordered(*ends: tuple[int, list[Json]]) -> Said:
    """Return two points with the numbers of their shapes, the smaller first."""
    first, last = sorted(ends, key=lambda end: end[0])
    return {"shapes": [first[0], last[0]], "points": [first[1], last[1]]}


def _seen_from(survey: Survey, a: int, b: int, row: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return a place that link a sees as link b sees it, at a configuration."""
    links = survey.world.links
    joints = np.zeros(len(links), JOINT)
    stop = common_ancestor(links, a, b)
    boxes.set_at(links, joints, a, stop, row)
    boxes.set_at(links, joints, b, stop, row)
    (ra, pa), (rb, pb) = (chain_pose(joints, links, link, stop, 0.0) for link in (a, b))
    return np.array(rb).T @ (np.array(ra) @ at + np.array(pa) - np.array(pb))


def _point(survey: Survey, link: int, shape: int, part: int, at: np.ndarray) -> tuple[int, list[Json]]:
    """Return a shape and the point of one of its parts that is nearest to a place of its link, as the format has it."""
    held = [s for s in survey.robot.shapes[link] if not s.is_empty][shape - survey.shapes[link][0]]
    leaf = survey.tables[0][part]
    corners = survey.tables[1][leaf["point"] : leaf["point"] + leaf["points"]]
    own = np.flatnonzero((held.points[:, None] == corners[None]).all(axis=2).any(axis=1)) if held.is_mesh else ()
    return points.nearest_of([held], np.eye(4), at, tuple(map(int, own)), shape)
