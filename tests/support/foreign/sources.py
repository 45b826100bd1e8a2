"""FMUs that bring their sources and no binary."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from tests.support.foreign.c_code import c_code
from tests.support.foreign.description import description
from tests.support.foreign.misbehaving import OSCILLATOR
from tests.support.foreign.model import Model

TOKEN = "sources"


def build_description(inside: str = "", attributes: str = 'language="C11"', more: str = "", name: str = "Oscillator") -> str:
    """Returns a build description of the file ``model.c``; ``inside``: further elements of its set of sources, ``more``: after it."""
    return (
        f'<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="{name}"><SourceFileSet {attributes}>'
        f'<SourceFile name="model.c"/>{inside}</SourceFileSet>{more}</BuildConfiguration></fmiBuildDescription>'
    )


def source_fmu(
    folder: Path,
    version: int = 3,
    model: Model = OSCILLATOR,
    *,
    build: str | None = None,
    code: str = "{source}",
    files: Mapping[str, str] | None = None,
    listed: Sequence[str] = (),
) -> Path:
    """Returns an FMU whose source is ``code`` around that of a model. ``build``: its build description in FMI 3; ``files``: more files;
    ``listed``: source files that its description names in FMI 2."""
    xml = description(model, version, TOKEN)
    if listed:
        inside = "".join(f"<File name={quoteattr(name)}/>" for name in listed)
        xml = re.sub(
            r"<(ModelExchange|CoSimulation)([^>]*)/>",
            lambda found: f"<{found[1]}{found[2]}><SourceFiles>{inside}</SourceFiles></{found[1]}>",
            xml,
        )
    members = {"modelDescription.xml": xml, "sources/model.c": code.replace("{source}", c_code(model, version, TOKEN)), **(files or {})}
    if version == 3:
        members["sources/buildDescription.xml"] = build or build_description(name=model.name)
    path = folder / f"{model.name}.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def prefixed(version: int, model: Model = OSCILLATOR) -> str:
    """Returns definitions after which all functions of the standard have the model identifier as prefix."""
    names = sorted(set(re.findall(rf"\b(fmi{version}[A-Z]\w*)\(", c_code(model, version, TOKEN))))
    return "".join(f"#define {name} {model.name}_{name}\n" for name in names) + "{source}"
