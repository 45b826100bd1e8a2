"""FMUs as other tools write them, sparing with declarations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.support.foreign.archive import export
from tests.support.foreign.model import Model, Variable

ROOT_OF_7_PERCENT = 0.2645751311064590590501616
NONLINEAR_LOOP = {
    "positive": (
        (0.635424868893540941, -1.8, 1.164575131106459059),
        (1.164575131106459059, -1.8, 0.635424868893540941),
    ),
    "negative": (
        (-0.635424868893540941, 1.8, -1.164575131106459059),
        (-1.164575131106459059, 1.8, -0.635424868893540941),
    ),
    "none": (),
}
"""Both solutions (a, b, c) of each branch; the first is the one that Newton's method and substitution reach from c = 1 and c = -1.

The sum and 2a - 3b + 2c = 9 give b = -9/5 and a = 9/5 - c. Then c^2 = 5 - a^2 - b^2 becomes c^2 - 9/5 c + 37/50 = 0 with the roots c =
0.9 +- sqrt(0.07). Both roots are positive. The branch c = -sqrt(...) has no solution unless 9 becomes -9, which mirrors everything.

The radicand is negative where |9/5 - c| > sqrt(1.76), that is for c < 0.4734 and c > 3.1266, c = 0 among them. Substitution, c -> sqrt(5
- a^2 - b^2), approaches the first solution by a factor of 0.546 each time, and diverges from the second by 1.83.
"""


def nonlinear_loop(
    version: int = 3,
    kind: str = "me",
    *,
    derivatives: bool = False,
    branch: str = "positive",
    start: float | None = None,
    outside: str = "discard",
    rollback: bool = False,
) -> tuple[Path, Path]:
    """Returns two FMUs in a nonlinear algebraic loop, ``Linear`` and ``Sphere``; neither has a state.

    Linear has the input c and the outputs a, b with a + b + c = 0, 2a - 3b + 2c = 9. Sphere has the inputs a, b and the output c =
    sqrt(5 - a^2 - b^2). On the branch ``negative`` the 9 is -9 and the root is negative. On the branch ``none`` the root alone is
    negative, and the loop has no solution.

    The start value of Linear's c is ``start``, 1 or -1 by default. Sphere answers a negative radicand with ``outside``: ``discard`` with
    a message, or ``nan``.
    """
    sign, right = (-1, -9) if branch == "negative" else (1, 9)
    root = "sqrt" if branch == "positive" else "-sqrt"
    linear = Model(
        "Linear",
        [
            Variable("c", "input", sign * 1.0 if start is None else start),
            Variable("b", "output", value=f"{-right} / 5.0", depends=["c"]),
            Variable("a", "output", value="-b - c", depends=["c"]),
        ],
        partials={("a", "c"): "-1"} if derivatives else None,
        kinds=(kind,),
        rollback=rollback,
    )
    refusal = 'if (5 - a * a - b * b < 0) return say(me, Discard, "a and b are outside the sphere");'
    sphere = Model(
        "Sphere",
        [
            Variable("a", "input", sign * 0.8),
            Variable("b", "input", sign * -1.8),
            Variable("c", "output", value=f"{root}(5 - a * a - b * b)", depends=["a", "b"]),
        ],
        hooks={"outputs": refusal} if outside == "discard" else {},
        partials={("c", "a"): "-a / c", ("c", "b"): "-b / c"} if derivatives else None,
        kinds=(kind,),
        rollback=rollback,
    )
    return export(linear, version), export(sphere, version)


def gain(version: int = 3, factor: float = 1.0) -> Path:
    """Returns an FMU with y = factor u, with everything declared; the factor is a parameter."""
    return export(
        Model(
            "Gain",
            [Variable("factor", "parameter", factor), Variable("u", "input"), Variable("y", "output", value="factor * u", depends=["u"])],
            partials={("y", "u"): "factor"},
        ),
        version,
    )


MASS_SPRING = Model(
    "MassSpring",
    [
        Variable("m", "parameter", 1.0, "kg"),
        Variable("k", "parameter", 100.0, "N/m"),
        Variable("f", "input", 0.0, "N"),
        Variable("x", "output", 0.1, "m", rate="v"),
        Variable("v", "output", 0.0, "m/s", rate="(f - k * x) / m"),
    ],
)


def mass_spring(version: int = 3, rollback: bool = False) -> Path:
    """Mass on a spring, m v' = f - k x, with the outputs x and v; no dependencies and no derivatives are declared."""
    return export(replace(MASS_SPRING, rollback=rollback), version)


TWO_EVENTS = Model(
    "TwoEvents",
    [
        Variable("switch_time", "parameter", 0.35, "s"),
        Variable("slope", "local", 1.0),
        Variable("level", "output", 0.0),
        Variable("fast", "output", False, type="Boolean"),
        Variable("x", "output", 0.0, rate="slope", depends=["slope"]),
        Variable("y", "output", value="x + level", depends=["x", "level"]),
    ],
    indicators=["x - 1"],
    update="""
    if (time >= switch_time - 1e-12) fast = 1, slope = 2;
    else next = switch_time;
    if (x >= 1 - 1e-9) x -= 1, level += 1, states_changed = 1;""",
)


def two_events(version: int = 3) -> Path:
    """State and time events: x grows at rate 1, from the time event at 0.35 on at rate 2; where it reaches 1 it drops by 1.

    ``level``, a discrete output, counts the drops, ``fast`` is a Boolean output, ``y`` = x + level a continuous one.
    """
    return export(TWO_EVENTS, version)


def two_events_exact(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns x and level of :func:`two_events`; the state events are at 0.675, 1.175, 1.675 ..."""
    grown = np.where(t < 0.35, t, 2 * t - 0.35)
    return grown - np.floor(grown), np.floor(grown)


COUNTER = Model(
    "Counter",
    [
        Variable("period", "parameter", 0.1, "s"),
        Variable("u", "input"),
        Variable("step", "input", 1, type="Integer"),
        Variable("running", "input", True, type="Boolean"),
        Variable("ticks", "local", 0, type="Integer"),
        Variable("count", "output", 0, type="Integer"),
        Variable("odd", "output", False, type="Boolean"),
        Variable("y", "output", value="u + count", depends=["u", "count"]),
    ],
    update="""
    if (time >= (ticks + 1) * period - 1e-12) {
        ticks += 1;
        if (running) count += step;
        odd = fmod(count, 2) != 0;
    }
    next = (ticks + 1) * period;""",
)


def counter(version: int = 3) -> Path:
    """A clock without states: every ``period`` the Integer ``count`` grows by 1 and the Boolean ``odd`` changes.

    The first event is at ``period``; there is a Real input u and an output y = u + count. The Integer input ``step`` and the
    Boolean input ``running`` govern the counting.
    """
    return export(COUNTER, version)
