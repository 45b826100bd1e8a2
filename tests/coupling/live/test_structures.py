"""Model structures that contradict the FMU: refused before they give wrong numbers."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from coupling import FmuError, System
from coupling.errors import Inconsistent
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

    def rewrite(version: int, change: Callable[[str], str]) -> Path:
        target = tmp_path / f"prey{version}.fmu"
        with zipfile.ZipFile(export(PREY, version)) as old, zipfile.ZipFile(target, "w") as new:
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
    """Also where both states are the same at the start: they are told apart by being moved."""
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


@pytest.mark.parametrize("version", [2, 3])
def test_derivatives_that_are_not_listed(version: int, rewritten: Callable[..., Path]) -> None:
    """Whether some are missing, or all, or the whole list: the states would stand still."""
    pattern = DERIVATIVE[version]
    for change in (
        lambda text: pattern.sub(r"\1", text),
        lambda text: pattern.sub("", text),
        lambda text: re.sub("<ModelStructure>.*</ModelStructure>", "", text),
    ):
        path = rewritten(version, change)
        assert "but does not list it among the derivatives of its ModelStructure, so that this state would stand still" in refusal(
            lambda path=path: start(path), FmuError
        )


def test_states_that_no_variable_shows(rewritten: Callable[..., Path]) -> None:
    """FMI 3 tells how many there are."""
    path = rewritten(3, lambda text: re.sub(' derivative="[^"]*"', "", DERIVATIVE[3].sub("", text)))
    assert refusal(lambda: start(path), Inconsistent) == (
        "'prey' (prey3.fmu) has 2 states, but its ModelStructure lists 0 derivatives; export it again, or report this to the makers of its tool"
    )


@pytest.mark.parametrize("version", [2, 3])
def test_the_right_order_runs(version: int) -> None:
    """The states are where they were after they have been told apart."""
    system = System()
    system.add("prey", export(PREY, version))
    result = system.simulate(1.0)
    assert result.outcome.completed and (result["prey.x"][0], result["prey.y"][0]) == (1.0, 1.0)
