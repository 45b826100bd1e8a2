"""Capabilities of an FMU in Model Exchange or in Co-Simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from xml.etree.ElementTree import Element

from coupling.fmus.errors import Source


def is_true(text: str | None) -> bool:
    """Says whether an attribute of XML is true."""
    return text is not None and text.strip() in ("true", "1")


@dataclass(frozen=True, slots=True)
class Interface:
    """Capabilities of an FMU in Model Exchange or in Co-Simulation."""

    identifier: str
    attributes: Mapping[str, str]
    """Attributes as written; the properties below are the same in both versions."""
    kind: str
    """``me`` or ``cs``."""
    version: int
    sources: tuple[str, ...] = ()
    """Names of source files (FMI 2)."""

    def _flag(self, *names: str) -> bool:
        return any(is_true(self.attributes.get(name)) for name in names)

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
        """True if the FMU must be informed of each completed step. The attribute's default is true in FMI 2 and false in FMI 3."""
        if self.kind != "me":
            return False
        return not self._flag("completedIntegratorStepNotNeeded") if self.version < 3 else self._flag("needsCompletedIntegratorStep")

    @property
    def once_per_process(self) -> bool:
        return self._flag("canBeInstantiatedOnlyOncePerProcess")

    @property
    def needs_tool(self) -> bool:
        """True if the FMU is a mere link to the tool that wrote it."""
        return self._flag("needsExecutionTool")

    @property
    def variable_step(self) -> bool:
        return self._flag("canHandleVariableCommunicationStepSize")

    @property
    def interpolates_inputs(self) -> bool:
        """True if derivatives of inputs can be set (FMI 1 and 2)."""
        return self._flag("canInterpolateInputs")

    @property
    def event_mode(self) -> bool:
        return self._flag("hasEventMode")

    @property
    def intermediate_update(self) -> bool:
        return self._flag("providesIntermediateUpdate")

    @property
    def early_return(self) -> bool:
        """True if the importer may end a step at an intermediate update."""
        return self._flag("canReturnEarlyAfterIntermediateUpdate")

    @property
    def might_return_early(self) -> bool:
        """True if the FMU may end a step on its own."""
        return self._flag("mightReturnEarlyFromDoStep")


def read_interface(root: Element, tag: str, kind: str, version: int, source: Source) -> Interface | None:
    """Returns the interface for a ``kind``, ``me`` or ``cs``, which the model description has under ``tag``; None if it has none."""
    element = root.find(tag)
    if element is None:
        return None
    identifier = element.get("modelIdentifier")
    if not identifier or not PurePosixPath(identifier).name == identifier or "\\" in identifier:
        raise source.broken(f"has the modelIdentifier '{identifier or ''}' in its {tag}, which cannot be the name of a binary")
    sources = tuple(each.get("name") or "" for each in element.iterfind("SourceFiles/File"))
    return Interface(identifier, MappingProxyType(dict(element.attrib)), kind, version, sources)
