"""Exported mechanisms in FMPy.

FMPy alone runs the files of example 11. Nothing of this library is imported, and none of it is needed: an exported mechanism is an FMU
like any other. In Model Exchange FMPy integrates it by CVODE. In Co-Simulation it integrates itself. The seven-body mechanism is compared
with published digits. The others are checked by their balance of energy and by the place of the slider.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import fmpy
import numpy as np

KINDS = {"ModelExchange": {"relative_tolerance": 1e-11}, "CoSimulation": {}}  # in the latter the FMU has a tolerance of its own


class Comparison(NamedTuple):
    """The largest difference that was found, and what is allowed."""

    what: str
    kind: str
    found: float
    allowed: float
    unit: str

    @property
    def holds(self) -> bool:
        return self.found <= self.allowed

    def __str__(self) -> str:
        return f"{self.what:52}{self.kind:15}{self.found:9.1e}{self.allowed:10.0e} {self.unit}"


# 1. A run by FMPy. An input is a list of times and values that holds between its points; FMPy wants both values at a jump.


def run(
    fmu: Path, kind: str, times: np.ndarray, outputs: list[str], drive: tuple[str, list[tuple[float, float]]] | None = None
) -> np.ndarray:
    signals = None
    if drive:
        name, points = drive
        ends = [t for t, _ in points[1:]] + [times[-1]]
        held = [row for (begin, value), end in zip(points, ends, strict=True) for row in ((begin, value), (end, value))]
        signals = np.array(held, dtype=[("time", float), (name, float)])
    interval = times[1] - times[0]
    return fmpy.simulate_fmu(
        str(fmu),
        fmi_type=kind,
        stop_time=times[-1],
        output_interval=interval,
        input=signals,
        output=outputs,
        record_events=False,
        **KINDS[kind],
    )


def parameters(fmu: Path) -> dict[str, float]:
    """Reads the mechanism's parameters from the FMU: masses, lengths, gravity ..."""
    description = fmpy.read_model_description(str(fmu))
    real = (v for v in description.modelVariables if v.causality == "parameter" and v.type in ("Real", "Float64"))
    return {v.name: float(v.start) for v in real}


# 2. The seven-body mechanism. The angles of the handbook are those of the links, or differences of them.

SEVEN_TIMES = np.linspace(0, 0.03, 301)
LINKS = [f"link{number}.theta" for number in range(1, 8)]
REFERENCE = {
    "beta": 15.810771195153707,
    "Theta": -15.75637105841184,
    "gamma": 0.0408222401196458,
    "Phi": -0.534730116342080,
    "delta": 0.524409965879954,
    "Omega": 0.534730116342080,
    "eps": 1.048080741041938,
}


def seven_angles(result: np.ndarray) -> dict[str, np.ndarray]:
    link = [result[name] for name in LINKS]
    values = (link[0], link[1] - link[0], link[2], link[3] - link[4], link[4], link[5] - link[6], link[6])
    return dict(zip(REFERENCE, values, strict=True))


def compare_seven_bodies(kind: str, result: np.ndarray) -> list[Comparison]:
    found = seven_angles(result)
    worst = max(abs(found[name][-1] - expected) for name, expected in REFERENCE.items())
    return [Comparison("seven bodies: published angles at 0.03 s", kind, worst, 1e-7, "rad")]


# 3. The mechanics of the crane. A force on the open flange does what a cylinder would: it lifts the boom, stops it and lets it down.

CRANE_TIMES = np.linspace(0, 1.6, 1601)
FORCE = "actuator.flange.f", [(0.0, 7500.0), (0.4, 4500.0), (0.8, 5000.0), (1.2, 6500.0)]  # N
BODIES = {"crane_mechanics": ("boom", "load"), "slider_crank": ("crank", "rod", "slider")}
STATES = ("x", "y", "theta", "vx", "vy", "omega")


def states(mechanism: str) -> list[str]:
    return [f"{body}.{state}" for body in BODIES[mechanism] for state in STATES]


def energy(mechanism: str, of: Mapping[str, float], result: np.ndarray) -> np.ndarray:
    """Returns the kinetic and potential energy in J."""

    def part(body: str) -> np.ndarray:
        x, y, _, vx, vy, omega = (result[f"{body}.{state}"] for state in STATES)
        moving = of[f"{body}.m"] * (vx**2 + vy**2) / 2 + of[f"{body}.I"] * omega**2 / 2
        return moving - of[f"{body}.m"] * (of[f"{body}.gx"] * x + of[f"{body}.gy"] * y)

    return sum(part(body) for body in BODIES[mechanism])


def work(drive: tuple[str, list[tuple[float, float]]], times: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Returns the work of an effort along its way, since the start. It is exact, since the effort is constant between two times."""
    begins, values = np.transpose(drive[1])
    effort = values[np.searchsorted(begins, (times[1:] + times[:-1]) / 2) - 1]
    return np.concatenate([[0.0], np.cumsum(effort * np.diff(way))])


def compare_crane(kind: str, of: Mapping[str, float], result: np.ndarray) -> list[Comparison]:
    stored = energy("crane_mechanics", of, result)
    given = work(FORCE, CRANE_TIMES, result["actuator.flange.s"])
    gap = np.abs(stored - stored[0] - given).max() / np.abs(given).max()
    return [Comparison("crane: energy against the work of the force", kind, gap, 1e-8, "of the work")]


# 4. The slider-crank. A torque on the open shaft turns it forwards, then backwards, and ceases. Its two meters are states of the FMU.

SLIDER_TIMES = np.linspace(0, 1.2, 1201)
TORQUE = "shaft.flange.tau", [(0.0, 2.0), (0.5, -2.0), (1.0, 0.0)]  # N.m


def compare_slider_crank(kind: str, of: Mapping[str, float], result: np.ndarray) -> list[Comparison]:
    stored = energy("slider_crank", of, result) + result["bearing.y"] + result["pump.y"]
    angle = result["shaft.flange.phi"]
    given = work(TORQUE, SLIDER_TIMES, angle)
    gap = np.abs(stored - stored[0] - given).max() / np.abs(given).max()
    radius, length = (of[f"{body}.p2.rx"] - of[f"{body}.p1.rx"] for body in ("crank", "rod"))
    stroke = radius * np.cos(angle) + np.sqrt(length**2 - (radius * np.sin(angle)) ** 2)
    return [
        Comparison("slider-crank: energy and heat against the work", kind, gap, 1e-8, "of the work"),
        Comparison("slider-crank: the slider's closed form", kind, np.abs(result["slider.x"] - stroke).max(), 1e-8, "m"),
    ]


# 5. All runs, a table, a plot.


def runs(folder: Path, kind: str) -> tuple[dict[str, np.ndarray], list[Comparison]]:
    """The results by mechanism, and what was compared."""
    seven, crane, slider = (folder / f"{name}.fmu" for name in ("seven_bodies", "crane_mechanics", "slider_crank"))
    results = {
        "seven bodies": run(seven, kind, SEVEN_TIMES, LINKS),
        "crane": run(crane, kind, CRANE_TIMES, [*states("crane_mechanics"), "actuator.flange.s"], FORCE),
        "slider-crank": run(slider, kind, SLIDER_TIMES, [*states("slider_crank"), "shaft.flange.phi", "bearing.y", "pump.y"], TORQUE),
    }
    return results, [
        *compare_seven_bodies(kind, results["seven bodies"]),
        *compare_crane(kind, parameters(crane), results["crane"]),
        *compare_slider_crank(kind, parameters(slider), results["slider-crank"]),
    ]


def plot(path: Path, results: Mapping[str, np.ndarray]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (seven, crane, slider) = pyplot.subplots(3, figsize=(8, 9), layout="constrained")
    for name, angle in seven_angles(results["seven bodies"]).items():
        seven.plot(1e3 * SEVEN_TIMES, angle, label=name)
    seven.set(title="Seven-body mechanism", xlabel="time in ms", ylabel="angle in rad")
    for body in BODIES["crane_mechanics"]:
        crane.plot(CRANE_TIMES, np.degrees(results["crane"][f"{body}.theta"]), label=body)
    crane.set(title="Mechanics of the crane", xlabel="time in s", ylabel="angle in degrees")
    slider.plot(SLIDER_TIMES, results["slider-crank"]["crank.omega"], label="crank")
    slider.set(title="Slider-crank", xlabel="time in s", ylabel="speed in rad/s")
    for axes in (seven, crane, slider):
        axes.legend(ncols=2)
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description="Exported mechanisms, run by FMPy alone.")
    parser.add_argument(
        "--out", type=Path, default=Path("build/exported"), help="folder with the FMUs, for the plot (default: build/exported)"
    )
    folder = parser.parse_args().out
    if not (folder / "seven_bodies.fmu").is_file():
        print(f"there is no '{folder / 'seven_bodies.fmu'}'; run examples/11_exported_mechanisms.py first, or name its folder with --out")
        return 1
    compared: list[Comparison] = []
    for kind in KINDS:
        results, found = runs(folder, kind)
        compared += found
    print(f"{'largest difference':52}{'kind':15}{'found':>9}{'allowed':>10}")
    print(*compared, sep="\n")
    plot(folder / "exported_mechanisms.png", results)
    print(f"plot: {folder / 'exported_mechanisms.png'}")
    for wrong in (each for each in compared if not each.holds):
        print(f"{wrong.what}, in {wrong.kind}: {wrong.found:.1e} {wrong.unit} is more than the {wrong.allowed:.0e} that is allowed")
    return 0 if all(each.holds for each in compared) else 1


if __name__ == "__main__":
    sys.exit(main())
