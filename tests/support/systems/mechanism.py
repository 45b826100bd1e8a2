"""FMUs coupled by plain NumPy: an independent oracle for mechanisms, which solves the multipliers densely by trying them out.

It knows no structure: values are passed along the connections until they stop changing, the residuals' dependence on the
multipliers is found from their values at 0 and at the unit vectors, and SciPy integrates all states together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from fmu_components.declare.ports import Side
from fmu_components.export.build import cached_fmu
from tests.support.runtime.driver import Driver


@cache
def _fmu(component: str):
    return cached_fmu(find(component), 3)


class _Port:
    """The variables of one port of one instance, by value reference: what it gives, and what it takes."""

    def __init__(self, driver: Driver, component: str, name: str) -> None:
        port = next(p for p in declaration(find(component)).ports if p.name == name)
        self.side, self.kind, self._driver = port.side, port.kind, driver
        self._gives, self._takes = (
            [driver.reference(f"{name}.{quantity.name}") for quantity in port.kind.given_by(side)]
            for side in (port.side, port.side.opposite)
        )
        self._taken: np.ndarray | None = None

    def read(self) -> np.ndarray:
        return np.array(self._driver.fmu.getFloat64(self._gives))

    def write(self, values: np.ndarray) -> bool:
        """Passes the values on; whether they are new."""
        if self._taken is not None and np.array_equal(values, self._taken):
            return False
        self._driver.fmu.setFloat64(self._takes, list(values))
        self._taken = values
        return True


class Mechanism:
    """Instances by name, each a component and its start values; connections of ports; signals as functions of time.

    Joints are ideal unless it is said that they are not. After ``evaluate`` or ``simulate`` every variable can be read as ``mechanism["instance.variable"]``.
    """

    def __init__(
        self,
        parts: Mapping[str, tuple[str, Mapping[str, float]]],
        connections: Sequence[tuple[str, str]],
        signals: Mapping[str, Callable[[float], float]] | None = None,
        ideal: bool = True,
    ) -> None:
        self._signals, self._open = signals or {}, ExitStack()
        self._drivers = {name: self._open.enter_context(Driver(_fmu(component), "me", name)) for name, (component, _) in parts.items()}
        self._multipliers: list[tuple[Driver, str, str]] = []
        for name, (component, _) in parts.items():
            unknown = declaration(find(component)).with_role(Role.ALGEBRAIC)
            self._multipliers += [(self._drivers[name], v.name, v.partner) for v in unknown if ideal]
            self._drivers[name].configure({"ideal": ideal} if unknown else {})
        self._joined: dict[str, tuple[_Port, list[_Port]]] = {}
        for pair in connections:
            ends = {end: _Port(self._drivers[end.split(".")[0]], parts[end.split(".")[0]][0], end.split(".", 1)[1]) for end in pair}
            motion, effort = sorted(ends, key=lambda end: ends[end].side is Side.EFFORT)
            assert (ends[motion].side, ends[effort].side) == (Side.MOTION, Side.EFFORT) and ends[motion].kind is ends[effort].kind, pair
            self._joined.setdefault(motion, (ends[motion], []))[1].append(ends[effort])
        for name, (_, start) in parts.items():
            self._drivers[name].enter()
            self._drivers[name].set(start)
        self._exchange()
        for driver in self._drivers.values():
            driver.fmu.exitInitializationMode()
            driver.settle()
        self.start = np.concatenate([d.states for d in self._drivers.values() if d.state_count])

    def __enter__(self) -> Mechanism:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def __getitem__(self, name: str) -> float:
        instance, variable = name.split(".", 1)
        return self._drivers[instance][variable]

    def _exchange(self) -> None:
        """Motion to all efforts' givers, the sum of efforts back, until nothing is new."""
        for _ in range(20):
            new = [
                [port.write(motion.read()) for port in efforts] + [motion.write(sum(port.read() for port in efforts))]
                for motion, efforts in self._joined.values()
            ]
            if not any(map(any, new)):
                return
        raise AssertionError("the connections form an algebraic loop beside the multipliers")

    def _residuals(self, multipliers: np.ndarray) -> np.ndarray:
        for (driver, name, _), value in zip(self._multipliers, multipliers, strict=True):
            driver.set({name: value})
        self._exchange()
        return np.array([driver[residual] for driver, _, residual in self._multipliers])

    def evaluate(self, time: float = 0.0, states: np.ndarray | None = None) -> np.ndarray:
        """The state derivatives, with the multipliers that make the residuals vanish; all variables stay at their values there."""
        rest = self.start if states is None else states
        for driver in self._drivers.values():
            own, rest = rest[: driver.state_count], rest[driver.state_count :]
            driver.at(time, own)
        for name, signal in self._signals.items():
            instance, variable = name.split(".", 1)
            self._drivers[instance].set({variable: signal(time)})
        if count := len(self._multipliers):
            free = self._residuals(np.zeros(count))
            matrix = np.column_stack([self._residuals(unit) - free for unit in np.eye(count)])
            left = self._residuals(np.linalg.solve(matrix, -free))
            assert np.abs(left).max() < 1e-9 * (1 + np.abs(free).max()), "the residuals are not affine in the multipliers"
        else:
            self._exchange()
        return np.concatenate([d.derivatives for d in self._drivers.values() if d.state_count])

    def simulate(self, stop: float, times: Sequence[float] | None = None) -> list[tuple[float, np.ndarray]]:
        """Integrates from 0, ends with everything evaluated at the stop, and returns the times asked for with their states."""
        solution = solve_ivp(
            self.evaluate, (0, stop), self.start, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=[stop] if times is None else times
        )
        assert solution.success, solution.message
        self.evaluate(solution.t[-1], solution.y[:, -1])
        return list(zip(solution.t, solution.y.T, strict=True))

    def trajectory(self, states: Sequence[tuple[float, np.ndarray]], name: str) -> np.ndarray:
        """One variable at every time of a simulation."""
        values = []
        for time, state in states:
            self.evaluate(time, state)
            values.append(self[name])
        return np.array(values)
