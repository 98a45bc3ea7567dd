"""When a motion first touches, by dense sampling with a proven bound on speed.

If no two points of the two things approach each other faster than `speed`, then from a gap d at time t nothing can
touch before t + d / speed. Marching by such steps proves freedom; a sample with no gap left proves contact. Together
they give the bracket (proven free until, known in contact by) that any right answer must respect.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tocsin_bench.oracles import kinematics
from tocsin_bench.oracles.kinematics import Tree


def bracket(
    gap: Callable[[float], float], speed: float, *, resolution: float, slack: float = 0.0, samples: int = 200
) -> tuple[float, float]:
    """Return (free until, in contact by) for `gap(t)` = distance - margin, known up to `slack`.

    The march ends when its steps fall under `resolution`; from there `samples` equal samples and a bisection between
    the last positive and the first vanishing one look for a time of contact, `inf` if none is met.
    """
    t = 0.0
    while t < 1.0:
        left = gap(t) - slack
        if left <= resolution * speed:
            break
        t = t + left / speed if speed > 0 else 1.0
    if t >= 1.0 and gap(1.0) > slack:
        return 1.0, float("inf")
    free_until = min(t, 1.0)
    lo = free_until
    for hi in np.linspace(free_until, 1.0, samples):
        if gap(float(hi)) <= -slack:
            for _ in range(60):
                middle = (lo + float(hi)) / 2
                lo, hi = (lo, middle) if gap(middle) <= -slack else (middle, hi)
            return free_until, float(hi)
        lo = float(hi)
    return free_until, float("inf")


def body_speed(pose_t0, pose_t1, reach: float) -> float:
    """Return |v| + |omega| reach: no point within `reach` of the origin of a rigid body's frame is faster."""
    pose_t0, pose_t1 = np.asarray(pose_t0, float), np.asarray(pose_t1, float)
    turn = np.linalg.norm(kinematics.log(pose_t1[:3, :3] @ pose_t0[:3, :3].T))
    return float(np.linalg.norm(pose_t1[:3, 3] - pose_t0[:3, 3]) + turn * reach) * (1 + 1e-9)


def link_speed(tree: Tree, q0, q1, link: int, reach: float, base=None) -> float:
    """Return a bound on the speed of every point within `reach` of the origin of a link's frame.

    Up the chain, `far` bounds the distance of the points from the origin of the frame reached, and each joint adds
    |v| + |omega| far: the triangle inequality, nothing else.
    """
    far, speed = float(reach), 0.0
    while link > 0:
        joint = tree.joints[link]
        a, b = np.array(tree.values(q0, link), float), np.array(tree.values(q1, link), float)
        slide = turn = extent = 0.0
        if joint.kind in ("revolute", "continuous"):
            turn = abs(b[0] - a[0])
        elif joint.kind == "prismatic":
            slide, extent = abs(b[0] - a[0]), max(abs(a[0]), abs(b[0]))
        elif joint.kind == "planar":
            slide, turn = np.linalg.norm((b - a)[:2]), abs(b[2] - a[2])
            extent = max(np.linalg.norm(a[:2]), np.linalg.norm(b[:2]))
        elif joint.kind in ("ball", "floating"):
            turn = np.linalg.norm(kinematics.log(kinematics.quaternion_to(b[-4:]) @ kinematics.quaternion_to(a[-4:]).T))
            if joint.kind == "floating":
                slide = np.linalg.norm((b - a)[:3])
                extent = max(np.linalg.norm(a[:3]), np.linalg.norm(b[:3]))
        speed += slide + turn * far
        far += float(extent) + float(np.linalg.norm(np.asarray(joint.origin)[:3, 3]))
        link = joint.parent
    if base is not None:
        speed += body_speed(base[0], base[1], far)
    return float(speed) * (1 + 1e-9)
