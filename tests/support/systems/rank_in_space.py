"""Mechanisms of NumPy arrays as systems of spatial FMUs."""

from __future__ import annotations

import numpy as np

from coupling import System
from fmu_components.declare.orientation import orientation
from tests.support.systems.constrained import GROUND, Mechanism, frame_of
from tests.support.systems.space import joined, vector

_COMPONENTS = {"spherical": "Spherical", "revolute": "Revolute", "weld": "Weld", "prismatic": "Prismatic"}


def as_system(mechanism: Mechanism) -> System:
    """The same bodies and joints in the same pose; at rest, without gravity."""
    system = System("mechanism")
    ports: dict[int, dict[str, float]] = {body: {} for body in range(mechanism.bodies)}
    count = dict.fromkeys(ports, 0)
    made = []
    for number, joint in enumerate(mechanism.joints):
        ends = []
        for body, point in ((joint.a, joint.point), (joint.b, np.add(joint.point, joint.offset))):
            across, _, along = frame_of(joint.axis)  # bodies are made with frames that are parallel to the world's
            place = mechanism.origin[body]
            name = "p1" if body == GROUND else f"p{count[body] + 1}"
            values = vector(f"{name}.r", np.subtract(point, place)) | vector(f"{name}.z", along) | vector(f"{name}.x", across)
            if body == GROUND:
                system.add(f"ground{number}", "spatial.Fixed", values)
                ends.append(f"ground{number}.p1")
            else:
                ports[body] |= values
                count[body] += 1
                ends.append(f"body{body}.{name}")
        made.append((f"joint{number}", _COMPONENTS[joint.kind], *ends))
    for body, values in ports.items():
        mass = {
            "m": mechanism.masses[body],
            **dict(zip(("Ixx", "Iyy", "Izz"), map(float, mechanism.inertias[body]), strict=True)),
            "gz": 0.0,
        }
        pose = vector("", mechanism.x[body]) | orientation(matrix=mechanism.r[body])
        system.add(f"body{body}", f"spatial.Body{max(2, count[body])}", mass | values | pose)
    joined(system, *made)
    return system
