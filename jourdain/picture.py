"""What components look like in their mechanism: ``picture = picture(coil("M", "N"), wheel("N", "radius"))``."""

from fmu_components.declare.picture import (
    Picture,
    Word,
    ball,
    body,
    coil,
    dashpot,
    fixed,
    gear,
    picture,
    pin,
    piston,
    rail,
    rest,
    rod,
    square,
    wheel,
)

__all__ = [
    "Picture",
    "Word",
    "ball",
    "body",
    "coil",
    "dashpot",
    "fixed",
    "gear",
    "picture",
    "pin",
    "piston",
    "rail",
    "rest",
    "rod",
    "square",
    "wheel",
]
