"""Which pairs of a scene are not checked, and which have a margin of their own; by names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from functools import cached_property
from typing import cast

from tocsin import _cast
from tocsin.errors import TocsinError, remark, unknown_name
from tocsin.model.base import Model
from tocsin.model.deformable import Deformable


class Rules:
    """The rules of a scene. A name is that of a model, of a link, or 'model/link' where two models share a name."""

    def __init__(self, names: Sequence[str], models: Sequence[Model]) -> None:
        self.names: tuple[str, ...] = tuple(names)
        self._models = tuple(models)
        self.ignored: set[tuple[str, str]] = set()
        self.margins: Margins = Margins(self)
        self.version: int = 0
        self._named: tuple[tuple[tuple[str, ...], ...], dict[str, tuple[int, ...]]] | None = None

    def on(self, models: Sequence[Model]) -> Rules:
        """Return the same rules, as they are now, on other models of the same names."""
        rules = Rules(self.names, models)
        rules.ignored = set(self.ignored)
        rules.margins.given.update(self.margins.given)
        return rules

    @property
    def links(self) -> dict[str, tuple[int, ...]]:
        """Name -> global link indices: 'model', 'model/link', and 'link' where only one model has it.

        The name of a body that a robot carries is that of its link on the robot too; the robot's name is not.
        """
        key = tuple([model.link_names for model in self._models])
        if self._named is None or self._named[0] != key:
            self._named = key, self._indices()
        return self._named[1]

    def _indices(self) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        single: dict[str, list[int]] = {}
        n = 0
        for name, model in zip(self.names, self._models):
            own = len(model.links) - len(model.carried)
            found[name] = (*found.get(name, ()), *range(n, n + own))
            for k, held in enumerate(model.carried, n + own):
                carried = next((name for name, m in zip(self.names, self._models) if m is held.body), None)
                if carried is not None:
                    found[carried] = (*found.get(carried, ()), k)
            for i, link in enumerate(model.link_names):
                if len(model.link_names) > 1:
                    found[f"{name}/{link}"] = (n + i,)
                single.setdefault(link, []).append(n + i)
            n += len(model.links)
        for link, where in single.items():
            if len(where) == 1:
                found.setdefault(link, (where[0],))
        return found

    def ignore(self, a: str, b: str) -> None:
        """Do not check a against b."""
        self.ignored.add(self.pair((a, b)))
        self.changed()

    def ignore_all(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Do not check pairs that other rules on the same models name."""
        self.ignored |= set(pairs)
        self.changed()

    def changed(self) -> None:
        """Tell the scene to look again."""
        self.version += 1
        Model.changes += 1

    def pair(self, pair: object) -> tuple[str, str]:
        """Return a pair of names in order, after checking that there is such a pair."""
        given = cast(tuple[str, str], pair)
        if not isinstance(pair, tuple) or len(given) != 2:
            raise TocsinError(f"a pair is two names of models or links; got {_cast.said(given)}.")
        for name in given:
            if not _cast.instance(name, str) or name not in self.links:
                raise unknown_name("name", name, self.links)
            self._remark_on_shared(name)
        a, b = sorted(given)
        if a == b and len(self.links[a]) == 1 and a not in self._soft:
            raise TocsinError(f"{a!r} and {b!r} are one link: a pair needs two.")
        return a, b

    def _remark_on_shared(self, name: str) -> None:
        """Remark on a name that a model and a link of another model have: the model is meant."""
        if name not in self.names:
            return
        meant = set(self.links[name])  # of a body that is carried its link on the robot too
        for link in (f"{own}/{name}" for own in self.names if own != name):
            if not meant.issuperset(self.links.get(link, ())):
                remark(f"{name!r} is the model of that name; the link is {link!r}.")
                return

    def of_links(self) -> dict[tuple[int, int], float]:
        """Return the margins of single pairs of links, -inf where they are ignored; soft ones also with themselves."""
        rules: dict[tuple[int, int], float] = {}
        for (a, b), margin in self.margins.items():
            self._add(rules, a, b, margin)
        for a, b in self.ignored:
            self._add(rules, a, b, -math.inf)
        n = 0
        for model in self._models:
            for i, k in model.ignored:
                rules[n + i, n + k] = -math.inf
            n += len(model.links)
        return rules

    def _add(self, rules: dict[tuple[int, int], float], a: str, b: str, margin: float) -> None:
        links = self.links
        for i in links.get(a, ()):  # what a robot has let go of is no link of it any more
            for k in links.get(b, ()):
                if i != k or a in self._soft:
                    rules[min(i, k), max(i, k)] = margin

    @cached_property
    def _soft(self) -> frozenset[str]:
        return frozenset(name for name, model in zip(self.names, self._models) if isinstance(model, Deformable))


class Margins(MutableMapping[tuple[str, str], float]):
    """Margins of single pairs, in metres: `scene.margins["hand", "table"] = 0.02`. Names as in `Scene.ignore`."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.given: dict[tuple[str, str], float] = {}
        """As they were set: also of a part that a robot has let go of, until it holds it again."""

    def __getitem__(self, pair: tuple[str, str]) -> float:
        return self.given[self._known(pair)]

    def __setitem__(self, pair: tuple[str, str], margin: float) -> None:
        a, b = self._rules.pair(pair)
        self.given[a, b] = _cast.margin(margin, f"the margin of {a!r} and {b!r}")
        self._rules.changed()

    def __delitem__(self, pair: tuple[str, str]) -> None:
        del self.given[self._known(pair)]
        self._rules.changed()

    def _known(self, pair: tuple[str, str]) -> tuple[str, str]:
        return pair if any(pair == one for one in self.given) else self._rules.pair(pair)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


def distinct_names(models: Sequence[Model]) -> tuple[str, ...]:
    """Return the models' names; those that were given none, and would have the same one, are numbered."""
    every = Counter(m.name for m in models)
    given = Counter(m.name for m in models if not getattr(m, "unnamed", False))
    last: Counter[str] = Counter()
    names: list[str] = []
    for model in models:
        name, unnamed = model.name, getattr(model, "unnamed", False)
        if not unnamed and given[name] > 1:
            raise TocsinError(f"two models are named {name!r}; names in a scene must differ: give each its own name=.")
        if unnamed and every[name] > 1:
            last[name] += 1
            while f"{name}-{last[name]}" in every:
                last[name] += 1
            name = f"{name}-{last[name]}"
        names.append(name)
    return tuple(names)
