"""The picture of 01_first_contact: the arm at the contact, its start and end as ghosts, and the clearance over time."""

import tempfile
from pathlib import Path

import numpy as np

from tocsin.viewer.render import Stage, render

EYE, AT, ZOOM, SIZE = np.array([2.3, -0.75, 1.4]), np.array([0.16, 0.08, 0.36]), 3.3, (960, 800)
COLOURS = {"sheet": (0.3, 0.5, 0.85), "plate": (0.95, 0.6, 0.15), "clamp": (0.3, 0.3, 0.33)}
ARM, GHOST, OBSTACLE, RED = (0.86, 0.85, 0.8), (0.55, 0.66, 0.82), (0.62, 0.6, 0.56), "#d40f2c"


def add(stage, model, poses, colour=None):
    """Add every shape of a model, with its links at the given poses."""
    for name, shapes, pose in zip(model.link_names, model.shapes, poses):
        for shape in shapes:
            mesh = shape.source if shape.is_mesh else shape.source.tessellate(64)
            own = colour or COLOURS.get(name, ARM if len(model.link_names) > 1 else OBSTACLE)
            stage.add((mesh.vertices, mesh.faces), own, pose @ shape.placement)


def rendered(scene, robot, hit, ghosts):
    """Return the image of the scene at the contact, and with ghosts of the robot at other configurations."""
    from matplotlib import image

    stage = Stage()
    stage.add_board(0.25, 24, (0.95, 0.95, 0.94), (0.88, 0.89, 0.89))
    for model in scene.models:
        if model is not robot:
            add(stage, model, [model.at_contact(hit)])
    add(stage, robot, robot.link_poses(robot.at_contact(hit)))
    for ghost in ghosts:
        add(stage, robot, robot.link_poses(ghost), GHOST)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "view.png"
        render(stage, file, eye=tuple(EYE), at=tuple(AT), zoom=ZOOM, size=SIZE, sun=(0.45, -0.6, 0.75))
        return image.imread(file)[..., :3]


def on_screen(point):
    """Return where a point of the world is in the picture, in pixels: the renderer's camera."""
    back = (EYE - AT) / np.linalg.norm(EYE - AT)
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    x, y, z = np.stack([right, np.cross(back, right), back]) @ (point - EYE)
    return SIZE[0] / 2 - ZOOM * SIZE[1] / 2 * x / z, SIZE[1] / 2 + ZOOM * SIZE[1] / 2 * y / z


def draw_contact(path, scene, robot, q0, q1, hit, samples):
    """Draw the scene at the contact, and beside it the clearance around that time with where the samples fall."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    # Ghosts are half there: the picture with them and the picture without, mixed.
    image = 0.62 * rendered(scene, robot, hit, ()) + 0.38 * rendered(scene, robot, hit, (q0, q1))
    figure = pyplot.figure(figsize=(14.5, 7.5))
    view = figure.add_axes((0.0, 0.0, 0.62, 1.0))
    view.imshow(image)
    view.axis("off")
    contact = hit.contacts[0]
    at, tip = on_screen(contact.point_a), on_screen(contact.point_a + 0.2 * contact.normal)
    view.annotate("", tip, at, arrowprops={"arrowstyle": "-|>", "lw": 3, "color": RED, "mutation_scale": 22})
    view.plot(*at, "o", ms=11, mfc=RED, mec="white", mew=2)
    view.text(tip[0] + 14, tip[1] - 8, "normal", color=RED, fontsize=12, weight="bold")
    label = f"{contact.link_a} meets {contact.link_b}\n{contact.kind}, t = {hit.time:.5f}"
    view.annotate(label, at, (SIZE[0] - 30, SIZE[1] - 30), color=RED, fontsize=13, weight="bold", ha="right",
                  arrowprops={"arrowstyle": "-", "lw": 1.2, "color": RED})  # fmt: skip
    for q, name in ((q0, "t = 0"), (q1, "t = 1")):
        x, y = on_screen(robot.link_poses(q)[-1][:3, 3])
        view.text(x, y, name, color="#41618f", fontsize=12, ha="center")

    plot = figure.add_axes((0.685, 0.16, 0.29, 0.68))
    t = np.sort(np.concatenate([hit.time + np.linspace(-0.004, 0.005, 91), hit.time + np.linspace(-1e-3, 1e-3, 81)]))
    clearance = [1e3 * scene.distance(robot.at(q0 + s * (q1 - q0))).distance for s in t]
    plot.plot(t, clearance, color="#333333", lw=1.8, label="smallest distance in the scene")
    near = np.linspace(0.0, 1.0, samples)
    near = near[(near > t[0]) & (near < t[-1])]
    height = [1e3 * scene.distance(robot.at(q0 + s * (q1 - q0))).distance for s in near]
    plot.plot(near, height, "o", ms=8, mfc="white", mec="#2a5db0", mew=1.8, label=f"what {samples} samples look at")
    plot.plot([hit.time], [0.0], "o", ms=10, mfc=RED, mec="white", label="first_contact", clip_on=False, zorder=5)
    plot.set(xlabel="t", ylabel="mm", ylim=(0.0, None), title="The contact falls between the samples")
    plot.ticklabel_format(useOffset=False)
    plot.locator_params(axis="x", nbins=4)
    plot.spines[["top", "right"]].set_visible(False)
    plot.legend(frameon=False, loc="upper center")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, facecolor="white")
    pyplot.close(figure)
    print(f"\nwrote {path}")
