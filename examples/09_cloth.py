"""09: a towel falls onto a table while an arm swings through it: first contact, every contact, and a safe step."""

import numpy as np

import tocsin

n = 41
x, y = np.meshgrid(np.linspace(-0.5, 0.5, n), np.linspace(-0.5, 0.5, n), indexing="ij")
start = np.stack([x.ravel(), y.ravel(), 0.6 + 0.02 * np.sin(9 * x + 4 * y).ravel()], axis=1)
i = np.arange(n * n).reshape(n, n)
faces = np.concatenate([
    np.stack([i[:-1, :-1], i[1:, :-1], i[1:, 1:]], -1).reshape(-1, 3),
    np.stack([i[:-1, :-1], i[1:, 1:], i[:-1, 1:]], -1).reshape(-1, 3),
])  # fmt: skip
end = start - [0.0, 0.0, 0.5] - 0.25 * np.exp(-8 * (x**2 + y**2)).ravel()[:, None] * [0, 0, 1]

towel = tocsin.Deformable(start, faces, name="towel")
table = tocsin.Body(tocsin.Box((1.2, 0.8, 0.05)), name="table")
builder = tocsin.RobotBuilder("arm")
builder.link("post", (tocsin.Box((0.1, 0.1, 0.4)), (0, 0, 0.2)))
beam = (tocsin.Capsule(0.04, 0.9), (0, 0, 0.45))
builder.link("beam", beam, parent="post", joint="revolute", axis=(0, 1, 0), origin=(0, 0, 0.42))
arm = builder.build()
arm.place((-0.75, 0, 0))
scene = tocsin.Scene(towel, table, arm)

fall = towel.move(start, end)
hit = scene.first_contact(fall, arm.move([0.2], [1.4]))
touch = hit.contacts[0]
print(f"{touch.link_a} and {touch.link_b} touch at t = {hit.time:.6f}: {touch.kind}, {touch.distance:.1e} m apart")
print(f"alone, the towel may take {scene.safe_step(fall, margin=1e-3):.6f} of the step and keep 1 mm")
found = scene.contacts(fall)
print(f"{len(found)} feature pairs touch in the whole step, the first at t = {found.times[0]:.6f}")
