/* Requests of the run to an instance in the midst of its step: to return where a condition holds that ends the run, or where the run should stop. */
#include "system/kernel_internal.h"

static const double SECONDS_BETWEEN_LOOKS = 0.1;

/* The condition of the run holds for the values that the instance has there. */
static bool holds(Kernel *k, const Within *w, double time)
{
    const Until *u = k->until;
    Coupling *c = k->coupling;
    if (!u || w->stepper < 0 || c->stepping != &c->steppers[w->stepper])
        return false;
    if (instance_get_reals(c->stepping->instance, w->reference, (size_t)w->count, w->value) > WARNING)
        return false;
    for (int i = 0; i < w->count; i++)
        w->row[w->column[i]] = w->value[i];
    return formula_of_row(u->truth, u->truths, time, w->row) != 0;
}

static bool stops(Coupling *c, double time)
{
    const double now = seconds();
    if (!c->within->stops || now - c->looked < SECONDS_BETWEEN_LOOKS)
        return false;
    c->looked = now;
    c->stopping = c->within->stops(time, c->within->context) > 0;
    return c->stopping;
}

/* An instance whose step is made again, or that has steps of its own, is not asked. */
static bool wanted(void *kernel, double time)
{
    Coupling *c = ((Kernel *)kernel)->coupling;
    Stepper *s = c->stepping;
    if (!c->align || !c->within || !s || s->period)
        return false;
    s->asked = holds(kernel, c->within, time) || stops(c, time);
    return s->asked;
}

void kernel_look_within(Kernel *k, const Within *within)
{
    Coupling *c = k->coupling;
    c->within = within;
    c->looked = seconds();
    for (int i = 0; i < c->count; i++)
        if (c->steppers[i].instance) {
            c->steppers[i].instance->wanted = wanted;
            c->steppers[i].instance->by = k;
        }
}

void kernel_cut_step(Kernel *k, double t, double end)
{
    const Coupling *c = k->coupling;
    const double d = end - t;
    for (int i = 0; i < c->count && c->degree; i++) {
        const Polynomials *p = &c->steppers[i].inputs;
        double *const at_end = k->v + c->first_end + c->steppers[i].first;
        for (int j = 0; j < p->count; j++)
            at_end[j] = p->value[j] + d * (p->slope[j] + d * p->curve[j] / 2);
    }
}
