"""The C source of a model: a template for each version of FMI, and the model's own expressions."""

from __future__ import annotations

import re
from pathlib import Path

import fmpy

from tests.support.foreign.fmi1 import functions
from tests.support.foreign.model import HOOKS, Model

HEADERS = Path(fmpy.__file__).parent / "c-code"

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
    double point;         /* the end of the last step */
    double derivative[3][VALUES + 1], base[VALUES + 1]; /* of inputs, and what they were, at that time */
    double next;          /* time of the next time event */
    double asked;         /* start of the last step that was asked for (FMI 1) */
    int asks;
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
#define TRY(call) do { int status_ = (call); if (status_ < Ok || status_ > Warning) return status_; } while (0)

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
        for (int j = 0; j < NX; j++) if ((unsigned)state[j] == r[i]) ALLOW(INSTANTIATED | INITIALIZATION) \
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
        const double d = m->v[0] - m->point;
        for (int i = 0; i < VALUES; i++)
            if (m->derivative[1][i] || m->derivative[2][i])
                m->v[i] = m->base[i] + d * (m->derivative[1][i] + d * m->derivative[2][i] / 2);
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
    if (fabs(start - (INTERNAL_STEP ? m->point : m->v[0])) > 1e-9) return say(m, Error, "the step does not begin where the last one ended");
    TRY(on_step(m, size));
    memcpy(m->base, m->v, sizeof m->v);
    m->point = start;
    int status = advance(m, INTERNAL_STEP ? floor((start + size) / INTERNAL_STEP + 1e-9) * INTERNAL_STEP : start + size);
    if (status <= Warning) m->point = start + size;
    memset(m->derivative, 0, sizeof m->derivative);
    return status;
}
"""

SHARED = r"""
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
    Model own = *m;
    memcpy(m, s, sizeof *m);
    m->environment = own.environment, m->log = own.log; /* the state may come from another process */
    return Ok;
}
fmi_Status fmi_FreeFMUState(void *c, void **s) { free(*s); *s = NULL; return Ok; }
fmi_Status fmi_SerializedFMUStateSize(void *c, void *s, size_t *size) { *size = sizeof(Model); return Ok; }
fmi_Status fmi_SerializeFMUState(void *c, void *s, fmi_Byte bytes[], size_t size) { memcpy(bytes, s, size); return Ok; }
fmi_Status fmi_DeserializeFMUState(void *c, const fmi_Byte bytes[], size_t size, void **s)
{
    *s = malloc(sizeof(Model));
    memcpy(*s, bytes, sizeof(Model));
    return Ok;
}

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
fmi2Status fmi2SetRealInputDerivatives(void *c, const unsigned r[], size_t n, const int order[], const double value[])
{
    M ALLOW(STEP)
    if (n > INPUTS) return say(m, Error, "there are fewer inputs than that");
    for (size_t i = 0; i < n; i++) {
        if (order[i] > INPUT_ORDERS) return say(m, Error, "derivatives of that order are not taken");
        m->derivative[order[i]][r[i]] = value[i];
    }
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
    if (events) {
        log(environment, fmi3Error, "log", "Event Mode is not supported");
        return NULL;
    }
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
fmi3Status fmi3GetFloat32(void *c, const unsigned r[], size_t n, float value[], size_t nv) { M GET(float) }
fmi3Status fmi3GetInt32(void *c, const unsigned r[], size_t n, fmi3Int32 value[], size_t nv) { M GET(int) }
fmi3Status fmi3GetBoolean(void *c, const unsigned r[], size_t n, _Bool value[], size_t nv) { M GET(_Bool) }
fmi3Status fmi3SetFloat64(void *c, const unsigned r[], size_t n, const double value[], size_t nv) { M SET }
fmi3Status fmi3SetFloat32(void *c, const unsigned r[], size_t n, const float value[], size_t nv) { M SET }
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
    f"fmi_{verb}FMUState{of}": f"fmi2{verb.replace('Des', 'DeS')}FMUstate{of}"
    for verb, of in (("Get", ""), ("Set", ""), ("Free", ""), ("Serialized", "Size"), ("Serialize", ""), ("Deserialize", ""))
}


def _template(version: int) -> str:
    """The functions of a version of the standard."""
    shared = SHARED
    for name, other in _NAMES_OF_2.items() if version == 2 else ():
        shared = shared.replace(name, other)
    return shared.replace("fmi_", f"fmi{version}") + (_FMI2 if version == 2 else _FMI3)


def c_code(model: Model, version: int, token: str) -> str:
    """The complete C source of an FMU."""
    assert all(name in HOOKS for name in model.hooks), model.hooks
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
    template = functions(model) if version == 1 else _template(version)
    header = HEADERS / f"fmi{version}FunctionTypes.h"
    declared = set(re.findall(r"\b(fmi\d\w+)TYPE\b", header.read_text())) if version > 1 else set()
    defined = set(re.findall(r"^\w[\w ]*[ *](fmi\d\w+)\(", template, re.MULTILINE))
    return "\n".join(
        [
            f'#include "{header.name}"' if version > 1 else "",
            f'#define TOKEN "{token}"',
            f"#define VALUES {len(place)}",
            f"#define NX {len(states)}",
            f"#define FIRST_RATE {1 + len(model.variables)}",
            f"#define INTERNAL_STEP {model.internal_step!r}",
            f"#define INPUT_ORDERS {model.input_orders}",
            f"#define INPUTS {sum(v.causality == 'input' for v in model.variables)}",
            f"#define FIRST_INDICATOR {1 + len(model.variables) + len(states)}",
            f"#define HAS_PARTIALS {int(model.partials is not None)}",
            f"#define ROLLBACK {int(model.rollback)}",
            f"static const double starts[] = {{{', '.join(map(repr, starts))}}};",
            f"static const int state[NX + 1] = {{{', '.join(map(str, [*states, 0]))}}};",
            *(f"{name}TYPE {name};" for name in sorted(defined & declared)),
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
