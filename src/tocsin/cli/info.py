"""`tocsin info`: what is in a robot's file, as tocsin sees it."""


import numpy as np

import tocsin
from tocsin.cli import inputs, options, output
from tocsin.cli.grouped import grouped
from tocsin.cli.output import Record
from tocsin.geometry.shape import Shape
from tocsin.model.base import counted
from tocsin.model.joint import Joint
from tocsin.model.robot import Robot
from tocsin.motion.links import BASE_WIDTH
from tocsin.scene import Scene

EXAMPLE = "Example: tocsin info panda.urdf --srdf panda.srdf"


@grouped
def info(robot: options.RobotFile, reading: options.Reading, as_json: options.Json = False) -> None:
    """Show links, joints, triangles, what the meshes are like, and which pairs are checked."""
    arm = inputs.load_robot(robot, reading)
    record = describe(arm) | {"file": str(robot)}
    if as_json:
        output.write_json(record)
    else:
        show(record)


def describe(robot: Robot) -> Record:
    """Return all that is shown, by stable keys."""
    links = [_link(robot, k) for k in range(len(robot.link_names))]
    return {
        "tocsin": tocsin.__version__,
        "command": "info",
        "robot": robot.name,
        "base": robot.base,
        "degrees_of_freedom": robot.n_config,
        "triangles": sum(link["triangles"] for link in links),
        "primitives": sum(len(link["primitives"]) for link in links),
        "pairs_checked": _pairs_checked(robot),
        "pairs_ignored": len(robot.ignored),
        "touching_where_it_stands": _touching(robot),
        "links": links,
        "joints": [_joint(joint) for joint in robot.joints],
        "groups": {name: list(joints) for name, joints in robot.groups.items()},
        "states": dict(robot.states),
    }


def _link(robot: Robot, k: int) -> Record:
    shapes = robot.shapes[k]
    return {
        "name": robot.link_names[k],
        "triangles": sum(len(shape.faces) for shape in shapes),
        "primitives": [type(shape.source).__name__.lower() for shape in shapes if not shape.is_mesh],
        "meshes": [_mesh(shape) for shape in shapes if shape.is_mesh],
    }


def _mesh(shape: Shape) -> Record:
    mesh = shape.mesh()
    report = mesh.report
    return {
        "name": mesh.name,
        "triangles": report.triangles,
        "vertices": report.vertices,
        "closed": report.is_closed,
        "components": report.components,
        "degenerate": report.degenerate,
        "duplicated": report.duplicated,
        "open_edges": report.open_edges,
        "non_manifold_edges": report.non_manifold_edges,
        "report": str(report),
    }


def _joint(joint: Joint) -> Record:
    mimic = None
    if joint.mimic is not None:
        mimic = dict(zip(("joint", "multiplier", "offset"), joint.mimic))
    return {
        "name": joint.name,
        "kind": joint.kind,
        "parent": joint.parent,
        "child": joint.child,
        "limits": None if joint.limits is None else list(joint.limits),
        "mimic": mimic,
    }


def _pairs_checked(robot: Robot) -> int:
    """Count the pairs of links that carry shapes and are checked against each other."""
    carrying = {k for k, shapes in enumerate(robot.shapes) if shapes}
    ignored = sum(a in carrying and b in carrying for a, b in robot.ignored)
    return len(carrying) * (len(carrying) - 1) // 2 - ignored


def _touching(robot: Robot) -> list[list[str]]:
    """Return the pairs of links that touch where the robot stands."""
    if not any(robot.shapes):
        return []
    hit = Scene(robot).first_contact(robot.at(robot.rest[BASE_WIDTH:]))
    return [list(pair) for pair in sorted({(c.link_a, c.link_b) for c in hit.contacts})]


def show(record: Record) -> None:
    """Print it for people."""
    console = output.console()
    console.print(f"[bold]{record['robot']}[/]", markup=True)
    joints = record["joints"]
    rows = [
        ("links", len(record["links"])),
        ("joints", f"{len(joints)}, of which {sum(j['kind'] == 'fixed' for j in joints)} fixed and "
                   f"{sum(j['mimic'] is not None for j in joints)} mimic; "
                   f"{counted(record['degrees_of_freedom'], 'value')}"),
        ("geometry", f"{record['triangles']:,} triangles, {record['primitives']} primitives"),
        ("pairs", f"{counted(record['pairs_checked'], 'pair')} of links checked, {record['pairs_ignored']} not"),
    ]  # fmt: skip
    if record["touching_where_it_stands"]:
        rows.append(("touching", ", ".join(" and ".join(pair) for pair in record["touching_where_it_stands"])))
        rows.append(("", "where it stands; tocsin matrix ROBOT --out it.srdf, then --srdf it.srdf; or --ignore A,B"))
    console.print(output.facts(rows))
    moving = [j for j in joints if j["kind"] != "fixed"]
    if moving:
        columns = ("joint", "kind", "from", "to", "limits", "follows")
        cells = [(j["name"], j["kind"], j["parent"], j["child"], _limits(j), _follows(j)) for j in moving]
        console.print(output.table(columns, cells, title="Joints that move"))
    shaped = [link for link in record["links"] if link["meshes"] or link["primitives"]]
    if shaped:
        columns = ("link", "triangles", "primitives", "what its meshes are like")
        cells = [(k["name"], f"{k['triangles']:,}", _counted(k["primitives"]), _meshes(k["meshes"])) for k in shaped]
        console.print(output.table(columns, cells, title="Links with geometry", right=(1,)))
    if record["groups"]:
        cells = [(name, ", ".join(members)) for name, members in record["groups"].items()]
        console.print(output.table(("group", "joints"), cells, title="Groups"))
    if record["states"]:
        cells = [(name, ", ".join(f"{k} {_value(v)}" for k, v in values.items()))
                 for name, values in record["states"].items()]  # fmt: skip
        console.print(output.table(("state", "joint values"), cells, title="Named states"))


def _limits(joint: Record) -> str:
    if joint["limits"] is None:
        return ""
    low, high = joint["limits"]
    return f"{low:.4g} to {high:.4g} {'m' if joint['kind'] == 'prismatic' else 'rad'}"


def _follows(joint: Record) -> str:
    if joint["mimic"] is None:
        return ""
    offset = joint["mimic"]["offset"]
    shift = "" if offset == 0.0 else f" {'+' if offset > 0.0 else '-'} {abs(offset):.4g}"
    return f"{joint['mimic']['multiplier']:.4g} x {joint['mimic']['joint']}{shift}"


def _counted(kinds: list[str]) -> str:
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def _meshes(meshes: list[Record]) -> str:
    return "\n".join(f"{mesh['name'] + ': ' if mesh['name'] else ''}{mesh['report']}" for mesh in meshes)


def _value(value: float | np.ndarray) -> str:
    return f"{value:.4g}" if np.ndim(value) == 0 else output.vector(value)
