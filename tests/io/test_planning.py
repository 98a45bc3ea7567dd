"""Planning scenes and problems: the recorded ones load, and what is wrong in others is named."""

import json
import tarfile
import warnings

import numpy as np
import pytest
import yaml

from data import data_folder, robot_file
from effort import refusal
from octomaps import encoded, full
from tocsin import Robot, RobotBuilder, TocsinError, UnknownNameError
from tocsin.geometry.primitives import Box, ConvexHull, Cylinder, Sphere
from tocsin.io.environment import load_environment
from tocsin.io.planning import load_problem, load_scene_file
from tocsin.io.programs import load_moveit_program
from tocsin.motion.poses import base_matrix

QUARTER = 0.5**0.5

OLD = """old scene
* table
1
box
1 2 0.1
0.5 0 0.2
0 0 0 1
0 0 0 0
* post
2
cylinder
0.1 2
0 0 1
0 0 0.7071068 0.7071068
1 0 0 1
sphere
0.2
0 0 2
0 0 0 1
1 0 0 1
.
"""

NEW = """new scene
* table with legs
1 0 0
0 0 0.7071068 0.7071068
2
box
1 2 0.1
0.5 0 0.2
0 0 0 1
0 0 0 0
mesh
4 2
0 0 0
1 0 0
0 1 0
0 0 1
0 1 2
0 1 3
0 0 0
0 0 0 1
0 0 0 0
1
a corner
1 1 1
0 0 0 1
* funnel
0 0 0
0 0 0 1
1
cone
0.5 2
0 0 1
0 0 0 1
0 0 0 0
0
* wall
0 0 0
0 0 0 1
1
plane
0 2 0 -4
0 0 0
0 0 0 1
0 0 0 0
0
.
"""


def scene(**changes):
    content = {
        "name": "cell",
        "robot_model_name": "arm",
        "robot_state": {"joint_state": {"name": ["a", "b"], "position": [0.1, 0.2]}},
        "allowed_collision_matrix": {
            "entry_names": ["hand", "cube", "base"],
            "entry_values": [[False, True, False], [True, False, False], [False, False, False]],
        },
        "fixed_frame_transforms": [
            {
                "child_frame_id": "cell",
                "header": {"frame_id": "world"},
                "transform": {"translation": [0, 0, 1], "rotation": [0, 0, 0, 1]},
            }
        ],
        "world": {"collision_objects": [thing("cube")]},
    }
    return content | changes


def thing(name, **changes):
    return {
        "id": name,
        "header": {"frame_id": "cell"},
        "primitives": [{"type": "box", "dimensions": [1, 2, 3]}],
        "primitive_poses": [{"position": [1, 0, 0], "orientation": [0, 0, QUARTER, QUARTER]}],
    } | changes


def request(**changes):
    return {
        "group_name": "arm",
        "start_state": {"joint_state": {"name": ["b", "wheel"], "position": [0.3, 9.0]}},
        "goal_constraints": [{"joint_constraints": [{"joint_name": "a", "position": 1.0}]}],
    } | changes


def write(folder, name, content):
    path = folder / name
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return path


def placed(body):
    """Where a body stands, 4x4."""
    return base_matrix(body.rest)


# ---- the text format -----------------------------------------------------------------------------------------------


def test_an_old_scene_has_its_objects_where_it_says(tmp_path):
    found = load_scene_file(write(tmp_path, "old.scene", OLD))
    table, post = found.bodies
    assert found.name == "old scene"
    assert (table.name, post.name) == ("table", "post")
    assert table.shapes[0][0].source == Box((1.0, 2.0, 0.1))
    assert placed(table)[:3, 3].tolist() == [0.5, 0.0, 0.2]
    assert [shape.source for shape in post.shapes[0]] == [Cylinder(0.1, 2.0), Sphere(0.2)]
    assert np.allclose(post.shapes[0][0].placement[:2, :2], [[0, -1], [1, 0]])
    assert post.shapes[0][1].placement[:3, 3].tolist() == [0.0, 0.0, 2.0]


def test_a_new_scene_composes_object_and_shape_poses(tmp_path):
    table, funnel, wall = load_scene_file(write(tmp_path, "new.scene", NEW)).bodies
    assert table.name == "table with legs"
    assert placed(table)[:3, 3].tolist() == [1.0, 0.0, 0.0]
    box, mesh = table.shapes[0]
    assert box.placement[:3, 3].tolist() == [0.5, 0.0, 0.2]
    assert np.allclose((placed(table) @ box.placement)[:3, 3], [1.0, 0.5, 0.2])
    assert mesh.source.faces.tolist() == [[0, 1, 2], [0, 1, 3]]
    assert isinstance(funnel.shapes[0][0].source, ConvexHull)
    corners = wall.shapes[0][0].source.vertices
    assert np.allclose(corners[:, 1], 2.0)
    assert np.ptp(corners[:, 0]) >= 1000.0


def test_a_cone_lies_inside_the_pyramid_that_stands_for_it(tmp_path):
    _, funnel, _ = load_scene_file(write(tmp_path, "new.scene", NEW)).bodies
    hull = funnel.shapes[0][0].source.hull
    angles = np.linspace(0.0, 2.0 * np.pi, 1000)
    rim = np.column_stack((0.5 * np.cos(angles), 0.5 * np.sin(angles), np.full(1000, -1.0)))
    for face in hull.faces:
        a, b, c = hull.vertices[face]
        normal = np.cross(b - a, c - a)
        assert ((rim - a) @ normal <= 1e-12).all()
    assert np.linalg.norm(hull.vertices[:, :2], axis=1).max() < 0.5 * 1.0013
    assert hull.vertices[:, 2].max() == 1.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (OLD.replace("\n.\n", "\n"), "closing"),
        (OLD[: len(OLD) // 2], "middle of an object"),
        (OLD.replace("box", "torus"), "line 4.*'torus'.*box"),
        (OLD.replace("1 2 0.1", "1 two 0.1"), "line 5.*'two'"),
        (OLD.replace("1 2 0.1", "1 nan 0.1"), "finite"),
        (OLD.replace("1 2 0.1", "1 -2 0.1"), "positive"),
        (OLD.replace("* post\n2", "* post\n4000000000"), "claims 4000000000"),
        (OLD.replace("* post", "* table"), "two objects are called 'table'"),
        (OLD.replace("* post", "*"), "name of the object in line 9"),
        (OLD.replace("0 0 0 1", "0 0 0 0"), "unit quaternion"),
        (NEW.replace("4 2", "4 4000000000"), "claims 4000000000"),
        (NEW.replace("0 1 3", "0 1 7"), "vertex numbers"),
        (NEW.replace("0 1 3", "0 1 0.5"), "vertex numbers"),
        ("", "is empty"),
        ("only a name", "closing"),
        ("\0\1\2", "not text"),
    ],
)
def test_a_broken_scene_file_is_refused_with_the_line(tmp_path, text, says):
    with pytest.raises(TocsinError, match=rf"(?s)broken\.scene.*{says}"):
        load_scene_file(write(tmp_path, "broken.scene", text))


# ---- YAML ----------------------------------------------------------------------------------------------------------


def test_objects_are_placed_in_their_fixed_frame(tmp_path):
    found = load_scene_file(write(tmp_path, "scene.yaml", scene()))
    (cube,) = found.bodies
    assert cube.shapes[0][0].source == Box((1.0, 2.0, 3.0))
    assert np.allclose(placed(cube), [[0, -1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    assert found.allowed == (("cube", "hand"),)
    assert found.state == {"a": 0.1, "b": 0.2}


def frame(child, above, x):
    return {
        "child_frame_id": child,
        "header": {"frame_id": above},
        "transform": {"translation": [x, 0, 0], "rotation": [0, 0, 0, 1]},
    }


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_fixed_frames_stand_in_each_other_whatever_their_order(tmp_path, order):
    """One that stood in a later one stood in the world: its objects were metres beside where the file has them."""
    frames = [
        frame("world", "world", 0),
        frame("table", "world", 1),
        frame("tray", "table", 10),
        frame("cell", "tray", 100),
    ]
    content = scene(fixed_frame_transforms=[frames[k] for k in order])
    (cube,) = load_scene_file(write(tmp_path, "scene.yaml", content)).bodies
    assert placed(cube)[0, 3] == 112.0


@pytest.mark.parametrize(
    ("frames", "says"),
    [
        ([("cell", "a"), ("a", "b"), ("b", "cell")], "placed in itself"),
        ([("cell", "world"), ("cell", "a")], "'cell' twice"),
    ],
)
def test_fixed_frames_that_stand_nowhere_are_refused(tmp_path, frames, says):
    content = scene(fixed_frame_transforms=[frame(child, above, 0) for child, above in frames])
    refusal(load_scene_file, write(tmp_path, "scene.yaml", content), says)


def test_what_of_a_scene_is_not_used_is_said(tmp_path):
    usual = {
        "link_padding": [{"link_name": "hand", "padding": 0.0}],
        "link_scale": [{"link_name": "hand", "scale": 1.0}],
    }
    path = write(tmp_path, "scene.yaml", scene(**usual))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_scene_file(path)
    for changes, says in (
        ({"link_padding": [{"link_name": "hand", "padding": 0.01}]}, "padding of 0.01 for link 'hand'"),
        ({"link_scale": [{"link_name": "hand", "scale": 1.1}]}, "scale of 1.1 for link 'hand'"),
        ({"world": {"collision_objects": [thing("cube", primitives=[], primitive_poses=[])]}}, "'cube' has no shapes"),
    ):
        with pytest.warns(UserWarning, match=says):
            load_scene_file(write(tmp_path, "scene.yaml", scene(**changes)))


def test_the_form_of_ros_messages_is_read_too(tmp_path):
    plain = thing(
        "cube",
        header={"frame_id": "world"},
        pose={"position": {"x": 0, "y": 0, "z": 5}, "orientation": {"x": 0, "y": 0, "z": 0, "w": 1}},
        primitives=[{"type": 3, "dimensions": [2.0, 0.5]}, {"type": 2, "dimensions": [0.25]}],
        primitive_poses=[
            {"position": {"x": k, "y": 0, "z": 0}, "orientation": {"x": 0, "y": 0, "z": 0, "w": 1}} for k in (1, 2)
        ],
        meshes=[
            {
                "vertices": [{"x": 0, "y": 0, "z": 0}, {"x": 1, "y": 0, "z": 0}, {"x": 0, "y": 1, "z": 0}],
                "triangles": [{"vertex_indices": [0, 1, 2]}],
            }
        ],
    )
    matrix = {"entry_names": ["p", "q"], "entry_values": [{"enabled": [False, True]}, {"enabled": [True, False]}]}
    content = scene(world={"collision_objects": [plain]}, allowed_collision_matrix=matrix)
    found = load_scene_file(write(tmp_path, "scene.yaml", content))
    cylinder, ball, mesh = found.bodies[0].shapes[0]
    assert (cylinder.source, ball.source) == (Cylinder(0.5, 2.0), Sphere(0.25))
    assert ball.placement[:3, 3].tolist() == [2.0, 0.0, 0.0]
    assert len(mesh.source.faces) == 1
    assert placed(found.bodies[0])[2, 3] == 5.0
    assert found.allowed == (("q", "p"),)


def test_a_mesh_named_by_a_resource_is_read_and_scaled(tmp_path):
    (tmp_path / "tri.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    given = thing("cube", primitives=[], primitive_poses=[], meshes=[{"resource": "tri.obj", "dimensions": [2, 2, 2]}])
    content = scene(world={"collision_objects": [given]})
    (body,) = load_scene_file(write(tmp_path, "scene.yaml", content)).bodies
    assert body.shapes[0][0].source.vertices.max() == 2.0
    given["meshes"][0]["resource"] = "../tri.obj"
    (tmp_path / "deeper").mkdir()
    with pytest.raises(TocsinError, match="outside the folders"):
        load_scene_file(write(tmp_path / "deeper", "scene.yaml", content))


def test_what_a_link_carries_is_kept_apart(tmp_path):
    cup = thing("cup", header={"frame_id": "hand"})
    state = {"attached_collision_objects": [{"link_name": "hand", "object": cup, "touch_links": ["finger"]}]}
    found = load_scene_file(write(tmp_path, "scene.yaml", scene(robot_state=state)))
    assert [body.name for body in found.bodies] == ["cube"]
    assert (found.attached[0].name, found.attached[0].link, found.attached[0].touch_links) == (
        "cup",
        "hand",
        ("finger",),
    )
    assert found.attached[0].shapes[0][1][:3, 3].tolist() == [1.0, 0.0, 0.0]
    problem = load_problem(tmp_path / "scene.yaml", write(tmp_path, "request.yaml", request()))
    arm = load_arm()
    assert "cup" in problem.scene(arm).names
    assert arm.link_names[-1] == "cup"


def load_arm():
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("middle", Box((0.1, 0.1, 0.1)), parent="base", joint="revolute", origin=(1, 0, 0), joint_name="a")
    builder.link("hand", Box((0.1, 0.1, 0.1)), parent="middle", joint="revolute", origin=(1, 0, 0), joint_name="b")
    return builder.build()


def test_a_problem_gives_whole_configurations_by_name(tmp_path):
    problem = load_problem(write(tmp_path, "s.yaml", scene()), write(tmp_path, "r.yaml", request()))
    start, goal = problem.configurations(load_arm())
    assert start.tolist() == [0.1, 0.3]
    assert goal.tolist() == [1.0, 0.3]
    assert problem.group == "arm"
    stranger = request(goal_constraints=[{"joint_constraints": [{"joint_name": "elbow", "position": 1.0}]}])
    problem = load_problem(tmp_path / "s.yaml", write(tmp_path, "r.yaml", stranger))
    with pytest.raises(UnknownNameError, match=r"'elbow'.*'a', 'b'"):
        problem.configurations(load_arm())


def test_the_scene_of_a_problem_leaves_out_the_pairs_that_may_touch(tmp_path):
    problem = load_problem(write(tmp_path, "s.yaml", scene()), write(tmp_path, "r.yaml", request()))
    assert ("arm/hand", "cube") in problem.scene(load_arm()).context.rules.ignored


def broken_scenes():
    good = thing("cube")
    pose = {"position": [0, 0, 0], "orientation": [0, 0, 0, 1]}
    yield scene(world={"collision_objects": [good | {"header": {"frame_id": "moon"}}]}), "'moon'.*'cell'"
    yield scene(world={"collision_objects": [good | {"id": ""}]}), "id of collision_objects"
    yield scene(world={"collision_objects": [good, good]}), "two objects are called 'cube'"
    yield scene(world={"collision_objects": [good | {"primitives": [{"type": "torus"}]}]}), "'torus'.*'box'"
    yield scene(world={"collision_objects": [good | {"primitives": [{"type": 9}]}]}), "'box'"
    boxes = [{"type": "box", "dimensions": [1, 2]}]
    yield scene(world={"collision_objects": [good | {"primitives": boxes}]}), r"dimensions must have shape \(3,\)"
    boxes = [{"type": "box", "dimensions": [1, 2, float("nan")]}]
    yield scene(world={"collision_objects": [good | {"primitives": boxes}]}), "finite"
    yield scene(world={"collision_objects": [good | {"primitive_poses": [pose, pose]}]}), "1 primitives, but 2"
    twisted = [pose | {"orientation": [0, 0, 0, 2]}]
    yield scene(world={"collision_objects": [good | {"primitive_poses": twisted}]}), "unit quaternion"
    yield (
        scene(world={"collision_objects": [good | {"primitive_poses": [{"position": [0, 0, 0]}]}]}),
        "no 'orientation'",
    )
    yield scene(world={"collision_objects": {"a": 1}}), "must be a list"
    for octomap, sentence in (
        ({"data": [1, 2]}, "resolution of its octomap"),
        ({"data": [1, 2], "resolution": 0.1, "id": "Other"}, "kind 'Other'"),
        ({"data": [1, 2], "resolution": 0.1, "id": "OcTree"}, "ends within its tree"),
        ({"data": [1, 999], "resolution": 0.1, "id": "OcTree"}, "must be bytes"),
        ({"data": ["a"], "resolution": 0.1, "id": "OcTree"}, "must be bytes"),
    ):
        yield scene(world={"octomap": {"octomap": octomap}}), sentence
    yield scene(world={"octomap": {"header": {"frame_id": "moon"}, "octomap": {"data": [1]}}}), "octomap is placed in"
    yield scene(robot_state={"joint_state": {"name": ["a"], "position": []}}), "1 joint names, but 0"
    yield scene(robot_state={"joint_state": {"name": ["a", "a"], "position": [1, 2]}}), "'a' twice"
    yield scene(allowed_collision_matrix={"entry_names": ["a"], "entry_values": []}), "1 rows of 1"
    yield {"hello": 1}, "neither 'world'"
    yield [1, 2], "mapping"
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]\n" for k in range(1, 12))
    yield bomb, "more than 10000000 values"
    yield "a: &a [*a]\n", "contains it"
    yield "a: [*b]\n", "contains it|undefined"
    yield "[" * 10_000, "nested more than"
    yield "- " * 10_000, "nested more than"
    yield "world: !!python/object/apply:os.system ['true']\n", "tag"
    yield "world: {", "line"
    yield "a: 2026-99-99\n", "not YAML"
    yield "", "empty"


@pytest.mark.parametrize(("content", "says"), list(broken_scenes()))
def test_a_broken_scene_is_refused_with_the_element(tmp_path, content, says):
    refusal(load_scene_file, write(tmp_path, "scene.yaml", content), rf"scene\.yaml.*({says})")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"goal_constraints": []}, "no goal_constraints"),
        ({"goal_constraints": [{"joint_constraints": []}]}, "no joint_constraints"),
        ({"goal_constraints": [{"position_constraints": [{"link_name": "x"}]}]}, "position_constraints"),
        ({"goal_constraints": [{"joint_constraints": [{"joint_name": "a", "position": "up"}]}]}, "joint 'a' must be a"),
        ({"goal_constraints": [{"joint_constraints": [{"joint_name": "a", "position": 1}] * 2}]}, "'a' twice"),
        ({"group_name": None}, "group_name"),
        ({"start_state": {"joint_state": {"name": ["a"], "position": [float("inf")]}}}, "finite"),
    ],
)
def test_a_broken_request_is_refused_with_the_element(tmp_path, changes, says):
    with pytest.raises(TocsinError, match=rf"(?s)request\.yaml.*{says}"):
        load_problem(write(tmp_path, "scene.yaml", scene()), write(tmp_path, "request.yaml", request(**changes)))


def test_a_garbage_file_of_any_size_is_refused_at_once(tmp_path):
    path = tmp_path / "garbage.yaml"
    for block, count in ((b"lorem ipsum\n", 2_500_000), (b"\xff\xfe\x00", 1_000_000), (b"lorem ipsum\n", 9_000_000)):
        path.write_bytes(block * count)
        refusal(load_scene_file, path, "garbage")


# ---- the recorded problems -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("robot", "group", "joints"), [("panda", "panda_arm", 7), ("fetch", "arm_with_torso", 8)])
def test_all_recorded_problems_load(tmp_path, robot, group, joints):
    archive = data_folder("mbm", "problems", f"{robot}.tar.bz2")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    model = Robot.from_urdf(robot_file(f"{robot}_mbm"))
    scenes = sorted(tmp_path.rglob("scene*.yaml"))
    assert len(scenes) == 700
    for file in scenes:
        problem = load_problem(file, file.with_name(file.name.replace("scene", "request")))
        assert problem.group == group
        assert len(problem.goal) == joints
        start, goal = problem.configurations(model)
        assert start.shape == goal.shape == (model.n_config,)
        assert not np.array_equal(start, goal)
        # An independent reading: every object, by the file's own numbers.
        objects = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)["world"]["collision_objects"]
        assert len(problem.bodies) == len(objects)
        for body, given in zip(problem.bodies, objects):
            source = body.shapes[0][0].source
            size = source.size if isinstance(source, Box) else (source.length, source.radius)
            assert list(size) == given["primitives"][0]["dimensions"]
            assert placed(body)[:3, 3].tolist() == given["primitive_poses"][0]["position"]


@pytest.mark.parametrize("robot", ["panda", "fetch"])
def test_nothing_touches_at_the_start_of_recorded_problems(tmp_path, robot):
    with tarfile.open(data_folder("mbm", "problems", f"{robot}.tar.bz2")) as tar:
        members = [member for member in tar.getmembers() if member.name.endswith(("0001.yaml", "0050.yaml"))]
        tar.extractall(tmp_path, members, filter="data")
    file = robot_file(f"{robot}_mbm")
    model = Robot.from_urdf(file, srdf=next(file.parent.glob("*.srdf")))
    scenes = sorted(tmp_path.rglob("scene*.yaml"))
    assert len(scenes) == 14
    for file in scenes:
        problem = load_problem(file, file.with_name(file.name.replace("scene", "request")))
        start, goal = problem.configurations(model)
        scene = problem.scene(model)
        assert scene.distance(model.at(start)).distance > 0.0
        assert scene.distance(model.at(goal)).distance > 0.0


def test_what_a_scene_has_the_robot_carry_moves_with_it(tmp_path):
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("hand", (Box((0.4, 0.05, 0.05)), (0.3, 0, 0)), parent="base", joint="revolute", joint_name="j")
    robot = builder.build()
    cup = {"id": "cup", "primitives": [{"type": "box", "dimensions": [0.1, 0.1, 0.1]}],
           "primitive_poses": [{"position": [0.6, 0, 0], "orientation": [0, 0, 0, 1]}]}  # fmt: skip
    wall = {"id": "wall", "primitives": [{"type": "box", "dimensions": [0.02, 1, 1]}],
            "primitive_poses": [{"position": [-0.58, 0, 0], "orientation": [0, 0, 0, 1]}]}  # fmt: skip
    state = {"attached_collision_objects": [{"link_name": "hand", "object": cup, "touch_links": ["hand", "thumb"]}]}
    scene, request = tmp_path / "scene.json", tmp_path / "request.json"
    scene.write_text(json.dumps({"robot_state": state, "world": {"collision_objects": [wall]}}))
    goal = {"joint_constraints": [{"joint_name": "j", "position": 3.0}]}
    start = {"joint_state": {"name": ["j"], "position": [0.0]}}
    request.write_text(json.dumps({"group_name": "arm", "start_state": start, "goal_constraints": [goal]}))
    problem = load_problem(scene, request)
    hit = problem.scene(robot).first_contact(robot.move(*problem.configurations(robot)))
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"cup", "wall"}
    assert problem.scene(robot).names == ("arm", "wall", "cup")  # asked again, it is carried already


@pytest.mark.parametrize("binary", [True, False])
def test_the_octomap_of_a_scene_is_a_body_where_its_origin_says(tmp_path, binary):
    cells = {(32768 + 10, 32768, 32768), (32768 + 11, 32768, 32768)}
    data = encoded(cells) if binary else full(cells)
    octomap = {"binary": binary, "id": "OcTree", "resolution": 0.1, "data": np.frombuffer(data, np.int8).tolist()}
    origin = {"position": {"x": 1.0, "y": 0.0, "z": 0.0}, "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}}
    file = tmp_path / "scene.yaml"
    world = {"octomap": {"header": {"frame_id": "world"}, "origin": origin, "octomap": octomap}}
    file.write_text(json.dumps({"world": world}))
    (body,) = load_scene_file(file).bodies
    assert body.name == "<octomap>"
    (only,) = body.shapes[0]
    assert np.allclose(only.placement[:3, 3] + body.rest[:3], (2.1, 0.05, 0.05))
    assert only.source == Box((0.2, 0.1, 0.1))


def test_an_octomap_in_which_nothing_is_occupied_is_nothing(tmp_path):
    file = tmp_path / "scene.yaml"
    octomap = {"binary": True, "id": "OcTree", "resolution": 0.1, "data": [1, 0]}
    file.write_text(json.dumps({"world": {"octomap": {"octomap": octomap}}}))
    assert load_scene_file(file).bodies == ()


# ---- frames of the robot -------------------------------------------------------------------------------------------


def mast():
    """A mast on a base, an arm that turns on it."""
    builder = RobotBuilder("mast").link("root", Box((0.1, 0.1, 0.1))).link("top", parent="root", origin=(0, 0, 2.0))
    return builder.link("arm", Box((0.5, 0.1, 0.1)), parent="top", joint="revolute", joint_name="pan").build()


def test_objects_are_placed_in_the_root_of_the_robot_and_what_is_fixed_to_it(tmp_path):
    """Where no virtual joint says otherwise, MoveIt's planning frame is the root: such scenes were refused."""
    robot = mast()
    robot.place((1.0, 0, 0))
    boxes = [thing(name, header={"frame_id": name}) for name in ("root", "top")]
    file = write(tmp_path, "scene.yaml", {"world": {"collision_objects": boxes}})
    at_root, at_top = (placed(body)[:3, 3] for body in load_environment(file, robot=robot))
    assert np.allclose(at_top - at_root, (0, 0, 2))
    inner = thing("cube", header={"frame_id": "world"})
    (alone,) = load_environment(write(tmp_path, "world.yaml", {"world": {"collision_objects": [inner]}}))
    assert np.allclose(at_root - placed(alone)[:3, 3], (1, 0, 0))
    with pytest.raises(TocsinError, match=r"object 'root' is placed in frame 'root'.*give the robot itself"):
        load_environment(file)
    turning = {"world": {"collision_objects": [thing("cube", header={"frame_id": "arm"})]}}
    with pytest.raises(TocsinError, match=r"in frame 'arm', and the file places: '', 'root', 'top', 'world'\.$"):
        load_environment(write(tmp_path, "arm.yaml", turning), robot=robot)


def test_frames_of_the_robot_are_where_the_file_has_it(tmp_path):
    robot = mast()
    there = {"transforms": [{"translation": [0, 3, 0], "rotation": [0, 0, 0, 1]}]}
    above = {"translation": [0, 0, 1], "rotation": [0, 0, 0, 1]}
    content = {
        "fixed_frame_transforms": [{"child_frame_id": "shelf", "header": {"frame_id": "root"}, "transform": above}],
        "robot_state": {"multi_dof_joint_state": there},
        "world": {"collision_objects": [thing("cube", header={"frame_id": "shelf"})]},
    }
    file = write(tmp_path, "scene.yaml", content)
    plain = thing("cube", header={"frame_id": "world"})
    (alone,) = load_environment(write(tmp_path, "world.yaml", {"world": {"collision_objects": [plain]}}))
    scene, _ = load_moveit_program(robot, file)
    assert np.allclose(placed(scene.models[1])[:3, 3] - placed(alone)[:3, 3], (0, 3, 1))
    assert np.allclose(base_matrix(robot.rest)[:3, 3], (0, 3, 0))
    with pytest.warns(UserWarning, match="has the root of 'mast' elsewhere than it stands"):
        load_environment(file, robot=mast())


def test_a_robot_that_is_given_carries_what_the_scene_has_it_carry(tmp_path):
    """`tocsin audit --scene` left it out, with a warning, and called free what it touched."""
    tool = {"link_name": "arm", "object": thing("tool", header={"frame_id": "arm"}), "touch_links": ["top", "finger"]}
    content = {"robot_state": {"attached_collision_objects": [tool]}, "world": {"collision_objects": []}}
    file, robot = write(tmp_path, "scene.yaml", content), mast()
    (held,) = load_environment(file, robot=robot)
    assert held.carrier is robot
    assert robot.carried[0].touching == ("top",)
    with pytest.warns(UserWarning, match="has a robot carry 'tool': not part of the environment"):
        assert load_environment(file) == []
