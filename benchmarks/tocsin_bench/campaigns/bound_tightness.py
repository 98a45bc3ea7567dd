"""How tight the bounds are, over chains of 1 to 20 links, against sampled motion.

Chains have unit links, random axes and every joint turning by up to a given angle at once. *Boxes*: the link's box is
1 x 0.2 x 0.2 along the link; the mean side of the swept box over that of the box of sampled corners (129 times) is 1 at
best. The sampled box is a lower bound of the truth, so the ratios are upper bounds of the looseness.
*Motion*: the bound of the greatest displacement of a corner along a random direction n during a stretch of time h, over
the greatest sampled one: [CATCH eq. 10], and ours, the lesser of V h and v h + A h^2 / 2 (`bounds.motion_bound`).
"""

from dataclasses import dataclass

import numpy as np
from rich.table import Table

from tocsin import vec
from tocsin.bounds import taylor
from tocsin.bounds.motion_bound import chain_bound
from tocsin.compiler.jit import kernel
from tocsin.motion.chain import chain_pose, chain_state
from tocsin_bench.campaigns import bound_chains, interval_matrices
from tocsin_bench.campaigns.paper_bound import paper_bound
from tocsin_bench.report import console

TURNS = (10.0, 45.0)
"""Greatest turn of a joint, degrees, of the two motions of the box study."""

STRETCHES = (1.0, 1.0 / 16.0)
"""Stretches of time, of the two motion-bound studies; joints turn by up to MOTION_TURN degrees in [0, 1]."""

MOTION_TURN = 45.0
CASES = 400
SAMPLES = 129
CENTER = np.array([0.5, 0.0, 0.0])
HALF = np.array([0.5, 0.1, 0.1])


@dataclass(frozen=True)
class Study:
    """Ratios of bound to sampled motion; the last axis is the number of links, 1 to 20."""

    links: np.ndarray
    taylor: np.ndarray
    """(turn, links): mean side of the box by Taylor models over the sampled one."""
    interval: np.ndarray
    """(turn, links): the same by plain intervals."""
    paper: np.ndarray
    """(stretch, links, quartile): [CATCH eq. 10] over the sampled displacement."""
    ours: np.ndarray
    """(stretch, links, quartile): our motion bound over the sampled displacement."""


@kernel
def _corner(k, center, half):
    return (
        center[0] + (half[0] if k & 1 else -half[0]),
        center[1] + (half[1] if k & 2 else -half[1]),
        center[2] + (half[2] if k & 4 else -half[2]),
    )


@kernel
def _sides(joints, links, center, half, samples, out):
    """Write (n, 3): the mean side of the box by Taylor models, by intervals, by sampling, for each chain."""
    axes = np.eye(3)
    model = np.zeros((3, 4, 5))
    step = np.zeros((3, 4, 5))
    loose = np.zeros((3, 4, 2))
    loose_step = np.zeros((3, 4, 2))
    last = joints.shape[1] - 1
    for n in range(joints.shape[0]):
        taylor.joint_taylor(model, joints[n, 0], 0.0, 1.0)
        interval_matrices.joint_interval(loose, joints[n, 0], 0.0, 1.0)
        for k in range(1, last + 1):
            taylor.joint_taylor(step, joints[n, k], 0.0, 1.0)
            taylor.compose(model, model, step)
            interval_matrices.joint_interval(loose_step, joints[n, k], 0.0, 1.0)
            interval_matrices.interval_compose(loose, loose, loose_step)
        a_lo, a_hi = taylor.swept_box(model, center, axes, half)
        b_lo, b_hi = interval_matrices.interval_swept_box(loose, center, axes, half)
        lo = (np.inf, np.inf, np.inf)
        hi = (-np.inf, -np.inf, -np.inf)
        for i in range(samples):
            rotation, place = chain_pose(joints[n], links, last, -1, i / (samples - 1.0))
            for k in range(8):
                p = vec.add(place, vec.matvec(rotation, _corner(k, center, half)))
                lo = (min(lo[0], p[0]), min(lo[1], p[1]), min(lo[2], p[2]))
                hi = (max(hi[0], p[0]), max(hi[1], p[1]), max(hi[2], p[2]))
        for i in range(3):
            out[n, 0] += (a_hi[i] - a_lo[i]) / 3.0
            out[n, 1] += (b_hi[i] - b_lo[i]) / 3.0
            out[n, 2] += (hi[i] - lo[i]) / 3.0


@kernel
def _displacements(joints, links, center, half, directions, h, samples, out):
    """Write (n, 3): bounds of a corner's displacement along n in [0, h]: [CATCH eq. 10], ours, the sampled one."""
    last = joints.shape[1] - 1
    reach = 0.0
    for k in range(8):
        reach = max(reach, vec.norm(_corner(k, center, half)))
    for n in range(joints.shape[0]):
        direction = vec.load3(directions, n)
        out[n, 0] = paper_bound(joints[n], direction, reach, 0.0, h) * h
        speed, turn, accel, accel_per_reach, _, _, _, _ = chain_bound(joints[n], links, last, -1)
        rotation, place, omega, v, _, _ = chain_state(joints[n], links, last, -1, 0.0)
        fastest = 0.0
        for k in range(8):
            arm = vec.matvec(rotation, _corner(k, center, half))
            fastest = max(fastest, abs(vec.dot(direction, vec.add(v, vec.cross(omega, arm)))))
        out[n, 1] = min((speed + turn * reach) * h, fastest * h + 0.5 * (accel + accel_per_reach * reach) * h * h)
        for i in range(samples):
            moved, at = chain_pose(joints[n], links, last, -1, h * i / (samples - 1.0))
            for k in range(8):
                corner = _corner(k, center, half)
                gone = vec.sub(vec.add(at, vec.matvec(moved, corner)), vec.add(place, vec.matvec(rotation, corner)))
                out[n, 2] = max(out[n, 2], abs(vec.dot(direction, gone)))


def study(seed: int, longest: int = 20, cases: int = CASES) -> Study:
    """Measure both kinds of bounds for chains of 1 to `longest` links."""
    rng = np.random.default_rng(seed)
    boxes = np.zeros((2, len(TURNS), longest))
    motion = np.zeros((2, len(STRETCHES), longest, 3))
    for n in range(1, longest + 1):
        links = bound_chains.serial(n)
        for k, turn in enumerate(TURNS):
            sides = np.zeros((cases, 3))
            _sides(bound_chains.arms(rng, cases, n, np.radians(turn)), links, CENTER, HALF, SAMPLES, sides)
            boxes[:, k, n - 1] = sides[:, :2].mean(axis=0) / sides[:, 2].mean()
        for k, h in enumerate(STRETCHES):
            joints = bound_chains.arms(rng, cases, n, np.radians(MOTION_TURN))
            moved = np.zeros((cases, 3))
            _displacements(joints, links, CENTER, HALF, bound_chains.unit_vectors(rng, cases), h, SAMPLES, moved)
            ratios = moved[:, :2] / moved[:, 2:]
            motion[:, k, n - 1] = np.quantile(ratios, (0.25, 0.5, 0.75), axis=0).T
    return Study(np.arange(1, longest + 1), boxes[0], boxes[1], motion[0], motion[1])


def show(result: Study) -> None:
    """Print the ratios at a few lengths."""
    boxes = Table(title="mean side of the swept box / sampled (1 is perfect)")
    motion = Table(title=f"bound of a displacement / sampled, median, {MOTION_TURN:g}° a joint")
    for table in (boxes, motion):
        table.add_column("links", justify="right")
    for turn in TURNS:
        boxes.add_column(f"Taylor, {turn:g}°", justify="right")
        boxes.add_column(f"interval, {turn:g}°", justify="right")
    for h in STRETCHES:
        motion.add_column(f"eq. 10, h = {h:g}", justify="right")
        motion.add_column(f"ours, h = {h:g}", justify="right")
    for n in result.links:
        if n in (1, 2, 3, 5, 7, 10, 15, 20):
            pairs = zip(result.taylor[:, n - 1], result.interval[:, n - 1], strict=True)
            boxes.add_row(str(n), *(cell for a, b in pairs for cell in (f"{a:.3f}", f"{b:.4g}")))
            pairs = zip(result.paper[:, n - 1, 1], result.ours[:, n - 1, 1], strict=True)
            motion.add_row(str(n), *(f"{x:.3g}" for pair in pairs for x in pair))
    console.print(boxes)
    console.print(motion)


def draw(result: Study, path: str) -> None:
    """Write the two-panel figure: swept boxes ([CATCH fig. 5] as a graph) and motion bounds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter

    ours, theirs, quiet = "#1b6ca8", "#d1495b", "#6b7280"
    styles = ("-", "--")
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), constrained_layout=True)
    for k, turn in enumerate(TURNS):
        left.plot(result.links, result.interval[k], styles[k], color=theirs, label=f"intervals, {turn:g}° a joint")
        left.plot(result.links, result.taylor[k], styles[k], color=ours, label=f"Taylor models, {turn:g}° a joint")
    for k, h in enumerate(STRETCHES):
        when = "the whole motion" if h == 1.0 else f"1/{round(1 / h)} of it"
        for data, color, name in ((result.paper, theirs, "eq. 10"), (result.ours, ours, "ours")):
            right.plot(result.links, data[k, :, 1], styles[k], color=color, label=f"{name}, {when}")
    # Quartiles of the last stretch only: four overlapping bands hide the lines.
    for data, color in ((result.paper, theirs), (result.ours, ours)):
        right.fill_between(result.links, data[-1, :, 0], data[-1, :, 2], color=color, alpha=0.12, linewidth=0)
    left.set_title("Swept box of the last link")
    left.set_ylabel("mean side / side of the sampled box")
    right.set_title(f"Displacement along a direction, {MOTION_TURN:g}° a joint")
    right.set_ylabel("bound / sampled (median; quartiles shaded)")
    for panel in (left, right):
        panel.set_yscale("log")
        panel.set_xlabel("links in the chain")
        panel.set_xticks([1, 5, 10, 15, 20])
        panel.set_xlim(1, result.links[-1])
        panel.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}"))
        panel.axhline(1.0, color=quiet, linewidth=0.8, label="sampled motion", zorder=1)
        panel.grid(axis="y", color="#e5e7eb", linewidth=0.6)
        panel.legend(frameon=False, loc="upper left")
    right.set_ylim(0.8, 400.0)
    figure.savefig(path, dpi=160)
    plt.close(figure)
