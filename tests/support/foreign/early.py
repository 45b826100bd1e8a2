"""A slave of FMI 3 that asks for inputs within its steps, offers to return there, and ends its steps at its events; ``early.c`` describes it."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from tests.support.foreign.archive import compiled, kept, native
from tests.support.foreign.c_code import HEADERS

_SOURCE = Path(__file__).with_name("early.c")
_OUTPUTS = {3: "x", 4: "count", 5: "inside", 6: "asked", 7: "odd", 8: "steps"}
_DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Early" instantiationToken="t" generationTool="tests/support/foreign">
<CoSimulation modelIdentifier="early" canHandleVariableCommunicationStepSize="true" providesIntermediateUpdate="true"
 canReturnEarlyAfterIntermediateUpdate="true" mightReturnEarlyFromDoStep="{events}" hasEventMode="{events}"{saves}/>
<ModelVariables><Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="u" valueReference="1" causality="input" start="0" intermediateUpdate="true"/>
<Float64 name="period" valueReference="2" causality="parameter" variability="fixed" start="1e9"/>
<Float64 name="pause" valueReference="9" causality="parameter" variability="fixed" start="0"/>
{outputs}</ModelVariables>
<ModelStructure>{listed}</ModelStructure></fmiModelDescription>"""


def early(saves: bool = True, events: bool = True) -> Path:
    """Returns the FMU; ``saves``: its state can be saved; ``events``: it stops at its events, in Event Mode."""
    source = _SOURCE.read_text()
    declared = re.findall(r"\b(fmi3\w+)TYPE\b", (HEADERS / "fmi3FunctionTypes.h").read_text())
    defined = set(re.findall(r"^fmi3\w+ (fmi3\w+)\(|^void (fmi3\w+)\(", source, flags=re.MULTILINE))
    names = {name for pair in defined for name in pair}
    # Functions of the standard that the master does not need here: they return an error.
    source += "".join(f"int {name}(void) {{ return 3; }}\n" for name in sorted(set(declared) - names))
    description = _DESCRIPTION.format(
        events=str(events).lower(),
        saves=' canGetAndSetFMUState="true"' if saves else "",
        outputs="".join(f'<Float64 name="{name}" valueReference="{n}" causality="output"/>' for n, name in _OUTPUTS.items()),
        listed="".join(f'<Output valueReference="{n}" dependencies=""/>' for n in _OUTPUTS),
    )

    def make(path: Path) -> None:
        written = path.with_suffix(".c")
        written.write_text(source, encoding="utf-8")
        library = compiled([written], path.with_suffix(".so"))
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", description)
            archive.writestr(f"binaries/{native(3)}/early.so", library)

    return kept("early", source + description, make)
