"""FMUs with outputs and inputs of all types of FMI 2 and FMI 3, in Model Exchange and Co-Simulation; ``types.c`` describes them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support.foreign.archive import compiled, kept, native
from tests.support.foreign.c_code import HEADERS

_SOURCE = Path(__file__).with_name("types.c")
MIME = "application/x-jourdain"
KINDS_2 = {"text": "String", "count": "Integer", "truth": "Boolean", "mode": "Enumeration"}
KINDS_3 = {
    "text": "String",
    "count": "Int64",
    "truth": "Boolean",
    "mode": "Enumeration",
    "blob": "Binary",
    "f32": "Float32",
    "i8": "Int8",
    "u8": "UInt8",
    "i16": "Int16",
    "u16": "UInt16",
    "i32": "Int32",
    "u32": "UInt32",
    "u64": "UInt64",
    "texts": "String",
    "matrix": "Float64",
}
"""Types of the variables by the ends of their names, in the order of their references."""


_WHOLE = {2: ("Integer", "Boolean"), 3: ("Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "Boolean")}
"""Types whose functions a macro of ``types.c`` defines."""


def values(version: int, phase: int) -> dict[str, object]:
    """Returns the outputs before (0) and after (1) the event, by the ends of their names."""
    p = phase
    if version == 2:
        return {"text": ("idle", "läuft")[p], "count": 7 + p, "truth": p, "mode": 1 + p}
    return {
        "text": ("idle", "läuft")[p],
        "count": 2**60 + 1 + p,
        "truth": p,
        "mode": 1 + p,
        "blob": bytes([0, 255, p]),
        "f32": (0.10000000149011612, 1.100000023841858)[p],
        "i8": -128 + p,
        "u8": 255 - p,
        "i16": -32768 + p,
        "u16": 65535 - p,
        "i32": -(2**31) + p,
        "u32": 2**32 - 1 - p,
        "u64": 2**64 - 1 - p,
    }


def _variables(version: int) -> Iterator[str]:
    for number, (name, kind) in enumerate((KINDS_2 if version == 2 else KINDS_3).items(), 1):
        for prefix, first, causality in (("", 0, "output"), ("in_", 100, "input"), ("echo_", 200, "output")):
            yield _variable(version, f"{prefix}{name}", first + number, kind, causality, name)


def _variable(version: int, name: str, reference: int, kind: str, causality: str, what: str) -> str:
    given = causality == "input"
    start = {"String": "none", "Boolean": "false", "Enumeration": "1", "Binary": ""}.get(kind, "0")
    common = f'name="{name}" valueReference="{reference}" causality="{causality}" variability="discrete"'
    declared = ' declaredType="Mode"' if kind == "Enumeration" else ""
    if version == 2:
        return f"<ScalarVariable {common}><{kind}{declared}{f' start={chr(34)}{start}{chr(34)}' if given else ''}/></ScalarVariable>"
    size = {"texts": '<Dimension start="2"/>', "matrix": '<Dimension start="2"/><Dimension start="2"/>'}.get(what, "")
    mime = f' mimeType="{MIME}"' if kind == "Binary" else ""
    inner = (f'<Start value="{start}"/>' * (2 if what == "texts" else 1)) if given and kind in ("String", "Binary") else ""
    attribute = f' start="{start}"' if given and not inner else ""
    return f"<{kind} {common}{declared}{mime}{attribute}>{size}{inner}</{kind}>"


def _description(version: int) -> str:
    items = '<Item name="off" value="1"/><Item name="on" value="2"/>'
    names = KINDS_2 if version == 2 else KINDS_3
    outputs = [reference for first in (0, 200) for reference in range(first + 1, first + 1 + len(names))]
    variables = "".join(_variables(version))
    if version == 2:
        variables = (
            '<ScalarVariable name="x" valueReference="22" causality="output" variability="continuous" initial="exact"><Real start="0"/></ScalarVariable>'
            '<ScalarVariable name="der(x)" valueReference="23"><Real derivative="1"/></ScalarVariable>'
            '<ScalarVariable name="sets" valueReference="21" causality="output" variability="discrete"><Integer/></ScalarVariable>'
            '<ScalarVariable name="long" valueReference="24" causality="local" variability="discrete"><String/></ScalarVariable>'
            + variables
        )
        count = 4 + 3 * len(names)
        places = [1, 3, *(place for place in range(5, count + 1) if (place - 5) % 3 != 1)]
        listed = "".join(f'<Unknown index="{place}"/>' for place in places)
        return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Types" guid="t" generationTool="tests/support/foreign" numberOfEventIndicators="0">
<ModelExchange modelIdentifier="types" canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>
<CoSimulation modelIdentifier="types" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>
<TypeDefinitions><SimpleType name="Mode"><Enumeration>{items}</Enumeration></SimpleType></TypeDefinitions>
<ModelVariables>{variables}</ModelVariables><ModelStructure><Outputs>{listed}</Outputs>
<Derivatives><Unknown index="2" dependencies=""/></Derivatives></ModelStructure></fmiModelDescription>"""
    listed = "".join(f'<Output valueReference="{reference}"/>' for reference in (22, 21, *outputs))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Types" instantiationToken="t" generationTool="tests/support/foreign">
<ModelExchange modelIdentifier="types" canGetAndSetFMUState="true" canSerializeFMUState="true"/>
<CoSimulation modelIdentifier="types" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUState="true" canSerializeFMUState="true"/>
<TypeDefinitions><EnumerationType name="Mode">{items}</EnumerationType></TypeDefinitions>
<ModelVariables><Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="x" valueReference="22" causality="output" variability="continuous" initial="exact" start="0"/>
<Float64 name="der(x)" valueReference="23" derivative="22"/>
<Int32 name="sets" valueReference="21" causality="output" variability="discrete"/>
<String name="long" valueReference="24" causality="local" variability="discrete"/>{variables}</ModelVariables>
<ModelStructure>{listed}<ContinuousStateDerivative valueReference="23" dependencies=""/></ModelStructure></fmiModelDescription>"""


def types(version: int, changes: Mapping[str, str] | None = None) -> Path:
    """Returns the FMU; ``changes`` replace texts of its source or its description."""
    source, description = _SOURCE.read_text(), _description(version)
    for old, new in (changes or {}).items():
        assert old in source or old in description, old
        source, description = source.replace(old, new), description.replace(old, new)
    declared = set(re.findall(r"\b(fmi\d\w+)TYPE\b", (HEADERS / f"fmi{version}FunctionTypes.h").read_text()))
    defined = set(re.findall(rf"\bF\((\w+)\)|\bfmi{version}(\w+)\(", source))
    names = {f"fmi{version}{a or b}" for a, b in defined} | {
        f"fmi{version}{verb}{kind}" for verb in ("Get", "Set") for kind in _WHOLE[version]
    }
    names |= {name for name in declared if "FMUState" in name or "FMUstate" in name}
    # Functions of the standard that no test calls: they return an error.
    others = "".join(f"int {name}(void) {{ return 3; }}\n" for name in sorted(declared - names))
    code = f"#define VERSION {version}\n#define BOOLEAN {'int' if version == 2 else '_Bool'}\n{source}{others}"

    def make(path: Path) -> None:
        written = path.with_suffix(".c")
        written.write_text(code, encoding="utf-8")
        library = compiled([written], path.with_suffix(".so"))
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", description)
            archive.writestr(f"binaries/{native(version)}/types.so", library)

    return kept("types", code + description, make)
