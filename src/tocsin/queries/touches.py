"""Contacts that are put into words when one of them is looked at: most users read the first, or how many there are."""

# Slots of a record have no type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from tocsin.contacts.manifold import KINDS
from tocsin.queries.buffers import Prepared
from tocsin.queries.context import NAMED, Context, LinkNames
from tocsin.results import Contact


class Touches:
    """The rows of a contact manifold (`contacts.manifold.TOUCH`), which the contacts of one answer share."""

    def __init__(self, context: Context, prepared: Prepared, rows: np.ndarray) -> None:
        self._context, self._world, self._rows = context, prepared.buffers.world, rows
        self._link_names: LinkNames = prepared.kept[NAMED]
        self._shapes: dict[int, tuple[str, str, int]] = {}

    def shape(self, g: int) -> tuple[str, str, int]:
        """Return (model, link, first point) of a shape; vertex indices are those of its own mesh."""
        known = self._shapes.get(g)
        if known is None:
            geom = self._world.geoms[g]
            names = self._context.name_of(self._world, g, self._link_names)
            known = self._shapes[g] = (*names, int(geom["proxy"]) - int(geom["points"]))
        return known

    @cached_property
    def columns(self) -> list[Any]:
        """The table column by column: reading records one by one takes ten times as long."""
        rows = self._rows
        vectors = [np.ascontiguousarray(rows[name]) for name in ("point_a", "point_b", "normal")]
        for each in vectors:
            each.setflags(write=False)  # an answer stays what it was
        return [rows[name].tolist() for name in ("kind", "geom_a", "geom_b", "a", "b", "distance")] + vectors

    def fields(self, i: int) -> dict[str, object]:
        """Return the fields of contact i."""
        kind, geom_a, geom_b, a, b, distance, point_a, point_b, normal = [column[i] for column in self.columns]
        model_a, link_a, first_a = self.shape(geom_a)
        model_b, link_b, first_b = self.shape(geom_b)
        features = tuple([k - first_a for k in a if k >= 0]), tuple([k - first_b for k in b if k >= 0])
        return {
            "link_a": link_a, "link_b": link_b, "kind": KINDS[kind], "features": features, "point_a": point_a,
            "point_b": point_b, "normal": normal, "distance": distance, "model_a": model_a, "model_b": model_b,
        }  # fmt: skip


class _Field:
    """A field of a contact that is not there yet: reading it fills in all of them, which then come first."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, contact: RowContact, owner: type) -> object:
        own = contact.__dict__
        if self._name not in own:  # another thread may have filled it in meanwhile
            own.update(contact.touches.fields(contact.place))
        return own[self._name]


class RowContact(Contact):
    """A `Contact` that is a row of `Touches` until a field of it is asked for.

    Where it is found are slots: no dictionary is made for a contact that nobody looks at.
    """

    __slots__ = ("place", "touches")
    touches: Touches
    place: int

    def __reduce__(self) -> tuple[type[Contact], tuple[object, ...]]:
        return Contact, tuple(getattr(self, name) for name in Contact.__dataclass_fields__)


RowContact.__qualname__ = Contact.__qualname__  # as it says of itself
for _name in Contact.__dataclass_fields__:
    setattr(RowContact, _name, _Field(_name))


_set_touches, _set_place = RowContact.touches.__set__, RowContact.place.__set__  # type: ignore[attr-defined]  # slots


def contacts_of(context: Context, prepared: Prepared, rows: np.ndarray) -> tuple[Contact, ...]:
    """Return the contacts of a manifold's rows, found in the tables of these buffers.

    Without a loop of Python's over them, which takes twice as long.
    """
    touches, n = Touches(context, prepared, rows), len(rows)
    contacts = tuple(map(object.__new__, repeat(RowContact, n)))
    any(map(_set_touches, contacts, repeat(touches)))  # past the record, which is frozen; both return None
    any(map(_set_place, contacts, range(n)))
    return contacts
