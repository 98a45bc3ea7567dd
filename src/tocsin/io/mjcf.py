"""MuJoCo models (MJCF) as one robot, compiled by the `mujoco` package itself.

Links are MuJoCo's bodies, frames included; the root link is its world, with the world's own geoms (floors, walls) as
its shapes. A body with several joints hangs on frame links called `body/joint`.

The configuration is `qpos`, in its order, with two differences: quaternions are x y z w here (w x y z there), and a
joint that an equality constraint ties linearly to another has no value of its own, it mimics the other. The robot
stands at `qpos0`; keyframes are in `robot.states`. Limits are those of hinges and slides. Mocap bodies stand where the
file puts them. What an equality of another kind closes (a loop) is not enforced, with a warning.

Which links are checked against each other is MuJoCo's rule: bit masks, `exclude` and `pair`, and neither a body against
its parent nor bodies that are welded together; but bodies that move are checked against the world's geoms. Geoms that
nothing may touch are left out. Where only some geoms of two links may touch, all are checked, with a warning. A model
that switches contacts off altogether is checked all the same.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import numpy as np

from tocsin import _cast, _given
from tocsin._types import JointValue, Matrix4, PathLike, Quaternion, Values, Vector
from tocsin.errors import TocsinError, remark
from tocsin.geometry.shape import Placed, Shape
from tocsin.io.elements import check_size
from tocsin.io.files import existing_file
from tocsin.io.mjcf_files import Gathered
from tocsin.io.mjcf_shapes import geom_shape
from tocsin.io.uris import Packages
from tocsin.model.joint import Joint
from tocsin.model.robot import MJCF_FILE, Robot

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's kinds of joints."""

_WORLD = 0

_LENGTHS_AND_ANGLES = (
    "body_pos", "body_quat", "jnt_pos", "jnt_axis", "jnt_range", "qpos0", "geom_pos", "geom_quat", "geom_size",
    "mesh_vert", "hfield_data", "key_qpos", "eq_data",
)  # fmt: skip


def load_mjcf(path: PathLike, *, name: str | None = None, meshes: str = "hulls", packages: Packages = ()) -> Robot:
    """Read a MuJoCo XML file. `name`: of the robot, instead of the model's.

    `meshes`: "hulls", as MuJoCo collides them, or "surfaces": the triangles as they are. `packages`: folders whose
    files the model may use besides those in its own folder and in its package.
    """
    _cast.choice(meshes, "meshes", ("hulls", "surfaces"))
    file = existing_file(path, "the MuJoCo model")
    gathered = Gathered(file, packages)
    try:
        mujoco: Any = importlib.import_module("mujoco")  # its names are made at run time: no checker knows them
    except ImportError:
        raise TocsinError("reading MJCF files needs mujoco: pip install 'tocsin[mujoco]'.") from None
    # Its warnings are about masses; left alone they go into a file in the current folder.
    handler = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(_unheard)
    try:
        with _silence():
            model = mujoco.MjModel.from_xml_string(gathered.text, gathered.assets)
    except Exception as error:  # a ValueError says what is wrong; other kinds come from memory that is not there
        raise TocsinError(f"cannot load {str(file)!r}: {gathered.said(str(error))}.") from None
    finally:
        mujoco.set_mju_user_warning(handler)
    for field in _LENGTHS_AND_ANGLES:
        if not np.isfinite(getattr(model, field)).all():
            raise TocsinError(f"cannot load {str(file)!r}: it has nan or inf in {field}.")
    given = bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace")
    own = given if given and given != "MuJoCo Model" else file.stem
    title = _given.name(name, "the name of a robot", own)
    try:
        return _Reader(mujoco, model, meshes, str(file)).robot(title)
    except TocsinError as error:
        raise TocsinError(f"cannot load {str(file)!r}: {error}") from None


def _unheard(_: str) -> None:
    """Say nothing."""


@contextmanager
def _silence() -> Generator[None]:
    """Let nothing reach standard error: Qhull, inside MuJoCo, writes pages there besides the error that is raised."""
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


class _Reader:
    """A compiled model on its way to a robot."""

    def __init__(self, mujoco: Any, model: Any, meshes: str, source: str) -> None:
        self.model = model
        self.meshes = meshes
        self.source = source
        self.pairs = {frozenset((int(a), int(b))) for a, b in zip(model.pair_geom1, model.pair_geom2)}
        self.masks = np.column_stack((model.geom_contype, model.geom_conaffinity))
        self.welds, self.parents = model.body_weldid.tolist(), model.body_parentid.tolist()
        self.carrying = self._collidable()
        self.masked = bool(self.masks[self.carrying].any())
        shapes = np.bincount(model.geom_bodyid[self.carrying], minlength=model.nbody).tolist()
        check_size(model.nbody, shapes, "the model")
        self.bodies = _distinct(
            (model.body(i).name or f"body-{i}" if i else "world" for i in range(model.nbody)), set()
        )
        named = [model.joint(j).name or f"{self.bodies[model.jnt_bodyid[j]]}_joint" for j in range(model.njnt)]
        self.joint_names = _distinct(named, set())
        self.followers = self._followers(int(mujoco.mjtEq.mjEQ_JOINT))
        self.filter_parents = not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)

    def robot(self, name: str) -> Robot:
        """Return the robot, standing at qpos0."""
        model = self.model
        links, joints = [self.bodies[0]], list[Joint]()
        taken = {*self.bodies, *self.joint_names}
        for body in range(1, model.nbody):
            for joint in self._joints_of(body, taken):
                joints.append(joint)
                links.append(joint.child)
        shapes: dict[str, list[Placed | Shape]] = {}
        for geom in self.carrying:
            shape = geom_shape(model, geom, self.meshes)
            shapes.setdefault(self.bodies[int(model.geom_bodyid[geom])], []).append(shape)
        robot = Robot(name, links, joints, shapes)
        robot.stand_at(self._configuration(robot, model.qpos0))
        for key in range(model.nkey):
            robot.states[model.key(key).name or f"key-{key}"] = self._configuration(robot, model.key_qpos[key])
        self._ignore(robot)
        return robot

    # ---- joints ----------------------------------------------------------------------------------------------------

    def _joints_of(self, body: int, taken: set[str]) -> list[Joint]:
        """Return the joints that lead from a body's parent to the body, frame links in between."""
        model = self.model
        child, parent = self.bodies[body], self.bodies[int(model.body_parentid[body])]
        origin = _placement(model.body_pos[body], model.body_quat[body])
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        chain = range(first, first + count)
        found: list[Joint] = []
        z = np.array([0.0, 0.0, 1.0])
        for j in chain:
            kind = int(model.jnt_type[j])
            axis: Vector = z
            anchor: Vector = np.zeros(3)
            if kind == FREE:
                origin = np.eye(4)  # a free joint's position is in the world, wherever the body was drawn
            elif kind == BALL:
                anchor = model.jnt_pos[j]
            else:
                axis = _cast.unit(model.jnt_axis[j], f"the axis of joint {self.joint_names[j]!r}")
                anchor = model.jnt_pos[j] if kind == HINGE else anchor
            origin = origin @ _translation(anchor)
            if kind in (SLIDE, HINGE):
                origin = origin @ _back(kind, axis, model.qpos0[model.jnt_qposadr[j]])
            last = j == chain[-1] and not anchor.any()
            link = child if last else _distinct([f"{child}/{self.joint_names[j]}"], taken)[0]
            found.append(self._joint(j, kind, parent, link, origin, axis))
            parent, origin = link, _translation(-anchor)
        if not found or found[-1].child != child:
            name = _distinct([f"{child}_joint" if not found else f"{child}_frame"], taken)[0]
            origin = _cast.placement(origin, f"the frame of body {child!r}")
            found.append(Joint(name, "fixed", parent, child, origin, z))
        return found

    def _joint(self, j: int, kind: int, parent: str, link: str, origin: Matrix4, axis: Vector) -> Joint:
        model = self.model
        name = self.joint_names[j]
        origin = _cast.placement(origin, f"the frame of joint {name!r}")
        if kind in (FREE, BALL):
            return Joint(name, "floating" if kind == FREE else "ball", parent, link, origin, axis)
        limits = None
        if model.jnt_limited[j]:
            limits = (float(model.jnt_range[j][0]), float(model.jnt_range[j][1]))
        word = "prismatic" if kind == SLIDE else "revolute" if limits else "continuous"
        return Joint(name, word, parent, link, origin, axis, limits, self.followers.get(j))

    def _followers(self, joint_equality: int) -> dict[int, tuple[str, float, float]]:
        """Return the joints that linear equality constraints tie to others: number -> (joint, multiplier, offset)."""
        model = self.model
        found: dict[int, tuple[str, float, float]] = {}
        loose: list[str] = []
        for e in range(model.neq):
            if not model.eq_active0[e]:
                continue
            one, two, data = int(model.eq_obj1id[e]), int(model.eq_obj2id[e]), model.eq_data[e]
            linear = model.eq_type[e] == joint_equality and two >= 0 and not data[2:5].any()
            if not linear or one in found or self._leads_to(two, one, found):
                loose.append(model.equality(e).name or f"number {e}")
                continue
            rest_one, rest_two = model.qpos0[model.jnt_qposadr[one]], model.qpos0[model.jnt_qposadr[two]]
            found[one] = (self.joint_names[two], float(data[1]), float(rest_one + data[0] - data[1] * rest_two))
        if loose:
            self._warn("equality constraints that do not tie a joint linearly to another are not enforced", loose)
        return found

    def _leads_to(self, joint: int, target: int, found: dict[int, tuple[str, float, float]]) -> bool:
        """Does following constraints from one joint come to another?"""
        while joint != target and joint in found:
            joint = self.joint_names.index(found[joint][0])
        return joint == target

    def _values(self, qpos: Values) -> dict[str, JointValue]:
        """Return qpos by joint, quaternions x y z w."""
        model = self.model
        values: dict[str, JointValue] = {}
        for j, name in enumerate(self.joint_names):
            k, kind = model.jnt_qposadr[j], model.jnt_type[j]
            if kind == FREE:
                values[name] = (*qpos[k : k + 3].tolist(), *_unit_xyzw(qpos[k + 3 : k + 7]))
            elif kind == BALL:
                values[name] = _unit_xyzw(qpos[k : k + 4])
            else:
                values[name] = float(qpos[k])
        return values

    def _configuration(self, robot: Robot, qpos: Values) -> dict[str, JointValue]:
        names = set(robot.joint_names)
        return {name: value for name, value in self._values(qpos).items() if name in names}

    # ---- what is checked against what --------------------------------------------------------------------------------

    def _collidable(self) -> list[int]:
        """Return the geoms that can touch anything at all; those of a model without any are all taken."""
        model = self.model
        listed = {g for pair in self.pairs for g in pair}
        found = [g for g in range(len(self.masks)) if self.masks[g].any() or g in listed]
        if not found and model.ngeom:
            self._warn("no geom may touch another by contype and conaffinity; all geoms are taken", [])
            return list(range(model.ngeom))
        return found

    def _ignore(self, robot: Robot) -> None:
        """Replace the rule of neighbours, by which a robot is made, by MuJoCo's."""
        model = self.model
        robot.ignored = frozenset()
        geoms: dict[int, list[int]] = {}
        for g in self.carrying:
            geoms.setdefault(int(model.geom_bodyid[g]), []).append(g)
        order = sorted(geoms)
        excluded = {frozenset((int(s) >> 16, int(s) & 0xFFFF)) for s in model.exclude_signature}
        listed: dict[frozenset[int], list[tuple[int, int]]] = {}
        for g, h in (tuple(pair) for pair in self.pairs if len(pair) == 2):
            listed.setdefault(frozenset((int(model.geom_bodyid[g]), int(model.geom_bodyid[h]))), []).append((g, h))
        mixed: list[str] = []
        ignored: list[tuple[str, str]] = []
        for i, a in enumerate(order):
            allowed = self._allowed(a, order[:i], geoms)
            for b, count in zip(order[:i], allowed):
                pair = frozenset((a, b))
                free = not self._hang_together(a, b) and pair not in excluded
                count = count if free else 0
                count += sum(not (free and self._masks(g, h)) for g, h in listed.get(pair, ()))
                if self.welds[a] == self.welds[b] or not count:
                    ignored.append((self.bodies[a], self.bodies[b]))
                elif count < len(geoms[a]) * len(geoms[b]):
                    mixed.append(f"{self.bodies[b]} and {self.bodies[a]}")
        robot.ignore_pairs(ignored)
        if mixed:
            self._warn("only some geoms of these bodies may touch each other, but all are checked", mixed)

    def _allowed(self, a: int, others: list[int], geoms: dict[int, list[int]]) -> list[int]:
        """Return, for each of other bodies, how many pairs of geoms may touch by their bit masks."""
        if not others:
            return []
        kind_a, met_a = self.masks[geoms[a]].T[:, :, None]
        kind_b, met_b = self.masks[[g for b in others for g in geoms[b]]].T[:, None, :]
        touch = ((kind_a & met_b) | (kind_b & met_a) != 0).sum(axis=0)
        if not self.masked:
            touch[:] = len(geoms[a])
        starts = np.cumsum([0, *[len(geoms[b]) for b in others[:-1]]])
        return np.add.reduceat(touch, starts).tolist()

    def _hang_together(self, a: int, b: int) -> bool:
        """Does one of two bodies hang on the other, welds counted as one, and not on the world?"""
        weld_a, weld_b = self.welds[a], self.welds[b]
        if not self.filter_parents or _WORLD in (weld_a, weld_b):
            return False
        return self.welds[self.parents[weld_a]] == weld_b or self.welds[self.parents[weld_b]] == weld_a

    def _masks(self, g: int, h: int) -> bool:
        """May two geoms touch by their bit masks?"""
        (kind_g, met_g), (kind_h, met_h) = self.masks[[g, h]].tolist()
        return not self.masked or bool((kind_g & met_h) | (kind_h & met_g))

    def _warn(self, what: str, names: list[str]) -> None:
        listed = f": {', '.join(names[:5])}{' and more' if len(names) > 5 else ''}" if names else ""
        remark(f"{self.source!r}: {what}{listed}.")


def _distinct(names: Iterable[str], taken: set[str]) -> list[str]:
    """Return names that differ from each other and from those taken, which they are added to."""
    found: list[str] = []
    for given in names:
        name, k = given, 1
        while name in taken:
            k += 1
            name = f"{given}-{k}"
        taken.add(name)
        found.append(name)
    return found


def _placement(position: Vector, quaternion: Quaternion) -> Matrix4:
    w, x, y, z = quaternion
    return _cast.turned(np.asarray(position), np.array((x, y, z, w)), "a body")


def _translation(offset: Vector) -> Matrix4:
    matrix = np.eye(4)
    matrix[:3, 3] = offset
    return matrix


def _back(kind: int, axis: Vector, reference: float) -> Matrix4:
    """Return the motion by minus the joint's reference value: at that value a joint leaves its body as drawn."""
    if kind == SLIDE:
        return _translation(-reference * axis)
    half = -0.5 * reference
    return _cast.turned(np.zeros(3), np.array((*(np.sin(half) * axis), np.cos(half))), "a joint")


def _unit_xyzw(wxyz: Quaternion) -> tuple[float, float, float, float]:
    """Return a quaternion in our order; MuJoCo normalizes whatever is in qpos, and takes zero for no rotation."""
    length = float(np.linalg.norm(wxyz))
    w, x, y, z = (wxyz / length).tolist() if length > 1e-15 else (1.0, 0.0, 0.0, 0.0)
    return x, y, z, w


MJCF_FILE.provide(load_mjcf)
