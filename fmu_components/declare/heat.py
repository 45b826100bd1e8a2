"""Heat ports of components with losses, which a structural option adds."""

from __future__ import annotations

import copyreg
from typing import Any

import sympy
from sympy import Max, Min

from fmu_components.declare.component import Component, component_name, declaration
from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.ports import THERMAL, Side

ROOM = 293.15
"""Usual temperature in K."""
_PREFIX = "Heated"
_made: dict[type[Component], type[Component]] = {}


class _Heated(type):
    """The type of classes with a heat port, which pickle as the class without one."""


def heated(component: type[Component]) -> type[Component]:
    """Returns the class of a ``component`` with a heat port, ``heat``, into which its losses flow.

    It is a subclass whose name begins with ``Heated``. A component without an output ``loss`` raises DeclarationError.
    """
    if component in _made.values():
        return component
    if component not in _made:
        if "loss" not in declaration(component).by_name:
            raise DeclarationError(
                f"{component_name(component)} has no output 'loss', and therefore no heat port; leave heat_port out, or declare its losses"
            )

        def declare(self: Any) -> None:
            heat = self.port("heat", THERMAL, Side.EFFORT, "where the losses go", {"temperature": ROOM})
            component.declare(self)
            self.gives(heat, self["loss"])

        title, _, rest = (component.__doc__ or "").partition("\n")
        doc = f"{title}\n\n    Its losses flow into the port `heat`, whose temperature acts on resistances and friction.\n{rest}"
        members = {"__module__": component.__module__, "__doc__": doc, "declare": declare}
        name = f"{_PREFIX}{component.__name__}"
        made: type[Any] = _Heated(name, (component,), members)
        _made[component] = made
    return _made[component]


def _reduced(component: Any) -> Any:
    return (heated, component.__bases__) if component in _made.values() else component.__qualname__


copyreg.pickle(_Heated, _reduced)


def without_heat(name: str) -> str | None:
    """Returns the name of the component of which ``name`` is the one with a heat port; None for other names."""
    library, _, own = name.rpartition(".")
    return f"{library}.{own.removeprefix(_PREFIX)}" if library and own.startswith(_PREFIX) else None


def _temperature(part: Component) -> sympy.Symbol | None:
    """Returns the temperature at the heat port; None for a component without this option."""
    return next((port.temperature for port in part.ports if port.kind is THERMAL), None)


def by_temperature(part: Component, resistance: sympy.Symbol) -> sympy.Expr:
    """Returns a resistance that grows with the temperature of the heat port, or stays without one."""
    temperature = _temperature(part)
    if temperature is None:
        return resistance
    name = str(resistance)
    alpha = part.parameter(f"{name}.alpha", 3.93e-3, "1/K", f"growth of {name} per temperature, by {name}; 0.00393 for copper")
    given = part.parameter(f"{name}.temperature", ROOM, "K", f"temperature at which {name} is given", above=0, nominal=300)
    value = resistance * (1 + alpha * (temperature - given))
    return part.local(f"{name}.hot", value, "Ohm", f"{name} at the temperature of the port heat", holds=(0, None))


def fading(part: Component) -> sympy.Expr:
    """Returns the share of its friction that a hot lining keeps: 1 without a heat port, and at its first temperature."""
    temperature = _temperature(part)
    if temperature is None:
        return sympy.Integer(1)
    rate = part.parameter("fade.rate", 1e-3, "1/K", "friction that a lining loses per temperature, as a share", at_least=0, nominal=1e-3)
    begins = part.parameter("fade.temperature", 373.15, "K", "temperature at which fading begins", above=0, nominal=300)
    least = part.parameter("fade.least", 0.3, "", "least share of the friction that stays", at_least=0, at_most=1)
    share = Max(least, Min(1, 1 - rate * (temperature - begins)))
    return part.local("fade", share, "", "share of the friction that stays at the temperature of the port heat")
