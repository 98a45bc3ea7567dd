"""The same questions, the same bits: ten thousand recorded answers, the net under every change that is to change none.

Every question of `answers_questions` is asked, and each answer is reduced to 32 bits over all of its own: status,
times, brackets, witnesses, normals, features, names, lists and whether they are complete. `answers.json` keeps these
digests and how many questions of a kind ended in which way. Costs (`stats`) are not answers: the guard watches them.

Answers are the same bits whether kernels are compiled for AVX-512 or for AVX2 (measured, all of them). Not so the boxes
fitted to meshes, whose axes are eigenvectors (`geometry.obb`): with a matrix library's routines for another processor
they have other last bits, and one answer in a hundred has. So the questions are asked in a process that takes the
routines for `CORE`, which every x86-64 processor of the last decade can run: the file is the same for all of them.

    python -m tocsin_bench answers                                # against answers.json; an error if one differs
    python -m tocsin_bench answers --count 20 --kind screen       # the first 20 of one kind
    python -m tocsin_bench answers --show "interval:17"           # one answer in words: here, and before the change
    python -m tocsin_bench answers --record                       # a change of answers that is meant, and said why
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np

import tocsin
from tocsin.errors import TocsinError, unknown_name
from tocsin_bench import report
from tocsin_bench.campaigns.answers_questions import KINDS, Draw

DESCRIPTION = "Ten thousand recorded answers of every kind: the same questions, the same bits."
RECORDED = Path(__file__).parents[1] / "answers.json"
SEED = 1
CORE = "Haswell"
"""As OpenBLAS names processors."""
A_LINE = 12
"""Digests in a line of the file."""
LOOKED_AT = 20
"""Contacts of a list of features that are read one by one, beside its arrays: there may be ten thousand."""

_PLACES = ("link_a", "link_b", "model_a", "model_b")
_CONTACT = (*_PLACES, "kind", "features", "point_a", "point_b", "normal", "distance")
_TIMED = ("time", *_PLACES, "kind", "features", "point", "normal", "proven")
_SCREENED = (*_TIMED, "properness", "true_properness", "closing_speed", "screw_error", "bracket")
_MOMENT = ("waypoint", "fraction", "configuration")


def _fields(record: Any, names: Sequence[str]) -> list[Any]:
    return [getattr(record, name) for name in names]


def _stretch(found: Any) -> list[Any]:
    moments = [_fields(found.enter, _MOMENT), _fields(found.exit, _MOMENT)]
    touching = [[_fields(c, _CONTACT) for c in contacts] for contacts in (found.contacts, found.exit_contacts)]
    return [found.status.value, *moments, *touching, [tuple(pair) for pair in found.pairs], found.joint_step]


def plain(answer: Any) -> tuple[str, Any]:
    """How a question ended, in a word, and all that came back as plain lists, numbers and names.

    Of what the cap has ended only that: how far it came is a matter of cost.
    """
    if isinstance(answer, bool):
        return "free" if answer else "not free", answer
    if isinstance(answer, tuple) and isinstance(answer[0], bool):
        return plain(answer[0])[0], list(answer)
    if isinstance(answer, tuple):
        return "some" if any(np.isfinite(part).any() for part in answer) else "none", list(answer)
    if isinstance(answer, tocsin.FirstContact) and answer.status is tocsin.Status.CAPPED:
        return answer.status.value, [answer.status.value]
    if isinstance(answer, tocsin.FirstContact):
        contacts = [_fields(c, _CONTACT) for c in answer.contacts] if answer.complete else []
        said = _fields(answer, ("time", "bracket", "tolerance", "complete"))
        return answer.status.value, [answer.status.value, said, contacts]
    if isinstance(answer, tocsin.ContactIntervals):
        names = (*_PLACES, "enter", "exit", "tolerance", "proven")
        return answer.status.value, [answer.status.value, answer.until, [_fields(x, names) for x in answer]]
    if isinstance(answer, tocsin.Distance):
        said = _fields(answer, ("distance", "lower", *_PLACES, "point_a", "point_b", "normal"))
        return "apart" if answer.lower > 0.0 else "touching", said
    if isinstance(answer, tocsin.TriangleTimes):
        return _some(answer.times), [answer.complete, [[n, answer[n]] for n in answer] if answer.complete else []]
    if isinstance(answer, tocsin.FeatureContacts) and not answer.complete:
        return "not complete", [False]
    if isinstance(answer, tocsin.FeatureContacts):
        arrays = _fields(answer, ("times", "kind", "features", "pair", "decided"))
        looked_at = [_fields(contact, (*_TIMED, "distance")) for contact in answer[:LOOKED_AT]]
        return _some(answer.times), [answer.complete, arrays, looked_at]
    if isinstance(answer, tocsin.TimedContacts):
        return _some(answer.times), [answer.complete, [_fields(contact, _SCREENED) for contact in answer]]
    clearance = answer.clearance
    said = [clearance.lower, clearance.upper, _fields(clearance.at, _MOMENT)]
    return _some(answer.stretches), [said, [_stretch(x) for x in answer.stretches]]


def _some(found: Any) -> str:
    return "some" if len(found) else "none"


def bits(value: Any) -> str:
    """Every bit of plain values, as text: two texts are equal if and only if all bits are."""
    if isinstance(value, np.ndarray):
        return bits(value.tolist())
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(bits, value))}]"
    if isinstance(value, float):
        return value.hex()
    return repr(value.item() if isinstance(value, np.generic) else value)


def in_a_process(*arguments: str) -> Iterator[str]:
    """Yield the lines that this module prints with these arguments, in a process with the matrix routines of `CORE`."""
    path = os.pathsep.join(filter(None, sys.path))
    asked = subprocess.Popen(
        [sys.executable, "-m", "tocsin_bench.campaigns.answers", *arguments], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "OPENBLAS_CORETYPE": CORE, "PYTHONPATH": path},
    )  # fmt: skip
    with asked as process:
        assert process.stdout is not None
        yield from process.stdout
    if asked.returncode:
        raise SystemExit(f"the process that was asked has ended with {asked.returncode}")


def answer_to(kind: str, number: int) -> tuple[str, str]:
    """How a question ended, and its answer's bits."""
    _, ask = KINDS[kind]
    try:
        outcome, said = plain(ask(Draw(SEED, kind, number)))
    except TocsinError:
        return "refused", "refused"
    return outcome, bits(said)


def digest(text: str) -> str:
    """32 bits of a text."""
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def measure(
    kinds: Sequence[str], count: int | None = None, told: Callable[[str], Any] = lambda name: None
) -> dict[str, dict[str, Any]]:
    """Ask the first `count` questions of these kinds (default: all of them); how they ended, and their digests."""
    found: dict[str, dict[str, Any]] = {}
    for line in in_a_process("ask", str(count or 0), *kinds):
        found |= json.loads(line)
        told([*found][-1])
    return found


def asked(kind: str, count: int) -> dict[str, Any]:
    """Ask the first `count` questions of a kind, all for 0, in this process."""
    many = min(count or KINDS[kind][0], KINDS[kind][0])
    answers = [answer_to(kind, number) for number in range(many)]
    ended = Counter(outcome for outcome, _ in answers)
    return {"outcomes": dict(sorted(ended.items())), "digests": [digest(text) for _, text in answers]}


def load(path: Path = RECORDED) -> dict[str, list[str]]:
    """The recorded digests of every kind."""
    kept = json.loads(Path(path).read_text())["kinds"]
    return {kind: " ".join(entry["digests"]).split() for kind, entry in kept.items()}


def outcomes(path: Path = RECORDED) -> dict[str, dict[str, int]]:
    """How many of the recorded questions of every kind ended in which way."""
    return {kind: entry["outcomes"] for kind, entry in json.loads(Path(path).read_text())["kinds"].items()}


def save(found: dict[str, dict[str, Any]], path: Path = RECORDED) -> None:
    """Write what was measured, a few digests a line, so that a change shows where it is."""

    def in_lines(digests: list[str]) -> list[str]:
        return [" ".join(digests[k : k + A_LINE]) for k in range(0, len(digests), A_LINE)]

    lines = {kind: {**entry, "digests": in_lines(entry["digests"])} for kind, entry in found.items()}
    Path(path).write_text(json.dumps({"seed": SEED, "kinds": lines}, indent=1) + "\n")


def different(found: dict[str, dict[str, Any]], kept: dict[str, list[str]]) -> list[str]:
    """The names of all questions that were measured and whose answer is not the recorded one."""
    return [
        f"{kind}:{number}"
        for kind, entry in found.items()
        for number, now in enumerate(entry["digests"])
        if kept.get(kind, [])[number : number + 1] != [now]
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    where = f"(default {RECORDED.name} beside the benchmarks)"
    parser.add_argument("--compare", metavar="FILE", default=RECORDED, nargs="?", const=RECORDED, type=Path,
                        help=f"compare with this file {where}; done unless something else is asked for")  # fmt: skip
    parser.add_argument("--record", metavar="FILE", nargs="?", const=RECORDED, type=Path,
                        help=f"write this file instead {where}")  # fmt: skip
    parser.add_argument("--kind", action="append", help=f"one of {'; '.join(KINDS)}; again for more (default all)")
    parser.add_argument("--count", type=int, help="the first questions of each kind (default all, 10,000 together)")
    parser.add_argument("--show", metavar="KIND:NUMBER", help="print one answer, its floats as hex")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Ask; record or compare; exit with an error if an answer differs."""
    kinds = args.kind or list(KINDS)
    if args.show:
        kind, _, number = args.show.rpartition(":")
        kinds = [kind]
    for kind in kinds:
        if kind not in KINDS:
            raise unknown_name("kind of question", kind, KINDS)
    if args.show:
        outcome, text = in_a_process("show", number, kinds[0])
        print(f"{outcome}{text}", end="")
        return {"outcome": outcome.strip(), "answer": text.strip()}
    with report.progress("asking", len(kinds)) as step:
        found = measure(kinds, args.count, lambda kind: step(f"asking: {kind}"))
    total = sum(len(entry["digests"]) for entry in found.values())
    for kind, entry in found.items():
        ended = ", ".join(f"{n} {outcome}" for outcome, n in entry["outcomes"].items())
        report.console.print(f"{kind}: {ended}", highlight=False)
    if args.record:
        if args.kind or args.count:
            raise TocsinError("--record writes the whole file: without --kind and --count.")
        save(found, args.record)
        report.console.print(f"recorded {total:,} answers in {args.record}", highlight=False)
        return {"asked": total}
    wrong = different(found, load(args.compare))
    if wrong:
        some = ", ".join(wrong[:20]) + (", ..." if len(wrong) > 20 else "")
        raise SystemExit(f"{len(wrong):,} of {total:,} answers are not those of {args.compare.name}: {some}")
    report.console.print(f"{total:,} answers, all the same bits as in {args.compare.name}", highlight=False)
    return {"asked": total, "different": 0}


def main() -> None:
    """`ask COUNT KIND...`: print what the first questions of each come to, a line each; `show NUMBER KIND`: one."""
    what, number, *kinds = sys.argv[1:]
    numba.set_num_threads(1)
    if what == "show":
        print(*answer_to(kinds[0], int(number)), sep="\n")
        return
    for kind in kinds:
        print(json.dumps({kind: asked(kind, int(number))}), flush=True)


if __name__ == "__main__":
    main()
