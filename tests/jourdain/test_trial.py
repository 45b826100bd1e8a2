"""Trial runs of ``jourdain test``: what passes, and what is said of the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from fmu_components.catalogue import all_components
from jourdain import cached_fmu, find
from jourdain.command import main
from jourdain.verbs.trial import ENDINGS, run
from tests.support.foreign import OSCILLATOR, Model, Variable, export

ONE_OF_EACH = ["planar.Revolute", "planar.GearPair", "mechanical1d.Clutch", "hydraulic.Cylinder", "electrical.Resistor"]
UNSTABLE = {("hydraulic.Cylinder", "cs"): "the coupling is unstable at communication_step"}
"""A cylinder that steps beside a volume of oil would need steps of 0.1 ms."""


def report(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    main(["test", *map(str, arguments), "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def check_trials(name: str, fmi: int = 3) -> None:
    """Checks both kinds; each port has a body."""
    for kind, step in (("me", {}), ("cs", {"communication_step": 0.002})):
        said = run(Path(cached_fmu(find(name), fmi=fmi)), kind, {"stop_time": 1.0, **step}, {})
        if (name, kind) in UNSTABLE:
            assert UNSTABLE[name, kind] in said["sentence"]
        else:
            assert said["ending"] in ENDINGS, said["sentence"]


@pytest.mark.parametrize(("name", "fmi"), list(zip(ONE_OF_EACH, cycle((3, 2)), strict=False)))
def test_components_with_open_ports_run(name: str, fmi: int) -> None:
    check_trials(name, fmi)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_all_components_run(part: int) -> None:
    for name in sorted(all_components())[part::8]:
        check_trials(name)
        check_trials(name, 2)


@pytest.mark.slow
def test_bodies_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    main(["test", str(cached_fmu(find("planar.Revolute"), fmi=2))])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == [
        "Model Exchange: with a body at M, N, completed at t = 1 s, 501 rows",
        "Co-Simulation: with a body at M, N, completed at t = 1 s, 501 rows",
        "passed",
    ]


def test_an_fmu_that_wishes_to_end_passes(capsys: pytest.CaptureFixture[str]) -> None:
    ends = Model("Ends", [Variable("x", "output", 1.0, rate="-x")], kinds=("cs",), hooks={"step": "if (time > 0.5) me->terminate = 1;"})
    said = report(capsys, export(ends, 3), "--stop", 1)
    assert said["passed"] is True
    assert said["runs"]["Co-Simulation"]["completed"] is False
    assert "asked for the end" in said["runs"]["Co-Simulation"]["sentence"]


def test_a_default_stop_time_that_is_far_away_is_not_reached(capsys: pytest.CaptureFixture[str]) -> None:
    slow = Model("Slow", [Variable("x", "output", 1.0, rate="-x / 1e7")], kinds=("me",))
    path = export(slow, 3, changes={"<ModelVariables>": '<DefaultExperiment stopTime="1e8"/><ModelVariables>'})
    said = report(capsys, path)
    assert said["passed"] is True
    assert said["notes"] == ["its default stop time is 1e+08 s: the runs end at 100 s; give --stop for another time"]
    assert said["runs"]["Model Exchange"]["sentence"] == "completed at t = 100 s"


def test_scheduled_execution_is_a_kind_that_is_not_supported(capsys: pytest.CaptureFixture[str]) -> None:
    changes = {'<ModelExchange modelIdentifier="Clocks"/>': '<ScheduledExecution modelIdentifier="Clocks"/>'}
    path = export(replace(OSCILLATOR, name="Clocks", kinds=("me",)), 3, changes=changes)
    said = report(capsys, path)
    assert said["refused"] == [
        "it offers neither Model Exchange nor Co-Simulation, but Scheduled Execution, which is not supported; export it for one of the other kinds"
    ]
    assert (said["passed"], said["runs"]) == (False, {})
    main(["info", str(path)])
    assert "kinds Scheduled Execution not supported" in " ".join(capsys.readouterr().out.split())


def test_what_jourdain_refuses_is_not_said_to_come_from_fmpy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """FMPy does not mind a state that comes twice."""
    twice = Model("Twice", [Variable("x", "output", 1.0, rate="-x"), Variable("y", "output", 1.0, rate="-y")], kinds=("me",))
    path = export(twice, 3, changes={'derivative="2"': 'derivative="1"'})
    main(["test", str(path)])
    lines = capsys.readouterr().out.splitlines()
    assert not [line for line in lines if line.startswith("  ") and "same state" in line]
    assert [line for line in lines if line.startswith("refused by Jourdain: ") and "as derivatives of the same state 'x'" in line]
    assert lines[-1] == "not passed"
