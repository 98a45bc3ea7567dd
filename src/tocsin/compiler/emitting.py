"""What machine code is emitted with, by name, for those who read and check the code that emits it.

LLVM's builder and Numba's context come without types, and what a checker makes of their sources is wrong: casts that
return nothing, values without a type. So what is used of them is said here. No kernel hangs on this file
(`disk_cache.KEEPING`): it is never run, and names only what others are given.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Word(Protocol):
    """A value of the code that is emitted: what an instruction returns, a constant, an argument."""

    @property
    def type(self) -> Any:
        """LLVM's type of it."""
        ...


class Instruction(Word, Protocol):
    """An instruction, which is its value."""

    align: int
    """Of a load or a store, bytes."""
    operands: Sequence[Word]


class Builder(Protocol):
    """LLVM's builder: each method emits an instruction, and returns its value."""

    @property
    def module(self) -> Any:
        """Where functions are declared."""
        ...

    def __getattr__(self, name: str) -> Callable[..., Instruction]:
        """Return what emits an instruction."""
        ...


class Context(Protocol):
    """Numba's context: how values of its types are laid out, and cast into each other."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return one of its methods."""
        ...


class Signature(Protocol):
    """Types of a call, as Numba has found them."""

    @property
    def args(self) -> Sequence[Any]:
        """The arguments' types."""
        ...

    @property
    def return_type(self) -> Any:
        """The result's."""
        ...
