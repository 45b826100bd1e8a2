"""Adaptors of the Modelica Standard Library are recognised in FMUs of OpenModelica by the names of their variables."""

from __future__ import annotations

import pytest

from coupling.fmus import load
from coupling.fmus.adaptors import reversing_adaptor
from tests.support.foreign import Variable
from tests.support.foreign.openmodelica import TOOL, of_openmodelica

PLAIN = ("ad.phi", "ad.tau", "ad.flange.phi", "ad.flange.tau")
GENERAL = ("ad.p", "ad.f", "ad.flange.s", "ad.flange.f")
SOURCE = ("torque.tau", "torque.flange.phi", "torque.flange.tau")


@pytest.mark.parametrize(
    ("inside", "name", "causality", "tool", "expected"),
    [
        (PLAIN, "tau", "output", TOOL, "ad"),
        (PLAIN, "tau", "input", TOOL, "ad"),
        (PLAIN, "phi", "input", TOOL, ""),
        (PLAIN, "tau", "output", "Tool 1", ""),
        (SOURCE, "tau", "input", TOOL, ""),
        (GENERAL, "f", "input", TOOL, "ad"),
        (GENERAL, "f", "output", TOOL, ""),
        ((*PLAIN, *(each.replace("ad.", "other.") for each in PLAIN)), "tau", "output", TOOL, ""),
    ],
)
def test_adaptors_by_names(inside: tuple[str, ...], name: str, causality: str, tool: str, expected: str) -> None:
    """The torques of both directions are reversed. A general adaptor that gives a flow, and a source of torque, are not."""
    own = Variable(name, causality, value="1.0" if causality == "output" else None)
    assert reversing_adaptor(load(of_openmodelica("Adapted", [own], inside, tool)), name) == expected


@pytest.mark.parametrize(("reference", "expected"), [("1", "b"), ("7", "")])
def test_of_several_adaptors_the_one_with_the_same_value_counts(reference: str, expected: str) -> None:
    """The reference of ``b.tau`` is that of the output, of which it is an alias, or its own."""
    inside = [f"{each}.{name.removeprefix('ad.')}" for each in "ab" for name in PLAIN]
    alias = {'name="b.tau" valueReference="7"': f'name="b.tau" valueReference="{reference}"'}
    path = of_openmodelica("Several", [Variable("load", "output", value="1.0")], inside, changes=alias)
    assert reversing_adaptor(load(path), "load") == expected
