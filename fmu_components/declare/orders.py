"""Component classes that differ by whole numbers, made when they are asked for."""

from __future__ import annotations

import re
import sys
from typing import Any

from fmu_components.declare.component import Component
from fmu_components.declare.declaration import DeclarationError

_made: dict[tuple[type[Component], tuple[int, ...]], type[Component]] = {}


def of_order(base: type[Component], *numbers: int) -> type[Component]:
    """The subclass of a base such as ``_StateSpace`` whose attribute ``order`` is the first number, and ``sizes`` all of them. A base
    has the least of each in ``fewest`` where this is not 1."""
    title, fewest = base.__name__.strip("_"), getattr(base, "fewest", (1,) * len(numbers))
    if any(not isinstance(n, int) or isinstance(n, bool) or n < least for n, least in zip(numbers, fewest, strict=True)):
        least = " and ".join(dict.fromkeys(map(str, fewest)))
        raise DeclarationError(f"{title}({', '.join(map(repr, numbers))}) is refused: give whole numbers of at least {least}")
    if (base, numbers) in _made:
        return _made[base, numbers]
    name = f"{title}{'_'.join(map(str, numbers))}"
    doc = f"{(base.__doc__ or '').format(order=numbers[0])}"
    members: dict[str, Any] = {"__module__": base.__module__, "__doc__": doc, "order": numbers[0], "sizes": numbers}
    return _made.setdefault((base, numbers), type(name, (base,), members))


def catalogued(base: type[Component], largest: int, least: int = 1) -> None:
    """Puts the orders from the ``least`` to the ``largest`` into the module of the base, where the catalogue finds them."""
    for n in range(least, largest + 1):
        made = of_order(base, n)
        setattr(sys.modules[base.__module__], made.__name__, made)


def by_name(base: type[Component], name: str) -> type[Component]:
    """The class of another order by its name, as it is asked for where one is unpickled."""
    found = re.fullmatch(rf"{base.__name__.strip('_')}(\d+(?:_\d+)*)", name)
    if found is None:
        raise AttributeError(f"module {base.__module__!r} has no attribute {name!r}")
    return of_order(base, *map(int, found[1].split("_")))
