"""FMUs in which two functions of the standard disagree that should agree: only the authoritative one is right."""

from __future__ import annotations

from math import e, exp, log
from pathlib import Path

from tests.support.foreign.archive import export
from tests.support.foreign.model import Model, Variable

_MODEL = Model(
    "Disagreeing",
    [
        Variable("x", "output", 1.0, rate="-x", depends=["x"]),
        Variable("y", "output", value="3 * x", depends=["x"]),
        Variable("falls", "output"),
        Variable("alarms", "output"),
    ],
    indicators=["x - 0.5"],
    update="""if (x - 0.5 < 1e-9) x = 1, falls++, states_changed = 1;
    if (time > 0.25 - 1e-9 && !alarms) alarms = 1;
    if (!alarms) next = 0.25;""",
)
"""Decay that begins again at 1 when half is left, with a time event at 0.25 s."""

TRUTH = {
    "x": 2 * exp(-1),
    "y": 6 * exp(-1),
    "der(x)": -2 * exp(-1),
    "falls": 1.0,
    "alarms": 1.0,
    "integral of x": 1.5 - 2 / e,
    "integral of y": 3 * (1.5 - 2 / e),
    "integral of der(x)": 2 / e - 1.5,
}
"""Values at 1 s, by hand; the fall is at log(2) s."""
FALL = log(2)

_TOLD = {
    "    double next;          /* time": "    double told[VALUES + 1]; /* what variables were when the derivatives were asked for */\n    double next;          /* time",
    "memcpy(dx, m->v + FIRST_RATE, n * sizeof *dx);": "memcpy(dx, m->v + FIRST_RATE, n * sizeof *dx);\n    memcpy(m->told, m->v, sizeof m->v);",
    "    m->completed = m->v[0];\n    return m->slave": "    m->completed = m->v[0];\n    TRY(rates(m));\n    memcpy(m->told, m->v, sizeof m->v);\n"
    "    return m->slave",
}


def _read(which: str, instead: str) -> dict[str, str]:
    """Variables of which the function that reads variables gives something else."""
    return {**_TOLD, "value[i] = (type)m->v[r[i]];": f"value[i] = (type)(m->mode != INITIALIZATION && ({which}) ? {instead} : m->v[r[i]]);"}


_RATES, _STATES, _OUTPUT = "r[i] >= FIRST_RATE && r[i] < FIRST_INDICATOR", "r[i] == 1", "r[i] == 2"

DISAGREEMENTS: dict[str, dict] = {
    "none": {},
    "derivative variables are those of the last derivative call": _read(_RATES, "m->told[r[i]]"),
    "derivative variables are wrong": _read(_RATES, "-777"),
    "state variables are those of the last derivative call": _read(_STATES, "m->told[r[i]]"),
    "state variables are wrong": _read(_STATES, "-777"),
    "outputs are those of the last derivative call": _read(_OUTPUT, "m->told[r[i]]"),
    "all variables are those of the last derivative call": _read("r[i] < FIRST_INDICATOR", "m->told[r[i]]"),
    "indicator variables are wrong": _read("r[i] >= FIRST_INDICATOR", "-777"),
    "the next event time is given where none is defined": {
        2: {"e->nextEventTime = m->next;": "e->nextEventTime = isfinite(m->next) ? m->next : m->v[0];"},
        3: {"*next = m->next;": "*next = isfinite(m->next) ? m->next : m->v[0];"},
    },
    "the nominal value of the description is wrong": {
        2: {'<Real start="1"': '<Real nominal="1e9" start="1"', "x[i] = 1;": "x[i] = 1e-3;"},
        3: {'name="x"': 'name="x" nominal="1e9"', "x[i] = 1;": "x[i] = 1e-3;"},
    },
    "the start value of the description is another one": {
        'start="1"': 'start="5"',
        'causality="output" variability="continuous" initial="exact"': 'causality="output" variability="continuous" initial="approx"',
        "static const double starts[] = {0.0, 1.0,": "static const double starts[] = {0.0, 5.0,",
        "    TRY(on_initialize(m));": "    m->v[1] = 1;\n    TRY(on_initialize(m));",
    },
}
"""Replacements in the source and the description, by version where the versions differ."""


def disagreeing(what: str, version: int) -> Path:
    """The FMU with one of the disagreements."""
    changes: dict = DISAGREEMENTS[what]
    return export(_MODEL, version, changes=changes.get(version, changes))


def late(version: int) -> Path:
    """Returns an FMU with x' = u - x, and an output acc = u - x that is up to date after the derivatives were asked for; no dependencies
    are declared."""
    variables = [Variable("u", "input"), Variable("x", "output", 1.0, rate="u - x"), Variable("acc", "output", value="u - x")]
    return export(Model("Late", variables), version, changes=_read("r[i] == 3", "m->told[r[i]]"))


def stale(version: int) -> Path:
    """Returns an FMU with x' = -x and an output y = 3 x that keeps its value once the derivatives were asked for, until time, states or
    inputs are set."""
    variables = [Variable("x", "output", 1.0, rate="-x", depends=["x"]), Variable("y", "output", value="3 * x", depends=["x"])]
    fresh = "(m->fresh ? (m->told[2] = m->v[2]) : m->told[2])"
    changes = {
        "    double next;          /* time": "    double told[VALUES + 1];\n    int fresh;\n    double next;          /* time",
        "memcpy(dx, m->v + FIRST_RATE, n * sizeof *dx);": "memcpy(dx, m->v + FIRST_RATE, n * sizeof *dx);\n    m->fresh = 0;",
        "    m->completed = m->v[0];\n    return m->slave": "    m->completed = m->v[0];\n    m->fresh = 1;\n    return m->slave",
        "m->v[0] = t; return Ok; }": "m->v[0] = t; m->fresh = 1; return Ok; }",
        "m->v[state[i]] = x[i];\n    return Ok;": "m->v[state[i]] = x[i];\n    m->fresh = 1;\n    return Ok;",
        "value[i] = (type)m->v[r[i]];": f"value[i] = (type)(m->mode != INITIALIZATION && r[i] == 2 ? {fresh} : m->v[r[i]]);",
    }
    return export(Model("Stale", variables, kinds=("me",)), version, changes=changes)


def integrator(version: int) -> Path:
    """An FMU whose output z is the integral of its input u."""
    return export(Model("Integrator", [Variable("u", "input"), Variable("z", "output", rate="u", depends=["u"])]), version)
