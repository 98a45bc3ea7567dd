"""Contact manifolds that are known beforehand, and distances against brute force."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from promise.scenes import at, box_mesh, two
from tocsin.contacts.manifold import crossing_of
from tocsin.geometry.triangles import closest_on_triangle, segments, triangle_pair
from tocsin_bench.oracles import distance

VERTICES, FACES = box_mesh()
"""The unit cube about the origin."""


def contacts_of(start, stop):
    """Return the answer, its contacts and the pose of cube a at contact; a comes down on b."""
    scene, a, _ = two((VERTICES, FACES), (VERTICES, FACES))
    hit = scene.first_contact(a.move(start, stop))
    return hit, hit.contacts, a.at_contact(hit)


def placed(pose):
    return VERTICES @ pose[:3, :3].T + pose[:3, 3]


def point_names(contacts, side):
    """Return the vertices of one side that touch faces of the other."""
    kind = "vertex-face" if side == 0 else "face-vertex"
    return {c.features[side][0] for c in contacts if c.kind == kind}


LOWER = {k for k in range(8) if VERTICES[k, 2] < 0}


def small_on_large():
    """Return the contacts of a small cube that has come down on the unit cube, face on face."""
    scene, a, _ = two(box_mesh(0.5, 0.5, 0.5), (VERTICES, FACES))
    return scene.first_contact(a.move(at(0.01, 0.02, 3), at(0.01, 0.02, 0))).contacts


def test_a_face_on_a_face_touches_with_vertices_and_edges():
    contacts = small_on_large()
    assert {c.kind for c in contacts} == {"vertex-face", "edge-edge"}
    assert point_names(contacts, 0) <= LOWER
    on_top = {tuple(f) for f in FACES.tolist() if (VERTICES[f, 2] > 0).all()}
    assert {c.features[1] for c in contacts if c.kind == "vertex-face"} <= on_top


def test_a_face_on_a_face_touches_with_all_its_vertices():
    assert point_names(small_on_large(), 0) == LOWER


def test_cubes_that_overlap_by_a_quarter_touch_at_two_corners_and_two_crossing_edges():
    hit, contacts, _ = contacts_of(at(0.4, 0.3, 3), at(0.4, 0.3, 0))
    assert hit.status is tocsin.Status.CONTACT
    (corner_a,) = point_names(contacts, 0)
    (corner_b,) = point_names(contacts, 1)
    assert VERTICES[corner_a].tolist() == [-0.5, -0.5, -0.5]
    assert VERTICES[corner_b].tolist() == [0.5, 0.5, 0.5]
    crossings = {tuple(np.round(c.point_b, 6).tolist()) for c in contacts if c.kind == "edge-edge"}
    assert {(-0.1, 0.5, 0.5), (0.5, -0.2, 0.5)} <= crossings


def test_features_name_the_vertices_on_which_the_points_lie():
    for start in (at(0.4, 0.3, 3), at(0.1, 0.2, 3, (30, 20, 10)), at(0.1, 0.2, 3, (0, 45, 20))):
        stop = start.copy()
        stop[2, 3] = 0.0
        _, contacts, pose = contacts_of(start, stop)
        assert contacts
        for c in contacts:
            for names, point, where in zip(c.features, (c.point_a, c.point_b), (placed(pose), VERTICES)):
                corners = where[list(names)]
                triangle = corners[[0, min(1, len(names) - 1), len(names) - 1]]
                flat = np.broadcast_to(point, (3, 3))
                assert distance.triangle_triangle(triangle[None], flat[None])[0] < 2e-6


def test_normals_point_from_a_to_b():
    hit, contacts, _ = contacts_of(at(0.1, 0.2, 3, (30, 20, 10)), at(0.1, 0.2, 0, (30, 20, 10)))
    for c in contacts:
        assert (c.model_a, c.model_b) == ("a", "b")
        assert c.normal == pytest.approx([0.0, 0.0, -1.0], abs=1e-6)
        assert np.linalg.norm(c.point_b - c.point_a) == pytest.approx(c.distance)
        assert c.distance <= hit.tolerance


@pytest.mark.parametrize("tolerance", [1e-4, 1e-8, 1e-12])
def test_normals_do_not_depend_on_how_close_the_contact_is(tolerance):
    turned, stopped = at(0.1, 0.2, 3, (30, 20, 10)), at(0.1, 0.2, 0, (30, 20, 10))
    a, b = tocsin.Body(box_mesh(), name="a"), tocsin.Body(box_mesh(), name="b")
    hit = tocsin.Scene(a, b).first_contact(a.move(turned, stopped), tolerance=tolerance)
    assert hit.contacts[0].kind == "vertex-face"
    assert hit.contacts[0].normal == pytest.approx([0.0, 0.0, -1.0], abs=1e-9)


def test_contacts_are_listed_closest_first_and_once():
    _, contacts, _ = contacts_of(at(0.4, 0.3, 3), at(0.4, 0.3, 0))
    assert [c.distance for c in contacts] == sorted(c.distance for c in contacts)
    assert len({(c.kind, c.features) for c in contacts}) == len(contacts)


def test_a_sphere_touches_with_its_surface():
    scene, a, _ = two(tocsin.Sphere(1.0), (VERTICES, FACES))
    hit = scene.first_contact(a.move(at(0.1, 0, 5), at(0.1, 0, 0)))
    (contact, *_) = hit.contacts
    assert contact.kind == "surface"
    assert contact.features[0] == ()
    assert len(contact.features[1]) == 3
    assert contact.point_b == pytest.approx([0.1, 0, 0.5], abs=1e-3)


def test_inside_a_solid_is_a_contact_without_features():
    scene, _, _ = two(box_mesh(3, 3, 3), box_mesh(), solid=True)
    hit = scene.first_contact()
    assert hit.status is tocsin.Status.INITIAL_CONTACT
    assert [(c.kind, c.features) for c in hit.contacts] == [("inside", ((), ()))]


def check_distance(seed, count):
    rng = np.random.default_rng(seed)
    corners = [rng.normal(size=(3 * n, 3)) * 0.3 for n in (count, count + 1)]
    faces = [np.arange(len(c)).reshape(-1, 3) for c in corners]
    scene, a, _ = two((corners[0], faces[0]), (corners[1], faces[1]))
    pose = at(*rng.normal(size=3) * 2, tuple(rng.normal(size=3) * 90))
    found = scene.distance(a.at(pose))
    moved = corners[0] @ pose[:3, :3].T + pose[:3, 3]
    truth = distance.mesh_mesh(moved[faces[0]], corners[1][faces[1]])
    assert found.distance == pytest.approx(truth, abs=1e-12)
    assert found.lower <= truth + 1e-14
    if truth > 0.0:
        assert np.linalg.norm(found.point_b - found.point_a) == pytest.approx(truth)
        assert found.normal == pytest.approx((found.point_b - found.point_a) / truth)
        assert found.lower == pytest.approx(truth, abs=1e-9)


def test_the_distance_is_that_of_brute_force():
    for seed in range(40):
        check_distance(seed, 1 + 3 * (seed % 8))


@pytest.mark.pure
def test_the_distance_of_two_triangles_is_that_of_brute_force():
    check_distance(3, 1)


def soup(rng, kind, count=24):
    """Return triangles that touch, cross and pass by one another: at random, on a grid of round numbers, or needles."""
    if kind == "grid":
        corners = rng.integers(-4, 5, (count, 3, 3)) * 0.25
    else:
        corners = rng.uniform(-1.0, 1.0, (count, 1, 3)) + rng.normal(size=(count, 3, 3)) * 0.4
    if kind == "needles":
        corners[:, 2] = corners[:, 0] + (corners[:, 1] - corners[:, 0]) * 0.3 + rng.normal(size=(count, 3)) * 1e-7
    return corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


def gaps(a, b):
    """Return (len(a), len(b)): the distances of features of one to three corners each, by brute force."""
    a, b = (x[:, [0, min(1, x.shape[1] - 1), x.shape[1] - 1]] for x in (a, b))
    i, k = (index.ravel() for index in np.indices((len(a), len(b))))
    return distance.triangle_triangle(a[i], b[k]).reshape(len(a), len(b))


@pytest.mark.parametrize("kind", ["random", "grid", "needles"])
@pytest.mark.parametrize("seed", range(4))
def test_every_feature_that_brute_force_finds_is_listed_and_no_other(kind, seed):
    rng = np.random.default_rng(seed)
    (va, fa), (vb, fb) = soup(rng, kind), soup(rng, kind)
    scene, _, _ = two((va, fa), (vb, fb))
    hit = scene.first_contact(margin=0.05, tolerance=0.01)
    assert hit.complete
    listed = {(c.kind, c.features): c.distance for c in hit.contacts}
    clear = 1e-6
    faces, corners = (va[fa], vb[fb]), (va[:, None], vb[:, None])
    edges = tuple(
        np.stack([v[f], v[np.roll(f, -1, axis=1)]], axis=2).reshape(-1, 2, 3) for v, f in ((va, fa), (vb, fb))
    )
    names = tuple(np.sort(np.stack([f, np.roll(f, -1, axis=1)], axis=2).reshape(-1, 2)).tolist() for f in (fa, fb))
    pairs, by_corner = gaps(*faces), gaps(*corners)
    for (_, (a, b)), d in listed.items():
        assert d <= 0.06 + clear
        assert pairs[min(a) // 3, min(b) // 3] <= d + clear
    near = {(min(a) // 3, min(b) // 3) for _, (a, b) in listed}
    assert {(i, k) for i, k in np.argwhere(pairs < 0.06 - clear).tolist()} <= near
    for swap, (points, others) in enumerate(((corners[0], faces[1]), (corners[1], faces[0]))):
        to_face, to_corner = gaps(points, others), by_corner if swap == 0 else by_corner.T
        to_corner = to_corner.reshape(len(points), -1, 3).min(axis=2)
        for i, k in np.argwhere((to_face < 0.06 - clear) & (to_face < to_corner - clear)).tolist():
            face = tuple(range(3 * k, 3 * k + 3))
            assert ((("vertex-face", ((i,), face)), ("face-vertex", (face, (i,)))))[swap] in listed
    to_edge = gaps(*edges)
    ends_a, ends_b = gaps(edges[0].reshape(-1, 1, 3), edges[1]), gaps(edges[0], edges[1].reshape(-1, 1, 3))
    ends = np.minimum(np.minimum(ends_a[0::2], ends_a[1::2]), np.minimum(ends_b[:, 0::2], ends_b[:, 1::2]))
    for i, k in np.argwhere((to_edge < 0.06 - clear) & (to_edge < ends - clear)).tolist():
        assert ("edge-edge", (tuple(names[0][i]), tuple(names[1][k]))) in listed


def features_near(a, b, near):
    """Is a corner of one triangle within `near` of the other, or an edge of an edge?"""
    ends = [np.linalg.norm(p - closest_on_triangle(p, *t)) for x, t in ((a, b), (b, a)) for p in x]
    for i in range(3):
        for k in range(3):
            u, v = segments(a[i], a[(i + 1) % 3] - a[i], b[k], b[(k + 1) % 3] - b[k])
            ends.append(np.linalg.norm(np.subtract(u, v)))
    return min(ends) <= near


@pytest.mark.parametrize("kind", ["random", "grid", "needles"])
class TestCrossing:
    """What is looked for alone where no corner and no edge is near."""

    pytestmark = PLAIN

    def test_where_neither_corners_nor_edges_are_near_triangles_touch_only_where_one_goes_through_the_other(self, kind):
        rng = np.random.default_rng(5)
        (va, fa), (vb, fb) = soup(rng, kind, 30), soup(rng, kind, 30)
        found = {True: 0, False: 0}
        near = 1e-4
        for i in range(30):
            for k in range(30):
                a, b = va[fa[i]], vb[fb[k]]
                if features_near(a, b, near):
                    continue
                corners = tuple(map(tuple, (*a, *b)))
                whole, crossing = triangle_pair(*corners), crossing_of(corners)
                assert (whole[0] <= near) == (crossing[0] <= near)
                if whole[0] <= near:
                    assert crossing == whole
                found[whole[0] <= near] += 1
        assert found[False] > 100
        assert found[True] > 10 or kind == "needles"
