"""Options of co-simulation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from coupling.errors import BuildError, shown
from coupling.options.calls import OptionObject, option_object
from coupling.options.numbers import check_degree, number


@option_object("scheme")
@dataclass(frozen=True, repr=False)
class Scheme(OptionObject):
    """The scheme of a co-simulation: ``simulate(communication_step=0.01, scheme=Scheme("explicit", extrapolation=2))``."""

    MAIN: ClassVar[str] = "name"

    name: str = "explicit"
    """``explicit``, ``gauss-seidel``, ``implicit``, ``implicit-position`` or ``implicit-velocity``."""
    _: KW_ONLY
    extrapolation: int = 1
    """The degree, 0, 1 or 2, of the polynomials by which inputs are extrapolated over a step."""
    step_control: str = "fixed"
    """``fixed``, ``adaptive`` (by step doubling) or ``power`` (by the energy that the coupling creates)."""
    tolerance: float = 1e-4
    """The relative error of a step, for ``adaptive`` and ``power``."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise BuildError(f"scheme = {shown(self.name)} is refused: give the name of one, such as 'explicit'")
        object.__setattr__(self, "extrapolation", check_degree(self.extrapolation))
        tolerance = number("tolerance", self.tolerance)
        if not 0 < tolerance < 1:
            raise BuildError(f"tolerance = {tolerance:g} is refused: it must lie between 0 and 1; 1e-4 is the default")
        object.__setattr__(self, "tolerance", tolerance)
