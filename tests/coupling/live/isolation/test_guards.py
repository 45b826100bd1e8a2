"""FMUs in processes of their own: the same bits; whatever becomes of such a process ends the run in a sentence, keeps its rows, and leaves nothing."""

from __future__ import annotations

import gc
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, Ending, Index3, Isolation, Result, Scheme, StartError, System
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support import foreign
from tests.support.foreign import OSCILLATOR, Model, Variable, export
from tests.support.kernel.processes import children, gone, pipes, shared_memories
from tests.support.systems.systems import refusal

TRAP, EXIT, LEAVE, KILL, LOOP, MEMORY, FLOOD, AT_START, AT_FREE = range(1, 10)
_HOOK = """
    static char *volatile kept; (void)kept;
    if (what == 1) __builtin_trap();
    if (what == 2) { printf("no licence, and that is the end of it\\n"); exit(3); }
    if (what == 3) _exit(0);
    if (what == 4) raise(9);
    if (what == 5) for (volatile int i = 0;; i = i + 1) ;
    if (what == 6) for (;;) { if (!(kept = malloc(1 << 20))) return say(me, Error, "there is no memory"); memset(kept, 1, 1 << 20); }
    if (what == 7) for (int i = 0; i < 100; i++) printf("a long and useless text that nobody reads\\n");
"""
NAME = "'unit' (Oscillator.fmu of 'tests/support/foreign')"


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Checks that no process stays, no memory that was shared with one, and no pipe."""
    gc.collect()  # what tests before have left
    before = children(), shared_memories(), pipes()
    yield
    gc.collect()  # exceptions that were looked at
    assert (children(), shared_memories(), pipes()) == before


def unruly(version: int) -> Path:
    """An oscillator that does from 0.5 s on what its parameter says."""
    late = "if (time >= 0.5) {" + _HOOK + "}"
    hooks = {"rates": f"if (!me->slave) {late}", "step": late, "initialize": "if (what == 8) __builtin_trap();"}
    hooks["free"] = "if (what == 9) __builtin_trap();"
    return export(
        replace(OSCILLATOR, variables=[*OSCILLATOR.variables, Variable("what", "parameter")], hooks=hooks, rollback=True), version
    )


def run(what: int, version: int = 3, kind: str | None = None, stop_time: float = 1.0, **options: float) -> Result:
    """Runs an unruly FMU beside a sound one, which runs in this process."""
    system = System("two")
    system.add("unit", unruly(version), {"what": what}, kind=kind, process="own")
    system.add("sound", foreign.oscillator(version), {"u": 0.0}, kind=kind)
    system.connect("sound.y", "unit.u")
    if kind == "cs":
        options |= {"communication_step": 0.05}
    return system.simulate(stop_time, output_interval=0.05, **options)  # type: ignore[arg-type]


def assert_kept(result: Result) -> None:
    """The rows up to the end are those of the sound run."""
    assert len(result) >= 5 and result.time[-1] <= 0.5 + 1e-9
    if "sound.x" in result.names:
        assert result["sound.x"] == pytest.approx(np.cos(result.time), abs=0.05)


@pytest.mark.parametrize(
    ("what", "cause"),
    [
        (TRAP, "crashed (illegal instruction) in "),
        (EXIT, "ended its process by exit(3) in "),
        (LEAVE, "ended its process by _exit(0) in "),
        (KILL, "was ended by signal 9 (killed, as where memory runs out) in "),
    ],
)
@pytest.mark.parametrize("kind", ["me", "cs"])
def test_a_process_that_dies_ends_the_run(fmi, kind, what, cause):
    """The outcome names the FMU, the cause and the call; all rows up to there are kept."""
    result = run(what, fmi, kind)
    assert result.outcome.ending is Ending.PROCESS_DIED
    assert " at t = 0.5" in result.outcome.sentence.partition(" in fmi")[2]
    call = {
        (2, "me"): "fmi2GetDerivatives",
        (3, "me"): "fmi3GetContinuousStateDerivatives",
        (2, "cs"): "fmi2DoStep",
        (3, "cs"): "fmi3DoStep",
    }[fmi, kind]
    assert f"s: {NAME} {cause}{call}" in result.outcome.sentence
    assert result.outcome.sentence.endswith(f"or try kind='{'cs' if kind == 'me' else 'me'}'. The result holds everything up to there")
    assert ("it printed: no licence, and that is the end of it" in result.outcome.sentence) == (what == EXIT)
    assert_kept(result)


def test_an_endless_call_ends_after_its_time(fmi):
    """The limit is that of one call, whatever the run takes."""
    began = time.monotonic()
    result = run(LOOP, fmi, "me", isolate=Isolation(which="none", call_timeout=1.0))
    assert result.outcome.ending is Ending.TIMED_OUT and time.monotonic() - began < 30
    assert f"{NAME} did not return within 1 s in fmi{fmi}Get" in result.outcome.sentence
    assert_kept(result)


def test_a_run_in_a_process_that_has_waited_has_its_own_limit():
    """The process began with a run without a limit. The drive of the next run stops it for seconds, so that a call does not return."""
    system, stopped, before = System("alone"), [], children()
    system.add("body", "planar.Body1", process="own")

    def force(t: float) -> float:
        if t > 0.5 and not stopped:
            stopped.append(threading.Timer(5.0, os.kill, (process, signal.SIGCONT)))
            os.kill(process, signal.SIGSTOP)
            stopped[0].start()
        return 0.0

    system.drive("body.p1.Fx", force)
    assert system.simulate(0.1).outcome.completed
    (process,) = {*children()} - {*before}
    result = system.simulate(1.0, isolate=Isolation(which="none", call_timeout=0.5))
    stopped[0].cancel()
    assert result.outcome.ending is Ending.TIMED_OUT and "'body' " in result.outcome.sentence


def test_an_endless_call_ends_by_ctrl_c():
    """It ends within the second that it is left, and keeps all rows."""
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    result = run(LOOP)
    assert result.outcome.ending is Ending.INTERRUPTED and time.monotonic() - began < 30
    assert (
        f": {NAME} was interrupted after " in result.outcome.sentence
        and " in fmi3GetContinuousStateDerivatives at t = 0.5" in result.outcome.sentence
    )
    assert_kept(result)


def test_memory_without_end_stops_at_its_limit():
    """The FMU gets no memory, and says so."""
    result = run(MEMORY, isolate=Isolation(which="none", memory=64 << 20))
    assert result.outcome.ending is Ending.FMU_FAILED and "there is no memory" in result.outcome.sentence
    assert_kept(result)


def test_a_flood_of_output_does_nothing():
    """The runs continue, and the result is that of the sound one."""
    result = run(FLOOD)
    assert result.outcome.completed and result["unit.x"][-1] == run(0)["unit.x"][-1]


def test_death_at_the_start_is_a_sentence(fmi):
    """The error has its ending; the next run starts another process."""
    system = System("alone")
    system.add("unit", unruly(fmi), {"what": AT_START, "u": 0.0}, process="own")
    for _ in range(2):
        with pytest.raises(StartError, match=r"the start fails: 'unit' .* crashed \(illegal instruction\) in fmi\dExitInit") as refused:
            system.simulate(1.0)
        assert refused.value.ending is Ending.PROCESS_DIED
    assert system.simulate(1.0, start_values={"unit.what": 0}).outcome.completed


def test_death_when_it_is_freed_leaves_the_result_complete(fmi):
    """A warning says so; there is nothing that anybody would miss."""
    result = run(AT_FREE, fmi)
    assert result.outcome.completed
    assert result.outcome.warnings == [
        f"after the run {NAME} crashed (illegal instruction) in fmi{fmi}FreeInstance; the result is complete"
    ]


@pytest.mark.parametrize("way", ["own", "group", "all"])
def test_what_fmus_have_printed_is_in_the_result(way):
    """The text is that of this run, not of runs before. Instances that share a process have the output of all; those in this process have
    none."""
    chatty = foreign.of_oscillator(3, initialize='printf("at %g s\\n", me->v[0]);')
    system = System("two")
    for name in ("one", "other"):
        system.add(name, chatty, {"u": 0.0}, process={"own": "own" if name == "one" else None}.get(way, way))
    for start, other in ((0.0, "at 0 s\n"), (0.25, "at 0.25 s\n")):
        printed = system.simulate(start + 0.1, start_time=start, isolate="all" if way == "all" else "none").printed
        assert printed == ({"one": other} if way == "own" else {"one": 2 * other, "other": 2 * other})
    with pytest.raises(KeyError, match="there is no text printed by 'third'; there "):
        printed["third"]


def test_a_process_that_has_ended_while_it_waited_is_replaced():
    """The next run of the system begins in another one, and so do those beside it that differentiate it."""
    system = pendulum(lambda name: "own" if name == "rod" else None)
    told, before = [], children()
    for _ in range(2):
        told.append(system.simulate(0.1, sensitivities=["rod.m"]))
        for each in {*children()} - {*before}:
            os.kill(each, signal.SIGKILL)
    assert np.array_equal(told[0].values, told[1].values) and told[1].outcome.completed


def _pair(version: int, last: int) -> Path:
    """Two outputs that follow from two inputs, which burns out when it is evaluated that often."""
    variables = [
        *(Variable(name, "input") for name in "ab"),
        Variable("y", "output", value="sin(a) / 2 + b / 4 + x", depends=["a", "b", "x"]),
        Variable("z", "output", value="cos(b) / 2 + a / 4", depends=["a", "b"]),
        Variable("x", "output", 1.0, rate="-x", depends=["x"]),
    ]
    partials = {
        ("y", "a"): "cos(a) / 2",
        ("y", "b"): "0.25",
        ("y", "x"): "1",
        ("z", "b"): "-sin(b) / 2",
        ("z", "a"): "0.25",
        ("der(x)", "x"): "-1",
    }
    hook = f'static int calls; if (++calls == {last}) return say(me, Error, "burnt out");'
    return export(Model("Pair", variables, partials=partials, hooks={"outputs": hook}), version)


@pytest.mark.parametrize("last", [0, 60, *(pytest.param(last, marks=pytest.mark.slow) for last in range(61, 68))])
def test_derivatives_that_are_asked_for_together(fmi, last):
    """Are those of one call after the other, and a refusal in the middle comes where it would without."""
    told = []
    for process in (None, "own"):
        system = System("pair")
        system.add("unit", _pair(fmi, last), process=process)
        system.connect("unit.y", "unit.a")
        system.connect("unit.z", "unit.b")
        told.append(system.simulate(1.0))
    assert np.array_equal(told[0].values, told[1].values) and str(told[0].outcome) == str(told[1].outcome)
    assert told[0].outcome.completed == (not last) and ("burnt out" in str(told[1].outcome)) == bool(last)


_CLOSED = """
    static int closed;
    if (time >= 0.5 && !closed++) {
        int ends[2];
        for (int file = 3; file < 64; file++) close(file);
        for (int file = 3; file < 6; file++) { if (pipe(ends)) return Error; dup2(ends[0], 60 + file); close(ends[0]); close(ends[1]); }
        for (int file = 3; file < 6; file++) dup2(60 + file, file);
        usleep(1200000);
    }
"""


def test_files_that_an_fmu_closes_do_not_end_its_process():
    """Nor do others at their numbers whose other end is closed, as that of a master that is no more would be."""
    system = System("alone")
    unit = export(replace(OSCILLATOR, hooks={"rates": _CLOSED}, rollback=True), 3)
    system.add("unit", unit, {"u": 0.0}, process="own")
    assert system.simulate(1.0).outcome.completed


_HANGS = "if (time >= 0.5) { for (int file = 3; file < 64; file++) close(file); for (volatile int i = 0;; i = i + 1) ; }"
_MASTER = """
    import sys
    from coupling import System
    system = System("alone")
    system.add("unit", sys.argv[1], {"u": 0.0}, process="own")
    system.simulate(1.0)
"""


@pytest.mark.slow  # another Python
def test_a_process_whose_files_are_closed_ends_with_its_master():
    """It ends within half a second, after which it checks its parent, though its FMU does not come back."""
    unit = export(replace(OSCILLATOR, hooks={"rates": _HANGS}, rollback=True), 3)
    root = Path(__file__).parents[4]
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(_MASTER), str(unit)], cwd=root) as master:
        found: list[int] = []
        end = time.monotonic() + 60
        while not (found and consumed(found[0]) > 0.3) and time.monotonic() < end:
            found = [int(each) for each in Path(f"/proc/{master.pid}/task/{master.pid}/children").read_text().split()]
            time.sleep(0.05)
        master.kill()
    assert found and gone(found[0], patience=5.0)


def consumed(process: int) -> float:
    """Seconds of a processor that a process has taken so far."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")


def pendulum(process: Callable[[str], str | None], fmi: int = 3) -> System:
    system = System("pendulum", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed", process=process("ground"))
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5}, process=process("rod"))
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin", process=process("pin"))
    return system


SCHEMES = [
    {},
    {"solver": "cvode"},
    {"solver": Index3(step_size=0.01)},
    {"communication_step": 0.02, "scheme": Scheme(extrapolation=2)},
    {"communication_step": 0.02, "scheme": "implicit"},
    {"communication_step": 0.02, "scheme": "implicit-velocity"},
]


@pytest.mark.parametrize("options", SCHEMES, ids=str)
def test_a_mechanism_moves_with_the_same_bits(options):
    """One FMU in a process of its own, and all in one; a system runs again in the same processes."""
    told = []
    for process in (lambda name: None, lambda name: "own" if name == "rod" else None, lambda name: "all of them"):
        system = pendulum(process)
        told += [system.simulate(0.5, **options) for _ in range(2)]
    assert all(each.outcome.completed and each.outcome.warnings == told[0].outcome.warnings for each in told)
    for each in told[1:]:
        assert all(np.array_equal(each[name], told[0][name], equal_nan=True) for name in told[0].names)


@pytest.mark.parametrize("fmi", [2, 3])
def test_inputs_follow_polynomials_within_steps(fmi):
    """FMI 2 uses the inputs' derivatives, FMI 3 questions during the step. The bits are the same, and better than with the inputs' means."""
    body, told = cached_fmu(find("planar.Body1"), fmi), []
    for process in (None, "own"):
        system = System("shaken", gravity=(0.0, 0.0))
        system.add("body", body, kind="cs", process=process)
        system.drive("body.p1.Fx", lambda t: math.sin(5 * t))
        told.append(system.simulate(1.0, communication_step=0.05, scheme=Scheme(extrapolation=2)))
    assert all(np.array_equal(told[0][name], told[1][name]) for name in told[0].names)
    assert told[1]["body.x"][-1] == pytest.approx((1 - np.sin(5.0) / 5) / 5, abs=1e-3)


@pytest.mark.parametrize("options", [{"kind": "me"}, {"kind": "cs"}])
def test_foreign_fmus_give_the_same_bits(fmi, options):
    """The runs have events in time and state, saved states, and inputs that follow polynomials."""
    rows = []
    for process in (None, "own"):
        system = System("two")
        system.add("unit", foreign.oscillator(fmi, rollback=True), process=process, **options)
        system.add("other", foreign.oscillator(fmi, rollback=True), {"u": 0.1}, process=process, **options)
        system.connect("other.y", "unit.u")
        steps = {"communication_step": 0.05, "scheme": Scheme(extrapolation=2, step_control="adaptive")} if options["kind"] == "cs" else {}
        result = system.simulate(1.0, **steps)
        assert result.outcome.completed
        rows.append([result[name] for name in result.names])
    assert np.array_equal(*rows)


def test_logging_shows_the_same(capfd):
    """The messages that an FMU logs in another process come with their call."""
    shown = []
    for process in (None, "own"):
        system = System("alone")
        path = foreign.of_oscillator(3, initialize='say(me, Warning, "it creaks");', completed='say(me, Ok, "a step");')
        system.add("unit", path, {"u": 0.0}, logging=True, process=process)
        result = system.simulate(0.1)
        shown.append((capfd.readouterr().err, result.outcome.warnings))
    assert shown[0] == shown[1] and "'unit' warning" in shown[0][0] and "it creaks" in shown[0][1][0]


@pytest.mark.parametrize("process", ["", " ", 3, True])
def test_a_process_that_is_none_is_refused(process):
    """The message gives the value, and the values that are allowed."""
    sentence = refusal(lambda: System().add("unit", "planar.Fixed", process=process), BuildError)
    assert sentence == f"process = {process!r} of 'unit' is refused: give 'own', or the name of a group of instances that share a process"


@pytest.mark.parametrize(
    ("process", "why"),
    [
        ("none", "leave it out where the instance has no process of its own; groups have other names"),
        ("own ", "there are blanks around the name; give 'own'"),
    ],
)
def test_names_that_are_taken_for_another_one_are_refused(process, why):
    """Groups may not have these names."""
    sentence = refusal(lambda: System().add("unit", "planar.Fixed", process=process), BuildError)
    assert sentence == f"process = '{process}' of 'unit' is refused: {why}"


def test_groups_of_a_system_inside_another_one_are_its_own():
    """Others of the same name share no process with them."""
    inner, outer = pendulum(lambda name: "one" if name == "rod" else "own"), System("outer", gravity=(0.0, -9.81))
    outer.include("sub", inner)
    outer.add("rod", "planar.Body1", process="one")
    processes = {each.name: each.process for each in outer.definition.instances}
    assert processes == {"sub.ground": "own", "sub.rod": "sub.one", "sub.pin": "own", "rod": "one"}
