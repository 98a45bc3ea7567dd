"""The examples, and the code of the README, run as a user would run them and say what they are meant to say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TIME_LIMIT = 900.0
"""Seconds; the first run on a machine compiles kernels."""


def run(*arguments, cwd=ROOT):
    """Return what a fresh Python prints; it must end well."""
    # Text is UTF-8 whatever the locale of the machine.
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=environment, capture_output=True, encoding="utf-8",
        timeout=TIME_LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("example", "key"),
    [
        ("01_first_contact.py", r"contact at t = 0\.500\d\d: blade and wire(.|\n)*500 samples say: no contact"),
        ("02_rigid_bodies.py", r"by 10 degrees: contact at 1\.003\d degrees"),
        ("03_clearance.py", r"20 mm from everything +contact at t = 0\.9722, mast and ball"),
        ("04_path.py", r"the trolley crosses: contact at t = 0\.408\d, in piece 2"),
        ("05_planner_edges.py", r"let [1-9]\d* edges through that are not free"),
        ("06_your_robot.py", r"from where it stands to 'up': free"),
        ("09_cloth.py", r"towel and table touch at t = 0\.75897(.|\n)*1417 feature pairs touch"),
        ("10_all_contacts.py", r"first contact: t = 0\.425271(.|\n)*impulse 1: 4 contacts from t = 0\.425 to 0\.426"),
        ("11_contact_intervals.py", r"lower  wire   from 0\.1597 to 0\.1767(.|\n)*3 of them are shorter"),
        ("07_audit.py", r"lower and wire(.|\n)*samples farther apart than \d+\.\d ms can miss it(.|\n)*proven"),
    ],
)
def test_an_example_runs_and_says_its_key_line(example, key):
    assert re.search(key, run(ROOT / "examples" / example))


def test_the_pictures_are_written_where_they_are_asked_for(tmp_path):
    said = run(ROOT / "examples" / "08_pictures.py", tmp_path / "pictures")
    assert re.search(r"contact at t = 0\.431\d: ring and pole", said)
    assert (tmp_path / "pictures" / "throw.png").read_bytes().startswith(b"\x89PNG")
    assert "<canvas" in (tmp_path / "pictures" / "throw.html").read_text(encoding="utf-8")


def test_the_pictures_of_a_cloth_are_written_where_they_are_asked_for(tmp_path):
    said = run(ROOT / "examples" / "12_cloth_pictures.py", tmp_path)
    assert re.search(r"contact at t = 0\.\d+: cloth and upper(.|\n)*[1-9]\d+ feature pairs touch by the end", said)
    assert {file.name for file in tmp_path.iterdir()} == {
        "cloth-first.png", "cloth-first.html", "cloth-all.png", "cloth-all.html",
    }  # fmt: skip


def test_the_report_and_the_page_of_a_program_are_written_where_they_are_asked_for(tmp_path):
    said = run(ROOT / "examples" / "13_pick_and_place.py", tmp_path / "out")
    assert re.search(r"0\.68 m: contact(.|\n)*arm/sheet and post(.|\n)*0\.72 m: free, 7\.2\d mm", said)
    assert "PROVEN" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<canvas" in (tmp_path / "out" / "page.html").read_text(encoding="utf-8")


def test_every_example_is_short():
    for file in (ROOT / "examples").glob("[0-9]*.py"):
        assert len(file.read_text(encoding="utf-8").splitlines()) < 40, file.name


def test_every_example_is_tested_here():
    names = {file.name for file in (ROOT / "examples").glob("[0-9]*.py")}
    text = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in sorted(names) if name not in text] == []


def test_the_code_in_the_readme_runs_and_prints_what_it_says(tmp_path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    assert len(code) == 1
    said = run("-c", code[0], cwd=tmp_path)
    assert re.search(r"^Status\.CONTACT 0\.445\d", said)
    assert "lower plate" in said
    assert said.endswith("True\n")


def test_the_readme_is_a_page():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


def slugs(text):
    """Return the anchors of a document's headings, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)}


def test_links_in_the_documents_lead_somewhere():
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        text = document.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text):
            if target.startswith("https://"):
                continue
            file = document.parent / target if target else document
            assert file.exists(), f"{document.name}: {target}"
            if anchor:
                assert anchor in slugs(file.read_text(encoding="utf-8")), f"{document.name}: {target}#{anchor}"
