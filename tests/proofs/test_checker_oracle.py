"""No point of a part goes farther along a direction than the checker says: of random robots as proofs spell them out.

Their joints turn, slide, follow each other, share entries and are balls, on curves and in tubes; their shapes are hulls
and meshes, both grown; parts are swept around joints and seen from any link. Poses are those of the definitions
(`tocsin_bench.oracles`), anywhere in slabs and boxes, and at their ends: what is said is compared with what a part
reaches then, not with whether it touches, so that a bound that is a little too small shows.
"""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("tocsin_checker", reason="the checker is not installed: pip install ./checker")

from tocsin_checker.check import Check
from tocsin_checker.motion import Boxes, Slabs

from tocsin_bench.campaigns.proof_truth import Moving
from tocsin_bench.oracles.kinematics import frame, quaternion_to

Said = dict[str, Any]


def shape(rng: np.random.Generator) -> Said:
    """A hull or a mesh, grown or not."""
    points = rng.normal(size=(8, 3)) * rng.choice([1e-3, 0.01, 0.3])
    place = frame(quaternion_to(rng.normal(size=4)), rng.normal(size=3) * rng.choice([0.0, 0.3, 3.0]))
    faces = {"faces": rng.integers(0, 8, (int(rng.integers(1, 7)), 3)).tolist()} if rng.random() < 0.3 else {}
    sizes = {key: float(rng.uniform(0.0, 0.5)) for key in ("radius", "ring") if rng.random() < 0.3}
    return {"points": points.tolist(), "place": place.tolist(), **faces, **sizes}


def robot(rng: np.random.Generator, kinds: list[str]) -> Said:
    """A tree of links that moves, in one piece, in a tube or in none."""
    links, motion, alone = [], [], []
    for i in range(int(rng.integers(1, 7))):
        kind, entry = str(rng.choice(kinds)), len(motion)
        if kind == "ball":
            p, q = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 4)))
            motion += [[float(a), float(b - a)] for a, b in zip(p, q)]
        elif kind != "fixed" and alone and rng.random() < 0.25:
            entry = int(rng.choice(alone))
        elif kind != "fixed":
            alone.append(entry)
            motion.append((rng.normal(size=int(rng.integers(1, 6))) * rng.choice([0.0, 1e-3, 1.0, 20.0])).tolist())
        follows = float(rng.choice([1.0, -2.0, 0.37, 0.0])), float(rng.choice([0.0, 0.5, -3.0]))
        links.append({
            "name": f"l{i}", "parent": f"l{int(rng.integers(max(0, i - 2), i))}" if i else "", "joint": kind,
            "at": [*(rng.normal(size=3) * rng.choice([0.0, 0.5, 3.0])), *rng.normal(size=4)],
            "axis": (rng.normal(size=3) if rng.random() < 0.6 else np.eye(3)[rng.integers(3)]).tolist(),
            "entry": entry if kind != "fixed" else 0, "mimic": follows if kind != "ball" else (1.0, 0.0),
            "shapes": [shape(rng)],
        })  # fmt: skip
    off = [float(rng.choice([0.0, 1e-3, 0.2])) if k in alone else 0.0 for k in range(len(motion))]
    return {"name": "r", "asked": True, "pieces": [motion], "links": links, "error": off}


def reach(said: Said, pose: np.ndarray, n: np.ndarray) -> float:
    """How far a shape goes along n."""
    corners = np.array(said["points"])
    used = corners[np.unique(said["faces"])] if "faces" in said else corners
    own = pose @ said["place"]
    beside = np.linalg.norm(own[:3, :2].T @ n) * said.get("ring", 0.0)
    return float(((own[:3, :3] @ used.T).T @ n + own[:3, 3] @ n).max() + said.get("radius", 0.0) + beside)


def poses(said: Said, values: list[list[float]], share: float, off: np.ndarray) -> list[np.ndarray]:
    """Where links are, their joints off by something."""
    moved = [[entry[0] + e, *entry[1:]] for entry, e in zip(values, off)]
    return Moving({**said, "pieces": [moved]}).poses(share)


@pytest.mark.parametrize("seed", range(60))
def test_no_sample_of_a_part_goes_farther_than_the_checker_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    in_boxes = seed % 3 == 0
    said = robot(rng, ["revolute", "revolute", "prismatic", "fixed"] + ["ball"] * (not in_boxes))
    if in_boxes:
        said["pieces"], said["error"] = [[[0.0] for _ in said["error"]]], [0.0 for _ in said["error"]]
    shapes = [[f"r/{link['name']}", 0] for link in said["links"]]
    examined = Check({"claim": "free", "margin": 0.0, "models": [said], "shapes": shapes, "pairs": []})
    examined.read({})
    entries, links = said["pieces"][0], range(len(said["links"]))
    given = examined, *examined.stretch(*examined.stretches[0]), links
    middle, half = rng.normal(size=len(entries)), rng.choice([0.0, 0.1, 1.0, 2.0], len(entries))
    part_of = 2.0 ** -int(rng.integers(0, 6))
    begin = part_of * int(rng.integers(1.0 / part_of))
    box = tuple(zip((middle - half).tolist(), (middle + half).tolist())) or ((0.0, 0.0),)
    cells = Boxes(*given, [box]) if in_boxes else Slabs(*given, [((begin, begin + part_of),)])
    for _ in range(5):
        i, seen_from = int(rng.integers(len(links))), int(rng.integers(-1, len(links)))
        link, part = examined.shapes[i]
        while rng.random() < 0.4 and examined.links[link].kind == "revolute" and examined.links[link].parent >= 0:
            part, link = part.around(examined.links[link]), examined.links[link].parent
        n = rng.normal(size=3) if rng.random() < 0.6 else np.eye(3)[rng.integers(3)]
        n /= np.linalg.norm(n)
        told = cells.high([link], [part], [seen_from], [0], n[None])[0]
        for _ in range(15):
            s, way = (
                float(rng.choice([0.0, 1.0, rng.random()])),
                rng.choice([-1.0, 1.0, rng.uniform(-1.0, 1.0)], len(entries)),
            )
            values = [[v] for v in middle + way * half] if in_boxes else entries
            at = poses(said, values, begin + s * part_of, 0.0 * way if in_boxes else way * said["error"])
            seen = np.linalg.inv(at[seen_from] if seen_from >= 0 else np.eye(4)) @ at[i]
            weights = (1.0,) if in_boxes else ((1.0 - s) ** 2, 2.0 * s * (1.0 - s), s * s)
            size = 10.0 + sum(float(np.abs(pose).max()) for pose in at)
            assert reach(said["links"][i]["shapes"][0], seen, n) <= told @ weights + 1e-13 * size


def test_the_oracle_sees_what_bends_beyond_a_bound_that_is_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nothing above says anything."""
    for kind, seeds in ((Slabs, [k for k in range(60) if k % 3]), (Boxes, [k for k in range(60) if k % 3 == 0])):
        honest, seen = kind.beyond, 0
        monkeypatch.setattr(kind, "beyond", lambda *args, honest=honest: 0.0 * honest(*args))
        for seed in seeds:
            try:
                test_no_sample_of_a_part_goes_farther_than_the_checker_says(seed)
            except AssertionError:
                seen += 1
        monkeypatch.setattr(kind, "beyond", honest)
        assert seen > 1
