"""The engine with one of its ideas taken out, in a process of its own: what the idea is worth, without a switch in it.

A variant is a set of kernels that stand in for the engine's own of the same name and arguments. They are put in place
before anything is compiled, and compiled code is kept apart (`TOCSIN_CACHE`), so the engine that users get has no
branch for any of this. Every stand-in keeps the engine's promise, only with a weaker bound or a longer search:

taylor    boxes that links sweep, and times until which pairs are free, by Taylor models; without: by interval matrices
          [CATCH 5.1, fig. 5] [ARTICULATE 4.1], and no such times
temporal  what is proven free until the best time so far is dropped, and pairs that Taylor models hold apart are not
          advanced [CATCH 7.1]; without: every pair is advanced by itself to the end
hulls     a pair starts with the hulls of its shapes [CATCH 7.2]; without: with its hierarchies
bound     steps by velocity now and a bound on acceleration, in the frame of the pair's lowest common ancestor; without:
          by the speed bound alone, in the world's frame. That is [CATCH eq. 10] with |n x w_1| replaced by
          |w_1| and |v_1 . n| by |v_1|: the projection of the first joint's velocities is left out, because a step does
          not know them. (`python -m tocsin_bench bounds` has the whole equation, over numbers of links.)
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from tocsin.advancement.engine import OPEN, advance, hulls_step
from tocsin.bounds.motion_bound import SHRINK, safe_step, sharper_step
from tocsin.broad_phase.sweep import geom_box
from tocsin.broad_phase.temporal import free_until
from tocsin.compiler.jit import kernel
from tocsin.compiler.store import folder as cache_folder
from tocsin.model.tables import CONVEX
from tocsin.motion.chain import common_ancestor
from tocsin.motion.joints import UP
from tocsin.outcome import CONTACT, FREE
from tocsin.simd.lanes import select
from tocsin_bench import race, report
from tocsin_bench.campaigns.interval_matrices import interval_compose, interval_swept_box, joint_interval
from tocsin_bench.peers.remote import Worker, serve
from tocsin_bench.scenes import cases, trains


@kernel
def interval_box(boxes, row, chains, points, geom, t0, t1, margin):
    """Write the box that a shape sweeps during [t0, t1] by the product of its joints' interval matrices.

    Claim: no point of the shape leaves it. Proof: each interval matrix contains its joint's motion at every time of the
    slab, so their product contains the link's; the noise of the joint records is added as in `geom_box`.
    """
    sweeps, joints, links = chains.sweeps, chains.joints, chains.links
    i = geom["link"]
    whole = np.zeros((3, 4, 2))
    step = np.zeros((3, 4, 2))
    joint_interval(whole, joints[i], t0, t1)
    up = links[i]["parent"]
    while up >= 0:
        joint_interval(step, joints[up], t0, t1)
        interval_compose(step, step, whole)
        whole, step = step, whole
        up = links[up]["parent"]
    lo, hi = interval_swept_box(whole, geom["center"], geom["axes"], geom["half"])
    error = (sweeps[i]["noise"] * (sweeps[i]["length"] + geom["reach"]) + margin) * UP
    for c in range(3):
        boxes[row, c] = lo[c] - error
        boxes[row, 3 + c] = hi[c] + error


@kernel
def free_at_first(pair, geom_a, geom_b, chains, t0, t1):
    """Return t0, until which nothing has to be proven, and say that there are no Taylor models."""
    pair["taylor"] = -1.0
    return t0


@kernel
def advance_each(tables, pairs, n_pairs, slab, any_contact, max_steps, counts, resume):
    """Return (status, time, pair) as `advance` does, having advanced every pair by itself, as if it were alone.

    The earliest of their first contacts is the first of all; an undecided pair ends what is proven, as a contact does.
    """
    status = FREE
    first = math.inf
    found = -1
    for p in range(n_pairs):
        said, time, _ = advance(tables, pairs[p : p + 1], 1, slab, any_contact, max_steps, counts, False)
        if said != FREE and (time < first or (time == first and said == CONTACT)):
            status, first, found = said, time, p
        if said != FREE and any_contact:
            break
    return status, first, found


@kernel
def hulls_opened(tables, pair, seen, by_hulls, need, counts):
    """Return (h, decided) as `hulls_step` does for convex solids, their own hulls; open all others at once."""
    geoms = tables.world.geoms
    if geoms[pair["a"]]["kind"] == CONVEX and geoms[pair["b"]]["kind"] == CONVEX:
        return hulls_step(tables, pair, seen, by_hulls, need, counts)
    return 0.0, OPEN


@kernel
def speed_step(gap, v, acceleration, speed, need):
    """Return h > 0 such that gap - speed s > 0 for every s in [0, h]; inf if that holds up to `need`; 0 if gap <= 0."""
    apart = gap > 0.0
    left = select(apart, gap, 0.0)
    at_once = speed * need < left * SHRINK
    h = left / select(speed > 0.0, speed, 1.0) * SHRINK
    return select(apart, select(at_once, math.inf, h), 0.0)


@kernel
def same_step(h, gap, v, now, acceleration, jerk, need):
    """Return h."""
    return h


@kernel
def world_frame(links, a, b):
    """Return -1, the world, which is an ancestor of every link."""
    return -1


AS_IT_IS = ""
"""The variant from which nothing is taken out."""

VARIANTS: Mapping[str, tuple[tuple[Any, Any], ...]] = {
    "taylor": ((geom_box, interval_box), (free_until, free_at_first)),
    "temporal": ((advance, advance_each), (free_until, free_at_first)),
    "hulls": ((hulls_step, hulls_opened),),
    "bound": ((safe_step, speed_step), (sharper_step, same_step), (common_ancestor, world_frame)),
}
"""What is taken out -> the engine's kernels, and what stands in for each."""

ENGINE = ("tocsin.scene", "tocsin.queries.contact_intervals", "tocsin_bench.campaigns.planted")
"""Modules to be there before kernels are replaced."""


def take_out(name: str) -> int:
    """Put a variant in the place of the engine, everywhere but here; nothing may be compiled yet. Return in how many
    places."""
    replaced = 0
    for module in ENGINE:
        importlib.import_module(module)
    ours = ("tocsin.", "tocsin_bench.")
    modules = [module for key, module in sys.modules.items() if key.startswith(ours) and key != __name__]
    for original, stand_in in VARIANTS[name]:
        for module in modules:
            for key in [key for key, value in vars(module).items() if value is original]:
                setattr(module, key, stand_in)
                replaced += 1
    return replaced


class Service:
    """What the worker does: scenes by name, asked with one idea taken out."""

    def take_out(self, name: str) -> int:
        """Choose the variant; before anything else."""
        return take_out(name)

    def prepare(self, name: str, count: int) -> int:
        """Make a scene and its questions; return how many there are."""
        self.case = SCENES[name](count)
        return len(self.case.questions)

    def run(self, questions: list[int]) -> tuple[np.ndarray, list[float]]:
        """Ask the questions with these numbers; seconds, and times of contact."""
        asked = self.case.questions
        seconds, hits = report.asking(lambda k: self.case.scene.first_contact(*asked[k]))(questions)
        self.hits = hits
        return seconds, [race.time_of(hit) for hit in hits]

    def counts(self) -> dict[str, float]:
        """What the last run has counted, mean of a question."""
        return {key: float(np.mean([getattr(hit.stats, key) for hit in self.hits])) for key in race.COUNTS}

    def planted(self, rigid: int, articulated: int, seed: int) -> int:
        """How many promises the variant breaks on planted contacts."""
        from tocsin_bench.campaigns import planted

        families = ((planted.rigid_cases, rigid), (planted.articulated_cases, articulated))
        return sum(planted.campaign(made, count, seed).wrong for made, count in families)


SCENES = {
    "walk": cases.walk,
    "exercise": cases.exercise,
    "tori": lambda count: cases.tori(10_000, count),
    "snake of 20 links": lambda count: cases.snake(20, count),
    "long turns": cases.swings,
    "four trains": lambda count: trains.four(count)[0],
    "falling train": lambda count: trains.falling(trains.mountain, count)[0],
}
"""What is asked: among chess pieces, against itself, two meshes, a long chain, an arm that turns far, many chains."""


def worker(name: str) -> Worker:
    """A process with this variant; compiled code is kept in a folder of its own."""
    if name == AS_IT_IS:
        return Worker("tocsin_bench.measures.variants", {})
    folder = cache_folder()
    made = Worker(
        "tocsin_bench.measures.variants", {} if folder is None else {"TOCSIN_CACHE": str(folder / "variants" / name)}
    )
    made.call("take_out", name)
    return made


if __name__ == "__main__":
    # Under its own name, so that what is compiled here is found again.
    from tocsin_bench.measures import variants

    serve(variants.Service())
