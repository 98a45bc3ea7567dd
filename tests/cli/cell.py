"""Files of a small robot cell, written where a test wants them, and the command line as tests call it."""

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tocsin.cli import main

URDF = """<robot name="arm">
  <link name="base"><collision><geometry><cylinder radius="0.08" length="0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.25"/>
    <geometry><box size="0.06 0.06 0.4"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0 0 0.2"/>
    <geometry><mesh filename="lower.obj"/></geometry></collision></link>
  <link name="left"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
  <link name="right"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.5"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="grip" type="prismatic"><parent link="lower"/><child link="left"/><origin xyz="0.03 0 0.5"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
  <joint name="follow" type="prismatic"><parent link="lower"/><child link="right"/><origin xyz="-0.03 0 0.5"/>
    <axis xyz="-1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/><mimic joint="grip"/></joint>
</robot>
"""

SRDF = """<robot name="arm">
  <group name="both"><joint name="shoulder"/><joint name="elbow"/></group>
  <group_state name="up" group="both"><joint name="shoulder" value="0"/><joint name="elbow" value="0"/></group_state>
  <group_state name="down" group="both"><joint name="shoulder" value="1.5"/><joint name="elbow" value="0.5"/>
  </group_state>
  <disable_collisions link1="left" link2="right" reason="Never"/>
</robot>
"""

MJCF = """<mujoco model="swing">
  <worldbody>
    <body name="rod"><joint name="hinge" type="hinge" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0.1 0 0 0.8"/></body>
  </worldbody>
</mujoco>
"""


def box_obj(x, y, z, centre=(0.0, 0.0, 0.0)):
    """The text of an OBJ file of a box."""
    cx, cy, cz = centre
    corners = [(cx + i * x / 2, cy + j * y / 2, cz + k * z / 2) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    quads = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    lines = [f"v {a} {b} {c}" for a, b, c in corners] + [f"f {a} {b} {c}" for a, b, c in faces]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Cell:
    """The files of the cell."""

    folder: Path

    @property
    def urdf(self):
        return self.folder / "arm.urdf"

    @property
    def srdf(self):
        return self.folder / "arm.srdf"

    @property
    def plate(self):
        """0.2 mm thin, in the way of the lower link."""
        return self.folder / "plate.obj"

    @property
    def far(self):
        return self.folder / "far.obj"

    @property
    def mjcf(self):
        return self.folder / "swing.xml"

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def trajectory(self, name="path.csv", start=(0.0, 0.0), end=(1.5, 0.5), count=20, seconds=4.0):
        """A CSV file of a straight way, with times; columns are in another order than the robot's joints."""
        t = np.linspace(0.0, 1.0, count)
        rows = [f"{seconds * s:.9f},{start[1] + s * (end[1] - start[1]):.12f},{start[0] + s * (end[0] - start[0]):.12f}"
                for s in t]  # fmt: skip
        return self.write(name, "\n".join(["time,elbow,shoulder", *rows]) + "\n")


def write_cell(folder):
    """Write all files and return the cell."""
    cell = Cell(folder)
    cell.write("arm.urdf", URDF)
    cell.write("arm.srdf", SRDF)
    cell.write("swing.xml", MJCF)
    cell.write("lower.obj", box_obj(0.04, 0.04, 0.4))
    cell.write("plate.obj", box_obj(0.0002, 0.5, 0.5, (0.7, 0.0, 0.6)))
    cell.write("far.obj", box_obj(0.1, 0.1, 0.1, (3.0, 0.0, 0.0)))
    return cell


@dataclass(frozen=True)
class Said:
    """What a command line ended with."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


def tocsin(*arguments):
    """Run the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(a) for a in arguments])
        except SystemExit as left:
            code = left.code
    return Said(code, out.getvalue(), err.getvalue())
