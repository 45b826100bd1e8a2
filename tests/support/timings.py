"""Export times of the components, as multiples of the median: ``make timings`` writes the file that chooses the costly components."""

from __future__ import annotations

import json
import time
import zlib
from pathlib import Path
from statistics import median

from fmu_components.catalogue import all_components
from fmu_components.declare.component import Component
from fmu_components.export.build import table_of
from fmu_components.export.c_code import model_source
from fmu_components.export.model_description import model_description

FILE = Path(__file__).with_name("timings.json")
LIMIT = 8.0
REPRESENTATIVE = frozenset({"spatial.Body1", "spatial.Revolute"})
"""Bodies and joints in space stay in the ordinary run by one component each, although their equations are long."""


def costly() -> frozenset[str]:
    """The components that take more than ``LIMIT`` times as long as the median, except the representative ones."""
    return frozenset(name for name, multiple in json.loads(FILE.read_text()).items() if multiple > LIMIT) - REPRESENTATIVE


def turn(name: str) -> int:
    """Returns the FMI version in which a component is tested first: both come from one model, and half of the library shows either."""
    return 2 + zlib.crc32(name.encode()) % 2


def seconds_to_export(component: type[Component]) -> float:
    """The processor time of all that is made of a declaration in Python."""
    began = time.process_time()
    table = table_of(component)
    model_source(table)
    for fmi in (2, 3):
        model_description(table, fmi)
    return time.process_time() - began


def main() -> None:
    """Writes the file anew."""
    seconds = {name: seconds_to_export(component) for name, component in all_components().items()}
    middle = median(seconds.values())
    FILE.write_text(json.dumps({name: round(each / middle, 1) for name, each in seconds.items()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
