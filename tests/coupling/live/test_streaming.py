"""Rows that go into a file while they are made: the same bits as in memory, in every kind of run; readable while it grows and after any end."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from coupling import Ending, Index3, Result, Scheme, System
from coupling.live import streaming
from tests.support.systems.switching import stop
from tests.support.systems.systems import pendulum, refusal

RUNS: dict[str, tuple[Callable[[], System], dict]] = {
    "dopri5": (pendulum, {"output_interval": 1e-3}),
    "cvode": (pendulum, {"solver": "cvode", "rtol": 1e-6}),
    "index3": (pendulum, {"solver": Index3(step_size=1e-2)}),
    "augmented": (pendulum, {"solver": Index3(step_size=1e-2, iteration="augmented-lagrangian")}),
    "events": (stop, {}),
    "sensitivities": (pendulum, {"sensitivities": ["rod.m"], "outputs": ["rod.theta"]}),
    "co-simulation, steps taken again": (
        pendulum,
        {"communication_step": 2e-3, "scheme": Scheme("implicit", step_control="adaptive", tolerance=1e-3)},
    ),
}


@pytest.mark.parametrize(("system", "options"), RUNS.values(), ids=RUNS)
def test_the_same_bits_as_in_memory(system: Callable[[], System], options: dict, tmp_path: Path) -> None:
    path, machine = tmp_path / "run.jrd", system()
    kept = machine.simulate(2.0, **options)
    streamed = machine.simulate(2.0, **options, record_to=path)
    for result in (streamed, Result.load(path)):
        assert result.outcome == kept.outcome
        assert (result.time.tobytes(), np.ascontiguousarray(result.values).tobytes()) == (kept.time.tobytes(), kept.values.tobytes())
        assert result.changes == kept.changes
        assert {name: tuple(of) for name, of in result.created_energy.items()} == {n: tuple(of) for n, of in kept.created_energy.items()}
        for name in kept.differentiated:
            assert (result.sensitivity("rod.theta", name) == kept.sensitivity("rod.theta", name)).all()
        result.save(tmp_path / "streamed.jrd")
    kept.save(tmp_path / "kept.jrd")
    sizes = [(tmp_path / name).stat().st_size for name in ("kept.jrd", "streamed.jrd", "run.jrd")]
    assert max(sizes) - min(sizes) < 100  # seconds that they took, digit by digit


def test_a_result_keeps_its_rows_when_another_run_takes_the_file(tmp_path: Path) -> None:
    machine, path = pendulum(), tmp_path / "run.jrd"
    first = machine.simulate(1.0, record_to=path)
    before = first["rod.theta"].copy()
    machine.simulate(2.0, start_values={"rod.m": 3.0}, record_to=path)
    path.unlink()
    assert (first["rod.theta"] == before).all()


@pytest.mark.slow  # many rows, in a process of their own
def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    """A process with room for 8 MB more than it has records 200,000 rows of 51 values, 84 MB."""
    code = """
        import resource, sys
        from pathlib import Path
        from tests.support.systems.systems import pendulum
        machine = pendulum()
        machine.simulate(0.01)
        data = lambda: int(next(line for line in open("/proc/self/status") if line.startswith("VmData")).split()[1])
        before = data()
        machine.simulate(0.2, output_interval=1e-6, record_to=sys.argv[1])
        print(data() - before)
    """
    path = tmp_path / "run.jrd"
    grown = int(subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(path)], check=True, capture_output=True, text=True).stdout)
    assert path.stat().st_size > 80e6
    assert grown < 8e3, f"{grown} kB"


RUNNING = """
    import sys
    from tests.support.systems.systems import pendulum
    machine = pendulum()
    print("ready", flush=True)
    machine.simulate(1e4, output_interval=1e-3, max_steps=10**9, record_to=sys.argv[1])
"""


def running(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(RUNNING), str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return process


def test_what_grows_is_read_and_what_is_killed_keeps_all_rows(tmp_path: Path) -> None:
    path = tmp_path / "run.jrd"
    process, growing = running(path), 0
    try:
        deadline = time.monotonic() + 60
        while growing < 2000 and time.monotonic() < deadline:
            now = Result.load(path)
            assert len(now.time) >= growing
            growing = len(now.time)
            assert now.outcome.ending is Ending.INTERRUPTED
    finally:
        process.kill()
        process.wait()
    assert growing >= 2000
    left = Result.load(path)
    assert len(left.time) >= growing
    exact = pendulum().simulate(1e4, output_interval=1e-3, max_steps=10**4)
    rows = min(len(left.time), len(exact.time) - 1)
    assert (left.time[:rows] == exact.time[:rows]).all()
    assert (left.values[:rows] == exact.values[:rows]).all()


@pytest.mark.slow  # 200 processes
def test_no_moment_of_a_kill_loses_a_row(tmp_path: Path) -> None:
    moments, path = np.random.default_rng(3), tmp_path / "run.jrd"
    exact = pendulum().simulate(1e4, output_interval=1e-3, max_steps=10**5)
    for _ in range(200):
        path.unlink(missing_ok=True)
        process = running(path)
        time.sleep(float(moments.uniform(0, 0.3)))
        seen = len(Result.load(path).time)
        process.kill()
        process.wait()
        left = Result.load(path)
        rows = min(len(left.time), len(exact.time) - 1)
        assert len(left.time) >= seen
        assert (left.values[:rows] == exact.values[:rows]).all()


def test_zeros_that_a_power_cut_leaves_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "run.jrd"
    whole = pendulum().simulate(2.0, record_to=path)
    width, data = 8 * (1 + len(whole.names) + len(whole._record.drawn)), path.read_bytes()
    first = data.index(b"JRDENDS1") - len(whole.time) * width
    head = data[:first].replace(b'"rows":%20d' % len(whole.time), b'"rows":%20d' % -1)
    cut = tmp_path / "cut.jrd"
    cut.write_bytes(head + data[first : first + 50 * width] + b"\0" * 7 * width)
    left = Result.load(cut)
    assert (left.values == whole.values[:50]).all()
    assert left.outcome.ending is Ending.INTERRUPTED


def limited(path: Path, limit: int) -> str:
    code = """
        import resource, sys
        from coupling import Result
        from tests.support.systems.systems import pendulum
        machine = pendulum()
        machine.build()
        machine.simulate(0.01)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
        result = machine.simulate(10.0, output_interval=1e-4, record_to=sys.argv[1])
        print(result.outcome.ending.name, len(result.time))
        print(result.outcome.sentence)
        print(result["rod.theta"][-1])
        print(result.outcome.warnings)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(path), str(limit)], capture_output=True, text=True)
    return run.stdout + run.stderr


def test_a_full_disk_ends_the_run_and_keeps_what_it_took(tmp_path: Path) -> None:
    path = tmp_path / "run.jrd"
    said = limited(path, 5_000_000).splitlines()
    ending, rows = said[0].split()
    assert ending == "STORAGE_FAILED"
    assert (
        "takes no more rows: File too large; record less often, or raise the limit of a file's size (ulimit -f). The result holds"
        in said[1]
    )
    assert str(path) in said[1]
    left, exact = Result.load(path), pendulum().simulate(10.0, output_interval=1e-4)
    assert len(left.time) == int(rows) > 4_000
    assert left.outcome.ending in (Ending.STORAGE_FAILED, Ending.INTERRUPTED)  # a trailer may have found no room, either
    assert (left.values[:-1] == exact.values[: len(left.time) - 1]).all()


def test_a_small_disk_that_is_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(disk)], capture_output=True).returncode:
        # Only root may mount one, and not in every container; the limit of a file's size shows the same sentence above.
        pytest.skip("a small file system cannot be mounted here")
    try:
        machine = pendulum()
        refused = refusal(lambda: machine.simulate(10.0, output_interval=1e-4, record_to=disk / "run.jrd"))
        assert "are free there; record less often, or name fewer outputs" in refused
        (disk / "other").write_bytes(b"0" * 1_000_000)
        result = machine.simulate(10.0, output_times=[0.0, 10.0], max_step=1e-3, outputs=["rod.theta"], record_to=disk / "run.jrd")
        assert result.outcome.completed
        result = stop().simulate(100.0, output_interval=0.03, record_to=disk / "run.jrd")
        assert result.outcome.ending in (Ending.COMPLETED, Ending.STORAGE_FAILED)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_folder_that_is_removed_meanwhile_takes_no_row_along(tmp_path: Path) -> None:
    """Nor does another file that takes the place: it stays as it is."""
    folder, machine = tmp_path / "folder", pendulum()
    whole = machine.simulate(1.0, drives={"rod.p1.Cz": lambda t: 0.0})
    for other in (None, b"another file"):
        folder.mkdir()
        path = folder / "run.jrd"

        def removed(t: float, path: Path = path, other: bytes | None = other) -> float:
            if t > 0.5 and path.exists() and path.read_bytes() != other:
                shutil.rmtree(folder)
                if other is not None:
                    folder.mkdir()
                    path.write_bytes(other)
            return 0.0

        result = machine.simulate(1.0, drives={"rod.p1.Cz": removed}, record_to=path)
        assert result.outcome.ending is Ending.STORAGE_FAILED
        assert result.outcome.warnings[-1] == f"'{path}' was removed or replaced during the run; the result has all rows: save it elsewhere"
        assert (result.values == whole.values).all()
        assert other is None or path.read_bytes() == other
        result.save(tmp_path / "saved.jrd")
        assert (Result.load(tmp_path / "saved.jrd").values == whole.values).all()
        shutil.rmtree(folder, ignore_errors=True)


def test_a_disk_that_takes_no_result_leaves_it_in_memory(tmp_path: Path) -> None:
    """Each way to write it says so, and the result can be written elsewhere; a folder that is read-only takes no rows of a run."""
    machine, disk = pendulum(), tmp_path / "disk"
    disk.mkdir()
    result = machine.simulate(10.0, output_interval=1e-3)
    with pytest.raises(
        OSError, match=r"the result cannot be written to '/dev/full': No space left on device; make room there, or choose another path"
    ):
        result.to_csv("/dev/full")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], capture_output=True).returncode:
        # Only root may mount one, and not in every container; the file above shows the same sentence.
        pytest.skip("a small file system cannot be mounted here")
    try:
        for write, name in ((result.save, "run.jrd"), (result.to_csv, "run.csv"), (result.to_mat, "run.mat")):
            with pytest.raises(
                OSError,
                match=f"the result cannot be written to '{disk / name}': No space left on device; make room there, or choose another path",
            ):
                write(disk / name)
        assert not list(disk.iterdir())
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(OSError, match=f"record_to: '{disk / 'run.jrd'}' cannot be written: Read-only file system; choose another path"):
            machine.simulate(1.0, record_to=disk / "run.jrd")
        with pytest.raises(OSError, match="Read-only file system; choose another path"):
            result.save(disk / "run.jrd")
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
    result.save(tmp_path / "run.jrd")
    assert (Result.load(tmp_path / "run.jrd").values == result.values).all()


def test_a_disk_that_has_no_place_for_the_end_of_a_run_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(streaming, "trailer", full)
    path = tmp_path / "run.jrd"
    result = pendulum().simulate(0.1, record_to=path)
    assert result.outcome.ending is Ending.STORAGE_FAILED and result.time[-1] == 0.1
    assert result.outcome.warnings[-1] == (
        f"'{path}' has all rows, but does not say how the run ended: No space left on device; save the result elsewhere"
    )


@pytest.mark.slow  # a process of its own
def test_ctrl_c_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jrd"
    process = running(path)
    while len(Result.load(path).time) < 100:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.wait()
    left = Result.load(path)
    assert left.outcome.ending is Ending.INTERRUPTED
    assert left.outcome.sentence.startswith("interrupted at t = ")
    assert left.statistics.steps > 0


def test_paths_that_cannot_take_rows(tmp_path: Path) -> None:
    machine = pendulum()
    assert refusal(lambda: machine.simulate(1.0, record_to=tmp_path / "run.csv")) == (
        f"record_to = '{tmp_path / 'run.csv'}' is refused: results are files that end in '.jrd'; give 'run.jrd'"
    )
    assert "record_to = 3 is no path; give that of a file, such as 'run.jrd'" in refusal(lambda: machine.simulate(1.0, record_to=3))  # type: ignore[arg-type]  # what is refused
    (tmp_path / "folder.jrd").mkdir()
    assert "is a folder; give the path of a file in it" in refusal(lambda: machine.simulate(1.0, record_to=tmp_path / "folder.jrd"))
    assert refusal(lambda: machine.simulate(1.0, record_to=tmp_path / "nowhere" / "run.jrd")) == (
        f"record_to = '{tmp_path / 'nowhere' / 'run.jrd'}' lies in a folder that does not exist; make it, or choose another path"
    )
    assert machine.simulate(1.0).outcome.completed
    assert not list(tmp_path.glob(".*.part"))


def test_too_many_rows_for_memory_are_offered_a_file() -> None:
    machine = pendulum()
    assert "or give record_to the path of a file" in refusal(lambda: machine.simulate(1e3, output_interval=1e-5))
