"""FMUs are built once per content, into a cache inside the checkout, and shared by all tests."""

from __future__ import annotations

import gc
import os
import signal
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("JOURDAIN_CACHE", str(Path(__file__).parents[1] / "build" / "cache"))

from fmu_components.catalogue import all_components
from fmu_components.declare.component import Component, component_name
from fmu_components.export.build import cached_fmu
from fmu_components.export.table import VariableTable
from tests.support.runtime.driver import forget_unpacked
from tests.support.timings import ONE_IN, costly, costly_functions, is_shown, turn

# Collecting the tests makes millions of objects that stay: the collector of garbage would walk over them again and again.
gc.disable()

# Where a run must be repeatable, the same examples are drawn each time; at a desk, new ones. A busy machine fails nowhere.
settings.register_profile("desk", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("desk"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


@cache
def fmu_of(component: type[Component], fmi: int) -> Path:
    return cached_fmu(component, fmi)


@pytest.fixture(scope="session")
def fmu() -> Callable[[type[Component], int], Path]:
    """The FMU of a component class in an FMI version."""
    return fmu_of


@pytest.fixture(params=list(all_components().values()), ids=list(all_components()))
def component(request: pytest.FixtureRequest) -> type[Component]:
    """Every component of the catalogue, one after the other."""
    return request.param


@pytest.fixture(params=[2, 3], ids=["fmi2", "fmi3"])
def fmi(request: pytest.FixtureRequest) -> int:
    return request.param


COSTLY_FUNCTIONS = costly_functions()
COSTLY = costly()
"""Components that take many times as long to export as the median; their physics is tested beside that of the others."""
_FIRST = {(each.declare, each.__module__): name for name, each in reversed(all_components().items())}
REPEATED = all_components().keys() - set(_FIRST.values())
"""Components that differ from the first of their file in a number only, as bodies do by their points."""


OTHER_BACKEND = "tests/fmu_components/export/test_python_slave.py"
"""The file that shows PythonFMU, which has FMI 2 alone: components whose turn that is are quick there."""
SHARING = ("tests/coupling/export/",)
"""Folders whose files share what takes seconds to make: exported mechanisms."""


def _component_of(parameter: object) -> str:
    """Returns the name of the component that a test is about; nothing for other parameters."""
    if isinstance(parameter, VariableTable):
        return parameter.declared.name
    if isinstance(parameter, type) and issubclass(parameter, Component):
        return component_name(parameter)
    return parameter if isinstance(parameter, str) else ""


def _leave_out(item: pytest.Item) -> None:
    """Leaves one of many cases out of the ordinary run; it counts where mutants are tried."""
    if item.get_closest_marker("slow") is None:
        item.add_marker(pytest.mark.other_case)
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share what takes long to make go to one worker (``--dist loadgroup``): those of one component, and those of one file.

    The groups of components come last, since they are many and short, and leave no worker idle at the end. Of the cases of a costly
    function the ordinary run takes the first, and about one in ``ONE_IN`` of the others.
    """
    last = []
    begun = set[str]()
    for item in items:
        function = item.nodeid.partition("[")[0]
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        names = [name for each in ("component", "table", "joint") if each in parameters if (name := _component_of(parameters[each]))]
        for chosen in names:
            shown = 2 if item.nodeid.startswith(OTHER_BACKEND) else parameters.get("fmi", turn(chosen))
            if item.nodeid.startswith(OTHER_BACKEND) and zlib.crc32(chosen.encode()) % 3:
                item.add_marker(pytest.mark.slow)
            if chosen in COSTLY or chosen in REPEATED or shown != turn(chosen):
                item.add_marker(pytest.mark.slow)
            elif not is_shown(chosen):
                _leave_out(item)
            if item.get_closest_marker("xdist_group") is None:
                item.add_marker(pytest.mark.xdist_group(chosen))
                last.append(item)
        if not names and function in COSTLY_FUNCTIONS and item.get_closest_marker("every_case") is None:
            if function in begun and zlib.crc32(item.name.encode()) % ONE_IN:
                _leave_out(item)
            begun.add(function)
        if item.get_closest_marker("xdist_group") is None:
            file = item.nodeid.partition("::")[0]
            item.add_marker(pytest.mark.xdist_group(next((folder for folder in SHARING if file.startswith(folder)), file)))
    late = set(last)
    items.sort(key=lambda item: item in late)


def pytest_collection_finish() -> None:
    """The collector of garbage begins, need not walk over tens of thousands of tests, and lets the many small terms of expressions be."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def _only_objects_of_this_file_are_looked_through() -> None:
    """Many tests ask what they have left behind, and collect garbage for it: they would walk over all that earlier files have kept."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c() -> None:
    """Tests press Ctrl-C; what a shell starts in the background would ignore it, and simulate on for an hour."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _files_need_not_reach_the_disk() -> Iterator[None]:
    """Tests end processes and never the machine: a file that a killed process wrote is there without its disk, for which runs wait long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _names_are_parsed_once() -> Iterator[None]:
    """FMPy takes milliseconds to parse the name of a variable; the same names come again in each version, kind and mechanism."""
    from lark import Lark

    parse, trees = Lark.parse, {}

    def parse_once(parser: Lark, text: str) -> object:
        asked = (parser.source_grammar, text)
        if asked not in trees:  # what is refused is no name, and asked for again
            trees[asked] = parse(parser, text)
        return trees[asked]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lark, "parse", parse_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _clean_up() -> Iterator[None]:
    yield
    forget_unpacked()
