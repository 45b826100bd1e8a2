"""Connections with a factor and an offset: what arrives, exact derivatives, several of one output, and what is refused."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import System
from tests.coupling.plan.test_wires import converter, mass, passing_in, spring
from tests.support.foreign import Model, Variable, export
from tests.support.systems.systems import refusal


def passing(type_: str = "Real") -> Path:
    """An FMU that passes a value on."""
    variables = [Variable("u", "input", type=type_), Variable("y", "output", type=type_, value="u", depends=["u"])]
    return export(Model(f"Passing{type_}", variables), 3)


@pytest.mark.parametrize(
    ("version", "kind", "source", "target", "given", "expected"),
    [
        (3, "me", "mm", "m", 250.0, 2 * 0.25 + 0.5),
        (2, "cs", "m", "mm", 0.25, 2 * 250.0 + 0.5),
        (2, "me", "mm", "mm", 7.0, 2 * 7.0 + 0.5),
        (3, "cs", "degF", "degC", 212.0, 2 * 100.0 + 0.5),
        (3, "me", "V", "m", 3.0, 2 * 3.0 + 0.5),
    ],
)
def test_units_are_converted_first(version: int, kind: str, source: str, target: str, given: float, expected: float) -> None:
    """Then factor and offset count, in the unit of the input; between different quantities the number itself arrives."""
    plain = converter(target, target, version, kind).definition
    system = System("converter")
    for name, unit in (("source", source), ("target", target)):
        system.add(name, passing_in(unit, version), kind=kind)
    system.connect("target.u", "source.y", factor=2, offset=0.5)
    system.drive("source.u", given)
    assert pickle.loads(pickle.dumps(system)).definition == system.definition != plain
    result = system.simulate(0.1, **({"communication_step": 0.1} if kind == "cs" else {}))
    assert result["target.y"][-1] == pytest.approx(expected, rel=1e-12)
    assert result["source.y"][-1] == given and result.outcome.notes == []


def test_other_drives_keep_the_factor() -> None:
    """A spring by a factor between different quantities: x = F/k (1 - cos w t), by the drive of the system and by that of a run."""
    system = System("spring")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0})
    system.add("push", "mechanical1d.Force")
    system.connect("push.flange", "mass.flange")
    system.connect("mass.s", "push.force", factor=-50.0)
    system.drive("mass.flange.f", 0.0)
    for force in (2.0, -1.0):
        result = system.simulate(1.0, rtol=1e-10, atol=1e-12, drives={"mass.flange.f": force})
        assert result["mass.s"][-1] == pytest.approx(force / 50 * (1 - np.cos(5.0)), abs=1e-9)


@pytest.mark.parametrize(
    ("solver", "options"),
    [("dopri5", {}), ("cvode", {}), ("ida", {}), ("dopri5", {"communication_step": 1e-3, "scheme": "implicit"})],
)
def test_derivatives_have_the_factor(solver: str, options: dict[str, Any]) -> None:
    """A mass of 1 kg moves about 0.1 m on a spring of 2 x 100 N/m and a damper of 0.5 x 10 N s/m.

    One state is passed on twice, as it is in other units and with a factor. The solution is x = 0.1 + 0.1 exp(-2.5 t) (cos w t + 2.5/w
    sin w t), w^2 = 200 - 2.5^2, from 0.2 m.
    """
    system = System()
    system.add("mass", mass(), {"x": 0.2}, kind="me" if not options else None)
    system.add("spring", spring())
    system.connect("mass.x", "spring.s", factor=2, offset=-200)  # mm
    system.connect("spring.v", "mass.v", factor=0.5)
    system.connect("spring.f", "mass.f")
    result = system.simulate(1.0, solver=solver, rtol=1e-10, **options)
    w, t = np.sqrt(200 - 2.5**2), result.time
    expected = 0.1 + 0.1 * np.exp(-2.5 * t) * (np.cos(w * t) + 2.5 / w * np.sin(w * t))
    assert np.abs(result["mass.x"] - expected).max() < (1e-4 if options else 1e-8)
    table = str(system.wires)
    assert "x 2000 - 200" in table and "x 500" in table


def test_one_output_goes_many_ways() -> None:
    """It goes with different factors, with an offset, and unchanged."""
    system = System()
    system.add("source", passing())
    for name, options in (("plain", {}), ("twice", {"factor": 2}), ("more", {"offset": -1}), ("twice too", {"factor": 2})):
        system.add(name, passing())
        system.connect("source.y", f"{name}.u", **options)
    system.drive("source.u", lambda t: 1 + t)
    result = system.simulate(0.5)
    found = [result[f"{name}.y"][-1] for name in ("plain", "twice", "more", "twice too")]
    assert found == [1.5, 3.0, 0.5, 3.0]


def test_what_cannot_be_transformed() -> None:
    """Is refused by names and values, with what to do instead."""
    system = System()
    system.add("a", "planar.Fixed")
    system.add("b", "planar.Revolute")
    for given, sentence in (
        ({"factor": 0}, "factor = 0 between 'a.p1' and 'b.M' is refused: give a finite number other than 0"),
        ({"factor": "2"}, "factor = '2' between 'a.p1' and 'b.M' is refused: give a finite number other than 0"),
        ({"offset": float("nan")}, "offset = nan between 'a.p1' and 'b.M' is refused: give a finite number"),
    ):
        assert refusal(partial(system.connect, "a.p1", "b.M", **given)) == sentence
    assert system.connections == ()
    system.connect("a.p1", "b.M", factor=2)
    assert refusal(system.build) == (
        "factor = 2, offset = 0 between 'a.p1' and 'b.M' is refused: ports are connected as they are; connect variables one by one, or put a "
        "component between the ports"
    )
    counts = System()
    counts.add("a", passing("Integer"))
    counts.add("b", passing("Integer"))
    counts.connect("a.y", "b.u", offset=1)
    assert (
        refusal(counts.build)
        == "factor = 1, offset = 1 between 'a.y' and 'b.u' is refused: 'a.y' is of type Int32; only reals are transformed"
    )
