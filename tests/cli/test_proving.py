"""`tocsin audit --prove`: the report names files, and the command that checks them does."""

import shlex

import pytest

pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")

from .cell import box_obj, tocsin

GRIPS = """steps:
- {attach: cube, robot: arm, link: lower, at: 1.0}
- {detach: cube, robot: arm, at: 3.0}
"""

STILL = """steps:
- {wait: arm, seconds: 0.5}
"""


def test_a_free_trajectory_is_one_proof_and_the_command_accepts_it(cell):
    base = ("audit", cell.urdf, cell.trajectory(), "--srdf", cell.srdf, "--scene", cell.far)
    said = tocsin(*base, "--margin", "0.02", "--prove", cell.folder / "out")
    assert said.code == 0, said.err
    assert "1 free; to check them:" in said.out
    words = shlex.split(said.out[said.out.index("tocsin verify") :])
    checked = tocsin(*words[1:])
    assert checked.code == 0, checked.out
    assert "margin 0.02 m" in checked.out


def test_what_is_in_contact_is_proven_piece_by_piece(cell):
    there_and_back = cell.write("twice.csv", "time,shoulder,elbow\n0,0,0\n2,1.5,0.5\n3,1.5,0.5\n5,0,0\n")
    said = tocsin("audit", cell.urdf, there_and_back, "--srdf", cell.srdf, "--scene", cell.plate, "--scene", cell.far,
                  "--ignore", "left,plate", "--ignore", "right,plate", "--prove", cell.folder / "out",
                  "--json")  # fmt: skip
    assert said.code == 1, said.err
    proofs = said.json["proofs"]
    assert [(f["claim"], f["waypoints"]) for f in proofs["files"]] == [
        ("contact", [0, 1]), ("free", [1, 2]), ("contact", [2, 3]),
    ]  # fmt: skip
    assert tocsin(*shlex.split(proofs["command"])[1:]).code == 0


@pytest.mark.parametrize("error", [(), ("--error", "0.001")])
def test_a_program_of_two_robots_is_proven_phase_by_phase_with_what_is_carried(cell, error):
    """In tubes too, in which the cube may lie otherwise in the hand, and elsewhere when it is let go."""
    cube = cell.write("cube.obj", box_obj(0.02, 0.02, 0.02, (0.0, 0.0, 1.18)))
    grips = cell.write("grips.yaml", GRIPS)
    other = cell.write("other.csv", "time,shoulder,elbow\n0.5,0,0\n2.5,0.4,0.2\n")
    report = cell.folder / "report.html"
    said = tocsin("audit", cell.urdf, cell.trajectory(), "--srdf", cell.srdf, "--scene", cell.far, "--scene", cube,
                  "--with", cell.urdf, other, "--place", "arm-2=5,0,0", "--events", grips, "--prove",
                  cell.folder / "out", "--report", report, "--json", *error)  # fmt: skip
    proofs = said.json["proofs"]
    assert [f["claim"] for f in proofs["files"]] == ["free"] * len(proofs["files"]), said.err
    assert [f["carried"] for f in proofs["files"]] == [[], [["arm", "cube"]], []]
    ends = [f["seconds"] for f in proofs["files"]]
    assert [a[1] for a in ends[:-1]] == [b[0] for b in ends[1:]]
    assert said.code == 0
    assert tocsin(*shlex.split(proofs["command"])[1:]).code == 0
    for part in proofs["files"]:
        assert part["file"] in report.read_text()


def test_a_program_that_touches_has_proofs_of_contact_and_of_the_rest(cell):
    steps = cell.write("still.yaml", STILL)
    said = tocsin("audit", cell.urdf, cell.trajectory(), "--srdf", cell.srdf, "--scene", cell.plate, "--scene",
                  cell.far, "--ignore", "left,plate", "--ignore", "right,plate", "--events", steps, "--prove",
                  cell.folder / "out", "--json")  # fmt: skip
    assert said.code == 1, said.err
    proofs = said.json["proofs"]
    assert {f["claim"] for f in proofs["files"]} == {"free", "contact"}
    assert tocsin(*shlex.split(proofs["command"])[1:]).code == 0
