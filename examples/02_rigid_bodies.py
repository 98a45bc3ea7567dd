"""02: two gears turn until their teeth touch: the time, and the whole contact manifold.

Gears are meshes, so they are surfaces: what touches is named by vertices, edges and faces of the mesh that was given.
"""

import numpy as np

import tocsin

TEETH, MODULE, THICKNESS = 16, 0.01, 0.02


def gear():
    """A spur gear about z with straight-sided teeth: a star-shaped outline, extruded."""
    pitch, step = 0.5 * TEETH * MODULE, 2.0 * np.pi / TEETH
    tooth = [(-0.34, -1.25), (-0.14, 1.0), (0.14, 1.0), (0.34, -1.25)]  # part of a step, modules from the pitch circle
    angle = np.array([(k + a) * step for k in range(TEETH) for a, _ in tooth])
    radius = np.array([pitch + r * MODULE for _ in range(TEETH) for _, r in tooth])
    outline = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    n = len(outline)
    here, ahead = np.arange(n), (np.arange(n) + 1) % n
    lower = np.column_stack([outline, np.full(n, -0.5 * THICKNESS)])
    upper = np.column_stack([outline, np.full(n, 0.5 * THICKNESS)])
    vertices = np.vstack([lower, upper, [(0, 0, -0.5 * THICKNESS), (0, 0, 0.5 * THICKNESS)]])
    sides = [(here, ahead, ahead + n), (here, ahead + n, here + n)]
    caps = [(ahead, here, np.full(n, 2 * n)), (here + n, ahead + n, np.full(n, 2 * n + 1))]
    return tocsin.Mesh(vertices, np.vstack([np.column_stack(part) for part in (*sides, *caps)]))


def at(x, angle):
    """A 4x4 pose: at x, turned about z by an angle in degrees."""
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return np.array([[c, -s, 0, x], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def main():
    """Turn one gear against the other, then both, and print what touches."""
    mesh = gear()
    print(f"the mesh: {mesh.report}")
    drive = tocsin.Body(mesh, name="drive")
    # A tooth of the driven gear stands in the gap of the drive; the axes are 0.3 modules too far apart: backlash.
    driven = tocsin.Body(mesh, at(MODULE * (TEETH + 0.3), 180.0 + 180.0 / TEETH), name="driven")
    scene = tocsin.Scene(drive, driven)
    print(f"clearance at the start: {1e3 * scene.distance().distance:.3f} mm")

    hit = scene.first_contact(drive.move(at(0, 0), at(0, 10)), tolerance=1e-7)
    print(f"\nthe drive turns by 10 degrees: {hit.status.value} at {10 * hit.time:.4f} degrees")
    print(f"{len(hit.contacts)} touching features; the closest of each kind:")
    for kind in sorted({c.kind for c in hit.contacts}):
        c = next(c for c in hit.contacts if c.kind == kind)
        print(f"  {kind:12} {c.features[0]!s:16} {c.features[1]!s:16} at {np.round(1e3 * c.point_a, 2)} mm, "
              f"normal {np.round(c.normal, 3)}, {1e9 * c.distance:.0f} nm")  # fmt: skip

    together = scene.first_contact(
        drive.move(at(0, 0), at(0, 10)),
        driven.move(
            at(MODULE * (TEETH + 0.3), 180.0 + 180.0 / TEETH), at(MODULE * (TEETH + 0.3), 170.0 + 180.0 / TEETH)
        ),
    )
    print(f"\nboth turn, in opposite directions, at the same rate: {together.status.value}")


if __name__ == "__main__":
    main()
