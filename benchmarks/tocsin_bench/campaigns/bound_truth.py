"""Where chains of joints really are: the truths that enclosures are attacked with, and the loop over batches of cases.

A motion is evaluated in extended precision (64-bit significand) for many cases at a time; a case that is closer to the
boundary of its enclosure than the error of that arithmetic is decided in 60 digits.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tocsin_bench.report import console

BATCH = 5_000


def extended_motion(joints: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (R, T, size) of chains (n, links) in extended precision; errors are below size times 256 units a joint."""
    rotation = np.zeros((len(t), 3, 3), np.longdouble)
    rotation[:] = np.eye(3)
    place = np.zeros((len(t), 3), np.longdouble)
    size = np.ones(len(t))
    for k in range(joints.shape[1]):
        joint = joints[:, k]
        tau = t - joint["begin"]
        angle = tau * joint["rate"]
        c, s = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
        r = joint["k0"] + (joint["k1"] * c + joint["k2"] * s)
        p = joint["origin"] + tau[:, None] * joint["velocity"]
        place = place + (rotation * p[:, None, :]).sum(axis=2)
        rotation = (rotation[:, :, :, None] * r[:, None, :, :]).sum(axis=2)
        size += np.abs(joint["origin"]).sum(axis=1) + 2.0 * np.abs(joint["velocity"]).sum(axis=1)
    return rotation, place, size


@cache
def digits() -> Any:
    """Return an mpmath context of 60 digits."""
    import mpmath

    mp = mpmath.mp.clone()
    mp.dps = 60
    return mp


def motion_in_digits(mp: Any, joints: np.ndarray, t: Any) -> Any:
    """Return the 4x4 motion of one chain at time t, an exact number of the context `mp`."""
    motion = mp.eye(4)
    for joint in joints:
        tau = t - float(joint["begin"])
        c, s = mp.cos_sin(tau * float(joint["rate"]))
        step = mp.eye(4)
        for i in range(3):
            for j in range(3):
                k0, k1, k2 = (float(joint[name][i, j]) for name in ("k0", "k1", "k2"))
                step[i, j] = k0 + k1 * c + k2 * s
            step[i, 3] = float(joint["origin"][i]) + tau * float(joint["velocity"][i])
        motion = motion * step
    return motion


def stretches(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (t0, t1, s): the whole of [0, 1], parts and slivers of it, and a place s in [-1, 1] within each."""
    whole = rng.random(count) < 0.2
    t0 = np.where(whole, 0.0, rng.random(count))
    width = rng.random(count) * 2.0 ** -rng.choice([0.0, 1.0, 3.0, 6.0, 12.0, 25.0, 40.0], size=count)
    t1 = np.where(whole, 1.0, np.minimum(1.0, t0 + width))
    s = np.where(rng.random(count) < 0.3, np.cos(np.pi * rng.integers(9, size=count) / 8.0), rng.uniform(-1, 1, count))
    return t0, t1, s


def in_batches(count: int, label: str, attack: Callable[[int, int], tuple[int, ...]]) -> list[int]:
    """Call `attack(size, number of the batch)` until `count` cases are done; return the sums of what it returns."""
    if np.finfo(np.longdouble).nmant < 63:
        raise RuntimeError("this machine's long double is no wider than a double; the attack needs an x86-64 machine")
    totals: list[int] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(label, total=count)
        for number, done in enumerate(range(0, count, BATCH)):
            size = min(BATCH, count - done)
            found = attack(size, number)
            totals = [a + b for a, b in zip(totals or [0] * len(found), found)]
            progress.advance(task, size)
    return totals
