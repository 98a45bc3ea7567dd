"""05: the planner's question, for thousands of edges: is the whole edge free? And what sampling lets through."""

import time

import numpy as np

import tocsin
from tocsin import Body, Box, Capsule, RobotBuilder

b = RobotBuilder("arm").link("base", (Box(size=(0.2, 0.2, 0.1)), (0, 0, 0.05)))
sizes = ((0.07, 0.15), (0.06, 0.4), (0.05, 0.35), (0.04, 0.1), (0.035, 0.08), (0.004, 0.2))  # radius, length
for k, (axis, (radius, length)) in enumerate(zip("zyyzyz", sizes)):
    b.link(f"link{k}", (Capsule(radius=radius, length=length), (0, 0, 0.5 * length)), joint="revolute",
           parent=f"link{k - 1}" if k else "base", axis=(0, axis == "y", axis == "z"),
           origin=(0, 0, sizes[k - 1][1] + 0.01 if k else 0.1))  # fmt: skip
arm = b.build()
arm.ignore_overlapping_at(np.zeros(6))  # capsules that overlap across a short link

sheets = [Body(Box(size=(0.6, 0.001, 0.6)), (0.6, y, 0.7)) for y in (-0.6, -0.2, 0.2, 0.6)]
scene = tocsin.Scene(arm, *sheets, Body(Box(size=(3, 3, 0.02)), (0, 0, -0.02), name="table"))
random = np.random.default_rng(5)
drawn = random.uniform(-1.5, 1.5, (9000, 6))
starts = drawn[scene.check_configurations(arm, drawn)][:2000]
ends = starts + random.normal(0.0, 0.4, starts.shape)


def sampled(a, b, count):
    """What most planners do: look at some configurations of the edge, hope for the rest."""
    return scene.check_configurations(arm, a + np.linspace(0.0, 1.0, count)[:, None] * (b - a)).all()


scene.check_edges(arm, starts[:1], ends[:1])
started = time.perf_counter()
free = scene.check_edges(arm, starts, ends)  # on all processors; scene.is_free(arm.move(a, b)) asks about one
took = (time.perf_counter() - started) / len(starts)
print(f"{sum(free)} of {len(free)} edges are proven free, {1e6 * took:.0f} µs an edge")
missed = sum(sampled(a, b, 10) and not f for a, b, f in zip(starts, ends, free))
print(f"10 samples an edge let {missed} edges through that are not free")
