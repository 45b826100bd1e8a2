"""What an FMU can do in Model Exchange or in Co-Simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from xml.etree.ElementTree import Element

from coupling.fmus.errors import Source


def is_true(text: str | None) -> bool:
    """Whether an attribute of XML says so."""
    return text is not None and text.strip() in ("true", "1")


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
        """Whether the FMU wants to be told of each completed step; FMI 2 asks unless told otherwise, FMI 3 the other way round."""
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


def read_interface(root: Element, tag: str, kind: str, version: int, source: Source) -> Interface | None:
    """The interface for a ``kind``, ``me`` or ``cs``, which the model description has under ``tag``; None where it has none."""
    element = root.find(tag)
    if element is None:
        return None
    identifier = element.get("modelIdentifier")
    if not identifier or not PurePosixPath(identifier).name == identifier or "\\" in identifier:
        raise source.broken(f"has the modelIdentifier '{identifier or ''}' in its {tag}, which cannot be the name of a binary")
    return Interface(identifier, MappingProxyType(dict(element.attrib)), kind, version)
