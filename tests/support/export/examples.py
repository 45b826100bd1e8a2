"""Examples as exported FMUs, each exported once in a process."""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from coupling import Index3, System
from coupling.analysis.pose import Pose
from tests.support.systems.machines import EXAMPLES, example

MADE_BY: dict[str, str] = {"15_spatial_slider_crank": "mechanics", "28_loader": "machine", "30_vehicle": "car"}
"""Function that makes the system, where its name is not ``system``."""
OF: dict[str, dict[str, Any]] = {"35_walkers_foot": {"slope": 0.4, "mu": 0.2, "step": 0.01}}
"""Arguments of the function that makes a system."""
ASSEMBLED = ("26_measured_pendulum", "29_quick_return", "36_walking_leg")
"""Examples that give guesses in place of a start."""
TREATMENTS: dict[str, dict[str, Any]] = {
    "Baumgarte": {},
    "projection": {"stabilisation": "projection"},
    "index 3": {"solver": Index3(step_size=1e-3)},
}
"""Options of exporting by how constraints are treated."""

_folder = tempfile.TemporaryDirectory(prefix="examples-")


@cache
def system(name: str) -> System:
    sys.path.insert(0, str(EXAMPLES))  # for examples that are built on others
    try:
        return getattr(example(name), MADE_BY.get(name, "system"))(**OF.get(name, {}))
    finally:
        sys.path.remove(str(EXAMPLES))


@cache
def initial(name: str) -> str | Pose:
    """Returns the start of a run and of an export."""
    if name == "28_loader":
        return example(name).assembled(system(name))
    return "assemble" if name in ASSEMBLED else "check"


def states(name: str) -> dict[str, str]:
    """The names of the states in the system, by those in the FMU, which have no blanks."""
    full = [f"{each}.{fmu.by_reference[r].name}" for each, fmu in system(name).instances.items() for r in fmu.states]
    return {each.replace(" ", "_"): each for each in full}


@cache
def exported(name: str, fmi: int = 3, treatment: str = "Baumgarte", implicit: bool = False) -> Path:
    """The FMU of an example."""
    path = Path(_folder.name) / f"{name}, {treatment}, {fmi}.fmu"
    return system(name).export_fmu(path, fmi=fmi, platforms=["linux64"], initial=initial(name), implicit=implicit, **TREATMENTS[treatment])
