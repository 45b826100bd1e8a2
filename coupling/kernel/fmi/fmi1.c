/* Instances of FMI 1.0 with the functions of FMI 2.0.
 *
 * FMI 1.0 has no Initialization Mode: one call initializes, start values and inputs are set before it, and values are read after it. This
 * call is made as late as possible, before the first value is read, and therefore all inputs that are known by then count. Model Exchange
 * has no Event Mode either, and no reset: another instance takes the place of the first. */
#include "fmi/fmi1.h"
#include "fmi/where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const struct Fmi1 *f;
    void *component;
    bool stepped, logs;
    bool entered, initialized, failed;
    bool fresh; /* the event info of the initialization counts, since nothing was set after it */
    bool tolerates, stops;
    double tolerance, start, stop, stepped_from;
    Fmi1EventInfo info;
    Fmi2Callbacks callbacks;
    char *name, *token, *location;
} First;

static const double TIMEOUT = 0; /* in ms, for a tool that a slave starts; 0: the slave decides */

static Status noted(First *c, Status status)
{
    c->failed = c->failed || (unsigned)status > WARNING;
    return status;
}

/* -- life ------------------------------------------------------------------------------------------------------------------ */

static void make(First *c)
{
    const Fmi1Callbacks callbacks = {c->callbacks.logger, c->callbacks.allocate, c->callbacks.release, NULL};
    if (c->stepped)
        c->component = c->f->make_slave(c->name, c->token, c->location, "application/x-fmu-sharedlibrary", TIMEOUT, 0, 0, callbacks, c->logs);
    else
        c->component = c->f->make_model(c->name, c->token, callbacks, c->logs);
    c->entered = c->initialized = c->failed = c->fresh = false;
    c->stepped_from = -HUGE_VAL;
}

/* After an error FMI 1.0 allows no call but that which frees. */
static void unmake(First *c)
{
    Status (*const terminate)(void *) = c->stepped ? c->f->terminate_slave : c->f->terminate_model;
    if (c->initialized && !c->failed && terminate)
        (void)terminate(c->component);
    (c->stepped ? c->f->free_slave : c->f->free_model)(c->component);
    c->component = NULL;
}

static void release_1(Component component)
{
    First *const c = component;
    if (c->component)
        unmake(c);
    free(c->name);
    free(c->token);
    free(c->location);
    free(c);
}

static char *copy(const char *text)
{
    const size_t size = strlen(text ? text : "") + 1;
    char *const made = malloc(size);
    return made ? memcpy(made, text ? text : "", size) : NULL;
}

static Component instantiate_1(const char *name, int stepped, const char *token, const char *location, const Fmi2Callbacks *callbacks,
                               int visible, int logs)
{
    (void)visible;
    First *const c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (First){.f = callbacks->library->fmi1,
                 .stepped = stepped,
                 .logs = logs,
                 .callbacks = *callbacks,
                 .name = copy(name),
                 .token = copy(token),
                 .location = copy(location)};
    if (c->name && c->token && c->location)
        make(c);
    if (c->component)
        return c;
    release_1(c);
    return NULL;
}

static Status reset_1(Component component)
{
    First *const c = component;
    if (c->stepped && c->f->reset_slave && !c->failed) {
        c->entered = c->initialized = false;
        c->stepped_from = -HUGE_VAL;
        return noted(c, c->f->reset_slave(c->component));
    }
    if (c->component)
        unmake(c);
    make(c);
    return c->component ? OK : FATAL;
}

static Status set_up_1(Component component, int tolerates, double tolerance, double start, int stops, double stop)
{
    First *const c = component;
    c->tolerates = tolerates, c->tolerance = tolerance, c->start = start, c->stops = stops, c->stop = stop;
    return c->stepped ? OK : noted(c, c->f->set_time(c->component, start));
}

static Status enter_initialization_1(Component component)
{
    ((First *)component)->entered = true;
    return OK;
}

static Status initialize(First *c)
{
    const int during = WHERE_IS_WATCHED ? kernel_where->call : 0;
    if (WHERE_IS_WATCHED)
        kernel_where->call = CALL_NUMBER(Fmi2, enter_initialization);
    c->initialized = c->fresh = true;
    c->info = (Fmi1EventInfo){0};
    const Status status = c->stepped ? c->f->initialize_slave(c->component, c->start, c->stops, c->stop)
                                     : c->f->initialize_model(c->component, c->tolerates, c->tolerance, &c->info);
    if (WHERE_IS_WATCHED)
        kernel_where->call = during;
    return noted(c, status);
}

static inline Status prepare(First *c)
{
    return c->initialized || !c->entered ? OK : initialize(c);
}

static Status exit_initialization_1(Component component)
{
    return prepare(component);
}

static Status terminate_1(Component component)
{
    First *const c = component;
    Status (*const terminate)(void *) = c->stepped ? c->f->terminate_slave : c->f->terminate_model;
    const bool ends = c->initialized && terminate;
    c->initialized = false;
    return ends ? noted(c, terminate(c->component)) : OK;
}

/* -- values ---------------------------------------------------------------------------------------------------------------- */

#define READS(call)                           \
    First *const c = component;               \
    const Status ready = prepare(c);          \
    return ready > WARNING ? ready : noted(c, c->f->call)
#define WRITES(call)            \
    First *const c = component; \
    c->fresh = false;           \
    return noted(c, c->f->call)

static Status get_reals_1(Component component, const Reference *references, size_t n, void *values)
{
    READS(get[FLOAT64](c->component, references, n, values));
}

static Status set_reals_1(Component component, const Reference *references, size_t n, const void *values)
{
    WRITES(set[FLOAT64](c->component, references, n, values));
}

static Status get_integers_1(Component component, const Reference *references, size_t n, void *values)
{
    READS(get[INT32](c->component, references, n, values));
}

static Status set_integers_1(Component component, const Reference *references, size_t n, const void *values)
{
    WRITES(set[INT32](c->component, references, n, values));
}

enum { BYTES = 32 };

static Status get_booleans_1(Component component, const Reference *references, size_t n, void *values)
{
    First *const c = component;
    Status worst = prepare(c);
    char byte[BYTES];
    for (size_t i = 0; i < n && worst <= WARNING; i += BYTES) {
        const size_t part = n - i < BYTES ? n - i : BYTES;
        const Status status = noted(c, c->f->get[BOOLEAN](c->component, references + i, part, byte));
        worst = status > worst ? status : worst;
        for (size_t j = 0; j < part; j++)
            ((int *)values)[i + j] = byte[j] != 0;
    }
    return worst;
}

static Status set_booleans_1(Component component, const Reference *references, size_t n, const void *values)
{
    First *const c = component;
    Status worst = OK;
    char byte[BYTES];
    c->fresh = false;
    for (size_t i = 0; i < n && worst <= WARNING; i += BYTES) {
        const size_t part = n - i < BYTES ? n - i : BYTES;
        for (size_t j = 0; j < part; j++)
            byte[j] = ((const int *)values)[i + j] != 0;
        const Status status = noted(c, c->f->set[BOOLEAN](c->component, references + i, part, byte));
        worst = status > worst ? status : worst;
    }
    return worst;
}

static Status set_string_1(Component component, const Reference *references, size_t n, const char *const *texts)
{
    WRITES(set_string(c->component, references, n, texts));
}

/* -- Model Exchange -------------------------------------------------------------------------------------------------------- */

static Status set_time_1(Component component, double time)
{
    First *const c = component;
    return noted(c, c->f->set_time(c->component, time));
}

static Status set_states_1(Component component, const double *x, size_t n)
{
    WRITES(set_states(c->component, x, n));
}

static Status get_states_1(Component component, double *x, size_t n)
{
    READS(get_states(c->component, x, n));
}

static Status get_derivatives_1(Component component, double *dx, size_t n)
{
    READS(get_derivatives(c->component, dx, n));
}

static Status get_nominals_1(Component component, double *nominals, size_t n)
{
    READS(get_nominals(c->component, nominals, n));
}

static Status get_indicators_1(Component component, double *z, size_t n)
{
    READS(get_indicators(c->component, z, n));
}

static Status enter_events_1(Component component)
{
    (void)component;
    return OK;
}

static Status enter_continuous_1(Component component)
{
    (void)component;
    return OK;
}

static Status update_discrete_1(Component component, Fmi2EventInfo *info)
{
    First *const c = component;
    Status status = prepare(c);
    if (!c->fresh && status <= WARNING)
        status = noted(c, c->f->update_events(c->component, 0, &c->info));
    c->fresh = false;
    *info = (Fmi2EventInfo){.again = !c->info.converged,
                            .terminate = c->info.terminate,
                            .nominals_changed = c->info.references_changed,
                            .states_changed = c->info.values_changed || c->info.references_changed,
                            .next_time_defined = c->info.next_time_defined,
                            .next_time = c->info.next_time};
    return status;
}

static Status completed_step_1(Component component, int final, int *event, int *terminate)
{
    First *const c = component;
    char update = 0;
    (void)final;
    const Status status = noted(c, c->f->completed_step(c->component, &update));
    *event = update != 0, *terminate = 0;
    return status;
}

/* -- Co-Simulation --------------------------------------------------------------------------------------------------------- */

/* A step that was discarded is repeated from the same time, and FMI 1.0 has an argument for that. */
static Status do_step_1(Component component, double time, double size, int last_word)
{
    First *const c = component;
    const char is_new = time != c->stepped_from;
    (void)last_word;
    c->stepped_from = time;
    const Status status = c->f->do_step(c->component, time, size, is_new);
    return status == DISCARD ? status : noted(c, status);
}

static Status set_input_derivatives_1(Component component, const Reference *references, size_t n, const int *orders, const double *values)
{
    First *const c = component; /* a refusal is no error: the slave gets polynomials of a lower degree */
    return c->f->set_input_derivatives(c->component, references, n, orders, values);
}

static Status real_status_1(Component component, int kind, double *value)
{
    First *const c = component; /* kinds are numbered as in FMI 2.0 */
    return c->f->real_status(c->component, kind, value);
}

/* -- table ----------------------------------------------------------------------------------------------------------------- */

void fmi1_adapt(Library *library)
{
    const struct Fmi1 *const f = library->fmi1;
    const bool model = f->make_model && f->free_model && f->initialize_model, slave = f->make_slave && f->free_slave && f->initialize_slave;
#define WITH(needed, adapted) ((needed) ? (adapted) : NULL)
    library->fmi2 = (Fmi2){
        .instantiate = instantiate_1,
        .release = release_1,
        .set_up = set_up_1,
        .enter_initialization = enter_initialization_1,
        .exit_initialization = exit_initialization_1,
        .terminate = terminate_1,
        .reset = reset_1,
        .set_string = WITH(f->set_string, set_string_1),
        .set_input_derivatives = WITH(f->set_input_derivatives, set_input_derivatives_1),
        .real_status = WITH(f->real_status, real_status_1),
        .do_step = WITH(slave && f->do_step, do_step_1),
        .set_time = WITH(model && f->set_time, set_time_1),
        .set_states = WITH(f->set_states, set_states_1),
        .get_states = WITH(f->get_states, get_states_1),
        .get_derivatives = WITH(f->get_derivatives, get_derivatives_1),
        .get_nominals = WITH(f->get_nominals, get_nominals_1),
        .get_indicators = WITH(f->get_indicators, get_indicators_1),
        .enter_events = enter_events_1,
        .update_discrete = WITH(f->update_events, update_discrete_1),
        .enter_continuous = enter_continuous_1,
        .completed_step = WITH(f->completed_step, completed_step_1),
        .get[FLOAT64] = WITH(f->get[FLOAT64], get_reals_1),
        .set[FLOAT64] = WITH(f->set[FLOAT64], set_reals_1),
        .get[INT32] = WITH(f->get[INT32], get_integers_1),
        .set[INT32] = WITH(f->set[INT32], set_integers_1),
        .get[BOOLEAN] = WITH(f->get[BOOLEAN], get_booleans_1),
        .set[BOOLEAN] = WITH(f->set[BOOLEAN], set_booleans_1),
    };
#undef WITH
}

const char *fmi1_call(int number)
{
#define NAME(member, name)                      \
    if (number == CALL_NUMBER(Fmi2, member))    \
        return "fmi" #name;
    NAME(instantiate, Instantiate)
    NAME(release, Free)
    NAME(set_up, SetTime)
    NAME(enter_initialization, Initialize)
    NAME(exit_initialization, Initialize)
    NAME(get_nominals, GetNominalContinuousStates)
    NAME(update_discrete, EventUpdate)
#undef NAME
    return NULL;
}
