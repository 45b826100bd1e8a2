"""A built system evaluated by plain NumPy: an independent oracle for the kernel, without a schedule and derivatives.

It makes instances of its own through FMPy. Values are passed along all connections, again and again, until none changes. The unknowns
are the algebraic variables, and those inputs that never come to rest that way. Their equations' Jacobian is found by perturbing each
unknown. It is solved densely, for the least length where it lacks rank.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack

import numpy as np

from coupling.plan.build import Built
from coupling.plan.drives import ConstantDrive, Drive, FunctionDrive
from coupling.plan.graph import Address
from tests.support.runtime.driver import Driver


def driven(drive: Drive, t: float) -> float:
    """The value of a drive at a time."""
    if isinstance(drive, ConstantDrive):
        return drive.value
    return drive.function(t) if isinstance(drive, FunctionDrive) else float(np.interp(t, drive.times, drive.values))


class _Restless(Exception):
    def __init__(self, inputs: set[Address]) -> None:
        super().__init__(inputs)
        self.inputs = inputs


class Dense:
    """A system in NumPy. After ``evaluate`` every variable can be read as ``dense["instance.variable"]``."""

    def __init__(self, built: Built) -> None:
        self.built, self._open = built, ExitStack()
        self.drivers = [self._open.enter_context(Driver(part.fmu.path, "me", part.name)) for part in built.parts]
        self.wires = {target: list(sources) for target, sources in built.schedule.graph.wires.items()}
        self.wires |= {target: self.wires.get(target, []) for target, _ in built.drives}
        self._drives = dict(built.drives)
        self._taken: dict[Address, float] = {}
        self.algebraic = [Address(i, 0, r) for i, p in enumerate(built.parts) if p.fmu.dae for r in p.fmu.dae.algebraic]
        self.residuals = [Address(i, 0, u.reference) for i, p in enumerate(built.parts) if p.fmu.dae for u in p.fmu.dae.structure.residuals]
        for driver, part, start in zip(self.drivers, built.parts, built.start, strict=True):
            if part.fmu.dae and part.fmu.dae.switch is not None:
                driver.configure({part.fmu.by_reference[part.fmu.dae.switch].name: True})
            driver.enter()
            driver.set(dict(start))
        self._exchange(0.0, set())
        for driver in self.drivers:
            driver.fmu.exitInitializationMode()
            driver.settle()
        self.start = np.concatenate([d.states for d in self.drivers if d.state_count] or [np.zeros(0)])
        self.loop_inputs: list[Address] = []

    def __enter__(self) -> Dense:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def __getitem__(self, name: str) -> float:
        instance, variable = name.split(".", 1)
        return next(d for d, p in zip(self.drivers, self.built.parts, strict=True) if p.name == instance)[variable]

    def name(self, address: Address) -> str:
        return self.built.parts[address.part].fmu.by_reference[address.reference].name

    def _read(self, addresses: set[Address]) -> dict[Address, float]:
        by_part: dict[int, list[Address]] = defaultdict(list)
        for address in addresses:
            by_part[address.part].append(address)
        found = {}
        for part, wanted in by_part.items():
            values = self.drivers[part].get([self.name(a) for a in wanted])
            found |= {a: values[self.name(a)] for a in wanted}
        return found

    def _write(self, values: dict[Address, float]) -> None:
        by_part: dict[int, dict[str, float]] = defaultdict(dict)
        for address, value in values.items():
            by_part[address.part][self.name(address)] = value
            self._taken[address] = value
        for part, new in by_part.items():
            self.drivers[part].set(new)

    def _arriving(self, t: float, targets: set[Address]) -> dict[Address, float]:
        given = self._read({s for target in targets for s in self.wires[target]})
        return {
            target: sum((given[s] for s in self.wires[target]), driven(self._drives[target], t) if target in self._drives else 0)
            for target in targets
        }

    def _exchange(self, t: float, fixed: set[Address]) -> set[Address]:
        """All values along all connections but those into the fixed inputs; returns the inputs that do not come to rest."""
        moved: set[Address] = set()
        for _ in range(len(self.wires) + 2):
            arriving = self._arriving(t, set(self.wires) - fixed)
            moved = {target for target, value in arriving.items() if self._taken.get(target) != value}
            if not moved:
                break
            self._write({target: arriving[target] for target in moved})
        return moved

    @property
    def unknowns(self) -> list[Address]:
        return [*self.algebraic, *self.loop_inputs]

    def _misfit(self, t: float, z: np.ndarray) -> np.ndarray:
        self._write(dict(zip(self.unknowns, z.tolist(), strict=True)))
        restless = self._exchange(t, set(self.loop_inputs))
        if restless:
            raise _Restless(restless)
        residuals = self._read(set(self.residuals))
        arriving = self._arriving(t, set(self.loop_inputs))
        return np.array([*(residuals[a] for a in self.residuals), *(arriving[a] - self._taken[a] for a in self.loop_inputs)])

    def _solve(self, t: float) -> np.ndarray:
        z = np.array([self._taken.get(a, 0.0) for a in self.unknowns])
        if not len(z):
            self._misfit(t, z)
            return z
        jacobian, before, step_size = None, np.inf, 1.0
        for _ in range(100):
            r = self._misfit(t, z)
            if jacobian is None:
                moves = step_size * np.maximum(1.0, np.abs(z))
                jacobian = np.column_stack([(self._misfit(t, z + row) - r) / move for row, move in zip(np.diag(moves), moves, strict=True)])
            new = np.linalg.lstsq(jacobian, jacobian @ z - r, rcond=1e-10)[0]
            length, size = np.abs(new - z).max(), np.abs(new).max()
            z = new
            if length <= 1e-15 * size or (length > before / 10 and length <= 1e-11 * size):
                break
            if length > before / 10:  # not affine, or not near enough
                jacobian, before, step_size = None, np.inf, 1e-7
            else:
                before = length
        else:
            raise AssertionError(f"the dense iteration does not converge: {z}, {r}")
        self._misfit(t, z)
        return z

    def evaluate(self, t: float, x: np.ndarray) -> np.ndarray:
        """The states' derivatives, with everything that is coupled solved for; the unknowns are in ``z``."""
        rest = np.asarray(x, dtype=float)
        for driver in self.drivers:
            own, rest = rest[: driver.state_count], rest[driver.state_count :]
            driver.at(t, own)
        while True:
            try:
                self.z = self._solve(t)
                break
            except _Restless as more:
                self.loop_inputs = sorted({*self.loop_inputs, *more.inputs}, key=lambda a: (a.part, a.reference))
        return np.concatenate([d.derivatives for d in self.drivers if d.state_count] or [np.zeros(0)])
