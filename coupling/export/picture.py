"""The picture of a mechanism as a file of its FMU: the scene inside, which draws the FMU in other systems."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from coupling.export.table import MechanismTable
from coupling.plan.scene import moving, scene_of
from fmu_components.export.picture import PICTURE


def picture_of(table: MechanismTable) -> dict[str, bytes]:
    """Returns the file by its path; empty if no part has a place, or if the FMU does not show its pose."""
    scene = scene_of(table.built, [port.name for port in table.declared.ports])
    names = table.declared.by_name
    if not scene["frames"] or not all(name in names for name in moving(scene)):
        return {}
    values = {
        f"{part.name}.{name}": start.get(name, variable.start)
        for part, start in zip(table.built.parts, table.built.start, strict=True)
        for name, variable in part.fmu.variables.items()
    }

    def told(value: Any) -> Any:
        """Returns a name that the FMU shows, or the number that it stands for."""
        if isinstance(value, list):
            return [told(each) for each in value]
        return value if not isinstance(value, str) or value in names else values[value]

    def kept(each: Mapping[str, Any], *others: str) -> dict[str, Any]:
        return {key: value if key in others else told(value) for key, value in each.items()}

    inside = {
        "frames": [kept(each, "name", "model", "origin") for each in scene["frames"]],
        "places": {name: kept(each) for name, each in scene["places"].items()},
        "words": [kept(each, "kind", "of", "ports") for each in scene["words"]],
        "forces": [each for each in scene["forces"] if all(name in names for name in each["force"])],
        **({"shown": scene["shown"]} if "shown" in scene else {}),
    }
    return {PICTURE: json.dumps({"version": 1, "words": [], "inside": inside}, separators=(",", ":")).encode()}
