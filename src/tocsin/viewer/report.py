"""The report of an audit: one HTML file to print and to file, without scripts and without other files.

It says what was audited (with digests, so that nobody mistakes another model for it), what was asked, what is assumed,
what was found, and how much clearance there is over time.
"""

from __future__ import annotations

import hashlib
import html
import importlib.metadata
import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

import tocsin
from tocsin import _given
from tocsin._cast import clock, instance, said
from tocsin._given import write
from tocsin._types import PathLike
from tocsin.errors import TocsinError
from tocsin.model.base import Model, counted
from tocsin.model.deformable import Deformable
from tocsin.model.grasp import bare
from tocsin.model.program import listed
from tocsin.model.robot import Robot
from tocsin.queries.audit import ProgramAudit
from tocsin.queries.audit.curves import Curve
from tocsin.queries.audit.program_records import NOT_BY_ITSELF
from tocsin.viewer.files import target
from tocsin.viewer.film import length, titled

LIBRARIES = ("numpy", "numba", "scipy")

ASSUMPTIONS = (
    "The models are the parts as they are: shapes, joints and where things stand. What is not modelled (cables, "
    "people, what lies about) is not covered.",
    "Each model moves as its steps say: joint values are the given polynomials of the clock, within the errors stated "
    "above; bodies and deformable models are where their poses and frames have them.",
    "Clocks of all models are one clock; delays of one against another are not covered, unless errors cover them.",
    "A body that is gripped moves rigidly with its link until it is let go, and stays where it is then. It may touch "
    "that link and the links named with it. Where errors are stated, how it lies in the hand and where it is left may "
    "be as far off as they allow; how it lies in the hand is exact where the program gives its pose there.",
    "A model that stands after a step may be as far off as in that step.",
    "Pairs that are listed as not checked were not checked.",
    "Meshes are surfaces, not solids, unless they are declared solid; primitives and hulls are solids.",
    "“Proven” means for every moment, not for samples, with all rounding errors bounded; “measured” values are those "
    "of the nominal motion at single moments.",
)


def save_report(
    path: PathLike, found: ProgramAudit, *, title: str | None = None, files: Iterable[PathLike] = (),
    proofs: Mapping[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Write the report of an audit of a program: one HTML file to print and to file.

    `files`: files that the models and the program come from, whose digests are to be in it; those of URDF files are.
    `proofs`: what `tocsin audit --prove` says of its files, which are then listed with their digests.
    """
    if not instance(found, ProgramAudit):
        raise TocsinError(f"a report is of tocsin.audit(scene, program); got {type(found).__name__}.")
    titled(title)
    file = target(path, ".html", "a report")
    files = [_given.path(one, "files of a report") for one in _given.sequence(files, "files", "a sequence of paths")]
    missing = next((one for one in files if not one.is_file()), None)
    if missing is not None:
        raise TocsinError(f"cannot name {str(missing)!r} in a report: there is no such file.")
    if proofs is not None and not {"files", "command"} <= set(proofs if instance(proofs, Mapping) else ()):
        raise TocsinError(
            f"proofs is what `tocsin audit --prove` says of its files, with 'files' and 'command'; got {said(proofs)}."
        )
    return write(file, report_text(found, title or found.program.name, files, proofs).encode(), "a report")


def report_text(
    found: ProgramAudit, title: str, files: Iterable[PathLike] = (), proofs: Mapping[str, Any] | None = None
) -> str:
    """Return the report as text."""
    program, verdict = found.program, _verdict(found)
    style = resources.files("tocsin.viewer").joinpath("template", "report.css").read_text(encoding="utf-8")
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    parts = [
        f"<h1>{_text(title)}</h1><p class=small>Audit of the motion of {len(found.scene.models)} models over "
        f"{program.duration:.4g} s. Made {when}.</p>",
        f'<p class="verdict {verdict[0]}"><b>{verdict[1]}</b><br>{_text(verdict[2])}</p>',
        "<h2>What was found</h2>", _conflicts(found), _facts(_clearance(found)),
        "<h2>Clearance over time</h2>", *[_figure(curve, found.margin) for curve in found.curves],
    ]  # fmt: skip
    if not found.curves:
        parts.append("<p>Nothing comes near anything else.</p>")
    if proofs is not None:
        head = ("from", "to", "claim", "carried", "file", "SHA-256")
        parts += ["<h2>Proofs</h2>", _table(head, _proofs(proofs)),
                  f"<p>To check them: <code>{_text(proofs['command'])}</code></p>"]  # fmt: skip
    parts += [
        "<h2>What was to be kept</h2>", _facts(_margins(found)),
        "<h2>What moves</h2>", _table(("from", "to", "who", "what"), _steps(found)),
        "<h2>Assumptions</h2>", "<ol>" + "".join(f"<li>{_text(a)}</li>" for a in ASSUMPTIONS) + "</ol>",
        "<h2>Models and files</h2>", _table(("model", "what it is", "SHA-256 of its geometry"), _models(found)),
        _table(("file", "bytes", "SHA-256"), _files(found, files)),
        "<h2>Made with</h2>", _facts(_versions(found)),
    ]  # fmt: skip
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{_text(title)}</title><style>{style}</style>'
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _verdict(found: ProgramAudit) -> tuple[str, str, str]:
    """Return (class, headline, sentence)."""
    kept = f"keep more than {length(found.margin)}" if found.margin > 0.0 else "stay apart"
    own = ", or keep the margin of their own that is listed below," if found.scene.rules.margins else ""
    if found.is_free:
        return "free", "PROVEN", f"All pairs that are checked {kept}{own} at every moment."
    touching = [c for c in found.conflicts if c.is_contact]
    if not touching:
        return "capped", "UNDECIDED", "Nothing was found to fall short, but the work was capped before all was proven."
    many = "is 1 stretch" if len(touching) == 1 else f"are {len(touching)} stretches"
    what = f"There {many} of time in which a margin is not kept"
    return "touching", "NOT KEPT", f"{what}; everything outside of the stretches below is proven."


def _proofs(proofs: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return a row a proof: when, what it claims, and its file."""
    rows: list[tuple[str, ...]] = []
    for part in proofs["files"]:
        begin, end = part["seconds"]
        carried = "; ".join(f"{body} by {robot}" for robot, body in part["carried"])
        file = part["file"]
        digest = "" if file is None else hashlib.sha256(Path(file).read_bytes()).hexdigest()
        rows.append((f"{begin:.4f} s", f"{end:.4f} s", part["claim"], carried, "" if file is None else file, digest))
    return rows


def _conflicts(found: ProgramAudit) -> str:
    if not found.conflicts:
        return "<p>No stretch of time is left unproven.</p>"
    rows: list[tuple[str, ...]] = []
    for c in found.conflicts:
        where = "" if c.point is None or not np.isfinite(c.point).all() else ", ".join(f"{x:z.4f}" for x in c.point)
        short = "" if c.depth is None else length(c.depth) if c.depth else NOT_BY_ITSELF
        rows.append((
            f"{c.enter:.4f} s", f"{c.exit:.4f} s", "not known" if c.pair is None else c.pair.said,
            "contact" if c.is_contact else "undecided",
            length(c.margin), "" if c.distance is None else length(c.distance),
            short, where, "" if c.speed is None else f"{c.speed:.3g} m/s",
        ))  # fmt: skip
    head = ("from", "to", "pair", "", "margin", "least distance", "falls short by", "at (m)", "speed there")
    return _table(head, rows)


def _clearance(found: ProgramAudit) -> list[tuple[str, str]]:
    kept = found.clearance
    if not math.isfinite(kept.upper):
        return [("clearance", "there is nothing to keep away from")]
    nearest = kept.nearest
    rows = [
        ("smallest clearance", f"more than {length(kept.lower)} (proven); {length(kept.upper)} (measured)"),
        ("between", f"{nearest.link_a} and {nearest.link_b}, at {kept.at:.4f} s"),
    ]
    if kept.speed is not None:
        rows.append(("speed there", f"{kept.speed:.4g} m/s of the closest points against each other (measured)"))
    if found.tube_said:
        rows.append(("errors take", found.tube_said))
    return rows


def _margins(found: ProgramAudit) -> list[tuple[str, str]]:
    rules = found.scene.rules
    rows = [("margin of all pairs", length(found.margin) if found.margin > 0.0 else "0: no contact")]
    rows += [(f"{a} – {b}", length(margin)) for (a, b), margin in rules.margins.items()]
    ignored = sorted(rules.ignored)
    own = sum(len(model.ignored) for model in found.scene.models)
    rows.append(("not checked", "; ".join(f"{a} – {b}" for a, b in ignored) or "no pair of the scene"))
    rows.append(("not checked within robots", f"{own} pairs: joined links, and those that the robots' files disable"))
    for model in found.scene.models:
        if isinstance(model, Robot) and model.ignored:
            pairs = sorted((model.link_names[i], model.link_names[k]) for i, k in model.ignored)
            rows.append((f"of {model.name}", "; ".join(f"{a} – {b}" for a, b in pairs)))
    return rows


def _steps(found: ProgramAudit) -> list[tuple[str, ...]]:
    rows: list[tuple[float, tuple[str, ...]]] = []
    for track in found.program.tracks.values():
        for segment in track.segments:
            motion = segment.motion
            kind = f"polynomials of degree {motion.degree}" if motion.degree else "straight"
            what = f"{counted(motion.pieces, 'piece')}, {kind}"
            error = segment.error
            if error.any():
                what += f"; off by up to {error.max():.4g} (rad or m)"
            rows.append((segment.begin, (f"{segment.begin:.4f} s", f"{segment.end:.4f} s", track.model.name, what)))
    for event in found.program.events:
        touching = f", which {', '.join(event.touching)} may touch" if event.touching else ""
        rows.append((event.at, (f"{event.at:.4f} s", "", event.robot.name, f"{event}{touching}")))
    return [row for _, row in sorted(rows, key=lambda r: r[0])]


def _models(found: ProgramAudit) -> list[tuple[str, ...]]:
    return [
        (name, repr(bare(model)).strip("<>"), digest_of(model))
        for name, model in zip(found.scene.names, found.scene.models)
    ]  # fmt: skip


def digest_of(model: Model) -> str:
    """Return the SHA-256 of a model: its links, joints and shapes, wherever it stands and whatever it carries."""
    own = bare(model)
    found = hashlib.sha256(json.dumps(own.link_names).encode())
    found.update(np.ascontiguousarray(own.links).tobytes())
    for shapes in own.shapes:
        for shape in shapes:
            found.update(f"{type(shape.source).__name__} {shape.radius!r} {shape.solid}".encode())
            for array in (shape.placement, shape.points, shape.faces, shape.proxy):
                found.update(np.ascontiguousarray(array).tobytes())
    if isinstance(own, Deformable):
        for array in (own.vertices, own.faces, own.loose_edges, own.loose_points):
            found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def _files(found: ProgramAudit, files: Iterable[PathLike]) -> list[tuple[str, ...]]:
    named = [m.source[0] for m in found.scene.models if isinstance(m, Robot) and m.source is not None]
    steps = json.dumps(found.program.steps, default=listed).encode()
    rows = [("(the steps of the program)", f"{len(steps):,}", hashlib.sha256(steps).hexdigest())]
    for path in dict.fromkeys([*[Path(f) for f in files], *named]):
        if Path(path).is_file():
            data = Path(path).read_bytes()
            rows.append((Path(path).name, f"{len(data):,}", hashlib.sha256(data).hexdigest()))
    return rows


def _versions(found: ProgramAudit) -> list[tuple[str, str]]:
    rows = [("tocsin", tocsin.__version__), ("Python", platform.python_version())]
    rows += [(name, importlib.metadata.version(name)) for name in LIBRARIES]
    rows.append(("machine", f"{platform.machine()}, {platform.system()}"))
    rows.append(("questions", f"{found.queries:,} to the engine, in {found.seconds:.3g} s"))
    rows.append(("phases", f"{len(found.phases)}: stretches in which nobody grips or lets go"))
    return rows


def _figure(curve: Curve, margin: float) -> str:
    """Return the chart of a pair: the proven curve of steps, and what was measured."""
    width, height, left, bottom = 720.0, 150.0, 62.0, 22.0
    seen = np.isfinite(curve.upper)
    top = 1.05 * max(float(curve.lower.max(initial=0.0)), margin, 1e-9)
    top = max(top, min(1.05 * float(curve.upper[seen].max(initial=0.0)), 2.0 * top))
    begin, end = float(curve.edges[0]), float(curve.edges[-1])

    def x(t: float) -> float:
        return left + (width - left - 24.0) * (t - begin) / (end - begin)

    def y(d: float) -> float:
        return (height - bottom) - (height - bottom - 8.0) * min(d, top) / top

    drawn = [(a, b, d) for a, b, d in zip(curve.edges[:-1], curve.edges[1:], curve.lower) if _is_asked(curve, a, b)]
    steps = "".join(f"M{x(a):.1f} {y(d):.1f}H{x(b):.1f}" for a, b, d in drawn)
    area = "".join(f"M{x(a):.1f} {y(0):.1f}V{y(d):.1f}H{x(b):.1f}V{y(0):.1f}Z" for a, b, d in drawn)
    path, pen = "", "M"
    for t, d, ok in zip(curve.times, curve.upper, seen):
        path += f"{pen}{x(t):.1f} {y(d):.1f}" if ok else ""
        pen = "L" if ok else "M"
    ticks = "".join(
        f'<text x="{x(t):.1f}" y="{height - 6:.0f}" text-anchor="middle">{clock(t)} s</text>'
        for t in _round_numbers(begin, end, 6)
    ) + "".join(
        f'<text x="{left - 5}" y="{y(d) + 3:.1f}" text-anchor="end">{length(d)}</text>'
        for d in _round_numbers(0.0, top, 5)
    )
    line = (
        f'<path d="M{left} {y(margin):.1f}H{width - 8}" stroke="#b3123a" stroke-dasharray="5 4"/>'
        if margin > 0.0
        else ""
    )
    gaps = "" if len(drawn) == len(curve.lower) else "; gaps: not checked then"
    return (
        f"<figure><figcaption>{_text(curve.pair.said)}: proven from below (steps), measured (line); least measured "
        f'{length(curve.least)}{gaps}</figcaption><svg viewBox="0 0 {width:.0f} {height:.0f}" role="img">'
        f'<path d="{area}" fill="#dcebe1"/><path d="{steps}" stroke="#17693a" stroke-width="2" fill="none"/>'
        f'<path d="{path}" stroke="#23476b" stroke-width="1.2" fill="none"/>{line}'
        f'<path d="M{left} 4V{height - bottom}H{width - 8}" stroke="#777" fill="none"/>{ticks}</svg></figure>'
    )


def _is_asked(curve: Curve, begin: float, end: float) -> bool:
    """Is a pair checked between two edges of its curve? Nothing is proven, and nothing measured, where it is not."""
    inside = (curve.times > begin) & (curve.times < end)
    lower = curve.lower[(curve.edges[:-1] >= begin) & (curve.edges[1:] <= end)]
    return bool(lower.any() or np.isfinite(curve.upper[inside]).any() or not inside.any())


def _round_numbers(begin: float, end: float, most: int) -> list[float]:
    """Return round numbers from one number to another, at most so many and one."""
    wish = (end - begin) / most
    power = 10.0 ** math.floor(math.log10(wish))
    step = next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= wish * (1.0 - 1e-9))
    first, last = math.ceil(begin / step - 1e-6), math.floor(end / step + 1e-6)
    return [k * step for k in range(first, last + 1)]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{_text(h)}</th>" for h in head)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{'<code>' * (len(c) == 64)}{_text(c)}{'</code>' * (len(c) == 64)}</td>" for c in row)
        + "</tr>"
        for row in rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"


def _facts(rows: Sequence[tuple[str, object]]) -> str:
    return "<table>" + "".join(f"<tr><th>{_text(a)}</th><td>{_text(str(b))}</td></tr>" for a, b in rows) + "</table>"


def _text(value: str) -> str:
    return html.escape(value)
