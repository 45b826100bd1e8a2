"""Variables that may be set while a run waits: inputs that nothing feeds, parameters that may be tuned, and differential states."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coupling.errors import BuildError, shown
from coupling.fmus import Fmu, FmuVariable
from coupling.fmus.start_values import check_value, item_of
from coupling.plan.build import Built
from coupling.plan.connections import find_end, solved_for
from coupling.plan.graph import type_code
from coupling.plan.rates import rates_of

if TYPE_CHECKING:
    from coupling.live.session import Session


@dataclass(frozen=True)
class Target:
    """A variable that may be set."""

    name: str
    part: int
    """Number of its instance."""
    type: int
    reference: int
    variable: FmuVariable
    state: int | None = None
    """Number of the state, if it is one."""
    drive: int | None = None
    """Number of its drive, if it may have a rate."""
    rates: tuple[int, ...] = ()
    """Numbers of the drives of its rates, if it is a prescribed motion."""

    def checked(self, value: Any) -> float:
        """Returns a value as a number, or refuses it by a sentence."""
        value = item_of(self.name, self.variable, value)
        check_value(self.name, self.variable, value)
        return float(value)

    def item(self, value: float) -> float | int | bool:
        """Returns a value that was checked in the type of the variable."""
        return {"integer": int, "boolean": bool}.get(self.variable.type, float)(value)


class Targets:
    """The variables of a system that may be set, by full names."""

    def __init__(self, built: Built, steered: Collection[str]) -> None:
        """Takes the system, and the names of the inputs that the run leaves to its user."""
        self._built, self._steered = built, steered
        self._fmus: Mapping[str, Fmu] = {part.name: part.fmu for part in built.parts}
        self._number = {part.name: i for i, part in enumerate(built.parts)}
        self._drives = {built.named(a.part, a.reference): i for i, (a, _) in enumerate(built.drives)}
        self._fed = {built.named(a.part, a.reference): sources for a, sources in built.schedule.graph.wires.items()}
        self._found: dict[str, Target] = {}

    def __getitem__(self, name: str) -> Target:
        if not isinstance(name, str):
            raise BuildError(f"{shown(name)} cannot be set; give the full name of an input, a parameter or a state, such as 'motor.tau'")
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> Target:
        end = find_end(name, self._fmus)
        variable, refused = end.variable, f"'{name}' cannot be set: "
        if variable is None:
            raise BuildError(f"{refused}it is {'an array' if end.array else 'a port'}; name one of its variables")
        part = self._number[end.instance]
        type_, reference = type_code(variable, end.fmu.version), variable.reference
        states = self._built.parts[part].states
        if reference in states and variable.type == "real" and variable.causality not in ("input", "parameter"):
            return Target(name, part, type_, reference, variable, state=self._built.parts[part].first_state + states.index(reference))
        if reference in end.fmu.states and not states:
            raise BuildError(
                f"{refused}'{end.instance}' runs in Co-Simulation, which gives no access to its states; set an input or a parameter"
            )
        if variable.type not in ("real", "integer", "boolean"):
            raise BuildError(f"{refused}it is a {variable.fmi_type}; set a number or a truth")
        if variable.causality == "input":
            self._check_input(name, refused, end.fmu, variable)
            rates = [f"{end.instance}.{each}" for each in rates_of(end.fmu, variable.name)]
            if rates and name not in self._drives:
                raise BuildError(f"{refused}it is a prescribed motion, which changes with a rate; name it in start(inputs=['{name}'])")
            numbers = tuple(self._drives[each] for each in rates)
            return Target(name, part, type_, reference, variable, drive=self._drives.get(name), rates=numbers)
        if variable.causality == "parameter" and variable.variability == "tunable":
            return Target(name, part, type_, reference, variable)
        raise BuildError(f"{refused}{_why_not(variable)}")

    def _check_input(self, name: str, refused: str, fmu: Fmu, variable: FmuVariable) -> None:
        sources = self._fed.get(name)
        if sources:
            source = self._built.named(sources[0].part, sources[0].reference)
            raise BuildError(f"{refused}'{source}' is connected to it; leave the connection out, or set what feeds '{source}'")
        if name in self._drives and name not in self._steered:
            raise BuildError(f"{refused}it is driven; leave its drive out, or name it in start(inputs=['{name}'])")
        if solved_for(fmu, variable):
            raise BuildError(f"{refused}it is an algebraic variable, which the master solves for; set an input of another component")


def _why_not(variable: FmuVariable) -> str:
    if variable.causality in ("parameter", "structuralParameter"):
        return "its FMU fixes this parameter at the start; give it to start(start_values=...)"
    what = {"local": "a local variable", "output": "an output", "calculatedParameter": "a calculated parameter", "independent": "the time"}
    return f"it is {what[variable.causality]}; set an input, a parameter or a state"


def set_inside(session: Session, drive: int, time: float, value: float, slope: float) -> None:
    """Sets the drive of an instance that is integrated between communication points; other drives stay."""
    built, inner = session.built, session.inner
    address = built.drives[drive][0]
    if inner is not None and built.inner is not None and address.part in built.inner_parts:
        own = address._replace(part=built.inner_parts.index(address.part))
        number = next(i for i, (each, _) in enumerate(built.inner.drives) if each == own)
        inner.kernel.set_polynomial(number, time, value, slope, 0.0)
