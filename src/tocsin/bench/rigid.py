"""Two tori on random rigid motions, against what a user would pick instead: python-fcl's `continuousCollide`.

FCL's naive solver collides the meshes at N evenly spaced times (t = i / (N - 1)) of the same motion and returns the
first that overlaps; it proves nothing between them. Its conservative advancement is shown as well. Trees are built
before the clock starts; both sides get their motions ready-made, and both answer with a time; tocsin's touching
features, which are found when `contacts` is read, are a row of their own.

FCL 0.7 leaves the reference point of such a motion uninitialised (`InterpMotion(tf1, tf2)`), so that its path depends
on what lay in memory before. To compare like with like, freed memory is cleared before each call, outside the clock;
the last line of the output says on how many motions FCL's answer is then the one that it should be.
"""

import argparse
import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin.bench import report, scenes, shapes

DESCRIPTION = "Two tori of 10,000 triangles on random rigid motions: tocsin against python-fcl's continuousCollide."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=200, help="how many motions (default 200)")
    parser.add_argument("--triangles", type=int, default=10_000, help="triangles of each torus (default 10,000)")
    parser.add_argument(
        "--repeats", type=int, default=5, help="rounds; the time of a motion is their median (default 5)"
    )
    parser.add_argument(
        "--samples", type=int, default=100, help="times at which FCL's naive solver looks (default 100)"
    )
    parser.add_argument(
        "--conservative", type=int, default=20, help="motions for FCL's slow conservative advancement (default 20)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the motions (default 1)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Time both libraries on the same motions in one run and compare their answers."""
    case = scenes.tori(args.triangles, args.count, args.seed)
    motions = scenes.random_motions(args.count, args.seed, 1.35)
    contestants: dict[str, Callable[[int], Any]] = {
        "tocsin first_contact": lambda k: case.scene.first_contact(*case.questions[k]),
        "tocsin first_contact, contacts read": lambda k: case.scene.first_contact(*case.questions[k]).contacts,
        "tocsin is_free": lambda k: case.scene.is_free(*case.questions[k]),
        "tocsin move + first_contact": lambda k: case.scene.first_contact(*case.remake(k)),
    }
    fcl = _fcl()
    peer = None if fcl is None else _Fcl(fcl, shapes.torus(args.triangles), motions)
    naive, advancement = f"fcl naive, {args.samples} samples", "fcl conservative advancement"
    if peer is None:
        report.console.print("python-fcl is not installed: its rows are skipped (pip install python-fcl)")
    else:
        contestants[naive] = lambda k: peer.naive(k, args.samples)
    before = None if peer is None else peer.clear_freed_memory
    seconds = report.take_turns(contestants, args.count, args.repeats, label="tori", before=before)
    few = min(args.conservative, args.count)
    if peer is not None:
        # It takes a third of a second a motion, and would sweep every cache that the others have warmed.
        slow = {advancement: peer.conservative}
        seconds |= report.take_turns(slow, few, 1, label="conservative advancement", before=before, warm_up=False)

    hits = [case.scene.first_contact(*question) for question in case.questions]
    collides = np.array([hit.collides for hit in hits])
    times = np.array([hit.time for hit in hits])
    rows = []
    for name, t in seconds.items():
        touch = collides[: len(t)]
        parts = (t.mean(), np.median(t), report.mean(t[~touch]), report.mean(t[touch]), t.max())
        rows.append([name, len(t), *(report.us(float(part)) for part in parts)])
    report.table(
        f"Rigid motions of two {args.triangles:,}-triangle tori, µs a query",
        ["", "motions", "mean", "median", "mean, free", "mean, contact", "worst"],
        rows,
        f"tocsin: {np.sum(~collides)} proven free, {np.sum(collides)} in contact",
    )
    results: dict[str, Any] = {"seconds": seconds, "collides": collides, "time": np.where(collides, times, -1.0)}
    if peer is not None:
        answers = {
            naive: [peer.cleanly(k, contestants[naive]) for k in range(args.count)],
            advancement: [peer.cleanly(k, peer.conservative) for k in range(few)],
        }
        results["peers"] = _compare(peer, answers, collides, times)
        results["ratio"] = report.mean(seconds[naive]) / report.mean(seconds["tocsin first_contact"])
        agree = sum(peer.sampled(k, args.samples) == answers[naive][k] for k in range(args.count))
        report.console.print(
            f"{naive} / tocsin first_contact, ratio of the means: {results['ratio']:.2f} (above 1: tocsin is faster)\n"
            f"check: FCL's naive answer is that of fcl.collide at the same {args.samples} poses"
            f" on {agree} of {args.count} motions"
        )
    return results


def _compare(peer: "_Fcl", answers: dict[str, list[float]], collides: np.ndarray, times: np.ndarray) -> dict[str, Any]:
    """Count what each peer missed and how late it was. An answer is a time, infinite if none was found.

    A miss counts only if the meshes overlap, by fcl.collide, at one of 1,000 times after the time that tocsin found:
    a touch within the tolerance is no fault of the peer.
    """
    rows, numbers = [], {}
    for name, found in answers.items():
        at = np.array(found)
        touch = collides[: len(at)]
        missed = np.flatnonzero(touch & ~np.isfinite(at))
        proven = sum(peer.overlaps_after(int(k), times[k]) for k in missed)
        both = np.flatnonzero(touch & np.isfinite(at))
        late = at[both] - times[both]
        counts = {
            "motions": len(at), "contacts": int(touch.sum()), "missed": proven, "grazed": len(missed) - proven,
            "contact where free": int(np.sum(~touch & np.isfinite(at))), "late": int(np.sum(late > 0.0)),
            "too early": int(np.sum(late < 0.0)),
        }  # fmt: skip
        worst = float(late.max()) if len(late) else float("nan")
        rows.append([name, *counts.values(), f"{report.mean(late[late > 0.0]):.4f}", f"{worst:.4f}"])
        numbers[name] = {**counts, "lateness": late}
    columns = [key for key in next(iter(numbers.values())) if key != "lateness"]
    report.table(
        "Answers of the peers against tocsin's",
        ["", *columns, "mean lateness", "worst"],
        rows,
        "grazed: within the tolerance but not overlapping; lateness in units of the whole motion",
    )
    return numbers


def _fcl() -> Any | None:
    """The module python-fcl, or None where it is not installed."""
    try:
        import fcl  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    return fcl


def _libc() -> Any | None:
    try:
        libc = ctypes.CDLL(None)
        libc.malloc.argtypes, libc.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
        libc.free.argtypes = [ctypes.c_void_p]
    except (TypeError, OSError, AttributeError):
        return None
    return libc


class _Fcl:
    """The same tori and motions in python-fcl, everything prepared that can be prepared."""

    def __init__(self, fcl: Any, mesh: shapes.Triangles, motions: np.ndarray) -> None:
        self.fcl = fcl
        self.motions = motions
        self.objects = []
        for _ in range(2):
            model = self.fcl.BVHModel()
            model.beginModel(len(mesh[0]), len(mesh[1]))
            model.addSubModel(*mesh)
            model.endModel()
            self.objects.append(self.fcl.CollisionObject(model))
        self.libc = _libc()
        self.ends = [[[self._transform(pose) for pose in body] for body in motion] for motion in motions]

    def _transform(self, pose: np.ndarray) -> Any:
        return self.fcl.Transform(pose[:3, :3], pose[:3, 3])

    def clear_freed_memory(self) -> None:
        """Zero the blocks that FCL's next motions will be made in; where there is no C library to ask, do nothing."""
        if self.libc is None:
            return
        sizes = [size for size in range(184, 1025, 16) for _ in range(3)]
        blocks = [self.libc.malloc(size) for size in sizes]
        for block, size in zip(blocks, sizes):
            ctypes.memset(block, 0, size)
            self.libc.free(block)

    def _ask(self, k: int, request: Any) -> float:
        a, b = self.objects
        (a_t0, a_t1), (b_t0, b_t1) = self.ends[k]
        a.setTransform(a_t0)
        b.setTransform(b_t0)
        result = self.fcl.ContinuousCollisionResult()
        self.fcl.continuousCollide(a, a_t1, b, b_t1, request, result)
        return result.time_of_contact if result.is_collide else float("inf")

    def cleanly(self, k: int, ask: Callable[[int], float]) -> float:
        """The answer of `ask` on freshly cleared memory."""
        self.clear_freed_memory()
        return ask(k)

    def naive(self, k: int, samples: int) -> float:
        """The first of `samples` times at which the meshes overlap."""
        request = self.fcl.ContinuousCollisionRequest(
            num_max_iterations=samples,
            ccd_motion_type=self.fcl.CCDMotionType.CCDM_LINEAR,
            ccd_solver_type=self.fcl.CCDSolverType.CCDC_NAIVE,
        )
        return self._ask(k, request)

    def conservative(self, k: int) -> float:
        """FCL's conservative advancement on meshes, with iterations enough to end by its own tolerance."""
        request = self.fcl.ContinuousCollisionRequest(
            num_max_iterations=1000,
            ccd_motion_type=self.fcl.CCDMotionType.CCDM_LINEAR,
            ccd_solver_type=self.fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
        )
        return self._ask(k, request)

    def _overlap_at(self, k: int, t: float) -> bool:
        for body, part in enumerate(self.objects):
            start, end = self.motions[k, body]
            turn = Rotation.from_matrix(end[:3, :3] @ start[:3, :3].T).as_rotvec()
            rotation = Rotation.from_rotvec(t * turn).as_matrix() @ start[:3, :3]
            part.setTransform(self.fcl.Transform(rotation, (1.0 - t) * start[:3, 3] + t * end[:3, 3]))
        return self.fcl.collide(*self.objects) > 0

    def sampled(self, k: int, samples: int) -> float:
        """What the naive solver should answer, by `fcl.collide` and this file's own interpolation."""
        return next((i / (samples - 1) for i in range(samples) if self._overlap_at(k, i / (samples - 1))), float("inf"))

    def overlaps_after(self, k: int, t: float) -> bool:
        """True if the meshes overlap at one of 1,000 times between t and the end."""
        return any(self._overlap_at(k, float(s)) for s in np.linspace(t, 1.0, 1000))
