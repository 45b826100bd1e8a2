"""Variables of all types: a run with start values of any of them is kept, or refused before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from coupling import BuildError, StartError, System
from tests.support import foreign
from tests.support.foreign import Model, Variable

MODEL = Model("Typed", [Variable("u", "input"), Variable("x", "output", rate="u - x", start=1.0)])
EXTRA = {
    2: {
        "String": '<String start="idle"/>',
        "Boolean": '<Boolean start="true"/>',
        "Integer": '<Integer start="3"/>',
        "Enumeration": '<Enumeration declaredType="Mode" start="2"/>',
    },
    3: {
        "String": '<Start value="idle"/>',
        "Binary": '<Start value="0aff"/>',
        "Boolean": "",
        "Int8": "",
        "UInt64": "",
        "Enumeration": "",
        "Clock": "",
    },
}
VALUES = {"String": "busy", "Binary": b"\x01", "Boolean": False, "Integer": 4, "Int8": 4, "UInt64": 4, "Enumeration": 1, "Clock": True}
SETTERS = {2: ("SetString",), 3: ("SetString", "SetInt8", "SetUInt64", "SetInt64")}
"""Functions that the FMU refuses unless it is changed."""
ACCEPTING = "if (r[0] == 900) return 0;"
"""The variable that is added has no memory in the FMU."""
TYPES = {
    2: '<SimpleType name="Mode"><Enumeration><Item name="a" value="1"/><Item name="b" value="2"/></Enumeration></SimpleType>',
    3: '<EnumerationType name="Mode"><Item name="a" value="1"/><Item name="b" value="2"/></EnumerationType>',
}
CASES = [(version, kind, causality) for version in (2, 3) for kind in EXTRA[version] for causality in ("input", "parameter")]


def typed(version: int, kind: str, causality: str) -> Path:
    """A body with one more variable."""
    variability = "fixed" if causality == "parameter" else "discrete"
    content = EXTRA[version][kind]
    if version == 2:
        added = f'<ScalarVariable name="extra" valueReference="900" causality="{causality}" variability="{variability}">{content}</ScalarVariable>'
    else:
        start = "" if content or kind == "Clock" else f' start="{2 if kind == "Enumeration" else "true" if kind == "Boolean" else 3}"'
        more = ' declaredType="Mode"' if kind == "Enumeration" else ' intervalVariability="triggered"' if kind == "Clock" else ""
        added = (
            f'<{kind} name="extra" valueReference="900" causality="{causality}" variability="{variability}"{more}{start}>{content}</{kind}>'
        )
    refusing = {
        f"int fmi{version}{name}(void) {{ return 3; }}": f"int fmi{version}{name}(void) {{ return 0; }}" for name in SETTERS[version]
    }
    return foreign.export(
        MODEL,
        version,
        changes={
            "</ModelVariables>": f"{added}</ModelVariables>",
            "<ModelVariables>": f"<TypeDefinitions>{TYPES[version]}</TypeDefinitions><ModelVariables>",
            "M SET": f"{ACCEPTING} M SET",
            **refusing,
        },
    )


@pytest.mark.parametrize("given", ["not given", "to the instance", "to the run"])
@pytest.mark.parametrize(("version", "kind", "causality"), CASES)
def test_a_run_is_kept_whatever_the_type_of_a_start_value(version: int, kind: str, causality: str, given: str) -> None:
    """Binary data and clocks cannot be given, and are refused by name before anything runs."""
    system = System("typed")
    values = {"extra": VALUES[kind]}
    try:
        system.add("unit", typed(version, kind, causality), values if given == "to the instance" else {})
        result = system.simulate(0.5, start_values={"unit.extra": VALUES[kind]} if given == "to the run" else None)
    except (BuildError, StartError) as error:
        assert kind in ("Binary", "Clock") and given != "not given" and "extra" in str(error), error
    else:
        assert result.outcome.completed, result.outcome.sentence
        assert not [each for each in (*result.outcome.warnings, *result.outcome.notes) if "could not be written" in each]
        assert result["unit.x"][-1] == pytest.approx(0.60653066, abs=1e-4)
