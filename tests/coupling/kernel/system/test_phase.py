"""The phase of a kernel follows four independent facts, and only the combinations that its table lists occur."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import coupling.kernel

HEADER = Path(coupling.kernel.__file__).parent / "system" / "phase.h"
SOURCE = f"""
#include "{HEADER}"
#define SHOWN(p) (in_event_mode(p) | inputs_are_known(p) << 1 | by_equations(p) << 2 | are_at_step_end(p) << 3)
int place(Phase *p, int argument) {{ place_instances(p, (Place)argument); return SHOWN(p); }}
int event(Phase *p, int argument) {{ set_event_mode(p, argument); return SHOWN(p); }}
int take(Phase *p, int argument) {{ take_factors(p, (Source)argument); return SHOWN(p); }}
"""
ASTRAY, IN_PLACE, AT_STEP_END = range(3)
OF_INSTANCES, OF_EQUATIONS = range(2)


class Facts(NamedTuple):
    """The reports of the functions of a phase, each on its own."""

    event: bool = False
    known: bool = False
    equations: bool = False
    at_end: bool = False


def placed(facts: Facts, place: int) -> Facts:
    return facts._replace(known=place != ASTRAY, at_end=place == AT_STEP_END and facts.equations and not facts.event)


def at_event(facts: Facts, on: int) -> Facts:
    return facts._replace(event=bool(on), at_end=False)


def taken(facts: Facts, source: int) -> Facts:
    if source == OF_EQUATIONS:
        return facts._replace(equations=True, known=False)
    return facts._replace(equations=False, at_end=False)


CALLS: list[tuple[str, int, Callable[[Facts, int], Facts]]] = [
    *(("place", place, placed) for place in (ASTRAY, IN_PLACE, AT_STEP_END)),
    *(("event", on, at_event) for on in (0, 1)),
    *(("take", source, taken) for source in (OF_INSTANCES, OF_EQUATIONS)),
]


@pytest.fixture(scope="module")
def phases(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("phase")
    (folder / "phase.c").write_text(SOURCE)
    subprocess.run(["gcc", "-std=c11", "-shared", "-fPIC", "-o", folder / "phase.so", folder / "phase.c"], check=True)
    return ctypes.CDLL(str(folder / "phase.so"))


def test_all_phases_that_occur_follow_the_facts(phases: ctypes.CDLL) -> None:
    """Every call from every phase that any calls lead to; ten of the twelve combinations of a place and a source are found."""
    facts = {(0, 0): Facts()}
    waiting = list(facts)
    while waiting:
        before = waiting.pop()
        for name, argument, expected in CALLS:
            phase = (ctypes.c_int * 2)(*before)
            shown = getattr(phases, name)(phase, argument)
            found, after = Facts(*(bool(shown >> bit & 1) for bit in range(4))), (phase[0], phase[1])
            assert found == expected(facts[before], argument), (before, name, argument)
            if after not in facts:
                facts[after] = found
                waiting.append(after)
    assert len(facts) == len(set(facts.values())) == 10
