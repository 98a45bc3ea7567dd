"""Lists and first contact tell one story, at the start and later, beside bodies that stand, go and turn."""

import math
import warnings

import numpy as np
import pytest

import tocsin
from tocsin import Status

CROSSING = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, -0.5], [0.3, 0.2, 0.5], [0.2, 0.3, 0.7]])


def patch(n, size=1.0, z=0.0):
    """A flat square of 2 (n - 1)^2 triangles."""
    x, y = np.meshgrid(np.linspace(-size / 2, size / 2, n), np.linspace(-size / 2, size / 2, n), indexing="ij")
    i = np.arange(n * n).reshape(n, n)
    lower = np.stack([i[:-1, :-1], i[1:, :-1], i[1:, 1:]], -1).reshape(-1, 3)
    upper = np.stack([i[:-1, :-1], i[1:, 1:], i[:-1, 1:]], -1).reshape(-1, 3)
    return np.stack([x.ravel(), y.ravel(), np.full(n * n, z)], axis=1), np.concatenate([lower, upper])


def turntable(vertices, faces):
    """A robot of one joint whose link, a mesh, turns about z."""
    builder = tocsin.RobotBuilder("table")
    builder.link("root")
    builder.link("disc", tocsin.Mesh(vertices, faces), parent="root", joint="continuous", axis=(0, 0, 1))
    return builder.build()


def told(scene, motions, **options):
    """What lists say, after it was held against the first contact, and that against is_free."""
    first = scene.first_contact(*motions, **options)
    pairs = scene.contacts(*motions, every="pair", **options)
    triangles = scene.contacts(*motions, every="triangle", **options)
    least = pairs.times[0] if len(pairs) else math.inf
    assert pairs.complete
    assert triangles.complete
    assert first.time == least
    assert scene.is_free(*motions, **options) == (first.status is Status.FREE)
    if len(pairs):
        assert pairs.decided[0] == (first.status is not Status.CAPPED)
    assert not len(triangles.times) or triangles.times[0] >= least
    return first, pairs, triangles


# --- what touches at the start ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("apart", [False, True])
def test_triangles_that_cross_and_stand_are_in_the_lists(apart):
    if apart:
        models = [
            tocsin.Deformable(CROSSING[:3], [[0, 1, 2]], name="a"),
            tocsin.Deformable(CROSSING[3:], [[0, 1, 2]], name="b"),
        ]
    else:
        models = [tocsin.Deformable(CROSSING, [[0, 1, 2], [3, 4, 5]], name="a")]
    first, pairs, triangles = told(tocsin.Scene(*models), [m.move(m.vertices, m.vertices) for m in models])
    assert first.status is Status.INITIAL_CONTACT
    assert {pair.kind for pair in pairs} == {"face-edge" if apart else "edge-face"}
    assert len(pairs) == 2  # two edges go through the lying triangle, and nothing else touches
    assert all((times == 0.0).all() for times in triangles.values())


def test_overlaps_that_are_ignored_are_in_no_list():
    model = tocsin.Deformable(CROSSING, [[0, 1, 2], [3, 4, 5]], name="a", ignore_overlaps=True)
    first, pairs, _ = told(tocsin.Scene(model), [model.move(CROSSING, CROSSING)])
    assert first.status is Status.FREE
    assert len(pairs) == 0


@pytest.mark.parametrize(
    "shape",
    [tocsin.Box((1, 1, 1)), tocsin.Cylinder(0.5, 1.0), tocsin.Sphere(0.5), tocsin.Capsule(0.4, 1.0), "solid"],
)
@pytest.mark.parametrize("turn", [0.0, math.pi])
def test_a_cloth_inside_a_solid_is_in_the_lists(shape, turn):
    solid = shape == "solid"
    body = tocsin.Body(tocsin.Box((1, 1, 1)).tessellate() if solid else shape, name="body", solid=solid)
    vertices, faces = patch(4, 0.1)
    cloth = tocsin.Deformable(vertices, faces, name="cloth")
    goal = np.eye(4)
    goal[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
    first, pairs, triangles = told(tocsin.Scene(cloth, body), [body.move(np.eye(4), goal)])
    assert first.status is Status.INITIAL_CONTACT
    assert (triangles["cloth"] == 0.0).all()
    assert {pair.link_b for pair in pairs} == {"body"}
    if not isinstance(shape, (tocsin.Sphere, tocsin.Capsule)):
        assert {pair.kind for pair in pairs} == {"inside"}
        assert sorted(v for pair in pairs for v in pair.features[0]) == list(range(16))


def test_triangles_inside_a_solid_touch_though_only_their_neighbours_meet_its_surface():
    vertices, faces = patch(9, 4.0)
    cloth = tocsin.Deformable(vertices, faces, name="cloth", self_contact=False)
    box = tocsin.Body(tocsin.Box((2.9, 2.9, 1.0)), name="box")
    _, pairs, triangles = told(tocsin.Scene(cloth, box), [cloth.move(vertices, vertices + [0, 0, 0.1])])
    weights = np.array([(i, k, 20 - i - k) for i in range(21) for k in range(21 - i)]) / 20
    within = (np.abs(weights @ vertices[faces][..., :2]) < 1.45).all(axis=2).any(axis=1)
    assert ((triangles["cloth"] == 0.0) == within).all()
    assert {"inside", "surface"} == {pair.kind for pair in pairs}


# --- beside what turns ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [1, 2, 4, 7.5])
def test_nothing_is_dropped_beside_a_turntable_whatever_its_turns(turns):
    """A triangle rests on it all the time, another lands at 0.9."""
    table = turntable(*patch(2, 2.0))
    start = np.array(
        [[0.1, 0.1, 0], [0.3, 0.1, 0], [0.1, 0.3, 0], [-0.1, -0.1, 0.9], [-0.3, -0.1, 0.9], [-0.1, -0.3, 0.9]]
    )
    goal = start.copy()
    goal[3:, 2] = -0.1
    cloth = tocsin.Deformable(start, [[0, 1, 2], [3, 4, 5]], name="cloth", self_contact=False)
    motions = table.move([0.0], [turns * 2 * math.pi]), cloth.move(start, goal)
    _, pairs, triangles = told(tocsin.Scene(cloth, table), motions)
    assert triangles["cloth"][0] == 0.0
    assert 0.9 - 1e-4 <= triangles["cloth"][1] <= 0.9
    assert pairs.decided.all()


def test_a_list_beside_a_turning_body_that_is_never_near_costs_about_what_the_first_contact_does():
    """Counted in steps of the cap, not in seconds: time is opened before space."""
    table = turntable(*patch(18, 2.0))
    vertices, faces = patch(18, 2.0, 0.3)
    cloth = tocsin.Deformable(vertices, faces, name="cloth", self_contact=False)
    motions = table.move([0.0], [2 * math.pi]), cloth.move(vertices, vertices - [0, 0, 0.15])
    scene = tocsin.Scene(cloth, table)
    first, pairs, _ = told(scene, motions)
    assert first.status is Status.FREE
    enough = next(k for k in range(30) if scene.first_contact(*motions, max_steps=2**k).status is Status.FREE)
    assert scene.contacts(*motions, max_steps=4 * 2**enough).complete
    assert len(pairs) == 0


def test_the_first_contact_beside_a_body_that_turns_far_takes_few_steps_where_nothing_is_near():
    """All of it is within the deviation of the whole turn; which of that comes first once took all steps."""
    vertices, faces = patch(35, 2.0, 1.0)
    cloth = tocsin.Deformable(vertices, faces, name="cloth")
    plate = tocsin.Body(patch(35, 1.0), name="plate")
    turned = np.eye(4)
    turned[:2, :2] = [[math.cos(3.0), -math.sin(3.0)], [math.sin(3.0), math.cos(3.0)]]
    motions = cloth.move(vertices, vertices - [0, 0, 0.8]), plate.move(np.eye(4), turned)
    hit = tocsin.Scene(cloth, plate).first_contact(*motions, max_steps=100_000)
    assert hit.status is Status.FREE


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10, 1e-12, 1e-14, 1e-16])
def test_what_rounding_hides_is_capped_where_it_touches_and_not_before(tolerance):
    builder = tocsin.RobotBuilder("arm")
    builder.link("root")
    builder.link("rod", (tocsin.Box((1, 0.1, 0.1)), (0.5, 0, 0)), parent="root", joint="revolute", axis=(0, 0, 1))
    arm = builder.build()
    wall = np.array([[-0.5, 0.2, -0.3], [-0.5, 0.2, 0.3], [-0.5, 0.4, 0.0]])
    cloth = tocsin.Deformable(wall, [[0, 1, 2]], name="wall")
    first, _, _ = told(tocsin.Scene(cloth, arm), [arm.move([0.0], [3.0])], tolerance=tolerance)
    # The rod's side, 5 cm from its axis, meets the corner at x = -0.5, y = 0.4.
    true = (math.pi - math.atan2(0.4, 0.5) - math.asin(0.05 / math.hypot(0.5, 0.4))) / 3.0
    assert true - max(tolerance, 1e-12) <= first.time <= true + 1e-15
    assert first.status is (Status.CONTACT if tolerance > 1e-13 else Status.CAPPED)


# --- caps -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("partner", ["itself", "turning"])
def test_a_list_that_the_cap_ends_says_so_and_a_first_contact_is_capped(partner):
    vertices, faces = patch(12)
    folded = vertices * [-0.3, 1.0, 1.0] + [0, 0, 0.3] * np.sin(9 * vertices[:, :1])
    cloth = tocsin.Deformable(vertices, faces, name="cloth", self_contact=partner == "itself")
    models, motions = [cloth], [cloth.move(vertices, folded)]
    if partner == "turning":
        table = turntable(*patch(6, 2.0, -0.05))
        models.append(table)
        motions.append(table.move([0.0], [5.0]))
    scene = tocsin.Scene(*models)
    first, pairs, triangles = told(scene, motions)
    assert len(pairs) > 10
    for most in (1, 10, 100, 1000):
        capped = scene.first_contact(*motions, max_steps=most)
        assert capped.time <= first.time
        assert capped.status in (Status.CAPPED, first.status)
        some = scene.contacts(*motions, max_steps=most)
        assert some.complete == scene.contacts(*motions, every="triangle", max_steps=most).complete
        assert some.complete or "not complete" in repr(some)
        assert len(some) <= len(pairs)
        if most == 1:
            assert capped.status is Status.CAPPED
            assert not some.complete
    assert "complete" not in repr(triangles)


def test_identical_triangles_are_listed_up_to_the_cap_and_no_further():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        soup = tocsin.Deformable(np.tile(CROSSING[:3], (300, 1)), np.arange(900).reshape(-1, 3), name="soup")
    found = tocsin.Scene(soup).contacts(soup.move(soup.vertices, soup.vertices), max_steps=6_000)
    assert not found.complete
    assert 0 < len(found) < 100_000


def test_the_cap_ends_a_list_the_same_way_on_any_number_of_threads():
    vertices, faces = patch(50)
    goal = vertices * [-0.4, 1.0, 1.0] + 0.1 * np.random.default_rng(5).normal(size=vertices.shape)
    cloth = tocsin.Deformable(vertices, faces, name="cloth")
    lists = [
        tocsin.Scene(cloth, threads=threads).contacts(cloth.move(vertices, goal), max_steps=20_000)
        for threads in (1, 2, 3)
    ]
    assert not any(found.complete for found in lists)
    assert len(lists[0])
    assert all(np.array_equal(found.times, lists[0].times) for found in lists)
    assert all(np.array_equal(found.features, lists[0].features) for found in lists)


# --- sizes ------------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::tocsin.MeshWarning")
@pytest.mark.parametrize("cloth", ["triangle", "point", "points in one place"])
@pytest.mark.parametrize("points", [[[0, 0, 0]], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0.1, 0, 0]]])
def test_points_have_a_tolerance_by_default(cloth, points):
    vertices = np.array([[-1.0, -1, 0], [2, -1, 0], [-1, 2, 0]]) if cloth == "triangle" else np.zeros((2, 3))
    parts = {"faces": [[0, 1, 2]]} if cloth == "triangle" else {"points": [0] if cloth == "point" else [0, 1]}
    soft = tocsin.Deformable(vertices, **parts, name="soft", self_contact=False)
    hull = tocsin.Body(tocsin.ConvexHull(points), name="hull")
    first, _, _ = told(tocsin.Scene(soft, hull), [hull.move((0, 0, 1), (0, 0, -1))])
    assert first.status is Status.CONTACT
    assert first.time == pytest.approx(0.5, abs=1e-3)


# --- many scenes ------------------------------------------------------------------------------------------------------


def soft_of(rng, rounded, name):
    """A soup, a sheet, or a triangle with a loose edge and a loose point; where it is and where it goes."""
    vertices, faces, more = rng.normal(size=(6, 3)) * 0.5, np.arange(6).reshape(2, 3), {}
    kind = rng.integers(3)
    if kind == 0:
        vertices, faces = patch(3)
        vertices = vertices + rng.normal(size=3) * 0.5
    elif kind == 1:
        faces, more = [[0, 1, 2]], {"edges": [[3, 4]], "points": [5]}
    moved = rng.random(len(vertices)) < rng.choice([0.0, 0.5, 1.0])
    goal = vertices + rng.normal(size=vertices.shape if rng.random() < 0.5 else 3) * 0.5 * moved[:, None]
    if rounded:
        vertices, goal = np.round(4 * vertices) / 4, np.round(4 * goal) / 4
    model = tocsin.Deformable(vertices, faces, **more, name=name, ignore_overlaps=bool(rng.random() < 0.1))
    return model, model.move(vertices, goal) if rng.random() < 0.7 else model.follow([vertices, goal, vertices])


def partner_of(rng, rounded):
    """A shape that stands, goes or turns: a body, or a link of a robot."""
    s = 0.5 if rounded else rng.uniform(0.1, 0.8)
    shapes = [
        tocsin.Sphere(s), tocsin.Capsule(s / 2, s), tocsin.Box((s, 2 * s, s)), tocsin.Cylinder(s, s),
        tocsin.ConvexHull([[0, 0, s]]), tocsin.Box((s, s, s)).tessellate(),
    ]  # fmt: skip
    shape = shapes[rng.integers(len(shapes))]
    place = rng.normal(size=3) * 0.5
    place = np.round(4 * place) / 4 if rounded else place
    if rng.random() < 0.5:
        builder = tocsin.RobotBuilder("partner")
        builder.link("root")
        builder.link("link", (shape, place), parent="root", joint="continuous", axis=(0, 0, 1))
        robot = builder.build()
        angles = rng.integers(-6, 7, (2, 1)) * math.pi / 2 if rounded else 4 * rng.normal(size=(2, 1))
        return robot, robot.move(*angles)
    body = tocsin.Body(shape, place, name="partner")
    way = rng.normal(size=3)
    return body, body.move(place, place + (np.round(4 * way) / 4 if rounded else way))


@pytest.mark.filterwarnings("ignore::tocsin.MeshWarning")
@pytest.mark.parametrize("number", range(60))
def test_lists_and_first_contact_tell_one_story(number):
    rng = np.random.default_rng([17, number])
    rounded = number % 3 > 0
    models, motions = zip(*[soft_of(rng, rounded, name) for name in ("a", "b")[: 1 + number % 2]])
    if number % 4 > 1:
        partner, motion = partner_of(rng, rounded)
        models, motions = (*models, partner), (*motions, motion)
    margin = 0.125 if number % 5 == 0 else 0.0
    told(tocsin.Scene(*models), motions, margin=margin, tolerance=None if number % 7 else 1e-6)
