"""``jourdain explain``, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.jourdain.test_command import machine, run  # noqa: F401
from tests.support.systems.systems import pendulum


@pytest.mark.parametrize(("typed", "at"), [((), None), (("--at", "0.3"), 0.3)])
def test_the_text_is_that_of_python(machine: Path, capsys: pytest.CaptureFixture[str], typed: tuple[str, ...], at: float | None) -> None:  # noqa: F811
    assert run(capsys, "explain", machine, *typed) == (0, f"{pendulum().explain(at)}\n", "")


def test_options_are_those_of_a_run(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    """``--json`` holds all fields, and null for what is not known."""
    code, said, _ = run(capsys, "explain", machine, "--at", "0.2", "--set", "rod.m=3", "--solver", "cvode", "--json")
    found = json.loads(said)
    ours = pendulum().explain(0.2, start_values={"rod.m": 3.0}, solver="cvode")
    assert code == 0 and found["time"] == 0.2 and found["order"] == ours.order and found["deficiency"] == 0
    assert {each["multiplier"]: each["value"] for each in found["joints"]} == pytest.approx(ours.multipliers)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (("--at", "soon"), "jourdain: --at: 'soon' is no number; give one such as 2.5\n"),
        (("--at", "3", "--stop", "2"), "jourdain: --at 3: the run ends at 2 s; give an earlier time, or a later end: --stop 3\n"),
        (("--at", "-1"), "jourdain: explain: at = -1 s lies before start_time = 0 s; give a later time, or an earlier start_time\n"),
        (("--record", "rod.x"), "jourdain: --record: one evaluation is shown, and nothing is recorded or coupled in steps; leave it out\n"),
        (("--set", "rod.mm=1"), "jourdain: 'rod' (planar.Body1) has no variable 'mm'"),
    ],
)
def test_a_wrong_use_is_one_sentence(
    machine: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    typed: tuple[str, ...],
    sentence: str,
) -> None:
    try:
        code, said, complaint = run(capsys, "explain", machine, *typed)
    except SystemExit as ended:  # the parser raises it
        code, said, complaint = int(ended.code or 0), *capsys.readouterr()
    assert (code, said) == (2, "") and complaint.startswith(sentence) and complaint.count("\n") == 1


def test_a_file_without_a_system_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    code, _, complaint = run(capsys, "explain", tmp_path / "empty.py")
    assert code == 2 and complaint.endswith(
        f"has no System and no function 'system'; name the object to take: {tmp_path / 'empty.py'}:NAME\n"
    )
