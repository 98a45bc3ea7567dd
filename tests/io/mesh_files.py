"""Mesh files of one tetrahedron, honest or changed: what the tests of all readers write."""

import base64
import json
import struct

import numpy as np
import trimesh

TETRA = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0)])
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])

DAE = """<?xml version="1.0"?>{doctype}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="unit" meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="tetra"><mesh>
<source id="s"><float_array id="a" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="4" material="missing"><input semantic="VERTEX" source="#v" offset="0"/>
<p>{indices}</p></triangles></mesh></geometry></library_geometries>
<library_nodes>{nodes}</library_nodes>
<library_visual_scenes><visual_scene id="scene">
<node id="n"><translate>10 0 0</translate>{instance}</node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""
HONEST_DAE = {
    "doctype": "",
    "unit": "1",
    "up": "Z_UP",
    "indices": "0 2 1 0 1 3 0 3 2 1 2 3",
    "nodes": "",
    "instance": '<instance_geometry url="#tetra"><bind_material/></instance_geometry>',
}


def dae(**changes):
    return DAE.format(**(HONEST_DAE | changes)).encode()


def gltf_header(**changes):
    data = TETRA.astype("<f4").tobytes() + FACES.astype("<u4").tobytes()
    header = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 48},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4},
            {"bufferView": 1, "componentType": 5125, "type": "SCALAR", "count": 12},
        ],
        "meshes": [{"name": "tetra", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "nodes": [
            {"name": "left", "mesh": 0, "translation": [1, 0, 0], "children": [1]},
            {"name": "right", "mesh": 0, "scale": [2, 2, 2]},
        ],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
    }
    return header | changes


def gltf(**changes):
    return json.dumps(gltf_header(**changes)).encode()


def glb(header=None, data=None, length=None, json_size=None):
    text = json.dumps(header or gltf_header()).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text) if json_size is None else json_size, b"JSON") + text
    if data is not None:
        body += struct.pack("<I4s", len(data), b"BIN\0") + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(body) if length is None else length) + body


def stl(count=4, triangles=4, header=b"\0" * 80):
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *TETRA[face].ravel(), 0) for face in FACES[:triangles])
    return header + struct.pack("<I", count) + body


ASCII_STL = trimesh.exchange.stl.export_stl_ascii(trimesh.Trimesh(TETRA, FACES, process=False)).encode()
OBJ = b"".join(b"v %g %g %g\n" % tuple(v) for v in TETRA) + b"".join(b"f %d %d %d\n" % tuple(f + 1) for f in FACES)
OFF = b"OFF\n4 4 6\n" + b"".join(b"%g %g %g\n" % tuple(v) for v in TETRA)
OFF += b"".join(b"3 %d %d %d\n" % tuple(f) for f in FACES)
PLY_HEAD = "ply\nformat {format} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n"
PLY_HEAD += "element face {faces}\nproperty list uchar int {name}\nend_header\n"
PLY = PLY_HEAD.format(format="ascii", vertices=4, faces=4, name="vertex_indices").encode() + OFF.split(b"\n", 2)[2]


def ply_binary(vertices=4, faces=4, name="vertex_indices"):
    head = PLY_HEAD.format(format="binary_little_endian", vertices=vertices, faces=faces, name=name).encode()
    return head + TETRA.astype("<f4").tobytes() + b"".join(struct.pack("<B3i", 3, *f) for f in FACES)


HONEST = {
    "binary.stl": stl(),
    "solid.stl": stl(header=b"solid but binary".ljust(80)),
    "ascii.stl": ASCII_STL,
    "plain.obj": OBJ,
    "plain.off": OFF,
    "ascii.ply": PLY,
    "binary.ply": ply_binary(),
    "plain.dae": dae(instance='<instance_geometry url="#tetra"/>').replace(b"10 0 0", b"0 0 0"),
    "plain.gltf": gltf(nodes=[{"mesh": 0}]),
    "plain.glb": glb(gltf_header(nodes=[{"mesh": 0}])),
}


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


def triangles(mesh):
    """The set of triangles, by position and whatever the order."""
    return sorted(map(tuple, mesh.vertices[mesh.faces].reshape(-1, 9).tolist()))
