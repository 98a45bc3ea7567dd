"""python-fcl as a judge: does anything touch at any of thousands of evenly spaced configurations of a motion?

Every sample is decided, few are computed. A distance d, measured by FCL at sample c, decides all samples at which the
pair has moved by less than d. How far a pair moves is summed over the samples: from one to the next, no point of a
shape that lies in the ball (centre z, radius r) moves by more than |dz| + r |dR|, where |dR| = |dR|_F / sqrt(2) is the
norm of the difference of two rotations (both are 2 sin(angle / 2)); by the triangle inequality the sum over the samples
between c and k, the difference of `arc`, bounds the displacement from c to k. A pair of links is measured in the frame
of one of them. Nothing is said about times between samples: this is what sampling knows, only cheaper.

Before FCL is asked at all, balls that cover the shapes are compared with boxes, cylinders and balls by their exact
formulas, in the middle of each of `BLOCKS` stretches, and the same argument decides most stretches at once.

How far FCL 0.7 can be trusted, against exact distances (`oracles`):

- `fcl.collide` was right at all gaps and depths tried, down to 1e-7 m: it alone says what touches.
- `fcl.distance` of meshes, boxes and balls that are apart is exact to 1e-15 m. That of a cylinder comes from an
  iteration that stops early near the rims: up to 1e-4 m too much. So a distance to a cylinder, less `ROUGH`, decides
  neighbouring samples, and whether a contact is within its tolerance is settled by `within`, by `collide`.
- `fcl.distance` of a mesh and a ball that overlap is what lay in memory before (7e-322, for instance): not asked.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tocsin_bench.campaigns.mbm_files import Chain, Solid, Surface

ACCURACY = 1e-6
"""Metres by which a gap may be misjudged by `fcl.collide`; and more than rounding in the formulas here."""
ROUGH = 5e-4
"""Metres by which FCL's distance to a cylinder is trusted to be no more than too large."""
SMALLEST = 1e-300
"""The distance of shapes that `fcl.collide` finds apart, and `fcl.distance` at 0."""
BLOCKS = 32
BALLS = 16


@dataclass(frozen=True)
class Touch:
    """FCL finds two shapes in contact at sample `sample`."""

    sample: int
    link: str
    other: str


@dataclass(eq=False)
class _Geom:
    """A shape of the robot: its link, its FCL object, and the balls that cover it, the first of them all of it."""

    link: int
    rotation: np.ndarray
    shift: np.ndarray
    fcl: Any
    centers: np.ndarray
    radii: np.ndarray


class Sweep:
    """Where the shapes of a robot are at many times of a motion."""

    def __init__(self, geoms: Sequence[_Geom], rotation: np.ndarray, shift: np.ndarray) -> None:
        n = shift.shape[-1]
        self.rotation, self.shift = np.zeros((len(geoms), 3, 3, n)), np.zeros((len(geoms), 3, n))
        for k, geom in enumerate(geoms):
            parent = rotation[geom.link]
            self.rotation[k] = np.einsum("ijn,jk->ikn", parent, geom.rotation)
            self.shift[k] = shift[geom.link] + np.einsum("ijn,j->in", parent, geom.shift)
        self.n = n
        self._ball = [(geom.centers[0], float(geom.radii[0])) for geom in geoms]
        self._relative: dict[tuple[int, int], np.ndarray] = {}

    @cached_property
    def arc(self) -> np.ndarray:
        """(geoms, n): how far the points of each shape have gone at most, from the first sample on."""
        return np.stack([_arc(r, s, *ball) for r, s, ball in zip(self.rotation, self.shift, self._ball)])

    def relative_arc(self, a: int, b: int) -> np.ndarray:
        """(n,): the same of shape b as seen from shape a."""
        if (a, b) not in self._relative:
            frame = self.rotation[a]
            rotation = np.einsum("jin,jkn->ikn", frame, self.rotation[b])
            shift = np.einsum("jin,jn->in", frame, self.shift[b] - self.shift[a])
            self._relative[a, b] = _arc(rotation, shift, *self._ball[b])
        return self._relative[a, b]


def _arc(rotation: np.ndarray, shift: np.ndarray, center: np.ndarray, radius: float) -> np.ndarray:
    """Return (n,): the sum of the largest displacements, from sample to sample, of points of a ball."""
    turn = np.diff(rotation, axis=-1).reshape(9, -1)
    step = np.diff(np.einsum("ijn,j->in", rotation, center) + shift, axis=-1)
    moved = np.sqrt((step**2).sum(axis=0)) + radius * np.sqrt(0.5 * (turn**2).sum(axis=0))
    return np.concatenate(([0.0], np.cumsum(moved)))


class Judge:
    """A robot, by its URDF, among the objects of one scene after the other."""

    def __init__(self, chain: Chain, joint_names: Sequence[str], ignored: Iterable[tuple[str, str]]) -> None:
        """`ignored`: pairs of links that are not compared; `joint_names`: the order of configurations."""
        self.chain = chain
        self.joint_names = tuple(joint_names)
        self.calls = 0
        """How often FCL was asked."""
        self.geoms = [_geom(i, shape) for i, shapes in enumerate(chain.shapes) for shape in shapes]
        self._centers = np.stack([geom.centers for geom in self.geoms])
        self._radii = np.stack([geom.radii for geom in self.geoms])
        self._ignored = {frozenset(pair) for pair in ignored}
        self.enter({}, ())

    def enter(self, scene: dict[str, list[Solid]], allowed: Iterable[tuple[str, str]]) -> None:
        """Go into a scene; `allowed`: names of links and objects that may touch each other there."""
        self._solids = _Solids([solid for solids in scene.values() for solid in solids])
        self._cylinders = set(np.flatnonzero(self._solids.is_round).tolist())
        # Shapes of the robot first, then the solids of the scene, under one numbering.
        names = [self.chain.links[geom.link] for geom in self.geoms]
        names += [name for name, solids in scene.items() for _ in solids]
        self.names = names
        self._objects = [geom.fcl for geom in self.geoms] + [_fcl_object(solid) for solid in self._solids.solids]
        may_touch = self._ignored | {frozenset(pair) for pair in allowed} | {frozenset((name,)) for name in names}
        pairs = [(a, b) for a in range(len(self.geoms)) for b in range(a + 1, len(names))]
        self.pairs = np.array([(a, b) for a, b in pairs if frozenset((names[a], names[b])) not in may_touch])
        self.pairs = self.pairs.reshape(-1, 2)

    def sweep(self, q_t0: np.ndarray, q_t1: np.ndarray, times: np.ndarray) -> Sweep:
        """Return the motion from q_t0 to q_t1 at these times, in ascending order."""
        q = q_t0 + times[:, None] * (q_t1 - q_t0)
        return self.through(q)

    def through(self, q: np.ndarray) -> Sweep:
        """Return the motion through configurations, one a row."""
        return Sweep(self.geoms, *self.chain.poses(self.joint_names, q))

    def distance(self, sweep: Sweep, sample: int, link: str, other: str) -> float:
        """Return FCL's distance of a link to another link or to an object, by name; 0 if they touch."""
        return min(self.gap(sweep, a, b, sample) for a, b in itertools.product(*self._named(link, other)))

    def within(self, sweep: Sweep, sample: int, link: str, other: str, gap: np.ndarray) -> bool:
        """Do a link and another link or an object touch when the link is shifted by the vector `gap`?

        If they do, they are at most |gap| apart: two points that meet after the shift were that far from each other.
        """
        import fcl

        first, second = self._named(link, other)
        for a, b in itertools.product(first, second):
            self._place(sweep, sample, b)
            self._place(sweep, sample, a, gap)
            if fcl.collide(self._objects[a], self._objects[b]):
                return True
        return False

    def _named(self, link: str, other: str) -> tuple[list[int], list[int]]:
        """Return the numbers of the shapes of a link, and of another link or an object."""
        first, second = ([k for k, name in enumerate(self.names) if name == wanted] for wanted in (link, other))
        return [k for k in first if k < len(self.geoms)], second

    def touch(self, sweep: Sweep, start: int = 0, stop: int | None = None) -> Touch | None:
        """Return a contact at one of the samples from `start` to before `stop`, not always the first; None if free."""
        last = sweep.n if stop is None else stop
        if start >= last:
            return None
        for pair, lo, hi in self.undecided(sweep, start, last):
            a, b = self.pairs[pair].tolist()
            moving = b < len(self.geoms)
            found = self._search(sweep, a, b, sweep.relative_arc(a, b) if moving else sweep.arc[a], lo, hi)
            if found is not None:
                return Touch(found, self.names[a], self.names[b])
        return None

    def _search(self, sweep: Sweep, a: int, b: int, arc: np.ndarray, lo: int, hi: int) -> int | None:
        """Return a sample in [lo, hi) at which this pair touches; None if FCL sees none."""
        slack = ROUGH if b - len(self.geoms) in self._cylinders else ACCURACY
        stretches = [(lo, hi)]
        while stretches:
            lo, hi = stretches.pop()
            middle = (lo + hi) // 2
            d = self.gap(sweep, a, b, middle)
            if d == 0.0:
                return middle
            reach = d - slack
            if reach > 0.0:
                left = lo + int(np.searchsorted(arc[lo:middle], arc[middle] - reach, side="right"))
                right = middle + 1 + int(np.searchsorted(arc[middle + 1 : hi], arc[middle] + reach, side="left"))
            else:
                left, right = middle, middle + 1
            stretches += [(i, k) for i, k in ((lo, left), (right, hi)) if i < k]
        return None

    def gap(self, sweep: Sweep, a: int, b: int, sample: int) -> float:
        """Return FCL's distance of two shapes, by number; 0 if they touch."""
        import fcl

        if self.touches(sweep, a, b, sample):
            return 0.0
        return max(float(fcl.distance(self._objects[a], self._objects[b])), SMALLEST)

    def touches(self, sweep: Sweep, a: int, b: int, sample: int) -> bool:
        """Do two shapes, by number, touch at a sample?"""
        import fcl

        self.calls += 1
        self._place(sweep, sample, a)
        self._place(sweep, sample, b)
        return bool(fcl.collide(self._objects[a], self._objects[b]))

    def _place(self, sweep: Sweep, sample: int, geom: int, gap: Any = 0.0) -> None:
        """Put the FCL object of a shape where it is at a sample; objects of the scene stand."""
        import fcl

        if geom < len(self.geoms):
            pose = fcl.Transform(sweep.rotation[geom, :, :, sample], sweep.shift[geom, :, sample] + gap)
            self._objects[geom].setTransform(pose)

    def undecided(self, sweep: Sweep, start: int, stop: int) -> list[tuple[int, int, int]]:
        """Return (pair, lo, hi): stretches of samples that the covering balls do not prove free."""
        ends = np.unique(np.linspace(start, stop, min(BLOCKS, stop - start) + 1).round().astype(int))
        middle = (ends[:-1] + ends[1:]) // 2
        arc = sweep.arc
        slack = ACCURACY + np.maximum(arc[:, ends[1:] - 1] - arc[:, middle], arc[:, middle] - arc[:, ends[:-1]])
        rotation, shift = (np.moveaxis(x[..., middle], -1, 1) for x in (sweep.rotation, sweep.shift))
        balls = np.einsum("gnij,gbj->gnbi", rotation, self._centers) + shift[:, :, None]
        first, second = self.pairs.T
        moving = second < len(self.geoms)
        rows = []
        for self_pairs in (True, False):
            which = np.flatnonzero(moving == self_pairs)
            pair, block = np.repeat(which, len(middle)), np.tile(np.arange(len(middle)), len(which))
            # One ball around each shape leaves few pairs; these are looked at with all of their balls.
            for some in (slice(0, 1), slice(1, None)):
                a, b = first[pair], second[pair]
                if self_pairs:
                    gap = balls[a, block, some][:, :, None] - balls[b, block, some][:, None]
                    apart = np.sqrt((gap**2).sum(axis=-1)) - self._radii[a, some][:, :, None]
                    apart = (apart - self._radii[b, some][:, None]).min(axis=(1, 2), initial=np.inf)
                    apart -= slack[b, block]
                else:
                    apart = self._solids.distances(balls[a, block, some], b - len(self.geoms)) - self._radii[a, some]
                    apart = apart.min(axis=1, initial=np.inf)
                near = apart - slack[a, block] <= 0.0
                pair, block = pair[near], block[near]
            rows += list(zip(pair.tolist(), block.tolist()))
        stretches: list[tuple[int, int, int]] = []
        for pair, block in rows:
            lo, hi = int(ends[block]), int(ends[block + 1])
            if stretches and stretches[-1][0] == pair and stretches[-1][2] == lo:
                stretches[-1] = (pair, stretches[-1][1], hi)
            else:
                stretches.append((pair, lo, hi))
        return stretches


class _Solids:
    """The boxes and cylinders of a scene, as arrays."""

    def __init__(self, solids: list[Solid]) -> None:
        self.solids = solids
        self.rotation = np.array([solid.rotation for solid in solids]).reshape(-1, 3, 3)
        self.shift = np.array([solid.shift for solid in solids]).reshape(-1, 3)
        self.half = np.array([_half(solid) for solid in solids]).reshape(-1, 3)
        self.is_round = np.array([solid.kind == "cylinder" for solid in solids], dtype=bool)

    def distances(self, points: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Return the distances (n, k) of points (n, k, 3) to one solid for each row; 0 inside."""
        half = self.half[which][:, None]
        local = np.abs(np.einsum("nij,nki->nkj", self.rotation[which], points - self.shift[which][:, None]))
        beyond = np.maximum(local - half, 0.0)
        radial = np.maximum(np.hypot(local[..., 0], local[..., 1]) - half[..., 0], 0.0)
        across = np.where(self.is_round[which][:, None], radial, np.hypot(beyond[..., 0], beyond[..., 1]))
        return np.hypot(across, beyond[..., 2])


def _half(solid: Solid) -> tuple[float, float, float]:
    """Return half of the box of a box or a cylinder."""
    if solid.kind == "cylinder":
        return solid.size[0], solid.size[0], 0.5 * solid.size[1]
    return 0.5 * solid.size[0], 0.5 * solid.size[1], 0.5 * solid.size[2]


def _geom(link: int, shape: Solid | Surface) -> _Geom:
    if isinstance(shape, Solid):
        radius = shape.size[0] if shape.kind == "sphere" else float(np.linalg.norm(_half(shape)))
        centers, radii = np.zeros((BALLS + 1, 3)), np.full(BALLS + 1, radius)
    else:
        centers, radii = _cover(shape.vertices[shape.faces])
    return _Geom(link, shape.rotation, shape.shift, _fcl_object(shape), centers, radii)


def _fcl_object(shape: Solid | Surface) -> Any:
    """Return the FCL object of a shape, standing where its own placement says."""
    import fcl

    if isinstance(shape, Surface):
        geometry = fcl.BVHModel()
        geometry.beginModel(len(shape.vertices), len(shape.faces))
        geometry.addSubModel(shape.vertices, shape.faces)
        geometry.endModel()
    else:
        make = {"box": fcl.Box, "cylinder": fcl.Cylinder, "sphere": fcl.Sphere}[shape.kind]
        geometry = make(*shape.size)
    return fcl.CollisionObject(geometry, fcl.Transform(shape.rotation, shape.shift))


def _cover(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return centers (BALLS + 1, 3) and radii: a ball that holds all triangles, then balls that hold a part each."""
    parts = [triangles]
    while len(parts) < BALLS:
        largest = max(range(len(parts)), key=lambda k: float(np.ptp(parts[k].reshape(-1, 3), axis=0).max()))
        part = parts.pop(largest)
        if len(part) < 2:
            parts.append(part)
            break
        centroid = part.mean(axis=1)
        order = np.argsort(centroid[:, int(np.ptp(centroid, axis=0).argmax())])
        parts += [part[order[: len(order) // 2]], part[order[len(order) // 2 :]]]
    balls = []
    for part in [triangles, *parts]:
        corners = part.reshape(-1, 3)
        center = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        balls.append((center, float(np.sqrt(((corners - center) ** 2).sum(axis=1).max()))))
    balls += [balls[-1]] * (BALLS + 1 - len(balls))
    return np.array([center for center, _ in balls]), np.array([radius for _, radius in balls])
