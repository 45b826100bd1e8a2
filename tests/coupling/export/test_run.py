"""Whole runs of exported mechanisms against the same system in the master: events, tables, open ports, implicit steps."""

from __future__ import annotations

import math

import fmpy
import numpy as np
import pytest

from coupling import Result, System
from coupling.fmus import load
from tests.support.runtime.driver import DISCARD, Driver, status_of
from tests.support.systems.blocks import limbs
from tests.support.systems.exported import CASES, export, exported
from tests.support.systems.machines import example
from tests.support.systems.systems import refusal


def co_simulated(fmu: Driver, stop: float, steps: int, names: list[str], inputs=None) -> np.ndarray:
    """Rows of what is seen at communication points, the start first."""
    h, rows = stop / steps, []
    for k in range(steps + 1):
        rows.append(list(fmu.get(names).values()))
        if k < steps:
            if inputs:
                fmu.set({name: drive(k * h) for name, drive in inputs.items()})
            fmu.step(k * h, h)
    return np.array(rows)


def at(result: Result, names: list[str], stop: float, steps: int) -> np.ndarray:
    """The same rows of the master's, which records events beside the times that were asked for."""
    rows = np.searchsorted(result.time, np.linspace(0, stop, steps + 1) + 1e-12, side="right") - 1
    return np.column_stack([result[name][rows] for name in names])


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.inputs])
def test_co_simulation_moves_as_the_master_does(name, fmi):
    system = CASES[name].system()
    states = [f"{n}.{f.by_reference[r].name}" for n, f in system.instances.items() for r in f.states]
    with Driver(exported(name, fmi), "cs") as fmu:
        fmu.start()
        rows = co_simulated(fmu, 1.0, 10, states)
    # The FMU was exported with initial="relax", whose start may violate a constraint a little; so does the master's.
    result = system.simulate(1.0, rtol=1e-12, initial="relax", outputs=states, output_interval=0.1)
    expected = at(result, states, 1.0, 10)
    assert np.abs(rows - expected).max() <= 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize("implicit", [False, True])
def test_both_methods_agree(implicit):
    with Driver(exported("four-bar", 3), "cs") as fmu:
        fmu.start({"solver.implicit": implicit})
        names = [v.name for v in fmu.description.modelVariables if v.causality == "output"]
        rows = co_simulated(fmu, 0.5, 5, names)
    result = CASES["four-bar"].system().simulate(0.5, rtol=1e-12, outputs=names, output_interval=0.1)
    assert np.abs(rows - np.column_stack([result[name] for name in names])).max() <= 1e-8


def test_a_stiff_mechanism_wants_the_implicit_method():
    """A pendulum in honey creeps down: at the end of 10 s torque and damping balance."""
    system = System("honey")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute", {"rotation.b": 1e5})
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    with Driver(export(system, implicit=True), "cs") as fmu:
        fmu.start()
        fmu.step(0.0, 10.0)
        # b w = -m g cos(theta) / 2, so that asinh(tan(theta)) falls linearly, but for the first 1e-6 s.
        exact = math.atan(math.sinh(-9.81 / 2 / 1e5 * 10))
        assert fmu["rod.theta"] == pytest.approx(exact, rel=1e-6)


def table_driven() -> System:
    """A rod on a pin with a motor, whose torque jumps at 0.2 s and has kinks at 0.5 and 0.6 s."""
    system = System("table")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.ActuatedRevolute")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 0.3, "gy": 0.0})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    system.drive("pin.effort", [(0, 0), (0.2, 0), (0.2, 3.0), (0.5, 3.0), (0.6, -1.0)])
    return system


def angle(t: float) -> float:
    """The motion of the rod under that table, by hand: I w' = tau."""
    pieces = [(0.0, 0.2, 0.0, 0.0), (0.2, 0.5, 3.0, 0.0), (0.5, 0.6, 3.0, -40.0), (0.6, math.inf, -1.0, 0.0)]
    theta = w = 0.0
    for begin, end, torque, slope in pieces:
        d = max(0.0, min(t, end) - begin)
        theta += w * d + (torque * d**2 / 2 + slope * d**3 / 6) / 0.3
        w += (torque * d + slope * d**2 / 2) / 0.3
    return theta


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_a_table_inside_jumps_where_it_jumps(fmi, kind):
    fmu = export(table_driven(), fmi)
    result = fmpy.simulate_fmu(
        str(fmu), stop_time=1.0, fmi_type=kind, relative_tolerance=1e-10, output=["rod.theta"], output_interval=0.07, step_size=0.07
    )
    expected = np.array([angle(t) for t in result["time"]])
    assert np.abs(result["rod.theta"] - expected).max() <= (1e-11 if kind == "CoSimulation" else 1e-8)


def test_a_table_is_found_again_behind_a_restored_state():
    with Driver(export(table_driven()), "cs") as fmu:
        fmu.start()
        fmu.step(0.0, 0.15)
        state = fmu.fmu.getFMUState()
        fmu.step(0.15, 0.5)
        once = fmu["rod.theta"]
        fmu.fmu.setFMUState(state)
        fmu.step(0.15, 0.5)
        assert fmu["rod.theta"] == once == pytest.approx(angle(0.65), abs=1e-12)
        fmu.fmu.freeFMUState(state)


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
def test_the_crane_in_one_fmu_passes_its_events(fmi):
    """Hydraulics, mechanics, and the table of the valve's command, over the end stop; against the master."""
    crane = example("06_hydraulic_crane")
    system = crane.system()
    result = system.simulate(4.0, solver="cvode", rtol=1e-11, outputs=["*"], output_interval=0.5)
    names = [name for name in result.names if name.rpartition(".")[2] in ("theta", "p1", "p2")]
    fmu = export(crane.system(), fmi, outputs=tuple(names))
    with Driver(fmu, "cs") as instance:
        instance.start({"solver.implicit": True})
        rows = co_simulated(instance, 4.0, 8, names)
    expected = at(result, names, 4.0, 8)
    for j, name in enumerate(names):
        assert np.abs(rows[:, j] - expected[:, j]).max() <= 1e-6 * np.ptp(result[name]) + 1e-9 * np.abs(result[name]).max(), name


def test_an_open_port_takes_what_the_tool_gives():
    """A wrench on a free port of a body that hangs on a joint as well: the efforts add up."""

    def rod() -> System:
        system = System("rod")
        system.add("ground", "planar.Fixed")
        system.add("pin", "planar.Revolute")
        system.add("rod", "planar.Body2", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5, "gy": 0.0})
        system.connect("ground.p1", "pin.M")
        system.connect("pin.N", "rod.p1")
        return system

    # Both ports: at p1 the joint's wrench and ours add up, and ours does nothing there but load the pin.
    with Driver(export(rod(), inputs=("rod.p2", "rod.p1")), "me") as fmu:
        fmu.start({"rod.p2.Fy": 2.0, "rod.p1.Fx": 5.0})
        state = [u.variable.derivative.name for u in fmu.description.derivatives]
        alpha = dict(zip(state, fmu.derivatives, strict=True))["rod.omega"]
        assert alpha == pytest.approx(2.0 * 1.0 / (1 / 12 + 0.25), rel=1e-12)
        assert fmu["pin.multiplier[1]"] != 0 and fmu["rod.p2.ay"] == pytest.approx(alpha, rel=1e-12)
        # The pin bears the force on p1, so that the point stays where it is.
        assert abs(fmu["rod.p1.ax"]) <= 1e-12 and abs(fmu["rod.p1.ay"]) <= 1e-12
        names = {v.name: v.causality for v in fmu.description.modelVariables}
        assert all(names[f"rod.p2.{m}"] == "input" for m in ("Fx", "Fy", "Cz"))
        assert all(names[f"rod.p2.{m}"] == "output" for m in ("x", "vx", "ax", "alpha"))


def test_inputs_may_vary_inside_a_step():
    """A quadratic force on the open flange is given by its derivatives: the motion is a polynomial of order 4."""
    system = System("mass")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0})
    with Driver(export(system, inputs=("mass.flange",)), "cs") as fmu:
        fmu.start()
        fmu.set({"mass.flange.f": 1.0})
        fmu.input_derivatives("mass.flange.f", 2.0, 3.0)
        fmu.step(0.0, 1.0)
        assert fmu["mass.s"] == pytest.approx((1 / 2 + 2 / 6 + 3 / 24) / 2, rel=1e-12)


def test_start_values_are_those_of_the_system_or_of_the_tool():
    with Driver(exported("pendulum", 2), "cs") as fmu:
        fmu.enter()
        rod = {v.name: float(v.start) for v in fmu.description.modelVariables if v.causality == "parameter" and v.type == "Real"}
        assert {name: fmu[name] for name in rod} == rod


def test_a_violated_start_is_refused_by_name():
    from tests.support.oracles.planar import Pendulum
    from tests.support.systems.systems import system_of

    path = export(system_of(Pendulum(angle=0.3)))
    with Driver(path, "cs") as fmu:
        fmu.enter()
        body = next(n for n in fmu.variables if n.endswith(".x") and fmu.variables[n].initial == "exact")
        fmu.set({body: fmu[body] + 0.1})
        refusal(fmu.fmu.exitInitializationMode, Exception)
        assert "the start violates constraints" in fmu.log[-1] and "position[1] = " in fmu.log[-1] and "correct the start" in fmu.log[-1]


def test_redundant_constraints_are_told_of_once():
    from tests.support.systems.hard_systems import braced_parallelogram

    with Driver(export(braced_parallelogram()), "cs", logging=True) as fmu:
        fmu.start()
        fmu.step(0.0, 0.01)
        told = [line for line in fmu.log if "redundant" in line]
        assert len(told) == 1 and "least length" in told[0]


def test_a_step_that_fails_says_why():
    """A spring whose stiffness is the root of what is left of the time."""
    from fmu_components.declare.component import TIME, Component

    class Fading(Component):
        """A rate that has no value behind t = 0.5."""

        def declare(self) -> None:
            import sympy

            limit = self.parameter("limit", 0.5, "s", "when it ends")
            self.output("y", sympy.sqrt(1 - TIME / limit), "", "what is left")

    system = System("fading")
    system.add("fading", Fading)
    system.add("integrator", "signal.Integrator")
    system.connect("fading.y", "integrator.u")
    with Driver(export(system), "cs") as fmu:
        fmu.start()
        fmu.step(0.0, 0.4)
        assert status_of(fmu.fmu.doStep, 0.4, 0.2) == DISCARD
        assert "the step at time 0.49999" in fmu.log[-1] and "fading.y is not a finite number at time 0.5" in fmu.log[-1]


def test_an_input_with_a_constant_is_a_parameter():
    """The importer sets it at the start or at an event. The multiplier's helpers for compliant joints are no parameters, since they have no
    effect here."""
    system = table_driven()
    constant = System("constant")
    for name in ("ground", "pin", "rod"):
        constant.add(
            name,
            {"ground": "planar.Fixed", "pin": "planar.ActuatedRevolute", "rod": "planar.Body1"}[name],
            {"rod": {"I": 0.3, "gy": 0.0}}.get(name),
        )
    constant.connect("ground.p1", "pin.M")
    constant.connect("pin.N", "rod.p1")
    constant.drive("pin.effort", 3.0)
    for fmi in (2, 3):
        with Driver(export(constant, fmi), "me") as fmu:
            assert fmu.variables["pin.effort"].causality == "parameter" and float(fmu.variables["pin.effort"].start) == 3.0
            assert not any("compliant" in name or name.endswith(".ideal") for name in fmu.variables)
            fmu.start({"pin.effort": 6.0})
            state = [u.variable.derivative.name for u in fmu.description.derivatives]
            assert fmu.derivatives[state.index("rod.omega")] == pytest.approx(20.0, rel=1e-12)
            fmu.fmu.enterEventMode()
            fmu.set({"pin.effort": 1.5})
            fmu.settle()
            assert fmu.derivatives[state.index("rod.omega")] == pytest.approx(5.0, rel=1e-12)
            assert fmu.directional(["der(rod.omega)"], ["pin.effort"], [1.0])[0] == pytest.approx(1 / 0.3, rel=1e-12)
    assert "pin.effort" in system.drives  # a table stays inside
    with Driver(export(system), "me") as fmu:
        assert fmu.variables["pin.effort"].causality == "local"


def test_the_kind_of_an_instance_does_not_matter():
    def rod(kind: str | None) -> System:
        system = System("rod")
        system.add("ground", "planar.Fixed")
        system.add("pin", "planar.Revolute")
        system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5}, kind=kind)
        system.connect("ground.p1", "pin.M")
        system.connect("pin.N", "rod.p1")
        return system

    found = []
    for kind in (None, "cs", "me"):
        with Driver(export(rod(kind)), "cs") as fmu:
            fmu.start()
            fmu.step(0.0, 1.0)
            found.append(fmu["rod.theta"])
    assert found[0] == found[1] == found[2]


def test_a_restored_state_goes_on_to_the_last_bit():
    from tests.support.systems import seven_bodies

    names = [f"link{k}.theta" for k in range(1, 8)]
    with Driver(export(seven_bodies.system()), "cs") as fmu:
        fmu.start()
        fmu.step(0.0, 0.01)
        state = fmu.fmu.getFMUState()
        fmu.step(0.01, 0.013)
        once = fmu.get(names)
        fmu.fmu.setFMUState(state)
        fmu.step(0.01, 0.013)
        assert fmu.get(names) == once
        fmu.fmu.freeFMUState(state)


def pressed(offset: float, s: float = 1.2) -> System:
    """A mass on a hydraulic cylinder, whose stroke begins at the offset."""
    system = System("pressed")
    system.add("mass", "mechanical1d.Mass", {"s": s})
    system.add("cylinder", "hydraulic.Cylinder", {"offset": offset})
    system.connect("mass.flange", "cylinder.flange")
    return system


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_conditions_of_components_are_checked_with_what_arrives_there(kind):
    """The cylinder's own default is a position of 0.2 m; what counts is that of the mass."""
    with Driver(export(pressed(1.0)), kind) as fmu:
        fmu.start()
        assert fmu["cylinder.flange.s"] == 1.2
    with Driver(export(pressed(0.0, 0.2)), kind) as fmu:
        fmu.enter()
        fmu.set({"mass.s": 0.9})
        refusal(fmu.fmu.exitInitializationMode, Exception)
        assert "of cylinder:" in fmu.log[-1] and "cylinder.flange.s = 0.9 m" in fmu.log[-1]


def test_signals_alone_make_an_fmu():
    """The FMU has no continuous states."""
    system = System("signals")
    system.add("step", "signal.Step", {"start": 0.5, "height": 2.0})
    system.add("gain", "signal.Gain", {"k": 3.0})
    system.connect("step.y", "gain.u")
    for fmi in (2, 3):
        path = export(system, fmi, outputs=("gain.y",))
        with Driver(path, "cs") as fmu:
            fmu.start()
            rows = co_simulated(fmu, 1.0, 4, ["gain.y"])
        assert rows[:, 0].tolist() == [0.0, 0.0, 6.0, 6.0, 6.0]
        result = fmpy.simulate_fmu(str(path), stop_time=1.0, fmi_type="ModelExchange", output_interval=0.25)
        assert result["gain.y"][-1] == 6.0


def test_what_cannot_be_solved_is_refused_by_the_violated_constraint():
    """Two welds of one body; a port of the ground is moved before the start."""
    system = System("welded")
    system.add("ground", "planar.Fixed")
    system.add("second", "planar.Fixed", {"p1.rx": 1.0})
    system.add("body", "planar.Body2", {"p2.rx": 1.0})
    for weld, ground, port in (("w1", "ground", "p1"), ("w2", "second", "p2")):
        system.add(weld, "planar.Weld")
        system.connect(f"{ground}.p1", f"{weld}.M")
        system.connect(f"body.{port}", f"{weld}.N")
    with Driver(export(system), "cs") as fmu:
        fmu.enter()
        fmu.set({"second.p1.rx": 1.1})
        refusal(fmu.fmu.exitInitializationMode, Exception)
        assert "w2.position[" in fmu.log[-1] and "nan" not in fmu.log[-1] and "w1." not in fmu.log[-1]


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("kind", ["me", "cs"])
def test_accelerations_of_blocks_come_from_outside(fmi, kind):
    """All of them: efforts are those of the master's inverse dynamics, and the motion follows in Co-Simulation."""
    system = limbs(False)
    given = {f"{name}.qdd": 0.3 * i - 0.5 for i, name in enumerate([*(f"rod{i}" for i in range(6)), "tail"])}
    names = [f"{name.partition('.')[0]}.required" for name in given]
    with Driver(export(system, fmi, inputs=tuple(given), outputs=tuple(names)), kind) as fmu:
        fmu.start(given)
        found = [list(fmu.get(names).values())]
        if kind == "cs":
            fmu.step(0.0, 0.2)
            found.append(list(fmu.get(names).values()))
    for name, value in given.items():
        system.drive(name, value)
    expected = system.simulate(0.2, rtol=1e-11, output_times=[0.0, 0.2], outputs=names)
    assert np.array(found) == pytest.approx(np.column_stack([expected[name] for name in names])[: len(found)], abs=1e-9)


def test_an_effort_that_follows_from_a_driven_acceleration_depends_on_time():
    """The block's own acceleration is no unknown then, also where multipliers are left to the importer."""
    system = limbs(False)
    system.drive("tail.qdd", [(0.0, 0.0), (1.0, 1.0)])
    fmu = load(export(system, 3, outputs=("tail.required",), ls_dae=True))
    assert fmu.dae and sorted(fmu.by_reference[r].name for r in fmu.dae.algebraic) == [f"rod{i}.qdd" for i in range(6)]
    time = next(v.reference for v in fmu.variables.values() if v.causality == "independent")
    for structure in (fmu.structure, fmu.dae.structure):
        unknowns = {fmu.by_reference[u.reference].name: dict(u.dependencies or ()) for u in (*structure.outputs, *structure.derivatives)}
        assert time in unknowns["tail.required"] and list(unknowns["der(tail.qd)"]) == [time]
