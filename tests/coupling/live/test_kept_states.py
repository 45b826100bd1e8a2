"""States of foreign FMUs in checkpoints: what misbehaves while it is asked for its state, FMUs in processes of their own, and FMUs that give none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coupling import Checkpoint, Index3, Isolation, Result, StartError, System
from coupling.live import checkpoints
from tests.support import foreign
from tests.support.foreign.unruly import function, unruly
from tests.support.systems import kept
from tests.support.systems.systems import refusal

STOP = 1.0
WAYS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "own": ({"process": "own"}, {}),
    "all": ({}, {"isolate": "all"}),
    "here": ({}, {}),
}


@pytest.fixture(autouse=True)
def checkpoints_at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much of the time they take."""
    monkeypatch.setattr(checkpoints, "_SHARE", 0)


def oscillators(unit: Path, kind: str, **adding: Any) -> System:
    """A good one and another one, each of which feeds the other."""
    system = System("two oscillators")
    system.add("good", foreign.oscillator(serialises=True), kind=kind)
    system.add("unit", unit, {"x": 0.2}, kind=kind, **adding)
    system.connect("good.y", "unit.u")
    system.connect("unit.y", "good.u")
    return system


def run(system: System, kind: str, **options: Any) -> Result:
    if kind == "cs":
        options |= {"communication_step": 0.02}
    return system.simulate(STOP, output_interval=0.02, **options)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "version"), [("me", 2), ("cs", 3), ("cs", 2), ("me", 3)])
def test_foreign_states_are_written_down(way: str, kind: str, version: int, tmp_path: Path) -> None:
    """A run that was left goes on with the same bits, wherever its FMU is."""
    adding, options = WAYS[way]
    unit = foreign.oscillator(version, serialises=True)
    undisturbed = run(oscillators(unit, kind), kind)
    with kept.checkpoints(tmp_path, 3, 1) as paths:
        saved = run(oscillators(unit, kind, **adding), kind, checkpoint=Checkpoint(path=tmp_path / "run.ckpt", interval=0.0), **options)
    assert kept.bits(saved) == kept.bits(undisturbed) == kept.bits(System.resume(paths[0]))


@pytest.mark.parametrize("way", ["own", "all"])
@pytest.mark.parametrize(("kind", "version", "at"), [("me", 2, "save"), ("cs", 3, "size"), ("cs", 2, "serialise"), ("me", 3, "serialise")])
def test_an_fmu_that_crashes_while_it_gives_its_state(way: str, kind: str, version: int, at: str, tmp_path: Path) -> None:
    """The run ends and names the call; the checkpoint before is whole, and a run goes on from there."""
    adding, options = WAYS[way]
    path = tmp_path / "run.ckpt"
    system = oscillators(unruly("crash", at, 25 if kind == "cs" else 4, version, kind), kind, **adding)
    result = run(system, kind, checkpoint=Checkpoint(path=path, interval=0.0), **options)
    assert result.outcome.ending.name == "PROCESS_DIED"
    assert (
        f"'unit' (Unruly.fmu of 'tests/support/foreign') crashed (segmentation fault) in {function(at, version, kind)}"
        in result.outcome.sentence
    )
    assert [each.name for each in tmp_path.iterdir()] == ["run.ckpt"]
    undisturbed = run(oscillators(unruly("nothing", at, 0, version, kind), kind), kind)
    again = run(
        system,
        kind,
        checkpoint=Checkpoint(path=path, interval=0.0),
        isolate=Isolation(which="all" if way == "all" else "none", on_crash="restart", max_restarts=1000),
    )
    assert again.outcome.completed, again.outcome
    assert kept.bits(again) == kept.bits(undisturbed)


@pytest.mark.parametrize("way", ["own", "all"])
def test_an_fmu_that_hangs_while_it_gives_its_state(way: str, tmp_path: Path) -> None:
    adding, _ = WAYS[way]
    system = oscillators(unruly("loop", "serialise", 2, 3, "cs"), "cs", **adding)
    result = run(
        system,
        "cs",
        checkpoint=Checkpoint(path=tmp_path / "run.ckpt", interval=0.0),
        isolate=Isolation(which="all" if way == "all" else "none", call_timeout=1.0),
    )
    assert result.outcome.ending.name == "TIMED_OUT" and "did not return within 1 s in fmi3SerializeFMUState" in result.outcome.sentence


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("does", "at", "says"), [("status", "serialise", "'unit' did not give its state at t = "), ("huge", "size", "memory ran out at t = ")]
)
def test_an_fmu_that_refuses_its_state_does_not_end_the_run(way: str, does: str, at: str, says: str, tmp_path: Path) -> None:
    """A warning says so; the last checkpoint that could be made stays."""
    adding, options = WAYS[way]
    undisturbed = run(oscillators(unruly("nothing", at, 0, 3, "cs"), "cs"), "cs")
    result = run(
        oscillators(unruly(does, at, 25, 3, "cs"), "cs", **adding),
        "cs",
        checkpoint=Checkpoint(path=tmp_path / "run.ckpt", interval=0.0),
        **options,
    )
    assert result.outcome.completed and kept.bits(result) == kept.bits(undisturbed)
    assert f"a checkpoint failed: {says}" in result.outcome.warnings[-1]
    assert kept.bits(System.resume(tmp_path / "run.ckpt")) == kept.bits(undisturbed)


def test_an_fmu_that_crashes_when_it_takes_its_state_back(tmp_path: Path) -> None:
    """The run does not begin; the sentence names the call."""
    path = tmp_path / "run.ckpt"
    run(oscillators(unruly("crash", "deserialise", 1, 3, "cs"), "cs", process="own"), "cs", checkpoint=path)
    sentence = refusal(lambda: System.resume(path), StartError)
    assert "'unit' (Unruly.fmu of 'tests/support/foreign') crashed (segmentation fault) in fmi3DeserializeFMUState" in sentence


# -- FMUs that cannot write down their states --------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("solver", ["dopri5", "index3", "cvode"])
def test_fmus_without_states_to_be_saved_go_on_from_continuous_ones(way: str, solver: str, fmi: int, tmp_path: Path) -> None:
    """The bits are the same where the FMUs have no other state; a note names them."""
    adding, options = WAYS[way]
    options = {**options, "solver": Index3(step_size=0.01) if solver == "index3" else solver}
    unit = foreign.oscillator(fmi)
    undisturbed = run(oscillators(unit, "me"), "me", **options)
    with kept.checkpoints(tmp_path, 3, 1) as paths:
        run(
            oscillators(unit, "me", **adding),
            "me",
            checkpoint=Checkpoint(path=tmp_path / "run.ckpt", interval=0.0, inexact=True),
            **options,
        )
    result = System.resume(paths[0])
    assert result.outcome.notes[-1] == "'unit' continued there from continuous states alone: all other memory of an FMU is lost"
    if solver == "cvode":
        assert result["unit.x"] == pytest.approx(undisturbed["unit.x"], abs=1e-6)
    else:
        assert kept.bits(result) == kept.bits(undisturbed)


def test_events_go_on_and_what_was_counted_is_lost(fmi: int, tmp_path: Path) -> None:
    """The FMU's own clock goes on from the time; its count of events begins anew, as the note says."""

    def system() -> System:
        found = System("events")
        found.add("unit", foreign.two_events(fmi))
        return found

    options = {"output_interval": 0.05}
    undisturbed = system().simulate(2.0, **options)
    with kept.checkpoints(tmp_path, 3, 1) as paths:
        system().simulate(2.0, checkpoint=Checkpoint(path=tmp_path / "run.ckpt", interval=0.0, inexact=True), **options)
    result = System.resume(paths[0])
    assert result["unit.x"] == pytest.approx(undisturbed["unit.x"], abs=1e-9)
    assert result["unit.level"][-1] < undisturbed["unit.level"][-1]


def test_what_cannot_be_restarted_is_refused(tmp_path: Path) -> None:
    path, unit = tmp_path / "run.ckpt", foreign.oscillator(3, rollback=True)
    how = {"me": {}, "cs": {"communication_step": 0.1}}
    cannot = "'unit' cannot serialise its state (canSerializeFMUState)"
    for kind, options, sentence in (
        (
            "me",
            {"checkpoint": path},
            f"checkpoint is refused: {cannot}; leave it out, give Checkpoint(inexact=True), which restarts it from its continuous states alone, or use "
            "FMUs that can",
        ),
        ("cs", {"checkpoint": path}, f"checkpoint is refused: {cannot}; leave it out, or use FMUs that can"),
        (
            "cs",
            {"checkpoint": Checkpoint(path=path, inexact=True)},
            f"checkpoint: inexact = True is refused: {cannot}, and 'unit' runs in Co-Simulation, where no states are known; leave checkpoint out, or use FMUs "
            "that can",
        ),
    ):
        assert refusal(lambda kind=kind, options=options: oscillators(unit, kind).simulate(STOP, **how[kind], **options)) == sentence
    mixed = oscillators(unit, "me")
    mixed.add("third", foreign.oscillator(serialises=True), kind="cs")
    mixed.connect("unit.x", "third.u")
    assert refusal(lambda: mixed.simulate(STOP, checkpoint=Checkpoint(path=path, inexact=True), communication_step=0.1)) == (
        f"checkpoint: inexact = True is refused: {cannot}, and FMUs are restarted in runs without a communication_step only; leave checkpoint out, or use "
        "FMUs that can"
    )
    assert not path.exists()
