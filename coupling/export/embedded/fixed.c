/* The method of integration of mechanisms that take steps of fixed size inside Co-Simulation. A step that cannot be solved is halved. */
#include "fixed.h"

#include "method.h"

#include <stdlib.h>

extern const Reference fixed_step_reference; /* generated: of the parameter with the size */

struct Implicit {
    bool known; /* the derivatives at the beginning of the step */
    double size; /* of the last step */
};

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
    return calloc(1, sizeof(Implicit));
}

static void restart(Instance *instance)
{
    instance->implicit->known = false;
    instance->progress.step_size = instance->v[fixed_step_reference];
}

static Trial attempt(Instance *instance, const Step *step, Span span)
{
    Implicit *m = instance->implicit;
    Context context = {instance, step};
    const Placing placing = {&context, place_components};
    if (!m->known && !model_start_steps(instance->own, placing, span.time, instance->x))
        return (Trial){.factor = 0.5};
    for (unsigned i = 0; i < model.states; i++)
        instance->x_next[i] = instance->x[i];
    const bool goes_on = model.relations || span.end < step->end;
    const bool taken = model_take_step(instance->own, placing, span.time, span.size, span.end, instance->x_next, goes_on);
    m->known = taken && goes_on;
    m->size = span.size;
    return (Trial){.accepted = taken, .factor = taken ? 1 : 0.5};
}

static void between(const Instance *instance, double f, double *x)
{
    model_between(instance->own, f, instance->implicit->size, x);
}

const Method implicit_method = {.memory = memory, .attempt = attempt, .between = between, .restart = restart};
