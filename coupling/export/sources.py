"""The component models inside FMUs of this project, as C sources; FMUs of other tools have none that can be linked in."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

from coupling.errors import BuildError, listed
from coupling.fmus import Fmu
from fmu_components.export.compile import RUNTIME

_MODEL, _CONTRACT = "sources/model.c", "sources/model.h"


def model_sources(fmus: Mapping[str, Fmu]) -> dict[str, str]:
    """Returns the source of each instance's model. Instances without a source raise BuildError with their names and a remedy."""
    found: dict[str, str] = {}
    foreign: list[str] = []
    known: dict[Fmu, str | None] = {}
    for instance, fmu in fmus.items():
        if fmu not in known:
            known[fmu] = _source(instance, fmu)
        text = known[fmu]
        if text is None:
            foreign.append(instance)
        else:
            found[instance] = text
    if foreign:
        tools = sorted({fmus[name].generation_tool or "an unnamed tool" for name in foreign})
        one = len(foreign) == 1
        raise BuildError(
            f"{listed(foreign)} cannot be exported: {'it is' if one else 'they are'} no {'component' if one else 'components'} of this library but "
            f"{'an FMU' if one else 'FMUs'} of {', '.join(tools)}, whose {'model is' if one else 'models are'} not available as sources. Leave "
            f"{'it' if one else 'them'} out of the system and name the ports and variables that {'it was' if one else 'they were'} connected with in inputs and outputs. Your "
            "tool then connects them with the exported FMU"
        )
    return found


def _source(instance: str, fmu: Fmu) -> str | None:
    """Returns the source of a model; None for an FMU of another tool."""
    try:
        with zipfile.ZipFile(fmu.path) as archive:
            names = set(archive.namelist())
            if "sources/mechanism.c" in names and "sources/schedule.c" in names:
                raise BuildError(
                    f"'{instance}' cannot be exported: '{fmu.path}' is a whole mechanism itself; add the components that it was exported from, and "
                    "export these together"
                )
            if not {_MODEL, _CONTRACT} <= names or not fmu.generation_tool.startswith("Jourdain"):
                return None
            model, contract = (archive.read(name).decode() for name in (_MODEL, _CONTRACT))
    except (OSError, zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise BuildError(
            f"'{instance}' cannot be exported: the sources in '{fmu.path}' cannot be read ({error}); build the FMU again"
        ) from None
    if _layout(contract) != _layout((Path(RUNTIME) / "model.h").read_text()):
        raise BuildError(
            f"'{instance}' cannot be exported: '{fmu.path}' was built by {fmu.generation_tool} with another layout of its tables; build it again, or "
            "add the component by its name"
        )
    return model


def _layout(contract: str) -> str:
    """Returns the header without comments and spaces."""
    return re.sub(r"\s+", "", re.sub(r"/\*.*?\*/", "", contract, flags=re.DOTALL))
