"""What a model can be asked for, but does not know how to do: declared below, beside it; provided from above.

A mesh and a robot can be asked for by the name of a file, but know of no format. So each declares a `Reader`, a
function yet to be provided, and `tocsin.io` provides all of them when it is imported, which `import tocsin` does. In
the same way a robot declares a question about itself, which `tocsin.queries` provides.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Generic, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


class Provided(Generic[Arguments, Made]):
    """A function yet to be provided, by a module: `what` says what it does."""

    def __init__(self, what: str, by: str) -> None:
        self.what: str = what
        self.by: str = by
        self._function: Callable[Arguments, Made] | None = None

    def provide(self, function: Callable[Arguments, Made]) -> None:
        """Do it by this function from now on."""
        self._function = function

    def __call__(self, *args: Arguments.args, **options: Arguments.kwargs) -> Made:
        """Do it."""
        if self._function is None:
            import_module(self.by)  # which provides it, where nobody has needed it before
        if self._function is None:
            raise RuntimeError(f"nothing that {self.what} has been provided by {self.by}.")
        return self._function(*args, **options)


class Reader(Provided[Arguments, Made]):
    """A function that makes something of a file; `what` names the kind of file."""

    def __init__(self, what: str) -> None:
        super().__init__(f"reads {what}", "tocsin.io")
