"""Systems of any length for generated code."""

from __future__ import annotations

from coupling import System


def chain(links: int, name: str = "rod", m: float = 1.0) -> System:
    """Rods that hang from each other."""
    system = System("chain")
    system.add("ground", "planar.Fixed")
    before = "ground.p1"
    for i in range(links):
        system.add(f"{name}{i}", "planar.Body2", {"m": m, "I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": i + 0.5})
        system.add(f"pin{i}", "planar.Revolute")
        system.connect(before, f"pin{i}.M")
        system.connect(f"pin{i}.N", f"{name}{i}.p1")
        before = f"{name}{i}.p2"
    return system
