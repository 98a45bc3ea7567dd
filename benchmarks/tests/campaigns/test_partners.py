"""Deforming meshes against turning bodies and arms; the campaign is `python -m tocsin_bench partners`."""

from collections import Counter

import pytest

from tocsin_bench.campaigns import partners


@pytest.mark.parametrize("number", [0, 1, 2, 3, 8, 13, 88])
def test_no_sample_of_the_true_motion_contradicts_the_answer(number):
    assert partners.judge(number, 1, Counter()) == []
