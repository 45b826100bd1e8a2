"""An FMU of FMI 3 whose variables are arrays, with sizes that structural parameters give, and with algebraic variables."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.support.foreign.archive import compiled, kept, native

_SOURCE = Path(__file__).with_name("arrays.c")
_DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Arrays" instantiationToken="t" generationTool="tests/support/foreign">
  <ModelExchange modelIdentifier="arrays" providesDirectionalDerivatives="true"/>
  <CoSimulation modelIdentifier="arrays" canHandleVariableCommunicationStepSize="true" providesDirectionalDerivatives="true"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <UInt64 name="n" valueReference="1" causality="structuralParameter" variability="fixed" start="2" min="1" max="4"/>
    <UInt64 name="m" valueReference="2" causality="structuralParameter" variability="fixed" start="1" max="4"/>
    <Boolean name="dae" valueReference="3" causality="structuralParameter" variability="fixed" start="false"/>
    <Float64 name="A" valueReference="4" causality="parameter" variability="fixed" start="0 1 -1 0">
      <Dimension valueReference="1"/><Dimension valueReference="1"/></Float64>
    <Float64 name="B" valueReference="5" causality="parameter" variability="fixed" start="0 0">
      <Dimension valueReference="1"/><Dimension valueReference="2"/></Float64>
    <Float64 name="x" valueReference="6" causality="output" initial="exact" start="1 0"><Dimension valueReference="1"/></Float64>
    <Float64 name="der(x)" valueReference="7" derivative="6"><Dimension valueReference="1"/></Float64>
    <Float64 name="u" valueReference="8" causality="input" start="0"><Dimension valueReference="2"/></Float64>
    <Float64 name="y" valueReference="9" causality="output"><Dimension valueReference="1"/></Float64>
    <Int32 name="k" valueReference="10" causality="parameter" variability="fixed" start="1 2"><Dimension start="2"/></Int32>
    <Boolean name="flags" valueReference="11" causality="parameter" variability="fixed" start="false false"><Dimension start="2"/></Boolean>
    <Float64 name="a" valueReference="12"><Dimension valueReference="1"/></Float64>
    <Float64 name="r" valueReference="13"><Dimension valueReference="1"/></Float64>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="6" dependencies="6"/>
    <Output valueReference="9" dependencies="6 8 5"/>
    <ContinuousStateDerivative valueReference="7" dependencies="6 8 4 5"/>
    <InitialUnknown valueReference="7"/><InitialUnknown valueReference="9"/>
  </ModelStructure>
</fmiModelDescription>
"""
_MANIFEST = """<fmiLayeredStandardManifest>
  <EnableDAE valueReference="3"/>
  <AlgebraicVariables><AlgebraicVariable valueReference="12"/></AlgebraicVariables>
  <ModelStructure>
    <ContinuousStateDerivative valueReference="7" dependencies="12"/>
    <Residual><Formulation index="1" valueReference="13" dependencies="6 8 12 4 5"/></Residual>
  </ModelStructure>
</fmiLayeredStandardManifest>
"""


def arrays(dae: bool = False) -> Path:
    """Returns the FMU of x' = A x + B u, y = 2 x + B u, where x has n elements and u has m.

    A turns by 1 rad/s, from x = (1, 0), for n = 2, and is 0 otherwise. With ``dae`` the FMU leaves a = A x + B u to the importer, as
    FMI-LS-DAE describes.
    """

    def make(path: Path) -> None:
        library = compiled([_SOURCE], path.with_suffix(".so"))
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", _DESCRIPTION)
            archive.writestr(f"binaries/{native(3)}/arrays.so", library)
            if dae:
                archive.writestr("extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml", _MANIFEST)

    return kept("arrays", f"{_SOURCE.read_text()}{_DESCRIPTION}{_MANIFEST if dae else ''}", make)
