"""Family examples: figures agree with closed forms, and each machine leaves a plot, and an animation if it moves in a plane or in space."""

from __future__ import annotations

import re
import runpy
import sys
import warnings
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import pytest

from coupling import System
from tests.examples.test_examples import HIDDEN
from tests.support.examples.printed import is_plot
from tests.support.fused.agreement import ALLOWED
from tests.support.fused.ways import ways_disagreement
from tests.support.systems.machines import EXAMPLES

FAMILIES = {path.stem: path for path in sorted((EXAMPLES / "families").glob("*.py")) if path.stem != "report"}
QUICK = ("plane_crossings", "ropes")
"""Families that run with every test. The others build more components than the tests have time for."""


def machines(name: str) -> dict[str, Callable[[], System]]:
    """Returns the functions of a family that return a system and take no argument."""
    scope = runpy.run_path(str(FAMILIES[name]))
    functions = {key: each for key, each in scope.items() if callable(each) and getattr(each, "__module__", "") == "<run_path>"}
    return {key: each for key, each in functions.items() if signature(each).return_annotation is System and not signature(each).parameters}


@pytest.fixture(autouse=True)
def beside_the_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the families import what they share, as a script does from its own folder."""
    monkeypatch.syspath_prepend(str(EXAMPLES / "families"))


@pytest.mark.parametrize("name", [pytest.param(each, marks=() if each in QUICK else pytest.mark.slow) for each in FAMILIES])
def test_a_family_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """It ends without a difference, an error or a warning, and leaves files of each machine in --out alone."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name, "--out", "results"])
    with pytest.raises(SystemExit) as ended, warnings.catch_warnings(record=True) as warned:
        runpy.run_path(str(FAMILIES[name]), run_name="__main__")
    printed, complained = capfd.readouterr()
    assert ended.value.code == 0, printed + complained
    assert complained == "" and [str(each) for each in warned if not issubclass(each.category, HIDDEN)] == []
    assert {path.name for path in tmp_path.iterdir()} == {"results"}
    systems = [make() for make in machines(name).values()]
    assert len(re.findall(r": \S+ .*, by the closed form \S+ ", printed)) >= len(systems)
    written = {path.name for path in (tmp_path / "results").iterdir()}
    assert written == {f"{each.name}.png" for each in systems} | {f"{each.name}.html" for each in systems if moves(each)}
    assert all(is_plot(path) for path in (tmp_path / "results").glob("*.png"))


def moves(system: System) -> bool:
    return any(each.model_name.startswith(("planar.", "spatial.")) for each in system.instances.values())


CASES = [
    (name, machine) for name in FAMILIES for machine in re.findall(r"^def (\w+)\(\) -> System", FAMILIES[name].read_text(), re.MULTILINE)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "machine"), CASES, ids=str)
def test_a_machine_is_fused(name: str, machine: str) -> None:
    """Its equations give what its FMUs give, by tape and compiled."""
    assert ways_disagreement(machines(name)[machine]().build(communication=False)) < ALLOWED


def test_titles_have_at_most_five_words() -> None:
    """Numbered examples as well: the title is the first line of the docstring, and the site's list of examples consists of it."""
    titles = {path.stem: path.read_text().partition("\n")[0].strip('".') for path in (*EXAMPLES.glob("[0-9]*.py"), *FAMILIES.values())}
    assert {name: title for name, title in titles.items() if len(title.split()) > 5} == {}


def test_a_difference_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A figure that is off by more than is allowed is marked, and the program ends with code 1."""
    from report import Report  # beside the families

    monkeypatch.setattr(sys, "argv", ["family", "--out", str(tmp_path)])
    report = Report("a family")
    report.figure("length", 2.0, 2.001, "m", within=1e-3)
    report.figure("mass", 3.0, 3.1, "kg")
    with pytest.raises(SystemExit) as ended:
        report.end()
    assert ended.value.code == 1
    assert re.findall("^(.*?): .*DIFFER", capsys.readouterr().out, re.MULTILINE) == ["mass"]


def test_a_warning_of_a_run_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from report import Report  # beside the families

    monkeypatch.setattr(sys, "argv", ["family", "--out", str(tmp_path)])
    system = System("odd body", gravity=(0.0, 0.0, 0.0))
    system.add("body", "spatial.Body1", {"Izz": 20.0})  # more than Ixx + Iyy
    report = Report("a family")
    report.show(system.simulate(0.1), "body.x")
    with pytest.raises(SystemExit) as ended:
        report.end()
    assert ended.value.code == 1 and "tensor of inertia" in capsys.readouterr().out
    assert is_plot(tmp_path / "odd body.png")
