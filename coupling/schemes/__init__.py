"""Schemes by which a system is integrated, one per file.

A file that holds a tableau, ``METHOD``, is an explicit Runge-Kutta method, which the kernel runs. Any other defines
``integrate(master, run)``, which returns the outcome, and ``NAMES`` where it goes by other names than that of its file.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any

from coupling.errors import BuildError
from coupling.names import nearest

Scheme = Callable[[Any, Any], Any]

_HELPERS = ("tableau", "explicit", "stepwise", "sundials")


@cache
def schemes() -> dict[str, Scheme]:
    """All schemes by name."""
    found: dict[str, Scheme] = {}
    for module_info in pkgutil.iter_modules(__path__):
        if module_info.name in _HELPERS:
            continue
        module = import_module(f"{__name__}.{module_info.name}")
        if hasattr(module, "METHOD"):
            from coupling.schemes.explicit import integrate

            found[module_info.name] = partial(integrate, module.METHOD)
        else:
            for name in getattr(module, "NAMES", (module_info.name,)):
                found[name] = partial(module.integrate, name)
    return found


def scheme_of(name: str) -> Scheme:
    """The scheme of that name."""
    known = schemes()
    if name not in known:
        raise BuildError(f"the solver '{name}' is unknown; {nearest(name, known) or 'choose one of ' + ', '.join(sorted(known))}")
    return known[name]
