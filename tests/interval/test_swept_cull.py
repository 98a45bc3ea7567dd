"""Stage two drops nothing that touches, at any time, and drops what the swept volume misses."""

import numpy as np
import pytest

import tocsin
from promise.scenes import arm, at, box_mesh
from tocsin.interval.swept_cull import swept_cull
from tocsin_bench.oracles import kinematics
from tocsin_bench.scenes import arm_scenes
from tocsin_bench.scenes.trees import configuration, origin, random_robot

from .stage_two import PAIR, kept, ready, splinter

SHAPES = (
    (box_mesh(0.1, 0.2, 0.8), at(0.2, 0.1, 0)),
    (tocsin.Capsule(radius=0.1, length=0.5), at(0, 0, 0.3)),
    (tocsin.Cylinder(radius=0.2, length=0.3), at(0.1, 0, 0)),
)


def carried(spheres, poses, s):
    """Return the point at fraction s of a sphere's segment, at each of the poses."""
    local = (1.0 - s) * spheres["p"] + s * spheres["q"]
    return poses[:, :3, :3] @ local + poses[:, :3, 3]


def attack(seed, n_links, turns, points, margin=0.0):
    """Splinters whose tips touch the swept spheres of a random robot, from outside, at known times: all are kept.

    The tip is where the swept surface bulges out: across the ruling and the path, or on a cap at its end.
    """
    rng = np.random.default_rng(seed)
    robot, tree, order = random_robot(rng, n_links, shape=list(SHAPES))
    q0, q1 = configuration(rng, tree, turns), configuration(rng, tree, turns)
    base = (origin(rng), origin(rng))
    motion = robot.move(q0, q1, base=base)
    _, _, swept = ready(tocsin.Scene(robot, tocsin.Body(tocsin.Sphere(1.0))), motion)
    t = rng.choice([0.0, 1.0, *rng.random(8)], size=points)
    link = rng.integers(0, n_links + 1, size=points)
    before, now, after = (
        kinematics.poses(tree, q0, q1, np.clip(t + h, 0.0, 1.0), base=base) for h in (-1e-4, 0.0, 1e-4)
    )
    bodies, claims = [], []
    for k in range(points):
        geom = 3 * order[link[k]] + int(rng.integers(3))
        sphere = swept.spheres[geom]
        s = rng.choice([0.0, 1.0, rng.random()])
        x0, x, x1 = (carried(sphere, poses[k : k + 1, link[k]], s)[0] for poses in (before, now, after))
        ruling = now[k, link[k], :3, :3] @ (sphere["q"] - sphere["p"])
        path = (x1 - x0) / max(np.linalg.norm(x1 - x0), 1e-300)
        n = np.cross(ruling, path)
        if s in (0.0, 1.0) or not np.linalg.norm(n) > 0.0:
            n = 2.0 * x - x0 - x1  # where the path bends away from its chord
            n -= path * (n @ path)
            if k % 2 or np.linalg.norm(n) < 1e-13:
                n = rng.normal(size=3)
                n -= path * (n @ path)
        elif rng.random() < 0.5:
            n = -n
        n /= np.linalg.norm(n)
        tip = x + (sphere["radius"] + margin) * n
        bodies.append(tocsin.Body(splinter(tip, n, 0.05), name=f"splinter {k}"))
        claims.append((geom, k, float(t[k])))
    scene = tocsin.Scene(robot, *bodies)
    found = kept(scene, motion, margin)
    first = 3 * (n_links + 1)
    for geom, k, time in claims:
        assert (geom, first + k) in found, (seed, geom, k, time)
        start, end = found[geom, first + k]
        assert start <= time <= end


@pytest.mark.parametrize("turns", [0.001, 0.1, 0.5, 2.0])
def test_what_touches_a_swept_sphere_from_outside_is_kept_at_its_time(turns):
    for seed in range(8):
        attack(seed, 1 + seed % 6, turns, 60, margin=[0.0, 0.05][seed % 2])


@pytest.mark.pure
def test_what_touches_one_swept_sphere_is_kept():
    attack(1, 1, 0.1, 2)


@pytest.mark.parametrize(("environment", "degrees"), [("pipes", 15.0), ("pipes", 60.0), ("room", 30.0)])
def test_no_triangle_that_a_link_touches_at_a_sampled_time_is_dropped(environment, degrees):
    """Every triangle of the environment is a body of its own for this: what touches at a sample must be kept then."""
    made = arm_scenes.ENVIRONMENTS[environment]()
    soup = np.concatenate([vertices[faces] for vertices, faces in made])
    task = arm_scenes.task(environment)
    arm = task.arm
    meshes = arm_scenes.meshes()
    for motion in arm_scenes.motions(task, degrees, 3, 3):
        touched = {}
        for t in np.linspace(0.0, 1.0, 13):
            for link, (name, pose) in enumerate(zip(arm.link_names, motion.link_poses(t))):
                if name not in ("forearm", "wrist", "gripper"):
                    continue
                mesh = meshes[name]
                own = (mesh[0] @ pose[:3, :3].T + pose[:3, 3])[mesh[1]]
                for face in crossing(own, soup):
                    touched.setdefault((link, int(face)), []).append(t)
        faces = sorted({face for _, face in touched})
        bodies = [tocsin.Body((soup[face], [[0, 1, 2]]), name=f"face {face}") for face in faces]
        if not bodies:
            continue
        found = kept(tocsin.Scene(arm, *bodies), motion)
        for (link, face), times in touched.items():
            start, end = found[link, len(meshes) + faces.index(face)]
            assert start <= times[0]
            assert times[-1] <= end


def crossing(own, soup):
    """Return which triangles of a soup an edge of `own` crosses, or have an edge that crosses `own`: plain numpy."""
    lo, hi = own.min(axis=(0, 1)), own.max(axis=(0, 1))
    near = np.flatnonzero((soup.max(axis=1) >= lo).all(axis=1) & (soup.min(axis=1) <= hi).all(axis=1))
    return near[[pierces(own, soup[[k]]).any() or pierces(soup[[k]], own).any() for k in near]] if len(near) else near


def pierces(edges_of, faces):
    """Return (n, 3, m): does edge e of the first triangles cross the second ones? By signs of volumes."""
    p = edges_of[:, :, None, :]
    q = np.roll(edges_of, -1, axis=1)[:, :, None, :]
    a, b, c = (faces[None, None, :, k] for k in range(3))

    def volume(x, y, z, w):
        return np.einsum("...i,...i->...", np.cross(y - x, z - x), w - x)

    apart = volume(a, b, c, p) * volume(a, b, c, q) <= 0.0
    turns = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)]
    inside = np.logical_or(np.all([v >= 0.0 for v in turns], axis=0), np.all([v <= 0.0 for v in turns], axis=0))
    return apart & inside


def test_most_of_what_the_boxes_keep_is_dropped():
    task = arm_scenes.task("pipes")
    before = after = 0
    for motion in arm_scenes.motions(task, 30.0, 10, 1):
        before += task.scene.first_contact(motion).stats.pairs_spatial
        after += len(kept(task.scene, motion))
    assert after < 0.1 * before


def test_a_body_inside_a_solid_mesh_is_kept():
    solid = tocsin.Body(tocsin.Mesh(*box_mesh(2.0, 2.0, 2.0)), name="solid", solid=True)
    hollow = tocsin.Body(tocsin.Mesh(*box_mesh(2.0, 2.0, 2.0)), name="hollow")
    for standing, expected in ((solid, 1), (hollow, 0)):
        ball = tocsin.Body(tocsin.Sphere(0.1), name="ball")
        scene = tocsin.Scene(ball, standing)
        assert len(kept(scene, ball.move(np.eye(4), at(0.2)))) == expected


def test_pairs_of_two_moving_shapes_are_left_alone():
    robot = arm_scenes.build_arm()
    scene = tocsin.Scene(robot, tocsin.Body(tocsin.Sphere(0.1), at(9.0)))
    world, buffers, swept = ready(scene, robot.move(np.zeros(6), np.ones(6)))
    pairs = np.zeros(2, PAIR)
    pairs["b"] = 6, 7
    n, window = swept_cull(world, buffers.joints, buffers.sweeps, swept, pairs, 2, 0.0, 1.0)
    assert n == 1
    assert pairs[0]["b"] == 6
    assert window.tolist() == [[0.0, 1.0]]


def test_a_thousand_turns_are_answered_and_keep_what_is_on_the_way():
    robot = arm(shape=(tocsin.Box(size=(0.2, 0.2, 0.2)), at(1)))
    near, far = (tocsin.Body(tocsin.Box(size=(0.1, 0.1, 0.1)), at(x), name=str(x)) for x in (-1.0, 3.0))
    scene = tocsin.Scene(robot, near, far)
    found = kept(scene, robot.move([0.0], [6283.0]))
    assert (0, 1) in found
    assert len(found) == 1


@pytest.mark.parametrize("scale", [2.0**-20, 2.0**20])
def test_a_scaled_scene_keeps_the_same_pairs(scale):
    rng = np.random.default_rng(2)
    mesh = box_mesh(0.2, 0.3, 0.9)
    places = [at(*rng.normal(size=3), turn=rng.normal(size=3) * 50) for _ in range(30)]
    answers = []
    for factor in (1.0, scale):
        bodies = []
        for k, place in enumerate(places):
            moved = place.copy()
            moved[:3, 3] *= factor
            bodies.append(tocsin.Body(tocsin.Mesh(mesh[0] * factor, mesh[1]), moved, name=str(k)))
        goal = at(1.0 * factor, 0.5 * factor, 0.0, turn=(70, 20, 0))
        answers.append(kept(tocsin.Scene(*bodies), bodies[0].move(np.eye(4), goal)))
    assert answers[0] == answers[1]
    assert 0 < len(answers[0]) < 29


def test_a_window_that_starts_where_time_is_cut_is_not_a_dead_end():
    """The pieces of one pair started at exactly t = 1/2; cut there, the solver was left with a moment and gave up."""
    task = arm_scenes.task("room")
    motion = arm_scenes.motions(task, 30.0, 30, 1)[29]
    first = task.scene.first_contact(motion)
    second = task.scene.first_contact(motion, method="interval")
    assert second.status is first.status
    assert abs(second.time - first.time) < 1e-3
