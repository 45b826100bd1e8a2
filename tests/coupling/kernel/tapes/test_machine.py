"""Tapes as instructions of the machine: the bits that the interpreter gives, whatever the operations, the numbers and the places are."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

from coupling.kernel.hosts import sandbox
from coupling.kernel.hosts.hosted import HostedLibrary
from coupling.kernel.hosts.sandbox import Sandbox
from coupling.kernel.tapes import machine, tape
from coupling.kernel.tapes.tape import END, OPERATIONS

_NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3e300, -3e300, 5e-324, np.inf, -np.inf, np.nan]
_PR_SET_MDWE, _REFUSE_NEW_CODE = 65, 1


def both(code: list[int], workspace: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bits that a tape leaves, by its interpreter and as instructions; all that are no numbers are alike."""
    program, interpreted, translated = np.array([*code, END], dtype=np.int32), workspace.copy(), workspace.copy()
    tape.run(program, interpreted)
    assert machine.run(program, translated)
    for each in (interpreted, translated):
        each[np.isnan(each)] = np.nan
    return interpreted.view(np.uint64), translated.view(np.uint64)


@pytest.mark.parametrize("name", [name for name, (_, operands) in OPERATIONS.items() if operands <= 3])
def test_an_operation(name):
    """It works on all pairs of unusual numbers, from places near and far, and of one place alone."""
    number, operands = OPERATIONS[name]
    first, far = len(_NUMBERS), 40
    workspace = np.full(far + 2 * len(_NUMBERS) + len(_NUMBERS) ** 2, np.nan)
    workspace[:first] = workspace[far : far + first] = _NUMBERS
    results = far + first
    pairs = [(i, far + j) for i in range(first) for j in range(first)]
    places = [place for a, b in pairs for place in (a, b, a)[:operands]]
    interpreted, translated = both([number, len(pairs), results, *places], workspace)
    assert list(interpreted) == list(translated)
    interpreted, translated = both([number, 1, results, *([1] * operands)], workspace)
    assert list(interpreted) == list(translated)


@pytest.mark.parametrize("slots", [60, 3010])
def test_what_registers_hold_is_what_the_workspace_has(slots):
    """Arithmetic on recent results and on leaves, with a function now and then, for which all registers are given away; with slots that are written
    anew, and with one for each result, where operations follow what they need."""
    random, leaves = np.random.default_rng(5), 10
    workspace = random.uniform(0.5, 1.5, slots)
    shapes = {
        "ADD": "rr",
        "SUBTRACT": "rr",
        "MULTIPLY": "lr",
        "DIVIDE": "rl",
        "NEGATE": "r",
        "MULTIPLY_ADD": "rlr",
        "MULTIPLY_SUBTRACT": "rrl",
    }
    names, code, recent = list(shapes), list[int](), list(range(leaves)) * 3
    for place in range(leaves, 3010):
        name = "TANH" if random.random() < 0.2 else names[random.integers(len(names))]
        result = place if slots == 3010 else int(random.integers(leaves, slots))
        operands = [recent[-random.integers(1, 25)] if kind == "r" else random.integers(leaves) for kind in shapes.get(name, "r")]
        code += [OPERATIONS[name][0], 1, result, *map(int, operands)]
        recent.append(result)
    interpreted, translated = both(code, workspace)
    assert list(interpreted) == list(translated)
    assert np.isfinite(interpreted.view(float)).all()


@pytest.mark.parametrize("count", [1, 7, 64, 130])
def test_sines_and_cosines_of_the_same_angles(count):
    """They are found together for all readers, whatever batches stand between them."""
    sine, cosine, add = (OPERATIONS[name][0] for name in ("SIN", "COS", "ADD"))
    workspace = np.full(5 * count, np.nan)
    workspace[:count] = np.random.default_rng(2).uniform(-9, 9, count)
    angles, doubled = range(count), [place for i in range(count) for place in (i, i)]
    batches = [
        [sine, count, count, *angles],
        [add, count, 2 * count, *doubled],
        [cosine, count, 3 * count, *angles],
        [sine, count, 4 * count, *range(3 * count, 4 * count)],
    ]
    for used in (batches, batches[1:], batches[:3], [batches[2], batches[3]]):
        interpreted, translated = both([number for batch in used for number in batch], workspace)
        assert list(interpreted) == list(translated)
    interpreted, _ = both([number for batch in batches for number in batch], workspace)
    assert interpreted.view(float)[3 * count : 4 * count] == pytest.approx(np.cos(workspace[:count]), rel=0, abs=2e-16)


def test_where_nothing_new_may_be_run_there_are_no_instructions():
    """Hardened systems forbid new code; the interpreter serves there."""
    add = OPERATIONS["ADD"][0]
    program, workspace = np.array([add, 1, 2, 0, 1, END], dtype=np.int32), np.array([1.0, 2.0, np.nan])
    child = os.fork()
    if not child:
        refused = ctypes.CDLL(None).prctl(_PR_SET_MDWE, _REFUSE_NEW_CODE, 0, 0, 0) == 0
        os._exit((machine.run(program, workspace) or bool(np.isfinite(workspace[2]))) if refused else 2)
    told = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if told == 2:
        # Kernels before Linux 6.3 do not know PR_SET_MDWE: there is no such system to be on.
        pytest.skip("this Linux cannot refuse new code")
    assert told == 0


# Kernels before Linux 6.2 have no sandbox, and processes that ask for one are refused there.
@pytest.mark.parametrize("kept_apart", [False, pytest.param(True, marks=pytest.mark.skipif(bool(sandbox.lacks()), reason=sandbox.lacks()))])
def test_processes_of_their_own_have_instructions(kept_apart):
    """They have them in a sandbox too, where code of files cannot be loaded."""
    program = np.array([OPERATIONS["ADD"][0], 1, 2, 0, 1, END], dtype=np.int32)
    host = HostedLibrary(sandbox=Sandbox((), ()) if kept_apart else None)
    made = host.machine_new(host.pointer(program), 3)
    workspace = host.kept(np.array([1.0, 2.0, np.nan]))
    host.function_at(host.machine_function(made), None, [ctypes.c_void_p, ctypes.c_void_p])(None, host.pointer(workspace))
    assert workspace[2] == 3.0
    host.machine_free(made)
