"""A torque that jumps from 1 to -1 turns an inertia up and back down to rest: every scheme and step control takes the jump at its time."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import BuildError, Scheme, System
from coupling.schemes.base.scheme import SCHEMES
from coupling.schemes.base.step_control import STEP_CONTROLS


@pytest.fixture(scope="module", params=["cs", "me"])
def turned(request: pytest.FixtureRequest) -> System:
    """The inertia by itself, and between the points as a Model Exchange instance beside another one that steps."""
    system = System("turned")
    system.add("wheel", "mechanical1d.Inertia", kind=request.param)
    system.add("torque", "mechanical1d.Torque")
    system.connect("torque.flange", "wheel.flange")
    system.drive("torque.torque", [[0, 1], [1, 1], [1, -1], [2, -1]])
    if request.param == "me":
        system.add("other", "mechanical1d.Inertia", kind="cs")
    return system


@pytest.mark.parametrize("control", sorted(STEP_CONTROLS))
@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_a_step_that_ends_at_a_jump_takes_the_value_before_it(turned: System, scheme: str, control: str) -> None:
    """The value is right to 1e-12, with and without repeated steps; steps of 0.3 s do not meet the jump by themselves."""
    for step, degree in ((0.01, 1), (0.3, 1), *(((0.3, 0), (0.3, 2)) if not scheme.startswith("implicit") else ())):
        try:
            result = turned.simulate(2.0, communication_step=step, scheme=Scheme(scheme, step_control=control, extrapolation=degree))
        except BuildError as refused:
            assert control in str(refused)
            return
        assert result["wheel.w"] == pytest.approx(np.interp(result.time, [0, 1, 2], [0, 1, 0]), abs=1e-12)
        assert (result.time == 1.0).sum() == 2  # before the jump and after it; attempts that were taken back leave no rows
