/* Building the part of a system that steps: its Co-Simulation instances, what goes into them, and what is watched. */
#include "system/kernel_internal.h"

#include <stdlib.h>
#include <string.h>

static bool allocate(Kernel *k, const CouplingRow *row)
{
    Coupling *c = k->coupling;
    const size_t n = (size_t)row->inputs + 1, held = (size_t)row->held_count + 1, predicted = (size_t)row->predicted_count + 1,
                 indicators = (size_t)k->indicators;
    c->reference = calloc(n, sizeof *c->reference);
    c->value = calloc((7 + PAST) * n, sizeof(double));
    c->held_before = calloc(held + 2 * indicators, sizeof(double));
    c->predicted_block = calloc(PAST * predicted, sizeof(double));
    if (!c->reference || !c->value || !c->held_before || !c->predicted_block)
        return false;
    c->slope = c->value + n;
    c->curve = c->slope + n;
    c->scratch = c->curve + n;
    c->z = c->held_before + held;
    c->z_before = c->z + indicators;
    for (size_t i = 0; i < 3; i++)
        c->own[i] = c->scratch + (PAST + 1 + i) * n;
    for (size_t i = 0; i < PAST; i++) {
        c->past[i] = c->scratch + (i + 1) * n;
        c->predicted_past[i] = c->predicted_block + i * predicted;
    }
    return true;
}

static void add_stepper(Kernel *k, const Rows *rows, const StepperRow *row)
{
    Coupling *c = k->coupling;
    const Stepper *before = c->count ? &c->steppers[c->count - 1] : NULL;
    const int first = before ? before->first + before->inputs.count : 0;
    Stepper *s = &c->steppers[c->count++];
    *s = (Stepper){.part = row->part,
                   .instance = row->part == NONE ? NULL : k->parts[row->part].instance,
                   .first = first,
                   .declared = row->degree,
                   .degree = row->degree,
                   .saves = row->saves,
                   .variable = row->variable,
                   .constrained = row->constrained,
                   .period = *(rows->real + row->period)};
    for (int i = first; i < first + row->inputs; i++)
        s->most = c->most[i] > s->most ? c->most[i] : s->most;
    c->highest = s->most > c->highest ? s->most : c->highest;
    c->periods = c->periods || s->period > 0;
    if (s->instance && s->instance->library->version == 2 && !IS_WATCHED) {
        s->component = s->instance->component;
        s->set = s->instance->views ? NULL : s->instance->library->fmi2.set[FLOAT64];
        s->step = s->instance->library->fmi2.do_step;
    }
    if (row->inputs)
        memcpy(c->reference + first, rows->number + row->references, (size_t)row->inputs * sizeof *c->reference);
    s->inputs = (Polynomials){.count = row->inputs,
                              .reference = c->reference + first,
                              .value = c->value + first,
                              .slope = c->slope + first,
                              .curve = c->curve + first,
                              .scratch = c->scratch + first};
    if (s->instance)
        s->instance->inputs = &s->inputs;
}

int kernel_couple(Kernel *k, const Rows *rows)
{
    const CouplingRow *row = rows->coupling;
    Coupling *c = calloc(1, sizeof *c);
    if (!c)
        return -1;
    k->coupling = c;
    k->end_coupling = kernel_end_coupling;
    c->get_outputs = kernel_get_outputs;
    c->inputs = row->inputs;
    c->first_end = row->first_end;
    c->arriving = row->arriving == NONE ? NULL : rows->number + row->arriving;
    c->most = row->most == NONE ? NULL : rows->number + row->most;
    c->held_count = row->held_count;
    c->held = row->held == NONE ? NULL : rows->number + row->held;
    c->predicted = row->predicted_count;
    c->predicted_slot = row->predicted == NONE ? NULL : rows->number + row->predicted;
    c->steppers = calloc((size_t)rows->steppers + 1, sizeof *c->steppers);
    c->other = calloc((size_t)rows->others + 1, sizeof *c->other);
    c->bonds = calloc((size_t)rows->bonds + 1, sizeof *c->bonds);
    if (!c->steppers || !c->other || !c->bonds || !allocate(k, row))
        return -1;
    for (int i = 0; i < rows->steppers; i++)
        add_stepper(k, rows, &rows->stepper[i]);
    for (; c->other_count < rows->others; c->other_count++)
        c->other[c->other_count].part = rows->other[c->other_count].part;
    for (; c->bond_count < rows->bonds; c->bond_count++) {
        const BondRow *bond = &rows->bond[c->bond_count];
        c->bonds[c->bond_count] = (Bond){.input = bond->input, .rate = bond->rate, .total = bond->total, .sign = rows->real[bond->sign]};
    }
    return build_derivatives(rows, NONE, &c->derivatives, &c->derivative_count) && build_operations(k, rows, true) ? 0 : -1;
}

/* States that instances have saved are forgotten: they belong to the run. */
static void forget_saved(Kernel *k)
{
    Coupling *c = k->coupling;
    for (int j = 0; j < SAVED; j++) {
        for (int i = 0; i < c->count; i++)
            if (c->steppers[i].instance)
                instance_forget(c->steppers[i].instance, &c->steppers[i].saved[j]);
        for (int i = 0; i < c->other_count; i++)
            instance_forget(k->parts[c->other[i].part].instance, &c->other[i].saved[j]);
    }
}

void kernel_end_coupling(Kernel *k)
{
    Coupling *c = k->coupling;
    if (!c)
        return;
    forget_saved(k);
    for (int i = 0; i < c->count; i++) {
        if (c->steppers[i].instance) {
            c->steppers[i].instance->inputs = NULL;
            c->steppers[i].instance->wanted = NULL;
        }
        free_operations(&c->steppers[i].sequence);
        free_operations(&c->steppers[i].outputs);
    }
    for (int i = 0; i < SAVED; i++)
        free(c->backup[i]);
    free(c->predicted_block);
    free(c->held_before);
    free(c->course);
    free(c->other);
    free(c->derivatives);
    free(c->steppers);
    free(c->reference);
    free(c->value);
    free(c->bonds);
    free(c);
    k->coupling = NULL;
}

void kernel_reset_coupling(Kernel *k)
{
    Coupling *c = k->coupling;
    const size_t n = (size_t)c->inputs + 1;
    forget_saved(k);
    free(c->course);
    c->course = NULL;
    c->bounds = 0;
    memset(c->value, 0, (7 + PAST) * n * sizeof *c->value);
    memset(c->past_time, 0, sizeof c->past_time);
    memset(c->held_before, 0, ((size_t)c->held_count + 1 + 2 * (size_t)k->indicators) * sizeof *c->held_before);
    memset(c->predicted_block, 0, PAST * ((size_t)c->predicted + 1) * sizeof *c->predicted_block);
    for (int i = 0; i < c->bond_count; i++)
        c->bonds[i].passed = 0;
    for (int i = 0; i < c->count; i++) {
        c->steppers[i].event = false;
        c->steppers[i].own = (Period){0};
        c->steppers[i].degree = c->steppers[i].declared;
        c->steppers[i].inputs.start = 0;
        c->steppers[i].inputs.degree = c->steppers[i].alone = 0;
    }
    c->known = c->degree = 0;
    c->ending = c->event = c->sudden = c->ready = c->careful = c->align = c->lone = c->stopping = false;
    c->within = NULL;
    c->stepping = NULL;
    c->earliest = c->seconds = 0;
    c->passes = c->discarded = c->sampled = 0;
}

double *kernel_polynomials(Kernel *k)
{
    return k->coupling->value;
}

int kernel_taken_degree(const Kernel *k, int stepper)
{
    return k->coupling->steppers[stepper].degree;
}

void kernel_announce(Kernel *k)
{
    k->coupling->event = true;
}

void kernel_set_align(Kernel *k, bool align, bool lone)
{
    k->coupling->align = align;
    k->coupling->lone = lone;
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

int kernel_events_alone(const Kernel *k, int stepper)
{
    return k->coupling->steppers[stepper].alone;
}

void kernel_coupling_counts(const Kernel *k, long *passes, long *discarded, double *earliest, double *seconds_)
{
    const Coupling *c = k->coupling;
    *passes = c->passes;
    *discarded = c->discarded;
    *earliest = c->earliest;
    *seconds_ = c->sampled ? c->seconds / (double)c->sampled * (double)c->passes : 0;
}
