"""FMUs of other tools, from the inside of their model descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.fmus.written import Write, packed


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes an FMU from the inside of its model description."""

    def write(fmi: int, inside: str, files: Mapping[str, str | bytes] | None = None, attributes: str = "", name: str = "m.fmu") -> Path:
        token = 'guid="g"' if fmi == 2 else 'instantiationToken="g"'
        head = f'fmiVersion="{fmi}.0" modelName="m" generationTool="Tool 1" {token} {attributes}'
        return packed(
            tmp_path / name, {"modelDescription.xml": f"<fmiModelDescription {head}>{inside}</fmiModelDescription>"} | dict(files or {})
        )

    return write
