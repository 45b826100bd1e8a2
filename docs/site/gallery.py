"""The gallery: machines of the examples in motion, each as a picture that moves and as a page with controls. The site's build makes it."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from docs.site.examples import EXAMPLES, text_of, titles
from docs.site.words import ALONE, markdown, raw
from jourdain import Index3, Result, System


@dataclass(frozen=True)
class Machine:
    """An example whose mechanism is shown."""

    example: str
    family: str
    """Heading under which the gallery shows it."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``simulate``; a name of the example may stand for its value."""
    build: Callable[[ModuleType], System] = lambda example: example.system()
    stop: str | float = "STOP"
    shown: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``animate``."""
    still: float = 1 / 3
    """Share of the run after which the still picture is taken."""


CVODE, FINE = {"solver": "cvode", "rtol": 1e-6}, {"solver": "dop853", "rtol": 1e-9}
PLANE, SPACE, DRIVES, ROAD, CONTACT = "Linkages", "Mechanisms in space", "Cranes and drives", "Vehicles and aircraft", "Contact and locks"
_TUMBLE = {"hub.omegaz": 0.3, "hub.omegay": 0.05, "right.shape[1]": 0.01}
MACHINES = (
    Machine("01_pendulum", PLANE, {"output_interval": 0.02}),
    Machine("03_seven_body_mechanism", PLANE, FINE | {"output_interval": 1e-4}, shown={"traces": ["link2.p2"]}),
    Machine("20_parallelogram", PLANE, {"solver": Index3(step_size=0.01)}, stop=4.0),
    Machine("29_quick_return", PLANE, {"initial": "assemble", "output_interval": 0.01}),
    Machine("36_walking_leg", PLANE, {"initial": "assemble", "rtol": 1e-9, "output_interval": 0.02}, stop="TURN"),
    Machine("13_heavy_top", SPACE, FINE | {"output_interval": 2e-3}, stop=0.6),
    Machine("14_bricard", SPACE, FINE | {"output_interval": 0.01}),
    Machine("15_spatial_slider_crank", SPACE, CVODE | {"output_interval": 0.01}),
    Machine("16_stewart_platform", SPACE, CVODE | {"output_interval": 0.05}, stop="PERIOD"),
    Machine("43_satellite", SPACE, CVODE | {"output_interval": 0.05, "start_values": _TUMBLE}, shown={"magnify": 10}),
    Machine("06_hydraulic_crane", DRIVES, CVODE | {"output_interval": 0.05}),
    Machine(
        "07_excavator", DRIVES, CVODE | {"output_interval": 0.05}, lambda example: example.system(None), shown={"traces": ["bucket.p3"]}
    ),
    Machine("08_motor_slider_crank", DRIVES, CVODE | {"output_interval": 5e-3}),
    Machine("09_gantry_crane", DRIVES, {"output_interval": 0.1}),
    Machine("10_suspension", ROAD, {"max_step": 0.02, "output_interval": 0.01}),
    Machine("23_balloon", ROAD, {"output_interval": 0.05}),
    Machine("30_vehicle", ROAD, {"output_interval": 0.05}, lambda example: example.car(), still=0.0),
    Machine("33_pendulum_at_wall", CONTACT, {"output_interval": 0.01}),
    Machine("37_ratchet", CONTACT, {"output_interval": 0.02}),
)
FIRST_ROW = ("07_excavator", "16_stewart_platform", "36_walking_leg")
"""Machines that move on the page of the gallery; all others move on their own pages, and where the mouse is."""


_SOURCES = ("coupling", "fmu_components", "examples")
"""Folders of the sources that produce pictures."""


@dataclass(frozen=True)
class Picture:
    """A machine in motion, as files."""

    name: str
    title: str
    files: tuple[Path, ...]
    family: str = ""

    @property
    def embedded(self) -> str:
        return raw(f'<iframe class="player" loading="lazy" src="../gallery/{self.name}.player.html" title="{self.title}"></iframe>')

    def put_into(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for path in self.files:
            shutil.copy(path, folder)


def example(name: str) -> ModuleType:
    """Imports an example as a module; it may import from the folder beside it."""
    if str(EXAMPLES) not in sys.path:
        sys.path.append(str(EXAMPLES))
    specification = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def result_of(machine: Machine) -> Result:
    module = example(machine.example)
    stop = getattr(module, machine.stop) if isinstance(machine.stop, str) else machine.stop
    return machine.build(module).simulate(stop, **machine.options)


def moving_pictures(folder: Path, machines: tuple[Machine, ...] = MACHINES) -> list[Picture]:
    """Simulates the machines and writes their pictures; existing ones are used unless the sources are newer."""
    folder.mkdir(parents=True, exist_ok=True)
    known, found = titles(), []
    changed = max(path.stat().st_mtime for part in _SOURCES for path in (EXAMPLES.parent / part).rglob("*.*"))
    for machine in machines:
        title = re.split(r"[:,;]", known[machine.example])[0]
        files = tuple(folder / f"{machine.example}.{ending}" for ending in ("still.svg", "svg", "player.html"))
        if not all(path.is_file() and path.stat().st_mtime > changed for path in files):
            result = result_of(machine)
            if not result.outcome.completed:
                raise RuntimeError(f"example {machine.example} cannot be shown in the gallery: {result.outcome.sentence}")
            shown = float(result.time[int(machine.still * len(result.time))])
            one = result.resample([shown])  # because a picture has room for the poses of all rows
            one.picture(shown, files[0], magnify=machine.shown.get("magnify", 1.0))
            for path in files[1:]:
                result.animate(path, title=title, **machine.shown)
        found.append(Picture(machine.example, title, files, machine.family))
    return found


def gallery_page(pictures: list[Picture]) -> str:
    """Returns the page with all machines, small: a first row that moves, then the families."""
    first = [each for name in FIRST_ROW for each in pictures if each.name == name]
    parts = ["# Gallery", "Machines of the examples, as they were simulated. A click shows a machine with all its controls."]
    parts.append(raw(f'<div class="machines">{"".join(_cell(each, moving_picture(each, "")) for each in first)}</div>'))
    for family in dict.fromkeys(each.family for each in pictures):
        cells = "".join(_cell(each, _still(each)) for each in pictures if each.family == family)
        parts += [f"## {family}", raw(f'<div class="machines">{cells}</div>')]
    return "\n\n".join(parts) + "\n"


def _cell(picture: Picture, shown: str) -> str:
    return f'<a href="{picture.name}.html">{shown}<span>{picture.title}</span></a>'


def moving_picture(picture: Picture, folder: str) -> str:
    """Returns the picture that moves; readers who want less motion get a still one."""
    still = f'<source srcset="{folder}{picture.name}.still.svg" media="(prefers-reduced-motion: reduce)"/>'
    return f'<picture>{still}<img loading="lazy" src="{folder}{picture.name}.svg" alt="{picture.title}"/></picture>'


def _still(picture: Picture) -> str:
    """Returns a still picture, and the one that moves, which is loaded and shown where the mouse is."""
    still = f'<img class="still drawn" loading="lazy" src="{picture.name}.still.svg" alt="{picture.title}"/>'
    return f'{still}<img class="moving" loading="lazy" src="{picture.name}.svg" alt=""/>'


def machine_page(picture: Picture) -> str:
    """Returns the page of one machine, with its controls and its description."""
    link = f"[The example](../examples/{picture.name}.md) has the program."
    return f"{ALONE}\n\n# {markdown(picture.title)}\n\n{picture.embedded}\n\n{text_of(picture.name)}\n\n{link}\n"
