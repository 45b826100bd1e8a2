"""Responses of a linear model: modes, frequency responses and step responses, with pictures of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coupling.pictures.colours import LIGHT
from coupling.pictures.plot import kept, styled
from coupling.pictures.units import written


@dataclass(frozen=True)
class Mode:
    """A free motion, proportional to exp(eigenvalue t)."""

    eigenvalue: complex
    """Eigenvalue in 1/s."""
    shape: Mapping[str, complex]
    """Mode shape by state, whose greatest part is 1."""
    positions: Mapping[str, complex]
    """Mode shape by position, whose greatest part is 1 m or 1 rad. Rates of positions are left out. A model without positions has its
    states here."""
    units: Mapping[str, str]
    """Units of the states."""

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
        """Plots eigenvalues in the complex plane, and the amplitudes of positions in each mode. Writes the plot to ``path``, and returns
        the figure."""
        figure = _figure()
        plane, moving = figure.subplots(1, 2, width_ratios=(1, 1.4))
        values = [mode.eigenvalue for mode in self._modes]
        every = np.array([*values, *(value.conjugate() for value in values if value.imag)], dtype=complex)
        _roots(plane, every)
        for number, value in enumerate(values, 1):
            plane.annotate(str(number), (value.real, value.imag), textcoords="offset points", xytext=(4, 4))
        names = list(self._modes[0].positions) if self._modes else []
        sizes = np.array([[abs(mode.positions[name]) for mode in self._modes] for name in names]).reshape(len(names), len(self._modes))
        shown = moving.imshow(sizes, aspect="auto", cmap="Blues", vmin=0, vmax=1)
        figure.colorbar(shown, ax=moving, label="amplitude, the greatest as 1")
        moving.set_yticks(range(len(names)), [_named(name, self._modes[0].units) for name in names])
        moving.set_xticks(range(len(self._modes)), [str(number + 1) for number in range(len(self._modes))])
        moving.set_xlabel("mode")
        return kept(figure, path)

    def __str__(self) -> str:
        lines = [f"{'mode':>4}{'frequency, Hz':>16}{'damping':>11}   positions: amplitude and phase"]
        for number, mode in enumerate(self._modes, 1):
            greatest = sorted(mode.positions, key=lambda name: -abs(mode.positions[name]))[:3]
            moves = ", ".join(_moving(name, mode.positions[name], mode.units[name]) for name in greatest)
            lines.append(f"{number:4}{mode.frequency:16.6g}{round(mode.damping, 4) + 0.0:11.4f}   {moves}")
        return "\n".join(lines)


def _moving(name: str, part: complex, unit: str) -> str:
    """Returns a part of a mode shape: its amplitude, and its phase if it is not 0."""
    phase = round(math.degrees(math.atan2(part.imag, part.real))) if abs(part) > 0 else 0
    return f"{name} {abs(part):.2g}{f' {written(unit)}' if unit else ''}{f' at {abs(phase) if abs(phase) == 180 else phase}°' if phase else ''}"


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
    def magnitude_db(self) -> np.ndarray:
        """Magnitude in dB: 20 log10 of the magnitude in the unit of the output over that of the input."""
        with np.errstate(divide="ignore"):
            return 20 * np.log10(self.magnitude)

    @property
    def phase(self) -> np.ndarray:
        """Phase in degrees, without jumps."""
        return np.degrees(np.unwrap(np.angle(self.response)))

    def plot(self, path: str | Path | None = None) -> Any:
        """Plots magnitude in dB and phase in degrees over the frequency in Hz. Writes the plot to ``path`` if one is given, and returns the
        figure of Matplotlib."""
        figure = _figure()
        upper, lower = figure.subplots(2, 1, sharex=True)
        upper.semilogx(self.frequency, self.magnitude_db, color=LIGHT[0], linewidth=1.6)
        lower.semilogx(self.frequency, self.phase, color=LIGHT[0], linewidth=1.6)
        upper.set_ylabel(f"dB of {written(self.units.get(self.output, '')) or '1'} over {written(self.units.get(self.input, '')) or '1'}")
        upper.set_title(f"{self.output} over {self.input}", fontsize=10, loc="left")
        lower.set_ylabel("phase in degrees")
        lower.set_xlabel("frequency in Hz")
        for axes in (upper, lower):
            styled(axes)
        lower.yaxis.get_major_locator().set_params(steps=[1, 1.5, 3, 4.5, 9, 10])
        figure.align_ylabels()
        return kept(figure, path)


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
        """Plots each output over time. Writes the plot to ``path`` if one is given, and returns the figure of Matplotlib."""
        figure = _figure()
        every = np.atleast_1d(figure.subplots(max(1, len(self.outputs)), 1, sharex=True))
        for number, (axes, (name, values)) in enumerate(zip(every, self.outputs.items(), strict=False)):
            axes.plot(self.time, values, color=LIGHT[number % len(LIGHT)], linewidth=1.6)
            axes.set_ylabel(_named(name, self.units))
            axes.margins(x=0)
            styled(axes)
        every[-1].set_xlabel("time in s")
        every[0].set_title(
            f"after a step of {self.input} by {self.size:g} {written(self.units.get(self.input, ''))}".rstrip(), fontsize=10, loc="left"
        )
        figure.align_ylabels()
        return kept(figure, path)


def root_locus(eigenvalues: Sequence[np.ndarray], values: np.ndarray, parameter: str, path: str | Path | None) -> Any:
    """Draws eigenvalues in the complex plane, coloured by a parameter."""
    figure = _figure()
    axes = figure.subplots()
    shown = np.concatenate([np.full(len(each), value) for each, value in zip(eigenvalues, values, strict=True)])
    figure.colorbar(_roots(axes, np.concatenate(list(eigenvalues)), shown), label=parameter)
    return kept(figure, path)


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
    axes.spines[["top", "right"]].set_visible(False)
    return kept(figure, path)


def _roots(axes: Any, values: np.ndarray, colours: np.ndarray | None = None) -> Any:
    marks = axes.scatter(values.real, values.imag, c=LIGHT[0] if colours is None else colours, marker="x")
    axes.axvline(0.0, color=LIGHT[-1], linewidth=0.8)
    axes.set_xlabel("real part in 1/s")
    axes.set_ylabel("imaginary part in 1/s")
    styled(axes)
    return marks


def _named(name: str, units: Mapping[str, str]) -> str:
    return f"{name} in {written(units[name])}" if units.get(name) else name


def _figure() -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(7.2, 5), layout="constrained")
