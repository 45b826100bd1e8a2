"""Permitted connections and drives, and the messages about all others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, System
from coupling.plan.connections import wires_of
from tests.support import foreign
from tests.support.systems.systems import described, pendulum, refusal

PLANAR = "x, y, theta, vx, vy, omega, ax, ay, alpha"
BODY = f"planar: gives {PLANAR}; takes Fx, Fy, Cz"
JOINT = f"planar: gives Fx, Fy, Cz; takes {PLANAR}"


@pytest.fixture
def bench() -> System:
    """A ground, two bodies, two joints and a counter, with nothing connected."""
    system = System("bench")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("hinge", "planar.ActuatedRevolute")
    system.add("rod", "planar.Body1")
    system.add("wheel", "planar.Body1")
    system.add("counter", foreign.counter())
    system.add("gain", foreign.gain())
    return system


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ("rdo.p1", "pin.M", "'rdo.p1' cannot be connected with 'pin.M': there is no instance 'rdo'; did you mean 'rod'?"),
        (
            "valve.a",
            "pin.M",
            "'valve.a' cannot be connected with 'pin.M': there is no instance 'valve'; "
            "the instances are 'ground', 'pin', 'hinge', 'rod', 'wheel', 'counter', 'gain'",
        ),
        (
            "pin.M",
            "p1",
            "'pin.M' cannot be connected with 'p1': there is no instance 'p1'; did you mean 'ground.p1', 'rod.p1' or 'wheel.p1'?",
        ),
        (
            "rod",
            "pin.M",
            "'rod' cannot be connected with 'pin.M': 'rod' is an instance; name one of its ports or variables, such as 'rod.p1'",
        ),
        (
            "rod.p2",
            "pin.M",
            "'rod.p2' cannot be connected with 'pin.M': 'rod' (planar.Body1) has no port or variable 'p2'; its ports are 'p1'",
        ),
        (
            "pin.M.tetha",
            "rod.p1.theta",
            "'pin.M.tetha' cannot be connected with 'rod.p1.theta': 'pin' (planar.Revolute) has no port or variable 'M.tetha'; "
            "did you mean 'pin.M.theta' or 'pin.N.theta'?",
        ),
        (
            "gain.yy",
            "counter.u",
            "'gain.yy' cannot be connected with 'counter.u': 'gain' (Gain) has no port or variable 'yy'; did you mean 'gain.y'?",
        ),
        (
            "rod.p1",
            "wheel.p1",
            f"'rod.p1' ({BODY}) and 'wheel.p1' ({BODY}) are on the same side: both give x; put a component between them whose ports take it, "
            "such as planar.Revolute or planar.Weld",
        ),
        (
            "pin.N",
            "hinge.M",
            f"'pin.N' ({JOINT}) and 'hinge.M' ({JOINT}) are on the same side: both take x; "
            "put a component between them whose ports give it, such as planar.Body2",
        ),
        (
            "hinge.flange",
            "rod.p1",
            f"'hinge.flange' (rotational: gives phi, w, a; takes tau) and 'rod.p1' ({BODY}) are ports of different kinds; "
            "connect ports of the same kind",
        ),
        (
            "rod.p1",
            "pin.M.x",
            "'rod.p1' is a port but 'pin.M.x' a variable; connect two ports, or two variables such as 'rod.p1.x' and 'pin.M.x'",
        ),
        ("pin.M", "pin.M", "'pin.M' is connected with itself; connect it with another port or variable"),
        ("rod.p1.Fx", "pin.M.x", "'rod.p1.Fx' is an input and 'pin.M.x' is an input; connect an output with an input"),
        ("rod.x", "wheel.p1.x", "'rod.x' is a local variable and 'wheel.p1.x' is an output; connect an output with an input"),
        ("rod.m", "rod.time", "'rod.m' is a parameter and 'rod.time' is the time; connect an output with an input"),
        (
            "rod.p1.x",
            "pin.M.theta",
            "'rod.p1.x' and 'pin.M.theta' cannot be connected: the first is in m, the second in rad; connect variables of one quantity",
        ),
        (
            "gain.y",
            "counter.step",
            "'gain.y' and 'counter.step' cannot be connected: the first is a Float64, the second an Int32, which holds whole numbers alone; "
            "connect the first with a real input, or put an FMU that rounds between them",
        ),
    ],
)
def test_a_connection_is_refused_by_a_sentence_that_names_both_ends(bench: System, a: str, b: str, sentence: str) -> None:
    """It says what each end is, and what to do instead. Only an instance that may be added later is looked for by build."""
    if "there is no instance" in sentence:
        bench.connect(a, b)
        assert refusal(bench.build, BuildError) == sentence
    else:
        assert refusal(lambda: bench.connect(a, b), BuildError) == sentence
        assert bench.connections == ()


def test_inputs_are_suggested_where_an_input_is_wanted() -> None:
    """Outputs and ports are not; a joint without an actuator names the one with it."""
    system = pendulum()
    refused = "'pin.effort' cannot be driven: 'pin' (planar.Revolute) has no port or variable 'effort'; "
    assert (
        refusal(lambda: system.drive("pin.effort", 1.0)) == f"{refused}'planar.ActuatedRevolute' is this joint with an actuator, and has it"
    )
    assert refusal(lambda: pendulum().linearise(["pin.effort"])).endswith(
        "'planar.ActuatedRevolute' is this joint with an actuator, and has it"
    )
    assert refusal(lambda: system.drive("pin.reactionn", 1.0)).endswith("; it has no inputs beside those of its ports")
    other = System()
    other.add("motor", "mechanical1d.Torque")
    assert refusal(lambda: other.drive("motor.torqe", 1.0)).endswith("did you mean 'motor.torque'?")
    assert refusal(lambda: other.drive("motor.voltage", 1.0)).endswith("; its inputs are 'torque'")


def test_what_cannot_be_known_yet_is_refused_by_build() -> None:
    """An instance may be added after its connections; the other end is checked at once."""
    system = System()
    system.add("rod", "planar.Body1")
    assert "'rod' (planar.Body1) has no port or variable 'p2'" in refusal(lambda: system.connect("rod.p2", "pin.N"), BuildError)
    system.connect("rod.p1", "pin.N")
    assert refusal(system.build, BuildError).startswith("'rod.p1' cannot be connected with 'pin.N': there is no instance 'pin'")
    system.add("pin", "planar.Revolute")
    system.add("ground", "planar.Fixed")
    system.connect("ground.p1", "pin.M")
    system.build()


def test_values_that_cannot_be_passed_on(tmp_path: Path) -> None:
    """Arrays for scalars, clocks, and reals that change at any time for those that change at events only."""
    variables = """<Float64 name="time" valueReference="9" causality="independent"/>
    <Float64 name="y" valueReference="0" causality="output"/>
    <Float64 name="held" valueReference="1" causality="input" variability="discrete" start="0"/>
    <Float64 name="vector" valueReference="2" causality="output"><Dimension start="3"/></Float64>
    <Float64 name="u" valueReference="3" causality="input" start="0"/>
    <Clock name="ticks" valueReference="4" causality="output"/><Clock name="tick" valueReference="5" causality="input"/>"""
    path = described(tmp_path, "Odd", variables)

    def joined(a: str, b: str) -> str:
        system = System()
        system.add("odd", path)
        return refusal(lambda: system.connect(a, b), BuildError)

    assert joined("odd.y", "odd.held") == (
        "'odd.y' and 'odd.held' cannot be connected: the first is continuous, the second discrete, and changes at events only; "
        "put a sampler between them"
    )
    assert joined("odd.vector", "odd.u") == (
        "'odd.vector' is an array of 3 and 'odd.u' is a scalar; connect arrays of the same size, or single elements, such as 'odd.vector[1]'"
    )
    assert joined("odd.ticks", "odd.tick") == (
        "'odd.ticks' and 'odd.tick' cannot be connected: the first is a Clock, the second a Clock, and clocks are not connected; leave both open"
    )


def test_a_terminal_of_one_variable_with_its_name_is_this_variable(tmp_path: Path) -> None:
    """OpenModelica writes such terminals; hints for other ones name variables that exist."""
    variables = """<Float64 name="time" valueReference="9" causality="independent"/>
    <Float64 name="phi" valueReference="0" causality="output"/><Float64 name="tau" valueReference="1" causality="input" start="0"/>"""
    single = '<Terminal name="{}" matchingRule="plug"><TerminalMemberVariable variableName="{}" memberName="{}" variableKind="signal"/></Terminal>'
    terminals = "".join(single.format(*each) for each in (("phi", "phi", "phi"), ("tau", "tau", "tau"), ("angle", "phi", "value")))
    path = described(tmp_path, "Box", variables, terminals)
    system = System()
    for name in ("one", "other"):
        system.add(name, path)
    system.add("gain", foreign.gain())
    assert set(system.instances["one"].terminals) == {"phi", "tau", "angle"}
    system.connect("one.phi", "gain.u")
    system.connect("gain.y", "one.tau")
    system.connect("one.phi", "other.tau")
    assert wires_of(system.instances, system.definition.connections, {}) == {
        ("gain", "u"): [("one", "phi")],
        ("one", "tau"): [("gain", "y")],
        ("other", "tau"): [("one", "phi")],
    }
    assert refusal(lambda: system.connect("one.angle", "gain.u"), BuildError) == (
        "'one.angle' is a port but 'gain.u' a variable; connect two ports, or two variables such as 'one.phi' and 'gain.u'"
    )


def test_an_input_has_one_source() -> None:
    """Two outputs, an output and a drive, or an alias of the same input."""
    system = pendulum()
    system.connect("rod.p1", "pin.M")
    assert refusal(system.build) == ("the input 'pin.M.x' has two sources, 'ground.p1.x' and 'rod.p1.x'; keep one of them")
    system = pendulum()
    system.drive("pin.N.x", 1.0)
    assert refusal(system.build) == ("the input 'pin.N.x' has two sources, the drive of 'pin.N.x' and 'rod.p1.x'; keep one of them")


@pytest.mark.parametrize(
    ("component", "name"), [("planar.Wrench", "Fx"), ("planar.ActuatedRevolute", "effort"), ("mechanical1d.Force", "force")]
)
def test_signals_do_not_add_up(component: str, name: str) -> None:
    """Even signals of forces do not; the remedy is tried below."""
    system = System("two forces")
    system.add("it", component)
    for source in ("a", "b"):
        system.add(source, "signal.Constant", {"value": 2.0})
        system.connect(f"{source}.y", f"it.{name}")
    assert refusal(lambda: wires_of(system.instances, system.definition.connections, {}, complete=False)) == (
        f"the input 'it.{name}' has two sources, 'a.y' and 'b.y'; keep one of them, or add them by a signal.Sum: only efforts at ports add up by "
        "themselves, signals do not"
    )


def test_efforts_at_ports_add_up() -> None:
    """Forces of two ports, a variable and a drive add up; signals do by a sum, as the sentence proposes."""
    system = System("forces")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0})
    for name in ("a", "b"):
        system.add(name, "mechanical1d.Force", {"force": 1.0})
        system.connect("mass.flange", f"{name}.flange")
        system.add(f"half {name}", "signal.Constant", {"value": 0.5})
    system.add("sum", "signal.Sum")
    system.add("c", "mechanical1d.Force")
    for number, name in enumerate(("a", "b"), 1):
        system.connect(f"half {name}.y", f"sum.u{number}")
    system.connect("sum.y", "c.force")
    system.connect("mass.flange", "c.flange")
    system.drive("mass.flange.f", 4.0)
    assert system.simulate(1.0)["mass.v"][-1] == pytest.approx((1 + 1 + 0.5 + 0.5 + 4) / 2)


def test_aliases_are_one_input(tmp_path: Path) -> None:
    """An input with two names can be fed by one of them only."""
    variables = """<Float64 name="u" valueReference="1" causality="input" start="0"><Alias name="signal"/></Float64>
    <Float64 name="y" valueReference="2" causality="output"/>"""
    path = described(tmp_path, "Twins", variables)
    system = System()
    system.add("a", path)
    system.connect("a.y", "a.u")
    system.connect("a.y", "a.signal")
    assert refusal(system.build).startswith("the input 'a.signal' has two sources, 'a.y' and 'a.y'; keep one of them")
    system = System()
    system.add("a", path)
    system.drive("a.u", 1.0)
    system.drive("a.signal", 1.0)
    assert refusal(system.build) == "the input 'a.signal' has two sources, the drive of 'a.u' and its own drive; keep one of them"


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ("ground.p1", "pin.M", "'ground.p1' and 'pin.M' are connected twice; leave one connection out"),
        ("pin.M", "ground.p1", "'pin.M' and 'ground.p1' are connected twice; leave one connection out"),
        (
            "rod.p1.Fx",
            "pin.N.Fx",
            "'pin.N.Fx' is connected with 'rod.p1.Fx' twice, the second time by 'rod.p1.Fx' and 'pin.N.Fx'; leave one connection out",
        ),
    ],
)
def test_nothing_is_connected_twice(a: str, b: str, sentence: str) -> None:
    """A force that is passed on twice would count twice."""
    system = pendulum()
    system.connect(a, b)
    assert refusal(system.build) == sentence


def test_a_port_that_takes_a_motion_cannot_stay_open() -> None:
    """Nothing gives the motion of an open joint; a body's port may be open, since no force acts there."""
    system = System()
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body2")
    assert refusal(system.build) == (
        f"the port 'pin.M' of planar.Revolute is not connected: nothing gives 'pin.M.x'; connect it with a planar port that gives {PLANAR}"
    )
    system.connect("rod.p1", "pin.M")
    assert refusal(system.build).startswith("the port 'pin.N' of planar.Revolute is not connected: nothing gives 'pin.N.x'; connect it")
    for member in PLANAR.split(", "):
        system.drive(f"pin.N.{member}", 0.0)
    system.build()


def test_algebraic_variables_belong_to_the_master(fmu: Callable) -> None:
    """A multiplier is an input in FMI 2, and yet only the master may set it."""
    from fmu_components.catalogue import find

    def joined(act: Callable[[System], None]) -> str:
        system = System()
        system.add("pin", fmu(find("planar.Revolute"), 2))
        system.add("gain", foreign.gain())

        def build() -> None:
            act(system)
            system.build()

        return refusal(build, BuildError)

    assert joined(lambda system: system.connect("gain.y", "pin.lambda[1]")) == (
        "'gain.y' and 'pin.lambda[1]' cannot be connected: the second is an algebraic variable, which the master solves for; leave it open"
    )
    assert joined(lambda system: system.drive("pin.lambda[1]", 0.0)) == (
        "'pin.lambda[1]' cannot be driven: it is an algebraic variable, which the master solves for; leave it open"
    )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("rd.p1.Fx", 1.0, "'rd.p1.Fx' cannot be driven: there is no instance 'rd'; did you mean 'rod'?"),
        (
            "rod.p1.Fz",
            1.0,
            "'rod.p1.Fz' cannot be driven: 'rod' (planar.Body1) has no port or variable 'p1.Fz'; "
            "did you mean 'rod.p1.Cz', 'rod.p1.Fx' or 'rod.p1.Fy'?",
        ),
        (
            "rod.p1",
            1.0,
            "'rod.p1' cannot be driven: it is a port; drive one of its inputs: 'rod.p1.Fx', 'rod.p1.Fy', 'rod.p1.Cz'",
        ),
        ("rod.x", 1.0, "'rod.x' cannot be driven: it is a local variable; drive an input"),
        ("rod.p1.x", 1.0, "'rod.p1.x' cannot be driven: it is an output; drive an input"),
        ("rod.m", 1.0, "'rod.m' cannot be driven: it is a parameter; set it by a start value"),
        (
            "counter.step",
            lambda t: 1,
            "'counter.step' cannot be driven: it is discrete and changes at events only; drive it by a constant or a table",
        ),
        ("counter.step", 1.5, "'counter.step' = 1.5 is refused: it must be a whole number"),
        ("counter.step", [(0, 1), (1, 2.5)], "'counter.step' = 2.5 is refused: it must be a whole number"),
        ("counter.running", [(0, 0), (1, 2)], "'counter.running' = 2.0 is refused: it must be True or False"),
    ],
)
def test_a_drive_is_refused_by_a_sentence_that_says_what_to_drive(bench: System, name: str, value: object, sentence: str) -> None:
    """An input takes a value that its type and its bounds allow. What is refused is not kept, and does not stand in the way of another drive."""

    def build() -> None:
        bench.drive(name, value)
        bench.build()

    assert refusal(build, BuildError) == sentence
    assert name not in bench.drives or "there is no instance" in sentence  # which may be added later


def test_what_else_cannot_be_driven(tmp_path: Path) -> None:
    """A value of another type or shape, and one out of bounds."""
    variables = """<Float64 name="u" valueReference="1" causality="input" start="0" min="0" max="1"/>
    <Float64 name="vector" valueReference="2" causality="input" start="0"><Dimension start="3"/></Float64>
    <String name="word" valueReference="5" causality="input"/>"""
    path = described(tmp_path, "Odd", variables)

    def driven(name: str, value: object) -> str:
        system = System()
        system.add("odd", path)
        return refusal(lambda: system.drive(name, value), BuildError)

    assert driven("odd.vector", [1.0, 2.0]) == (
        "'odd.vector' cannot be driven by [1.0, 2.0]: it is an array of 3; give as many values, a function of time that returns them, or a table "
        "whose rows have a time and 3 values"
    )
    assert driven("odd.word", 1.0) == "'odd.word' = 1.0 is refused: it must be a text"
    assert driven("odd.u", "fast") == "'odd.u' = 'fast' is refused: it must be a number"
    assert driven("odd.u", 2.0) == "'odd.u' = 2.0 is refused: it must be at least 0 and at most 1"
    assert driven("odd.u", [(0, 0.5), (1, -1)]) == "'odd.u' = -1.0 is refused: it must be at least 0 and at most 1"


def test_whole_numbers_and_truths_are_passed_on() -> None:
    """At 0.27, 0.54 and 0.81 the first counter, which ticks every 0.1, stands at 2, 5 and 8; 5 alone is odd."""
    system = System()
    system.add("first", foreign.counter())
    system.add("sum", foreign.counter(), {"period": 0.27})
    system.add("odd", foreign.counter(2), {"period": 0.27})
    system.connect("first.count", "sum.step")
    system.connect("odd.running", "first.odd")
    result = system.simulate(1.0, output_times=[0.2, 0.3, 0.6, 0.9])
    rows = np.searchsorted(result.time, [0.3, 0.6, 0.9], side="right") - 1
    assert list(result["sum.count"][rows]) == [2, 7, 15]
    assert list(result["odd.count"][rows]) == [0, 1, 1]


def test_single_members_of_ports_add_up_too() -> None:
    """Two forces on one point, connected as variables, make the acceleration of their sum."""
    system = System()
    system.add("body", "planar.Body1", {"gy": 0.0, "m": 2.0})
    for name, force in (("left", 3.0), ("right", 5.0)):
        system.add(name, foreign.gain(), {"factor": force, "u": 1.0})
        system.connect("body.p1.Fx", f"{name}.y")
    assert system.simulate(1.0)["body.vx"][-1] == pytest.approx(4.0, abs=1e-12)
