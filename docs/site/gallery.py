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
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``simulate``; a name of the example may stand for its value."""
    build: Callable[[ModuleType], System] = lambda example: example.system()
    stop: str | float = "STOP"
    shown: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``animate``."""


CVODE, FINE = {"solver": "cvode", "rtol": 1e-6}, {"solver": "dop853", "rtol": 1e-9}
MACHINES = (
    Machine("01_pendulum", {"output_interval": 0.02}),
    Machine("03_seven_body_mechanism", FINE | {"output_interval": 1e-4}, shown={"traces": ["link2.p2"]}),
    Machine("06_hydraulic_crane", CVODE | {"output_interval": 0.05}),
    Machine("07_excavator", CVODE | {"output_interval": 0.05}, lambda example: example.system(None), shown={"traces": ["bucket.p3"]}),
    Machine("08_motor_slider_crank", CVODE | {"output_interval": 5e-3}),
    Machine("09_gantry_crane", {"output_interval": 0.1}),
    Machine("10_suspension", {"max_step": 0.02, "output_interval": 0.01}),
    Machine("13_heavy_top", FINE | {"output_interval": 2e-3}, stop=0.6),
    Machine("14_bricard", FINE | {"output_interval": 0.01}),
    Machine("15_spatial_slider_crank", CVODE | {"output_interval": 0.01}),
    Machine("16_stewart_platform", CVODE | {"output_interval": 0.05}, stop="PERIOD"),
    Machine("20_parallelogram", {"solver": Index3(step_size=0.01)}, stop=4.0),
    Machine("23_balloon", {"output_interval": 0.05}),
    Machine("29_quick_return", {"initial": "assemble", "output_interval": 0.01}),
    Machine("30_vehicle", {"output_interval": 0.05}, lambda example: example.car()),
    Machine("33_pendulum_at_wall", {"output_interval": 0.01}),
)


_SOURCES = ("coupling", "fmu_components", "examples")
"""Folders of the sources that produce pictures."""


@dataclass(frozen=True)
class Picture:
    """A machine in motion, as files."""

    name: str
    title: str
    files: tuple[Path, ...]

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
        files = tuple(folder / f"{machine.example}.{ending}" for ending in ("svg", "player.html"))
        if not all(path.is_file() and path.stat().st_mtime > changed for path in files):
            result = result_of(machine)
            if not result.outcome.completed:
                raise RuntimeError(f"example {machine.example} cannot be shown in the gallery: {result.outcome.sentence}")
            for path in files:
                result.animate(path, title=title, **machine.shown)
        found.append(Picture(machine.example, title, files))
    return found


def gallery_page(pictures: list[Picture]) -> str:
    """Returns the page with all machines, small."""
    cells = "\n".join(
        f'<a href="{each.name}.html"><img loading="lazy" src="{each.name}.svg" alt="{each.title}"/><span>{each.title}</span></a>'
        for each in pictures
    )
    text = "# Gallery\n\nMachines of the examples, as they have been simulated. A click shows one with all its controls."
    shown = raw(f'<div class="machines">{cells}</div>')
    return f"{text}\n\n{shown}\n"


def machine_page(picture: Picture) -> str:
    """Returns the page of one machine, with its controls and its description."""
    link = f"[The example](../examples/{picture.name}.md) has the program."
    return f"{ALONE}\n\n# {markdown(picture.title)}\n\n{picture.embedded}\n\n{text_of(picture.name)}\n\n{link}\n"
