"""Description of a small FMU: variables with expressions in C, and statements that are run in its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

HOOKS = ("instantiate", "initialize", "outputs", "rates", "indicators", "update", "completed", "step", "free")


@dataclass(frozen=True)
class Variable:
    """A variable; ``value`` and ``rate`` are C expressions.

    A ``rate`` makes it a continuous state, whose derivative is the variable ``der(name)``. Without either it is held in memory: a
    parameter, an input, or a discrete variable that ``update`` changes. Values are computed in the order of declaration.
    """

    name: str
    causality: str = "local"
    start: float = 0.0
    unit: str = ""
    type: str = "Real"
    """``Real``, ``Integer`` or ``Boolean``; in FMI 3 also ``Float32``."""
    value: str | None = None
    rate: str | None = None
    depends: Sequence[str] | None = None
    """Variables on which the value or the rate depends, as the FMU declares them; None where it declares nothing."""

    @property
    def der(self) -> str:
        return f"der({self.name})"

    @property
    def variability(self) -> str:
        if self.causality == "parameter":
            return "fixed"
        held = self.causality != "input" and self.value is None and self.rate is None
        return "discrete" if held or self.type not in ("Real", "Float32") else "continuous"


@dataclass(frozen=True)
class Model:
    """The description of a small FMU."""

    name: str
    variables: Sequence[Variable]
    indicators: Sequence[str] = ()
    update: str = ""
    """C statements of the event update. They assign variables and set ``states_changed``, ``again`` and ``next``, the time of
    the next time event, which is infinity unless set."""
    hooks: Mapping[str, str] = field(default_factory=dict)
    partials: Mapping[tuple[str, str], str] | None = None
    """Partial derivatives as C expressions, by unknown and known; where given, the FMU has directional derivatives."""
    kinds: Sequence[str] = ("me", "cs")
    rollback: bool = False
    """True where the state can be saved and restored."""
    serialises: bool = False
    """True where a saved state can be serialised."""
    declares: Mapping[str, str] = field(default_factory=dict)
    """Further attributes of its Co-Simulation. It takes no Event Mode, and whatever it declares, it refuses to be instantiated with it."""
    internal_step: float = 0.0
    """Only step of the FMU in Co-Simulation, in s, where greater than 0. The FMU lags behind the master, and FMI 3 reports how far."""
    input_orders: int = 0
    """Highest order of input derivatives that it takes (FMI 2), in calls of no more references than it has inputs."""
    wants_completed: bool = False
    """True where it wants calls after completed integrator steps."""

    @property
    def states(self) -> list[Variable]:
        return [v for v in self.variables if v.rate is not None]

    @property
    def names(self) -> list[str]:
        """All variables, each at the place of its value reference."""
        extra = [f"indicator{k}" for k in range(1, len(self.indicators) + 1)]
        return ["time", *(v.name for v in self.variables), *(v.der for v in self.states), *extra]
