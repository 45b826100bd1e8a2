"""Responses of a linear model: modes, frequency responses and step responses, with pictures of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coupling.files import written


@dataclass(frozen=True)
class Mode:
    """A free motion, proportional to exp(eigenvalue t)."""

    eigenvalue: complex
    """Eigenvalue in 1/s."""
    shape: Mapping[str, complex]
    """Mode shape by state, whose greatest part is 1."""

    @property
    def frequency(self) -> float:
        """Frequency of the undamped oscillation, in Hz."""
        return abs(self.eigenvalue) / (2 * math.pi)

    @property
    def damping(self) -> float:
        """Damping ratio: 1 without oscillation, negative for growth."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size > 0 else 0.0


class Modes(Sequence[Mode]):
    """Free motions, the slowest first."""

    def __init__(self, modes: Sequence[Mode]) -> None:
        self._modes = list(modes)

    def __getitem__(self, i: Any) -> Any:
        return self._modes[i]

    def __len__(self) -> int:
        return len(self._modes)

    def plot(self, path: str | Path | None = None) -> Any:
        """Plots eigenvalues in the complex plane, and for each mode the motion of each state. Writes the plot to ``path``, or returns
        the figure."""
        figure = _figure()
        plane, moving = figure.subplots(1, 2, width_ratios=(1, 1.4))
        values = [mode.eigenvalue for mode in self._modes]
        every = np.array([*values, *(value.conjugate() for value in values if value.imag)], dtype=complex)
        _roots(plane, every)
        for number, value in enumerate(values, 1):
            plane.annotate(str(number), (value.real, value.imag), textcoords="offset points", xytext=(4, 4))
        names = list(self._modes[0].shape) if self._modes else []
        sizes = np.array([[abs(mode.shape[name]) for mode in self._modes] for name in names]).reshape(len(names), len(self._modes))
        moving.imshow(sizes, aspect="auto", cmap="Blues", vmin=0, vmax=1)
        moving.set_yticks(range(len(names)), names)
        moving.set_xticks(range(len(self._modes)), [str(number + 1) for number in range(len(self._modes))])
        moving.set_xlabel("mode")
        return _kept(figure, path)

    def __str__(self) -> str:
        lines = [f"{'mode':>4}{'frequency, Hz':>16}{'damping':>11}   what moves most"]
        for number, mode in enumerate(self._modes, 1):
            greatest = sorted(mode.shape, key=lambda name: -abs(mode.shape[name]))[:3]
            moves = ", ".join(f"{name} {abs(mode.shape[name]):.2g}" for name in greatest)
            lines.append(f"{number:4}{mode.frequency:16.6g}{mode.damping:11.4f}   {moves}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Bode:
    """A frequency response."""

    frequency: np.ndarray
    """Frequencies in Hz."""
    response: np.ndarray
    """Complex response, output over input."""
    output: str
    input: str
    units: Mapping[str, str]

    @property
    def magnitude(self) -> np.ndarray:
        """Magnitude of output over input, in the unit of the output over that of the input."""
        return np.abs(self.response)

    @property
    def phase(self) -> np.ndarray:
        """Phase in degrees, without jumps."""
        return np.degrees(np.unwrap(np.angle(self.response)))

    def plot(self, path: str | Path | None = None) -> Any:
        """Plots magnitude and phase over the frequency. Writes the plot to ``path`` if one is given, and returns the figure of
        Matplotlib otherwise."""
        figure = _figure()
        upper, lower = figure.subplots(2, 1, sharex=True)
        upper.loglog(self.frequency, self.magnitude)
        upper.set_ylabel(f"{_named(self.output, self.units)} over\n{_named(self.input, self.units)}")
        lower.semilogx(self.frequency, self.phase)
        lower.set_ylabel("phase, degrees")
        lower.set_xlabel("frequency, Hz")
        for axes in (upper, lower):
            axes.grid(True, which="both", alpha=0.3)
        return _kept(figure, path)


@dataclass(frozen=True)
class StepResponse:
    """Outputs after a step of an input; by name: ``response["rod.theta"]``."""

    time: np.ndarray
    outputs: Mapping[str, np.ndarray]
    input: str
    size: float
    units: Mapping[str, str]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.outputs[name]

    def plot(self, path: str | Path | None = None) -> Any:
        """Plots each output over time. Writes the plot to ``path`` if one is given, and returns the figure of Matplotlib otherwise."""
        figure = _figure()
        every = np.atleast_1d(figure.subplots(max(1, len(self.outputs)), 1, sharex=True))
        for axes, (name, values) in zip(every, self.outputs.items(), strict=False):
            axes.plot(self.time, values)
            axes.set_ylabel(_named(name, self.units))
            axes.grid(True, alpha=0.3)
        every[-1].set_xlabel("time, s")
        every[0].set_title(f"after a step of {_named(self.input, self.units)} by {self.size:g}")
        return _kept(figure, path)


def root_locus(eigenvalues: Sequence[np.ndarray], values: np.ndarray, parameter: str, path: str | Path | None) -> Any:
    """Draws eigenvalues in the complex plane, coloured by a parameter."""
    figure = _figure()
    axes = figure.subplots()
    shown = np.concatenate([np.full(len(each), value) for each, value in zip(eigenvalues, values, strict=True)])
    figure.colorbar(_roots(axes, np.concatenate(list(eigenvalues)), shown), label=parameter)
    return _kept(figure, path)


def map_of(
    first: tuple[str, np.ndarray],
    second: tuple[str, np.ndarray],
    values: np.ndarray,
    label: str,
    points: Sequence[Mapping[str, float]],
    path: str | Path | None,
) -> Any:
    """Draws a quantity over two parameters, with a line at its zeros and points that are marked."""
    figure = _figure()
    axes = figure.subplots()
    (across, x), (up, y) = first, second
    if min(values.shape) > 1:
        figure.colorbar(axes.contourf(x, y, values.T, levels=20), label=label)
        if values.min() < 0 < values.max():
            axes.contour(x, y, values.T, levels=[0.0], colors="black")
    else:
        places = np.meshgrid(x, y, indexing="ij")
        figure.colorbar(axes.scatter(*places, c=values), label=label)
    axes.plot([each[across] for each in points], [each[up] for each in points], "k.-", label="stability changes")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    return _kept(figure, path)


def _roots(axes: Any, values: np.ndarray, colours: np.ndarray | None = None) -> Any:
    marks = axes.scatter(values.real, values.imag, c=colours, marker="x")
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel("real part, 1/s")
    axes.set_ylabel("imaginary part, 1/s")
    axes.grid(True, alpha=0.3)
    return marks


def _named(name: str, units: Mapping[str, str]) -> str:
    return f"{name}, {units[name]}" if units.get(name) else name


def _figure() -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(7, 5), layout="constrained")


def _kept(figure: Any, path: str | Path | None) -> Any:
    if path is not None:
        with written(Path(path), "figure"):
            figure.savefig(path)
    return figure
