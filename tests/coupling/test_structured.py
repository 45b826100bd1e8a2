"""The types of what files of JSON say."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
import pytest

from coupling.options import Scheme
from coupling.structured import misfit, parsed


class Inner(TypedDict):
    name: str
    pair: NotRequired[tuple[int, float]]


class Outer(TypedDict):
    kind: Literal["a", 2]
    inner: list[Inner]
    by_name: dict[str, float | None]


FITTING: dict[str, Any] = {"kind": "a", "inner": [{"name": "x", "pair": [1, 2]}, {"name": "y", "more": []}], "by_name": {"m": 1, "n": None}}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, ""),
        ({"kind": 2, "other": 1}, ""),
        ({"kind": "b"}, "kind = 'b'"),
        ({"kind": True}, "kind = True"),
        ({"inner": {}}, "inner = {}"),
        ({"inner": [{}]}, "inner[0].name is missing"),
        ({"inner": [{"name": "x", "pair": [1]}]}, "inner[0].pair = [1]"),
        ({"inner": [{"name": "x", "pair": [True, 1.0]}]}, "inner[0].pair[0] = True"),
        ({"inner": [{"name": "x", "pair": [2**63, 1.0]}]}, "inner[0].pair[0] = 9223372036854775808"),
        ({"inner": [FITTING["inner"][0], {"name": 5}]}, "inner[1].name = 5"),
        ({"by_name": {"m": "1"}}, "by_name.m = '1'"),
    ],
)
def test_the_first_misfit_is_told(changed: dict[str, object], told: str) -> None:
    """The message gives its place and its value; unknown names may stand beside known ones."""
    assert misfit(FITTING | changed, Outer) == told


def test_values_of_python() -> None:
    """Classes and arrays are themselves, and a mapping stands for a data class."""
    assert misfit(Scheme(), str | Scheme) == misfit(np.zeros(2), np.ndarray) == misfit({"extrapolation": 1}, Scheme) == ""
    assert misfit((1.0, "a"), tuple[float, ...]) == "[1] = 'a'"
    assert misfit({"extrapolation": []}, Scheme) == "extrapolation = []"


@pytest.mark.parametrize("text", ["[" * 100 + "]" * 100, "[" * 100_000, '{"a":' * 80 + "1" + "}" * 80, "{", b"\xff"])
def test_no_text_of_ours(text: str | bytes) -> None:
    """Depth without end is refused as other damage is."""
    with pytest.raises(ValueError):
        parsed(text)
    assert parsed("[" * 60 + "]" * 60)
