#include "instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(Instance *instance, const char *message)
{
    snprintf(instance->message, sizeof instance->message, "%s", message ? message : "");
}

static void log_2(void *environment, const char *name, Status status, const char *category, const char *message, ...)
{
    (void)name, (void)category;
    Instance *instance = environment;
    if (!instance || status == OK || !message)
        return;
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(instance->message, sizeof instance->message, message, arguments);
    va_end(arguments);
}

static void log_3(void *environment, Status status, const char *category, const char *message)
{
    (void)category;
    if (environment && status != OK)
        keep(environment, message);
}

/* Within a step an FMI 3 instance asks for its inputs at times of its own. */
static void update(void *environment, double time, bool set_requested, bool get_allowed, bool step_finished, bool can_return,
                   bool *return_requested, double *return_time)
{
    (void)get_allowed, (void)step_finished, (void)can_return;
    Instance *instance = environment;
    const Polynomials *p = instance ? instance->inputs : NULL;
    if (return_requested)
        *return_requested = false;
    if (return_time)
        *return_time = time;
    if (!set_requested || !p || !p->degree)
        return;
    const double d = time - p->start;
    for (int i = 0; i < p->count; i++)
        p->scratch[i] = p->value[i] + d * (p->slope[i] + d * p->curve[i] / 2);
    instance_set_reals(instance, p->reference, (size_t)p->count, p->scratch);
}

static Component instantiate(Instance *instance, const char *name, const char *token, const char *resources, const Stepping *stepping)
{
    const Library *l = instance->library;
    if (l->version == 2)
        return l->fmi2.instantiate(name, stepping ? 1 : 0, token, resources, &instance->callbacks, 0, 0);
    if (!stepping)
        return l->fmi3.instantiate(name, token, resources, false, false, instance, log_3);
    return l->fmi3.instantiate_stepped(name, token, resources, false, false, stepping->event_mode, stepping->early_return, stepping->inputs,
                                       (size_t)stepping->count, instance, log_3, update);
}

Instance *instance_open(const Library *library, const char *name, const char *token, const char *resources, const Stepping *stepping,
                       char *problem, size_t size)
{
    const size_t length = strlen(name) + 1;
    Instance *instance = calloc(1, sizeof *instance + length);
    if (!instance)
        return NULL;
    instance->library = library;
    instance->next_time = INFINITY;
    instance->name = (char *)(instance + 1);
    memcpy(instance->name, name, length);
    instance->callbacks = (Fmi2Callbacks){log_2, calloc, free, NULL, instance};
    instance->stepped = stepping != NULL;
    instance->event_mode = stepping && stepping->event_mode;
    resources = resources && *resources ? resources : NULL;
    instance->component = instantiate(instance, name, token, resources, stepping);
    if (!instance->component && instance->event_mode) { /* it may have declared more than it can do */
        Stepping without = *stepping;
        without.event_mode = without.early_return = instance->event_mode = false;
        instance->component = instantiate(instance, name, token, resources, &without);
    }
    if (instance->component)
        return instance;
    snprintf(problem, size, "%s", instance->message);
    free(instance);
    return NULL;
}

void instance_close(Instance *instance)
{
    if (!instance)
        return;
    const Library *l = instance->library;
    if (l->version == 3)
        l->fmi3.release(instance->component);
    else
        l->fmi2.release(instance->component);
    free(instance);
}

bool instance_handles_events(const Instance *instance)
{
    return instance->event_mode;
}

const char *instance_message(const Instance *instance)
{
    return instance->message;
}

/* Whatever one version's call returns, or an error where the FMU lacks the function. */
#define CALL(function, arguments2, arguments3)                                                                              \
    do {                                                                                                                    \
        const Library *l = instance->library;                                                                               \
        if (l->version == 3 ? !l->fmi3.function : !l->fmi2.function) {                                                      \
            snprintf(instance->message, sizeof instance->message, "its binary lacks a function that is needed: " #function); \
            return ERROR;                                                                                                   \
        }                                                                                                                   \
        return l->version == 3 ? l->fmi3.function arguments3 : l->fmi2.function arguments2;                                 \
    } while (0)

#define COMPONENT instance->component

Status instance_switch_on(Instance *instance, Reference reference)
{
    const Library *l = instance->library;
    const double on = 1;
    if (l->version == 2)
        return instance_set(instance, BOOLEAN, &reference, 1, &on);
    if (!l->fmi3.enter_configuration || !l->fmi3.exit_configuration) {
        keep(instance, "its binary lacks the functions of Configuration Mode");
        return ERROR;
    }
    Status status = l->fmi3.enter_configuration(COMPONENT);
    if (status <= WARNING)
        status = instance_set(instance, BOOLEAN, &reference, 1, &on);
    return status <= WARNING ? l->fmi3.exit_configuration(COMPONENT) : status;
}

Status instance_enter_initialization(Instance *instance, double tolerance, double start, double stop)
{
    const Library *l = instance->library;
    const bool ends = isfinite(stop);
    if (l->version == 3)
        return l->fmi3.enter_initialization(COMPONENT, true, tolerance, start, ends, ends ? stop : 0);
    Status status = l->fmi2.set_up(COMPONENT, 1, tolerance, start, ends, ends ? stop : 0);
    return status <= WARNING ? l->fmi2.enter_initialization(COMPONENT) : status;
}

Status instance_exit_initialization(Instance *instance)
{
    CALL(exit_initialization, (COMPONENT), (COMPONENT));
}

enum { BUFFER = 16 };

/* Values of the other types, a few at a time through a buffer of that type. */
#define CONVERTED(type, name, c)                                                                                             \
    case type: {                                                                                                             \
        c buffer[BUFFER];                                                                                                    \
        for (size_t done = 0; done < count; done += BUFFER) {                                                                \
            const size_t part = count - done < BUFFER ? count - done : BUFFER;                                               \
            for (size_t i = 0; i < part && setting; i++)                                                                     \
                buffer[i] = (c)values[done + i];                                                                             \
            Status status = setting ? SETTER(type, references + done, part) : GETTER(type, references + done, part);         \
            if (status > WARNING)                                                                                            \
                return status;                                                                                               \
            for (size_t i = 0; i < part && !setting; i++)                                                                    \
                values[done + i] = (double)buffer[i];                                                                        \
        }                                                                                                                    \
        return OK;                                                                                                           \
    }

static Status access_2(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    const Fmi2 *f = &instance->library->fmi2;
#define SETTER(type, references, part) f->set[type](COMPONENT, references, part, buffer)
#define GETTER(type, references, part) f->get[type](COMPONENT, references, part, buffer)
    switch (type) {
        FMI2_TYPES(CONVERTED)
    default:
        keep(instance, "FMI 2 has no such type");
        return ERROR;
    }
#undef SETTER
#undef GETTER
}

static Status access_3(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    const Fmi3 *f = &instance->library->fmi3;
#define SETTER(type, references, part) f->set[type](COMPONENT, references, part, buffer, part)
#define GETTER(type, references, part) f->get[type](COMPONENT, references, part, buffer, part)
    switch (type) {
        FMI3_TYPES(CONVERTED)
    default:
        keep(instance, "FMI 3 has no such type");
        return ERROR;
    }
#undef SETTER
#undef GETTER
}

static Status access(Instance *instance, Type type, const Reference *references, size_t count, double *values, bool setting)
{
    const Library *l = instance->library;
    const bool missing = l->version == 3 ? !(setting ? (bool)l->fmi3.set[type] : (bool)l->fmi3.get[type])
                                         : !(setting ? (bool)l->fmi2.set[type] : (bool)l->fmi2.get[type]);
    if (missing) {
        keep(instance, "its binary lacks the function for variables of this type");
        return ERROR;
    }
    return (l->version == 3 ? access_3 : access_2)(instance, type, references, count, values, setting);
}

Status instance_set(Instance *instance, Type type, const Reference *references, size_t count, const double *values)
{
    return access(instance, type, references, count, (double *)values, true);
}

Status instance_get(Instance *instance, Type type, const Reference *references, size_t count, double *values)
{
    return access(instance, type, references, count, values, false);
}

void instances_get(Reading *readings, int count)
{
    for (Reading *r = readings; r < readings + count; r++)
        r->status = instance_get(r->instance, (Type)r->type, r->references, (size_t)r->count, r->values);
}

Status instance_set_string(Instance *instance, Reference reference, const char *text)
{
    CALL(set_string, (COMPONENT, &reference, 1, &text), (COMPONENT, &reference, 1, &text, 1));
}

/* Values that are neighbours of one type; where they are refused together, one by one tells which. */
static Status set_group(Instance *instance, const Start *s, int from, int to, Refusal *refusal)
{
    const Type type = (Type)s->type[from];
    Status status = OK;
    for (int i = from; i < to && s->type[from] == STRING; i++) {
        *refusal = (Refusal){SETTING, i};
        status = instance_set_string(instance, s->reference[i], s->text[i]);
        if (status > WARNING)
            return status;
    }
    if (s->type[from] == STRING || instance_set(instance, type, s->reference + from, (size_t)(to - from), s->value + from) <= WARNING)
        return OK;
    for (int i = from; i < to; i++) {
        *refusal = (Refusal){SETTING, i};
        status = instance_set(instance, type, s->reference + i, 1, s->value + i);
        if (status > WARNING)
            return status;
    }
    return OK;
}

Status instance_start(Instance *instance, const Start *s, Refusal *refusal)
{
    const Library *l = instance->library;
    Status status = OK;
    *refusal = (Refusal){RESETTING, -1};
    if (s->reset) {
        instance->message[0] = '\0';
        instance->next_time = INFINITY;
        status = l->version == 3 ? l->fmi3.reset(COMPONENT) : l->fmi2.reset(COMPONENT);
        if (status > WARNING)
            return status;
    }
    *refusal = (Refusal){SWITCHING, -1};
    if (s->switches)
        status = instance_switch_on(instance, s->switch_on);
    for (int from = 0, to = 0; from < s->count && status <= WARNING; from = to) {
        while (to < s->count && s->type[to] == s->type[from])
            to++;
        status = set_group(instance, s, from, to, refusal);
    }
    if (status > WARNING)
        return status;
    *refusal = (Refusal){ENTERING, -1};
    status = instance_enter_initialization(instance, s->tolerance, s->start, s->stop);
    if (status <= WARNING)
        refusal->stage = STARTED;
    return status;
}

Status instance_move_states(Instance *instance, const double *x, size_t count)
{
    return instance_set_states(instance, x, count);
}

Status instance_get_states(Instance *instance, double *x, size_t count)
{
    CALL(get_states, (COMPONENT, x, count), (COMPONENT, x, count));
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
    return status;
}

Status instance_completed_step(Instance *instance, bool *event, bool *terminate)
{
    const Library *l = instance->library;
    *event = *terminate = false;
    if (l->version == 3)
        return l->fmi3.completed_step(COMPONENT, true, event, terminate);
    int enter = 0, end = 0;
    Status status = l->fmi2.completed_step(COMPONENT, 1, &enter, &end);
    *event = enter, *terminate = end;
    return status;
}

Status instance_directional(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns,
                            size_t known_count, const double *seed, double *sensitivity)
{
    CALL(directional, (COMPONENT, unknowns, unknown_count, knowns, known_count, seed, sensitivity),
         (COMPONENT, unknowns, unknown_count, knowns, known_count, seed, known_count, sensitivity, unknown_count));
}

Status instance_adjoint(Instance *instance, const Reference *unknowns, size_t unknown_count, const Reference *knowns,
                        size_t known_count, const double *seed, double *sensitivity)
{
    const Library *l = instance->library;
    if (l->version != 3 || !l->fmi3.adjoint) {
        keep(instance, "its binary lacks adjoint derivatives");
        return ERROR;
    }
    return l->fmi3.adjoint(COMPONENT, unknowns, unknown_count, knowns, known_count, seed, unknown_count, sensitivity, known_count);
}

Status instance_do_step(Instance *instance, double time, double size, bool last_word, StepEnd *end)
{
    const Library *l = instance->library;
    *end = (StepEnd){.reached = time + size};
    if (l->version == 3) {
        bool early = false;
        const Status status = l->fmi3.do_step(COMPONENT, time, size, last_word, &end->event, &end->terminate, &early, &end->reached);
        if (status <= WARNING && !early && !end->terminate)
            end->reached = time + size; /* the step has been made, whatever time the FMU's own steps have come to */
        return status;
    }
    const Status status = l->fmi2.do_step(COMPONENT, time, size, last_word);
    return status <= WARNING ? status : instance_step_failed(instance, status, end);
}

Status instance_step_failed(Instance *instance, Status status, StepEnd *end)
{
    const Library *l = instance->library;
    *end = (StepEnd){.reached = NAN};
    if (status == DISCARD) {
        int terminated = 0;
        if (!l->fmi2.real_status || l->fmi2.real_status(COMPONENT, FMI2_LAST_SUCCESSFUL_TIME, &end->reached) > WARNING)
            end->reached = NAN;
        if (l->fmi2.boolean_status && l->fmi2.boolean_status(COMPONENT, FMI2_TERMINATED, &terminated) <= WARNING)
            end->terminate = terminated;
    } else if (status == PENDING) {
        keep(instance, "it steps asynchronously, which is not supported; export it for synchronous steps");
        return ERROR;
    }
    return status;
}

Status instance_enter_step(Instance *instance)
{
    const Library *l = instance->library;
    if (l->version == 2 || !l->fmi3.enter_step)
        return OK;
    return l->fmi3.enter_step(COMPONENT);
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
    for (int degree = 1; degree <= p->degree; degree++) {
        for (int i = 0; i < SLOPES; i++)
            order[i] = degree;
        for (int i = 0; i < p->count && worst <= WARNING; i += SLOPES) {
            const int count = p->count - i < SLOPES ? p->count - i : SLOPES;
            const double *const value = (degree == 1 ? p->slope : p->curve) + i;
            const Status status = l->fmi2.set_input_derivatives(COMPONENT, p->reference + i, (size_t)count, order, value);
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
    CALL(restore, (COMPONENT, state), (COMPONENT, state));
}

void instance_forget(Instance *instance, void **state)
{
    const Library *l = instance->library;
    if (*state && (l->version == 3 ? (bool)l->fmi3.forget : (bool)l->fmi2.forget))
        (void)(l->version == 3 ? l->fmi3.forget(COMPONENT, state) : l->fmi2.forget(COMPONENT, state));
    *state = NULL;
}
