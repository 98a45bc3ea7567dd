"""`tocsin-checker edge.proof --robot panda=panda.urdf`: is it proven? 0: all are accepted, 1: one is refused."""

import argparse

from tocsin_checker import Refused, Robot, check, read_proof


def main(argv: list[str] | None = None) -> int:
    """Check proofs."""
    parser = argparse.ArgumentParser(prog="tocsin-checker", description="Check proofs of motions, independently.")
    parser.add_argument("proofs", nargs="+")
    parser.add_argument("--robot", action="append", default=[], metavar="NAME=URDF", help="where a robot is read from")
    args, files, refused = parser.parse_args(argv), {}, 0
    for path in args.proofs:
        try:
            files = files or {name: Robot(file) for name, _, file in (given.partition("=") for given in args.robot)}
            print(f"{path}: accepted: {check(read_proof(path), files)}")
        except (Refused, OSError) as error:
            print(f"{path}: REFUSED: {error}")
            refused = 1
    return refused


if __name__ == "__main__":
    raise SystemExit(main())
