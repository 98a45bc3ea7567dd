"""Cloth and other deforming meshes against the IPC toolkit: first contact, all contact times, frame after frame.

Scenes: the UNC recordings (cloth-ball, n-body, cloth-funnel; two frames each) where the recorded data is at hand, and a
cloth and flying balls of the same sizes made in code, with twenty steps each, and the cloth with 20,000 triangles and
steps a fifth as long (`cloth-20k`), as haptics would ask for: a thousand a second. Everything is one mesh, asked
against itself, as ipctk does. In every round each contestant answers all steps once, and the order of contestants
rotates.

- `first`: when any features first touch (`ignore_overlaps=True`: the recorded meshes overlap at the start, which would
  be a contact at time 0; ipctk does not look for that). ipctk: `compute_collision_free_stepsize` with LBVH, by additive
  CCD and by Tight-Inclusion; both stop short on purpose (conservative rescaling) and cull by the best time so far.
- `all`: every touching pair with its own time. ipctk has no such call. What is given for it is its `first`, the same
  candidates with more culling, so less work than all times would be; and an estimate: candidates times the seconds of
  a narrow-phase call without culling, on a sample, less the seconds of a call that has nothing to do.
- `is free?`: yes or no.
- `new`: with the hierarchy made from nothing, as for a first frame. Following frames keep it.

Seconds on one thread are processor seconds of the process, so that other programs do not count; on all threads they
are wall seconds, and a busy machine shows; with `--processor` they are processor seconds of all threads together, too,
and what is not dealt out evenly does not show. The figures of [LOCAL table I] are those of one core of 2008.

    python -m tocsin_bench cloth
    python -m tocsin_bench cloth --scaling --plot cloth.png
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import tocsin
from tocsin.errors import unknown_name
from tocsin_bench import report
from tocsin_bench.data import data_folder
from tocsin_bench.measures.scaling import exponent
from tocsin_bench.peers import ipc
from tocsin_bench.scenes import recorded_pairs, soft_pictures, soft_scenes

DESCRIPTION = (
    "Deforming meshes against ipctk (LBVH, additive CCD and Tight-Inclusion): first contact, all times, scaling."
)

PAPER = {"cloth-ball": (274e-3, 286e-3), "cloth": (274e-3, 286e-3), "n-body-simulation": (669e-3, 720e-3),
         "balls": (669e-3, 720e-3)}  # fmt: skip
"""Seconds: global time of contact, all times of contact."""

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)


QUICK = 1.0
"""Seconds of a question that may be asked twice."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--scenes", nargs="+", metavar="NAME", default=None, help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--repeats", type=int, default=3, help="rounds; times are medians over them (default 3)")
    parser.add_argument("--threads", nargs="+", type=int, default=None, help="numbers of threads (default: 1 and all)")
    parser.add_argument("--steps", type=int, default=20, help="steps of the scenes made in code (default 20)")
    parser.add_argument("--tolerance", type=float, default=1e-9, help="of tocsin, metres (default 1e-9)")
    parser.add_argument("--processor", action="store_true", help="of several threads, too: their sum")
    parser.add_argument("--no-ipctk", action="store_true", help="tocsin alone")
    parser.add_argument("--scaling", action="store_true", help="only time against triangles, 10K to 1M")
    parser.add_argument("--max-triangles", type=int, default=1_000_000, help="largest mesh of it (default 1,000,000)")
    parser.add_argument("--plot", metavar="PATH", help="draw it into this PNG file (needs matplotlib)")
    parser.add_argument("--picture", metavar="PATH", help="draw the cloth made in code into this PNG file")


@dataclass(frozen=True)
class Steps:
    """One mesh and the ends of its steps."""

    name: str
    faces: np.ndarray
    edges: np.ndarray
    ends: list[tuple[np.ndarray, np.ndarray]]


def _recorded(name: str) -> Callable[[int], Steps | None]:
    def make(_: int) -> Steps | None:
        folder = data_folder() / "scalable-ccd-derived"
        if not folder.exists():
            return None
        mesh = recorded_pairs.derived(folder, name)
        return Steps(name, mesh.faces, mesh.edges, [(mesh.vertices_t0, mesh.vertices_t1)])

    return make


def _filmed(make: Callable[[], soft_scenes.Film], name: str | None = None) -> Callable[[int], Steps | None]:
    def steps(count: int) -> Steps | None:
        film = make()
        whole = film.joined()
        ends = [(whole.frames[k], whole.frames[k + 1]) for k in range(film.steps)]
        return Steps(name or film.name, whole.faces, soft_scenes.edges_of(whole.faces), ends[-count:])

    return steps


NAMES: dict[str, Callable[[int], Steps | None]] = {
    **{name: _recorded(name) for name in recorded_pairs.DERIVED},
    "cloth": _filmed(soft_scenes.cloth),
    "balls": _filmed(soft_scenes.balls),
    "cloth-20k": _filmed(partial(soft_scenes.cloth, 20_000, np.linspace(0.66, 0.86, 21)), "cloth-20k"),
}


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure all scenes, or time against triangles."""
    if args.picture:
        soft_pictures.draw_cloth(args.picture)
        report.console.print(f"wrote {args.picture}", highlight=False)
    if args.scaling:
        return _scaling(args)
    cores = os.cpu_count() or 1
    counts = args.threads or sorted({1, cores})
    results = {}
    for name in args.scenes or NAMES:
        if name not in NAMES:
            raise unknown_name("scene", name, NAMES)
        steps = NAMES[name](args.steps)
        if steps is None:
            report.console.print(f"{name}: left out, not in {str(data_folder())!r}", highlight=False)
            continue
        for threads in counts:
            results[f"{name}, {threads} threads"] = _scene(steps, threads, args)
    return results


# --- contestants ------------------------------------------------------------------------------------------------------


def ours(steps: Steps, threads: int, tolerance: float) -> dict[str, Callable[[int], Any]]:
    """The library: a kept scene, and one made anew for every step."""
    kept = tocsin.Deformable(steps.ends[0][0], faces=steps.faces, name=steps.name, ignore_overlaps=True)
    scene = tocsin.Scene(kept, threads=threads)

    def anew(k: int) -> Any:
        soft = tocsin.Deformable(steps.ends[k][0], faces=steps.faces, name=steps.name, ignore_overlaps=True)
        return tocsin.Scene(soft, threads=threads).first_contact(soft.move(*steps.ends[k]), tolerance=tolerance)

    return {
        "tocsin: first": lambda k: scene.first_contact(kept.move(*steps.ends[k]), tolerance=tolerance),
        "tocsin: first, new": anew,
        "tocsin: is free?": lambda k: scene.is_free(kept.move(*steps.ends[k]), tolerance=tolerance),
        "tocsin: all": lambda k: scene.contacts(kept.move(*steps.ends[k]), every="pair", tolerance=tolerance),
    }


def theirs(steps: Steps) -> dict[str, Callable[[int], Any]]:
    """The IPC toolkit; its mesh is made once, its broad phase has to be built for every step."""
    mesh = ipc.Mesh(steps.ends[0][0], steps.edges, steps.faces)
    additive, inclusion = ipc.narrow("additive"), ipc.narrow("inclusion")
    return {
        "ipctk: first, additive": lambda k: mesh.first_time(*steps.ends[k], additive),
        "ipctk: first, Tight-Inclusion": lambda k: mesh.first_time(*steps.ends[k], inclusion),
        "ipctk: is free?, additive": lambda k: mesh.is_free(*steps.ends[k], additive),
    }


def estimated_all(steps: Steps, sample: int = 3000, seed: int = 1) -> float:
    """Seconds that all contact times of the first step would take ipctk: an estimate, see above."""
    mesh = ipc.Mesh(steps.ends[0][0], steps.edges, steps.faces)
    start = time.process_time()
    found = mesh.candidates(*steps.ends[0])
    total = time.process_time() - start
    method, rng = ipc.narrow("additive"), np.random.default_rng(seed)
    for kind, members in (("vertex-face", found.fv_candidates), ("edge-edge", found.ee_candidates)):
        if not len(members):
            continue
        drawn = np.array([ipc.ids(members[k], kind) for k in rng.integers(len(members), size=sample).tolist()])
        rows = recorded_pairs.pair_corners(kind, drawn, steps.faces, steps.edges)
        t0, t1 = (end[rows] for end in steps.ends[0])
        still = np.arange(12.0).reshape(4, 3) ** 2
        idle = _per_call(ipc.ask_pair(method, kind), np.broadcast_to(still, t0.shape), np.broadcast_to(still, t0.shape))
        total += len(members) * max(0.0, _per_call(ipc.ask_pair(method, kind), t0, t1) - idle)
    return total


def _per_call(ask: Callable[..., Any], t0: np.ndarray, t1: np.ndarray) -> float:
    points = [(*a, *b) for a, b in zip(t0, t1)]
    start = time.process_time()
    for eight in points:
        ask(*eight)
    return (time.process_time() - start) / len(points)


# --- tables -----------------------------------------------------------------------------------------------------------


def measure(
    contestants: Mapping[str, Callable[[int], Any]], n_steps: int, repeats: int, threads: int, label: str,
    clock: Callable[[], float] = time.process_time,
) -> tuple[dict[str, np.ndarray], dict[str, list[Any]]]:  # fmt: skip
    """Seconds of every step, median over the rounds, and the last answers; contestants take turns, order rotating.

    A recording has one step, so a turn would be one question, asked of caches that the contestant before has filled. In
    a simulation the frame before is of the same program: so whoever answers within `QUICK` is asked once untimed first.
    """
    if ipc.available():
        ipc.threads(threads)
    runners = {}
    for name, ask in contestants.items():
        if "ipctk" not in name:  # compiled code is loaded outside the clock
            ask(0)
        start = clock()
        ask(0)
        frame_before = partial(ask, 0) if n_steps == 1 and clock() - start < QUICK else None
        runners[name] = report.asking(ask, frame_before, clock=clock)
    done = report.rounds(runners, n_steps, repeats, label=label, warm_up=False)
    return {name: turns.seconds for name, turns in done.items()}, {name: turns.answers for name, turns in done.items()}


def _scene(steps: Steps, threads: int, args: argparse.Namespace) -> dict[str, Any]:
    with_peer = not args.no_ipctk and ipc.available()
    contestants = {**ours(steps, threads, args.tolerance), **(theirs(steps) if with_peer else {})}
    by_processor = threads == 1 or args.processor
    clock = time.process_time if by_processor else time.perf_counter
    seconds, answers = measure(contestants, len(steps.ends), args.repeats, threads, steps.name, clock)
    hits = answers["tocsin: first"]
    touches = np.array([hit.collides for hit in hits])
    rows = [[name, *_cells(taken, touches)] for name, taken in seconds.items()]
    if with_peer and threads == 1:
        guess = estimated_all(steps)
        seconds["ipctk: all, estimated"] = np.array([guess])
        rows.append(["ipctk: all, additive, estimated, step 1", report.ms(guess), "", "", ""])
    paper = PAPER.get(steps.name)
    if paper is not None and threads == 1:
        rows += [["paper, 2008, one core: global ToC", report.ms(paper[0]), "", "", ""],
                 ["paper, 2008, one core: all ToCs", report.ms(paper[1]), "", "", ""]]  # fmt: skip
    taken = "processor" if by_processor else "wall"
    report.table(
        f"{steps.name}: {len(steps.faces):,} triangles, {len(steps.ends)} steps, threads: {threads}, {taken} ms",
        ["", "mean", "free", "contact", "worst"],
        rows,
        _ratios(seconds) + f"; contact in {int(touches.sum())} of {len(hits)} steps, first {_first(hits)}",
    )
    found = answers["tocsin: all"][-1]
    report.console.print(
        f"last step: {len(found.vertex_face):,} vertex-face and {len(found.edge_edge):,} edge-edge pairs touch",
        highlight=False,
    )
    return {"seconds": seconds, "time": [hit.time if hit.collides else None for hit in hits]}


def _cells(taken: np.ndarray, touches: np.ndarray) -> list[str]:
    parts = (taken, taken[~touches], taken[touches])
    return [*(report.ms(report.mean(part)) for part in parts), report.ms(float(taken.max()))]


def _first(hits: list[Any]) -> str:
    when = [f"at {hit.time:.16g} of step {k + 1} ({hit.status.value})" for k, hit in enumerate(hits) if hit.collides]
    return when[0] if when else "never"


def _ratios(seconds: Mapping[str, np.ndarray]) -> str:
    """How many times as long ipctk takes, mean against mean."""
    out = []
    for name, rival in (("first", "ipctk: first, additive"), ("all", "ipctk: first, additive")):
        if rival in seconds:
            ratio = report.mean(seconds[rival]) / report.mean(seconds[f"tocsin: {name}"])
            out.append(f"{rival} / tocsin: {name} = {ratio:.1f}")
    return ", ".join(out) or "tocsin alone"


# --- time against triangles -------------------------------------------------------------------------------------------


def _scaling(args: argparse.Namespace) -> dict[str, Any]:
    """The cloth made in code, ever finer: the same step, and steps of about an edge's length as simulators take."""
    curves: dict[str, list[float]] = {"n": []}
    rows = []
    for n in [size for size in SIZES if size <= args.max_triangles]:
        short = 0.05 * np.sqrt(SIZES[0] / n)
        times = np.array([0.4, 0.4 + short, 0.45, 0.9, 0.9 + short, 0.95])
        film = soft_scenes.cloth(n, times)
        whole = film.joined()
        frames = whole.frames
        pairs = {"free": (0, 2), "contact": (3, 5), "free, edge step": (0, 1), "contact, edge step": (3, 4)}
        steps = Steps(film.name, whole.faces, np.zeros((0, 2)), [(frames[a], frames[b]) for a, b in pairs.values()])
        contestants = {key: ask for key, ask in ours(steps, 1, args.tolerance).items() if "is free" not in key}
        seconds, _ = measure(contestants, len(steps.ends), args.repeats, 1, f"{n:,}")
        point = {
            f"{what.removeprefix('tocsin: ')}: {key}": float(taken[k])
            for what, taken in seconds.items()
            for k, key in enumerate(pairs)
        }
        curves["n"].append(len(whole.faces))
        for key, value in point.items():
            curves.setdefault(key, []).append(value)
    keys = [key for key in curves if key != "n"]
    for key in keys:
        rows.append([key, *(report.ms(x) for x in curves[key]), f"{exponent(curves['n'], curves[key]):.2f}"])
    report.table(
        "A cloth over a ball, one thread, processor milliseconds",
        ["triangles", *(f"{n:,}" for n in curves["n"]), "exponent"],
        rows,
        "edge step: motions shrink with the edges, as a simulator's steps do; otherwise the motion stays the same",
    )
    if args.plot:
        _plot(args.plot, curves)
        report.console.print(f"wrote {args.plot}", highlight=False)
    return curves


def _plot(path: str, curves: Mapping[str, list[float]]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.6), layout="constrained", sharey=True)
    n = np.array(curves["n"])
    for panel, (title, ending) in zip(axes, (("The same motion", ""), ("Steps of an edge", ", edge step"))):
        for what, label in (("first", "first contact"), ("all", "all contact times")):
            for state, style in (("free", "--"), ("contact", "-")):
                line = curves[f"{what}: {state}{ending}"]
                colour = "tab:blue" if what == "first" else "tab:orange"
                shown = f"{label}, {state}, exponent {exponent(curves['n'], line):.2f}"
                panel.loglog(n, 1e3 * np.array(line), style, marker="o", color=colour, label=shown)
        one = 1e3 * curves[f"first: free{ending}"][0] / n[0]
        panel.loglog(n, one * n, ":", color="grey", label="linear")
        panel.set(xlabel="triangles", title=title)
        panel.legend(frameon=False)
        panel.grid(True, which="both", alpha=0.2)
        panel.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("ms a query, one thread")
    figure.savefig(path, dpi=140)
    pyplot.close(figure)
