"""Hosts answer calls and ask back; however a call ends, the master goes on, knows how it ended, and leaves nothing behind.

The service is one of C that ends in every way: ``tests/support/kernel/misbehaving.c``.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from coupling.kernel.fmi.instance import library
from coupling.kernel.hosts import host as hosts
from coupling.kernel.hosts.host import DeathKind, Host, HostError, listen
from coupling.kernel.hosts.hosted import HostedLibrary
from coupling.progress import ends_calls
from tests.support.kernel.processes import children, gone, shared_memories

KERNEL = Path(hosts.__file__).parents[1]
SERVICE = Path(__file__).parents[3] / "support" / "kernel" / "misbehaving.c"
_PING = 1
ADD, RAISE, EXIT, LEAVE, LOOP, FLOOD, ALLOCATE, ASK, FORK, STACK, SUM, IDLE = range(100, 112)
FATAL = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGSYS", "SIGKILL", "SIGTERM", "SIGPIPE", "SIGXCPU", "SIGUSR1")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("service") / "misbehaving.so"
    here = [KERNEL / "hosts" / f"{name}.c" for name in ("channel", "host_run", "sandbox")]
    sources = [*here, *(KERNEL / "platform" / f"{name}.c" for name in ("platform_linux", "platform_process_linux"))]
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{KERNEL}"]
    subprocess.run(["cc", *flags, *map(str, sources), str(SERVICE), "-o", str(made)], check=True)
    return str(made)


@pytest.fixture
def start(core: str) -> Iterator[Callable[..., Host]]:
    """Starts hosts, and asks after all of them are ended what they have left behind."""
    gc.collect()  # hosts of systems that nobody needs any more end here, and not during a test
    before = children(), shared_memories(), len(os.listdir("/proc/self/fd"))
    started: list[Host] = []

    def start(**options: float) -> Host:
        started.append(Host(core=core, **options))  # type: ignore[arg-type]
        return started[-1]

    yield start
    processes = [each.process for each in started if each.handle]
    for each in started:
        each.end()
    assert all(gone(each) for each in processes)
    assert (children(), shared_memories(), len(os.listdir("/proc/self/fd"))) == before


def test_a_call_comes_back_with_its_answer(start):
    """Words, numbers and data go there and back."""
    host = start()
    for i in range(1000):
        host.words.word[:2] = [i, 1]
        assert host.call(ADD) is DeathKind.LIVES and host.words.word[0] == i + 1
    numbers = np.arange(1000.0)
    ctypes.memmove(host.data, numbers.ctypes.data, numbers.nbytes)
    host.words.size = len(numbers)
    assert host.call(SUM) is DeathKind.LIVES and host.words.real[0] == numbers.sum()
    assert host.death is None


def test_a_host_asks_back_during_a_call(start):
    """The host may ask any number of times; it gets its own answers."""
    host = start()
    host.answers(lambda what: 100 * what)
    assert host.call(ASK) is DeathKind.LIVES and host.words.word[0] == 1500


def test_functions_that_the_table_of_calls_lacks_are_refused():
    """Refuses a name and a signature before the host is asked; a function that the kernel alone calls is refused too."""
    there = HostedLibrary()
    address = there.address("tape_run")
    assert address == there.address("tape_run") != there.address("formula_value")
    with pytest.raises(AttributeError, match=r"'tape_run' cannot be called .*: add it to the table in hosts/host_calls\.c"):
        there.tape_run(None, None)
    with pytest.raises(AttributeError, match=r"'rr' cannot be called .*: add it to the table in hosts/host_calls\.c"):
        there.function_at(address, ctypes.c_double, [ctypes.c_double])
    assert there.answers()
    there.end()


@pytest.mark.parametrize("name", FATAL)
def test_death_by_a_signal_is_named(start, name):
    """The death has the signal's number and the call in which it came; every further call reports the same at once."""
    host = start()
    host.words.word[0] = signal.Signals[name]
    assert host.call(RAISE) is DeathKind.SIGNALLED
    death = host.death
    assert death is not None and (death.signal, death.version, death.call, death.time) == (signal.Signals[name], 3, 1, 0.25)
    assert host.call(ADD) is DeathKind.SIGNALLED and death.seconds < 10


@pytest.mark.parametrize(("op", "kind"), [(EXIT, DeathKind.EXITED), (LEAVE, DeathKind.LEFT)])
@pytest.mark.parametrize("code", [0, 3])
def test_an_end_of_its_own_is_told_apart(start, op, kind, code):
    """The ends are exit and _exit, with their codes."""
    host = start()
    host.words.word[0] = code
    assert host.call(op) is kind and host.death and host.death.code == code


def test_a_stack_that_overflows_ends_the_host_alone(start):
    """It is a segmentation fault like others."""
    host = start()
    assert host.call(STACK) is DeathKind.SIGNALLED and host.death and host.death.signal == signal.SIGSEGV


def test_death_between_two_calls_is_seen_at_the_next(start):
    """The death is not blamed on a call."""
    host = start()
    assert host.call(IDLE) is DeathKind.LIVES
    os.waitid(os.P_PID, host.process, os.WEXITED | os.WNOWAIT)  # until it is dead, which its master has yet to see
    assert host.call(ADD) is DeathKind.SIGNALLED
    assert host.death and (host.death.signal, host.death.call) == (signal.SIGALRM, -1)


def test_an_endless_call_ends_with_its_time(start):
    """It ends shortly after its time; a call that comes back in time does not."""
    host = start(call_timeout=0.2)
    assert host.call(ADD) is DeathKind.LIVES
    began = time.monotonic()
    assert host.call(LOOP) is DeathKind.TIMED_OUT
    assert 0.2 <= time.monotonic() - began < 10
    assert host.death and host.death.seconds >= 0.2 and host.death.call == LOOP - 100


def test_an_endless_call_ends_where_it_is_given_up(start):
    """The listener ends the call at once."""
    host, asked = start(), []

    def interrupted(lasted: float) -> bool:
        asked.append(lasted)
        return len(asked) >= 3

    listen(interrupted)
    try:
        began = time.monotonic()
        assert host.call(LOOP) is DeathKind.INTERRUPTED and len(asked) == 3
        assert time.monotonic() - began < 10 and asked == sorted(asked) and 0 <= asked[0] < asked[-1] < 10
    finally:
        listen(ends_calls)


def test_a_flood_of_output_stops_nobody(start):
    """The kept output is bounded, and starts with the first line; the call comes back."""
    host = start(call_timeout=20)
    for _ in range(2):
        assert host.call(FLOOD) is DeathKind.LIVES
    assert host.printed.startswith("line 0 of a long") and 1 << 15 < len(host.printed) <= 1 << 20


def test_memory_has_a_limit(start):
    """The host stays within the limit, which affects no other process; without a limit it has all memory."""
    host, free = start(memory=64 << 20), start()
    for each in (host, free):
        each.words.word[0] = 100
        assert each.call(ALLOCATE) is DeathKind.LIVES
    assert 32 <= host.words.status < 64 and free.words.status == 100


def test_what_a_host_has_started_ends_with_it(start):
    """Its own children are of its group."""
    host = start()
    assert host.call(FORK) is DeathKind.LIVES
    child = host.words.word[0]
    assert not gone(child)
    host.end()
    assert gone(child, 1)


def test_only_as_many_hosts_spin_as_there_are_cores_to_spare(start):
    """A single core has none; a host that ends leaves its core to another."""
    spare = max(len(os.sched_getaffinity(0)) - 1 - len(children()), 0)  # hosts of other tests that wait have theirs
    made = [start() for _ in range(4)]
    assert sum(library.host_spins(each.handle) > 0 for each in made) == min(spare, 4)
    made[0].end()
    assert sum(library.host_spins(each.handle) > 0 for each in made[1:]) == min(spare, 3)


def test_a_host_that_is_called_has_the_core_of_one_that_sleeps(start):
    """Two cores leave one for hosts, a single core none."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:2])
    try:
        made = [start() for _ in range(3)]
        for each in made:
            time.sleep(0.1)
            assert each.call(_PING) is DeathKind.LIVES
            assert [library.host_spins(other.handle) > 0 for other in made] == [other is each and len(cores) > 1 for other in made]
    finally:
        os.sched_setaffinity(0, cores)


class _Patience(ctypes.Structure):
    _fields_ = [("budget", ctypes.c_uint32), ("waits", ctypes.c_uint32), ("crowded", ctypes.c_double)]


def _watched(word: ctypes.c_uint32, patience: _Patience, most: int = 1) -> tuple[bool, float]:
    began = time.perf_counter()
    found = library.channel_watch(ctypes.byref(patience), ctypes.byref(word), 0, most)
    return bool(found & 1), time.perf_counter() - began


def test_who_waits_yields_before_it_sleeps():
    """It yields for a millisecond of its own time where the other side has another core. It yields hardly at all without one, and not at
    all just after others have taken the core."""
    still, other = ctypes.c_uint32(0), ctypes.c_uint32(1)
    assert _watched(other, _Patience())[0]
    assert min(_watched(still, _Patience(), 0)[1] for _ in range(50)) < 5e-4
    crowded = min(_watched(still, _Patience(crowded=1e300))[1] for _ in range(50))
    yielding = [_watched(still, _Patience()) for _ in range(50)]
    assert not any(found for found, _ in yielding)
    assert crowded < 5e-4 <= max(seconds for _, seconds in yielding)


def test_a_master_that_is_killed_takes_its_hosts_along(core):
    """The hosts end, one that waits and one in an endless call, with the processes that they have started. They end even if a copy of the
    master lives on."""
    program = f"""
import os, time
from coupling.kernel.hosts.host import Host
waits, loops = Host(core={core!r}), Host(core={core!r})
loops.call({FORK})
if os.fork() == 0:
    time.sleep(20)
print(waits.process, loops.process, loops.words.word[0], flush=True)
loops.call({LOOP})
"""
    master = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert master.stdout
    processes = [int(each) for each in master.stdout.readline().split()]
    assert len(processes) == 3 and not any(map(gone, processes))
    master.kill()
    master.wait()
    try:
        assert all(gone(each, 3) for each in processes)
    finally:
        os.killpg(master.pid, signal.SIGKILL)
        master.stdout.close()


def test_a_copy_of_the_master_leaves_its_hosts_alone(start):
    """It ends no host of the master, and cannot call one."""
    host = start()
    copy = os.fork()
    if not copy:
        lost = host.call(ADD) is DeathKind.LOST
        host.end()
        os._exit(0 if lost else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 0
    assert host.call(ADD) is DeathKind.LIVES


def test_a_service_that_cannot_be_loaded_is_refused(tmp_path):
    """The message has the reason, and no process stays."""
    before = children()
    with pytest.raises(HostError, match=r"jourdain-host' did not start: .*none\.so: cannot open shared object file"):
        Host(core=str(tmp_path / "none.so"))
    assert children() == before


def test_a_program_that_is_missing_is_a_sentence(tmp_path, monkeypatch):
    """It names the path, and how it is built."""
    monkeypatch.setattr(hosts, "PROGRAM", tmp_path / "jourdain-host")
    with pytest.raises(HostError, match=r"jourdain-host' is missing, or is not to be run; build it with pip install --editable \."):
        Host()


def test_the_program_says_what_it_is_for():
    """The message is for users who start it by hand."""
    told = subprocess.run([str(hosts.PROGRAM)], capture_output=True, text=True)
    assert told.returncode == 2 and told.stderr == "this program is started by Jourdain, for FMUs that run in a process of their own\n"


def test_addresses_come_round_again(start):
    """All that were started take more of them than there are, one of them all the time."""
    room = 1 << 44
    first = start(room=room)
    for _ in range(9):
        other = start(room=room)
        assert other.is_there() and first.is_there() and abs(other.data - first.data) >= room
        other.end()
