"""The distance of deformable models at one moment: bounds on both sides of the truth, and points that witness it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import tocsin
from tocsin.errors import TocsinError


def sheet(n=6, z=0.0, size=1.0):
    x, y = (g.ravel() for g in np.meshgrid(*2 * [np.linspace(0.0, size, n)], indexing="ij"))
    i = np.arange(n * n).reshape(n, n)
    a, b, c, d = i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]
    faces = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    return np.stack([x, y, np.full(n * n, z)], axis=1), faces


def placed(x=0.0, y=0.0, z=0.0):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def point_triangle(p, triangle):
    """The distance of a point and a triangle, slowly: the least over face, edges and corners; exact until the root."""
    p, (a, b, c) = [Fraction(v) for v in p], [[Fraction(v) for v in q] for q in triangle]
    dot = lambda u, v: sum(x * y for x, y in zip(u, v))  # noqa: E731
    sub = lambda u, v: [x - y for x, y in zip(u, v)]  # noqa: E731
    best = min(dot(sub(p, q), sub(p, q)) for q in (a, b, c))
    for s, t in ((a, b), (b, c), (c, a)):
        d = sub(t, s)
        k = dot(sub(p, s), d) / dot(d, d)
        if 0 <= k <= 1:
            q = [x + k * y for x, y in zip(s, d)]
            best = min(best, dot(sub(p, q), sub(p, q)))
    u, v, w = sub(b, a), sub(c, a), sub(p, a)
    uu, uv, vv, wu, wv = dot(u, u), dot(u, v), dot(v, v), dot(w, u), dot(w, v)
    det = uu * vv - uv * uv
    k, m = (vv * wu - uv * wv) / det, (uu * wv - uv * wu) / det
    if k >= 0 and m >= 0 and k + m <= 1:
        q = [x + k * y + m * z for x, y, z in zip(a, u, v)]
        best = min(best, dot(sub(p, q), sub(p, q)))
    return math.sqrt(best)


def segments(p, q, r, s):
    """The distance of two segments, by the ends and the two feet; in fractions until the root."""
    p, q, r, s = ([Fraction(v) for v in x] for x in (p, q, r, s))
    dot = lambda u, v: sum(x * y for x, y in zip(u, v))  # noqa: E731
    sub = lambda u, v: [x - y for x, y in zip(u, v)]  # noqa: E731
    best = None
    for x, (a, b) in ((p, (r, s)), (q, (r, s)), (r, (p, q)), (s, (p, q))):
        d = sub(b, a)
        k = min(max(dot(sub(x, a), d) / dot(d, d), Fraction(0)), Fraction(1))
        gap = sub(x, [y + k * z for y, z in zip(a, d)])
        best = dot(gap, gap) if best is None else min(best, dot(gap, gap))
    u, v, w = sub(q, p), sub(s, r), sub(p, r)
    det = dot(u, u) * dot(v, v) - dot(u, v) ** 2
    if det:
        k = (dot(u, v) * dot(v, w) - dot(v, v) * dot(u, w)) / det
        m = (dot(u, u) * dot(v, w) - dot(u, v) * dot(u, w)) / det
        if 0 <= k <= 1 and 0 <= m <= 1:
            gap = [x + k * y - m * z for x, y, z in zip(w, u, v)]
            best = min(best, dot(gap, gap))
    return math.sqrt(best)


def brute(vertices, faces, others, other_faces):
    """The smallest distance of two triangle meshes that do not cross."""
    best = math.inf
    for f in faces:
        for g in other_faces:
            a, b = vertices[f], others[g]
            best = min([best, *[point_triangle(p, b) for p in a], *[point_triangle(p, a) for p in b]])
            for i, k in itertools.product(range(3), range(3)):
                best = min(best, segments(a[i], a[i - 1], b[k], b[k - 1]))
    return best


def around(found, truth):
    """Both bounds hold, and are close."""
    assert found.lower <= truth * (1.0 + 1e-12)
    assert found.distance >= truth * (1.0 - 1e-12)
    assert found.distance - found.lower <= 1e-5 * truth
    assert np.linalg.norm(found.point_b - found.point_a) == pytest.approx(found.distance, rel=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_the_distance_of_two_soups_is_between_its_bounds(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(9, 3)), rng.normal(size=(9, 3)) + (6.0, 1.0, 0.0)
    faces = np.arange(9).reshape(3, 3)
    soft, other = (tocsin.Deformable(v, faces, name=n, self_contact=False) for v, n in ((a, "a"), (b, "b")))
    found = tocsin.Scene(soft, other).distance()
    around(found, brute(a, faces, b, faces))
    assert {found.model_a, found.model_b} == {"a", "b"}
    body = tocsin.Body((b, faces), name="body")
    around(tocsin.Scene(soft, body).distance(soft.at(a)), brute(a, faces, b, faces))


@pytest.mark.parametrize(
    ("shape", "truth"),
    [
        (tocsin.Sphere(0.1), 0.4),
        (tocsin.Capsule(0.05, 0.2), 0.35),
        (tocsin.Box((0.2, 0.2, 0.2)), 0.4),
        (tocsin.Cylinder(0.1, 0.3), 0.35),
    ],
)
def test_the_distance_of_a_sheet_and_a_solid(shape, truth):
    vertices, faces = sheet()
    cloth = tocsin.Deformable(vertices, faces, name="cloth", self_contact=False)
    scene = tocsin.Scene(cloth, tocsin.Body(shape, placed(0.43, 0.47, 0.5), name="thing"))
    found = scene.distance()
    assert found.lower <= truth <= found.distance * (1.0 + 1e-12)
    assert found.distance == pytest.approx(truth, rel=1e-4)
    np.testing.assert_allclose(found.normal, (0.0, 0.0, 1.0), atol=1e-6)


def test_a_lying_cylinder_is_off_by_no_more_than_its_prism():
    vertices, faces = sheet()
    cloth = tocsin.Deformable(vertices, faces, name="cloth", self_contact=False)
    pose = placed(0.43, 0.47, 0.5)
    pose[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    found = tocsin.Scene(cloth, tocsin.Body(tocsin.Cylinder(0.1, 0.3), pose)).distance()
    assert found.lower <= 0.4 <= found.distance
    assert found.distance - found.lower < 1e-4


def test_where_it_stands_and_where_it_is_asked():
    vertices, faces = sheet()
    cloth = tocsin.Deformable(vertices, faces, name="cloth", self_contact=False)
    scene = tocsin.Scene(cloth, tocsin.Body(tocsin.Sphere(0.1), placed(0.5, 0.5, 1.0), name="ball"))
    assert scene.distance().distance == pytest.approx(0.9)
    assert scene.distance(cloth.at(vertices + (0, 0, 0.5))).distance == pytest.approx(0.4)
    cloth.stand_at(vertices + (0, 0, 0.2))
    assert scene.distance().distance == pytest.approx(0.7)
    assert scene.distance(scene.models[1].at(placed(0.5, 0.5, 2.0))).distance == pytest.approx(1.7)


def test_touching_and_crossing_and_being_inside_are_zero():
    vertices, faces = sheet()
    cloth = tocsin.Deformable(vertices, faces, name="cloth", self_contact=False)
    ball = tocsin.Body(tocsin.Sphere(0.1), name="ball")
    scene = tocsin.Scene(cloth, ball)
    assert scene.distance(ball.at(placed(0.5, 0.5, 0.05))).distance == 0.0
    box = tocsin.Body(tocsin.Box((9, 9, 9)), name="box")
    inside = tocsin.Scene(cloth, box).distance()
    assert (inside.distance, inside.lower) == (0.0, 0.0)
    assert {inside.link_a, inside.link_b} == {"cloth", "box"}


def test_links_count_too_and_ignored_pairs_do_not():
    vertices, faces = sheet()
    cloth = tocsin.Deformable(vertices, faces, name="cloth")
    a = tocsin.Body(tocsin.Sphere(0.1), placed(0.5, 0.5, 0.6), name="a")
    b = tocsin.Body(tocsin.Sphere(0.1), placed(0.5, 0.5, 0.85), name="b")
    scene = tocsin.Scene(cloth, a, b)
    found = scene.distance()
    assert {found.link_a, found.link_b} == {"a", "b"}
    assert found.distance == pytest.approx(0.05)
    own = scene.distance(cloth.at(vertices))
    assert {own.link_a, own.link_b} == {"cloth"}  # neighbouring features that share no vertex
    assert own.distance == pytest.approx(0.2 / math.sqrt(2.0))
    scene.ignore("cloth", "cloth")
    scene.margins["cloth", "a"] = 0.1
    assert scene.distance(cloth.at(vertices)).distance == pytest.approx(0.5)
    scene.ignore("cloth", "a")
    scene.ignore("cloth", "b")
    assert scene.distance(cloth.at(vertices)).distance == math.inf


def test_a_scene_scaled_by_a_power_of_two_has_the_scaled_distance():
    vertices, faces = sheet()
    found = []
    for scale in (1.0, 2.0**-20, 2.0**12):
        cloth = tocsin.Deformable(scale * vertices, faces, self_contact=False)
        ball = tocsin.Body(tocsin.Sphere(scale * 0.1), placed(*scale * np.array([0.4, 0.3, 0.7])))
        found.append(tocsin.Scene(cloth, ball).distance().distance / scale)
    np.testing.assert_allclose(found, 0.6, rtol=1e-9)


def test_a_motion_has_no_distance():
    vertices, faces = sheet()
    cloth = tocsin.Deformable(vertices, faces)
    with pytest.raises(TocsinError, match=r"cloth\.at\(V\)"):
        tocsin.Scene(cloth).distance(cloth.move(vertices, vertices + 1.0))
