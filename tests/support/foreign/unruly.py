"""FMUs that misbehave as programs do: an oscillator that crashes, hangs, floods or leaves at a call of one of its functions. One binary for each version
of FMI serves all of them: what it does stands in its token."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from tests.support.foreign import fmi1
from tests.support.foreign.archive import compiled, kept, native
from tests.support.foreign.c_code import c_code
from tests.support.foreign.description import description
from tests.support.foreign.misbehaving import OSCILLATOR

_UNRULY = Path(__file__).with_name("unruly.c")
_MODEL = replace(
    OSCILLATOR,
    name="Unruly",
    variables=[replace(v, rate=v.rate and f"{v.rate} + spoiled", value=v.value and f"{v.value} + spoiled") for v in OSCILLATOR.variables],
    indicators=["x - 10"],
    rollback=True,
    serialises=True,
    wants_completed=True,
)

FUNCTIONS = {
    "instantiate": ("fmi2Instantiate", "fmi3Instantiate{}"),
    "set up": ("fmi2SetupExperiment", None),
    "enter initialisation": ("fmi2EnterInitializationMode", "fmi3EnterInitializationMode"),
    "exit initialisation": ("fmi2ExitInitializationMode", "fmi3ExitInitializationMode"),
    "get": ("fmi2GetReal", "fmi3GetFloat64"),
    "set": ("fmi2SetReal", "fmi3SetFloat64"),
    "time": ("fmi2SetTime", "fmi3SetTime"),
    "states": ("fmi2SetContinuousStates", "fmi3SetContinuousStates"),
    "indicators": ("fmi2GetEventIndicators", "fmi3GetEventIndicators"),
    "event update": ("fmi2NewDiscreteStates", "fmi3UpdateDiscreteStates"),
    "completed step": ("fmi2CompletedIntegratorStep", "fmi3CompletedIntegratorStep"),
    "do step": ("fmi2DoStep", "fmi3DoStep"),
    "save": ("fmi2GetFMUstate", "fmi3GetFMUState"),
    "restore": ("fmi2SetFMUstate", "fmi3SetFMUState"),
    "size": ("fmi2SerializedFMUstateSize", "fmi3SerializedFMUStateSize"),
    "serialise": ("fmi2SerializeFMUstate", "fmi3SerializeFMUState"),
    "deserialise": ("fmi2DeSerializeFMUstate", "fmi3DeserializeFMUState"),
    "terminate": ("fmi2Terminate", "fmi3Terminate"),
    "free": ("fmi2FreeInstance", "fmi3FreeInstance"),
    "reset": ("fmi2Reset", "fmi3Reset"),
}
"""Names of the functions in FMI 2 and FMI 3, by task."""


OF_FMI1 = {
    "instantiate": "fmiInstantiate",
    "enter initialisation": "fmiInitialize",
    "get": "fmiGetReal",
    "set": "fmiSetReal",
    "time": "fmiSetTime",
    "states": "fmiSetContinuousStates",
    "indicators": "fmiGetEventIndicators",
    "event update": "fmiEventUpdate",
    "completed step": "fmiCompletedIntegratorStep",
    "do step": "fmiDoStep",
    "terminate": "fmiTerminate",
    "free": "fmiFree",
}
"""Names of the functions in FMI 1; some of Co-Simulation have the name of those of Model Exchange with more letters."""


def function(what: str, version: int, kind: str) -> str | None:
    """The name of a function; None where the version has none."""
    if version == 1:
        return OF_FMI1.get(what)
    name = FUNCTIONS[what][version - 2]
    return name and name.format("ModelExchange" if kind == "me" else "CoSimulation")


def unruly(does: str, at: str, number: int, version: int, kind: str, resets: bool = False) -> Path:
    """The FMU that does something, of those in ``unruly.c``, at a call of a function; at call 0, which never comes, it is well-behaved.

    One that ``resets`` poses as one of ours, which are reset for another run; others are instantiated anew.
    """
    token = f"{does} {function(at, version, kind)} {number}"
    model = replace(_MODEL, kinds=(kind,)) if version == 1 else _MODEL
    xml, binary = fmi1.description(model, token) if version == 1 else description(model, version, token), _binary(version, kind)
    if resets:
        xml = xml.replace('generationTool="', 'generationTool="Jourdain in ')

    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("modelDescription.xml", xml)
            archive.writestr(f"binaries/{native(version)}/{_MODEL.name}.so", binary.read_bytes())

    return kept(_MODEL.name, f"{xml}{_source(version, kind)}", make)


@cache
def _source(version: int, kind: str) -> str:
    source = c_code(replace(_MODEL, kinds=(kind,)), version, "").replace("strcmp(token, TOKEN)", "!heeds(token)")
    if version == 1:
        source = re.sub(
            r"(?m)^(void \*Unruly_(fmiInstantiate)\w+\([^{]*\{)", r'\1 if (heeds(guid)) misbehaves("\2");', source.replace("(\n", "(")
        )
        source = re.sub(r"(?m)^(void Unruly_(fmiFree)\w+\([^{]*\{)", r'\1 misbehaves("\2");', source)
        source = re.sub(
            r"(?m)^(int Unruly_(fmi(?:Initialize|Terminate|\w+?))(?:Slave)?\(void \*c[^{]*\{)",
            r'\1 const int said_ = misbehaves("\2"); if (said_ >= 0) return said_;',
            source,
        )
    # Instantiation heeds its token before it misbehaves.
    source = re.sub(r"(?m)^(void \*(fmi\dInstantiate\w*)\([^{]*\{)", r'\1 if (heeds(\2_TOKEN)) misbehaves("\2");', source)
    source = source.replace("fmi2Instantiate_TOKEN", "guid")
    source = re.sub(r"fmi3Instantiate\w+_TOKEN", "token", source)
    source = re.sub(r"(?m)^(void (fmi\dFreeInstance)\([^{]*\{)", r'\1 misbehaves("\2");', source)
    source = re.sub(
        r"(?m)^(fmi\dStatus (fmi\d\w+)\([^{]*\{)", r'\1 const int said_ = misbehaves("\2"); if (said_ >= 0) return said_;', source
    )
    source = source.replace("*size = sizeof(Model);", "*size = sizeof(Model) + swollen;")
    last = "static Model *last;\nstatic int told(const char *text) { return say(last, Error, text); }\n"
    source = source.replace("static Model *begin(", f"{last}static Model *begin(").replace(
        "    memcpy(m->v, starts", "    last = m, tell = told;\n    memcpy(m->v, starts", 1
    )
    return _UNRULY.read_text() + source


@cache
def _binary(version: int, kind: str) -> Path:
    def make(path: Path) -> None:
        c_file = path.with_suffix(".c")
        c_file.write_text(_source(version, kind))
        path.write_bytes(compiled([c_file], path.with_suffix(".so")))

    return kept(f"unruly{version}", _source(version, kind), make)
