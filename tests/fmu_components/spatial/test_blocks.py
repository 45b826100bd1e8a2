"""Blocks in space have as many points for children as their names say."""

from __future__ import annotations

import pytest

from fmu_components.catalogue import all_components
from fmu_components.declare.block import Block

NUMBERED = {
    name: each for name, each in all_components().items() if name.startswith("spatial.") and name[-1].isdigit() and issubclass(each, Block)
}


@pytest.mark.parametrize("name", NUMBERED)
def test_the_name_and_the_text_say_how_many_children_a_block_has(name: str) -> None:
    assert NUMBERED[name].children == int(name[-1])
    assert f"C1 to C{name[-1]}." in (NUMBERED[name].__doc__ or "")


def test_there_are_such_blocks() -> None:
    assert len(NUMBERED) >= 6
