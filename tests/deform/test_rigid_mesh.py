"""Deformable models against bodies and robots: the same answers as the engine of rigid shapes, where both can say."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.deform.rigid_mesh import link_motions, rigid_mesh_of


def sheet(n=9, size=1.0, z=0.0):
    """A square of 2 (n-1)^2 triangles, slightly wavy."""
    x, y = np.meshgrid(np.linspace(-size / 2, size / 2, n), np.linspace(-size / 2, size / 2, n), indexing="ij")
    v = np.stack([x.ravel(), y.ravel(), z + 0.03 * np.sin(7 * x + 5 * y).ravel()], axis=1)
    i = np.arange(n * n).reshape(n, n)
    a = np.stack([i[:-1, :-1], i[1:, :-1], i[1:, 1:]], -1).reshape(-1, 3)
    return v, np.concatenate([a, np.stack([i[:-1, :-1], i[1:, 1:], i[:-1, 1:]], -1).reshape(-1, 3)])


def pose(axis, angle, place):
    """A 4x4 matrix."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    m = np.eye(4)
    m[:3, :3] += math.sin(angle) * k + (1 - math.cos(angle)) * k @ k
    m[:3, 3] = place
    return m


SHAPES = {
    "sphere": tocsin.Sphere(0.2),
    "capsule": tocsin.Capsule(0.1, 0.5),
    "box": tocsin.Box((0.3, 0.2, 0.5)),
    "cylinder": tocsin.Cylinder(0.15, 0.4),
    "hull": tocsin.ConvexHull(np.random.default_rng(2).normal(size=(20, 3)) * 0.15),
    "mesh": tocsin.Mesh(*sheet(4, 0.5)),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_a_standing_cloth_is_met_when_a_rigid_one_is(kind):
    v, faces = sheet()
    cloth = tocsin.Deformable(v, faces, name="cloth", self_contact=False)
    board = tocsin.Body((v, faces), name="board")
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(6):
        ends = [pose(rng.normal(size=3), rng.uniform(-3, 3), [*rng.uniform(-0.3, 0.3, 2), z]) for z in (0.8, -0.5)]
        thing = tocsin.Body(SHAPES[kind], name="thing")
        tolerance = 1e-5
        soft = tocsin.Scene(cloth, thing).first_contact(thing.move(*ends), tolerance=tolerance)
        rigid = tocsin.Scene(board, thing).first_contact(thing.move(*ends), tolerance=tolerance)
        assert soft.status is rigid.status
        hits += soft.collides
        if soft.collides:
            assert soft.time == pytest.approx(rigid.time, abs=1e-3)
            at = [thing.at(thing.at_contact(hit)) for hit in (soft, rigid)]
            assert all(tocsin.Scene(board, thing).distance(placed).lower <= tolerance for placed in at)
    assert hits >= 5


def test_a_margin_holds_against_a_turning_arm():
    v, faces = sheet(12, 1.0, 0.0)
    cloth = tocsin.Deformable(v, faces, name="cloth")
    arm = tocsin.RobotBuilder("arm")
    arm.link("base")
    arm.link("upper", (tocsin.Capsule(0.05, 0.8), (0, 0, 0.4)), parent="base", joint="revolute", axis=(0, 1, 0))
    arm.link("lower", (tocsin.Box((0.1, 0.1, 0.6)), (0, 0, 0.3)), parent="upper", joint="revolute", axis=(0, 1, 0),
             origin=(0, 0, 0.9))  # fmt: skip
    robot = arm.build()
    robot.place(pose((1, 0, 0), 0.0, (-0.9, 0, 0.3)))
    scene = tocsin.Scene(cloth, robot)
    move = (robot.move([0.3, 0.2], [1.9, 1.5]), cloth.move(v, v + [0, 0, 0.1]))
    hit = scene.first_contact(*move, margin=0.05, tolerance=1e-4)
    assert hit.status is tocsin.Status.CONTACT
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} & {"upper", "lower"}
    for t in np.linspace(0.0, hit.time, 30):
        board = tocsin.Body((move[1].vertices_at(t), faces), name="board")
        gap = tocsin.Scene(board, robot).distance(robot.at(move[0].row_at(t)[7:])).distance
        assert gap > 0.05 if t < hit.time else gap <= 0.05 + 1e-4
    assert scene.safe_step(*move, margin=0.05) == pytest.approx(hit.time, abs=1e-3)


def test_the_deviation_from_straight_lines_is_a_bound():
    rng = np.random.default_rng(3)
    arm = tocsin.RobotBuilder("arm", base="free")
    arm.link("a", tocsin.Box((0.2, 0.3, 0.4)))
    arm.link(
        "b",
        (tocsin.Box((0.2, 0.1, 0.5)), (0, 0, 0.3)),
        parent="a",
        joint="revolute",
        axis=(0, 1, 1),
        origin=(0.3, 0, 0),
    )
    arm.link(
        "c", (tocsin.Capsule(0.1, 0.5), (0, 0.2, 0)), parent="b", joint="prismatic", axis=(1, 0, 0), origin=(0, 0, 0.5)
    )
    robot = arm.build()
    for _ in range(20):
        rows = [np.concatenate([rng.normal(size=3), _unit(rng), rng.uniform(-4, 4, 2)]) for _ in range(2)]
        width = len(rows[0])
        piece = (0, width, 0.0, 1.0, -1)
        for link, path in enumerate(link_motions(robot.kernel_links, np.concatenate(rows), width, piece)):
            partner = rigid_mesh_of(robot.shapes[link][0], 1e-6)
            s = rng.uniform(0, 0.9)
            e = s + rng.uniform(0, 1 - s)
            ends = path.place(partner, s), path.place(partner, e)
            most = path.deviation(partner, e - s)
            for x in np.linspace(0, 1, 17):
                straight = (1 - x) * ends[0] + x * ends[1]
                off = np.linalg.norm(path.place(partner, s + x * (e - s)) - straight, axis=1).max()
                assert off <= most


def _unit(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def test_a_cloth_inside_a_solid_is_in_contact_from_the_start():
    v, faces = sheet(4, 0.1)
    cloth = tocsin.Deformable(v, faces, name="cloth")
    for shape in (tocsin.Box((1, 1, 1)), tocsin.Sphere(0.5), tocsin.Cylinder(0.5, 1.0)):
        hit = tocsin.Scene(cloth, tocsin.Body(shape, name="solid")).first_contact(cloth.move(v, v + 0.01))
        assert hit.status is tocsin.Status.INITIAL_CONTACT
        assert hit.contacts[0].link_b == "solid"
    hollow = tocsin.Body(tocsin.Box((1, 1, 1)).tessellate(), name="hollow")
    assert tocsin.Scene(cloth, hollow).is_free(cloth.move(v, v + 0.01))


def test_a_cloth_inside_a_hull_that_dropped_points_is_in_contact():
    rng = np.random.default_rng(3)
    corners = np.array(list(np.ndindex(2, 2, 2))) - 0.5
    nearly = np.repeat(corners, 40, axis=0) + 1e-15 * rng.normal(size=(320, 3))
    hull = tocsin.ConvexHull(nearly)
    assert hull.hull.slack > 0.0
    v, faces = sheet(4, 0.1)
    cloth = tocsin.Deformable(v, faces, name="cloth")
    hit = tocsin.Scene(cloth, tocsin.Body(hull, name="solid")).first_contact(cloth.move(v, v + 0.01))
    assert hit.status is tocsin.Status.INITIAL_CONTACT


def test_a_screw_motion_is_followed():
    v, faces = sheet()
    cloth = tocsin.Deformable(v, faces, name="cloth")
    board = tocsin.Body((v, faces), name="board")
    thing = tocsin.Body(tocsin.Box((0.2, 0.2, 0.2)), name="thing")
    ends = pose((1, 2, 0), 0.2, (0.3, 0, 0.9)), pose((0, 2, 1), 1.0, (0.1, 0.1, -0.6))
    soft = tocsin.Scene(cloth, thing).first_contact(thing.move(*ends, kind="screw"), tolerance=1e-5)
    rigid = tocsin.Scene(board, thing).first_contact(thing.move(*ends, kind="screw"), tolerance=1e-5)
    assert soft.collides
    assert soft.time == pytest.approx(rigid.time, abs=1e-4)


def test_rules_of_the_scene_hold_for_deformable_models():
    v, faces = sheet(5, 1.0, 1.0)
    cloth = tocsin.Deformable(v, faces, name="cloth")
    ball = tocsin.Body(tocsin.Sphere(0.2), name="ball")
    scene = tocsin.Scene(cloth, ball)
    falls = cloth.move(v, v - [0, 0, 2])
    assert not scene.is_free(falls)
    scene.ignore("cloth", "ball")
    assert scene.is_free(falls)
    folded = v.copy()
    folded[:, 0] = -np.abs(folded[:, 0])
    folded[v[:, 0] > 0, 2] -= 0.2
    other = tocsin.Scene(cloth)
    assert not other.is_free(cloth.move(v, folded))
    other.ignore("cloth", "cloth")
    assert other.is_free(cloth.move(v, folded))
    wide = tocsin.Scene(cloth, ball)
    wide.margins["cloth", "ball"] = 0.3
    assert wide.first_contact(falls).time == pytest.approx((1.0 - 0.5 - 0.03) / 2, abs=0.02)


@pytest.mark.parametrize("margin", [0.0, 0.25])
def test_the_points_of_a_contact_are_points_of_the_cylinder_and_no_nearer_than_it_is(margin):
    """A prism stands for it, whose corners stick out by up to 3.8e-5 of its radius."""
    rng = np.random.default_rng(11)
    told = 0
    for k in range(40):
        radius, length = (float(s) for s in rng.choice([0.01, 0.1, 0.5, 2.0], 2))
        placement = pose(rng.normal(size=3), rng.uniform(-3, 3), rng.normal(size=3) * (0.0, 1.0, 50.0)[k % 3])
        thing = tocsin.Body(tocsin.Cylinder(radius, length), placement, name="thing")
        way = rng.normal(size=3)
        triangle = placement[:3, 3] + rng.normal(size=(3, 3)) + (radius + length + margin + 1.0) * way
        cloth = tocsin.Deformable(triangle, [[0, 1, 2]], name="cloth")
        goal = triangle - 2.0 * (triangle.mean(axis=0) - placement[:3, 3])
        scene = tocsin.Scene(cloth, thing)
        hit = scene.first_contact(cloth.move(triangle, goal), margin=margin, tolerance=1e-3)
        for contact in hit.contacts[:8]:
            told += 1
            on_a, on_b = contact.point_a, contact.point_b
            if contact.model_a == "thing":
                on_a, on_b = on_b, on_a
            p, q = ((x - placement[:3, 3]) @ placement[:3, :3] for x in (on_a, on_b))
            rounding = 1e-14 * (60.0 + radius + length)
            assert math.hypot(q[0], q[1]) <= radius + rounding
            assert abs(q[2]) <= length / 2 + rounding
            true = math.hypot(max(math.hypot(p[0], p[1]) - radius, 0.0), max(abs(p[2]) - length / 2, 0.0))
            assert true - rounding <= contact.distance <= margin + hit.tolerance
            assert contact.distance == pytest.approx(float(np.linalg.norm(on_a - on_b)), abs=rounding)
    assert told > 20


def test_the_normal_of_a_contact_is_that_of_the_cylinder():
    """On its prism's corners too: what is moved into the cylinder moves its partner on the cloth along."""
    v = 5.0 * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    cloth = tocsin.Deformable(v, [[0, 1, 2]], name="cloth")
    for turn, height in ((0.0, 0.2), (math.pi / 2, 0.5)):
        thing = tocsin.Body(tocsin.Cylinder(0.5, 0.4), pose((1, 0, 0), turn, (0.1, 0.2, 1.0)), name="thing")
        hit = tocsin.Scene(cloth, thing).first_contact(cloth.move(v, v + (0.0, 0.0, 1.0)), tolerance=1e-3)
        assert hit.time == pytest.approx(1.0 - height, abs=2e-3)
        for contact in hit.contacts:
            np.testing.assert_allclose(contact.normal, (0.0, 0.0, 1.0), atol=math.pi / 256 if turn else 1e-9)
