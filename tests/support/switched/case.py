"""Machines that stick, slip, hit and let go, each with what it does by a closed form or by a reduced equation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scipy.integrate import solve_ivp
from scipy.optimize import OptimizeResult

from coupling import Result, System

Parts = Mapping[str, str | tuple[str, Mapping[str, float]]]
G = 9.81


@dataclass(frozen=True, kw_only=True)
class Case:
    machine: Callable[[], System]
    stop: float
    ends: Callable[[], Mapping[str, float]]
    """Values of variables at the stop."""
    times: Callable[[], list[float]] = list
    """Times at which modes change or something hits, up to the stop."""


def built(name: str, parts: Parts, connections: str = "") -> System:
    """Connections as 'a.flange-b.M', with blanks between them."""
    system = System(name)
    for each, part in parts.items():
        component, values = part if isinstance(part, tuple) else (part, {})
        system.add(each, component, dict(values))
    for each in connections.split():
        system.connect(*each.split("-"))
    return system


def moments(result: Result) -> list[float]:
    """Returns the times of changes; simultaneous changes count once."""
    return sorted({each.time for each in result.changes})


def integrated(
    rates: Callable[..., object], span: tuple[float, float], start: object, ends: Callable[..., float] | None = None
) -> OptimizeResult:
    """A reduced equation as exactly as doubles allow, up to where ``ends`` falls through zero."""
    events = None
    if ends is not None:

        def falls(t: float, y: object) -> float:
            return ends(t, y)

        falls.terminal, falls.direction = True, -1  # type: ignore[attr-defined]  # the attributes by which SciPy knows events
        events = falls
    return solve_ivp(rates, span, start, method="DOP853", rtol=1e-13, atol=1e-14, events=events)
