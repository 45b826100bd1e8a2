/* Points to which a co-simulation can return. */
#include "cosimulation/saving.h"

#include <stdlib.h>
#include <string.h>

/* A return to a point restores all values, earlier arrivals and peaks of pivots, in addition to the instances. */
size_t saved_size(const Kernel *k)
{
    const Coupling *c = k->coupling;
    return (size_t)k->slots + 1 + PAST * (size_t)(c->inputs + c->predicted) + 3 * (size_t)c->inputs + (size_t)kernel_copy_peaks(k, NULL, false);
}

long kernel_copy_peaks(const Kernel *k, double *kept, bool back)
{
    long count = 0;
    for (int i = 0; i < k->loop_count; count += k->loops[i++].count) {
        double *peaks = k->loops[i].linear ? linear_peaks(k->loops[i].linear) : NULL;
        if (peaks && kept)
            memcpy(back ? peaks : kept + count, back ? kept + count : peaks, (size_t)k->loops[i].count * sizeof *kept);
    }
    return count;
}

static double *kept_peaks(const Kernel *k, int which)
{
    return k->coupling->backup[which] + saved_size(k) - kernel_copy_peaks(k, NULL, false);
}

static void copy_past(Kernel *k, double *backup, bool back)
{
    Coupling *c = k->coupling;
    double *at = backup + k->slots + 1;
    for (int i = 0; i < PAST; i++) {
        double *const pasts[] = {c->past[i], c->predicted_past[i]};
        const int counts[] = {c->inputs, c->predicted};
        for (int j = 0; j < 2; j++) {
            const size_t size = (size_t)counts[j] * sizeof *at;
            if (size)
                memcpy(back ? pasts[j] : at, back ? at : pasts[j], size);
            at += counts[j];
        }
    }
    for (int i = 0; i < 3 && c->periods; i++, at += c->inputs)
        memcpy(back ? c->own[i] : at, back ? at : c->own[i], (size_t)c->inputs * sizeof *at);
}

int kernel_save(Kernel *k, int which)
{
    Coupling *c = k->coupling;
    for (int i = 0; i < c->other_count; i++) {
        const Status status = instance_save(k->parts[c->other[i].part].instance, &c->other[i].saved[which]);
        if (status > WARNING) {
            failed(k, KERNEL_FMU_FAILED, "saving the state", c->other[i].part, status);
            return KERNEL_FMU_FAILED;
        }
        c->other[i].next_time[which] = k->parts[c->other[i].part].instance->next_time;
    }
    for (int i = 0; i < c->count; i++) {
        if (!c->steppers[i].instance)
            continue;
        const Status status = instance_save(c->steppers[i].instance, &c->steppers[i].saved[which]);
        if (status > WARNING) {
            failed(k, KERNEL_FMU_FAILED, "saving the state", c->steppers[i].part, status);
            return KERNEL_FMU_FAILED;
        }
        c->steppers[i].next_time[which] = c->steppers[i].instance->next_time;
        c->steppers[i].saved_own[which] = c->steppers[i].own;
    }
    if (!c->backup[which])
        c->backup[which] = malloc(saved_size(k) * sizeof(double));
    if (!c->backup[which])
        return KERNEL_NO_MEMORY;
    memcpy(c->backup[which], k->v, (size_t)k->slots * sizeof *k->v);
    copy_past(k, c->backup[which], false);
    kernel_copy_peaks(k, kept_peaks(k, which), false);
    memcpy(c->backup_time[which], c->past_time, sizeof c->past_time);
    c->backup_time[which][PAST] = k->t;
    c->backup_passed[which] = k->passed;
    c->backup_known[which] = c->known;
    c->backup_rows[which] = kernel_rows(k);
    return KERNEL_DONE;
}

int kernel_restore(Kernel *k, int which)
{
    Coupling *c = k->coupling;
    for (int i = 0; i < c->count; i++) {
        if (!c->steppers[i].instance)
            continue;
        const Status status = instance_restore(c->steppers[i].instance, c->steppers[i].saved[which]);
        if (status > WARNING) {
            failed(k, KERNEL_FMU_FAILED, "restoring the state", c->steppers[i].part, status);
            return KERNEL_FMU_FAILED;
        }
        c->steppers[i].instance->next_time = c->steppers[i].next_time[which];
        c->steppers[i].event = false;
        c->steppers[i].own = c->steppers[i].saved_own[which];
    }
    for (int i = 0; i < c->other_count; i++) {
        const Status status = instance_restore(k->parts[c->other[i].part].instance, c->other[i].saved[which]);
        if (status > WARNING) {
            failed(k, KERNEL_FMU_FAILED, "restoring the state", c->other[i].part, status);
            return KERNEL_FMU_FAILED;
        }
        k->parts[c->other[i].part].instance->next_time = c->other[i].next_time[which];
    }
    c->event = false;
    memcpy(k->v, c->backup[which], (size_t)k->slots * sizeof *k->v);
    copy_past(k, c->backup[which], true);
    kernel_copy_peaks(k, kept_peaks(k, which), true);
    memcpy(c->past_time, c->backup_time[which], sizeof c->past_time);
    k->t = c->backup_time[which][PAST];
    k->passed = c->backup_passed[which]; /* a jump that lay ahead lies ahead again */
    c->known = c->backup_known[which];
    kernel_forget_rows(k, c->backup_rows[which]);
    place_instances(&k->phase, ASTRAY);
    return KERNEL_DONE;
}
