/* The method of integration of mechanisms that take steps of fixed size inside Co-Simulation. A step that cannot be solved is halved. */
#include "fixed.h"

#include "method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const Reference fixed_step_reference, fixed_memory_reference; /* generated: of the parameter with the size; 0 where nothing is remembered */

struct Implicit {
    double known_at; /* the time at which the derivatives are known, or not a number */
    double size;     /* of the last step */
};

/* The memory of a method stands among the values of the instance; saved states therefore contain it. It has two copies of the last step
 * by state, since a step that was too long may be repeated, and the inputs at its end. Each follows a number that is not 0 if it is
 * valid, and its time. */
enum { HEAD = 2 };

static double *memory_of(Instance *instance, unsigned which)
{
    return instance->v + fixed_memory_reference + which * (HEAD + model.states);
}

static double *inputs_then(Instance *instance)
{
    return memory_of(instance, 2);
}

static void remember(Instance *instance, double time)
{
    double *next = memory_of(instance, 1);
    next[0] = 1;
    next[1] = time;
    memcpy(next + HEAD, model_memory(instance->own), model.states * sizeof *next);
    for (unsigned i = 0; i < model.inputs; i++)
        inputs_then(instance)[i] = instance->v[model.input[i]];
}

/* Importers round the times at which they go on. */
static bool same(double time, double other)
{
    return fabs(time - other) <= 1e-12 * fmax(1, fabs(time));
}

/* Returns the memory of the step that ended at a time; null if none exists. */
static const double *remembered(Instance *instance, double time)
{
    double *before = memory_of(instance, 0), *next = memory_of(instance, 1);
    if (next[0] != 0 && same(next[1], time))
        memcpy(before, next, (HEAD + model.states) * sizeof *next);
    return before[0] != 0 && same(before[1], time) ? before + HEAD : NULL;
}

/* At an event, and where an input has jumped. */
static void forget(Instance *instance, bool event)
{
    for (unsigned i = 0; i < model.inputs; i++)
        event = event || instance->v[model.input[i]] != inputs_then(instance)[i];
    if (event)
        memory_of(instance, 0)[0] = memory_of(instance, 1)[0] = 0;
}

typedef struct {
    Instance *instance;
    const Step *step;
} Context;

static void place_components(void *context, double t, const double *x)
{
    const Context *c = context;
    place(c->instance, c->step, t, x);
    evaluate(c->instance, 0); /* what events have changed */
    model_prepare(c->instance->own);
}

static Implicit *memory(unsigned states)
{
    (void)states;
    Implicit *m = calloc(1, sizeof *m);
    if (m)
        m->known_at = NAN;
    return m;
}

static void restart(Instance *instance, bool event)
{
    instance->implicit->known_at = NAN;
    if (fixed_memory_reference)
        forget(instance, event);
    instance->progress.step_size = instance->v[fixed_step_reference];
}

static Trial attempt(Instance *instance, const Step *step, Span span)
{
    Implicit *m = instance->implicit;
    Context context = {instance, step};
    const Placing placing = {&context, place_components};
    const double *then = fixed_memory_reference ? remembered(instance, span.time) : NULL;
    if (m->known_at != span.time && !model_start_steps(instance->own, placing, span.time, instance->x, then))
        return (Trial){.factor = 0.5};
    for (unsigned i = 0; i < model.states; i++)
        instance->x_next[i] = instance->x[i];
    const bool goes_on = model.relations || span.end < step->end;
    const bool taken = model_take_step(instance->own, placing, span.time, span.size, span.end, instance->x_next, goes_on);
    m->known_at = taken && goes_on ? span.end : NAN;
    m->size = span.size;
    if (taken && fixed_memory_reference)
        remember(instance, span.end);
    return (Trial){.accepted = taken, .factor = taken ? 1 : 0.5};
}

static void between(const Instance *instance, double f, double *x)
{
    model_between(instance->own, f, instance->implicit->size, x);
}

const Method implicit_method = {.memory = memory, .attempt = attempt, .between = between, .restart = restart};
