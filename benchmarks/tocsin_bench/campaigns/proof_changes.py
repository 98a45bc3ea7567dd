"""Proofs of freedom that are changed in one place, and whether what they claim then is true.

    direction   one is turned                       lost, added  a word
    range       a part's half is dropped            asked        a pair is skipped that is not to be
    time        one half of a time stands for both  pair         nothing is said in a slab
    margin      it is raised                        halved       a stretch is left out
    motion      it ends elsewhere                   shape        one is left out of the numbering
    hash        of the URDF, or the version         triangles    two are removed from a mesh
    model       a size in the URDF, or of a body, is another, and the proof's hash follows it

What is accepted all the same is decided by the engine by intervals, about the question as the changed proof has it.
"""

from __future__ import annotations

import copy
import hashlib
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from tocsin import Body, Capsule, ConvexHull, Cylinder, Motion, Robot, Scene, Sphere

Data = dict[str, Any]
KINDS = (
    "direction", "range", "time", "lost", "added", "margin", "motion", "pair", "shape", "hash", "asked", "halved",
    "triangles", "model",
)  # fmt: skip

CLOSE = 1e-9
"""Metres beyond the margin: farther apart is free. The default tolerance once took a gap of 4 um for a contact."""


def changed(data: Data, files: dict[str, Path], folder: Path, rng: np.random.Generator) -> tuple[str, Data, Any]:
    """Return a proof of freedom with one change, which it is, and the files that go with it."""
    wrong = copy.deepcopy(data)
    kind = str(rng.choice(KINDS))
    stretch = int(rng.integers(len(wrong["free"])))
    words = wrong["free"][stretch].split()
    wrong["free"][stretch] = " ".join(_reworded(kind, words, rng))
    moving = next(m for m in wrong["models"] if m["asked"])
    if kind == "margin":
        wrong["margin"] = float(wrong["margin"] + rng.choice([1e-4, 0.01, 0.3]) * rng.uniform(0.5, 2.0))
    elif kind == "motion":
        last = moving["pieces"][-1]
        entry = last[int(rng.integers(len(last) if _robots({"models": [moving]}) else 3))]
        entry += [0.0] * (2 - len(entry))
        entry[1] += float(rng.choice([-1.0, 1.0]) * rng.choice([0.01, 0.3, 2.0]))
    elif kind == "shape":
        wrong["shapes"].pop(int(rng.integers(len(wrong["shapes"]))))
    elif kind == "hash":
        robots = _robots(wrong)
        (robots[0][1]["files"] if robots else wrong).update({"": "0" * 64} if robots else {"version": 2})
    elif kind == "asked":
        wrong["pairs"].append([wrong["shapes"][0][0], wrong["shapes"][-1][0], "adjacent"])
    elif kind == "halved":
        del wrong["free"][-1]
    elif kind == "triangles":
        meshes = [s for m in wrong["models"] for link in m["links"] for s in link.get("shapes", ()) if "faces" in s]
        if meshes:
            faces = meshes[int(rng.integers(len(meshes)))]["faces"]
            first = int(rng.integers(len(faces) - 2))
            del faces[first : first + 2]
    elif kind == "model":
        files = _edited(wrong, files, folder, rng)
    return kind, wrong, files


def _reworded(kind: str, words: list[str], rng: np.random.Generator) -> list[str]:
    """Return the words of a stretch with a change of them; as they are, of another kind."""
    leaves = [k for k in range(len(words)) if _is_leaf(words, k)]
    if kind == "direction" and leaves:
        k = int(rng.choice(leaves))
        words[k : k + (3 if _number(words[k]) else 1)] = [str(v) for v in rng.integers(-60, 61, 3)]
    elif kind in ("range", "time"):
        places = [k for k, w in enumerate(words) if w in ("<", ">")] if kind == "range" else _halvings(words)
        if places:
            k = int(rng.choice(places))
            middle = _end(words, k + 1)
            words = [*words[:k], *words[k + 1 : middle], *words[_end(words, middle) :]]
    elif kind == "lost":
        del words[int(rng.integers(len(words)))]
    elif kind == "added":
        words.insert(int(rng.integers(len(words))), str(rng.choice(["/", "<", ">", "7", "x", "."])))
    elif kind == "pair" and words.count("."):
        words = ["."]
    return words


def _halvings(words: list[str]) -> list[int]:
    """Return where trees, not slabs, halve the time: after a first dot."""
    start = words.index(".") if "." in words else len(words)
    return [k for k, w in enumerate(words) if w == "/" and k > start and "." not in words[k : _end(words, k)]]


def _number(word: str) -> bool:
    return word.lstrip("-").isdigit()


def _is_leaf(words: list[str], k: int) -> bool:
    """Does a direction begin at word k: three numbers, of which it is the first, or an axis?"""
    run = k
    while run > 0 and _number(words[run - 1]):
        run -= 1
    return (k - run) % 3 == 0 if _number(words[k]) else words[k].lstrip("-") in ("x", "y", "z")


def _end(words: list[str], k: int) -> int:
    """Return where a tree ends that begins at word k."""
    open_trees = 1
    while open_trees and k < len(words):
        open_trees += 1 if words[k] in ("/", "<", ">") else -1
        k += 3 if _number(words[k]) else 1
    return k


def _robots(data: Data) -> list[tuple[str, Data]]:
    """Return the robots that a proof names by their files: their names, and what it says of the files."""
    return [(m["name"], link) for m in data["models"] for link in m["links"] if "files" in link]


def _edited(wrong: Data, files: dict[str, Path], folder: Path, rng: np.random.Generator) -> dict[str, Any]:
    """Change a size of a robot's URDF, or of a body; return where the robots are then."""
    factor = float(rng.choice([0.9, 1.02, 1.5]))
    robots = _robots(wrong)
    if robots:
        name, held = robots[0]
        source = Path(files[name])
        text = source.read_text()
        places = list(re.finditer(r'xyz="([^"]*)"', text))
        at = places[int(rng.integers(len(places)))]
        numbers = " ".join(repr(float(v) * factor + 0.01) for v in at[1].split())
        text = f'{text[: at.start()]}xyz="{numbers}"{text[at.end() :]}'
        names = {name for name in re.findall(r'filename="([^"]*)"', text) if "://" not in name}
        for mesh in names:
            text = text.replace(f'"{mesh}"', f'"{source.resolve().parent / mesh}"')
        held["files"] = {str(source.resolve().parent / k) if k in names else k: v for k, v in held["files"].items()}
        path = folder / "edited.urdf"
        path.write_text(text)
        held["files"][""] = hashlib.sha256(text.encode()).hexdigest()
        return {**files, name: path}
    models = [m for m in wrong["models"] if m["links"][-1]["shapes"]]
    place = models[int(rng.integers(len(models)))]["links"][-1]["shapes"][0]["place"]
    place[int(rng.integers(3))][3] += 0.1 * factor
    return files


def still_true(scene: Scene, motions: tuple[Motion, ...], wrong: Data, files: dict[str, Any]) -> bool:
    """Is the claim of a changed proof true? Asked of the engine by intervals, about the question that it states."""
    names = {id(model): name for model, name in zip(scene.models, scene.names)}
    models = [_rebuilt(said, files) for said in wrong["models"]]
    made = Scene(*models)
    for a, b, said in wrong["pairs"]:
        if isinstance(said, str):
            made.ignore(a, b)
    rows = {m["name"]: _rows(m) for m in wrong["models"]}
    of = dict(zip(scene.names, models))
    moved = tuple(Motion(of[names[id(m.model)]], rows[names[id(m.model)]]) for m in motions)
    return made.is_free(*moved, margin=wrong["margin"], tolerance=CLOSE, method="interval")


def _rows(said: Data) -> np.ndarray:
    """Return the configurations through which a model goes as a proof has them, its base first."""
    pieces = said["pieces"]
    rows = np.array([[entry[0] for entry in piece] for piece in pieces] + [[sum(entry) for entry in pieces[-1]]])
    joints = sum(len(link["joints"]) for _, link in _robots({"models": [said]}))
    if rows.shape[1] > joints:
        return np.hstack((rows[:, joints:], rows[:, :joints]))
    return np.hstack((np.tile(_base(said), (len(rows), 1)), rows))


def _base(said: Data) -> np.ndarray:
    """Return where a model stands that has a base that does."""
    return np.array(said["links"][0]["at"], float)


def _rebuilt(said: Data, files: dict[str, Any]) -> Any:
    """Return a model as a proof has it."""
    robots = _robots({"models": [said]})
    if robots:
        folders = sorted({str(Path(name).parent) for name in robots[0][1]["files"] if Path(name).is_absolute()})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Robot.from_urdf(files[said["name"]], name=said["name"], packages=folders)
    shapes = [(_solid(s), s["place"]) for s in said["links"][-1]["shapes"]]
    return Body(shapes, _pose(_rows(said)[0]), name=said["name"])


def _solid(said: Data) -> Any:
    """Return a shape as a proof has it."""
    points, radius, ring = said["points"], said.get("radius", 0.0), said.get("ring", 0.0)
    if "faces" in said:
        return points, said["faces"]
    if not radius and not ring:
        return ConvexHull(points)
    length = float(np.ptp(np.array(points, float)[:, 2]))
    return Cylinder(ring, length) if ring else Capsule(radius, length) if length else Sphere(radius)


def _pose(row: np.ndarray) -> np.ndarray:
    from tocsin_bench.oracles.kinematics import frame, quaternion_to

    return frame(quaternion_to(row[3:7]), row[:3])
