"""Schemes by which a system is integrated, or its Co-Simulation instances are coupled, one per file.

A file that holds a tableau, ``METHOD``, is an explicit Runge-Kutta method, which the kernel runs. Any other solver defines
``integrate(name, master, run)``, a coupling scheme ``couple(name, master, run)``; both return the outcome. ``NAMES`` says by which
names they go, where these are others than that of the file.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import Any

from coupling.errors import BuildError
from coupling.names import nearest
from coupling.schemes.tableau import Tableau

Scheme = Callable[[Any, Any], Any]

_HELPERS = ("tableau", "runge_kutta", "stepwise", "sundials", "course", "walk")


@cache
def _modules() -> dict[str, ModuleType]:
    names = [info.name for info in pkgutil.iter_modules(__path__) if info.name not in _HELPERS]
    return {name: import_module(f"{__name__}.{name}") for name in names}


@cache
def schemes() -> dict[str, Scheme]:
    """All solvers by name."""
    from coupling.schemes.runge_kutta import integrate

    methods = {name: partial(integrate, module.METHOD) for name, module in _modules().items() if hasattr(module, "METHOD")}
    return methods | _named("integrate")


@cache
def coupling_schemes() -> dict[str, Scheme]:
    """All coupling schemes by name."""
    return _named("couple")


def _named(function: str) -> dict[str, Scheme]:
    return {
        name: partial(getattr(module, function), name)
        for file, module in _modules().items()
        if hasattr(module, function)
        for name in getattr(module, "NAMES", (file,))
    }


def scheme_of(name: str) -> Scheme:
    """The solver of that name."""
    return _found("solver", name, schemes())


def method_of(name: str) -> Tableau | None:
    """The explicit Runge-Kutta method of that name; None where the solver is none."""
    scheme_of(name)
    module = _modules().get(name)
    return getattr(module, "METHOD", None)


def coupling_scheme_of(name: str) -> Scheme:
    """The coupling scheme of that name."""
    refused = next(
        (reason for module in _modules().values() for other, reason in getattr(module, "REFUSED", {}).items() if other == name), None
    )
    if refused:
        raise BuildError(f"the scheme '{name}' is refused: {refused}")
    return _found("scheme", name, coupling_schemes())


def _found(what: str, name: str, known: dict[str, Scheme]) -> Scheme:
    if name not in known:
        raise BuildError(f"the {what} '{name}' is unknown; {nearest(name, known) or 'choose one of ' + ', '.join(sorted(known))}")
    return known[name]
