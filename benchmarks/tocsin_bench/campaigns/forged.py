"""Attacks on the checker of proofs: forged, changed and damaged ones, and those of engines that are wrong on purpose.

Every question is about bodies, or a robot with a joint of every kind, on paths, curves, screws, clocks and in tubes.

    forged      the question is *false* (its contact is proven), and comes with the best proof that a liar could have:
                that of a question that is true (an obstacle moved away, a smaller margin, nothing moves, a pair that
                was ignored), or with words that claim to skip what touches
    sabotaged   the question is false, and the search that makes the proof is wrong: reaches, hulls, velocities,
                margins, pairs or knots are spoiled before it runs
    changed     the question is true; its proof, or what it says of the question, is changed in one place
    damaged     bytes of the file are changed, cut off, or repeated; and files that are made to hurt

A forged or sabotaged proof that is accepted is a lie accepted. One that is changed or damaged and accepted is asked
again by `proof_truth`, which knows neither tocsin nor the checker: false in a sample, and it counts as a lie accepted.
Anything but a verdict or a sentence, or a refusal that takes seconds of processor, counts as a failure too.

    python -m tocsin_bench forged --count 10000 --seed 1
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tocsin import Scene, TocsinError
from tocsin.proofs.prove import MOST, Asked, Proof
from tocsin_bench import report
from tocsin_bench.campaigns.proof_questions import IGNORED, Drawn, drawn
from tocsin_bench.campaigns.proof_truth import is_false

DESCRIPTION = "Attacks on the checker: forged, changed and damaged proofs, and engines that are wrong on purpose."

PATIENCE = 5.0
"""Seconds of processor until a lie is refused: a second, on a machine that is busy with other things."""

KINDS = ("forged", "sabotaged", "changed", "damaged")

Data = dict[str, Any]


def proven(question: Drawn) -> Data | None:
    """Return the proof of a question as its file has it; None where there is none."""
    try:
        return json.loads(json.dumps(question.scene.prove(*question.motions, margin=question.margin).data))
    except TocsinError:
        return None


# ---- false questions -----------------------------------------------------------------------------------------------


def forged(question: Drawn, rng: np.random.Generator) -> tuple[str, Data] | None:
    """Return a claim of freedom that is false, with the proof of one that is true; None if the question is true."""
    data = proven(question)
    if data is None or data["claim"] != "contact":
        return None
    data["claim"], contact = "free", data["contact"]
    data["margin"] = max(question.margin, contact["tolerance"] + question.margin + 1e-6)  # within it, by the two points
    how = str(rng.choice(["moved", "margin", "ignored", "skipped", "empty", "unasked", "still", "renamed", "twice"]))
    other = copy.deepcopy(data)
    a, b = (other["shapes"][k][0] for k in contact["shapes"])
    if how in ("moved", "margin", "still", "ignored"):
        free = _true_twin(question, how, {a, b})
        if free is None:
            return None
        data["free"] = free["free"]
        if how == "ignored" and rng.random() < 0.5:
            data["pairs"] = [entry for entry in free["pairs"] if {*entry[:2]} != {a, b}]
        return how, data
    data["free"] = [str(rng.choice([".", "=", ". " + "x " * 40]))] * len(data["models"][0]["pieces"])
    if how == "skipped":
        data["pairs"].append([a, b, str(rng.choice(["adjacent", "never", "Adjacent ", ""]))])
    elif how == "unasked":
        for model in data["models"]:
            model["asked"] = [0, 1, "true", None][int(rng.integers(4))] if rng.random() < 0.5 else False
    elif how == "renamed":
        data["shapes"][contact["shapes"][0]][0] = b
    elif how == "twice":
        data["models"].append(copy.deepcopy(data["models"][-1]))
    return how, json.loads(json.dumps(data, default=str))


def _true_twin(question: Drawn, how: str, pair: set[str]) -> Data | None:
    """Return the proof of a question that is true and looks the same."""
    scene, motions, margin = question
    kept = [model.rest.copy() for model in scene.models]
    if how == "moved":
        for model in scene.models[1:]:
            if not any(m.model is model for m in motions):
                model.place((50.0 * (1 + scene.models.index(model)), 0.0, 0.0))
        found = proven(question)
    elif how == "ignored":
        twin = Scene(*scene.models)
        twin.ignore(*(name if name.startswith("walker/") else name.partition("/")[0] for name in pair))
        for one, other in IGNORED if "walker" in scene.names else ():
            twin.ignore(f"walker/{one}", f"walker/{other}")
        found = proven(Drawn(twin, motions, margin))
    elif how == "still":
        found = proven(Drawn(scene, [], margin))
    else:
        found = proven(Drawn(scene, motions, 0.0)) if margin else None
    for model, row in zip(scene.models, kept):
        if not np.array_equal(model.rest, row):
            model.place(_matrix(row))
    return found if found is not None and found["claim"] == "free" else None


def _matrix(row: np.ndarray) -> np.ndarray:
    from tocsin_bench.oracles.kinematics import frame, quaternion_to

    return frame(quaternion_to(row[3:7]), row[:3])


def sabotaged(question: Drawn, rng: np.random.Generator) -> tuple[str, Data] | None:
    """Return what a wrong search "proves" of a false question; None if it does not fall for it."""
    scene = question.scene.context
    motions = scene.on_clock(tuple(question.motions))
    scene = scene.carrying(motions)
    how = str(rng.choice(["reach", "hull", "speed", "margin", "pair", "knots"]))
    asked = Asked(scene, scene.tables(), motions)
    if question.scene.is_free(*question.motions, margin=question.margin):
        return None
    table = asked.table
    parts, points = (array.copy() for array in table.tables)
    before = table.tables, table.pairs, table.margins
    margin = question.margin
    if how == "reach":
        parts["reach"] *= 0.3
    elif how == "hull":
        points *= 0.8
        parts["radius"] *= 0.2
    elif how == "margin":
        margin = 0.0
    elif how == "pair":
        keep = rng.random(len(table.pairs)) < 0.5
        table.pairs, table.margins = table.pairs[keep], table.margins[keep]
    elif how == "knots":
        asked.pieces = [asked.pieces[k] for k in rng.permutation(len(asked.pieces))]
    elif how == "speed":
        asked.pieces = [_slowed(pieces) for pieces in asked.pieces]
    table.tables, table.asked_margin = (parts, points), np.nan
    table.lay_out()
    try:
        found = asked.free(margin, MOST)
    finally:
        table.tables, table.pairs, table.margins = before
        table.asked_margin = np.nan
        table.lay_out()
    return (how, json.loads(json.dumps(Proof(asked, question.margin, None).data))) if found else None


def _slowed(pieces: np.ndarray) -> np.ndarray:
    """Return what models do in a stretch, five times as slowly."""
    slow, (_, _, begin, end, _) = pieces.copy(), pieces.T
    slow[:, 3] = np.where(pieces[:, 1] < 0.0, 0.2 * end, begin + 5.0 * (end - begin))  # a curve: by how long it lasts
    return slow


# ---- true questions ------------------------------------------------------------------------------------------------


def changed(data: Data, rng: np.random.Generator) -> tuple[str, Data]:
    """Return a proof of freedom with one change, and the change in words."""
    wrong = copy.deepcopy(data)
    stretch = int(rng.integers(len(wrong["free"])))
    words = wrong["free"][stretch].split()
    numbers = [i for i in range(len(words) - 2) if all(w.lstrip("-").isdigit() for w in words[i : i + 3])]
    moving = [m for m in wrong["models"] if m["asked"]]
    model = moving[int(rng.integers(len(moving)))]
    link = model["links"][int(rng.integers(len(model["links"])))]
    how = str(rng.choice([
        "turned", "lost", "added", "swapped", "margin", "motion", "times", "error", "size", "place", "joint", "faces",
        "stretch", "digits", "own margin", "shapes",
    ]))  # fmt: skip
    if how == "turned" and numbers:
        i = int(rng.choice(numbers))
        words[i : i + 3] = [str(int(w)) for w in rng.integers(-60, 61, 3)]
    elif how == "lost" and words:
        del words[int(rng.integers(len(words)))]
    elif how == "added":
        more = ["/", "<", ">", "7", "=", ".", "0", "1e3", "x", "-z", "@ 0", "/1"]
        words.insert(int(rng.integers(len(words) + 1)), str(rng.choice(more)))
    elif how == "swapped":
        i, k = rng.integers(len(words), size=2)
        words[i], words[k] = words[k], words[i]
    elif how == "digits" and numbers:
        words[int(rng.choice(numbers))] = str(rng.choice(["9" * 400, "1e400", "nan", "-0", "0x7", "１"]))
    elif how == "margin":
        wrong["margin"] = float(rng.choice([wrong["margin"] + rng.uniform(0, 0.3), -1.0, 1e300]))
    elif how == "own margin":
        names = [name for name, _ in rng.permutation(np.array(wrong["shapes"], object))[:2]]
        wrong["pairs"].append([*names, float(rng.uniform(0.0, 0.5))])
    elif how == "motion":
        _moved(model, rng)
    elif how == "times" and "times" in model:
        k = int(rng.integers(len(model["times"])))
        model["times"][k] += float(rng.choice([rng.normal() * 0.3, 1e9]))
    elif how == "error":
        model["error"] = [float(v) for v in rng.choice([0.0, 0.2, 1e3], len(model["pieces"][0]))]
    elif how == "size" and link["shapes"]:
        shape = link["shapes"][0]
        which = str(rng.choice([key for key in ("points", "radius", "ring") if key in shape]))
        shape[which] = (np.array(shape[which]) * rng.uniform(0.5, 3.0)).tolist()
    elif how == "place" and link["shapes"]:
        link["shapes"][0]["place"][int(rng.integers(3))][3] += float(rng.normal() * 0.3)
    elif how == "joint":
        _rejointed(link, model, rng)
    elif how == "faces" and link["shapes"] and "faces" in link["shapes"][0]:
        faces = link["shapes"][0]["faces"]
        del faces[: int(rng.integers(1, 3))]
    elif how == "stretch":
        k = int(rng.integers(len(wrong["free"])))
        if rng.random() < 0.5:
            del wrong["free"][k]
        else:
            wrong["free"].insert(k, wrong["free"][k])
        return how, wrong
    elif how == "shapes":
        i, k = rng.integers(len(wrong["shapes"]), size=2)
        wrong["shapes"][i], wrong["shapes"][k] = wrong["shapes"][k], wrong["shapes"][i]
    wrong["free"][stretch] = " ".join(words)
    return how, wrong


def _moved(model: Data, rng: np.random.Generator) -> None:
    """Change one number of a motion."""
    far = float(rng.choice([rng.normal() * 0.5, rng.normal() * 5.0, 1e-3, 7.0]))
    piece = model["pieces"][int(rng.integers(len(model["pieces"])))]
    if piece:
        entry = piece[int(rng.integers(len(piece)))]
        entry[int(rng.integers(len(entry)))] += far
        if rng.random() < 0.3:
            entry.append(far)


def _rejointed(link: Data, model: Data, rng: np.random.Generator) -> None:
    """Change how a link is joined."""
    what = str(rng.choice(["axis", "at", "mimic", "entry", "joint", "parent"]))
    if what in ("axis", "at", "mimic"):
        k = int(rng.integers(len(link[what])))
        link[what][k] += float(rng.normal() * 0.4)
    elif what == "entry":
        link["entry"] = int(rng.integers(8))
    elif what == "joint":
        link["joint"] = str(rng.choice(["fixed", "revolute", "prismatic", "ball", "floating", "planar", "screw"]))
    else:
        link["parent"] = str(rng.choice([other["name"] for other in model["links"]]))


def damaged(data: Data, rng: np.random.Generator) -> tuple[str, bytes]:
    """Return the bytes of a file that was damaged, or is made to hurt."""
    raw = bytearray(json.dumps(data, separators=(",", ":")).encode())
    how = str(rng.choice(["cut", "flipped", "digit", "packed", "deep", "long", "huge", "bomb", "same key", "other"]))
    if how == "cut":
        return how, bytes(raw[: int(rng.integers(len(raw)))])
    if how == "flipped":
        for k in rng.integers(len(raw), size=int(rng.integers(1, 4))):
            raw[k] ^= 1 << int(rng.integers(8))
    elif how == "digit":
        places = [k for k, c in enumerate(raw) if 48 <= c <= 57]
        raw[int(rng.choice(places))] = 48 + int(rng.integers(10))
    elif how == "packed":
        packed = bytearray(gzip.compress(bytes(raw)))
        packed[int(rng.integers(2, len(packed)))] ^= 1 << int(rng.integers(8))
        raw = packed
    elif how == "deep":
        data = {**data, "free": ["/ " * int(rng.integers(150, 100_000))]}
        raw = bytearray(json.dumps(data).encode()) if rng.random() < 0.5 else bytearray(b'{"format":' * 50_000)
    elif how == "long":
        data = {**data, "models": data["models"] * 2_000}
        raw = bytearray(json.dumps({**data, "models": data["models"][:4_000]}).encode()[: 2**22])
    elif how == "huge":
        zeros = b"0" * int(rng.integers(300, 9000))
        raw = bytearray(bytes(raw).replace(b'"margin":', b'"margin":1' + zeros + b',"x":'))
    elif how == "bomb":
        raw = bytearray(gzip.compress(b" " * 2**26 + b"1" * 100))
    elif how == "same key":
        raw = bytearray(bytes(raw).replace(b'"margin":', b'"margin":0.0,"margin":', 1))
    else:
        raw = bytearray(bytes(raw).replace(b'"version":3', b'"version":' + str(rng.integers(4, 99)).encode()))
    return how, bytes(raw)


# ---- judging -------------------------------------------------------------------------------------------------------


def verdict(read: Callable[[], Any]) -> str:
    """Return "accepted", "refused", or what else the checker did, which is wrong."""
    import tocsin_checker

    start = time.process_time()
    try:
        tocsin_checker.check(read(), {})
        said = "accepted"
    except tocsin_checker.Refused as error:
        said = "refused" if str(error) and "\n" not in str(error) else "REFUSED WITHOUT A SENTENCE"
    except Exception as error:
        return f"ENDED WITH {type(error).__name__}"
    # A long proof may take long, a lie may not: what is refused is refused soon.
    return said if said == "accepted" or time.process_time() - start < PATIENCE else "REFUSED LATE"


def attack(kind: str, question: Drawn, data: Data | None, rng: np.random.Generator) -> tuple[str, str]:
    """Attack once; return (what was done, what became of it)."""
    import tocsin_checker

    if kind in ("forged", "sabotaged"):
        made = (forged if kind == "forged" else sabotaged)(question, rng)
        if made is None:
            return kind, "nothing to lie about"
        said = verdict(lambda: made[1])
        return f"{kind}: {made[0]}", "A LIE ACCEPTED" if said == "accepted" else said
    if data is None or data["claim"] != "free":
        return kind, "nothing to change"
    if kind == "changed":
        how, wrong = changed(data, rng)
        said = verdict(lambda: wrong)
        return f"{kind}: {how}", said if said != "accepted" else _asked_again(wrong)
    how, raw = damaged(data, rng)
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(raw)
        said = verdict(lambda: tocsin_checker.read_proof(file.name))
        again = _asked_again(tocsin_checker.read_proof(file.name)) if said == "accepted" else said
    return f"{kind}: {how}", again


def _asked_again(data: Data) -> str:
    """Return whether what was accepted is true."""
    if data["claim"] != "free":
        return "accepted: a contact"
    return "A LIE ACCEPTED" if is_false(data) else "accepted, and true at all samples"


def campaign(count: int, seed: int, tick: Any = None) -> Counter[tuple[str, str]]:
    """Return what was done and what became of it, counted; attacks that found nothing to attack do not count."""
    told: Counter[tuple[str, str]] = Counter()
    k = done = 0
    while done < count:
        rng = np.random.default_rng([seed, k])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            question = drawn(rng)
            data = proven(question)
            for kind in KINDS * 3:
                what, became = attack(kind, question, data, rng)
                if became.startswith("nothing"):
                    continue
                told[what, became] += 1
                done += 1
                if wrong(Counter({(what, became): 1})):
                    report.say(f"forged:{seed}:{k}: {what}: {became}")
        k += 1
        if tick is not None:
            tick(min(done, count))
    return told


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this campaign."""
    parser.add_argument("--count", type=int, default=10_000, help="attacks (default 10,000)")
    parser.add_argument("--seed", type=int, default=1)


def wrong(told: Counter[tuple[str, str]]) -> int:
    """Return how many of the attacks had a success."""
    return sum(n for (_, became), n in told.items() if became[:2].isupper() or became.startswith("A LIE"))


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign; end with an error if a lie was accepted, or anything but a sentence came back."""
    with report.bar() as progress:
        task = progress.add_task("attacks", total=args.count)
        told = campaign(args.count, args.seed, lambda done: progress.update(task, completed=done))
    kinds = sorted({what for what, _ in told})
    ends = sorted({became for _, became in told})
    report.table("Attacks on the checker", ["attack", *ends], [[w, *[told[w, e] or "" for e in ends]] for w in kinds])
    if found := wrong(told):
        raise SystemExit(f"{found} attacks had a success")
    return {"told": {f"{what}: {became}": n for (what, became), n in told.items()}}
