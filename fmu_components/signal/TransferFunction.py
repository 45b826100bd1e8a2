"""Linear transfer functions of any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sympy import binomial

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.orders import by_name, catalogued, of_order


def _seconds(power: int) -> str:
    return f"s{power}" if power > 1 else "s" if power else ""


class _TransferFunction(Component):
    """Transfer function of order {order}: y is b(s)/a(s) times u.

    The polynomials are given by their coefficients, b[k] and a[k] those of s^k. States are x(s) = u/a(s) and its derivatives. Other orders
    are classes that the function TransferFunction(order) returns.
    """

    order: ClassVar[int]
    drawing = Drawing(
        box(-0.8, -0.8, 0.8, 0.8, fill=0.85),
        line((-0.6, 0), (0.6, 0)),
        line((-0.15, 0.2), (-0.15, 0.65)),
        line((-0.15, 0.2), (0.15, 0.2), (0.15, 0.45), (-0.15, 0.45)),
        line((0.15, -0.65), (0.15, -0.2), (-0.15, -0.2), (-0.15, -0.65), (0.15, -0.65)),
    )

    def declare(self) -> None:
        n = self.order
        b = self._coefficients("b", [1, *[0] * n], "numerator")
        a = self._coefficients("a", [binomial(n, k) for k in range(n + 1)], "denominator")
        u = self.input("u", 0.0, "", "the signal that enters")
        x = [
            self.state(f"x[{k + 1}]", 0.0, f"1/{_seconds(k)}" if k else "", f"derivative {k} of u/a(s)" if k else "u/a(s)")
            for k in range(n)
        ]
        rest = sum(a[k] * x[k] for k in range(n))
        highest = self.local("highest", (u - rest) / a[n], f"1/{_seconds(n)}", f"derivative {n} of u/a(s)")
        for state, rate in zip(x, [*x[1:], highest], strict=True):
            self.rate(state, rate)
        self.output("y", sum(b[k] * each for k, each in enumerate([*x, highest])), "", "the signal that leaves")
        self.require(a[n] ** 2, f"a[{n}], the coefficient of the highest power in the denominator, is not 0")

    def _coefficients(self, name: str, starts: Sequence[float], where: str) -> list[Any]:
        return [
            self.parameter(f"{name}[{k}]", float(start), _seconds(k), f"coefficient of s^{k} in the {where}")
            for k, start in enumerate(starts)
        ]


def TransferFunction(order: int) -> type[Component]:
    """Returns the component class of this ``order``, a whole number from 1 on. The catalogue has those up to 4, such as
    ``signal.TransferFunction2``. Other orders raise DeclarationError."""
    return of_order(_TransferFunction, order)


def __getattr__(name: str) -> type[Component]:
    return by_name(_TransferFunction, name)


catalogued(_TransferFunction, 4)
