"""07: the auditor: a whole trajectory, every stretch of it that is not proven free, and the smallest clearance.

The same from the command line: tocsin audit robot.urdf trajectory.csv --scene cell.scene --margin 0.02
"""

import tempfile
from pathlib import Path

import numpy as np

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, RobotBuilder

b = RobotBuilder("arm").link("base", Cylinder(radius=0.1, length=0.1))
b.link("upper", (Capsule(radius=0.05, length=0.4), (0, 0, 0.25)), parent="base", joint="revolute", axis=(0, 1, 0),
       origin=(0, 0, 0.1), joint_name="shoulder")  # fmt: skip
b.link("lower", (Capsule(radius=0.04, length=0.4), (0, 0, 0.25)), parent="upper", joint="revolute", axis=(0, 1, 0),
       origin=(0, 0, 0.5), joint_name="elbow")  # fmt: skip
arm = b.build()
wire = Body(Box(size=(0.001, 0.3, 0.001)), (0.8, 0.0, 0.6), name="wire")
crate = Body(Box(size=(0.3, 0.3, 0.3)), (0.6, 0.6, 0.15), name="crate")
scene = tocsin.Scene(arm, wire, crate)

seconds = np.linspace(0.0, 4.0, 41)
table = np.column_stack([seconds, 0.5 * seconds, 0.4 * np.sin(seconds)])
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "sweep.csv")  # as a planner may have written it: columns are matched by name
    np.savetxt(file, table, delimiter=",", header="time,shoulder,elbow", comments="")
    trajectory = tocsin.load_trajectory(file)

report = tocsin.audit(scene, arm, trajectory)
print(f"{report.waypoints} waypoints, {report.duration:.1f} s; stretches that are not free: {len(report.stretches)}")
for stretch in report.stretches:
    print(f"{stretch.enter.time:.4f} s to {stretch.exit.time:.4f} s: {stretch.pairs[0]}, {stretch.contacts[0].kind}; "
          f"samples farther apart than {1e3 * stretch.time_step:.1f} ms can miss it")  # fmt: skip
early = tocsin.audit(scene, arm, trajectory.positions[:15])
print(f"the first 15 waypoints keep {1e3 * early.clearance.lower:.1f} mm from everything: proven")
