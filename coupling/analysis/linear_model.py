"""Linear models: small motions about a point that follow from small inputs, and the outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coupling.analysis.margins import Margins, margins_of
from coupling.analysis.responses import Bode, Mode, Modes, StepResponse
from coupling.checks import is_number, is_word, numbers_in
from coupling.errors import AnalysisError, shown
from coupling.markup import BAD, GOOD, Markup, badge, framed, table, titled
from coupling.names import nearest

_ROUNDING = 1e-13
"""The share of the products of D1 + C B2 up to which the sum is 0."""
_IS_RATE = 1e-9
_NO_PLACE = "a state space has no place for"


@dataclass(frozen=True)
class LinearModel:
    """x' = A x + B u + B1 u' + B2 u'', y = C x + D u + D1 u' + D2 u'', for deviations of states, inputs and outputs from a point.

    B1 and D1 belong to the first rates of inputs of motion, B2 and D2 to the second ones. All others have no rates, and zeros there.
    ``states``, ``inputs`` and ``outputs`` are full names, ``units`` the unit of each, ``point`` the values of all of them at the point.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    units: Mapping[str, str] = field(repr=False)
    point: Mapping[str, float] = field(repr=False)
    B1: np.ndarray
    B2: np.ndarray
    D1: np.ndarray
    D2: np.ndarray

    def __str__(self) -> str:
        lines = [f"linear model: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"]
        for kind in ("states", "inputs", "outputs"):
            lines += [f"  {kind[:-1]:8}{name:32}{self.point[name]:14.6g} {self.units[name]}".rstrip() for name in getattr(self, kind)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Shows names with values at the point, and free motions, in notebooks."""
        names = [(kind[:-1], name) for kind in ("states", "inputs", "outputs") for name in getattr(self, kind)]
        counts = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        state = badge("stable", GOOD) if self.stable else badge("unstable", BAD)
        rows = ((kind, name, f"{self.point[name]:.6g}", self.units[name]) for kind, name in names)
        found = [(f"{each:.5g}", f"{abs(each) / (2 * np.pi):.5g}", f"{-each.real / (abs(each) or 1.0):.4g}") for each in self.eigenvalues]
        return framed(
            Markup(f"{titled('linear model', counts)} {state}"),
            table(("", "name", "at the point", "unit"), rows, len(names)),
            table(("eigenvalue in 1/s", "frequency in Hz", "damping ratio"), found, len(found)),
        )

    @property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of A, in 1/s: those of the least size first."""
        found = np.linalg.eigvals(self.A) if len(self.A) else np.zeros(0, dtype=complex)
        return found[in_order(found)]

    @property
    def stable(self) -> bool:
        """True if no small motion grows; a motion that neither grows nor decays counts as stable."""
        return not grows(self.eigenvalues)

    def modes(self) -> Modes:
        """Returns frequency, damping and shape of each free motion; a pair of complex eigenvalues appears once. ``print`` shows a table."""
        values, shapes = np.linalg.eig(self.A) if len(self.A) else (np.zeros(0), np.zeros((0, 0)))
        order = [int(i) for i in np.argsort(np.abs(values), kind="stable") if values[i].imag >= 0]
        positions = self._positions() or range(len(self.states))
        names, units = [self.states[i] for i in positions], {name: self.units[name] for name in self.states}
        return Modes(
            [
                Mode(
                    complex(values[i]),
                    dict(zip(self.states, _scaled(shapes[:, i]), strict=True)),
                    dict(zip(names, _scaled(shapes[positions, i]), strict=True)),
                    units,
                )
                for i in order
            ]
        )

    def _positions(self) -> list[int]:
        """Returns the states whose rate is another state, whatever the inputs are."""
        found = []
        for i, row in enumerate(self.A):
            rate = int(np.abs(row).argmax())
            alone = np.abs(row - np.eye(1, len(row), rate)[0]).max() <= _IS_RATE and np.abs(self.B[i]).max(initial=0.0) <= _IS_RATE
            if alone and rate != i and self.units[self.states[i]] in ("m", "rad"):
                found.append(i)
        return found

    def transfer(self, s: complex) -> np.ndarray:
        """Returns the matrix of transfer functions at a point ``s`` of the complex plane, in 1/s, by outputs and inputs."""
        moved = np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B + s * self.B1 + s**2 * self.B2)
        return self.C @ moved + self.D + s * self.D1 + s**2 * self.D2

    def _proper(self, remedy: str, columns: slice = slice(None), rows: slice = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """Returns B and D without rates of inputs, for the states x - (B1 + A B2) u - B2 u'; refuses an output that takes rates."""
        B1 = self.B1 + self.A @ self.B2
        D1 = self.D1 + self.C @ self.B2
        size = np.abs(self.D1) + np.outer(np.linalg.norm(self.C, axis=1), np.linalg.norm(self.B2, axis=0))
        improper = (np.abs(D1) > _ROUNDING * size) | (self.D2 != 0)
        for row, column in np.argwhere(improper[rows, columns]):
            raise AnalysisError(
                f"'{self.outputs[rows][row]}' contains derivatives of '{self.inputs[columns][column]}', which {remedy}; bode() and transfer() have them, "
                "or leave the output out: linearise(outputs=[...])"
            )
        return self.B + self.A @ B1, self.D + self.C @ B1

    def bode(self, output: str | None = None, input: str | None = None, frequencies: Sequence[float] | np.ndarray | None = None) -> Bode:
        """Returns magnitude and phase from an input to an output, by default from the first to the first.

        ``frequencies`` are in Hz, by default from a decade below the lowest eigenvalue to a decade above the highest. Others raise
        AnalysisError if they are not positive.
        """
        row, column = self._place("output", output), self._place("input", input)
        hertz = self._frequencies() if frequencies is None else numbers_in(frequencies)
        if hertz is None or not len(hertz) or not np.all(hertz > 0):
            raise AnalysisError(f"frequencies = {shown(frequencies)} is refused: give a list of positive ones, in Hz")
        with np.errstate(all="ignore"):
            response = np.array([self.transfer(2j * np.pi * f)[row, column] for f in hertz])
        return Bode(hertz, response, self.outputs[row], self.inputs[column], self.units)

    def margins(self, output: str | None = None, input: str | None = None, feedback: float = -1.0) -> Margins:
        """Returns gain margin, phase margin and delay margin of the loop that input = ``feedback`` * output closes, by default of the
        first output and the first input.

        ``feedback``, in the unit of the input per unit of the output, is -1 for negative feedback of a plant or of a controller with its plant. It is 1 for a loop that was cut, whose output
        is what the input was. An output with derivatives of the input raises AnalysisError.
        """
        row, column = self._place("output", output), self._place("input", input)
        if isinstance(feedback, bool) or feedback not in (-1, 1):
            raise AnalysisError(f"feedback = {shown(feedback)} is refused: give -1, or 1 for a loop that was cut; the model holds the gain")
        B, D = self._proper("have no margins", slice(column, column + 1), slice(row, row + 1))
        b, c, d = B[:, column], -feedback * self.C[row], -feedback * float(D[row, column])
        if abs(1 + d) < _ROUNDING:
            raise AnalysisError(
                f"the loop of '{self.outputs[row]}' and '{self.inputs[column]}' cannot be closed: its gain at high frequency is -1"
            )
        return margins_of(self.A, b, c, d, not grows(np.linalg.eigvals(self.A - np.outer(b, c) / (1 + d))))

    def step_response(self, input: str | None = None, times: Sequence[float] | np.ndarray | None = None, size: float = 1.0) -> StepResponse:
        """Returns all outputs after a step of an input, by default the first, of ``size`` in its unit.

        ``times`` are in seconds, evenly spaced from 0 on, by default five of the slowest decays or periods. Other times raise
        AnalysisError.
        """
        from scipy.linalg import expm

        column = self._place("input", input)
        at = self._times() if times is None else numbers_in(times)
        gaps = np.diff(() if at is None else at)
        if at is None or len(at) < 2 or at[0] != 0 or not np.allclose(gaps, gaps[0], rtol=1e-6) or not gaps[0] > 0:
            raise AnalysisError(f"times = {shown(times)} is refused: give evenly spaced ones from 0 on, such as np.linspace(0, 5, 501)")
        if not is_number(size) or not np.isfinite(size):
            raise AnalysisError(f"size = {shown(size)} is refused: give a finite number, in the unit of the input")
        n = len(self.A)
        B, D = self._proper("are impulses after a step", slice(column, column + 1))
        whole = np.zeros((n + 1, n + 1))
        whole[:n, :n], whole[:n, n] = self.A, B[:, column] * size
        step, x = expm(whole * gaps[0]), np.zeros(n + 1)
        x[n] = 1.0
        rows = []
        for _ in at:
            rows.append(self.C @ x[:n] + D[:, column] * size)
            x = step @ x
        return StepResponse(at, dict(zip(self.outputs, np.array(rows).T, strict=True)), self.inputs[column], size, self.units)

    def to_scipy(self) -> Any:
        """Returns a ``scipy.signal.StateSpace``, which has no names. Rates of inputs are folded into its states."""
        from scipy.signal import StateSpace

        B, D = self._proper(_NO_PLACE)
        return StateSpace(self.A, B, self.C, D)

    def to_control(self) -> Any:
        """Returns a ``control.StateSpace`` of python-control, with ``_`` in place of the dots of names. Rates of inputs are folded as for SciPy."""
        try:
            import control
        except ImportError:
            raise ImportError("to_control() needs python-control: pip install control; to_scipy() needs nothing more") from None
        names = {kind: [name.replace(".", "_") for name in getattr(self, kind)] for kind in ("states", "inputs", "outputs")}
        B, D = self._proper(_NO_PLACE)
        return control.ss(self.A, B, self.C, D, **names)

    def _place(self, kind: str, name: str | None) -> int:
        names = self.inputs if kind == "input" else self.outputs
        if not names:
            raise AnalysisError(f"the linear model has no {kind}s; name them: linearise(inputs=[...], outputs=[...])")
        if name is None:
            return 0
        if not is_word(name, names):
            hint = nearest(str(name), names) or f"its {kind}s are {', '.join(names)}"
            raise AnalysisError(f"{kind} = {shown(name)} is none of the linear model; {hint}")
        return names.index(name)

    def _sizes(self) -> np.ndarray:
        sizes = np.abs(self.eigenvalues)
        return sizes[sizes > 1e-6 * sizes.max(initial=0.0)]

    def _frequencies(self) -> np.ndarray:
        sizes = self._sizes()
        low, high = (sizes.min(), sizes.max()) if len(sizes) else (1.0, 1.0)
        return np.geomspace(low / 10, high * 10, 500) / (2 * np.pi)

    def _times(self) -> np.ndarray:
        sizes = self._sizes()
        slowest = 1 / sizes.min() if len(sizes) else 1.0
        return np.linspace(0, 5 * 2 * np.pi * slowest if np.iscomplexobj(self.eigenvalues) else 5 * slowest, 501)


def in_order(eigenvalues: np.ndarray) -> np.ndarray:
    """Returns the numbers of the eigenvalues, those of the least size first."""
    return np.lexsort((eigenvalues.imag, eigenvalues.real, np.round(np.abs(eigenvalues), 9)))


def grows(eigenvalues: np.ndarray) -> bool:
    """Says whether a motion grows. The limit allows for rounding, whose square root scatters double zeros."""
    return bool(np.any(eigenvalues.real > 1e-5 * max(1.0, float(np.abs(eigenvalues).max(initial=0.0)))))


def _scaled(shape: np.ndarray) -> np.ndarray:
    """Returns the mode shape scaled to a greatest part of 1. One without any part, such as the places in a mode of attitudes, stays 0."""
    greatest = shape[int(np.abs(shape).argmax())]
    return shape / greatest if greatest else shape
