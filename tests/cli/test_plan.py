"""`tocsin plan`: what it writes is proven by `tocsin audit`."""

import numpy as np
import pytest

from tocsin.cli import plan

from .cell import tocsin


def asked(cell, folder, *more):
    """The command line of a way past the plate, which a straight motion does not miss."""
    return ("plan", cell.urdf, "--srdf", cell.srdf, "--scene", cell.plate, "--from", "up", "--to", "down",
            "--out", folder / "plan.csv", *more)  # fmt: skip


def test_a_plan_is_a_trajectory_that_an_audit_proves(cell, tmp_path):
    straight = tocsin("check", cell.urdf, "--srdf", cell.srdf, "--scene", cell.plate, "--from", "up", "--to", "down")
    assert straight.code == 1
    said = tocsin(*asked(cell, tmp_path, "--margin", "0.01", "--group", "both"))
    assert said.code == 0, said.err
    assert said.out.startswith("free: proven that arm keeps more than 10 mm from what is around it")
    audited = tocsin("audit", cell.urdf, tmp_path / "plan.csv", "--srdf", cell.srdf, "--scene", cell.plate,
                     "--margin", "0.01", "--json")  # fmt: skip
    assert audited.code == 0
    assert audited.json["free"]
    rows = np.loadtxt(tmp_path / "plan.csv", delimiter=",", skiprows=1)
    assert rows[0, 1:3].tolist() == [0.0, 0.0]
    assert rows[-1, 1:3].tolist() == [1.5, 0.5]
    assert (np.diff(rows[:, 0]) > 0).all()


def test_pages_and_pictures_are_written_and_json_says_so(cell, tmp_path):
    page, picture = tmp_path / "plan.html", tmp_path / "plan.png"
    found = tocsin(*asked(cell, tmp_path, "--save", page, "--picture", picture, "--seed", "2", "--json"))
    assert found.code == 0, found.err
    assert found.json["free"]
    assert found.json["files"] == [str(tmp_path / "plan.csv"), str(page), str(picture)]
    assert picture.stat().st_size > 10_000
    assert page.stat().st_size > 10_000


def test_a_way_that_is_not_found_in_time_leaves_with_1_and_bad_names_with_2(cell, tmp_path):
    late = tocsin(*asked(cell, tmp_path, "--seconds", "1e-9"))
    assert late.code == 1
    assert "no way was found in time" in late.out
    assert not (tmp_path / "plan.csv").exists()
    for option, name in (("--out", "plan.txt"), ("--save", "a.png"), ("--picture", "a.html")):
        wrong = tocsin(*asked(cell, tmp_path), option, tmp_path / name)
        assert wrong.code == 2
        assert "must end in" in wrong.err
    assert plan.ATTEMPTS == 3


def test_a_start_in_contact_says_with_what(cell, tmp_path):
    said = tocsin("plan", cell.urdf, "--scene", cell.plate, "--from", "0.9,0,0", "--to", "0,0,0", "--out",
                  tmp_path / "plan.csv")  # fmt: skip
    assert said.code == 2
    assert said.err.startswith("error: the start is not free: 'lower' and 'plate'"), pytest.fail(said.err)
