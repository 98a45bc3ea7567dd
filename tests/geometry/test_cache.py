"""The cache gives back what was stored, or nothing; it never fails and never lies."""

import io
import json

import numpy as np
import pytest

from tocsin.compiler.store import Store
from tocsin.geometry import cache, shape
from tocsin.geometry.primitives import Sphere
from tocsin.geometry.support_building import are_support_patches
from tocsin.geometry.tree import NODE
from tocsin.geometry.tree_building import build_triangles, is_tree

pytestmark = pytest.mark.pure


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "ARRAYS", Store("arrays", root=tmp_path))  # kernels are found where they always are
    return tmp_path / "arrays"


ARRAYS = {"file": np.arange(5, dtype=np.int32), "b": np.ones((2, 3)), "empty": np.zeros((0, 3)), "n": np.zeros(2, NODE)}
LAYOUT = {"file": (np.int32, (5,)), "b": (float, (2, None)), "empty": (float, (None, 3)), "n": (NODE, (2,))}


def key(*parts):
    return cache.content_key(shape.__file__, *parts)


def test_what_is_stored_comes_back(place):
    assert cache.load(key("k"), LAYOUT) is None
    assert cache.store(key("k"), ARRAYS)
    found = cache.load(key("k"), LAYOUT)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype
        assert found[name].dtype.isalignedstruct == array.dtype.isalignedstruct
        assert found[name].flags.carray
    assert [file.suffix for file in place.iterdir()] == [".tocsin"]


def test_keys_tell_contents_apart():
    a = np.arange(6, dtype=np.int64)
    parts = [(a,), (a.reshape(2, 3),), (a.reshape(3, 2),), (a.view(np.uint64),), (a, "x"), ("x", a), ("ab", "c"),
             ("a", "bc"), (1,), (1.0,), ("1",), (b"1",), ()]  # fmt: skip
    keys = [key(*some) for some in parts]
    assert len(set(keys)) == len(keys)
    assert key(np.asfortranarray(a.reshape(2, 3))) == keys[1]
    assert cache.content_key(cache.__file__, a) != keys[0], "another maker"


def test_keys_tell_machines_apart(monkeypatch):
    before = key("k")
    monkeypatch.setattr("tocsin.compiler.disk_cache._host", lambda: ("another processor",))
    cache._maker.cache_clear()
    assert key("k") != before
    monkeypatch.undo()
    cache._maker.cache_clear()
    assert key("k") == before


def test_what_edited_modules_make_is_not_kept_but_has_a_key_of_its_own(monkeypatch, place):
    monkeypatch.setattr("tocsin.compiler.disk_cache.state", lambda file: None)
    cache._maker.cache_clear()
    assert key("a") != key("b")
    assert not cache.store(key("a"), ARRAYS)
    assert cache.load(key("a"), LAYOUT) is None
    cache._maker.cache_clear()
    assert not place.exists()


@pytest.mark.parametrize("wrong", [
    {"b": np.ones((3, 2))}, {"b": np.ones((2, 3), np.float32)}, {"b": np.ones(6)}, {"b": np.full((2, 3), np.nan)},
    {"more": np.ones(1)}, {"n": np.full(2, np.inf, np.float32).view("u4").repeat(16).view(NODE)},
])  # fmt: skip
def test_arrays_of_other_kinds_are_not_taken(wrong):
    cache.store(key("k"), ARRAYS | wrong)
    assert cache.load(key("k"), LAYOUT) is None


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'["file"]\n', b'["file"]\nnonsense', b"{", b"\xff\n", b'[["x"]]\n', b"7\n"]
)
def test_bytes_of_another_format_are_no_arrays(body):
    cache.ARRAYS.save(key("k"), body)
    assert cache.load(key("k"), LAYOUT) is None


def test_nothing_is_unpickled():
    file = io.BytesIO()
    file.write(json.dumps(["file"]).encode() + b"\n")
    np.lib.format.write_array(file, np.array([{"x": 1}], dtype=object), allow_pickle=True)
    cache.ARRAYS.save(key("evil"), file.getvalue())
    assert cache.load(key("evil"), {"file": (object, (1,))}) is None
    with pytest.raises(ValueError, match="Python objects"):
        cache.store(key("evil"), {"a": np.array([{}], dtype=object)})


def test_it_can_be_turned_off_and_bypassed(monkeypatch, place):
    cache.store(key("k"), ARRAYS)
    with cache.bypassed():
        assert cache.load(key("k"), LAYOUT) is None
        assert not cache.store(key("l"), ARRAYS)
    assert cache.load(key("k"), LAYOUT) is not None
    monkeypatch.setattr(cache, "ARRAYS", Store("arrays"))
    monkeypatch.setenv("TOCSIN_CACHE", "off")
    assert not cache.store(key("k"), ARRAYS)
    assert cache.load(key("k"), LAYOUT) is None


@pytest.mark.parametrize(
    "damage", [("first", 0, 0), ("first", 1, 10**6), ("count", 0, 2), ("count", -1, 0), ("first", -1, -1)]
)
def test_nodes_that_are_no_hierarchy_are_not_taken(damage):
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 30):
        assert is_tree(build_triangles(rng.random((3 * n, 3)), np.arange(3 * n, dtype=np.int32).reshape(n, 3)))
    nodes = build_triangles(rng.random((90, 3)), np.arange(90, dtype=np.int32).reshape(30, 3))
    field, at, value = damage
    nodes[at][field] = value
    assert not is_tree(nodes)


def test_patches_outside_of_their_tables_are_not_taken():
    patches = shape.make_shape(Sphere(1.0).tessellate(16)).patches
    assert are_support_patches(patches)
    assert not are_support_patches(patches._replace(corners=patches.corners[:-1]))
    for column in range(4):
        for value in (-1, 10**6):
            spans = patches.spans.copy()
            spans[0, column] = value
            assert not are_support_patches(patches._replace(spans=spans))


def test_a_mesh_from_the_cache_is_the_mesh_that_was_built(place, monkeypatch):
    mesh = Sphere(1.0).tessellate(12)
    built = shape.make_shape(mesh)
    assert len(list(place.iterdir())) == 1
    monkeypatch.setattr(shape, "fit_obb", lambda *_: pytest.fail("built again"))
    found = shape.make_shape(mesh)
    for name in ("nodes", "proxy", "radius", "center", "axes", "half", "samples"):
        assert np.asarray(getattr(built, name)).tobytes() == np.asarray(getattr(found, name)).tobytes(), name


def test_patches_from_the_cache_are_those_that_were_built(place, monkeypatch):
    mesh = Sphere(1.0).tessellate(40)
    built = shape.make_shape(mesh).patches
    assert len(list(place.iterdir())) == 2
    monkeypatch.setattr(shape, "build_support_patches", lambda *_: pytest.fail("built again"))
    for array, found in zip(built, shape.make_shape(mesh).patches, strict=True):
        assert (array.dtype, array.tobytes()) == (found.dtype, found.tobytes())
        assert found.flags.writeable, "kernels are compiled anew for arrays that cannot be written"
        assert found.ctypes.data % 64 == 0
