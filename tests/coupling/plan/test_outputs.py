"""Names and patterns of what is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from coupling import BuildError, System
from tests.support.systems.systems import described, pendulum, refusal


def recorded(outputs: Sequence[str] | str | None) -> list[str]:
    return pendulum().simulate(0.0, outputs=outputs).names


@pytest.mark.parametrize(
    ("outputs", "names"),
    [
        ("rod.theta", ["rod.theta"]),
        (["rod.theta", "rod.x", "rod.theta"], ["rod.theta", "rod.x"]),
        ("*.theta", ["ground.p1.theta", "rod.theta", "rod.p1.theta"]),
        ("pin.position*", ["pin.position[1]", "pin.position[2]"]),
        ("*[2]", ["pin.lambda[2]", "pin.position[2]", "pin.velocity[2]", "pin.acceleration[2]", "pin.residual[2]", "pin.multiplier[2]"]),
        (["rod.m", "ground.p1.rx"], ["rod.m", "ground.p1.rx"]),
        ("*.m", ["rod.m"]),
        ("ground.p1", [f"ground.p1.{m}" for m in ("x", "y", "theta", "vx", "vy", "omega", "ax", "ay", "alpha", "Fx", "Fy", "Cz")]),
        ([], []),
    ],
)
def test_what_a_choice_records(outputs: Sequence[str] | str, names: list[str]) -> None:
    """A variable, whatever it is; a pattern, among outputs, states and algebraic variables, and among all where these have none; a port."""
    assert sorted(recorded(outputs)) == sorted(names)
    assert len(recorded(outputs)) == len(names)


def test_by_default_what_is_interesting() -> None:
    """Outputs, states and algebraic variables; of an instance, the same."""
    everything, rod = recorded(None), recorded("rod")
    assert {"rod.theta", "pin.lambda[1]", "rod.p1.ax", "rod.energy.kinetic", "ground.p1.x"} <= set(everything)
    assert not {"rod.m", "rod.time", "rod.p1.Fx", "pin.ideal"} & set(everything)
    assert rod == [name for name in everything if name.startswith("rod.")]
    assert recorded("*") == everything


def test_discrete_variables_are_recorded() -> None:
    """They are recorded by default, by patterns and by the instance's name. Relations, which are discrete too, follow from recorded
    variables."""

    def names(outputs: Sequence[str] | str | None) -> set[str]:
        system = System()
        system.add("step", "signal.Step")
        return set(system.simulate(0.0, outputs=outputs).names)

    assert names(None) == names("*") == names("step") == names("step.*") == {"step.y", "step.stepped"}
    assert names("*.step*d") == {"step.stepped"}


def test_values_are_those_of_their_names() -> None:
    """However a variable was chosen, and whether or not it is passed on to others."""
    everything = pendulum().simulate(0.5)
    for name in ("rod.theta", "rod.p1.x", "pin.lambda[1]", "rod.energy.potential", "pin.M.Fx"):
        assert (pendulum().simulate(0.5, outputs=[name, "rod.m"])[name] == everything[name]).all()
    assert (pendulum().simulate(0.5, outputs=["rod.p1.Fx"])["rod.p1.Fx"] == everything["pin.N.Fx"]).all()


@pytest.mark.parametrize(
    ("outputs", "sentence"),
    [
        (["rod.thta"], "outputs: 'rod' (planar.Body1) has no port or variable 'thta'; did you mean 'rod.theta' or 'rod.p1.theta'?"),
        ("rdo", "outputs: there is no instance 'rdo'; did you mean 'rod'?"),
        ("theta", "outputs: there is no instance 'theta'; did you mean 'rod.theta'?"),
        ("valve", "outputs: there is no instance 'valve'; the instances are 'ground', 'pin', 'rod'"),
        ("valve*", "outputs: no variable matches 'valve*'; * stands for any letters, as in '*.theta' or 'rod.*'"),
        ("rod.time", "outputs: 'rod.time' is the time itself, which the result holds as .time; leave it out"),
        (3, "outputs = 3 is refused: give a list of names, such as ['rod.theta', '*.omega']"),
        (["rod.x", 3], "outputs = ['rod.x', 3] is refused: give a list of names, such as ['rod.theta', '*.omega']"),
    ],
)
def test_what_cannot_be_recorded(outputs: object, sentence: str) -> None:
    """The nearest names are offered."""
    assert refusal(lambda: pendulum().simulate(0.0, outputs=outputs), BuildError) == sentence  # type: ignore[arg-type]


def test_clocks_cannot_be_recorded_and_arrays_are_their_elements(tmp_path: Path) -> None:
    """Texts are recorded as all outputs are, binary data only by its name."""
    from coupling.plan.outputs import chosen

    variables = """<String name="text" valueReference="1" causality="output"/>
    <Float64 name="vector" valueReference="2" causality="output"><Dimension start="3"/></Float64>
    <Binary name="blob" valueReference="3" causality="output"/><Clock name="tick" valueReference="4" causality="output"/>"""
    system = System()
    system.add("odd", described(tmp_path, "Odd", variables))
    built = SimpleNamespace(parts=[SimpleNamespace(name="odd", fmu=system.instances["odd"])])
    elements = [(0, "vector[1]"), (0, "vector[2]"), (0, "vector[3]")]
    assert chosen(built, ["odd.vector"]) == elements
    assert chosen(built, None) == chosen(built, ["*"]) == [(0, "text"), *elements]
    assert chosen(built, ["odd.blob"]) == [(0, "blob")]
    assert refusal(lambda: chosen(built, ["odd.tick"])) == "outputs: 'odd.tick' is a Clock, which cannot be recorded; leave it out"
