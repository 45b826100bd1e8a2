"""A call that is refused changes nothing, in particular one that changes a system in several steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from coupling import BuildError, FmuError, System
from tests.support.systems.systems import pendulum

ODD: Any = "yes"

REFUSED: dict[str, Callable[[System], Any]] = {
    "add: a name that is taken": lambda system: system.add("rod", "planar.Body1"),
    "add: a wrong start value": lambda system: system.add("more", "planar.Body1", {"m": 1.0, "colour": 2.0}),
    "add: a wrong guess": lambda system: system.add("more", "planar.Body1", guess={"x": (1.0, -1.0)}),
    "add: a file of values that is missing": lambda system: system.add("more", "planar.Body1", "nowhere.ssv"),
    "add: the name of a system": lambda system: system.add("part", "planar.Body1"),
    "join: a port that is missing": lambda system: system.join("planar.Revolute", "ground.p1", "rod.p9"),
    "join: a port of another kind": lambda system: system.join("planar.Revolute", "ground.p1", "shaft.flange"),
    "join: a wrong start value": lambda system: system.join("planar.Revolute", "ground.p1", "rod.p1", {"colour": 1.0}),
    "join: a wrong option": lambda system: system.join("planar.Revolute", "ground.p1", "rod.p1", guess={"colour": 1.0}),
    "join_rigidly: different units": lambda system: system.join_rigidly(
        {"position": "mass.flange.s", "velocity": "mass.flange.v", "force": "mass.flange.f"},
        {"position": "shaft.flange.phi", "velocity": "shaft.flange.w", "force": "shaft.flange.tau"},
    ),
    "join_rigidly: an effort that is no input": lambda system: system.join_rigidly(
        {"angle": "shaft.flange.phi", "speed": "shaft.flange.w", "torque": "shaft.flange.phi"}, "wheel.flange"
    ),
    "join_rigidly: an odd conversion": lambda system: system.join_rigidly(
        {"angle": "shaft.flange.phi", "speed": "shaft.flange.w", "torque": "shaft.flange.tau"}, "wheel.flange", convert=ODD
    ),
    "join_rigidly: an odd offset": lambda system: system.join_rigidly("shaft.flange", "wheel.flange", offset=float("nan")),
    "join_rigidly: a name that is taken": lambda system: system.join_rigidly("shaft.flange", "wheel.flange", name="rod"),
    "include: a name that is taken": lambda system: system.include("rod", pendulum()),
    "include: no system": lambda system: system.include("more", ODD),
    "connect: one side": lambda system: system.connect("rod.p1", "ground.p1"),
    "connect: no factor": lambda system: system.connect("a.y", "b.u", factor=0.0),
    "connect: no conversion": lambda system: system.connect("a.y", "b.u", factor=2.0, convert=ODD),
    "drive: a driven input": lambda system: system.drive("a.u", 2.0),
    "drive: an output": lambda system: system.drive("a.y", 2.0),
    "drive: a wrong table": lambda system: system.drive("b.u", [(0.0, 1.0), (0.0, 2.0), (-1.0, 0.0)]),
    "enforce: overlapping intervals": lambda system: system.enforce("pin", [(0.0, 2.0), (1.0, 3.0)]),
    "enforce: no joint": lambda system: system.enforce("rod", [(0.0, 2.0)]),
    "appearance: a wrong shape among right ones": lambda system: system.appearance("rod", ["M 0 0 L 1 0 L 0 1 Z", "klingon"]),
    "appearance: no colour": lambda system: system.appearance("rod", "M 0 0 L 1 0 L 0 1 Z", colour="klingon"),
}


def machine() -> System:
    """Returns a pendulum with everything that a definition may have, before it is built."""
    system = System("machine", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    system.add("mass", "mechanical1d.Mass")
    for name in ("shaft", "wheel"):
        system.add(name, "mechanical1d.Inertia")
    for name in "ab":
        system.add(name, "signal.Gain")
    system.drive("a.u", 1.0)
    system.include("part", pendulum())
    system.appearance("rod", "M 0 0 L 1 0 L 0 1 Z")
    return system


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_a_refused_call_changes_nothing(call: Callable[[System], Any]) -> None:
    """The definition is equal to that before; the system can be changed as before."""
    system = machine()
    before = system.definition
    with pytest.raises((BuildError, FmuError)):
        call(system)
    assert system.definition == before
    assert system.join_rigidly("shaft.flange", "wheel.flange") == "rigid1"
    assert len(system.definition.connections) == len(before.connections) + 2


def test_an_interrupted_join_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C between the steps of a call is like a refusal."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    system = machine()
    before = system.definition
    monkeypatch.setattr(System, "connect", interrupted)
    with pytest.raises(KeyboardInterrupt):
        system.join("planar.Revolute", "ground.p1", "rod.p1")
    assert system.definition == before


@pytest.mark.parametrize(
    "call",
    [
        lambda system: system.simulate(-1.0),
        lambda system: system.build(communication="perhaps"),
        lambda system: system.assemble(hold={"rod.colour": 1.0}),
        lambda system: system.simulate(0.1, outputs=["rod.colour"]),
        lambda system: system.simulate(0.1, start_values={"rod.colour": 1.0}),
    ],
)
def test_a_refused_run_leaves_the_definition(call: Callable[[System], Any]) -> None:
    """Runs and analyses never change what their system is defined as."""
    system = machine()
    before = system.definition
    with pytest.raises((BuildError, FmuError)):
        call(system)
    assert system.definition == before
