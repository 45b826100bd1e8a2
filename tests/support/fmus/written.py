"""FMUs as other tools might describe them: archives of the files that they are given."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

Write = Callable[..., Path]
ME = '<ModelExchange modelIdentifier="m"/>'
CS = '<CoSimulation modelIdentifier="m"/>'

FMI_3 = (
    CS
    + """
<TypeDefinitions>
  <Float32Type name="Angle" unit="deg" min="-180"/>
  <EnumerationType name="Mode"><Item name="a" value="1"/><Item name="b" value="2"/></EnumerationType>
</TypeDefinitions>
<ModelVariables>
  <Float64 name="time" valueReference="0" causality="independent"/>
  <Float32 name="phi" valueReference="1" causality="input" declaredType="Angle" start="0.5"><Alias name="angle" description="seen from above"/></Float32>
  <Enumeration name="mode" valueReference="2" causality="parameter" declaredType="Mode" start="2"/>
  <UInt64 name="n" valueReference="3" causality="structuralParameter" start="3"/>
  <Float64 name="A" valueReference="4" causality="parameter" start="1 2 3 4 5 6"><Dimension valueReference="3"/><Dimension start="2"/></Float64>
  <Float64 name="b" valueReference="5" causality="parameter" start="7"><Dimension valueReference="3"/></Float64>
  <String name="lines" valueReference="6" causality="parameter"><Dimension start="2"/><Start value="a b"/><Start value=""/></String>
  <Binary name="blob" valueReference="7" causality="input"><Start value="0aFF"/></Binary>
  <Clock name="tick" valueReference="8" causality="input" intervalVariability="constant" intervalDecimal="0.1"/>
  <Boolean name="on" valueReference="9" causality="output"/>
  <Int8 name="k" valueReference="10" causality="input" start="-3"/>
  <Float64 name="r" valueReference="11" variability="constant" start="1" nominal="-20"/>
</ModelVariables>
<ModelStructure><Output valueReference="9" dependencies="1 10"/><InitialUnknown valueReference="9"/></ModelStructure>
<DefaultExperiment startTime="0" stopTime="2.5"/>"""
)


def packed(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
