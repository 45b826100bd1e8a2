"""FMUs that misbehave, each in one way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.support.foreign.archive import export
from tests.support.foreign.model import Model, Variable

BURNT_OUT = "the oscillator has burnt out"
NOT_YET = "the oscillator cannot be evaluated here"
TOO_LONG = "the step is too long for the oscillator"
NO_LICENCE = "no licence for the oscillator was found"
NO_EQUILIBRIUM = "the oscillator finds no equilibrium to start from"

OSCILLATOR = Model(
    "Oscillator",
    [
        Variable("u", "input"),
        Variable("x", "output", 1.0, rate="v", depends=["v"]),
        Variable("v", "output", 0.0, rate="u - x", depends=["u", "x"]),
        Variable("y", "output", value="x", depends=["x"]),
    ],
)
"""x'' = u - x from x = 1: cos t for u = 0."""


def oscillator(version: int = 3, rollback: bool = False, serialises: bool = False) -> Path:
    """The sound one: x'' = u - x from x = 1 at rest, with the outputs x, v and y = x."""
    return export(replace(OSCILLATOR, rollback=rollback or serialises, serialises=serialises), version)


def of_oscillator(version: int = 3, outputs: Sequence[Variable] = (), **hooks: str) -> Path:
    """An oscillator whose state can be saved, with these hooks, and in place of y these outputs."""
    kept = OSCILLATOR.variables[:-1] if outputs else OSCILLATOR.variables
    return export(replace(OSCILLATOR, variables=[*kept, *outputs], hooks=hooks, rollback=True), version)


def fails_at(t: float = 0.5, *, version: int = 3) -> Path:
    """An oscillator whose derivatives, from a time on, end in an Error with the message BURNT_OUT; in Co-Simulation, whose steps do."""
    hook = f'if (time >= {t!r}) return say(me, Error, "{BURNT_OUT}");'
    return export(replace(OSCILLATOR, hooks={"rates": hook}), version)


def discards_at(t: float = 0.5, *, version: int = 3) -> Path:
    """An oscillator whose derivatives, from a time on, end in a Discard with the message NOT_YET: shorter steps only delay that.

    In Co-Simulation the step ends in a Discard, and the last successful time is close to t.
    """
    hook = f'if (time >= {t!r}) return say(me, Discard, "{NOT_YET}");'
    return export(replace(OSCILLATOR, hooks={"rates": hook}), version)


def discards_long_steps(longest: float = 0.01, *, version: int = 3) -> Path:
    """An oscillator that goes through if the steps are short: whatever lies more than ``longest`` after the last completed step is
    discarded with the message TOO_LONG. It wants to hear of completed steps; in Co-Simulation it discards long steps."""
    slack = longest * (1 + 1e-9)
    return export(
        replace(
            OSCILLATOR,
            hooks={
                "rates": f'if (!me->slave && time - me->completed > {slack!r}) return say(me, Discard, "{TOO_LONG}");',
                "step": f'if (step_size > {slack!r}) return say(me, Discard, "{TOO_LONG}");',
            },
            wants_completed=True,
        ),
        version,
    )


def nan_output_at(t: float = 0.5, *, version: int = 3) -> Path:
    """An oscillator whose output y, from a time on, is NaN; the status is OK, and x and v are right."""
    variables = [*OSCILLATOR.variables[:-1], Variable("y", "output", value=f"time >= {t!r} ? NAN : x", depends=["x"])]
    return export(replace(OSCILLATOR, variables=variables), version)


def hidden_jump(t: float = 0.5, *, version: int = 3) -> Path:
    """Returns an FMU whose x' jumps from 1 to -1 at a time without any event: x = t before, 2 t_jump - t after."""
    variables = [Variable("x", "output", 0.0, rate=f"time < {t!r} ? 1 : -1", depends=[])]
    return export(Model("HiddenJump", variables), version)


def hidden_chatter(version: int = 3) -> Path:
    """Returns an FMU with x' = -sign(x) from x = 1, without an event: from t = 1 on it slides along x = 0, as far as the step size allows."""
    return export(Model("HiddenChatter", [Variable("x", "output", 1.0, rate="x > 0 ? -1 : x < 0 ? 1 : 0", depends=["x"])]), version)


def lies_about_dependencies(version: int = 3, honest: bool = False) -> Path:
    """Returns an FMU with x' = -x from 1, y = x + 2 u: y is declared independent of u, on which it depends directly. The ``honest`` one
    declares it."""
    variables = [
        Variable("u", "input"),
        Variable("x", "local", 1.0, rate="-x", depends=["x"]),
        Variable("y", "output", value="x + 2 * u", depends=["x", "u"] if honest else ["x"]),
    ]
    return export(Model("Liar", variables), version)


def crashes_on_instantiate(version: int = 3) -> Path:
    """Instantiation logs NO_LICENCE and returns nothing."""
    return export(replace(OSCILLATOR, hooks={"instantiate": f'return say(me, Error, "{NO_LICENCE}");'}), version)


def fails_in_initialization(version: int = 3) -> Path:
    """Leaving Initialization Mode ends in an Error with the message NO_EQUILIBRIUM."""
    return export(replace(OSCILLATOR, hooks={"initialize": f'return say(me, Error, "{NO_EQUILIBRIUM}");'}), version)


def missing_symbol(version: int = 3) -> Path:
    """The binary lacks the function that gives the derivatives: MISSING[version]."""
    return export(OSCILLATOR, version, without=MISSING[version])


MISSING = {2: "fmi2GetDerivatives", 3: "fmi3GetContinuousStateDerivatives"}


def wrong_platform(version: int = 3) -> Path:
    """Returns an FMU with a binary for Windows alone."""
    return export(OSCILLATOR, version, folder="win64" if version == 2 else "x86_64-windows", binary=b"MZ")


def corrupt_binary(version: int = 3) -> Path:
    """The binary is no library."""
    return export(OSCILLATOR, version, binary=b"an answer from a proxy instead of a library\n" * 20)


def no_model_exchange(version: int = 3) -> Path:
    """The oscillator for Co-Simulation alone."""
    return export(replace(OSCILLATOR, kinds=("cs",)), version)
