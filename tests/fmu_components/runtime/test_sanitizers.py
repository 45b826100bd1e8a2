"""Every FMI function of every component, called rightly and wrongly under the address, leak and undefined-behaviour sanitizers.

The harnesses are C programs that know a component only by the tables of its generated model; see ``harness.h``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from fmu_components.catalogue import all_components, from_file
from fmu_components.declare.component import Component, component_name, declaration
from fmu_components.export.c_code import model_source
from fmu_components.export.compile import RUNTIME, STANDARD, runtime_sources
from fmu_components.export.table import VariableTable
from tests.support.components.tables import Tables
from tests.support.runtime.sanitized import HARNESSES, check_tally, compiled, driven, run
from tests.support.runtime.stiff_components import Ladder, Pendulum, StiffRelay

COMPONENTS = [*all_components().values(), *from_file(HARNESSES / "runtime_components.py"), StiffRelay, Ladder, Pendulum, Tables]
ORDINARY = {
    "planar.Body1",
    "planar.Revolute",
    "hydraulic.Cylinder",
    "signal.PID",
    "signal.Curve",
    "BouncingBall",
    "Relay",
    "Sampler",
    "StiffRelay",
    "Ladder",
}
"""One of each kind: without and with algebraic variables, with modes, discrete states, arrays, events of each kind, both implicit methods."""
VERSIONS = (2, 3)
GROUPS = [pytest.mark.xdist_group(f"sanitizers {number}") for number in range(2)]
"""Tests of a group link what the fixture has compiled in their worker. The ordinary run has one group."""
HEADERS = (RUNTIME, STANDARD)


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[Path]]:
    """Runtime and harness of each version, compiled once."""
    folder = tmp_path_factory.mktemp("sanitized")
    sources = {fmi: [*runtime_sources(fmi), HARNESSES / f"harness{fmi}.c"] for fmi in VERSIONS}
    distinct = sorted({source for each in sources.values() for source in each})
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = dict(zip(distinct, pool.map(lambda source: compiled(source, folder / f"{source.stem}.o", HEADERS), distinct), strict=True))
    return {fmi: [made[source] for source in each] for fmi, each in sources.items()}


@pytest.fixture(scope="session")
def model_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[type[Component]], Path]:
    """The object of a component, compiled once for both versions."""

    @cache
    def made(component: type[Component]) -> Path:
        source = tmp_path_factory.mktemp("model") / "model.c"
        source.write_text(model_source(VariableTable(declaration(component))))
        return compiled(source, source.with_suffix(".o"), HEADERS)

    return made


@GROUPS[0]
@pytest.mark.parametrize("fmi", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_the_harness_calls_every_function_of_the_standard(objects, fmi):
    """Each function that the standard's header exports is one that the harness calls."""
    exported = set(re.findall(r"_Export\s+\w+TYPE\s+(\w+);", (STANDARD / f"fmi{fmi}Functions.h").read_text()))
    assert len(exported) > 40
    assert exported <= set(run(["nm", "--undefined-only", "--format=just-symbols", objects[fmi][-1]]).split())


def in_the_ordinary_run(component: type[Component], fmi: int) -> bool:
    chosen = component.__name__ in ORDINARY or component_name(component) in ORDINARY
    return chosen and (component.__name__, fmi) != ("Sampler", 2)  # its time events take most of all, and are those of FMI 3


def cases() -> Iterator[ParameterSet]:
    """One case for the versions of a component that are in the ordinary run, and one for those that are not."""
    for number, component in enumerate(COMPONENTS):
        for ordinary, versions in groupby(VERSIONS, lambda fmi, component=component: in_the_ordinary_run(component, fmi)):
            chosen = tuple(versions)
            name = f"{component_name(component)}-fmi{' and '.join(map(str, chosen))}"
            yield pytest.param(component, chosen, id=name, marks=[GROUPS[0]] if ordinary else [GROUPS[number % 2], pytest.mark.slow])


@pytest.mark.parametrize(("component", "versions"), list(cases()))
def test_no_call_does_harm(component: type[Component], versions: tuple[int, ...], objects, model_of):
    """Tens of thousands of calls in and out of order get the right status, and the sanitizers find nothing."""
    model = model_of(component)
    for fmi in versions:
        check_tally(driven(model.with_name(f"harness{fmi}"), [model, *objects[fmi]]))
