"""The refusal of native text."""

from __future__ import annotations

from coupling.errors import BuildError


class NoText(BuildError):
    """A system that has no native Modelica text, and may be written as an FMU; the text says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}; write the system as an FMU with a wrapper: form='fmu'")
        self.reason = reason

    def __reduce__(self) -> tuple[type[NoText], tuple[str]]:
        return NoText, (self.reason,)
