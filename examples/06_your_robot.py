"""06: a robot from its URDF and SRDF: groups, named states, and the pairs that need no check.

Give your own files: python examples/06_your_robot.py robot.urdf robot.srdf. Without, a small one is written first.
"""

import sys
import tempfile
from pathlib import Path

import tocsin

URDF = """<robot name="scara"><link name="base"><collision><geometry><cylinder radius="0.1" length="0.2"/></geometry>
</collision></link>{links}<joint name="lift" type="prismatic"><parent link="base"/><child link="column"/>
<axis xyz="0 0 1"/><limit lower="0" upper="0.4" effort="1" velocity="1"/></joint>
<joint name="swing" type="revolute"><parent link="column"/><child link="arm"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""
LINK = """<link name="{}"><collision><origin xyz="{}"/><geometry><box size="{}"/></geometry></collision></link>"""
LINKS = LINK.format("column", "0 0 0.2", "0.1 0.1 0.5") + LINK.format("arm", "0.3 0 0", "0.7 0.08 0.06")
SRDF = """<robot name="scara"><group name="arm"><joint name="lift"/><joint name="swing"/></group>
<group_state name="up" group="arm"><joint name="lift" value="0.3"/><joint name="swing" value="1.2"/></group_state>
<disable_collisions link1="base" link2="arm" reason="Never"/></robot>"""

with tempfile.TemporaryDirectory() as folder:
    files = [Path(name) for name in sys.argv[1:3]] or [Path(folder, "scara.urdf"), Path(folder, "scara.srdf")]
    if not sys.argv[1:]:
        files[0].write_text(URDF.format(links=LINKS))
        files[1].write_text(SRDF)
    robot = tocsin.Robot.from_urdf(files[0], srdf=files[1] if len(files) > 1 else None)

print(robot, f"joints: {', '.join(robot.joint_names)}; groups: {robot.groups}; states: {list(robot.states)}")
scene = tocsin.Scene(robot)
for name, state in robot.states.items():
    hit = scene.first_contact(robot.move({}, state))  # joints that are not named stay where they stand
    print(f"from where it stands to {name!r}: {hit.status.value}")
