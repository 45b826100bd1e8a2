"""The stages of a system as compiled code, which was checked against its tapes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from coupling.fused.compiled import NotCompiled, functions
from coupling.fused.kept import kept
from coupling.fused.stages import Region
from coupling.fused.taped import Stages, Taped
from coupling.fused.written import Write, as_c, as_tapes
from coupling.kernel.equations.fused import Stage
from coupling.kernel.tapes import tape
from coupling.memory import without_collection
from coupling.plan.build import Built

_AS_GOOD, _SENSITIVE = 1e-9, 100.0
"""Tolerance of compiled code, relative to the tape's greatest derivative; factor on the change of the derivatives when each number from
outside changes by rounding."""
_UNLIKE = 1e-3
"""Relative difference of derivatives above which rounding is not the cause."""
_SINGULAR = 1e-10
"""A pivot is rounding below this share of its diagonal."""


@dataclass(frozen=True)
class Compiled:
    """Stages, and the addresses of their functions, which are loaded."""

    taped: Taped
    functions: Mapping[Stage, int]


@without_collection()
def tapes_of(built: Built, repeated: Sequence[int] = ()) -> Taped:
    """Returns the tapes of a system; ``repeated``: unknowns whose constraints repeat others. Raises NotFused."""
    return _kept(built, repeated, "tapes", as_tapes, cache(partial(Stages, built, repeated)))


@without_collection()
def compiled(built: Built, repeated: Sequence[int] = ()) -> Compiled:
    """Returns the compiled code of a system. Raises NotFused, or NotCompiled where no compiler exists or compiled code makes no sense."""
    stages = cache(partial(Stages, built, repeated))
    tapes, code = _kept(built, repeated, "tapes", as_tapes, stages), _kept(built, repeated, "c", as_c, stages)
    names = {stage: stage.name.lower() for stage in code.functions}
    found = functions(code.text, names.values())
    addresses = {stage: found[name] for stage, name in names.items()}
    if not _same(tapes, code, addresses):
        raise NotCompiled(
            "compiled code gives other derivatives than the tape of the same equations; name another compiler in the environment variable CC"
        )
    return Compiled(code, addresses)


@without_collection()
def written(built: Built, straight: int) -> Taped:
    """Returns stages as C that has not been compiled, or as tapes where it would be too long; raises NotFused. ``straight`` operations are
    written one by one."""
    stages = cache(partial(Stages, built))
    try:
        return _kept(built, (), f"c {straight}", partial(as_c, straight=straight), stages)
    except NotCompiled:
        return _kept(built, (), "tapes", as_tapes, stages)


def _kept(built: Built, repeated: Sequence[int], kind: str, write: Write, stages: Callable[[], Stages]) -> Taped:
    """Returns the stages as written by a writer; they are lowered when the first of several writers asks for them."""
    return kept(built, f"{kind} without {[*repeated]}" if repeated else kind, lambda _: stages().written(write))


def _same(tapes: Taped, code: Taped, addresses: Mapping[Stage, int]) -> bool:
    """Says whether tapes and compiled code agree at one point, which may be no pose of the system."""
    by_tape, beside, by_code = _filled(tapes), _filled(tapes, 1 + np.finfo(float).eps), _filled(code)
    for stage, address in addresses.items():
        tape.run(tapes.code[stage], by_tape)
        tape.run(tapes.code[stage], beside)
        data = code.code.get(stage)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)(None if data is None else data.ctypes.data, by_code.ctypes.data)
        if stage is Stage.SOLVE and _is_singular(
            by_tape, tapes
        ):  # nothing follows from such equations: they are compared, and what comes after
            if not all(_alike(_numbers(by_code, code.slots[name]), _numbers(by_tape, tapes.slots[name])) for name in ("entry", "right")):
                return False
            for w, each in ((beside, tapes), (by_code, code)):
                w[np.array(each.slots["unknown"], dtype=np.intp)] = by_tape[np.array(tapes.slots["unknown"], dtype=np.intp)]
    expected, moved, found = (_numbers(w, each.slots["derivative"]) for w, each in ((by_tape, tapes), (beside, tapes), (by_code, code)))
    size = _greatest(expected)
    with np.errstate(invalid="ignore"):  # both may be infinite
        allowed = max(_AS_GOOD * size, min(_SENSITIVE * _greatest(expected - moved), _UNLIKE * size))
    return bool(np.allclose(found, expected, rtol=0, atol=allowed, equal_nan=True))


def _is_singular(w: np.ndarray, code: Taped) -> bool:
    pivot, diagonal = (np.abs(_numbers(w, code.slots[name])) for name in ("pivot", "diagonal"))
    return bool((pivot < _SINGULAR * diagonal).any())


def _alike(found: np.ndarray, expected: np.ndarray) -> bool:
    return bool(np.allclose(found, expected, rtol=0, atol=_AS_GOOD * _greatest(expected), equal_nan=True))


def _greatest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))


def _filled(code: Taped, times: float = 1.0) -> np.ndarray:
    """Returns a workspace with numbers from outside."""
    w = np.array(code.initial)
    end = code.first[Region.UNKNOWNS]
    w[:end] = times * (0.5 + 0.7 * np.modf(0.618 * np.arange(end))[0])
    return w


def _numbers(w: np.ndarray, slots: Sequence[int]) -> np.ndarray:
    own = np.array(slots, dtype=np.intp)
    return np.where(own >= 0, w[np.maximum(own, 0)], np.where(own == -1, 0.0, -w[np.maximum(-2 - own, 0)]))
