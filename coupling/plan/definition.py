"""Definitions of systems as data, which can be copied, compared, pickled, and built."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from coupling.checks import is_number, is_word
from coupling.errors import BuildError, shown
from coupling.fmus import Fmu, FmuError, load
from coupling.fmus.start_values import start_items, structural_values
from coupling.names import nearest, resolve, unfit
from coupling.options import check_degree
from coupling.plan.drives import Drive, PolynomialDrive
from coupling.plan.enforced import Intervals
from coupling.plan.instances import find_fmus, found_again
from coupling.plan.shown import Shown

Value = float | int | bool | str | bytes
Name = tuple[str, str]
"""A pair of an instance and one of its variables."""
Gravity = tuple[float, ...]
"""Gravity along x and y, or x, y and z, in m/s2."""


class FmuFile:
    """An FMU that is compared by its content, and pickled as its path; one that is given by a function is built when it is first asked for."""

    def __init__(self, fmu: Fmu | Callable[[], Fmu]) -> None:
        self._given = fmu

    @cached_property
    def fmu(self) -> Fmu:
        return self._given if isinstance(self._given, Fmu) else self._given()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FmuFile) and (self.fmu is other.fmu or self._key == other._key)

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def private(self) -> bool:
        """True if the FMU is unpacked into a folder of its own, since it writes there."""
        return self.fmu.private

    @property
    def _key(self) -> tuple[object, ...]:
        return self.fmu.sha256, self.private, *self.fmu.structural.items()

    def __reduce__(self) -> tuple[Callable[..., FmuFile], tuple[Path, str, bool, str, int, dict[str, Any]]]:
        fmu = self.fmu
        return _found_again, (fmu.path, fmu.sha256, self.private, fmu.model_name, fmu.version, dict(fmu.structural))


def _found_again(*file: Any) -> FmuFile:
    return FmuFile(found_again(*file))


@dataclass(frozen=True)
class InstanceDefinition:
    """An instance as its user adds it."""

    name: str
    fmu: FmuFile
    """FMU for Model Exchange where both kinds exist."""
    stepped: FmuFile
    """FMU for Co-Simulation; of most FMUs it is the same file."""
    start: tuple[tuple[str, Value], ...] = ()
    kind: str | None = None
    """Kind of the instance: ``me``, ``cs``, or None for the kind that suits the run."""
    communication_step: float | None = None
    """The only step that it makes in Co-Simulation, in seconds; None for those of the run."""
    extrapolation: int | None = None
    """The highest degree of the polynomials that its inputs follow; None for that of the run."""
    logging: bool = False
    """True if the FMU's own logging is on."""
    process: str | None = None
    """``own``, or the name of the group whose process it runs in; None: where the master is."""
    guess: tuple[tuple[str, float | tuple[float, float]], ...] = ()
    """Approximate values of states and outputs when the system is assembled, optionally with their uncertainty."""


def define_instance(
    name: str,
    fmu: Any,
    start_values: Mapping[str, Value] | None = None,
    kind: str | None = None,
    private: bool = False,
    communication_step: float | None = None,
    extrapolation: int | None = None,
    logging: bool = False,
    dotted: bool = False,
    process: str | None = None,
    compile: bool = True,
) -> InstanceDefinition:
    """Returns an instance, after all checks that concern it alone; components are built here.

    Names that are ``dotted`` are those of instances in nested systems.
    """
    check_name(name, dotted)
    if start_values is not None and not isinstance(start_values, Mapping):
        raise BuildError(f"the start values of '{name}' are {shown(start_values)}; give them by their names, such as {{'m': 1.0}}")
    if kind is not None and not is_word(kind, ("me", "cs")):
        raise BuildError(f"'{name}' cannot run as {shown(kind)}; the kinds are 'me' (Model Exchange) and 'cs' (Co-Simulation)")
    for option, value in (("private", private), ("logging", logging), ("compile", compile)):
        if not isinstance(value, bool):
            raise BuildError(f"{option} = {shown(value)} of '{name}' is refused: give True or False")
    _check_process(name, process)
    own = {"communication_step": communication_step, "extrapolation": extrapolation}
    kind = _kind_with(name, kind, {option: value for option, value in own.items() if value is not None})
    loaded, find_stepped = find_fmus(name, fmu, private)
    stepped = FmuFile(find_stepped)
    asked, kind = kind, "cs" if kind is None and loaded.model_exchange is None else kind
    if kind is not None:
        try:
            (stepped.fmu if kind == "cs" else loaded).interface(kind)
        except FmuError as error:
            raise BuildError(f"'{name}' cannot run{f' as {asked!r}' if asked else ''}: {error}") from None
    if not compile:
        refuse_sources(name, loaded, kind)
    given = {variable: value for variable, value in (start_values or {}).items() if variable not in loaded.arrays}
    structural = structural_values(loaded, dict(item for each in given.items() for item in start_items(name, loaded, *each)))
    if structural:  # the sizes of arrays may follow from them
        loaded = load(loaded.path, private, structural)
        stepped = FmuFile(loaded)
    # An element that is given by itself counts over its array.
    items = sorted((start_values or {}).items(), key=lambda item: item[0] not in loaded.arrays)
    start = dict(found for item in items for found in start_items(name, loaded, *item))
    return InstanceDefinition(
        name,
        stepped if kind == "cs" else FmuFile(loaded),
        stepped,
        tuple(start.items()),
        kind,
        communication_step,
        check_degree(extrapolation, f" of '{name}'"),
        logging,
        process,
    )


def refuse_sources(name: str, fmu: Fmu, kind: str | None) -> None:
    """Refuses an instance whose binary would have to be compiled from sources."""
    for interface in (fmu.model_exchange, fmu.co_simulation):
        if interface is not None and kind in (None, interface.kind):
            try:
                fmu.check_sources(interface.identifier, allowed=False)
            except FmuError as error:
                raise BuildError(f"'{name}' must not be compiled: {error}") from None


def _check_process(name: str, process: Any) -> None:
    if process is None:
        return
    refused = f"process = {shown(process)} of '{name}' is refused"
    if not isinstance(process, str) or not process.strip():
        raise BuildError(f"{refused}: give 'own', or the name of a group of instances that share a process")
    if process == "none":
        raise BuildError(f"{refused}: leave it out where the instance has no process of its own; groups have other names")
    if process != process.strip():
        raise BuildError(f"{refused}: there are blanks around the name; give '{process.strip()}'")


def check_name(name: Any, dotted: bool = False) -> None:
    """Refuses a value that is no name of an instance, or of a system inside another one."""
    if not isinstance(name, str) or not name or set(name) & set("*" if dotted else ".*") or name != name.strip():
        raise BuildError(f"an instance cannot be called {shown(name)}; give a name without dots and stars, such as 'rod'")
    for each in name.split("."):
        check_text(f"an instance cannot be called {shown(name)}", each)


def check_text(refusal: str, name: str) -> None:
    """Refuses a name that does not fit into all kinds of files."""
    why = unfit(name)
    if why:
        raise BuildError(f"{refusal}: {why}; give another name, such as 'rod'")


def _kind_with(name: str, kind: str | None, own: Mapping[str, Any]) -> str | None:
    """Returns the kind of an instance with these options of its own, and checks the options: they are those of Co-Simulation."""
    step = own.get("communication_step")
    if step is not None and not (is_number(step) and 0 < step < math.inf):
        raise BuildError(f"communication_step = {shown(step)} of '{name}' is refused: give seconds, greater than 0 and finite")
    if own and kind == "me":
        option, value = next(iter(own.items()))
        raise BuildError(f"{option} = {shown(value)} of '{name}' is for Co-Simulation; leave it out, or kind='me'")
    return "cs" if own else kind


def with_guess(instance: InstanceDefinition, guess: Mapping[str, Any]) -> InstanceDefinition:
    """Returns the instance with guesses, whose names are checked. The variables that they name are looked at when the system is
    assembled."""
    if not isinstance(guess, Mapping):
        raise BuildError(f"the guesses of '{instance.name}' are {shown(guess)}; give them by their names, such as {{'theta': 1.2}}")
    start = dict(instance.start)
    for name, value in guess.items():
        if name not in instance.fmu.fmu.variables:
            hint = nearest(str(name), instance.fmu.fmu.variables) or "name a state, or an output that depends on positions"
            raise BuildError(f"'{instance.name}' has no variable {shown(name)}, for which there is a guess; {hint}")
        if name in start:
            raise BuildError(f"'{instance.name}.{name}' has a start value, which is held, and a guess; leave one of the two out")
        numbers = value if isinstance(value, tuple) and len(value) == 2 else (value,)
        good = all(is_number(n) and math.isfinite(n) for n in numbers)
        if not good or (len(numbers) == 2 and not numbers[1] > 0):
            raise BuildError(
                f"the guess '{instance.name}.{name}' = {shown(value)} is refused; give a number, or a pair of a number and how far off it may be"
            )
    return replace(instance, guess=tuple(guess.items()))


class GivenStart(Mapping[str, Value]):
    """The start values that one instance was given; they cannot be changed through this mapping."""

    def __init__(self, instance: str, values: Mapping[str, Value]) -> None:
        self._instance, self._values = instance, values

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

    def __setitem__(self, name: str, value: object) -> None:
        raise BuildError(
            f"start_values['{self._instance}']['{name}'] = {shown(value)} would change nothing; give the value to add, or for one run to "
            f"simulate(start_values={{'{self._instance}.{name}': {shown(value)}}})"
        )


@dataclass(frozen=True)
class Transformation:
    """The value that arrives through a connection: factor * value + offset, of the value in the unit of the input."""

    connection: tuple[str, str]
    factor: float = 1.0
    offset: float = 0.0
    adaptor: str = ""
    """Adaptor of the Modelica Standard Library that asks for the factor; empty if the user does."""
    convert: bool = False
    """True if values pass that the type of the input does not hold."""

    @property
    def changes(self) -> bool:
        return (self.factor, self.offset) != (1.0, 0.0)


def transformation_of(connection: tuple[str, str], factor: Any, offset: Any, convert: Any) -> Transformation | None:
    """Returns the transformation for the options of ``connect``; None where values pass unchanged."""
    for option, value in (("factor", factor), ("offset", offset)):
        if not is_number(value) or not math.isfinite(value) or (option == "factor" and value == 0):
            wanted = "a finite number other than 0" if option == "factor" else "a finite number"
            raise BuildError(f"{option} = {shown(value)} between '{connection[0]}' and '{connection[1]}' is refused: give {wanted}")
    if not isinstance(convert, bool):
        raise BuildError(f"convert = {shown(convert)} between '{connection[0]}' and '{connection[1]}' is refused: give True or False")
    found = Transformation(connection, float(factor), float(offset), convert=convert)
    return found if found.changes or convert else None


@dataclass(frozen=True, kw_only=True)
class Definition:
    """The definition of a whole system."""

    name: str
    instances: tuple[InstanceDefinition, ...] = ()
    connections: tuple[tuple[str, str], ...] = ()
    """Connections by the names of ports and variables."""
    drives: tuple[tuple[str, Drive], ...] = ()
    unknown_accelerations: tuple[str, ...] = ()
    """Inputs of rigid couplings that get no acceleration, which only implicit schemes can do without."""
    enforced: tuple[tuple[str, Intervals], ...] = ()
    """Joints that are in force in intervals of time alone."""
    transformations: tuple[Transformation, ...] = ()
    """Transformations of values on their way through connections, beyond conversions of units."""
    gravity: Gravity | None = None
    """Gravity of bodies that will be added; bodies that are already there have it among their start values."""
    shown: tuple[Shown, ...] = ()
    """Appearance of bodies."""

    def without(self, names: Collection[str]) -> Definition:
        """Returns the definition without these instances, and without the entries that connect, drive or describe them."""
        everyone = [each.name for each in self.instances]

        def stays(text: str) -> bool:
            return resolve(text, everyone)[0] not in names

        return replace(
            self,
            instances=tuple(each for each in self.instances if each.name not in names),
            connections=tuple(pair for pair in self.connections if all(map(stays, pair))),
            drives=tuple(drive for drive in self.drives if stays(drive[0])),
            unknown_accelerations=tuple(filter(stays, self.unknown_accelerations)),
            transformations=tuple(each for each in self.transformations if all(map(stays, each.connection))),
            shown=tuple(each for each in self.shown if stays(each.name)),
        )

    def opened(self, inputs: Sequence[tuple[str, float]]) -> Definition:
        """Returns the definition without kinds. These inputs, by variables, are left to the caller who runs the system, from the values
        given."""
        drives = dict(self.drives) | {name: PolynomialDrive(start) for name, start in inputs}
        instances = tuple(replace(each, kind=None, communication_step=None, extrapolation=None) for each in self.instances)
        return replace(self, instances=instances, drives=tuple(drives.items()))
