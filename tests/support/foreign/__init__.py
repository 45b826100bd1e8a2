"""Small FMUs that have nothing to do with this project's exporter: a C template of their own, and what CasADi exports.

A :class:`Model` is a list of variables with C expressions; :func:`export` makes an FMU of it. After it come ready-made FMUs: such as
other tools write them, sparing with declarations, and such as misbehave. They check the order of calls and refuse, by an error with
a message, what their state does not allow; a Co-Simulation instance integrates by the classical Runge-Kutta method at steps of 1 ms.

In C expressions every variable is known by its name, and so are ``time`` and ``me``, the instance. A hook is a list of C statements
that are run first in some call and may end it, as in ``return say(me, Error, "text");``, the status being one of ``Ok``, ``Warning``,
``Discard``, ``Error`` and ``Fatal``. In Co-Simulation ``me->terminate = 1;`` asks for the end, in FMI 2 with a ``Discard``.
"""

from tests.support.foreign.archive import export
from tests.support.foreign.c_code import SHARED
from tests.support.foreign.casadi_models import DIODE, casadi_dae, casadi_diode_exact, casadi_pendulum_exact
from tests.support.foreign.misbehaving import (
    BURNT_OUT,
    MISSING,
    NO_EQUILIBRIUM,
    NO_LICENCE,
    NOT_YET,
    OSCILLATOR,
    TOO_LONG,
    corrupt_binary,
    crashes_on_instantiate,
    discards_at,
    discards_long_steps,
    fails_at,
    fails_in_initialization,
    hidden_chatter,
    hidden_jump,
    lies_about_dependencies,
    missing_symbol,
    nan_output_at,
    no_model_exchange,
    of_oscillator,
    oscillator,
    wrong_platform,
)
from tests.support.foreign.model import Model, Variable
from tests.support.foreign.well_behaved import (
    COUNTER,
    MASS_SPRING,
    NONLINEAR_LOOP,
    ROOT_OF_7_PERCENT,
    TWO_EVENTS,
    counter,
    gain,
    mass_spring,
    nonlinear_loop,
    two_events,
    two_events_exact,
)

__all__ = [
    "BURNT_OUT",
    "COUNTER",
    "DIODE",
    "MASS_SPRING",
    "MISSING",
    "NONLINEAR_LOOP",
    "NOT_YET",
    "NO_EQUILIBRIUM",
    "NO_LICENCE",
    "OSCILLATOR",
    "ROOT_OF_7_PERCENT",
    "SHARED",
    "TOO_LONG",
    "TWO_EVENTS",
    "Model",
    "Variable",
    "casadi_dae",
    "casadi_diode_exact",
    "casadi_pendulum_exact",
    "corrupt_binary",
    "counter",
    "crashes_on_instantiate",
    "discards_at",
    "discards_long_steps",
    "export",
    "fails_at",
    "fails_in_initialization",
    "gain",
    "hidden_chatter",
    "hidden_jump",
    "lies_about_dependencies",
    "mass_spring",
    "missing_symbol",
    "nan_output_at",
    "no_model_exchange",
    "nonlinear_loop",
    "of_oscillator",
    "oscillator",
    "two_events",
    "two_events_exact",
    "wrong_platform",
]
