"""Values of components in the Modelica text of a system: the expressions by which equations outside read them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from coupling.modelica.refusal import NoText
from coupling.plan.definition import Name
from fmu_components.declare.declaration import Declaration
from fmu_components.declare.ports import SPATIAL, Port
from fmu_components.modelica.connectors import CONNECTORS, SPATIAL_EFFORTS
from fmu_components.modelica.model import ModelicaModel
from fmu_components.modelica.names import modelica_name, modelica_unit

_AXES = "xyz"


class Values:
    """Expressions for variables of instances. Rates that no model declares become variables of the system."""

    def __init__(self, declared: Mapping[str, Declaration], models: Mapping[str, ModelicaModel], names: Mapping[str, str]) -> None:
        """Takes the declarations by instance, the models by component, and the names of the instances in Modelica."""
        self._declared, self._models, self._names = declared, models, names
        self.declarations: dict[str, str] = {}
        self.equations: list[str] = []

    def of(self, name: Name) -> str:
        """Returns the expression for a variable of an instance; a variable that the text leaves out raises NoText."""
        instance, variable = name
        declared = self._declared[instance]
        port = next((each for each in declared.ports if each.name == declared[variable].port), None)
        if port is not None:
            return self._member(name, port)
        if variable in self._models[declared.name].variables:
            return f"{self._names[instance]}.{modelica_name(variable)}"
        if variable.endswith(".qdd"):
            return self._helper(name, f"der({self.of((instance, variable[:-1]))})")
        raise NoText(f"'{instance}.{variable}' is left out of the Modelica text of {declared.name}")

    def _member(self, name: Name, port: Port) -> str:
        quantity, connector = name[1].rpartition(".")[2], CONNECTORS[port.kind]
        base = f"{self._names[name[0]]}.{modelica_name(port.name)}"
        if port.kind is SPATIAL and (text := _spatial(base, quantity)):
            return text
        if quantity in connector.potentials:
            return f"{base}.{connector.potentials[quantity]}"
        if quantity in connector.flows:
            return f"(-{base}.{connector.flows[quantity]})"
        lower = {high.name: low.name for chain in port.kind.chains for low, high in pairwise(chain)}
        if quantity not in lower:  # the angular velocity in space, which is no rate
            axis = _AXES.index(quantity[-1]) + 1
            return self._helper(name, " + ".join(f"{base}.R.T[{k}, {axis}]*{base}.R.w[{k}]" for k in (1, 2, 3)))
        return self._helper(name, f"der({self.of((name[0], f'{port.name}.{lower[quantity]}'))})")

    def _helper(self, name: Name, value: str) -> str:
        helper = f"{modelica_name('.'.join(name))}_value"
        if helper not in self.declarations:
            unit = self._declared[name[0]][name[1]].unit
            self.declarations[helper] = f'Real {helper}(unit = "{modelica_unit(unit)}")'
            self.equations.append(f"{helper} = {value}")
        return helper


def _spatial(base: str, quantity: str) -> str:
    """Returns a point, an attitude or a wrench of a spatial frame; empty for velocities and accelerations."""
    if quantity in _AXES:
        return f"{base}.r_0[{_AXES.index(quantity) + 1}]"
    if quantity[0] == "R":
        return f"{base}.R.T[{quantity[2]}, {quantity[1]}]"
    if quantity[0] in SPATIAL_EFFORTS:
        axis, member = _AXES.index(quantity[1]) + 1, SPATIAL_EFFORTS[quantity[0]]
        return f"(-({' + '.join(f'{base}.R.T[{k}, {axis}]*{base}.{member}[{k}]' for k in (1, 2, 3))}))"
    return ""
