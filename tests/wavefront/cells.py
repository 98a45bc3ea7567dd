"""Small scenes with edges for wavefronts: every kind of joint and shape, and round numbers."""

import numpy as np

from promise.scenes import at, box_mesh
from tocsin import Body, Box, Capsule, Mesh, RobotBuilder, Scene, Sphere
from tocsin.model.base import Motion
from tocsin.queries.devices import field
from tocsin.queries.edges import Points
from tocsin.wavefront import host
from tocsin.wavefront.workspace import batch_of


def on_host(scene, model, Q0, Q1, margin=0.0, tolerance=-1.0):
    """Return the statuses of edges, from the stages on this processor."""
    points = Points(scene.context, model, {"Q0": Q0, "Q1": Q1})
    return host.ask(field(scene.context, points.standing()[0], margin, tolerance), points.batch)[0]


def batch_for(scene, model, Q0, Q1):
    """Return (field, batch, items, left): what the stages work on, with room for all slabs."""
    points = Points(scene.context, model, {"Q0": Q0, "Q1": Q1})
    tables = field(scene.context, points.standing()[0], 0.0, -1.0)
    order = np.arange(len(tables.couples), dtype=np.int32)
    return tables, *batch_of(tables, points.batch, order, slabs=64)


def arm():
    """An arm of meshes and primitives among posts, with edges of all lengths."""
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.2, 0.2, 0.1)))
    parent = "base"
    for k in range(5):
        shape = Mesh(*box_mesh(0.08, 0.08, 0.3)) if k % 2 else Capsule(0.05, 0.2)
        builder.link(f"link{k}", (shape, at(0, 0, 0.15)), parent=parent, joint="revolute",
                     axis=((0, 0, 1), (0, 1, 0))[k % 2], origin=(0, 0, 0.1 if k == 0 else 0.32))  # fmt: skip
        parent = f"link{k}"
    robot = builder.build()
    posts = [Body(Box((0.1, 0.1, 1.5)), at(x, y, 0.7)) for x, y in ((0.6, 0.1), (-0.5, 0.5), (0.1, -0.7))]
    rng = np.random.default_rng(7)
    Q0 = rng.uniform(-1.5, 1.5, (80, 5))
    lengths = np.tile([0.02, 0.2, 1.0, 9.0], 20)[:, None]
    return Scene(robot, *posts), robot, Q0, Q0 + rng.normal(size=Q0.shape) * lengths


def joints_of_all_kinds():
    """A chain of every kind of joint, one of which follows another."""
    builder = RobotBuilder("chain")
    builder.link("base", Sphere(0.1))
    links = [("planar", {}), ("revolute", {"axis": (0, 1, 0)}), ("prismatic", {"axis": (0, 0, 1)}), ("ball", {})]
    parent = "base"
    for k, (kind, options) in enumerate(links):
        builder.link(f"l{k}", (Box((0.1, 0.1, 0.2)), at(0, 0, 0.2)), parent=parent, joint=kind, joint_name=f"j{k}",
                     origin=(0, 0, 0.35), **options)  # fmt: skip
        parent = f"l{k}"
    builder.link("finger", (Mesh(*box_mesh(0.05, 0.05, 0.2)), at(0, 0, 0.15)), parent=parent, joint="revolute",
                 axis=(1, 0, 0), origin=(0.1, 0, 0.2), mimic=("j1", -2.0, 0.25))  # fmt: skip
    robot = builder.build()
    rng = np.random.default_rng(3)
    Q0 = rng.uniform(-1.0, 1.0, (40, robot.n_config))
    Q1 = Q0 + rng.normal(size=Q0.shape) * np.tile([0.1, 2.0], 20)[:, None]
    for q in (Q0, Q1):
        q[:, 5:9] /= np.linalg.norm(q[:, 5:9], axis=1)[:, None]
    things = Body(Box((0.3, 0.3, 0.3)), at(0.7, 0.2, 0.8)), Body(Sphere(0.2), at(-0.6, 0, 0.9))
    return Scene(robot, *things), robot, Q0, Q1


def rod(turns, places):
    """A rod that turns by so many degrees about z at each of some places, on its way along x."""
    body = Body(Mesh(*box_mesh(1.0, 0.1, 0.1)), name="rod")
    Q0 = [at(x, y, 0) for x, y in places for _ in turns]
    Q1 = [at(x, y, 0, (0, 0, turn)) for x, y in places for turn in turns]
    return body, np.array(Q0), np.array(Q1)


def round_numbers():
    """Half turns, no motion at all, and gaps of exactly nothing, the tolerance or more, beside a cube of a metre."""
    turns = (0.0, 90.0, 180.0, -180.0, 179.99999999999997)
    beside = [(0, y) for y in (0.55, 0.6, 0.55 + 1e-12, 1.0, 1.0 + 1e-9, 1.01)]
    places = [*beside, (1.0, 0.0), (1.01, 0), (0, 0), (3, 3)]
    body, Q0, Q1 = rod(turns, places)
    return Scene(body, Body(Box((1, 1, 1)), name="cube")), body, Q0, Q1


def inside(solid):
    """A small ball that starts in a large box, in its wall, or outside, and stays, or leaves."""
    ball = Body(Sphere(0.1), name="ball")
    crate = Body(Mesh(*box_mesh(2, 2, 2)), name="crate", solid=solid)
    starts = np.array([(0, 0, 0), (0.5, 0, 0), (1, 0, 0), (3, 0, 0), (0, 0, 0), (0.95, 0, 0)], float)
    return Scene(ball, crate), ball, starts, starts + np.array([(0.1, 0, 0)] * 4 + [(3, 0, 0), (0, 0, 0)])


def carrying():
    """An arm that carries a part past a wall, some pairs ignored and others with margins of their own."""
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("upper", (Box((0.3, 0.04, 0.04)), at(0.2)), parent="base", joint="revolute")
    hand = Mesh(*box_mesh(0.1, 0.04, 0.04))
    builder.link("hand", (hand, at(0.1)), parent="upper", joint="revolute", origin=(0.4, 0, 0))
    robot = builder.build()
    part = Body(Box((0.06, 0.06, 0.06)), name="part")
    robot.attach(part, "hand", pose=(0.2, 0, 0), touching=["hand"])
    wall, post = Body(Box((0.02, 1, 1)), at(-0.5), name="wall"), Body(Box((0.1, 0.1, 0.1)), at(0.4, 0.4), name="post")
    scene = Scene(robot, part, wall, post)
    scene.margins["wall", "part"] = 0.05
    scene.ignore("hand", "post")
    rng = np.random.default_rng(5)
    Q0 = rng.uniform(-2.5, 2.5, (40, 2))
    return scene, robot, Q0, Q0 + rng.uniform(-1.0, 1.0, Q0.shape)


CELLS = {
    "arm": arm,
    "joints of all kinds": joints_of_all_kinds,
    "round numbers": round_numbers,
    "in a solid": lambda: inside(True),
    "in a hollow box": lambda: inside(False),
    "carrying": carrying,
}


def least_distances(scene, model, Q0, Q1, times):
    """Return the smallest distance of each motion at some times, one question after the other."""
    motions = [model.move(q0, q1) for q0, q1 in zip(Q0, Q1)]
    places = [[Motion.of(model, motion.row_at(t)[None]) for t in times] for motion in motions]
    return np.array([min(scene.distance(place).distance for place in way) for way in places])
