"""Options of a run that one solver has to itself: its own file declares them, and checks and sentences follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from coupling.errors import BuildError, shown
from coupling.names import either
from coupling.options import Run, number


def _any(value: float) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class OwnOption:
    """A choice among names, or a number with a rule in words."""

    values: tuple[str, ...] = ()
    rule: str = ""
    allows: Callable[[float], bool] = _any
    whole: bool = False
    """Whether it is a whole number."""
    unit: str = ""
    needed: str = ""
    """What a run without it is told; empty where it has a default."""
    of: tuple[str, str] | None = None
    """Another option, and its only value with which this one has an effect."""


def check_own_options(solver: str, options: Mapping[str, OwnOption], run: Run) -> None:
    """Refuses values that a solver's own options may not have."""
    for name, option in options.items():
        value = getattr(run, name)
        if option.values:
            if not isinstance(value, str) or value not in option.values:
                raise BuildError(f"{name} = {shown(value)} is unknown; choose {either([repr(each) for each in option.values])}")
            continue
        if value is None and option.needed:
            raise BuildError(f"solver='{solver}' {option.needed}")
        told = f"{number(name, value):g}{option.unit}"
        if option.of and value != getattr(Run, name) and getattr(run, option.of[0]) != option.of[1]:
            raise BuildError(
                f"{name} = {told} is for {option.of[0]}={option.of[1]!r}, not for {getattr(run, option.of[0])!r}; leave it out"
            )
        if not option.allows(value) or (option.whole and value % 1 != 0):
            raise BuildError(f"{name} = {told} is refused: it must {option.rule}")


def refuse_options_of_others(solver: str, other: str, options: Mapping[str, OwnOption], run: Run) -> None:
    """Those of another solver have no effect."""
    for name in options:
        value = getattr(run, name)
        if value != getattr(Run, name):
            raise BuildError(f"{name} = {shown(value)} is for solver='{other}', not for '{solver}'; choose that one, or leave it out")
