"""A system as a slim FMU with a Modelica model around it, whose connectors are those of the Modelica Standard Library.

A compiler knows no derivative of an FMU's output. Therefore ports that give motion have shadow states: the model integrates the
acceleration that the FMU gives, and the connector has the model's own position and velocity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from coupling.errors import BuildError
from coupling.fmus import Fmu, FmuVariable, Terminal
from coupling.fmus.ports import needs_partner
from coupling.modelica.formulas import number
from coupling.modelica.names import check_unique
from coupling.plan.rates import original_of, rates_of
from fmu_components.declare.orientation import orientation
from fmu_components.declare.ports import (
    ELECTRICAL,
    HYDRAULIC,
    KIND_OF_TERMINAL,
    PLANAR,
    PNEUMATIC,
    ROTATIONAL,
    SPATIAL,
    THERMAL,
    TRANSLATIONAL,
    PortKind,
    Quantity,
)
from fmu_components.modelica.connectors import CONNECTORS, connector_lines
from fmu_components.modelica.icons import box_icon, placement
from fmu_components.modelica.names import modelica_name, modelica_string, modelica_unit

CLASSES: dict[PortKind, str] = {
    PLANAR: "PlanarMechanics.Interfaces.Frame_a",
    ROTATIONAL: "Modelica.Mechanics.Rotational.Interfaces.Flange_a",
    TRANSLATIONAL: "Modelica.Mechanics.Translational.Interfaces.Flange_a",
    ELECTRICAL: "Modelica.Electrical.Analog.Interfaces.Pin",
    THERMAL: "Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a",
    HYDRAULIC: "Hydraulic",
    PNEUMATIC: "Pneumatic",
    SPATIAL: CONNECTORS[SPATIAL].name,
}
"""Connectors by kind of port. The Modelica Standard Library has none for oil and air; the model declares its own."""
_PLANAR = ', PlanarMechanics(version = "1.6.0")'
_SIGNALS = {"real": "Real", "boolean": "Boolean", "integer": "Integer"}
_AXES = "xyz"
_STATE = "stateSelect = StateSelect.always"
_UNSAFE = re.compile(r"[.\[\] ,()]")
"""Characters that OpenModelica replaces by underscores in names of variables."""


def importer_names(fmu: Fmu) -> dict[str, str]:
    """Returns the names that OpenModelica gives to the variables of an FMU; names that it cannot import are refused."""
    found: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name in fmu.variables:
        own = _UNSAFE.sub("_", name)
        if not re.fullmatch(r"[A-Za-z_]\w*", own, re.ASCII):
            raise BuildError(f"OpenModelica cannot import the variable '{name}', whose name it takes for '{own}'; rename the instance")
        if own in taken:
            raise BuildError(f"OpenModelica would call both '{taken[own]}' and '{name}' '{own}'; rename one of the instances")
        found[name], taken[own] = own, name
    return found


@dataclass(frozen=True)
class Wrapped:
    """An exported FMU with its values at the start, and the names of the model and of the block that OpenModelica imports."""

    fmu: Fmu
    start: Mapping[str, float]
    """Values of the outputs of opened ports."""
    model: str
    block: str
    title: str
    outputs: Sequence[str]
    """Outputs that become connectors."""


def wrapper_text(wrapped: Wrapped) -> str:
    """Returns the text of the model."""
    return _Wrapper(wrapped).text()


class _Wrapper:
    def __init__(self, wrapped: Wrapped) -> None:
        self.wrapped, self.fmu, self.names = wrapped, wrapped.fmu, importer_names(wrapped.fmu)
        self.connectors: list[str] = []
        self.states: list[str] = []
        self.equations: list[str] = []
        self.kinds: set[PortKind] = set()
        self._left, self._right = count(), count()

    def text(self) -> str:
        wrapped = self.wrapped
        members = set()
        for terminal in self.fmu.terminals.values():
            members |= set(terminal.members.values())
            self._port(terminal, KIND_OF_TERMINAL[terminal.kind])
        for variable in self.fmu.variables.values():
            if variable.causality == "input" and variable.name not in members:
                self._input(variable)
        for name in wrapped.outputs:
            self._output(self.fmu.variables[name])
        own = [f"  {line}" for kind in (HYDRAULIC, PNEUMATIC) if kind in self.kinds for line in connector_lines(kind)]
        declared = [*self.connectors, f"{wrapped.block} fmu annotation({placement((0.0, 0.0), 20.0)})", *self.states]
        check_unique([re.split(r"[(\[ ]", line.partition(" ")[2])[0] for line in declared])
        uses = f', uses(Modelica(version = "4.0.0"){_PLANAR if PLANAR in self.kinds else ""})'
        lines = [
            f"model {wrapped.model}",
            "  " + modelica_string(f"{wrapped.title}: an FMU with connectors"),
            *own,
            *(f"  {each};" for each in declared),
            "equation",
            *(f"  {each};" for each in self.equations),
            f"  annotation({box_icon(wrapped.title)}, experiment(StopTime = 1, Tolerance = 1e-08){uses});",
            f"end {wrapped.model};",
        ]
        return "\n".join([*lines, ""])

    # -- ports -----------------------------------------------------------------------------------------------------------------------

    def _port(self, terminal: Terminal, kind: PortKind) -> None:
        own = modelica_name(terminal.name)
        self.kinds.add(kind)
        self.connectors.append(f"{CLASSES[kind]} {own} {self._place(left=True)}")
        taken = needs_partner(self.fmu, terminal)
        if kind is SPATIAL:
            (self._frame_taken if taken else self._frame)(terminal, own)
        elif taken:
            self._taken(terminal, kind, own)
        else:
            self._given(terminal, kind, own)

    def _given(self, terminal: Terminal, kind: PortKind, own: str) -> None:
        """A port that gives motion, pressure or voltage. A flow into the connector is the effort on this side."""
        connector = CONNECTORS[kind]
        for chain in kind.chains:
            low = f"{own}_{chain[0].name}" if len(chain) > 1 else self._fmu(terminal, chain[0])
            self.equations.append(f"{own}.{connector.potentials[chain[0].name]} = {low}")
            for quantity, rate in pairwise(chain):
                state = f"{own}_{quantity.name}"
                start = number(self._start(terminal, quantity))
                text = modelica_string(f"{quantity.text}, integrated from the acceleration that the FMU gives")
                self.states.append(f'Real {state}(unit = "{modelica_unit(quantity.unit)}", start = {start}, fixed = true, {_STATE}) {text}')
                self.equations.append(f"der({state}) = {f'{own}_{rate.name}' if rate is not chain[-1] else self._fmu(terminal, rate)}")
        self.equations += [f"{self._fmu(terminal, q)} = {own}.{connector.flows[q.name]}" for q in kind.effort]

    def _taken(self, terminal: Terminal, kind: PortKind, own: str) -> None:
        """A port that takes motion, pressure or voltage: its rates are derivatives of what the partner gives."""
        connector = CONNECTORS[kind]
        for chain in kind.chains:
            value = f"{own}.{connector.potentials[chain[0].name]}"
            self.equations.append(f"{self._fmu(terminal, chain[0])} = {value}")
            for quantity in chain[1:]:
                name = f"{own}_{quantity.name}"
                self.states.append(f'Real {name}(unit = "{modelica_unit(quantity.unit)}") {modelica_string(quantity.text)}')
                self.equations += [f"{name} = der({value})", f"{self._fmu(terminal, quantity)} = {name}"]
                value = name
        self.equations += [f"{own}.{connector.flows[q.name]} = -{self._fmu(terminal, q)}" for q in kind.effort]

    def _frame(self, terminal: Terminal, own: str) -> None:
        """A spatial port that gives motion, as a root of the tree of frames. Its attitude is a quaternion."""

        def fmu(kind: str) -> str:
            return self._vector(terminal, kind)

        def start(kind: str) -> list[float]:
            return [self.wrapped.start[terminal.members[f"{kind}{axis}"]] for axis in _AXES]

        R = [[self.wrapped.start[terminal.members[f"R{i}{k}"]] for k in (1, 2, 3)] for i in (1, 2, 3)]
        r, v, q, w, m = (f"{own}_{each}" for each in ("r", "v", "q", "w", "R"))
        for name, unit, values, text in (
            (r, "m", start(""), "point"),
            (v, "m/s", start("v"), "velocity"),
            (q, "1", list(orientation(matrix=R).values()), "quaternion of the attitude, scalar first"),
            (w, "rad/s", start("omega"), "angular velocity about absolute axes"),
        ):
            each = f'each unit = "{unit}", start = {{{", ".join(map(number, values))}}}, each fixed = true, each {_STATE}'
            self.states.append(f"Real {name}[{len(values)}]({each}) {modelica_string(text)}")
        self.states.append(f'Real {m}[3, 3] "axes of the port as columns"')
        n = f"({q}*{q})"
        entries = [
            [f"1 - 2*({q}[3]^2 + {q}[4]^2)/{n}", f"2*({q}[2]*{q}[3] - {q}[1]*{q}[4])/{n}", f"2*({q}[2]*{q}[4] + {q}[1]*{q}[3])/{n}"],
            [f"2*({q}[2]*{q}[3] + {q}[1]*{q}[4])/{n}", f"1 - 2*({q}[2]^2 + {q}[4]^2)/{n}", f"2*({q}[3]*{q}[4] - {q}[1]*{q}[2])/{n}"],
            [f"2*({q}[2]*{q}[4] - {q}[1]*{q}[3])/{n}", f"2*({q}[3]*{q}[4] + {q}[1]*{q}[2])/{n}", f"1 - 2*({q}[2]^2 + {q}[3]^2)/{n}"],
        ]
        self.equations += [
            f"Connections.root({own}.R)",
            f"der({r}) = {v}",
            f"der({v}) = {fmu('a')}",
            f"der({w}) = {fmu('alpha')}",
            f"der({q}[1]) = 0.5*(-{w}[1]*{q}[2] - {w}[2]*{q}[3] - {w}[3]*{q}[4])",
            f"der({q}[2]) = 0.5*({w}[1]*{q}[1] + {w}[2]*{q}[4] - {w}[3]*{q}[3])",
            f"der({q}[3]) = 0.5*({w}[2]*{q}[1] + {w}[3]*{q}[2] - {w}[1]*{q}[4])",
            f"der({q}[4]) = 0.5*({w}[3]*{q}[1] + {w}[1]*{q}[3] - {w}[2]*{q}[2])",
            f"{m} = [{'; '.join(', '.join(row) for row in entries)}]",
            f"{own}.r_0 = {r}",
            f"{own}.R.T = transpose({m})",
            f"{own}.R.w = transpose({m})*{w}",
            f"{fmu('F')} = {m}*{own}.f",
            f"{fmu('C')} = {m}*{own}.t",
        ]

    def _frame_taken(self, terminal: Terminal, own: str) -> None:
        """A spatial port that takes motion. The partner has the root of the tree of frames, and its frame gives the attitude.

        The angular acceleration is the attitude times the rate of the velocity in the frame's own axes: an angular velocity does not turn
        itself.
        """
        v, a, w, alpha, m = (f"{own}_{each}" for each in ("v", "a", "w", "alpha", "R"))
        for name, unit, text in (
            (v, "m/s", "velocity"),
            (a, "m/s2", "acceleration"),
            (w, "rad/s", "angular velocity about absolute axes"),
            (alpha, "rad/s2", "angular acceleration about absolute axes"),
        ):
            self.states.append(f'Real {name}[3](each unit = "{unit}") {modelica_string(text)}')
        self.states.append(f'Real {m}[3, 3] "axes of the port as columns"')
        rows = "; ".join(", ".join(f"fmu.{self.names[terminal.members[f'R{i}{k}']]}" for k in (1, 2, 3)) for i in (1, 2, 3))
        self.equations += [
            f"{m} = transpose({own}.R.T)",
            f"{v} = der({own}.r_0)",
            f"{a} = der({v})",
            f"{w} = {m}*{own}.R.w",
            f"{alpha} = {m}*der({own}.R.w)",
            f"{self._vector(terminal, '')} = {own}.r_0",
            *(f"{self._vector(terminal, kind)} = {value}" for kind, value in (("v", v), ("a", a), ("omega", w), ("alpha", alpha))),
            f"[{rows}] = {m}",
            f"{own}.f = -{own}.R.T*{self._vector(terminal, 'F')}",
            f"{own}.t = -{own}.R.T*{self._vector(terminal, 'C')}",
        ]

    def _vector(self, terminal: Terminal, kind: str) -> str:
        names = [self.names[terminal.members[f"{kind}{axis}"]] for axis in _AXES]
        return f"{{{', '.join(f'fmu.{name}' for name in names)}}}"

    # -- signals ---------------------------------------------------------------------------------------------------------------------

    def _input(self, variable: FmuVariable) -> None:
        name, original = self.names[variable.name], original_of(self.fmu, variable.name)
        if original is None:
            self.connectors.append(f"{self._signal(variable, 'Input')} {name}{_unit(variable)} {self._place(left=True)}")
            self.equations.append(f"fmu.{name} = {name}")
        else:
            rates = rates_of(self.fmu, original)
            lower = [original, *rates][rates.index(variable.name)]
            self.equations.append(f"fmu.{name} = der({'' if lower == original else 'fmu.'}{self.names[lower]})")

    def _output(self, variable: FmuVariable) -> None:
        own = self.names[variable.name]
        self.connectors.append(f"{self._signal(variable, 'Output')} {own}{_unit(variable)} {self._place(left=False)}")
        self.equations.append(f"{own} = fmu.{self.names[variable.name]}")

    def _signal(self, variable: FmuVariable, way: str) -> str:
        return f"Modelica.Blocks.Interfaces.{_SIGNALS[variable.type]}{way}"

    def _place(self, left: bool) -> str:
        number = next(self._left if left else self._right)
        return f"annotation({placement((-100.0 if left else 100.0, 80.0 - 30.0 * number))})"

    def _fmu(self, terminal: Terminal, quantity: Quantity) -> str:
        return f"fmu.{self.names[terminal.members[quantity.name]]}"

    def _start(self, terminal: Terminal, quantity: Quantity) -> float:
        return self.wrapped.start[terminal.members[quantity.name]]


def _unit(variable: FmuVariable) -> str:
    return f'(unit = "{modelica_unit(variable.unit)}")' if variable.unit and variable.type == "real" else ""


def script_text(wrapped: Wrapped) -> str:
    """Returns the script that imports an FMU as a block and loads the model around it."""
    planar = any(KIND_OF_TERMINAL[each.kind] is PLANAR for each in wrapped.fmu.terminals.values())
    calls = [
        *(f"loadModel({library})" for library in ("Modelica", *(["PlanarMechanics"] if planar else []))),
        'setCommandLineOptions("--allowNonStandardModelica=reinitInAlgorithms")',
        f'block_file := importFMU("{wrapped.fmu.path.name}", modelName = {wrapped.block})',
        "loadFile(block_file)",
        f'loadFile("{wrapped.model}.mo")',
        f"checkModel({wrapped.model})",
    ]
    head = f"// Run in this folder by: omc {wrapped.model}.mos; OpenModelica imports the FMU as the block {wrapped.block}."
    return "\n".join([head, *(f"{call}; getErrorString();" for call in calls), ""])
