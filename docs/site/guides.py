"""The picture of each guide: a machine of the gallery in motion, or a drawing that the build makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from docs.site.gallery import MACHINES, Picture, example, moving_picture, result_of
from docs.site.words import raw
from jourdain import System

DRAWINGS: dict[str, tuple[str, Callable[[Path], object]]] = {}
"""Captions and functions that draw, by the names of files."""
GUIDES: Mapping[str, str] = {
    "docs/tutorials/ten-minutes": "29_quick_return",
    "docs/tutorials/foreign-actuator": "08_motor_slider_crank",
    "docs/tutorials/exporting": "diagram",
    "docs/tutorials/own-joint": "33_pendulum_at_wall",
    "docs/tutorials/controller": "09_gantry_crane",
    "docs/tutorials/in-space": "13_heavy_top",
    "docs/tutorials/many-runs": "runs",
    "docs/tutorials/openmodelica": "08_motor_slider_crank",
    "docs/agents": "09_gantry_crane",
    "docs/assembly": "36_walking_leg",
    "docs/blocks": "07_excavator",
    "docs/co-simulation": "06_hydraulic_crane",
    "docs/coming-from": "15_spatial_slider_crank",
    "docs/command-line": "01_pendulum",
    "docs/constraint-drift": "14_bricard",
    "docs/coupling": "03_seven_body_mechanism",
    "docs/debugging": "29_quick_return",
    "docs/declaring": "01_pendulum",
    "docs/declaring-pictures": "16_stewart_platform",
    "docs/declaring-switches": "37_ratchet",
    "docs/equations": "03_seven_body_mechanism",
    "docs/export": "diagram",
    "docs/fixed-steps": "20_parallelogram",
    "docs/flexible-bodies": "43_satellite",
    "docs/flexible-beams": "bent",
    "docs/foreign-fmus": "08_motor_slider_crank",
    "docs/friction-contact-impact": "33_pendulum_at_wall",
    "docs/initial-states": "violated",
    "docs/linear-models": "bode",
    "docs/many-runs": "runs",
    "docs/openmodelica": "diagram",
    "docs/parts-index": "30_vehicle",
    "docs/prescribed-motion": "16_stewart_platform",
    "docs/real-time": "06_hydraulic_crane",
    "docs/reliability": "10_suspension",
    "docs/results": "plot",
    "docs/sensitivities": "23_balloon",
    "docs/single-fmus": "09_gantry_crane",
    "docs/space": "15_spatial_slider_crank",
    "docs/speed": "03_seven_body_mechanism",
    "docs/ssp": "diagram",
    "docs/steering": "09_gantry_crane",
    "docs/tables": "plot",
    "docs/temporary-constraints": "37_ratchet",
    "docs/troubleshooting": "violated",
}
"""A machine of the gallery or a drawing, by the page of the guide."""


def _drawing(name: str, caption: str) -> Callable[[Callable[[Path], object]], Callable[[Path], object]]:
    def kept(draw: Callable[[Path], object]) -> Callable[[Path], object]:
        DRAWINGS[name] = caption, draw
        return draw

    return kept


@_drawing("diagram", "Instances of a quarter-car and their connections")
def _diagram(path: Path) -> object:
    return example("17_quarter_car").system().diagram(path)


@_drawing("violated", "A start at which a pin, in red, does not fit")
def _violated(path: Path) -> object:
    linkage = System("open")
    linkage.add("ground", "planar.Fixed")
    linkage.add("crank", "planar.Body2", {"p1.rx": -0.2, "p2.rx": 0.2, "x": 0.2})
    linkage.add("rod", "planar.Body1", {"p1.rx": -0.4, "x": 0.75, "y": 0.25, "theta": 0.3})
    linkage.join("planar.Revolute", "ground.p1", "crank.p1", name="hinge")
    linkage.join("planar.Revolute", "crank.p2", "rod.p1", name="pin")
    return linkage.picture(path, names=True)


@_drawing("bent", "Two flexible beams that are welded to each other and swing")
def _bent(path: Path) -> object:
    pendulum = System("pendulum", gravity=(0.0, -9.81, 0.0))
    soft = {"rho": 1000.0, "A": 1e-3, "I": 1e-3, "E": 2e3}
    pendulum.add("ground", "planar.Fixed")
    pendulum.add("upper", "planar.Beam3", {**soft, "x": 0.5})
    pendulum.add("lower", "planar.Beam3", {**soft, "x": 1.5})
    pendulum.join("planar.Revolute", "ground.p1", "upper.p1", name="pin")
    pendulum.join("planar.Weld", "upper.p2", "lower.p1", name="weld")
    return pendulum.simulate(0.8).picture([0.2, 0.4, 0.6, 0.8], path)


@_drawing("bode", "Height of a quarter-car's body over the road's")
def _bode(path: Path) -> object:
    car = example("17_quarter_car").system()
    model = car.linearise(["tyre.M.s"], ["body.s"], initial=car.equilibrium())
    return model.bode(frequencies=np.geomspace(0.1, 100, 400)).plot(path)


@_drawing("plot", "Angles of the seven-body mechanism over time")
def _plot(path: Path) -> object:
    machine = next(each for each in MACHINES if each.example == "03_seven_body_mechanism")
    return result_of(machine).plot("link1.p1.omega", ("link2.theta", "link3.theta"), path=path)


@_drawing("runs", "Eigenvalues of a quarter-car for 13 dampers")
def _runs(path: Path) -> object:
    return example("17_quarter_car").system().linearise(along={"strut.b": np.linspace(200, 3800, 13)}).plot(path)


@dataclass(frozen=True)
class Drawing:
    """A drawing of the build, as a file."""

    name: str
    file: Path


def drawings(folder: Path) -> list[Drawing]:
    """Draws what guides show beside machines."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name, (_, draw) in DRAWINGS.items():
        draw(folder / f"{name}.svg")
        found.append(Drawing(name, folder / f"{name}.svg"))
    return found


def with_picture(text: str, page: str, pictures: Mapping[str, Picture], drawn: Mapping[str, Drawing]) -> str:
    """Returns a guide with its picture after the first paragraph; as it is if the build has no such picture."""
    shown, up = GUIDES.get(page, ""), "../" * page.count("/")
    if shown in pictures:
        inside = f'<a href="{up}gallery/{shown}.html">{moving_picture(pictures[shown], f"{up}gallery/")}</a>'
        caption = pictures[shown].title
    elif shown in drawn:
        caption = DRAWINGS[shown][0]
        look = "" if shown == "diagram" else ' class="drawn"'  # a diagram has colours for dark pages itself
        inside = f'<img{look} loading="lazy" src="{up}gallery/{shown}.svg" alt="{caption}"/>'
    else:
        return text
    title, first, rest = text.split("\n\n", 2)
    return "\n\n".join([title, first, raw(f'<figure class="guide"><div>{inside}</div><figcaption>{caption}</figcaption></figure>'), rest])
