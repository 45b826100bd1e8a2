"""Start values that an FMU could not take are refused where they are given."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, System
from tests.support import foreign
from tests.support.systems.systems import described, pendulum, refusal

COMPUTED = "variable that the FMU computes; set parameters, states or inputs"


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("m", -1.0, "'rod.m' = -1.0 kg is refused: it must be at least 0"),
        ("m", "heavy", "'rod.m' = 'heavy' is refused: it must be a number"),
        ("m", None, "'rod.m' = None is refused: it must be a number"),
        ("m", [1.0], "'rod.m' = [1.0] is refused: it must be a number"),
        ("m", 1j, "'rod.m' = 1j is refused: it must be a number"),
        ("x", math.nan, "'rod.x' = nan m is refused: it must be a finite number"),
        ("p1.Fx", math.inf, "'rod.p1.Fx' = inf N is refused: it must be a finite number"),
        ("thta", 1.0, "'rod' (planar.Body1) has no variable 'thta' to start from; did you mean 'theta'?"),
        (
            "temperature",
            1.0,
            "'rod' (planar.Body1) has no variable 'temperature' to start from; "
            "variables that can be set: 'm', 'I', 'gx', 'gy', 'p1.rx', 'p1.ry', 'p1.angle', 'x' and 8 more",
        ),
        ("p1.ax", 1.0, f"'rod.p1.ax' = 1.0 is refused: it is an output {COMPUTED}"),
        ("energy.kinetic", 1.0, f"'rod.energy.kinetic' = 1.0 is refused: it is an output {COMPUTED}"),
        (
            "time",
            1.0,
            "'rod.time' = 1.0 is refused: it is the time, which runs from the option start_time on; set parameters, states or inputs",
        ),
        ("m", True, "'rod.m' = True is refused: it must be a number"),
        ("m", np.True_, "'rod.m' = np.True_ is refused: it must be a number"),
        (5, 1.0, "the start values of 'rod' have 5 for a name; give the names of variables, such as 'm'"),
    ],
)
def test_a_value_that_a_body_cannot_start_from(name: str, value: object, sentence: str) -> None:
    """The sentence has the variable's full name, the value with its unit, and what it must be."""
    assert refusal(lambda: System().add("rod", "planar.Body1", {name: value}), BuildError) == sentence


def test_open_bounds_are_the_fmus_own() -> None:
    """A description can give closed bounds alone, so that a mass of 0 is refused by the FMU itself, before anything is computed."""
    system = System()
    system.add("rod", "planar.Body1", {"m": 0.0})
    assert refusal(lambda: system.simulate(1.0)) == (
        "'rod' (planar.Body1) returned 'error' when setting 'm' = 0: rod: m = 0 kg is refused: it must be greater than 0"
        "; a link without mass is a planar.MasslessLink1, MasslessLink2 or MasslessLink3"
    )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("step", 1.5, "'counter.step' = 1.5 is refused: it must be a whole number"),
        ("step", "2", "'counter.step' = '2' is refused: it must be a whole number"),
        ("step", 2**31, "'counter.step' = 2147483648 is refused: it must be at least -2147483648 and at most 2147483647"),
        ("running", 2, "'counter.running' = 2 is refused: it must be True or False"),
        ("running", "yes", "'counter.running' = 'yes' is refused: it must be True or False"),
    ],
)
def test_whole_numbers_and_truths(name: str, value: object, sentence: str) -> None:
    """Values that a double cannot become without loss are refused."""
    assert refusal(lambda: System().add("counter", foreign.counter(), {name: value}), BuildError) == sentence


ODD = """<Float64 name="time" valueReference="99" causality="independent" variability="continuous"/>
<Float64 name="g" valueReference="1" variability="constant" start="9.81" unit="m/s2"/>
<Float64 name="area" valueReference="2" causality="calculatedParameter" variability="fixed"/>
<UInt64 name="size" valueReference="3" causality="structuralParameter" start="3"/>
<Float64 name="vector" valueReference="4" causality="parameter" start="1 2 3"><Dimension start="3"/></Float64>
<String name="file" valueReference="5" causality="parameter" variability="fixed"><Start value="a.txt"/></String>
<String name="lines" valueReference="11" causality="parameter" variability="fixed"><Dimension start="1"/><Start value="a"/></String>
<Binary name="blob" valueReference="6" causality="parameter" variability="fixed"><Start value="00"/></Binary>
<Enumeration name="gear" valueReference="7" causality="parameter" variability="fixed" declaredType="Gear" start="1" min="1" max="5"/>
<UInt8 name="small" valueReference="8" causality="parameter" variability="fixed" start="0"/>
<Int64 name="large" valueReference="9" causality="parameter" variability="fixed" start="0"/>
<Float64 name="level" valueReference="10" causality="parameter" variability="fixed" start="0" min="-1" max="0.5" unit="m"/>"""


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("g", 1.0, "'odd.g' = 1.0 is refused: it is a constant of the FMU; set parameters, states or inputs"),
        ("area", 1.0, "'odd.area' = 1.0 is refused: it is a parameter that the FMU computes from others; set parameters, states or inputs"),
        (
            "vector",
            [1, 2],
            "'odd.vector' = [1, 2] is refused: it is an array of 3; give as many values, row by row, or single ones, such as 'vector[1]'",
        ),
        ("vector", [1, 2, None], "'odd.vector[3]' = None is refused: it must be a number"),
        (
            "lines",
            ["a", 2],
            "'odd.lines' = ['a', 2] is refused: it is an array of 1; give as many values, row by row, or single ones, such as 'lines[1]'",
        ),
        ("lines", [2], "'odd.lines[1]' = 2 is refused: it must be a text"),
        ("file", 3.0, "'odd.file' = 3.0 is refused: it must be a text"),
        ("blob", "1", "'odd.blob' = '1' is refused: it must be bytes, such as b'\\x01'"),
        ("gear", 6, "'odd.gear' = 6 is refused: no item has this number; its items are 'first' (1), 'last' (5)"),
        ("gear", "third", "'odd.gear' = 'third' is refused: it has no such item; its items are 'first' (1), 'last' (5)"),
        ("small", -1, "'odd.small' = -1 is refused: it must be at least 0 and at most 255"),
        (
            "large",
            2**63,
            "'odd.large' = 9223372036854775808 is refused: it must be at least -9223372036854775808 and at most 9223372036854775807",
        ),
        ("level", 0.6, "'odd.level' = 0.6 m is refused: it must be at least -1 and at most 0.5"),
    ],
)
def test_values_of_every_nature(tmp_path: Path, name: str, value: object, sentence: str) -> None:
    """Constants, computed and structural parameters, arrays, texts, enumerations and whole numbers of every size."""
    types = '<TypeDefinitions><EnumerationType name="Gear"><Item name="first" value="1"/><Item name="last" value="5"/></EnumerationType></TypeDefinitions>'
    path = described(tmp_path, "Odd", ODD, before=types)
    assert refusal(lambda: System().add("odd", path, {name: value}), BuildError) == sentence


def test_values_that_can_be_taken(tmp_path: Path) -> None:
    """NumPy's numbers are numbers, items of enumerations have names, and an element given by itself counts over its array."""
    types = '<TypeDefinitions><EnumerationType name="Gear"><Item name="first" value="1"/><Item name="last" value="5"/></EnumerationType></TypeDefinitions>'
    start = {
        "size": 4,
        "vector": np.ones(3),
        "vector[2]": 7,
        "file": "b.txt",
        "gear": "last",
        "small": 255.0,
        "large": 2**63 - 1,
        "lines": ["b"],
        "blob": b"\x00\x01",
        "level": np.float32(-1),
    }
    system = System()
    system.add("odd", described(tmp_path, "Odd", ODD, before=types), start)
    assert system.start_values["odd"] == {"size": 4, "vector[1]": 1, "vector[2]": 7, "vector[3]": 1, "file": "b.txt", "gear": 5} | {
        **{name: start[name] for name in ("small", "large", "blob", "level")},
        "lines[1]": "b",
    }


def test_the_switch_of_the_dae_mode_is_the_masters(fmu: Callable) -> None:
    """It turns it on; a joint that was turned off would leave the master with equations that nothing can solve."""
    from fmu_components.catalogue import find

    for fmi in (2, 3):
        path = fmu(find("planar.Revolute"), fmi)
        assert refusal(lambda path=path: System().add("pin", path, {"ideal": False})) == (
            "'pin.ideal' = False is refused: the master solves the constraints and turns it on; leave it out"
        )
        system = System()
        system.add("ground", "planar.Fixed")
        system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
        system.add("pin", path, {"ideal": True, "lambda[1]": 3.0})
        system.connect("ground.p1", "pin.M")
        system.connect("rod.p1", "pin.N")
        assert system.simulate(0.1).outcome.completed


def test_texts_and_truths_reach_the_fmu() -> None:
    """A counter that does not run counts nothing; one that counts by 5 does so."""
    system = System()
    system.add("idle", foreign.counter(), {"running": False})
    system.add("busy", foreign.counter(2), {"step": 5, "period": np.float64(0.25)})
    result = system.simulate(0.6)
    assert (result["idle.count"][-1], result["busy.count"][-1]) == (0, 10)


def test_unconnected_inputs_keep_their_start_values() -> None:
    """A force given as a start value acts all the time, and so does the weight of a rod without one."""
    system = System()
    system.add("body", "planar.Body1", {"gy": 0.0, "m": 2.0, "p1.Fx": 4.0})
    result = system.simulate(1.0)
    assert np.allclose(result["body.x"], result.time**2, atol=1e-12)
    assert pendulum().simulate(0.0)["pin.M.Fx"][0] == pytest.approx(0.0, abs=1e-12)
