"""Links with several children.

Turnstiles in a plane are driven by a torque while their blades bend back; carriages push pendulums along a rail. The same in space, and a satellite whose booms unfold.
Each block carries three, four or five children. What the drives give to each machine is its momentum.
"""

import numpy as np
from report import Report

from jourdain import Result, System

CHILDREN = (3, 4, 5)
LENGTH, MASS = 0.6, 0.5  # m and kg of a blade, whose mass is at its end
HUB, RADIUS, TORQUE = 0.4, 0.3, 2.0  # kg m2, m, N m
CARRIAGE, FORCE = 3.0, 10.0  # kg, N
POINT = {"Ixx": 0.0, "Iyy": 0.0, "Izz": 0.0}


def spread(count: int) -> dict[str, float]:
    """Returns the points of children, evenly around the hub."""
    turns = [2 * np.pi * i / count for i in range(count)]
    return {f"C{i}.r{axis}": RADIUS * at(turn) for i, turn in enumerate(turns, start=1) for axis, at in (("x", np.cos), ("y", np.sin))}


def hang(system: System, library: str, parent: str, count: int, angle: float, spring: float) -> None:
    """Adds blades to the children of a block; the spring holds each at its angle."""
    for i in range(1, count + 1):
        turn = angle if angle < 0 else 2 * np.pi * (i - 1) / count
        blade = {"m": MASS, **({"I": 0.0} if library == "planar" else POINT), "rx": LENGTH, "C1.rx": LENGTH, "q": turn, "rest": turn}
        system.add(f"{parent} blade {i}", f"{library}.RevoluteBody", {**blade, "k": spring, "b": 0.05})
        system.connect(f"{parent}.C{i}", f"{parent} blade {i}.P")


def turning(name: str, library: str, blocks: tuple[str, ...], inertia: str) -> System:
    system = System(name, gravity=(0.0,) * 3)
    system.add("ground", f"{library}.Fixed")
    for count, block in zip(CHILDREN, blocks, strict=True):
        system.add(f"hub {count}", block, {inertia: HUB, **spread(count)})
        system.connect("ground.p1", f"hub {count}.P")
        system.drive(f"hub {count}.torque", TORQUE)
        hang(system, library, f"hub {count}", count, 0.0, 4.0)
    return system


def sliding(name: str, library: str, blocks: tuple[str, ...], rail: dict[str, float], upright: dict[str, float]) -> System:
    system = System(name, gravity=(0.0, -9.81, 0.0))
    system.add("ground", f"{library}.Fixed")
    for count, block in zip(CHILDREN, blocks, strict=True):
        system.add(f"carriage {count}", block, {"m": CARRIAGE, **rail, **upright})
        system.connect("ground.p1", f"carriage {count}.P")
        system.drive(f"carriage {count}.force", FORCE)
        hang(system, library, f"carriage {count}", count, -np.pi / 2, 0.0)
    return system


def turnstiles() -> System:
    """Returns three hubs in a plane on a torque of 2 N m each."""
    return turning("turnstiles", "planar", ("planar.RevoluteBody3", "planar.RevoluteBody4", "planar.RevoluteBody5"), "I")


def propellers() -> System:
    """Returns three hubs in space on a torque of 2 N m each."""
    return turning("propellers", "spatial", ("spatial.RevoluteBody3", "spatial.RevoluteBody4", "spatial.RevoluteBody5"), "Izz")


def carriages() -> System:
    """Returns three carriages in a plane with three to five pendulums, pushed by 10 N each."""
    return sliding("carriages", "planar", ("planar.TranslationalBody3", "planar.TranslationalBody4", "planar.TranslationalBody5"), {}, {})


def monorails() -> System:
    """Returns three carriages in space, which slide along x with pendulums that turn about z."""
    axes = {"P.zx": 1.0, "P.zz": 0.0, "P.xx": 0.0, "P.xy": 1.0}
    system = System("monorails", gravity=(0.0, -9.81, 0.0))
    system.add("ground", "spatial.Fixed", {f"p1.{name.partition('.')[2]}": value for name, value in axes.items()})
    for count, block in zip(CHILDREN, ("spatial.PrismaticBody3", "spatial.PrismaticBody4", "spatial.PrismaticBody5"), strict=True):
        system.add(f"carriage {count}", block, {"m": CARRIAGE, **axes})
        system.connect("ground.p1", f"carriage {count}.P")
        system.drive(f"carriage {count}.force", FORCE)
        hang(system, "spatial", f"carriage {count}", count, -np.pi / 2, 0.0)
    return system


def satellite() -> System:
    """Returns a satellite of three modules, without a force from outside, whose booms spring open."""
    system = System("satellite", gravity=(0.0,) * 3)
    system.add("core", "spatial.Body3", {"m": 20.0, "Ixx": 4.0, "Iyy": 4.0, "Izz": 4.0})
    for i, (count, block) in enumerate(
        zip(CHILDREN, ("spatial.WeldedBody3", "spatial.WeldedBody4", "spatial.WeldedBody5"), strict=True), start=1
    ):
        system.add(f"module {count}", block, {"m": 4.0, "Ixx": 0.3, "Iyy": 0.3, "Izz": 0.3, **spread(count)})
        system.connect(f"core.p{i}", f"module {count}.P")
        hang(system, "spatial", f"module {count}", count, 0.0, 0.0)
        for k in range(1, count + 1):
            system.drive(f"module {count} blade {k}.torque", 0.3)
    return system


def momentum(run: Result, count: int) -> float:
    """Returns the momentum of a carriage and its pendulums along the rail, at the end."""
    blades = [run[f"carriage {count} blade {i}.C1.vx"][-1] for i in range(1, count + 1)]
    return float(CARRIAGE * run[f"carriage {count}.qd"][-1] + MASS * sum(blades))


def spin(run: Result, count: int) -> float:
    """Returns the angular momentum of a hub and its blades about the axis, at the end."""
    ends = [{name: run[f"hub {count} blade {i}.C1.{name}"][-1] for name in ("x", "y", "vx", "vy")} for i in range(1, count + 1)]
    return float(HUB * run[f"hub {count}.qd"][-1] + MASS * sum(at["x"] * at["vy"] - at["y"] * at["vx"] for at in ends))


def main() -> None:
    report = Report("Links with several children")
    for machine in (turnstiles, propellers):
        run = machine().simulate(1.0)
        for count in CHILDREN:
            report.figure(f"{run.system}: angular momentum with {count} blades", spin(run, count), TORQUE * 1.0, "N.m.s", within=1e-5)
        report.show(run, *(f"hub {count}.qd" for count in CHILDREN))
    for machine in (carriages, monorails):
        run = machine().simulate(1.0)
        for count in CHILDREN:
            report.figure(f"{run.system}: momentum with {count} pendulums", momentum(run, count), FORCE * 1.0, "N.s", within=1e-5)
        report.show(run, *(f"carriage {count}.qd" for count in CHILDREN))
    run = satellite().simulate(1.0)
    blades = [f"module {count} blade {i}.C1" for count in CHILDREN for i in range(1, count + 1)]
    centre = [32.0 * run[f"core.{axis}"][-1] + MASS * sum(run[f"{blade}.{axis}"][-1] for blade in blades) for axis in "xy"]
    start = [MASS * sum(run[f"{blade}.{axis}"][0] for blade in blades) for axis in "xy"]
    report.figure("satellite: the mass centre has moved along x by", (centre[0] - start[0]) / 38.0, 0.0, "m")
    report.figure("satellite: the mass centre has moved along y by", (centre[1] - start[1]) / 38.0, 0.0, "m")
    report.show(run, "core.x", "core.omegaz")
    report.end()


if __name__ == "__main__":
    main()
