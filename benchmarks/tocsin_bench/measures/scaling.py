"""How the time of a query grows: with the triangles of two tori (1K to 1M), and with the links of a snake (2 to 200).

The motions stay the same while the meshes grow finer, so only the hierarchy gets deeper; the posts round the snake stay
the same while it gets longer, and every link may touch every other. The slope is that of a straight line through the
points on log-log axes: 0 is constant, 1 is linear. The slope of the last three sizes is given as well, since fixed
costs flatten the small ones.
"""

import argparse
import time
from typing import Any

import numpy as np

import tocsin
from tocsin.geometry import cache
from tocsin_bench import report
from tocsin_bench.scenes import cases, shapes

DESCRIPTION = (
    "Time of a query against the number of triangles (1K to 1M) and of links (2 to 200), with slopes; build times."
)

TRIANGLES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
LINKS = (2, 5, 10, 20, 50, 100, 200)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=60, help="motions at each size (default 60)")
    parser.add_argument(
        "--repeats", type=int, default=3, help="rounds; the time of a motion is their median (default 3)"
    )
    parser.add_argument("--max-triangles", type=int, default=1_000_000, help="largest torus (default 1,000,000)")
    parser.add_argument("--max-links", type=int, default=200, help="longest snake (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the motions (default 1)")
    parser.add_argument("--plot", metavar="PATH", help="draw both curves into this PNG file (needs matplotlib)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure both curves, print them with their slopes, and draw them if asked."""
    triangles = _triangles([n for n in TRIANGLES if n <= args.max_triangles], args)
    links = _links([n for n in LINKS if n <= args.max_links], args)
    if args.plot:
        _plot(args.plot, triangles, links)
        report.console.print(f"wrote {args.plot}", highlight=False)
    return {"triangles": triangles, "links": links}


def _triangles(sizes: list[int], args: argparse.Namespace) -> dict[str, Any]:
    # The first mesh that a process builds also loads the compiled code; that is not the build.
    _build_seconds(shapes.torus(200))
    columns = ("build", "all", "free", "contact", "contacts read")
    rows, curves = [], {key: [] for key in ("n", *columns)}
    for n in sizes:
        mesh = shapes.torus(n)
        build = _build_seconds(mesh)
        case = cases.tori(n, args.count, args.seed)
        taken, read, collides = _ask(case, args.repeats)
        point = {
            "n": len(mesh[1]), "build": build, "all": report.mean(taken), "free": report.mean(taken[~collides]),
            "contact": report.mean(taken[collides]), "contacts read": report.mean(read[collides]),
        }  # fmt: skip
        for key, value in point.items():
            curves[key].append(value)
        rows.append([f"{len(mesh[1]):,}", f"{build:.3f}", *(report.us(point[key]) for key in columns[1:])])
    slopes = {key: exponent(curves["n"], curves[key]) for key in columns}
    rows.append(["slope", *(f"{slopes[key]:.2f}" for key in columns)])
    rows.append(["slope, last 3", *(f"{exponent(curves['n'][-3:], curves[key][-3:]):.2f}" for key in columns)])
    report.table(
        f"Two tori, {args.count} motions at each size",
        ["triangles each", "build, s", "query, µs", "free, µs", "contact, µs", "and contacts read, µs"],
        rows,
    )
    return {**curves, "slopes": slopes}


def _build_seconds(mesh: shapes.Triangles) -> float:
    """Seconds from arrays to a body that can be asked about, without what the cache folder may hold."""
    with cache.bypassed():
        start = time.perf_counter()
        tocsin.Body(tocsin.Mesh(*mesh), name="torus")
        return time.perf_counter() - start


def _links(sizes: list[int], args: argparse.Namespace) -> dict[str, Any]:
    rows, curves = [], {"n": [], "all": [], "pairs": [], "after_spatial": []}
    for n in sizes:
        case = cases.snake(n, args.count)
        taken, _, _ = _ask(case, args.repeats)
        stats = [case.scene.first_contact(*question).stats for question in case.questions]
        pairs, left = float(np.mean([s.pairs_total for s in stats])), float(np.mean([s.pairs_spatial for s in stats]))
        for key, value in (("n", n), ("all", report.mean(taken)), ("pairs", pairs), ("after_spatial", left)):
            curves[key].append(value)
        rows.append(
            [f"{n}", f"{pairs:,.0f}", f"{left:.1f}", report.us(curves["all"][-1]), report.us(curves["all"][-1] / n)]
        )
    slope = exponent(curves["n"], curves["all"])
    for label, part in (("slope", slice(None)), ("slope, last 3", slice(-3, None))):
        fits = [exponent(curves["n"][part], curves[key][part]) for key in ("pairs", "after_spatial", "all")]
        rows.append([label, *(f"{fit:.2f}" for fit in fits), f"{fits[-1] - 1.0:.2f}"])
    report.table(
        f"A snake between posts, self-contact on, {args.count} motions at each length",
        ["links", "pairs", "after spatial", "query, µs", "µs a link"],
        rows,
    )
    return {**curves, "slope": slope, "slope_last_3": exponent(curves["n"][-3:], curves["all"][-3:])}


def _ask(case: cases.Case, repeats: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seconds of each question, of each with its contacts read, and whether it collides."""
    ask = {
        "time": lambda k: case.scene.first_contact(*case.questions[k]),
        "contacts": lambda k: case.scene.first_contact(*case.questions[k]).contacts,
    }
    seconds = report.take_turns(ask, len(case.questions), repeats, label=case.name)
    return (
        seconds["time"],
        seconds["contacts"],
        np.array([case.scene.first_contact(*question).collides for question in case.questions]),
    )


def exponent(n: list[float], seconds: list[float]) -> float:
    """The exponent of a power law through the points; NaN where there are fewer than two of them."""
    x, y = np.log(np.array(n, dtype=np.float64)), np.log(np.array(seconds, dtype=np.float64))
    good = np.isfinite(y)
    return float(np.polyfit(x[good], y[good], 1)[0]) if np.count_nonzero(good) > 1 else float("nan")


def _plot(path: str, triangles: dict[str, Any], links: dict[str, Any]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for key, label in (("contact", "in contact"), ("all", "all"), ("free", "free")):
        left.loglog(
            triangles["n"], 1e6 * np.array(triangles[key]), "o-", label=f"{label}, slope {triangles['slopes'][key]:.2f}"
        )
    left.set(xlabel="triangles of each torus", ylabel="µs a query", title="Two tori, random rigid motions")
    right.loglog(
        links["n"],
        1e6 * np.array(links["all"]),
        "o-",
        label=f"query, slope {links['slope']:.2f}, last three {links['slope_last_3']:.2f}",
    )
    one = 1e6 * links["all"][0] / links["n"][0]
    right.loglog(links["n"], one * np.array(links["n"]), "--", color="grey", label="linear")
    right.set(xlabel="links", ylabel="µs a query", title="A snake between posts, self-contact on")
    for axes in (left, right):
        axes.legend(frameon=False)
        axes.grid(True, which="both", alpha=0.2)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=140)
    pyplot.close(figure)
