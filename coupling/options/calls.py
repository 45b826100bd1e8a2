"""Calls that users make: names that do not exist are refused with the right ones, and errors end at the caller's line."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from coupling.errors import BuildError, listed, shown
from coupling.names import nearest

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

OBJECTS: dict[str, type] = {}
"""The classes of option objects, by the option of ``simulate`` that takes one."""

_RENAMED = {
    "compiled": "evaluation",
    "coupling_tolerance": "tolerance",
    "checkpoint_interval": "interval",
    "checkpoint_inexact": "inexact",
}
"""Names that options had, and the names that they have."""
_BEGAN = {"equilibrium": "start", "equilibria": "start", "linearise": "at", "sensitivities": "at"}
"""Names that ``initial`` had in analyses."""
_VALUES = {"evaluation": ": 'auto', 'fmus', 'tape' or 'compiled'"}
"""Values of options that had others."""

RENAMED_METHODS = {"stages": "constraint_stages", "connect_rigidly": "join_rigidly", "show": "appearance"}
"""Names that methods of systems had, and the names that they have."""


_WITH_START_VALUES = ("add", "join")
"""Functions that take start values, which are mistaken for options."""


def option_object(option: str) -> Callable[[type[C]], type[C]]:
    """Makes a data class the object of an option: its constructor is a call that users make."""

    def register(cls: type[C]) -> type[C]:
        OBJECTS[option] = cls
        setattr(cls, "__init__", public_call(cls.__init__, cls.__name__))  # noqa: B010  # a checker would take the constructor for lost
        return cls

    return register


class OptionObject:
    """Options that belong together: checked when they are made, and shown without those that have their defaults."""

    def __repr__(self) -> str:
        given = [each for each in fields(self) if getattr(self, each.name) != each.default]  # type: ignore[arg-type]
        told = [f"{'' if each.name == 'name' else f'{each.name}='}{getattr(self, each.name)!r}" for each in given]
        return f"{type(self).__name__}({', '.join(told)})"


def public_call(function: Callable[P, R], called: str = "") -> Callable[P, R]:
    """Returns a function that refuses names without a meaning, and raises sentences without the frames in which they were found.

    The environment variable ``JOURDAIN_TRACEBACK`` keeps these frames.
    """
    called = called or function.__name__
    parameters = signature(function).parameters
    named = {name for name, each in parameters.items() if each.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)}
    placed = [name for name, each in parameters.items() if each.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    any_name = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    any_number = any(each.kind is Parameter.VAR_POSITIONAL for each in parameters.values())

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            if not any_name and not kwargs.keys() <= named:
                check_names(called, kwargs, [name for name in parameters if name not in ("self", "cls")])
            if len(args) > len(placed) and not any_number:
                raise BuildError(_by_position(called, placed, [name for name in parameters if name not in placed], args))
            return function(*args, **kwargs)
        except Exception as error:
            if type(error).__module__.startswith(("coupling", "fmu_components")) and not os.environ.get("JOURDAIN_TRACEBACK"):
                error.__traceback__ = None
            raise

    return call


def _by_position(called: str, placed: Iterable[str], others: Iterable[str], args: Collection[object]) -> str:
    """Returns the sentence on values that need a name."""
    own = [name for name in placed if name not in ("self", "cls")]
    taken = f"{listed(own)} alone" if own else "nothing"
    names = list(others)
    return f"{called} takes {taken} without a name; name the other values, such as {names[0]}=..." if names else f"{called} takes {taken}"


def check_names(called: str, given: Mapping[str, object], known: Collection[str]) -> None:
    """Raises the error for the first unknown name."""
    for name, value in given.items():
        if name not in known and called in _WITH_START_VALUES and not nearest(name, known):
            raise BuildError(
                f"{called} has no option '{name}'; start values and parameters go into a mapping: {{'{name}': {shown(value)}}}"
            )
        if name not in known:
            raise BuildError(no_option(called, name, known))


def no_option(called: str, name: str, known: Collection[str]) -> str:
    """Returns the sentence on an option that does not exist here: its place, its name, or a suggestion."""
    new = "initial" if _BEGAN.get(called) == name else _RENAMED.get(name, name)
    if name != new and new in known:
        return f"{called} has no option '{name}'; it is called {new}{_VALUES.get(new, '')}"
    owner = next((option for option, cls in OBJECTS.items() if new in {each.name for each in fields(cls)}), None)
    if owner is not None:
        written = f"{owner}={OBJECTS[owner].__name__}({new}=...)"
        belongs = f"{name} belongs to {written}" if name == new else f"{name} is called {new} and belongs to {written}"
        return belongs if owner in known else f"{belongs} of simulate, not to {called}; leave it out"
    return f"{called} has no option '{name}'; {nearest(name, known) or f'its options are {listed(known, 40)}'}"


def flattened(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options with those of objects one by one: ``solver`` is ``index3`` then, and ``solver.step_size`` a number."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, OptionObject):
            main = value.MAIN  # type: ignore[attr-defined]
            if main:
                found[name] = getattr(value, main, main)
            found |= {f"{name}.{each.name}": getattr(value, each.name) for each in fields(value) if each.name != main}  # type: ignore[arg-type]
        else:
            found[name] = value
    return found


def gathered(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options with objects, of options as ``flattened`` leaves them."""
    found = {name: value for name, value in options.items() if "." not in name}
    for option in dict.fromkeys(name.partition(".")[0] for name in options if "." in name):
        if option not in OBJECTS:
            raise BuildError(
                f"there are no options '{option}.*'; {nearest(option, OBJECTS) or f'objects have the options {listed(OBJECTS)}'}"
            )
        cls: Any = OBJECTS[option]
        own = {name.partition(".")[2]: value for name, value in options.items() if name.startswith(f"{option}.")}
        if cls.MAIN in {each.name for each in fields(cls)} and option in found:
            own[cls.MAIN] = found[option]
        found[option] = cls(**own)
    return found
