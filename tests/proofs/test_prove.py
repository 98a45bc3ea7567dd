"""`scene.prove`: a claim of either kind, a file that says what was asked, and no proof of what proofs do not cover."""

import gzip
import json

import numpy as np
import pytest

import tocsin
from tocsin import TocsinError
from tocsin.proofs.prove import joined_parts


@pytest.fixture(scope="module")
def asked():
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    return tocsin.Scene(ball, tocsin.Body(tocsin.Box((1, 1, 1)), (3.0, 0, 0), name="crate")), ball


def test_free_and_contact_are_claimed_as_they_are(asked, tmp_path):
    scene, ball = asked
    for end, claim in ((1.0, "free"), (4.0, "contact")):
        proof = scene.prove(ball.move((0, 0, 0), (end, 0, 0)))
        assert proof.claim == claim
        proof.save(tmp_path / "proof")
        told = json.loads(gzip.decompress((tmp_path / "proof").read_bytes()))
        assert told["claim"] == claim
        assert bool(told["contact"]) == (claim == "contact")
        assert proof.to_bytes() == scene.prove(ball.move((0, 0, 0), (end, 0, 0))).to_bytes(), "the same bits again"


def test_deformable_models_are_not_covered():
    cloth = tocsin.Deformable(np.eye(3), [(0, 1, 2)], name="cloth")
    scene = tocsin.Scene(cloth)
    with pytest.raises(TocsinError, match="proof"):
        scene.prove(cloth.move(np.eye(3), np.eye(3) + 1.0))


def test_parts_of_all_shapes_are_one_table_with_where_each_begins():
    shapes = [tocsin.Body(shape).shapes[0] for shape in (tocsin.Sphere(1), tocsin.Box((1, 1, 1)).tessellate())]
    parts, points, roots = joined_parts(shapes)
    assert roots.tolist() == [0, 1]
    assert len(parts) == 1 + 23
    assert parts[1]["point"] == 1, "behind the sphere's own point"
    assert len(points) >= 9
