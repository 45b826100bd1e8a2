"""Linear systems in state space, of any order."""

from __future__ import annotations

from typing import Any, ClassVar

from sympy import Matrix

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.orders import by_name, catalogued, of_order


class _StateSpace(Component):
    """Linear system of order {order} in state space: x' = A x + B u, y = C x + D u.

    The matrices are given entry by entry, A[i,j] with the row first. Other orders, and several inputs and outputs, u[j] and y[i], have the classes
    that the function StateSpace(order, inputs, outputs) returns.
    """

    sizes: ClassVar[tuple[int, ...]]
    drawing = Drawing(
        box(-0.8, -0.8, 0.8, 0.8, fill=0.85),
        line((-0.5, 0.6), (-0.6, 0.6), (-0.6, -0.6), (-0.5, -0.6)),
        line((0.5, 0.6), (0.6, 0.6), (0.6, -0.6), (0.5, -0.6)),
        line((-0.35, 0.1), (-0.2, 0.5), (-0.05, 0.1)),
        line((-0.28, 0.27), (-0.12, 0.27)),
        line((0.15, -0.1), (0.15, -0.5), (0.35, -0.5), (0.35, -0.1), (0.15, -0.1)),
    )

    def declare(self) -> None:
        n, inputs, outputs = (*self.sizes, 1, 1)[:3]
        A = self._matrix("A", n, n, "1/s", "rate of state {i} per state {j}")
        B = self._matrix("B", n, inputs, "1/s", "rate of state {i} per input {j}")
        C = self._matrix("C", outputs, n, "", "output {i} per state {j}")
        D = self._matrix("D", outputs, inputs, "", "output {i} per input {j}")
        u = Matrix([self.input(_of("u", k, inputs), 0.0, "", "a signal that enters") for k in range(inputs)])
        x = Matrix([self.state(f"x[{k + 1}]", 0.0, "", f"state {k + 1}") for k in range(n)])
        for state, rate in zip(x, A * x + B * u, strict=True):
            self.rate(state, rate)
        for k, y in enumerate(C * x + D * u):
            self.output(_of("y", k, outputs), y, "", "a signal that leaves")

    def _matrix(self, name: str, rows: int, columns: int, unit: str, text: str) -> Any:
        """Lags in a row, of 1 s each, are what the entries start with."""
        starts = {
            "A": lambda i, j: {i: -1.0, i - 1: 1.0}.get(j, 0.0),
            "B": lambda i, j: float(i == j),
            "C": lambda i, j: float(j == columns - 1 - i),
        }
        given = starts.get(name, lambda i, j: 0.0)
        return Matrix(
            rows,
            columns,
            lambda i, j: self.parameter(f"{name}[{i + 1},{j + 1}]", given(int(i), int(j)), unit, text.format(i=i + 1, j=j + 1)),
        )


def _of(name: str, place: int, count: int) -> str:
    return f"{name}[{place + 1}]" if count > 1 else name


def StateSpace(order: int, inputs: int = 1, outputs: int = 1) -> type[Component]:
    """Returns the component class of a state space of this ``order``, with these numbers of ``inputs`` and ``outputs``. The catalogue has
    those of one input and output up to order 4, such as ``signal.StateSpace2``. Other numbers raise
    DeclarationError."""
    return of_order(_StateSpace, order) if (inputs, outputs) == (1, 1) else of_order(_StateSpace, order, inputs, outputs)


def __getattr__(name: str) -> type[Component]:
    return by_name(_StateSpace, name)


catalogued(_StateSpace, 4)
