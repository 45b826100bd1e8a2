"""A system in the kernel, with all that it can do."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import POINTER, byref, c_double, c_int, c_long, c_void_p
from typing import NoReturn

import numpy as np

from coupling.kernel.cosimulation.coupling import Coupled
from coupling.kernel.platform.binding import declare, require_memory
from coupling.kernel.rows.rows import Rows
from coupling.kernel.runs.index3 import Index3Options, Index3Report
from coupling.kernel.runs.integrator import Callbacks, CalledMethod, IntegratorStructure
from coupling.kernel.runs.runge_kutta import RungeKuttaStructure
from coupling.kernel.runs.tableau import TableauStructure
from coupling.kernel.system.status import STATUSES, Status

BOUND = np.dtype([("slot", np.int32), *((name, float) for name in ("low", "high", "slack", "off", "worst", "first", "when"))], align=True)
"""The row type of ``Bound`` in kernel.h: the slot of a value, and the range in which its model holds."""

_i, _d, _n, _p = c_int, c_double, c_long, c_void_p
declare(
    {
        "kernel_begin_run": (_i, [_p, POINTER(TableauStructure), _d, _p, _d, _d, _d, _d, _n, _p]),
        "kernel_restart": (_i, [_p, _d, _p]),
        "kernel_advance": (_i, [_p, _n]),
        "kernel_pause_at": (_i, [_p, _d, _n, _p]),
        "kernel_set_present": (None, [_p, _p]),
        "kernel_pass_jump": (_i, [_p]),
        "kernel_set_at_event": (None, [_p, _i, _p, _p, _p, _i, _p, _p, _p]),
        "kernel_watch_angles": (_i, [_p, _p, _i]),
        "kernel_watch_bounds": (None, [_p, _p, _i]),
        "kernel_watch_points": (None, [_p, _p, _i, _i]),
        "kernel_note_point": (_i, [_p]),
        "kernel_begin_outside": (_i, [_p, POINTER(IntegratorStructure), _d, _d, _n, _p]),
        "kernel_run_time": (_d, [_p]),
        "kernel_run_state": (POINTER(_d), [_p]),
        "kernel_run_steps": (_n, [_p]),
        "kernel_runge_kutta": (POINTER(RungeKuttaStructure), [_p]),
        "kernel_roughest": (_i, [_p, POINTER(_i), POINTER(_d)]),
        "kernel_rough_is_steep": (_i, [_p]),
        "kernel_stiffness": (_n, [_p, POINTER(_i), POINTER(_d)]),
    }
)


class Kernel(Coupled):
    """Integrates the system in time, with output and events, by a Runge-Kutta method of its own or by one that it calls back."""

    _callbacks: Callbacks | None = None
    _set: tuple[tuple[int, ...], ...] = ()
    """The variables that were set at an event last: parts, types and references, and drives."""
    bounds = np.zeros(0, BOUND)
    """The ranges that the present run watches, with the worst value of each."""

    def reset(self) -> None:
        super().reset()
        self.bounds = Kernel.bounds

    def free(self) -> None:
        super().free()
        self._callbacks = None

    @property
    def runge_kutta(self) -> RungeKuttaStructure:
        return self.library.kernel_runge_kutta(self.handle).contents

    @property
    def reached(self) -> float:
        """The time that a run has reached."""
        return self.library.kernel_run_time(self.handle)

    @property
    def present(self) -> np.ndarray:
        """A copy of the state that a run has reached."""
        return np.array(self.library.kernel_run_state(self.handle)[: self.states], dtype=float)

    @property
    def steps(self) -> int:
        """The number of steps that a run has taken."""
        return self.library.kernel_run_steps(self.handle)

    def roughest(self) -> tuple[int, int, float]:
        """Returns how often the most often rejected step was rejected, the state that caused it, and its time."""
        state, time = c_int(-1), c_double(0)
        count = self.library.kernel_roughest(self.handle, byref(state), byref(time))
        return count, state.value, time.value

    def rough_is_steep(self) -> bool:
        """Says at the end of a run whether derivatives at the roughest step are steep, rather than jump. False if this is unknown."""
        return bool(self.library.kernel_rough_is_steep(self.handle))

    def stiffness(self) -> tuple[int, int, float]:
        """Returns how many steps stability has limited, the state that caused it most, and the time since when."""
        state, time = c_int(-1), c_double(0)
        count = self.library.kernel_stiffness(self.handle, byref(state), byref(time))
        return count, state.value, time.value

    def begin_run(
        self,
        tableau: TableauStructure,
        rtol: float,
        atol: np.ndarray,
        largest: float,
        first: float,
        start: float,
        stop: float,
        times: np.ndarray,
    ) -> Status:
        tableau, times = self.library.fixed(tableau), self.library.kept(times)
        self._running = tableau, times
        return STATUSES[
            self.library.kernel_begin_run(
                self.handle, byref(tableau), rtol, self._at(atol), largest, first, start, stop, len(times), self._at(times)
            )
        ]

    def watch_angles(self, angles: np.ndarray) -> None:
        """Samples a step at which indicators could dip as far as these angles turn in it: states, and drives as -1 - drive."""
        if not len(angles):
            return
        self._angles = self.library.kept(angles)
        require_memory(self.library.kernel_watch_angles(self.handle, self._at(self._angles), len(angles)))

    def watch_bounds(self, bounds: np.ndarray) -> None:
        """Notes at accepted steps by how much states are out of their ranges."""
        self.bounds = self.library.kept(bounds)
        self.library.kernel_watch_bounds(self.handle, self._at(self.bounds), len(bounds))

    def watch_points(self, bounds: np.ndarray, limits: int) -> None:
        """Notes the same at communication points, of any values in slots. The last ones are limits, beyond which the run ends."""
        kept = self.library.kept(np.concatenate([bounds, bounds]))
        self.library.kernel_watch_points(self.handle, self._at(kept), len(bounds), limits)
        self.bounds = kept[: len(bounds)]

    def note_point(self) -> Status:
        """Looks at the values at the present communication point."""
        return Status(self.library.kernel_note_point(self.handle))

    def begin_index3(self, rows: Rows, options: Index3Options, nominal: np.ndarray, start: float, stop: float, times: np.ndarray) -> Status:
        """Begins a run by implicit steps that hold constraints; ``rows`` have the bordered equations."""
        structure, times = self.library.rows(rows), self.library.kept(times)
        options = self.library.kept_structure(options, nominal=nominal)
        self._running = rows, structure, options, times
        arguments = byref(structure), byref(options), start, stop, len(times), self._at(times)
        return STATUSES[self.library.kernel_begin_index3(self.handle, *arguments)]

    @property
    def index3(self) -> Index3Report:
        """The report of such a run."""
        return self.library.kernel_index3(self.handle).contents

    def index3_violation(self, unknowns: int) -> np.ndarray:
        """Returns the quantities that the unknowns of all loops keep at zero, at the end of the last step."""
        return np.array(self.library.kernel_index3_violation(self.handle)[:unknowns], dtype=float)

    def begin_outside(self, integrator: CalledMethod, start: float, stop: float, times: np.ndarray) -> Status:
        """Begins a run whose steps an integrator in Python takes; its exceptions end ``restart`` and ``advance`` with STOPPED."""
        times = self.library.kept(times)
        callbacks = Callbacks(self.library, integrator, self.states)
        self._running, self._callbacks = (callbacks, times), callbacks
        return STATUSES[
            self.library.kernel_begin_outside(self.handle, byref(callbacks.structure), start, stop, len(times), self._at(times))
        ]

    def begin_in_c(self, integrator: IntegratorStructure, start: float, stop: float, times: np.ndarray) -> Status:
        """Begins the same by an integrator in C, which has to live as long as the run."""
        times = self.library.kept(times)
        self._running, self._callbacks = (integrator, times), None
        return STATUSES[self.library.kernel_begin_outside(self.handle, byref(integrator), start, stop, len(times), self._at(times))]

    def raise_kept(self) -> NoReturn:
        """Raises the exception of the integrator in Python with which the run was STOPPED."""
        raised = self._callbacks.raised if self._callbacks else None
        raise raised if raised is not None else KeyboardInterrupt  # which came before anything could keep it

    def restart(self, t: float, x: np.ndarray) -> Status:
        return STATUSES[self.library.kernel_restart(self.handle, t, self._at(x))]

    def advance(self, steps: int) -> Status:
        return STATUSES[self.library.kernel_advance(self.handle, steps)]

    def pause_at(self, t: float, times: np.ndarray) -> Status:
        """Sets the time at which the run pauses, and the times of its rows from now on; without any there is a row at the pause."""
        self._output_times = times = self.library.kept(times)
        return STATUSES[self.library.kernel_pause_at(self.handle, t, len(times), self._at(times))]

    def set_at_event(self, values: Sequence[tuple[int, int, int, float]], drives: Sequence[tuple[int, float, float]]) -> None:
        """Has values set at the next event, once: of instances, by part, type and reference, and of polynomial drives, with their slopes."""
        parts, types, references, given = zip(*values, strict=True) if values else ((), (), (), ())
        numbers, starts, slopes = zip(*drives, strict=True) if drives else ((), (), ())
        which = parts, types, references, numbers
        if which != self._set:  # else only numbers change
            kinds = (
                (np.intc, parts),
                (np.intc, types),
                (np.uintc, references),
                (np.intc, numbers),
                (float, (*given, *starts)),
                (float, slopes),
            )
            self._settings = [self.library.kept(np.array(each, kind)) for kind, each in kinds]
            self._set, self._set_at = which, [self._at(each) for each in self._settings]
        self._settings[-2][:], self._settings[-1][:] = (*given, *starts), slopes
        at = self._set_at
        self.library.kernel_set_at_event(self.handle, len(values), *at[:3], len(drives), *at[3:])

    def set_present(self, x: np.ndarray) -> None:
        """Moves the states to others, before a jump."""
        self.library.kernel_set_present(self.handle, self._at(x))

    def pass_jump(self) -> Status:
        """Handles an event at the present time, at which inputs or parameters have jumped."""
        return STATUSES[self.library.kernel_pass_jump(self.handle)]
