"""However a command ends, it ends well: with its exit code, without a traceback, and with JSON where that was asked."""

import json
import os
import subprocess
import sys

import pytest

from tocsin.cli import check, doctor
from tocsin.errors import TocsinError
from tocsin_bench import conduct
from tocsin_bench.results import runs

from .cell import tocsin

DURING_IMPORTS = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background is born deaf to interrupts
sys.meta_path.insert(0, Interrupting())
from tocsin_command import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("module", ["tocsin", "numpy", "numba", "tocsin.cli", "tocsin.cli.app"])
def test_an_interrupt_during_imports_leaves_with_130_and_json(module):
    command = [sys.executable, "-c", DURING_IMPORTS, module, "info", "--json"]
    done = subprocess.run(command, capture_output=True, timeout=600, check=False)
    assert done.returncode == 130
    assert done.stderr == b"interrupted\n"
    assert json.loads(done.stdout) == {"error": "interrupted"}


AT_MANY_MOMENTS = """
import os, signal, sys
import tocsin.cli.app
from tocsin_command import main

def ended(moment, folder):
    '''Run the command line in a child that is interrupted at a call of a function: the code it ends with.'''
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for number in (1, 2):
        os.dup2(os.open(f"{folder}/{moment}.{number}", os.O_WRONLY | os.O_CREAT, 0o600), number)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += 1
        if calls == moment:
            os.kill(os.getpid(), signal.SIGINT)

    sys.setprofile(count)
    try:
        main()
    except SystemExit as left:
        sys.setprofile(None)
        if moment == 0:
            os.write(3, str(calls).encode())
        os._exit(left.code)
    except BaseException:
        sys.setprofile(None)
        sys.excepthook(*sys.exc_info())
        os._exit(99)

folder, sys.argv[1:] = sys.argv[1], sys.argv[2:]
os.dup2(os.open(f"{folder}/calls", os.O_WRONLY | os.O_CREAT, 0o600), 3)
print(0, ended(0, folder))
total = int(open(f"{folder}/calls").read())
# The seventh call is the first one after Python has been told what to do at an interrupt.
moments = {7 + k * total // 40 for k in range(40)} | set(range(total - 60, total + 1))
for moment in sorted(moments):
    print(moment, ended(moment, folder), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_at_any_moment_leaves_one_json_object_and_no_traceback(tmp_path):
    command = [sys.executable, "-c", AT_MANY_MOMENTS, str(tmp_path), "cache", "--json"]
    environment = dict(os.environ, TOCSIN_CACHE="off")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    ends = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert ends[0] == (0, 0)
    assert len(ends) > 90
    for moment, code in ends[1:]:
        told = (tmp_path / f"{moment}.2").read_text()
        assert (code, told) in ((130, "interrupted\n"), (0, "")), (moment, told)
        said = json.loads((tmp_path / f"{moment}.1").read_text())
        assert "error" not in said or code == 130
    assert {code for _, code in ends[1:90]} == {130}


IN_A_CALLBACK = """
import os, signal, weakref
import tocsin.cli, tocsin_command

class Thing:
    pass

def called(_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass

def run():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    thing = Thing()
    reference = weakref.ref(thing, called)
    del thing
    print("went on")

tocsin.cli.main = run
tocsin_command.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_in_a_callback_of_pythons_is_not_lost():
    """Python reports it, and goes on."""
    command = [sys.executable, "-c", IN_A_CALLBACK, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, '{"error": "interrupted"}\n', "interrupted\n")


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (ZeroDivisionError("on\npurpose"), 3, "ZeroDivisionError: on purpose"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (TocsinError("it is wrong."), 2, "it is wrong"),
        (OSError(28, "No space left"), 2, "No space left"),
    ],
)
def test_every_exit_prints_json_where_json_was_asked(cell, monkeypatch, raised, code, words):
    def fail(*_, **__):
        raise raised

    monkeypatch.setattr(check.inputs, "load_robot", fail)
    said = tocsin("info", cell.urdf, "--json")
    assert said.code == code
    assert words in said.json["error"]


def test_a_tilde_is_the_users_home_everywhere(cell, monkeypatch):
    monkeypatch.setenv("HOME", str(cell.folder))
    assert tocsin("info", "~/arm.urdf", "--srdf=~/arm.srdf", "--json").code == 0
    from tocsin import Mesh, Robot, load_environment

    assert Robot.from_urdf("~/arm.urdf", srdf="~/arm.srdf", packages=["~"]).link_names
    assert load_environment("~/plate.obj")
    assert len(Mesh.load("~/plate.obj").faces)
    assert tocsin("info", "~nobody-at-all/arm.urdf").code == 2


def test_doctor_finds_both_engines_well_and_says_where():
    said = tocsin("doctor", "--json")
    assert said.code == 0
    assert said.json["well"]
    assert {case["method"] for case in said.json["cases"]} == {"advancement", "interval"}
    assert {"processor", "cache", "versions", "compiles_for"} <= set(said.json["machine"])
    shown = tocsin("doctor")
    assert "all is well" in shown.out
    assert "WRONG" not in shown.out


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="POSIX")
def test_doctor_says_why_a_cache_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "_known", list)
    monkeypatch.setenv("TOCSIN_CACHE", str(tmp_path))
    assert tocsin("doctor", "--json").json["machine"]["cache_refused"] is None
    tmp_path.chmod(0o777)
    assert "written by others" in tocsin("doctor", "--json").json["machine"]["cache_refused"]
    assert "written by others" in " ".join(tocsin("doctor").out.split())


def test_doctor_leaves_with_1_where_an_answer_is_wrong(monkeypatch):
    known = [(title, scene, motion, 0.25, 1e-6) for title, scene, motion, *_ in doctor._known()[:2]]
    monkeypatch.setattr(doctor, "_known", lambda: known)
    said = tocsin("doctor", "--json")
    assert said.code == 1
    assert [case["right"] for case in said.json["cases"]] == [False] * 4


# ---- reports of strangers' runs --------------------------------------------------------------------------------------

SCRIPT = "<script>alert(1)</script>"
MACHINE = {"cpu": SCRIPT, "cores": SCRIPT, "system": SCRIPT, "commit": SCRIPT, "versions": {SCRIPT: SCRIPT}}
RECORD = {
    "benchmark": "one", "description": SCRIPT, "question": SCRIPT, "group": "rigid", "facts": {SCRIPT: SCRIPT},
    "tables": [{"title": SCRIPT, "columns": [SCRIPT], "rows": [[SCRIPT]], "note": SCRIPT}],
}  # fmt: skip


def stored(folder, record, machine=MACHINE):
    about = {"date": SCRIPT, "command": SCRIPT, "machine": machine}
    folder.mkdir(exist_ok=True)
    (folder / runs.FILE).write_text("".join(json.dumps(line) + "\n" for line in (about, record)))
    return folder


def test_a_strangers_run_is_escaped_and_shows_no_file_from_elsewhere(tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"a secret")
    folder = tmp_path / "run"
    folder.mkdir()
    os.symlink(secret, folder / "link.png")
    (folder / "own.png").write_bytes(b"its own")
    pictures = [str(secret), "../secret.png", "link.png", "/etc/hostname", "own.png", runs.FILE, 3]
    page, markdown = conduct.write_report(stored(folder, RECORD | {"pictures": pictures}), None, tmp_path)
    for file in (page, markdown):
        assert "<script" not in file.read_text()
    assert page.read_text().count("data:image/png") == 1
    assert "YSBzZWNyZXQ" not in page.read_text()
    assert markdown.read_text().count("![") == 1


@pytest.mark.parametrize(
    "change", [{"benchmark": "../../away"}, {"benchmark": "a/b"}, {"description": 3}, {"tables": 3}, {"group": None}]
)
def test_a_run_that_no_bench_has_written_is_a_sentence(tmp_path, change):
    folder = stored(tmp_path / "run", RECORD | change)
    if "group" in change:
        conduct.write_report(folder, None, tmp_path)  # it belongs to no chapter
        return
    with pytest.raises(TocsinError, match="that `tocsin bench run` has written"):
        conduct.write_report(folder, None, tmp_path)
    assert not (tmp_path.parent / "away.svg").exists()
