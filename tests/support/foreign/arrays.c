/* x' = A x + B u, y = 2 x + B u, with arrays whose sizes are structural parameters. Whoever sets or gets an array in parts is refused, and
 * so is whoever calls what the state does not allow. With the switch `dae` on, x' = a, and r = a - A x - B u has to vanish. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3FunctionTypes.h"

enum { MOST = 4 };
enum { TIME, N, M, DAE, A, B, X, DX, U, Y, K, FLAGS, ALGEBRAIC, RESIDUAL };
enum { MADE = 1, CONFIGURING = 2, INITIALIZING = 4, EVENTS = 8, CONTINUOUS = 16, STEPPING = 32, FAILED = 64 };

typedef struct {
    double time, a[MOST * MOST], b[MOST * MOST], x[MOST], dx[MOST], u[MOST], y[MOST], algebraic[MOST], residual[MOST];
    uint64_t n, m;
    int32_t k[2];
    bool dae, flags[2], stepped;
    int mode;
    fmi3LogMessageCallback log;
    void *environment;
} Model;

static fmi3Status refuse(Model *m, const char *text, ...)
{
    char message[200];
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(message, sizeof message, text, arguments);
    va_end(arguments);
    if (m->log)
        m->log(m->environment, fmi3Error, "error", message);
    m->mode = FAILED;
    return fmi3Error;
}
#define ALLOW(modes) if (!(m->mode & (modes))) return refuse(m, "%s must not be called now", __func__);

static void resize(Model *m)
{
    static const double turn[] = {0, 1, -1, 0};
    memset(m->a, 0, sizeof m->a), memset(m->b, 0, sizeof m->b), memset(m->x, 0, sizeof m->x);
    if (m->n == 2)
        memcpy(m->a, turn, sizeof turn);
    m->x[0] = 1;
}

static void compute(Model *m)
{
    for (size_t i = 0; i < m->n; i++) {
        double rate = 0, gain = 0;
        for (size_t j = 0; j < m->n; j++)
            rate += m->a[i * m->n + j] * m->x[j];
        for (size_t j = 0; j < m->m; j++)
            gain += m->b[i * m->m + j] * m->u[j];
        m->y[i] = 2 * m->x[i] + gain;
        m->residual[i] = m->algebraic[i] - rate - gain;
        m->dx[i] = m->dae ? m->algebraic[i] : rate + gain;
    }
}

/* Where an array of floats is, and how many elements it has; null for all else. */
static double *floats(Model *m, unsigned reference, size_t *size)
{
    *size = m->n;
    switch (reference) {
    case TIME: *size = 1; return &m->time;
    case A: *size = m->n * m->n; return m->a;
    case B: *size = m->n * m->m; return m->b;
    case X: return m->x;
    case DX: return m->dx;
    case U: *size = m->m; return m->u;
    case Y: return m->y;
    case ALGEBRAIC: return m->algebraic;
    case RESIDUAL: return m->residual;
    default: return NULL;
    }
}

#define WHOLE(count) if (at + (count) > given) return refuse(m, "variable %u has %d elements, and %d values are given", r[i], (int)(count), (int)(given - at));
#define SETTABLE (MADE | CONFIGURING | INITIALIZING | EVENTS | CONTINUOUS | STEPPING)
#define GETTABLE (INITIALIZING | EVENTS | CONTINUOUS | STEPPING)

fmi3Status fmi3GetFloat64(void *c, const unsigned r[], size_t n, double value[], size_t given)
{
    Model *m = c;
    ALLOW(GETTABLE)
    compute(m);
    size_t at = 0, size;
    for (size_t i = 0; i < n; i++, at += size) {
        const double *from = floats(m, r[i], &size);
        if (!from)
            return refuse(m, "variable %u is no Float64", r[i]);
        WHOLE(size)
        memcpy(value + at, from, size * sizeof *value);
    }
    return at == given ? fmi3OK : refuse(m, "%d values are asked for, and %d were given", (int)at, (int)given);
}

fmi3Status fmi3SetFloat64(void *c, const unsigned r[], size_t n, const double value[], size_t given)
{
    Model *m = c;
    ALLOW(SETTABLE)
    size_t at = 0, size;
    for (size_t i = 0; i < n; i++, at += size) {
        double *to = floats(m, r[i], &size);
        if (!to || r[i] == DX || r[i] == Y || r[i] == RESIDUAL)
            return refuse(m, "variable %u cannot be set", r[i]);
        WHOLE(size)
        memcpy(to, value + at, size * sizeof *value);
    }
    return at == given ? fmi3OK : refuse(m, "%d values are set, and %d were given", (int)at, (int)given);
}

fmi3Status fmi3SetUInt64(void *c, const unsigned r[], size_t n, const uint64_t value[], size_t given)
{
    Model *m = c;
    ALLOW(CONFIGURING)
    for (size_t i = 0; i < n; i++) {
        if (value[i] > MOST)
            return refuse(m, "no size may be greater than %d", MOST);
        *(r[i] == N ? &m->n : &m->m) = value[i];
    }
    resize(m);
    return fmi3OK;
}

fmi3Status fmi3GetUInt64(void *c, const unsigned r[], size_t n, uint64_t value[], size_t given)
{
    Model *m = c;
    ALLOW(GETTABLE)
    for (size_t i = 0; i < n; i++)
        value[i] = r[i] == N ? m->n : m->m;
    return fmi3OK;
}

#define PAIR(name, type, array, reference)                                                               \
    fmi3Status fmi3Get##name(void *c, const unsigned r[], size_t n, type value[], size_t given)          \
    {                                                                                                    \
        Model *m = c;                                                                                    \
        ALLOW(GETTABLE)                                                                                  \
        if (n != 1 || r[0] != reference || given != 2)                                                   \
            return refuse(m, "all elements have to be got");                                             \
        memcpy(value, m->array, sizeof m->array);                                                        \
        return fmi3OK;                                                                                   \
    }                                                                                                    \
    static fmi3Status set_##array(Model *m, const unsigned r[], size_t n, const type value[], size_t given) \
    {                                                                                                    \
        if (n != 1 || r[0] != reference || given != 2)                                                   \
            return refuse(m, "all elements have to be set");                                             \
        memcpy(m->array, value, sizeof m->array);                                                        \
        return fmi3OK;                                                                                   \
    }
PAIR(Int32, int32_t, k, K)
PAIR(Boolean, bool, flags, FLAGS)

fmi3Status fmi3SetInt32(void *c, const unsigned r[], size_t n, const int32_t value[], size_t given)
{
    Model *m = c;
    ALLOW(SETTABLE)
    return set_k(m, r, n, value, given);
}

fmi3Status fmi3SetBoolean(void *c, const unsigned r[], size_t n, const bool value[], size_t given)
{
    Model *m = c;
    if (n == 1 && r[0] == DAE) {
        ALLOW(CONFIGURING)
        m->dae = value[0];
        return fmi3OK;
    }
    ALLOW(SETTABLE)
    return set_flags(m, r, n, value, given);
}

/* The derivative of an element by an element; arrays are passed whole. */
static double partial(const Model *m, unsigned unknown, size_t i, unsigned known, size_t j)
{
    const double a = m->a[i * m->n + j], b = m->b[i * m->m + j];
    if (unknown == Y)
        return known == X ? 2. * (i == j) : known == U ? b : 0;
    if (unknown == RESIDUAL)
        return known == X ? -a : known == U ? -b : known == ALGEBRAIC ? i == j : 0;
    if (unknown == DX && m->dae)
        return known == ALGEBRAIC ? i == j : 0;
    return unknown == DX ? (known == X ? a : known == U ? b : 0) : 0;
}

fmi3Status fmi3GetDirectionalDerivative(void *c, const unsigned u[], size_t nu, const unsigned k[], size_t nk, const double seed[],
                                        size_t seeds, double out[], size_t outs)
{
    Model *m = c;
    ALLOW(GETTABLE)
    size_t row = 0, rows, columns;
    for (size_t i = 0; i < nu; i++, row += rows) {
        floats(m, u[i], &rows);
        for (size_t p = 0; p < rows; p++) {
            size_t column = 0;
            out[row + p] = 0;
            for (size_t j = 0; j < nk; j++, column += columns) {
                floats(m, k[j], &columns);
                for (size_t q = 0; q < columns; q++)
                    out[row + p] += partial(m, u[i], p, k[j], q) * seed[column + q];
            }
            if (column != seeds)
                return refuse(m, "%d seeds are needed, and %d were given", (int)column, (int)seeds);
        }
    }
    return row == outs ? fmi3OK : refuse(m, "%d derivatives are asked for, and there is room for %d", (int)row, (int)outs);
}

static Model *begin(void *environment, fmi3LogMessageCallback log, bool stepped)
{
    Model *m = calloc(1, sizeof *m);
    m->environment = environment, m->log = log, m->stepped = stepped;
    m->n = 2, m->m = 1, m->k[0] = 1, m->k[1] = 2;
    m->mode = MADE;
    resize(m);
    return m;
}

void *fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging, void *environment,
                                   fmi3LogMessageCallback log)
{
    return begin(environment, log, false);
}

void *fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging, bool events,
                                  bool early, const unsigned needed[], size_t n, void *environment, fmi3LogMessageCallback log,
                                  fmi3IntermediateUpdateCallback intermediate)
{
    Model *m = begin(environment, log, true);
    size_t size;
    for (size_t i = 0; i < n; i++)
        if (!floats(m, needed[i], &size)) {
            refuse(m, "an intermediate update of variable %u, which does not exist", needed[i]);
            free(m);
            return NULL;
        }
    return m;
}

void fmi3FreeInstance(void *c) { free(c); }
fmi3Status fmi3EnterConfigurationMode(void *c) { Model *m = c; ALLOW(MADE) m->mode = CONFIGURING; return fmi3OK; }
fmi3Status fmi3ExitConfigurationMode(void *c) { Model *m = c; ALLOW(CONFIGURING) m->mode = MADE; return fmi3OK; }
fmi3Status fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance, double start, bool has_stop, double stop)
{
    Model *m = c;
    ALLOW(MADE)
    m->time = start, m->mode = INITIALIZING;
    return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(void *c) { Model *m = c; ALLOW(INITIALIZING) m->mode = m->stepped ? STEPPING : EVENTS; return fmi3OK; }
fmi3Status fmi3Terminate(void *c) { return fmi3OK; }
fmi3Status fmi3Reset(void *c) { Model *m = c; resize(m); m->mode = MADE; return fmi3OK; }
fmi3Status fmi3EnterEventMode(void *c) { Model *m = c; ALLOW(CONTINUOUS) m->mode = EVENTS; return fmi3OK; }
fmi3Status fmi3EnterContinuousTimeMode(void *c) { Model *m = c; ALLOW(EVENTS) m->mode = CONTINUOUS; return fmi3OK; }
fmi3Status fmi3SetTime(void *c, double time) { ((Model *)c)->time = time; return fmi3OK; }
fmi3Status fmi3CompletedIntegratorStep(void *c, bool final, bool *event, bool *terminate) { *event = *terminate = false; return fmi3OK; }
fmi3Status fmi3UpdateDiscreteStates(void *c, bool *again, bool *terminate, bool *nominals, bool *states, bool *defined, double *next)
{
    *again = *terminate = *nominals = *states = *defined = false;
    return fmi3OK;
}
fmi3Status fmi3GetNumberOfContinuousStates(void *c, size_t *count) { *count = ((Model *)c)->n; return fmi3OK; }
fmi3Status fmi3GetNumberOfEventIndicators(void *c, size_t *count) { *count = 0; return fmi3OK; }

fmi3Status fmi3SetContinuousStates(void *c, const double x[], size_t n)
{
    Model *m = c;
    ALLOW(CONTINUOUS)
    memcpy(m->x, x, n * sizeof *x);
    return n == m->n ? fmi3OK : refuse(m, "there are %d states, not %d", (int)m->n, (int)n);
}
fmi3Status fmi3GetContinuousStates(void *c, double x[], size_t n) { memcpy(x, ((Model *)c)->x, n * sizeof *x); return fmi3OK; }
fmi3Status fmi3GetContinuousStateDerivatives(void *c, double dx[], size_t n)
{
    compute(c);
    memcpy(dx, ((Model *)c)->dx, n * sizeof *dx);
    return fmi3OK;
}
fmi3Status fmi3GetNominalsOfContinuousStates(void *c, double x[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return fmi3OK;
}

/* The implicit midpoint rule by repetition, at 1 ms: of second order. */
fmi3Status fmi3DoStep(void *c, double t, double h, bool final, bool *event, bool *terminate, bool *early, double *last)
{
    Model *m = c;
    ALLOW(STEPPING)
    const int steps = (int)ceil(h / 1e-3 - 1e-9);
    for (int s = 0; s < steps; s++) {
        double before[MOST], size = h / steps;
        memcpy(before, m->x, sizeof before);
        for (int pass = 0; pass < 8; pass++) {
            compute(m);
            for (size_t i = 0; i < m->n; i++)
                m->x[i] = before[i] + size / 2 * m->dx[i];
        }
        for (size_t i = 0; i < m->n; i++)
            m->x[i] = 2 * m->x[i] - before[i];
    }
    *event = *terminate = *early = false;
    *last = m->time = t + h;
    return fmi3OK;
}
