"""Same question, same bits: whatever charts are there, were made between two questions, or lie on disk."""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tocsin
from promise.test_determinism import TESTS, fingerprint
from tocsin.advancement import surveying
from tocsin_bench.scenes import shapes

QUESTIONS = 60


@cache
def arm():
    """Return an arm of seven links of 5,120 faces each, those two and three joints apart close to each other."""
    builder = tocsin.RobotBuilder("arm")
    vertices, faces = shapes.blob(4, 1.0, 0.15, 0)
    mesh = (vertices * (0.17, 0.1, 0.1) + (0.1, 0, 0), faces)
    builder.link("l0", mesh)
    for k in range(1, 7):
        axis = ((0, 0, 1), (0, 1, 0))[k % 2]
        builder.link(
            f"l{k}", mesh, parent=f"l{k - 1}", joint="revolute", axis=axis, origin=(0.2, 0, 0), limits=(-2.6, 2.6)
        )
    return builder.build()


@cache
def among():
    """Return what the arm runs into."""
    places = [(0.55, 0.45, 0.1), (0.5, -0.5, 0.2), (0.9, 0.1, 0.5), (0.9, 0, -0.6)]
    return [tocsin.Body(shapes.blob(4, 0.2, 0.2, k), at, name=f"ball{k}") for k, at in enumerate(places)]


def scene(**options):
    """Return a scene that has been asked nothing."""
    return tocsin.Scene(arm(), *among(), **options)


@cache
def motions(count=QUESTIONS):
    """Return motions of which most end in a contact, and none begins in one."""
    rng, still, out = np.random.default_rng(0), scene(charts=False), []
    while len(out) < count:
        q0 = rng.uniform(-1.2, 1.2, 6)
        q1 = q0 + rng.normal(size=6)
        if still.distance(arm().at(q0)).lower > 2e-4:
            out.append(arm().move(q0, q1))
    return out


def answers(asked, order=None):
    """Return the fingerprints of all answers, and whether each motion is free, asked in some order."""
    out = [None] * QUESTIONS
    for k in range(QUESTIONS) if order is None else order:
        hit = asked.first_contact(motions()[k])
        free = asked.is_free(motions()[k])
        assert free == (not hit.collides)
        out[k] = fingerprint(hit) + np.array(hit.bracket).tobytes()
    return out


@cache
def without():
    """Return the answers of a scene that makes no charts."""
    return answers(scene(charts=False))


def digest():
    """Return one word for the answers of a scene as it comes, from the last question to the first."""
    return hashlib.sha256(b"\n".join(answers(scene(), range(QUESTIONS - 1, -1, -1)))).hexdigest()


def eager(monkeypatch):
    """Return a scene that makes a chart in every question that costs anything."""
    monkeypatch.setattr(surveying, "EARNED", 1)
    return scene()


def chart_next(asked):
    """Let the next question of a scene make charts, if it visits pairs that have none."""
    charts = asked.context.charts
    charts.next_look, charts.spent = 1, 1


def test_charts_that_appear_between_questions_change_no_bit(monkeypatch):
    asked = eager(monkeypatch)
    before = answers(asked, np.random.default_rng(1).permutation(QUESTIONS))
    for motion in motions():
        chart_next(asked)
        asked.first_contact(motion)
    (charted,) = asked.context.charts.charted.values()
    assert len(charted.charts) > 3
    fewer = sum(asked.first_contact(m).stats.steps < scene_steps for m, scene_steps in zip(motions(), steps_without()))
    assert fewer > QUESTIONS // 2
    assert sum(m is not None for m in before) == QUESTIONS
    assert before == answers(asked) == without()


@cache
def steps_without():
    """Return the steps of every question in a scene that makes no charts."""
    asked = scene(charts=False)
    return [asked.first_contact(m).stats.steps for m in motions()]


def test_threads_that_make_charts_change_no_bit(monkeypatch):
    asked = eager(monkeypatch)

    def one(k):
        chart_next(asked)
        hit = asked.first_contact(motions()[k])
        return k, fingerprint(hit) + np.array(hit.bracket).tobytes()

    order = np.concatenate([np.random.default_rng(k).permutation(QUESTIONS) for k in range(3)])
    with ThreadPoolExecutor(6) as pool:
        assert all(found == without()[k] for k, found in pool.map(one, order.tolist()))
    assert asked.context.charts.charted


@pytest.mark.parametrize("kept", ["", "off"])
def test_another_process_gives_the_same_bits_with_charts_on_disk_or_none(kept):
    code = "from promise.test_charted_bits import digest; print(digest())"
    folders = [str(TESTS), str(Path(tocsin.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "PYTHONHASHSEED": "3"}
    if kept:
        nothing = "cache.load = lambda *_: None; cache.store = lambda *_: False; "
        code = "from tocsin.geometry import cache; " + nothing + code
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert run.stdout.strip() == hashlib.sha256(b"\n".join(without())).hexdigest()


def close_links(gap):
    """Return a robot whose first and third link, two joints apart, stand face to face at a gap while others turn."""
    box = tocsin.Box((0.1, 0.1, 0.1))
    builder = tocsin.RobotBuilder("close")
    builder.link("a", box)
    builder.link("b", tocsin.Sphere(1e-6), parent="a", joint="revolute", axis=(1, 0, 0), origin=(0.3, 0, 0))
    builder.link("c", (box, (0.1 + gap - 0.3, 0, 0)), parent="b", joint="revolute", axis=(1, 0, 0))
    return builder.build()


@pytest.mark.parametrize("charts", [True, False])
@pytest.mark.parametrize("gap", [5e-15, 1e-15])
def test_a_pair_that_rounding_hides_asks_for_its_chart_and_says_the_same_with_it(gap, charts):
    """Closer than floating point resolves, farther than the tolerance: the pair gives up, and its chart too."""
    robot = close_links(gap)
    asked = tocsin.Scene(robot, charts=charts)
    move = robot.move([0.1, -0.1], [0.5, -0.3])
    first = asked.first_contact(move, tolerance=1e-18)
    assert first.status is tocsin.Status.CAPPED
    assert len(asked.context.charts.charted[0.0, 1e-18].charts) == 1
    again = asked.first_contact(move, tolerance=1e-18)
    assert (again.status, again.time) == (first.status, first.time)
    assert not asked.is_free(move, tolerance=1e-18)


def test_a_lower_cap_is_asked_without_charts(monkeypatch):
    asked = eager(monkeypatch)
    capped = [asked.first_contact(m, max_steps=40) for m in motions()[:12]]
    for motion in motions()[:12]:
        chart_next(asked)
        asked.first_contact(motion)
    assert asked.context.charts.charted
    again = [asked.first_contact(m, max_steps=40) for m in motions()[:12]]
    assert any(hit.status is tocsin.Status.CAPPED for hit in capped)
    assert [(h.status, h.time, h.stats.steps) for h in capped] == [(h.status, h.time, h.stats.steps) for h in again]
