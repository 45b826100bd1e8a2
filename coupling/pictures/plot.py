"""Values over time as a figure of Matplotlib: one pair of axes for each unit, events marked on the axis of time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coupling import files
from coupling.checks import check_truth
from coupling.pictures.colours import EVENT, LIGHT
from coupling.pictures.units import prefix, written

_LINES = ("-", "--", ":", "-.")
"""Styles that distinguish curves of the same colour."""
_MOST_WORDS = 12
"""Greatest number of words on an axis."""


def events_of(time: np.ndarray) -> np.ndarray:
    """Returns the times in s that have two rows, before and after an event."""
    return np.unique(time[1:][np.diff(time) == 0])


def plot(
    time: np.ndarray,
    groups: Sequence[Mapping[str, np.ndarray]],
    units: Mapping[str, str],
    path: str | os.PathLike[str] | None = None,
    events: bool = True,
    labels: Sequence[Sequence[tuple[float, str]]] = (),
) -> Any:
    """Plots each group in its own axes. Writes the figure to ``path`` if one is given, and returns it. ``labels`` are words for values, by
    group."""
    from matplotlib.figure import Figure

    check_truth("events", events)
    figure = Figure(figsize=(7.2, 0.7 + 1.75 * len(groups)), layout="constrained")
    every = figure.subplots(len(groups), sharex=True, squeeze=False)[:, 0]
    per_second, letter = prefix(time, "s")
    marked, number = events_of(time) if events else np.empty(0), 0
    for axes, group, words in zip(every, groups, labels or [()] * len(groups), strict=True):
        unit = units.get(next(iter(group)), "")
        factor, small = prefix(np.concatenate(list(group.values())), unit)
        for name, values in group.items():
            colour, line = LIGHT[number % len(LIGHT)], _LINES[number // len(LIGHT) % len(_LINES)]
            axes.plot(per_second * time, factor * values, line, color=colour, linewidth=1.6, label=name)
            number += 1
        if marked.size:  # full lines would hide the curves where there are many
            axes.vlines(per_second * marked, 0, 0.035, transform=axes.get_xaxis_transform(), color=EVENT, linewidth=1)
        axes.set_ylabel(f"in {small}{written(unit)}" if unit else "")
        if words:
            axes.set_yticks([number for number, _ in words[:_MOST_WORDS]], [word for _, word in words[:_MOST_WORDS]])
        styled(axes)
        axes.margins(x=0)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, fontsize=9, borderaxespad=0.1, handlelength=1.2)
    count = f"; {marked.size} event{'s'[: marked.size > 1]} marked" if marked.size else ""
    every[-1].set_xlabel(f"time in {letter}s{count}")
    figure.align_ylabels()
    return kept(figure, path)


def styled(axes: Any) -> None:
    """Gives axes the look of the library's plots."""
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def kept(figure: Any, path: str | os.PathLike[str] | None) -> Any:
    """Writes a figure to ``path`` if one is given, and returns it."""
    if path is not None:
        with files.written(Path(path), "figure"):
            figure.savefig(path, dpi=130)
    return figure


def by_unit(names: Sequence[str], units: Mapping[str, str]) -> list[list[str]]:
    """Groups names that share a unit, in the order in which units appear."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(units.get(name, ""), []).append(name)
    return list(found.values())
