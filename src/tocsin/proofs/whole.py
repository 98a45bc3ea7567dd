"""Proofs of a whole trajectory: of everything that is free one file a run of pieces, of every piece in contact one."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tocsin.errors import TocsinError
from tocsin.model.base import Model, Motion
from tocsin.model.timed import SplineMotion, stamped
from tocsin.proofs.prove import Proof, prove
from tocsin.queries.context import Context


@dataclass(frozen=True)
class ProvenPart:
    """A proof of the pieces of a motion from waypoint `first` to waypoint `last`."""

    first: int
    last: int
    proof: Proof | None
    """None: undecided, nearer to the margin than rounding lets a checker tell."""
    file: Path | None = None

    @property
    def claim(self) -> str:
        """Return 'free', 'contact' or 'undecided'."""
        return "undecided" if self.proof is None else self.proof.claim


def part_of(motion: Motion, first: int, last: int) -> Motion:
    """Return a motion from one of its waypoints to a later one."""
    rows = motion.rows[first : last + 1]
    if isinstance(motion, SplineMotion):
        made = motion.through(rows, coefficients=motion.coefficients[first:last])
    else:
        made = Motion.of(motion.model, rows.copy())
    if motion.times is None:
        return made
    return stamped(made, motion.times[first : last + 1], motion.error, seconds=motion.seconds)


def prove_whole(scene: Context, motion: Motion, margin: float, tolerance: float | None = None) -> Iterator[ProvenPart]:
    """Prove a motion, in as few parts as it takes: one if it is free, else what is in contact is halved."""
    waiting = [(0, motion.pieces)]
    while waiting:
        first, last = waiting.pop()
        whole = (first, last) == (0, motion.pieces)
        try:
            proof = prove(scene, (motion if whole else part_of(motion, first, last),), margin, tolerance)
        except TocsinError:
            if last - first == 1:
                yield ProvenPart(first, last, None)
                continue
            proof = None
        if proof is not None and (proof.claim == "free" or last - first == 1):
            yield ProvenPart(first, last, proof)
        else:
            middle = (first + last) // 2
            waiting += [(middle, last), (first, middle)]


def save_all(parts: Iterator[ProvenPart], folder: Path) -> list[ProvenPart]:
    """Write proofs into a folder, which is made, by the waypoints between which they hold."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for part in parts:
        file = None if part.proof is None else folder / f"{part.first:06}-{part.last:06}.proof"
        if part.proof is not None and file is not None:
            part.proof.save(file)
        found.append(ProvenPart(part.first, part.last, part.proof, file))
    return found


def command_for(models: Iterable[Model], names: Iterable[str], parts: list[ProvenPart]) -> str:
    """Return the command that checks proofs: which files, and where the robots are read from."""
    words = ["tocsin", "verify", *[str(part.file) for part in parts if part.file is not None]]
    for model, name in zip(models, names):
        source = getattr(model, "source", None)
        if source is not None:
            words += ["--robot", f"{name}={source[0]}"]
    return shlex.join(words)
