#include "system/kernel_internal.h"

#include <stdlib.h>
#include <string.h>

void free_operations(Operations *operations)
{
    free(operations->block);
    free(operations->items);
}

static void free_loop(Loop *loop)
{
    free_operations(&loop->inside);
    free(loop->derivatives);
    free(loop->copied); /* with all integers of its kind */
    free(loop->copy_factor);
    free(loop->term);
    free(loop->residual); /* with all numbers by unknown */
    free(loop->held);
    free(loop->sequence);
    free(loop->dropped);
    free(loop->repeats);
    free(loop->reduced);
    linear_free(loop->linear);
    linear_free(loop->whole);
}

void kernel_free(Kernel *k)
{
    if (!k)
        return;
    void (*const ends[])(Kernel *) = {k->end_run, k->end_record, k->end_implicit, k->end_coupling, k->end_projection, k->end_changes,
                                     k->end_switching, k->end_sensitivity, k->end_fused, k->end_machines};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i])
            ends[i](k);
    for (int i = 0; i < k->loop_count; i++)
        free_loop(&k->loops[i]);
    for (int i = 0; i < LISTS; i++) {
        free_operations(&k->lists[i]);
        free_operations(&k->loud_lists[i]);
    }
    free(k->loops);
    free(k->drives);
    free(k->parts);
    free(k->handler);
    free(k->quiet_unknown);
    free(k->loud);
    free(k->loud_state);
    free(k->buffer);
    free(k->displaced);
    free(k->off);
    free(k->size);
    free(k->ordered);
    free(k->v);
    free(k);
}

double *kernel_slots(Kernel *k)
{
    return k->v;
}

const Failure *kernel_failure(const Kernel *k)
{
    return &k->failure;
}

const Statistics *kernel_statistics(const Kernel *k)
{
    return &k->statistics;
}

int kernel_loop_deficiency(const Kernel *k, int loop, bool passing, double *undetermined, double *redundant, double *time)
{
    const Loop *l = &k->loops[loop];
    const Deficiency *d = passing ? &l->passed : &l->worst;
    if (undetermined) {
        memcpy(undetermined, d->undetermined, (size_t)l->count * sizeof *undetermined);
        memcpy(redundant, d->redundant, (size_t)l->count * sizeof *redundant);
    }
    *time = d->time;
    return d->count;
}

void kernel_loop_solve_linear(Kernel *k, int loop, double *right)
{
    const Loop *l = &k->loops[loop];
    linear_solve(l->whole ? l->whole : l->linear, right);
}

void kernel_set_polynomial(Kernel *k, int drive, double start, double value, double slope, double curve)
{
    Drive *d = &k->drives[drive];
    d->start = start;
    d->coefficient[0] = value;
    d->coefficient[1] = slope;
    d->coefficient[2] = curve / 2;
}

void kernel_unsettle(Kernel *k)
{
    place_instances(&k->phase, ASTRAY);
}

void kernel_set_damping(Kernel *k, double rtol)
{
    for (int i = 0; i < k->loop_count; i++)
        linear_set_damping(k->loops[i].linear, rtol);
}

void kernel_accept(Kernel *k)
{
    const bool fused = by_equations(&k->phase) && k->fused->accept(k);
    for (int i = 0; i < k->loop_count; i++) {
        loop_accept(k, &k->loops[i]);
        if (k->loops[i].linear && !fused)
            linear_accept(k->loops[i].linear);
    }
}

int kernel_hold(Kernel *k, int loop, const bool *held)
{
    Loop *l = &k->loops[loop];
    l->given = held != NULL;
    for (int i = 0; i < l->count && held; i++)
        l->given = l->given && held[i];
    if (!held) {
        free(l->held);
        l->held = NULL;
        return 0;
    }
    if (!l->held)
        l->held = malloc((size_t)l->count + 1);
    if (!l->whole)
        l->whole = linear_new(l->count, l->row_start, l->column, l->order);
    if (!l->held || !l->whole)
        return -1;
    memcpy(l->held, held, (size_t)l->count * sizeof *held);
    return 0;
}

void kernel_switch(Kernel *k, int loop, int unknown, bool on)
{
    Loop *l = &k->loops[loop];
    l->off_count += !on - l->off[unknown];
    l->off[unknown] = !on;
    k->v[l->first + unknown] = on ? k->v[l->first + unknown] : 0;
    place_instances(&k->phase, ASTRAY);
    double *peak = l->linear ? linear_peaks(l->linear) : NULL;
    for (int i = 0; peak && i < l->count; i++)
        peak[i] = 0;
}

const bool *kernel_off(const Kernel *k)
{
    return k->off;
}

const bool *kernel_lawful(const Kernel *k)
{
    return k->loop_count ? k->loops[0].lawful : k->off;
}

long kernel_rows(const Kernel *k)
{
    return k->record ? k->record->rows : 0;
}
