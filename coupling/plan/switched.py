"""Multipliers whose constraints depend on modes, and where they are among the unknowns of loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coupling.errors import BuildError, Unprojectable
from coupling.fmus.switched import KINDS, SwitchedMultiplier
from coupling.kernel.rows.rows import RowBuilder
from coupling.plan.graph import Part, type_code
from coupling.plan.projection import Reading, plan_reading
from coupling.plan.schedule import Schedule, ScheduledLoop

MODES = {
    "unilateral": {0: "open", 1: "closed"},
    "friction": {-2: "carries its limit", -1: "slips back", 0: "sticks", 1: "slips", 2: "carries its limit"},
    "holds_while": {0: "free", 1: "holds"},
}


@dataclass(frozen=True)
class Switched:
    """A switched multiplier: its instance, its loop, and its place there."""

    part: int
    loop: int
    unknown: int
    given: SwitchedMultiplier


def switched_multipliers(parts: Sequence[Part], loops: Sequence[ScheduledLoop]) -> tuple[Switched, ...]:
    """Returns the switched multipliers in the order of instances, and of the multipliers of each."""
    place = _places(loops)
    return tuple(
        Switched(index, *place[index, each.multiplier], each)
        for index, part in enumerate(parts)
        for each in (part.dae.switched if part.dae else ())
    )


def _places(loops: Sequence[ScheduledLoop]) -> dict[tuple[int, int], tuple[int, int]]:
    """Returns the loop and the place there of each unknown, by its instance and reference."""
    return {(a.part, a.reference): (number, i) for number, loop in enumerate(loops) for i, a in enumerate(loop.unknowns)}


def add_switched(rows: RowBuilder, parts: Sequence[Part], loops: Sequence[ScheduledLoop], switched: Sequence[Switched]) -> None:
    """Adds them as rows of the kernel."""
    place = _places(loops)
    number = {(each.part, each.given.multiplier): i for i, each in enumerate(switched) if each.given.kind == "unilateral"}
    for each in switched:
        given, fmu = each.given, parts[each.part].fmu
        pressing = [number.get((each.part, multiplier)) for multiplier in given.depends]
        normal, second = (*pressing, None, None)[:2] if len(pressing) <= 2 and None not in pressing else (None, None)
        numbers = {
            "kind": KINDS.index(given.kind),
            "loop": each.loop,
            "unknown": each.unknown,
            "part": each.part,
            "indicator": given.indicator,
            "type": type_code(given.mode, fmu.version),
            "mode": given.mode.reference,
            "acceleration": given.acceleration,
            "limit": given.limit,
            "still": given.static,
            "back": given.limit_back,
            "still_back": given.static_back,
            "restitution": given.restitution,
            "normal": normal,
            "second": second,
            "multiplier": None if normal is None else switched[normal].given.multiplier,
        }
        follows = [(*place[each.part, one], one) for one in given.depends] if normal is None else []
        rows.add_switched(follows, **{name: value for name, value in numbers.items() if value is not None})


def read_for_modes(parts: Iterable[Part], schedule: Schedule) -> Reading:
    """Returns the reading of constraints, which modes and impacts need."""
    try:
        return plan_reading(schedule)
    except Unprojectable as error:
        switched = next((part.name for part in parts if part.dae and part.dae.switched), None)
        if switched is None:
            raise
        raise BuildError(
            f"the modes of '{switched}' cannot be chosen: {error.why}; use FMUs with directional derivatives beside it, or add '{switched}' with "
            "kind='cs', which makes it compliant"
        ) from None


def refuse_stepped(parts: Iterable[Part], kinds: Mapping[str, str]) -> None:
    """Refuses Co-Simulation instances beside joints that switch: velocities jump where bodies hit each other, which Co-Simulation does not
    allow."""
    switched = next((part.name for part in parts if part.dae and part.dae.switched), None)
    stepped = next((name for name, kind in kinds.items() if kind == "cs"), None)
    if switched and stepped:
        raise BuildError(
            f"'{switched}' cannot hit or hold '{stepped}', which runs in Co-Simulation, where no velocity can be reset; leave communication_step out and add "
            f"'{stepped}' with kind='me', or add '{switched}' with kind='cs', which makes it compliant"
        )
