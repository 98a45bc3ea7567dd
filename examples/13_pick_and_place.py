"""13: an arm takes a sheet of 1 mm from one table to another, past a post; a second arm swings by on the same clock.

What is gripped moves with the hand and is audited with it; what is let go stays where it was left. The report is for
the file, the page plays it all on the clock.
"""

from pathlib import Path

import numpy as np

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, Program, RobotBuilder, Scene, Trajectory

OUT = Path("pick_and_place")


def arm(name: str, at: tuple[float, float, float]) -> tocsin.Robot:
    """Return an arm of six joints with a hand of two fingers."""
    b = RobotBuilder(name)
    b.link("base", (Cylinder(0.08, 0.12), (0, 0, 0.06)))
    b.link("turret", Capsule(0.06, 0.1), parent="base", joint="revolute", axis=(0, 0, 1), origin=(0, 0, 0.2),
           joint_name="pan")  # fmt: skip
    b.link("upper", (Capsule(0.045, 0.28), (0, 0, 0.2)), parent="turret", joint="revolute", axis=(0, 1, 0),
           origin=(0, 0, 0.1), joint_name="shoulder")  # fmt: skip
    b.link("lower", (Capsule(0.04, 0.26), (0, 0, 0.19)), parent="upper", joint="revolute", axis=(0, 1, 0),
           origin=(0, 0, 0.4), joint_name="elbow")  # fmt: skip
    b.link("wrist", (Capsule(0.03, 0.03), (0, 0, 0.04)), parent="lower", joint="revolute", axis=(0, 1, 0),
           origin=(0, 0, 0.36), joint_name="wrist")  # fmt: skip
    b.link("hand", (Box((0.03, 0.1, 0.05)), (0, 0, 0.025)), parent="wrist", joint="revolute", axis=(0, 0, 1),
           origin=(0, 0, 0.09), joint_name="flange")  # fmt: skip
    for side, y in (("left", 0.04), ("right", -0.04)):
        b.link(f"{side}_finger", (Box((0.02, 0.008, 0.05)), (0, y, 0.08)), parent="hand")
    robot = b.build()
    robot.place(at)
    return robot


def through(times: list[float], points: list[list[float]]) -> Trajectory:
    """Return quintics through points, at rest at each of them, as a controller drives them."""
    names = ["pan", "shoulder", "elbow", "wrist", "flange"]
    return Trajectory(times, points, np.zeros_like(points), np.zeros_like(points), joint_names=names)


taker, passer = arm("taker", (0, 0, 0)), arm("passer", (1.05, 0.55, 0))
sheet = Body(Box((0.16, 0.12, 0.001)), (0.52, -0.25, 0.301), name="sheet")  # 1 mm
tables = [Body(Box((0.3, 0.3, 0.02)), (0.52, y, 0.28), name=name) for name, y in (("from", -0.25), ("to", 0.3))]
post = Body(Cylinder(0.02, 0.8), (0.68, 0.02, 0.4), name="post")
scene = Scene(taker, passer, sheet, *tables, post)


def pointing_down(x: float, y: float, z: float) -> list[float]:
    """Return joint values with the fingers pointing down and their tips at a point."""
    pan, r, h = np.arctan2(y, x), np.hypot(x, y), z + 0.09 + 0.105 - 0.3
    reach = np.hypot(r, h)
    a, b = 0.4, 0.36
    elbow = np.arccos((reach**2 - a**2 - b**2) / (2 * a * b))
    shoulder = np.pi / 2 - np.arctan2(h, r) - np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow))
    return [pan, shoulder, elbow, np.pi - shoulder - elbow, 0.0]


above, grip = pointing_down(0.52, -0.25, 0.42), pointing_down(0.52, -0.25, 0.304)
over, place = pointing_down(0.52, 0.3, 0.42), pointing_down(0.52, 0.3, 0.304)



def told(passing: float) -> Program:
    """Return the program in which the second arm begins to swing by at this second."""
    program = Program("pick and place")
    program.follow(taker, through([0, 1], [above, grip]))
    program.attach(taker, sheet, "hand", touching=["left_finger", "right_finger"])
    program.follow(taker, through([0, 0.8, 2.4, 3.2], [grip, above, over, place]), error=0.0005)
    program.detach(taker, sheet)
    program.wait(taker, 0.2)
    program.follow(taker, through([0, 0.8, 1.8], [place, over, above]))
    return program.follow(passer, swing, at=passing)


swing = through([0, 2, 4], [[2.2, 0.6, 1.4, 0.4, 0], [3.6, 0.4, 1.2, 0.2, 0], [2.4, 0.6, 1.4, 0.4, 0]])
for attempt, (passing, x) in enumerate(((0.5, 0.68), (5.0, 0.72)), 1):
    post.place((x, 0.02, 0.4))
    program = told(passing)
    found = tocsin.audit(scene, program)
    kept = found.clearance
    print(f"{attempt}: {found.status.value}, {len(found.conflicts)} stretches are not proven free")
    for conflict in found.conflicts:
        when = f"{conflict.enter:.3f} to {conflict.exit:.3f} s"
        print(f"   {when}: {conflict.pair.said}, {1e3 * conflict.depth:.2f} mm deep")
    print(f"   clearance: {1e3 * kept.lower:.3f} mm proven, {1e3 * kept.upper:.3f} mm at {kept.at:.3f} s, "
          f"{kept.nearest.link_a} and {kept.nearest.link_b}")  # fmt: skip
    tocsin.save_report(OUT / f"report{attempt}.html", found)
    tocsin.save_page(OUT / f"page{attempt}.html", scene, found, title="pick and place")
    tocsin.save_picture(OUT / f"picture{attempt}.png", scene, found, title="pick and place")
program.save(OUT / "program.json")
again = tocsin.audit(scene, tocsin.load_program(OUT / "program.json", scene))
print(f"read again from its file: {again.status.value}, {1e3 * again.clearance.lower:.3f} mm proven")

sheet.place((0.52, 0.3, 0.301))
carry = taker.follow(through([0, 1.5, 3], [above, over, above]))
late = tocsin.delay(scene, carry, passer.follow(swing))
print(f"the second arm beside an empty hand has to start {late.seconds:.4f} s later, found by {late.queries} questions")
if late.conflict is not None:
    print(f"with {late.before:.4f} s the first contact is at {late.conflict.seconds:.4f} s")
