"""Following samples to where links touch: a needle in a haystack of joint values is found."""

from pathlib import Path

from tocsin import Robot

from .test_matrix import joint, link


def test_a_touch_that_samples_miss_is_approached(tmp_path: Path) -> None:
    """A ball on a long arm meets a small ball at one place of three joints' ranges: less than one sample in 100,000."""
    text = (
        link("base", '<sphere radius="0.001"/>')
        + link("one", '<sphere radius="0.001"/>', 9.0)
        + link("two", '<sphere radius="0.001"/>', -9.0)
        + link("tip", '<sphere radius="0.001"/>', -0.6)
        + joint("a", "base", "one", 0.0, "1 0 0", 3.0)
        + joint("b", "one", "two", 0.5, "0 1 0", 3.0)
        + joint("c", "two", "tip", 0.2, "0 1 0", 3.0)
    )
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{text}</robot>')
    found = Robot.from_urdf(tmp_path / "arm.urdf").prove_pairs(most=1, threads=1)
    (pair,) = [p for p in found if {p.link_a, p.link_b} == {"base", "tip"}]
    assert (pair.verdict, pair.reason) == ("sometimes", "found by approach")
