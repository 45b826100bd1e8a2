"""Small FMUs that have nothing to do with this project's exporter: a C template of their own, and what CasADi exports.

A :class:`Model` is a list of variables with C expressions; :func:`export` makes an FMU of it. After it come ready-made FMUs: such as
other tools write them, sparing with declarations, and such as misbehave. They check the order of calls and refuse, by an error with
a message, what their state does not allow; a Co-Simulation instance integrates by the classical Runge-Kutta method at steps of 1 ms.

In C expressions every variable is known by its name, and so are ``time`` and ``me``, the instance. A hook is a list of C statements
that are run first in some call and may end it, as in ``return say(me, Error, "text");``, the status being one of ``Ok``, ``Warning``,
``Discard``, ``Error`` and ``Fatal``. In Co-Simulation ``me->terminate = 1;`` asks for the end, in FMI 2 with a ``Discard``.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import math
import os
import platform
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from xml.sax.saxutils import quoteattr

import fmpy
import numpy as np
from scipy.optimize import brentq

from tests.support.oracles.planar import swing

HEADERS = Path(fmpy.__file__).parent / "c-code"
_BASE_UNITS = {
    "N": 'kg="1" m="1" s="-2"',
    "kg": 'kg="1"',
    "m": 'm="1"',
    "m/s": 'm="1" s="-1"',
    "N/m": 'kg="1" s="-2"',
    "s": 's="1"',
}
_HOOKS = ("instantiate", "initialize", "outputs", "rates", "indicators", "update", "completed", "step", "free")


@dataclass(frozen=True)
class Variable:
    """One variable; ``value`` and ``rate`` are C expressions.

    A ``rate`` makes it a continuous state, whose derivative is the variable ``der(name)``. Without either it is held in memory:
    a parameter, an input, or a discrete variable that ``update`` changes. Values are computed in the order of declaration.
    """

    name: str
    causality: str = "local"
    start: float = 0.0
    unit: str = ""
    type: str = "Real"
    """``Real``, ``Integer`` or ``Boolean``."""
    value: str | None = None
    rate: str | None = None
    depends: Sequence[str] | None = None
    """What the FMU says the value or the rate depends on; None: it says nothing."""

    @property
    def der(self) -> str:
        return f"der({self.name})"

    @property
    def variability(self) -> str:
        if self.causality == "parameter":
            return "fixed"
        held = self.causality != "input" and self.value is None and self.rate is None
        return "discrete" if held or self.type != "Real" else "continuous"


@dataclass(frozen=True)
class Model:
    """What an FMU is made of."""

    name: str
    variables: Sequence[Variable]
    indicators: Sequence[str] = ()
    update: str = ""
    """C statements of the event update. They assign variables and set ``states_changed``, ``again`` and ``next``, the time of
    the next time event, which is infinity unless set."""
    hooks: Mapping[str, str] = field(default_factory=dict)
    partials: Mapping[tuple[str, str], str] | None = None
    """Partial derivatives as C expressions, by unknown and known; where given, the FMU has directional derivatives."""
    kinds: Sequence[str] = ("me", "cs")
    rollback: bool = False
    """Whether the state can be saved and restored."""
    wants_completed: bool = False
    """Whether it wants to hear of completed integrator steps."""

    @property
    def states(self) -> list[Variable]:
        return [v for v in self.variables if v.rate is not None]

    @property
    def names(self) -> list[str]:
        """All variables, each at the place of its value reference."""
        extra = [f"indicator{k}" for k in range(1, len(self.indicators) + 1)]
        return ["time", *(v.name for v in self.variables), *(v.der for v in self.states), *extra]


# -- C code ------------------------------------------------------------------------------------------------------------

_COMMON = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Ok, Warning, Discard, Error, Fatal };
enum { INSTANTIATED = 1, INITIALIZATION = 2, EVENT = 4, CONTINUOUS = 8, STEP = 16, TERMINATED = 32 };
#define RUNNING (INITIALIZATION | EVENT | CONTINUOUS | STEP | TERMINATED)

typedef struct {
    double v[VALUES + 1]; /* time, variables, derivatives, indicators */
    double completed;     /* time of the last completed step */
    double next;          /* time of the next time event */
    int mode, slave, states_changed, again, terminate;
    char name[100];
    void *environment, (*log)(void);
} Model;

static int say(Model *m, int status, const char *text);
static int outputs(Model *m);
static int rates(Model *m);
static int indicators(Model *m);
static int update(Model *m);
static double partial(Model *m, unsigned unknown, unsigned known);
static int on_instantiate(Model *m), on_initialize(Model *m), on_completed(Model *m), on_step(Model *m, double step_size), on_free(Model *m);

static int refuse(Model *m, const char *call)
{
    char text[200];
    snprintf(text, sizeof text, "%s must not be called now", call);
    return say(m, Error, text);
}
#define ALLOW(modes) if (!(m->mode & (modes))) return refuse(m, __func__);
#define TRY(call) do { int status_ = (call); if (status_ > Warning) return status_; } while (0)

static int evaluate(Model *m, const unsigned *r, size_t n)
{
    unsigned last = 0;
    for (size_t i = 0; i < n; i++) {
        if (r[i] >= VALUES) return say(m, Error, "there is no variable with this value reference");
        if (r[i] > last) last = r[i];
    }
    if (last >= FIRST_INDICATOR) TRY(indicators(m));
    return last >= FIRST_RATE ? rates(m) : outputs(m);
}

#define GET(type) \
    ALLOW(RUNNING) \
    int status = evaluate(m, r, n); \
    for (size_t i = 0; status <= Warning && i < n; i++) value[i] = (type)m->v[r[i]]; \
    return status;

#define SET \
    ALLOW(INSTANTIATED | INITIALIZATION | EVENT | CONTINUOUS | STEP) \
    for (size_t i = 0; i < n; i++) { \
        if (!r[i] || r[i] >= FIRST_RATE) return say(m, Error, "this variable cannot be set"); \
        m->v[r[i]] = value[i]; \
    } \
    return Ok;

static int directional(Model *m, const unsigned *u, size_t nu, const unsigned *k, size_t nk, const double *seed, double *out)
{
    if (!HAS_PARTIALS) return say(m, Error, "there are no directional derivatives");
    TRY(evaluate(m, u, nu));
    for (size_t i = 0; i < nu; i++) {
        out[i] = 0;
        for (size_t j = 0; j < nk; j++) out[i] += partial(m, u[i], k[j]) * seed[j];
    }
    return Ok;
}

static int settle(Model *m)
{
    do TRY(update(m)); while (m->again);
    return indicators(m);
}

static int runge_kutta(Model *m, double h)
{
    static const double c[4] = {0, .5, .5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double t = m->v[0], x[NX + 1], sum[NX + 1] = {0};
    for (int i = 0; i < NX; i++) x[i] = m->v[state[i]];
    for (int s = 0; s < 4; s++) {
        m->v[0] = t + c[s] * h;
        if (s)
            for (int i = 0; i < NX; i++) m->v[state[i]] = x[i] + c[s] * h * m->v[FIRST_RATE + i];
        TRY(rates(m));
        for (int i = 0; i < NX; i++) sum[i] += b[s] * m->v[FIRST_RATE + i];
    }
    for (int i = 0; i < NX; i++) m->v[state[i]] = x[i] + h * sum[i];
    TRY(indicators(m));
    return outputs(m);
}

static int advance(Model *m, double end)
{
    double h = 1e-3;
    TRY(indicators(m));
    while (end - m->v[0] > 1e-12) {
        if (m->next - m->v[0] <= 1e-12) {
            TRY(settle(m));
            continue;
        }
        Model before = *m;
        double size = fmin(h, fmin(end, m->next) - m->v[0]);
        int status = runge_kutta(m, size), crossed = 0;
        for (int i = FIRST_INDICATOR; i < VALUES; i++) crossed |= (m->v[i] > 0) != (before.v[i] > 0);
        if (status > Warning || (crossed && size > 1e-12)) *m = before;
        if (status > Warning) return status;
        if (!crossed) continue;
        h = size > 1e-12 ? size / 2 : 1e-3;
        if (size <= 1e-12) TRY(settle(m));
    }
    m->v[0] = end;
    return m->next - end <= 1e-12 ? settle(m) : Ok;
}

static Model *begin(const char *name, int slave, const char *token, void *environment, void (*log)(void))
{
    Model *m = calloc(1, sizeof *m);
    memcpy(m->v, starts, sizeof starts);
    snprintf(m->name, sizeof m->name, "%s", name);
    m->environment = environment, m->log = log;
    m->next = INFINITY, m->mode = INSTANTIATED, m->slave = slave;
    int wrong = !token || strcmp(token, TOKEN);
    if (wrong) say(m, Error, "this FMU has another token");
    if (wrong || on_instantiate(m) > Warning) {
        free(m);
        return NULL;
    }
    return m;
}

static int initialized(Model *m)
{
    TRY(on_initialize(m));
    m->mode = m->slave ? STEP : EVENT;
    m->completed = m->v[0];
    return m->slave ? settle(m) : outputs(m);
}

static int do_step(Model *m, double start, double size)
{
    if (fabs(start - m->v[0]) > 1e-9) return say(m, Error, "the step does not begin where the last one ended");
    TRY(on_step(m, size));
    return advance(m, start + size);
}
"""

_SHARED = r"""
#define M Model *m = c;
fmi_Status fmi_SetDebugLogging(void *c, fmi_Boolean on, size_t n, const char *const categories[]) { return Ok; }
void fmi_FreeInstance(void *c) { on_free(c); free(c); }
fmi_Status fmi_ExitInitializationMode(void *c) { M ALLOW(INITIALIZATION) return initialized(m); }
fmi_Status fmi_Terminate(void *c) { M ALLOW(EVENT | CONTINUOUS | STEP) m->mode = TERMINATED; return Ok; }
fmi_Status fmi_Reset(void *c)
{
    M memcpy(m->v, starts, sizeof starts);
    m->mode = INSTANTIATED, m->next = INFINITY;
    return Ok;
}
fmi_Status fmi_GetFMUState(void *c, void **s)
{
    M if (!ROLLBACK) return refuse(m, __func__);
    if (!*s) *s = malloc(sizeof *m);
    memcpy(*s, m, sizeof *m);
    return Ok;
}
fmi_Status fmi_SetFMUState(void *c, void *s)
{
    M if (!ROLLBACK) return refuse(m, __func__);
    memcpy(m, s, sizeof *m);
    return Ok;
}
fmi_Status fmi_FreeFMUState(void *c, void **s) { free(*s); *s = NULL; return Ok; }

fmi_Status fmi_EnterEventMode(void *c) { M ALLOW(CONTINUOUS) m->mode = EVENT; return Ok; }
fmi_Status fmi_EnterContinuousTimeMode(void *c) { M ALLOW(EVENT) m->mode = CONTINUOUS; m->completed = m->v[0]; return Ok; }
fmi_Status fmi_CompletedIntegratorStep(void *c, fmi_Boolean final, fmi_Boolean *event, fmi_Boolean *terminate)
{
    M ALLOW(CONTINUOUS)
    *event = *terminate = 0;
    TRY(on_completed(m));
    m->completed = m->v[0];
    return Ok;
}
fmi_Status fmi_SetTime(void *c, double t) { M ALLOW(EVENT | CONTINUOUS) m->v[0] = t; return Ok; }
fmi_Status fmi_SetContinuousStates(void *c, const double x[], size_t n)
{
    M ALLOW(CONTINUOUS)
    for (size_t i = 0; i < n; i++) m->v[state[i]] = x[i];
    return Ok;
}
fmi_Status fmi_GetContinuousStates(void *c, double x[], size_t n)
{
    M ALLOW(RUNNING)
    for (size_t i = 0; i < n; i++) x[i] = m->v[state[i]];
    return Ok;
}
fmi_Status fmi_GetNominalsOfContinuousStates(void *c, double x[], size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = 1;
    return Ok;
}
fmi_Status fmi_GetContinuousStateDerivatives(void *c, double dx[], size_t n)
{
    M ALLOW(RUNNING)
    TRY(rates(m));
    memcpy(dx, m->v + FIRST_RATE, n * sizeof *dx);
    return Ok;
}
fmi_Status fmi_GetEventIndicators(void *c, double z[], size_t n)
{
    M ALLOW(RUNNING)
    TRY(indicators(m));
    memcpy(z, m->v + FIRST_INDICATOR, n * sizeof *z);
    return Ok;
}
"""

_FMI2 = r"""
static int say(Model *m, int status, const char *text)
{
    if (m->log) ((fmi2CallbackLogger)m->log)(m->environment, m->name, (fmi2Status)status, "log", text);
    return status;
}

const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }
void *fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *functions,
                      fmi2Boolean visible, fmi2Boolean logging)
{
    return begin(name, type == fmi2CoSimulation, guid, functions->componentEnvironment, (void (*)(void))functions->logger);
}
fmi2Status fmi2SetupExperiment(void *c, fmi2Boolean has_tolerance, double tolerance, double start, fmi2Boolean has_stop, double stop)
{
    M ALLOW(INSTANTIATED)
    m->v[0] = start;
    return Ok;
}
fmi2Status fmi2EnterInitializationMode(void *c) { M ALLOW(INSTANTIATED) m->mode = INITIALIZATION; return Ok; }

fmi2Status fmi2GetReal(void *c, const unsigned r[], size_t n, double value[]) { M GET(double) }
fmi2Status fmi2GetInteger(void *c, const unsigned r[], size_t n, int value[]) { M GET(int) }
fmi2Status fmi2GetBoolean(void *c, const unsigned r[], size_t n, int value[]) { M GET(int) }
fmi2Status fmi2SetReal(void *c, const unsigned r[], size_t n, const double value[]) { M SET }
fmi2Status fmi2SetInteger(void *c, const unsigned r[], size_t n, const int value[]) { M SET }
fmi2Status fmi2SetBoolean(void *c, const unsigned r[], size_t n, const int value[]) { M SET }
fmi2Status fmi2GetDirectionalDerivative(void *c, const unsigned u[], size_t nu, const unsigned k[], size_t nk, const double seed[],
                                        double out[])
{
    M ALLOW(RUNNING)
    return directional(m, u, nu, k, nk, seed, out);
}
fmi2Status fmi2NewDiscreteStates(void *c, fmi2EventInfo *e)
{
    M ALLOW(EVENT)
    TRY(update(m));
    memset(e, 0, sizeof *e);
    e->newDiscreteStatesNeeded = m->again;
    e->valuesOfContinuousStatesChanged = m->states_changed;
    e->nextEventTimeDefined = isfinite(m->next);
    e->nextEventTime = m->next;
    return Ok;
}
fmi2Status fmi2DoStep(void *c, double t, double h, fmi2Boolean final) { M ALLOW(STEP) return do_step(m, t, h); }
fmi2Status fmi2GetRealStatus(void *c, const fmi2StatusKind kind, double *value)
{
    M *value = m->v[0];
    return kind == fmi2LastSuccessfulTime ? Ok : Discard;
}
fmi2Status fmi2GetBooleanStatus(void *c, const fmi2StatusKind kind, int *value)
{
    *value = ((Model *)c)->terminate;
    return kind == fmi2Terminated ? Ok : Discard;
}
"""

_FMI3 = r"""
static int say(Model *m, int status, const char *text)
{
    if (m->log) ((fmi3LogMessageCallback)m->log)(m->environment, (fmi3Status)status, "log", text);
    return status;
}

const char *fmi3GetVersion(void) { return "3.0"; }
void *fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, _Bool visible, _Bool logging,
                                   void *environment, fmi3LogMessageCallback log)
{
    return begin(name, 0, token, environment, (void (*)(void))log);
}
void *fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, _Bool visible, _Bool logging, _Bool events,
                                  _Bool early, const unsigned needed[], size_t n, void *environment, fmi3LogMessageCallback log,
                                  fmi3IntermediateUpdateCallback intermediate)
{
    return begin(name, 1, token, environment, (void (*)(void))log);
}
void *fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, _Bool visible, _Bool logging,
                                        void *environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback clock,
                                        fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    return NULL;
}
fmi3Status fmi3EnterInitializationMode(void *c, _Bool has_tolerance, double tolerance, double start, _Bool has_stop, double stop)
{
    M ALLOW(INSTANTIATED)
    m->v[0] = start;
    m->mode = INITIALIZATION;
    return Ok;
}

fmi3Status fmi3GetFloat64(void *c, const unsigned r[], size_t n, double value[], size_t nv) { M GET(double) }
fmi3Status fmi3GetInt32(void *c, const unsigned r[], size_t n, fmi3Int32 value[], size_t nv) { M GET(int) }
fmi3Status fmi3GetBoolean(void *c, const unsigned r[], size_t n, _Bool value[], size_t nv) { M GET(_Bool) }
fmi3Status fmi3SetFloat64(void *c, const unsigned r[], size_t n, const double value[], size_t nv) { M SET }
fmi3Status fmi3SetInt32(void *c, const unsigned r[], size_t n, const fmi3Int32 value[], size_t nv) { M SET }
fmi3Status fmi3SetBoolean(void *c, const unsigned r[], size_t n, const _Bool value[], size_t nv) { M SET }
fmi3Status fmi3GetDirectionalDerivative(void *c, const unsigned u[], size_t nu, const unsigned k[], size_t nk, const double seed[],
                                        size_t ns, double out[], size_t no)
{
    M ALLOW(RUNNING)
    return directional(m, u, nu, k, nk, seed, out);
}
fmi3Status fmi3GetNumberOfContinuousStates(void *c, size_t *n) { *n = NX; return Ok; }
fmi3Status fmi3GetNumberOfEventIndicators(void *c, size_t *n) { *n = VALUES - FIRST_INDICATOR; return Ok; }
fmi3Status fmi3UpdateDiscreteStates(void *c, _Bool *again, _Bool *terminate, _Bool *nominals, _Bool *changed, _Bool *defined, double *next)
{
    M ALLOW(EVENT)
    TRY(update(m));
    *terminate = *nominals = 0;
    *again = m->again;
    *changed = m->states_changed;
    *defined = isfinite(m->next);
    *next = m->next;
    return Ok;
}
fmi3Status fmi3DoStep(void *c, double t, double h, _Bool final, _Bool *event, _Bool *terminate, _Bool *early, double *last)
{
    M ALLOW(STEP)
    *event = *terminate = *early = 0;
    int status = do_step(m, t, h);
    *last = m->v[0];
    *terminate = m->terminate;
    return status;
}
"""

_NAMES_OF_2 = {"fmi_GetContinuousStateDerivatives": "fmi2GetDerivatives"} | {
    f"fmi_{verb}FMUState": f"fmi2{verb}FMUstate" for verb in ("Get", "Set", "Free")
}


def _template(version: int) -> str:
    """The functions of a version of the standard."""
    shared = _SHARED
    for name, other in _NAMES_OF_2.items() if version == 2 else ():
        shared = shared.replace(name, other)
    return shared.replace("fmi_", f"fmi{version}") + (_FMI2 if version == 2 else _FMI3)


def c_code(model: Model, version: int, token: str) -> str:
    """The complete C source of an FMU."""
    assert all(name in _HOOKS for name in model.hooks), model.hooks
    assert all(re.fullmatch(r"[A-Za-z_]\w*", v.name) for v in model.variables), "names must be identifiers of C"
    place = {name: k for k, name in enumerate(model.names)}
    starts = [0.0, *(float(v.start) for v in model.variables)]
    states = [place[v.name] for v in model.states]
    known = "const double time = me->v[0];" + "".join(f" double {v.name} = me->v[{place[v.name]}];" for v in model.variables)

    def function(head: str, hook: str, body: str = "") -> str:
        return f"static int {head}\n{{\n    {known}\n    {model.hooks.get(hook, '')}\n    {body}\n    return Ok;\n}}\n"

    values = "\n    ".join(f"{v.name} = me->v[{place[v.name]}] = {v.value};" for v in model.variables if v.value is not None)
    rates = "".join(f" me->v[{place[v.der]}] = {v.rate};" for v in model.states)
    indicators = "".join(f" me->v[{place[f'indicator{k}']}] = {z};" for k, z in enumerate(model.indicators, start=1))
    keep = "".join(f" me->v[{place[v.name]}] = {v.name};" for v in model.variables)
    update = f"int states_changed = 0, again = 0;\n    double next = INFINITY;\n    {model.update}\n   {keep}"
    update += "\n    me->states_changed = states_changed, me->again = again, me->next = next;\n    return outputs(me);"
    partials = "".join(
        f"    if (unknown == {place[unknown]} && known == {place[known]}) return {expression};\n"
        for (unknown, known), expression in (model.partials or {}).items()
    )
    template = _template(version)
    declared = set(re.findall(r"\b(fmi\d\w+)TYPE\b", (HEADERS / f"fmi{version}FunctionTypes.h").read_text()))
    defined = set(re.findall(r"^\w[\w ]*[ *](fmi\d\w+)\(", template, re.MULTILINE))
    return "\n".join(
        [
            f'#include "fmi{version}FunctionTypes.h"',
            f'#define TOKEN "{token}"',
            f"#define VALUES {len(place)}",
            f"#define NX {len(states)}",
            f"#define FIRST_RATE {1 + len(model.variables)}",
            f"#define FIRST_INDICATOR {1 + len(model.variables) + len(states)}",
            f"#define HAS_PARTIALS {int(model.partials is not None)}",
            f"#define ROLLBACK {int(model.rollback)}",
            f"static const double starts[] = {{{', '.join(map(repr, starts))}}};",
            f"static const int state[NX + 1] = {{{', '.join(map(str, [*states, 0]))}}};",
            *(f"{name}TYPE {name};" for name in sorted(defined)),
            # Whatever else the standard has is there and refuses; its arguments do not matter.
            *(f"int {name}(void) {{ return 3; }}" for name in sorted(declared - defined)),
            _COMMON,
            template,
            function("outputs(Model *me)", "outputs", values),
            function("rates(Model *me)", "rates", rates).replace("{\n", "{\n    TRY(outputs(me));\n", 1),
            function("indicators(Model *me)", "indicators", indicators).replace("{\n", "{\n    TRY(outputs(me));\n", 1),
            function("update(Model *me)", "update", update),
            function("on_instantiate(Model *me)", "instantiate"),
            function("on_initialize(Model *me)", "initialize"),
            function("on_completed(Model *me)", "completed"),
            function("on_step(Model *me, double step_size)", "step"),
            function("on_free(Model *me)", "free"),
            f"static double partial(Model *me, unsigned unknown, unsigned known)\n{{\n    {known}\n{partials}    return 0;\n}}\n",
        ]
    )


# -- descriptions ------------------------------------------------------------------------------------------------------


def _tag(name: str, content: str = "", /, **attributes: object) -> str:
    written = "".join(
        f" {key}={quoteattr(str(value).lower() if isinstance(value, bool) else str(value))}"
        for key, value in attributes.items()
        if value is not None and value != ""
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def _start(variable: Variable) -> str | None:
    """As written; what the FMU computes has none."""
    if variable.value is not None:
        return None
    return repr(bool(variable.start)).lower() if variable.type == "Boolean" else f"{variable.start:.17g}"


def _initial(variable: Variable) -> str | None:
    if variable.causality == "input":
        return None
    return "exact" if variable.value is None else "calculated"


def description(model: Model, version: int, token: str) -> str:
    """modelDescription.xml."""
    place = {name: k for k, name in enumerate(model.names)}
    units = sorted({v.unit for v in model.variables} - {""})
    unit_definitions = "".join(_tag("Unit", f"<BaseUnit {_BASE_UNITS[u]}/>" if u in _BASE_UNITS else "", name=u) for u in units)
    outputs = [v for v in model.variables if v.causality == "output"]

    def depends(names: Sequence[str] | None) -> dict[str, str]:
        return {} if names is None else {"dependencies": " ".join(str(place[name]) for name in names)}

    listed = {
        "Output": [(v.name, depends(v.depends if v.rate is None or v.depends is None else [v.name])) for v in outputs],
        "Derivative": [(v.der, depends(v.depends)) for v in model.states],
        "InitialUnknown": [(v.name, {}) for v in outputs if v.value is not None] + [(v.der, {}) for v in model.states],
        "EventIndicator": [(f"indicator{k}", {}) for k in range(1, len(model.indicators) + 1)],
    }

    def unknowns(kind: str, tag: str, key: str) -> str:
        # An empty list of dependencies must be written.
        return "".join(
            f"<{tag} {key}={quoteattr(str(place[name]))}" + "".join(f" {k}={quoteattr(v)}" for k, v in rest.items()) + "/>"
            for name, rest in listed[kind]
        )

    root = {"modelName": model.name, "description": "written by hand", "generationTool": "tests/support/foreign"}
    if version == 2:
        attributes = {"modelIdentifier": model.name, "providesDirectionalDerivative": model.partials is not None or None}
        rollback = {"canGetAndSetFMUstate": model.rollback or None}
        interfaces = {
            "me": _tag("ModelExchange", **attributes, **rollback, completedIntegratorStepNotNeeded=not model.wants_completed or None),
            "cs": _tag("CoSimulation", **attributes, **rollback, canHandleVariableCommunicationStepSize=True),
        }
        variables = [
            _tag(
                "ScalarVariable",
                _tag(v.type, start=_start(v), unit=v.unit),
                name=v.name,
                valueReference=place[v.name],
                causality=v.causality,
                variability=v.variability,
                initial=_initial(v),
            )
            for v in model.variables
        ] + [
            _tag(
                "ScalarVariable",
                _tag("Real", derivative=place[v.name]),
                name=v.der,
                valueReference=place[v.der],
                causality="local",
                variability="continuous",
                initial="calculated",
            )
            for v in model.states
        ]
        # Indices count from 1 and there is no independent variable, so that they are the value references.
        structure = "".join(
            _tag(group, content)
            for group, content in (
                ("Outputs", unknowns("Output", "Unknown", "index")),
                ("Derivatives", unknowns("Derivative", "Unknown", "index")),
                ("InitialUnknowns", unknowns("InitialUnknown", "Unknown", "index")),
            )
            if content
        )
        root |= {"fmiVersion": "2.0", "guid": token, "numberOfEventIndicators": str(len(model.indicators))}
    else:
        attributes = {"modelIdentifier": model.name, "providesDirectionalDerivatives": model.partials is not None or None}
        rollback = {"canGetAndSetFMUState": model.rollback or None}
        interfaces = {
            "me": _tag("ModelExchange", **attributes, **rollback, needsCompletedIntegratorStep=model.wants_completed or None),
            "cs": _tag("CoSimulation", **attributes, **rollback, canHandleVariableCommunicationStepSize=True),
        }
        types = {"Real": "Float64", "Integer": "Int32", "Boolean": "Boolean"}
        variables = [
            _tag("Float64", name="time", valueReference=0, causality="independent", variability="continuous"),
            *(
                _tag(
                    types[v.type],
                    name=v.name,
                    valueReference=place[v.name],
                    causality=v.causality,
                    variability=v.variability,
                    initial=_initial(v),
                    start=_start(v),
                    unit=v.unit,
                )
                for v in model.variables
            ),
            *(
                _tag("Float64", name=v.der, valueReference=place[v.der], initial="calculated", derivative=place[v.name])
                for v in model.states
            ),
            *(_tag("Float64", name=name, valueReference=place[name], initial="calculated") for name, _ in listed["EventIndicator"]),
        ]
        structure = unknowns("Output", "Output", "valueReference")
        structure += unknowns("Derivative", "ContinuousStateDerivative", "valueReference")
        structure += unknowns("InitialUnknown", "InitialUnknown", "valueReference")
        structure += unknowns("EventIndicator", "EventIndicator", "valueReference")
        root |= {"fmiVersion": "3.0", "instantiationToken": token}
    content = "".join(interfaces[kind] for kind in model.kinds)
    content += _tag("UnitDefinitions", unit_definitions) if units else ""
    content += _tag("ModelVariables", "".join(variables)) + _tag("ModelStructure", structure)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _tag("fmiModelDescription", content, **root) + "\n"


# -- archives ----------------------------------------------------------------------------------------------------------


@cache
def _folder() -> Path:
    chosen = os.environ.get("JOURDAIN_CACHE")
    return Path(chosen) / "foreign" if chosen else Path(tempfile.mkdtemp(prefix="foreign-fmus-"))


def _kept(name: str, content: str, make: Callable[[Path], None]) -> Path:
    """The file of a name that ``make`` writes, made once for each content."""
    path = _folder() / hashlib.sha256((content + platform.machine()).encode()).hexdigest()[:24] / f"{name}.fmu"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
            made = Path(scratch) / path.name
            make(made)
            # Others may make the same at the same time; a rename is atomic.
            os.replace(made, path)
    return path


def compiled(sources: Sequence[Path], library: Path) -> bytes:
    """A shared library that needs libc and libm alone."""
    command = ["gcc", "-std=c11", "-O1", "-fPIC", "-shared", "-w", f"-I{HEADERS}", "-o", str(library), *map(str, sources), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return library.read_bytes()


def _native(version: int) -> str:
    return "linux64" if version == 2 else "x86_64-linux"


def export(
    model: Model,
    version: int = 3,
    without: str | None = None,
    folder: str | None = None,
    binary: bytes | None = None,
) -> Path:
    """The FMU of a model; ``without`` a function that it must have, with its binary in another ``folder``, or with another binary."""
    token = hashlib.sha256(repr(model).encode()).hexdigest()[:32]
    source, xml = c_code(model, version, token), description(model, version, token)
    if without:
        assert f"{without}(" in source, without
        source = re.sub(rf"\b{without}\b", "left_out", re.sub(rf"^{without}TYPE .*$", "", source, flags=re.MULTILINE))

    def make(path: Path) -> None:
        c_file = path.with_suffix(".c")
        c_file.write_text(source)
        library = compiled([c_file], path.with_suffix(".so")) if binary is None else binary
        suffix = ".dll" if folder and "win" in folder else ".so"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", xml)
            archive.writestr(f"binaries/{folder or _native(version)}/{model.name}{suffix}", library)

    return _kept(model.name, f"{source}{xml}{folder}{binary!r}", make)


# -- well-behaved FMUs -------------------------------------------------------------------------------------------------

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

By hand: the sum and 2a - 3b + 2c = 9 give b = -9/5 and a = 9/5 - c, so that c^2 = 5 - a^2 - b^2 becomes c^2 - 9/5 c + 37/50 = 0,
c = 0.9 +- sqrt(0.07). Both are positive: with c = -sqrt(...) there is no solution unless 9 becomes -9, which mirrors everything.
The radicand is negative where |9/5 - c| > sqrt(1.76), that is for c < 0.4734 and c > 3.1266, c = 0 among them.
Substitution, c -> sqrt(5 - a^2 - b^2), approaches the first solution by a factor of 0.546 each time, and flees the second by 1.83."""


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
    """Two FMUs in a nonlinear algebraic loop, ``Linear`` and ``Sphere``; neither has a state.

    Linear has the input c and the outputs a, b with a + b + c = 0, 2a - 3b + 2c = 9; Sphere has the inputs a, b and the output
    c = sqrt(5 - a^2 - b^2). On the branch ``negative`` the 9 is -9 and the root is taken negative; on the branch ``none`` the root
    alone is negative, and the loop has no solution. ``start`` is the start value of Linear's c, 1 or -1 where none is given.
    ``outside``: what Sphere answers where the radicand is negative: ``discard`` with a message, or ``nan``.
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
    """y = factor u, with everything declared; the factor is a parameter."""
    return export(
        Model(
            "Gain",
            [Variable("factor", "parameter", factor), Variable("u", "input"), Variable("y", "output", value="factor * u", depends=["u"])],
            partials={("y", "u"): "factor"},
        ),
        version,
    )


def mass_spring(version: int = 3, rollback: bool = False) -> Path:
    """Mass on a spring, m v' = f - k x, with the outputs x and v; no dependencies and no derivatives are declared."""
    return export(
        Model(
            "MassSpring",
            [
                Variable("m", "parameter", 1.0, "kg"),
                Variable("k", "parameter", 100.0, "N/m"),
                Variable("f", "input", 0.0, "N"),
                Variable("x", "output", 0.1, "m", rate="v"),
                Variable("v", "output", 0.0, "m/s", rate="(f - k * x) / m"),
            ],
            rollback=rollback,
        ),
        version,
    )


def two_events(version: int = 3) -> Path:
    """State and time events: x grows at rate 1, from the time event at 0.35 on at rate 2; where it reaches 1 it drops by 1.

    ``level``, a discrete output, counts the drops, ``fast`` is a Boolean output, ``y`` = x + level a continuous one.
    """
    return export(
        Model(
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
        ),
        version,
    )


def two_events_exact(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and level of :func:`two_events`; the state events are at 0.675, 1.175, 1.675 ..."""
    grown = np.where(t < 0.35, t, 2 * t - 0.35)
    return grown - np.floor(grown), np.floor(grown)


def counter(version: int = 3) -> Path:
    """A clock without states: every ``period`` the Integer ``count`` grows by 1 and the Boolean ``odd`` changes.

    The first event is at ``period``; there is a Real input u and an output y = u + count. The Integer input ``step`` and the
    Boolean input ``running`` govern the counting.
    """
    return export(
        Model(
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
        ),
        version,
    )


# -- misbehaving FMUs --------------------------------------------------------------------------------------------------

BURNT_OUT = "the oscillator has burnt out"
NOT_YET = "the oscillator cannot be evaluated here"
TOO_LONG = "the step is too long for the oscillator"
NO_LICENCE = "no licence for the oscillator was found"
NO_EQUILIBRIUM = "the oscillator finds no equilibrium to start from"

_OSCILLATOR = Model(
    "Oscillator",
    [
        Variable("u", "input"),
        Variable("x", "output", 1.0, rate="v", depends=["v"]),
        Variable("v", "output", 0.0, rate="u - x", depends=["u", "x"]),
        Variable("y", "output", value="x", depends=["x"]),
    ],
)
"""x'' = u - x from x = 1: cos t for u = 0."""


def oscillator(version: int = 3, rollback: bool = False) -> Path:
    """The sound one: x'' = u - x from x = 1 at rest, with the outputs x, v and y = x."""
    return export(replace(_OSCILLATOR, rollback=rollback), version)


def of_oscillator(version: int = 3, outputs: Sequence[Variable] = (), **hooks: str) -> Path:
    """An oscillator whose state can be saved, with these hooks, and in place of y these outputs."""
    kept = _OSCILLATOR.variables[:-1] if outputs else _OSCILLATOR.variables
    return export(replace(_OSCILLATOR, variables=[*kept, *outputs], hooks=hooks, rollback=True), version)


def fails_at(t: float = 0.5, *, version: int = 3) -> Path:
    """An oscillator whose derivatives, from a time on, end in an Error with the message BURNT_OUT; in Co-Simulation, whose steps do."""
    hook = f'if (time >= {t!r}) return say(me, Error, "{BURNT_OUT}");'
    return export(replace(_OSCILLATOR, hooks={"rates": hook}), version)


def discards_at(t: float = 0.5, *, version: int = 3) -> Path:
    """An oscillator whose derivatives, from a time on, end in a Discard with the message NOT_YET: shorter steps only delay that.

    In Co-Simulation the step ends in a Discard, and the last successful time is close to t.
    """
    hook = f'if (time >= {t!r}) return say(me, Discard, "{NOT_YET}");'
    return export(replace(_OSCILLATOR, hooks={"rates": hook}), version)


def discards_long_steps(longest: float = 0.01, *, version: int = 3) -> Path:
    """An oscillator that goes through if the steps are short: whatever lies more than ``longest`` after the last completed step is
    discarded with the message TOO_LONG. It wants to hear of completed steps; in Co-Simulation it discards long steps."""
    slack = longest * (1 + 1e-9)
    return export(
        replace(
            _OSCILLATOR,
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
    variables = [*_OSCILLATOR.variables[:-1], Variable("y", "output", value=f"time >= {t!r} ? NAN : x", depends=["x"])]
    return export(replace(_OSCILLATOR, variables=variables), version)


def hidden_jump(t: float = 0.5, *, version: int = 3) -> Path:
    """x' jumps from 1 to -1 at a time without any event: x = t before, 2 t_jump - t after."""
    variables = [Variable("x", "output", 0.0, rate=f"time < {t!r} ? 1 : -1", depends=[])]
    return export(Model("HiddenJump", variables), version)


def hidden_chatter(version: int = 3) -> Path:
    """x' = -sign(x) from x = 1, without an event: from t = 1 on it slides along x = 0, as far as the step size allows."""
    return export(Model("HiddenChatter", [Variable("x", "output", 1.0, rate="x > 0 ? -1 : x < 0 ? 1 : 0", depends=["x"])]), version)


def lies_about_dependencies(version: int = 3, honest: bool = False) -> Path:
    """x' = -x from 1, y = x + 2 u: y is declared independent of u, on which it depends directly. The ``honest`` one declares it."""
    variables = [
        Variable("u", "input"),
        Variable("x", "local", 1.0, rate="-x", depends=["x"]),
        Variable("y", "output", value="x + 2 * u", depends=["x", "u"] if honest else ["x"]),
    ]
    return export(Model("Liar", variables), version)


def crashes_on_instantiate(version: int = 3) -> Path:
    """Instantiation logs NO_LICENCE and returns nothing."""
    return export(replace(_OSCILLATOR, hooks={"instantiate": f'return say(me, Error, "{NO_LICENCE}");'}), version)


def fails_in_initialization(version: int = 3) -> Path:
    """Leaving Initialization Mode ends in an Error with the message NO_EQUILIBRIUM."""
    return export(replace(_OSCILLATOR, hooks={"initialize": f'return say(me, Error, "{NO_EQUILIBRIUM}");'}), version)


def missing_symbol(version: int = 3) -> Path:
    """The binary lacks the function that gives the derivatives: MISSING[version]."""
    return export(_OSCILLATOR, version, without=MISSING[version])


MISSING = {2: "fmi2GetDerivatives", 3: "fmi3GetContinuousStateDerivatives"}


def wrong_platform(version: int = 3) -> Path:
    """There is a binary for Windows alone."""
    return export(_OSCILLATOR, version, folder="win64" if version == 2 else "x86_64-windows", binary=b"MZ")


def corrupt_binary(version: int = 3) -> Path:
    """The binary is no library."""
    return export(_OSCILLATOR, version, binary=b"an answer from a proxy instead of a library\n" * 20)


def no_model_exchange(version: int = 3) -> Path:
    """The oscillator for Co-Simulation alone."""
    return export(replace(_OSCILLATOR, kinds=("cs",)), version)


# -- CasADi ------------------------------------------------------------------------------------------------------------


def casadi_dae(model: str = "pendulum", units: bool = False) -> Path:
    """An FMU with algebraic variables that CasADi's DaeBuilder exports; see below for what is peculiar about it.

    ``pendulum``: a mass of 1 on a rod of length 1 in Cartesian coordinates, x' = vx, y' = vy, vx' = f - lam x, vy' = -lam y - g, with
    the multiplier lam, and the constraint at acceleration level as residual; from x = 0.6, y = -0.8 at rest. Input f, parameter g,
    outputs ``px`` = x, ``py`` = y and ``tension`` = lam. The residual is affine in lam.

    ``diode``: a capacitor C that a source u charges through a resistor R and a diode; the state is its voltage vc, the algebraic variable
    the voltage vd of the diode, with the residual u - R i - vd - vc, i = Is (exp(vd/Vt) - 1). Input u, output ``current`` = i. The residual
    is nonlinear, and Newton's method from the start value vd = 0 first jumps to 0.73, where i is 34 times what it will be.

    What CasADi 3.8.2 makes of it, found by trying:

    - FMI 3.0, Model Exchange alone, with directional and adjoint derivatives; the C sources compile with gcc into a library that needs
      libc and libm alone. ``canGetAndSetFMUState`` is not declared, and such calls return Fatal.
    - The manifest is of the old draft: root ``fmiLayeredStandardManifest``, attributes with the prefix ``fmi-ls`` that is declared
      nowhere (no namespace-aware XML parser reads it), an empty version, ``<Residual><Formulation index="1" .../></Residual>``, and no
      switch: the DAE mode is always on, and entering Configuration Mode returns Fatal.
    - An algebraic variable is local with initial="calculated" and without a start value in the description; the binary has one. It can
      be set with fmi3SetFloat64 at any time. The residual is the local variable ``__alg__0``, to be got with fmi3GetFloat64, and an
      unknown of directional derivatives. It is minus what was declared: ``eq(0, r)`` becomes 0 - r.
    - Nothing is solved inside: until the importer sets the algebraic variable, it has its start value.
    - States are local with initial="calculated" and no start value as well unless they are given initial="exact", as in the pendulum; in
      the diode they are left as CasADi makes them, so that the start value of vc, 0.2, is known to the binary alone.
    - In the ModelStructure of modelDescription.xml too, outputs and derivatives depend on the algebraic variable, which is no known of
      the standard. Beside the variables of the model there are ``__assign__der(x)__`` and the like: illegal names that always are 0.
    - Units are written, but not defined in UnitDefinitions; FMPy refuses to read that (``validate=False`` helps), hence ``units``.
    - fmi3CompletedIntegratorStep returns OK without writing its two flags: whoever calls it must preset them to false.
    - fmi3GetEventIndicators returns Fatal where there are none. No message is ever logged, and no token or order of calls is checked.
    - fmi3SetTime alone does not invalidate what has been computed, the variable ``time`` is always 0, and derivatives are taken at
      t = 0: a model whose equations contain the time is wrong unless states or inputs are set after the time. These two contain none.
    - Directional derivatives are right as long as adjoint ones are never asked for, and the other way round: seeds and results share
      one array, of which either call leaves unasked-for results behind, which the other one takes for seeds.
    """
    import casadi

    builder, key = {"pendulum": _casadi_pendulum, "diode": _casadi_diode}[model], (model, units, DIODE, casadi.__version__)

    def make(path: Path) -> None:
        name = f"casadi_{model}"
        with contextlib.chdir(path.parent):  # CasADi writes where it stands
            dae = casadi.DaeBuilder(name)
            builder(casadi, dae, units)
            files = {Path(local): Path(target) for local, target in dae.export_fmu({"no_warning": True}).items()}
            library = compiled([local for local in files if local.suffix == ".c"], Path("library.so"))
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for local, target in files.items():
                    archive.write(local, os.path.normpath(target))
                archive.writestr(f"binaries/{_native(3)}/{name}.so", library)

    return _kept(f"casadi_{model}", f"{key}{inspect.getsource(builder)}", make)


def _casadi_pendulum(casadi, dae, units: bool) -> None:
    def options(unit: str, **others: object) -> dict[str, object]:
        return others | ({"unit": unit} if units else {})

    dae.add("time", "independent")
    g = dae.add("g", "parameter", "tunable", options("m/s2", start=9.81))
    f = dae.add("f", "input", options("N", start=0.0))
    x = dae.add("x", options("m", start=0.6, initial="exact"))
    y = dae.add("y", options("m", start=-0.8, initial="exact"))
    vx = dae.add("vx", options("m/s", start=0.0, initial="exact"))
    vy = dae.add("vy", options("m/s", start=0.0, initial="exact"))
    lam = dae.add("lam", options("N/m", start=1.0))
    px, py = dae.add("px", "output", options("m")), dae.add("py", "output", options("m"))
    tension = dae.add("tension", "output", options("N"))
    ax, ay = f - lam * x, -lam * y - g
    for left, right in ((dae.der(x), vx), (dae.der(y), vy), (dae.der(vx), ax), (dae.der(vy), ay)):
        dae.eq(left, right)
    dae.eq(0, vx**2 + vy**2 + x * ax + y * ay)
    for left, right in ((px, x), (py, y), (tension, lam)):
        dae.eq(left, right)


def casadi_pendulum_exact(times: np.ndarray) -> dict[str, np.ndarray]:
    """x, y, vx, vy and lam of the pendulum without the force, in elliptic functions; the angle is counted from hanging down."""
    phi, omega = swing(np.asarray(times), math.atan2(0.6, 0.8), 0.0, math.sqrt(9.81))
    x, y = np.sin(phi), -np.cos(phi)
    return {"x": x, "y": y, "vx": omega * np.cos(phi), "vy": omega * np.sin(phi), "lam": omega**2 - 9.81 * y}


DIODE = {"R": 1.0, "C": 1.0, "Is": 0.01, "Vt": 0.1, "u": 1.0, "vc": 0.2}


def _casadi_diode(casadi, dae, units: bool) -> None:
    R, C, Is, Vt, source, charge = (DIODE[name] for name in ("R", "C", "Is", "Vt", "u", "vc"))
    unit = {"unit": "V"} if units else {}
    dae.add("time", "independent")
    u = dae.add("u", "input", {"start": source, **unit})
    vc = dae.add("vc", {"start": charge, **unit})
    vd = dae.add("vd", {"start": 0.0, **unit})
    current = dae.add("current", "output", {"unit": "A"} if units else {})
    i = Is * (casadi.exp(vd / Vt) - 1)
    dae.eq(dae.der(vc), i / C)
    dae.eq(0, u - R * i - vd - vc)
    dae.eq(current, i)


def casadi_diode_exact(times: np.ndarray) -> dict[str, np.ndarray]:
    """vc, vd and current of the diode under its constant source.

    By the current i, u = R i + vd + vc with vd = Vt log(1 + i/Is) and vc' = i/C becomes dt = -C (R/i + Vt/(i (Is + i))) di, and so
    t = C (R log(i0/i) + Vt/Is (L(i0) - L(i))), L(i) = log(i/(Is + i)), which a bracketing search inverts.
    """
    R, C, Is, Vt, u, vc = (DIODE[name] for name in ("R", "C", "Is", "Vt", "u", "vc"))

    def diode(i: float) -> float:
        return Vt * math.log1p(i / Is)

    first = brentq(lambda i: R * i + diode(i) + vc - u, 0.0, u / R, xtol=1e-16, rtol=1e-15)

    def later(t: float) -> float:
        def surplus(log_i: float) -> float:
            i = math.exp(log_i)
            return C * (R * math.log(first / i) + Vt / Is * (math.log(first / (Is + first)) - math.log(i / (Is + i)))) - t

        return math.exp(brentq(surplus, math.log(first) - 30, math.log(first) + 1e-9, xtol=1e-15, rtol=1e-15))

    current = np.array([later(float(t)) for t in np.asarray(times)])
    vd = np.array([diode(i) for i in current])
    return {"vc": u - R * current - vd, "vd": vd, "current": current}
