"""Functions of tables in Modelica: the package ``Tables``, and the calls of its functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from fmu_components.declare.declaration import DeclarationError, Variable
from fmu_components.declare.tables import Curve, Item, LeastStep, LookupBase
from fmu_components.modelica.names import modelica_value

PACKAGE = "Tables"
FUNCTIONS = tuple((Path(__file__).parent / "tables.mo").read_text(encoding="utf-8").splitlines())
"""Lines of the package; see :mod:`fmu_components.declare.tables` for the functions."""


def call(table: LookupBase, varying: Sequence[str], arrays: Sequence[str]) -> str:
    """Returns the call of a function for its arguments as text."""
    if not isinstance(table, Curve) and any(table.orders):
        raise DeclarationError("the derivative of a surface has no Modelica text; use the surface itself alone, or a curve")
    orders = map(str, table.orders if isinstance(table, Curve) else ())
    return f"{PACKAGE}.{'curve' if isinstance(table, Curve) else 'surface'}({', '.join((*orders, str(table.kind), *varying, *arrays))})"


def of_array(number: Item | LeastStep, array: str) -> str:
    """Returns a number that is taken from an array."""
    if isinstance(number, LeastStep):
        return f"{PACKAGE}.leastStep({array})"
    place = int(number.args[0])
    return f"{array}[{place + 1}]" if place >= 0 else f"{array}[size({array}, 1){place + 1 or ''}]"


def modelica_start(variable: Variable, given: Mapping[str, float] | None = None) -> str:
    """Returns the start value of a variable; values of elements of an array may be ``given`` by their names, such as ``force.y[2]``."""
    if not variable.shape:
        assert not isinstance(variable.start, tuple)
        return modelica_value(variable.start)
    names = (f"{variable.name}[{','.join(map(str, each))}]" for each in product(*(range(1, size + 1) for size in variable.shape)))
    assert isinstance(variable.start, tuple)
    values = [(given or {}).get(name, value) for name, value in zip(names, variable.start, strict=True)]
    return _array(values, variable.shape)


def _array(values: Sequence[float], shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"{{{', '.join(map(modelica_value, values))}}}"
    rows = (values[i : i + shape[1]] for i in range(0, len(values), shape[1]))
    return f"{{{', '.join(_array(row, shape[1:]) for row in rows)}}}"
