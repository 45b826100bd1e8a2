/* Building the part of a system that steps: its Co-Simulation instances, what goes into them, and what is watched. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

int kernel_couple(Kernel *k, int inputs, const int *arriving, int first_end)
{
    const size_t n = (size_t)inputs + 1;
    Coupling *c = calloc(1, sizeof *c);
    if (!c)
        return -1;
    k->coupling = c;
    k->end_coupling = kernel_end_coupling;
    c->get_outputs = kernel_get_outputs;
    c->inputs = inputs;
    c->first_end = first_end;
    c->arriving = malloc(n * sizeof *c->arriving);
    c->reference = calloc(n, sizeof *c->reference);
    c->value = calloc((4 + PAST) * n, sizeof(double));
    if (!c->arriving || !c->reference || !c->value)
        return -1;
    memcpy(c->arriving, arriving, (size_t)inputs * sizeof *arriving);
    c->slope = c->value + n;
    c->curve = c->slope + n;
    c->scratch = c->curve + n;
    for (int i = 0; i < PAST; i++)
        c->past[i] = c->scratch + (size_t)(i + 1) * n;
    return 0;
}

int kernel_add_stepper(Kernel *k, int part, int inputs, const Reference *reference, int degree, bool saves, bool variable)
{
    Coupling *c = k->coupling;
    Stepper *more = realloc(c->steppers, (size_t)(c->count + 1) * sizeof *more);
    if (!more)
        return -1;
    c->steppers = more;
    const int first = c->count ? more[c->count - 1].first + more[c->count - 1].inputs.count : 0;
    Stepper *s = &more[c->count];
    *s = (Stepper){.part = part, .instance = part < 0 ? NULL : k->parts[part].instance, .first = first, .degree = degree, .saves = saves, .variable = variable};
    if (s->instance && s->instance->library->version == 2) {
        s->component = s->instance->component;
        s->set = s->instance->library->fmi2.set[FLOAT64];
        s->step = s->instance->library->fmi2.do_step;
    }
    memcpy(c->reference + first, reference, (size_t)inputs * sizeof *reference);
    s->inputs = (Polynomials){.count = inputs,
                              .reference = c->reference + first,
                              .value = c->value + first,
                              .slope = c->slope + first,
                              .curve = c->curve + first,
                              .scratch = c->scratch + first};
    for (int i = 0; i <= c->count; i++)
        if (more[i].instance)
            more[i].instance->inputs = &more[i].inputs; /* the array may have moved */
    return c->count++;
}

void kernel_end_coupling(Kernel *k)
{
    Coupling *c = k->coupling;
    if (!c)
        return;
    for (int i = 0; i < c->count; i++) {
        if (c->steppers[i].instance) {
            c->steppers[i].instance->inputs = NULL;
            for (int j = 0; j < SAVED; j++)
                instance_forget(c->steppers[i].instance, &c->steppers[i].saved[j]);
        }
        free_operations(&c->steppers[i].sequence);
        free_operations(&c->steppers[i].outputs);
    }
    for (int i = 0; i < SAVED; i++)
        free(c->backup[i]);
    free(c->predicted_slot);
    free(c->predicted_block);
    free(c->held);
    free(c->held_before);
    free(c->course);
    for (int i = 0; i < c->other_count; i++)
        for (int j = 0; j < SAVED; j++)
            instance_forget(k->parts[c->other[i].part].instance, &c->other[i].saved[j]);
    free(c->other);
    for (int i = 0; i < c->derivative_count; i++)
        derivative_free(&c->derivatives[i]);
    free(c->derivatives);
    free(c->steppers);
    free(c->arriving);
    free(c->reference);
    free(c->value);
    free(c->bonds);
    free(c);
    k->coupling = NULL;
}

double *kernel_polynomials(Kernel *k)
{
    return k->coupling->value;
}

int kernel_set_predicted(Kernel *k, int count, const int *slots)
{
    Coupling *c = k->coupling;
    const size_t n = (size_t)count + 1;
    c->predicted_slot = malloc(n * sizeof *slots);
    c->predicted_past[0] = calloc(PAST * n, sizeof(double));
    if (!c->predicted_slot || !c->predicted_past[0])
        return -1;
    c->predicted_block = c->predicted_past[0];
    memcpy(c->predicted_slot, slots, (size_t)count * sizeof *slots);
    for (int i = 1; i < PAST; i++)
        c->predicted_past[i] = c->predicted_past[0] + (size_t)i * n;
    c->predicted = count;
    return 0;
}

int kernel_set_held(Kernel *k, int count, const int *slots)
{
    Coupling *c = k->coupling;
    const size_t n = (size_t)count + 1, indicators = (size_t)k->indicators;
    c->held = malloc(n * sizeof *slots);
    c->held_before = calloc(n + 2 * indicators, sizeof(double));
    if (!c->held || !c->held_before)
        return -1;
    memcpy(c->held, slots, (size_t)count * sizeof *slots);
    c->held_count = count;
    c->z = c->held_before + n;
    c->z_before = c->z + indicators;
    return 0;
}

int kernel_add_bond(Kernel *k, int input, int rate, int total, double sign)
{
    Coupling *c = k->coupling;
    Bond *more = realloc(c->bonds, (size_t)(c->bond_count + 1) * sizeof *more);
    if (!more)
        return -1;
    c->bonds = more;
    more[c->bond_count] = (Bond){.input = input, .rate = rate, .total = total, .sign = sign};
    return c->bond_count++;
}

int kernel_add_other(Kernel *k, int part)
{
    Coupling *c = k->coupling;
    Other *more = realloc(c->other, (size_t)(c->other_count + 1) * sizeof *more);
    if (!more)
        return -1;
    c->other = more;
    more[c->other_count] = (Other){.part = part};
    return c->other_count++;
}

void kernel_announce(Kernel *k)
{
    k->coupling->event = true;
}

void kernel_set_align(Kernel *k, bool align)
{
    k->coupling->align = align;
}

void kernel_set_careful(Kernel *k, bool careful)
{
    k->coupling->careful = careful;
}

void kernel_set_ready(Kernel *k)
{
    k->coupling->ready = true;
}

void kernel_set_degree(Kernel *k, int degree)
{
    k->coupling->degree = degree;
}

void kernel_coupling_counts(const Kernel *k, long *passes, long *discarded, double *earliest, double *seconds_)
{
    const Coupling *c = k->coupling;
    *passes = c->passes;
    *discarded = c->discarded;
    *earliest = c->earliest;
    *seconds_ = c->sampled ? c->seconds / (double)c->sampled * (double)c->passes : 0;
}
