"""The equations of an exported mechanism as C, which gives its derivatives in place of its components."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from coupling.export.c_arrays import array, row
from coupling.fused.c_code import EXPORTED
from coupling.fused.coded import written
from coupling.fused.not_fused import NotFused
from coupling.fused.taped import EVALUATION, Taped
from coupling.kernel.equations.fused import FusedRows, Stage, reading_arrays
from coupling.live.fused_structures import rows_of
from coupling.live.session import Session
from coupling.plan.build import Built
from fmu_components.export.c_literals import c_number

SHORT = 1600
"""Largest number of operations that are written one by one; code with loops over repeated parts is smaller, though not as fast."""
SHORT_PROJECTED = 2400
"""The same number for equations that move states onto constraints."""

LONGEST = 150_000
"""Greatest number of characters of C; above it too little repeats, and archives would get large."""


_ANGLES = """#if defined(__GNUC__)
#include "kernel/tapes/angles.h"
#endif
"""
"""Four angles at once, as compiled systems have them, where the compiler is GCC or clang, which know vectors of numbers."""


def equations_of(built: Built) -> Taped | None:
    """Returns the equations, or None if the components are evaluated: their graph does not exist, or more than derivatives is needed."""
    if built.switched or not built.states:
        return None
    try:
        code = written(built, SHORT_PROJECTED if built.reading else SHORT)
    except NotFused:
        return None
    return code if len(code.text) < LONGEST else None


def equations_source(code: Taped, session: Session) -> str:
    """Returns ``equations.c``."""
    return "\n".join(_parts(code, rows_of(session, code, {}), session.built)) + "\n"


def kernel_sources(source: str) -> list[str]:
    """Returns the kernel's files that the equations need."""
    return [
        "equations/fused.c",
        "platform/visit.c",
        *(["tapes/tape.c"] if "tape_run" in source else []),
        *(["tapes/angles.h"] if "kernel/tapes/angles.h" in source else []),
    ]


def _parts(code: Taped, rows: FusedRows, built: Built) -> Iterator[str]:
    projecting = [Stage.READING, *([Stage.CORRECTING] if code.corrections else [])]
    stages = [*EVALUATION, *(projecting if rows.slots["position"] else [])]
    tapes = [stage for stage in stages if stage not in code.functions]
    yield '#include "schedule.h"\n'
    if "KERNEL_ANGLES_H" in code.text:
        yield _ANGLES
    if tapes:
        yield '#include "kernel/tapes/tape.h"\n'
    yield code.text.replace(EXPORTED, "static")
    numbers: dict[str, Iterable[int]] = {f"{stage.name.lower()}_code": each for stage, each in rows.code.items() if stage in stages}
    fmus = [part.fmu for part in built.parts]
    got = reading_arrays(
        [replace(each, references=[fmus[each.part].place(reference) for reference in each.references]) for each in rows.readings]
    )
    numbers |= {**rows.slots, "drive": rows.drives, "number": got["number"]}
    yield from (array(f"static const int {name}", map(str, map(int, each))) for name, each in numbers.items())
    yield array("static const FusedReading reading", map(row, got["reading"].reshape(-1, 5).tolist()), "{0}")
    known = np.flatnonzero(~np.isnan(rows.initial))
    yield array("static const Constant constant", [f"{{{slot}, {c_number(rows.initial[slot])}}}" for slot in known], "{0}")
    members = {
        **{f"stage[{stage:d}]": "tape_run" if stage in tapes else f"jourdain_{stage.name.lower()}" for stage in stages},
        **{f"code[{stage:d}]": f"{stage.name.lower()}_code" for stage in rows.code if stage in stages},
        **{name: getattr(rows, name) for name in ("x", "t", "u", "x_read", "violation")},
        "size": len(rows.initial),
        "drives": len(rows.drives),
        "readings": len(rows.readings),
        **{name: name for name in (*rows.slots, "drive", "reading", "number")},
    }
    yield "const Equations equations = {\n    .fusing = &fusing,\n    .rows = {"
    yield from (f"        .{name} = {value}," for name, value in members.items())
    yield f"    }},\n    .constants = {len(known)},\n    .constant = constant,\n}};"
