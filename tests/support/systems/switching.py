"""Systems with joints that stick, slip and hit, whose motion has a closed form."""

from __future__ import annotations

from coupling import System


def stop(e: float = 0.7, s: float = 1.0) -> System:
    """2 kg on 50 N/m, with a stop at the rest position."""
    system = System("stop")
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0, "s": s})
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": 50.0, "b": 0.0, "rest": 0.0})
    system.add("stop", "mechanical1d.EndStop", {"low": 0.0, "high": 9.0, "e": e})
    for joint in ("spring", "stop"):
        system.connect("wall.flange", f"{joint}.M")
        system.connect(f"{joint}.N", "mass.flange")
    return system


def belt() -> System:
    """Returns a block of 1 kg on 100 N/m that a belt drags at 0.1 m/s: 4 N static, 3 N kinetic."""
    system = System("belt")
    system.add("belt", "mechanical1d.Mass", {"m": 1e12, "v": 0.1})
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": 100.0, "b": 0.0, "rest": 0.0})
    system.add("block", "mechanical1d.Mass", {"v": 0.1})
    system.add("rub", "mechanical1d.Friction", {"static": 4.0, "kinetic": 3.0})
    for a, b in (("wall.flange", "spring.M"), ("spring.N", "block.flange"), ("belt.flange", "rub.M"), ("rub.N", "block.flange")):
        system.connect(a, b)
    return system
