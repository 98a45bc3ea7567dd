"""The plots of a report, as SVG that stands in a page or in a file: times as distributions, scaling, culling rates.

Everything that is drawn in the ink of text is `currentColor`, so that one picture serves a light and a dark page; in a
file of its own, a style says what that is. Ours are blue, peers orange; a filled mark proves what it says, a hollow one
does not.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tocsin_bench import race
from tocsin_bench.results.tables import finite

INK = "#123456"
"""Stands for the ink of text while matplotlib draws."""
OURS, PEER, PAPER = "#4f8df7", "#e8853a", "#9a7bd6"
LINES = ("#4f8df7", "#e8853a", "#3fae7c", "#9a7bd6", "#d65c8a")
FILE_STYLE = "<style>svg{color:#57606a}@media(prefers-color-scheme:dark){svg{color:#b9c0ca}}</style>"


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update(
        {
            "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9.0, "text.color": INK,
            "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.grid": True,
            "grid.color": INK, "grid.alpha": 0.15, "grid.linewidth": 0.6, "axes.spines.top": False,
            "axes.spines.right": False, "axes.linewidth": 0.6, "svg.hashsalt": "tocsin", "axes.axisbelow": True,
        }
    )  # fmt: skip
    return pyplot


def _svg(figure: Any, pyplot: Any) -> str:
    """The figure as an SVG element without a background, in the colours of the page."""
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    pyplot.close(figure)
    text = out.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r"font: [^;\"]*?(\d+(?:\.\d+)?px)[^;\"]*", r"font: \1 system-ui, sans-serif", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    for size in ("width", "height"):
        text = re.sub(rf'(<svg[^>]*?) {size}="[^"]*"', r"\1", text, count=1)
    return text


def as_file(svg: str) -> str:
    """The same picture as a file of its own, readable on light and dark pages."""
    end = svg.index(">") + 1
    return svg[:end] + FILE_STYLE + svg[end:] + "\n"


def distributions(record: Mapping[str, Any]) -> str | None:
    """Time a question of every contestant: each question a dot, the middle half a bar, the median a mark."""
    rows = _rows(record)
    if not rows:
        return None
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(7.6, 0.62 + 0.36 * len(rows)), layout="constrained")
    rng = np.random.default_rng(0)
    for place, (_, seconds, colour, proves) in enumerate(rows):
        taken = 1e6 * np.maximum(np.asarray(seconds, dtype=np.float64), 1e-8)
        y = -place + rng.uniform(-0.24, 0.24, len(taken))
        axes.plot(taken, y, ".", color=colour, markersize=3.2, alpha=0.4, markeredgewidth=0.0)
        low, middle, high = np.percentile(taken, (25.0, 50.0, 75.0))
        axes.plot([low, high], [-place, -place], "-", color=colour, linewidth=4.5, alpha=0.75, solid_capstyle="butt")
        face = colour if proves else "none"
        axes.plot([middle], [-place], "o", color=colour, markerfacecolor=face, markersize=7.0, markeredgewidth=1.6)
        axes.plot([taken.mean()], [-place], "|", color=INK, markersize=11.0, markeredgewidth=1.4)
    paper = record.get("paper")
    if paper and finite(paper["mean"]):
        axes.axvline(1e6 * paper["mean"], color=PAPER, linestyle="--", linewidth=1.2)
        axes.text(1e6 * paper["mean"], 0.62, " paper, mean", color=PAPER, va="center", fontsize=8.0)
    axes.set(xscale="log", xlabel="µs a question (o median, | mean, bar: middle half)", ylim=(0.4 - len(rows), 0.85))
    axes.set_yticks([-k for k in range(len(rows))], [name for name, *_ in rows])
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    return _svg(figure, pyplot)


def _rows(record: Mapping[str, Any]) -> list[tuple[str, Sequence[float], str, bool]]:
    found = [
        (c["name"], c["seconds"], OURS if c["ours"] else PEER, bool(c["proves"]))
        for c in record.get("contestants", ())
        if c["seconds"]
    ]
    named = record.get("distributions") or {}
    return found + [(name, seconds, OURS if "tocsin" in name else PEER, True) for name, seconds in named.items()]


def curves(curve: Mapping[str, Any]) -> str:
    """Time against size, on log-log axes, with a grey line that grows like the size."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(5.2, 3.4), layout="constrained")
    x = np.asarray(curve["x"], dtype=np.float64)
    lowest = np.inf
    for (label, values), colour in zip(curve["lines"].items(), LINES):
        y = 1e6 * np.array([np.nan if v is None else v for v in values], dtype=np.float64)
        axes.loglog(x[: len(y)], y, "o-", color=colour, label=label, markersize=4.0, linewidth=1.4)
        lowest = min(lowest, np.nanmin(y))
    if np.isfinite(lowest):
        axes.loglog(x, lowest * x / x[0], ":", color=INK, alpha=0.5, label="linear")
        axes.set_ylim(top=None)
    axes.set(xlabel=curve["xlabel"], ylabel=curve.get("ylabel", "µs a question"), title=curve["title"])
    axes.title.set_fontsize(10.0)
    axes.legend(frameon=False, fontsize=8.0)
    return _svg(figure, pyplot)


def culling(records: Sequence[Mapping[str, Any]]) -> str | None:
    """Which share of the pairs each cull leaves, by benchmark, ours and those of [CATCH table 2]."""
    rows: list[tuple[str, Mapping[str, float], bool]] = []
    for record in records:
        found = race.culling(record)
        if found is None:
            continue
        rows.append((record["benchmark"], found, False))
        paper = record.get("paper")
        if paper and paper["pairs"]:
            rows.append((f"{record['benchmark']}, paper", race.culling_rates(*paper["pairs"]), True))
    if not rows:
        return None
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(7.6, 0.75 + 0.3 * len(rows)), layout="constrained")
    for place, (_, found, paper) in enumerate(rows):
        left = [max(found[key] / found["before"], 1e-7) for key in ("spatial", "temporal")]
        colour = PAPER if paper else OURS
        axes.plot([1.0, left[0]], [-place, -place], "-", color=colour, linewidth=5.0, alpha=0.35, solid_capstyle="butt")
        axes.plot(left, [-place, -place], "-", color=colour, linewidth=5.0, alpha=0.8, solid_capstyle="butt")
        axes.plot([left[1]], [-place], "o", color=colour, markersize=6.0)
    axes.set(xscale="log", xlabel="share of the pairs that is left: light until spatial culling, dark until temporal")
    axes.set_yticks([-k for k in range(len(rows))], [name for name, *_ in rows])
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.invert_xaxis()
    return _svg(figure, pyplot)
