"""Is every answer proven, every proof accepted, and every changed proof refused?

Questions: edges of MotionBenchMaker's panda and fetch (from TOCSIN_DATA) and of a UR5 in their scenes, pairs of bodies,
and long chains written as URDF. Each answer gets a proof, the independent checker reads it, and its claim has to be the
answer. Then proofs are changed, one change each (`proof_changes`). A change after which the claim is false, or a pair
or a moment has no word, must be refused. One that happens to leave a proof (another direction that separates too) may
be accepted; whether its claim is true then is decided by the other engine, by intervals, asked about the changed
question.

Many at a time, on as many cores: each seed draws questions of its own, so counts of several seeds add up. Every tenth
answer is asked again, to time it: the question, the proof, its file and the check, the least of five calls of each.
With `--first`, so many edges are asked once each, in scenes that have answered another one before.

    python -m tocsin_bench proofs --edges 625 --bodies 63 --chains 13 --changed 650 --seed 1
"""

from __future__ import annotations

import argparse
import functools
import json
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin import Body, Box, Capsule, ConvexHull, Cylinder, Motion, Robot, Scene, Sphere, TocsinError
from tocsin_bench import report
from tocsin_bench.campaigns import proof_changes
from tocsin_bench.data import example_robot

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
    """Edges of MotionBenchMaker's problems: of panda and fetch, and of a UR5 in the panda's scenes."""
    from tocsin_bench.campaigns import mbm

    tasks = mbm.unpack(mbm.ROBOTS, folder)
    rng = np.random.default_rng([seed, 2])
    first = int(rng.integers(len(tasks)))
    ur5 = _ur5()
    for task in mbm.spread(tasks[first:] + tasks[:first], max(count // 12, 1)):
        robot = mbm.robot_of(task.robot, task.robot_folder)
        found = mbm.load_problem(task.scene, task.request)
        start, goal = found.configurations(robot)
        asked = [(robot, found.scene(robot), q_t0, q_t1) for _, q_t0, q_t1 in mbm.edges(robot, start, goal, 7, rng)]
        other = Scene(ur5, *found.bodies)
        for _ in range(4):
            asked.append((ur5, other, *_ur5_edge(rng)))
        for number, (arm, scene, q_t0, q_t1) in enumerate(asked):
            assert arm.source is not None
            yield f"{task.name}:{arm.name}:{number}", scene, (arm.move(q_t0, q_t1),), {arm.name: arm.source[0]}


def _ur5_edge(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of a short edge, anywhere."""
    q = rng.uniform(-np.pi, np.pi, 6)
    return q, q + rng.uniform(-1.0, 1.0, 6) * rng.choice([0.1, 0.5])


def _ur5() -> Robot:
    """The UR5 of example-robot-data, without the pairs that touch as it stands."""
    return Robot.from_urdf(example_robot("ur_description/urdf/ur5_robot.urdf"), ignore_overlapping=True)


@functools.lru_cache(maxsize=8)
def _robot_of(path: Path) -> Any:
    """Return a robot's files as the checker has read them, once for many proofs."""
    import tocsin_checker

    return tocsin_checker.Robot(path)


def judged(
    question: Question, told: Counter[str], rows: list[tuple[float, ...]], *, timed: bool
) -> dict[str, Any] | None:  # fmt: skip
    """Prove one answer and have the proof checked; return its data if it is accepted. `timed`: ask all again."""
    import tocsin_checker

    name, scene, motions, files = question
    start = time.process_time()
    free = not scene.first_contact(*motions).collides
    asked = time.process_time() - start
    try:
        start = time.process_time()
        proof = scene.prove(*motions)
        proved = time.process_time() - start
    except TocsinError as error:
        told["without a proof"] += 1
        report.say(f"{name}: {error}")
        return None
    data = json.loads(json.dumps(proof.data))
    try:
        start = time.process_time()
        verdict = tocsin_checker.check(data, {key: _robot_of(path) for key, path in files.items()})
    except tocsin_checker.Refused as error:
        told["refused"] += 1
        report.say(f"{name}: {error}")
        return None
    told[verdict.claim if (verdict.claim == "free") == free else "another claim than the answer"] += 1
    checked = time.process_time() - start
    files = {key: _robot_of(path) for key, path in files.items()}
    calls = (
        lambda: scene.first_contact(*motions), lambda: scene.is_free(*motions), lambda: scene.prove(*motions),
        lambda: scene.prove(*motions).to_bytes(), lambda: tocsin_checker.check(data, files),
    )  # fmt: skip
    again = [_least(call) if timed else np.nan for call in calls]
    rows.append((asked, proved, checked, *again, len(proof.to_bytes()), verdict.directions, free))
    return data


def _least(call: Callable[[], Any]) -> float:
    """Return the least of the processor times of five calls in a row, in seconds."""
    found = []
    for _ in range(5):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def attack(
    question: Question, data: dict[str, Any], folder: Path, rng: np.random.Generator, told: Counter[str]
) -> None:
    """Change a proof once, and see that it is refused unless its claim is still true; `folder`: for changed files."""
    import tocsin_checker

    name, scene, motions, files = question
    kind, wrong, edited = proof_changes.changed(data, files, folder, rng)
    if wrong == data:
        return
    (folder / "wrong.proof").write_text(json.dumps(wrong))
    robots = {key: _robot_of(path) if path == files[key] else path for key, path in edited.items()}
    try:
        tocsin_checker.check(tocsin_checker.read_proof(folder / "wrong.proof"), robots)
    except tocsin_checker.Refused:
        told[f"{kind}: refused"] += 1
        return
    true = proof_changes.still_true(scene, motions, wrong, edited)
    told[f"{kind}: accepted, and true" if true else f"{kind}: ACCEPTED, AND FALSE"] += 1
    if not true:
        report.say(f"{name}: {kind}: accepted, and false")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this campaign."""
    parser.add_argument("--edges", type=int, default=10_000, help="of MotionBenchMaker (default 10,000)")
    parser.add_argument("--bodies", type=int, default=1_000, help="pairs of bodies (default 1,000)")
    parser.add_argument("--chains", type=int, default=200, help="long chains (default 200)")
    parser.add_argument("--changed", type=int, default=10_000, help="changed proofs (default 10,000)")
    parser.add_argument("--timed", type=int, default=10, help="time every so many answers anew (default 10)")
    parser.add_argument("--first", type=int, default=0, help="time so many edges that are asked once (default none)")
    parser.add_argument("--seed", type=int, default=1)


def campaign(args: argparse.Namespace) -> tuple[Counter[str], list[tuple[float, ...]]]:
    """Return what became of the questions and of the changed proofs, and the times and sizes of each proof."""
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
                data = judged(question, told, rows, timed=len(rows) % args.timed == 0)
                if data is None or not data["free"]:
                    continue
                for _ in range(rng.poisson(2.0 * args.changed / max(total, 1))):
                    attack(question, data, place, rng, told)
    return told, rows


def first_asked(count: int, seed: int) -> list[tuple[float, float, bool]]:
    """Return what a question and a proof of it took, and whether it is free, of edges of MotionBenchMaker that are
    asked once each: in two scenes, which have been laid out for the edge before the first of these."""
    from tocsin_bench.campaigns import mbm

    rows, rng, ur5 = [], np.random.default_rng([seed, 4]), _ur5()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for task in mbm.spread(mbm.unpack(mbm.ROBOTS, Path(folder)), max(count // 24, 1)):
            robot, found = mbm.robot_of(task.robot, task.robot_folder), mbm.load_problem(task.scene, task.request)
            start, goal = found.configurations(robot)
            own = [robot.move(q_t0, q_t1) for _, q_t0, q_t1 in mbm.edges(robot, start, goal, 17, rng)]
            rows += _asked_once(found.scene(robot), found.scene(robot), own)
            others = [ur5.move(*_ur5_edge(rng)) for _ in range(9)]
            rows += _asked_once(Scene(ur5, *found.bodies), Scene(ur5, *found.bodies), others)
    return rows


def _asked_once(asked: Scene, proven: Scene, motions: list[Motion]) -> list[tuple[float, float, bool]]:
    """Return what a question and a proof took, and whether it is free, of all motions but the first."""
    rows = []
    for motion in motions:
        begin = time.process_time()
        free = not asked.first_contact(motion).collides
        middle = time.process_time()
        proven.prove(motion)
        rows.append((middle - begin, time.process_time() - middle, free))
    return rows[1:]


def _first_table(rows: list[tuple[float, float, bool]]) -> None:
    lines = []
    for name, free in (("free", True), ("in contact", False)):
        asked, proven = 1e6 * np.array([row[:2] for row in rows if row[2] == free]).reshape(-1, 2).T
        if len(asked):
            shares = [np.median(proven / asked), np.percentile(proven / asked, 90), proven.sum() / asked.sum()]
            times = [np.median(asked), np.median(proven), asked.mean(), proven.mean()]
            lines.append([f"{len(asked):,} {name}", *(f"{v:.0f}" for v in times), *(f"{v:.2f}" for v in shares)])
    head = ["edges", "question, us", "proof, us", "means:", "", "proof / question", "at 90 %", "of the sums"]
    report.table("Edges that are asked once each", head, lines)


def failed(told: Counter[str]) -> tuple[int, int]:
    """Return how many answers lack an accepted proof of them, and how many lies were accepted."""
    bad = told["without a proof"] + told["refused"] + told["another claim than the answer"]
    return bad, sum(n for what, n in told.items() if what.endswith("ACCEPTED, AND FALSE"))


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign; end with an error if a proof is missing, refused, or accepted though it is false."""
    told, rows = campaign(args)
    summary = _tables(rows, told)
    if args.first:
        _first_table(first_asked(args.first, args.seed))
    bad, lies = failed(told)
    if bad + lies:
        raise SystemExit(f"{bad} answers lack an accepted proof; {lies} lies accepted")
    return summary


def _tables(rows: list[tuple[float, ...]], told: Counter[str]) -> dict[str, Any]:
    report.table("What became of it", ["", "count"], [[what, f"{n:,}"] for what, n in sorted(told.items())])
    found = np.array(rows).reshape(-1, 11)
    for name, own in (("freedom", found[found[:, -1] == 1.0]), ("contacts", found[found[:, -1] == 0.0])):
        head = (f"proofs of {name}: {len(own):,}", "median", "mean", "99 %", "most")
        report.table(f"Proofs of {name}", head, list(_rows(own)))
    return {"told": dict(told), "rows": found.tolist()}


def _rows(found: np.ndarray) -> Iterator[list[str]]:
    """Return the rows of a table of times and sizes; of what was asked again, those that were."""
    for name, column, unit in (
        ("question in a new scene, us", 0, 1e6),
        ("proof after it, us", 1, 1e6),
        ("check, ms", 2, 1e3),
        ("first_contact again, us", 3, 1e6),
        ("is_free again, us", 4, 1e6),
        ("proof again, us", 5, 1e6),
        ("proof and its file again, us", 6, 1e6),
        ("check again, ms", 7, 1e3),
        ("bytes", 8, 1.0),
        ("directions", 9, 1.0),
    ):
        values = found[:, column] * unit
        values = values[np.isfinite(values)]
        if len(values):
            numbers = np.median(values), values.mean(), np.percentile(values, 99), values.max()
            yield [name, *(f"{v:,.0f}" if v >= 100 else f"{v:.3g}" for v in numbers)]
