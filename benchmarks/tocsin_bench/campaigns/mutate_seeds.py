"""Small honest files of every kind that is read, and what can happen to a file: the material of `mutate`.

All is written by code: a tetrahedron in each mesh format, an arm of every kind of joint as URDF, SRDF and MJCF, a
scene, a trajectory. `mutated(seed, number)` gives one damaged file, the same for the same two numbers on any machine.
"""

from __future__ import annotations

import base64
import json
import random
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
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
    }


STRANGERS = 0.1
"""Part of the files that a stranger changes as well."""

WEIGHTS = {"urdf": 6, "stl": 3, "ascii stl": 3, "obj": 5, "mjcf": 3}
"""How often a kind is chosen, once if not listed."""

# ---- what happens to a file ----------------------------------------------------------------------------------------

ODD_WORDS = (
    b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e400", b"1e30", b"-1e30", b"1e-30", b"1e-320", b"-0.0", b"0",
    b"-1", b"1", b"3", b"2147483647", b"-2147483648", b"4294967295", b"4294967296", b"18446744073709551616", b"1e9",
    b"0.1", b"1e-7", b"100000", b"0x10", b"1_000", b"1,5", b"true", b"", b".", b"abc", b"\xc3\xa9", b"\xff",
    b"99999999999999999999999999999999999999999999", b"9" * 6000, b"0x" + b"f" * 2000, b"59:" * 2000, b"2000000000",
)  # fmt: skip

ELSEWHERE = (
    b"../secret.stl", b"../../secret.stl", b"/etc/hostname", b"file:///etc/hostname", b"package://etc/hostname",
    b"package://tmp/secret.stl", b"%2e%2e/secret.stl", b"away/secret.stl", b"link.stl", b"..", b"/", b"~/.profile",
    b"http://localhost/secret.stl", b"\0", b"a" * 5000,
)  # fmt: skip
"""What a stranger writes where a file or folder is named."""

HOSTILE: dict[str, tuple[bytes, ...]] = {
    "mjcf": (
        b'<size nuserdata="2000000000"/>', b'<size nkey="200000000"/>', b'<compiler meshdir=".."/>',
        b'<compiler assetdir="../secret"/>', b'<include file="../secret.xml"/>', b'<include file="arm.xml"/>',
        b'<asset><mesh name="far" file="../secret.stl"/></asset>', b'<asset><model name="m" file="arm.xml"/></asset>',
        b'<custom><numeric name="n" size="1000000000" data="1"/></custom>',
        b'<asset><texture name="t" type="2d" file="../secret.png"/></asset>',
        b'<asset><hfield name="h" nrow="60000" ncol="60000" size="1 1 1 1"/></asset>',
        b'<worldbody><replicate count="100000000"><geom size="1"/></replicate></worldbody>',
        b'<worldbody><composite type="cable" count="9999 1 1"><geom size="1"/></composite></worldbody>',
    ),
    "urdf": (
        b'<link name="far"><collision><geometry><mesh filename="package://secret/a.stl"/></geometry></collision></link>',
        b'<link name="many">' + b"<collision><geometry><sphere radius='1'/></geometry></collision>" * 2000 + b"</link>",
    ),
    "srdf": (
        b'<group name="all"><group name="arm"/></group>' * 500, b'<disable_default_collisions link="base"/>' * 2000,
        b'<group_state name="s" group="arm"/>' * 2000,
    ),
    "obj": (b"f" + b" 1 2 3" * 20_000, b"o a\nf 1 2 3\n" * 1000, b"mtllib ../secret.mtl", b"call ../secret.obj"),
    "off": (b"60000" + b" 0 1 2" * 20_000,),
    "ascii ply": (b"60000" + b" 0 1 2" * 20_000, b"element vertex 99999999999"),
    "gltf": (b'"buffers": [{"uri": "../secret.bin", "byteLength": 96}],', b'"nodes": [' + b"{}," * 5000 + b"{}],"),
    "dae": (b"<vcount>99999999</vcount>", b'<input semantic="VERTEX" source="file:///etc/hostname" offset="0"/>'),
    "scene": (b"* many\n99999999", b"mesh\n99999999 99999999"),
    "yaml": (b"points: &a [*a]", b"joint_names: " + b"59:" * 20_000 + b"59", b"x: !!python/object/apply:os.getcwd []"),
    "csv": (b"0," * 60_000, b"\n" * 200_000),
}  # fmt: skip
"""Lines that ask for files elsewhere, or for more than there is, by kind."""

ODD_CELLS = (
    b"\0\0\0\0", b"\1\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\xc0\x7f", b"\0\0\x80\x7f",
    b"\0\0\x80\xff", b"\xff\xff\x7f\x7f", b"\1\0\0\0", b"\0\0\x80\x3f", b"\5\0\0\0", b"\0\x28\x6b\xee",
)  # fmt: skip

_NUMBER = re.compile(rb"(?<![\w.])[-+]?\d[\d.eE+-]*")
_TAG = re.compile(rb"<[^<>]*>")
_ATTRIBUTE = re.compile(rb'\s[\w:]+="[^"]*"')
_VALUE = re.compile(rb'(?<==")[^"]*(?=")')


def _flip(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 40))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _noise(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.randbytes(rng.choice((1, 4, 16, 200))) + data[at + rng.choice((0, 1, 4)) :]


def _truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data))
    return start, min(start + rng.choice((1, 4, 12, 50, 300)), len(data))


def _double(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 100)) + data[end:]


def _remove(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + data[end:]


def _exchange(data: bytes, rng: random.Random) -> bytes:
    first, second = sorted((_span(data, rng), _span(data, rng)))
    if first[1] > second[0]:
        return data
    between = data[first[1] : second[0]]
    return data[: first[0]] + data[second[0] : second[1]] + between + data[first[0] : first[1]] + data[second[1] :]


def _cell(data: bytes, rng: random.Random) -> bytes:
    """Overwrite four bytes, at the header's count of an STL as often as anywhere else."""
    at = 80 if rng.random() < 0.3 else 4 * rng.randrange(max(len(data) // 4, 1))
    return data[:at] + rng.choice(ODD_CELLS) + data[at + 4 :]


def _replaced(data: bytes, pattern: re.Pattern[bytes], rng: random.Random, with_: Callable[[bytes], bytes]) -> bytes:
    """Replace one place where a pattern matches."""
    found = list(pattern.finditer(data))
    if not found:
        return _flip(data, rng) if data else data
    at = rng.choice(found)
    return data[: at.start()] + with_(at[0]) + data[at.end() :]


def _odd_number(data: bytes, rng: random.Random) -> bytes:
    return _replaced(data, _NUMBER, rng, lambda _: rng.choice(ODD_WORDS))


def _swap_numbers(data: bytes, rng: random.Random) -> bytes:
    words = _NUMBER.findall(data) or [b"1"]
    return _replaced(data, _NUMBER, rng, lambda _: rng.choice(words))


def _tag(data: bytes, rng: random.Random) -> bytes:
    tags = _TAG.findall(data) or [b"<a/>"]
    change = rng.choice(("remove", "double", "other"))
    return _replaced(
        data, _TAG, rng, lambda tag: {"remove": b"", "double": tag + tag, "other": rng.choice(tags)}[change]
    )


def _attribute(data: bytes, rng: random.Random) -> bytes:
    values = _VALUE.findall(data) or [b"a"]
    if rng.random() < 0.4:
        return _replaced(data, _ATTRIBUTE, rng, lambda given: given + given if rng.random() < 0.3 else b"")
    return _replaced(data, _VALUE, rng, lambda _: rng.choice((rng.choice(values), rng.choice(ODD_WORDS))))


def _line(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    k = rng.randrange(len(lines))
    change = rng.choice(("remove", "double", "move"))
    if change == "double":
        lines.insert(k, lines[k])
    else:
        taken = lines.pop(k)
        if change == "move":
            lines.insert(rng.randrange(len(lines) + 1), taken)
    return b"\n".join(lines)


def _hostile(data: bytes, rng: random.Random, kind: str) -> bytes:
    """Put a stranger's line where a line may stand, or a stranger's path or number in place of a value."""
    if kind not in HOSTILE or rng.random() < 0.3:
        return _replaced(data, _VALUE, rng, lambda _: rng.choice(ELSEWHERE))
    ends = [at.end() for at in re.finditer(rb"\n", data)] or [0]
    at = rng.choice(ends)
    return data[:at] + rng.choice(HOSTILE[kind]) + b"\n" + data[at:]


ANY = (_flip, _noise, _truncate, _double, _remove, _exchange)
TEXT = (_odd_number, _odd_number, _odd_number, _swap_numbers, _swap_numbers, _line, _line)
MARKUP = (_tag, _tag, _attribute, _attribute, _attribute)
BINARY = (_cell, _cell, _cell, _cell)

KINDS_OF_CHANGE = {
    "stl": ANY + BINARY,
    "ply": ANY + BINARY + TEXT,
    "glb": ANY + BINARY + TEXT,
    "urdf": ANY + TEXT + MARKUP * 2,
    "srdf": ANY + TEXT + MARKUP * 2,
    "mjcf": ANY + TEXT + MARKUP * 2,
    "dae": ANY + TEXT + MARKUP,
}


@dataclass(frozen=True)
class Mutant:
    """A damaged file."""

    number: int
    kind: str
    name: str
    data: bytes
    changes: tuple[str, ...]


def mutated(seed: int, number: int, kinds: tuple[str, ...]) -> Mutant:
    """Return the damaged file of that number: one of `kinds`, changed once to four times."""
    rng = random.Random(f"{seed}:{number}")
    kind = rng.choices(kinds, [WEIGHTS.get(kind, 1) for kind in kinds])[0]
    name, data = honest()[kind]
    changes = []
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        change = rng.choice(KINDS_OF_CHANGE.get(kind, ANY + TEXT))
        if data:
            data = change(data, rng)
            changes.append(change.__name__.strip("_"))
    stranger = random.Random(f"{seed}:{number}:stranger")  # of its own, so that all other files stay as they were
    if data and stranger.random() < STRANGERS:
        data = _hostile(data, stranger, kind)
        changes.append("hostile")
    return Mutant(number, kind, name, data, tuple(changes))
