"""A system in the kernel, with all that it can do."""

from __future__ import annotations

from ctypes import POINTER, byref, c_double, c_int, c_long, c_void_p

import numpy as np

from coupling.kernel import library
from coupling.kernel.binding import declare, pointer
from coupling.kernel.coupling import Coupled
from coupling.kernel.runge_kutta import RungeKuttaStructure
from coupling.kernel.status import Status
from coupling.kernel.tableau import TableauStructure

_i, _d, _n, _p = c_int, c_double, c_long, c_void_p
declare(
    {
        "kernel_begin_run": (_i, [_p, POINTER(TableauStructure), _d, _p, _d, _d, _d, _d, _n, _p]),
        "kernel_restart": (_i, [_p, _d, _p]),
        "kernel_advance": (_i, [_p, _n]),
        "kernel_runge_kutta": (POINTER(RungeKuttaStructure), [_p]),
        "kernel_roughest": (_i, [_p, POINTER(_i), POINTER(_d)]),
        "kernel_stiffness": (_n, [_p, POINTER(_i), POINTER(_d)]),
    }
)


class Kernel(Coupled):
    """Integrates the system in time by a Runge-Kutta method, with output and events."""

    @property
    def runge_kutta(self) -> RungeKuttaStructure:
        return library.kernel_runge_kutta(self.handle).contents

    @property
    def present(self) -> np.ndarray:
        """A copy of the state that a Runge-Kutta method has reached."""
        return np.array(self.runge_kutta.x[: self.states], dtype=float)

    def roughest(self) -> tuple[int, int, float]:
        """How often the most often rejected step was rejected, which state was to blame, and when."""
        state, time = c_int(-1), c_double(0)
        count = library.kernel_roughest(self.handle, byref(state), byref(time))
        return count, state.value, time.value

    def stiffness(self) -> tuple[int, int, float]:
        """How many steps stability has limited, the state that was most to blame, and since when."""
        state, time = c_int(-1), c_double(0)
        count = library.kernel_stiffness(self.handle, byref(state), byref(time))
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
        self._running = tableau, times
        return Status(
            library.kernel_begin_run(
                self.handle, byref(tableau), rtol, pointer(atol), largest, first, start, stop, len(times), pointer(times)
            )
        )

    def restart(self, t: float, x: np.ndarray) -> Status:
        return Status(library.kernel_restart(self.handle, t, pointer(x)))

    def advance(self, steps: int) -> Status:
        return Status(library.kernel_advance(self.handle, steps))
