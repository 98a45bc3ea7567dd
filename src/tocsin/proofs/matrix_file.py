"""The proof of a self-collision matrix as a file: trees of boxes and directions, and two points of what can touch."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from tocsin.errors import TocsinError
from tocsin.motion.chain import chain_pose, common_ancestor
from tocsin.motion.joints import JOINT
from tocsin.proofs import boxes, points
from tocsin.proofs.prove import Asked
from tocsin.proofs.written import as_text
from tocsin.queries.context import context_of
from tocsin.results import LinkPair, LinkPairs


def write_matrix(path: str | os.PathLike[str], survey: Any, pairs: LinkPairs) -> None:
    """Write the file: what is never, and what is sometimes in contact; nothing is said of the other pairs."""
    if survey.robot.source is None:
        raise TocsinError(f"the proof of a matrix reads limits from a URDF, and {survey.robot.name!r} comes from none.")
    context = context_of((survey.robot,), "triangles", 1, False)
    head = Asked(context, context.tables(), ()).head(survey.margin)
    links = [said for pair in pairs if (said := _said(survey, context.names[0], pair)) is not None]
    data = {**head, "claim": "matrix", "skipped": [], "free": [], "contact": {}, "links": links}
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    Path(path).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _said(survey: Any, name: str, pair: LinkPair) -> dict[str, Any] | None:
    """Return what the file says of a pair; None where there is nothing to say, or its proof was too long to keep."""
    said: dict[str, Any] = {"links": [f"{name}/{pair.link_a}", f"{name}/{pair.link_b}"], "verdict": pair.verdict}
    if pair.verdict == "never" and all(len(words) for _, _, words in pair.evidence):
        return {**said, "trees": [[s, t, as_text(words)] for s, t, words in pair.evidence]}
    if pair.verdict not in ("always", "sometimes") or pair.witness is None:
        return None
    row = np.concatenate((survey.robot.rest[:7], pair.witness))
    ends = [_point(survey, pair, row, side) for side in range(2)]
    ends.sort(key=lambda end: end[0])
    return {
        **said, "verdict": "sometimes", "witness": row.tolist(), "time": 0.0, "shapes": [end[0] for end in ends],
        "points": [end[1] for end in ends], "tolerance": survey.margin * boxes.WITHIN + 1e-9,
    }  # fmt: skip


def _point(survey: Any, pair: LinkPair, row: np.ndarray, side: int) -> tuple[int, list[Any]]:
    """Return a shape and the point of it at which it touches the other one, as the format writes points."""
    shape, part = int(pair.evidence[side]), int(pair.evidence[2 + side])
    at = np.array(pair.evidence[4 + 3 * side : 7 + 3 * side])
    robot, links = survey.robot, survey.world.links
    a, b = robot.link_index(pair.link_a), robot.link_index(pair.link_b)
    if side == 1:
        joints = np.zeros(len(links), JOINT)
        stop = common_ancestor(links, a, b)
        boxes.set_at(links, joints, a, stop, row)
        boxes.set_at(links, joints, b, stop, row)
        (ra, pa), (rb, pb) = (chain_pose(joints, links, link, stop, 0.0) for link in (a, b))
        at = np.array(rb).T @ (np.array(ra) @ at + np.array(pa) - np.array(pb))
    link = (a, b)[side]
    held = [s for s in robot.shapes[link] if not s.is_empty][shape - survey.shapes[link][0]]
    leaf = survey.tables[0][part]
    corners = survey.tables[1][leaf["point"] : leaf["point"] + leaf["points"]]
    own = np.flatnonzero((held.points[:, None] == corners[None]).all(axis=2).any(axis=1)) if held.is_mesh else ()
    number, said = points.nearest_of([held], np.eye(4), at, tuple(map(int, own)), shape)
    return number, said
