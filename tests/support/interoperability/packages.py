"""Twelve examples that are written as SSP packages."""

from __future__ import annotations

from coupling import System
from tests.support.systems.machines import example

FORMS = {
    "00_three_uses": {},
    "01_pendulum": {},
    "03_seven_body_mechanism": {},
    "06_hydraulic_crane": {"solver": "cvode"},
    "08_motor_slider_crank": {"solver": "cvode"},
    "14_bricard": {},
    "17_quarter_car": {},
    "20_parallelogram": {},
    "26_measured_pendulum": {"initial": "assemble"},
    "32_clutch": {},
    "33_pendulum_at_wall": {},
    "37_ratchet": {},
}
"""Twelve examples, and the options of their exports."""


def system_of(name: str) -> System:
    """Returns the system of one of these examples."""
    system: System = getattr(example(name), "lifted" if name == "00_three_uses" else "system")()
    return system
