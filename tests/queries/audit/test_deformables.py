"""Deformable models in audits of programs: every pair by name, how near and how fast, and curves that hold."""

import numpy as np
import pytest

import tocsin
from gripping import arm
from tocsin import Body, Box, Deformable, Program, Scene, Sphere
from tocsin.queries.audit.between import on_surface
from tocsin.queries.audit.deformables import alone, rigid_part, without
from tocsin.queries.audit.records import Pair


def falling(height=1.0, down=0.7):
    """A square sheet that falls in a second onto a ball and past a box; the ball is nearer."""
    x, y = np.meshgrid([-0.5, 0.0, 0.5], [-0.5, 0.0, 0.5])
    vertices = np.stack([x.ravel(), y.ravel(), np.full(9, height)], axis=1)
    faces = [(i, i + 1, i + 4) for i in (0, 1, 3, 4)] + [(i, i + 4, i + 3) for i in (0, 1, 3, 4)]
    sheet = Deformable(vertices, faces, name="sheet")
    ball = Body(Sphere(0.1), (0.1, 0.2, 0.15), name="ball")
    box = Body(Box((0.1, 0.1, 0.1)), (-0.3, -0.3, 0.08), name="box")
    frames = [vertices, vertices - (0, 0, 0.3 * down), vertices - (0, 0, down)]
    program = Program().follow(sheet, frames, times=[0.0, 0.5, 1.0])
    return Scene(sheet, ball, box), program


def test_a_margin_that_a_sheet_does_not_keep_tells_by_how_much_where_and_how_fast():
    scene, program = falling()
    found = tocsin.audit(scene, program, margin=0.1, resolution=0.01)
    (only,) = found.conflicts
    assert {only.pair.link_a, only.pair.link_b} == {"sheet", "ball"}
    assert only.enter == pytest.approx(0.5 + 0.5 * (0.65 - 0.21) / 0.49, abs=0.01)
    assert only.exit == 1.0
    assert only.distance == pytest.approx(0.05, abs=1e-6)
    assert only.depth == pytest.approx(0.05, abs=1e-6)
    assert only.at == pytest.approx(1.0, abs=1e-6)
    assert only.speed == pytest.approx(0.49 / 0.5, rel=1e-3)
    assert only.point == pytest.approx((0.1, 0.2, 0.275), abs=1e-3)


def test_a_sheet_that_is_reached_through_has_a_place_and_a_speed_and_no_depth():
    scene, program = falling(down=0.85)
    (only,) = tocsin.audit(scene, program, resolution=0.01).conflicts
    assert (only.distance, only.depth) == (0.0, None)
    assert only.speed == pytest.approx(0.7 * 0.85 / 0.5, rel=1e-3)
    assert np.linalg.norm(only.point - (0.1, 0.2, 0.15)) < 0.11


def test_every_pair_that_touches_is_named_with_its_own_time():
    scene, program = falling(down=1.0)
    found = tocsin.audit(scene, program, resolution=0.01)
    names = [{c.pair.link_a, c.pair.link_b} - {"sheet"} for c in found.conflicts]
    assert names == [{"ball"}, {"box"}]
    ball, box = found.conflicts
    assert ball.enter == pytest.approx(0.5 + 0.5 * (0.75 - 0.3) / 0.7, abs=0.01)
    assert box.enter == pytest.approx(0.5 + 0.5 * (0.87 - 0.3) / 0.7, abs=0.01)


def test_curves_of_sheets_are_below_what_is_measured_at_any_moment():
    scene, program = falling()
    found = tocsin.audit(scene, program)
    assert found.is_free
    assert found.clearance.speed == pytest.approx(0.49 / 0.5, rel=1e-3)
    curves = {next(iter({c.pair.link_a, c.pair.link_b} - {"sheet"})): c for c in found.curves}
    assert set(curves) == {"ball", "box"}
    for name, top in (("ball", 0.25), ("box", 0.13)):
        curve = curves[name]
        assert curve.lower.max() > 0.0
        for t in np.linspace(0.0, 1.0, 200):
            height = 1.0 - (0.42 * t if t < 0.5 else 0.21 + 0.98 * (t - 0.5))
            inside = (curve.edges[:-1] <= t) & (t <= curve.edges[1:])
            assert (curve.lower[inside] <= height - top).all()
        truth = [1.0 - (0.42 * t if t < 0.5 else 0.21 + 0.98 * (t - 0.5)) - top for t in curve.times]
        assert curve.upper == pytest.approx(truth, abs=1e-6)


def test_links_beside_a_sheet_have_curves_as_without_it():
    robot, post = arm(), Body(Sphere(0.05), (0.25, 0.7, 0.0), name="post")
    sheet = Deformable([[5.0, 5, 5], [6, 5, 5], [5, 6, 5]], [[0, 1, 2]], name="sheet")
    robot.stand_at([0.0, 0.0])
    with_it, alone_ = (Program().move(robot, [1.2, 0.0], seconds=2.0) for _ in range(2))
    with_it.follow(sheet, [sheet.vertices, sheet.vertices + 0.1], times=[0, 2])
    beside = tocsin.audit(Scene(robot, post, sheet), with_it).curves
    bare = tocsin.audit(Scene(robot, post), alone_).curves
    assert [str(c.pair) for c in beside] == [str(c.pair) for c in bare]
    for a, b in zip(beside, bare):
        assert np.array_equal(a.lower, b.lower)


def test_a_pair_alone_and_all_but_it():
    scene, program = falling(down=1.0)
    (phase,) = tocsin.audit(scene, program).phases
    pair = Pair("ball", "ball", "sheet", "sheet")
    assert ("ball", "sheet") not in alone(phase.context, pair).rules.ignored
    assert {("ball", "box"), ("box", "sheet"), ("sheet", "sheet")} <= alone(phase.context, pair).rules.ignored
    assert without(phase.context, pair).rules.ignored == {("ball", "sheet")}
    context, motions = rigid_part(phase)
    assert (context.names, motions) == (("ball", "box"), ())


def test_the_nearest_place_of_a_mesh_in_shares_of_its_vertices():
    rng = np.random.default_rng(1)
    vertices, faces = rng.normal(size=(30, 3)), rng.integers(0, 30, (40, 3))
    faces = faces[[len(set(f)) == 3 for f in faces.tolist()]]
    for _ in range(50):
        face, shares = faces[rng.integers(len(faces))], rng.dirichlet(np.ones(3))
        point = shares @ vertices[face]
        which, found = on_surface(vertices, faces, point)
        assert found @ vertices[which] == pytest.approx(point, abs=1e-9)
    assert on_surface(vertices, faces[:0], vertices[7])[0].tolist() == [7]
