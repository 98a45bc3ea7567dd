"""The commands about all contacts and contact intervals; what they run is imported when they do.

They are judged by tests/oracles or by python-fcl, so they run from a checkout.
"""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

Run = Callable[[argparse.Namespace], Any]

COMMANDS = (
    (
        "intervals",
        "Contact intervals of robot paths in clutter against python-fcl at thousands of samples (from TOCSIN_DATA).",
        "Contact intervals against sampling",
        10,
        "paths of each robot (default 10)",
    ),
)
"""Name, description, title, how many by default, and of what."""


def add_commands(add: Callable[..., argparse.ArgumentParser], opened: Callable[[str, Run], Run]) -> None:
    """Add the commands to the parser of `python -m tocsin.bench`."""
    for name, description, title, count, of_what in COMMANDS:
        module = "tocsin.bench." + name.replace("-", "_")

        def run(args: argparse.Namespace, module: str = module) -> Any:
            return import_module(module).run(args)

        command = add(name, description, opened(title, run))
        command.add_argument("--count", type=int, default=count, help=of_what)
        command.add_argument("--seed", type=int, default=1, help="seed of what is random (default 1)")
        if name == "intervals":
            command.add_argument("--samples", type=int, default=200, help="samples of a piece of a path (default 200)")
