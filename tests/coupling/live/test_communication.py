"""Records and counts of a co-simulation, and the effect of inputs that vary within a step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from coupling import Result, Scheme, System
from coupling.schemes.base.scheme import SCHEMES
from tests.support import foreign
from tests.support.oracles.planar import FourBar, Pendulum
from tests.support.systems import seven_bodies
from tests.support.systems.stepped import INTERPOLATION, Oscillation, Position, component
from tests.support.systems.systems import system_of

scheme = pytest.mark.parametrize("scheme", sorted(SCHEMES))
explicit = pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel"])


def alone(fmu: object, drive: Callable[[float], float] | None = None) -> System:
    system = System("alone")
    system.add("unit", fmu, kind="cs")
    if drive:
        system.drive("unit.u", drive)
    return system


def undivided(scheme: str) -> dict[str, object]:
    """Options by which the first interval is one step."""
    return {"scheme": scheme} if scheme.startswith("implicit") else {"scheme": Scheme(scheme, extrapolation=0)}


# -- the start -------------------------------------------------------------------------------------------------------------------------


@scheme
@pytest.mark.parametrize("oracle", [Pendulum(angle=0.3, speed=1.0), FourBar(angle=0.9, speed=2.0)], ids=["pendulum", "four-bar"])
def test_the_start_is_that_of_model_exchange(oracle, scheme):
    """Every variable that both know, accelerations and multipliers included."""
    coupled = system_of(oracle).simulate(0.1, communication_step=0.01, scheme=scheme)
    together = system_of(oracle).simulate(0.1)
    common = [name for name in together.names if name in coupled]
    assert {"pin.lambda[1]", "rod.p1.ax"} <= set(common) or {"pin1.lambda[1]", "crank.p2.ay"} <= set(common)
    assert coupled.time[0] == 0
    for name in common:
        assert coupled[name][0] == pytest.approx(together[name][0], abs=1e-9, rel=1e-9), name


@scheme
def test_a_run_of_no_length_records_its_start(scheme):
    result = alone(foreign.of_oscillator()).simulate(0.0, communication_step=0.1, scheme=scheme)
    assert result.outcome.completed and result.time.tolist() == [0.0] and result["unit.x"].tolist() == [1.0]


# -- rows ------------------------------------------------------------------------------------------------------------------------------


@scheme
def test_rows_are_at_the_first_point_at_or_behind_each_time(scheme):
    """Several times in one step have one row. The start has none unless requested, and the end has one."""

    def times(*wanted: float) -> list[float]:
        result = alone(foreign.of_oscillator()).simulate(0.3, communication_step=0.03, output_times=wanted, **undivided(scheme))
        assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-9)
        return result.time.round(12).tolist()

    assert times(0, 0.1, 0.2, 0.3) == [0, 0.12, 0.21, 0.3]
    assert times(0.1, 0.101, 0.119) == [0.12]
    assert times(0.12) == [0.12]
    assert times(0.3) == [0.3]


@scheme
def test_asking_for_rows_takes_no_steps(scheme):
    """Points are where they are."""
    few = alone(foreign.of_oscillator()).simulate(1.0, communication_step=0.01, scheme=scheme, output_times=[1.0])
    many = alone(foreign.of_oscillator()).simulate(1.0, communication_step=0.01, scheme=scheme, output_interval=1e-3)
    assert few.statistics.steps == many.statistics.steps and few["unit.x"][-1] == many["unit.x"][-1]
    assert many.time[-100:] == pytest.approx(0.01 * np.arange(1, 101), abs=1e-12)


# -- statistics ------------------------------------------------------------------------------------------------------------------------


def test_passes_are_counted():
    """Their number is that of the steps without repetitions, more with repetitions, and 0 in Model Exchange."""
    oracle = Pendulum(angle=0.3)
    for name in ("explicit", "gauss-seidel"):
        s = system_of(oracle).simulate(1.0, communication_step=0.01, **undivided(name)).statistics
        assert s.passes == s.steps == 100
    s = system_of(oracle).simulate(1.0, communication_step=0.01, scheme="implicit").statistics
    assert s.steps == 100 and 200 <= s.passes <= 600
    assert system_of(oracle).simulate(1.0).statistics.passes == 0


@explicit
def test_the_first_step_of_a_polynomial_is_divided(scheme):
    """It is divided into 5 and 13, the smallest 1/16 and 1/4096 of the whole: there are no earlier points for an extrapolation."""
    for degree, parts in ((0, 1), (1, 5), (2, 13)):
        result = alone(foreign.of_oscillator(), np.cos).simulate(
            0.3, communication_step=0.1, scheme=Scheme(scheme, extrapolation=degree), output_interval=1e-5
        )
        assert result.statistics.steps == parts + 2
        assert result.time[1] == pytest.approx(0.1 / 2 ** (parts - 1), abs=1e-9)


# -- versions --------------------------------------------------------------------------------------------------------------------------


@scheme
def test_both_versions_of_an_fmu_give_the_same(scheme):
    """Two oscillators agree to the last digit, one driven by the other and that by a function of time."""

    def run(version: int) -> Result:
        system = alone(foreign.oscillator(version, rollback=True), np.sin)
        system.add("mass", foreign.mass_spring(version, rollback=True), kind="cs")
        system.connect("unit.x", "mass.f")
        return system.simulate(1.0, communication_step=0.01, scheme=scheme)

    second, third = run(2), run(3)
    assert second.time.tolist() == third.time.tolist()
    for name in second.names:
        assert second[name].tolist() == third[name].tolist(), name


# -- inputs within a step --------------------------------------------------------------------------------------------------------------


def order(errors: list[float]) -> float:
    return float(np.log2(errors[-2] / errors[-1]))


def follower(fmi: int, left_out: tuple[str, ...], steps: int, first: str = "leader", **options: object) -> float:
    """The error at 2 s of x' = cos t, where the cosine is another instance's."""
    system = System("chain")
    fmus = {"leader": Oscillation, "follower": Position}
    for name in sorted(fmus, key=lambda name: name != first):
        system.add(name, component(fmus[name], fmi, *left_out), {"x": 0.0} if name == "follower" else None, kind="cs")
    system.connect("leader.x", "follower.v")
    result = system.simulate(2.0, communication_step=2.0 / steps, output_times=[2.0], **options)
    assert result["leader.x"][-1] == pytest.approx(np.cos(2.0), abs=1e-9)
    return float(result["follower.x"][-1] - np.sin(2.0))


@pytest.mark.parametrize("degree", [0, 1, 2])
@explicit
def test_inputs_that_vary_within_a_step_have_the_order_of_their_polynomial(fmi, scheme, degree):
    """FMI 2 uses input derivatives, FMI 3 intermediate update. A single integral has this order with mean inputs as well."""
    for left_out in ((), INTERPOLATION):
        errors = [abs(follower(fmi, left_out, steps, scheme=Scheme(scheme, extrapolation=degree))) for steps in (50, 100)]
        assert order(errors) == pytest.approx(degree + 1, abs=0.25), errors


@pytest.mark.parametrize("fmi_only", [2, 3])
def test_a_mean_costs_order_where_more_than_an_integral_matters(fmi_only):
    """A rod's angle matters to the torque of a force over the step: order 3 with a parabola, 2 with its mean."""
    from fmu_components.catalogue import find

    oracle = Pendulum(angle=-0.5, speed=1.0)

    def error(left_out: tuple[str, ...], steps: int) -> float:
        system = System("pendulum")
        for name, (kind, values) in oracle.parts.items():
            system.add(name, component(find(kind), fmi_only, *left_out) if name == "rod" else kind, values)
        for pair in oracle.connections:
            system.connect(*pair)
        result = system.simulate(0.5, communication_step=0.5 / steps, scheme=Scheme(extrapolation=2), output_times=np.linspace(0, 0.5, 11))
        rod = oracle.motion(result.time)["rod"]
        return max(float(np.abs(getattr(rod, name) - result[f"rod.{name}"]).max()) for name in ("x", "y", "theta"))

    assert order([error((), steps) for steps in (50, 100, 200)]) == pytest.approx(3, abs=0.15)
    assert order([error(INTERPOLATION, steps) for steps in (50, 100, 200)]) == pytest.approx(2, abs=0.15)


def test_one_after_another_is_in_the_order_of_adding(fmi):
    """An instance that is added later gets the results of the others: a straight line through both ends of the step, whose error is -1/5 of
    that of the line through the two points before. The instance that is added first gets the latter, as in ``explicit``."""
    options = {"steps": 200}
    extrapolated = follower(fmi, (), scheme="explicit", **options)
    assert follower(fmi, (), scheme="gauss-seidel", first="follower", **options) == pytest.approx(extrapolated, rel=1e-9)
    assert follower(fmi, (), scheme="gauss-seidel", first="leader", **options) == pytest.approx(-extrapolated / 5, rel=0.05)
    assert follower(fmi, (), scheme="explicit", first="follower", **options) == pytest.approx(extrapolated, rel=1e-9)


def clocked(scheme: str, degree: int, steps: int, source: str) -> float:
    """The error at 2 s of x' = cos t, where an instance without states, or a function behind one, tells the cosine."""
    system = System("clock")
    system.add("integral", "signal.Integrator")
    if source == "instance":
        system.add("cosine", "signal.Sine", {"frequency": 0.5 / np.pi, "phase": np.pi / 2})
    else:
        system.add("cosine", "signal.Gain")
        system.drive("cosine.u", np.cos)
    system.connect("cosine.y", "integral.u")
    result = system.simulate(2.0, communication_step=2.0 / steps, scheme=Scheme(scheme, extrapolation=degree), output_times=[2.0])
    return float(result["integral.y"][-1] - np.sin(2.0))


@pytest.mark.parametrize("source", ["instance", "function"])
@pytest.mark.parametrize("degree", [0, 1, 2])
@explicit
def test_what_depends_on_time_alone_has_the_order_of_the_polynomial(scheme, degree, source):
    """The order is the same one after another, where it is asked for at the end of the step."""
    errors = [abs(clocked(scheme, degree, steps, source)) for steps in (50, 100)]
    assert order(errors) == pytest.approx(degree + 1, abs=0.25), errors


@pytest.mark.parametrize("scheme", ["implicit", "implicit-velocity"])
def test_a_time_event_within_a_step_that_is_repeated_is_met_each_time(scheme):
    """A table of 18 corners at random times, integrated between the points: its area is exact."""
    random = np.random.default_rng(6)
    times, values = np.sort(random.uniform(0, 0.4, 18)), random.uniform(-1, 1, 18)
    system = System("corners")
    system.add("table", "signal.Table", {"points": [times, values]})
    system.add("inside", "signal.Integrator", kind="me")
    system.add("outside", "signal.FirstOrder", {"T": 0.05}, kind="cs")
    system.connect("table.y", "inside.u")
    system.connect("inside.y", "outside.u")
    result = system.simulate(0.4, communication_step=0.01, scheme=scheme, output_times=[0.4])
    area = times[0] * values[0] + np.trapezoid(values, times) + (0.4 - times[-1]) * values[-1]
    assert result["inside.y"][-1] == pytest.approx(area, abs=1e-9)


@pytest.mark.parametrize("share", [0.6, 0.8, 0.95])
def test_where_an_input_crosses_zero_rounding_does_not_stop_an_implicit_step(share):
    """x' = (c - x)/T near c = 10 000 comes so near to its rest that the difference is rounding of x, which repetitions only pass around."""
    system = System("rest")
    h, level = 0.01, 1e4
    system.add("level", "signal.Integrator", {"k": -share / h, "x": level + 1})
    system.add("off", "signal.Sum", {"k[2]": -1})
    system.connect("level.y", "off.u1")
    system.drive("off.u2", level)
    system.connect("off.y", "level.u")
    result = system.simulate(1.0, communication_step=h, scheme="implicit")
    assert result.outcome.completed, result.outcome.sentence
    assert result["level.y"][-1] == pytest.approx(level, abs=1e-9)
    trapezoidal = ((1 - share / 2) / (1 + share / 2)) ** (result.time / h)
    assert result["off.y"] == pytest.approx(trapezoidal, abs=1e-7)


# -- energy that coupling creates ------------------------------------------------------------------------------------------------------


def mass(steps: int, kind: str | None = None, **options: object) -> Result:
    """Runs a mass on a spring, without any loss."""
    system = System("mass")
    system.add("ground", "planar.Fixed")
    system.add("spring", "planar.SpringDamper", {"k": 100.0, "rest": 1.0})
    system.add("body", "planar.Body1", {"m": 1.0, "I": 0.1, "gy": 0.0, "x": 1.2, "vy": 0.5}, kind=kind)
    system.connect("ground.p1", "spring.M")
    system.connect("spring.N", "body.p1")
    coupled = {} if kind == "me" else {"communication_step": 1.0 / steps}
    return system.simulate(1.0, output_times=np.linspace(0, 1, 11), **coupled, **options)


@pytest.mark.parametrize("degree", [0, 1, 2])
@explicit
def test_created_energy_is_what_the_system_gains(scheme, degree):
    """It agrees with the energy of mass and spring, at all times, and vanishes with the order of the extrapolation."""
    created = []
    for steps in (200, 400, 800):
        result = mass(steps, scheme=Scheme(scheme, extrapolation=degree))
        assert list(result.created_energy) == ["body.p1 - spring.N"]
        (energy,) = result.created_energy.values()
        gained = result.energy + result["spring.energy"]
        assert energy[0] == 0 and len(energy) == len(result)
        created.append(abs(energy[-1]))
    assert energy == pytest.approx(gained - gained[0], abs=0.1 * created[-1])
    assert order(created) > degree + 1 - 0.1


def test_created_energy_is_told_of_co_simulation_alone():
    """Connections of single variables do not show power."""
    assert mass(100, "me").created_energy == {}
    assert alone(foreign.of_oscillator()).simulate(1.0, communication_step=0.1).created_energy == {}


# -- the seven-body mechanism ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "allowed"),
    [
        ("explicit", 1e-4),
        ("gauss-seidel", 1e-4),
        ("implicit", 1e-5),
        pytest.param("implicit-position", 1e-5, marks=pytest.mark.slow),
        pytest.param("implicit-velocity", 1e-5, marks=pytest.mark.slow),
    ],
)
def test_seven_bodies(scheme, allowed):
    """Each a Co-Simulation FMU, in 3,000 steps: angles against digits on which three computations agree (rad), after 2.5 turns."""
    result = seven_bodies.system().simulate(
        seven_bodies.STOP,
        communication_step=1e-5,
        scheme=Scheme(scheme, extrapolation=2 if not scheme.startswith("implicit") else 1),
        outputs=["link*.theta", "*.position*", "*.velocity*"],
        output_times=np.linspace(0, seven_bodies.STOP, 31),
    )
    assert result.statistics.steps == (3000 if scheme.startswith("implicit") else 3012) and not result.outcome.warnings
    assert seven_bodies.error(result) < allowed
    if scheme in ("implicit", "implicit-position"):
        assert result.violation["position"].max() < 1e-10
    if scheme in ("implicit", "implicit-velocity"):
        assert result.violation["velocity"].max() < 1e-10
