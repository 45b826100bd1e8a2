"""FMUs of FMI 2.0 and 3.0 as they describe themselves, whatever tool they come from."""

from __future__ import annotations

import atexit
import hashlib
import math
import os
import platform
import re
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath, PureWindowsPath
from threading import RLock
from types import MappingProxyType
from typing import TypeVar
from xml.etree.ElementTree import Element

from coupling.fmus.manifest import MANIFEST, Dae, FmuError, Source, Structure, Unknown, read_manifest, read_unknown
from coupling.names import nearest

__all__ = ["Dae", "Fmu", "FmuError", "Interface", "Structure", "Terminal", "Unit", "Unknown", "Variable", "load", "same_unit"]

T = TypeVar("T")
Value = float | bool | int | str | bytes

_INTEGERS = ("Integer", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Enumeration")
_TYPES = {
    **dict.fromkeys(("Real", "Float64", "Float32"), "real"),
    **dict.fromkeys(_INTEGERS, "integer"),
    **{name: name.lower() for name in ("Boolean", "String", "Binary", "Clock")},
}
_PARAMETERS = ("parameter", "structuralParameter")
_KINDS = {"me": "Model Exchange", "cs": "Co-Simulation"}
_BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
_INHERITED = ("unit", "min", "max", "nominal")
"""What a variable takes from its declared type."""
_TERMINALS = ("terminalsAndIcons/terminalsAndIcons.xml", "extra/terminalsAndIcons/terminalsAndIcons.xml")
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)  # the last: encrypted, or packed in an unusual way


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable, with the standard's defaults and those of its declared type filled in."""

    name: str
    reference: int
    type: str
    """``real``, ``integer``, ``boolean``, ``string``, ``binary`` or ``clock``; an enumeration is an integer."""
    fmi_type: str
    """As written: ``Real``, ``Float32``, ``UInt8``, ``Enumeration`` ..."""
    causality: str
    variability: str
    initial: str | None
    start: Value | tuple[Value, ...] | None
    """Of an array, the values of all elements in the order of the standard."""
    unit: str | None
    minimum: float
    maximum: float
    nominal: float
    derivative: str | None
    """The name of the variable that this is the time derivative of."""
    dimensions: tuple[int, ...]
    """The sizes of an array as long as no structural parameter is changed; empty for a scalar."""
    description: str


@dataclass(frozen=True, slots=True)
class Terminal:
    """A named group of variables that belong together."""

    name: str
    kind: str
    rule: str
    members: Mapping[str, str]
    """The names of the variables by the names of the members."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit in SI base units: value in base units = factor * value + offset."""

    name: str
    exponents: tuple[int, ...] | None
    """Of kg, m, s, A, K, mol, cd and rad; None where the FMU gives a name alone."""
    factor: float = 1.0
    offset: float = 0.0


def same_unit(a: Unit | None, b: Unit | None) -> bool:
    """Whether two units, possibly of different FMUs, mean the same; a unit that is a mere name is compared by its name."""
    if a is None or b is None:
        return a is b
    if a.exponents is None or b.exponents is None:
        return a.name == b.name
    close = math.isclose(a.factor, b.factor, rel_tol=1e-9) and math.isclose(a.offset, b.offset, rel_tol=1e-9, abs_tol=1e-12)
    return a.exponents == b.exponents and close


@dataclass(frozen=True, slots=True)
class Interface:
    """What an FMU can do in Model Exchange or in Co-Simulation."""

    identifier: str
    attributes: Mapping[str, str]
    """As written; the properties below are the same in both versions."""
    kind: str
    """``me`` or ``cs``."""
    version: int

    def _flag(self, *names: str) -> bool:
        return any(_true(self.attributes.get(name)) for name in names)

    @property
    def directional_derivatives(self) -> bool:
        return self._flag("providesDirectionalDerivatives", "providesDirectionalDerivative")

    @property
    def adjoint_derivatives(self) -> bool:
        return self._flag("providesAdjointDerivatives")

    @property
    def save_state(self) -> bool:
        return self._flag("canGetAndSetFMUState", "canGetAndSetFMUstate")

    @property
    def serialize_state(self) -> bool:
        return self._flag("canSerializeFMUState", "canSerializeFMUstate")

    @property
    def needs_completed_step(self) -> bool:
        """Whether the FMU wants to hear of each completed step; FMI 2 asks unless told otherwise, FMI 3 the other way round."""
        if self.kind != "me":
            return False
        return not self._flag("completedIntegratorStepNotNeeded") if self.version == 2 else self._flag("needsCompletedIntegratorStep")

    @property
    def once_per_process(self) -> bool:
        return self._flag("canBeInstantiatedOnlyOncePerProcess")

    @property
    def needs_tool(self) -> bool:
        """Whether the FMU is a mere link to the tool that wrote it."""
        return self._flag("needsExecutionTool")

    @property
    def variable_step(self) -> bool:
        return self._flag("canHandleVariableCommunicationStepSize")

    @property
    def interpolates_inputs(self) -> bool:
        """Whether derivatives of inputs can be set (FMI 2)."""
        return self._flag("canInterpolateInputs")

    @property
    def output_derivative_order(self) -> int:
        return int(self.attributes.get("maxOutputDerivativeOrder") or 0)

    @property
    def event_mode(self) -> bool:
        return self._flag("hasEventMode")

    @property
    def intermediate_update(self) -> bool:
        return self._flag("providesIntermediateUpdate")

    @property
    def early_return(self) -> bool:
        """Whether the importer may end a step at an intermediate update."""
        return self._flag("canReturnEarlyAfterIntermediateUpdate")

    @property
    def might_return_early(self) -> bool:
        """Whether the FMU may end a step on its own."""
        return self._flag("mightReturnEarlyFromDoStep")


@dataclass(frozen=True, eq=False)
class Fmu:
    """An FMU as its files describe it; :func:`load` makes one."""

    path: Path
    version: int
    model_name: str
    description: str
    token: str
    """The guid of FMI 2, the instantiation token of FMI 3."""
    generation_tool: str
    variables: Mapping[str, Variable] = field(repr=False)
    """By name, in the order of the file; an alias of FMI 3 follows its variable."""
    by_reference: Mapping[int, Variable] = field(repr=False)
    """The first of aliases; in FMI 2, where each type has value references of its own, reals go before others."""
    time: int | None
    """Value reference of the independent variable."""
    states: tuple[int, ...]
    """Value references of the continuous states, in the order of their derivatives."""
    structure: Structure = field(repr=False)
    dae: Dae | None = field(repr=False)
    terminals: Mapping[str, Terminal] = field(repr=False)
    units: Mapping[str, Unit] = field(repr=False)
    """Every unit that a variable has, by its name."""
    model_exchange: Interface | None
    co_simulation: Interface | None
    default_stop_time: float | None
    tolerance: float | None
    notes: tuple[str, ...]
    """Sentences on what a user should know, though it keeps nobody from using the FMU."""
    stamp: tuple[int, int] = field(repr=False)
    """Size and time of change of the file as it was read."""

    def interface(self, kind: str) -> Interface:
        """What the FMU offers for a ``kind``, ``me`` or ``cs``."""
        if kind not in _KINDS:
            raise FmuError(f"'{self.path}' cannot run as '{kind}'; choose 'me' (Model Exchange) or 'cs' (Co-Simulation)")
        offered = {"me": self.model_exchange, "cs": self.co_simulation}
        found = offered[kind]
        if found is None:
            others = [f"{_KINDS[k]}, kind '{k}'" for k, interface in offered.items() if interface is not None]
            hint = f"it offers {others[0]}: choose that, or export it" if others else "export it"
            raise FmuError(f"'{self.path}' has no interface for {_KINDS[kind]}; {hint} for {_KINDS[kind]}")
        return found

    def library(self, interface: Interface | str) -> Path:
        """The unpacked binary for this platform, for an interface or its kind; it lasts as long as the process."""
        identifier = (self.interface(interface) if isinstance(interface, str) else interface).identifier
        suffix = _SUFFIXES.get(sys.platform, ".so")
        for folder in _platform_folders(self.version):
            binary = self._folder / "binaries" / folder / f"{identifier}{suffix}"
            if binary.is_file():
                return binary
        raise self._no_binary(f"{identifier}{suffix}")

    @cached_property
    def resources(self) -> str | None:
        """Where the FMU finds its resources, as instantiation wants it: in FMI 2 an address, in FMI 3 a folder where there is one."""
        folder = self._folder / "resources"
        if self.version == 2:
            folder.mkdir(exist_ok=True)  # FMI 2 has no way to say that there is none
            return folder.as_uri()
        return f"{folder}{os.sep}" if folder.is_dir() else None

    @cached_property
    def sha256(self) -> str:
        """The digest of the file's content."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    @property
    def unchanged(self) -> bool:
        """Whether the file is still there as it was read."""
        try:
            return _stamp(self.path) == self.stamp
        except OSError:
            return False

    @cached_property
    def _folder(self) -> Path:
        try:
            stamp = _stamp(self.path)
        except OSError:
            raise FmuError(f"'{self.path}' is no longer there; put it back, or load it from where it is now") from None
        if stamp != self.stamp:
            raise FmuError(f"'{self.path}' has changed since it was read; load it again")
        return _unpacked(self.path, _platform_folders(self.version))

    def _no_binary(self, wanted: str) -> FmuError:
        with zipfile.ZipFile(self.path) as archive:
            names = [_slashed(name) for name in archive.namelist()]
        inside = [name.removeprefix("binaries/") for name in names if re.fullmatch(r"binaries/[^/]+/[^/]+\.(so|dll|dylib)", name)]
        has = f"it has {', '.join(sorted(inside))}" if inside else "it has none at all"
        remedy = "export it for this platform"
        if any(name.startswith("sources/") and name.endswith((".c", ".cpp", ".cc")) for name in names):
            remedy += f", or build it from the sources inside: fmpy compile '{self.path}'"
        return FmuError(f"'{self.path}' has no binary {_platform_folders(self.version)[0]}/{wanted} for this platform, {has}; {remedy}")


# -- reading -----------------------------------------------------------------------------------------------------------

_loaded: dict[Path, Fmu] = {}
_lock = RLock()


def load(path: Path | str) -> Fmu:
    """Reads an FMU; the same object as long as the file does not change."""
    file = Path(path).resolve()
    try:
        stamp = _stamp(file)
    except OSError:
        siblings = [each.name for each in file.parent.glob("*.fmu")]
        hint = nearest(file.name, siblings) or "give the path of an FMU, a file whose name ends in .fmu"
        raise FmuError(f"there is no file '{path}'; {hint}") from None
    if file.is_dir():
        raise FmuError(f"'{path}' is a folder; give the path of the FMU itself, a file whose name ends in .fmu")
    with _lock:
        known = _loaded.get(file)
        if known is None or known.stamp != stamp:
            known = _loaded[file] = _read(file, stamp)
    return known


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _read(path: Path, stamp: tuple[int, int]) -> Fmu:
    members = _members(path)
    if "modelDescription.xml" not in members:
        raise FmuError(f"'{path}' holds no modelDescription.xml, so that it is no FMU; export the model as FMI 2.0 or 3.0")
    root = Source(path).tree(members["modelDescription.xml"], "modelDescription.xml")
    return _Reader(path, root, members).fmu(stamp)


def _members(path: Path) -> dict[str, bytes]:
    """The files inside that describe the FMU."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {_slashed(name): name for name in archive.namelist()}
            return {name: archive.read(names[name]) for name in ("modelDescription.xml", MANIFEST, *_TERMINALS) if name in names}
    except (*_DAMAGED, OSError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> FmuError:
    return FmuError(f"'{path}' is not a zip archive that can be read ({error}); copy or export the FMU again")


class _Reader:
    """Reads the model description and what lies beside it."""

    def __init__(self, path: Path, root: Element, members: Mapping[str, bytes]) -> None:
        self.root, self.members = root, members
        self.tool = root.get("generationTool") or ""
        self.source = Source(path, f"'{self.tool}'" if self.tool else "")
        self.version = self._version(path)
        self.types = dict(self._declared_types())

    def _version(self, path: Path) -> int:
        written = self.root.get("fmiVersion") or ""
        match = re.fullmatch(r"([23])\.\d+(\.\d+)?", written)
        if self.root.tag != "fmiModelDescription" or not written:
            raise self.source.broken("has a modelDescription.xml that describes no FMU: it names no FMI version")
        if match is None:
            raise FmuError(f"'{path}' is FMI {written}; export it as FMI 2.0 or 3.0")
        return int(match.group(1))

    def fmu(self, stamp: tuple[int, int]) -> Fmu:
        listed = list(self._variables())
        variables = self._by_name(listed)
        model_exchange, co_simulation = self._interface("ModelExchange", "me"), self._interface("CoSimulation", "cs")
        by_reference = _by_reference(variables.values())
        structure = self._structure(listed, by_reference, model_exchange, co_simulation)
        manifest = self.members.get(MANIFEST)
        terminals, notes = self._terminals(variables)
        experiment = self.root.find("DefaultExperiment")
        return Fmu(
            path=self.source.path,
            version=self.version,
            model_name=self.root.get("modelName") or "",
            description=self.root.get("description") or "",
            token=self.root.get("guid" if self.version == 2 else "instantiationToken") or "",
            generation_tool=self.tool,
            variables=MappingProxyType(variables),
            by_reference=MappingProxyType(by_reference),
            time=next((v.reference for v in listed if v.causality == "independent"), None),
            states=tuple(self._states(structure, variables)),
            structure=structure,
            dae=None if manifest is None else read_manifest(manifest, variables.values(), structure, self.source),
            terminals=MappingProxyType(terminals),
            units=MappingProxyType(self._units(variables.values())),
            model_exchange=model_exchange,
            co_simulation=co_simulation,
            default_stop_time=self._number(experiment, "stopTime"),
            tolerance=self._number(experiment, "tolerance"),
            notes=(*self._tool_note(model_exchange, co_simulation), *notes),
            stamp=stamp,
        )

    def _interface(self, tag: str, kind: str) -> Interface | None:
        element = self.root.find(tag)
        if element is None:
            return None
        identifier = element.get("modelIdentifier")
        if not identifier or not PurePosixPath(identifier).name == identifier or "\\" in identifier:
            raise self.source.broken(f"has the modelIdentifier '{identifier or ''}' in its {tag}, which cannot be the name of a binary")
        return Interface(identifier, MappingProxyType(dict(element.attrib)), kind, self.version)

    def _tool_note(self, *interfaces: Interface | None) -> list[str]:
        if not any(interface is not None and interface.needs_tool for interface in interfaces):
            return []
        tool = f"'{self.tool}'" if self.tool else "the tool that wrote it"
        return [f"'{self.source.path}' is a link to {tool}, which has to be installed on this machine"]

    def _number(self, element: Element | None, attribute: str) -> float | None:
        text = None if element is None else element.get(attribute)
        return None if text is None else self._parsed(text, float, f"the {attribute} of its default experiment")

    def _parsed(self, text: str, parse: Callable[[str], T], what: str) -> T:
        try:
            return parse(text)
        except ValueError:
            raise self.source.broken(f"gives '{text}' as {what}, which cannot be read") from None

    # -- variables -----------------------------------------------------------------------------------------------------

    def _declared_types(self) -> Iterator[tuple[str, dict[str, str]]]:
        """The attributes that variables of a declared type have unless they say otherwise."""
        for definition in self.root.iterfind("TypeDefinitions/*"):
            inner = definition if self.version == 3 else next((each for each in definition if each.tag in _TYPES), definition)
            items = [self._parsed(item.get("value") or "", int, "the value of an enumeration's item") for item in inner.iterfind("Item")]
            ends = {"min": str(min(items)), "max": str(max(items))} if items else {}
            yield definition.get("name") or "", ends | {key: inner.attrib[key] for key in _INHERITED if key in inner.attrib}

    def _variables(self) -> Iterator[Variable]:
        elements = [each for each in self.root.iterfind("ModelVariables/*") if each.tag != "Annotations"]
        named = [(each, self._name(each), self._reference(each)) for each in elements]
        referred = {place: name for place, (_, name, _) in enumerate(named, 1)}  # FMI 2 refers to places in the list
        if self.version == 3:
            referred = {reference: name for _, name, reference in reversed(named)}
        sizes = {reference: element.get("start") for element, _, reference in named}
        for element, name, reference in named:
            variable = self._variable(element, name, reference, referred, sizes)
            yield variable
            for alias in element.iterfind("Alias"):
                yield replace(variable, name=self._name(alias), description=alias.get("description") or variable.description)

    def _name(self, element: Element) -> str:
        name = element.get("name")
        if not name:
            raise self.source.broken(f"has a variable without a name (value reference {element.get('valueReference')})")
        return name

    def _reference(self, element: Element) -> int:
        return self._parsed(element.get("valueReference") or "", int, f"the value reference of '{element.get('name')}'")

    def _variable(
        self, element: Element, name: str, reference: int, referred: Mapping[int, str], sizes: Mapping[int, str | None]
    ) -> Variable:
        typed = element if self.version == 3 else next((each for each in element if each.tag in _TYPES), element)
        if typed.tag not in _TYPES:
            raise self.source.broken(f"has the variable '{name}' of an unknown type ({typed.tag})")
        kind = _TYPES[typed.tag]
        attributes = self._inherited(typed, name)
        causality = element.get("causality") or "local"
        variability = self._variability(element.get("variability"), causality, kind)
        dimensions = tuple(self._size(each, name, sizes) for each in element.iterfind("Dimension"))
        return Variable(
            name=name,
            reference=reference,
            type=kind,
            fmi_type=typed.tag,
            causality=causality,
            variability=variability,
            initial=None if kind == "clock" else element.get("initial") or self._initial(causality, variability),
            start=self._start(typed, name, kind, dimensions),
            unit=attributes.get("unit") or None,
            minimum=self._bound(attributes, "min", name, -math.inf),
            maximum=self._bound(attributes, "max", name, math.inf),
            nominal=abs(self._bound(attributes, "nominal", name, 1.0)) or 1.0,
            derivative=self._derivative(typed, name, referred),
            dimensions=dimensions,
            description=element.get("description") or "",
        )

    def _inherited(self, typed: Element, name: str) -> Mapping[str, str]:
        declared = typed.get("declaredType")
        if declared is None:
            return typed.attrib
        if declared not in self.types:
            raise self.source.broken(f"gives '{name}' the type '{declared}', which it does not define")
        return self.types[declared] | typed.attrib

    def _variability(self, written: str | None, causality: str, kind: str) -> str:
        # FMI 2 has 'continuous' for all that say nothing, which it forbids for parameters and discrete types.
        if causality in (*_PARAMETERS, "calculatedParameter"):
            return written or "fixed"
        return written or ("continuous" if kind == "real" else "discrete")

    def _initial(self, causality: str, variability: str) -> str | None:
        if causality == "independent":
            return None
        if causality == "input":
            return "exact" if self.version == 3 else None
        return "exact" if causality in _PARAMETERS or variability == "constant" else "calculated"

    def _bound(self, attributes: Mapping[str, str], key: str, name: str, default: float) -> float:
        text = attributes.get(key)
        return default if text is None else self._parsed(text, float, f"the {key} of '{name}'")

    def _size(self, dimension: Element, name: str, sizes: Mapping[int, str | None]) -> int:
        text, what = dimension.get("start"), f"the size of '{name}'"
        if text is None:
            text = sizes.get(self._parsed(dimension.get("valueReference") or "", int, what))
        return self._parsed(text or "", int, what)

    def _start(self, typed: Element, name: str, kind: str, dimensions: tuple[int, ...]) -> Value | tuple[Value, ...] | None:
        parse, what = _PARSERS.get(kind, str), f"the start value of '{name}'"
        text = typed.get("start")
        if self.version == 3 and kind in ("string", "binary"):
            texts = [each.get("value") or "" for each in typed.iterfind("Start")]
        elif dimensions and text is not None:
            texts = text.split()
        else:
            texts = [] if text is None else [text]
        values = [self._parsed(each, parse, what) for each in texts]
        if not values:
            return None
        if not dimensions:
            return values[0]
        size = math.prod(dimensions)
        if len(values) not in (1, size):
            raise self.source.broken(f"gives {len(values)} start values to '{name}', which has {size} elements")
        return tuple(values if len(values) == size else values * size)

    def _derivative(self, typed: Element, name: str, referred: Mapping[int, str]) -> str | None:
        text = typed.get("derivative")
        if text is None:
            return None
        state = referred.get(self._parsed(text, int, f"what '{name}' is the derivative of"))
        if state is None:
            raise self.source.broken(f"calls '{name}' the derivative of variable {text}, which does not exist")
        return state

    def _by_name(self, listed: Iterable[Variable]) -> dict[str, Variable]:
        found: dict[str, Variable] = {}
        for variable in listed:
            other = found.setdefault(variable.name, variable)
            if other is not variable:
                raise self.source.broken(
                    f"has two variables with the name '{variable.name}' (value references {other.reference} and {variable.reference})"
                )
        return found

    def _units(self, variables: Iterable[Variable]) -> dict[str, Unit]:
        found = {v.unit: Unit(v.unit, None) for v in variables if v.unit is not None}
        for element in self.root.iterfind("UnitDefinitions/Unit"):
            name, base = element.get("name") or "", element.find("BaseUnit")
            if base is not None:
                what = f"part of the unit '{name}'"
                exponents = tuple(self._parsed(base.get(each) or "0", int, what) for each in _BASE_UNITS)
                factor, offset = (
                    self._parsed(base.get(key) or default, float, what) for key, default in (("factor", "1"), ("offset", "0"))
                )
                found[name] = Unit(name, exponents, factor, offset)
        return found

    # -- structure and terminals ---------------------------------------------------------------------------------------

    def _structure(
        self,
        listed: list[Variable],
        by_reference: Mapping[int, Variable],
        model_exchange: Interface | None,
        co_simulation: Interface | None,
    ) -> Structure:
        if self.version == 2:
            key, numbered = "index", dict(enumerate(listed, 1))
            paths = {"outputs": "Outputs/Unknown", "derivatives": "Derivatives/Unknown"}
        else:
            key, numbered = "valueReference", dict(by_reference)
            paths = {"outputs": "Output", "derivatives": "ContinuousStateDerivative", "indicators": "EventIndicator"}
        # Both standards have these lists ignored where nothing can be done with them.
        if model_exchange is None:
            paths.pop("indicators", None)
            if co_simulation is None or not co_simulation.directional_derivatives:
                del paths["derivatives"]
        lists = {
            name: tuple(read_unknown(each, key, numbered, self.source) for each in self.root.iterfind(f"ModelStructure/{path}"))
            for name, path in paths.items()
        }
        candidates = listed if self.version == 2 else by_reference.values()
        said = {unknown.name for unknown in lists["outputs"]}
        lists["outputs"] += tuple(Unknown(v.reference, None, v.name) for v in candidates if v.causality == "output" and v.name not in said)
        if self.version == 2 and model_exchange is not None:
            count = self._parsed(self.root.get("numberOfEventIndicators") or "0", int, "the number of event indicators")
            lists["indicators"] = (Unknown(-1, None),) * count
        return Structure(**lists)

    def _states(self, structure: Structure, variables: Mapping[str, Variable]) -> Iterator[int]:
        for unknown in structure.derivatives:
            state = variables[unknown.name].derivative
            if state is None:
                raise self.source.broken(f"lists '{unknown.name}' among the derivatives, but does not say of which state")
            yield variables[state].reference

    def _terminals(self, variables: Mapping[str, Variable]) -> tuple[dict[str, Terminal], list[str]]:
        """The terminals, and notes on those that cannot be used: they are a convenience, which an FMU works without."""
        text = next((self.members[name] for name in _TERMINALS if name in self.members), None)
        if text is None:
            return {}, []
        try:
            root = self.source.tree(text, "terminalsAndIcons.xml")
        except FmuError as error:
            return {}, [f"{error}; its terminals are ignored"]
        found: dict[str, Terminal] = {}
        notes = []
        for terminal in (each for top in root.iterfind("Terminals/Terminal") for each in _nested(top, "")):
            missing = [name for name in terminal.members.values() if name not in variables]
            if missing:
                notes.append(
                    f"'{self.source.path}' has the terminal '{terminal.name}' with the variable '{missing[0]}', which does not exist"
                )
            else:
                found[terminal.name] = terminal
        return found, notes


def _true(text: str | None) -> bool:
    return text is not None and text.strip() in ("true", "1")


def _boolean(text: str) -> bool:
    if text.strip() not in ("true", "1", "false", "0"):
        raise ValueError(text)
    return _true(text)


_PARSERS: dict[str, Callable[[str], Value]] = {
    "real": float,
    "integer": int,
    "boolean": _boolean,
    "string": str,
    "binary": bytes.fromhex,
}


def _by_reference(variables: Iterable[Variable]) -> dict[int, Variable]:
    found: dict[int, Variable] = {}
    for variable in variables:
        other = found.setdefault(variable.reference, variable)
        if other.type != "real" and variable.type == "real":
            found[variable.reference] = variable
    return found


def _nested(element: Element, prefix: str) -> Iterator[Terminal]:
    """A terminal and those inside it, which are named after it."""
    name = prefix + (element.get("name") or "")
    members: dict[str, str] = {}
    for member in element.iterfind("TerminalMemberVariable"):
        variable = member.get("variableName") or ""
        members[member.get("memberName") or variable] = variable
    for member in element.iterfind("TerminalStreamMemberVariable"):
        for side in ("inStream", "outStream"):
            members[member.get(f"{side}MemberName") or ""] = member.get(f"{side}VariableName") or ""
    yield Terminal(name, element.get("terminalKind") or "", element.get("matchingRule") or "", MappingProxyType(members))
    for inner in element.iterfind("Terminal"):
        yield from _nested(inner, f"{name}.")


# -- unpacking ---------------------------------------------------------------------------------------------------------

_SUFFIXES = {"win32": ".dll", "cygwin": ".dll", "darwin": ".dylib"}
_NOT_NEEDED = ("documentation", "sources")
_folders: dict[str, Path] = {}


def _platform_folders(version: int) -> list[str]:
    """The folders that may hold binaries for this platform, the version's own name first."""
    system = {"win32": "windows", "cygwin": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    machine = platform.machine().lower()
    architecture = {"amd64": "x86_64", "arm64": "aarch64", "i386": "x86", "i686": "x86"}.get(machine, machine)
    if architecture == "x86_64" and sys.maxsize < 2**32:
        architecture = "x86"
    names = [f"{architecture}-{system}"]
    if architecture in ("x86", "x86_64"):
        short = {"windows": "win"}.get(system, system) + ("64" if architecture == "x86_64" else "32")
        names.insert(0 if version == 2 else 1, short)
    return names


def _unpacked(path: Path, platforms: list[str]) -> Path:
    """The folder with the FMU's files, one for each content, until the process ends."""
    with _lock, path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest not in _folders:
            try:
                _folders[digest] = _unpack(path, platforms)
            except _DAMAGED as error:
                raise _damaged(path, error) from None
        return _folders[digest]


def _unpack(path: Path, platforms: list[str]) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"{path.stem}-")).resolve()
    atexit.register(_remove, folder, os.getpid())
    with zipfile.ZipFile(path) as archive:
        members = {_slashed(info.filename): info for info in archive.infolist() if not info.is_dir()}
        for name in members:
            _refuse_escape(name, path)
        for name, info in members.items():
            first, *others = name.split("/")
            if first in _NOT_NEEDED or (first == "binaries" and others[0] not in platforms):
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(info) as packed, target.open("wb") as file:
                shutil.copyfileobj(packed, file)
            if info.external_attr >> 16 & 0o111:
                target.chmod(0o700)  # what a link to a tool starts
    return folder


def _refuse_escape(name: str, path: Path) -> None:
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or ".." in name.split("/"):
        raise FmuError(
            f"'{path}' would write the file '{name}' outside its own folder, and is not unpacked; get it from a source you trust"
        )


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # not in a child that inherited the duty
        shutil.rmtree(folder, ignore_errors=True)


def _slashed(name: str) -> str:
    """The name of a member of an archive; some tools write Windows' separators."""
    return name.replace("\\", "/")
