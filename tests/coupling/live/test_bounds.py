"""States that leave the range of their component: one sentence for each, with the first time and the worst value, and the same bits as without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import DeclarationError
from jourdain import Checkpoint, Component, Scheme, System
from jourdain.declare import t
from tests.support.systems import kept

VOLUME, BULK, START = 1e-4, 1.5e9, 1e6


def emptied(kind: str | None = None) -> System:
    """A volume from which a sine takes oil: its pressure is START - BULK / VOLUME (1 - cos 2 t) q / 2."""
    import sympy

    system = System("emptied")
    system.add("oil", "hydraulic.Volume", {"volume": VOLUME, "bulk": BULK, "p": START}, kind=kind)
    system.add("pump", "hydraulic.FlowSource")
    system.connect("pump.port", "oil.port")
    system.drive("pump.flow", -1e-7 * sympy.sin(2 * t))
    return system


DEPTH = BULK / VOLUME * 1e-7


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "cvode", "ida", "RK45"])
def test_a_pressure_below_zero_is_told_of_once(solver: str) -> None:
    """It falls below 0 where 1 - cos 2 t = 2 START / DEPTH, and is least at pi / 2."""
    result = emptied().simulate(3.0, solver=solver, rtol=1e-9, max_step=1e-3)
    (warning,) = result.outcome.warnings
    first = np.arccos(1 - 2 * START / DEPTH) / 2
    assert warning.startswith("'oil.p' leaves the range in which hydraulic.Volume describes it (at least 0 Pa) at t = ")
    said = float(warning.split(" at t = ")[1].split(" s")[0])
    assert first <= said <= first + 2e-3
    assert f"and is {START - DEPTH:.4g} Pa at t = 1.57" in warning
    assert result["oil.p"].min() == pytest.approx(START - DEPTH, abs=10)


def test_every_way_of_evaluation_says_the_same_and_a_second_run_begins_anew() -> None:
    system = emptied()
    said = {tuple(system.simulate(3.0, evaluation=way).outcome.warnings) for way in ("fmus", "tape", "compiled")}
    assert len(said) == 1
    assert system.simulate(0.3).outcome.warnings == []


def test_what_rounds_to_the_bound_says_nothing() -> None:
    system = System("battery")
    system.add("battery", "electrical.Battery", {"soc": 1.0})
    assert system.simulate(1.0).outcome.warnings == []


class Bucket(Component):
    """Bucket that a constant flow fills."""

    def declare(self):
        level = self.state("level", 0.0, "m", "level of the water", holds=(0, 1))
        self.rate(level, self.parameter("inflow", 1.0, "m/s", "rate at which it rises"))


def bucket(inflow: float, kind: str | None = None) -> System:
    system = System("bucket")
    system.add("bucket", Bucket, {"inflow": inflow}, kind=kind)
    return system


def test_a_component_of_a_user_states_its_range() -> None:
    (warning,) = bucket(1.0).simulate(2.0, max_step=0.01).outcome.warnings
    assert (
        warning.startswith("'bucket.level' leaves the range in which ")
        and "(at most 1 m) at t = 1.0" in warning
        and "is 2 m at t = 2 s" in warning
    )


@pytest.mark.parametrize(("inflow", "doubted"), [(49.0, False), (51.0, True)])
def test_an_unstable_coupling_may_be_the_cause_beyond_a_hundred_times_the_nominal_value(inflow: float, doubted: bool) -> None:
    """After 2 s the level is 98 m or 102 m, and its nominal value is 1 m."""
    (warning,) = bucket(inflow, "cs").simulate(2.0, communication_step=0.1).outcome.warnings
    assert f"is {2 * inflow:g} m at t = 2 s" in warning
    assert ("the coupling is unstable at communication_step = 0.1 s" in warning) is doubted


def discharged(**values: float) -> System:
    """A battery without end whose current grows by 1000 A/s: its voltage is 13 - 20 t, which is 0 at 0.65 s and -7 V at 1 s."""
    system = System("discharged")
    system.add("battery", "electrical.Battery", {"capacity": 1e15, **values})
    system.drive("battery.pin.i", -1000 * t)
    return system


SHORT = "'battery.pin.v' leaves the range in which electrical.Battery describes it (at least 0 V) at t = 0.652 s, and is -7 V at t = 1 s"


@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
@pytest.mark.parametrize("evaluation", ["fmus", "tape", "compiled"])
def test_an_output_out_of_its_range_is_reported_by_the_rows(solver: str, evaluation: str) -> None:
    """The rows are 2 ms apart: the first one beyond 0.65 s counts."""
    (warning,) = discharged().simulate(1.0, solver=solver, evaluation=evaluation).outcome.warnings
    assert warning.startswith(SHORT)


def test_outputs_that_are_not_asked_for_are_looked_at_as_well(tmp_path: Path) -> None:
    result = discharged().simulate(1.0, outputs=["battery.soc"], record_to=tmp_path / "battery.jrd")
    assert "battery.pin.v" not in result.names and list(result._record.drawn) == ["battery.pin.v"]
    (warning,) = result.outcome.warnings
    assert warning.startswith(SHORT)
    assert discharged().simulate(1.0, outputs=[]).outcome.warnings == []


@pytest.mark.parametrize(("step", "first"), [(None, 0.652), (0.01, 0.66)])
def test_exported_systems_have_the_ranges_of_their_components(tmp_path: Path, step: float | None, first: float) -> None:
    """Rows of a co-simulation are at communication points, 10 ms apart."""
    path = discharged().export_fmu(tmp_path / "discharged.fmu", platforms=["linux64"])
    system = System("outer")
    system.add("inner", path)
    (warning,) = system.simulate(1.0, communication_step=step).outcome.warnings
    assert warning.startswith(
        f"'inner.battery.pin.v' leaves the range in which discharged describes it (at least 0 V) at t = {first} s, and is -7 V at t = 1 s"
    )


def test_a_full_accumulator() -> None:
    """Oil that enters is what the gas yields, and dead/bulk times the rise of pressure; the gas is at its least where p = precharge 2^1.4."""
    flow, least, start = 1e-4, 5e-4, 1e7
    system = System("accumulator")
    system.add("accumulator", "hydraulic.Accumulator", {"gas.least": least, "p": start})
    system.add("pump", "hydraulic.FlowSource", {"flow": flow})
    system.connect("pump.port", "accumulator.port")
    full = 5e6 * 2**1.4
    enters = 1e-3 * 0.5 ** (1 / 1.4) - least + 1e-5 / 1.5e9 * (full - start)
    result = system.simulate(2.0, rtol=1e-9)
    (warning,) = result.outcome.warnings
    assert warning.startswith("'accumulator.gas.left' leaves the range in which hydraulic.Accumulator describes it (at least 0 m3) at t = ")
    first = float(warning.split(" at t = ")[1].split(" s")[0])
    assert enters / flow <= first <= enters / flow + 2.0 / 500
    assert f"is {result['accumulator.gas.left'][-1]:.4g} m3 at t = 2 s" in warning
    pressure = result["accumulator.p"][-1]
    left = 1e-3 * (5e6 / pressure) ** (1 / 1.4) - least
    assert result["accumulator.gas.left"][-1] == pytest.approx(left, rel=1e-9)
    assert system.simulate(2.0, start_values={"accumulator.gas.least": 0.0}).outcome.warnings == []


def test_a_disc_that_would_lift_off() -> None:
    """The force upwards is 20 t N: the normal force 9.81 - 20 t is 0 at 0.4905 s, and -10.19 N at 1 s."""
    system = System("disc")
    system.add("ground", "planar.Fixed")
    system.add("disc", "planar.Body1", {"m": 1.0, "I": 0.1, "y": 0.5})
    system.add("line", "planar.RollingDisc")
    system.add("lift", "planar.Wrench")
    system.connect("ground.p1", "line.M")
    system.connect("disc.p1", "line.N")
    system.connect("disc.p1", "lift.M")
    system.drive("lift.Fy", 20 * t)
    (warning,) = system.simulate(1.0).outcome.warnings
    assert warning.startswith(
        "'line.contact.normal' leaves the range in which planar.RollingDisc describes it (at least 0 N) at t = 0.492 s"
    )
    assert "is -10.19 N at t = 1 s" in warning


class _Spring(Component):
    """Mass on a spring, which breaks beyond a force of 0.5 N."""

    greatest: float | None = 0.5

    def declare(self):
        s, v = self.state("s", 1.0, "m", "position"), self.state("v", 0.0, "m/s", "velocity")
        k, m = self.parameter("k", 1.0, "N/m", "stiffness"), self.parameter("m", 1.0, "kg", "mass")
        force = self.local("force", -k * s, "N", "force of the spring", holds=(None, self.greatest))
        self.rate(s, v)
        self.rate(v, force / m)


class _Unbounded(_Spring):
    """The same mass, whose spring bears every force."""

    greatest = None


@pytest.mark.parametrize("solver", ["dopri5", "cvode", "RK45"])
def test_ranges_of_quantities_change_no_bit_and_add_no_event(solver: str) -> None:
    """The force -cos t is 0.5 N at t = 2 pi / 3, and 1 N at most, at pi."""
    results = {}
    for model in (_Spring, _Unbounded):
        system = System("spring")
        system.add("mass", model)
        results[model] = system.simulate(4.0, solver=solver, rtol=1e-8)
    bounded, free = results.values()
    assert np.array_equal(bounded["mass.s"], free["mass.s"]) and np.array_equal(bounded["mass.v"], free["mass.v"])
    assert bounded.statistics.events == 0 and bounded.statistics.steps == free.statistics.steps
    assert free.outcome.warnings == []
    (warning,) = bounded.outcome.warnings
    first = 4.0 / 500 * np.ceil(2 * np.pi / 3 / (4.0 / 500))
    assert f"(at most 0.5 N) at t = {first:.6g} s, and is 1 N at t = 3.144 s" in warning


@pytest.mark.parametrize("kind", ["cs", "me"])
@pytest.mark.parametrize(
    "options",
    [{}, {"scheme": "gauss-seidel"}, {"scheme": "implicit"}, {"scheme": Scheme(step_control="adaptive")}],
    ids=["explicit", "gauss-seidel", "implicit", "adaptive"],
)
def test_communication_points_are_looked_at(kind: str, options: dict) -> None:
    """Rows at the end alone: the first time and the worst value are those of points, 10 ms apart or what the step control chooses.

    A shaft steps beside the volume, since a co-simulation needs an instance that steps.
    """
    system = emptied(kind)
    system.add("shaft", "mechanical1d.Inertia", kind="cs")
    system.add("torque", "mechanical1d.Torque")
    system.connect("shaft.flange", "torque.flange")
    result = system.simulate(3.0, communication_step=0.01, output_times=[3.0], rtol=1e-9, max_step=0.01, **options)
    (warning,) = result.outcome.warnings
    first = np.arccos(1 - 2 * START / DEPTH) / 2
    said = float(warning.split(" at t = ")[1].split(" s")[0])
    assert first <= said <= first + 0.0101
    assert float(warning.split("and is ")[1].split(" Pa")[0]) == pytest.approx(START - DEPTH, abs=1e-3 * DEPTH)
    assert result.statistics.events == 0


@pytest.mark.parametrize(
    "options",
    [{}, {"communication_step": 0.01}, {"communication_step": 0.01, "scheme": "implicit"}],
    ids=["dopri5", "explicit", "implicit"],
)
def test_a_run_that_goes_on_says_the_same(options: dict, tmp_path: Path) -> None:
    """The notes before the checkpoint are included; no row shows them."""
    options = {"output_times": [3.0], "max_step": 0.01, **options}
    undisturbed = emptied().simulate(3.0, **options)
    with kept.checkpoints(tmp_path, 2, 3) as paths:
        emptied().simulate(3.0, **options, checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))
    assert len(paths) == 3 and len(undisturbed.outcome.warnings) == 1
    for path in paths:
        assert System.resume(path).outcome.warnings == undisturbed.outcome.warnings


def test_rows_between_long_steps_give_the_worst_value() -> None:
    """Steps are up to 0.1 s long, and rows 6 ms apart."""
    result = emptied().simulate(3.0, rtol=1e-9)
    (warning,) = result.outcome.warnings
    assert result.statistics.steps < 100
    assert "and is -5e+05 Pa at t = 1.572 s" in warning


def test_a_range_of_what_is_not_declared_is_refused() -> None:
    class Odd(Component):
        """Component that gives a parameter a range by the wrong word."""

        def declare(self):
            self.holds(self.parameter("k", 1.0, "", "number"), least=0)

    with pytest.raises(DeclarationError, match="holds\\(\\) was given 'k', which is neither a state nor calculated"):
        declaration(Odd)
