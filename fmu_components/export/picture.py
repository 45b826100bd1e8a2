"""The picture of a component as a file of its FMU: names of variables and numbers, which another tool could write as well."""

from __future__ import annotations

import json
from typing import Any

from fmu_components.declare.declaration import Declaration
from fmu_components.declare.picture import Deformed
from fmu_components.declare.ports import PLANAR, SPATIAL, Port, Side

PICTURE = "extra/org.jourdain.picture/picture.json"


def picture_file(declared: Declaration) -> dict[str, bytes]:
    """The file by its path; none for a component that has no place in a picture."""
    picture = declared.picture
    if picture is None:
        return {}
    said: dict[str, Any] = {"version": 1}
    if picture.pose is not None:
        said["pose"] = list(picture.pose)
    if picture.origin is not None:
        said["origin"] = picture.origin
    if picture.pose is not None or picture.origin is not None:
        said["points"] = {port.name: _point(port) for port in declared.ports if _has_point(declared, port)}
    if picture.centre:
        said["centre"] = list(picture.centre)
    said["words"] = [
        {"kind": word.kind, "ports": list(word.ports), **word.named(), **(_deformed(word.deformed) if word.deformed else {})}
        for word in picture.words
    ]
    return {PICTURE: json.dumps(said, separators=(",", ":")).encode()}


def _deformed(deformed: Deformed) -> dict[str, Any]:
    """Returns the amplitudes of an elastic part, and apart from these names its numbers."""
    numbers = dict(vars(deformed))
    return {"amplitudes": list(numbers.pop("amplitudes")), "deformed": numbers}


def _has_point(declared: Declaration, port: Port) -> bool:
    return port.kind in (PLANAR, SPATIAL) and port.side is Side.MOTION and f"{port.name}.rx" in declared.by_name


def _point(port: Port) -> dict[str, Any]:
    """The parameters of a port that say where it is in its body."""
    name = port.name
    if port.kind is PLANAR:
        return {"at": [f"{name}.rx", f"{name}.ry"], "angle": f"{name}.angle"}
    return {"at": [f"{name}.r{a}" for a in "xyz"], "z": [f"{name}.z{a}" for a in "xyz"], "x": [f"{name}.x{a}" for a in "xyz"]}
