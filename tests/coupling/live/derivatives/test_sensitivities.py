"""Forward sensitivities of a run, against closed forms and against differences of runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipk

from coupling import System
from fmu_components.catalogue import find
from fmu_components.declare.declaration import TIME
from tests.support.foreign import Model, Variable
from tests.support.foreign.archive import export
from tests.support.runtime.runtime_components import BouncingBall, Flight, Sampler, SawTooth
from tests.support.systems.machines import example
from tests.support.systems.switching import stop
from tests.support.systems.systems import pendulum, refusal

G, CLOSED = 9.81, 1e-9


@pytest.fixture(params=["dopri5", "dop853"])
def solver(request: pytest.FixtureRequest) -> str:
    return request.param


def alone(fmu: Path, **values: float) -> System:
    system = System("alone")
    system.add("unit", fmu, values)
    return system


def derivative(of, at: float) -> complex:
    """Returns the derivative of a function that takes complex numbers, to rounding."""
    return of(at + 1e-30j).imag / 1e-30


# -- closed forms ------------------------------------------------------------------------------------------------------------------


def bounced(t: float, h: complex, g: complex, e: complex) -> tuple[complex, complex]:
    """Height and speed of a ball that falls from a height, before another bounce."""
    landed, speed = (2 * h / g) ** 0.5, -((2 * h * g) ** 0.5)
    if t < landed.real:
        return h - g * t**2 / 2, -g * t
    while True:
        speed = -e * speed
        if t < (landed + 2 * speed / g).real:
            s = t - landed
            return speed * s - g * s**2 / 2, speed - g * s
        landed, speed = landed + 2 * speed / g, -speed


def test_a_mass_that_bounces(fmi, fmu, solver):
    """It bounces three times. The times and speeds depend on every parameter and on the height at the start, as in the closed form."""
    values = {"h": 1.0, "g": G, "e": 0.8}
    times = np.linspace(0, 2.2, 45)
    result = alone(fmu(BouncingBall, fmi), **values).simulate(
        2.2, solver=solver, output_times=times, sensitivities=[f"unit.{name}" for name in values], outputs=["unit"]
    )
    assert len(set(result.time[np.flatnonzero(np.diff(result.time) == 0)].round(9))) == 3
    for name in values:
        for variable, which in (("unit.h", 0), ("unit.v", 1), ("unit.height", 0)):
            of = [derivative(lambda p, t=t, w=which, n=name: bounced(t, **{**values, n: p})[w], values[name]) for t in times]
            rows = np.searchsorted(result.time, times, "right") - 1
            found = result.sensitivity(variable, f"unit.{name}")[rows]
            assert found == pytest.approx(of, abs=CLOSED * max(map(abs, of)))


def test_a_time_that_states_reach(fmi, fmu, solver):
    """A saw tooth of another height starts again at another time, its rate at the start is one of the inputs."""
    result = alone(fmu(SawTooth, fmi), u=1.25).simulate(1.0, solver=solver, sensitivities=["unit.limit", "unit.u"], outputs=["unit"])
    teeth = np.floor(result.time * 1.25 / 0.3 + 1e-9)
    inside = np.abs(result["unit.x"]) > 1e-6
    inside &= np.abs(result["unit.left"]) > 1e-6
    assert result.sensitivity("unit.x", "unit.limit")[inside] == pytest.approx(-teeth[inside], abs=CLOSED)
    assert result.sensitivity("unit.left", "unit.limit")[inside] == pytest.approx(1 + teeth[inside], abs=CLOSED)
    assert result.sensitivity("unit.x", "unit.u")[inside] == pytest.approx(result.time[inside], abs=CLOSED)


def test_what_is_sampled_at_times_that_move(fmi, fmu, solver):
    """The last sample of exp(-t/tau), taken every period: what is held between events moves with the time at which it was taken."""
    period, tau = 0.25, 0.5
    times, names = [0.1, 0.3, 0.55, 0.7], ["unit.period", "unit.tau"]
    result = alone(fmu(Sampler, fmi), period=period, tau=tau).simulate(
        0.7, solver=solver, rtol=1e-12, output_times=times, sensitivities=names, outputs=["unit.held", "unit.drift"]
    )
    rows = np.searchsorted(result.time, times, "right") - 1
    taken = np.array([0, 1, 2, 2])
    held = np.where(taken > 0, np.exp(-taken * period / tau), 0)
    assert result.sensitivity("unit.held", "unit.period")[rows] == pytest.approx(-taken / tau * held, abs=CLOSED)
    assert result.sensitivity("unit.held", "unit.tau")[rows] == pytest.approx(taken * period / tau**2 * held, abs=CLOSED)
    assert result.sensitivity("unit.drift", "unit.period")[rows] == pytest.approx(taken / tau * held, abs=CLOSED)


def test_a_capacitor_that_is_charged(fmi, fmu, solver):
    """The derivatives of v = V (1 - exp(-t/RC)) by the resistance, the capacity and the voltage are right, and of the current that a loop
    of equations solves for."""
    V, R, C = 10.0, 470.0, 2e-4
    system = System("RC")
    system.add("source", fmu(find("electrical.VoltageSource"), fmi), {"voltage": V})
    system.add("resistor", fmu(find("electrical.Resistor"), fmi), {"R": R})
    system.add("capacitor", fmu(find("electrical.Capacitor"), fmi), {"C": C})
    system.connect("source.pin", "resistor.M")
    system.connect("resistor.N", "capacitor.pin")
    names = ["resistor.R", "capacitor.C", "source.voltage", "capacitor.v"]
    result = system.simulate(0.4, solver=solver, rtol=1e-12, sensitivities=names)
    t, decay = result.time, np.exp(-result.time / (R * C))
    assert result.differentiated["resistor.R"] == ("exact" if fmi == 3 else "by differences")
    assert result.differentiated["capacitor.v"] == "exact"
    voltage = {
        "resistor.R": -V * decay * t / (R**2 * C),
        "capacitor.C": -V * decay * t / (R * C**2),
        "source.voltage": 1 - decay,
        "capacitor.v": decay,
    }
    for name, exact in voltage.items():
        assert result.sensitivity("capacitor.pin.v", name) == pytest.approx(exact, abs=CLOSED * np.abs(exact).max())
    current = V / R * decay * (t / (R**2 * C) - 1 / R)
    assert result.sensitivity("resistor.current", "resistor.R") == pytest.approx(current, abs=CLOSED * np.abs(current).max())
    assert result.sensitivity_unit("resistor.current", "resistor.R") == "A/(Ohm)"


def test_the_period_of_a_pendulum(solver):
    """A quarter of it, from the side to the bottom: T = 4 sqrt((I + m l^2)/(m g l)) K(1/2), by mass and inertia."""
    m, inertia, length = 1.0, 1 / 12, 0.5
    root = math.sqrt((inertia + m * length**2) / (m * G * length))
    quarter = root * ellipk(0.5)
    result = pendulum().simulate(quarter, solver=solver, rtol=1e-13, output_times=[quarter], sensitivities=["rod.m", "rod.I"])
    assert result["rod.theta"][-1] == pytest.approx(-math.pi / 2, abs=1e-11)
    moved = {name: -result.sensitivity("rod.theta", name)[-1] / result["rod.omega"][-1] for name in ("rod.m", "rod.I")}
    assert moved["rod.m"] == pytest.approx(quarter / 2 * (length**2 / (inertia + m * length**2) - 1 / m), rel=CLOSED)
    assert moved["rod.I"] == pytest.approx(quarter / 2 / (inertia + m * length**2), rel=CLOSED)


def four_bar(theta: float = 1.0, omega: float = 1.0, led: bool = True) -> System:
    """Two cranks of 0.4 m and a coupler of 1 m in parallel, whose coupler is led such that the cranks turn at constant speed."""
    r, d = 0.4, 1.0
    c, s = math.cos(theta), math.sin(theta)
    turning = {
        "m": 2.0,
        "I": 0.03,
        "p1.rx": -r / 2,
        "p2.rx": r / 2,
        "theta": theta,
        "y": r / 2 * s,
        "omega": omega,
        "vy": r / 2 * c * omega,
    }
    system = System("four-bar")
    system.add("ground", "planar.Fixed")
    system.add("right", "planar.Fixed", {"p1.rx": d})
    system.add("crank", "planar.Body2", {**turning, "x": r / 2 * c, "vx": -r / 2 * s * omega})
    system.add("rocker", "planar.Body2", {**turning, "x": d + r / 2 * c, "vx": -r / 2 * s * omega})
    along = {"x": d / 2 + r * c, "y": r * s, "vx": -r * s * omega, "vy": r * c * omega}
    system.add("coupler", "planar.Body3", {"m": 3.0, "I": 0.25, "p1.rx": -d / 2, "p2.rx": d / 2, **along})
    pairs = ("ground.p1", "crank.p1"), ("right.p1", "rocker.p1"), ("crank.p2", "coupler.p1"), ("rocker.p2", "coupler.p2")
    for name, (a, b) in zip("abcd", pairs, strict=True):
        system.add(name, "planar.Revolute")
        system.connect(a, f"{name}.M")
        system.connect(b, f"{name}.N")
    if not led:
        return system
    system.add("base", "planar.Fixed")
    system.add("lead", "planar.RelativeVelocity")
    system.connect("base.p1", "lead.M")
    system.connect("coupler.p3", "lead.N")
    system.drive("lead.velocity", lambda t: -r * omega * math.sin(theta + omega * t))
    system.drive("lead.velocity.rate", lambda t: -r * omega**2 * math.cos(theta + omega * t))
    return system


def test_the_load_of_a_four_bar(solver):
    """F = (m_coupler + (m_crank + m_rocker)/2) g cot(theta) leads it at constant speed: by the masses, and by an inertia that has no part in it."""
    result = four_bar().simulate(0.8, solver=solver, rtol=1e-12, sensitivities=["coupler.m", "crank.m", "rocker.m", "crank.I"])
    cot = G / np.tan(1.0 + result.time)
    assert result["lead.M.Fx"] == pytest.approx(5.0 * cot, abs=1e-8)
    for name, share in {"coupler.m": 1.0, "crank.m": 0.5, "rocker.m": 0.5, "crank.I": 0.0}.items():
        assert result.sensitivity("lead.M.Fx", name) == pytest.approx(share * cot, abs=CLOSED * cot.max())


def test_the_torque_of_a_four_bar():
    """T = (m_coupler + (m_crank + m_rocker)/2) g r cos(theta) turns its crank at constant speed: by the masses, and by an inertia that has no part in it."""
    system = four_bar(led=False)
    system.join("planar.RelativeAngle", "ground.p1", "crank.p1", name="motor")
    system.drive("motor.angle", 1.0 + TIME)
    result = system.simulate(0.8, rtol=1e-12, sensitivities=["coupler.m", "crank.m", "rocker.m", "rocker.I"])
    arm = 0.4 * G * np.cos(1.0 + result.time)
    assert result["motor.torque"] == pytest.approx(5.0 * arm, abs=1e-8)
    for name, share in {"coupler.m": 1.0, "crank.m": 0.5, "rocker.m": 0.5, "rocker.I": 0.0}.items():
        assert result.sensitivity("motor.torque", name) == pytest.approx(share * arm, abs=CLOSED * np.abs(arm).max())


# -- differences in extrapolation --------------------------------------------------------------------------------------------------


def extrapolated(run, value: float, step: float) -> np.ndarray:
    """The derivative of what runs give at other values: central differences, extrapolated from two steps (Richardson)."""
    coarse, fine = ((run(value + h) - run(value - h)) / (2 * h) for h in (step, step / 2))
    return (4 * fine - coarse) / 3


def assert_agrees(result, runs, names, values, step=1e-3, within=1e-7):
    """``runs`` makes a result with one value changed."""
    for parameter, value in values.items():

        def run(at, parameter=parameter):
            other = runs({parameter: at})
            return np.array([other[name] for name in names])

        exact = extrapolated(run, value, step * (abs(value) or 1))
        found = np.array([result.sensitivity(name, parameter) for name in names])
        assert np.abs(found - exact).max() <= within * np.abs(exact).max(), parameter


def test_a_pose_that_is_assembled(solver):
    """The length from the pin to the mass centre moves what the start assembles; so do an angle and a rate that are given there."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "theta": 0.2, "omega": 0.4})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    values = {"rod.p1.rx": -0.5, "rod.m": 1.0, "rod.theta": 0.2, "rod.omega": 0.4}
    options = {"stop_time": 1.0, "initial": "assemble", "solver": solver, "rtol": 1e-12, "output_interval": 0.1}
    result = system.simulate(**options, sensitivities=list(values))
    assert_agrees(
        result,
        lambda changed: system.simulate(**options, start_values=changed),
        ["rod.theta", "rod.x", "rod.omega", "pin.reaction"],
        values,
    )


def test_a_start_that_is_moved_onto_the_constraints():
    """Lengths of links violate the start a little; it is projected, and its derivative is that of the projected start.

    Differences over 1e-6 see the rounding of runs, which are made by FMUs as those with sensitivities are.
    """
    options = {"stop_time": 0.8, "evaluation": "fmus", "rtol": 1e-13, "output_times": np.linspace(0.1, 0.8, 8), "solver": "dop853"}
    system = four_bar()
    values = {"crank.p2.rx": 0.2, "coupler.p2.rx": 0.5}
    result = system.simulate(**options, sensitivities=list(values))
    names = ["lead.M.Fx", "crank.theta", "rocker.theta"]
    assert_agrees(result, lambda changed: system.simulate(**options, start_values=changed), names, values, step=1e-6, within=1e-6)


def test_stabilisation_by_baumgarte():
    """Constraints that the joints hold by themselves."""
    options = {"stop_time": 1.0, "rtol": 1e-12, "output_interval": 0.1, "stabilisation": "baumgarte"}
    result = pendulum().simulate(**options, sensitivities=["rod.m", "rod.I"])
    names = ["rod.theta", "pin.reaction"]
    assert_agrees(result, lambda changed: pendulum().simulate(**options, start_values=changed), names, {"rod.m": 1.0, "rod.I": 1 / 12})


def test_parameters_that_fmus_do_not_list_beside_those_that_they_do(fmu):
    """The same pendulum with the rod in FMI 2, whose parameters are differences, and with it in FMI 3."""
    found = []
    for fmi in (2, 3):
        system = System("pendulum")
        system.add("ground", "planar.Fixed")
        system.add("pin", "planar.Revolute")
        system.add("rod", fmu(find("planar.Body1"), fmi), {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
        system.connect("ground.p1", "pin.M")
        system.connect("pin.N", "rod.p1")
        result = system.simulate(1.0, rtol=1e-10, sensitivities=["rod.m", "rod.p1.rx"], outputs=["rod.theta", "pin.reaction"])
        found.append(np.array([result.sensitivity(name, by) for name in result.names for by in ("rod.m", "rod.p1.rx")]))
        assert set(result.differentiated.values()) == {"by differences" if fmi == 2 else "exact"}
    assert np.abs(found[0] - found[1]).max() <= 1e-9 * np.abs(found[1]).max()


def test_fmus_without_directional_derivatives():
    """A cubic spring of another tool: along the tangent by differences, by a parameter and by a start."""
    oscillator = Model(
        "Cubic",
        [
            Variable("k", "parameter", 2.0),
            Variable("x", start=1.0, rate="v"),
            Variable("v", rate="-k*x*x*x"),
            Variable("y", "output", value="x*v", depends=["x", "v"]),
        ],
    )
    system, options = (
        alone(export(oscillator, 3)),
        {"stop_time": 1.5, "rtol": 1e-12, "output_interval": 0.1, "outputs": ["unit.x", "unit.y"]},
    )
    result = system.simulate(**options, sensitivities=["unit.k", "unit.x"])
    assert result.differentiated == {"unit.k": "by differences", "unit.x": "exact"}
    values = {"unit.k": 2.0, "unit.x": 1.0}
    assert_agrees(result, lambda changed: system.simulate(**options, start_values=changed), ["unit.x", "unit.y"], values)


def test_a_joint_that_comes_into_force():
    """Two masses are freed at 2 s and caught at 3 s, by an impulse: their common velocity at 5 s moves by what it does by 1/(m1 + m2)."""
    system = example("22_two_masses").system()
    result = system.simulate(5.0, rtol=1e-12, atol=1e-12, sensitivities=["second.m", "push.Fx"])
    assert result.sensitivity("first.vx", "push.Fx")[-1] == pytest.approx(5 / 12, rel=CLOSED)
    assert result.sensitivity("second.vx", "second.m")[-1] == pytest.approx(-2 * 5 / 12**2, rel=CLOSED)


def test_loads_that_redundant_joints_share():
    """Two pins in the place of one: each carries half, and so do its derivatives."""
    system = pendulum()
    system.add("other", "planar.Fixed")
    system.add("second", "planar.Revolute")
    system.connect("other.p1", "second.M")
    system.connect("second.N", "rod.p1")
    options = {"stop_time": 1.0, "rtol": 1e-12, "output_interval": 0.1}
    result = system.simulate(**options, sensitivities=["rod.m", "rod.I"])
    names = ["rod.theta", "pin.lambda[1]", "second.lambda[2]"]
    assert_agrees(result, lambda changed: system.simulate(**options, start_values=changed), names, {"rod.m": 1.0, "rod.I": 1 / 12})


# -- what a run is otherwise -------------------------------------------------------------------------------------------------------


def test_the_run_is_the_same_with_and_without():
    """The states take the same steps; shortcuts are left out, so that they agree to rounding. Run again, all is equal to the bit."""
    system, options = pendulum(), {"stop_time": 1.0, "output_interval": 0.05}
    plain, result = system.simulate(**options), system.simulate(**options, sensitivities=["rod.m"])
    again = system.simulate(**options, sensitivities=["rod.m"])
    assert result.statistics.steps == plain.statistics.steps
    assert np.abs(result.values - plain.values).max() < 1e-11
    assert np.array_equal(result.sensitivity("rod.theta", "rod.m"), again.sensitivity("rod.theta", "rod.m"))
    assert np.array_equal(system.simulate(**options).values, plain.values)


def test_files_and_frames_have_them(tmp_path):
    """Saved and loaded they are equal to the bit; a data frame has a column for each pair, with its unit."""
    result = pendulum().simulate(0.5, output_interval=0.1, sensitivities=["rod.m", "rod.theta"], outputs=["rod.theta", "rod.omega"])
    result.save(tmp_path / "run.jrd")
    loaded = type(result).load(tmp_path / "run.jrd")
    assert loaded.differentiated == result.differentiated
    for pair in (("rod.omega", "rod.m"), ("rod.theta", "rod.theta")):
        assert np.array_equal(loaded.sensitivity(*pair), result.sensitivity(*pair))
        assert loaded.sensitivity_unit(*pair) == result.sensitivity_unit(*pair)
    frame = loaded.to_dataframe()
    assert list(frame.columns)[2:] == [f"d rod.{a}/d rod.{b}" for b in ("m", "theta") for a in ("theta", "omega")]
    assert frame.attrs["units"]["d rod.omega/d rod.m"] == "rad/s/(kg)"
    assert np.array_equal(frame["d rod.theta/d rod.m"], result.sensitivity("rod.theta", "rod.m"))


def test_an_event_that_is_hardly_one_has_a_warning(fmu):
    """A body that just reaches a height, as another one will not."""
    runs = [alone(fmu(Flight, 3), height=height).simulate(4.0, sensitivities=["unit.height"]) for height in (0.5, 1 - 1e-8)]
    assert runs[0].outcome.warnings == []
    assert runs[1].outcome.warnings == [
        "at t = 1.9998 s an event indicator hardly crosses 0, and the derivative of the time of "
        "this event is unreliable; treat sensitivities after it with caution"
    ]
    assert runs[0].sensitivity("unit.since", "unit.height")[-1] == pytest.approx(math.sqrt(2), rel=CLOSED)


# -- refusals ----------------------------------------------------------------------------------------------------------------------


def test_what_is_refused():
    """Each sentence names what is refused, and the remedy."""
    system = pendulum()

    def refused(*names, **options):
        return refusal(lambda: system.simulate(1.0, sensitivities=list(names), **options))

    assert refused("rod.m", solver="cvode") == (
        "sensitivities are refused with solver = 'cvode', which integrates the states alone; choose 'dopri5' or 'dop853', or leave one of the two out"
    )
    assert "FMI has no derivatives of a step; run the instances in Model Exchange" in refused("rod.m", communication_step=0.1)
    assert refusal(lambda: stop().simulate(1.0, sensitivities=["mass.m"])) == (
        "sensitivities are refused with 'stop', whose constraints change with its modes; take differences of runs at other values with sweep"
    )
    assert refusal(lambda: four_bar().simulate(0.1, sensitivities=["lead.velocity"])) == (
        "sensitivities: 'lead.velocity' is driven; name a parameter of its source"
    )
    assert refused("rod.m", "rod.m") == "sensitivities: 'rod.m' is named twice; name each parameter once"
    assert "give the full names of parameters, such as ['rod.m']" in refusal(lambda: system.simulate(1.0, sensitivities="rod.m"))
    assert "sensitivities: 'rod' (planar.Body1) has no port or variable 'mass'" in refused("rod.mass")
    assert "sensitivities: there is no instance 'rode'" in refused("rode.m")
    assert "sensitivities: 'rod.p1' is a port; name real parameters or start values" in refused("rod.p1")
    assert "'rod.energy.kinetic'" in refused("rod.energy.kinetic") and "set parameters, states or inputs" in refused("rod.energy.kinetic")
    assert refused("rod.p1.Fx").startswith("sensitivities: 'rod.p1.Fx' is connected; name a parameter of its source")
    result = system.simulate(0.1, sensitivities=["rod.m"])
    with pytest.raises(
        KeyError, match=r"there is no sensitivity by 'rod.I' \(there are 'rod.m'\); name it in the sensitivities of simulate"
    ):
        result.sensitivity("rod.theta", "rod.I")
    with pytest.raises(KeyError, match=r"'rod.thete' was not recorded; did you mean"):
        result.sensitivity("rod.thete", "rod.m")
    with pytest.raises(KeyError, match=r"there is no sensitivity by 'rod.m' \(the run has none"):
        system.simulate(0.1).sensitivity("rod.theta", "rod.m")
