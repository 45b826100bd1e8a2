"""Forces that arrive at bodies in joints: no scheme tears the joints open in silence."""

from __future__ import annotations

import math

import pytest

from coupling import Result, Scheme, System


@pytest.fixture(scope="module")
def lever() -> System:
    """A lever of 1 t pinned to the ground, pushed at its other end by 1e6 sin(pi t) N through a lag that steps before it."""
    system = System("lever")
    system.add("lag", "signal.FirstOrder", {"T": 0.01}, kind="cs")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"m": 1e3, "I": 2e6, "p1.rx": -1.0, "p2.rx": 1.0, "x": 1.0, "gy": 0.0})
    system.add("pin", "planar.Revolute")
    for pair in (("ground.p1", "pin.M"), ("pin.N", "rod.p1"), ("lag.y", "rod.p2.Fy")):
        system.connect(*pair)
    system.drive("lag.u", lambda t: 1e6 * math.sin(math.pi * t))
    return system


def worst(result: Result) -> float:
    return float(result.violation["position"].max())


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_instances_in_turn_violate_no_more_than_all_at_once(lever: System, degree: int) -> None:
    """A new force beside multipliers that balance the old one pulled the pin by 0.9 m, 0.014 m and 0.005 m."""
    runs = [
        lever.simulate(2.0, communication_step=0.01, scheme=Scheme(scheme, extrapolation=degree)) for scheme in ("explicit", "gauss-seidel")
    ]
    assert worst(runs[1]) <= 1.001 * worst(runs[0]) < 2e-4


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel"])
@pytest.mark.parametrize("outputs", [None, ["rod.x"]])
def test_a_violation_is_told_at_the_end(lever: System, scheme: str, outputs: list[str] | None) -> None:
    """Recorded or not: the end is looked at in any case."""
    warnings = lever.simulate(0.75, communication_step=0.05, scheme=Scheme(scheme, extrapolation=0), outputs=outputs).outcome.warnings
    (violated,) = (w for w in warnings if w.startswith("a constraint is violated: pin."))
    assert violated.endswith(
        "is allowed; choose a smaller communication_step, a higher Scheme(extrapolation=...), or scheme='implicit' and leave extrapolation out"
    )


def test_a_coarse_integration_tells_as_well() -> None:
    """A rod that falls fast around a weak joint, to three digits."""
    system = System("weak")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5, "omega": 40.0, "vy": 20.0})
    system.add("pin", "planar.Revolute", {"baumgarte.alpha": 0.0, "baumgarte.beta": 0.0})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    (warning,) = system.simulate(20.0, rtol=1e-5).outcome.warnings
    assert warning.startswith("a constraint is violated: pin.position[") and warning.endswith(
        "where 0.001 is allowed; choose a smaller rtol, or greater baumgarte.alpha and baumgarte.beta of its joint, or stabilisation='projection'"
    )
    assert system.simulate(2.0).outcome.warnings == []
