"""Words of declarations: ``from jourdain.declare import ROTATIONAL, Side, falls, friction, t``. ``Component`` and ``Joint`` are in ``jourdain``."""

from fmu_components.declare.declaration import TIME as t
from fmu_components.declare.declaration import falls, reaches, rises
from fmu_components.declare.functions import Magnitude, signed_root
from fmu_components.declare.joint import Angle, same_direction
from fmu_components.declare.ports import (
    ELECTRICAL,
    HYDRAULIC,
    PLANAR,
    PNEUMATIC,
    ROTATIONAL,
    SPATIAL,
    THERMAL,
    TRANSLATIONAL,
    Port,
    PortKind,
    Side,
)
from fmu_components.declare.switched import friction, holds_while, unilateral

__all__ = [
    "ELECTRICAL",
    "HYDRAULIC",
    "PLANAR",
    "PNEUMATIC",
    "ROTATIONAL",
    "SPATIAL",
    "THERMAL",
    "TRANSLATIONAL",
    "Angle",
    "Magnitude",
    "Port",
    "PortKind",
    "Side",
    "falls",
    "friction",
    "holds_while",
    "reaches",
    "rises",
    "same_direction",
    "signed_root",
    "t",
    "unilateral",
]
