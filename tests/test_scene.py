"""A scene: its names, its rules, and the questions one can ask of it."""

import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh, two
from tocsin import Body, Scene, Sphere, Status, TocsinError
from tocsin_bench.oracles import kinematics, shapes


def balls(**places):
    return [Body(Sphere(0.5), pose, name=name) for name, pose in places.items()]


def arm(name="arm"):
    builder = tocsin.RobotBuilder(name)
    cube = tocsin.Box((0.2, 0.2, 0.2))
    builder.link("base", cube)
    builder.link("upper", (cube, at(1)), parent="base", joint="revolute")
    builder.link("hand", (cube, at(1)), parent="upper", joint="revolute", origin=(1, 0, 0))
    return builder.build()


# ---- names and rules -----------------------------------------------------------------------------------------------


@pytest.mark.pure
def test_bodies_without_names_are_numbered():
    scene = Scene(Body(Sphere(1.0)), Body(Sphere(1.0)), Body(Sphere(1.0), name="ball"))
    assert scene.names == ("body-1", "body-2", "ball")
    assert repr(scene) == "<Scene of 3 models: body-1, body-2, ball>"


def test_two_models_of_one_name_are_refused():
    with pytest.raises(TocsinError, match="two models are named 'x'"):
        Scene(Body(Sphere(1.0), name="x"), Body(Sphere(1.0), name="x"))


@pytest.mark.pure
def test_what_comes_from_a_file_has_its_name(tmp_path):
    file = tmp_path / "table.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert Body(file).name == Body.from_mesh(str(file)).name == tocsin.Deformable.from_mesh(file).name == "table"
    assert Scene(Body(file), Body(file), Body.from_mesh(file, name="desk")).names == ("table-1", "table-2", "desk")
    assert Scene(Body(file), Body(Sphere(1.0), name="table")).names == ("table-1", "table")
    soft = [tocsin.Deformable.from_mesh(tocsin.Mesh.load(file)) for _ in range(2)]
    assert Scene(*soft).names == ("deformable-1", "deformable-2")
    with pytest.raises(TocsinError, match="the name of a body"):
        Body(Sphere(1.0), name="")


def test_links_are_found_by_their_own_name_and_by_that_of_their_model():
    left, right = arm("left"), arm("right")
    scene = Scene(left, right)
    scene.ignore("left/hand", "right/hand")
    with pytest.raises(TocsinError, match="hand"):
        scene.ignore("hand", "left")
    with pytest.raises(TocsinError, match="one link"):
        scene.ignore("left/hand", "left/hand")
    Scene(left).ignore("hand", "base")


def test_ignored_pairs_may_pass_through_each_other():
    a, b, c = balls(a=at(), b=at(3), c=at(9))
    scene = Scene(a, b, c)
    move = a.move(at(), at(12))
    assert scene.first_contact(move).time == pytest.approx(2 / 12, abs=1e-4)
    scene.ignore("a", "b")
    assert scene.first_contact(move).time == pytest.approx(8 / 12, abs=1e-4)
    scene.ignore("c", "a")
    assert scene.is_free(move)
    assert scene.distance().link_b == "c"


def test_ignoring_a_model_against_itself_leaves_no_pair_of_its_links():
    robot = arm()
    robot.stand_at([np.pi, np.pi])
    scene = Scene(robot)
    assert scene.first_contact().status is Status.INITIAL_CONTACT
    scene.ignore("arm", "arm")
    assert scene.first_contact().status is Status.FREE


def test_margins_of_single_pairs_go_before_the_margin_of_the_question():
    a, b, c = balls(a=at(), b=at(0, 2), c=at(0, -3))
    scene = Scene(a, b, c)
    assert scene.is_free(a.at(at()), margin=0.9)
    scene.margins["b", "a"] = 1.5
    assert dict(scene.margins) == {("a", "b"): 1.5}
    assert not scene.is_free(a.at(at()), margin=0.1)
    scene.margins["a", "b"] = 0.2
    assert scene.is_free(a.at(at()), margin=1.5)
    del scene.margins["a", "b"]
    assert not scene.is_free(a.at(at()), margin=1.5)
    assert len(scene.margins) == 0


def test_links_that_overlap_by_design_can_be_ignored_at_once():
    robot = arm()
    assert robot.ignore_overlapping_at([np.pi, np.pi]) == (("base", "hand"),)
    assert Scene(robot).is_free(robot.at([np.pi, np.pi]))


# ---- motions -------------------------------------------------------------------------------------------------------


def test_a_path_of_several_pieces_is_followed_in_order():
    a, b = balls(a=at(), b=at(0, 5))
    scene = Scene(a, b)
    path = [at(), at(10), at(10, 5), at(0, 5), at()]
    hit = scene.first_contact(a.follow(path))
    assert hit.time == pytest.approx((2 + 0.9) / 4, abs=1e-4)
    assert np.allclose(a.at_contact(hit)[:3, 3], [1, 5, 0], atol=1e-3)
    assert scene.first_contact(a.follow(path[::-1])).time == pytest.approx(0.8 / 4, abs=1e-4)


def test_paths_of_different_lengths_go_together():
    a, b = balls(a=at(), b=at(0, 5))
    scene = Scene(a, b)
    hit = scene.first_contact(a.follow([at(), at(6), at()]), b.follow([at(0, 5), at(0, 5), at(0, 2), at(6, 2)]))
    times = np.linspace(0, 1, 30001)
    place_a = np.stack([np.interp(times, [0, 0.5, 1], [0, 6, 0]), 0 * times], 1)
    third = [0, 1 / 3, 2 / 3, 1]
    place_b = np.stack([np.interp(times, third, [0, 0, 0, 6]), np.interp(times, third, [5, 5, 2, 2])], 1)
    gaps = np.linalg.norm(place_a - place_b, axis=1) - 1.0
    assert hit.collides == (gaps.min() <= 0)
    far = scene.first_contact(a.follow([at(), at(6), at()]), b.follow([at(0, 5), at(0, 5), at(0, 1), at(6, 1)]))
    place_b[:, 1] = np.interp(times, third, [5, 5, 1, 1])
    first = times[np.argmax(np.linalg.norm(place_a - place_b, axis=1) <= 1.0 + 1e-12)]
    assert far.time == pytest.approx(first, abs=1e-2)
    assert far.time <= first + 1e-4


def test_several_moving_models_meet_each_other():
    a, b, c = balls(a=at(), b=at(10), c=at(5, 20))
    scene = Scene(a, b, c)
    hit = scene.first_contact(a.move(at(), at(10)), b.move(at(10), at()), c.move(at(5, 20), at(5, 19)))
    assert hit.time == pytest.approx(9 / 20, abs=1e-4)
    assert {hit.contacts[0].model_a, hit.contacts[0].model_b} == {"a", "b"}
    together = scene.first_contact(a.move(at(), at(0, 9)), b.move(at(10), at(10, 9)))
    assert together.status is Status.FREE


def test_a_robot_moves_among_bodies_and_says_where_it_was():
    robot, (ball,) = arm(), balls(ball=at(0, 2))
    hit = Scene(robot, ball).first_contact(robot.move([0.0, 0.0], [np.pi, 0.0]))
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"hand", "ball"}
    q = robot.at_contact(hit)
    assert q[0] == pytest.approx(hit.time * np.pi)
    hand = robot.link_poses(q)[2] @ at(1)
    gap = shapes.distance(shapes.box((0.2, 0.2, 0.2)), hand, shapes.sphere(0.5), at(0, 2))
    assert 0.0 <= gap <= hit.tolerance * (1 + 1e-6)


def test_a_free_answer_has_no_contact_to_ask_about():
    a, b = balls(a=at(), b=at(0, 5))
    hit = Scene(a, b).first_contact(a.move(at(), at(9)))
    assert hit.contacts == ()
    assert hit.bracket == (1.0, np.inf)
    assert "Status.FREE" in repr(hit)
    with pytest.raises(TocsinError, match="no contact"):
        a.at_contact(hit)


def test_statistics_count_what_was_looked_at():
    a, b, c = balls(a=at(), b=at(4), c=at(0, 50))
    stats = Scene(a, b, c).first_contact(a.move(at(), at(4))).stats
    assert stats.pairs_total == 2
    assert stats.pairs_spatial == 1
    assert stats.pairs_temporal <= stats.pairs_spatial
    assert stats.steps >= 1
    assert stats.slabs == 1
    assert set(stats.seconds) == {"motion", "culling", "advancement"}
    assert all(x >= 0.0 for x in stats.seconds.values())


def test_threads_give_the_same_bits():
    rng = np.random.default_rng(1)
    robot, cubes = arm(), [Body(box_mesh(0.5, 0.5, 0.5), at(*rng.normal(size=3) * 1.5), name=f"c{k}") for k in range(6)]
    scene = Scene(robot, *cubes)
    moves = [robot.move(*rng.uniform(-3, 3, size=(2, 2))) for _ in range(24)]

    def answer(move):
        hit = scene.first_contact(move)
        return hit.status, hit.time, tuple((c.kind, c.features, c.distance) for c in hit.contacts)

    alone = [answer(m) for m in moves]
    assert len({s for s, _, _ in alone}) > 1
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(answer, moves * 3)) == alone * 3


def random_pose(rng, spread):
    return kinematics.frame(kinematics.exp(rng.normal(size=3)), rng.normal(size=3) * spread)


def test_hulls_give_the_same_status_and_the_same_times_within_tolerance():
    rng = np.random.default_rng(2)
    ell = [(box_mesh(2, 0.4, 0.4), at()), (box_mesh(0.4, 2, 0.4), at(0.8, 0.8))]
    models = {}
    for backend in ("triangles", "hulls"):
        a, b = Body(ell, name="a"), Body(ell, name="b")
        models[backend] = (Scene(a, b, backend=backend), a)
    met = 0
    for _ in range(40):
        start, stop = random_pose(rng, 3.0), random_pose(rng, 3.0)
        hits = {k: scene.first_contact(a.move(start, stop)) for k, (scene, a) in models.items()}
        one, other = hits["triangles"], hits["hulls"]
        assert one.status is other.status
        if one.status is Status.CONTACT:
            met += 1
            # Both are within the tolerance before the contact: the later one of the two is not far behind.
            first, scene_a = max(one.time, other.time), models["triangles"]
            gap = scene_a[0].distance(scene_a[1].at(kinematics.body_poses(start, stop, [first])[0])).distance
            assert gap <= max(one.tolerance, other.tolerance) * (1 + 1e-6)
            assert one.time == pytest.approx(other.time, abs=1e-2)
    assert met > 5


@pytest.mark.pure
def test_a_pair_of_triangles_is_asked_everything():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
    scene, a, _ = two((corners, [[0, 1, 2]]), (corners, [[0, 1, 2]]))
    hit = scene.first_contact(a.move(at(0.1, 0.1, 1), at(0.1, 0.1, -1)))
    assert hit.status is Status.CONTACT
    assert hit.time == pytest.approx(0.5, abs=1e-3)
    assert hit.contacts
    assert scene.distance(a.at(at(0.1, 0.1, 1))).distance == pytest.approx(1.0)
    assert scene.is_free(a.move(at(0, 0, 1), at(0, 0, 2)))


def test_a_scene_that_changes_all_the_time_keeps_no_tables_that_were():
    arm, ball = tocsin.Body(tocsin.Box((1, 1, 1)), name="arm"), tocsin.Body(tocsin.Sphere(0.1), name="ball")
    scene = tocsin.Scene(arm, ball)
    seen = []
    for k in range(5):
        pose = np.eye(4)
        pose[0, 3] = 2.0 + k
        ball.place(pose)
        assert scene.is_free(arm.at(np.eye(4)))
        seen.append(weakref.ref(scene.context.tables().points))
    assert sum(points() is not None for points in seen) == 1
