"""No motion escapes from the matrices and pieces of the interval engine; and the judge would see it."""

from tocsin_bench.campaigns import enclosures


def test_no_enclosure_is_escaped_from():
    found = enclosures.attack(10_000, seed=7)
    assert {name: found[name] for name in enclosures.KINDS} == dict.fromkeys(enclosures.KINDS, 0)


def test_enclosures_that_are_a_little_too_small_are_caught(monkeypatch):
    made = enclosures._enclose

    def shrunk(*arguments):
        made(*arguments)
        *_, plain, boxes, relatives, pieces, _ = arguments
        plain[..., 0] = 0.5 * (plain[..., 0] + plain.mean(axis=3))
        boxes[:] = boxes.mean(axis=1, keepdims=True) + 0.5 * (boxes - boxes.mean(axis=1, keepdims=True))
        relatives["rho"] *= 0.5
        relatives["tau"] *= 0.5
        pieces["radius"] *= 0.9

    monkeypatch.setattr(enclosures, "_enclose", shrunk)
    found = enclosures.attack(400, seed=7)
    assert all(found[name] > 0 for name in enclosures.KINDS)
