"""Units are converted where dimensions agree, which the list of wires and the outcome say; inputs that nothing gives are named."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Result, System
from tests.support.foreign import Model, Variable, export
from tests.support.systems.systems import described, refusal


def spring(version: int = 3, exact: bool = True) -> Path:
    """A spring of 100 N/m and a damper of 10 N s/m, which take mm and mm/s and give kN, with the sign of a force on what moves."""
    force = Variable("f", "output", unit="kN", value="-(100 * s + 10 * v) * 1e-6", depends=["s", "v"])
    taken = [Variable("s", "input", unit="mm"), Variable("v", "input", unit="mm/s")]
    partials = {("f", "s"): "-1e-4", ("f", "v"): "-1e-5"} if exact else None
    return export(Model("Spring", [*taken, force], partials=partials, rollback=True), version)


def mass(version: int = 3, exact: bool = True) -> Path:
    """A mass of 1 kg in SI units, from 0.1 m."""
    variables = [
        Variable("f", "input", unit="N"),
        Variable("x", "output", 0.1, "m", rate="v", depends=["v"]),
        Variable("v", "output", 0.0, "m/s", rate="f", depends=["f"]),
    ]
    partials = {("der(x)", "v"): "1", ("der(v)", "f"): "1"} if exact else None
    return export(Model("Mass", variables, partials=partials, rollback=True), version)


def converter(source: str, target: str, version: int = 3, kind: str | None = None) -> System:
    """Two FMUs that pass a value on as it is, in one unit and in another one."""
    system = System("converter")
    for name, unit in (("source", source), ("target", target)):
        system.add(name, passing_in(unit, version), kind=kind)
    system.connect("source.y", "target.u")
    return system


def passing_in(unit: str, version: int) -> Path:
    """An FMU that passes a value on in a unit."""
    variables = [Variable("u", "input", unit=unit), Variable("y", "output", unit=unit, value="u", depends=["u"])]
    return export(Model(f"In_{unit.replace('/', '_')}", variables), version)


@pytest.mark.parametrize(
    ("version", "kind", "source", "target", "given", "expected"),
    [
        (2, "me", "mm", "m", 250.0, 0.25),
        (2, "cs", "m", "mm", 0.25, 250.0),
        (2, "me", "mm", "mm", 7.0, 7.0),
        (3, "me", "rpm", "rad/s", 60.0, 2 * math.pi),
        (3, "cs", "degF", "degC", 212.0, 100.0),
    ],
)
def test_factors_and_offsets(version: int, kind: str, source: str, target: str, given: float, expected: float) -> None:
    """FMI's factor and offset apply in both directions; each variable is recorded in its own unit."""
    system = converter(source, target, version, kind)
    system.drive("source.u", given)
    result = system.simulate(0.1, **({"communication_step": 0.1} if kind == "cs" else {}))
    assert result["target.y"][-1] == pytest.approx(expected, rel=1e-12)
    assert result["source.y"][-1] == given and result.units["target.y"] == target
    notes = [f"units are converted: source.y [{source}] -> target.u [{target}] {system.wires[0].conversion}"] if source != target else []
    assert result.outcome.notes == notes


@pytest.mark.parametrize(
    ("solver", "options"),
    [("dopri5", {}), ("cvode", {}), ("ida", {}), ("dopri5", {"communication_step": 1e-3, "scheme": "implicit"})],
)
@pytest.mark.parametrize("exact", [True, False])
def test_derivatives_are_converted(solver: str, options: dict[str, Any], exact: bool) -> None:
    """An oscillator of 10 rad/s, damped by half, in three units: x = 0.1 exp(-5 t) (cos w t + 5/w sin w t), w = sqrt(75)."""
    system = System()
    system.add("mass", mass(exact=exact), kind="me" if not options else None)
    system.add("spring", spring(exact=exact))
    system.connect("mass.x", "spring.s")
    system.connect("mass.v", "spring.v")
    system.connect("spring.f", "mass.f")
    result = system.simulate(0.5, solver=solver, outputs=["mass.x", "spring.f", "spring.s"], **options)
    assert result.outcome.completed, result.outcome
    w, t = math.sqrt(75), result.time
    exact_x = 0.1 * np.exp(-5 * t) * (np.cos(w * t) + 5 / w * np.sin(w * t))
    assert result["mass.x"] == pytest.approx(exact_x, abs=2e-5 if options else 1e-7)
    assert result["spring.s"] == pytest.approx(1000 * result["mass.x"], abs=2e-2 if options else 1e-9)


def test_drives_add_up_with_what_is_converted() -> None:
    """The drive of an input that adds up its sources in N is in N as well, and the source in kN."""
    from coupling.plan.drives import ConstantDrive, FunctionDrive, PiecesDrive, TableDrive, in_base_units

    assert in_base_units(ConstantDrive(2.0), 1000.0, 5.0) == ConstantDrive(2005.0)
    table = in_base_units(TableDrive(np.array([0.0, 1.0]), np.array([1.0, 2.0])), 1000.0, 0.0)
    assert isinstance(table, TableDrive) and list(table.values) == [1000.0, 2000.0]
    function = in_base_units(FunctionDrive(lambda t: t), 2.0, 1.0)
    assert isinstance(function, FunctionDrive) and function(3.0) == 7.0
    curve = PiecesDrive(np.array([0.0, 1.0]), np.array([[1.0, 2.0]]), outside=(1.0, 3.0), within=(1.0, 3.0))
    turned = in_base_units(curve, -2.0, 1.0)
    assert isinstance(turned, PiecesDrive) and turned.coefficients.tolist() == [[-1.0, -4.0]]
    assert turned.outside == (-1.0, -5.0) and turned.within == (-5.0, -1.0)


def test_a_driven_force_adds_up_with_one_in_another_unit() -> None:
    """A mass of 1 kg is pushed by 0.002 kN and by 3 + t N, so that v = 5 t + t^2/2."""
    system = System()
    system.add("mass", "mechanical1d.Mass")
    system.add("push", passing_in("kN", 3))
    system.connect("push.y", "mass.flange.f")
    system.drive("push.u", 0.002)
    system.drive("mass.flange.f", lambda t: 3 + t)
    result = system.simulate(1.0)
    assert result["mass.v"][-1] == pytest.approx(5.5, rel=1e-9)


def test_the_list_of_wires() -> None:
    """It prints as a table, with units and factors, and ends with what nothing gives."""
    system = System()
    system.add("mass", mass())
    system.add("spring", spring())
    system.connect("mass.x", "spring.s")
    system.connect("mass.v", "spring.v")
    system.drive("mass.f", lambda t: 0.0)
    assert str(system.wires).splitlines() == [
        "from                to               converted",
        "mass.x [m]          spring.s [mm]    x 1000",
        "mass.v [m/s]        spring.v [mm/s]  x 1000",
        "a function of time  mass.f [N]",
    ]
    assert (system.wires[0].factor, system.wires[0].offset) == (1000.0, 0.0)
    celsius = converter("degC", "degF")
    assert str(celsius.wires).splitlines()[1:] == [
        "source.y [degC]           target.u [degF]  x 1.8 + 32",
        "nothing: its start value  source.u [degC]",
    ]


def test_inputs_that_nothing_gives_are_named() -> None:
    """The inputs are those of foreign FMUs that were given no value. The outcome names them in a note, which is no warning."""
    result = converter("degF", "degC").simulate(0.1)
    assert result.outcome.notes[1:] == [
        "nothing gives 'source.u', which stays at its start value; connect or drive it, or give the value to add"
    ]
    assert result.outcome.warnings == [] and "\nNote: nothing gives 'source.u'" in result.summary()


def test_a_clock_is_no_input_that_stays_at_a_value(tmp_path: Path) -> None:
    """It ticks; the other input is named."""
    variables = """<Clock name="tick" valueReference="1" causality="input" intervalVariability="triggered"/>
    <Float64 name="u" valueReference="2" causality="input" start="0"/>"""
    system = System()
    system.add("it", described(tmp_path, "Ticks", variables))
    assert [wire.target for wire in system.wires] == ["it.u"]


def test_start_values_of_inputs_that_something_gives_are_told() -> None:
    """The note names connected and driven inputs with values from add or simulate. It does not name states or open inputs."""
    system = System()
    system.add("mass", mass(), {"x": 2.0})
    system.add("spring", spring(), {"s": 3.0, "v": 4.0})
    system.connect("mass.x", "spring.s")
    system.drive("mass.f", lambda t: 0.0)
    assert told(system.simulate(0.1)) == [
        "the start value of 'spring.s' has no effect, since this input is connected or driven; leave it out"
    ]
    system = System()
    system.add("mass", mass(), {"f": 1.0})
    system.add("spring", spring())
    system.connect("mass.x", "spring.s")
    system.drive("mass.f", lambda t: 0.0)
    assert told(system.simulate(0.1, start_values={"spring.s": 5.0})) == [
        "the start values of 'mass.f', 'spring.s' have no effect, since these inputs are connected or driven; leave them out"
    ]


def told(result: Result) -> list[str]:
    return [note for note in result.outcome.notes if note.startswith("the start value")]


def test_inputs_that_were_given_a_value_are_not_named() -> None:
    """They are named neither as open nor as overruled."""
    system = System()
    system.add("spring", spring(), {"s": 1.0})
    system.drive("spring.v", 0.0)
    assert system.simulate(0.1).outcome.notes == []


def test_what_cannot_be_converted(tmp_path: Path) -> None:
    """Other dimensions, and units that are mere names."""
    assert refusal(lambda: converter("mm", "degC"), BuildError) == (
        "'source.y' and 'target.u' cannot be connected: the first is in mm, the second in degC; connect variables of one quantity"
    )
    assert refusal(lambda: converter("mm", "furlong"), BuildError) == (
        "'source.y' and 'target.u' cannot be connected: the first is in mm, the second in furlong; define the unit of 'target.u' in the FMU, or "
        "connect variables of one quantity"
    )
