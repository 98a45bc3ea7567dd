"""`python -m tocsin.bench` is `python -m tocsin_bench`, where tocsin-bench is installed."""

import runpy
import sys
from importlib.util import find_spec

from tocsin.cli.plugins import PLUGINS

if __name__ == "__main__":
    if find_spec("tocsin_bench") is None:
        sys.exit(f"error: `python -m tocsin.bench` needs {PLUGINS['bench'].install}.")
    runpy.run_module("tocsin_bench", run_name="__main__", alter_sys=True)
