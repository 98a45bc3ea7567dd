"""The zoo of shapes that contacts are planted on, and the features by which they touch.

A `Piece` is one shape three times over: as the product sees it, as the oracles see it, and as a source of features. A
`Feature` is a point of the shape's boundary with an outward normal, and with what it takes to prove a contact there:
either the point as a convex combination of the shape's own vertices together with the triangles around it, or (for the
round shapes) the closed form of the distance to the shape.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tocsin
from tocsin_bench.oracles import shapes as truth
from tocsin_bench.scenes import shapes as meshes


@dataclass(frozen=True)
class Feature:
    """A place on a shape, in the shape's frame."""

    kind: str
    point: np.ndarray
    normal: np.ndarray
    tangent: np.ndarray
    corners: np.ndarray
    """(k, 3) vertices of the shape whose combination by `weights` is the point; empty for round shapes."""
    weights: np.ndarray
    triangles: np.ndarray
    """(n, 3, 3) triangles of the shape around the feature; empty for round shapes."""


@dataclass(frozen=True)
class Piece:
    """One shape: `product` is what tocsin is given, `true` what the oracles measure."""

    name: str
    product: Any
    true: Any
    sample: Callable[[np.random.Generator, str, np.ndarray | None], Feature]

    @property
    def round(self) -> bool:
        """Return whether contacts on it are proven by a closed form."""
        return self.name in ("sphere", "capsule", "cylinder")


def unit(v: np.ndarray) -> np.ndarray:
    """Return v / |v|."""
    return v / np.linalg.norm(v)


def across(n: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a random unit vector perpendicular to n."""
    v = rng.normal(size=3)
    return unit(v - n * (v @ n))


class Polyhedron:
    """Vertices and faces with what lies around each of them."""

    def __init__(self, vertices: np.ndarray, faces: np.ndarray):
        self.vertices, self.faces = np.asarray(vertices, float), np.asarray(faces, int)
        self.triangles = self.vertices[self.faces]
        normals = np.cross(self.triangles[:, 1] - self.triangles[:, 0], self.triangles[:, 2] - self.triangles[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        size = float(np.ptp(self.vertices, axis=0).max())
        self.proper = np.nonzero(lengths > 1e-14 * size * size)[0]
        self.normals = normals / np.where(lengths == 0, 1.0, lengths)[:, None]
        self.around: list[list[int]] = [[] for _ in self.vertices]
        edges: dict[tuple[int, int], list[int]] = {}
        for f, face in enumerate(self.faces.tolist()):
            for k in range(3):
                self.around[face[k]].append(f)
                a, b = sorted((face[k], face[(k + 1) % 3]))
                if a != b:
                    edges.setdefault((a, b), []).append(f)
        self.edges = list(edges.items())
        heights = self.normals @ self.vertices.T
        own = np.einsum("ij,ij->i", self.normals, self.triangles[:, 0])
        self.outer = [f for f in self.proper if heights[f].max() <= own[f] + 1e-9 * size]

    def near(self, vertices: list[int]) -> np.ndarray:
        """Return the triangles that touch any of the vertices (48 at most, the first ones)."""
        found = sorted({f for v in vertices for f in self.around[v]})
        return self.triangles[found[:48]]

    def sample(self, rng: np.random.Generator, kind: str, along: np.ndarray | None = None) -> Feature:
        """Return a random vertex, edge or face; `along` asks for one whose normal is near a direction."""
        if kind == "face" and len(self.proper):
            return self._face(rng, along)
        if kind == "edge":
            return self._edge(rng, along)
        d = unit(rng.normal(size=3) if along is None else along)
        used = np.unique(self.faces)
        v = int(used[np.argmax(self.vertices[used] @ d)])
        if along is None and rng.random() < 0.2:  # any vertex at all, dents included
            v = int(rng.choice(used))
        p = self.vertices[v]
        return Feature("vertex", p, d, across(d, rng), p[None], np.ones(1), self.near([v]))

    def _face(self, rng: np.random.Generator, along: np.ndarray | None) -> Feature:
        pool = self.outer if self.outer and rng.random() < 0.8 else self.proper
        f = int(rng.choice(pool)) if along is None else int(pool[int(np.argmax(self.normals[pool] @ along))])
        n = self.normals[f]
        if f not in self.outer and rng.random() < 0.5:
            n = -n
        w = rng.dirichlet(np.ones(3)) * 0.7 + 0.1
        corners = self.triangles[f]
        around = self.near(list(self.faces[f]))
        return Feature("face", w @ corners / w.sum(), n, unit(corners[1] - corners[0]), corners, w, around)

    def _edge(self, rng: np.random.Generator, along: np.ndarray | None) -> Feature:
        choices = [self.edges[int(rng.integers(len(self.edges)))] for _ in range(1 if along is None else 12)]

        def normal(entry: tuple[tuple[int, int], list[int]]) -> np.ndarray:
            (a, b), faces = entry
            t = unit(self.vertices[b] - self.vertices[a])
            n = rng.dirichlet(np.ones(len(faces))) @ self.normals[faces]
            if len(faces) == 1:  # a free edge: outward in the plane, and to both sides of it
                inner = self.triangles[faces[0]].mean(0) - self.vertices[a]
                n = rng.uniform(-1, 1) * n - unit(inner - t * (inner @ t) + 1e-30)
            n = n - t * (t @ n)
            return unit(n) if np.linalg.norm(n) > 1e-6 else across(t, rng)

        options = [(entry, normal(entry)) for entry in choices]
        ((a, b), _), n = options[0] if along is None else max(options, key=lambda o: float(o[1] @ along))
        s = rng.uniform(0.1, 0.9)
        corners, w = self.vertices[[a, b]], np.array([1 - s, s])
        return Feature("edge", w @ corners, n, unit(corners[1] - corners[0]), corners, w, self.near([a, b]))


def _round(kind: str, rng: np.random.Generator, p: np.ndarray, n: np.ndarray, t: np.ndarray | None = None) -> Feature:
    none = np.zeros((0, 3))
    return Feature(kind, p, n, across(n, rng) if t is None else t, none, np.zeros(0), np.zeros((0, 3, 3)))


def _sphere(radius: float) -> Piece:
    def sample(rng: np.random.Generator, _kind: str, along: np.ndarray | None = None) -> Feature:
        n = unit(rng.normal(size=3) if along is None else along)
        return _round("surface", rng, radius * n, n)

    return Piece("sphere", tocsin.Sphere(radius=radius), truth.sphere(radius), sample)


def _capsule(radius: float, length: float) -> Piece:
    def sample(rng: np.random.Generator, kind: str, along: np.ndarray | None = None) -> Feature:
        n = unit(rng.normal(size=3) if along is None else along)
        if kind == "vertex":
            return _round("cap", rng, radius * n + [0, 0, np.copysign(length / 2, n[2])], n)
        n = unit(n * [1, 1, 0])
        return _round("side", rng, radius * n + [0, 0, rng.uniform(-0.45, 0.45) * length], n, np.array([0.0, 0, 1]))

    return Piece("capsule", tocsin.Capsule(radius=radius, length=length), truth.capsule(radius, length), sample)


def _cylinder(radius: float, length: float) -> Piece:
    def sample(rng: np.random.Generator, kind: str, along: np.ndarray | None = None) -> Feature:
        d = unit(rng.normal(size=3) if along is None else along)
        out, top = unit(d * [1, 1, 0]), np.array([0, 0, np.copysign(1.0, d[2])])
        if kind == "vertex":
            return _round("rim", rng, radius * out + top * length / 2, d, np.cross(top, out))
        if kind == "edge":
            height = np.array([0, 0, rng.uniform(-0.45, 0.45) * length])
            return _round("side", rng, radius * out + height, out, np.array([0.0, 0, 1]))
        return _round("cap", rng, rng.uniform(0, 0.95) * radius * out + top * length / 2, top, out)

    return Piece("cylinder", tocsin.Cylinder(radius=radius, length=length), truth.cylinder(radius, length), sample)


def _mesh(name: str, vertices: np.ndarray, faces: np.ndarray) -> Piece:
    vertices, faces = np.ascontiguousarray(vertices, float), np.asarray(faces, int)
    return Piece(name, tocsin.Mesh(vertices, faces), truth.mesh(vertices, faces), Polyhedron(vertices, faces).sample)


def _filled(name: str, product: Any, true: Any) -> Piece:
    vertices, inverse = np.unique(true.core.reshape(-1, 3), axis=0, return_inverse=True)
    return Piece(name, product, true, Polyhedron(vertices, inverse.reshape(-1, 3)).sample)


MESHES = ("triangle", "soup", "tetrahedron", "box", "plate", "sheet", "ball", "torus")
MESHES += ("needle", "sliver", "rock", "flawed")
SOLIDS = ("Box", "Sphere", "Capsule", "Cylinder", "ConvexHull")


def random_piece(rng: np.random.Generator, scale: float) -> Piece:
    """Return a random shape about one `scale` in size."""
    name = str(rng.choice(MESHES if rng.random() < 0.7 else SOLIDS))
    a, b, c = rng.uniform(0.2, 1.0, 3)
    if name == "Box":
        size = (scale * a, scale * b, scale * c)
        return _filled("Box", tocsin.Box(size=size), truth.box(size))
    if name == "Sphere":
        return _sphere(scale * a / 2)
    if name == "Capsule":
        return _capsule(scale * a / 4, scale * b)
    if name == "Cylinder":
        return _cylinder(scale * a / 2, scale * b)
    if name == "ConvexHull":
        points = scale * 0.4 * rng.normal(size=(int(rng.integers(5, 30)), 3))
        return _filled("ConvexHull", tocsin.ConvexHull(points), truth.hull(points))
    vertices, faces = _random_mesh(rng, name, a, b)
    if rng.random() < 0.25:  # turning about a point well outside of the shape
        vertices = vertices + rng.normal(size=3) * rng.uniform(0, 5)
    return _mesh(name, scale * vertices, faces)


def _random_mesh(rng: np.random.Generator, name: str, a: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    if name in ("triangle", "soup"):
        n = 1 if name == "triangle" else int(rng.integers(2, 40))
        centres = 0.5 * (n > 1) * np.repeat(rng.normal(size=(n, 3)), 3, 0)
        return centres + rng.normal(size=(3 * n, 3)) * (0.3 if n == 1 else 0.15), np.arange(3 * n).reshape(n, 3)
    if name == "tetrahedron":
        return 0.4 * rng.normal(size=(4, 3)), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    if name == "box":
        return meshes.box(tuple(rng.uniform(0.2, 1, 3)))
    if name == "plate":  # a tenth of a millimetre on a metre
        return meshes.box(tuple(rng.permutation([a, b, 1e-4])))
    if name == "sheet":
        flat = np.array([[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]]) / 2
        return flat[:, rng.permutation(3)], np.array([[0, 1, 2], [0, 2, 3]])
    if name == "ball":
        return meshes.icosphere(int(rng.integers(1, 3)), 0.5 * a)
    if name == "torus":
        return meshes.torus(int(rng.integers(60, 400)), 0.4, 0.12)
    if name == "needle":
        vertices, faces = meshes.icosphere(1, 0.5)
        return vertices * [1, 10 ** rng.uniform(-5, -2), 10 ** rng.uniform(-3, -1)], faces
    if name == "sliver":  # a fan of triangles with angles of a millionth
        n = int(rng.integers(1, 8))
        angles = np.arange(n + 1) * 10 ** rng.uniform(-7, -3)
        rim = np.stack([np.cos(angles), np.sin(angles), 0.01 * rng.normal(size=n + 1)], 1)
        return np.vstack([np.zeros(3), rim]), np.array([[0, k + 1, k + 2] for k in range(n)])
    if name == "rock":
        core = truth.hull(0.4 * rng.normal(size=(int(rng.integers(6, 60)), 3))).core
        vertices, inverse = np.unique(core.reshape(-1, 3), axis=0, return_inverse=True)
        return vertices, inverse.reshape(-1, 3)
    # flawed: doubled vertices and faces, a point, a segment, a fin
    vertices, faces = meshes.box(tuple(rng.uniform(0.2, 1, 3)))
    vertices = np.vstack([vertices, vertices[:3], [[0, 0, 0.9], [0.3, 0, 0.9]]])
    return vertices, np.vstack([faces, faces[:2], [[0, 0, 0], [11, 12, 11], [8, 9, 10], [0, 1, 11]]])
