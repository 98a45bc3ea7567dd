"""Kernels as device functions, in the simulator of CUDA: see `test_device` for all of them together."""

import os
import subprocess
import sys

PROGRAM = """
import tocsin
from tocsin.queries.devices import lacking
assert lacking() == "", lacking()
from tocsin.simd import lanes
from tocsin.wavefront import stages
from tocsin.wavefront.translate import SIMULATED, to_device
assert SIMULATED
one = to_device(stages.settle)
assert one is to_device(stages.settle)
names = one.__globals__
assert names["search"] is to_device(stages.search) and names["reserve"] is to_device(stages.reserve)
assert to_device(lanes.select)(True, 1, 2) == 1 and to_device(lanes.root)(9.0) == 3.0
print("translated")
"""


def test_a_kernel_calls_device_functions_and_lanes_are_plain():
    simulated = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=simulated, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "translated", ran.stderr
