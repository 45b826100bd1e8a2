"""Multipliers of joints as inputs of others, against the law of momentum: of a rod of 1 kg it is what forces add up to."""

from __future__ import annotations

import pytest

from coupling import Index3, System


def swing(fed_back: float) -> System:
    """A rod that falls about a pin, whose force is integrated, and so much of it also acts at the rod's centre."""
    system = System("swing", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.0, "x": 0.5})
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    for axis in "12":
        system.add(f"sum{axis}", "signal.Integrator")
        system.connect(f"pin.lambda[{axis}]", f"sum{axis}.u")
    if fed_back:
        system.add("push", "planar.Wrench")
        system.connect("push.M", "rod.p2")
        for axis, force in ("1", "Fx"), ("2", "Fy"):
            system.add(f"part{axis}", "signal.Gain", {"k": fed_back})
            system.connect(f"pin.lambda[{axis}]", f"part{axis}.u")
            system.connect(f"part{axis}.y", f"push.{force}")
    return system


@pytest.mark.parametrize("fed_back", [0.0, 0.5], ids=["read", "fed back"])
@pytest.mark.parametrize(
    "options",
    [{}, {"evaluation": "fmus"}, {"evaluation": "fmus", "multipliers": "successive"}, {"evaluation": "fmus", "solver": "cvode"}],
    ids=["tape", "FMUs", "successive", "cvode"],
)
def test_a_multiplier_is_passed_on_like_an_output(fed_back: float, options: dict[str, object]) -> None:
    result = swing(fed_back).simulate(0.6, rtol=1e-8, atol=1e-9, output_interval=0.1, **options)  # type: ignore[arg-type]  # options of simulate
    assert result.outcome.completed and result["rod.vy"].min() < -0.5
    assert (1 + fed_back) * result["sum1.y"] == pytest.approx(result["rod.vx"], abs=1e-7)
    assert (1 + fed_back) * result["sum2.y"] - 9.81 * result.time == pytest.approx(result["rod.vy"], abs=1e-7)
    if fed_back:
        assert result["part2.y"] == pytest.approx(fed_back * result["pin.lambda[2]"], rel=1e-12)


def test_steps_with_constraints_at_the_level_of_positions_know_it_too() -> None:
    """They know it to their first order: half the step halves the error."""
    missing = []
    for step_size in 0.01, 0.005:
        result = swing(0.5).simulate(0.6, solver=Index3(step_size=step_size))
        missing.append(abs(1.5 * result["sum1.y"][-1] - result["rod.vx"][-1]))
    assert missing[1] < 0.002 and missing[1] == pytest.approx(missing[0] / 2, rel=0.05)
