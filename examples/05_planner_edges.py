"""05: a motion planner's question: is the whole edge free? Thousands of random edges, proven against sampled."""

import time

import numpy as np

import tocsin
from tocsin import Body, Box, Capsule, RobotBuilder

EDGES, SAMPLES = 4000, 20


def moved(x, y, z):
    """A 4x4 pose without rotation."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def arm():
    """Six revolute joints; the last link is a thin probe."""
    b = RobotBuilder("arm")
    b.link("base", (Box(size=(0.2, 0.2, 0.1)), moved(0, 0, 0.05)))
    parent, origin = "base", (0, 0, 0.1)
    sizes = ((0.07, 0.15), (0.06, 0.4), (0.05, 0.35), (0.04, 0.1), (0.035, 0.08), (0.004, 0.2))  # radius, length
    for k, (axis, (radius, length)) in enumerate(zip("zyyzyz", sizes)):
        b.link(f"link{k + 1}", (Capsule(radius=radius, length=length), moved(0, 0, 0.5 * length)), parent=parent,
               joint="revolute", axis={"y": (0, 1, 0), "z": (0, 0, 1)}[axis], origin=origin)  # fmt: skip
        parent, origin = f"link{k + 1}", (0, 0, length + 0.01)
    robot = b.build()
    for k in range(1, 5):
        robot.ignore(f"link{k}", f"link{k + 2}")  # capsules that overlap across a short link
    robot.ignore("base", "link2")
    return robot


def sampled_free(scene, robot, a, b, samples):
    """What most planners do: look at some configurations of the edge, hope for the rest."""
    return all(scene.is_free(robot.at(a + t * (b - a))) for t in np.linspace(0.0, 1.0, samples))


def main():
    """Check the same edges both ways, and show by finer sampling that what sampling let through was in contact."""
    robot = arm()
    sheet = Box(size=(0.6, 0.001, 0.6))
    sheets = [Body(sheet, moved(0.6, y, 0.7), name=f"sheet {y:+.1f}") for y in (-0.6, -0.2, 0.2, 0.6)]
    scene = tocsin.Scene(robot, *sheets, Body(Box(size=(3, 3, 0.02)), moved(0, 0, -0.02), name="table"))
    random = np.random.default_rng(5)
    starts = random.uniform(-1.5, 1.5, (8 * EDGES, 6))
    starts = np.array([q for q in starts if scene.is_free(robot.at(q))][:EDGES])
    ends = starts + random.normal(0.0, 0.6, starts.shape)

    clock = time.perf_counter()
    proven = np.array([scene.is_free(robot.move(a, b)) for a, b in zip(starts, ends)])
    took = time.perf_counter() - clock
    print(f"proven:  {proven.sum()} of {EDGES} edges are free; {EDGES / took:,.0f} edges/s, Python loop included")
    clock = time.perf_counter()
    guessed = np.array([sampled_free(scene, robot, a, b, SAMPLES) for a, b in zip(starts, ends)])
    took = time.perf_counter() - clock
    print(f"sampled: {guessed.sum()} of {EDGES} edges seem free; {EDGES / took:,.0f} edges/s, {SAMPLES} samples each")

    missed = np.flatnonzero(guessed & ~proven)
    shown = sum(not sampled_free(scene, robot, starts[k], ends[k], 200 * SAMPLES) for k in missed)
    print(f"{len(missed)} edges seem free by sampling but are not proven free; {200 * SAMPLES} samples find {shown}")
    print(f"{np.sum(proven & ~guessed)} edges that are proven free collide at a sample (must be 0)")


if __name__ == "__main__":
    main()
