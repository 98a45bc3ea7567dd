"""Batches on a simulated device: the same calls, launches and lists as on a real one, and the answers of threads."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np
from tocsin.wavefront import device
from wavefront.cells import CELLS

device.FEW = 1  # several batches
for name, which in (("carrying", [0]), ("round numbers", [0, 45]), ("in a solid", [0, 3])):
    scene, model, Q0, Q1 = CELLS[name]()
    Q0, Q1, count, told = Q0[which], Q1[which], len(which), []
    free = scene.check_edges(model, Q0, Q1, device="cuda", progress=lambda *done: told.append(done))
    assert free.tolist() == scene.check_edges(model, Q0, Q1).tolist(), name
    assert told[-1] == (count, count) and len(told) >= count
    hits, there = scene.first_contacts(model, Q0, Q1, device="cuda"), scene.first_contacts(model, Q0, Q1)
    assert np.array_equal(hits.time, there.time) and np.array_equal(hits.links, there.links), name
print("simulated")
"""


def test_a_simulated_device_says_what_threads_say():
    simulated = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    folder = Path(__file__).parents[1]
    line = [sys.executable, "-c", PROGRAM]
    ran = subprocess.run(line, cwd=folder, env=simulated, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "simulated", ran.stderr
