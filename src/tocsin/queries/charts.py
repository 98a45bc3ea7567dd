"""The charts of a scene (`broad_phase.charts`): made for pairs that have cost much, or that cannot be decided without.

Charts change no answer (`advancement.work`), so threads may come and go with tables that have more or fewer of them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from tocsin.advancement.surveying import LOOK, Surveyor, turning_limits
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.model.base import Model
from tocsin.model.tables import World


class Charts:
    """What is charted, by margin and tolerance, of the tables that a scene has at the moment."""

    def __init__(self, models: Sequence[Model], wanted: bool, lock: threading.Lock) -> None:
        self.wanted: bool = wanted
        """Are charts made for pairs that have cost much? Those without which there is no answer always are."""
        self.charted: dict[tuple[float, float], World] = {}
        """(margin, tolerance) -> the scene's tables, charts included."""
        self.spent: int = 0
        """Steps of all questions since the last look at which pairs cost them."""
        self.next_look: int = LOOK
        """Steps after which to look again."""
        self._models = models
        self._lock = lock
        self._laid_out: World | None = None
        self._surveyors: dict[tuple[float, float], Surveyor] = {}

    def begin(self, world: World) -> None:
        """Begin again, on tables that were laid out anew; whoever calls this holds the lock."""
        self._laid_out, self._surveyors, self.charted, self.next_look = world, {}, {}, LOOK

    def count(self, steps: int, world: World, pairs: np.ndarray, margin: float, tolerance: float) -> None:
        """Count the steps of a question on these tables; look at its pairs when many have been taken."""
        self.spent += steps
        if self.spent >= self.next_look:
            self.survey(world, pairs, margin, tolerance)

    def survey(self, world: World, pairs: np.ndarray, margin: float, tolerance: float) -> None:
        """Make or fetch charts for pairs that have cost many steps."""
        steps, self.spent = self.spent, 0
        self.next_look *= 2
        with self._lock:
            if not self._is_current(world):
                return
            charted = self._surveyor(margin, tolerance).charted(world, pairs, steps)
            if charted is not None and world is self.charted.get((margin, tolerance), self._laid_out):
                self.charted[margin, tolerance] = charted

    def with_chart(self, world: World, a: int, b: int, margin: float, tolerance: float) -> World:
        """Return the tables with the chart of two shapes, without which a question cannot go on."""
        with self._lock:
            if not self._is_current(world):
                # Models or rules have changed since the question was asked: for this one alone.
                return self._new_surveyor(margin, tolerance).charted_now(world, a, b)
            charted = self._surveyor(margin, tolerance).charted_now(world, a, b)
            if world is self.charted.get((margin, tolerance), self._laid_out):
                self.charted[margin, tolerance] = charted
        return charted

    def _is_current(self, world: World) -> bool:
        """Are these the scene's tables, with charts or without, or those before a model or a rule was changed?"""
        return self._laid_out is not None and world.nodes is self._laid_out.nodes

    def _surveyor(self, margin: float, tolerance: float) -> Surveyor:
        key = (margin, tolerance)
        if key not in self._surveyors:
            self._surveyors[key] = self._new_surveyor(margin, tolerance)
        return self._surveyors[key]

    def _new_surveyor(self, margin: float, tolerance: float) -> Surveyor:
        return Surveyor(margin, tolerance, RELATIVE_TOLERANCE, turning_limits(self._models))
