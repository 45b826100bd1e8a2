#include "fmi/instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Component instantiate(Instance *instance, const Making *how)
{
    const Library *l = instance->library;
    const Stepping *stepping = how->stepping;
    const char *const resources = how->resources && *how->resources ? how->resources : NULL;
    Component made;
    ENTERS(CALL_NUMBER(Fmi2, instantiate), stepping ? CALL_NUMBER(Fmi3, instantiate_stepped) : CALL_NUMBER(Fmi3, instantiate));
    if (l->version == 2) {
        made = l->fmi2.instantiate(how->name, stepping ? 1 : 0, how->token, resources, &instance->callbacks, 0, how->logs);
        LEAVES();
        return made;
    }
    if (!stepping) {
        made = l->fmi3.instantiate(how->name, how->token, resources, false, how->logs, instance, instance_log_3);
        LEAVES();
        return made;
    }
    const Reference *inputs = stepping->inputs;
    size_t count = (size_t)stepping->count;
    Reference *own = instance->views ? malloc((count + 1) * sizeof *own) : NULL;
    if (own) {
        count = views_own(instance->views, inputs, count, own);
        inputs = own;
    }
    made = l->fmi3.instantiate_stepped(how->name, how->token, resources, false, how->logs, stepping->event_mode,
                                                       stepping->early_return, inputs, count, instance, instance_log_3, instance_follow);
    LEAVES();
    free(own);
    return made;
}

static bool add_views(Instance *instance, const Making *how)
{
    if (how->limits && !(instance->limits = size_limits_new(how->limit, how->limits)))
        return false;
    if (how->views || how->elements)
        instance->views = views_new(how->view, how->views, how->element, how->elements);
    return !(how->views || how->elements) || instance->views;
}

static void discard(Instance *instance)
{
    instance_strike(instance);
    views_free(instance->views);
    free(instance->limits);
    free(instance);
}

Instance *instance_open(const Library *library, const Making *how, char *problem, size_t size)
{
    const size_t length = strlen(how->name) + 1;
    Instance *instance = calloc(1, sizeof *instance + length);
    if (!instance)
        return NULL;
    instance->library = library;
    instance->next_time = INFINITY;
    instance->name = (char *)(instance + 1);
    memcpy(instance->name, how->name, length);
    instance->callbacks = (Fmi2Callbacks){instance_log_2, calloc, free, NULL, instance, library};
    instance->stepped = how->stepping != NULL;
    instance->event_mode = how->stepping && how->stepping->event_mode;
    instance->logs = how->logs;
    const bool viewed = add_views(instance, how);
    instance_enlist(instance);
    instance->called = true;
    Surroundings *const before = instance_surroundings(instance);
    instance->component = viewed ? instantiate(instance, how) : NULL;
    if (viewed && !instance->component && how->stepping && (instance->event_mode || how->stepping->early_return)) { /* it may have declared more than it can do */
        Stepping without = *how->stepping;
        Making again = *how;
        without.event_mode = without.early_return = instance->event_mode = false;
        again.stepping = &without;
        instance->component = instantiate(instance, &again);
    }
    instance_surrounded(instance, before);
    if (instance->component)
        return instance;
    instance_heard(instance, ERROR);
    snprintf(problem, size, "%s", instance_message(instance));
    discard(instance);
    return NULL;
}

void instance_close(Instance *instance)
{
    if (!instance)
        return;
    const Library *l = instance->library;
    Surroundings *const before = instance_surroundings(instance);
    ENTERS_BOTH(release);
    if (l->version == 3)
        l->fmi3.release(instance->component);
    else
        l->fmi2.release(instance->component);
    LEAVES();
    instance_surrounded(instance, before);
    discard(instance);
}

/* Whatever one version's call returns, or an error where the FMU lacks the function. */
#define CALL(function, arguments2, arguments3)                                                                              \
    do {                                                                                                                    \
        const Library *l = instance->library;                                                                               \
        instance->called = true;                                                                                            \
        if (l->version == 3 ? !l->fmi3.function : !l->fmi2.function) {                                                      \
            instance_says(instance, "its binary lacks a function that is needed: " #function);                                       \
            return ERROR;                                                                                                   \
        }                                                                                                                   \
        ENTERS_BOTH(function);                                                                                              \
        return heard(instance, l->version == 3 ? l->fmi3.function arguments3 : l->fmi2.function arguments2);                \
    } while (0)

#define COMPONENT instance->component

static Status instance_enter_initialization(Instance *instance, double tolerance, double start, double stop)
{
    const Library *l = instance->library;
    const bool ends = isfinite(stop);
    instance->called = true;
    AT(start);
    ENTERS(CALL_NUMBER(Fmi2, set_up), CALL_NUMBER(Fmi3, enter_initialization));
    if (l->version == 3)
        return heard(instance, l->fmi3.enter_initialization(COMPONENT, true, tolerance, start, ends, ends ? stop : 0));
    Status status = heard(instance, l->fmi2.set_up(COMPONENT, 1, tolerance, start, ends, ends ? stop : 0));
    if (status > WARNING)
        return status;
    ENTERS_BOTH(enter_initialization);
    return heard(instance, l->fmi2.enter_initialization(COMPONENT));
}

static Status exit_initialization(Instance *instance)
{
    instance->running = true;
    CALL(exit_initialization, (COMPONENT), (COMPONENT));
}

Status instance_set(Instance *instance, Type type, const Reference *references, size_t count, const double *values)
{
    if (instance->views)
        return views_access(instance, type, references, count, (double *)values, true);
    return instance_access(instance, type, references, count, (double *)values, true);
}

Status instance_get(Instance *instance, Type type, const Reference *references, size_t count, double *values)
{
    if (instance->views)
        return views_access(instance, type, references, count, values, false);
    return instance_access(instance, type, references, count, values, false);
}

Status instance_get_variables(Instance *instance, Type type, const Reference *references, size_t count, double *values)
{
    if (instance->views)
        return views_access_variables(instance, type, references, count, values, false);
    return instance_access(instance, type, references, count, values, false);
}

void instance_read_late(Instance *instance)
{
    if (instance->views)
        views_read_late(instance->views);
}

void instance_read_anew(Instance *instance)
{
    if (instance->views)
        views_read_anew(instance->views);
}

void instances_get(Reading *readings, int count)
{
    for (Reading *r = readings; r < readings + count; r++)
        r->status = instance_get(r->instance, (Type)r->type, r->references, (size_t)r->count, r->values);
}

/* Values that are neighbours of one type; if they are refused together, setting them one by one finds the cause. */
static Status set_group(Instance *instance, const Start *s, int from, int to, Refusal *refusal)
{
    const Type type = (Type)s->type[from];
    Status status = OK;
    if (instance_set(instance, type, s->reference + from, (size_t)(to - from), s->value + from) <= WARNING)
        return OK;
    char together[sizeof instance->message];
    strcpy(together, instance->message);
    for (int i = from; i < to && status <= WARNING; i++) {
        *refusal = (Refusal){SETTING, i};
        status = instance_set(instance, type, s->reference + i, 1, s->value + i);
    }
    if (status > WARNING && *together) { /* after an error an FMU may refuse every call, for that reason alone */
        char last[sizeof instance->message];
        strcpy(last, instance->message);
        strcpy(instance->message, together);
        instance_says(instance, last);
    }
    return status;
}

/* Values in groups of neighbours of one type. */
static Status set_values(Instance *instance, const Start *s, int from, int end, Refusal *refusal)
{
    Status status = OK;
    for (int to = from; from < end && status <= WARNING; from = to) {
        while (to < end && s->type[to] == s->type[from])
            to++;
        status = set_group(instance, s, from, to, refusal);
    }
    return status;
}

static Status configure(Instance *instance, const Start *s, Refusal *refusal)
{
    const Library *l = instance->library;
    if (l->version == 2)
        return set_values(instance, s, 0, s->structural, refusal);
    *refusal = (Refusal){CONFIGURING, -1};
    instance->called = true;
    if (!l->fmi3.enter_configuration || !l->fmi3.exit_configuration) {
        instance_says(instance, "its binary lacks the functions of Configuration Mode");
        return ERROR;
    }
    ENTERS(0, CALL_NUMBER(Fmi3, enter_configuration));
    Status status = heard(instance, l->fmi3.enter_configuration(COMPONENT));
    if (status <= WARNING)
        status = set_values(instance, s, 0, s->structural, refusal);
    if (status > WARNING)
        return status;
    *refusal = (Refusal){CONFIGURING, -1};
    instance->called = true;
    ENTERS(0, CALL_NUMBER(Fmi3, exit_configuration));
    return heard(instance, l->fmi3.exit_configuration(COMPONENT));
}

Status instance_exit_initialization(Instance *instance)
{
    SURROUNDED(exit_initialization(instance));
}

static Status start(Instance *instance, const Start *s, Refusal *refusal)
{
    const Library *l = instance->library;
    Status status = OK;
    *refusal = (Refusal){RESETTING, -1};
    if (s->reset) {
        instance->message[0] = '\0';
        instance->called = true;
        instance->running = false;
        instance->next_time = INFINITY;
        ENTERS_BOTH(reset);
        status = heard(instance, l->version == 3 ? l->fmi3.reset(COMPONENT) : l->fmi2.reset(COMPONENT));
        if (status > WARNING)
            return status;
        if (instance->views)
            views_start(instance->views);
    }
    if (s->structural)
        status = configure(instance, s, refusal);
    if (status <= WARNING)
        status = set_values(instance, s, s->structural, s->count, refusal);
    if (status > WARNING)
        return status;
    *refusal = (Refusal){ENTERING, -1};
    status = instance_enter_initialization(instance, s->tolerance, s->start, s->stop);
    if (status <= WARNING)
        refusal->stage = STARTED;
    return status;
}

Status instance_start(Instance *instance, const Start *s, Refusal *refusal)
{
    SURROUNDED(start(instance, s, refusal));
}

Status instance_get_states(Instance *instance, double *x, size_t count)
{
    CALL(get_states, (COMPONENT, x, count), (COMPONENT, x, count));
}

Status instance_get_derivatives(Instance *instance, double *dx, size_t count)
{
    CALL(get_derivatives, (COMPONENT, dx, count), (COMPONENT, dx, count));
}

Status instance_count_states(Instance *instance, size_t *count)
{
    const Library *l = instance->library;
    instance->called = true;
    if (l->version != 3 || !l->fmi3.count_states)
        return OK;
    ENTERS(0, CALL_NUMBER(Fmi3, count_states));
    return heard(instance, l->fmi3.count_states(COMPONENT, count));
}

Status instance_get_nominals(Instance *instance, double *nominals, size_t count)
{
    CALL(get_nominals, (COMPONENT, nominals, count), (COMPONENT, nominals, count));
}

Status instance_get_indicators(Instance *instance, double *z, size_t count)
{
    CALL(get_indicators, (COMPONENT, z, count), (COMPONENT, z, count));
}

Status instance_enter_events(Instance *instance)
{
    CALL(enter_events, (COMPONENT), (COMPONENT));
}

Status instance_enter_continuous(Instance *instance)
{
    CALL(enter_continuous, (COMPONENT), (COMPONENT));
}

Status instance_update_discrete(Instance *instance, Update *update)
{
    const Library *l = instance->library;
    Status status;
    bool next_defined = false;
    double next = INFINITY;
    instance->called = true;
    ENTERS_BOTH(update_discrete);
    if (l->version == 3) {
        bool nominals = false;
        status = l->fmi3.update_discrete(COMPONENT, &update->again, &update->terminate, &nominals, &update->states_changed,
                                         &next_defined, &next);
    } else {
        Fmi2EventInfo info = {0};
        status = l->fmi2.update_discrete(COMPONENT, &info);
        *update = (Update){info.again, info.terminate, info.states_changed};
        next_defined = info.next_time_defined;
        next = info.next_time;
    }
    instance->next_time = next_defined ? next : INFINITY;
    return heard(instance, status);
}

Status instance_completed_step(Instance *instance, bool *event, bool *terminate)
{
    const Library *l = instance->library;
    *event = *terminate = false;
    instance->called = true;
    ENTERS_BOTH(completed_step);
    if (l->version == 3)
        return heard(instance, l->fmi3.completed_step(COMPONENT, true, event, terminate));
    int enter = 0, end = 0;
    Status status = l->fmi2.completed_step(COMPONENT, 1, &enter, &end);
    *event = enter, *terminate = end;
    return heard(instance, status);
}

Status instance_directional(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns,
                            size_t known_count, const double *seed, double *sensitivity)
{
    if (instance->views)
        return views_directional(instance, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
    CALL(directional, (COMPONENT, unknowns, unknown_count, knowns, known_count, seed, sensitivity),
         (COMPONENT, unknowns, unknown_count, knowns, known_count, seed, known_count, sensitivity, unknown_count));
}

Status instance_adjoint(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns,
                        size_t known_count, const double *seed, double *sensitivity)
{
    const Library *l = instance->library;
    if (l->version != 3 || !l->fmi3.adjoint) {
        instance_says(instance, "its binary lacks adjoint derivatives");
        return ERROR;
    }
    instance->called = true;
    if (instance->views)
        return views_adjoint(instance, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
    ENTERS(0, CALL_NUMBER(Fmi3, adjoint));
    return heard(instance, l->fmi3.adjoint(COMPONENT, unknowns, unknown_count, knowns, known_count, seed, unknown_count, sensitivity, known_count));
}

Status instance_do_step(Instance *instance, double time, double size, bool last_word, StepEnd *end)
{
    const Library *l = instance->library;
    *end = (StepEnd){.reached = time + size};
    instance->called = true;
    instance_stepping = instance;
    AT(time);
    ENTERS_BOTH(do_step);
    if (l->version == 3) {
        bool early = false;
        const Status status =
            heard(instance, l->fmi3.do_step(COMPONENT, time, size, last_word, &end->event, &end->terminate, &early, &end->reached));
        if (status <= WARNING && !early && !end->terminate)
            end->reached = time + size; /* the step has been made, whatever time the FMU's own steps have come to */
        return status;
    }
    const Status status = heard(instance, l->fmi2.do_step(COMPONENT, time, size, last_word));
    return status <= WARNING ? status : instance_step_failed(instance, status, end);
}

Status instance_step_failed(Instance *instance, Status status, StepEnd *end)
{
    const Library *l = instance->library;
    *end = (StepEnd){.reached = NAN};
    if (status == DISCARD) {
        int terminated = 0;
        ENTERS(CALL_NUMBER(Fmi2, real_status), 0);
        if (!l->fmi2.real_status || l->fmi2.real_status(COMPONENT, FMI2_LAST_SUCCESSFUL_TIME, &end->reached) > WARNING)
            end->reached = NAN;
        if (l->fmi2.boolean_status && l->fmi2.boolean_status(COMPONENT, FMI2_TERMINATED, &terminated) <= WARNING)
            end->terminate = terminated;
        LEAVES();
    } else if (status == PENDING) {
        instance_says(instance, "it steps asynchronously, which is not supported; export it for synchronous steps");
        return ERROR;
    }
    return status;
}

Status instance_enter_step(Instance *instance)
{
    const Library *l = instance->library;
    if (l->version == 2 || !l->fmi3.enter_step)
        return OK;
    instance->called = true;
    ENTERS(0, CALL_NUMBER(Fmi3, enter_step));
    return heard(instance, l->fmi3.enter_step(COMPONENT));
}

enum { SLOPES = 32 };

/* One call for each order: some tools take no more references than they have inputs. */
Status instance_set_slopes(Instance *instance, const Polynomials *p)
{
    const Library *l = instance->library;
    if (l->version != 2 || !l->fmi2.set_input_derivatives)
        return OK; /* FMI 3 asks for its inputs itself */
    int order[SLOPES];
    Status worst = OK;
    Reference reference[SLOPES];
    double value[SLOPES];
    for (int degree = 1; degree <= p->degree; degree++) {
        for (int i = 0; i < SLOPES; i++)
            order[i] = degree;
        for (int i = 0; i < p->count && worst <= WARNING; i += SLOPES) {
            const int count = p->count - i < SLOPES ? p->count - i : SLOPES;
            for (int j = 0; j < count; j++) {
                value[j] = (degree == 1 ? p->slope : p->curve)[i + j];
                reference[j] = instance->views ? views_slope(instance->views, p->reference[i + j], &value[j]) : p->reference[i + j];
            }
            ENTERS(CALL_NUMBER(Fmi2, set_input_derivatives), 0);
            const Status status = heard(instance, l->fmi2.set_input_derivatives(COMPONENT, reference, (size_t)count, order, value));
            worst = status > worst ? status : worst;
        }
    }
    return worst;
}

Status instance_save(Instance *instance, void **state)
{
    CALL(save, (COMPONENT, state), (COMPONENT, state));
}

Status instance_restore(Instance *instance, void *state)
{
    if (instance->views)
        views_doubt(instance->views);
    CALL(restore, (COMPONENT, state), (COMPONENT, state));
}

void instance_forget(Instance *instance, void **state)
{
    const Library *l = instance->library;
    if (*state && (l->version == 3 ? (bool)l->fmi3.forget : (bool)l->fmi2.forget)) {
        ENTERS_BOTH(forget);
        (void)(l->version == 3 ? l->fmi3.forget(COMPONENT, state) : l->fmi2.forget(COMPONENT, state));
        LEAVES();
    }
    *state = NULL;
}

Status instance_serialised_size(Instance *instance, void *state, size_t *size)
{
    CALL(serialised_size, (COMPONENT, state, size), (COMPONENT, state, size));
}

Status instance_serialise(Instance *instance, void *state, unsigned char *bytes, size_t size)
{
    CALL(serialise, (COMPONENT, state, bytes, size), (COMPONENT, state, bytes, size));
}

Status instance_deserialise(Instance *instance, const unsigned char *bytes, size_t size, void **state)
{
    CALL(deserialise, (COMPONENT, bytes, size, state), (COMPONENT, bytes, size, state));
}
