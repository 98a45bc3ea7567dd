"""Two engines, one question: conservative advancement and interval arithmetic must not contradict each other.

Random rigid and articulated questions, drawn so that about half of them meet: shapes of every kind and thickness,
scales from micrometres to kilometres, every kind of joint, up to two turns of a joint, several moving models, paths,
margins, tolerances, self-contact. Each is asked of both engines, and their claims are held against each other:

    an answer says: nothing is within the margin before `time` (ever, if free),
    and, if it collides: something is within margin + tolerance at `time`.

Where one engine says free and the other has found something, the distance is measured at times in between: a distance
within the margin by more than its rounding is a disagreement, a 0 if it is an overlap (`Question.touches`), and so is
one beyond margin + tolerance at a reported contact. What is left is a difference within the sum of the tolerances.
`replay("arm:1:23:4")` asks one question again by its name.

    python -m tocsin_bench agreement --count 100000 --seed 1
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tocsin
from tocsin.model.base import Motion
from tocsin.results import FirstContact, Status
from tocsin_bench import report
from tocsin_bench.campaigns.planted_articulated import Arm, random_arm, random_configurations
from tocsin_bench.campaigns.planted_contact import kin, random_rotation
from tocsin_bench.campaigns.planted_rigid import LARGEST_TURN, backend_of, ends, random_asking
from tocsin_bench.campaigns.planted_shapes import Piece, random_piece, unit

DESCRIPTION = "Do both engines agree: random rigid and articulated questions, no contradiction beyond the tolerances."

GROUP = 20
"""Questions that share their shapes."""

SLACK = 1e-12
"""Rounding of a measured distance, as a fraction of the largest coordinate; distances below it are measured as 0."""

METHODS = ("advancement", "interval")


@dataclass(frozen=True)
class Question:
    """One question for both engines."""

    name: str
    scene: Any
    motions: tuple[Motion, ...]
    margin: float
    tolerance: float | None

    def ask(self, method: str) -> FirstContact:
        """Return the answer of one engine."""
        return self.scene.first_contact(*self.motions, margin=self.margin, tolerance=self.tolerance, method=method)

    def distance(self, t: float) -> tuple[float, float]:
        """Return (distance, proven lower bound of it) of the scene at time t."""
        found = self.scene.distance(*[Motion(m.model, m.row_at(t)[None]) for m in self.motions])
        return found.distance, found.lower

    def touches(self, t: float) -> bool:
        """Return whether a measured distance of 0 at time t is a touch, and not a gap too narrow to be measured.

        A distance measured as 0 is at most the slack. Two convex shapes that are apart have a separating plane, whose
        normal is within 55 degrees of an axis: pulled along that axis by four times the slack they are more than twice
        the slack apart, which is measured. So what is still measured as 0 after each of six pulls does overlap; of
        other shapes only a hollow that holds the other one with less than the slack of play could pretend it.
        """
        still = [Motion(m.model, m.row_at(t)[None]) for m in self.motions]
        hit = self.scene.first_contact(*still, tolerance=self.slack)
        poses = {m.model.name: dict(zip(m.model.link_names, m.link_poses(t))) for m in self.motions}
        models = {m.model.name: m.model for m in self.motions}

        def alone(name: str, model: str, link: str) -> Any:
            shapes = models[model].shapes[models[model].link_index(link)]
            return tocsin.Body([(s.source, s.placement) for s in shapes], poses[model][link], name=name)

        for a, b in {((c.model_a, c.link_a), (c.model_b, c.link_b)) for c in hit.contacts}:
            pulled, other = alone("pulled", *a), alone("other", *b)
            pair = tocsin.Scene(pulled, other)
            pulls = 4.0 * self.slack * np.vstack([np.eye(3), -np.eye(3)])
            start = poses[a[0]][a[1]]
            if all(pair.distance(pulled.at(kin.frame(start[:3, :3], start[:3, 3] + p))).distance == 0.0 for p in pulls):
                return True
        return False

    @property
    def slack(self) -> float:
        """What measured distances may be off."""
        return SLACK * max(float(np.abs(m.rows[:, :3]).max()) + reach_of(m) for m in self.motions)


def reach_of(motion: Motion) -> float:
    """Return about how far a model's shapes are from its base, at most."""
    links = motion.model.links
    sizes = sum(float(np.linalg.norm(link["translation"])) for link in links) + float(np.abs(motion.rows).max())
    return sizes + max((shape.reach for shapes in motion.model.shapes for shape in shapes), default=0.0)


def body_group(seed: int, group: int, only: int | None = None) -> Iterator[Question]:
    """Yield questions about two to four bodies; the same seeds give the same questions."""
    rng = np.random.default_rng([seed, 7, group])
    scale = 10 ** rng.uniform(-6, 6) if rng.random() < 0.3 else 1.0
    pieces = [random_piece(rng, scale * 10 ** rng.uniform(-0.5, 0.5)) for _ in range(int(rng.choice([2, 2, 3, 4])))]
    bodies = [tocsin.Body(p.product, name=f"body{k}", solid=_may_be_solid(rng, p)) for k, p in enumerate(pieces)]
    scene = tocsin.Scene(*bodies, backend=backend_of(group))
    for k in range(GROUP):
        if only is not None and k != only:
            continue
        rng = np.random.default_rng([seed, 7, group, k])
        margin, tolerance = random_asking(rng, min(p.true.diagonal for p in pieces))
        t = rng.uniform(0, 1)
        far = scale * 10 ** rng.uniform(0, 3) if rng.random() < 0.2 else scale * rng.uniform(0, 2)
        meeting = unit(rng.normal(size=3)) * far
        speed = scale * 10 ** rng.uniform(-1, 1)
        motions = []
        for piece, body in zip(pieces, bodies):
            placed = _ends_near(rng, piece, meeting, t, speed)
            if rng.random() < 0.15:
                body_motion = body.at(placed[0])
            elif rng.random() < 0.15:
                body_motion = body.follow([*placed, _ends_near(rng, piece, meeting, t, speed)[1]])
            else:
                body_motion = body.move(*placed)
            motions.append(body_motion)
        yield Question(f"body:{seed}:{group}:{k}", scene, tuple(motions), margin, tolerance)


def _may_be_solid(rng: np.random.Generator, piece: Piece) -> bool:
    return piece.name in ("box", "ball", "torus", "rock") and rng.random() < 0.3


def _ends_near(rng: np.random.Generator, piece: Piece, meeting: np.ndarray, t: float, speed: float) -> Any:
    """Return the ends of a motion that brings a shape's middle near the meeting point at t."""
    pose = kin.frame(random_rotation(rng), np.zeros(3))
    miss = unit(rng.normal(size=3)) * piece.true.diagonal * rng.uniform(0, 0.9)
    pose[:3, 3] = meeting + miss - pose[:3, :3] @ piece.true.corners.mean(0)
    omega = unit(rng.normal(size=3)) * rng.uniform(0, LARGEST_TURN) if rng.random() < 0.7 else np.zeros(3)
    return ends(pose, rng.normal(size=3) * speed, omega, t)


def arm_group(seed: int, group: int, only: int | None = None) -> Iterator[Question]:
    """Yield questions about one robot and up to three obstacles; the same seeds give the same questions."""
    rng = np.random.default_rng([seed, 8, group])
    scale = 10 ** rng.uniform(-6, 6) if rng.random() < 0.3 else 1.0
    probe = random_piece(rng, scale * rng.uniform(0.05, 0.6)) if rng.random() < 0.3 else None
    arm = random_arm(rng, scale, probe)
    pieces = [random_piece(rng, scale * rng.uniform(0.05, 0.6)) for _ in range(int(rng.integers(0 if probe else 1, 4)))]
    bodies = [tocsin.Body(p.product, name=f"body{k}") for k, p in enumerate(pieces)]
    scene = tocsin.Scene(arm.robot, *bodies, backend=backend_of(group))
    carried = [k for k, parts in enumerate(arm.parts) if parts]
    for k in range(GROUP):
        if only is not None and k != only:
            continue
        rng = np.random.default_rng([seed, 8, group, k])
        yield _arm_question(rng, f"arm:{seed}:{group}:{k}", scene, arm, list(zip(pieces, bodies)), carried)


def _arm_question(
    rng: np.random.Generator, name: str, scene: Any, arm: Arm, obstacles: list[tuple[Piece, Any]], carried: list[int]
) -> Question:
    """Place the obstacles near links of the robot at some time of its motion."""
    q0, q1 = random_configurations(rng, arm)
    if rng.random() < 0.15:
        motion = arm.robot.follow(np.array([q0, q1, q0 if rng.random() < 0.5 else random_configurations(rng, arm)[0]]))
    elif arm.free and rng.random() < 0.8:
        start = kin.frame(random_rotation(rng), arm.scale * rng.normal(size=3) * 10 ** rng.uniform(-1, 2))
        base = ends(start, arm.scale * rng.normal(size=3), unit(rng.normal(size=3)) * rng.uniform(0, 3.1), 0.0)
        motion = arm.robot.move(q0, q1, base=base)
    else:
        motion = arm.robot.move(q0, q1)
    motions = [motion]
    diagonals = [piece.true.diagonal for parts in arm.parts for piece, _ in parts]
    for piece, body in obstacles:
        t = rng.uniform(0, 1)
        link = int(rng.choice(carried))
        part, placement = arm.parts[link][0]
        pose = motion.link_poses(t)[link] @ placement
        near = pose[:3, :3] @ part.true.corners.mean(0) + pose[:3, 3]
        near = near + unit(rng.normal(size=3)) * (part.true.diagonal + piece.true.diagonal) * rng.uniform(0, 0.8)
        speed = arm.scale * 10 ** rng.uniform(-2, 0.5)
        placed = _ends_near(rng, piece, near, t, speed)
        motions.append(body.at(placed[0]) if rng.random() < 0.5 else body.move(*placed))
        diagonals.append(piece.true.diagonal)
    margin, tolerance = random_asking(rng, min(diagonals))
    return Question(name, scene, tuple(motions), margin, tolerance)


GROUPS = {"body": body_group, "arm": arm_group}


def questions(seed: int) -> Iterator[Question]:
    """Yield questions without end, groups of bodies and of arms in turn."""
    group = 0
    while True:
        for make in GROUPS.values():
            yield from make(seed, group)
        group += 1


@dataclass
class Tally:
    """What a campaign has seen."""

    count: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    capped: dict[str, int] = field(default_factory=lambda: dict.fromkeys(METHODS, 0))
    apart: int = 0
    """Answers that differ by more than 1e-6 in time, or in status, without a contradiction: tolerances and caps."""
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(METHODS, 0.0))
    faster: int = 0
    """Questions that the interval engine answered faster."""
    disagreements: list[tuple[str, str]] = field(default_factory=list)

    def add(self, question: Question) -> str:
        """Ask both engines, and return what contradicts what; empty if nothing does."""
        answers, took = {}, {}
        for method in METHODS if self.count % 2 else METHODS[::-1]:  # the second finds its data in the cache
            started = time.thread_time()
            answers[method] = question.ask(method)
            took[method] = time.thread_time() - started
            self.seconds[method] += took[method]
            self.capped[method] += answers[method].status is Status.CAPPED
        self.faster += took["interval"] < took["advancement"]
        first, second = (answers[method] for method in METHODS)
        self.count += 1
        self.statuses[first.status.value] = self.statuses.get(first.status.value, 0) + 1
        if first.status is not second.status or not abs(_until(first) - _until(second)) <= 1e-6:
            self.apart += 1
        wrong = contradiction(question, answers)
        if wrong:
            self.disagreements.append((question.name, wrong))
        return wrong


def _until(hit: FirstContact) -> float:
    """Return until when an answer proves freedom; free is beyond the end."""
    return 2.0 if hit.status is Status.FREE else hit.time


def contradiction(question: Question, answers: dict[str, FirstContact]) -> str:
    """Return a sentence about the claim that a measured distance refutes; empty if there is none."""
    for method, hit in answers.items():
        if hit.status not in (Status.CONTACT, Status.INITIAL_CONTACT):
            continue
        for other, claim in answers.items():
            if other != method and _until(claim) > hit.time:
                end = min(_until(claim), 1.0)
                share = np.append(np.linspace(0.0, 1.0, 65 if claim.status is Status.FREE else 9) ** 2, 0.99)
                times = {float(t) for t in hit.time + (end - hit.time) * share}
                for t in sorted(t for t in times if t < _until(claim)):
                    measured = question.distance(t)[0]
                    if measured <= question.margin - question.slack or (measured == 0.0 and question.touches(t)):
                        said = f"{other} says {claim.status.name} {claim.time!r}"
                        return f"{said}, but at {t!r} the distance is {measured!r}"
        # What is inside a solid mesh is at some distance from its surface; then both engines must start in contact.
        inside = hit.status is Status.INITIAL_CONTACT and all(a.status is hit.status for a in answers.values())
        lower = 0.0 if inside else question.distance(hit.time)[1]
        if lower > question.margin + hit.tolerance + question.slack:
            return f"{method} says {hit.status.name} {hit.time!r}, where the distance is {lower!r}"
    return ""


def replay(name: str) -> dict[str, Any]:
    """Ask one question again by its name (`body:seed:group:k`), and return what was answered."""
    family, seed, group, k = name.split(":")
    (question,) = GROUPS[family](int(seed), int(group), int(k))
    answers = {method: question.ask(method) for method in METHODS}
    return {"question": question, **answers, "contradiction": contradiction(question, answers)}


def campaign(count: int, seed: int, tick: Any = None) -> Tally:
    """Ask `count` questions of both engines; `tick` is called after each."""
    tally = Tally()
    for question in questions(seed):
        if tally.count >= count:
            break
        tally.add(question)
        if tick is not None:
            tick(tally)
    return tally


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=100_000, help="questions (default 100,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the questions (default 1)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign with a progress bar, print what it found, and leave with an error if engines disagree."""
    from rich.progress import TimeRemainingColumn

    for method in METHODS:  # compile before the clock runs
        next(questions(args.seed)).ask(method)
    with report.bar(TimeRemainingColumn()) as progress:
        task = progress.add_task("0 disagreements", total=args.count)

        def tick(tally: Tally) -> None:
            text = f"{len(tally.disagreements)} disagreements"
            progress.update(task, completed=tally.count, description=text)

        tally = campaign(args.count, args.seed, tick)
    kinds = ", ".join(f"{n} {word}" for word, n in sorted(tally.statuses.items()))
    report.say(f"{tally.count} questions ({kinds}): {len(tally.disagreements)} disagreements beyond the tolerances")
    report.say(f"  {tally.apart} answers differ in status or by more than 1e-6 in time, within the tolerances and caps")
    report.say(f"  capped: {', '.join(f'{n} by {method}' for method, n in tally.capped.items())}")
    mean = {method: seconds / max(tally.count, 1) * 1e6 for method, seconds in tally.seconds.items()}
    report.say(f"  mean of first_contact: {', '.join(f'{method} {us:.0f} µs' for method, us in mean.items())}")
    report.say(f"  interval the faster one of {tally.faster} questions")
    for name, what in tally.disagreements[:50]:
        report.say(f"  DISAGREEMENT {name}: {what}")
    if tally.disagreements:
        raise SystemExit(f"{len(tally.disagreements)} disagreements")
    return {"count": tally.count, "seed": args.seed, "apart": tally.apart, "capped": tally.capped, "mean_us": mean}
