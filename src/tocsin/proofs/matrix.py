"""Which links of a robot can touch each other at all: proven, pair by pair, for all joint values within the limits.

    never       apart by more than the margin everywhere, proven by boxes of joint values (`proofs.boxes`)
    always      within the margin at all values, proven by boxes too (`proofs.always`)
    sometimes   within the margin at the values that are given
    adjacent    joined by a joint: not asked about
    undecided   neither: the survey took too long, or a joint between them has no limits to survey

Nothing is by samples alone: these only find witnesses.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tocsin import _cast, _given
from tocsin._types import Counts, FloatArray, Numeric, PathLike
from tocsin.compiler.jit import kernel
from tocsin.compiler.threads import cores
from tocsin.geometry import cache
from tocsin.model.robot import Robot
from tocsin.model.world import assemble
from tocsin.motion.chain import common_ancestor
from tocsin.motion.joints import JOINT
from tocsin.motion.links import FIXED, PRISMATIC, REVOLUTE
from tocsin.proofs import always, approach, boxes
from tocsin.proofs.box_bounds import JOINT_ROW
from tocsin.proofs.prove import joined_parts
from tocsin.proofs.swept import Asked, Work, ways_around
from tocsin.results import LinkPair, LinkPairs

TURN = 3.1416
"""A joint without limits is looked at from minus this, in radians, to this, one with limits that are farther apart from
the lower one on as far: more than a turn, and all there is if what follows the joint comes around in one."""

MOVES = (REVOLUTE, PRISMATIC)

FEW, SAMPLES, STARTS, STEPS = 256, 4096, 12, 120
"""Configurations that are looked at for a witness, a few before any box and all after a first round of boxes; if all of
the few touch, all are looked at, and if none does, so many of the nearest are followed for so many steps."""

FIRST, FASTER = 20_000, 4
"""Boxes that a pair of shapes may take in a first round; and so many times more in each next one."""

WAITING = 512

MOST_WORDS = 2**22
"""Of the proof of a pair of shapes; one that is longer is not kept."""

ONE = 1_000_000
"""Pairs of parts that a single configuration may take."""

MOST_TOGETHER = 20_000
"""Boxes in which two points stay together, of a pair of shapes: a proof of two megabytes."""



@kernel
def touching(asked, values, margin, words):
    """Return (how many, the first): at which rows of joint values two shapes are within the margin; see `survey`."""
    cells = asked[6]
    n = asked[4].shape[0]
    count = 0
    first = -1
    for i in range(values.shape[0]):
        for k in range(n):
            cells[0, k] = cells[0, n + k] = values[i, k]
        outcome, _, _ = boxes.survey(asked, margin, words, ONE, True)
        if outcome == boxes.TOUCHING:
            count += 1
            if first < 0:
                first = i
    return count, first


def _comes_around(link: np.void) -> bool:
    """Is a link where it was when the entry that moves it has gone a whole turn? Else one turn is not all there is."""
    return int(link["kind"]) == REVOLUTE and float(link["multiplier"]).is_integer()


class Survey:
    """A robot laid out for questions about pairs of its links."""

    def __init__(self, robot: Robot, margin: float) -> None:
        self.robot, self.margin, self.keep = robot, margin, 0
        self.world = assemble([robot], {})
        parts, points, roots = joined_parts(robot.shapes)
        self.tables, self.roots = (parts, points), roots
        self.shapes: dict[int, list[int]] = {}
        for k, link in enumerate(self.world.geoms["link"].tolist()):
            self.shapes.setdefault(link, []).append(k)
        self.limits = {j.name: j.limits for j in robot.joints}

    def pairs(self) -> list[tuple[int, int]]:
        """Return all pairs of links that have shapes."""
        links = sorted(self.shapes)
        return [(a, b) for i, a in enumerate(links) for b in links[i + 1 :]]

    def adjacent(self, a: int, b: int) -> bool:
        """Are two links joined, by one joint or by several with nothing but frames between?"""
        for child, other in ((a, b), (b, a)):
            above = int(self.world.links[child]["parent"])
            while above >= 0 and above != other and above not in self.shapes:
                above = int(self.world.links[above]["parent"])
            if above == other:
                return True
        return False

    def entries(self, a: int, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray] | str:
        """Return the entries of the configuration that matter to a pair, their least and greatest values; or why
        not."""
        links = self.world.links
        stop = common_ancestor(links, a, b)
        found: dict[int, tuple[float, float]] = {}
        for i in (a, b):
            while i != stop:
                kind = int(links[i]["kind"])
                if kind in MOVES:
                    found[int(links[i]["config"])] = (-TURN, TURN)
                elif kind != FIXED:
                    return f"the joint of {self.robot.link_names[i]!r} is neither revolute nor prismatic"
                i = int(links[i]["parent"])
        for joint in self.robot.joints:
            if joint.width == 1:
                at = int(links[self.robot.link_index(joint.child)]["config"])
                around = all(_comes_around(link) for link in links if link["config"] == at and link["kind"] in MOVES)
                if at in found and joint.limits is not None:
                    low, high = float(joint.limits[0]), float(joint.limits[1])
                    found[at] = low, min(high, low + 2.0 * TURN) if around else high
                elif at in found and not around:
                    return f"joint {joint.name!r} has no limits"
        order = np.array(sorted(found), np.int64)
        ends = np.array([found[int(k)] for k in order]).reshape(-1, 2)
        return order, np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])

    def within(self) -> np.ndarray:
        """Return the configuration at which the robot stands, or the nearest to it within the limits: a witness is one,
        in the joints that do not matter too."""
        row = self.robot.rest.copy()
        for joint in self.robot.joints:
            if joint.width == 1 and joint.limits is not None:
                at = int(self.world.links[self.robot.link_index(joint.child)]["config"])
                row[at] = np.clip(row[at], *joint.limits)
        return row

    def work(self) -> Work:
        """Return arrays to work in, of a thread."""
        depth = int(self.world.links["depth"].max()) + 2
        rows = np.zeros((depth, JOINT_ROW)), np.zeros((depth, JOINT_ROW))
        return (
            *rows,
            np.zeros((WAITING, 2), np.int64),
            np.zeros((WAITING, 3)),
            np.zeros((4, 9)),
            np.zeros(self.robot.width),
            np.zeros(self.robot.width),
            np.zeros((2 * depth, JOINT_ROW)),
            np.zeros((2 * depth, JOINT_ROW)),
        )

    def look(self, a: int, b: int, most: int, *, kept_only: bool = False) -> LinkPair:
        """Return what is true of two links; from the disk, where it was found before, and only from there if asked.

        `most`: none, for a few samples alone; at most `FIRST`, for boxes and all samples; more where these did not do.
        """
        names = self.robot.link_names[a], self.robot.link_names[b]
        if self.adjacent(a, b):
            return LinkPair(*names, "adjacent")
        found = self.entries(a, b)
        if isinstance(found, str):
            return LinkPair(*names, "undecided", reason=found)
        key = cache.content_key(
            __file__, self.world.links, *self.tables, self.roots, *found, self.within(), self.margin, most, self.keep,
            a, b,
        )  # fmt: skip
        kept = cache.load(key, KEPT)
        pair = None if kept is None else self._read(names, kept)
        if pair is None and kept_only:
            return LinkPair(*names, "undecided", reason="not looked at: the time was up")
        if pair is None:
            pair = self._surveyed(a, b, found, most)
            cache.store(key, self._written(pair))
        return pair

    def _surveyed(self, a: int, b: int, found: tuple[np.ndarray, np.ndarray, np.ndarray], most: int) -> LinkPair:
        """Return what is true of two links, pair of shapes by pair of shapes: by boxes, which prove what is apart, and,
        where few or none of them may do, by samples, which show what touches."""
        names = self.robot.link_names[a], self.robot.link_names[b]
        entries, low, high = found
        row, cells = self.within(), np.zeros((WAITING, 2 * len(entries)))
        work, words = self.work(), np.zeros(self.keep, np.int64)
        values = np.random.default_rng(a * 1000 + b).uniform(low, high, (SAMPLES if len(entries) else 1, len(entries)))
        looked, proven, trees = 0, True, []
        for s, t in itertools.product(self.shapes[a], self.shapes[b]):
            ends = a, b, int(self.roots[s]), int(self.roots[t])
            joints = np.zeros(len(self.world.links), JOINT)
            asked = self.tables, self.world.links, joints, ends, entries, row, cells, work
            outcome, n, used = self._by_boxes(asked, low, high, words, most) if most else (boxes.GIVEN_UP, 0, 0)
            looked += n
            if outcome != boxes.APART and most <= FIRST:
                seen = self._by_samples(names, (s, t), asked, low, high, values if most else values[:FEW])
                if seen is not None:
                    return seen
            if outcome == boxes.TOUCHING:
                return self._touching(names, row, (s, t), work, looked, "found by the survey")
            proven = proven and outcome == boxes.APART
            trees.append((s, t, words[: used if used <= len(words) else 0].copy()))
        if not proven:
            why = f"more than {most} boxes" if most else "no sample touches, and no box was looked at: the time was up"
            return LinkPair(*names, "undecided", None, looked, why)
        return LinkPair(*names, "never", None, looked, "", (self.margin, np.inf), tuple(trees))

    def _by_boxes(
        self, asked: Asked, low: np.ndarray, high: np.ndarray, words: np.ndarray, most: int
    ) -> tuple[int, int, int]:
        """Return what a survey of all joint values of two shapes ends with, how many boxes it took, and words.

        Directions are chosen in two ways, one after the other (`boxes.merit`): of the wrist of a UR10 and its base the
        one takes 7,071 boxes and the other more than 300,000, of base and link 4 of an iiwa14 it is 87,195 against more
        than two millions the other way around. Between the two, parts are swept around their own joints: of Fetch's
        shoulder and wrist that takes 206,657 boxes, where eight millions do not do.
        """
        looked, box = 0, np.concatenate((low, high))
        around = ((*way, True) for way in ways_around(asked, box))
        for way, own, before, by_share in itertools.chain([(asked, box, [], True)], around, [(asked, box, [], False)]):
            way[6][0] = own
            first = min(len(before), len(words))
            words[:first] = before[:first]
            outcome, n, used = boxes.survey(way, self.margin, words[first:], most, by_share)
            looked += n
            if outcome == boxes.APART or (outcome == boxes.TOUCHING and way is asked):
                return outcome, looked, used + len(before)
        return boxes.GIVEN_UP, looked, 0

    def _by_samples(
        self, names: tuple[str, str], shapes: tuple[int, int], asked: Asked, low: np.ndarray, high: np.ndarray,
        values: np.ndarray,
    ) -> LinkPair | None:  # fmt: skip
        """Return two links as touching, at all joint values or at those that are shown; None where no sample does."""
        entries, row, _, work = asked[4:]
        nothing = np.zeros(0, np.int64)
        for some in (values[:FEW], values):
            count, first = touching(asked, some, self.margin, nothing)
            if count < len(some):
                break
        if count == len(values):
            evidence, looked = self._always(asked, low, high)
            if evidence is not None:
                share = f"{len(evidence[1])} boxes" if len(entries) else "no joint between them"
                return LinkPair(
                    *names, "always", row[7:].copy(), looked, share, (0.0, self.margin), (*shapes, *evidence)
                )
        at = some[first] if count else self._approached(asked, low, high, values)
        if at is None or self._by_boxes(asked, at, at, nothing, ONE)[0] != boxes.TOUCHING:
            return None
        why = f"{count} of {len(some)} samples" if count else "found by approach"
        return self._touching(names, row, shapes, work, 0, why)

    def _always(self, asked: Asked, low: np.ndarray, high: np.ndarray) -> tuple[tuple[Counts, FloatArray] | None, int]:
        """Return the tree of boxes in which two shapes touch and their points, or None; and how many were looked at."""
        found, words = np.zeros((MOST_TOGETHER, 8)), np.zeros(3 * MOST_TOGETHER, np.int64)
        asked[6][0] = np.concatenate((low, high))
        outcome, looked, used, count = always.cover(asked, self.margin, found, words, 4 * MOST_TOGETHER)
        return ((words[:used].copy(), found[:count].copy()) if outcome == boxes.TOUCHING else None), looked

    def _approached(self, asked: Asked, low: np.ndarray, high: np.ndarray, values: np.ndarray) -> np.ndarray | None:
        """Return joint values at which two shapes seem to touch, found from the samples that are nearest to it."""
        ways = np.random.default_rng(len(values)).normal(size=(STEPS, len(low)))
        far = approach.distances(asked, values)
        for start in np.argsort(far)[:STARTS] if len(low) else ():
            q = values[start].copy()
            if approach.descend(asked, self.margin, (q, low, high, ways)) <= self.margin:
                return q
        return None

    def _touching(
        self, names: tuple[str, str], row: np.ndarray, shapes: tuple[int, int], work: Work, looked: int, share: str
    ) -> LinkPair:
        """Return a pair with its witness: where both links have the places at which they touch."""
        stack, aims = work[2], work[3]
        far = float(aims[2, 0])
        evidence = *shapes, *stack[0].tolist(), *aims[0].tolist(), *aims[1].tolist()
        return LinkPair(*names, "sometimes", row[7:].copy(), looked, share, (0.0, far), tuple(evidence))

    def _written(self, pair: LinkPair) -> dict[str, np.ndarray]:
        """Return a pair as arrays."""
        trees, points = (pair.evidence if pair.verdict == "never" else ()), pair.evidence
        if pair.verdict == "always":
            trees, points = (pair.evidence[:3],), pair.evidence[3].ravel()
        lengths = [[s, t, len(words)] for s, t, words in trees]
        return {
            "numbers": np.array([VERDICTS.index(pair.verdict), pair.boxes, min(pair.closest[1], 1e300)]),
            "witness": np.zeros(0) if pair.witness is None else pair.witness,
            "evidence": np.array(() if pair.verdict == "never" else points, float),
            "trees": np.array(lengths, np.int64).reshape(-1, 3),
            "words": np.concatenate([np.zeros(0, np.int64), *[words for _, _, words in trees]]),
            "reason": np.frombuffer(pair.reason.encode(), np.uint8),
        }

    def _read(self, names: tuple[str, str], kept: Mapping[str, Numeric]) -> LinkPair | None:
        """Return a pair from its arrays."""
        code, looked, far = kept["numbers"].tolist()
        verdict = VERDICTS[int(code)]
        ends = np.cumsum([0, *kept["trees"][:, 2].tolist()])
        trees = tuple(
            (int(s), int(t), kept["words"][i:k]) for (s, t, _), i, k in zip(kept["trees"], ends[:-1], ends[1:])
        )
        witness = kept["witness"] if verdict in ("always", "sometimes") else None
        closest = (self.margin, np.inf) if verdict == "never" else (0.0, far if far < 1e300 else np.inf)
        evidence = trees if verdict == "never" else tuple(kept["evidence"].tolist())
        if verdict == "always":
            evidence = (*trees[0], kept["evidence"].reshape(-1, 8))
        return LinkPair(*names, verdict, witness, int(looked), bytes(kept["reason"]).decode(), closest, evidence)


VERDICTS = ("never", "always", "sometimes", "undecided")
KEPT: cache.Layout = {
    "numbers": (np.dtype("f8"), (3,)), "witness": (np.dtype("f8"), (None,)), "evidence": (np.dtype("f8"), (None,)),
    "trees": (np.dtype("i8"), (None, 3)), "words": (np.dtype("i8"), (None,)), "reason": (np.dtype("u1"), (None,)),
}  # fmt: skip
"""What is kept of a pair."""


def prove_pairs(
    robot: Robot, *, margin: float, most: int, threads: int | None, proof: PathLike | None = None,
    progress: Callable[[int, int], None] | None = None, seconds: float | None = None,
) -> LinkPairs:  # fmt: skip
    """Answer `Robot.prove_pairs`; `progress(done, total)` is called as pairs are done.

    In rounds, so that what is easy is known first: a few samples, which show most of what can touch in a tenth of a
    second a pair, then more and more boxes, so that what is hard takes a third more at most; nothing is begun that
    would end after `seconds`.
    """
    end = math.inf if seconds is None else time.monotonic() + _cast.scalar(seconds, "seconds", least=0.0)
    progress = _given.function(progress, "progress")
    proof = None if proof is None else _given.path(proof, "a proof")
    survey = Survey(robot, _cast.margin(margin))
    survey.keep = 0 if proof is None else MOST_WORDS
    _cast.count(most, "most")
    pairs = survey.pairs()
    found, done = dict.fromkeys(pairs, LinkPair("", "", "undecided")), itertools.count(1)
    took = dict.fromkeys(pairs, 0.0)

    def look(pair: tuple[int, int], now: int) -> None:
        start = time.monotonic()
        late = start + FASTER * took[pair] >= end
        seen = survey.look(*pair, now, kept_only=late)
        took[pair] = time.monotonic() - start
        if not (late and now and seen.verdict == "undecided"):
            found[pair] = seen
        if progress is not None and (seen.verdict != "undecided" or now == most):
            progress(next(done), len(pairs))

    rounds = itertools.takewhile(lambda n: n < most, (FIRST * FASTER**k for k in itertools.count()))
    left, workers = pairs, cores() if threads is None else _cast.count(threads, "threads")
    with ThreadPoolExecutor(workers) as pool:
        for now in (0, *rounds, most):
            list(pool.map(look, left, itertools.repeat(now)))
            left = [pair for pair in left if found[pair].verdict == "undecided"]
    pairs_found = LinkPairs(survey.margin, tuple(found[pair] for pair in pairs))
    if proof is not None:
        from tocsin.proofs.matrix_file import write_matrix

        write_matrix(proof, survey, pairs_found)
    return pairs_found
