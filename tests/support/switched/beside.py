"""Impacts beside mechanisms that have nothing to do with them."""

from jourdain import System


def spring(pendulums: int, stop: bool) -> System:
    """A mass on a spring that hits a stop three times in 2 s, beside pendulums that have nothing to do with it."""
    system = System("beside", gravity=(0.0, -9.81))
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0, "s": 1.0})
    system.join("mechanical1d.SpringDamper1D", "ground.flange", "mass.flange", {"k": 50.0, "b": 0.0, "rest": 0.0}, name="spring")
    if stop:
        system.join("mechanical1d.EndStop", "ground.flange", "mass.flange", {"low": 0.0, "high": 50.0, "e": 0.7}, name="stop")
    for i in range(pendulums):
        system.add(f"pivot{i}", "planar.Fixed")
        system.add(f"bob{i}", "planar.Body1", {"y": -0.5, "vx": 0.15 * (i % 5), "p1.ry": 0.5, "omega": 0.3 * (i % 5)})
        system.join("planar.Revolute", f"pivot{i}.p1", f"bob{i}.p1", name=f"hinge{i}")
    return system
