"""The processes in which the runs of a system are: this one, or a host that waits for the next run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from coupling.errors import BuildError, StartError
from coupling.fmus import FmuError
from coupling.kernel import library as own
from coupling.kernel.hosts.host import HostError, listen
from coupling.kernel.hosts.hosted import HostDied, HostedLibrary
from coupling.kernel.platform.own import Library
from coupling.live.isolation.guards import place_of
from coupling.live.isolation.lost_processes import lost_at_start
from coupling.live.isolation.sandboxes import sandbox_of
from coupling.live.libraries import library_of
from coupling.options import Isolation, Run
from coupling.plan.build import Built
from coupling.plan.definition import Definition
from coupling.progress import ends_calls

listen(ends_calls)

_PRESENT: ContextVar[Library] = ContextVar("present", default=own)
"""The process in which the run of this context is: a run that pauses has a context of its own."""


def is_isolated(run: Run, definition: Definition) -> bool:
    """Says whether a run is in a process of its own. FMUs of other tools with a process of their own can do no harm here, and those of
    which a process can hold only one need several processes."""
    if run.isolation.which == "none" or needs_several(definition):
        return False
    if run.isolation.which == "foreign" and not run.isolation.sandbox:
        return not all(each.process or each.fmu.fmu.is_own for each in definition.instances)
    return True


def needs_several(definition: Definition) -> bool:
    """Says whether one process cannot hold all instances, because an FMU allows one instance for each process."""
    fmus = [each.fmu.fmu for each in definition.instances if not each.fmu.fmu.is_own]
    once = [fmu for fmu in fmus if any(each and each.once_per_process for each in (fmu.model_exchange, fmu.co_simulation))]
    return len(set(once)) < len(once)


def may_be_apart(run: Run, definition: Definition) -> bool:
    """Says whether an FMU may be in another process than the master. With ``foreign``, FMUs of other tools may be there or not."""
    return run.isolation.which != "none" or any(each.process for each in definition.instances)


def check_apart(run: Run, definition: Definition) -> None:
    """Refuses options for other processes where no other process is used."""
    asked = run.isolation
    for name in ("call_timeout", "memory", "on_crash"):
        value = getattr(asked, name)
        if value != getattr(Isolation, name) and not may_be_apart(run, definition):
            shown = f"'{value}'" if isinstance(value, str) else f"{value:g}"
            raise BuildError(
                f"{name} = {shown} has no effect: no FMU is in a process of its own; give isolate=Isolation(which='all', {name}={shown}), or add an FMU "
                "with process='own', or leave it out"
            )


def _compile(definition: Definition) -> None:
    """Compiles in a sandbox what brings only sources, before any FMU runs. An FMU that cannot be loaded is refused when it is."""
    for each in definition.instances:
        for fmu in dict.fromkeys((each.fmu.fmu, each.stepped.fmu)):
            for interface in (fmu.model_exchange, fmu.co_simulation):
                if interface is not None and each.kind in (None, interface.kind):
                    with suppress(FmuError):
                        fmu.library(interface, sandbox=True)


def _needs_python(definition: Definition) -> bool:
    """Says whether an FMU takes Python from its process. Components for Co-Simulation, which are built for it, never do."""
    return any(each.fmu.fmu.needs_python for each in definition.instances)


class RunProcesses:
    """The processes of all runs of a definition; a host has one run at a time."""

    def __init__(self, inhabitants: dict[tuple[object, ...], Any]) -> None:
        """``inhabitants`` holds the objects that wait in the processes, by keys of which the last member is the process."""
        self._waiting: list[HostedLibrary] = []
        self._inhabitants = inhabitants
        self._opened: list[Built] = []

    def open_libraries(self, built: Built, definition: Definition | None = None, run: Run | None = None) -> None:
        """Refuses binaries that cannot be opened, before a first run; those that are not for this process, only when it begins."""
        if any(each is built for each in self._opened) or (run and definition and is_isolated(run, definition)):
            return
        isolation = run.isolation if run else Isolation(which="none")
        for part in (each for each in built.parts if place_of(each, isolation) is None):
            library_of(part)
        self._opened.append(built)

    @property
    def present(self) -> Library:
        """The process in which the run of this context is."""
        return _PRESENT.get()

    @contextmanager
    def entered(self, run: Run, definition: Definition) -> Iterator[None]:
        """Provides the process of a run for as long as the run takes."""
        if run.isolation.sandbox:
            _compile(definition)
        if not is_isolated(run, definition):
            yield
            return
        before = self.present
        library = self._host(run, definition)
        _PRESENT.set(library)
        library.host.begin_run()
        try:
            yield
        except HostDied as error:
            raise lost_at_start(library, error.death) from None
        finally:
            _PRESENT.set(before)
            library.show_printed()
            if library.is_lost:
                self._leave(library)
            else:
                self._waiting.append(library)

    def _leave(self, library: HostedLibrary) -> None:
        """Ends a process, and drops the objects that wait in it."""
        for key in [each for each in self._inhabitants if each[-1] is library]:
            del self._inhabitants[key]
        library.end()

    def _host(self, run: Run, definition: Definition) -> HostedLibrary:
        """Returns a host with such limits that waits for a run, or a new one."""
        sandbox = (
            sandbox_of(fmu.fmu for each in definition.instances for fmu in (each.fmu, each.stepped)) if run.isolation.sandbox else None
        )
        limits = run.isolation.memory, run.isolation.call_timeout, sandbox, _needs_python(definition)
        for found in [each for each in self._waiting if each.limits == limits]:
            self._waiting.remove(found)
            if found.answers():
                return found
            self._leave(found)
        try:
            return HostedLibrary(*limits)
        except HostError as error:
            remedy = "leave sandbox out" if sandbox else "run it with isolate='none'"
            raise StartError(f"the process for the run cannot be started: {error}; {remedy}") from None

    def close(self) -> None:
        """Ends all hosts that wait."""
        while self._waiting:
            self._waiting.pop().end()
