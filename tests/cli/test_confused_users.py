"""What people type and do before they have read anything: a sentence, the right exit code, and no traceback."""

import os
import shutil
import subprocess
import sys

import pytest

from .cell import tocsin

STILL = ("--from", "0,0,0", "--to", "0,0,0")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--from", "0,0", "--to", "0,0"), "must have 3 values (joints: shoulder, elbow, grip)"),
        (("--from", "", "--to", "0,0,0"), "must have 3 values"),
        (("--from", "nan,0,0", "--to", "0,0,0"), "must be finite"),
        (("--from", "a,b,c", "--to", "0,0,0"), "takes numbers"),
        (("--from", "0,0,0", "--to", "gone.yaml"), "does not exist"),
        ((*STILL, "--group", "arm"), "no group 'arm'"),
        ((*STILL, "--margin", "-1"), "margin must be at least 0"),
        ((*STILL, "--margin", "wide"), "--margin takes a number; got 'wide'; see tocsin check --help."),
        ((*STILL, "--margin=wide"), "--margin takes a number; got 'wide'"),
        ((*STILL, "--margin", "nan"), "margin must be a finite number"),
        ((*STILL, "--tolerance", "0"), "tolerance must be greater than 0"),
        ((*STILL, "--ignore", "hand,table"), "no name 'hand'"),
        ((*STILL, "--ignore", "hand"), "two names"),
        ((*STILL, "--geometry", "both"), "'collision', 'visual'"),
        ((*STILL, "--packages", "nowhere"), "not a folder"),
        ((*STILL, "--margin", "2cm"), "--margin"),
        (("--from", "0,0,0"), "Missing option '--to'"),
        ((*STILL, "--speed", "3"), "No such option"),
    ],
)
def test_what_cannot_be_asked_is_said_to_people_and_to_machines(cell, options, words):
    people, machines = tocsin("check", cell.urdf, *options), tocsin("check", cell.urdf, *options, "--json")
    assert people.code == machines.code == 2
    assert people.out == ""
    assert machines.json.keys() == {"error"}
    assert words in machines.json["error"]
    assert people.err == machines.err == f"error: {machines.json['error']}\n"


def test_no_motion_no_geometry_one_waypoint_and_followers_named_are_answered_or_said(cell):
    assert tocsin("check", cell.urdf, *STILL).code == 0
    bare = cell.write("bare.urdf", '<robot name="b"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
                      '<parent link="a"/><child link="b"/></joint></robot>')  # fmt: skip
    assert tocsin("check", bare, "--from", "0", "--to", "1").code == 0
    assert tocsin("audit", bare, cell.write("j.csv", "j\n0\n1\n"), "--json").json["free"] is True
    said = tocsin("audit", cell.urdf, cell.write("one.csv", "elbow\n0\n"))
    assert (said.code, said.err) == (2, "error: a path of 'arm' needs at least two configurations; got 1.\n")
    assert tocsin("audit", cell.urdf, cell.write("both.csv", "grip,follow\n0.01,0.01\n0.02,0.02\n")).code == 0
    said = tocsin("audit", cell.urdf, cell.write("only.csv", "follow\n0.01\n0.02\n"))
    assert said.code == 2
    assert "mimics another" in said.err


def test_ten_thousand_waypoints_are_audited(cell):
    rows = "".join(f"{0.3 * (k % 100) / 100},{0.2 * (k % 70) / 70}\n" for k in range(10_000))
    said = tocsin("audit", cell.urdf, cell.write("long.csv", "elbow,shoulder\n" + rows), "--json")
    assert (said.code, said.json["waypoints"]) == (0, 10_000)


def test_paths_with_spaces_and_letters_of_all_kinds_from_any_folder(cell, tmp_path, monkeypatch):
    place = tmp_path / "my röbot 机器人"
    shutil.copytree(cell.folder, place, ignore=shutil.ignore_patterns("*.yaml"))
    monkeypatch.chdir(tmp_path)
    relative = place.relative_to(tmp_path)
    motion = ("--from", "up", "--to", "down", "--srdf", relative / "arm.srdf", "--scene", relative / "plate.obj")
    assert tocsin("check", relative / "arm.urdf", *motion, "--json").json["free"] is False


def start(*arguments, **streams):
    command = [sys.executable, "-m", "tocsin", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **streams)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_reader_that_leaves_is_neither_a_contact_nor_a_fault(cell, form):
    reader, writer = os.pipe()
    os.close(reader)
    process = start("check", cell.urdf, *STILL, *form, stdout=writer)
    os.close(writer)
    _, said = process.communicate(timeout=600)
    assert (process.returncode, said) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_full_disk_is_a_sentence(cell, form):
    with open("/dev/full", "wb") as full:
        process = start("info", cell.urdf, *form, stdout=full)
        _, said = process.communicate(timeout=600)
    assert process.returncode == 2
    assert b"No space left" in said
    assert b"Traceback" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors")
def test_a_closed_output_is_no_fault(cell):
    process = start("info", cell.urdf, preexec_fn=lambda: os.close(1))
    _, said = process.communicate(timeout=600)
    assert (process.returncode, said) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_leaves_with_130_and_without_a_traceback(cell):
    code = """
import os, signal, sys
from tocsin.cli import inputs, main
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background is born deaf to interrupts
inputs.load_robot = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)
main(["info", sys.argv[1]])
"""
    done = subprocess.run([sys.executable, "-c", code, cell.urdf], capture_output=True, timeout=600, check=False)
    assert done.returncode == 130
    assert b"Traceback" not in done.stderr


def test_a_proof_that_is_not_there_is_bad_input_and_none_that_is_refused(tmp_path):
    left = tocsin("verify", str(tmp_path / "gone.proof"), "--json")
    assert left.code == 2
    assert "it does not exist" in left.err
    assert "Errno" not in left.out
    missing = tocsin("verify")
    assert "Missing argument 'PROOF...'" in missing.err
    assert "Value error" not in tocsin("cache", "explode").err
