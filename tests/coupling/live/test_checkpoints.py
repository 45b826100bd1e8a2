"""Checkpoints: a run that was left goes on with the same bits, in another process too, and so does the run that was saved."""

from __future__ import annotations

import json
import os
import resource
import struct
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Checkpoint, Ending, Result, System, checkpoint_file
from coupling.errors import ResultError, shown
from coupling.fused import coded
from coupling.fused.compiled import NotCompiled
from coupling.fused.not_fused import NotFused
from coupling.live import checkpoints, fused
from coupling.live.checkpoints import CheckpointWriter
from tests.support.systems import kept, stepped
from tests.support.systems.systems import pendulum, pushed, refusal

STOP = 1.6


def left_and_gone_on_with(name: str, folder: Path, seed: int, most: int) -> int:
    """Returns the number of checkpoints from which a run was resumed, each to the same end."""
    system, options = kept.RUNS[name]
    undisturbed = system().simulate(STOP, **options)
    with kept.checkpoints(folder, seed, most) as paths:
        saved = system().simulate(STOP, **options, checkpoint=Checkpoint(path=folder / "last.ckpt", interval=0.0))
    assert kept.bits(saved) == kept.bits(undisturbed)
    for path in paths:
        result = System.resume(path)
        assert kept.bits(result) == kept.bits(undisturbed)
        assert result.outcome.sentence == undisturbed.outcome.sentence
        assert result.outcome.warnings == undisturbed.outcome.warnings
        assert result.changes == undisturbed.changes
        assert result.statistics.steps == undisturbed.statistics.steps
        assert result.statistics.evaluations == undisturbed.statistics.evaluations
    return len(paths)


@pytest.mark.parametrize("name", kept.RUNS)
def test_a_run_goes_on_with_the_same_bits(name: str, tmp_path: Path) -> None:
    assert left_and_gone_on_with(name, tmp_path, 1, 2)


@pytest.mark.parametrize(
    "name", ["dopri5", "impacts", "joints that come and go", "sensitivities", "between the points", "implicit-position"]
)
def test_a_run_in_a_process_of_its_own_goes_on_with_the_same_bits(name: str, tmp_path: Path) -> None:
    """The joints of these runs switch, and the kernel keeps all its other state there."""
    system, options = kept.RUNS[name]
    undisturbed = system().simulate(STOP, **options)
    with kept.checkpoints(tmp_path, 6, 1) as paths:
        saved = system().simulate(STOP, **options, isolate="all", checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))
    for result in (saved, System.resume(paths[0])):
        assert kept.bits(result) == kept.bits(undisturbed)
        assert result.changes == undisturbed.changes


@pytest.mark.slow  # 21 kinds of runs at up to 25 moments each
@pytest.mark.parametrize("name", kept.RUNS)
def test_a_run_goes_on_with_the_same_bits_from_anywhere(name: str, tmp_path: Path) -> None:
    assert sum(left_and_gone_on_with(name, tmp_path, seed, 5) for seed in range(2, 7)) >= 5


def test_a_run_goes_on_in_the_same_way_or_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code that cannot be had is not replaced by what gives other bits."""
    with kept.checkpoints(tmp_path, 3, 1) as paths:
        kept.zone().simulate(STOP, evaluation="compiled", checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))

    def fail(*given: object) -> None:
        raise NotCompiled("no C compiler was found")

    monkeypatch.setattr(coded, "functions", fail)
    with pytest.raises(
        ResultError,
        match=r"were found by compiled code .* are found by a tape of their equations \(no C compiler was found\); resume where",
    ):
        System.resume(paths[0])


@pytest.mark.parametrize("lacks", ["a compiler", "equations"])
def test_a_run_goes_on_as_it_began_where_more_can_be_had(lacks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It continues with the tape, or with the FMUs, and reports so as the undisturbed run does."""

    def fail(*given: object) -> None:
        raise NotCompiled("no C compiler was found") if lacks == "a compiler" else NotFused("nobody knows the equations")

    with monkeypatch.context() as there:
        there.setattr(coded, "functions" if lacks == "a compiler" else "_kept", fail)
        undisturbed = kept.zone().simulate(STOP, evaluation="compiled")
        with kept.checkpoints(tmp_path, 3, 1) as paths:
            kept.zone().simulate(STOP, evaluation="compiled", checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))
    assert kept.zone().simulate(0.0, evaluation="compiled").outcome.warnings == []
    result = System.resume(paths[0])
    assert result.statistics.evaluated == (fused.BY_TAPE if lacks == "a compiler" else fused.BY_INSTANCES)
    assert kept.bits(result) == kept.bits(undisturbed)
    assert result.outcome.warnings == undisturbed.outcome.warnings != []


def test_in_another_process(tmp_path: Path) -> None:
    """One run has its rows in a file, the other one in the checkpoint."""
    machine, again = kept.by_table(), tmp_path / "again"
    again.mkdir()
    undisturbed = machine.simulate(STOP)
    with kept.checkpoints(tmp_path, 3, 1) as paths:
        machine.simulate(STOP, record_to=tmp_path / "run.jrd", checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))
    with kept.checkpoints(again, 4, 1) as others:
        machine.simulate(STOP, checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))
    code = """
        import sys
        from coupling import System
        for i, path in enumerate(sys.argv[2:]):
            System.resume(path).save(f"{sys.argv[1]}/{i}.jrd")
    """
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(again), *map(str, paths + others)], check=True, cwd=Path(__file__).parents[3]
    )
    for path in (again / "0.jrd", again / "1.jrd", tmp_path / "run.jrd"):
        assert kept.bits(Result.load(path)) == kept.bits(undisturbed)


@pytest.mark.parametrize(
    "options", [{"solver": "cvode"}, {"solver": "ida"}, {"solver": "Radau"}, {"solver": "RK45", "stabilisation": "baumgarte"}]
)
def test_other_methods_begin_anew_within_their_tolerance(options: dict, tmp_path: Path) -> None:
    rtol = 1e-7
    undisturbed = pendulum().simulate(STOP, rtol=rtol, **options)
    with kept.checkpoints(tmp_path, 5, 1) as paths:
        pendulum().simulate(STOP, rtol=rtol, **options, checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))
    result = System.resume(paths[0])
    assert np.array_equal(result.time, undisturbed.time)
    assert result["rod.theta"] == pytest.approx(undisturbed["rod.theta"], abs=10 * rtol * np.abs(undisturbed["rod.theta"]).max())
    assert f", where solver = '{options['solver']}' began anew: not to the last bit" in result.outcome.notes[-1]


def test_further_than_it_was_to_go(tmp_path: Path) -> None:
    """Rows come at the same intervals; a run that has ended can go on, too."""
    path = tmp_path / "run.ckpt"
    first = pendulum().simulate(0.5, output_interval=0.1, record_to=tmp_path / "run.jrd", checkpoint=path)
    for far in (1e9, 1e308):
        assert refusal(lambda end=far: System.resume(path, stop_time=end)).startswith(f"stop_time = {far:g} s asks for ")  # type: ignore[misc]
    result = System.resume(path, stop_time=0.95)
    assert result.time == pytest.approx([*np.arange(10) / 10, 0.95])
    assert (result["rod.theta"][:6] == first["rod.theta"]).all()
    whole = pendulum().simulate(0.95, output_interval=0.1)
    assert result["rod.theta"] == pytest.approx(whole["rod.theta"], abs=1e-7)
    assert Result.load(tmp_path / "run.jrd").outcome.notes == [f"the run went on from '{path}' at t = 0.5 s"]
    assert refusal(lambda: System.resume(path, stop_time=0.4)) == (
        "stop_time = 0.4 s lies before t = 0.95 s, where 'run.ckpt' was made; give a later one"
    )
    assert refusal(lambda: System.resume(path, 3)).startswith("drives = 3 is refused: give functions of time by names")  # type: ignore[arg-type]


def test_seconds_in_fmus_are_those_of_the_resumed_run(tmp_path: Path) -> None:
    """A few evaluations follow thousands. The shortest of three runs counts, since the machine may be busy."""
    path = tmp_path / "run.ckpt"
    first = pendulum().simulate(20.0, evaluation="fmus", output_times=[20.0], checkpoint=Checkpoint(path=path, interval=1e9))
    later = [System.resume(path, stop_time=20.0 + i / 100).statistics for i in (1, 2, 3)]
    assert first.statistics.evaluations > 4000 and later[-1].evaluations < first.statistics.evaluations + 100
    assert 0 < min(each.seconds_in_fmus for each in later) < first.statistics.seconds_in_fmus / 10


def test_the_last_row_has_no_other_one_beside_it(tmp_path: Path) -> None:
    """Tenths of a second do not add up to whole ones, and yet the last row is single."""
    pendulum().simulate(0.5, output_interval=0.1, checkpoint=tmp_path / "run.ckpt")
    assert System.resume(tmp_path / "run.ckpt", stop_time=1.0).time == pytest.approx(np.arange(11) / 10)


def test_a_run_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    def force(t: float) -> float:
        if not went_on and t > 0.3:
            raise KeyboardInterrupt
        return 5.0 * np.sin(9 * t)

    went_on, path = False, tmp_path / "run.ckpt"
    first = pushed(force).simulate(1.0, checkpoint=Checkpoint(path=path, interval=0.0))
    assert first.outcome.ending is Ending.INTERRUPTED
    went_on = True
    result = System.resume(path, drives={"push.Fx": force})
    assert kept.bits(result) == kept.bits(pushed(force).simulate(1.0))
    assert refusal(lambda: System.resume(path)) == (
        "'push.Fx' is driven by a function of time, which 'run.ckpt' cannot hold; give it again: resume(..., drives={'push.Fx': ...})"
    )
    assert refusal(lambda: System.resume(path, drives={"push.Fx": force, "push.Fy": force})) == (
        "drives: 'push.Fy' keeps its drive; give functions of time again, and nothing else"
    )
    assert refusal(lambda: System.resume(path, drives={"push.Fx": 3.0})) == (
        "drives: 'push.Fx' was driven by a function of time; give that again"
    )


def test_start_values_and_drives_of_one_run_go_along(tmp_path: Path) -> None:
    """An assembled start is kept as well, and not assembled again."""
    options = {"initial": "assemble", "start_values": {"rod.m": 3.0, "rod.x": 0.4}, "drives": {"push.Fy": 2.0, "push.Fx": [[0, 1], [1, 0]]}}
    undisturbed = pushed().simulate(1.0, **options)
    with kept.checkpoints(tmp_path, 6, 1) as paths:
        pushed().simulate(1.0, **options, checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))
    result = System.resume(paths[0])
    assert kept.bits(result) == kept.bits(undisturbed)
    assert result._record.start_values == undisturbed._record.start_values


# -- what goes wrong ---------------------------------------------------------------------------------------------------------------


def changed(path: Path, **head: object) -> Path:
    """A checkpoint with other words in its header, and a checksum that fits."""
    data = path.read_bytes()
    length = struct.unpack_from("<Q", data, 8)[0]
    text = json.dumps({**json.loads(data[16 : 16 + length]), **head}).encode()
    whole = data[:8] + struct.pack("<Q", len(text)) + text + data[16 + length : -4]
    other = path.with_name("changed.ckpt")
    other.write_bytes(whole + struct.pack("<I", zlib.crc32(whole)))
    return other


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    path, wrong = tmp_path / "run.ckpt", tmp_path / "wrong.ckpt"
    pendulum().simulate(0.1, checkpoint=path)
    good = path.read_bytes()
    assert b"pickle" not in good
    with pytest.raises(OSError, match="cannot be read: No such file or directory; give the path of a checkpoint"):
        System.resume(tmp_path / "none.ckpt")
    for path in ("", "/", "a\0b", "\ud800"):
        assert (
            refusal(lambda given=path: System.resume(given))
            == f"resume: {path!r} is no path; give that of a checkpoint, such as 'run.ckpt'"
        )  # type: ignore[misc]
    assert refusal(lambda: System.resume("x" * 5000), OSError).endswith(
        " cannot be read: File name too long; give the path of a checkpoint"
    )
    assert refusal(lambda: System.resume(3)) == "resume: 3 is no path; give that of a checkpoint, such as 'run.ckpt'"  # type: ignore[arg-type]  # what is refused
    anew = "are not as they were written; resume from another checkpoint, or start the run again"
    flipped = good[:500] + bytes([good[500] ^ 1]) + good[501:]
    for data, why in (
        (b"", "is no checkpoint: it is empty; give a file that simulate(checkpoint=...) has written"),
        (
            b"PK\3\4zip",
            "is no checkpoint: it begins with b'PK\\x03\\x04zip' and not with b'JRDCKPT1'; give a file that simulate(checkpoint=...) has written",
        ),
        (
            b"JRDCKPT7" + good[8:],
            "is a checkpoint in version 7 of the format, and this Jourdain reads version 1; resume with the Jourdain that wrote it, or with a later one",
        ),
        (good[:-100], f"is damaged: its {len(good) - 100} bytes {anew}"),
        (flipped, f"is damaged: its {len(good)} bytes {anew}"),
        (good[:12], f"is damaged: its 12 bytes {anew}"),
    ):
        wrong.write_bytes(data)
        assert refusal(lambda: System.resume(wrong), ResultError) == f"'{wrong}' {why}"


def test_another_platform_is_refused_and_another_version_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    pendulum().simulate(0.1, checkpoint=path)
    other = changed(path, platform="linux riscv64")
    assert refusal(lambda: System.resume(other), ResultError) == (
        f"'{other}' was written on linux riscv64, and this is linux x86_64, whose numbers differ; resume there"
    )
    assert System.resume(changed(path, jourdain="0.0.7")).outcome.warnings == [
        f"'{other}' was written by Jourdain 0.0.7, and this is 0.1.0: values after t = 0.1 s may differ in the last digits"
    ]


def test_another_fmu_in_its_place_is_refused(tmp_path: Path) -> None:
    fmu, path = tmp_path / "rod.fmu", tmp_path / "run.ckpt"
    fmu.write_bytes(pendulum().instances["rod"].path.read_bytes())
    system = System("falling")
    system.add("rod", fmu)
    system.simulate(0.1, checkpoint=path)
    fmu.write_bytes(pendulum().instances["pin"].path.read_bytes())
    with pytest.raises(ValueError, match=r"cannot be resumed: .* is another FMU than it was when the system was defined"):
        System.resume(path)


def test_fmus_that_cannot_serialise_are_refused_by_name(tmp_path: Path) -> None:
    """One can save its state and not write it down, the other not even save it."""
    system = System("halves")
    system.add("a", stepped.component(stepped.Half, 2, "canSerializeFMUstate"))
    system.add("b", stepped.component(stepped.Half, 3, "canGetAndSetFMUState", "canSerializeFMUState"))
    system.add("c", stepped.Half)
    assert refusal(lambda: system.simulate(1.0, checkpoint=tmp_path / "run.ckpt")) == (
        "checkpoint is refused: 'b' cannot save its state (canGetAndSetFMUState), and 'a' cannot serialise its state (canSerializeFMUState); leave it out, "
        "give Checkpoint(inexact=True), which restarts them from their continuous states alone, or use FMUs that can"
    )
    assert not list(tmp_path.iterdir())


def test_options_of_checkpoints_are_checked(tmp_path: Path) -> None:
    machine = pendulum()
    (tmp_path / "link.jrd").symlink_to("run.jrd")
    for options, why in (
        ({"checkpoint": 3}, "checkpoint = 3 is no path; give that of a file, such as 'run.ckpt'"),
        ({"checkpoint": tmp_path}, f"checkpoint = '{tmp_path}' is a folder; give the path of a file in it"),
        (
            {"checkpoint": tmp_path / "no" / "run.ckpt"},
            f"checkpoint = '{tmp_path / 'no' / 'run.ckpt'}' lies in a folder that does not exist; make it, or choose another path",
        ),
        (
            {"checkpoint": "/dev/full"},
            "checkpoint = '/dev/full' is refused: it is a device, which no file may replace; give the path of a file",
        ),
        (
            {"record_to": tmp_path / "run.jrd", "checkpoint": tmp_path / "link.jrd"},
            f"record_to and checkpoint both name '{tmp_path / 'run.jrd'}', where one would replace the other; give each a file of its own, such as 'run.ckpt' "
            "for the checkpoint",
        ),
    ):
        assert refusal(lambda options=options: machine.simulate(1.0, **options), BuildError) == why


@pytest.mark.parametrize("option", ["record_to", "checkpoint"])
def test_files_that_cannot_be_written_are_refused_before_the_run(option: str, tmp_path: Path) -> None:
    """They are refused for root as well, who needs no permissions: no user can make a file in /proc."""
    machine, fifo = pendulum(), tmp_path / "fifo.jrd"
    os.mkfifo(fifo)
    long = "a" * 300 + ".jrd"
    for path, why in (
        ("a\0b.jrd", f"{option} = 'a\\x00b.jrd' is no path: it has a character 0 in it; give that of a file, such as 'run."),
        (long, f"{option} = {shown(long)} is refused: the name is longer than its folder takes; give a shorter one"),
        ("/proc/x.jrd", f"{option}: '/proc/x.jrd' cannot be written: No such file or directory; choose another path"),
        (fifo, f"{option} = '{fifo}' is refused: it is a fifo, which no file may replace; give the path of a file"),
    ):
        refused = OSError if path == "/proc/x.jrd" else BuildError
        assert refusal(lambda path=path: machine.simulate(1.0, **{option: path}), refused).startswith(why)
    assert [each.name for each in tmp_path.iterdir()] == ["fifo.jrd"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed(there: bool, tmp_path: Path) -> None:
    """The link stays a link."""
    (tmp_path / "elsewhere").mkdir()
    for name in ("run.jrd", "run.ckpt"):
        (tmp_path / name).symlink_to(tmp_path / "elsewhere" / name)
        if there:
            (tmp_path / name).touch()
    first = pendulum().simulate(0.2, record_to=tmp_path / "run.jrd", checkpoint=tmp_path / "run.ckpt")
    assert kept.bits(System.resume(tmp_path / "run.ckpt")) == kept.bits(first) == kept.bits(Result.load(tmp_path / "run.jrd"))
    assert all((tmp_path / name).is_symlink() and (tmp_path / "elsewhere" / name).is_file() for name in ("run.jrd", "run.ckpt"))
    assert len(list((tmp_path / "elsewhere").iterdir())) == 2


def test_checkpoints_take_no_more_than_their_share_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The share holds even if a checkpoint is requested at each step. The clock of the test takes a second for a checkpoint, and a
    hundredth for a look."""
    now, keep = [0.0], CheckpointWriter.keep

    def passed() -> float:
        now[0] += 0.01
        return now[0]

    def slow(self: CheckpointWriter, *running: Any) -> None:
        monkeypatch.setattr(checkpoint_file, "write", lambda *given: now.__setitem__(0, now[0] + 1.0))
        keep(self, *running)
        made.append(self.count)

    made: list[int] = []
    monkeypatch.setattr(checkpoints, "perf_counter", passed)
    monkeypatch.setattr(CheckpointWriter, "keep", slow)
    result = pendulum().simulate(2.0, max_step=1e-3, checkpoint=Checkpoint(path=tmp_path / "run.ckpt", interval=0))
    assert result.statistics.steps >= 2000 and len(made) <= 3


def test_a_file_of_rows_that_is_elsewhere_is_told(tmp_path: Path) -> None:
    path, rows = tmp_path / "run.ckpt", tmp_path / "run.jrd"
    pendulum().simulate(0.1, record_to=rows, checkpoint=path)
    rows.rename(tmp_path / "moved.jrd")
    assert refusal(lambda: System.resume(path), ResultError) == (
        f"'{path}' continues the rows that record_to wrote to '{rows}', but that file is missing; put it back there, or start the run again"
    )
    (tmp_path / "moved.jrd").rename(rows)
    assert System.resume(path).outcome.completed


def test_rows_that_are_gone_are_told(tmp_path: Path) -> None:
    path, rows = tmp_path / "run.ckpt", tmp_path / "run.jrd"
    pendulum().simulate(0.5, record_to=rows, checkpoint=path)
    rows.write_bytes(rows.read_bytes()[:50_000])
    with pytest.raises(
        ResultError, match=r"run.jrd' has fewer rows than the 501 that the checkpoint expects: it was cut, or belongs to another run"
    ):
        System.resume(path)


@pytest.mark.parametrize("how", ["damaged", "of another run"])
def test_other_rows_than_those_that_were_there_are_refused(how: str, tmp_path: Path) -> None:
    """Errors in the file would persist: a resumed run would sign them."""
    path, rows = tmp_path / "run.ckpt", tmp_path / "run.jrd"
    result = pendulum().simulate(0.5, record_to=rows, checkpoint=path)
    if how == "damaged":
        data = bytearray(rows.read_bytes())
        data[data.index(result.time[100:101].tobytes()) + 8] ^= 1
        rows.write_bytes(data)
    else:
        pendulum().simulate(0.5, record_to=rows, start_values={"rod.m": 2.0})
    with pytest.raises(ResultError, match=r"run.jrd' has other rows than the checkpoint expects: it is damaged, or belongs to another run"):
        System.resume(path, stop_time=0.6)


@pytest.mark.parametrize("scheme", ["explicit", "implicit"])
def test_co_simulation_goes_on_beyond_its_end(scheme: str, tmp_path: Path) -> None:
    """Its FMUs have another stop time than the resumed run."""
    options = {"communication_step": 0.01, "scheme": scheme}
    whole = pendulum().simulate(0.4, **options)
    pendulum().simulate(0.2, checkpoint=tmp_path / "run.ckpt", **options)
    result = System.resume(tmp_path / "run.ckpt", stop_time=0.4)
    assert result.outcome.completed
    assert result["rod.theta"][-1] == pytest.approx(whole["rod.theta"][-1], rel=1e-12)


def test_a_checkpoint_that_cannot_be_written_leaves_the_run_and_the_one_before(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()

    def force(t: float) -> float:
        if t > 0.5 and folder.exists():
            folder.rename(tmp_path / "away")
        return 1.0

    result = pushed(force).simulate(1.0, checkpoint=Checkpoint(path=folder / "run.ckpt", interval=0.0))
    assert result.outcome.completed
    assert result.outcome.warnings[-1].startswith(f"a checkpoint failed: '{folder / 'run.ckpt'}' could not be written at t = ")
    assert result.outcome.warnings[-1].endswith(
        "No such file or directory: choose another path; the run went on, and the last one that was written stays"
    )
    assert [each.name for each in (tmp_path / "away").iterdir()] == ["run.ckpt"]
    assert System.resume(tmp_path / "away" / "run.ckpt", drives={"push.Fx": lambda t: 1.0}).outcome.completed


def test_a_disk_that_is_full_leaves_the_run_and_the_checkpoint_before(tmp_path: Path) -> None:
    """Shown by a limit of a file's size, which is lowered while the run goes on."""
    path, before = tmp_path / "run.ckpt", resource.getrlimit(resource.RLIMIT_FSIZE)

    def force(t: float) -> float:
        if t > 0.5 and path.exists():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        return 1.0

    try:
        result = pushed(force).simulate(1.0, checkpoint=Checkpoint(path=path, interval=0.0))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert result.outcome.completed and len(result) == 501
    assert result.outcome.warnings[-1].startswith(f"a checkpoint failed: '{path}' could not be written at t = ")
    assert result.outcome.warnings[-1].endswith(
        "File too large: raise the limit of a file's size (ulimit -f); the run went on, and the last one that was written stays"
    )
    assert [each.name for each in tmp_path.iterdir()] == ["run.ckpt"]
    assert kept.bits(System.resume(path, drives={"push.Fx": lambda t: 1.0})) == kept.bits(result)
