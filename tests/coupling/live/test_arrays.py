"""Arrays of FMI 3, element by element: set, connected, recorded and differentiated, in Model Exchange and in Co-Simulation."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from coupling import BuildError, Result, Scheme, System
from tests.support.foreign.arrays import arrays
from tests.support.systems.systems import refusal

KINDS = ("me", "cs")


def alone(kind: str = "me", start: dict[str, Any] | None = None, dae: bool = False) -> System:
    system = System("alone")
    system.add("unit", arrays(dae), start, kind=kind)
    return system


def run(system: System, kind: str, stop: float = 2.0, **options: Any) -> Result:
    """Runs a system. The FMU's own method in Co-Simulation has errors of 1e-6 at 1 ms."""
    steps = {"communication_step": 0.05} if kind == "cs" else {}
    result = system.simulate(stop, output_interval=0.05, **steps, **options)
    assert result.outcome.completed, result.outcome
    return result


def close(kind: str) -> float:
    return 1e-6 if kind == "cs" else 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_states_and_outputs_are_recorded_element_by_element(kind: str) -> None:
    """The rotation by 1 rad/s, by sine and cosine; a name of an array chooses all its elements."""
    result = run(alone(kind), kind)
    assert result.names == ["unit.x[1]", "unit.x[2]", "unit.y[1]", "unit.y[2]"]
    assert result["unit.x[1]"] == pytest.approx(np.cos(result.time), abs=close(kind))
    assert result["unit.y[2]"] == pytest.approx(-2 * np.sin(result.time), abs=2 * close(kind))
    chosen = run(alone(kind), kind, outputs=["unit.A", "unit.y[2]", "unit.k[2]"])
    assert chosen.names == ["unit.A[1,1]", "unit.A[1,2]", "unit.A[2,1]", "unit.A[2,2]", "unit.y[2]", "unit.k[2]"]
    assert chosen.values[-1, [1, 2, 5]] == pytest.approx([1, -1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_elements_and_wholes_are_set(kind: str) -> None:
    """One element leaves the others as the FMU starts with them; a whole is given as rows or as a list; all types of numbers."""
    start = {"A[2,1]": -4.0, "x": [0.0, 2.0], "k": [7, 8], "flags": [True, False], "flags[2]": True}
    result = run(alone(kind, start), kind, outputs=["unit.x", "unit.k", "unit.flags"])
    assert result["unit.x[1]"] == pytest.approx(np.sin(2 * result.time), abs=3 * close(kind))
    assert list(result.values[-1, 2:]) == [7, 8, 1, 1]
    flat = run(alone(kind, {"A": [0, 1, -4, 0], "x": np.array([0.0, 2.0])}), kind)
    assert flat["unit.x[1]"] == pytest.approx(result["unit.x[1]"], abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dae", [False, True])
def test_structural_parameters_come_first(kind: str, dae: bool) -> None:
    """They give the arrays their sizes: a system of three states and two inputs, by its matrix exponential; with the multipliers of the
    DAE mode as well, in arrays like all else."""
    a, b, u = np.array([[-1, 0.5, 0], [0, -2, 1], [1, 0, -3.0]]), np.array([[1, 0], [0, 1], [1, 1.0]]), np.array([0.5, -0.25])
    system = alone(kind, {"x": [1, 0, 0], "A": a, "n": 3, "B": b, "m": 2, "u": u}, dae)
    result = run(system, kind, outputs=["unit.x"])
    whole = np.block([[a, (b @ u)[:, None]], [np.zeros((1, 4))]])
    exact = np.array([expm(whole * t)[:3] @ [1, 0, 0, 1] for t in result.time])
    assert result.values == pytest.approx(exact, abs=close(kind))
    again = pickle.loads(pickle.dumps(copy.deepcopy(system)))
    assert again.definition == system.definition != alone(kind, {"n": 3}, dae).definition
    assert run(again, kind, outputs=["unit.x"]).values == pytest.approx(result.values, abs=1e-12)


def test_algebraic_arrays() -> None:
    """Each element of an algebraic array is solved for, with the exact derivatives that arrays are asked for as wholes."""
    result = run(alone(dae=True), "me")
    assert result.names == ["unit.x[1]", "unit.x[2]", "unit.y[1]", "unit.y[2]", "unit.a[1]", "unit.a[2]"]
    assert result["unit.a[2]"] == pytest.approx(-np.cos(result.time), abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("whole", [True, False])
def test_arrays_are_connected(kind: str, whole: bool) -> None:
    """x of one is u of another, as a whole or element by element, in any order: z' = B x."""
    system = System()
    system.add("driving", arrays(), kind=kind)
    system.add("driven", arrays(), {"n": 2, "m": 2, "A": np.zeros((2, 2)), "B": [[1, 0], [0, 1]], "x": [0, 0]}, kind=kind)
    for end in [""] if whole else ["[2]", "[1]"]:
        system.connect(f"driven.u{end}", f"driving.x{end}")
    result = run(system, kind, outputs=["driven.x", "driven.u"], **({"scheme": Scheme(extrapolation=2)} if kind == "cs" else {}))
    assert result["driven.x[1]"] == pytest.approx(np.sin(result.time), abs=2e-4 if kind == "cs" else 1e-7)
    assert result["driven.x[2]"] == pytest.approx(np.cos(result.time) - 1, abs=2e-4 if kind == "cs" else 1e-7)


@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
def test_loops_through_arrays(solver: str) -> None:
    """Two FMUs with feedthrough, u1 = y2[1] and u2 = y1[2], which only the derivatives of elements solve."""
    system = System()
    for name in ("one", "two"):
        system.add(name, arrays(), {"B": [0.5, 0.25]})
    system.connect("one.y[2]", "two.u[1]")
    system.connect("two.y[1]", "one.u[1]")
    result = system.simulate(1.0, solver=solver, outputs=["*.x*", "*.y*", "*.u*"])
    assert result.outcome.completed, result.outcome
    assert result["one.u[1]"] == pytest.approx(2 * result["two.x[1]"] + 0.5 * result["two.u[1]"], abs=1e-9)
    assert result["two.u[1]"] == pytest.approx(2 * result["one.x[2]"] + 0.25 * result["one.u[1]"], abs=1e-9)
    # u1 = 2 z1 + u2 / 2, u2 = 2 x2 + u1 / 4, so that u1 = (16 z1 + 8 x2) / 7 and u2 = (4 z1 + 16 x2) / 7
    loop = np.array([[0, 1, 16 / 14, 0], [-1, 0, 4 / 7, 0], [0, 0, 0, 1], [0, 0, -1, 0]])
    loop[0, 1] += 0.5 * 8 / 7
    loop[1, 1] += 0.25 * 8 / 7
    loop[2, [1, 2]] += 0.5 * np.array([16 / 7, 4 / 7])
    loop[3, [1, 2]] += 0.25 * np.array([16 / 7, 4 / 7])
    exact = expm(loop * 1.0) @ [1, 0, 1, 0]
    ends = [result[name][-1] for name in ("one.x[1]", "one.x[2]", "two.x[1]", "two.x[2]")]
    assert ends == pytest.approx(exact, abs=1e-6)


def test_elements_are_driven() -> None:
    """Functions and tables drive them."""
    system = alone(start={"m": 2, "A": np.zeros((2, 2)), "B": np.eye(2), "x": [0, 0]})
    system.drive("unit.u[1]", lambda t: t)
    system.drive("unit.u[2]", [(0, 1), (2, 1)])
    result = run(system, "me")
    assert result["unit.x[1]"] == pytest.approx(result.time**2 / 2, abs=1e-9)
    assert result["unit.x[2]"] == pytest.approx(result.time, abs=1e-9)


def test_runs_begin_from_other_elements() -> None:
    """The values of one run leave those of the next alone."""
    system = alone()
    assert run_end(system, {"unit.x": [0, 3]}) == pytest.approx([3 * np.sin(2), 3 * np.cos(2)], abs=1e-6)
    assert run_end(system, None) == pytest.approx([np.cos(2), -np.sin(2)], abs=1e-6)


def run_end(system: System, start_values: dict[str, Any] | None) -> np.ndarray:
    return run(system, "me", start_values=start_values).values[-1, :2]


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (
            {"A": [1, 2, 3]},
            "'unit.A' = [1, 2, 3] is refused: it is an array of 2 x 2; give as many values, row by row, or single ones, such as 'A[1,1]'",
        ),
        ({"A[3,1]": 1}, "'unit' (Arrays) has no variable 'A[3,1]' to start from; did you mean 'A[1,1]', 'A[2,1]' or 'A[1,2]'?"),
        ({"x": [1, "one"]}, "'unit.x[2]' = 'one' is refused: it must be a number"),
        ({"n": 9}, "'unit.n' = 9 is refused: it must be at least 1 and at most 4"),
        ({"y": [1, 2]}, "'unit.y[1]' = 1 is refused: it is an output variable that the FMU computes; set parameters, states or inputs"),
    ],
)
def test_values_that_do_not_fit(start: dict[str, Any], sentence: str) -> None:
    """Size, element, type and bounds, each with its sentence."""
    assert refusal(lambda: alone(start=start), BuildError) == sentence


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        (
            "unit.y",
            "unit.u",
            "'unit.y' is an array of 2 and 'unit.u' is an array of 1; connect arrays of the same size, or single elements, such as 'unit.y[1]'",
        ),
        (
            "unit.y",
            "unit.u[1]",
            "'unit.y' is an array of 2 and 'unit.u[1]' is a scalar; connect arrays of the same size, or single elements, such as 'unit.y[1]'",
        ),
    ],
)
def test_arrays_that_do_not_fit(a: str, b: str, sentence: str) -> None:
    """Both sizes are named, and what can be connected."""
    system = alone()
    assert refusal(lambda: system.connect(a, b), BuildError) == sentence


def test_what_arrays_cannot_do() -> None:
    """The sizes of a system that is built stay; a drive needs the shape of the array, which only the FMU knows."""
    system = System()
    system.drive("unit.u", 1.0)
    system.add("unit", arrays())
    assert refusal(lambda: system.simulate(1.0), BuildError) == (
        "'unit.u' cannot be driven: it is an array; drive its elements, such as 'unit.u[1]', or add its instance before you drive it"
    )
    assert refusal(lambda: alone().simulate(1.0, start_values={"unit.n": 3}), BuildError) == (
        "'unit.n' = 3 is refused: it is a structural parameter, of which the system's equations depend; give it to add"
    )
