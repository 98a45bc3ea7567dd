"""The commands about all contacts and contact intervals; what they run is imported when they do.

They are judged by `oracles` or by python-fcl.
"""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

Run = Callable[[argparse.Namespace], Any]

COMMANDS = (
    (
        "exact",
        "All contacts by proof against brute force in 50 digits, and how many of them the screen finds.",
        "All contacts against brute force",
        1000,
        "pairs of surfaces (default 1,000)",
    ),
    (
        "first-of-all",
        "The first of all contacts against first_contact, on the same screw motions.",
        "The first of all contacts",
        10_000,
        "motions (default 10,000)",
    ),
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
    """Add the commands to the parser of `python -m tocsin_bench`."""
    for name, description, title, count, of_what in COMMANDS:
        module = "tocsin_bench.campaigns." + name.replace("-", "_")

        def run(args: argparse.Namespace, module: str = module) -> Any:
            return import_module(module).run(args)

        command = add(name, description, opened(title, run))
        command.add_argument("--count", type=int, default=count, help=of_what)
        command.add_argument("--seed", type=int, default=1, help="seed of what is random (default 1)")
        if name == "intervals":
            command.add_argument("--samples", type=int, default=200, help="samples of a piece of a path (default 200)")
