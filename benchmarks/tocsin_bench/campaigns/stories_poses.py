"""Where the actors of a story are at given times, from the definitions, all times at once.

Joint values are linear, places move on straight lines, orientations turn at a constant rate about one axis, screws are
matrix exponentials. At exactly half a turn two arcs are equally short, and the library decides which, when a motion is
made: there, and there alone, its `row_at` at the middle is asked which.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin_bench.campaigns.stories_scenes import Actor, Link, Story, quaternion_of
from tocsin_bench.oracles import kinematics as kin

HALF = 1e-9
"""Half a turn: the scalar part of the relative quaternion is smaller than this."""


def _relative(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the quaternion q p^-1."""
    v = -q[3] * p[:3] + p[3] * q[:3] - np.cross(q[:3], p[:3])
    return np.append(v, q @ p)


def _turn(q0: np.ndarray, q1: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Return the rotation vector of the shorter arc; at half a turn, of the one that passes `middle`."""
    r = _relative(q0 / np.linalg.norm(q0), q1 / np.linalg.norm(q1))
    if abs(r[3]) < HALF:
        half = _relative(q0 / np.linalg.norm(q0), middle / np.linalg.norm(middle))
        r = r if (half[:3] @ r[:3]) * half[3] >= 0.0 else -r
        r[3] = abs(r[3])
    elif r[3] < 0.0:
        r = -r
    s = float(np.linalg.norm(r[:3]))
    return r[:3] * (2.0 * np.arctan2(s, r[3]) / s) if s > 0.0 else np.zeros(3)


def _screw(pose_t0: np.ndarray, pose_t1: np.ndarray, omega: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Return exp(s xi) T0 for the twist xi with this rotation vector that takes one pose to the other."""
    x, y, z = omega
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    theta = float(np.linalg.norm(omega))
    shift = pose_t1[:3, 3] - kin.exp(omega) @ pose_t0[:3, 3]

    def travel(angle: np.ndarray) -> np.ndarray:
        """s I + (1 - cos) / theta K + (angle - sin) / theta K^2, for the unit K."""
        a = np.asarray(angle)[..., None, None]
        return a * np.eye(3) + (1 - np.cos(a)) * (k / theta) + (a - np.sin(a)) * (k / theta) @ (k / theta)

    w = np.linalg.solve(travel(np.array(theta)), shift)
    turned = kin.exp(s[:, None] * omega)
    place = np.einsum("tij,j->ti", travel(theta * s), w) + turned @ pose_t0[:3, 3]
    return kin.frame(turned @ pose_t0[:3, :3], place)


def _straight(p0: np.ndarray, p1: np.ndarray, r0: np.ndarray, omega: np.ndarray, s: np.ndarray) -> np.ndarray:
    turned = kin.exp(s[:, None] * omega) @ r0 if omega.any() else np.broadcast_to(r0, (len(s), 3, 3))
    return kin.frame(turned, p0 + s[:, None] * (p1 - p0))


def _joint(link: Link, a: np.ndarray, b: np.ndarray, middle: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Return the poses (n, 4, 4) of a joint whose values go from a to b."""
    zero, one = np.zeros(3), np.eye(3)
    axis = np.array(link.axis)
    if link.joint == "fixed":
        return _straight(zero, zero, one, zero, s)
    if link.joint == "prismatic":
        return _straight(a[0] * axis, b[0] * axis, one, zero, s)
    if link.joint == "planar":
        up = np.array([0.0, 0.0, 1.0])
        return _straight(np.append(a[:2], 0.0), np.append(b[:2], 0.0), kin.exp(a[2] * up), (b[2] - a[2]) * up, s)
    if link.joint in ("ball", "floating"):
        ends = (a[:3], b[:3]) if link.joint == "floating" else (zero, zero)
        return _straight(*ends, kin.quaternion_to(a[-4:]), _turn(a[-4:], b[-4:], middle[-4:]), s)
    return _straight(zero, zero, kin.exp(a[0] * axis), (b[0] - a[0]) * axis, s)


def pieces_of(actor: Actor, times: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Return (piece, which times, fractions of that piece)."""
    pieces = max(len(actor.stations) - 1, 1)
    k = np.minimum((times * pieces).astype(int), pieces - 1)
    return [(p, np.nonzero(k == p)[0], times[k == p] * pieces - p) for p in range(pieces)]


def link_poses(actor: Actor, motion: Any, times: np.ndarray) -> np.ndarray:
    """Return (times, links, 4, 4) of a body or a robot; `motion` is asked for nothing but the arc of half turns."""
    out = np.zeros((len(times), len(actor.links), 4, 4))
    pieces = max(len(actor.stations) - 1, 1)
    for piece, which, s in pieces_of(actor, times):
        if not len(which):
            continue
        first, last = actor.stations[piece], actor.stations[min(piece + 1, len(actor.stations) - 1)]
        row = motion.row_at((piece + 0.5) / pieces)
        none = np.zeros(0)
        q0, q1 = (first, last) if actor.kind == "robot" else ((none, first), (none, last))
        base_t0, base_t1 = q0[1], q1[1]
        omega = _turn(quaternion_of(base_t0[:3, :3]), quaternion_of(base_t1[:3, :3]), row[3:7])
        if actor.screw and np.linalg.norm(omega) >= 1e-6:
            out[which, 0] = _screw(base_t0, base_t1, omega, s)
        else:
            out[which, 0] = _straight(base_t0[:3, 3], base_t1[:3, 3], base_t0[:3, :3], omega, s)
        for k, link in enumerate(actor.links):
            if link.parent >= 0:
                a, b, m = (values_of(actor, k, q) for q in (q0[0], q1[0], row[7:]))
                out[which, k] = out[which, link.parent] @ (link.origin @ _joint(link, a, b, m, s))
    return out


def values_of(actor: Actor, k: int, q: np.ndarray) -> np.ndarray:
    """Return the values of the joint above link k; those of a mimic from its master's."""
    link = actor.links[k]
    if link.mimic is not None:
        master, multiplier, offset = link.mimic
        return multiplier * values_of(actor, master, q) + offset
    start = sum(other.width for other in actor.links[:k])
    return q[start : start + link.width]


def half_turns(story: Story) -> bool:
    """Return whether an orientation turns by exactly half a turn, so that two arcs are equally short."""
    for actor in story.actors:
        for first, last in zip(actor.stations, actor.stations[1:]):
            if actor.kind == "cloth":
                continue
            bases = (first, last) if actor.kind == "body" else (first[1], last[1])
            q = [quaternion_of(base[:3, :3]) for base in bases]
            turns = [q]
            for k, link in enumerate(actor.links):
                if link.joint in ("ball", "floating") and link.parent >= 0:
                    turns.append([values_of(actor, k, x[0])[-4:] for x in (first, last)])
            if any(abs(_relative(p, r)[3]) < HALF for p, r in turns):
                return True
    return False
