/* A slave of FMI 3 with x' = u that has an event at each multiple of `period`, and ends its step there. Each step has eight parts, in which it
 * asks for inputs at the middle and at the end, and may be asked to return at the end. Integration by Simpson's rule is exact for polynomials of u. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fmi3FunctionTypes.h"

enum { TIME, U, PERIOD, X, COUNT, INSIDE, ASKED, ODD, STEPS, PAUSE, VARIABLES, PARTS = 8 };

typedef struct {
    double v[VARIABLES]; /* by their references; PAUSE: seconds of the clock for each part, INSIDE: events in the middle of a step, ODD: answers to updates that the standard does not allow */
    int early, stops, next; /* it may return early, and stops at its events */
    void *environment;
    fmi3IntermediateUpdateCallback update;
} Model;

#define M Model *m = c;

static void *made(void *environment, fmi3IntermediateUpdateCallback update, int early, int stops)
{
    Model *m = calloc(1, sizeof *m);
    m->v[PERIOD] = 1e9;
    m->environment = environment, m->update = update, m->early = early, m->stops = stops, m->next = 1;
    return m;
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible, fmi3Boolean logs, fmi3Boolean events,
                                         fmi3Boolean early, const fmi3ValueReference needed[], size_t n, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    return made(environment, update, early, events && early);
}
void fmi3FreeInstance(void *c) { free(c); }
fmi3Status fmi3EnterInitializationMode(void *c, bool has, double tolerance, double start, bool ends, double stop) { M m->v[TIME] = start; return fmi3OK; }
fmi3Status fmi3ExitInitializationMode(void *c) { return fmi3OK; }
fmi3Status fmi3EnterEventMode(void *c) { return fmi3OK; }
fmi3Status fmi3EnterStepMode(void *c) { return fmi3OK; }
fmi3Status fmi3Terminate(void *c) { return fmi3OK; }
fmi3Status fmi3Reset(void *c)
{
    M Model *fresh = made(m->environment, m->update, m->early, m->stops);
    *m = *fresh;
    free(fresh);
    return fmi3OK;
}
fmi3Status fmi3UpdateDiscreteStates(void *c, bool *again, bool *ends, bool *nominals, bool *states, bool *timed, double *next)
{
    M *again = *ends = *nominals = *states = *timed = false;
    if (m->v[TIME] >= m->next * m->v[PERIOD])
        m->next++, m->v[COUNT]++;
    return fmi3OK;
}
fmi3Status fmi3GetFloat64(void *c, const unsigned r[], size_t n, double value[], size_t nv)
{
    M for (size_t i = 0; i < n; i++) value[i] = m->v[r[i]];
    return fmi3OK;
}
fmi3Status fmi3SetFloat64(void *c, const unsigned r[], size_t n, const double value[], size_t nv)
{
    M for (size_t i = 0; i < n; i++) m->v[r[i]] = value[i];
    return fmi3OK;
}
fmi3Status fmi3GetFMUState(void *c, fmi3FMUState *state) { if (!*state) *state = malloc(sizeof(Model)); memcpy(*state, c, sizeof(Model)); return fmi3OK; }
fmi3Status fmi3SetFMUState(void *c, fmi3FMUState state) { memcpy(c, state, sizeof(Model)); return fmi3OK; }
fmi3Status fmi3FreeFMUState(void *c, fmi3FMUState *state) { free(*state); *state = NULL; return fmi3OK; }

/* The input at a time, and where a part is finished also the outputs; true if the importer asks for a return there, which it may only where that is offered. */
static bool updated(Model *m, double time, bool finished)
{
    bool requested = true;
    double at = -1;
    if (!m->update)
        return false;
    m->update(m->environment, time, !finished, finished, finished, finished && m->early, &requested, &at);
    m->v[ASKED] += requested;
    m->v[ODD] += requested && !(finished && m->early);
    return requested && finished && m->early;
}

fmi3Status fmi3DoStep(void *c, double t, double h, bool last, bool *event, bool *ends, bool *early, double *reached)
{
    M const double end = t + h;
    *event = *ends = *early = false;
    while (t < end - 1e-12 && !*early) {
        const double due = m->next * m->v[PERIOD], whole = fmin(h / PARTS, end - t);
        const bool at = due <= t + whole + 1e-12 && due < end - 1e-12;
        const double to = at ? due : t + whole, u = m->v[U];
        usleep((useconds_t)(1e6 * m->v[PAUSE]));
        updated(m, (t + to) / 2, false);
        const double middle = m->v[U];
        updated(m, to, false);
        m->v[X] += (to - t) * (u + 4 * middle + m->v[U]) / 6;
        t = m->v[TIME] = to;
        const bool stops = updated(m, to, true);
        *early = (at && m->stops) || stops;
        *event = at && m->stops;
        if (at && !m->stops)
            m->next++, m->v[COUNT]++, m->v[INSIDE]++;
    }
    if (!*early && m->next * m->v[PERIOD] <= end + 1e-12) {
        m->v[TIME] = fmax(m->v[TIME], m->next * m->v[PERIOD]);
        *event = m->stops;
        if (!m->stops)
            m->next++, m->v[COUNT]++;
    }
    *reached = *early ? t : end;
    m->v[STEPS]++;
    return fmi3OK;
}
