"""The crane as two exported FMUs: other masters and Jourdain's agree where they pass on the same, and differ as their ways to pass on do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.interoperability.cases import CRANE_STEP, SPLIT_CRANE
from tests.support.interoperability.exported import CRANE, CRANE_STATES, HYDRAULICS, MECHANICS, SPLITS
from tests.support.interoperability.registry import master
from tests.support.interoperability.split_crane import PLAIN, difference, error, largest, recorded
from tests.support.runtime.driver import Driver

SAME = ["without derivatives", "friction with the mechanics"]
"""Splits in which an output cannot be corrected, or does not depend on inputs."""


@pytest.mark.parametrize("split", SAME)
@pytest.mark.parametrize(
    ("title", "fmi"),
    [pytest.param(title, 2, marks=[pytest.mark.slow] * (title == "ecos")) for title in PLAIN]
    + [pytest.param(title, 3, marks=[pytest.mark.slow] * (title != "ecos")) for title in PLAIN if title != "libcosim"],
)
def test_it_is_our_own_co_simulation(title, split, fmi):
    """Length, angle and pressures over 2 s in steps of 0.5 ms; libcosim reads no FMI 3.0."""
    assert np.ptp(recorded(title, split, fmi)[CRANE_STATES["length"]]) > 0.03
    assert difference(title, split, fmi) < 1e-9


def corrected(step: float) -> dict[str, np.ndarray]:
    """A loop that passes on the cylinder's force as it is at the speed that arrives, by its friction; otherwise as the plain masters."""
    with Driver(MECHANICS(2), "cs", "mechanics") as mechanics, Driver(HYDRAULICS(2), "cs", "hydraulics") as hydraulics:
        parts = {"mechanics": mechanics, "hydraulics": hydraulics}
        for part in parts.values():
            part.start()
        found, held = [], mechanics["actuator.flange.v"]
        for point in range(round(SPLIT_CRANE.assembly.stop / step) + 1):
            found.append([parts[name.partition(".")[0]][name.partition(".")[2]] for name in CRANE_STATES.values()])
            motion = mechanics.get([f"actuator.flange.{quantity}" for quantity in "sva"])
            speed = motion["actuator.flange.v"]
            force = hydraulics["cylinder.flange.f"] - CRANE.CYLINDER["viscous"] * (speed - held)
            held = speed
            hydraulics.set({f"cylinder.flange.{quantity}": motion[f"actuator.flange.{quantity}"] for quantity in "sva"})
            mechanics.set({"actuator.flange.f": force})
            for part in parts.values():
                part.step(point * step, step)
    return dict(zip(CRANE_STATES.values(), np.transpose(found), strict=True))


@pytest.mark.slow
def test_what_it_passes_on_where_it_can_correct():
    """All of the friction is of the speed that arrives: only by this does Jourdain differ, and by half of it with half the step."""
    assert largest(corrected(CRANE_STEP), recorded("Jourdain", "as exported").values) < 1e-9
    for title in PLAIN:
        coarse, fine = (difference(title, "as exported", step=step) for step in (CRANE_STEP, CRANE_STEP / 2))
        assert coarse > 1e-5 and coarse / fine == pytest.approx(2, rel=0.05)


def test_masters_that_pass_on_alike_agree():
    """The masters of other tools agree with each other, as exported."""
    first, *others = PLAIN
    for title in others:
        assert largest(recorded(title, "as exported").values, recorded(first, "as exported").values) < 1e-9


@pytest.mark.parametrize("split", list(SPLITS))
@pytest.mark.parametrize("title", ["ecos", "Jourdain"])
def test_all_come_to_the_crane_in_one_piece(title, split):
    """The error is of order 1, since inputs are held."""
    assert error(title, split) < SPLIT_CRANE.tolerance
    assert error(title, split) / error(title, split, CRANE_STEP / 2) == pytest.approx(2, rel=0.05)


def test_what_ecos_shows_of_the_force():
    """Its friction is that of the speed which the cylinder takes into the next step, not of the step that has ended."""
    outputs = ["hydraulics.cylinder.flange.f", "mechanics.actuator.flange.v"]
    crane = SPLIT_CRANE.assembly
    shown, given = (
        master(title).record(type(crane)(crane.parts, crane.connections, crane.step, 0.5, outputs), 2) for title in ("ecos", "FMPy, a loop")
    )
    force, speed = (given[name] for name in outputs)
    fresh = force[1:] - CRANE.CYLINDER["viscous"] * np.diff(speed)
    assert shown[outputs[0]][1:] == pytest.approx(fresh, rel=1e-9)
    assert np.abs(fresh / force[1:] - 1).max() > 1e-6
