"""`tocsin warmup`: compile everything now, so that no later question waits for the compiler."""

import hashlib
import multiprocessing
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import tocsin
from tocsin.cli import options, output
from tocsin.cli.output import Record
from tocsin.compiler.disk_cache import KERNELS, PACKAGE, made_for_here, packaged_levels, state
from tocsin.compiler.helpers import only_compile
from tocsin.compiler.progress import told_to
from tocsin.compiler.threads import cores
from tocsin.errors import TocsinError, unknown_name
from tocsin.geometry import cache
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.obb import fit_obb
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Sphere
from tocsin.model.body import Body
from tocsin.model.builder import RobotBuilder
from tocsin.model.deformable import Deformable
from tocsin.model.robot import BASES, Robot
from tocsin.options import BACKENDS
from tocsin.scene import Scene

EXAMPLE = (
    'Example: tocsin warmup\n\nOnly what some questions need: tocsin warmup --only "first_contact, triangles"\n\n'
    "Takes minutes once per machine and version, and a second or two after that."
)

Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="STEP", help="A step, as they are called in the table; several may be given."),
]

Job = tuple[str, Callable[[], None]]

Told = Callable[[str, float, Record | None], None]
"""Is told a job's name, what share of it is done, and at its end what it took."""


def warmup(only: Only = None, as_json: options.Json = False) -> None:
    """Compile every kernel now, on as many processors as help: minutes, once per machine and version."""
    known = [name for name, _ in _jobs()]
    for name in only or ():
        if name not in known:
            raise unknown_name("step", name, known)
    started = time.perf_counter()
    with output.progress("compiling") as progress:
        steps = run([job for job in _jobs() if not only or job[0] in only], progress)
    seconds = time.perf_counter() - started
    folder = KERNELS.place(make=True)
    if as_json:
        record = {"tocsin": tocsin.__version__, "command": "warmup", "steps": steps, "seconds": seconds}
        output.write_json(record | {"folder": None if folder is None else str(folder.parent)})
        return
    console = output.console()
    cells = [(step["step"], f"{step['seconds']:.2f} s", f"{step['processor']:.2f} s") for step in steps]
    used = sum(step["processor"] for step in steps)
    cells.append(("all", f"{seconds:.2f} s", f"{used:.2f} s"))
    console.print(output.table(("compiled", "seconds", "of the processor"), cells, right=(1, 2)))
    if folder is None:
        output.note("warning: no cache folder can be used: nothing is kept, and the next process compiles again.")
    else:
        console.print(f"  kept in {folder.parent}", style="dim")


def ready(*steps: str) -> None:
    """Compile what kinds of questions need; nothing if that was done before."""
    texts = repr((steps, made_for_here(), [state(file) for file in sorted(PACKAGE.rglob("*.py"))]))
    key = hashlib.blake2b(texts.encode(), digest_size=20).hexdigest()
    if packaged_levels() or KERNELS.load(key) is not None:
        return
    with output.progress("compiling, once per machine") as progress:
        run([_named(step) for step in steps], progress)
    KERNELS.save(key, b"ready")


MOST_WORKERS = 8
"""Processes that help: what one question is made of is compiled one after the other."""


def run(jobs: list[Job], progress: Callable[[float, float], object]) -> list[Record]:
    """Run every job, begun in this order, in processes beside each other; return what each took, in their order.

    Processes share what they compile: each looks on disk for a kernel before it compiles it, and waits for one that
    another compiles (`compiler.claims`).
    """
    steps: list[Record] = []
    done = dict.fromkeys([name for name, _ in jobs], 0.0)

    def told(name: str, share: float, step: Record | None) -> None:
        done[name] = share
        if step is not None:
            steps.append(step)
        progress(sum(done.values()), len(jobs))

    workers = min(len(jobs), cores(), MOST_WORKERS)
    if workers < 2 or KERNELS.place(make=True) is None:
        for job in jobs:
            _run_job(job, told)
    else:
        _run_beside(jobs, workers, told)
    names = list(done)
    return sorted(steps, key=lambda step: names.index(step["step"]))


def _run_beside(jobs: list[Job], workers: int, told: Told) -> None:
    # Spawned, not forked: a fork may copy locks that another thread holds.
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(queue,)) as pool:
        ends = [pool.submit(_run_named, name) for name, _ in jobs]
        while not all(end.done() for end in ends) or not queue.empty():
            if queue.empty():
                time.sleep(0.05)
            else:
                told(*queue.get())
        for end in ends:
            end.result()


_queue: Any = None
"""In a process that compiles: where it tells what it has done."""


def _begin(queue: object) -> None:
    global _queue
    _queue = queue
    only_compile()


def _run_named(name: str) -> None:
    def tell(*said: object) -> None:
        _queue.put(said)

    _run_job(_named(name), tell)


def _named(name: str) -> Job:
    return name, dict(_jobs())[name]


def _run_job(job: Job, told: Told) -> None:
    name, work = job
    started, used = time.perf_counter(), time.process_time()
    with told_to(lambda _, done, total: told(name, 0.99 * done / total, None)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work()
    seconds = {"seconds": time.perf_counter() - started, "processor": time.process_time() - used}
    told(name, 1.0, {"step": name} | seconds)


def _jobs() -> list[Job]:
    """Return what to run, such that jobs that follow each other have little in common: they run at the same time."""
    core: list[Job] = []
    beside: list[Job] = [("the parts of a search", _parts), ("deformable models", _deformable)]
    beside.append(("all contacts, by the screen and by proof", _all_contacts))
    for backend in BACKENDS:
        for name in QUESTIONS:
            (beside if name == "interval" else core).append((f"{name}, {backend}", _question(name, backend)))
    beside.append(("hulls of links", _hulls))
    core.append(("meshes, their reports, trees and hulls", _meshes))
    core.append(("joints of every kind", _joints))
    core.append(("charts, and which links can touch", _links))
    core.append(("batches", _batches))
    core.append(("trajectories and audits", _trajectories))
    beside += [("pictures", _picture), ("proofs, and how deep things overlap", _proofs)]
    both = zip_longest(core, beside)
    return [job for pair in both for job in pair if job is not None]


QUESTIONS = (
    "first_contact", "is_free", "contacts", "distance", "several motions", "interval", "contact intervals",
    "nothing moves", "batches",
)  # fmt: skip


def _meshes() -> None:
    triangles = np.arange(60).reshape(-1, 3)
    soup = Mesh(np.random.default_rng(0).random((60, 3)), triangles)
    closed = Sphere(0.5).tessellate()
    for mesh in (soup, closed):
        _ = mesh.report, mesh.degenerate, mesh.components()
        # A mesh that is placed has points of its own, other than the read-only ones of the mesh: another kernel.
        for shape in Body([mesh, (mesh, _moved(1.0))]).shapes[0]:
            _ = shape.hull_tree
    Body(closed, solid=True)
    faces = np.concatenate([closed.faces, closed.faces[:, ::-1] + len(closed.vertices)])
    Body((np.concatenate([closed.vertices, 0.5 * closed.vertices]), faces), solid=True)  # a shell in a shell
    for sides in (160, 240):  # the larger one has more points than a convex hull is made of
        large = Sphere(0.5).tessellate(sides)
        for _ in range(2):  # built and kept, then read from the cache folder: arrays of another kind
            Scene(Body(large), Body(Sphere(0.1), name="ball")).is_free()
    fit_obb(np.array(large.vertices))  # a large one is looked at in samples


def _hulls() -> None:
    """Tables by which corners of a link's hull are found, and where a robot stands."""
    with cache.bypassed():
        builder = RobotBuilder("ball")
        builder.link("base", Sphere(0.1).tessellate())
        builder.link("tip", Sphere(0.1), parent="base", joint="revolute", origin=(0.5, 0.0, 0.0))
        robot = builder.build()
        robot.move([0.0], [1.0])
        _ = [shape.patches for shape in robot.shapes[0]]


def _question(name: str, backend: str) -> Callable[[], None]:
    """Return a job that asks one kind of question of meshes and of every primitive."""

    def ask() -> None:
        box = Box((0.1, 0.2, 0.3))
        shapes = [box.tessellate(), box, Sphere(0.1), Capsule(0.1, 0.2), Cylinder(0.1, 0.2), ConvexHull(np.eye(3))]
        bodies = [Body(shape, _moved(k), name=f"body {k}") for k, shape in enumerate(shapes)]
        solid = Body(Sphere(0.5).tessellate(), _moved(10), name="solid", solid=True)
        scene = Scene(*bodies, solid, backend=backend)
        through = bodies[0].move(_moved(-1), _moved(10))
        if name == "first_contact":
            scene.first_contact(through)
        elif name == "is_free":
            scene.is_free(through, margin=0.01)
        elif name == "contacts":
            hit = scene.first_contact(through)
            _ = hit.contacts, hit.stats, bodies[0].at_contact(hit)
            onto = bodies[0].move(_moved(1.0), _moved(2.0))
            # A list that is cut to none names the pair alone.
            _ = Scene(*bodies[:2], backend=backend).first_contact(onto, max_steps=1).contacts
        elif name == "distance":
            scene.distance()
            scene.distance(bodies[0].at(_moved(-1)))
        elif name == "several motions":
            scene.first_contact(through, bodies[2].follow([_moved(k) for k in range(3)]))
        elif name == "interval":
            scene.first_contact(through, method="interval")
        elif name == "contact intervals":
            scene.contact_intervals(through)
        elif name == "batches":
            scene.check_edges(bodies[0], [_moved(-1)], [_moved(10)])
            scene.first_contacts(bodies[0], [_moved(-1)], [_moved(10)])
            scene.distances(bodies[0], [_moved(-1)])
        else:
            scene.is_free()

    return ask


def _parts() -> None:
    """What a first question is made of, part by part, of shapes that need no preparing.

    Pages show it so; and while another process prepares meshes for such a question, its larger half is compiled here.
    """
    from tocsin.viewer.survivors import culled

    ball = Body(Sphere(0.1), name="ball")
    context = Scene(ball, Body(Sphere(0.1), _moved(1.0), name="other")).context
    motions = (ball.move(_moved(0.0), _moved(2.0)),)
    _, _, prepared, configs, _ = context.ready(motions, 0.0, -1.0)
    culled(prepared, motions, configs, 0.0, -1.0)


def _all_contacts() -> None:
    from tocsin.motion.screw_axis import Screw

    box = Body(Box((0.1, 0.2, 0.3)), name="box")
    scene = Scene(box, Body(Box((0.1, 0.2, 0.3)).tessellate(), _moved(1.0), name="mesh"))
    crowd = Scene(box, *(Body(Sphere(0.1).tessellate(), _moved(k), name=f"ball {k}") for k in range(1, 70)))
    for exact in (False, True):
        scene.contacts(box.move(_moved(0.0), _moved(2.0), kind="screw"), exact=exact)
        crowd.contacts(*Body.move_all([box], [_moved(0.0)], [_moved(2.0)]), exact=exact)
    screw = Screw.relative(_moved(0.0), _turned(1.0, 1.0), _moved(1.0), _moved(2.0))
    _ = screw.at(0.5), screw.radius((0.0, 0.0, 0.0))


def _deformable() -> None:
    mesh = Sphere(0.5).tessellate()
    cloth = Deformable(mesh.vertices, mesh.faces, name="cloth")
    ball = Body(Sphere(0.2), _moved(2.0), name="ball")
    box = Body(Box((0.3, 0.3, 0.3)), _moved(-2.0), name="box")
    scene = Scene(cloth, ball, box)
    move = cloth.move(mesh.vertices, mesh.vertices + (2.0, 0.0, 0.0))
    _ = scene.first_contact(move, box.move(_moved(-2.0), _moved(-1.0))).contacts
    scene.is_free(move)
    scene.contacts(move)
    _beside_turning(cloth)
    for ask in (tocsin.vertex_face_times, tocsin.edge_edge_times):
        ends = (np.zeros((1, 3)), np.ones((1, 3, 3))) if ask is tocsin.vertex_face_times else (np.zeros((1, 2, 3)),) * 2
        ask(ends[0], ends[0], ends[1], ends[1])


def _beside_turning(cloth: Deformable) -> None:
    """A cloth and what turns beside it, in slabs of time; on several threads; inside a solid from the start."""
    can = Body(Cylinder(0.2, 0.4), _moved(1.5), name="can")
    around = Body(Sphere(2.0).tessellate(), name="around", solid=True)
    turn = can.move(_moved(1.5), _turned(0.6, 3.0))
    away = cloth.move(cloth.vertices, cloth.vertices + (-0.5, 0.0, 0.0))
    for motions in ((turn,), (turn, away)):
        for threads in (1, 2):
            scene = Scene(cloth, can, threads=threads)
            _ = scene.first_contact(*motions).contacts, scene.is_free(*motions), scene.contacts(*motions)
    Scene(cloth, around).contacts(away)


def _moved(x: float) -> np.ndarray:
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


def _turned(x: float, angle: float) -> np.ndarray:
    return np.array(tocsin.pose((x, 0.0, 0.0), rpy=(0.0, 0.0, angle)))


def _joints() -> None:
    from tocsin.io import overlaps

    turned = (0.0, 0.0, 0.6, 0.8)
    ends = {"revolute": 1.0, "continuous": 1.0, "prismatic": 0.1, "planar": (0.1, 0.1, 1.0), "ball": turned,
            "floating": (0.1, 0.1, 0.1, *turned)}  # fmt: skip
    builders = [RobotBuilder("all", base=base).link("root", Sphere(0.1)) for base in BASES]
    for b in builders:
        parent = "root"
        for kind in ends:
            b.link(kind, Sphere(0.1), parent=parent, joint=kind, origin=(0.5, 0, 0), joint_name=kind)
            parent = kind
        robot = b.build()
        moves = (np.eye(4), _moved(1.0)) if b.base == "free" else None
        motion = robot.move({}, ends, base=moves)
        _ = Scene(robot).first_contact(motion).contacts
        motion.link_poses(0.5)
        robot.ignore_overlapping_at({})
    with cache.bypassed():
        overlaps.find_overlaps(builders[-1].build(), samples=10, progress=False)


def _arm() -> tuple[Robot, Scene]:
    b = RobotBuilder("arm")
    b.link("base", Cylinder(0.1, 0.1))
    b.link("upper", (Capsule(0.05, 0.4), (0, 0, 0.25)), parent="base", joint="revolute", axis=(0, 1, 0))
    b.link("lower", (Box((0.1, 0.1, 0.4)).tessellate(), (0, 0, 0.8)), parent="upper", joint="revolute", axis=(0, 1, 0))
    robot = b.build()
    plate = Body(Box((0.01, 0.5, 0.5)).tessellate(), (0.7, 0.0, 0.6), name="plate")
    return robot, Scene(robot, plate, Body(Sphere(0.1), (-2.0, 0.0, 0.0), name="ball"))


def _batches() -> None:
    robot, scene = _arm()
    starts = np.zeros((20, 2))
    ends = starts + np.linspace(0.0, 1.0, 20)[:, None]
    for ask in (scene.check_edges, scene.first_contacts, scene.measure_edges):
        ask(robot, starts, ends)
    scene.check_paths(robot, np.stack([starts, ends, starts], axis=1))
    scene.check_configurations(robot, ends)
    scene.distances(robot, ends)


def _trajectories() -> None:
    robot, scene = _arm()
    times, values = [0.0, 1.0, 3.0], np.array([[0.0, 0.0], [0.5, 0.2], [1.5, 0.5]])
    for degree, error in ((1, None), (3, 0.001), (5, None)):
        still = np.zeros_like(values)
        plan = tocsin.Trajectory(times, values, still if degree > 1 else None, still if degree > 3 else None)
        motion = robot.follow(plan, error=error)
        _ = scene.first_contact(motion).contacts
        scene.is_free(motion)
    tocsin.audit(scene, robot, values, margin=0.01)
    part = Body(Sphere(0.1), (0.0, 0.0, 1.2), name="part")
    cell = Scene(robot, part)
    robot.attach(part, link="lower")
    cell.is_free(robot.move(values[0], values[1]))
    robot.detach(part)


COIL = "".join(
    f'<link name="{name}"><collision><origin xyz="0 0 {z}"/><geometry>{shape}</geometry></collision></link>'
    for name, z, shape in (
        ("0", 0.0, '<cylinder radius="0.05" length="0.2"/>'),
        *((f"{k}", 0.3, '<box size="0.1 0.1 0.3"/>') for k in (1, 2, 3)),
        ("sleeve", 0.0, '<sphere radius="0.35"/>'),  # around the last joint: it always touches the last link
        ("far", -1.0, '<sphere radius="0.05"/>'),
    )
) + "".join(
    f'<joint name="to {child}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 {z}"/>'
    '<axis xyz="0 1 0"/><limit lower="-2.8" upper="2.8" effort="1" velocity="1"/></joint>'
    for kind, parent, child, z in (
        ("revolute", "0", "1", 0.0), ("revolute", "1", "2", 0.5), ("revolute", "2", "3", 0.5),
        ("fixed", "2", "sleeve", 0.5), ("fixed", "0", "far", 0.0),
    )
)  # fmt: skip
"""Links and joints of an arm that can coil up, as a URDF file has them."""


def _links() -> None:
    """What is known of the links of one robot: maps of the joint values at which two are apart, and proofs of pairs."""
    with tempfile.TemporaryDirectory() as folder, cache.bypassed():
        file = Path(folder) / "coil.urdf"
        file.write_text(f'<robot name="coil">{COIL}</robot>', encoding="utf-8")
        robot = Robot.from_urdf(file)
        context = Scene(robot).context
        for other in (2, 3):  # two joints between them, and three
            context.charts.with_chart(context.tables(), 0, other, 0.0, -1.0)
        for most in (1, 1000):
            robot.prove_pairs(most=most, proof=Path(folder) / "matrix.proof")


def _proofs() -> None:
    robot, scene = _arm()
    for end in ([0.3, 0.1], [1.5, 0.5]):
        scene.prove(robot.move([0.0, 0.0], end)).to_bytes()
    scene.prove(robot.follow(tocsin.Trajectory([0.0, 1.0], [[0.0, 0.0], [0.1, 0.1]]), error=0.001))
    scene.penetration(robot.at([0.9, 0.3]))


def _picture() -> None:
    """The kernels of pages and pictures; without the library that pictures need there are those of pages."""
    from tocsin.viewer import save_page, save_picture

    ball = Body(Sphere(0.1), name="ball")
    scene = Scene(ball, Body(Box((0.1, 0.1, 0.1)).tessellate(), _moved(1.0), name="box"))
    move = ball.move(_moved(0.0), _moved(2.0))
    with tempfile.TemporaryDirectory() as folder:
        save_page(Path(folder) / "page.html", scene, move)
        try:
            save_picture(Path(folder) / "picture.png", scene, move, size=(320, 320))
        except TocsinError as error:
            if not isinstance(error.__cause__, ModuleNotFoundError):
                raise
