"""What the audit of a program says: a stretch is measured when it is looked at, and the verdict is of the first."""

from types import SimpleNamespace

import numpy as np
import pytest

from tocsin import Status, TocsinError
from tocsin.queries.audit.program_records import Conflict, Kept, Measured, ProgramAudit
from tocsin.results import Distance


def conflict(status, enter, leave, look=None):
    return Conflict(status, enter, leave, None, 0.01, look)


def audit(*conflicts, auditor=None):
    program = SimpleNamespace(begin=1.0)
    return ProgramAudit(program, None, (), tuple(conflicts), 0.01, 3, 0.1, auditor)


def test_all_that_is_measured_is_measured_at_once_and_once():
    looked = []

    def look(of):
        looked.append(of)
        return Measured(0.5, 0.25, 2.0, np.ones(3), 4.0)

    found = conflict(Status.CONTACT, 1.0, 2.0, look)
    assert not looked
    assert (found.distance, found.depth, found.at, found.speed) == (0.5, 0.25, 2.0, 4.0)
    assert found.point.tolist() == [1, 1, 1]
    assert looked == [found]
    assert conflict(Status.CAPPED, 1.0, 2.0).distance is None


@pytest.mark.parametrize(
    ("conflicts", "status"),
    [
        ([], Status.FREE),
        ([conflict(Status.CAPPED, 2.0, 3.0)], Status.CAPPED),
        ([conflict(Status.CAPPED, 1.0, 2.0), conflict(Status.CONTACT, 2.0, 3.0)], Status.CONTACT),
        ([conflict(Status.CONTACT, 1.0, 3.0)], Status.INITIAL_CONTACT),
    ],
)
def test_the_verdict_is_that_of_the_first_contact(conflicts, status):
    found = audit(*conflicts)
    assert found.status is status
    assert found.is_free == (not conflicts)
    with pytest.raises(TocsinError, match="is_free"):
        bool(found)


def test_what_is_looked_at_later_is_asked_of_the_auditor_once():
    asked = []
    kept = Kept(0.1, 0.2, 1.5, Distance(0.2, 0.1), None)
    auditor = SimpleNamespace(
        clearance=lambda conflicts: asked.append("clearance") or kept,
        curves=lambda clearance: asked.append(clearance) or ("curve",),
        tube_share=lambda clearance, conflicts: 0.5,
    )
    found = audit(auditor=auditor)
    assert asked == []
    assert found.curves == ("curve",)
    assert found.clearance is kept
    assert found.tube_share == 0.5
    assert asked == ["clearance", kept]
    with pytest.raises(TocsinError, match="lower > 0"):
        bool(kept)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, ""),
        (0.25, "25 % of the clearance that is proven without them"),
        (1.0, "100 % of the clearance that is proven without them"),
        (np.nan, "nothing: no clearance is proven without them either"),
    ],
)
def test_errors_take_nothing_of_a_motion_that_touches_by_itself(share, said):
    """Reports said that they took all of it, and pages 100 %."""
    auditor = SimpleNamespace(clearance=lambda conflicts: None, tube_share=lambda kept, conflicts: share)
    assert audit(auditor=auditor).tube_said == said
