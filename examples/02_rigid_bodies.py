"""02: one gear turns against another until their teeth touch: the time, and the whole contact manifold.

Meshes are surfaces; what touches is named by vertices, edges and faces of the mesh that was given.
"""

import numpy as np
import trimesh

import tocsin

TEETH, MODULE = 16, 0.01
tooth = [(-0.34, -1.25), (-0.14, 1.0), (0.14, 1.0), (0.34, -1.25)]  # part of a step, modules from the pitch circle
angle = np.array([(k + a) * 2 * np.pi / TEETH for k in range(TEETH) for a, _ in tooth])
radius = np.array([(0.5 * TEETH + r) * MODULE for _ in range(TEETH) for _, r in tooth])
outline = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
n = len(outline)
fan = np.column_stack([np.full(n, n), np.arange(n), (np.arange(n) + 1) % n])
gear = trimesh.creation.extrude_triangulation(np.vstack([outline, [(0, 0)]]), fan, height=0.02)


def at(x, degrees):
    """A pose: at x, turned about z."""
    pose = trimesh.transformations.rotation_matrix(np.radians(degrees), (0, 0, 1))
    pose[0, 3] = x
    return pose


drive = tocsin.Body(gear, name="drive")
driven = tocsin.Body(gear, at(MODULE * (TEETH + 0.3), 180 + 180 / TEETH), name="driven")  # 0.3 modules of backlash
scene = tocsin.Scene(drive, driven)
print(f"clearance at the start: {1e3 * scene.distance().distance:.3f} mm")
hit = scene.first_contact(drive.move(at(0, 0), at(0, 10)), tolerance=1e-7)
print(f"the drive turns by 10 degrees: {hit.status.value} at {10 * hit.time:.4f} degrees")
for contact in hit.contacts[:4]:
    print(f"  {contact.kind:12} {contact.features} at {np.round(1e3 * contact.point_a, 2)} mm")
