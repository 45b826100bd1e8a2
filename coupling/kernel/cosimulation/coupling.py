"""The part of a system in the kernel that steps: its Co-Simulation instances, from one communication point to the next."""

from __future__ import annotations

from ctypes import POINTER, byref, c_bool, c_double, c_int, c_long, c_void_p
from typing import NamedTuple

import numpy as np

from coupling.kernel.platform.binding import declare, require_memory
from coupling.kernel.rows.rows import Rows, RowsStructure
from coupling.kernel.system.core import Core
from coupling.kernel.system.status import Status

_i, _d, _n, _p, _b = c_int, c_double, c_long, c_void_p, c_bool
declare(
    {
        "kernel_couple": (_i, [_p, POINTER(RowsStructure)]),
        "kernel_evaluate_point": (_i, [_p, _d]),
        "kernel_complete": (_i, [_p]),
        "kernel_set_careful": (None, [_p, _b]),
        "kernel_set_align": (None, [_p, _b, _b]),
        "kernel_look_within": (None, [_p, _p]),
        "kernel_cut_step": (None, [_p, _d, _d]),
        "kernel_set_ready": (None, [_p]),
        "kernel_polynomials": (POINTER(_d), [_p]),
        "kernel_coupling_counts": (None, [_p, POINTER(_n), POINTER(_n), POINTER(_d), POINTER(_d)]),
        "kernel_passed": (_d, [_p, _i]),
        "kernel_taken_degree": (_i, [_p, _i]),
        "kernel_events_alone": (_i, [_p, _i]),
        "kernel_announce": (None, [_p]),
        "kernel_set_degree": (None, [_p, _i]),
        "kernel_hand_over": (_i, [_p, POINTER(_d)]),
        "kernel_note_inputs": (None, [_p, _b]),
        "kernel_step": (_i, [_p, _d, _d, _b]),
        "kernel_next_period": (_d, [_p]),
        "kernel_explicit_step": (_i, [_p, _d, _i, _b, _b]),
        "kernel_save": (_i, [_p, _i]),
        "kernel_restore": (_i, [_p, _i]),
        "kernel_point": (_i, [_p, _d, POINTER(_b)]),
        "kernel_sudden": (_b, [_p]),
        "kernel_add_up": (None, [_p, _d]),
        "kernel_begin_course": (_i, [_p, _d, _d, _d, _i, _b, _b, _n, _p]),
        "kernel_follow": (_i, [_p, _n]),
        "kernel_until_point": (_i, [_p]),
        "kernel_pause_course_at": (_i, [_p, _d, _n, _p]),
        "kernel_pass_jump_at_point": (_i, [_p]),
        "kernel_course_steps": (_n, [_p]),
    }
)


class CouplingCounts(NamedTuple):
    passes: int
    discarded: int
    earliest: float
    """Time of an event within the last step to which all instances have to go back."""
    seconds: float
    """Seconds spent in steps, by the instances that were timed."""


class Coupled(Core):
    """The Co-Simulation instances of a system, where it has any."""

    def _build_rest(self, rows: Rows, structure: RowsStructure) -> None:
        super()._build_rest(rows, structure)
        if structure.couplings:
            require_memory(self.library.kernel_couple(self.handle, byref(structure)))
            coupling = rows.table("coupling")[0]
            inputs, first, at = int(coupling["inputs"]), int(coupling["first_end"]), int(coupling["arriving"])
            self.ends = self.slots[first : first + inputs]
            self._arriving = rows.numbers[at : at + inputs] if inputs else np.zeros(0, np.intc)
            block = np.ctypeslib.as_array(self.library.kernel_polynomials(self.handle), shape=(3, inputs + 1))
            self.value, self.slope, self.curve = block[:, :inputs]

    def set_careful(self) -> None:
        """Makes states be saved before each step where they can be, so that a discarded step can be made smaller."""
        self.library.kernel_set_careful(self.handle, True)

    def events_alone(self, stepper: int) -> int:
        """Returns the number of events within the steps of an instance at which the others did not stop."""
        return self.library.kernel_events_alone(self.handle, stepper)

    def taken_degree(self, stepper: int) -> int:
        """Returns the degree of the polynomials that an instance turned out to take for its inputs."""
        return self.library.kernel_taken_degree(self.handle, stepper)

    def announce(self) -> None:
        """Says that there was an event since the last point."""
        self.library.kernel_announce(self.handle)

    def set_align(self, align: bool, *, lone: bool = False) -> None:
        """Sets whether all instances go back if one of them meets an event within a step. ``lone``: there is one, which need not go back."""
        self.library.kernel_set_align(self.handle, align, lone)

    def cut_step(self, t: float, end: float) -> None:
        """Says that the only instance has ended the step from a time before its end."""
        self.library.kernel_cut_step(self.handle, t, end)

    def set_ready(self) -> None:
        """Reports that Co-Simulation instances have left Initialization Mode."""
        self.library.kernel_set_ready(self.handle)

    @property
    def arriving(self) -> np.ndarray:
        """A copy of the values that arrive at the inputs of all Co-Simulation instances."""
        return self.slots[self._arriving]

    @property
    def counts(self) -> CouplingCounts:
        passes, discarded, earliest, seconds = c_long(), c_long(), c_double(), c_double()
        self.library.kernel_coupling_counts(self.handle, byref(passes), byref(discarded), byref(earliest), byref(seconds))
        return CouplingCounts(passes.value, discarded.value, earliest.value, seconds.value)

    def hand_over(self) -> tuple[Status, float]:
        moved = c_double()
        return Status(self.library.kernel_hand_over(self.handle, byref(moved))), moved.value

    def evaluate_point(self, t: float) -> Status:
        return Status(self.library.kernel_evaluate_point(self.handle, t))

    def complete(self) -> Status:
        return Status(self.library.kernel_complete(self.handle))

    def note_inputs(self, restart: bool) -> None:
        self.library.kernel_note_inputs(self.handle, restart)

    def step(self, t: float, h: float, degree: int, last_word: bool) -> Status:
        """Steps all Co-Simulation instances by the polynomials in ``value``, ``slope`` and ``curve``."""
        self.library.kernel_set_degree(self.handle, degree)
        return Status(self.library.kernel_step(self.handle, t, h, last_word))

    def explicit_step(self, h: float, order: int, in_turn: bool, last_word: bool) -> Status:
        return Status(self.library.kernel_explicit_step(self.handle, h, order, in_turn, last_word))

    @property
    def next_period(self) -> float:
        """The time that an instance with a step of its own has to reach next."""
        return self.library.kernel_next_period(self.handle)

    def save(self, which: int = 0) -> Status:
        return Status(self.library.kernel_save(self.handle, which))

    def restore(self, which: int = 0) -> Status:
        return Status(self.library.kernel_restore(self.handle, which))

    def point(self, t: float) -> tuple[Status, bool]:
        event = c_bool()
        return Status(self.library.kernel_point(self.handle, t, byref(event))), event.value

    @property
    def sudden(self) -> bool:
        """True if the last point had an event of more than outputs that are held."""
        return self.library.kernel_sudden(self.handle)

    def passed(self, bond: int) -> float:
        """Returns the energy in J that has gone through a bond so far, to and fro."""
        return self.library.kernel_passed(self.handle, bond)

    def add_up(self, h: float) -> None:
        self.library.kernel_add_up(self.handle, h)

    def begin_course(self, start: float, step: float, stop: float, order: int, in_turn: bool, variable: bool, times: np.ndarray) -> Status:
        self._running = times = self.library.kept(times)
        return Status(
            self.library.kernel_begin_course(self.handle, start, step, stop, order, in_turn, variable, len(times), self._at(times))
        )

    def follow(self, steps: int) -> Status:
        return Status(self.library.kernel_follow(self.handle, steps))

    def look_at_point(self) -> Status:
        """Returns UNTIL if the condition that ends the run holds at the present communication point, with a row there."""
        return Status(self.library.kernel_until_point(self.handle))

    def pause_course_at(self, t: float, times: np.ndarray) -> Status:
        """Sets the time at which the course pauses, and the times of its rows from now on; without any there is a row at the pause."""
        self._output_times = times = self.library.kept(times)
        return Status(self.library.kernel_pause_course_at(self.handle, t, len(times), self._at(times)))

    def pass_jump_at_point(self) -> Status:
        """Handles an event at the present point, at which inputs or parameters have jumped."""
        return Status(self.library.kernel_pass_jump_at_point(self.handle))

    @property
    def course(self) -> tuple[float, int]:
        """The time that an explicit course has reached, and the number of its steps."""
        return self.time, self.library.kernel_course_steps(self.handle)
