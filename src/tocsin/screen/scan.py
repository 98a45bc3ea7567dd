"""Where two drawings overlap: steps four to six of section 9.

Row by row: the records of both bodies, the extents of the faces that they bound (a face's extent in a row covers the
face there, see `facing.py`), and the corners. What overlaps in h, and in t so that the two can meet during the motion,
is a candidate: a corner in a face, or two edges. Rows are sorted along h, or along t where that leaves fewer pairs to
look at: many layers one behind the other, as a bolt in its nut has, lie apart in time only.

A pair of edges that overlaps in several rows is kept in a hash table, once for each run of rows.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin._jit import borrowed, kernel
from tocsin.contacts.timed import with_room
from tocsin.screen.facing import MOST_SIDES

SPAN = np.dtype(
    [("lo", "f8"), ("hi", "f8"), ("other_lo", "f8"), ("other_hi", "f8"), ("what", "i4"), ("spare", "i4")], align=True
)
"""What is in a row: a stretch along the axis by which rows are sorted, one along the other, and a number."""

EXTENT = np.dtype(
    [("hlo", "f8"), ("hhi", "f8"), ("tlo", "f8"), ("thi", "f8"), ("row", "i4"), ("spare", "i4")], align=True
)
"""A face in the row that is being scanned."""

CANDIDATE = np.dtype(
    [
        ("tau", "f8"),  # rough time of contact, and stretch of it
        ("lo", "f8"),
        ("hi", "f8"),
        ("gap", "f8"),
        ("s_a", "f8"),  # rough place on the edges
        ("s_b", "f8"),
        ("a", "i4"),  # a corner, face or piece
        ("b", "i4"),
        ("kind", "i4"),
        ("row", "i4"),
    ],
    align=True,
)

CORNER_OF_A, CORNER_OF_B, EDGES = range(3)

ONE_BY_ONE = 1600
"""Lists with up to this many pairs are not sorted: comparing them one by one is quicker (measured)."""


class Candidates(NamedTuple):
    """What may touch."""

    rows: np.ndarray
    count: int


@kernel
def sort_spans(spans, n):
    """Sort by `lo`: Shell's sort, whose last pass is insertion."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            lo = spans[i]["lo"]
            hi = spans[i]["hi"]
            other_lo = spans[i]["other_lo"]
            other_hi = spans[i]["other_hi"]
            what = spans[i]["what"]
            k = i
            while k >= gap and spans[k - gap]["lo"] > lo:
                copy_span(spans, k, spans, k - gap)
                k -= gap
            if k != i:
                write_span(spans, k, lo, hi, other_lo, other_hi, what)
        gap //= 3


@kernel
def write_span(spans, k, lo, hi, other_lo, other_hi, what):
    """Write span k."""
    span = spans[k]
    span["lo"] = lo
    span["hi"] = hi
    span["other_lo"] = other_lo
    span["other_hi"] = other_hi
    span["what"] = what


@kernel
def copy_span(to, i, spans, k):
    """Copy span k to place i of another list."""
    span = spans[k]
    write_span(to, i, span["lo"], span["hi"], span["other_lo"], span["other_hi"], span["what"])


@kernel
def overlaps(a, n_a, b, n_b, pairs):
    """Write the pairs (what of a, what of b) that overlap along both axes; return how many, also if there is no room.

    Short lists are compared one by one. Long ones are sorted by `lo`; then each span looks forward in the other list,
    at what begins no earlier than itself and no later than it ends, so that each pair is met once.
    """
    count = 0
    room = pairs.shape[0]
    if n_a * n_b <= ONE_BY_ONE:
        for i in range(n_a):
            span = a[i]
            lo = span["lo"]
            hi = span["hi"]
            other_lo = span["other_lo"]
            other_hi = span["other_hi"]
            for k in range(n_b):
                other = b[k]
                if (
                    (other["lo"] <= hi)
                    & (other["hi"] >= lo)
                    & (other["other_lo"] <= other_hi)
                    & (other["other_hi"] >= other_lo)
                ):
                    if count < room:
                        pairs[count, 0] = span["what"]
                        pairs[count, 1] = other["what"]
                    count += 1
        return count
    sort_spans(a, n_a)
    sort_spans(b, n_b)
    start = 0
    for i in range(n_a):
        span = a[i]
        while start < n_b and b[start]["lo"] < span["lo"]:
            start += 1
        for k in range(start, n_b):
            other = b[k]
            if other["lo"] > span["hi"]:
                break
            if other["other_lo"] <= span["other_hi"] and other["other_hi"] >= span["other_lo"]:
                if count < room:
                    pairs[count, 0] = span["what"]
                    pairs[count, 1] = other["what"]
                count += 1
    start = 0
    for i in range(n_b):
        span = b[i]
        while start < n_a and a[start]["lo"] <= span["lo"]:
            start += 1
        for k in range(start, n_a):
            other = a[k]
            if other["lo"] > span["hi"]:
                break
            if other["other_lo"] <= span["other_hi"] and other["other_hi"] >= span["other_lo"]:
                if count < room:
                    pairs[count, 0] = other["what"]
                    pairs[count, 1] = span["what"]
                count += 1
    return count


@kernel
def row_extents(records, pieces, edges, edge_sides, k, first_face, n_faces, row, extents, listed):
    """Write the extents of all faces that have records in a row, the first of which is k; return how many."""
    n = 0
    while k >= 0:
        rec = records[k]
        number = rec["piece"]
        piece = pieces[number if number >= 0 else -1 - number]
        shift = piece["copy"] * n_faces
        sides = 1
        if piece["edge"] >= 0:
            edge = edges[piece["edge"]]
            sides = min(edge["sides"], MOST_SIDES)
        for side in range(sides):
            f = piece["face"]
            if piece["edge"] >= 0:
                if not piece["mask"] >> side & 1:
                    continue
                f = edge_sides[edges[piece["edge"]]["side"] + side]["face"] - first_face
            f += shift
            extent = extents[f]
            if extent["row"] != row:
                extent["row"] = row
                extent["hlo"] = rec["hlo"]
                extent["hhi"] = rec["hhi"]
                extent["tlo"] = rec["tlo"]
                extent["thi"] = rec["thi"]
                listed[n] = f
                n += 1
            else:
                extent["hlo"] = min(extent["hlo"], rec["hlo"])
                extent["hhi"] = max(extent["hhi"], rec["hhi"])
                extent["tlo"] = min(extent["tlo"], rec["tlo"])
                extent["thi"] = max(extent["thi"], rec["thi"])
        k = rec["next"]
    return n


@kernel
def bulge(frame, face, r, extent):
    """Return by how much t inside a face can pass its values on the boundary, in a row at r.

    Claim. The plane n . x = d meets the cylinder of radius r in y = const - b cos(phi - phi_0), b = r |(n_x, n_z)| /
    |n_y|, a graph over phi. Between two boundary points D apart in phi it is off its chord by at most b D^2 / 8, and so
    is t by g / c times that (c = g^2 + theta^2 r^2), being linear in phi and y. Where n_y = 0 the section is phi =
    const and t linear on it. D is at most (theta (thi - tlo) c + |g| (hhi - hlo) sqrt(c) / r) / c: h and t are phi and
    y, turned and scaled.
    """
    if frame.angle == 0.0 or frame.pitch == 0.0 or face[1] == 0.0 or r <= 0.0:
        return 0.0
    c = frame.pitch * frame.pitch + frame.angle * frame.angle * r * r
    turn = frame.angle * (extent["thi"] - extent["tlo"])
    turn += abs(frame.pitch) * (extent["hhi"] - extent["hlo"]) / (math.sqrt(c) * r)
    b = r * math.sqrt(face[0] * face[0] + face[2] * face[2]) / abs(face[1])
    return abs(frame.pitch) / c * b * 0.125 * turn * turn


@kernel
def may_cross(a, b, size):
    """Can the two curves of which these are chords, in one row, cross in it?

    A curve is within a quarter of a pixel of its chord in r and in h, so within that times 1 + |slope| in h at equal r.
    Chords that keep farther apart than both together over the r that they share, and a quarter of a pixel beyond,
    belong to curves that do not cross.
    """
    lo = max(a["r0"], b["r0"]) - 0.5 * size
    hi = min(a["r1"], b["r1"]) + 0.5 * size
    if lo > hi:
        return False
    gap_lo = a["h0"] + a["slope"] * (lo - a["r0"]) - b["h0"] - b["slope"] * (lo - b["r0"])
    gap_hi = a["h0"] + a["slope"] * (hi - a["r0"]) - b["h0"] - b["slope"] * (hi - b["r0"])
    slack = 0.25 * size * (2.0 + abs(a["slope"]) + abs(b["slope"]))
    return not (min(gap_lo, gap_hi) > slack or max(gap_lo, gap_hi) < -slack)


@kernel
def find_slot(keys, values, key):
    """Return the slot of a key in an open hash table whose size is a power of two, or of a free one."""
    mask = keys.shape[0] - 1
    slot = (key * 0x9E3779B1 >> 7) & mask
    while values[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def rehash(keys, values):
    """Return a table of four times the size with the same entries."""
    new_keys = np.empty(4 * keys.shape[0], dtype=np.int64)
    new_values = np.full(4 * keys.shape[0], -1, dtype=np.int32)
    for k in range(keys.shape[0]):
        if values[k] >= 0:
            slot = find_slot(new_keys, new_values, keys[k])
            new_keys[slot] = keys[k]
            new_values[slot] = values[k]
    return new_keys, new_values


class Tables(NamedTuple):
    """What a scan writes and reads again."""

    found: np.ndarray
    spans_a: np.ndarray
    spans_b: np.ndarray
    pairs: np.ndarray
    keys: np.ndarray
    """Of the hash table of pairs of edges, and `values`: candidates, -1 where a slot is free."""
    values: np.ndarray
    extents_a: np.ndarray
    extents_b: np.ndarray
    listed: np.ndarray


@kernel
def borrowed_tables(tables):
    """Return the tables without their owners, which the caller keeps alive."""
    return Tables(
        borrowed(tables.found),
        borrowed(tables.spans_a),
        borrowed(tables.spans_b),
        borrowed(tables.pairs),
        borrowed(tables.keys),
        borrowed(tables.values),
        borrowed(tables.extents_a),
        borrowed(tables.extents_b),
        borrowed(tables.listed),
    )


@kernel
def add_edges(records_a, records_b, size, width, row, pairs, count, found, keys, values, n, entries):
    """Add the pairs of edges of a row to the candidates, once for each run of rows; return (candidates, entries)."""
    for k in range(count):
        a = records_a[pairs[k, 0]]
        b = records_b[pairs[k, 1]]
        if not may_cross(a, b, size):
            continue
        key = np.int64(a["piece"]) * width + np.int64(b["piece"])
        slot = find_slot(keys, values, key)
        gap = abs(a["hlo"] + a["hhi"] - b["hlo"] - b["hhi"])
        old = values[slot]
        at = n
        if old >= 0 and found[old]["row"] >= row - 1:
            found[old]["row"] = row
            if gap >= found[old]["gap"]:
                continue
            at = old
        else:
            n += 1
            if old < 0:
                entries += 1
            keys[slot] = key
            values[slot] = at
        new = found[at]
        new["kind"] = EDGES
        new["a"] = a["piece"]
        new["b"] = b["piece"]
        new["row"] = row
        new["gap"] = gap
        new["s_a"] = a["s"]
        new["s_b"] = b["s"]
        new["lo"] = a["tlo"] - b["thi"]
        new["hi"] = a["thi"] - b["tlo"]
        new["tau"] = 0.5 * (new["lo"] + new["hi"])
    return n, entries


@kernel
def add_corners(vertices, extents, n_faces, kind, pairs, count, found, n):
    """Add the pairs of a corner and a face of a row to the candidates; return how many there are now."""
    for k in range(count):
        vertex = vertices[pairs[k, 0]]
        extent = extents[pairs[k, 1]]
        new = found[n]
        new["kind"] = kind
        if kind == CORNER_OF_B:
            new["a"] = pairs[k, 1] % n_faces
            new["b"] = vertex["corner"]
            new["lo"] = extent["tlo"] - vertex["t"]
            new["hi"] = extent["thi"] - vertex["t"]
        else:
            new["a"] = vertex["corner"]
            new["b"] = pairs[k, 1] % n_faces
            new["lo"] = vertex["t"] - extent["thi"]
            new["hi"] = vertex["t"] - extent["tlo"]
        n += 1
    return n


@kernel
def clear_extents(extents):
    """Forget all rows."""
    for k in range(extents.shape[0]):
        extents[k]["row"] = -1


@kernel
def scan_rows(surfaces, frame, grid, drawing_a, drawing_b, surface_a, surface_b, tables, progress):
    """Scan from the row and step in `progress` on, (row, step, candidates, hash entries); stop where there is no room.

    Return 0 when all is done, or how many pairs there must be room for.
    """
    faces_a = np.int64(surface_a["faces"])
    faces_b = np.int64(surface_b["faces"])
    found, spans_a, spans_b, pairs, keys, values, extents_a, extents_b, listed = tables
    n = progress[2]
    entries = progress[3]
    for row in range(progress[0], grid.rows):
        r = grid.start + (row + 0.5) * grid.size
        head_a = drawing_a.heads[row]
        head_b = drawing_b.heads[row]
        first_a = drawing_a.vertex_heads[row]
        first_b = drawing_b.vertex_heads[row]
        for step in range(progress[1], 3):
            count = 0
            if step == EDGES:
                if head_a < 0 or head_b < 0:
                    continue
                all_a = drawing_a.bounds[row]
                all_b = drawing_b.bounds[row]
                n_a, h_a, t_a = gather_records(drawing_a.records, head_a, all_b, spans_a, 1.0, 0.0)
                if n_a == 0:
                    continue
                n_b, h_b, t_b = gather_records(drawing_b.records, head_b, all_a, spans_b, 0.0, 1.0)
                # Two stretches overlap about as often as their lengths add up to, in parts of the whole.
                if n_a * n_b > ONE_BY_ONE:
                    along_h = (h_a / n_a + h_b / n_b) / (max(all_a[1], all_b[1]) - min(all_a[0], all_b[0]))
                    along_t = (t_a / n_a + t_b / n_b) / (max(all_a[3], all_b[3] + 1.0) - min(all_a[2], all_b[2]))
                    if along_t < along_h:
                        exchange_axes(spans_a, n_a)
                        exchange_axes(spans_b, n_b)
                count = overlaps(spans_a, n_a, spans_b, n_b, pairs)
            elif step == CORNER_OF_B:
                if head_a < 0 or first_b < 0:
                    continue
                m = row_extents(
                    drawing_a.records, drawing_a.pieces, surfaces.edges, surfaces.sides, head_a, surface_a["face"],
                    faces_a, row, extents_a, listed,
                )  # fmt: skip
                faces_of_row(extents_a, listed, m, drawing_a.faces, frame, r, spans_b, 0.0)
                count = overlaps(spans_a, corners_of_row(drawing_b.vertices, first_b, spans_a, 1.0), spans_b, m, pairs)
            else:
                if head_b < 0 or first_a < 0:
                    continue
                m = row_extents(
                    drawing_b.records, drawing_b.pieces, surfaces.edges, surfaces.sides, head_b, surface_b["face"],
                    faces_b, row, extents_b, listed,
                )  # fmt: skip
                faces_of_row(extents_b, listed, m, drawing_b.faces, frame, r, spans_b, 1.0)
                count = overlaps(spans_a, corners_of_row(drawing_a.vertices, first_a, spans_a, 0.0), spans_b, m, pairs)
            if count == 0:
                continue
            if count > pairs.shape[0] or n + count > found.shape[0] or 2 * (entries + count) > keys.shape[0]:
                progress[0] = row
                progress[1] = step
                progress[2] = n
                progress[3] = entries
                return count
            if step == EDGES:
                n, entries = add_edges(
                    drawing_a.records, drawing_b.records, grid.size, drawing_b.counts[0], row, pairs, count, found,
                    keys, values, n, entries,
                )  # fmt: skip
            elif step == CORNER_OF_B:
                n = add_corners(drawing_b.vertices, extents_a, faces_a, np.int64(step), pairs, count, found, n)
            else:
                n = add_corners(drawing_a.vertices, extents_b, faces_b, np.int64(step), pairs, count, found, n)
        progress[1] = 0
    progress[2] = n
    return 0


@kernel
def scan(surfaces, frame, grid, drawing_a, drawing_b, surface_a, surface_b):
    """Return the candidates of two drawings; times are those of b against a, which stands."""
    faces_a = np.int64(surface_a["faces"])
    faces_b = np.int64(surface_b["faces"])
    found = np.empty(128, dtype=CANDIDATE)
    pairs = np.empty((128, 2), dtype=np.int32)
    keys = np.empty(256, dtype=np.int64)
    values = np.full(256, -1, dtype=np.int32)
    # No row has more than all records, all corners or all faces.
    most = max(max(drawing_a.counts[1], drawing_b.counts[1]), max(drawing_a.counts[2], drawing_b.counts[2]))
    most = max(most, 3 * max(faces_a, faces_b))
    spans = np.empty((2, most), dtype=SPAN)
    spans_a = spans[0]
    spans_b = spans[1]
    extents_a = np.empty(3 * faces_a, dtype=EXTENT)
    extents_b = np.empty(3 * faces_b, dtype=EXTENT)
    listed = np.empty(3 * max(faces_a, faces_b), dtype=np.int32)
    progress = np.zeros(4, dtype=np.int64)
    own = Tables(found, spans_a, spans_b, pairs, keys, values, extents_a, extents_b, listed)
    tables = borrowed_tables(own)
    clear_extents(tables.extents_a)
    clear_extents(tables.extents_b)
    while True:
        need = scan_rows(surfaces, frame, grid, drawing_a, drawing_b, surface_a, surface_b, tables, borrowed(progress))
        if need == 0:
            break
        if need > pairs.shape[0]:
            pairs = np.empty((2 * need, 2), dtype=np.int32)
        found = with_room(found, progress[2], progress[2] + need)
        while 2 * (progress[3] + need) > keys.shape[0]:
            keys, values = rehash(keys, values)
        own = Tables(found, spans_a, spans_b, pairs, keys, values, extents_a, extents_b, listed)
        tables = borrowed_tables(own)
    return Candidates(own.found, progress[2])


@kernel
def exchange_axes(spans, n):
    """Sort by the other axis from now on."""
    for k in range(n):
        span = spans[k]
        write_span(spans, k, span["other_lo"], span["other_hi"], span["lo"], span["hi"], span["what"])


@kernel
def gather_records(records, k, other, spans, since, until):
    """Write the records of real edges of a row, of which k is the first, that reach into what the other body covers
    there.

    They are spans along h that go on for `until` in t; what the other covers goes on for `since`. Return how many, and
    the sums of their lengths along h and along t.
    """
    n = 0
    h_length = t_length = 0.0
    hlo = other[0]
    hhi = other[1]
    tlo = other[2] - until
    thi = other[3] + since
    while k >= 0:
        rec = records[k]
        if (rec["piece"] >= 0) & (rec["hlo"] <= hhi) & (rec["hhi"] >= hlo) & (rec["tlo"] <= thi) & (rec["thi"] >= tlo):
            write_span(spans, n, rec["hlo"], rec["hhi"], rec["tlo"], rec["thi"] + until, k)
            h_length += rec["hhi"] - rec["hlo"]
            t_length += rec["thi"] + until - rec["tlo"]
            n += 1
        k = rec["next"]
    return n, h_length, t_length


@kernel
def corners_of_row(vertices, k, spans, until):
    """Write the corners of a row, the first of which is k, as spans that go on for `until` in t; return how many."""
    n = 0
    while k >= 0:
        vertex = vertices[k]
        write_span(spans, n, vertex["h"], vertex["h"], vertex["t"], vertex["t"] + until, k)
        n += 1
        k = vertex["next"]
    return n


@kernel
def faces_of_row(extents, listed, m, planes, frame, r, spans, late):
    """Write the faces of a row, listed with their extents, as spans that go on for `late` in t."""
    n_faces = planes.shape[0]
    for k in range(m):
        f = listed[k]
        extent = extents[f]
        extent["row"] = -1  # so that a second look at the row starts anew
        more = bulge(frame, planes[f % n_faces], r, extent)
        extent["tlo"] -= more
        extent["thi"] += more
        write_span(spans, k, extent["hlo"], extent["hhi"], extent["tlo"], extent["thi"] + late, f)
