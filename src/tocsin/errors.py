"""What can go wrong at the door, as sentences."""


class TocsinError(ValueError):
    """Something that was handed in cannot be used; the message says what was given, expected, and what to do."""


class UnknownNameError(TocsinError, KeyError):
    """A link, joint or model name that does not exist; the message lists the ones that do."""

    def __str__(self) -> str:
        """Return the sentence itself: KeyError would put it in quotes."""
        return str(self.args[0]) if self.args else ""


class MeshWarning(UserWarning):
    """A mesh is legal but probably not what was meant: empty, for example."""


def unknown_name(what: str, name: object, valid: object) -> UnknownNameError:
    """Return the error for an unknown name, with the valid ones listed."""
    names = ", ".join(repr(n) for n in valid) or "(none)"  # type: ignore[union-attr]
    return UnknownNameError(f"no {what} {name!r}; {what}s are: {names}")
