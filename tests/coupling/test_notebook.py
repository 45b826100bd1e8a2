"""Notebook views of systems, results, outcomes, linear models and sweeps: HTML that holds every name as text, and stays small."""

from __future__ import annotations

import io
import re
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import jourdain
from coupling import Ending, Result, System
from coupling.outcome import Outcome
from coupling.progress import bar_of, in_notebook
from tests.support.systems.systems import pendulum

ODD = "<script>alert(1)</script> & co"


def shown(value: object) -> ElementTree.Element:
    """Returns the notebook's HTML, which is well-formed and carries no script."""
    text = value._repr_html_()  # type: ignore[attr-defined]
    assert "<script" not in text and len(text.encode()) < 200_000
    return ElementTree.fromstring(text)


def words(root: ElementTree.Element) -> str:
    return " ".join(" ".join(root.itertext()).split())


def odd() -> System:
    """A pendulum whose names have characters of markup."""
    system = System(ODD)
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add(ODD, "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", f"{ODD}.p1")
    return system


def test_a_system_shows_its_counts_and_its_diagram() -> None:
    """It does so before it is built, and where it cannot be: the message of a connection that leads nowhere is shown instead."""
    system = odd()
    root = shown(system)
    assert words(root).startswith(f"{ODD} 3 instances, 2 connections, 6 states")
    assert len(list(root.iter("{http://www.w3.org/2000/svg}use"))) == 3
    system.connect("ground.p1", "nowhere.p1")
    text = words(shown(system))
    assert "there is no instance 'nowhere'" in text and "planar.Body1 1" in text
    assert words(shown(System("none"))) == "none 0 instances, 0 connections, 0 states"


def test_a_large_system_shows_a_table() -> None:
    """The table lists the number of instances of each component, in place of an illegible diagram."""
    system = System("many")
    for i in range(120):
        system.add(f"m{i}", "mechanical1d.Mass")
    text = words(shown(system))
    assert "model instances mechanical1d.Mass 120" in text and "<svg" not in system._repr_html_()


def test_a_result_shows_how_it_went_a_plot_and_a_table() -> None:
    """The outcome, the costs, curves of the first unit, and the values of the first variables, of which the rest is counted."""
    result = odd().simulate(1.0)
    root = shown(result)
    text = words(root)
    assert "completed at t = 1 s" in text and "evaluations" in text and f"{ODD}.theta" in text
    assert f"and {len(result.names) - 20} more" in text
    plot = next(each for each in root.iter("{http://www.w3.org/2000/svg}svg") if each.get("width") == "640")
    curve = next(each.get("d", "") for each in plot.iter("{http://www.w3.org/2000/svg}path") if each.get("stroke-width") == "1.6")
    points = np.array([[float(x) for x in pair.split()] for pair in curve.strip("M").split("L")])
    assert points[0, 0] == pytest.approx(64) and points[-1, 0] == pytest.approx(628) and len(points) <= 300
    row = next(each for each in root.iter("tr") if f"{ODD}.theta" in "".join(each.itertext()))
    cells = ["".join(cell.itertext()) for cell in row]
    theta = result[f"{ODD}.theta"]
    wanted = [f"{x:.4g}".replace("-", "−") for x in (theta[0], theta[-1], theta.min(), theta.max())]
    assert cells[0] == f"{ODD}.theta" and cells[1] == "rad" and cells[3:] == wanted


def test_an_outcome_shows_its_ending_in_colour() -> None:
    """Completed and failed ones differ, and warnings are shown."""
    good = Outcome(Ending.COMPLETED, "completed at t = 1 s", ["beware of <b>"])
    bad = Outcome(Ending.NOT_FINITE, "a value was not finite")
    colours = [re.search(r"background:(#\w+)", each._repr_html_()).group(1) for each in (good, bad)]  # type: ignore[union-attr]
    assert colours[0] != colours[1] and words(shown(good)) == "completed completed at t = 1 s beware of <b>"


def test_a_linear_model_shows_names_and_motions() -> None:
    """The model of a hanging pendulum has one pair of eigenvalues, with the frequency of small swings."""
    system = pendulum(theta=-np.pi / 2, x=0.0, y=-0.5)
    model = system.linearise()
    text = words(shown(model))
    assert "2 states, 0 inputs" in text and "stable" in text and "rotation.q" in text
    assert f"{np.sqrt(9.80665 * 1.5) / (2 * np.pi):.3f}" in text or f"{np.sqrt(9.81 * 1.5) / (2 * np.pi):.3f}" in text


def last(result: Result) -> float:
    return float(result["rod.theta"][-1])


def test_a_sweep_shows_its_first_rows() -> None:
    """Twenty of them, and how many more there are."""
    table = jourdain.sweep(pendulum(), {"rod.m": np.linspace(1, 2, 23)}, stop_time=0.01, measure={"end": last})
    root = shown(table)
    assert "23 runs, 0 failed" in words(root) and "and 3 more" in words(root)
    assert len(list(root.iter("tr"))) == 1 + 20


def test_bars_in_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel of Jupyter has no terminal, and gets a bar all the same."""
    text = io.StringIO()
    monkeypatch.setattr(sys, "stderr", text)
    pendulum().simulate(1.0, progress=True)
    assert text.getvalue() == "" and not in_notebook()
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert in_notebook() and bar_of().__name__ in ("tqdm_notebook", "tqdm", "tqdm_asyncio")
    pendulum().simulate(1.0, progress=True)
    assert "simulating: 100%" in text.getvalue()
