"""What reads a kind of file: declared below, beside what it makes; provided above, by `tocsin.io`.

A mesh and a robot can be asked for by the name of a file, but know of no format. So each declares a `Reader`, a
function yet to be provided, and `tocsin.io` provides all of them when it is imported, which `import tocsin` does.
"""

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


class Reader(Generic[Arguments, Made]):
    """A function that makes something of a file; `what` names the kind of file."""

    def __init__(self, what: str) -> None:
        self.what: str = what
        self._read: Callable[Arguments, Made] | None = None

    def provide(self, read: Callable[Arguments, Made]) -> None:
        """Read such files by this function from now on."""
        self._read = read

    def __call__(self, *args: Arguments.args, **options: Arguments.kwargs) -> Made:
        """Return what is in a file."""
        if self._read is None:
            raise RuntimeError(f"nothing that reads {self.what} has been provided: tocsin.io was not imported.")
        return self._read(*args, **options)
