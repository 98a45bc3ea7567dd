"""Batches say, bit by bit, what single questions say, whatever the number of threads and the order."""

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh
from tocsin import Status, TocsinError
from tocsin.queries import threads as dealing
from tocsin_bench.scenes import shapes

EDGES = 160


def arm(name="arm"):
    """Return an arm of seven joints, of meshes and of primitives, with a group and an SRDF-like name for each joint."""
    builder = tocsin.RobotBuilder(name)
    builder.link("base", tocsin.Box((0.2, 0.2, 0.1)))
    parent = "base"
    for k in range(7):
        shape = tocsin.Mesh(*box_mesh(0.08, 0.08, 0.3)) if k % 2 else tocsin.Capsule(0.05, 0.2)
        axis = ((0, 0, 1), (0, 1, 0))[k % 2]
        builder.link(f"link{k}", (shape, at(0, 0, 0.15)), parent=parent, joint="revolute", axis=axis,
                     origin=(0, 0, 0.1 if k == 0 else 0.32), joint_name=f"joint{k}")  # fmt: skip
        parent = f"link{k}"
    return builder.build()


@pytest.fixture(scope="module")
def cell():
    """An arm among posts, edges of all lengths, and the answers of single questions: (scene, robot, Q0, Q1)."""
    robot = arm()
    rng = np.random.default_rng(7)
    posts = [
        tocsin.Body(tocsin.Box((0.1, 0.1, 1.5)), at(*xy, 0.7), name=f"post {k}")
        for k, xy in enumerate(((0.6, 0.1), (-0.5, 0.5), (0.1, -0.7)))
    ]
    ball = tocsin.Body(tocsin.Mesh(*box_mesh(0.2, 0.3, 0.1)), at(0.4, 0.6, 0.9), name="ball")
    Q0 = rng.uniform(-1.5, 1.5, (EDGES, 7))
    Q1 = Q0 + rng.normal(size=(EDGES, 7)) * np.repeat([0.02, 0.2, 1.0, 3.0], EDGES // 4)[:, None]
    return tocsin.Scene(robot, *posts, ball), robot, Q0, Q1


def singles(scene, robot, Q0, Q1, **options):
    return [scene.first_contact(robot.move(a, b), **options) for a, b in zip(Q0, Q1)]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_edges_are_free_where_single_questions_say_so(cell, threads):
    scene, robot, Q0, Q1 = cell
    alone = [scene.is_free(robot.move(a, b)) for a, b in zip(Q0, Q1)]
    together = scene.check_edges(robot, Q0, Q1, threads=threads)
    assert together.dtype == np.bool_
    assert together.tolist() == alone
    assert 10 < sum(alone) < EDGES - 10


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_first_contacts_have_the_bits_of_single_answers(cell, threads):
    scene, robot, Q0, Q1 = cell
    alone = singles(scene, robot, Q0, Q1, margin=0.01)
    order = np.random.default_rng(threads).permutation(EDGES)
    hits = scene.first_contacts(robot, Q0[order], Q1[order], margin=0.01, threads=threads)
    for k, i in enumerate(order):
        assert hits.status[k] is alone[i].status
        assert hits.time[k].tobytes() == np.float64(alone[i].time).tobytes()
        assert hits.tolerance[k] == alone[i].tolerance
        if alone[i].status is Status.CONTACT:
            named = {frozenset((c.link_a, c.link_b)) for c in alone[i].contacts}
            assert frozenset(hits.links[k]) in named
    assert {Status.FREE, Status.CONTACT} <= set(hits.status)
    k = int(np.flatnonzero(hits.codes == 1)[0])
    assert hits[k] == alone[order[k]]
    assert hits[k].scene is scene
    assert len(hits) == EDGES


def test_measured_edges_are_safe_steps(cell):
    scene, robot, Q0, Q1 = cell
    steps = scene.measure_edges(robot, Q0, Q1, threads=2)
    assert steps.tolist() == [scene.safe_step(robot.move(a, b)) for a, b in zip(Q0, Q1)]


@pytest.mark.parametrize("threads", [1, 3])
def test_configurations_and_distances_are_those_of_single_questions(cell, threads):
    scene, robot, Q0, _ = cell
    free = scene.check_configurations(robot, Q0, threads=threads)
    assert free.tolist() == [scene.is_free(robot.at(q)) for q in Q0]
    far = scene.distances(robot, Q0, threads=threads)
    alone = [scene.distance(robot.at(q)) for q in Q0]
    assert far.distance.tolist() == [d.distance for d in alone]
    assert far.lower.tolist() == [d.lower for d in alone]
    assert [tuple(pair) for pair in far.links] == [(d.link_a, d.link_b) for d in alone]
    assert list(far) == alone


@pytest.mark.parametrize("threads", [1, 2])
def test_paths_are_free_where_single_questions_say_so_whatever_their_lengths(cell, threads):
    scene, robot, Q0, _ = cell
    rng = np.random.default_rng(3)
    paths = [Q0[k] + np.cumsum(rng.normal(size=(2 + k % 3, 7)) * 0.1, axis=0) for k in range(40)]
    alone = [scene.is_free(robot.follow(path)) for path in paths]
    assert scene.check_paths(robot, paths, threads=threads).tolist() == alone
    equal = np.stack([path[:2] for path in paths])
    assert scene.check_paths(robot, equal).tolist() == [scene.is_free(robot.follow(path)) for path in equal]
    assert 0 < sum(alone) < 40


def test_poses_of_bodies_go_together_half_turns_included():
    """Exact half turns are decided by rationals, which kernels do not have."""
    rng = np.random.default_rng(2)
    box = tocsin.Body(tocsin.Mesh(*box_mesh(0.3, 0.2, 0.1)), name="box")
    scene = tocsin.Scene(box, tocsin.Body(tocsin.Box((0.5, 0.5, 0.5)), name="block"))
    T0 = np.stack([at(*rng.uniform(-1, 1, 3)) for _ in range(60)])
    T1 = np.stack([at(*rng.uniform(-1, 1, 3), turn=(0, 0, (180, 37, 90)[k % 3])) for k in range(60)])
    alone = [scene.first_contact(box.move(a, b)) for a, b in zip(T0, T1)]
    hits = scene.first_contacts(box, T0, T1, threads=2)
    assert hits.time.tolist() == [hit.time for hit in alone]
    assert list(hits.status) == [hit.status for hit in alone]
    assert scene.check_edges(box, T0[:, :3, 3], T1[:, :3, 3]).tolist() == [
        scene.is_free(box.move(a, b)) for a, b in zip(T0[:, :3, 3], T1[:, :3, 3])
    ]
    assert scene.check_configurations(box, T0).tolist() == [scene.is_free(box.at(pose)) for pose in T0]


def test_pairs_that_wait_for_a_chart_are_answered_too():
    """Closer than floating point resolves: such a pair gives up until its chart is made, which kernels cannot do."""
    from promise.test_charted_bits import close_links

    robot = close_links(1e-15)
    starts, ends = np.tile([0.1, -0.1], (9, 1)), np.linspace([0.2, -0.2], [0.6, -0.6], 9)
    scene = tocsin.Scene(robot)
    alone = singles(tocsin.Scene(robot), robot, starts, ends, tolerance=1e-18)
    hits = scene.first_contacts(robot, starts, ends, tolerance=1e-18, threads=2)
    assert list(hits.status) == [hit.status for hit in alone]
    assert hits.time.tolist() == [hit.time for hit in alone]
    assert Status.CAPPED in hits.status


# ---- input -----------------------------------------------------------------------------------------------------------


def test_a_bad_number_is_named_by_its_row_and_joint(cell):
    scene, robot, Q0, Q1 = cell
    wrong = Q1.copy()
    wrong[71, 2] = np.nan
    with pytest.raises(TocsinError, match="row 71 of Q1 has nan in 'joint2'"):
        scene.check_edges(robot, Q0, wrong)
    wrong[71, 2] = 1e12
    with pytest.raises(TocsinError, match="row 71 of Q1: entry 2 is 1e"):
        scene.check_edges(robot, Q0, wrong)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((np.zeros((3, 6)), np.zeros((3, 7))), r"Q0 must have shape \(n, 7\).*joint0, joint1.*got shape \(3, 6\)"),
        ((np.zeros((3, 7)), np.zeros((4, 7))), "Q0 and Q1 must have as many rows; got 3 and 4"),
        ((np.zeros(7), np.zeros(7)), r"Q0 must have shape \(n, 7\)"),
        (("ready", np.zeros((1, 7))), "Q0 must be numbers"),
    ],
)
def test_arrays_of_other_shapes_are_refused(cell, given, words):
    scene, robot, _, _ = cell
    with pytest.raises(TocsinError, match=words):
        scene.check_edges(robot, *given)


def test_what_is_no_model_of_the_scene_is_refused(cell):
    scene, robot, Q0, Q1 = cell
    with pytest.raises(TocsinError, match="is not in this scene"):
        scene.check_edges(arm("other"), Q0, Q1)
    with pytest.raises(TocsinError, match="a batch is about one robot or body, or a list of some; got str"):
        scene.check_edges("arm", Q0, Q1)
    with pytest.raises(TocsinError, match="threads must be"):
        scene.check_edges(robot, Q0, Q1, threads=0)
    with pytest.raises(TocsinError, match="progress is a function"):
        scene.check_edges(robot, Q0, Q1, progress="yes")
    with pytest.raises(TocsinError, match="group"):
        scene.check_edges(robot, Q0, Q1, group="hand")
    assert scene.check_edges(robot, Q0[:0], Q1[:0]).shape == (0,)


def test_what_is_written_into_the_arrays_afterwards_changes_no_answer(cell):
    scene, robot, Q0, Q1 = cell
    starts, ends = Q0.copy(), Q1.copy()
    hits = scene.first_contacts(robot, starts, ends)
    starts[:] = 0.0
    ends[:] = 0.0
    assert hits[5] == scene.first_contact(robot.move(Q0[5], Q1[5]))
    with pytest.raises(ValueError, match="read-only"):
        hits.time[0] = 0.0


def test_answers_of_a_scene_that_has_changed_are_not_made_up():
    ball, wall = tocsin.Body(tocsin.Sphere(0.1), name="ball"), tocsin.Body(tocsin.Box((1, 1, 1)), (3, 0, 0))
    scene = tocsin.Scene(ball, wall)
    hits = scene.first_contacts(ball, [(0.0, 0, 0)], [(5.0, 0, 0)])
    assert hits[0].collides
    wall.place((9.0, 0, 0))
    with pytest.raises(TocsinError, match="has changed since"):
        hits[0]


def test_rows_of_different_lengths_are_named(cell):
    scene, robot, Q0, Q1 = cell
    mixed = [row.tolist() for row in Q0]
    mixed[71] = mixed[71][:6]
    with pytest.raises(TocsinError, match=r"row 71 of Q0 must have 7 values \(joints: joint0, .*got shape \(6,\)"):
        scene.check_edges(robot, mixed, Q1)
    mixed[71] = "home"
    with pytest.raises(TocsinError, match="row 71 of Q0 must be 7 numbers"):
        scene.check_edges(robot, mixed, Q1)


# ---- several at once -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair():
    """Two arms that can reach each other, a box, and edges of all: (scene, models, starts, ends)."""
    left, right = arm("left"), arm("right")
    right.place(at(0.9, 0, 0))
    box = tocsin.Body(tocsin.Mesh(*box_mesh(0.2, 0.2, 0.2)), at(0, -3, 0), name="box")
    scene = tocsin.Scene(left, right, box, tocsin.Body(tocsin.Box((0.1, 0.1, 1.5)), at(0.3, 0.6, 0.7), name="post"))
    rng = np.random.default_rng(5)
    starts = [rng.uniform(-0.5, 0.5, (60, 7)), rng.uniform(-0.5, 0.5, (60, 7)), rng.uniform(-1, 1, (60, 3)) + (0, 0, 2)]
    ends = [s + 0.3 * rng.normal(size=s.shape) for s in starts]
    return scene, [left, right, box], starts, ends


@pytest.mark.parametrize("threads", [1, 2])
def test_several_models_move_at_once_as_in_single_questions(pair, threads):
    scene, models, starts, ends = pair
    for chosen in ([0, 1], [1, 0, 2], [2, 0]):
        who, A, B = ([x[k] for k in chosen] for x in (models, starts, ends))
        alone = [
            scene.first_contact(*[m.move(a[i], b[i]) for m, a, b in zip(who, A, B)], margin=0.005) for i in range(60)
        ]
        hits = scene.first_contacts(who, A, B, margin=0.005, threads=threads)
        assert hits.time.tolist() == [hit.time for hit in alone]
        assert list(hits.status) == [hit.status for hit in alone]
        k = int(np.flatnonzero(hits.collides)[0])
        assert hits[k] == alone[k]
        free = scene.check_edges(tuple(who), A, B, margin=0.005, threads=threads)
        assert free.tolist() == [not hit.collides for hit in alone]
        assert 0 < free.sum() < 60


def test_several_models_stand_as_in_single_questions(pair):
    scene, models, starts, _ = pair
    near = scene.distances(models, starts)
    assert list(near) == [scene.distance(*[m.at(s[i]) for m, s in zip(models, starts)]) for i in range(60)]


def test_what_is_given_for_several_models_is_checked_by_model_and_row(pair):
    scene, models, starts, ends = pair
    wrong = [e.copy() for e in ends]
    wrong[1][31, 4] = np.inf
    with pytest.raises(TocsinError, match="row 31 of Q1 of 'right' has inf in 'joint4'"):
        scene.check_edges(models, starts, wrong)
    with pytest.raises(TocsinError, match="Q1 must be a list of 3, one for each model that moves"):
        scene.check_edges(models, starts, ends[:2])
    with pytest.raises(TocsinError, match="'left' is given two motions"):
        scene.check_edges([models[0], models[0]], starts[:2], ends[:2])
    with pytest.raises(TocsinError, match="Q0 of 'left' and Q1 of 'box' must have as many rows; got 60 and 59"):
        scene.check_edges(models, starts, [*ends[:2], ends[2][:59]])
    with pytest.raises(TocsinError, match="empty list"):
        scene.check_edges([], [], [])


def test_joints_outside_of_a_group_stand(cell):
    scene, _, Q0, Q1 = cell
    grouped = arm("grouped")
    grouped.groups = {"wrist": ("joint5", "joint4")}
    grouped.stand_at(Q0[3])
    own = tocsin.Scene(grouped, *scene.models[1:])
    alone = [own.is_free(grouped.move(a[4:6], b[4:6], group="wrist")) for a, b in zip(Q0, Q1)]
    assert own.check_edges(grouped, Q0[:, 4:6], Q1[:, 4:6], group="wrist").tolist() == alone


# ---- threads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_keeps_what_is_done(threads):
    ball = tocsin.Body(tocsin.Sphere(0.1), name="ball")
    scene = tocsin.Scene(ball, tocsin.Body(tocsin.Box((1, 1, 1)), (3, 0, 0), name="wall"))
    n = 100_000

    def interrupt(done, total):
        raise KeyboardInterrupt

    for ask in (scene.check_edges, scene.first_contacts, scene.measure_edges):
        with pytest.raises(tocsin.BatchInterrupted) as stopped:
            ask(ball, np.zeros((n, 3)), np.ones((n, 3)), threads=threads, progress=interrupt)
        done, answers = stopped.value.done, stopped.value.answers
        assert isinstance(stopped.value, KeyboardInterrupt)
        assert 0 < done.sum() < n
        assert len(answers) == n
        free = answers if ask == scene.check_edges else getattr(answers, "time", answers) >= 1.0
        assert np.asarray(free)[done].all()
        assert not np.asarray(free)[~done].any()


def slow_scene():
    """Two fine tori, one in the hole of the other: a question about them takes thousands of steps."""
    mesh = tocsin.Mesh(*shapes.torus(20_000))
    a, b = tocsin.Body(mesh, name="a"), tocsin.Body(mesh, name="b")
    return tocsin.Scene(a, b), a


def spread(n):
    """Motions that begin free and end in contact, all alike."""
    T0 = np.tile(at(1.0, 0, 0, turn=(90, 0, 0)), (n, 1, 1))
    T1 = np.tile(at(1.02, 0, 0.02, turn=(90, 0, 170)), (n, 1, 1))
    return T0, T1


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_piece_that_takes_long(threads, monkeypatch):
    """The kernel is told to end: the piece at hand is not answered, and the others are not asked."""
    scene, a = slow_scene()
    T0, T1 = spread(200)
    steps = scene.first_contact(a.move(T0[0], T1[0])).stats.steps
    monkeypatch.setattr(dealing, "PATIENCE", 1e-6)  # whatever a piece takes is too long for the caller's own thread

    def interrupt(done, total):
        raise KeyboardInterrupt

    monkeypatch.setattr(dealing, "EVERY", 0.02)
    with pytest.raises(tocsin.BatchInterrupted) as stopped:
        scene.first_contacts(a, T0, T1, threads=threads, progress=interrupt)
    assert stopped.value.done.sum() < 200
    assert steps > 0
    assert (stopped.value.answers.codes[stopped.value.done] == 1).all()
    assert (stopped.value.answers.codes[~stopped.value.done] == -2).all()


def test_an_impatient_caller_gets_the_same_bits(cell, monkeypatch):
    scene, robot, Q0, Q1 = cell
    before = scene.first_contacts(robot, Q0, Q1, threads=1)
    monkeypatch.setattr(dealing, "PATIENCE", 1e-6)
    for threads in (1, 3):
        after = scene.first_contacts(robot, Q0, Q1, threads=threads)
        assert after.time.tobytes() == before.time.tobytes()
        assert after.codes.tolist() == before.codes.tolist()
