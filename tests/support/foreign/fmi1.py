"""FMI 1.0 of a model: its C functions and its description."""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.foreign.description import initial_of, start_text, tag
from tests.support.foreign.model import Model, Variable

FUNCTIONS = r"""
typedef struct { void (*logger)(void *, const char *, int, const char *, const char *, ...); void *(*allocate)(size_t, size_t); void (*release)(void *); } Callbacks;
typedef struct { char converged, references_changed, values_changed, terminate, next_defined; double next; } EventInfo;
typedef void (*Logger)(void *, const char *, int, const char *, const char *, ...);

static int say(Model *m, int status, const char *text)
{
    if (m->log) ((Logger)m->log)(m, m->name, status, "log", text); /* the component, which is not the environment of a master */
    return status;
}

#define M Model *m = c;
const char *fmi_GetVersion(void) { return "1.0"; }
const char *fmi_GetModelTypesPlatform(void) { return "standard32"; }
const char *fmi_GetTypesPlatform(void) { return "standard32"; }
int fmi_SetDebugLogging(void *c, char on) { return Ok; }
int fmi_GetReal(void *c, const unsigned r[], size_t n, double value[]) { M GET(double) }
int fmi_GetInteger(void *c, const unsigned r[], size_t n, int value[]) { M GET(int) }
int fmi_GetBoolean(void *c, const unsigned r[], size_t n, char value[]) { M GET(char) }
int fmi_SetReal(void *c, const unsigned r[], size_t n, const double value[]) { M SET }
int fmi_SetInteger(void *c, const unsigned r[], size_t n, const int value[]) { M SET }
int fmi_SetBoolean(void *c, const unsigned r[], size_t n, const char value[]) { M SET }

static void inform(Model *m, EventInfo *e)
{
    memset(e, 0, sizeof *e);
    e->converged = !m->again;
    e->values_changed = m->states_changed;
    e->next_defined = isfinite(m->next);
    e->next = e->next_defined ? m->next : 0;
}

int fmi_GetString(void) { return Error; }
int fmi_SetString(void) { return Error; }

#ifdef SLAVE
void *fmi_InstantiateSlave(const char *name, const char *guid, const char *location, const char *mime, double timeout, char visible, char interactive,
                           Callbacks functions, char logging)
{
    if (strncmp(location, "file://", 7) || strcmp(mime, "application/x-fmu-sharedlibrary")) return NULL;
    return begin(name, 1, guid, NULL, (void (*)(void))functions.logger);
}
int fmi_InitializeSlave(void *c, double start, char has_stop, double stop)
{
    M ALLOW(INSTANTIATED)
    m->v[0] = start;
    return initialized(m);
}
int fmi_TerminateSlave(void *c) { M ALLOW(STEP) m->mode = TERMINATED; return Ok; }
int fmi_ResetSlave(void *c)
{
    M memcpy(m->v, starts, sizeof starts);
    m->mode = INSTANTIATED, m->next = INFINITY, m->point = m->asks = 0;
    return Ok;
}
void fmi_FreeSlaveInstance(void *c) { on_free(c); free(c); }
int fmi_SetRealInputDerivatives(void *c, const unsigned r[], size_t n, const int order[], const double value[])
{
    M ALLOW(STEP)
    if (n > INPUTS) return say(m, Error, "there are fewer inputs than that");
    for (size_t i = 0; i < n; i++) {
        if (order[i] > INPUT_ORDERS) return say(m, Error, "derivatives of that order are not taken");
        m->derivative[order[i]][r[i]] = value[i];
    }
    return Ok;
}
int fmi_DoStep(void *c, double t, double h, char is_new)
{
    M ALLOW(STEP)
    if (is_new != (!m->asks++ || t != m->asked)) return say(m, Error, "newStep is wrong");
    m->asked = t;
    return do_step(m, t, h);
}
int fmi_GetRealStatus(void *c, int kind, double *value)
{
    M *value = m->v[0];
    return kind == 2 ? Ok : Discard;
}
int fmi_GetRealOutputDerivatives(void) { return Error; }
int fmi_CancelStep(void) { return Error; }
int fmi_GetStatus(void) { return Error; }
int fmi_GetIntegerStatus(void) { return Error; }
int fmi_GetBooleanStatus(void) { return Error; }
int fmi_GetStringStatus(void) { return Error; }
#else
void *fmi_InstantiateModel(const char *name, const char *guid, Callbacks functions, char logging)
{
    return begin(name, 0, guid, NULL, (void (*)(void))functions.logger);
}
int fmi_SetTime(void *c, double t) { M ALLOW(INSTANTIATED | CONTINUOUS) m->v[0] = t; return Ok; }
int fmi_Initialize(void *c, char tolerance_controlled, double tolerance, EventInfo *e)
{
    M ALLOW(INSTANTIATED)
    TRY(initialized(m));
    m->mode = CONTINUOUS;
    do TRY(update(m)); while (m->again);
    inform(m, e);
    return Ok;
}
int fmi_EventUpdate(void *c, char intermediate, EventInfo *e)
{
    M ALLOW(CONTINUOUS)
    int changed = 0;
    do { TRY(update(m)); changed |= m->states_changed; } while (m->again && !intermediate);
    m->states_changed = changed;
    inform(m, e);
    return Ok;
}
int fmi_SetContinuousStates(void *c, const double x[], size_t n)
{
    M ALLOW(CONTINUOUS)
    for (size_t i = 0; i < n; i++) m->v[state[i]] = x[i];
    return Ok;
}
int fmi_GetContinuousStates(void *c, double x[], size_t n)
{
    M ALLOW(CONTINUOUS)
    for (size_t i = 0; i < n; i++) x[i] = m->v[state[i]];
    return Ok;
}
int fmi_GetNominalContinuousStates(void *c, double x[], size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = 1;
    return Ok;
}
int fmi_GetStateValueReferences(void *c, unsigned r[], size_t n)
{
    for (size_t i = 0; i < n; i++) r[i] = state[i];
    return Ok;
}
int fmi_GetDerivatives(void *c, double dx[], size_t n)
{
    M ALLOW(CONTINUOUS)
    TRY(rates(m));
    memcpy(dx, m->v + FIRST_RATE, n * sizeof *dx);
    return Ok;
}
int fmi_GetEventIndicators(void *c, double z[], size_t n)
{
    M ALLOW(CONTINUOUS)
    TRY(indicators(m));
    memcpy(z, m->v + FIRST_INDICATOR, n * sizeof *z);
    return Ok;
}
int fmi_CompletedIntegratorStep(void *c, char *update)
{
    M ALLOW(CONTINUOUS)
    *update = 0;
    TRY(on_completed(m));
    m->completed = m->v[0];
    return Ok;
}
int fmi_Terminate(void *c) { M ALLOW(CONTINUOUS) m->mode = TERMINATED; return Ok; }
void fmi_FreeModelInstance(void *c) { on_free(c); free(c); }
#endif
"""


def functions(model: Model) -> str:
    """Returns the functions of an FMU of the model's first kind, with its model identifier as prefix."""
    return ("#define SLAVE\n" if model.kinds[0] == "cs" else "") + FUNCTIONS.replace("fmi_", f"{model.name}_fmi")


def description(model: Model, token: str) -> str:
    """Returns the text of modelDescription.xml. Derivatives are ordinary variables, and no list says so."""
    place = {name: k for k, name in enumerate(model.names)}
    inputs = [v.name for v in model.variables if v.causality == "input"]

    def dependency(v: Variable) -> str:
        if v.causality != "output" or v.depends is None:
            return ""
        known: Sequence[str] = [name for name in v.depends if name in inputs] if v.rate is None else []
        return f"<DirectDependency>{''.join(f'<Name>{name}</Name>' for name in known)}</DirectDependency>"

    variables = [
        tag(
            "ScalarVariable",
            tag(v.type, start=start_text(v), fixed=True if initial_of(v) == "exact" else None, unit=v.unit) + dependency(v),
            name=v.name,
            valueReference=place[v.name],
            causality=v.causality if v.causality in ("input", "output") else "internal",
            variability="parameter" if v.variability == "fixed" else v.variability,
        )
        for v in model.variables
    ] + [tag("ScalarVariable", tag("Real"), name=v.der, valueReference=place[v.der]) for v in model.states]
    content = tag("ModelVariables", "".join(variables))
    if model.kinds[0] == "cs":
        capabilities = tag(
            "Capabilities", canHandleVariableCommunicationStepSize=True, canInterpolateInputs=model.input_orders > 0, **model.declares
        )
        content += tag("Implementation", tag("CoSimulation_StandAlone", capabilities))
    root = {
        "fmiVersion": "1.0",
        "modelName": model.name,
        "modelIdentifier": model.name,
        "guid": token,
        "generationTool": "tests/support/foreign",
        "numberOfContinuousStates": str(len(model.states)),
        "numberOfEventIndicators": str(len(model.indicators)),
    }
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tag("fmiModelDescription", content, **root) + "\n"
