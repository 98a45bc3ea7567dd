"""What a model can be asked for, but does not know how to do: declared beside the model, provided from a layer above.

A mesh and a robot can be made from the name of a file, but know of no format; a robot answers questions about itself,
but knows of no engine. So each declares what it needs as `Provided`, with the name of the module that does it. That
module is imported when it is first asked for, and provides its function: most programs read one kind of file, and some
none.
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
