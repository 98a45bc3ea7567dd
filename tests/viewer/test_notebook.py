"""In a notebook: a scene shows a picture of itself, an answer plays, and examples are notebooks too."""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tocsin

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def scene():
    wall = tocsin.Body(tocsin.Box((0.1, 2, 2)), (1, 0, 0), name="<wall>")
    return tocsin.Scene(tocsin.Body(tocsin.Sphere(0.1), name="ball"), wall)


def test_a_scene_is_a_picture_and_its_names_are_escaped(scene):
    shown = scene._repr_html_()
    assert shown.startswith('<img src="data:image/png;base64,iVBOR')
    assert "ball (Body), &lt;wall&gt; (Body)" in shown


def test_an_answer_is_a_page_in_a_frame_that_can_be_saved(scene, tmp_path):
    move = scene.models[0].move((0, 0, 0), (2, 0, 0))
    hit = scene.first_contact(move)
    shown = hit._repr_html_()
    page = html.unescape(re.fullmatch(r'<iframe srcdoc="([^"]*)" title="[^"]*" style="[^"]*"></iframe>', shown)[1])
    assert page.startswith("<!doctype html>")
    assert "http://" not in re.sub(r"http://www\.w3\.org/\S+", "", page)
    view = scene.show(move, title="a ball", height=300)
    assert "height: 300px" in view._repr_html_()
    assert "First contact" in repr(view)
    assert view.save(tmp_path / "ball.html").read_text(encoding="utf-8") == view.text
    assert '"title":"a ball"' in view.text


def test_a_plain_record_is_text(scene):
    import pickle

    hit = scene.first_contact(scene.models[0].move((0, 0, 0), (2, 0, 0)))
    assert getattr(pickle.loads(pickle.dumps(hit)), "_repr_html_", lambda: None)() is None


def test_examples_are_notebooks_too_and_one_runs(tmp_path):
    subprocess.run([sys.executable, ROOT / "tools" / "notebooks.py", tmp_path], check=True)
    made = sorted(tmp_path.glob("*.ipynb"))
    assert [file.stem for file in made] == sorted(file.stem for file in (ROOT / "examples").glob("[0-9]*.py"))
    nbformat = pytest.importorskip("nbformat", reason="notebooks are checked by nbformat")
    for file in made:
        nbformat.validate(json.loads(file.read_text(encoding="utf-8")))
    nbclient = pytest.importorskip("nbclient", reason="notebooks are run by nbclient")
    pytest.importorskip("ipykernel", reason="notebooks are run by ipykernel")
    notebook = nbformat.read(made[0], as_version=4)
    nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("contact at t = 0.500" in output.get("text", "") for output in outputs)
    shown = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert any("<iframe srcdoc" in text for text in shown)
