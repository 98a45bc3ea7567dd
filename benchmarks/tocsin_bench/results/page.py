"""A run as one HTML page that needs nothing else: tables, plots and pictures inside, light and dark by the reader's."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path
from typing import Any

from tocsin_bench.race import GROUPS
from tocsin_bench.results import compare, papers, plots, tables, targets
from tocsin_bench.results.runs import Run, picture

STYLE = """
:root{color-scheme:light dark;--bg:#fbfbfc;--card:#fff;--ink:#1f2328;--soft:#636c76;--line:#dfe3e8;--stripe:#f4f6f8;
--good:#1a7f37;--goodbg:#dafbe1;--bad:#9a4b00;--badbg:#fff1dd;--link:#2f6fde}
@media(prefers-color-scheme:dark){:root{--bg:#111418;--card:#191d23;--ink:#e3e7ec;--soft:#98a2ae;--line:#2d333b;
--stripe:#1f242b;--good:#57d37d;--goodbg:#12351f;--bad:#f0b072;--badbg:#3a2712;--link:#7fb0ff}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.55 system-ui,sans-serif}
main{max-width:1080px;margin:0 auto;padding:32px 20px 80px}h1{font-size:30px;margin:0 0 4px}
h2{font-size:21px;margin:44px 0 12px}h3{font-size:17px;margin:0}p{margin:4px 0 10px}
a{color:var(--link);text-decoration:none}.soft,small{color:var(--soft)}small{font-size:12.5px;display:block}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:18px 20px;margin:14px 0}
.scroll{overflow-x:auto}.card img{max-width:100%;border-radius:8px;display:block;margin:10px 0}
svg{display:block;max-width:100%;height:auto;margin:8px 0;color:var(--soft)}
.curves{display:flex;flex-wrap:wrap;gap:12px}.curves svg{width:480px}
.wide svg{width:100%;min-width:560px;max-width:840px}
table{border-collapse:collapse;margin:8px 0;font-size:13.5px;font-variant-numeric:tabular-nums;width:100%}
.caption{font-weight:600;padding:8px 0 0;font-size:14px;margin:0}th{font-weight:600;color:var(--soft)}
th,td{text-align:right;padding:4px 9px;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left;white-space:normal;min-width:180px;position:sticky;left:0;
background:inherit}tr{background:var(--card)}tbody tr:nth-child(even){background:var(--stripe)}
.good,.bad{border-radius:20px;padding:1px 9px;font-size:12px;font-weight:600}
.good{color:var(--good);background:var(--goodbg)}
.bad{color:var(--bad);background:var(--badbg)}.chips{display:flex;flex-wrap:wrap;gap:6px;margin:10px 0 4px}
.chips span{border:1px solid var(--line);border-radius:20px;padding:1px 10px;font-size:12.5px;color:var(--soft)}
nav{display:flex;flex-wrap:wrap;gap:4px 14px;margin:14px 0;font-size:14px}code{font:13px ui-monospace,monospace}
code{overflow-wrap:anywhere}@media(max-width:640px){main{padding:20px 10px 60px}.card{padding:12px}
table{font-size:12px}th,td{padding:3px 6px}th:first-child,td:first-child{min-width:92px}}
"""

BADGES = {"reached": "good", "not reached": "bad"}


def write(run: Run, before: Run | None = None) -> Path:
    """Write `report.html` into the run's folder."""
    about = run.about["machine"]
    versions = "".join(f"<span>{escape(f'{name} {version}')}</span>" for name, version in about["versions"].items())
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>Benchmarks of tocsin</title><style>{STYLE}</style><main><h1>Benchmarks of tocsin</h1>"
        f"<p class=soft>{escape(run.about['date'])}, commit {escape(about['commit'] or 'unknown')}, by "
        f"<code>{escape(run.about['command'])}</code><br>{escape(about['cpu'])}, "
        f"{escape(str(about['cores']))} cores, one thread used; {escape(about['system'])}</p>"
        f"<div class=chips>{versions}</div>",
        _contents(run),
    ]
    if any(name in run.records for name in targets.COUNTS):
        goals = targets.table(run.records)
        parts.append(f"<h2 id=targets>{escape(goals.title)}</h2><div class=card>{_table(goals, '')}</div>")
    if before is not None:
        shown = "".join(_table(table) for table in compare.tables(run, before))
        parts.append(f"<h2 id=compared>Compared with {escape(before.name)}</h2><div class=card>{shown}</div>")
    overview = plots.culling([*run.records.values()])
    if overview is not None:
        parts.append(f"<h2>What culling leaves</h2><div class=card><div class='wide scroll'>{overview}</div></div>")
    beside = papers.tables(run.records)
    if beside:
        shown = "".join(_table(table) for table in beside)
        parts.append(f"<h2 id=papers>The papers' tables, beside ours</h2><div class=card>{shown}</div>")
    for group, title in GROUPS.items():
        found = [record for record in run.records.values() if record["group"] == group]
        if found:
            parts.append(f"<h2>{escape(title)}</h2>")
        parts += [_card(run, record) for record in found]
    path = run.folder / "report.html"
    path.write_text("".join([*parts, "</main></html>\n"]))
    return path


def _contents(run: Run) -> str:
    links = [f"<a href='#{escape(name)}'>{escape(name)}</a>" for name in run.records]
    return f"<nav>{''.join(links)}</nav>"


def _card(run: Run, record: dict[str, Any]) -> str:
    """One benchmark: what is asked, the picture, the plots, the tables."""
    facts = [f"{value:,} {key}" if isinstance(value, int) else f"{key}: {value}" for key, value in _facts(record)]
    chips = f"<div class=chips>{''.join(f'<span>{escape(fact)}</span>' for fact in facts)}</div>" if facts else ""
    parts = [
        f"<div class=card id='{escape(record['benchmark'])}'><h3>{escape(record['benchmark'])}</h3>"
        f"<p>{escape(record['description'])} <span class=soft>Asked: {escape(record['question'])}</span></p>{chips}"
    ]
    if record.get("failed"):
        word = "failed" if record.get("broken") else "skipped"
        parts.append(f"<p><span class=bad>{word}</span> {escape(record['failed'])}</p>")
    for name in record.get("pictures", ()):
        file = picture(run, name)
        if file is not None:
            data = base64.b64encode(file.read_bytes()).decode()
            parts.append(f"<img alt='{escape(record['description'])}' src='data:image/png;base64,{data}'>")
    drawn = plots.distributions(record)
    if drawn is not None:
        parts.append(f"<div class='wide scroll'>{drawn}</div>")
    if record.get("curves"):
        parts.append(f"<div class=curves>{''.join(plots.curves(curve) for curve in record['curves'])}</div>")
    parts += [_table(table) for table in tables.of(record)]
    return "".join([*parts, "</div>"])


def _facts(record: dict[str, Any]) -> list[tuple[str, Any]]:
    counted = [(key, record[key]) for key in ("questions", "repeats") if key in record]
    return [*record.get("facts", {}).items(), *counted]


def _table(table: tables.Table, title: str | None = None) -> str:
    heading = table.title if title is None else title
    caption = f"<p class=caption>{escape(heading)}</p>" if heading else ""
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in table.rows)
    note = f"<small>{escape(table.note)}</small>" if table.note else ""
    body = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f"{caption}<div class=scroll>{body}</div>{note}"


def _cell(text: str) -> str:
    badge = BADGES.get(text)
    return f"<td><span class={badge}>{escape(text)}</span></td>" if badge else f"<td>{escape(text)}</td>"
