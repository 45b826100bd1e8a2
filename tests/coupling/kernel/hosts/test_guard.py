"""FMUs in another process answer as they do in this one, to the bit; what they log, refuse and save is theirs there as here."""

from __future__ import annotations

import ctypes
import gc
import platform
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from coupling.fmus import load
from coupling.kernel.fmi.instance import DISCARD, ERROR, FATAL, Instance, LoadedLibrary, StartValues, Stepping
from coupling.kernel.hosts.guard import Guard, GuardedLibrary, call_name
from coupling.kernel.hosts.host import DeathKind
from tests.support import foreign
from tests.support.kernel.processes import children

KERNEL = Path(__file__).parents[4] / "coupling" / "kernel"
SUPPORT = Path(__file__).parents[3] / "support" / "kernel"


@pytest.fixture
def guard() -> Iterator[Guard]:
    gc.collect()  # what earlier tests have left ends now, and not while this one runs
    before = set(children())
    made = Guard()
    yield made
    made.end()
    assert set(children()) - before == set()


def instances(path: Path, guard: Guard, name: str = "unit", stepping: Stepping | None = None) -> tuple[Instance, Instance]:
    """Returns an instance here and one there."""
    fmu = load(path)
    binary = str(fmu.library("cs" if stepping else "me"))
    libraries = LoadedLibrary(binary, fmu.version), GuardedLibrary(guard, binary, fmu.version)
    here, there = (Instance(each, name, fmu.token, fmu.resources, stepping) for each in libraries)
    return here, there


def started(*both: Instance) -> None:
    for each in both:
        assert each.start(StartValues([]), 1e-8, 0.0, 1.0) is None
        assert each.exit_initialization() == 0
        assert each.library.instance_enter_continuous(ctypes.c_void_p(each.handle)) == 0


def test_calls_give_the_same_bits(fmi, guard):
    """Times, states and inputs that are set wait for a call that has an answer, and come before it."""
    here, there = instances(foreign.oscillator(fmi), guard)
    started(here, there)
    asked = []
    for each in (here, there):
        told = []
        for x in np.random.default_rng(1).normal(size=(50, 3)):
            assert each.move_states(x[:2]) == 0 and each.set(0, [1], x[2:]) == 0
            told += [*each.derivatives(2)[1], *each.get(0, [2, 3, 4, 5])[1], *each.states(2)[1]]
        asked.append(np.array(told))
        each.free()
    assert np.array_equal(*asked) and len(np.unique(asked[0])) >= 150


def test_a_refusal_is_told_with_what_was_logged(fmi, guard):
    """The status is reported as well; a setter's refusal comes at the next call that has an answer."""
    here, there = instances(foreign.fails_at(0.0, version=fmi), guard)
    started(here, there)
    told = [(each.derivatives(2)[0], each.message, each.said) for each in (here, there)]
    assert told[0] == told[1] == (ERROR, foreign.BURNT_OUT, foreign.BURNT_OUT)
    here.free(), there.free()


def test_what_one_instance_refuses_late_names_it(guard):
    """A call of another instance in the same process detects the refusal."""
    path = foreign.discards_at(-1.0, version=3)
    fmu = load(path)
    library = GuardedLibrary(guard, str(fmu.library("me")), 3)
    one, other = (Instance(library, name, fmu.token, fmu.resources) for name in ("one", "other"))
    started(one, other)
    assert one.set(0, [999], [1.0]) == 0
    status, _ = other.get(0, [2])
    assert status >= DISCARD and re.search(r"fmi3SetFloat64 of 'one' before it returned '\w+'", other.message)
    one.free(), other.free()


def test_a_process_that_dies_is_named_with_its_call(fmi, guard):
    """Every call after it is refused at once, and freeing comes back."""
    hook = {"rates": "if (time >= 0) __builtin_trap();"}
    fmu = load(foreign.of_oscillator(fmi, **hook))
    unit = Instance(GuardedLibrary(guard, str(fmu.library("me")), fmi), "unit", fmu.token, fmu.resources)
    started(unit)
    assert unit.derivatives(2)[0] == FATAL and unit.get(0, [2])[0] == FATAL
    death = guard.host.death
    assert death and death.kind is DeathKind.SIGNALLED and guard.instance(death.instance) == unit.handle
    assert call_name(death.version, death.call) == ("fmi2GetDerivatives" if fmi == 2 else "fmi3GetContinuousStateDerivatives")
    unit.free()


def test_a_library_that_cannot_be_opened_is_refused_as_here(guard, tmp_path):
    """The words are the same."""
    (tmp_path / "empty.so").write_bytes(b"")
    told = []
    for opened in (LoadedLibrary, lambda *a: GuardedLibrary(guard, *a)):
        with pytest.raises(OSError) as refused:
            opened(str(tmp_path / "empty.so"), 3)
        told.append(str(refused.value))
    assert told[0] == told[1] and "empty.so" in told[0]


def test_every_function_has_a_name():
    """The name stands at the function's number in the tables of fmi.h, which the sources list."""
    text = (KERNEL / "fmi" / "fmi.h").read_text()
    for version in (2, 3):
        body = text.partition(f"#define FMI{version}_FUNCTIONS")[2].partition("\n\n")[0]
        symbols = re.findall(r"[RMCO]\(\w+, (\w+),", body)
        named = [call_name(version, number) for number in range(len(symbols))]
        assert named == [f"fmi{version}{symbol}" for symbol in symbols]
    assert call_name(3, 999) == "no function" and call_name(2, 1000) == "dlopen"


# Needed since only this processor has the flag that stops it after each instruction.
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the processor stops after each instruction by a flag of x86-64")
@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_answers_are_checked_in_a_private_copy(optimised, tmp_path):
    """The shared memory changes after each number of instructions: an answer that passes the check is the answer that is used."""
    names = ("proxy", "proxy_2", "proxy_3", "proxy_derivatives", "proxy_texts")
    sources = [SUPPORT / "changed_between.c", *(KERNEL / "hosts" / f"{name}.c" for name in names)]
    program = tmp_path / "changed_between"
    subprocess.run(["gcc", "-std=c11", optimised, "-g", f"-I{KERNEL}", *map(str, sources), "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    told = re.fullmatch(r"(\d+) moments, (\d+) refused\n(\d+) moments, (\d+) refused\n", done.stdout)
    assert done.returncode == 0 and told, done.stdout
    exchanged, refused, together, late = map(int, told.groups())
    assert 20 < refused < exchanged and 0 < late < together
