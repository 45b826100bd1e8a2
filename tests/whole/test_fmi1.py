"""FMUs of FMI 1.0: values, events, loops, aliases and faults are those of the other versions; FMPy is the other master."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

from coupling import BuildError, System
from coupling.fmus import FmuError, load
from jourdain.command import main
from tests.support import foreign
from tests.support.foreign import MASS_SPRING, Model, Variable
from tests.support.foreign.by_fmpy import run
from tests.support.systems.systems import with_added_mass


def of_kind(model: Model, kind: str, changes: Mapping[str, str] | None = None) -> Path:
    """Returns an FMU of FMI 1.0, which has one kind."""
    return foreign.export(replace(model, kinds=(kind,)), 1, changes=changes)


def stepped(kind: str) -> dict[str, float]:
    return {"communication_step": 0.01} if kind == "cs" else {}


def alone(path: Path, kind: str, start: dict[str, float] | None = None) -> System:
    system = System("alone")
    system.add("a", path, start, kind=kind)
    return system


@pytest.fixture(params=["me", "cs"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def test_state_and_time_events(kind):
    """A rate that doubles at a time event and drops at state events is that of the closed form, and FMPy finds the same."""
    path = of_kind(foreign.TWO_EVENTS, kind)
    result = alone(path, kind).simulate(2.0, output_interval=0.05, **stepped(kind))
    assert result.outcome.completed
    last = np.r_[np.diff(result.time) > 1e-9, True]  # an event has a row before it and a row after it
    x, level = foreign.two_events_exact(result.time)
    assert np.abs(result["a.x"] + result["a.level"] - x - level)[last].max() < 1e-9
    assert np.abs(result["a.y"] - x - level)[last].max() < 1e-9
    assert result["a.fast"][-1] == 1
    theirs = run(path, kind, 2.0, ["x", "level"])
    assert theirs["x"][-1] + theirs["level"][-1] == pytest.approx(result["a.y"][-1], abs=1e-7)


def test_integers_and_booleans(kind):
    """A clock counts by an Integer input while a Boolean input is true."""
    system = alone(of_kind(foreign.COUNTER, kind), kind, {"step": 3})
    system.drive("a.running", [(0, True), (0.65, False)])
    system.drive("a.u", lambda t: 10 * t)
    result = system.simulate(1.0, output_interval=0.05, **stepped(kind))
    at = np.searchsorted(result.time, [0.15, 0.35, 0.55, 0.95])
    assert result["a.count"][at] == pytest.approx([3, 9, 15, 18])
    assert result["a.odd"][at] == pytest.approx([1, 1, 1, 0])
    assert result["a.y"][at[:2]] == pytest.approx([4.5, 12.5], abs=0.11)


def test_two_masses_on_a_spring():
    """Model Exchange in loops with a component of this library follows the matrix exponential."""
    system = System("masses")
    system.add("first", of_kind(MASS_SPRING, "me"))
    system.add("second", of_kind(MASS_SPRING, "me"), {"m": 2.0, "k": 50.0, "x": -0.2})
    system.add("tie", "mechanical1d.SpringDamper1D", {"k": 30.0, "b": 0.5, "rest": 0.0})
    for name, port in (("first", "M"), ("second", "N")):
        for pair in ((f"{name}.x", f"tie.{port}.s"), (f"{name}.v", f"tie.{port}.v"), (f"tie.{port}.f", f"{name}.f")):
            system.connect(*pair)
        system.drive(f"tie.{port}.a", 0.0)
    result = system.simulate(2.0, rtol=1e-11, atol=1e-11, output_interval=0.1)
    k, b = 30.0, 0.5
    matrix = np.array([[0, 1, 0, 0], [-100 - k, -b, k, b], [0, 0, 0, 1], [k / 2, b / 2, (-50 - k) / 2, -b / 2]])
    exact = np.array([expm(matrix * t) @ [0.1, 0, -0.2, 0] for t in result.time])
    found = np.column_stack([result[name] for name in ("first.x", "first.v", "second.x", "second.v")])
    assert found == pytest.approx(exact, abs=1e-8)
    assert result["first.continuousState[1]"] == pytest.approx(exact[:, 0], abs=1e-8)


def test_a_mechanism_with_an_added_mass():
    """Its force -c s - m a on a block, which a joint guides, makes the block's mass M + m: s = s0 cos(sqrt(c/(M + m)) t)."""
    water = Model(
        "Water",
        [
            Variable("s", "input", unit="m"),
            Variable("a", "input"),
            Variable("f", "output", value="-25 * s - 0.4 * a", unit="N", depends=["s", "a"]),
        ],
    )
    system = with_added_mass(of_kind(water, "me"))
    result = system.simulate(3.0, rtol=1e-11, atol=1e-11)
    assert result["block.x"] == pytest.approx(0.2 * np.cos(np.sqrt(25 / 1.7) * result.time), abs=1e-8)


def test_every_way_gives_the_same_bits(kind):
    """Other processes, a second run and a second instance change nothing."""

    def driven(**options: object) -> np.ndarray:
        system = alone(of_kind(MASS_SPRING, kind), kind, {"k": 400.0})
        system.drive("a.f", math.sin)
        first = system.simulate(1.0, output_interval=0.1, **stepped(kind), **options)
        assert first.values.tobytes() == system.simulate(1.0, output_interval=0.1, **stepped(kind), **options).values.tobytes()
        return first.values

    here = driven()
    assert driven(isolate="foreign").tobytes() == here.tobytes()
    assert driven(isolate="all").tobytes() == here.tobytes()


def test_inputs_are_known_before_the_initialization(kind):
    """FMI 1.0 has no Initialization Mode: a state that begins at the value of an input gets what drives the input."""
    at = [v.name for v in MASS_SPRING.variables].index("x") + 1
    follows = replace(MASS_SPRING, hooks={"initialize": f"me->v[{at}] = f;"})
    system = alone(of_kind(follows, kind), kind, {"k": 1.0})
    system.drive("a.f", 0.7)
    result = system.simulate(1.0, output_interval=0.1, **stepped(kind))
    assert result["a.x"] == pytest.approx(0.7, abs=1e-9)  # where it is at rest


def test_aliases_with_the_opposite_sign(kind):
    """They are read, driven and recorded with their own sign, whatever the type."""
    more = (
        '<ScalarVariable name="fall" valueReference="4" causality="output" alias="negatedAlias"><Real unit="m"/></ScalarVariable>'
        '<ScalarVariable name="same" valueReference="4" alias="alias"><Real unit="m"/></ScalarVariable></ModelVariables>'
    )
    path = of_kind(MASS_SPRING, kind, changes={"</ModelVariables>": more})
    system = System("alias")
    system.add("a", path, kind=kind)
    system.add("gain", "signal.Gain", {"k": 2.0})
    system.connect("a.fall", "gain.u")
    result = system.simulate(1.0, output_interval=0.1, outputs=["a.x", "a.fall", "a.same", "gain.y"], **stepped(kind))
    assert np.array_equal(result["a.fall"], -result["a.x"])
    assert np.array_equal(result["a.same"], result["a.x"])
    assert result["gain.y"][1:] == pytest.approx(-2 * result["a.x"][1:], abs=0 if kind == "me" else 0.03)
    theirs = run(path, kind, 1.0, ["x"], start_values={})
    assert theirs["x"][-1] == pytest.approx(result["a.x"][-1], abs=1e-6)


def test_a_negated_boolean():
    more = '<ScalarVariable name="slow" valueReference="4" alias="negatedAlias" variability="discrete"><Boolean/></ScalarVariable></ModelVariables>'
    path = of_kind(foreign.TWO_EVENTS, "me", changes={"</ModelVariables>": more})
    result = alone(path, "me").simulate(1.0, output_interval=0.1, outputs=["a.fast", "a.slow"])
    assert set(result["a.fast"]) == {0, 1}
    assert np.array_equal(result["a.slow"], 1 - result["a.fast"])


def test_a_text_as_a_start_value(kind):
    """The FMU measures the text and starts there."""
    at = [v.name for v in MASS_SPRING.variables].index("x") + 1
    path = of_kind(
        MASS_SPRING,
        kind,
        changes={
            "int MassSpring_fmiSetString(void) { return Error; }": "int MassSpring_fmiSetString(void *c, const unsigned r[], size_t n, const char *const s[])"
            f" {{ ((Model *)c)->v[{at}] = strlen(s[0]); return Ok; }}",
            "</ModelVariables>": '<ScalarVariable name="file" valueReference="0" variability="parameter"><String start="a"/></ScalarVariable></ModelVariables>',
        },
    )
    system = System("text")
    system.add("a", path, {"file": "seven letters"}, kind=kind)
    assert system.simulate(0.1, **stepped(kind))["a.x"][0] == 13


def test_inputs_as_polynomials():
    """A slave that interpolates gets the slope of its input, from the second step on; the closed form is t - sin(t)."""
    found = {}
    for order in (0, 1):
        model = replace(MASS_SPRING, input_orders=order, declares={})
        system = System("slopes")
        system.add("a", of_kind(model, "cs"), {"k": 1.0, "x": 0.0}, kind="cs")
        system.drive("a.f", lambda t: t)
        result = system.simulate(2.0, communication_step=0.1)
        found[order] = np.abs(result["a.x"] - (result.time - np.sin(result.time))).max()
    assert found[1] < 3e-5
    assert found[0] > 5e-4


def test_schemes_that_save_states_refuse_by_name():
    system = System("pair")
    path = of_kind(MASS_SPRING, "cs")
    for name in ("a", "b"):
        system.add(name, path, kind="cs")
        system.drive(f"{name}.f", 0.0)
    with pytest.raises(BuildError, match="repeats steps, but 'a' cannot save and restore its state"):
        system.simulate(1.0, communication_step=0.1, scheme="implicit")


def test_a_discarded_step_is_repeated_as_such():
    """The FMU refuses long steps; it is told that the shorter ones are no new steps."""
    model = replace(MASS_SPRING, hooks={"step": 'if (step_size > 0.006) return say(me, Discard, "too long");'})
    system = alone(of_kind(model, "cs"), "cs", {"k": 400.0})
    system.drive("a.f", 0.0)
    result = system.simulate(1.0, communication_step=0.01)
    assert result.outcome.completed
    assert result["a.x"] == pytest.approx(0.1 * np.cos(20 * result.time), abs=1e-6)


def test_the_command_line_tests_it(kind, capsys):
    assert main(["test", str(of_kind(MASS_SPRING, kind)), "--stop", "0.1"]) == 0
    assert "FMI 1.0" in capsys.readouterr().out


def test_it_offers_one_kind(kind):
    fmu, other = load(of_kind(MASS_SPRING, kind)), {"me": "cs", "cs": "me"}[kind]
    assert fmu.version == 1
    assert fmu.interface(kind).kind == kind
    with pytest.raises(FmuError, match=f"choose that, or export it for {'Co-Simulation' if kind == 'me' else 'Model Exchange'}"):
        fmu.interface(other)


@pytest.mark.parametrize(
    ("kind", "old", "new", "says"),
    [
        ("me", 'numberOfContinuousStates="2"', 'numberOfContinuousStates="-2"', "declares -2 continuous states"),
        ("me", "</ModelVariables>", "</ModelVariables><Implementation/>", "neither CoSimulation_StandAlone nor CoSimulation_Tool"),
        (
            "me",
            "<DirectDependency>",
            "<DirectDependency><Name>wind</Name>",
            "says that 'x' depends on 'wind' .DirectDependency., and lists no such",
        ),
    ],
)
def test_odd_descriptions_are_refused(kind, old, new, says):
    model = replace(MASS_SPRING, variables=[replace(v, depends=["f"]) if v.causality == "output" else v for v in MASS_SPRING.variables])
    with pytest.raises(FmuError, match=says):
        load(of_kind(model, kind, changes={old: new}))


def test_a_binary_of_the_other_kind_is_refused(kind):
    """The description says one kind, and the binary has the functions of the other."""
    other = {"me": "cs", "cs": "me"}[kind]
    binary = of_kind(MASS_SPRING, other)
    with zipfile.ZipFile(binary) as archive:
        code = archive.read("binaries/linux64/MassSpring.so")
    path = foreign.export(replace(MASS_SPRING, kinds=(kind,)), 1, binary=code)
    with pytest.raises(BuildError, match=r"the function fmiInstantiate(Model|Slave) is missing"):
        alone(path, kind).simulate(0.1, **stepped(kind))
