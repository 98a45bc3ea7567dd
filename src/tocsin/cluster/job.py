"""A job over a file of edges: parts that are answered in any order, each kept as soon as it is done.

Beside `answers.parquet` lies a folder `answers.parquet.parts` while the job runs. A part is written completely or not
at all. A job that was interrupted, by a full disk or by switching the machine off, continues when it is started again:
parts that are there are not asked again. So every edge is answered exactly once. The folder names what
was asked (edges, scene, terms), and a job of anything else refuses it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import tocsin
from tocsin._types import PathLike
from tocsin.cluster.edge_file import EdgeFile, arrow
from tocsin.errors import TocsinError
from tocsin.queries.edges import Points
from tocsin.scene import Scene

Answers: TypeAlias = dict[str, Any]
"""Columns of answers, as PyArrow has them."""

PART = 16_384
"""Edges in a part."""

ABOUT = b"tocsin job"
"""Where files of answers say what was asked."""


@dataclass(frozen=True)
class Terms:
    """On which terms edges are asked."""

    margin: float = 0.0
    contacts: bool = False
    """When and where they first touch, too; otherwise only which are proven free."""

    def ask(self, scene: Scene, model: Any, Q0: np.ndarray, Q1: np.ndarray, threads: int | None) -> Answers:
        """Return the columns of answers."""
        if not self.contacts:
            return {"free": scene.check_edges(model, Q0, Q1, margin=self.margin, threads=threads)}
        hits = scene.first_contacts(model, Q0, Q1, margin=self.margin, threads=threads)
        words = [status.value for status in hits.status]
        links = hits.links
        return {
            "free": ~hits.collides, "status": words, "time": hits.time.copy(), "link_a": list(links[:, 0]),
            "link_b": list(links[:, 1]),
        }  # fmt: skip


class Numbered(Points):
    """Edges of a part, whose rows are named by their numbers in the file."""

    first = 0

    def what(self, i: int, m: int, k: int) -> str:
        """Name a point as its user knows it."""
        return super().what(self.first + i, m, k)


class Job:
    """A file of edges, the parts of its answers, and what is left to do."""

    def __init__(self, edges: EdgeFile, scene: Scene, out: PathLike, terms: Terms, part: int = PART) -> None:
        self.edges, self.scene, self.terms, self.part = edges, scene, terms, part
        self.out = Path(out)
        self.folder = self.out.with_name(self.out.name + ".parts")
        self.count = -(-edges.count // part)
        self.about = {
            "tocsin": tocsin.__version__, "edges": edges.digest(), "count": edges.count, "part": part,
            "robot": edges.robot.name, "scene": digest_of(scene), "margin": terms.margin, "contacts": terms.contacts,
        }  # fmt: skip

    def bounds(self, k: int) -> tuple[int, int]:
        """Return (first, last) edge of a part."""
        return k * self.part, min((k + 1) * self.part, self.edges.count)

    def is_done(self) -> bool:
        """Are the answers to this very job there already?"""
        return self._says(self.out) == json.dumps(self.about, sort_keys=True)

    def begin(self) -> list[int]:
        """Look over all edges and what is there of the answers; return the parts that are left."""
        for k in range(self.count):
            self.rows(k)
        listed = self.folder / "job.json"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not listed.exists():
                self._write_text(listed)
            found = json.loads(listed.read_text(encoding="utf-8"))
        except OSError as error:
            raise self._disk(error) from None
        except ValueError:
            found = None
        if found != self.about:
            raise TocsinError(
                f"{str(self.folder)!r} holds parts of another job (other edges, scene or terms): remove it, or give "
                "the answers another name."
            )
        return [k for k in range(self.count) if not self._holds(k)]

    def rows(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the edges of a part, checked."""
        first, last = self.bounds(k)
        Q0, Q1 = self.edges.rows(first, last)
        Numbered.first = first
        Numbered(self.scene.context, self.edges.robot, {"t0": Q0, "t1": Q1})
        return Q0, Q1

    def keep(self, k: int, answers: Answers) -> None:
        """Write the answers of a part, whole or not at all."""
        pa = arrow()
        first, last = self.bounds(k)
        table = pa.table({"row": np.arange(first, last), **answers})
        path = self._file(k)
        self._safely(path, lambda place: pa.parquet.write_table(table, place))

    def finish(self) -> Path:
        """Put all parts together, in order; return the file."""
        pa = arrow()

        def write(place: Path) -> None:
            writer = None
            for table in self._tables():
                if writer is None:
                    schema = table.schema.with_metadata({ABOUT: json.dumps(self.about, sort_keys=True).encode()})
                    writer = pa.parquet.ParquetWriter(place, schema)
                writer.write_table(table.replace_schema_metadata(writer.schema.metadata))
            if writer is None:
                pa.parquet.write_table(pa.table({"row": np.zeros(0, np.int64), "free": np.zeros(0, bool)}), place)
            else:
                writer.close()

        self._safely(self.out, write)
        for k in range(self.count):
            self._file(k).unlink(missing_ok=True)
        (self.folder / "job.json").unlink(missing_ok=True)
        self.folder.rmdir()
        return self.out

    def _tables(self) -> Iterator[Any]:
        for k in range(self.count):
            yield arrow().parquet.read_table(self._file(k))

    def _file(self, k: int) -> Path:
        return self.folder / f"part-{k:06d}.parquet"

    def _holds(self, k: int) -> bool:
        """Is a part there, and whole?"""
        first, last = self.bounds(k)
        try:
            rows = arrow().parquet.read_table(self._file(k)).column("row").to_numpy()
        except Exception:  # not there, or damaged: it is asked again
            return False
        return bool(np.array_equal(rows, np.arange(first, last)))

    def _says(self, path: Path) -> str | None:
        """Return what a file of answers says it was asked."""
        try:
            metadata: dict[bytes, bytes] = arrow().parquet.read_schema(path).metadata or {}
        except Exception:  # not there, or something else
            return None
        return metadata.get(ABOUT, b"").decode()

    def _write_text(self, path: Path) -> None:
        self._safely(path, lambda place: place.write_text(json.dumps(self.about), encoding="utf-8"))

    def _safely(self, path: Path, write: Callable[[Path], object]) -> None:
        """Write a file under another name, and give it its own when it is whole."""
        place = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            write(place)
            place.replace(path)
        except OSError as error:
            place.unlink(missing_ok=True)
            raise self._disk(error) from None

    def _disk(self, error: OSError) -> TocsinError:
        done = sum(self._file(k).exists() for k in range(self.count))
        return TocsinError(
            f"{str(self.out)!r} cannot be written ({error.strerror or error}); {done} of {self.count} parts are done, "
            f"and kept in {str(self.folder)!r}: make room and start the same job again."
        )


def digest_of(scene: Scene) -> str:
    """Return a digest of a scene: its shapes, links, poses and rules."""
    sha = hashlib.sha256()
    world = scene.context.tables()
    for array in (*world, *[model.rest for model in scene.models]):
        sha.update(np.ascontiguousarray(array).tobytes())
    sha.update(repr((scene.names, sorted(map(str, scene.margins.items())))).encode())
    return sha.hexdigest()
