"""Small honest files of every kind that is read: what `mutate_damage` damages.

All is written by code: a tetrahedron in each mesh format, an arm of every kind of joint as URDF, SRDF, SDF and MJCF, a
scene, trajectories as text and as numpy's arrays, clouds of points and octomaps.
"""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
from functools import cache

POINTS = ((0.0, 0.0, 0.0), (0.2, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.2))
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))

URDF = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><collision><geometry><cylinder radius="0.08" length="0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.25" rpy="0 0.1 0"/>
    <geometry><box size="0.06 0.06 0.4"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0 0 0.2"/>
    <geometry><mesh filename="part.stl" scale="1 1 1.5"/></geometry></collision></link>
  <link name="left"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
  <link name="right"><collision><geometry><capsule radius="0.01" length="0.02"/></geometry></collision></link>
  <link name="cart"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.5"/>
    <axis xyz="0 1 1"/></joint>
  <joint name="grip" type="prismatic"><parent link="lower"/><child link="left"/><origin xyz="0.03 0 0.5"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
  <joint name="follow" type="prismatic"><parent link="lower"/><child link="right"/><origin xyz="-0.03 0 0.5"/>
    <axis xyz="-1 0 0"/><mimic joint="grip" multiplier="1.5" offset="0.001"/></joint>
  <joint name="drive" type="planar"><parent link="base"/><child link="cart"/><origin xyz="2 0 0"/>
    <axis xyz="0 0 1"/></joint>
</robot>
"""

SRDF = """<?xml version="1.0"?>
<robot name="arm">
  <group name="arm"><joint name="shoulder"/><joint name="elbow"/></group>
  <group name="hand"><link name="left"/><chain base_link="lower" tip_link="right"/></group>
  <group name="all"><group name="arm"/><group name="hand"/></group>
  <group_state name="up" group="arm"><joint name="shoulder" value="0"/><joint name="elbow" value="0.5"/></group_state>
  <virtual_joint name="ground" type="fixed" parent_frame="world" child_link="base"/>
  <passive_joint name="drive"/>
  <disable_collisions link1="left" link2="right" reason="Never"/>
  <disable_default_collisions link="base"/>
  <enable_collisions link1="base" link2="left"/>
</robot>
"""

SDF = """<?xml version="1.0"?>
<sdf version="1.7">
  <model name="arm">
    <pose degrees="true">0 0 0.1 0 0 90</pose>
    <frame name="mount" attached_to="base"><pose>0 0 0.1 0 0 0</pose></frame>
    <link name="base"><collision name="c"><geometry><cylinder><radius>0.08</radius><length>0.1</length></cylinder>
      </geometry></collision></link>
    <link name="upper"><pose relative_to="mount">0 0 0 0 0.1 0</pose>
      <collision name="c"><pose>0 0 0.25 0 0 0</pose><geometry><box><size>0.06 0.06 0.4</size></box></geometry>
      </collision></link>
    <link name="lower"><pose relative_to="upper">0 0 0.5 0 0 0</pose>
      <collision name="c"><geometry><mesh><uri>part.stl</uri><scale>1 1 1.5</scale></mesh></geometry></collision>
      <collision name="d"><geometry><ellipsoid><radii>0.1 0.05 0.05</radii></ellipsoid></geometry></collision></link>
    <link name="hand"><pose rotation_format="quat_xyzw" relative_to="lower">0 0 0.3 0 0 0 1</pose>
      <collision name="c"><geometry><capsule><radius>0.01</radius><length>0.02</length></capsule></geometry>
      </collision></link>
    <link name="eye"><pose>0 1 0 0 0 0</pose><collision name="c"><geometry><sphere><radius>0.05</radius></sphere>
      </geometry></collision><visual name="v"><geometry><empty/></geometry></visual></link>
    <joint name="stand" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="shoulder" type="revolute"><parent>mount</parent><child>upper</child>
      <axis><xyz expressed_in="base">0 1 0</xyz><limit><lower>-2</lower><upper>2</upper></limit></axis></joint>
    <joint name="elbow" type="universal"><pose>0 0 0.01 0 0 0</pose><parent>upper</parent><child>lower</child>
      <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1e16</upper></limit></axis><axis2><xyz>1 0 0</xyz></axis2>
    </joint>
    <joint name="grip" type="prismatic"><parent>lower</parent><child>hand</child><axis><xyz>0 0 1</xyz>
      <mimic joint="shoulder" axis="axis"><multiplier>0.1</multiplier><offset>0.01</offset><reference>0</reference>
      </mimic></axis></joint>
    <joint name="look" type="ball"><parent>base</parent><child>eye</child></joint>
  </model>
</sdf>
"""

MJCF = """<mujoco model="arm">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.002"/>
  <default><geom contype="1" conaffinity="1"/></default>
  <asset>
    <mesh name="part" vertex="0 0 0  0.2 0 0  0 0.2 0  0 0 0.2" face="0 2 1 0 1 3 1 2 3 2 0 3"/>
    <hfield name="ground" nrow="3" ncol="3" size="1 1 0.1 0.1" elevation="0 0 0 0 1 0 0 0 0"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" pos="0 0 -3"/>
    <geom type="hfield" hfield="ground" pos="0 0 -2"/>
    <body name="rod" pos="0 0 0.5"><joint name="hinge" type="hinge" axis="0 1 0" range="-2 2"/>
      <geom type="capsule" size="0.02" fromto="0 0 0.1 0 0 0.8"/>
      <body name="slider" pos="0 0 0.9" quat="1 0 0 0"><joint name="slide" type="slide" axis="1 0 0" ref="0.1"/>
        <geom type="mesh" mesh="part"/>
        <body name="mate"><joint name="mate" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.1 0.1"/></body>
      </body>
    </body>
    <body name="ball" pos="1 0 0"><freejoint name="free"/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
    <body name="wrist" pos="-1 0 0"><joint name="turn" type="ball"/><geom type="cylinder" size="0.1 0.2"/></body>
  </worldbody>
  <equality><joint joint1="mate" joint2="slide" polycoef="0 1 0 0 0"/></equality>
  <contact><exclude body1="rod" body2="ball"/></contact>
  <keyframe><key name="home" qpos="0.1 0.2 0.2 1 0 0 1 0 0 0 1 0 0 0"/></keyframe>
</mujoco>
"""

SCENE = """(noname)+
* box
0.3 0 0
0 0 0 1
1
box
0.1 0.2 0.3
0 0 0
0 0 0 1
0 0 0 0
0
* wedge
0 1 0
0 0 0 1
1
mesh
4 4
0 0 0
0.2 0 0
0 0.2 0
0 0 0.2
0 2 1
0 1 3
1 2 3
2 0 3
0 0 0
0 0 0 1
0 0 0 0
0
.
"""

YAML = """joint_trajectory:
  joint_names: [elbow, shoulder]
  points:
    - {positions: [0.0, 0.0], time_from_start: {secs: 0, nsecs: 0}}
    - {positions: [0.1, 0.2], time_from_start: {secs: 1, nsecs: 0}}
    - positions: [0.2, 0.3]
      time_from_start: {secs: 2, nsecs: 500000000}
"""

NAMES = ("elbow", "shoulder")

CSV = "time,elbow,shoulder\n0,0,0\n0.5,0.1,0.2\n1.0,0.2,0.3\n"


def _stl() -> bytes:
    data = b"binary".ljust(80) + struct.pack("<I", len(FACES))
    for face in FACES:
        data += struct.pack("<12fH", 0.0, 0.0, 1.0, *(x for k in face for x in POINTS[k]), 0)
    return data


def _ascii_stl() -> bytes:
    lines = ["solid part"]
    for face in FACES:
        corners = [f"      vertex {' '.join(map(str, POINTS[k]))}" for k in face]
        lines += ["  facet normal 0 0 1", "    outer loop", *corners, "    endloop", "  endfacet"]
    return "\n".join([*lines, "endsolid part", ""]).encode()


def _obj() -> bytes:
    lines = ["# a tetrahedron and a square", "mtllib part.mtl", "o part"]
    lines += [f"v {x} {y} {z}" for x, y, z in POINTS] + ["vt 0 0", "vn 0 0 1"]
    lines += [f"f {a + 1}/1/1 {b + 1}/1/1 {c + 1}/1/1" for a, b, c in FACES]
    lines += ["o square", "v 1 0 0", "v 1 1 0", "v 0 1 0", "f 1 -3 -2 -1"]
    return "\n".join([*lines, ""]).encode()


def _ply(kind: str) -> bytes:
    head = f"ply\nformat {kind} 1.0\nelement vertex 4\n" + "".join(f"property float {axis}\n" for axis in "xyz")
    head += "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    if kind == "ascii":
        rows = [" ".join(map(str, point)) for point in POINTS] + [f"3 {a} {b} {c}" for a, b, c in FACES]
        return (head + "\n".join([*rows, ""])).encode()
    body = b"".join(struct.pack("<3f", *point) for point in POINTS)
    return head.encode() + body + b"".join(struct.pack("<B3i", 3, *face) for face in FACES)


def _off() -> bytes:
    rows = [" ".join(map(str, point)) for point in POINTS] + [f"3 {a} {b} {c}" for a, b, c in FACES]
    return "\n".join(["OFF", "4 4 6", *rows, ""]).encode()


def _gltf_parts() -> tuple[dict, bytes]:
    data = b"".join(struct.pack("<3f", *point) for point in POINTS)
    data += b"".join(struct.pack("<3H", *face) for face in FACES)
    header = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"name": "part", "mesh": 0}, {"mesh": 0, "translation": [1, 0, 0], "rotation": [0, 0, 0, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": len(data)}],
    }
    return header, data


def _glb() -> bytes:
    header, data = _gltf_parts()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def _gltf() -> bytes:
    header, data = _gltf_parts()
    header["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps(header, indent=1).encode()


def _dae() -> bytes:
    numbers = " ".join(str(x) for point in POINTS for x in point)
    indices = " ".join(str(k) for face in FACES for k in face)
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="metre" meter="1"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="part" name="part"><mesh>
    <source id="points"><float_array id="numbers" count="12">{numbers}</float_array>
      <technique_common><accessor source="#numbers" count="4" stride="3"><param name="X" type="float"/>
        <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="vertices"><input semantic="POSITION" source="#points"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#vertices" offset="0"/><p>{indices}</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="scene"><node id="node">
    <matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#part"/></node></visual_scene>
  </library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
""".encode()


def _pcd(kind: str) -> bytes:
    head = (
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F U\nCOUNT 1 1 1 1\nWIDTH 4\nHEIGHT 1\n"
        f"VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA {kind}\n"
    )
    if kind == "ascii":
        return (head + "".join(" ".join(map(str, point)) + " 7\n" for point in POINTS)).encode()
    return head.encode() + b"".join(struct.pack("<3fI", *point, 7) for point in POINTS)


def _cells(kind: str) -> bytes:
    """Four cells and a cube of eight beside the origin, as an octomap: a binary tree, or a full one of log-odds."""
    title = "# Octomap OcTree binary file" if kind == "bt" else "# Octomap OcTree file"
    head = f"{title}\n# by hand\nid OcTree\nsize 16\nres 0.1\ndata\n".encode()
    if kind == "bt":  # down the corner at the origin, to the eight cells of one cube: some of them, and one beside
        return head + b"\x00\xc0" + b"\x03\x00" * 13 + b"\x23\x00" + b"\xaa\x01"
    node = struct.pack("<f", 0.5)
    path = node + b"\x80" + (node + b"\x01") * 14 + node + b"\x0f"
    return head + path + (node + b"\x00") * 3 + struct.pack("<f", -0.4) + b"\x00"


def _npy(kind: str, shape: str, data: bytes) -> bytes:
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + data


def _npz(method: int) -> bytes:
    out = io.BytesIO()
    arrays = {
        "positions": _npy("<f8", "(3, 2)", struct.pack("<6d", 0.0, 0.0, 0.1, 0.2, 0.2, 0.3)),
        "times": _npy("<f8", "(3,)", struct.pack("<3d", 0.0, 0.5, 1.0)),
        "joint_names": _npy("<U8", "(2,)", b"".join(name.ljust(8, "\0").encode("utf-32-le") for name in NAMES)),
    }
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data, method)  # of no date: the same bytes every time
    return out.getvalue()


@cache
def honest() -> dict[str, tuple[str, bytes]]:
    """Kind -> (name of the file, its bytes)."""
    return {
        "urdf": ("arm.urdf", URDF.encode()),
        "stl": ("mesh.stl", _stl()),
        "ascii stl": ("mesh.stl", _ascii_stl()),
        "obj": ("mesh.obj", _obj()),
        "ply": ("mesh.ply", _ply("binary_little_endian")),
        "ascii ply": ("mesh.ply", _ply("ascii")),
        "off": ("mesh.off", _off()),
        "glb": ("mesh.glb", _glb()),
        "gltf": ("mesh.gltf", _gltf()),
        "dae": ("mesh.dae", _dae()),
        "srdf": ("arm.srdf", SRDF.encode()),
        "mjcf": ("arm.xml", MJCF.encode()),
        "scene": ("cell.scene", SCENE.encode()),
        "yaml": ("path.yaml", YAML.encode()),
        "csv": ("path.csv", CSV.encode()),
        "npz": ("path.npz", _npz(zipfile.ZIP_STORED)),
        "packed npz": ("path.npz", _npz(zipfile.ZIP_DEFLATED)),
        "sdf": ("arm.sdf", SDF.encode()),
        "pcd": ("cloud.pcd", _pcd("binary")),
        "ascii pcd": ("cloud.pcd", _pcd("ascii")),
        "ply cloud": ("cloud.ply", _ply("binary_little_endian")),
        "ascii ply cloud": ("cloud.ply", _ply("ascii")),
        "xyz": ("cloud.xyz", "".join(f"{x}, {y}, {z}\n" for x, y, z in POINTS).encode()),
        "bt": ("map.bt", _cells("bt")),
        "ot": ("map.ot", _cells("ot")),
    }
