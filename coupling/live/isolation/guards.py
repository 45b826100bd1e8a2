"""The processes that instances have of their own, or share in groups, in a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from coupling.errors import BuildError
from coupling.kernel.fmi.instance import Instance
from coupling.kernel.hosts.guard import Guard
from coupling.kernel.hosts.host import Death, HostError, listen
from coupling.live.isolation.lost_processes import died_at_start
from coupling.live.isolation.sandboxes import sandbox_of
from coupling.options import Isolation, Run
from coupling.plan.graph import Part
from coupling.progress import ends_calls

listen(ends_calls)

_Place = tuple[str, bool]
"""The name of an instance, and True; or that of a group, and False."""


class Loss(NamedTuple):
    """The loss of a process: the instance that was called, the cause, and what the process had printed."""

    part: Part | None
    death: Death
    printed: str


class Guards:
    """The processes of instances. Each process begins with its first instance, and ends after all of them."""

    def __init__(self, run: Run | None = None, parts: Sequence[Part] = ()) -> None:
        self._run, self._parts = run, parts
        self._guards: dict[_Place, Guard] = {}
        """Processes by the name of an instance, or of a group."""

    def of(self, part: Part) -> Guard | None:
        """Returns the process of an instance; None where it runs with the master."""
        key = self._key(part)
        if self._run is None or key is None:
            return None
        if key not in self._guards:
            asked, fmus = self._run.isolation, [each.fmu for each in self._parts if self._key(each) == key]
            sandbox = sandbox_of(fmus) if asked.sandbox else None
            try:
                self._guards[key] = Guard(asked.memory, asked.call_timeout, sandbox, python=any(each.needs_python for each in fmus))
            except HostError as error:
                raise BuildError(f"'{part.name}' cannot run in a process of its own: {error}") from None
        return self._guards[key]

    def lost_by(self, instances: Sequence[Instance], freed: Part | None = None) -> Loss | None:
        """Returns the loss of a process that has ended; None if all are there. ``freed``: the instance that has just been freed, whose
        handle is lost as well."""
        for key, guard in self._guards.items():
            death = guard.host.death
            if death:
                members = [(i, part) for i, part in enumerate(self._parts) if self._key(part) == key]
                handle = guard.instance(death.instance)
                calling = [part for i, part in members if handle and i < len(instances) and instances[i].handle == handle]
                # An instance that is being made has no handle yet: it is the next one of all.
                making = [part for i, part in members if i == len(instances)]
                alone = members[0][1] if len(members) == 1 else freed
                return Loss(next(iter(calling or making), alone), death, guard.host.printed)
        return None

    @contextmanager
    def named(self, instances: Sequence[Instance]) -> Iterator[None]:
        """Turns exceptions at a start that come from a lost process into a sentence about this process."""
        try:
            yield
        except Exception:
            lost = self.lost_by(instances)
            if lost is None:
                raise
            raise died_at_start(*lost) from None

    def answer(self) -> bool:
        """Says whether all processes are there."""
        return all(each.host.is_there() for each in self._guards.values())

    def limit(self, run: Run) -> None:
        """Applies the limits of another run, which begins."""
        self._run = run if self._run else None
        for each in self._guards.values():
            each.host.limit(run.isolation.call_timeout)
            each.host.begin_run()

    @property
    def printed(self) -> dict[str, str]:
        """The text that the process of each instance with a process of its own has printed in the run."""
        if not self._guards:
            return {}
        texts = {key: guard.host.printed_in_run for key, guard in self._guards.items()}
        return {part.name: texts[key] for part in self._parts if (key := self._key(part)) in texts}

    def end(self) -> None:
        while self._guards:
            self._guards.popitem()[1].end()

    def _key(self, part: Part) -> _Place | None:
        return place_of(part, self._run.isolation) if self._run else None


def place_of(part: Part, isolation: Isolation) -> _Place | None:
    """Returns the process of an instance in a run whose kernel is with the master; None for that of the master.

    Isolated instances without a process of their own share one, which has no name.
    """
    if part.process is None and (isolation.which == "none" or (isolation.which == "foreign" and part.fmu.is_own)):
        return None
    own = part.process == "own"
    return part.name if own else part.process or "", own


NO_GUARDS = Guards()
"""The empty set of processes, for a session that is in a process of its own as a whole."""
