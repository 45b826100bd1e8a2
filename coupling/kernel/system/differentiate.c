/* Differentiates the outputs of an FMU by its inputs: by its own directional or adjoint derivatives, or by differences. */
#include "system/kernel_internal.h"

#include <math.h>

/* The known is moved a little and put back. */
static Status difference(Kernel *k, const LocalDerivative *d, double *term)
{
    Instance *instance = k->parts[d->instance].instance;
    const double here = k->v[d->known_slot];
    const double there = here + 1.5e-8 * fmax(fabs(here), d->nominal);
    Status status = instance_set_reals(instance, d->known, 1, &there);
    if (status <= WARNING)
        status = instance_get_reals(instance, d->unknown, (size_t)d->unknowns, term);
    if (status <= WARNING)
        status = instance_set_reals(instance, d->known, 1, &here);
    for (int i = 0; i < d->unknowns && status <= WARNING; i++)
        term[i] = (term[i] - k->v[d->unknown_slot[i]]) / (there - here);
    return status;
}

/* Puts a known to a value; where it is a state, all states as they are in the buffer. */
static Status move_known(Kernel *k, const LocalDerivative *d, double value)
{
    const Part *part = &k->parts[d->instance];
    if (d->known_slot == NONE)
        return instance_set_reals(part->instance, d->known, 1, &value);
    k->buffer[d->known_slot] = value;
    return instance_move_states(part->instance, k->buffer, (size_t)part->states);
}

/* For FMUs without directional derivatives, of any of their knowns. */
static Status central_difference(Kernel *k, const LocalDerivative *d, double *term)
{
    const Part *part = &k->parts[d->instance];
    double here = 0;
    Status status = d->known_slot == NONE ? instance_get_reals(part->instance, d->known, 1, &here)
                                          : instance_get_states(part->instance, k->buffer, (size_t)part->states);
    if (status > WARNING)
        return status;
    here = d->known_slot == NONE ? here : k->buffer[d->known_slot];
    const double by = 6e-6 * fmax(fabs(here), d->nominal), before = here - by, after = here + by;
    status = move_known(k, d, before);
    if (status <= WARNING)
        status = instance_get_reals(part->instance, d->unknown, (size_t)d->unknowns, term);
    if (status <= WARNING)
        status = move_known(k, d, after);
    for (int i = 0; i < d->unknowns && status <= WARNING; i++) {
        double beyond = 0;
        status = instance_get_reals(part->instance, d->unknown + i, 1, &beyond);
        term[i] = (beyond - term[i]) / (after - before);
    }
    const Status back = move_known(k, d, here);
    return status <= WARNING ? back : status;
}

/* Sends all calls at once to another process, where each call by itself would be a round trip. */
static void ask_together(const Instance *instance, const LocalDerivative *d)
{
    Directional asked[TOGETHER];
    for (int i = 0; i < d->together; i++)
        asked[i] = (Directional){d[i].unknown, d[i].known, (size_t)d[i].unknowns, (size_t)d[i].knowns, d[i].seed};
    instance->library->together(instance->component, asked, (size_t)d->together);
}

int differentiate(Kernel *k, const LocalDerivative *d, double *term)
{
    if (d->kind == KNOWN) {
        for (int i = 0; i < d->unknowns; i++)
            term[i] = k->v[d->unknown_slot[i]];
        return KERNEL_DONE;
    }
    Instance *instance = k->parts[d->instance].instance;
    const size_t unknowns = (size_t)d->unknowns, knowns = (size_t)d->knowns;
    const double began = k->timed ? k->clock() : 0;
    if (d->together > 1 && instance->library->together && !instance->views)
        ask_together(instance, d);
    const Status status = d->kind == DIFFERENCE ? difference(k, d, term)
                          : d->kind == CENTRAL  ? central_difference(k, d, term)
                          : d->kind == ADJOINT  ? instance_adjoint(instance, d->unknown, unknowns, d->known, knowns, d->seed, term)
                                                : instance_directional(instance, d->unknown, unknowns, d->known, knowns, d->seed, term);
    if (k->timed)
        k->in_fmus += k->clock() - began - k->clock_cost;
    if (status <= WARNING)
        return KERNEL_DONE;
    const int result = failed(k, KERNEL_FMU_FAILED, "differentiating", d->instance, status);
    k->failure.references = d->unknown;
    k->failure.count = d->unknowns;
    return result;
}
