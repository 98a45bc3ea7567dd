"""13: an arm takes a sheet of 1 mm from one table to the other, past a post: a program, its audit, report and page."""

import sys
from pathlib import Path

import numpy as np

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, Program, RobotBuilder, Trajectory

b = RobotBuilder("arm").link("base", (Cylinder(0.08, 0.12), (0, 0, 0.06)))
b.link("pan", Capsule(0.06, 0.1), parent="base", joint="revolute", axis=(0, 0, 1), origin=(0, 0, 0.2))
for name, parent, radius, long, z in (("upper", "pan", 0.045, 0.28, 0.1), ("lower", "upper", 0.04, 0.26, 0.4),
                                      ("wrist", "lower", 0.03, 0.03, 0.36)):  # fmt: skip
    shape = (Capsule(radius, long), (0, 0, 0.5 * long + radius))
    b.link(name, shape, parent=parent, joint="revolute", axis=(0, 1, 0), origin=(0, 0, z))
b.link("hand", [(Box((0.03, 0.1, 0.05)), (0, 0, 0.115)), (Box((0.02, 0.09, 0.05)), (0, 0, 0.165))], parent="wrist")
arm = b.build()
tables = [Body(Box((0.3, 0.3, 0.02)), (0.52, y, 0.28), name=name) for name, y in (("from", -0.25), ("to", 0.3))]
sheet, post = Body(Box((0.16, 0.12, 0.001)), (0.52, -0.25, 0.301), name="sheet"), Body(Cylinder(0.02, 0.8), name="post")
scene = tocsin.Scene(arm, sheet, post, *tables)
scene.ignore("hand", "sheet")  # the hand is made to touch it

above, grip = [-0.4481, 0.576, 1.0655, 1.5], [-0.4481, 0.6429, 1.2859, 1.2128]  # the hand points down
over, place = [0.5233, 0.6449, 0.9527, 1.544], [0.5233, 0.7013, 1.1848, 1.2556]
rests = lambda times, *points: Trajectory(times, points, np.zeros((len(points), 4)), np.zeros((len(points), 4)))  # noqa: E731
program = Program("pick and place").follow(arm, rests([0, 1], above, grip)).attach(arm, sheet, "hand")
program.follow(arm, rests([0, 0.8, 2.4, 3.2], grip, above, over, place), error=0.0005)  # a tube of 0.5 mrad
program.detach(arm, sheet).wait(arm, 0.2).follow(arm, rests([0, 0.8], place, over))
for x in (0.68, 0.72):
    post.place((x, 0.02, 0.4))
    found = tocsin.audit(scene, program)
    print(f"post at {x} m: {found.status.value}, {1e3 * found.clearance.lower:.2f} mm of clearance are proven")
    for c in found.conflicts:
        print(f"  {c.enter:.3f} to {c.exit:.3f} s: {c.pair.said}, {1e3 * c.depth:.2f} mm deep, {c.speed:.2f} m/s")
out = Path(*sys.argv[1:2])
tocsin.save_report(out / "report.html", found)
tocsin.save_page(out / "page.html", scene, found, title="Pick and place")
