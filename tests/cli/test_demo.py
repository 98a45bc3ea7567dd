"""`tocsin demo`, and the scene that it shows."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tocsin as library
from tocsin import viewer
from tocsin.cli import demo_scene
from tocsin.compiler.jit import PURE_PYTHON

from .cell import tocsin


def test_it_shows_the_contact_that_sampling_misses_and_leaves_with_0(tmp_path):
    pytest.importorskip("PIL", reason="the picture needs Pillow")
    said = tocsin("demo", "--out", tmp_path / "pictures")
    assert said.code == 0, said.err
    assert "contact at t = 0.56368" in said.out
    assert "sheet and plate" in said.out
    assert "edge-edge" in said.out
    assert said.out.count("no contact: the sheet went through") == 3
    assert "proven free until then, not only at samples" in said.out
    assert (tmp_path / "pictures" / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert "<html" in (tmp_path / "pictures" / "demo.html").read_text(encoding="utf-8")[:500].lower()


def test_the_keys_of_the_json_are_stable(tmp_path, monkeypatch):
    monkeypatch.setattr(viewer, "save_picture", lambda path, *_, **__: path)
    said = tocsin("demo", "--out", tmp_path, "--json")
    assert said.code == 0
    assert set(said.json) == {
        "tocsin", "command", "robot", "scene", "status", "free", "time", "configuration", "tolerance", "contacts",
        "pairs_checked", "seconds", "free_before", "sampled", "files",
    }  # fmt: skip
    assert said.json["status"] == "contact"
    assert said.json["free_before"] is True
    assert [s["contact"] for s in said.json["sampled"]] == [False, False, False]


def test_it_does_without_what_only_the_picture_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    said = tocsin("demo", "--out", tmp_path)
    assert said.code == 0
    assert "no demo.png: a picture needs Pillow" in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["demo.html"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    said = tocsin("demo", "--out", tmp_path / "file" / "pictures")
    assert said.code == 2
    assert said.err == f"error: {str(tmp_path / 'file' / 'pictures')!r}: Not a directory\n"


def test_the_sheet_and_the_plate_overlap_for_a_thousandth_of_the_motion():
    demo = demo_scene.build()
    hit = demo.scene.first_contact(demo.motion, tolerance=demo_scene.TOLERANCE)
    around = hit.time + np.linspace(0.0, 0.01, 1000)
    share = np.mean([demo.scene.distance(demo.robot.at(demo.at(t))).distance == 0.0 for t in around])
    assert 0.0008 < 0.01 * share < 0.0012


def test_every_mesh_of_the_scene_is_closed_and_wound_outwards():
    demo = demo_scene.build()
    meshes = [s.source for model in demo.scene.models for shapes in model.shapes for s in shapes if s.is_mesh]
    assert len(meshes) == 5
    for mesh in meshes:
        assert mesh.report.is_closed
        a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
        assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() > 0.0
        library.Body(mesh, solid=True)


def test_both_ends_of_the_motion_are_within_the_limits_and_far_from_everything():
    demo = demo_scene.build()
    for q in (demo.q0, demo.q1):
        assert demo.robot.within_limits(q)
        assert demo.scene.distance(demo.robot.at(q)).distance > 0.05


LEFT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import uses
from tocsin.cli import demo, warmup
from tocsin.geometry import cache
asked = uses.Asked()
with cache.bypassed():
    for step in demo.ASKED:
        warmup._named(step)[1]()
    steps = set(asked.taken())
    warmup.ready = lambda *_: None
    demo.demo(Path(sys.argv[2]), as_json=True)
print("left", *sorted(name.split()[0] for name in set(asked.taken()) - steps))
"""


@pytest.mark.skipif(PURE_PYTHON, reason="nothing is compiled")
def test_what_it_needs_is_compiled_on_all_cores_but_for_what_takes_a_moment(tmp_path):
    """Tables of hulls were compiled behind the other steps, on one core: ten seconds of it."""
    tools = Path(__file__).parents[2] / "tools"
    done = subprocess.run([sys.executable, "-c", LEFT, str(tools), str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    left = set(done.stdout.splitlines()[-1].split()[1:])
    assert left <= {"tocsin.row_checks.check_row", "tocsin.row_checks.write_pose", "tocsin.vec.load3"}
