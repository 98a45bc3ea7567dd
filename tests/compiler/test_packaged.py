"""Kernels that came with the package are found by their names, checked, and never mistaken for others."""

import os
import shutil
import subprocess
import sys

import llvmlite.binding
import pytest

from tocsin.compiler import disk_cache, packaged
from tocsin.compiler.jit import KNOWN, PURE_PYTHON
from tocsin.compiler.store import Store

KEY = "stem-" + "a" * 20 + "-" + "b" * 40
OTHER = "stem-" + "a" * 20 + "-" + "c" * 40


@pytest.fixture
def file(tmp_path):
    store = Store("kernels", root=tmp_path / "store")
    assert store.save(KEY, b"one" * 100)
    assert store.save(OTHER, b"other" * 50)
    packaged.pack(store, tmp_path / "level.kernels", [KEY, OTHER])
    return tmp_path / "level.kernels"


def test_what_was_packed_comes_back_and_nothing_else(file):
    archive = packaged.Archive(file, "kernels")
    assert bytes(archive.load(KEY)) == b"one" * 100
    assert bytes(archive.load(OTHER)) == b"other" * 50
    assert archive.load(KEY[:-1] + "d") is None
    assert archive.damaged() == []


def test_any_flipped_bit_leaves_no_wrong_body(file):
    """In the head, in the list of names, in a digest, in a body: what comes back is what was packed, or nothing."""
    data = file.read_bytes()
    for place in range(len(data)):
        file.write_bytes(data[:place] + bytes([data[place] ^ (1 << place % 8)]) + data[place + 1 :])
        archive = packaged.Archive(file, "kernels")
        found = [archive.load(KEY), archive.load(OTHER)]
        assert [None if body is None else bytes(body) for body in found] != [b"one" * 100, b"other" * 50]
        for body, was in zip(found, (b"one" * 100, b"other" * 50)):
            assert body is None or bytes(body) == was


@pytest.mark.parametrize("damage", [b"", b"short", b"tocsin kernels 1\n", b"tocsin kernels 1\n" + b"\xff" * 40])
def test_files_that_are_none_of_ours_hold_nothing(file, damage):
    file.write_bytes(damage)
    assert packaged.Archive(file, "kernels").places == {}
    assert packaged.Archive(file.parent / "missing", "kernels").load(KEY) is None


def test_a_body_cut_short_is_none(file):
    file.write_bytes(file.read_bytes()[:-1])
    archive = packaged.Archive(file, "kernels")
    assert [archive.load(KEY) is None, archive.load(OTHER) is None] == [False, True]


def test_levels_are_those_whose_every_feature_is_there():
    has = dict.fromkeys(packaged.LEVELS["x86-64-v4"], True)
    assert packaged.levels(has) == ("x86-64-v4", "x86-64-v3")
    assert packaged.levels(has | {"avx512vl": False}) == ("x86-64-v3",)
    assert packaged.levels(has | {"fma": False}) == ()
    assert packaged.levels({}) == ()


def test_llvm_knows_every_feature_and_level():
    """A word that LLVM does not have would never be found, and its level never used."""
    known = llvmlite.binding.get_host_cpu_features()
    if not {"avx2", "fma"} <= set(known):
        pytest.skip("no x86-64 processor")
    assert packaged.LEVELS["x86-64-v4"] <= set(known)


ADDED = """
from tocsin.compiler.jit import kernel
from tocsin.vec import dot
@kernel
def ask(x):
    return dot((x, 2.0, 3.0), (1.0, 2.0, 3.0))
"""
ASK = "from tocsin.extra import ask; print(ask(1.0), sum(ask.stats.cache_hits.values()))"


def run(package, cache, **environment):
    """What a process prints that has the package of this folder."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON", "TOCSIN"))}
    own = {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", "TOCSIN_CACHE": str(cache)}
    command = [sys.executable, "-c", ASK]
    done = subprocess.run(command, env=kept | own | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(PURE_PYTHON or not KNOWN, reason="nothing is compiled, or not by us")
def test_a_package_with_kernels_compiles_nothing_until_it_is_edited(tmp_path):
    if "x86-64-v3" not in packaged.levels(llvmlite.binding.get_host_cpu_features()):
        pytest.skip("code for x86-64-v3 does not run here")
    package = tmp_path / "tocsin"
    shutil.copytree(disk_cache.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "compiled"))
    (package / "extra.py").write_text(ADDED)
    assert run(package, tmp_path / "made", NUMBA_CPU_NAME="x86-64-v3", NUMBA_CPU_FEATURES="") == ["14.0", "0"]
    store = Store("kernels", root=tmp_path / "made")
    archive = package / "compiled/x86-64-v3.kernels"
    packaged.pack(store, archive, [name.removesuffix(".tocsin") for name in store.names()])

    assert run(package, "off") == ["14.0", "1"], "found without a folder of the user's"
    assert run(package, "off", NUMBA_CPU_NAME="x86-64-v3", NUMBA_CPU_FEATURES="+avx2") == ["14.0", "0"], "as asked for"

    whole = archive.read_bytes()
    archive.write_bytes(bytes(byte ^ (k % 99 == 0 and k > 2000) for k, byte in enumerate(whole)))
    assert run(package, "off") == ["14.0", "0"], "damaged"
    archive.write_bytes(whole)
    (package / "extra.py").write_text(ADDED.replace("(x, 2.0", "(x, 1000.0"))
    assert run(package, "off") == ["2010.0", "0"], "edited"
