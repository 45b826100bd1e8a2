"""Systems that several tests build, and the sentences by which they are refused."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from coupling import System
from tests.support import foreign
from tests.support.oracles.motion import STATES, Oracle


def refusal(call: Callable[[], object], error: type[Exception] = ValueError) -> str:
    """The one sentence that a call is refused with."""
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    return text


def pendulum(**start: float) -> System:
    """Returns a rod of length 1, pinned at the origin; horizontal and at rest by default."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5, **start})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


def system_of(oracle: Oracle, start: Mapping[str, Mapping[str, float]] | None = None) -> System:
    """The mechanism of an oracle, from its own start or with the states that ``start`` gives and no others."""
    system = System(type(oracle).__name__)
    for name, (component, values) in oracle.parts.items():
        if start is not None:
            values = {key: value for key, value in values.items() if key not in STATES} | dict(start.get(name, {}))
        system.add(name, component, values)
    for a, b in oracle.connections:
        system.connect(a, b)
    return system


def around_a_nonlinear_loop(derivatives: bool) -> System:
    """Returns an oscillator that is driven by an output of a nonlinear loop."""
    linear, sphere = foreign.nonlinear_loop(derivatives=derivatives)
    system = System()
    for name, fmu in (("linear", linear), ("sphere", sphere), ("oscillator", foreign.oscillator())):
        system.add(name, fmu)
    for a, b in (("linear.a", "sphere.a"), ("linear.b", "sphere.b"), ("sphere.c", "linear.c"), ("sphere.c", "oscillator.u")):
        system.connect(a, b)
    return system


def described(
    folder: Path, name: str, variables: str, terminals: str = "", interface: str = "", before: str = "", version: int = 3
) -> Path:
    """An FMU that is nothing but its description: enough for what is refused before any binary is loaded."""
    token = 'guid="g"' if version == 2 else 'instantiationToken="g"'
    files = {
        "modelDescription.xml": f'<fmiModelDescription fmiVersion="{version}.0" modelName="{name}" {token}>'
        f'<ModelExchange modelIdentifier="{name}" {interface}/>{before}<ModelVariables>{variables}</ModelVariables>'
        "<ModelStructure/></fmiModelDescription>"
    }
    if terminals:
        files["terminalsAndIcons/terminalsAndIcons.xml"] = (
            f'<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals>{terminals}</Terminals></fmiTerminalsAndIcons>'
        )
    path = folder / f"{name}.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in files.items():
            archive.writestr(member, content)
    return path


def pushed(force: object = 0.0) -> System:
    """The pendulum with a wrench on its rod."""
    system = pendulum()
    system.add("push", "planar.Wrench")
    system.connect("push.M", "rod.p1")
    for name, drive in {"Fx": force, "Fy": 0.0, "Cz": 0.0}.items():
        system.drive(f"push.{name}", drive)  # type: ignore[arg-type]
    return system


def with_added_mass(water: Path) -> System:
    """Returns a guided block on which an FMU of another tool acts: its force follows from position and acceleration."""
    system = System("added mass")
    system.add("ground", "planar.Fixed")
    system.add("guide", "planar.ActuatedTranslational")
    system.add("block", "planar.Body1", {"m": 1.3, "I": 0.2, "x": 0.2})
    system.add("water", water)
    for pair in (
        ("ground.p1", "guide.M"),
        ("block.p1", "guide.N"),
        ("guide.flange.s", "water.s"),
        ("guide.flange.a", "water.a"),
        ("water.f", "guide.flange.f"),
    ):
        system.connect(*pair)
    return system
