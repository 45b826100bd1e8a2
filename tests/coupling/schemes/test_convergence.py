"""Every coupling scheme converges with its order, and keeps the constraints that it enforces at every point."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from coupling import Result, Scheme
from coupling.schemes.base.scheme import SCHEMES
from tests.support.oracles.motion import OneAngle
from tests.support.oracles.planar import FourBar, Pendulum, Rod, SliderCrank
from tests.support.systems.systems import system_of

STOP = 0.5
MECHANISMS = {
    "pendulum": Pendulum(angle=-0.5, speed=1.0),
    "four-bar": FourBar(angle=1.0, speed=1.0),
    "slider-crank": SliderCrank(Rod(0.4), Rod(1.1), stiffness=20.0, rest=1.2, torque=1.0, angle=1.0, speed=1.0),
}
"""The spring of the slider-crank is inside its guide: a wrench that depends on states, beside those of multipliers."""


STEPS = {1: (100, 200, 400), 2: (50, 100, 200), 3: (50, 100, 200), 4: (20, 40, 80)}
"""Numbers of steps by order: fine enough to show it, too coarse for rounding to enter."""


def cases() -> Iterator[tuple[str, int]]:
    """All schemes, the explicit ones by all degrees."""
    for scheme in sorted(SCHEMES):
        yield from ((scheme, degree) for degree in ((1,) if scheme.startswith("implicit") else (0, 1, 2)))


def order(scheme: str, degree: int, oracle: OneAngle) -> int:
    """Returns the order that follows from the construction of a scheme.

    Polynomials of degree k leave an error of order k + 1 in the motion. Implicit schemes take inputs as linear over a step, which is of
    order 2. Errors of multipliers, however, are only as large as their effect on the motion, which is of order 4.
    """
    if not scheme.startswith("implicit"):
        return degree + 1
    return 2 if isinstance(oracle, SliderCrank) else 4


def run(oracle: OneAngle, scheme: str, degree: int, steps: int) -> Result:
    result = system_of(oracle).simulate(
        STOP, communication_step=STOP / steps, scheme=Scheme(scheme, extrapolation=degree), output_times=np.linspace(0, STOP, 11)
    )
    told = any(warning.startswith("a constraint is violated: ") for warning in result.outcome.warnings)
    assert result.outcome.completed and len(result.outcome.warnings) == told, result.outcome
    loose = SCHEMES[scheme].loose
    levels = {level: result.violation[level].max() for level in ("position", "velocity") if level not in loose}
    assert told == (levels.get("position", 0) > 1e-4 or levels.get("velocity", 0) > 1e-3)  # the coarsest are
    return result


def enforced(result: Result, scheme: str) -> float:
    """The worst that is left at any point of what a scheme enforces."""
    residuals = np.array([result[name] for name in result.names if ".residual[" in name])
    levels = {"position": result.violation["position"], "velocity": result.violation["velocity"]}
    if scheme == "implicit":
        return float(max(level.max() for level in levels.values()))
    if scheme.startswith("implicit-"):
        return float(levels[scheme.removeprefix("implicit-")].max())
    return float(np.abs(residuals).max())


@pytest.mark.parametrize(("scheme", "degree"), list(cases()), ids=[f"{scheme}-{degree}" for scheme, degree in cases()])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_order_of_convergence(mechanism: str, scheme: str, degree: int) -> None:
    """The order is that of positions, between the two finest steps, against minimal coordinates. Constraints hold to 1e-10 for all steps."""
    oracle, errors = MECHANISMS[mechanism], []
    expected = order(scheme, degree, oracle)
    for steps in STEPS[expected]:
        result = run(oracle, scheme, degree, steps)
        bodies = oracle.motion(result.time)
        errors.append(max(float(np.abs(getattr(m, x) - result[f"{b}.{x}"]).max()) for b, m in bodies.items() for x in ("x", "y", "theta")))
        assert enforced(result, scheme) < 1e-10
    observed = np.log2(errors[-2] / errors[-1])
    assert errors[-1] > 1e-9, "what is left of the constraints has entered"
    assert observed >= expected - 0.1, errors
