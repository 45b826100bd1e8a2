"""Components that begin at other values than their declaration says."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from fmu_components.declare.component import Component

Start = bool | int | float


@lru_cache(2**10)
def started(component: type[Component], start: tuple[tuple[str, Start], ...]) -> type[Component]:
    """Returns a component of the same name whose variables have these start values."""

    def declare(self: Component) -> None:
        component.declare(self)
        variables = self._draft.variables
        variables.update({name: replace(variables[name], start=value) for name, value in start})

    # A local name: the exporter then tells the class by its declaration, since its file does not hold the values.
    names = {"__module__": component.__module__, "__qualname__": f"started.<locals>.{component.__name__}", "__doc__": component.__doc__}
    return type(component.__name__, (component,), {"declare": declare, **names})
