"""Adaptors of the Modelica Standard Library in FMUs of OpenModelica, whose torques and forces have the opposite sign of efforts at ports.

An effort at a port acts on the side that gives the motion. A signal into an adaptor is the flow into its flange: the parts at this flange
feel the opposite. The signal ``tau`` of ``AngleToTorqueAdaptor`` is the torque that these parts need: the side that gives the motion feels
the opposite. The signal of a general adaptor that gives a flow has the sign of an effort.
"""

from __future__ import annotations

from collections.abc import Iterator

from coupling.fmus.description import Fmu

_TOOL = "OpenModelica"
_POTENTIALS = {"tau": "phi", "f": "s"}
"""Flows of flanges, with the potentials beside them."""


def is_of_openmodelica(fmu: Fmu) -> bool:
    return fmu.generation_tool.startswith(_TOOL)


def reversing_adaptor(fmu: Fmu, name: str) -> str:
    """Returns the adaptor through which an input or output of an FMU is the opposite of an effort at a port; empty for all others.

    The variable is an alias of the adaptor's, or has the same name and the FMU has no other adaptor.
    """
    variable = fmu.variables[name]
    if not is_of_openmodelica(fmu) or variable.type != "real" or variable.causality not in ("input", "output"):
        return ""
    found = list(_adaptors(fmu, variable.causality == "input"))
    aliases = [adaptor for adaptor, flow in found if fmu.variables[f"{adaptor}.{flow}"].reference == variable.reference]
    named = [adaptor for adaptor, flow in found if name == flow] if len(found) == 1 else []
    return next(iter(aliases or named), "")


def _adaptors(fmu: Fmu, takes: bool) -> Iterator[tuple[str, str]]:
    """Yields the adaptors that reverse the sign, with the names of their signals; ``takes`` is the direction of the signal."""
    known = fmu.variables
    for name in known:
        for flow, potential in _POTENTIALS.items():
            adaptor = name.removesuffix(f".flange.{flow}")
            if adaptor == name or f"{adaptor}.flange.{potential}" not in known:
                continue
            if flow == "tau" and {f"{adaptor}.phi", f"{adaptor}.tau"} <= known.keys():
                yield adaptor, "tau"
            elif takes and {f"{adaptor}.p", f"{adaptor}.f"} <= known.keys():
                yield adaptor, "f"
