"""Mappings of a result: values by name, and the recorded values of one instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np

from coupling.errors import NotRecorded, listed, shown

Value = TypeVar("Value")


class LeftOut(UserWarning):
    """A warning: a file has no place for some recorded values."""


class Named(dict[str, Value]):
    """A dictionary that lists its names when another name is used."""

    def __init__(self, found: Mapping[str, Value], what: str, none: str) -> None:
        super().__init__(found)
        self._what, self._none = what, none

    def __missing__(self, name: object) -> NoReturn:
        names = f"there {'is' if len(self) == 1 else 'are'} {listed(self)}" if self else self._none
        raise NotRecorded(f"there is no {self._what} {shown(name)}; {names}")


class Members(Mapping[str, np.ndarray]):
    """Recorded values of one instance or port, by the part of the name after its dot. The mapping is read-only."""

    def __init__(self, result: Any, name: str, members: tuple[str, ...]) -> None:
        self._result, self._name, self._members = result, name, members

    def __getitem__(self, name: str) -> np.ndarray:
        found: np.ndarray = self._result[f"{self._name}.{name}" if isinstance(name, str) else name]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"'{self._name}' of {self._result!r}: {listed(self._members)}"
