"""Checkpoints of a run, written while it goes on, and a run that begins at one."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from glob import escape
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np

from coupling import checkpoint_file
from coupling.checkpoint_file import PLATFORM, Saved
from coupling.errors import BuildError, ResultError, listed
from coupling.files import remedy, remove_parts
from coupling.kernel.fmi.instance import Instance
from coupling.kernel.fmi.texts import all_texts, know_again
from coupling.kernel.state.visit import Unvisited, Visited, load_state, saved_state
from coupling.kernel.system.kernel import Kernel
from coupling.kernel.system.status import Status
from coupling.live.isolation.guards import Guards
from coupling.live.output_paths import place
from coupling.options import Checkpoint, Run
from coupling.outcome import Outcome
from coupling.plan.as_data import as_data, from_data
from coupling.plan.build import Built
from coupling.plan.definition import Definition, Value
from coupling.structured import misfit

_version = cache(partial(version, "jourdain"))
_LOOKS = 10
"""Number of looks at the clock within ``max_seconds``, at least."""
_SHARE = 20
"""A checkpoint is not made before this many times what the last one took has passed."""


class Kept(Protocol):
    """A part of a run that is kept in Python, outside of the kernel."""

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of the attributes that a checkpoint keeps."""


class Rows(Protocol):
    """A file that takes the rows."""

    @property
    def told(self) -> dict[str, Any]:
        """The data that a checkpoint holds about the file."""

    def store(self) -> None:
        """Makes the rows written so far safe from a power cut."""

    def go_on(self) -> None:
        """Continues after the rows that the kernel was given."""


class Way(NamedTuple):
    """The way in which a run finds its derivatives."""

    evaluated: str = ""
    """The way; empty before the integration begins."""
    not_compiled: str = ""
    """The reason why they are not found by compiled code, though it was asked for."""


class CheckpointedRun(Protocol):
    """A run, as far as it is looked at here."""

    @property
    def values(self) -> Mapping[tuple[int, str], Value]: ...
    @property
    def held(self) -> Mapping[tuple[int, str], Value]: ...
    @property
    def checkpoints(self) -> CheckpointWriter | None: ...
    @property
    def way(self) -> Way: ...


class Checkpointed(Protocol):
    """A session, as far as it is looked at here."""

    @property
    def kernel(self) -> Kernel: ...
    @property
    def inner(self) -> Checkpointed | None: ...
    @property
    def built(self) -> Built: ...
    @property
    def run(self) -> Run: ...
    @property
    def guards(self) -> Guards: ...
    @property
    def instances(self) -> Sequence[Instance]: ...
    @property
    def running(self) -> CheckpointedRun: ...
    def count_from_here(self) -> None: ...


class CheckpointWriter:
    """Keeps one run; where there is ``begins_at``, the run begins there."""

    def __init__(self, path: Path, interval: float, begins_at: Saved | None = None, inexact: bool = False) -> None:
        """Takes the file and the interval between checkpoints. ``inexact``: FMUs that cannot write down their states may be restarted from
        those that the kernel has."""
        self.path, self.interval, self.begins_at, self.inexact = path, interval, begins_at, inexact
        self._restarted: np.ndarray | None = None
        """Truths by instance: the instance is restarted."""
        self._rows: Rows | None = None
        self._warned: Sequence[str] = ()
        self.count = 0
        self._exact = True
        self._asked = np.zeros(0, np.uint8)
        self._next, self._failed = perf_counter() + interval, ""

    # -- what is kept --------------------------------------------------------------------------------------------------------------

    def describe(self, definition: Definition, run: Run, start_values: Mapping[str, Any], fixed: Mapping[str, Value]) -> None:
        """Keeps the inputs of the run, from which the same run can be started again. A function that ends it is refused."""
        if callable(run.until):
            raise BuildError("checkpoint is refused with a function until, which no file can hold; give a condition as text")
        asked = {"definition": definition, "run": run, "start_values": start_values, "fixed": fixed}
        text = json.dumps({name: as_data(each) for name, each in asked.items()})
        self._asked = np.frombuffer(text.encode(), np.uint8)

    def again(self, begins_at: Saved | None) -> CheckpointWriter:
        """Returns a writer for the same run, which begins at this checkpoint."""
        return CheckpointWriter(self.path, self.interval, begins_at, self.inexact)

    def check(self, built: Built, run: Run, *, exact: bool) -> None:
        """Refuses instances whose states cannot be written down. ``exact``: the method goes on from a checkpoint as if nothing had been."""
        self._exact, self._restarted = exact, None
        unsaved = [part.name for part in built.parts if not part.interface.save_state]
        unwritten = [part.name for part in built.parts if part.interface.save_state and not part.interface.serialize_state]
        reasons = [f"{listed(unsaved)} cannot save {_its(unsaved)} (canGetAndSetFMUState)"] if unsaved else []
        reasons += [f"{listed(unwritten)} cannot serialise {_its(unwritten)} (canSerializeFMUState)"] if unwritten else []
        if not reasons:
            return
        why = _not_restarted(built, run, {*unsaved, *unwritten})
        if self.inexact and not why:
            self._restarted = np.array([part.name in {*unsaved, *unwritten} for part in built.parts], np.uint8)
            return
        if self.inexact:
            raise BuildError(
                f"checkpoint: inexact = True is refused: {', and '.join(reasons)}, and {why}; leave checkpoint out, or use FMUs that can"
            )
        them, their = ("it", "its") if len(unsaved) + len(unwritten) == 1 else ("them", "their")
        offered = "" if why else f"give Checkpoint(inexact=True), which restarts {them} from {their} continuous states alone, "
        raise BuildError(f"checkpoint is refused: {', and '.join(reasons)}; leave it out, {offered}or use FMUs that can")

    @property
    def there(self) -> bool:
        """True if a checkpoint of the run exists."""
        return self.count > 0 or self.begins_at is not None

    @property
    def begun(self) -> tuple[dict[tuple[int, str], Value], list[str]] | None:
        """The start values at which the run began, and what it was warned of; None where it begins at its start."""
        if self.begins_at is None:
            return None
        head = self.begins_at.head
        return {(index, name): from_data(value) for index, name, value in head["values"]}, list(head["warned"])

    @property
    def way(self) -> Way:
        """The way in which derivatives were found before the run goes on; it is empty where the run begins at its start."""
        head = self.begins_at.head if self.begins_at else {}
        return Way(head.get("evaluated", ""), head.get("not_compiled", ""))

    @contextmanager
    def with_rows(self, rows: Rows | None, warned: Sequence[str]) -> Iterator[None]:
        """Keeps the rows of a run, as long as it lasts, and the warnings of its start."""
        self._rows, self._warned = rows, warned
        remove_parts(self.path.parent, escape(self.path.name))
        try:
            yield
        finally:
            self._rows = None

    # -- while it runs ---------------------------------------------------------------------------------------------------------------

    def begin(self, session: Checkpointed, beside: Sequence[Kept]) -> None:
        """Takes a run that stands at its start to the state of its checkpoint."""
        if self.begins_at is None:
            return
        way = session.running.way
        found = self.begins_at.head.get("evaluated", way.evaluated)
        if found != way.evaluated:
            why = f" ({way.not_compiled})" if way.not_compiled else ""
            raise ResultError(
                f"'{self.path}' is from a run whose derivatives were found {found}, and here they are found {way.evaluated}{why}; resume where both agree, "
                "or start the run again"
            )
        know_again(self.begins_at.blocks.get("texts", np.zeros(0, np.uint8)), session.kernel.library)
        self._load(session, self.begins_at.blocks)
        if self._restarted is not None:
            self._restart(session)
            self._load(session, self.begins_at.blocks)  # what all others have come to know meanwhile is of no account
        session.count_from_here()
        said = self.begins_at.head["beside"]
        if len(said) != len(beside) or not all(_put_back(of, told) for of, told in zip(beside, said, strict=True)):
            raise self._of_another()
        if self._rows:
            self._rows.go_on()
        if session.kernel.rows_file_error or (session.inner is not None and session.inner.kernel.rows_file_error):
            raise self._of_another()  # its rows are in a file that it does not name

    def _load(self, session: Checkpointed, blocks: Mapping[str, np.ndarray]) -> None:
        try:
            if session.inner is not None:
                if "inner" not in blocks:
                    raise self._of_another()
                load_state(session.inner.kernel, blocks["inner"])
            load_state(session.kernel, blocks["kernel"], self._restarted)
        except Unvisited as error:
            with session.guards.named(session.instances):
                raise self._not_loaded(session, error) from None

    def _restart(self, session: Checkpointed) -> None:
        """Restarts instances that cannot restore a state. They get time, states and inputs, and choose their discrete variables by an event
        there."""
        kernel, t, x = session.kernel, session.kernel.reached, session.kernel.present
        for act in (lambda: kernel.synchronise(t, x), kernel.start_events, lambda: kernel.settle(x)):
            if act() is not Status.DONE:
                raise ResultError(
                    f"'{self.path}' cannot be resumed: {listed(self._of(session))} cannot be restarted at t = {t:.9g} s; start the run again"
                )

    def _of(self, session: Checkpointed) -> list[str]:
        """Returns the names of the instances that are restarted."""
        parts = session.built.parts
        return [] if self._restarted is None else [part.name for part, is_ in zip(parts, self._restarted, strict=True) if is_]

    def look(self, session: Checkpointed, beside: Sequence[Kept] = ()) -> None:
        """Makes a checkpoint where it is time for one."""
        if perf_counter() >= self._next:
            self.keep(session, beside)

    def keep(self, session: Checkpointed, beside: Sequence[Kept] = ()) -> None:
        """Makes a checkpoint. Where that fails the run goes on, and its outcome tells."""
        began = perf_counter()
        try:
            self._write(session, beside)
            self.count += 1
        except Unvisited as error:
            name = session.built.parts[error.instance].name
            self._failed = f"'{name}' did not give its state at t = {_reached(session):g} s"
        except MemoryError:
            self._failed = f"memory ran out at t = {_reached(session):g} s"
        except OSError as error:
            self._failed = f"'{self.path}' could not be written at t = {_reached(session):g} s: {error.strerror}: {remedy(error)}"
        now = perf_counter()
        self._next = now + max(self.interval, _SHARE * (now - began))

    def _write(self, session: Checkpointed, beside: Sequence[Kept]) -> None:
        head = {
            "jourdain": _version(),
            "platform": PLATFORM,
            "time": _reached(session),
            "interval": self.interval,
            **session.running.way._asdict(),
            "inexact": self.inexact,
            "restarted": self._of(session),
            "values": [[index, name, as_data(value)] for (index, name), value in self._values(session).items()],
            "warned": list(self._warned),
            "beside": [{name: as_data(getattr(of, name)) for name in of.kept} for of in beside],
            "rows": self._rows.told if self._rows else None,
        }
        blocks = {"asked": self._asked, "kernel": saved_state(session.kernel, self._restarted)}
        blocks["texts"] = all_texts(session.kernel.library)
        if session.inner is not None:
            blocks["inner"] = saved_state(session.inner.kernel)
        if self._rows:
            self._rows.store()
        checkpoint_file.write(self.path, head, blocks)

    def _values(self, session: Checkpointed) -> dict[tuple[int, str], Value]:
        """Returns the start values of the run; instances that are restarted start with the values that were set last."""
        running, restarted = session.running, self._restarted
        held = {} if restarted is None else {at: value for at, value in running.held.items() if restarted[at[0]]}
        return {**running.values, **held}

    # -- sentences -------------------------------------------------------------------------------------------------------------------

    def tell(self, outcome: Outcome, solver: str) -> None:
        """Adds what concerns checkpoints to the outcome of the run."""
        if self._failed:
            left = "the last one that was written stays" if self.there else "none was written"
            outcome.warnings.append(f"a checkpoint failed: {self._failed}; the run went on, and {left}")
        if self.begins_at is None:
            return
        head, anew = self.begins_at.head, "" if self._exact else f", where solver = '{solver}' began anew: not to the last bit"
        outcome.notes.append(f"the run went on from '{self.path}' at t = {head['time']:.9g} s{anew}")
        if head.get("restarted"):
            outcome.notes.append(
                f"{listed(head['restarted'])} continued there from continuous states alone: all other memory of an FMU is lost"
            )
        if head["jourdain"] != _version():
            outcome.warnings.append(
                f"'{self.path}' was written by Jourdain {head['jourdain']}, and this is {version('jourdain')}: values after t = "
                f"{head['time']:.9g} s may differ in the last digits"
            )

    def _not_loaded(self, session: Checkpointed, error: Unvisited) -> Exception:
        if error.why is Visited.NO_MEMORY:
            return MemoryError("the system needs more memory than there is")
        if error.why is Visited.FMU_FAILED:
            name = session.built.parts[error.instance].name
            return ResultError(f"'{self.path}' cannot be resumed: '{name}' refuses the state that it has given; start the run again")
        return self._of_another()

    def _of_another(self) -> ResultError:
        return ResultError(f"'{self.path}' has the state of another system, or of another Jourdain; start the run again")


def _its(names: Sequence[str]) -> str:
    return "its state" if len(names) == 1 else "their states"


def _not_restarted(built: Built, run: Run, lacking: Collection[str]) -> str:
    """Returns why instances that cannot write down their states cannot be restarted from those that the kernel has; empty where they
    can."""
    stepped = [part.name for part in built.parts if part.stepped and part.name in lacking]
    if stepped:
        return f"{listed(stepped)} {'runs' if len(stepped) == 1 else 'run'} in Co-Simulation, where no states are known"
    if run.communication_step is not None:
        return "FMUs are restarted in runs without a communication_step only"
    return "FMUs are restarted in runs without sensitivities only" if run.sensitivities else ""


def _reached(session: Checkpointed) -> float:
    return session.kernel.reached if session.run.communication_step is None else session.kernel.time


def checkpoint_writer(checkpoint: object) -> CheckpointWriter | None:
    """Returns the checkpoints of a run, if it is to write checkpoints."""
    if checkpoint is None:
        return None
    asked = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(path=checkpoint)  # type: ignore[arg-type]
    return CheckpointWriter(place("checkpoint", asked.path, ".ckpt"), asked.interval, inexact=asked.inexact)


def begun(session: Checkpointed, status: Status, *beside: Kept) -> Status:
    """Takes a run that stands at its start to the state of its checkpoint, if it has one."""
    if session.running.checkpoints and status is Status.DONE:
        session.running.checkpoints.begin(session, beside)
    return status


def looked(session: Checkpointed, status: Status, *beside: Kept) -> None:
    """Makes a checkpoint of a run that is under way, where it is time for one."""
    if session.running.checkpoints and status is Status.PAUSED:
        session.running.checkpoints.look(session, beside)


def kept(session: Checkpointed, status: Status, *beside: Kept) -> None:
    """Makes a checkpoint of a run that has come to its end, or is left where it can go on."""
    if session.running.checkpoints and status in (Status.DONE, Status.PAUSED):
        session.running.checkpoints.keep(session, beside)


def pace(session: Checkpointed, longest: float) -> float:
    """Returns the seconds that a run may go on without being looked at."""
    limits = [longest, (session.run.max_seconds or math.inf) / _LOOKS]
    return min(*limits, session.running.checkpoints.interval) if session.running.checkpoints else min(limits)


def _put_back(of: Kept, told: Mapping[str, Any]) -> bool:
    """Gives a part of a run its former values, if they are of the same kinds. Arrays stay where they are, since others may know them."""
    try:
        found = {name: from_data(told[name]) for name in of.kept}
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    for name, value in found.items():
        there = getattr(of, name)
        if isinstance(there, np.ndarray) and isinstance(value, np.ndarray) and there.shape == value.shape and there.dtype == value.dtype:
            there[...] = value
        elif misfit(value, _kind_of(there)):
            return False
        else:
            setattr(of, name, value)
    return True


def _kind_of(there: Any) -> Any:
    """Returns the type of what may take the place of a value: what nobody has computed yet is None, or an array without numbers."""
    if isinstance(there, tuple):
        return tuple[tuple(map(_kind_of, there))]  # type: ignore[misc]
    if there is None or (isinstance(there, np.ndarray) and not there.size):
        return np.ndarray | type(there)
    return type(there)
