"""Pictures of the tori at their contacts [SCREW fig. 13] and of their collision screen [SCREW fig. 14]."""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin_bench.scenes.screen_drawings import drawings
from tocsin_bench.scenes.screen_scenes import EXAMPLES

A, B, MARK, INK = "#2b6cb0", "#dd6b20", "#c53030", "#2d3748"


def _matplotlib() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def draw_screen(path: str, resolution: str = "medium") -> None:
    """Draw both tori on the collision screen: every record of an edge as the pixels that it covers, and the proper
    contacts."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    plt = _matplotlib()
    scene, motion = EXAMPLES["tori"]()
    screen = drawings(scene, motion, resolution)
    contacts = scene.contacts(motion, every="contact", properness=0.0)
    fig, ax = plt.subplots(figsize=(9.0, 9.0))
    size = screen.size
    for (row, hlo, hhi), color, label in ((screen.a, A, "a: stands"), (screen.b, B, "b: moves")):
        lo = np.floor(hlo / size) * size
        hi = np.maximum(np.ceil(hhi / size) * size, lo + size)
        boxes = [Rectangle((x, screen.start + r * size), w, size) for r, x, w in zip(row, lo, hi - lo)]
        ax.add_collection(PatchCollection(boxes, facecolor=color, edgecolor="none", alpha=0.5))
        ax.plot([], [], "s", color=color, alpha=0.6, label=f"{label}, {len(row):,} records")
    for k, (r, h) in enumerate(screen.places(contacts)):
        label = "proper contacts, in order" if k == 0 else None
        ax.plot(h, r, "o", ms=15, mfc="none", mec=MARK, mew=2.0, label=label)
        ax.annotate(str(k + 1), (h, r), (9, 9), textcoords="offset points", color=MARK, weight="bold", size=13)
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set(xlabel="h (m): across the flow", ylabel="r (m): distance from the axis")
    ax.set_title(
        f"The collision screen of two tori: {screen.rows} rows of {1000 * size:.0f} mm ({resolution} resolution)",
        loc="left", size=12, color=INK,
    )  # fmt: skip
    ax.legend(loc="upper right", frameon=True, framealpha=0.95, edgecolor="none")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    fig.tight_layout()
    fig.savefig(path, dpi=130)
    plt.close(fig)


def draw_tori(path: str) -> None:
    """Draw the tori at the start, at their proper contacts and at the end, with the flow of some points of b."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    plt = _matplotlib()
    scene, motion = EXAMPLES["tori"]()
    contacts = scene.contacts(motion, every="contact", properness=0.0)
    moments = [(0.0, "start"), *((c.time, f"contact {k + 1}") for k, c in enumerate(contacts)), (1.0, "end")]
    a, b = (model.shapes[0][0] for model in scene.models)
    paths = b.points[::75]
    fig = plt.figure(figsize=(15.0, 5.4))
    light = np.array([0.3, -0.6, 0.75])
    for k, (t, words) in enumerate(moments):
        # Larger than its share of the picture, because three-dimensional axes leave wide margins; they are transparent.
        ax = fig.add_axes((k / len(moments) - 0.13, -0.13, 0.46, 1.26), projection="3d")
        ax.patch.set_alpha(0.0)
        pose = motion.link_poses(t)[0]
        triangles, colors = [], []
        for shape, where, color in ((a, np.eye(4), A), (b, pose, B)):
            points = (shape.points @ where[:3, :3].T + where[:3, 3])[shape.faces]
            normal = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
            normal /= np.linalg.norm(normal, axis=1)[:, None]
            shade = 0.45 + 0.55 * np.clip(normal @ light, 0.0, 1.0)
            rgb = np.array([int(color[i : i + 2], 16) / 255.0 for i in (1, 3, 5)])
            triangles.append(points)
            colors.append(np.clip(shade[:, None] * rgb + 0.25 * shade[:, None] ** 4, 0.0, 1.0))
        # One collection, so that the two are sorted by depth together.
        ax.add_collection3d(
            Poly3DCollection(np.concatenate(triangles), facecolors=np.concatenate(colors), edgecolors="none")
        )
        flow = np.array(
            [
                [p[:3, :3] @ x + p[:3, 3] for p in (motion.link_poses(s)[0] for s in np.linspace(0, 1, 25))]
                for x in paths
            ]
        )
        for line in flow:
            ax.plot(*line.T, color=INK, lw=0.7, alpha=0.5)
        if 0 < k <= len(contacts):
            ax.plot(*contacts[k - 1].point[:, None], "o", ms=11, mfc="none", mec=MARK, mew=2.2, zorder=100)
        ax.set(xlim=(-2.2, 2.2), ylim=(-2.2, 2.2), zlim=(-3.5, 3.5))
        ax.set_box_aspect((4.4, 4.4, 7.0), zoom=0.84)
        ax.view_init(elev=16, azim=-58)
        ax.set_axis_off()
        fig.text((k + 0.5) / len(moments), 0.03, f"{words}, t = {t:.3f}", size=12, color=INK, ha="center")
    fig.savefig(path, dpi=130)
    plt.close(fig)
