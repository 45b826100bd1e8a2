"""Report of a family.

The family examples share it. It compares figures with closed forms, and writes plots and animations.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jourdain import Result


class Report:
    """The report of one example: lines on the screen, and files in the folder ``--out``."""

    def __init__(self, title: str | None) -> None:
        parser = argparse.ArgumentParser(description=title)
        parser.add_argument(
            "--out", type=Path, default=Path("build/families"), help="folder for plots and animations (default: build/families)"
        )
        self._folder: Path = parser.parse_args().out
        self._folder.mkdir(parents=True, exist_ok=True)
        self._failed = False

    def figure(self, text: str, found: float, expected: float, unit: str, within: float = 1e-6) -> None:
        """Prints a figure beside its closed form; ``within`` is the relative difference that is allowed, an absolute one from 0."""
        agrees = abs(found - expected) <= within * (abs(expected) or 1.0)
        print(f"{text}: {found:.6g} {unit}, by the closed form {expected:.6g} {unit}{'' if agrees else ': THEY DIFFER'}")
        self._failed |= not agrees

    def show(self, result: Result, *signals: str | tuple[str, ...], moving: bool = True) -> None:
        """Writes a plot of signals and, of a machine in a plane or in space, an animation. A warning of the run counts as a failure."""
        path = self._folder / result.system
        result.plot(*signals, path=path.with_suffix(".png"))
        if moving:
            result.animate(path.with_suffix(".html"), signals=signals)
        if not result.outcome.completed or result.outcome.warnings:
            print(result.outcome)
            self._failed = True

    def end(self) -> None:
        """Ends the program, with the code 1 after a failure."""
        print(f"plots and animations: {self._folder}")
        sys.exit(int(self._failed))
