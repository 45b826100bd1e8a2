"""Multipliers whose constraints hold in some modes only. An FMU describes them in its own file, a format of this library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from coupling.fmus.errors import Source
from coupling.fmus.variables import FmuVariable

SWITCHED = "extra/org.jourdain.switched/switched.xml"
KINDS = ("unilateral", "friction", "holds_while")
_NEEDED = ("lambda", "residual", "mode", "velocity", "acceleration")
_MORE = ("position", "limit", "static", "limit_back", "static_back", "restitution", "indicator")


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchedMultiplier:
    """A switched multiplier by value references; the indicator is its place among those of the FMU."""

    kind: str
    multiplier: int
    residual: int
    mode: FmuVariable
    velocity: int
    acceleration: int
    position: int | None
    limit: int | None
    static: int | None
    limit_back: int | None
    """Limit for a negative slip, if it differs."""
    static_back: int | None
    restitution: int | None
    indicator: int | None
    depends: tuple[int, ...]
    """The multipliers of the same joint that its limit depends on."""


def read_switched(text: bytes, variables: Mapping[str, FmuVariable], source: Source) -> tuple[SwitchedMultiplier, ...]:
    """Returns the multipliers in the order of the file."""
    integers = {v.reference: v for v in variables.values() if v.type == "integer"}
    root = source.tree(text, SWITCHED)
    if root.get("version") != "1":
        raise source.broken(f"has a {SWITCHED} of version {root.get('version')}, of which only 1 is known")
    found = []
    for element in root.iterfind("Multiplier"):
        given = {name: value for name in (*_NEEDED, *_MORE) if (value := element.get(name)) is not None}
        missing = next((name for name in _NEEDED if name not in given), None)
        if element.get("kind") not in KINDS or missing:
            raise source.broken(f"has a multiplier in its {SWITCHED} {f'without {missing}' if missing else 'of an unknown kind'}")
        number = {name: source.parsed(value, int, f"the {name} in its {SWITCHED}") for name, value in given.items()}
        if number["mode"] not in integers:
            raise source.broken(f"has the mode {number['mode']} in its {SWITCHED}, which is no integer variable")
        depends = tuple(source.parsed(each, int, f"depends in its {SWITCHED}") for each in (element.get("depends") or "").split())
        found.append(
            SwitchedMultiplier(
                kind=element.attrib["kind"],
                multiplier=number["lambda"],
                residual=number["residual"],
                mode=integers[number["mode"]],
                velocity=number["velocity"],
                acceleration=number["acceleration"],
                depends=depends,
                **{name: number.get(name) for name in _MORE},
            )
        )
    return tuple(found)
