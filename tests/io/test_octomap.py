"""Octomaps: written here by the format's definition, read as boxes of the same union, coarser ones that contain it."""

import numpy as np
import pytest

import tocsin
from octomaps import encoded, full
from tocsin import Body, TocsinError
from tocsin.io import octomap
from tocsin.io.octomap import read_octomap

HEADER = "# Octomap OcTree binary file\n# anything\n#\nid OcTree\nsize {}\nres {}\ndata\n"

FULL = HEADER.format(1, 0.1).replace(" binary", "")


def saved(tmp_path, cells, res=0.1):
    tree = encoded(cells)
    file = tmp_path / "map.bt"
    file.write_bytes(HEADER.format(len(tree) // 2, res).encode() + tree)
    return file


def cells_of(centres, sizes, res):
    """Return the cells that boxes cover, each counted."""
    low = np.round(centres / res - 0.5 * sizes / res + 32768).astype(int)
    high = np.round(centres / res + 0.5 * sizes / res + 32768).astype(int)
    return [c for a, b in zip(low, high) for c in np.ndindex(*(b - a)) for c in [tuple((a + c).tolist())]]


def test_boxes_are_the_occupied_cells_each_once_and_few(tmp_path):
    rng = np.random.default_rng(1)
    scattered = {tuple(c) for c in (32768 + rng.integers(-6, 6, (150, 3))).tolist()}
    block = {(32768 + x, 32768 + y, 32768 + z) for x in range(4) for y in range(8) for z in range(-3, 5)}
    for cells in (scattered, block, scattered | block, {(0, 0, 0)}, {(65535, 65535, 65535)}):
        found = cells_of(*read_octomap(saved(tmp_path, cells)), 0.1)
        assert len(found) == len(set(found))
        assert set(found) == cells
    assert len(read_octomap(saved(tmp_path, block))[0]) == 1


@pytest.mark.parametrize(("kind", "colour"), [("OcTree", b""), ("ColorOcTree", b"\1\2\3")])
def test_a_full_tree_has_the_same_boxes_as_a_binary_one(tmp_path, kind, colour):
    rng = np.random.default_rng(3)
    scattered = {tuple(c) for c in (32768 + rng.integers(-6, 6, (80, 3))).tolist()}
    block = {(32768 + x, 32768 + y, 32768 + z) for x in range(4) for y in range(8) for z in range(-3, 5)}
    for cells in (scattered, block, {(0, 0, 0)}, {(65535, 65535, 65535)}):
        header = HEADER.format(1, 0.1).replace(" binary", "").replace("id OcTree", f"id {kind}")
        (tmp_path / "map.ot").write_bytes(header.encode() + full(cells, colour))
        for one, other in zip(read_octomap(tmp_path / "map.ot"), read_octomap(saved(tmp_path, cells))):
            assert np.array_equal(one, other)


def test_coarser_cells_contain_the_fine_ones(tmp_path):
    rng = np.random.default_rng(2)
    cells = {tuple(c) for c in (32768 + rng.integers(-6, 6, (60, 3))).tolist()}
    centres, sizes = read_octomap(saved(tmp_path, cells), 0.2)
    assert set(cells_of(centres, sizes, 0.1)) == {
        tuple(2 * (c // 2) + d for c, d in zip(cell, step)) for cell in cells for step in np.ndindex(2, 2, 2)
    }


def test_a_body_stands_where_the_cells_are(tmp_path):
    body = Body.from_octomap(saved(tmp_path, {(32768 + 10, 32768, 32768)}), name="map")
    ball = Body(tocsin.Sphere(0.1), name="ball")
    hit = tocsin.Scene(body, ball).first_contact(ball.move((0, 0.05, 0.05), (2, 0.05, 0.05)), tolerance=1e-9)
    assert hit.time == pytest.approx(0.45, abs=1e-8)
    with pytest.raises(TocsinError, match="resolution"):
        Body.from_octomap(saved(tmp_path, {(32768, 32768, 32768)}), resolution=-1.0)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"# Octomap\n", "begins neither with"),
        (b"# Octomap OcTree file\n", "no line 'data'"),
        (FULL.encode() + b"\0\0\0", "ends within its tree"),
        (FULL.encode() + b"\0\0\xc0\x7f\0", "no number for its log-odds"),
        (FULL.encode() + b"\0\0\0\0\1" * 17 + b"\0" * 5, "deeper than 16"),
        (FULL.encode() + b"\0" * 6, "takes 5 bytes, and 6 follow"),
        (HEADER.format(1, 0.1).encode()[:-5], "no line 'data'"),
        (HEADER.format("many", 0.1).encode(), "with numbers"),
        (HEADER.format(1, "nan").encode() + b"\0\0", "resolution"),
        (HEADER.format(1, 0.1).replace("id OcTree", "id Other").encode() + b"\0\0", "kind 'Other'"),
        (HEADER.format(9, 0.1).encode() + b"\3\0", "ends within its tree"),
        (HEADER.format(9, 0.1).encode() + b"\3\0" * 16 + b"\2\0", "deeper than 16"),
        (HEADER.format(9, 0.1).encode() + b"\3\0" * 16 + b"\1\0", "deeper than 16"),
        (HEADER.format(1, 0.1).encode() + b"\2\0\2\0", "takes 2 bytes, and 4 follow"),
        (HEADER.format(1, 0.1).encode() + b"\1\0", "no occupied cells"),
        (HEADER.format(0, 0.1).encode(), "no occupied cells"),
        (HEADER.format(10**18, 0.1).encode(), "the file ends there"),
    ],
)
def test_a_file_that_is_no_octomap_is_refused_in_a_sentence(tmp_path, data, said):
    file = tmp_path / "map.bt"
    file.write_bytes(data)
    with pytest.raises(TocsinError, match=said):
        Body.from_octomap(file)


def test_more_cubes_than_can_be_held_are_refused_unless_coarser_ones_are_asked_for(tmp_path, monkeypatch):
    """A writer joins eight equal cells; one of bad intent has three million in a megabyte."""
    monkeypatch.setattr(octomap, "MOST_CUBES", 1000)
    tree = b"\xaa\x2a"  # seven of eight
    for _ in range(4):
        tree = b"\xff\xff" + 8 * tree
    file = tmp_path / "map.bt"
    file.write_bytes(HEADER.format(9, 1.0).encode() + tree)
    with pytest.raises(TocsinError, match="more than 1000 occupied cubes; give resolution="):
        read_octomap(file)
    centres, sizes = read_octomap(file, 2.0**13)  # all of it
    assert centres.tolist() == [[0.0, 0.0, 0.0]]
    assert sizes.tolist() == [[2.0**16] * 3]
    monkeypatch.setattr(octomap, "MOST_CUBES", 7 * 8**4)
    assert read_octomap(file)[1].prod(axis=1).sum() == 7 * 8**4 * 2.0 ** (3 * 11)
