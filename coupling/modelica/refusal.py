"""The refusal of native text."""

from __future__ import annotations

from coupling.errors import BuildError

_AS_FMU = "write the system as an FMU with a wrapper: form='fmu'"


class NoText(BuildError):
    """A system that has no native Modelica text; the text says why, and what to do."""

    def __init__(self, reason: str, remedy: str = _AS_FMU) -> None:
        super().__init__(f"{reason}; {remedy}")
        self.reason = reason

    def __reduce__(self) -> tuple[type[NoText], tuple[str, str]]:
        return NoText, (self.reason, str(self)[len(self.reason) + 2 :])
