"""Is every answer proven, every proof accepted, and every changed proof refused?

Questions: edges of MotionBenchMaker's panda and fetch (from TOCSIN_DATA), pairs of bodies, and long chains written as
URDF. Each answer gets a proof, the independent checker reads it, and its claim has to be the answer. Then proofs are
changed, one change each. A change after which the claim is false, or a pair or a moment has no word, must be refused.
One that happens to leave a proof (another direction that separates too) may be accepted; whether its claim is true then
is decided by the other engine, by intervals, asked about the changed question.
"""

from __future__ import annotations

import argparse
import copy
import json
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin import Body, Box, Capsule, ConvexHull, Cylinder, Motion, Robot, Scene, Sphere, TocsinError
from tocsin_bench import report
from tocsin_bench.data import Missing

DESCRIPTION = "Every answer with a proof, every proof before the independent checker, and proofs that were changed."

Question = tuple[str, Scene, tuple[Motion, ...], dict[str, Path]]


def pose(rng: np.random.Generator, size: float) -> np.ndarray:
    """Return a random pose."""
    out = np.eye(4)
    out[:3, :3] = Rotation.from_quat(rng.normal(size=4)).as_matrix()
    out[:3, 3] = rng.uniform(-size, size, 3)
    return out


def _shape(rng: np.random.Generator) -> Any:
    import trimesh

    kind = rng.integers(7)
    if kind < 2:
        mesh = trimesh.creation.torus(0.25, 0.08, major_sections=24, minor_sections=12)
        return mesh.vertices * rng.uniform(0.7, 1.3, 3), mesh.faces
    sizes = rng.uniform(0.1, 0.5, 3)
    hull = ConvexHull(rng.normal(size=(14, 3)) * 0.2)
    return [Box(sizes), Sphere(sizes[0]), Capsule(sizes[0] / 2, sizes[1]), Cylinder(sizes[0], sizes[1]), hull][kind - 2]


def bodies(count: int, seed: int) -> Iterator[Question]:
    """Two bodies that move through a few poses, and a third one that stands."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        a, b, c = (Body(_shape(rng), pose(rng, 0.8), name=name) for name in "abc")
        motions = [a.follow([pose(rng, 1.2) for _ in range(rng.integers(2, 4))])]
        if rng.random() < 0.7:
            motions.append(b.follow([pose(rng, 1.2) for _ in range(rng.integers(2, 4))]))
        yield f"bodies:{seed}:{k}", Scene(a, b, c), tuple(motions), {}


def chains(count: int, seed: int, folder: Path) -> Iterator[Question]:
    """Snakes of 10 to 40 links between posts."""
    for k in range(count):
        rng = np.random.default_rng([seed, k, 1])
        n = int(rng.integers(10, 41))
        axes = ("1 0 0", "0 1 0", "0 0 1")
        links = "".join(
            f'<link name="l{i}"><collision><origin xyz="0 0 0.05"/><geometry><box size="0.04 0.05 0.06"/></geometry>'
            "</collision></link>"
            for i in range(n)
        )
        joints = "".join(
            f'<joint name="j{i}" type="continuous"><origin xyz="0 0 0.1"/><parent link="l{i - 1}"/>'
            f'<child link="l{i}"/><axis xyz="{axes[rng.integers(3)]}"/></joint>'
            for i in range(1, n)
        )
        path = folder / f"snake{k}.urdf"
        path.write_text(f'<robot name="snake">{links}{joints}</robot>')
        robot = Robot.from_urdf(path)
        q = rng.uniform(-0.25, 0.25, n - 1)
        posts = [
            Body(Box((0.05, 0.05, 2.0)), (*rng.uniform(-1.0, 1.0, 2), 0.5), name=f"post{i}") for i in range(8)
        ]
        move = robot.move(q, q + rng.uniform(-0.1, 0.1, n - 1))
        yield f"chains:{seed}:{k}", Scene(robot, *posts), (move,), {"snake": path}


def edges(count: int, seed: int, folder: Path) -> Iterator[Question]:
    """Edges of MotionBenchMaker's problems."""
    from tocsin_bench.campaigns import mbm

    if problem := mbm.missing(mbm.ROBOTS):
        raise Missing(problem)
    tasks = mbm.unpack(mbm.ROBOTS, folder)
    chosen = mbm.spread(tasks, max(count // 8, 1))
    rng = np.random.default_rng([seed, 2])
    for task in chosen:
        robot = mbm.robot_of(task.robot, task.robot_folder)
        assert robot.source is not None
        found = mbm.load_problem(task.scene, task.request)
        start, goal = found.configurations(robot)
        scene = found.scene(robot)
        for number, (_, q_t0, q_t1) in enumerate(mbm.edges(robot, start, goal, 7, rng)):
            move = robot.move(q_t0, q_t1)
            yield f"{task.name}:{number}", scene, (move,), {robot.name: robot.source[0]}


def judged(question: Question, told: Counter[str], rows: list[tuple[float, ...]]) -> dict[str, Any] | None:
    """Prove one answer and have the proof checked; return its data if it is accepted."""
    import tocsin_checker

    name, scene, motions, files = question
    start = time.perf_counter()
    free = scene.is_free(*motions)
    asked = time.perf_counter() - start
    try:
        start = time.perf_counter()
        proof = scene.prove(*motions)
        proved = time.perf_counter() - start
    except TocsinError as error:
        told["without a proof"] += 1
        report.say(f"{name}: {error}")
        return None
    data = json.loads(json.dumps(proof.data))
    try:
        start = time.perf_counter()
        verdict = tocsin_checker.check(data, files)
    except tocsin_checker.Refused as error:
        told["refused"] += 1
        report.say(f"{name}: {error}")
        return None
    told[verdict.claim if (verdict.claim == "free") == free else "another claim than the answer"] += 1
    checked = time.perf_counter() - start
    rows.append((asked, proved, checked, len(proof.to_bytes()), verdict.directions, free))
    return data


def changed(data: dict[str, Any], rng: np.random.Generator) -> tuple[str, dict[str, Any]]:
    """Return a proof of freedom with one change, and the change in words."""
    wrong = copy.deepcopy(data)
    stretch = int(rng.integers(len(wrong["free"])))
    words = wrong["free"][stretch].split()
    numbers = [i for i in range(len(words) - 2) if all(w.lstrip("-").isdigit() for w in words[i : i + 3])]
    moving = next(m for m in wrong["models"] if m["asked"] and len(m["rows"]) > 1)
    kind = rng.choice(["direction", "lost", "added", "margin", "motion", "pair", "shape", "hash", "asked", "halved"])
    if kind == "direction" and numbers:
        i = int(rng.choice(numbers))
        words[i : i + 3] = [str(-int(w)) for w in words[i : i + 3]]
    elif kind == "lost":
        del words[int(rng.integers(len(words)))]
    elif kind == "added":
        words.insert(int(rng.integers(len(words))), str(rng.choice(["/", "<", ">", "7", ";", "."])))
    elif kind == "margin":
        wrong["margin"] = float(rng.uniform(0.5, 2.0))
    elif kind == "motion":
        k = 7 + int(rng.integers(len(moving["rows"][0]) - 7)) if len(moving["rows"][0]) > 7 else int(rng.integers(3))
        moving["rows"][-1][k] += float(rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 3.0))
    elif kind == "pair" and words.count("."):
        words = [".", ";"]
    elif kind == "shape":
        wrong["shapes"].pop(int(rng.integers(len(wrong["shapes"]))))
    elif kind == "hash":
        robots = [m for m in wrong["models"] if "urdf" in m]
        if robots:
            robots[0]["urdf"] = "0" * 64
        else:
            wrong["version"] = 1
    elif kind == "asked":
        wrong["skipped"].append([wrong["shapes"][0][0], wrong["shapes"][-1][0], "adjacent"])
    else:
        wrong["free"] = wrong["free"][:-1]
    if kind not in ("halved",) and len(wrong["free"]) > stretch:
        wrong["free"][stretch] = " ".join(words)
    return str(kind), wrong


def still_true(question: Question, wrong: dict[str, Any]) -> bool:
    """Is the claim of a changed proof true? Asked of the engine by intervals, about the changed question."""
    _, scene, motions, _ = question
    rows = {m["name"]: np.array(m["rows"]) for m in wrong["models"]}
    names = dict(zip(map(id, scene.models), scene.names))
    moved = tuple(Motion(m.model, rows[names[id(m.model)]]) for m in motions)
    return scene.is_free(*moved, margin=wrong["margin"], method="interval")


def attack(question: Question, data: dict[str, Any], rng: np.random.Generator, told: Counter[str]) -> None:
    """Change a proof once, and see that it is refused unless its claim is still true."""
    import tocsin_checker

    kind, wrong = changed(data, rng)
    if wrong == data:
        return
    try:
        if wrong["version"] != 2:
            raise tocsin_checker.Refused("another version")
        tocsin_checker.check(wrong, question[3])
    except tocsin_checker.Refused:
        told["changed: refused"] += 1
        return
    if still_true(question, wrong):
        told["changed: accepted, and true"] += 1
    else:
        told["changed: ACCEPTED, AND FALSE"] += 1
        report.say(f"{question[0]}: {kind}: accepted, and false")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this campaign."""
    parser.add_argument("--edges", type=int, default=10_000, help="of MotionBenchMaker (default 10,000)")
    parser.add_argument("--bodies", type=int, default=1_000, help="pairs of bodies (default 1,000)")
    parser.add_argument("--chains", type=int, default=200, help="long chains (default 200)")
    parser.add_argument("--changed", type=int, default=10_000, help="changed proofs (default 10,000)")
    parser.add_argument("--seed", type=int, default=1)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign; end with an error if a proof is missing, refused, or accepted though it is false."""
    told: Counter[str] = Counter()
    rows: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        place = Path(folder)
        questions = [bodies(args.bodies, args.seed), chains(args.chains, args.seed, place)]
        if args.edges:
            questions.append(edges(args.edges, args.seed, place))
        total = args.bodies + args.chains + args.edges
        rng = np.random.default_rng([args.seed, 3])
        for source in questions:
            for question in source:
                data = judged(question, told, rows)
                if data is None or not data["free"]:
                    continue
                for _ in range(rng.poisson(2.0 * args.changed / max(total, 1))):
                    attack(question, data, rng, told)
    summary = _tables(rows, told)
    bad = told["without a proof"] + told["refused"] + told["another claim than the answer"]
    if bad + told["changed: ACCEPTED, AND FALSE"]:
        raise SystemExit(f"{bad} answers lack an accepted proof; {told['changed: ACCEPTED, AND FALSE']} lies accepted")
    return summary


def _tables(rows: list[tuple[float, ...]], told: Counter[str]) -> dict[str, Any]:
    free = np.array([row for row in rows if row[-1]]).reshape(-1, 6)
    report.table("What became of it", list(told), [[f"{n:,}" for n in told.values()]])
    head = ("of free motions", "median", "mean", "99 %", "most")
    said = []
    for name, column, unit in (
        ("question, us", 0, 1e6),
        ("proof, us", 1, 1e6),
        ("check, ms", 2, 1e3),
        ("bytes", 3, 1.0),
        ("directions", 4, 1.0),
    ):
        values = free[:, column] * unit
        if len(values):
            numbers = (np.median(values), values.mean(), np.percentile(values, 99), values.max())
            said.append([name, *(f"{v:,.0f}" for v in numbers)])
    report.table("Proofs of freedom", head, said)
    return {"told": dict(told), "rows": free.tolist()}
