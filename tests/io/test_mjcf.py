"""MuJoCo models: the same kinematics and the same contacts as MuJoCo's own, and files that lie."""

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from effort import refusal
from tocsin import Box, ConvexHull, Mesh, Robot, Scene, Sphere, TocsinError
from tocsin.io.environment import load_environment
from tocsin.io.mjcf import load_mjcf
from tocsin.io.shapes import round_polytope

mujoco = pytest.importorskip("mujoco")

JOINTS = """<mujoco model="machine"><compiler angle="degree"/>
<worldbody>
  <geom name="floor" type="plane" size="1 1 0.1"/>
  <body name="arm" pos="0.1 0.2 1" euler="10 20 30">
    <joint name="turn" type="hinge" axis="1 2 3" pos="0.1 -0.2 0.3" ref="40" range="-100 90" limited="true"/>
    <joint name="push" type="slide" axis="0 1 1" pos="5 5 5" ref="0.3" range="-1 2" limited="true"/>
    <joint name="twist" type="hinge" axis="0 0 1"/>
    <geom type="capsule" size="0.05 0.2" pos="0 0 0.2"/>
    <body name="socket" pos="0 0 0.5" quat="0.9 0.1 0.2 0.3">
      <joint name="shoulder" type="ball" pos="0 0.1 0"/>
      <geom type="box" size="0.1 0.2 0.3"/>
      <body pos="0 0 1"><joint type="hinge" pos="0 0 -0.4"/><geom size="0.1"/>
        <body name="plate" pos="0.3 0 0"><geom type="cylinder" size="0.1 0.02" euler="90 0 0"/></body>
      </body>
    </body>
  </body>
  <body name="stone" pos="3 2 1" euler="0 0 45"><freejoint name="fly"/><geom size="0.2"/></body>
  <body name="pointer" mocap="true" pos="0 5 1"><geom size="0.1" contype="0" conaffinity="0"/></body>
</worldbody></mujoco>"""

ZOO = """<mujoco><worldbody>
  <geom name="ground" type="hfield" hfield="hills" pos="0 0 -0.3"/>
  <body name="a"><freejoint/><geom type="box" size="0.2 0.3 0.1"/><geom type="sphere" size="0.2" pos="0.4 0 0"/></body>
  <body name="b"><freejoint/><geom type="capsule" size="0.1 0.4" euler="30 40 50"/></body>
  <body name="c"><freejoint/><geom type="cylinder" size="0.3 0.1" pos="0.1 0 0" euler="10 80 0"/></body>
  <body name="d"><freejoint/><geom type="mesh" mesh="wedge" pos="0.1 0.2 0" euler="0 30 0"/></body>
  <body name="e"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.4"/></body>
</worldbody>
<asset>
  <mesh name="wedge" vertex="0 0 0  0.5 0 0  0 0.4 0  0 0 0.3  0.4 0.3 0.1"/>
  <hfield name="hills" nrow="4" ncol="5" size="2 1.5 0.5 0.2"
    elevation="0 1 0.2 0.4 0  0.3 0 0.9 0.1 0.8  0.5 0.6 0 1 0.2  0 0.7 0.3 0 0.9"/>
</asset></mujoco>"""


def write(folder, text, name="model.xml"):
    (folder / name).write_text(text)
    return folder / name


def random_qpos(model, chance, spread=1.0):
    """Random values, quaternions normalized."""
    q = model.qpos0 + chance.uniform(-spread, spread, model.nq)
    for j in range(model.njnt):
        k = model.jnt_qposadr[j] + (3 if model.jnt_type[j] == 0 else 0)
        if model.jnt_type[j] < 2:
            q[k : k + 4] = chance.normal(size=4)
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    return q


def ours(model, q):
    """qpos in tocsin's order: written from the documentation, joint by joint."""
    values = []
    for j in range(model.njnt):
        k, kind = model.jnt_qposadr[j], model.jnt_type[j]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            values += [*q[k : k + 3], *q[k + 4 : k + 7], q[k + 3]]
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            values += [*q[k + 1 : k + 4], q[k]]
        else:
            values.append(q[k])
    return np.array(values)


def kinematics_error(path, count):
    """The largest difference of any body's pose from MuJoCo's own, at random configurations."""
    model, robot = mujoco.MjModel.from_xml_path(str(path)), load_mjcf(path)
    data, chance, worst = mujoco.MjData(model), np.random.default_rng(5), 0.0
    index = [robot.link_index(model.body(i).name or f"body-{i}") for i in range(model.nbody)]
    for _ in range(count):
        data.qpos[:] = random_qpos(model, chance, 3.0)
        mujoco.mj_kinematics(model, data)
        poses = robot.link_poses(ours(model, data.qpos))[index]
        worst = max(worst, np.abs(poses[:, :3, 3] - data.xpos).max())
        worst = max(worst, np.abs(poses[:, :3, :3] - data.xmat.reshape(-1, 3, 3)).max())
    return worst


def test_kinematics_are_those_of_mujoco(tmp_path):
    assert kinematics_error(write(tmp_path, JOINTS), 1000) < 1e-13
    assert kinematics_error(write(tmp_path, ZOO), 100) < 1e-13


def test_kinematics_of_mujocos_own_test_model_agree():
    path = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    if not path.exists():
        pytest.skip("this build of mujoco comes without its test data")
    with pytest.warns(UserWarning, match="equality") if "equality" in path.read_text() else nullcontext():
        assert kinematics_error(path, 20) < 1e-12


def test_names_limits_and_standing_configuration_are_the_files(tmp_path):
    robot = load_mjcf(write(tmp_path, JOINTS))
    assert isinstance(robot, Robot)
    assert robot.name == "machine"
    assert robot.link_names[0] == "world"
    assert robot.joint_names == ("turn", "push", "twist", "shoulder", "body-3_joint", "fly")
    assert {"arm", "arm/turn", "arm/push", "socket", "body-3", "plate", "stone", "pointer"} <= set(robot.link_names)
    limits = {joint.name: joint.limits for joint in robot.joints}
    assert limits["turn"] == pytest.approx(np.radians((-100, 90)))
    assert limits["push"] == (-1.0, 2.0)
    assert limits["twist"] is None
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    assert np.allclose(robot.rest[7:], ours(model, model.qpos0), atol=1e-15)
    assert load_mjcf(tmp_path / "model.xml", name="other").name == "other"


@pytest.mark.parametrize("spread", [1.5, 3.0])
def test_contacts_are_those_of_mujoco(tmp_path, spread):
    path = write(tmp_path, ZOO)
    model, robot = mujoco.MjModel.from_xml_path(str(path)), load_mjcf(path)
    data, scene, chance = mujoco.MjData(model), Scene(robot), np.random.default_rng(7)
    seen = {True: 0, False: 0}
    for _ in range(200):
        data.qpos[:] = random_qpos(model, chance, spread)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        depth = min((contact.dist for contact in data.contact), default=np.inf)
        distance = scene.distance(robot.at(ours(model, data.qpos))).distance
        if depth < -1e-5:
            assert distance == 0.0
        if distance == 0.0:
            assert depth < 0.01  # the ellipsoid's polytope is larger by 0.6 % of 0.4 m
        seen[depth < 0.0] += 1
    assert min(seen.values()) > 20


def test_a_polytope_for_ellipsoids_contains_the_ball_and_is_close():
    points = round_polytope()
    hull = ConvexHull(points).hull
    a, b, c = (hull.vertices[hull.faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    heights = np.einsum("ij,ij->i", normals, a) / np.linalg.norm(normals, axis=1)
    assert heights.min() >= 1.0
    assert np.linalg.norm(points, axis=1).max() < 1.006


def test_the_height_field_is_a_closed_solid_cut_as_mujoco_cuts_it(tmp_path):
    robot = load_mjcf(write(tmp_path, ZOO))
    shape = robot.shapes[0][0]
    assert shape.solid
    assert shape.source.report.is_closed
    text = '<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 0.5" elevation="0 1 1 0"/></asset><worldbody>'
    text += (
        '<geom type="hfield" hfield="h"/><body name="ball"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    robot = load_mjcf(write(tmp_path, text))
    height = Scene(robot).distance(robot.at([0, 0, 3, 0, 0, 0, 1])).distance
    assert height == pytest.approx(3.0 - 0.1 - 1.0, abs=1e-9)  # the ridge runs through the middle
    assert Scene(robot).distance(robot.at([0, 0, -0.3, 0, 0, 0, 1])).distance == 0.0  # inside


@pytest.mark.parametrize("compiler", ["", "<compiler angle='degree' boundmass='0'/>"])
def test_masses_that_are_missing_are_no_fault(tmp_path, compiler):
    body = "<body name='a' pos='1 0 0'><joint name='j' range='-90 90'/><body name='b'><geom size='0.1'/></body></body>"
    robot = load_mjcf(write(tmp_path, f"<mujoco>{compiler}<worldbody>{body}</worldbody></mujoco>"))
    assert robot.joint_names == ("j",)
    assert np.allclose(robot.limits, [[-np.pi / 2, np.pi / 2]])


def test_meshes_are_hulls_unless_surfaces_are_asked_for(tmp_path):
    path = write(tmp_path, ZOO)
    wedge = load_mjcf(path)
    assert isinstance(wedge.shapes[wedge.link_index("d")][0].source, ConvexHull)
    wedge = load_mjcf(path, meshes="surfaces")
    assert isinstance(wedge.shapes[wedge.link_index("d")][0].source, Mesh)
    with pytest.raises(TocsinError, match="'hulls', 'surfaces'"):
        load_mjcf(path, meshes="bubbles")


def test_a_plane_is_met_from_above_and_below_far_from_its_origin(tmp_path):
    text = '<mujoco><worldbody><geom type="plane" size="1 1 1" pos="0 0 0.5" euler="0 0 30"/>'
    text += '<body name="stone"><freejoint/><geom size="0.2"/></body></worldbody></mujoco>'
    robot = load_mjcf(write(tmp_path, text))
    scene = Scene(robot)
    for height in (2.0, 0.71, 0.69, -50.0):
        distance = scene.distance(robot.at([80.0, -90.0, height, 0.0, 0.0, 0.0, 1.0])).distance
        assert distance == pytest.approx(max(height - 0.7, 0.0), abs=1e-9)


# ---- what is checked against what ------------------------------------------------------------------------------------


def checked(robot):
    """The pairs of links with shapes that are not ignored."""
    names = [name for name, shapes in zip(robot.link_names, robot.shapes) if shapes]
    pairs = {frozenset((a, b)) for i, a in enumerate(names) for b in names[:i]}
    return pairs - {frozenset((robot.link_names[i], robot.link_names[k])) for i, k in robot.ignored}


def chain(inside="", options="", geom=("", "", "", "")):
    bodies = ""
    for k, name in reversed(list(enumerate("abc"))):
        bodies = f'<body name="{name}" pos="1 0 0"><joint/><geom size="0.1" {geom[k + 1]}/>{bodies}</body>'
    return (
        f"<mujoco>{options}<worldbody><geom type='plane' size='1 1 1' {geom[0]}/>{bodies}"
        f"<body name='base'><geom size='0.2' name='foot'/></body></worldbody>{inside}</mujoco>"
    )


def pairs_of(*names):
    return {frozenset(name.split("-")) for name in names}


EVERYTHING = pairs_of("world-a", "world-b", "world-c", "base-a", "base-b", "base-c", "a-c")


def test_parents_and_welds_are_not_checked_but_the_world_is(tmp_path):
    assert checked(load_mjcf(write(tmp_path, chain()))) == EVERYTHING


def test_parents_are_checked_when_the_file_says_so(tmp_path):
    options = '<option><flag filterparent="disable"/></option>'
    assert checked(load_mjcf(write(tmp_path, chain(options=options)))) == EVERYTHING | pairs_of("a-b", "b-c")


def test_excluded_pairs_are_not_checked(tmp_path):
    inside = '<contact><exclude body1="a" body2="c"/><exclude body1="base" body2="a"/></contact>'
    assert checked(load_mjcf(write(tmp_path, chain(inside)))) == EVERYTHING - pairs_of("a-c", "base-a")


def test_masks_decide_and_explicit_pairs_override_them(tmp_path):
    robot = load_mjcf(
        write(tmp_path, chain(geom=("", 'conaffinity="0"', 'contype="0" conaffinity="0"', 'contype="2"')))
    )
    assert checked(robot) == pairs_of("world-a", "base-a", "world-c", "base-c", "a-c")
    assert not robot.shapes[robot.link_index("b")]
    named = ("", "name='ga'", "name='gb' contype='0' conaffinity='0'", "")
    inside = '<contact><pair geom1="ga" geom2="gb"/></contact>'
    found = checked(load_mjcf(write(tmp_path, chain(inside, geom=named))))
    assert pairs_of("a-b") <= found
    assert not pairs_of("b-c", "world-b") & found


def test_masks_that_part_the_geoms_of_one_link_are_reported(tmp_path):
    text = chain().replace('<body name="c"', '<geom size="0.3" contype="0" conaffinity="2"/><body name="c"')
    with pytest.warns(UserWarning, match="only some geoms"):
        load_mjcf(write(tmp_path, text))


def test_a_model_without_collision_geometry_gets_all_geoms_with_a_warning(tmp_path):
    off = 'contype="0" conaffinity="0"'
    text = chain(geom=(off,) * 4).replace("name='foot'", f"name='foot' {off}")
    with pytest.warns(UserWarning, match="all geoms are taken"):
        robot = load_mjcf(write(tmp_path, text))
    assert checked(robot) == EVERYTHING


# ---- equality, keyframes ---------------------------------------------------------------------------------------------

FINGERS = """<mujoco><worldbody><body><joint name="left" type="slide" ref="0.1"/><geom size="1"/></body>
<body><joint name="right" type="slide" ref="0.2"/><geom size="1"/></body>
<body><joint name="third" type="hinge"/><geom size="1"/></body></worldbody>
<equality>{}</equality><keyframe><key name="open" qpos="0.5 0.6 0.7"/></keyframe></mujoco>"""


def test_a_linear_equality_is_a_mimic_joint(tmp_path):
    equality = '<joint joint1="right" joint2="left" polycoef="0.01 -2 0 0 0"/>'
    robot = load_mjcf(write(tmp_path, FINGERS.format(equality)))
    assert robot.joint_names == ("left", "third")
    poses = robot.link_poses([0.4, 0.0])
    # q - 0.2 = 0.01 - 2 (0.4 - 0.1), and a slide moves by q - ref.
    assert poses[robot.link_index("body-2")][2, 3] == pytest.approx(0.01 - 2 * 0.3)
    assert robot.states == {"open": {"left": 0.5, "third": 0.7}}
    assert robot.configuration(robot.states["open"]).tolist() == [0.5, 0.7]


@pytest.mark.parametrize(
    "equality",
    [
        '<joint name="bent" joint1="right" joint2="left" polycoef="0 1 2 0 0"/>',
        '<connect name="bent" body1="body" body2="other" anchor="0 0 0"/>',
        '<joint joint1="right" joint2="left"/><joint name="bent" joint1="left" joint2="right"/>',
        '<joint name="bent" joint1="right" polycoef="0.1 0 0 0 0"/>',
    ],
)
def test_other_equalities_are_reported_and_not_enforced(tmp_path, equality):
    text = (
        FINGERS.format(equality).replace("<body>", '<body name="body">', 1).replace("<body>", '<body name="other">', 1)
    )
    with pytest.warns(UserWarning, match="not enforced: bent"):
        robot = load_mjcf(write(tmp_path, text))
    assert len(robot.joint_names) >= 2


def test_an_inactive_equality_ties_nothing(tmp_path):
    robot = load_mjcf(write(tmp_path, FINGERS.format('<joint joint1="right" joint2="left" active="false"/>')))
    assert robot.joint_names == ("left", "right", "third")


# ---- files that lie --------------------------------------------------------------------------------------------------


def bad_files():
    body = "<worldbody><body><freejoint/><geom size='1'/></body></worldbody>"
    yield "", "is empty"
    yield "<mujoco>", "not well-formed"
    yield "<robot name='x'/>", "use from_urdf"
    yield "<html/>", "not <mujoco>"
    yield "<!DOCTYPE mujoco [<!ENTITY a 'b'>]><mujoco/>", "document type"
    yield "<mujoco>" + "<body>" * 1000, "nested"
    yield "<mujoco><worldbody><body><geom size='-1'/></body></worldbody></mujoco>", "size"
    yield "<mujoco><worldbody><geom size='nan'/></worldbody></mujoco>", "cannot load"
    yield body.replace("<body>", "<body pos='nan 0 0'>").join(("<mujoco>", "</mujoco>")), "nan or inf in body_pos"
    yield f"<mujoco>{body}<keyframe><key qpos='nan 0 0 1 0 0 0'/></keyframe></mujoco>", "nan"
    yield f"<mujoco><include file='../../etc/passwd'/>{body}</mujoco>", "outside the folders"
    yield f"<mujoco><include file='gone.xml'/>{body}</mujoco>", "does not exist"
    yield f"<mujoco><include file='model.xml'/>{body}</mujoco>", "included twice"
    yield f"<mujoco><asset><mesh file='gone.stl'/></asset>{body}</mujoco>", "gone.stl"
    yield f"<mujoco><asset><mesh file='/etc/passwd'/></asset>{body}</mujoco>", "outside the folders"
    yield f"<mujoco><compiler meshdir='../..'/><asset><mesh file='away.stl'/></asset>{body}</mujoco>", "outside the"
    yield f"<mujoco><asset><mesh file='lie.stl'/></asset>{body}</mujoco>", "cannot load"
    ball = "<geom size='1'/>"
    yield f"<mujoco><worldbody><replicate count='100000000'>{ball}</replicate></worldbody></mujoco>", "copies"
    nested = ball
    for _ in range(10):
        nested = f"<replicate count='10'>{nested}</replicate>"
    yield f"<mujoco><worldbody>{nested}</worldbody></mujoco>", "copies"
    field = "<asset><hfield name='h' nrow='60000' ncol='60000' size='1 1 1 1'/></asset>"
    yield f"<mujoco>{field}{body}</mujoco>", "claims 3600000000 values"
    texture = "<asset><texture name='t' type='2d' builtin='flat' width='40000' height='40000'/></asset>"
    yield f"<mujoco>{texture}{body}</mujoco>", "claims 1600000000 values"
    yield f"<mujoco><size nuser_geom='1000000000'/>{body}</mujoco>", "claims 1000000000 values"
    yield f"<mujoco><size nuserdata='2000000000'/>{body}</mujoco>", "claims 2000000000 values"
    yield f"<mujoco><size nkey='200000000'/>{body}</mujoco>", "claims 200000000 values"
    yield f"<mujoco><custom><numeric name='n' size='1000000000'/></custom>{body}</mujoco>", "claims 1000000000 values"
    keys = "<keyframe>" + "<key/>" * 5_000 + "</keyframe>"
    yield f"<mujoco>{keys}{body}</mujoco>", "5000 keyframes"
    chain = "<worldbody>" + "<body><freejoint/>" * 120 + "</body>" * 120 + "</worldbody>"
    yield f"<mujoco><worldbody><composite type='cable' count='2000 1 1'/></worldbody>{chain}</mujoco>", "grows to"
    yield f"<mujoco><asset><mesh builtin='supersphere' params='30000 1 1' name='m'/></asset>{body}</mujoco>", "params"
    yield f"<mujoco><worldbody><replicate count='1e9'>{ball}</replicate></worldbody></mujoco>", "must be whole"
    flex = "<flexcomp type='grid' count='3 3 1' spacing='.1 .1 .1' radius='.01' name='f' dim='2'/>"
    yield f"<mujoco><worldbody>{flex}</worldbody></mujoco>", "flex"


@pytest.mark.parametrize(("text", "says"), list(bad_files()))
def test_a_bad_model_gets_one_sentence(tmp_path, monkeypatch, text, says):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "lie.stl").write_bytes(bytes(80) + b"\xff\xff\xff\xff")
    (tmp_path / "away.stl").write_bytes(bytes(84))
    monkeypatch.chdir(tmp_path)
    path = write(folder, text)
    assert "model.xml" in refusal(load_mjcf, path, says)
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_assets_in_the_models_package_or_in_given_folders_are_read(tmp_path):
    text = "<mujoco><compiler meshdir='{}'/><asset><mesh file='part.stl'/></asset>"
    text += "<worldbody><geom type='mesh' mesh='part'/></worldbody></mujoco>"
    import trimesh

    for folder in ("xml", "meshes", "far/away"):
        (tmp_path / "robot" / folder).mkdir(parents=True)
    trimesh.creation.box().export(tmp_path / "robot" / "meshes" / "part.stl")
    beside = write(tmp_path / "robot" / "xml", text.format("../meshes"))
    with pytest.raises(TocsinError, match="outside the folders"):
        load_mjcf(beside)
    assert len(load_mjcf(beside, packages=tmp_path / "robot").shapes[0]) == 1
    (tmp_path / "robot" / "package.xml").write_text("<package><name>robot</name></package>")
    assert len(load_mjcf(beside).shapes[0]) == 1
    (tmp_path / "robot" / "package.xml").unlink()
    path = write(tmp_path / "robot" / "far" / "away", text.format("../../meshes"))
    with pytest.raises(TocsinError, match="outside the folders"):
        load_mjcf(path)
    assert load_mjcf(path, packages=[tmp_path / "robot" / "meshes"]).shapes[0]


def test_a_mujoco_file_is_an_environment(tmp_path):
    (model,) = load_environment(write(tmp_path, JOINTS))
    assert isinstance(model, Robot)


def test_primitives_stay_primitives(tmp_path):
    robot = load_mjcf(write(tmp_path, JOINTS))
    assert robot.shapes[robot.link_index("socket")][0].source == Box((0.2, 0.4, 0.6))
    assert robot.shapes[robot.link_index("stone")][0].source == Sphere(0.2)


@pytest.mark.parametrize("meshdir", [".", "shapes"])
def test_a_mesh_of_an_included_file_is_looked_for_from_the_main_file_and_then_from_its_own(tmp_path, meshdir):
    meshes = tmp_path / meshdir
    for folder in (tmp_path / "part", meshes):
        folder.mkdir(exist_ok=True)
    asset = "<asset><mesh name='m' file='m.obj'/></asset>"
    (tmp_path / "part/part.xml").write_text(f"<mujocoinclude>{asset}</mujocoinclude>")
    body = "<worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/></body></worldbody>"
    text = f"<mujoco><compiler meshdir='{meshdir}'/><include file='part/part.xml'/>{body}</mujoco>"
    (tmp_path / "model.xml").write_text(text)
    for file, edge in (tmp_path / "part/m.obj", 2.0), (meshes / "m.obj", 1.0):
        box = Box((edge, edge, edge)).tessellate()
        lines = [f"v {x} {y} {z}" for x, y, z in box.vertices] + [f"f {a} {b} {c}" for a, b, c in box.faces + 1]
        file.write_text("\n".join(lines))
        (shape,) = [shape for own in Robot.from_mjcf(tmp_path / "model.xml").shapes for shape in own]
        theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
        assert shape.diagonal == pytest.approx(2.0 * theirs.geom_rbound[0], rel=1e-3)
        assert shape.diagonal == pytest.approx(edge * 3.0**0.5, rel=1e-3)


def test_an_included_file_may_have_mujocos_own_root_for_such(tmp_path):
    (tmp_path / "part.xml").write_text('<mujocoinclude><geom type="sphere" size="0.1"/></mujocoinclude>')
    main = tmp_path / "main.xml"
    body = '<body name="b"><freejoint/><include file="part.xml"/></body>'
    main.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert sum(map(len, load_mjcf(main).shapes)) == 1
    with pytest.raises(TocsinError, match="its root is <mujocoinclude>"):
        load_mjcf(tmp_path / "part.xml")
