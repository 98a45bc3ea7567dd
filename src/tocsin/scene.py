"""The page users read: a scene, and the questions one can ask of it. How they are answered is in `queries/`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tocsin import _cast, queries
from tocsin import proofs as proofs  # provides Robot.prove_pairs
from tocsin._provided import Provided
from tocsin.limits import MAX_STEPS
from tocsin.model.base import Model, Motion
from tocsin.model.sizes import remark_on_sizes
from tocsin.options import BACKENDS, METHODS
from tocsin.queries.context import Context, context_of
from tocsin.queries.distance import distance
from tocsin.queries.engines.advancement import ENGINE as ADVANCEMENT
from tocsin.queries.first_contact import engine_of, first_contact, is_free
from tocsin.queries.rules import Margins
from tocsin.results import ContactIntervals, Distance, FirstContact, TimedContacts

if TYPE_CHECKING:
    from tocsin.proofs.prove import Proof
    from tocsin.queries.distances import Distances
    from tocsin.queries.edges import FirstContacts, Groups, Movers
    from tocsin.queries.penetration import Penetration
    from tocsin.queries.threads import Progress
    from tocsin.soft_results import FeatureContacts, TriangleTimes

DEFAULT = METHODS[0]
"""The engine of a question that names none, which is told by the very same word: no call is made for it."""

SHOWN: Provided[..., View] = Provided("shows a scene in a notebook", "tocsin.viewer.notebook")
PICTURED: Provided[[Scene], str] = Provided("draws a scene for a notebook", "tocsin.viewer.notebook")


class View(Protocol):
    """What a notebook shows; `tocsin.viewer.notebook.View`."""

    def save(self, path: str | Path) -> Path:
        """Write the page to a file and return its path."""
        ...


class Scene:
    """Models that may touch each other: bodies, robots and deformable models, moving or standing.

    >>> ball, wall = Body(Sphere(0.1), name="ball"), Body(Box((0.01, 2, 2)), (1, 0, 0), name="wall")
    >>> scene = Scene(ball, wall)
    >>> scene.is_free(ball.move((0, 0, 0), (2, 0, 0))), scene.is_free(ball.move((0, 0, 0), (0, 2, 0)))
    (False, True)

    A model without a motion stands where it is. A question with motions checks every pair of shapes of which at least
    one belongs to a model that moves; a question without motions checks all pairs.

    `backend`: the hierarchy over meshes: "triangles" (a tree of boxes, the default) or "hulls" (a tree of convex hulls
    over convex pieces, bounded by GJK [CATCH 4]). `python -m tocsin_bench backends` compares them.
    `threads`: how many processors run batches and questions about deformable models; by default all.
    `charts`: make maps of the joint values at which two links are apart. Links one to three joints apart get one when
    they have cost enough time; it takes a tenth of a second and is kept on disk. Answers are the same with and without.
    Questions with a lower `max_steps` than the default do without.
    """

    def __init__(
        self, *models: Model, backend: str = "triangles", threads: int | None = None, charts: bool = True
    ) -> None:
        self.context: Context = context_of(models, backend, threads, charts)
        """Tables, buffers and rules: what the questions work with, and not for users."""
        self.models: tuple[Model, ...] = self.context.models
        self.names: tuple[str, ...] = self.context.names
        remark_on_sizes(models)

    @property
    def threads(self) -> int | None:
        """How many processors run batches and questions about deformable models; None for all."""
        return self.context.threads

    @threads.setter
    def threads(self, threads: int | None) -> None:
        self.context.threads = None if threads is None else _cast.count(threads, "threads")

    @property
    def charts(self) -> bool:
        """Whether charts are made; see `Scene`."""
        return self.context.charts.wanted

    @charts.setter
    def charts(self, charts: bool) -> None:
        self.context.charts.wanted = _cast.flag(charts, "charts")

    @property
    def margins(self) -> Margins:
        """Margins of single pairs, in metres, beside a question's own: `scene.margins["hand", "table"] = 0.02`."""
        return self.context.rules.margins

    def __reduce__(self) -> tuple[object, ...]:
        how = BACKENDS[self.context.hulls], self.threads, self.charts
        return _restored, (self.models, *how, self.context.rules.ignored, dict(self.margins))

    def __repr__(self) -> str:
        return f"<Scene of {len(self.models)} models: {', '.join(self.names)}>"

    def ignore(self, a: str, b: str) -> None:
        """Do not check a against b: names of models, of links, or 'model/link' where models share a link's name.

        The name of a deformable model, given twice, switches off its contact with itself.
        """
        self.context.rules.ignore(a, b)

    def first_contact(
        self,
        *motions: Motion,
        margin: float = 0.0,
        tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
        method: str = "advancement",
        deadline: float | None = None,
    ) -> FirstContact:
        """Return when, where and between which features anything first touches, over t in [0, 1].

        `margin` (metres): contact means a distance of at most this. `tolerance` (metres): how far beyond the margin a
        reported contact may be; by default 1e-4 of the diagonal of the smaller geometry of the pair. `max_steps` caps
        the work: a capped answer has status CAPPED and says until when freedom is proven. `method`: "advancement", or
        "interval", a second engine that keeps the same promise by equations and intervals. `deadline` (seconds): the
        search ends after this time, CAPPED, with what is proven by then; `hit.resume()` goes on from there.
        """
        engine = ADVANCEMENT if method is DEFAULT and deadline is None else engine_of(method, deadline)
        return first_contact(self.context, motions, margin, tolerance, max_steps, engine, scene=self)

    def is_free(
        self, *motions: Motion, margin: float = 0.0, tolerance: float | None = None, max_steps: int = MAX_STEPS,
        method: str = "advancement", deadline: float | None = None,
    ) -> bool:  # fmt: skip
        """Return True only if it is proven that nothing comes within the margin at any time in [0, 1].

        The arguments are those of `first_contact`; a motion that a `deadline` leaves undecided is not proven free.
        """
        engine = ADVANCEMENT if method is DEFAULT and deadline is None else engine_of(method, deadline)
        return is_free(self.context, motions, margin, tolerance, max_steps, engine)

    def prove(self, *motions: Motion, margin: float = 0.0, tolerance: float | None = None) -> Proof:
        """Return a proof that nothing comes within the margin during the motions, or that something does.

        Of freedom it holds, for every pair of shapes and every moment, a direction along which they are apart; of
        contact two points of two shapes that are within margin + tolerance at one moment. `proof.save("edge.proof")`
        writes a file that `tocsin verify` checks with a program that shares nothing with this one (docs/proofs.md).
        All rigid motions of bodies and robots; meshes with `solid=True` and deformable models are not covered, and
        refused.
        """
        from tocsin.proofs.prove import prove

        return prove(self.context, motions, margin, tolerance)

    def safe_step(
        self, *motions: Motion, margin: float = 0.0, tolerance: float | None = None, deadline: float | None = None
    ) -> float:
        """Return the largest fraction of the motions, up to 1, that a simulator may take: free until then, proven.

        At that fraction everything still keeps more than the margin, unless the fraction is 0. The step stops before a
        contact, at a distance of no more than the tolerance (metres), as in `first_contact`.
        """
        return min(self.first_contact(*motions, margin=margin, tolerance=tolerance, deadline=deadline).time, 1.0)

    @overload
    def contacts(
        self, *motions: Motion, every: Literal["pair"], margin: float = 0.0, tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
    ) -> FeatureContacts: ...  # fmt: skip
    @overload
    def contacts(
        self, *motions: Motion, every: Literal["triangle"], margin: float = 0.0, tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
    ) -> TriangleTimes: ...  # fmt: skip
    @overload
    def contacts(
        self, *motions: Motion, every: Literal["contact"], exact: bool = False, resolution: str | float = "medium",
        time_resolution: float | None = None, properness: float | None = None,
    ) -> TimedContacts: ...  # fmt: skip
    @overload
    def contacts(
        self, *motions: Motion, every: None = None, exact: bool = False, resolution: str | float = "medium",
        time_resolution: float | None = None, properness: float | None = None, margin: float = 0.0,
        tolerance: float | None = None, max_steps: int = MAX_STEPS,
    ) -> TimedContacts | FeatureContacts: ...  # fmt: skip
    def contacts(
        self,
        *motions: Motion,
        every: Literal["contact", "pair", "triangle"] | None = None,
        exact: bool = False,
        resolution: str | float = "medium",
        time_resolution: float | None = None,
        properness: float | None = None,
        margin: float = 0.0,
        tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
    ) -> TimedContacts | FeatureContacts | TriangleTimes:
        """Return every contact during the motions, not only the first, sorted by time.

        Of rigid bodies (`every="contact"`, the default where nothing is deformable): where corners and edges enter each
        other's faces while each pair moves on its relative screw, with how properly the surfaces face each other there.
        `resolution` of the collision screen: "low", "medium", "high" or metres; `time_resolution` in parts of the
        motion; contacts less proper than `properness` are left out (-0.1 by default; -1 for all). `exact`: without a
        screen, complete by proof; of all properness by default. Returns `TimedContacts`.

        Of deformable models: `every` "pair" (the default where there are some) for each touching pair of features with
        its own first time, as `FeatureContacts`; "triangle" for the first time of each triangle, as `TriangleTimes`.
        `margin` and `tolerance`, for these, as in `first_contact`, whose time is that of the first in the list.
        `max_steps` caps the work, and what is listed: a list that it ended has `complete=False`.
        """
        screen = resolution, time_resolution, properness, exact
        return queries.all_contacts.contacts(self.context, motions, every, screen, (margin, tolerance, max_steps))

    def contact_intervals(
        self, *motions: Motion, margin: float = 0.0, tolerance: float | None = None, max_steps: int = MAX_STEPS
    ) -> ContactIntervals:
        """Return for each pair of links all intervals [enter, exit] of [0, 1] during which they are in contact.

        Proven: every time at which two links are within the margin lies in one of their intervals, and at every time of
        an interval they are within margin + tolerance. `margin`, `tolerance` and `max_steps` as in `first_contact`.
        """
        return queries.contact_intervals.contact_intervals(self.context, motions, margin, tolerance, max_steps)

    def distance(self, *placements: Motion) -> Distance:
        """Return the smallest distance of the given models to everything else, where they stand.

        `placements`: from `robot.at(q)`, `body.at(pose)` and `cloth.at(V)`; models not named stand where they are; none
        given means the smallest distance of all pairs. Margins do not count; ignored pairs are left out. Deformable
        models count against themselves too, neighbouring features that share no vertex included. The work is bounded: a
        search that takes four million tests (of deformable models, a million steps a question) ends with what it has,
        a `lower` that holds and is farther from `distance`.
        """
        return distance(self.context, placements)

    def penetration(self, *placements: Motion) -> list[Penetration]:
        """Return how deep links are in each other, a `Penetration` for each pair that touches, the deepest first.

        `placements` as in `distance`. Moved by `depth` along `direction`, link b is clear of link a: that is proven. No
        translation shorter than `lower` would do; where both are convex the two are equal but for rounding. Links that
        are not convex are taken apart along a few directions, so theirs may be larger than need be.

        >>> a, b = Body(Box((1, 1, 1)), name="a"), Body(Box((1, 1, 1)), (0.8, 0.1, 0), name="b")
        >>> [(one.link_b, round(one.depth, 6), one.direction.round(6).tolist()) for one in Scene(a, b).penetration()]
        [('b', 0.2, [1.0, 0.0, 0.0])]
        """
        return queries.penetration.penetration(self.context, placements)

    def show(
        self, *motions: Motion, hit: object = None, margin: float = 0.0, title: str | None = None,
        samples: int | Sequence[float] | None = None, height: int = 520,
    ) -> View:  # fmt: skip
        """Return a playing view for a notebook, as the last line of its cell; arguments as those of `save_page`.

        `height` is in pixels. An answer of `first_contact`, as the last line of a cell, shows itself like this.
        """
        return SHOWN(self, motions, hit, margin, title, samples, height)

    def _repr_html_(self) -> str:
        return PICTURED(self)

    # ---- many at once ------------------------------------------------------------------------------------------------

    def check_edges(
        self, model: Movers, Q0: ArrayLike, Q1: ArrayLike, *, margin: float = 0.0, group: Groups = None,
        tolerance: float | None = None, max_steps: int = MAX_STEPS, deadline: float | None = None,
        threads: int | None = None, progress: Progress | bool = False, device: str = "cpu",
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Return (n,): which of the motions from the rows of Q0 to those of Q1 are proven free, as `is_free` says.

        Rows are configurations of a robot, of all its joints or those of a `group` (the others stand), or poses of a
        body, (n, 4, 4) or (n, 3). For several models that move at once, give a list of models, and for Q0, Q1 and
        `group` lists with an entry for each. All processors work, or `threads` of them; answers are the same, bit by
        bit. `deadline` (seconds): motions that are not decided by then count as not proven. `progress`: True for a bar,
        or a function of (done, n). Ctrl-C raises `BatchInterrupted`, which has the answers so far.

        `device`: "cpu", or "cuda" for an NVIDIA GPU (needs `tocsin[cuda]`); threads decide what it leaves undecided.
        True is proven there too. Where a motion passes between margin and margin + tolerance, one device may say True
        and the other False. Without a GPU, with several models, or with a deadline, threads answer, and a warning says
        so.

        Many arguments because each is an option of a batch, which users name alone.
        """
        edges = queries.edges
        asking = edges.Asking(margin, tolerance, max_steps, threads, progress, deadline, device)
        return edges.are_free(edges.Points(self.context, model, {"Q0": Q0, "Q1": Q1}, group), asking)

    def first_contacts(
        self, model: Movers, Q0: ArrayLike, Q1: ArrayLike, *, margin: float = 0.0, group: Groups = None,
        tolerance: float | None = None, max_steps: int = MAX_STEPS, deadline: float | None = None,
        threads: int | None = None, progress: Progress | bool = False, device: str = "cpu",
    ) -> FirstContacts:  # fmt: skip
        """Return the first contacts of the motions from the rows of Q0 to those of Q1, as arrays.

        Many arguments because they are those of `check_edges`.
        """
        edges = queries.edges
        asking = edges.Asking(margin, tolerance, max_steps, threads, progress, deadline, device)
        return edges.first_contacts(edges.Points(self.context, model, {"Q0": Q0, "Q1": Q1}, group), asking, self)

    def measure_edges(
        self, model: Movers, Q0: ArrayLike, Q1: ArrayLike, *, margin: float = 0.0, group: Groups = None,
        tolerance: float | None = None, max_steps: int = MAX_STEPS, deadline: float | None = None,
        threads: int | None = None, progress: Progress | bool = False, device: str = "cpu",
    ) -> NDArray[np.float64]:  # fmt: skip
        """Return (n,): how much of each motion, up to 1, is proven free, as `safe_step` says.

        Many arguments because they are those of `check_edges`.
        """
        edges = queries.edges
        asking = edges.Asking(margin, tolerance, max_steps, threads, progress, deadline, device)
        return edges.proven_free(edges.Points(self.context, model, {"Q0": Q0, "Q1": Q1}, group), asking, self)

    def check_paths(
        self, model: Movers, paths: Sequence[ArrayLike] | ArrayLike, *, margin: float = 0.0,
        group: Groups = None, tolerance: float | None = None, max_steps: int = MAX_STEPS,
        deadline: float | None = None, threads: int | None = None, progress: Progress | bool = False,
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Return (n,): which paths of one model are proven free; each has at least two rows, as `follow` takes them.

        Many arguments because they are those of `check_edges`.
        """
        edges = queries.edges
        asking = edges.Asking(margin, tolerance, max_steps, threads, progress, deadline)
        return edges.are_free_paths(self.context, model, paths, group, asking)

    def check_configurations(
        self, model: Movers, Q: ArrayLike, *, margin: float = 0.0, group: Groups = None,
        tolerance: float | None = None, max_steps: int = MAX_STEPS, deadline: float | None = None,
        threads: int | None = None, progress: Progress | bool = False,
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Return (n,): at which rows of Q, configurations or poses, everything is proven free; see `check_edges`.

        Many arguments because they are those of `check_edges`.
        """
        edges = queries.edges
        asking = edges.Asking(margin, tolerance, max_steps, threads, progress, deadline)
        return edges.are_free(edges.Points(self.context, model, {"Q": Q}, group), asking)

    def distances(
        self, model: Movers, Q: ArrayLike, *, group: Groups = None, threads: int | None = None,
        progress: Progress | bool = False,
    ) -> Distances:  # fmt: skip
        """Return the smallest distances at the rows of Q, as arrays; see `distance` and `check_edges`."""
        edges = queries.edges
        asking = edges.Asking(0.0, None, MAX_STEPS, threads, progress)
        return queries.distances.distances(edges.Points(self.context, model, {"Q": Q}, group), asking)


def _restored(
    models: tuple[Model, ...], backend: str, threads: int | None, charts: bool, ignored: set[tuple[str, str]],
    margins: dict[tuple[str, str], float],
) -> Scene:  # fmt: skip
    """Return a scene that was sent from another process; its tables are made again."""
    scene = Scene(*models, backend=backend, threads=threads, charts=charts)
    scene.context.rules.ignore_all(ignored)
    scene.margins.given.update(margins)
    return scene
