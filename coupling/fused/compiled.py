"""Compiled code of stages: made once for each content, kept beside unpacked FMUs, and shared by all processes."""

from __future__ import annotations

import ctypes
import hashlib
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from threading import RLock

import coupling.kernel
from coupling.fmus.archive import UnpackingFailed
from coupling.fmus.cache import shared_folder
from coupling.fused.c_code import TABLES
from coupling.kernel.equations.fused import Stage, loaded, vectors
from coupling.kernel.platform.own import Library
from fmu_components.export.compile import PLATFORMS, RUNTIME, ExportError, compiler_version, shared_library

_FLAGS = (
    "-std=c11", "-O1", "-fexpensive-optimizations", "-fPIC", "-fvisibility=hidden", "-fno-math-errno", "-ffp-contract=off",
    "-fno-asynchronous-unwind-tables",
)  # fmt: skip
"""Flags of the compiler. More than -O1 takes longer and gains nothing, with one exception. Vectors of AVX are cleared before code without
AVX goes on, which would otherwise be slow. No contractions keep the digits of all targets alike."""
_VECTORS = ((), ("-mavx",), ("-mavx", "-mavx512f", "-mavx512vl"))
"""Flags by the instructions of the processor."""
_FILE = "code.so"
_loaded: dict[str, ctypes.CDLL] = {}
_lock = RLock()


class NotCompiled(Exception):
    """An error that says why no compiled code exists, and what to do."""


def functions(text: str, stages: Iterable[str]) -> Mapping[str, int]:
    """Returns the address of the function of each stage, in C that :mod:`coupling.fused.c_code` or :mod:`coupling.fused.c_loops` has
    written."""
    try:
        with _lock:
            key = key_of(text)
            if key not in _loaded:
                _loaded[key] = ctypes.CDLL(str(binary(text)))
            found = {stage: ctypes.cast(getattr(_loaded[key], symbol(stage)), ctypes.c_void_p).value for stage in stages}
    except (ExportError, UnpackingFailed) as error:
        raise NotCompiled(str(error)) from None
    except (OSError, AttributeError) as error:
        raise NotCompiled(
            f"compiled code cannot be loaded: {error}; allow programs in the folder that JOURDAIN_CACHE or TMPDIR names"
        ) from None
    return {stage: address for stage, address in found.items() if address is not None}


def binary(text: str) -> Path:
    """Returns the path of the compiled code."""
    return shared_folder(key_of(text), "compiled", "jourdain-compiled", lambda folder: _fill(folder, text)) / _FILE


def functions_in(library: Library, text: str, known: Mapping[Stage, int]) -> Mapping[Stage, int]:
    """Returns the addresses of functions in the process of a kernel, given their addresses here; an OSError says why they cannot be loaded
    there."""
    if not library.is_elsewhere or not known:
        return known
    return loaded(library, binary(text), {stage: symbol(stage.name.lower()) for stage in known})


def symbol(stage: str) -> str:
    """Returns the name of the function of a stage."""
    return f"jourdain_{stage}"


def key_of(text: str) -> str:
    """Returns the key of everything that the machine's code depends on."""
    told = (_whole(text), compiler_version(_TARGET.required_compiler()), " ".join(flags()), platform.machine())
    return hashlib.sha256("\0".join(told).encode()).hexdigest()


def flags() -> tuple[str, ...]:
    """Returns the flags of the compiler. Some processors have instructions that do not overwrite an operand, and twice as many registers.
    These save a sixth of the time and change no digit."""
    return _FLAGS + _VECTORS[vectors()]


_TARGET = PLATFORMS["linux64"]


def _fill(folder: Path, text: str) -> None:
    (folder / _FILE).write_bytes(shared_library(_TARGET, _whole(text), flags()))


def _whole(text: str) -> str:
    """Returns the text with the library's own sines and cosines, where the text uses those of many angles, and with functions of tables."""
    before, *after = text.split(TABLES)
    text = f"{before}{_tables()}{''.join(after)}" if after else text
    return _own_angles() + text if "KERNEL_ANGLES_H" in text else text


@cache
def _tables() -> str:
    return (RUNTIME / "lookup.h").read_text(encoding="utf-8")


@cache
def _own_angles() -> str:
    return (Path(coupling.kernel.__file__).parent / "tapes" / "angles.h").read_text(encoding="utf-8")
