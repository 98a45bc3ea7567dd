"""Same question, same answer: bit by bit, in any thread, in any process, however often and in whatever order."""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import tocsin
from promise.scenes import at, box_mesh, two
from tocsin_bench.campaigns import planted, planted_judge

TESTS = Path(__file__).resolve().parents[1]


def cases(count=40):
    """Return a mixed bag of questions."""
    out = []
    for source in (planted.rigid_cases, planted.articulated_cases):
        for case in source(11, planted_judge.Tally()):
            out.append(case)
            if len(out) % count == 0:
                break
    return out


def fingerprint(hit):
    """Return everything of an answer that must be reproduced, as bytes."""
    parts = [hit.status.name.encode(), np.float64(hit.time).tobytes(), np.float64(hit.tolerance).tobytes()]
    for c in hit.contacts:
        parts += [c.link_a.encode(), c.link_b.encode(), c.kind.encode(), repr(c.features).encode()]
        parts += [c.point_a.tobytes(), c.point_b.tobytes(), c.normal.tobytes(), np.float64(c.distance).tobytes()]
    return b"|".join(parts)


def digest():
    """Return one word for the answers to all cases."""
    return hashlib.sha256(b"\n".join(fingerprint(case.ask()) for case in cases())).hexdigest()


def test_asking_again_gives_the_same_bits():
    bag = cases()
    first = [fingerprint(case.ask()) for case in bag]
    again = [fingerprint(case.ask()) for case in reversed(bag)][::-1]
    assert first == again


def test_rebuilding_everything_gives_the_same_bits():
    assert [fingerprint(c.ask()) for c in cases()] == [fingerprint(c.ask()) for c in cases()]


def test_threads_that_share_scenes_give_the_same_bits():
    bag = cases()
    alone = [fingerprint(case.ask()) for case in bag]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda case: fingerprint(case.ask()), bag * 4))
    assert together == alone * 4


def test_another_process_gives_the_same_bits():
    code = "from promise.test_determinism import digest; print(digest())"
    folders = [str(TESTS), str(Path(tocsin.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(folders),
        "PYTHONHASHSEED": "77",
        "NUMBA_NUM_THREADS": "1",
    }
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert run.stdout.strip() == digest()


def test_other_questions_in_between_leave_no_trace():
    scene, a, b = two(box_mesh(), box_mesh())
    move = a.move(at(3, 0.2, 0.1, (10, 20, 30)), at(-3, 0, 0.2, (0, 90, 20)))
    before = fingerprint(scene.first_contact(move))
    scene.distance(a.at(at(2)))
    scene.is_free(b.move(at(5), at(9)))
    scene.first_contact(b.move(at(9), at(0)), margin=1.0, max_steps=3)
    scene.first_contact()
    a.follow([at(), at(1)])
    assert fingerprint(scene.first_contact(move)) == before
