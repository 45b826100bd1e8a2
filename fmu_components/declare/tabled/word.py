"""The word ``table`` of components: functions whose numbers are array parameters, which each class may replace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import sympy

from fmu_components.declare.declaration import DeclarationError, Range, Role, Variable, tables_in
from fmu_components.declare.functions import InSI
from fmu_components.declare.tabled.data import Given, given_table, table_data
from fmu_components.declare.tables import KINDS, Curve, Item, LeastStep, Surface


class Table:
    """A function that a table gives, ``force(x)`` or ``force(x, y)``. Its array parameters are ``arrays``."""

    def __init__(self, component: Any, name: str, arrays: tuple[sympy.Symbol, ...], kind: str, units: Sequence[str], warned: bool) -> None:
        self._component, self._name, self.arrays, self.kind, self._units = component, name, arrays, kind, units
        self._warned = warned
        self._watched = 0

    def __call__(self, *arguments: sympy.Expr) -> sympy.Expr:
        """Returns the value at one or two ``arguments``."""
        if len(arguments) != len(self.arrays) - 1:
            raise DeclarationError(f"the table '{self._name}' was given {len(arguments)} arguments; it takes {len(self.arrays) - 1}")
        named = [sympy.sympify(each) for each in arguments]
        if self._warned:
            for axis, nodes, unit, argument in zip("xy", self.arrays, self._units, named, strict=False):
                self._watch(axis, nodes, unit, argument)
        orders = [sympy.Integer(0)] * len(arguments)
        return (Curve if len(arguments) == 1 else Surface)(*orders, KINDS.index(self.kind), *named, *self.arrays)

    def _watch(self, axis: str, nodes: sympy.Symbol, unit: str, argument: sympy.Expr) -> None:
        """Declares how far an argument is beyond the nodes, of which a run warns."""
        self._watched += 1
        start, first, last = self._component._draft.variables[str(nodes)].start, Item(0, nodes), Item(-1, nodes)
        self._component._calculated(
            Role.LOCAL,
            f"{self._name}.excess[{self._watched}]",
            sympy.Abs(argument - (first + last) / 2) - (last - first) / 2,
            unit,
            f"distance of an argument {axis} of the table {self._name} beyond its nodes; negative between them",
            nominal=start[-1] - start[0],
            holds=(None, 0),
            beyond=f"is read up to {{value}} {unit}".rstrip()
            + f" beyond its {axis}, where the value of its end is held: give it more points",
        )


class Tabled:
    """Base of components, which may have tables."""

    tables: ClassVar[Mapping[str, Given]] = {}
    """Tables that replace those of the declaration, by name."""

    def table(
        self,
        name: str,
        points: Sequence[Any],
        units: Sequence[str],
        text: str,
        *,
        kind: str = "linear",
        beyond: str = "held",
        at_least: float = -float("inf"),
        stepped: bool = False,
        least: float = -float("inf"),
    ) -> Table:
        """Declares a function that a table gives, of one argument or two, and returns it: ``force = self.table("force", ...)``, ``force(x)``.

        ``points`` are its usual numbers, ``((x1, x2, ...), (y1, y2, ...))`` or ``(x, y, z)`` with a row of z for each x, in ``units``. They
        become the array parameters ``<name>.x`` and ``<name>.y``, and ``<name>.z`` of two arguments. ``kind`` is "linear" or "cubic", which
        is monotone between monotone values, or one of them after "periodic ". ``beyond`` tells what holds outside of the nodes: the value of
        the end is "held", or held and "warned" of. ``at_least`` is the least node of x, in its unit, and ``least`` the least value. In a
        ``stepped`` table two equal nodes are a step.
        """
        component: Any = self
        where = f"the table '{name}' of {component._name}"
        if isinstance(units, str) or len(units) not in (2, 3):
            raise DeclarationError(
                f"{where} has the units {units!r}; give those of its one or two arguments and of its values, such as ('m', 'N')"
            )
        arguments = len(units) - 1
        given = type(self).tables.get(name) or given_table(where, points)
        data = table_data(where, given, arguments, kind=kind, beyond=beyond)
        data.check(where, stepped, at_least, least)
        shapes = [(len(nodes),) for nodes in data.nodes]
        arrays = []
        for place, (axis, unit) in enumerate(zip("xyz", units, strict=False)):
            shape = shapes[place] if place < arguments else tuple(size for (size,) in shapes)
            numbers = data.nodes[place] if place < arguments else data.values
            words = f"{'nodes' if place < arguments else 'values'} of the table: {text}"
            valid = Range(minimum=at_least if place == 0 else least if place == arguments else -float("inf"))
            array = Variable(f"{name}.{axis}", Role.PARAMETER, unit, words, numbers, shape=shape, range=valid)
            arrays.append(component._add(array))
        for axis, nodes in zip("xy", arrays[:-1], strict=False):
            step = LeastStep(nodes)
            margin = sympy.Piecewise((1, step >= 0), (InSI(step), True)) if stepped else step
            component.require(margin, f"the nodes {name}.{axis} {'never decrease' if stepped else 'increase'}")
        if data.periodic:
            first, last = Item(0, arrays[1]), Item(-1, arrays[1])
            margin = sympy.Piecewise((1, sympy.Eq(first, last)), (-InSI(sympy.Abs(first - last)), True))
            component.require(margin, f"the last value of {name}.y is the first one")
        return Table(self, name, tuple(arrays), data.kind, units, data.beyond == "warned")

    @classmethod
    def with_tables(cls, **tables: Any) -> type[Self]:
        """Returns the class of this component with other tables.

        Each is the path of a file with numbers in columns, ``[x, y]``, ``[x, y, z]``, an array, or ``{"points": ..., "kind": "cubic",
        "beyond": "warned"}`` with one of these. What is no table raises DeclarationError.
        """
        component: Any = cls()
        given = {name: given_table(f"the table '{name}' of {component._name}", each) for name, each in tables.items()}
        key = (cls, *sorted(given.items()))
        if key not in _made:
            names = {"__module__": cls.__module__, "__qualname__": f"with_tables.<locals>.{cls.__name__}", "__doc__": cls.__doc__}
            made: Any = type(cls.__name__, (cls,), {**names, "tables": {**cls.tables, **given}})
            probe = made()
            probe.declare()
            known = tables_in(probe._draft.variables)
            for name in given:
                if name not in known:
                    remedy = f"its tables are {', '.join(known)}" if known else "it has none at all"
                    raise DeclarationError(f"{probe._name} has no table '{name}'; {remedy}")
            _made[key] = made
        return _made[key]


_made: dict[Any, Any] = {}
"""Classes with tables of their own: the same numbers give the same class."""
