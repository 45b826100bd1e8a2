"""Model structures that contradict the FMU: refused before they give wrong numbers."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from coupling import FmuError, System
from coupling.errors import Inconsistent
from coupling.fmus import load
from tests.support.foreign import Model, Variable, export
from tests.support.systems.systems import refusal

PREY = Model(
    "Prey",
    [
        Variable("x", "output", 1.0, rate="x * (1 - y)", depends=["x", "y"]),
        Variable("y", "output", 1.0, rate="y * (x - 1.5)", depends=["x", "y"]),
    ],
)
"""Predator and prey, which begin at the same number."""


@pytest.fixture
def rewritten(tmp_path: Path) -> Callable[..., Path]:
    """The same binary with another description."""

    def rewrite(version: int, change: Callable[[str], str], changes: Mapping[str, str] | None = None) -> Path:
        target = tmp_path / f"prey{version}.fmu"
        with zipfile.ZipFile(export(PREY, version, changes=changes)) as old, zipfile.ZipFile(target, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                new.writestr(name, change(content.decode()) if name == "modelDescription.xml" else content)
        return target

    return rewrite


def start(path: Path) -> None:
    system = System()
    system.add("prey", path)
    system.simulate(1.0)


DERIVATIVE = {
    2: re.compile(r"(?<=<Derivatives>)(<Unknown [^>]*/>)(<Unknown [^>]*/>)"),
    3: re.compile(r"(<ContinuousStateDerivative [^>]*/>)(<ContinuousStateDerivative [^>]*/>)"),
}


@pytest.mark.parametrize("version", [2, 3])
def test_derivatives_in_another_order(version: int, rewritten: Callable[..., Path]) -> None:
    """They are recognised by moving them, even if both states are the same at the start."""
    path = rewritten(version, lambda text: DERIVATIVE[version].sub(r"\2\1", text))
    assert refusal(lambda: start(path), Inconsistent) == (
        f"'prey' (prey{version}.fmu) has 1.000001 in place 1 of its vector of states, where its ModelStructure lists 'y', which is 1.000002; list "
        "the derivatives in the order of the vector"
    )


@pytest.mark.parametrize("version", [2, 3])
def test_states_that_belong_to_each_other(version: int, rewritten: Callable[..., Path]) -> None:
    """Each derivative called that of the other state: the states are in order then, but not their derivatives."""
    path = rewritten(version, lambda text: re.sub(r'derivative="(\d)"', lambda found: f'derivative="{3 - int(found[1])}"', text))
    assert "of its vector of states" in refusal(lambda: start(path), Inconsistent)


UNLISTED = {
    "one of them": (1, lambda version, text: DERIVATIVE[version].sub(r"\1", text)),
    "all of them": (0, lambda version, text: DERIVATIVE[version].sub("", text)),
    "the whole list": (0, lambda version, text: re.sub("<ModelStructure>.*</ModelStructure>", "", text)),
}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("what", UNLISTED)
def test_derivatives_that_are_not_listed(what: str, version: int, rewritten: Callable[..., Path]) -> None:
    """The states would stand still. FMI 3 tells how many there are; in FMI 2 the FMU may write all its states, however many are asked for."""
    listed, change = UNLISTED[what]
    path = rewritten(version, lambda text: change(version, text), {"for (size_t i = 0; i < n; i++) x[i] = m->v[state[i]];": WRITES_ALL})
    assert refusal(lambda: start(path), Inconsistent) == (
        f"'prey' (prey{version}.fmu) has 2 states, but its ModelStructure lists {listed} derivatives; export it again, or report this to the makers "
        "of its tool"
    )
    assert "lists no such state in its ModelStructure: it is not integrated" in load(path).notes[0]


WRITES_ALL = "for (int i = 0; i < NX; i++) x[i] = m->v[state[i]];"


BESIDE = {
    2: {
        "an alias of a derivative that is listed": '<ScalarVariable name="v" valueReference="3"><Real derivative="1"/></ScalarVariable>',
        "the derivative of an output": '<ScalarVariable name="s" valueReference="1"><Real/></ScalarVariable>'
        '<ScalarVariable name="v" valueReference="3" causality="output"><Real derivative="5"/></ScalarVariable>',
        "the derivative of what is no state": '<ScalarVariable name="v" valueReference="3"><Real derivative="3"/></ScalarVariable>',
    },
    3: {
        "an alias of a derivative that is listed": '<Float64 name="v" valueReference="9" derivative="1"/>',
        "the derivative of an output": '<Float64 name="s" valueReference="8"/><Float64 name="v" valueReference="9" causality="output" derivative="8"/>',
        "the derivative of what is no state": '<Float64 name="v" valueReference="9" derivative="3"/>',
    },
}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("what", BESIDE[2])
def test_derivatives_beside_those_of_states(what: str, version: int, rewritten: Callable[..., Path]) -> None:
    """Variables may be derivatives without being those of states; nobody reads them here. Both kinds run."""
    path = rewritten(version, lambda text: text.replace("</ModelVariables>", f"{BESIDE[version][what]}</ModelVariables>"))
    system = System()
    system.add("prey", path)
    plain = System()
    plain.add("prey", export(PREY, version))
    assert (system.simulate(1.0, outputs=["prey.x"])["prey.x"] == plain.simulate(1.0, outputs=["prey.x"])["prey.x"]).all()
    stepped = System()
    stepped.add("prey", path, kind="cs")
    assert stepped.simulate(0.1, communication_step=0.01, outputs=["prey.x"]).outcome.completed
    assert len(load(path).notes) == ("no state" in what)


@pytest.mark.parametrize("version", [2, 3])
def test_a_list_that_model_exchange_alone_needs(version: int, rewritten: Callable[..., Path]) -> None:
    """A derivative of no state, among those listed, is no hindrance to Co-Simulation."""
    path = rewritten(version, lambda text: re.sub('derivative="2"', "", text))
    said = refusal(lambda: start(path), FmuError)
    assert "lists 'der(y)' among the derivatives, but does not say of which state" in said
    assert said.endswith(", or run it with kind='cs'")
    system = System()
    system.add("prey", path, kind="cs")
    assert system.simulate(0.1, communication_step=0.01).outcome.completed


def test_states_that_no_variable_shows(rewritten: Callable[..., Path]) -> None:
    """FMI 3 gives their number."""
    path = rewritten(3, lambda text: re.sub(' derivative="[^"]*"', "", DERIVATIVE[3].sub("", text)))
    assert refusal(lambda: start(path), Inconsistent) == (
        "'prey' (prey3.fmu) has 2 states, but its ModelStructure lists 0 derivatives; export it again, or report this to the makers of its tool"
    )


@pytest.mark.parametrize("version", [2, 3])
def test_the_right_order_runs(version: int) -> None:
    """The states return to their values after the identification."""
    system = System()
    system.add("prey", export(PREY, version))
    result = system.simulate(1.0)
    assert result.outcome.completed and (result["prey.x"][0], result["prey.y"][0]) == (1.0, 1.0)
