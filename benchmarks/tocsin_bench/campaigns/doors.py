"""What users hand in, in every disguise: the answer is that of an honest copy, or a sentence, and never a crash.

Every argument of every public call (`door_list`) is handed in as every variant: other types of numbers, strides,
subclasses, masked, read-only and foreign arrays, lists, generators; what is no number; nan, huge and tiny; wrong
shapes. And whatever was handed in is overwritten between the call and the question, and must not have been written or
frozen.

    python -m tocsin_bench doors --count 3000 --seed 0

Verdicts: the bits of the answer to the honest copy, or a TocsinError of one sentence. Anything else is a failure:
another answer, another exception, a warning that is not ours, a signal. Questions are asked in a process of its own.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tocsin_bench import report

DESCRIPTION = "Every argument of the public API in every disguise: an honest answer or a sentence, never a crash."

SAME, REFUSED = "answered as an honest copy", "refused in a sentence"


class Outcome(NamedTuple):
    """What became of one variant."""

    number: int
    door: str
    argument: str
    variant: str
    verdict: str


class Foreign:
    """What other libraries' arrays are to NumPy: something that can be made an array, or fails to be."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self.array is None:
            raise RuntimeError("this tensor is on another device")
        return np.array(self.array, dtype)

    def __len__(self) -> int:
        return len(np.array(self.array))

    def __getitem__(self, k: Any) -> Any:
        return np.array(self.array)[k]

    def __float__(self) -> float:
        if self.array is None:
            raise RuntimeError("this tensor is on another device")
        return float(self.array)


class Subclass(np.ndarray):
    """An array of another class."""


def unaligned(a: np.ndarray) -> np.ndarray:
    """Return the same numbers at an odd address."""
    workspace = np.zeros(a.nbytes + 1, np.uint8)
    out = workspace[1:].view(a.dtype).reshape(a.shape)
    out[...] = a
    return out


def spoiled(a: np.ndarray, value: float) -> np.ndarray:
    """Return a copy whose last number is another."""
    out = np.array(a, float)
    out.reshape(-1)[-1] = value
    return out


def masked(a: np.ndarray) -> np.ma.MaskedArray:
    """Return the numbers with the first one masked."""
    mask = np.zeros(a.shape, bool)
    mask.reshape(-1)[0] = True
    return np.ma.MaskedArray(a, mask)


def readonly(a: np.ndarray) -> np.ndarray:
    """Return a copy that cannot be written."""
    out = a.copy()
    out.setflags(write=False)
    return out


EQUAL: dict[str, Callable[[np.ndarray], Any]] = {
    "a copy": np.copy,
    "Fortran order": np.asfortranarray,
    "negative strides": lambda a: a[::-1].copy()[::-1],
    "every second": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "transposed": lambda a: a.T.copy().T,
    "unaligned": unaligned,
    "read-only": readonly,
    "subclass": lambda a: a.copy().view(Subclass),
    "masked nowhere": np.ma.MaskedArray,
    "a list": lambda a: a.tolist(),
    "tuples": lambda a: tuple(a.tolist()),
    "objects": lambda a: a.astype(object),
    "foreign": Foreign,
    "swapped bytes": lambda a: a.astype(a.dtype.newbyteorder()),
    "longdouble": lambda a: a.astype(np.longdouble) if a.dtype.kind == "f" else a.astype(np.int64),
    "a list of rows": lambda a: [row.copy() for row in a],
    "a buffer": lambda a: memoryview(a.copy()),  # type: ignore[reportArgumentType]
}
"""Disguises of the same numbers."""

ROUNDED = ("f2", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
"""Types that may hold other numbers: compared to those that they hold."""

WRONG: dict[str, Callable[[np.ndarray], Any]] = {
    "complex": lambda a: a.astype(complex),
    "text": lambda a: a.astype(str),
    "bytes": lambda a: a.astype("S8"),
    "bool": lambda a: a.astype(bool),
    "dates": lambda a: a.astype("i8").astype("M8[s]"),
    "durations": lambda a: a.astype("i8").astype("m8[s]"),
    "records": lambda a: np.zeros(a.shape, [("x", "f8")]),
    "masked": masked,
    "None inside": lambda a: np.full(a.shape, None),
    "text inside": lambda a: a.astype(str).astype(object),
    "nan": lambda a: spoiled(a, math.nan),
    "inf": lambda a: spoiled(a, math.inf),
    "-inf": lambda a: spoiled(a, -math.inf),
    "beyond floats": lambda a: np.full(a.shape, 10**400, object),
    "foreign, failing": lambda a: Foreign(None),
}
"""What must be refused."""

ODD: dict[str, Callable[[np.ndarray], Any]] = {
    "a generator": lambda a: (row for row in a.tolist()),
    "huge": lambda a: spoiled(a, 1e300),
    "subnormal": lambda a: spoiled(a, 5e-324),
    "empty": lambda a: a[:0].copy(),
    "flat": lambda a: a.reshape(-1).copy(),
    "one dimension more": lambda a: a[None].copy(),
    "short": lambda a: a[..., :-1].copy(),
    "no dimension": lambda a: np.array(1.0),
    "None": lambda a: None,
    "a word": lambda a: "abc",
    "a mapping": lambda a: {},
    "an object": lambda a: object(),
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
    "matrix": lambda a: np.asmatrix(a) if a.ndim == 2 else a,
    "ragged": lambda a: [[1.0], [2.0, 3.0]],
    "negative": lambda a: -a,
    "beyond": lambda a: a + 10**6,
}
"""What may be refused or answered, but must not surprise."""

SCALARS: dict[str, Callable[[float], Any]] = {
    "float32": np.float32,
    "int": int,
    "0-d": np.array,
    "1-d": lambda x: np.array([x]),
    "text": str,
    "bool": lambda x: True,
    "complex": complex,
    "nan": lambda x: math.nan,
    "inf": lambda x: math.inf,
    "negative": lambda x: -x,
    "zero": lambda x: 0,
    "huge": lambda x: 1e300,
    "beyond floats": lambda x: 10**400,
    "tiny": lambda x: 5e-324,
    "None": lambda x: None,
    "Decimal": Decimal,
    "Fraction": Fraction,
    "timedelta64": lambda x: np.timedelta64(5, "s"),
    "list": lambda x: [x],
    "timedelta": lambda x: timedelta(1),
    "masked": lambda x: np.ma.masked,
    "foreign": Foreign,
    "failing": lambda x: Foreign(None),
    "object": lambda x: object(),
    "datetime64": lambda x: np.datetime64(5, "s"),
    "0-d complex": lambda x: np.array(1j),
    "0-d text": lambda x: np.array("1"),
    "longdouble": np.longdouble,
    "array": lambda x: np.ones((2, 2)),
}

WORDS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda w: w,
    "np.str_": lambda w: np.str_(w),
    "bytes": lambda w: b"it",
    "number": lambda w: 3,
    "zero": lambda w: 0,
    "None": lambda w: None,
    "empty": lambda w: "",
    "unknown": lambda w: "nope",
    "list": lambda w: [w],
    "dict": lambda w: {},
    "array": lambda w: np.array([w]),
    "array of two": lambda w: np.array([w, w]),
    "0-d": lambda w: np.array(w),
    "float": lambda w: 2.5,
    "object": lambda w: object(),
    "nan": lambda w: math.nan,
    "True": lambda w: True,
    "np.bool": lambda w: np.True_,
    "huge": lambda w: 10**400,
    "failing": lambda w: Foreign(None),
    "set": lambda w: {1, 2},
}


def cases() -> list[tuple[int, str, str, str]]:
    """Return every (door, argument, group of variants, variant)."""
    from tocsin_bench.campaigns.door_list import DOORS

    arrays = [("equal", EQUAL), ("rounded", ROUNDED), ("wrong", WRONG), ("odd", ODD)]
    found = []
    for d, door in enumerate(DOORS):
        for given, groups in (
            ({**(door.floats or {}), **(door.indices or {})}, arrays), (door.numbers or {}, [("scalar", SCALARS)]),
            (door.words or {}, [("word", WORDS)]),
        ):  # fmt: skip
            found += [(d, name, group, variant) for name in given for group, variants in groups for variant in variants]
    return found


def disguised(honest: Any, group: str, variant: str) -> tuple[Any, Any]:
    """Return a variant, and the honest copy that it means: None where it must be refused, `...` where it may be."""
    if group == "equal":
        return EQUAL[variant](honest), honest
    if group == "rounded":
        with np.errstate(invalid="ignore"):
            given = np.abs(honest).astype(variant) if variant.startswith("u") else honest.astype(variant)
        if given.dtype.kind == "f" and honest.dtype.kind == "i":
            return given, None
        return given, given.astype(honest.dtype)
    if group == "wrong":
        return WRONG[variant](honest), None
    return {"odd": ODD, "scalar": SCALARS, "word": WORDS}[group][variant](honest), ...


def ruin(given: Any) -> None:
    """Overwrite what was handed in."""
    if given is np.ma.masked:
        return
    if isinstance(given, np.ndarray) and given.flags.writeable and given.dtype.kind not in "VMm":
        given[...] = {"f": math.nan, "c": math.nan, "O": None, "U": "x", "S": "x", "b": True}.get(given.dtype.kind, 101)
    elif isinstance(given, list):
        for one in given:
            ruin(one)
        given.clear()
    elif isinstance(given, Foreign) and given.array is not None:
        given.array = np.full(np.shape(given.array), math.nan)


def judged(case: tuple[int, str, str, str]) -> str:
    """Hand one variant in, and return the verdict."""
    from tocsin.errors import MeshWarning, TocsinError
    from tocsin_bench.campaigns.door_list import DOORS, bits

    d, name, group, variant = case
    door = DOORS[d]
    own = door.given[name]
    value, honest = disguised(own.copy() if isinstance(own, np.ndarray) else own, group, variant)
    honest = honest.copy() if isinstance(honest, np.ndarray) else honest
    before = value.copy() if isinstance(value, np.ndarray) and value is not np.ma.masked else None
    writeable = isinstance(value, np.ndarray) and value.flags.writeable

    def answer(given: Any, spoil: bool) -> Any:
        arguments = {**{k: v.copy() if isinstance(v, np.ndarray) else v for k, v in door.given.items()}, name: given}
        ask = door.build(**arguments)
        if spoil:
            if before is not None and (given.flags.writeable != writeable or given.tobytes() != before.tobytes()):
                raise AssertionError("what was handed in has been changed or frozen")
            for one in arguments.values():
                ruin(one)
        return bits(ask())

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", MeshWarning)
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # np.matrix, by itself
        try:
            found = answer(value, True)
        except TocsinError as error:
            if group == "equal":
                return f"refused, though it is honest: {error}"
            said = str(error)
            return REFUSED if said.strip() and len(said) < 2000 else f"no sentence: {said[:80]!r}"
        except BaseException as error:
            return f"{type(error).__name__}: {str(error)[:160]}"
        if honest is None:
            return "answered, though it is no number"
        if honest is ...:
            return SAME
        try:
            wanted = answer(np.array(honest), False)
        except TocsinError:
            return "answered, where the honest copy is refused"
    return SAME if found == wanted else "another answer than that to the honest copy"


def _work(chosen: list[int], connection: Any) -> None:
    every = cases()
    for number in chosen:
        connection.send((number, None))
        connection.send((number, judged(every[number])))


def campaign(count: int, seed: int = 0) -> Iterator[Outcome]:
    """Judge `count` variants, drawn without repetition; a process that dies is replaced."""
    from tocsin_bench.campaigns.door_list import DOORS

    every = cases()
    left = np.random.default_rng(seed).permutation(len(every))[:count].tolist()
    context = multiprocessing.get_context("spawn")
    while left:
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(left, theirs))
        worker.start()
        theirs.close()
        number, verdict = left[0], None
        try:
            while True:
                number, verdict = ours.recv()
                if verdict is not None:
                    left = left[1:]
                    d, name, _, variant = every[number]
                    yield Outcome(number, DOORS[d].name, name, variant, verdict)
        except EOFError:
            worker.join()
        if left:
            d, name, _, variant = every[number]
            left = left[1:]
            yield Outcome(number, DOORS[d].name, name, variant, f"crash: exit code {worker.exitcode}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this campaign."""
    parser.add_argument("--count", type=int, default=3000, help="variants; all of them if there are fewer")
    parser.add_argument("--seed", type=int, default=0)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign; end with an error if anything surprised."""
    outcomes = list(campaign(args.count, args.seed))
    told = Counter(o.verdict if o.verdict in (SAME, REFUSED) else "failure" for o in outcomes)
    report.table(f"{len(outcomes):,} variants of {len(cases()):,}", list(told), [[f"{n:,}" for n in told.values()]])
    failures = [o for o in outcomes if o.verdict not in (SAME, REFUSED)]
    for o in failures:
        report.say(f"  {o.number}: {o.door}, {o.argument} as {o.variant}: {o.verdict}")
    if failures:
        raise SystemExit(f"{len(failures)} variants surprised")
    return dict(told)
