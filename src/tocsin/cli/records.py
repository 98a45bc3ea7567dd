"""What `--json` prints: results as plain dictionaries. These keys are stable; new ones may be added.

Lengths are metres, angles radians, times 0 to 1 (a motion) or seconds (a trajectory that has them); what does not
exist, or is infinite, is null.
"""

from __future__ import annotations

import math

import numpy as np

import tocsin
from tocsin.cli.output import Record
from tocsin.model.robot import Robot
from tocsin.queries.audit.records import Audit, Moment, Pair, Stretch
from tocsin.results import Contact, Distance, FirstContact
from tocsin.scene import Scene


def opening(command: str, robot: Robot, scene: Scene) -> Record:
    """What every answer opens with."""
    return {"tocsin": tocsin.__version__, "command": command, "robot": robot.name, "scene": list(scene.names)}


def by_joint(robot: Robot, configuration: np.ndarray) -> Record:
    """A configuration as joint -> value, a list for joints with several values."""
    found: Record = {}
    k = 0
    for joint in robot.joints:
        if joint.width:
            values = configuration[k : k + joint.width].tolist()
            found[joint.name] = values[0] if joint.width == 1 else values
            k += joint.width
    return found


def contact(found: Contact) -> Record:
    """One pair of touching features."""
    return {
        "model_a": found.model_a,
        "link_a": found.link_a,
        "model_b": found.model_b,
        "link_b": found.link_b,
        "kind": found.kind,
        "features": [list(found.features[0]), list(found.features[1])],
        "point_a": found.point_a,
        "point_b": found.point_b,
        "normal": found.normal,
        "distance": found.distance,
    }


def first_contact(robot: Robot, hit: FirstContact) -> Record:
    """The answer about one motion."""
    return {
        "status": hit.status.value,
        "free": not hit.collides,
        "time": hit.time if math.isfinite(hit.time) else None,
        "configuration": by_joint(robot, robot.at_contact(hit)) if hit.contacts else None,
        "tolerance": hit.tolerance if hit.contacts else None,
        "contacts": [contact(c) for c in hit.contacts],
        "pairs_checked": hit.stats.pairs_total // max(hit.stats.slabs, 1),
        "seconds": sum(hit.stats.seconds.values()),
    }


def moment(robot: Robot, at: Moment) -> Record:
    """A place on a trajectory."""
    return {
        "waypoint": at.waypoint,
        "fraction": at.fraction,
        "time": at.time,
        "configuration": by_joint(robot, at.configuration),
    }


def pair(found: Pair) -> dict[str, str]:
    """Two links that touch."""
    return found._asdict()


def stretch(robot: Robot, found: Stretch) -> Record:
    """A stretch that is not proven free."""
    return {
        "status": found.status.value,
        "enter": moment(robot, found.enter),
        "exit": moment(robot, found.exit),
        "pairs": [pair(p) for p in found.pairs],
        "contacts": [contact(c) for c in found.contacts],
        "exit_contacts": [contact(c) for c in found.exit_contacts],
        "time_step": found.time_step,
        "joint_step": found.joint_step,
    }


def nearest(found: Distance) -> Record:
    """The closest pair at one moment."""
    return {
        "model_a": found.model_a,
        "link_a": found.link_a,
        "model_b": found.model_b,
        "link_b": found.link_b,
        "point_a": found.point_a,
        "point_b": found.point_b,
    }


def audit(robot: Robot, found: Audit) -> Record:
    """The answer about a trajectory."""
    clearance = found.clearance
    return {
        "status": found.status.value,
        "free": found.is_free,
        "margin": found.margin,
        "resolution": found.resolution,
        "waypoints": found.waypoints,
        "duration": found.duration,
        "length": found.length,
        "stretches": [stretch(robot, s) for s in found.stretches],
        "clearance": {
            "lower": clearance.lower,
            "upper": clearance.upper,
            "at": moment(robot, clearance.at),
            "nearest": nearest(clearance.nearest) if math.isfinite(clearance.upper) else None,
        },
        "queries": found.queries,
        "seconds": found.seconds,
    }
