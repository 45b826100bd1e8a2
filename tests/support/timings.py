"""Components and test functions that cost much: ``make timings`` writes the files that choose what the ordinary run takes of them."""

from __future__ import annotations

import json
import time
import zlib
from collections import Counter
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

from fmu_components.catalogue import all_components
from fmu_components.declare.component import Component
from fmu_components.export.build import table_of
from fmu_components.export.c_code import model_source
from fmu_components.export.model_description import model_description

FILE = Path(__file__).with_name("timings.json")
LIMIT = 8.0
FUNCTIONS = Path(__file__).with_name("costly.json")
REPORT = Path(__file__).parents[2] / "build" / "tests.xml"
"""Report of all tests, from which the times of the functions are read."""
SECONDS = 0.6
"""A function whose cases take this long together is costly."""
ONE_IN = 8
"""The ordinary run takes one in so many of the cases of costly functions, after the first."""
SHOWN = 6
"""The ordinary run shows one in so many components in the tests that all components share."""
REPRESENTATIVE = frozenset({"spatial.Body1", "spatial.Revolute"})
"""Bodies and joints in space stay in the ordinary run by one component each, although their equations are long."""


def costly() -> frozenset[str]:
    """The components that take more than ``LIMIT`` times as long as the median, except the representative ones."""
    return frozenset(name for name, multiple in json.loads(FILE.read_text()).items() if multiple > LIMIT) - REPRESENTATIVE


def costly_functions() -> frozenset[str]:
    """Returns the functions, as ``file::name``, whose cases take longer together than ``SECONDS``."""
    return frozenset(json.loads(FUNCTIONS.read_text()))


def is_shown(component: str) -> bool:
    """Tells whether the ordinary run shows a component in the tests that all components share; its physics is always tested."""
    return component in REPRESENTATIVE or zlib.crc32(component.encode()) // 2 % SHOWN == 0


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


def seconds_of_functions() -> dict[str, float]:
    """Returns the seconds of each function with several cases, all of them together."""
    seconds, cases = Counter[str](), Counter[str]()
    for case in ElementTree.parse(REPORT).iter("testcase"):
        function = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name'].partition('[')[0]}"
        seconds[function] += float(case.attrib["time"])
        cases[function] += 1
    return {function: each for function, each in seconds.items() if cases[function] > 1}


def main() -> None:
    """Writes both files anew."""
    found = {function: round(each, 1) for function, each in sorted(seconds_of_functions().items()) if each > SECONDS}
    FUNCTIONS.write_text(json.dumps(found, indent=1) + "\n")
    seconds = {name: seconds_to_export(component) for name, component in all_components().items()}
    middle = median(seconds.values())
    FILE.write_text(json.dumps({name: round(each / middle, 1) for name, each in seconds.items()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
