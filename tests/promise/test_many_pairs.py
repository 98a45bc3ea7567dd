"""More pairs than the working memory starts with: tables grow, and nothing is read after it was let go."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np, tocsin
def at(*p):
    m = np.eye(4); m[:3, 3] = p; return m
posts = [tocsin.Body(tocsin.Box((0.1, 0.1, 0.1)), at(0.2 * k, 0, 0), name=f"post{k}") for k in range(300)]
bar = tocsin.Body(tocsin.Box((70, 0.1, 0.1)), at(30, 5, 0), name="bar")
scene = tocsin.Scene(bar, *posts)
hit = scene.first_contact(bar.move(at(30, 5, 0), at(30, -5, 0)))
assert hit.status is tocsin.Status.CONTACT and abs(hit.time - 0.49) < 1e-4, hit
assert 0 < hit.tolerance < 1e-3, hit
assert len({c.link_b for c in hit.contacts}) == 300, len(hit.contacts)
found = scene.distance()
assert abs(found.distance - 0.1) < 1e-9 and found.link_a.startswith("post"), found
"""


def test_hundreds_of_pairs_with_freed_memory_overwritten():
    environment = {**os.environ, "MALLOC_PERTURB_": "170"}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
